/* threads.c — see threads.h. */
#include "facts/threads.h"

#include "base/array.h"
#include "base/map.h"
#include "facts/cap_set.h"
#include "facts/replay.h"
#include "format/gap_message.h"
#include "format/per_cap.h"
#include "render/renderer.h"

#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

enum {
    NO_CAP = HECTIC_CAP_NONE,
    WORD_BITS = 64,
    PAGE_BITS = 8,
    PAGE = 1 << PAGE_BITS, /* threads; they do not move, since that would take twice the memory */
    THREADS_MAX = 1u << 31,
    UNBORN_MAX = 1u << 18,
};

/* Shared by a thread and its kept states. */
struct label {
    uint32_t users;
    bool is_runtime;
    char text[];
};

/* A live thread. Its times are up to `since`, when its state began, or when the interval began. */
struct thread {
    uint64_t born, since;
    uint64_t woken; /* its last wakeup by another thread */
    uint64_t unwoken_since;
    uint64_t outside_ns[HECTIC_LOCKS], longest_wait; /* as in hectic_thread */
    uint64_t ns[HECTIC_THREAD_STATES];
    uint64_t runs;
    uint64_t position; /* of its last event in the file */
    struct label *label;
    uint64_t caps;           /* a bit for each of the first 64 caps on which it ran */
    struct cap_set *further; /* the caps from 64 on which it ran */
    uint32_t id;
    uint32_t place; /* in the pages */
    uint32_t migrations, yields;
    uint16_t cap;           /* its cap, or NO_CAP */
    uint8_t state, unwoken; /* as in hectic_thread */
    uint8_t before;         /* its state when threads were last switched off */
    bool has_born : 1, has_run : 1, is_spark : 1, is_live : 1;
    bool is_replayed : 1;    /* created by SYNC events, at `born` */
    bool is_interrupted : 1; /* the runtime has made its cap look for another thread to run */
};

/* An entry of a map by numbers. */
struct replayed_thread {
    map_key key;
    uint16_t cap;
    uint8_t state;
    bool has_cap;
};

struct hectic_threads {
    uint64_t from, to;
    hectic_thread_callback callback;
    void *user;
    bool shifted; /* the section has the stop statuses of GHC 7.8.2 */

    struct thread **page;
    uint32_t used, pages, room; /* threads, and pages; room: for pages */
    uint32_t vacant;            /* the first unused one below `used`, plus 1; linked by `id` */
    map ids;
    uint64_t replay_time; /* events with this time replay the state (SYNC events) */
    struct replay replay;
    map replayed;    /* of replayed_thread */
    bool may_replay; /* the section declares SYNC */
    map ended_at; /* where in the file, plus 1, threads ended since the last replay, or recently */
    uint64_t latest; /* the latest event of threads; earlier ones are late */
    bool is_late;    /* the current event is late */
    uint64_t off;    /* switches of threads that are off (format/gap_message.h) */
    map unborn;      /* ended, but without a creation so far: it may be late */
    bool has_gap;    /* the section has had one */
    bool is_before;  /* it has had no event of the interval */
    uint64_t live_max, live_max_before; /* of the section; of those before */
    uint32_t newest, oldest;            /* the greatest and least number created in the section */
    per_cap running;                    /* the running thread of each cap, plus 1 */
    void (*watch)(void *user, const struct threads_span *); /* NULL: none */
    void *watching;                                         /* its user */
    hectic_thread_totals totals;                            /* of the accounted times */
};

const char *hectic_thread_state_name(hectic_thread_state state)
{
    static const char *const names[] = {"unknown",   "running",      "runnable", "mvar",
                                        "mvar_read", "black_hole",   "stm",      "delay",
                                        "io",        "foreign_call", "throw_to", "other"};
    return state < HECTIC_THREAD_STATES ? names[state] : NULL;
}

static uint64_t clip(const hectic_threads *x, uint64_t time)
{
    return time < x->from ? x->from : time > x->to ? x->to : time;
}

static bool is_inside(const hectic_threads *x, uint64_t time)
{
    return time >= x->from && time < x->to;
}

/* --- Finding --------------------------------------------------------------------------------- */

static struct thread *at(const hectic_threads *x, uint64_t place)
{
    return &x->page[place >> PAGE_BITS][place % PAGE];
}

static struct thread *find(const hectic_threads *x, uint32_t id)
{
    const uint64_t place = map_value_of(&x->ids, id);
    return place ? at(x, place - 1) : NULL;
}

static bool grow_threads(hectic_threads *x)
{
    if (x->used < x->pages * PAGE) return true;
    if (x->used >= THREADS_MAX || !array_reserve(x->page, x->room, x->pages + 1)) return false;
    struct thread *page = malloc(PAGE * sizeof *page);
    if (page) x->page[x->pages++] = page;
    return page;
}

/* The section has had that many live threads at a time, or as many as there are now. */
static void set_live_max(hectic_threads *x, uint64_t most)
{
    x->live_max = most > x->ids.count ? most : x->ids.count;
    if (x->is_before) return;
    x->totals.live_max = x->live_max > x->live_max_before ? x->live_max : x->live_max_before;
}

/* At the first event of the interval, or without any. */
static void enter_interval(hectic_threads *x)
{
    if (!x->is_before) return;
    x->is_before = false;
    set_live_max(x, 0);
}

static struct thread *add(hectic_threads *x, uint32_t id, uint64_t time)
{
    uint32_t index = x->vacant;
    if (index) {
        x->vacant = at(x, index - 1)->id;
    } else {
        if (!grow_threads(x)) return NULL;
        index = ++x->used;
    }
    struct thread *thread = at(x, index - 1);
    *thread = (struct thread){.id = id,
                              .place = index - 1,
                              .born = time,
                              .since = clip(x, time),
                              .cap = NO_CAP,
                              .is_live = true};
    if (!map_set_value(&x->ids, id, index)) return NULL;
    set_live_max(x, x->live_max);
    return thread;
}

/* Without a gap, a thread with a lower number than all that the section has created was alive since
 * before its beginning: at all times so far. */
static struct thread *add_unborn(hectic_threads *x, uint32_t id, const hectic_event *event)
{
    x->live_max +=
        id < x->oldest && !x->has_gap && !x->replay.is_open && event->time != x->replay_time;
    return add(x, id, event->time);
}

static void release(struct label *label)
{
    if (label && --label->users == 0) free(label);
}

static void drop(hectic_threads *x, struct thread *thread)
{
    const uint32_t index = thread->place + 1;
    if (per_cap_get(&x->running, thread->cap) == index) per_cap_clear_one(&x->running, thread->cap);
    map_remove_value(&x->ids, thread->id);
    release(thread->label);
    free(thread->further);
    *thread = (struct thread){.id = x->vacant, .place = index - 1, .cap = NO_CAP};
    x->vacant = index;
}

/* --- Time ------------------------------------------------------------------------------------ */

/* True if the thread has newer events than a late one: these take precedence. */
static bool is_outdated(const hectic_threads *x, const struct thread *thread, uint64_t now)
{
    return clip(x, now) < thread->since;
}

/* The time of the thread's current state inside the interval. */
static uint64_t elapsed(const hectic_threads *x, const struct thread *thread, uint64_t now)
{
    const uint64_t clipped = clip(x, now);
    return clipped > thread->since ? clipped - thread->since : 0;
}

static void tell(const hectic_threads *x, const struct thread *thread, unsigned next, uint64_t ns)
{
    if (!x->watch) return;
    const struct threads_span span = {.thread = thread->id,
                                      .cap = thread->cap,
                                      .state = thread->state,
                                      .next = (uint8_t)next,
                                      .place = thread->place,
                                      .from = thread->since,
                                      .to = thread->since + ns};
    x->watch(x->watching, &span);
}

static void enter(hectic_threads *x, struct thread *thread, hectic_thread_state state, uint64_t now)
{
    if (is_outdated(x, thread, now)) return;
    const uint64_t ns = elapsed(x, thread, now);
    tell(x, thread, state, ns);
    thread->ns[thread->state] += ns;
    thread->since += ns;
    thread->state = (uint8_t)state;
}

static bool use_cap(struct thread *thread, uint16_t cap)
{
    if (cap < WORD_BITS) {
        thread->caps |= UINT64_C(1) << cap;
        return true;
    }
    return cap_set_add(&thread->further, cap);
}

static uint32_t count_caps(const struct thread *thread)
{
    return (uint32_t)__builtin_popcountll(thread->caps) + cap_set_count(thread->further);
}

/* --- Reporting ------------------------------------------------------------------------------- */

static hectic_thread as_row(const hectic_threads *x, const struct thread *thread, uint64_t now)
{
    hectic_thread row = {
        .id = thread->id,
        .has_born = thread->has_born,
        .is_spark = thread->is_spark,
        .state = thread->state,
        .since = thread->since,
        .unwoken = thread->unwoken,
        .unwoken_since = thread->unwoken_since,
        .outside_ns = {thread->outside_ns[0], thread->outside_ns[1]},
        .longest_wait = thread->longest_wait,
        .cap = thread->cap,
        .label = thread->label ? thread->label->text : NULL,
        .born = thread->born,
        .ended = now,
        .runs = thread->runs,
        .yields = thread->yields,
        .migrations = thread->migrations,
        .caps = count_caps(thread),
    };
    memcpy(row.ns, thread->ns, sizeof row.ns);
    row.ns[thread->state] += elapsed(x, thread, now);
    return row;
}

/* True if a thread that ended at `now` was alive in the interval. */
static bool is_of_interval(const hectic_threads *x, const struct thread *thread, uint64_t now)
{
    return now >= x->from || is_inside(x, thread->born);
}

/* Reports and removes the thread; has_ended: its end is logged. */
static bool report(hectic_threads *x, struct thread *thread, uint64_t now, bool has_ended)
{
    const uint64_t ns = elapsed(x, thread, now), since = thread->since;
    tell(x, thread, has_ended ? HECTIC_THREAD_STATES : thread->state, ns);
    thread->ns[thread->state] += ns;
    thread->since += ns;
    bool go_on = true;
    if (is_of_interval(x, thread, now)) {
        hectic_thread row = as_row(x, thread, now);
        row.has_ended = has_ended;
        row.since = since;
        for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
            x->totals.ns[i] += row.ns[i];
        x->totals.threads++;
        x->totals.ended += has_ended && is_inside(x, now);
        x->totals.born += thread->has_born && is_inside(x, thread->born);
        x->totals.spark_threads += thread->is_spark;
        go_on = !x->callback || x->callback(x->user, &row);
    }
    drop(x, thread);
    return go_on;
}

/* --- Events ---------------------------------------------------------------------------------- */

enum { ENDED = HECTIC_THREAD_STATES };

/* The state of a thread after a stop, by the log's status. */
static unsigned state_after(uint64_t status)
{
    static const uint8_t states[] = {
        [0] = HECTIC_THREAD_OTHER,      [1] = HECTIC_THREAD_RUNNABLE,
        [2] = HECTIC_THREAD_RUNNABLE,   [3] = HECTIC_THREAD_RUNNABLE,
        [4] = HECTIC_THREAD_OTHER,      [5] = ENDED,
        [6] = HECTIC_THREAD_FOREIGN,    [7] = HECTIC_THREAD_MVAR,
        [8] = HECTIC_THREAD_BLACK_HOLE, [9] = HECTIC_THREAD_IO,
        [10] = HECTIC_THREAD_IO,        [11] = HECTIC_THREAD_DELAY,
        [12] = HECTIC_THREAD_STM,       [13] = HECTIC_THREAD_IO,
        [14] = HECTIC_THREAD_FOREIGN,   [15] = HECTIC_THREAD_FOREIGN,
        [16] = HECTIC_THREAD_THROW_TO,  [17] = HECTIC_THREAD_RUNNABLE,
        [18] = HECTIC_THREAD_THROW_TO,  [19] = HECTIC_THREAD_OTHER,
        [20] = HECTIC_THREAD_MVAR_READ,
    };
    return status < sizeof states ? states[status] : HECTIC_THREAD_OTHER;
}

/* Moves the thread to `cap`. */
static void move(hectic_threads *x, struct thread *thread, uint16_t cap, uint64_t time)
{
    if (thread->cap == cap || cap == NO_CAP || is_outdated(x, thread, time)) return;
    if (thread->cap != NO_CAP && is_inside(x, time)) {
        thread->migrations++;
        x->totals.migrations++;
    }
    thread->cap = cap;
}

/* Removes the thread from the cap on which it ran. */
static void leave_cap(hectic_threads *x, const struct thread *thread)
{
    const uint32_t index = thread->place + 1;
    if (per_cap_get(&x->running, thread->cap) == index) per_cap_clear_one(&x->running, thread->cap);
}

/* Events of caps may be late: a thread's end or its run elsewhere may precede its creation. */
static bool is_unborn(const hectic_threads *x, uint32_t id)
{
    return map_value_of(&x->unborn, id) > 0;
}

static bool remember_unborn(hectic_threads *x, uint32_t id)
{
    if (x->unborn.count >= UNBORN_MAX) map_clear(&x->unborn);
    return is_unborn(x, id) || map_set_value(&x->unborn, id, 1);
}

/* True if a late event is about a thread that is unknown because it has ended. */
static bool has_ended_before(const hectic_threads *x, uint32_t id)
{
    return x->is_late && (id <= x->newest || is_unborn(x, id));
}

static void note_created(hectic_threads *x, uint32_t id)
{
    if (id > x->newest) x->newest = id;
    if (id < x->oldest) x->oldest = id;
}

static void create_late(hectic_threads *x, uint32_t id, struct thread *thread, uint64_t time)
{
    if (thread) {
        if (!thread->has_born && !thread->is_replayed && !x->has_gap)
            set_live_max(x, x->live_max - 1);
        thread->has_born = true;
        thread->born = time;
    } else {
        map_remove_value(&x->unborn, id);
        x->totals.born += is_inside(x, time);
    }
    note_created(x, id);
}

/* The thread that is known to run on a cap; NULL: none. */
static struct thread *thread_on(const hectic_threads *x, uint16_t cap)
{
    const uint32_t place = per_cap_get(&x->running, cap);
    return place ? at(x, place - 1) : NULL;
}

/* The thread that runs on a cap will stop as if it had called yield: after it has created a thread,
 * and when another cap has sent a message. */
static void interrupt(const hectic_threads *x, uint16_t cap)
{
    struct thread *thread = thread_on(x, cap);
    if (thread) thread->is_interrupted = true;
}

static bool create(hectic_threads *x, uint32_t id, const hectic_event *event)
{
    interrupt(x, event->cap);
    struct thread *old = find(x, id);
    if (x->is_late && (old || is_unborn(x, id))) return create_late(x, id, old, event->time), true;
    if (old) return true; /* announced again for a late reader */
    struct thread *thread = add(x, id, event->time);
    if (!thread) return false;
    note_created(x, id);
    thread->position = event->position;
    thread->has_born = event->time != x->replay_time;
    thread->state = HECTIC_THREAD_RUNNABLE;
    thread->cap = event->cap;
    return true;
}

/* A thread for sparks: newer runtimes have logged its creation by an earlier event. */
static bool create_for_sparks(hectic_threads *x, uint32_t id, const hectic_event *event)
{
    struct thread *old = find(x, id);
    const bool is_new = old && old->has_born == (event->time != x->replay_time) && !old->has_run &&
                        old->cap == event->cap && old->state == HECTIC_THREAD_RUNNABLE &&
                        !old->is_spark;
    if (is_new) {
        old->is_spark = true;
        return true;
    }
    /* A late thread with both events was created, and has ended, at the first. */
    const bool go_on =
        (!old && !is_unborn(x, id) && has_ended_before(x, id)) || create(x, id, event);
    struct thread *thread = find(x, id);
    if (thread) thread->is_spark = true;
    return go_on;
}

/* Only another thread ends such a wait. */
static bool is_lock(unsigned state)
{
    return hectic_lock_of(state) != HECTIC_LOCKS || state == HECTIC_THREAD_BLACK_HOLE;
}

static bool runs_on(const struct thread *thread, uint16_t cap)
{
    return thread->state == HECTIC_THREAD_RUNNING && thread->cap == cap;
}

static bool run(hectic_threads *x, uint32_t id, const hectic_event *event)
{
    struct thread *thread = find(x, id);
    if (!thread && has_ended_before(x, id)) return true;
    if (!thread && !(thread = add_unborn(x, id, event))) return false;
    if (is_outdated(x, thread, event->time)) return true;
    uint32_t *running = per_cap_at(&x->running, event->cap);
    if (!running) return false;
    thread->position = event->position;
    leave_cap(x, thread);
    const uint32_t other = *running;
    if (other && runs_on(at(x, other - 1), event->cap)) {
        if (x->replay.is_open) at(x, other - 1)->state = HECTIC_THREAD_UNKNOWN;
        enter(x, at(x, other - 1), HECTIC_THREAD_UNKNOWN, event->time);
    }
    thread->unwoken = is_lock(thread->state) ? thread->state : HECTIC_THREAD_UNKNOWN;
    thread->unwoken_since = thread->since;
    enter(x, thread, HECTIC_THREAD_RUNNING, event->time);
    thread->has_run = true; /* in the interval or before it */
    thread->is_interrupted = false;
    move(x, thread, event->cap, event->time);
    if (event->cap == NO_CAP) return true;
    *running = thread->place + 1;
    if (!is_inside(x, event->time)) return true;
    const bool is_new = event->time != x->replay_time;
    thread->runs += is_new;
    x->totals.runs += is_new;
    return use_cap(thread, event->cap);
}

/* The running thread of a cap, if it is thread `id`, as it usually is when that stops. */
static struct thread *running_on(const hectic_threads *x, uint16_t cap, uint32_t id)
{
    struct thread *thread = thread_on(x, cap);
    return thread && thread->id == id && thread->is_live ? thread : NULL;
}

static bool note_gone(hectic_threads *x, uint32_t id, uint64_t position)
{
    if (x->ended_at.count >= UNBORN_MAX) map_clear(&x->ended_at);
    return map_set_value(&x->ended_at, id, position + 1);
}

static bool stop(hectic_threads *x, uint32_t id, const hectic_event *event)
{
    struct thread *thread = running_on(x, event->cap, id);
    if (!thread) thread = find(x, id);
    hectic_event_stop_thread fields;
    const uint64_t status =
        hectic_read_stop_thread(event, &fields) ? usual_stop_status(x->shifted, fields.status) : 0;
    unsigned state = state_after(status);
    if (state != ENDED && (thread ? is_outdated(x, thread, event->time) : has_ended_before(x, id)))
        return true;
    if (!thread && !(thread = add_unborn(x, id, event))) return false;
    thread->position = event->position;
    if (state != ENDED && thread->woken > event->time) state = HECTIC_THREAD_RUNNABLE;
    /* A thread that ran at the beginning of the interval has used its cap, too. */
    const bool ran =
        thread->state == HECTIC_THREAD_RUNNING && thread->cap != NO_CAP && event->time > x->from;
    if (ran && !use_cap(thread, thread->cap)) return false;
    leave_cap(x, thread);
    if (state == ENDED) {
        if (x->may_replay && !note_gone(x, id, event->position)) return false;
        const bool may_be_born = !thread->has_born && !thread->is_replayed;
        if (may_be_born && !remember_unborn(x, id)) return false;
        return report(x, thread, event->time, true);
    }
    thread->yields += status == STOP_YIELDING && !thread->is_interrupted &&
                      is_inside(x, event->time) && thread->yields < UINT32_MAX;
    enter(x, thread, state, event->time);
    return true;
}

static bool set_label(struct thread *thread, const hectic_event *event)
{
    hectic_text text;
    if (!hectic_read_text(event, &text)) return true;
    struct label *label = malloc(sizeof *label + text.length + 1);
    if (!label) return false;
    label->users = 1;
    memcpy(label->text, text.bytes, text.length);
    label->text[text.length] = 0;
    label->is_runtime = hectic_thread_is_runtime(label->text);
    release(thread->label);
    thread->label = label;
    return true;
}

/* If a thread of the runtime wakes it, it has waited for a timer or for I/O. */
static void note_waker(const hectic_threads *x, struct thread *thread, const hectic_event *event)
{
    const struct thread *waker = thread_on(x, event->cap);
    const hectic_lock lock = hectic_lock_of(thread->state);
    if (lock == HECTIC_LOCKS) return;
    const uint64_t ns = elapsed(x, thread, event->time);
    if (ns > thread->longest_wait) thread->longest_wait = ns;
    if (!waker || !waker->label || !waker->label->is_runtime) return;
    if (runs_on(waker, event->cap)) thread->outside_ns[lock] += ns;
}

/* Takes an event of another thread about this one, possibly after its end. Numbers ascend: an
 * unknown number that is not newer than all others is that of an ended thread. */
static bool take_foreign(hectic_threads *x, uint32_t id, const hectic_event *event)
{
    struct thread *thread = find(x, id);
    const bool has_ended = id <= x->newest || has_ended_before(x, id);
    /* A label may be set after the end, which an excerpt may lack. */
    const bool is_label = event->type == HECTIC_EVENT_THREAD_LABEL && x->newest > 0 && !x->has_gap;
    if (!thread && (has_ended || is_label)) return true;
    if (!thread && !(thread = add_unborn(x, id, event))) return false;
    thread->position = event->position;
    hectic_event_migrate_thread migrated;
    hectic_event_thread_wakeup woken;
    switch (event->type) {
    case HECTIC_EVENT_THREAD_LABEL: return set_label(thread, event);
    case HECTIC_EVENT_MIGRATE_THREAD:
        if (hectic_read_migrate_thread(event, &migrated))
            move(x, thread, migrated.new_cap, event->time);
        break;
    default: /* it becomes runnable, unless it runs already */
        thread->woken = event->time;
        note_waker(x, thread, event);
        if (event->type == HECTIC_EVENT_THREAD_WAKEUP && hectic_read_thread_wakeup(event, &woken) &&
            woken.other_cap != event->cap)
            interrupt(x, woken.other_cap);
        if (thread->state != HECTIC_THREAD_RUNNING && thread->state != HECTIC_THREAD_RUNNABLE)
            enter(x, thread, HECTIC_THREAD_RUNNABLE, event->time);
        break;
    }
    return true;
}

static bool take_event(hectic_threads *x, uint32_t id, const hectic_event *event)
{
    x->is_late = event->time < x->latest;
    if (!x->is_late) x->latest = event->time;
    switch (event->type) {
    case HECTIC_EVENT_RUN_THREAD: return run(x, id, event);
    case HECTIC_EVENT_STOP_THREAD: return stop(x, id, event);
    case HECTIC_EVENT_CREATE_THREAD: return create(x, id, event);
    case HECTIC_EVENT_CREATE_SPARK_THREAD: return create_for_sparks(x, id, event);
    case HECTIC_EVENT_THREAD_RUNNABLE:
    case HECTIC_EVENT_THREAD_WAKEUP:
    case HECTIC_EVENT_MIGRATE_THREAD:
    case HECTIC_EVENT_THREAD_LABEL: return take_foreign(x, id, event);
    default: return true;
    }
}

/* --- Replays --------------------------------------------------------------------------------- */

static bool is_of_thread(const hectic_event *event, uint32_t *id)
{
    return event->type <= HECTIC_EVENT_THREAD_LABEL && hectic_read_thread(event, id);
}

/* The state of a thread is replayed by several events. */
static bool add_replayed(hectic_threads *x, uint32_t id, const hectic_event *replayed)
{
    struct replayed_thread *slot = map_add(&x->replayed, (map_key){id, 1});
    if (!slot) return false;
    if (!slot->has_cap) slot->state = HECTIC_THREAD_RUNNABLE;
    slot->has_cap = true;
    slot->cap = replayed->cap;
    if (replayed->type == HECTIC_EVENT_RUN_THREAD) slot->state = HECTIC_THREAD_RUNNING;
    hectic_event_stop_thread stop;
    if (replayed->type == HECTIC_EVENT_STOP_THREAD && hectic_read_stop_thread(replayed, &stop))
        slot->state = (uint8_t)state_after(usual_stop_status(x->shifted, stop.status));
    return true;
}

/* A thread that was unknown, or is only in this replay, gets its replayed state. */
static bool take_replayed(hectic_threads *x, const hectic_event *sync)
{
    hectic_event replayed;
    uint32_t id;
    x->replay_time = sync->time;
    if (!replay_take(&x->replay, sync, &replayed) || !is_of_thread(&replayed, &id)) return true;
    struct thread *thread = find(x, id);
    const bool was_known = thread && !(thread->is_replayed && thread->born == sync->time);
    if (!thread && map_value_of(&x->ended_at, id) > x->replay.position + 1) return true;
    const bool is_news =
        !was_known || (replayed.type == HECTIC_EVENT_THREAD_LABEL && !thread->label);
    if (!add_replayed(x, id, &replayed) || (is_news && !take_event(x, id, &replayed))) return false;
    if (!was_known && (thread = find(x, id))) thread->is_replayed = true;
    return true;
}

/* Its activity since its last event is unknown. */
static bool correct(hectic_threads *x, struct thread *thread)
{
    const uint64_t time = x->replay.time;
    const struct replayed_thread *replayed = map_find(&x->replayed, (map_key){thread->id, 1});
    const uint8_t state = replayed ? replayed->state : ENDED;
    if (state == thread->state && (state != HECTIC_THREAD_RUNNING || thread->cap == replayed->cap))
        return true;
    if (!replayed && !replay_includes(&x->replay, HECTIC_CLASS_SCHEDULER)) return true;
    leave_cap(x, thread);
    thread->state = HECTIC_THREAD_UNKNOWN;
    if (state == ENDED) return report(x, thread, time, true);
    enter(x, thread, state, time);
    thread->cap = replayed->cap;
    if (state != HECTIC_THREAD_RUNNING || thread->cap == NO_CAP) return true;
    uint32_t *running = per_cap_at(&x->running, thread->cap);
    if (!running) return false;
    *running = thread->place + 1;
    return use_cap(thread, thread->cap);
}

enum { BEFORE_REPLAY = 1 }; /* in the place of an end's position */

static bool is_after_replay(const void *entry)
{
    const struct map_value *end = entry;
    return end->value != BEFORE_REPLAY;
}

/* Events after the replay in the file take precedence, whatever their time. */
static bool end_replay(hectic_threads *x)
{
    bool go_on = true;
    for (uint32_t i = 0; i < x->used && go_on; i++) {
        struct thread *thread = at(x, i);
        if (thread->is_live && thread->position < x->replay.position) go_on = correct(x, thread);
    }
    for (struct map_value *end = NULL; (end = map_next(&x->ended_at, end));)
        if (end->value <= x->replay.position) end->value = BEFORE_REPLAY;
    if (x->ended_at.count > 0) map_rebuild(&x->ended_at, is_after_replay);
    x->replay.is_open = false;
    map_clear(&x->replayed);
    return go_on;
}

/* --------------------------------------------------------------------------------------------- */

/* While threads are not recorded, their states are unknown. Afterwards those that waited still do,
 * unless events or a replay say otherwise. */
static void switch_off(hectic_threads *x, uint64_t time, bool is_off)
{
    for (uint32_t i = 0; i < x->used; i++) {
        struct thread *thread = at(x, i);
        if (!thread->is_live) continue;
        if (is_off) {
            leave_cap(x, thread);
            thread->before = thread->state;
            enter(x, thread, HECTIC_THREAD_UNKNOWN, time);
        } else if (thread->state == HECTIC_THREAD_UNKNOWN &&
                   thread->before != HECTIC_THREAD_RUNNING) {
            enter(x, thread, thread->before, time);
        }
    }
}

/* Events of a cap, or of all, are missing from here: what the threads do up to their next events,
 * or a replay, is unknown. */
static void lose(hectic_threads *x, const hectic_event *event, bool is_of_all)
{
    for (uint32_t i = 0; i < x->used; i++) {
        struct thread *thread = at(x, i);
        if (!thread->is_live || (!is_of_all && thread->cap != event->cap)) continue;
        leave_cap(x, thread);
        enter(x, thread, HECTIC_THREAD_UNKNOWN, event->time);
    }
}

static void take_message(hectic_threads *x, const hectic_event *event)
{
    uint64_t number;
    const enum gap_kind kind = gap_message(event->payload, event->size, &number);
    const uint64_t before = x->off;
    x->has_gap |= kind != GAP_NONE;
    if (kind == GAP_MISSING) lose(x, event, false);
    /* In the block of a cap it is about earlier blocks of that cap only. */
    if (kind == GAP_DROPPED && event->cap == HECTIC_CAP_NONE) lose(x, event, true);
    if (kind == GAP_OFF) x->off |= number & GAP_THREADS;
    if (kind == GAP_ON) x->off &= ~number;
    if (!before != !x->off) switch_off(x, event->time, x->off);
}

bool hectic_threads_event(hectic_threads *x, const hectic_event *event)
{
    uint32_t id;
    if (event->time >= x->from) enter_interval(x);
    if (replay_ends_at(&x->replay, event) && !end_replay(x)) return false;
    if (event->type == HECTIC_EVENT_SYNC) return event->time >= x->to || take_replayed(x, event);
    if (event->type == HECTIC_EVENT_CAP_CREATE) x->replay_time = event->time;
    if (event->type == HECTIC_EVENT_LOG_MSG) return take_message(x, event), true;
    return !is_of_thread(event, &id) || event->time >= x->to || take_event(x, id, event);
}

/* --- The whole ------------------------------------------------------------------------------- */

hectic_threads *hectic_threads_new(uint64_t from, uint64_t to, hectic_thread_callback callback,
                                   void *user)
{
    hectic_threads *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->from = from;
    x->to = to;
    x->callback = callback;
    x->user = user;
    x->replayed =
        (map){.entry_size = sizeof(struct replayed_thread), .unsorted = true, .by_number = true};
    x->replay_time = UINT64_MAX;
    x->oldest = UINT32_MAX;
    return x;
}

void hectic_threads_free(hectic_threads *x)
{
    if (!x) return;
    for (uint32_t i = 0; i < x->used; i++) {
        release(at(x, i)->label);
        free(at(x, i)->further);
    }
    for (uint32_t i = 0; i < x->pages; i++)
        free(x->page[i]);
    free(x->page);
    map_clear(&x->ids);
    map_clear(&x->unborn);
    map_clear(&x->replayed);
    map_clear(&x->ended_at);
    per_cap_clear(&x->running);
    free(x);
}

void hectic_threads_begin(hectic_threads *x, const hectic_header *header)
{
    x->shifted = hectic_header_shifted_stop_status(header);
    x->may_replay = hectic_header_type(header, HECTIC_EVENT_SYNC);
    x->replay.is_open = false;
    map_clear(&x->replayed);
    map_clear(&x->ended_at);
    x->newest = 0;
    x->oldest = UINT32_MAX;
    x->has_gap = false;
    x->live_max_before = x->totals.live_max;
    x->live_max = x->ids.count;
    x->is_before = x->from > 0;
    x->off = 0;
    x->latest = 0;
    map_clear(&x->unborn);
    x->replay_time = UINT64_MAX;
}

/* A running thread has used its cap, too. */
static uint32_t caps_at(const hectic_threads *x, const struct thread *thread, uint64_t now)
{
    const uint16_t cap = thread->cap;
    const bool runs = thread->state == HECTIC_THREAD_RUNNING && cap != NO_CAP && now > x->from;
    const bool is_used =
        cap < WORD_BITS ? thread->caps >> cap & 1 : cap_set_has(thread->further, cap);
    return count_caps(thread) + (runs && !is_used);
}

bool hectic_threads_live(const hectic_threads *x, uint64_t now, hectic_thread_callback callback,
                         void *user)
{
    struct map_value *live = map_sorted_values(&x->ids);
    bool go_on = live != NULL;
    for (uint32_t i = 0; i < x->ids.count && go_on; i++) {
        const struct thread *thread = at(x, live[i].value - 1);
        if (!is_of_interval(x, thread, now)) continue;
        hectic_thread row = as_row(x, thread, now);
        row.caps = caps_at(x, thread, now);
        go_on = callback(user, &row);
    }
    free(live);
    return go_on;
}

bool hectic_threads_end(hectic_threads *x, uint64_t now)
{
    if (now > x->from) enter_interval(x);
    if (x->replay.is_open && !end_replay(x)) return false;
    struct map_value *live = map_sorted_values(&x->ids);
    const size_t count = x->ids.count;
    bool go_on = live != NULL;
    for (size_t i = 0; i < count && go_on; i++) {
        struct thread *thread = at(x, live[i].value - 1);
        const bool runs = thread->state == HECTIC_THREAD_RUNNING && thread->cap != NO_CAP;
        if (runs && now > x->from) go_on = use_cap(thread, thread->cap);
        go_on = go_on && report(x, thread, now, false);
    }
    free(live);
    return go_on;
}

void hectic_threads_totals(const hectic_threads *x, uint64_t now, hectic_thread_totals *totals)
{
    *totals = x->totals;
    totals->live = x->ids.count;
    for (uint32_t i = 0; i < x->used; i++) {
        const struct thread *thread = at(x, i);
        if (!thread->is_live || !is_of_interval(x, thread, now)) continue;
        totals->threads++;
        totals->born += thread->has_born && is_inside(x, thread->born);
        totals->spark_threads += thread->is_spark;
        totals->in_state[thread->state]++;
        for (size_t state = 0; state < HECTIC_THREAD_STATES; state++)
            totals->ns[state] += thread->ns[state];
        totals->ns[thread->state] += elapsed(x, thread, now);
    }
}

/* --- Kept states ----------------------------------------------------------------------------- */

struct kept_thread {
    uint64_t born, since, woken, position;
    struct label *label;
    uint32_t id;
    uint16_t cap;
    uint8_t state, before;
    bool has_born : 1, has_run : 1, is_spark : 1, is_replayed : 1;
    bool is_running : 1; /* the running thread of its cap */
};

struct threads_states {
    uint64_t replay_time, latest, live_max, off;
    uint32_t newest, oldest;
    bool shifted, may_replay, has_gap;
    map ended_at;
    uint32_t count;
    struct kept_thread thread[];
};

static struct kept_thread keep(const hectic_threads *x, const struct thread *thread)
{
    const uint32_t index = thread->place + 1;
    if (thread->label) thread->label->users++;
    return (struct kept_thread){
        .born = thread->born,
        .since = thread->since,
        .woken = thread->woken,
        .position = thread->position,
        .label = thread->label,
        .id = thread->id,
        .cap = thread->cap,
        .state = thread->state,
        .before = thread->before,
        .has_born = thread->has_born,
        .has_run = thread->has_run,
        .is_spark = thread->is_spark,
        .is_replayed = thread->is_replayed,
        .is_running = per_cap_get(&x->running, thread->cap) == index,
    };
}

struct threads_states *threads_keep(const hectic_threads *x, size_t most)
{
    struct threads_states *kept;
    const size_t size = sizeof *kept + x->ids.count * sizeof *kept->thread;
    if (x->replay.is_open || size > most) return NULL;
    kept = calloc(1, size);
    if (!kept) return NULL;
    *kept = (struct threads_states){.replay_time = x->replay_time,
                                    .latest = x->latest,
                                    .live_max = x->live_max,
                                    .has_gap = x->has_gap,
                                    .off = x->off,
                                    .newest = x->newest,
                                    .oldest = x->oldest,
                                    .shifted = x->shifted,
                                    .may_replay = x->may_replay};
    if (!map_copy(&kept->ended_at, &x->ended_at)) {
        free(kept);
        return NULL;
    }
    for (uint32_t i = 0; i < x->used; i++)
        if (at(x, i)->is_live) kept->thread[kept->count++] = keep(x, at(x, i));
    return kept;
}

void threads_states_free(struct threads_states *kept)
{
    if (!kept) return;
    for (uint32_t i = 0; i < kept->count; i++)
        release(kept->thread[i].label);
    map_clear(&kept->ended_at);
    free(kept);
}

size_t threads_states_size(const struct threads_states *kept)
{
    return sizeof *kept + kept->count * sizeof *kept->thread + map_memory(&kept->ended_at);
}

static bool restore(hectic_threads *x, const struct kept_thread *kept)
{
    struct thread *thread = add(x, kept->id, kept->since);
    if (!thread) return false;
    if (kept->label) kept->label->users++;
    thread->born = kept->born;
    thread->woken = kept->woken;
    thread->position = kept->position;
    thread->label = kept->label;
    thread->cap = kept->cap;
    thread->state = kept->state;
    thread->before = kept->before;
    thread->has_born = kept->has_born;
    thread->has_run = kept->has_run;
    thread->is_spark = kept->is_spark;
    thread->is_replayed = kept->is_replayed;
    if (!kept->is_running) return true;
    uint32_t *running = per_cap_at(&x->running, kept->cap);
    if (running) *running = thread->place + 1;
    return running;
}

hectic_threads *threads_continue(const struct threads_states *kept, uint64_t from, uint64_t to,
                                 hectic_thread_callback callback, void *user)
{
    hectic_threads *x = hectic_threads_new(from, to, callback, user);
    bool done = x && map_copy(&x->ended_at, &kept->ended_at);
    for (uint32_t i = 0; i < kept->count && done; i++)
        done = restore(x, &kept->thread[i]);
    if (!done) {
        hectic_threads_free(x);
        return NULL;
    }
    x->replay_time = kept->replay_time;
    x->latest = kept->latest;
    x->newest = kept->newest;
    x->oldest = kept->oldest;
    x->off = kept->off;
    x->is_before = from > 0;
    set_live_max(x, kept->live_max);
    x->has_gap = kept->has_gap;
    x->shifted = kept->shifted;
    x->may_replay = kept->may_replay;
    return x;
}

/* --- What it finds --------------------------------------------------------------------------- */

void threads_watch(hectic_threads *x, void (*take)(void *user, const struct threads_span *),
                   void *user)
{
    x->watch = take;
    x->watching = user;
}

void threads_expect_no_replay(hectic_threads *x)
{
    x->may_replay = false;
}

bool threads_now(const hectic_threads *x, uint32_t id, struct threads_span *now)
{
    const struct thread *thread = find(x, id);
    if (!thread) return false;
    *now = (struct threads_span){.thread = thread->id,
                                 .cap = thread->cap,
                                 .state = thread->state,
                                 .next = thread->state,
                                 .place = thread->place,
                                 .from = thread->since,
                                 .to = thread->since};
    return true;
}

bool threads_spent(const hectic_threads *x, uint32_t id, uint64_t now,
                   uint64_t ns[HECTIC_THREAD_STATES])
{
    const struct thread *thread = find(x, id);
    if (!thread) return false;
    memcpy(ns, thread->ns, sizeof thread->ns);
    ns[thread->state] += elapsed(x, thread, now);
    return true;
}

bool threads_running(const hectic_threads *x, uint16_t cap, uint32_t *id)
{
    const uint32_t place = per_cap_get(&x->running, cap);
    if (!place || !runs_on(at(x, place - 1), cap)) return false;
    *id = at(x, place - 1)->id;
    return true;
}
