/* Collections: a state machine for each cap, and the current collection. */
#include "facts/collections.h"
#include <hectic/read_events.h>

#include "base/array.h"
#include "facts/gc_time.h"
#include "format/per_cap.h"
#include "format/stop_status.h"
#include "numbers/saturating.h"
#include "read/decode/running.h"

#include <stdlib.h>

struct collecting_cap {
    bool asked, in_gc;
    uint64_t counted;   /* the last collection that counts it as a participant, from 1 */
    uint32_t thread;    /* that stopped last */
    uint16_t last_stop; /* the status of the last STOP_THREAD; 0: none yet */
    uint64_t asked_at, stopped;
    uint64_t gc_since;
    uint64_t entered; /* the number of collections opened by then */
};

struct hectic_collections {
    uint64_t from, to;
    hectic_collection_callback callback;
    void *user;
    struct collecting_cap *cap; /* in order of appearance, as in gc_time */
    uint32_t caps, caps_capacity;
    per_cap place;   /* index in cap[], plus 1 */
    uint32_t in_gc;  /* number of caps in GC */
    uint64_t opened; /* number of collections so far */
    /* The current collection, or the last one while more of its events may follow. */
    bool is_open;
    bool is_due;         /* only its mean pause is unknown: some caps have not continued yet */
    bool is_presumed;    /* its leader is presumed */
    bool has_requests;   /* the log has requests */
    bool may_exit;       /* the open one may be that of the program's end, which is to follow */
    uint64_t since_stop; /* ns from the last stop of the leader to the request of the open one */
    hectic_collection open;
    uint64_t number; /* of the open one in gc_time; 0: none */
    struct gc_time gc_time;
    bool has_size;
    uint64_t size; /* of the heap */
};

const char *hectic_gc_reason_text(hectic_gc_reason reason)
{
    static const char *const texts[] = {
        [HECTIC_GC_UNKNOWN] = "unknown", [HECTIC_GC_HEAP] = "heap overflow",
        [HECTIC_GC_REQUEST] = "request", [HECTIC_GC_IDLE] = "idle",
        [HECTIC_GC_EXIT] = "exit",       [HECTIC_GC_OTHER] = "other",
    };
    return (size_t)reason < sizeof texts / sizeof *texts ? texts[reason] : "unknown";
}

hectic_gc_reason hectic_gc_reason_of(bool returns, uint64_t before, uint64_t after)
{
    enum { AT_ONCE = 10000, SOON = 10000000, IDLE = 100000000 };
    /* performGC requests a collection within some us, and then returns. The timer requests one
     * after 0.3 s (+RTS -I) without activity: for that, a thread of the runtime may wake up and
     * wait again, 20 us or more before. */
    if (before >= IDLE || after >= IDLE) return HECTIC_GC_IDLE;
    return returns && before < AT_ONCE && after < SOON ? HECTIC_GC_REQUEST : HECTIC_GC_UNKNOWN;
}

/* What is known when it begins: see take_run and hectic_collections_end for the others. */
static hectic_gc_reason reason_of(uint16_t stop)
{
    enum { STACK = 2 };
    if (stop == STOP_HEAP_OVERFLOW) return HECTIC_GC_HEAP;
    return stop == STACK || stop == STOP_YIELDING ? HECTIC_GC_OTHER : HECTIC_GC_UNKNOWN;
}

hectic_collections *hectic_collections_new(uint64_t from, uint64_t to,
                                           hectic_collection_callback callback, void *user)
{
    hectic_collections *c = calloc(1, sizeof *c);
    if (c) *c = (hectic_collections){.from = from, .to = to, .callback = callback, .user = user};
    return c;
}

static void clear(hectic_collections *c)
{
    free(c->cap);
    per_cap_clear(&c->place);
    gc_time_clear(&c->gc_time);
}

void hectic_collections_free(hectic_collections *c)
{
    if (!c) return;
    clear(c);
    free(c);
}

/* The cap `number`; NULL: out of memory. */
static struct collecting_cap *cap_of(hectic_collections *c, uint16_t number)
{
    uint32_t *place = per_cap_at(&c->place, number);
    if (!place) return NULL;
    if (*place) return &c->cap[*place - 1];
    if (!array_reserve(c->cap, c->caps_capacity, c->caps + 1)) return NULL;
    if (!gc_time_grow(&c->gc_time)) return NULL;
    c->cap[c->caps] = (struct collecting_cap){0};
    *place = ++c->caps;
    return &c->cap[*place - 1];
}

static void set_in_gc(hectic_collections *c, struct collecting_cap *cap, bool in_gc)
{
    c->in_gc += in_gc;
    c->in_gc -= cap->in_gc;
    /* It took part in the collection that began meanwhile. */
    if (cap->in_gc && cap->entered < c->opened) cap->counted = c->opened;
    cap->in_gc = in_gc;
    cap->entered = c->opened;
}

/* Reports the open collection. */
static bool report(hectic_collections *c)
{
    if (!c->is_open) return true;
    c->is_open = false;
    const hectic_collection *open = &c->open;
    return open->start < c->from || open->start >= c->to || c->callback(c->user, open);
}

/* Reports the open collection if nothing of it is missing. */
static bool report_complete(hectic_collections *c)
{
    const bool waits = c->may_exit || (c->number && !c->open.has_mean_pause);
    return !c->is_due || waits || report(c);
}

static bool edge(hectic_collections *c, uint16_t number, uint64_t time, enum gc_edge kind)
{
    struct gc_completion completed;
    const uint32_t place = per_cap_get(&c->place, number) - 1;
    if (!gc_time_edge(&c->gc_time, place, time, kind, GC_UNCOUNTED, &completed)) return false;
    if (!completed.is_over || !c->is_open || completed.collection.number != c->number) return true;
    c->open.has_mean_pause = true;
    c->open.mean_pause = gc_mean_pause(&completed.collection);
    return report_complete(c);
}

/* Begins a collection led by the cap. Caps that are in GC already wait for it. */
static bool begin(hectic_collections *c, uint16_t number, struct collecting_cap *cap,
                  uint64_t start)
{
    if (!report(c)) return false;
    const uint64_t asked_at = cap->asked ? cap->asked_at : start;
    c->is_open = true;
    c->is_due = c->is_presumed = false;
    c->since_stop = saturating_less(asked_at, cap->stopped);
    c->may_exit = cap->last_stop == STOP_FINISHED;
    c->number = 0;
    c->open = (hectic_collection){
        .start = start,
        .has_cap = true,
        .cap = number,
        .reason = reason_of(cap->last_stop),
        .has_safepoint = cap->asked,
        .safepoint = saturating_less(start, asked_at),
        .has_before = c->has_size,
        .before = c->size,
    };
    c->open.participants = c->in_gc;
    c->opened++;
    cap->asked = false;
    return true;
}

static bool lead(hectic_collections *c, uint16_t number, struct collecting_cap *cap, uint64_t time)
{
    if (!begin(c, number, cap, time) || !edge(c, number, time, GC_EDGE_LEAD)) return false;
    c->number = c->gc_time.number;
    return true;
}

static bool take_start(hectic_collections *c, uint16_t number, struct collecting_cap *cap,
                       uint64_t time)
{
    set_in_gc(c, cap, true);
    cap->gc_since = time;
    if (cap->asked) return lead(c, number, cap, time);
    if (c->caps == 1 && !c->has_requests) {
        /* The non-threaded runtime logs no request. */
        if (!lead(c, number, cap, time)) return false;
        c->is_presumed = true;
        return true;
    }
    if (!edge(c, number, time, GC_EDGE_BEGIN)) return false;
    if (c->is_open && !c->open.has_ended && cap->counted != c->opened) {
        cap->counted = c->opened;
        c->open.participants++;
    }
    return true;
}

static bool take_end(hectic_collections *c, uint16_t number, struct collecting_cap *cap,
                     uint64_t time)
{
    if (!cap->in_gc) return true;
    set_in_gc(c, cap, false);
    const bool leads = c->is_open && c->open.cap == number && !c->open.has_ended;
    if (leads) {
        c->open.has_ended = true;
        c->open.pause = time > c->open.start ? time - c->open.start : 0;
    }
    return edge(c, number, time, leads && c->number ? GC_EDGE_LEAD_END : GC_EDGE_END);
}

/* All events of a collection precede the leader's next run, except the ends of other caps. A
 * missing end is implied here. */
static bool take_run(hectic_collections *c, uint16_t number, struct collecting_cap *cap,
                     const hectic_event *event)
{
    uint32_t thread;
    if (!take_end(c, number, cap, event->time)) return false;
    if (!c->is_open || c->is_due || c->open.cap != number || !c->open.has_ended) return true;
    const uint64_t after = saturating_less(event->time, c->open.start + c->open.pause);
    const bool returns = cap->last_stop == STOP_FOREIGN && hectic_read_thread(event, &thread) &&
                         thread == cap->thread;
    const hectic_gc_reason reason = hectic_gc_reason_of(returns, c->since_stop, after);
    const bool is_idle = reason == HECTIC_GC_IDLE && cap->last_stop > STOP_HEAP_OVERFLOW;
    if (cap->last_stop >= STOP_FOREIGN || is_idle) c->open.reason = reason;
    c->is_due = true;
    return report_complete(c);
}

static bool take_stats(hectic_collections *c, uint16_t number, struct collecting_cap *cap,
                       uint64_t time, const hectic_event *event)
{
    hectic_event_gc_stats_ghc stats;
    if (!hectic_read_gc_stats_ghc(event, &stats)) return true;
    /* If the request was not logged, the statistics identify the leader. */
    if (!c->is_open || c->open.cap != number || c->open.has_stats) {
        const bool known = cap->in_gc;
        if (c->is_presumed && !c->open.has_stats) c->is_open = false; /* this cap led instead */
        if (!begin(c, number, cap, known ? cap->gc_since : time)) return false;
        c->open.has_ended = !known;
    }
    hectic_collection *open = &c->open;
    open->has_stats = true;
    open->generation = stats.generation;
    open->copied = stats.copied;
    open->slop = stats.slop;
    open->fragmentation = stats.fragmentation;
    open->threads = stats.par_threads;
    const uint64_t most = stats.par_max_copied, total = stats.par_total_copied;
    if (open->threads < 2 || total == 0) return true;
    if (stats.has_par_balanced_copied) {
        open->has_balance = true;
        open->balance = (double)stats.par_balanced_copied / (double)total;
    } else if (most > 0) {
        open->has_balance = true;
        open->balance = ((double)total / (double)most - 1) / (double)(open->threads - 1);
    }
    return true;
}

/* Heap events that follow a collection, on its leader. */
static void take_heap(hectic_collections *c, uint16_t number, const hectic_event *event)
{
    hectic_event_heap_size size; /* HEAP_LIVE has the same fields */
    if (!hectic_read_heap_size(event, &size)) return;
    const bool is_its = c->is_open && !c->is_due && c->open.cap == number;
    if (event->type == HECTIC_EVENT_HEAP_LIVE) {
        if (!is_its) return;
        c->open.has_live = true;
        c->open.live = size.bytes;
        return;
    }
    c->has_size = true;
    c->size = size.bytes;
    if (!is_its) return;
    c->open.has_after = true;
    c->open.after = size.bytes;
}

bool hectic_collections_event(hectic_collections *c, const hectic_event *event)
{
    const uint16_t number = event->cap;
    if (number == HECTIC_CAP_NONE) return true;
    struct collecting_cap *cap = cap_of(c, number);
    hectic_event_stop_thread stop;
    if (!cap) return false;
    if (running_step_of(event->type) == RUNNING_STARTS) return take_run(c, number, cap, event);
    switch (event->type) {
    case HECTIC_EVENT_STOP_THREAD:
        if (!hectic_read_stop_thread(event, &stop)) return true;
        cap->last_stop = stop.status;
        cap->thread = stop.thread;
        cap->stopped = event->time;
        return true;
    case HECTIC_EVENT_REQUEST_SEQ_GC:
    case HECTIC_EVENT_REQUEST_PAR_GC:
        c->has_requests = true;
        cap->asked = true;
        cap->asked_at = event->time;
        return true;
    case HECTIC_EVENT_GC_START: return take_start(c, number, cap, event->time);
    case HECTIC_EVENT_GC_END: return take_end(c, number, cap, event->time);
    case HECTIC_EVENT_GC_STATS_GHC: return take_stats(c, number, cap, event->time, event);
    case HECTIC_EVENT_HEAP_SIZE:
    case HECTIC_EVENT_HEAP_LIVE: take_heap(c, number, event); return true;
    default: return true;
    }
}

bool hectic_collections_end(hectic_collections *c, uint64_t now)
{
    if (c->is_open && !c->open.has_ended)
        c->open.pause = now > c->open.start ? now - c->open.start : 0;
    /* The program's end collects once more, after all others. */
    if (c->may_exit && now < c->to) c->open.reason = HECTIC_GC_EXIT;
    const bool done = report(c);
    clear(c);
    *c = (hectic_collections){
        .from = c->from, .to = c->to, .callback = c->callback, .user = c->user};
    return done;
}
