/* Adds events to sums. This runs for every event of a log, so it is minimal: results are computed
 * on demand (stat_result.c). */
#include "stat/stat_fork.h"
#include "stat/stat_marks.h"

#include "facts/collections.h"
#include "facts/spans.h"
#include "format/gap_message.h"
#include "format/stop_status.h"
#include "numbers/saturating.h"
#include "read/decode/run.h"
#include "read/decode/step.h"
#include "read/decode/type_set.h"

#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

/* A log that begins later than this does not begin at the program's start. */
static const uint64_t late_after = 100000000;

/* Larger steps back of event times are reported. */
static const uint64_t steps_back = 10000000;

static const struct first_thread no_thread = {UINT64_MAX, UINT64_MAX, UINT64_MAX, false};

hectic_stat *hectic_stat_new(void)
{
    hectic_stat *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->global.number = HECTIC_CAP_NONE;
    s->global.next_mark = UINT64_MAX;
    s->current = &s->global;
    s->stopping = STOP_NONE;
    for (int i = 0; i < VISITS; i++)
        s->main_entered[i] = s->main_left[i] = UINT64_MAX;
    for (int i = 0; i < FIRST_THREADS; i++)
        s->thread[i] = no_thread;
    s->lowest_thread = UINT32_MAX;
    s->thread_created = s->joined = s->replay_time = s->counted = UINT64_MAX;
    s->run.whole = true;
    return s;
}

void stat_interval_clear(hectic_stat_interval *interval)
{
    for (size_t i = 0; i < interval->generations; i++) {
        hectic_histogram_clear(&interval->generation[i].pause);
        hectic_histogram_clear(&interval->generation[i].mean_pause);
    }
    hectic_histogram_clear(&interval->pause);
    hectic_histogram_clear(&interval->mean_pause);
    hectic_histogram_clear(&interval->safepoint);
    hectic_histogram_clear(&interval->lone_pause);
    free(interval->generation);
    free(interval->arrived);
    free(interval->cap);
    free(interval->waited);
}

void hectic_stat_free(hectic_stat *s)
{
    if (!s) return;
    for (hectic_stat_interval *i = s->run.next; i;) {
        hectic_stat_interval *next = i->next;
        stat_interval_clear(i);
        free(i);
        i = next;
    }
    stat_interval_clear(&s->run);
    map_clear(&s->created);
    free(s->live);
    free(s->forked_live);
    stat_marks_free(s->marks);
    for (size_t i = 0; i < HECTIC_STAT_GENERATIONS; i++)
        free(s->pauses[i]);
    for (size_t i = 0; i < s->caps; i++)
        free(s->cap[i]);
    free(s->cap);
    gc_queue_clear(&s->queue);
    gc_time_clear(&s->gc_time);
    free(s);
}

/* --- Caps ------------------------------------------------------------------------------------ */

static struct stat_cap *cap_new(hectic_stat *s, uint16_t number, uint64_t time)
{
    if ((s->caps & (s->caps - 1)) == 0) { /* at each power of two, double the capacity */
        struct stat_cap **grown = realloc(s->cap, (2 * s->caps + 1) * sizeof *grown);
        if (!grown) return NULL;
        s->cap = grown;
    }
    struct stat_cap *cap = calloc(1, sizeof *cap);
    if (!cap || !gc_time_grow(&s->gc_time) || !gc_queue_grow(&s->queue)) {
        free(cap);
        return NULL;
    }
    cap->number = number;
    cap->appeared = time;
    cap->created_at = number < s->started && s->started_at < time ? s->started_at : time;
    cap->deleted = cap->known_to = UINT64_MAX;
    cap->next_mark = s->global.next_mark == UINT64_MAX ? UINT64_MAX : 0;
    cap->thread = UINT32_MAX;
    s->cap[s->caps++] = cap;
    s->index[number] = (uint32_t)s->caps;
    return cap;
}

static uint64_t span_of(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

static const enum stat_span span_of_activity[] = {
    [LOST] = SPAN_LOST,       [RUNS_THREAD] = SPAN_RUNNING, [REQUESTED_GC] = SPAN_REQUESTED,
    [STOPPED] = SPAN_STOPPED, [COLLECTING] = SPAN_STOPPED,  [GC_WITHOUT_WORK] = SPAN_STOPPED,
};

static void report_span(const hectic_stat *s, const struct stat_cap *cap, uint64_t time)
{
    if (cap->activity == IDLE || cap == &s->global || time <= cap->since) return;
    if (cap->activity == RUNS_THREAD && s->watch.ran)
        s->watch.ran(s->watch.user, s->index[cap->number] - 1, cap->thread, cap->since, time,
                     s->stopping);
    const enum stat_span span = span_of_activity[cap->activity];
    if (!(s->watch.skipped >> span & 1))
        s->watch.take(s->watch.user, s->index[cap->number] - 1, span, cap->since, time);
}

bool stat_get_span(const hectic_stat *s, size_t index, enum stat_span span, uint64_t *from,
                   uint64_t *to)
{
    const struct stat_cap *cap = s->cap[index];
    const bool is_lacking = stat_lacks_cap(s, cap);
    if (is_lacking ? span != SPAN_LOST
                   : cap->activity == IDLE || span_of_activity[cap->activity] != span)
        return false;
    *from = is_lacking ? cap->created_at : cap->since;
    *to = s->last < cap->deleted ? s->last : cap->deleted;
    return true;
}

static void report_wait(void *stat, enum gc_wait wait, size_t cap, uint64_t from, uint64_t to)
{
    static const enum stat_span spans[] = {[GC_WAIT_BEGIN] = SPAN_WAITED_BEGIN,
                                           [GC_WAIT_END] = SPAN_WAITED_END,
                                           [GC_WAIT_OUT] = SPAN_OUT};
    const hectic_stat *s = stat;
    if (!(s->watch.skipped >> spans[wait] & 1))
        s->watch.take(s->watch.user, cap, spans[wait], from, to);
}

uint64_t stat_time(const hectic_stat *s, uint16_t cap)
{
    if (cap == HECTIC_CAP_NONE) return s->global.time;
    return s->index[cap] ? s->cap[s->index[cap] - 1]->time : 0;
}

void stat_set_watch(hectic_stat *s, const struct stat_watch *watch)
{
    s->watch = *watch;
    s->gc_time.watch = (struct gc_watch){s, report_wait};
}

static void report_unrecorded(const hectic_stat *s, const struct run_share *run, uint64_t time)
{
    const struct span *span = &run->span[INACTIVE];
    if (span->open && time > span->since && s->watch.unrecorded && !s->repeats)
        s->watch.unrecorded(s->watch.user, span->since, time);
}

static uint64_t overlap(uint64_t from, uint64_t to, uint64_t least, uint64_t most)
{
    return span_of(from > least ? from : least, to < most ? to : most);
}

uint64_t stat_unrecorded(const hectic_stat *s, uint64_t from, uint64_t to)
{
    uint64_t ns = 0;
    for (size_t i = 0; i <= s->caps; i++) {
        const struct span *span = &(i < s->caps ? &s->cap[i]->run : &s->global.run)->span[INACTIVE];
        if (span->open) saturating_add(&ns, overlap(from, to, span->since, s->last));
    }
    return ns;
}

uint64_t stat_present(const struct stat_cap *cap, uint64_t from, uint64_t to)
{
    return overlap(from, to, cap->past > 0 ? cap->appeared : cap->created_at, cap->deleted);
}

void stat_flush_watch(const hectic_stat *s, uint64_t time)
{
    for (size_t i = 0; i < s->caps; i++) {
        report_span(s, s->cap[i], time);
        gc_time_report(&s->gc_time, i, time);
        report_unrecorded(s, &s->cap[i]->run, time);
    }
    report_unrecorded(s, &s->global.run, time);
}

/* Adds the time of a cap's activity until now, and begins another. */
static void turn(hectic_stat *s, struct stat_cap *cap, enum activity activity, uint64_t time)
{
    if (s->watch.take) report_span(s, cap, time);
    cap->sum[cap->activity] += saturating_less(time, cap->since);
    if (time > cap->since) cap->since = time;
    cap->activity = (uint8_t)activity;
}

static bool edge(hectic_stat *s, const struct stat_cap *cap, uint64_t time, enum gc_edge kind,
                 uint64_t number)
{
    if (cap == &s->global) return true; /* no log has collections without a cap */
    const size_t place = s->index[cap->number] - 1;
    if (s->is_ordered) {
        struct stat_collecting to = {s, &s->gc_time, &s->run, s->marks};
        return stat_take_edge(&to, place, time, kind, number);
    }
    if (kind >= GC_EDGES_QUEUED) return true;
    if (gc_queue_is_full(&s->queue) && !stat_merge_known(s)) return false;
    return gc_queue_push(&s->queue, place, time, kind, number);
}

/* The cap `number`, which has an event. NULL: out of memory. */
static struct stat_cap *cap_find(hectic_stat *s, uint16_t number, uint64_t time)
{
    if (number == HECTIC_CAP_NONE) return &s->global;
    const uint32_t index = s->index[number];
    if (index && time < s->cap[index - 1]->appeared) s->cap[index - 1]->appeared = time;
    if (index) return s->cap[index - 1];
    struct stat_cap *cap = cap_new(s, number, time);
    /* In file order, an event about it on another cap may follow its own events. */
    return cap && (!s->is_ordered || edge(s, cap, time, GC_EDGE_HERE, 0)) ? cap : NULL;
}

static bool cap_exists(const hectic_stat *s, uint16_t number)
{
    return s->index[number] && s->cap[s->index[number] - 1]->deleted == UINT64_MAX;
}

/* The cap exists at that time, even if it was deleted before. */
static bool set_existing(hectic_stat *s, struct stat_cap *cap, uint64_t time)
{
    if (time < cap->created_at) cap->created_at = time;
    if (time < cap->deleted) return true;
    saturating_add(&cap->past, cap->deleted - cap->created_at);
    cap->created_at = time;
    cap->deleted = UINT64_MAX;
    return edge(s, cap, time, GC_EDGE_HERE, 0);
}

/* A collection that the cap leads has no end: the cap counts as its leader until now. */
static void end_leading(struct stat_cap *cap, uint64_t time)
{
    if (cap->in_gc && cap->leads)
        saturating_add(&cap->sum[GC_MAIN_NS], saturating_less(time, cap->gc_since));
}

static bool cap_created(hectic_stat *s, uint64_t time, uint16_t number)
{
    s->replay_time = time;
    if (s->joined == UINT64_MAX) s->joined = time;
    if (number == HECTIC_CAP_NONE) return true;
    struct stat_cap *cap = cap_find(s, number, time);
    if (!cap) return false;
    cap->ends = false;
    if (!set_existing(s, cap, time)) return false;
    /* In file order, its own events may have come before. */
    return s->is_ordered || cap->exists || edge(s, cap, time, GC_EDGE_HERE, 0);
}

/* Creates caps from 0 on. Only those with events are reported, since a few bytes can declare any
 * number.
 */
static bool start_caps(hectic_stat *s, uint64_t time, uint16_t count)
{
    s->replay_time = time;
    if (s->joined == UINT64_MAX) s->joined = time;
    if (s->started == 0) s->started_at = time;
    for (; s->started < count; s->started++)
        if (s->index[s->started] && !cap_created(s, time, s->started)) return false;
    return true;
}

/* In file order, its own events may follow. In order of time, it has no further activity. */
static bool delete_cap(hectic_stat *s, uint64_t time, uint16_t number)
{
    if (s->index[number]) s->cap[s->index[number] - 1]->ends = true;
    if (!cap_exists(s, number)) return true;
    struct stat_cap *cap = s->cap[s->index[number] - 1];
    cap->deleted = time > cap->created_at ? time : cap->created_at;
    if (!s->is_ordered) return true;
    turn(s, cap, IDLE, time);
    end_leading(cap, time);
    cap->in_gc = cap->requested = false;
    return edge(s, cap, time, GC_EDGE_AWAY, 0);
}

/* --- Sums ------------------------------------------------------------------------------------ */

static void add_share(uint64_t time, const struct run_share *share, uint64_t sum[RUN_SUMS])
{
    static const enum run_sum of[SPANS] = {MARK_NS, SYNC_NS,     SWEEP_NS,
                                           OFF_NS,  INACTIVE_NS, GCLESS_NS};
    for (int i = 0; i < RUN_SUMS; i++)
        saturating_add(&sum[i], share->sum[i]);
    for (int i = 0; i < SPANS; i++)
        if (share->span[i].open) saturating_add(&sum[of[i]], span_of(share->span[i].since, time));
}

void stat_run_sums(const hectic_stat *s, uint64_t time, uint64_t sum[RUN_SUMS])
{
    memset(sum, 0, RUN_SUMS * sizeof *sum);
    add_share(time, &s->global.run, sum);
    for (size_t i = 0; i < s->caps; i++)
        add_share(time, &s->cap[i]->run, sum);
}

uint64_t stat_off(const hectic_stat *s)
{
    uint64_t off = s->global.run.off;
    for (size_t i = 0; i < s->caps; i++)
        off |= s->cap[i]->run.off;
    return off;
}

static uint64_t count_workers(const hectic_stat *s)
{
    uint64_t workers = s->global.run.workers;
    for (size_t i = 0; i < s->caps; i++)
        workers += s->cap[i]->run.workers;
    return workers;
}

/* An excerpt, and a log of a late reader, begin with nonzero counters. */
bool stat_is_late(const hectic_stat *s)
{
    const bool is_carried =
        s->counted != UINT64_MAX && (s->counted == s->first || s->counted == s->joined);
    return is_carried || (s->has_first && s->first > s->start && s->first - s->start > late_after);
}

/* A counter is the total since the program's start. A log that does not begin there begins with
 * nonzero counters; an excerpt, or a log of a late reader, restates them at its beginning. */
static bool is_base(const hectic_stat *s, uint64_t time)
{
    return s->joined == UINT64_MAX || time == s->joined || time == s->first;
}

uint64_t stat_first_counted(const hectic_stat *s, const struct stat_cap *cap, unsigned counter)
{
    const bool has_first = cap->has_last & 1u << counter;
    return has_first && !is_base(s, cap->first_at[counter > 0]) ? cap->first[counter] : 0;
}

uint64_t stat_known_until(const struct stat_cap *cap, uint64_t time)
{
    if (time <= cap->known_to) return time;
    return cap->in_gc && cap->since < cap->known_to ? cap->since : cap->known_to;
}

void stat_cap_sums(const hectic_stat *s, const struct stat_cap *cap, uint64_t time,
                   uint64_t sum[CAP_SUMS])
{
    memcpy(sum, cap->sum, sizeof cap->sum);
    for (unsigned i = 0; i < COUNTERS; i++)
        saturating_add(&sum[ALLOCATED + i], stat_first_counted(s, cap, i));
    time = stat_known_until(cap, time);
    if (cap->in_gc && cap->leads) saturating_add(&sum[GC_MAIN_NS], span_of(cap->gc_since, time));
    if (time > cap->deleted) time = cap->deleted;
    saturating_add(&sum[cap->activity], span_of(cap->since, time));
    sum[PRESENT_NS] = cap->past;
    saturating_add(&sum[PRESENT_NS], span_of(cap->created_at, time));
}

static void count_first(hectic_stat *s, struct stat_cap *cap, unsigned counter, uint64_t *sum,
                        uint64_t time, uint64_t value)
{
    const bool has_begun = value > 0 || time == s->first; /* programs begin with zeros, but later */
    if (has_begun && time < s->counted) s->counted = time;
    if (!s->is_ordered) { /* the log's first events may follow */
        cap->first[counter] = value;
        cap->first_at[counter > 0] = time;
    } else if (!is_base(s, time)) {
        saturating_add(sum, value);
    }
}

static void measure(const hectic_stat *s, enum stat_size size, uint64_t since, uint64_t time,
                    uint64_t bytes)
{
    if (s->watch.measure && !s->repeats) s->watch.measure(s->watch.user, size, since, time, bytes);
}

static void tell(const hectic_stat *s, uint16_t type, const uint8_t *payload, size_t size)
{
    if (s->watch.tell && !s->repeats) s->watch.tell(s->watch.user, type, payload, size);
}

static bool take_said(const hectic_stat *s, struct stat_cap *cap, uint64_t time, enum run_sum what)
{
    cap->run.sum[what]++;
    if (s->watch.say && !s->repeats) s->watch.say(s->watch.user, what, time);
    return true;
}

static void count_to(hectic_stat *s, struct stat_cap *cap, unsigned counter, uint64_t *sum,
                     uint64_t time, uint64_t value)
{
    const uint16_t bit = (uint16_t)(1u << counter);
    if (!(cap->has_last & bit))
        count_first(s, cap, counter, sum, time, value);
    else if (value >= cap->last[counter])
        saturating_add(sum, value - cap->last[counter]);
    else
        cap->run.sum[COUNTER_RESETS]++;
    cap->has_last |= bit;
    cap->last[counter] = value;
}

bool stat_add_arrivals(hectic_stat_interval *interval, size_t cap, uint64_t threads)
{
    if (cap >= interval->arrivals) {
        uint64_t *arrived = realloc(interval->arrived, (cap + 1) * sizeof *arrived);
        if (!arrived) return false;
        memset(arrived + interval->arrivals, 0, (cap + 1 - interval->arrivals) * sizeof *arrived);
        interval->arrived = arrived;
        interval->arrivals = cap + 1;
    }
    interval->arrived[cap] += threads;
    return true;
}

/* Merges the edges of collections up to the time to which all caps are known. */
bool stat_merge_known(hectic_stat *s)
{
    struct stat_collecting to = {s, &s->gc_time, &s->run, s->marks};
    for (size_t i = 0; i < s->caps; i++)
        s->queue.cap[i].known = s->cap[i]->time;
    return gc_queue_merge_known(&s->queue, stat_take_edge, &to);
}

bool stat_keep_marks(hectic_stat *s)
{
    s->marks = stat_marks_new();
    if (s->marks) s->global.next_mark = 0;
    return s->marks;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* --- Collections ----------------------------------------------------------------------------- */

/* The intervals in which an event counts: the run and the open ones; with marks also its slice. */
static hectic_stat_interval *intervals_from(hectic_stat *s, uint64_t time)
{
    if (s->repeats) return NULL;
    hectic_stat_interval *slice = s->marks ? stat_marks_slice(s->marks, s, time) : NULL;
    if (!slice) return &s->run;
    slice->next = &s->run;
    return slice;
}

struct generation *stat_generation(hectic_stat_interval *interval, uint16_t number)
{
    if (number >= interval->generations) {
        struct generation *grown =
            realloc(interval->generation, (number + 1u) * sizeof *interval->generation);
        if (!grown) return NULL;
        memset(grown + interval->generations, 0,
               (number + 1u - interval->generations) * sizeof *grown);
        interval->generation = grown;
        interval->generations = number + 1u;
    }
    return &interval->generation[number];
}

static bool count_exponentially(hectic_stat *s, uint16_t generation, uint64_t pause)
{
    hectic_exponential **pauses = &s->pauses[generation];
    if (!*pauses) *pauses = calloc(1, sizeof **pauses);
    if (!*pauses) return false;
    hectic_exponential_add(*pauses, pause);
    return true;
}

/* True if the cap's event was before the interval. */
static bool is_before(const hectic_stat *s, const struct stat_cap *cap,
                      const hectic_stat_interval *interval)
{
    return s->drops && cap->time < interval->from;
}

/* Counts a collection that has ended, with a known generation. */
static bool count_collection(hectic_stat *s, struct stat_cap *cap, uint64_t time, bool has_pause)
{
    if (cap->generation >= HECTIC_STAT_GENERATIONS) return true;
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next) {
        if (is_before(s, cap, i)) continue;
        struct generation *generation = stat_generation(i, cap->generation);
        if (!generation) return false;
        generation->collections++;
        generation->parallel += cap->parallel;
        if (has_pause && !hectic_histogram_add(&generation->pause, cap->pause)) return false;
        /* The participating caps are unknown. */
        if (has_pause && !cap->was_led &&
            !hectic_histogram_add(&generation->mean_pause, cap->pause))
            return false;
    }
    if (cap->last_stop == STOP_FOREIGN) cap->asks = cap->generation + 1;
    return !has_pause || count_exponentially(s, cap->generation, cap->pause);
}

/* Counts the pause of a collection that the cap is known to have led. */
static bool count_pause(hectic_stat *s, struct stat_cap *cap, uint64_t time)
{
    saturating_add(&cap->sum[GC_MAIN_NS], cap->pause);
    cap->recent[cap->next_recent++ % LAST_PAUSES] = (struct pause){time - cap->pause, time};
    bool done = true;
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next)
        done = done && (is_before(s, cap, i) ||
                        (hectic_histogram_add(&i->pause, cap->pause) &&
                         (cap->was_led || hectic_histogram_add(&i->mean_pause, cap->pause))));
    return done;
}

/* Counts a pause on a cap that may turn out to be the only one. */
static bool count_lone_pause(hectic_stat *s, const struct stat_cap *cap, uint64_t time)
{
    bool done = true;
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next)
        done = done && hectic_histogram_add(&i->lone_pause, cap->pause);
    return done;
}

/* Counts the mean pause of the participating caps of a collection. */
static bool count_mean_pause(const struct stat_collecting *c, uint64_t time,
                             const struct gc_completion *completed)
{
    const uint64_t mean = gc_mean_pause(&completed->collection);
    const uint16_t number = completed->collection.generation;
    hectic_stat_interval *first = c->marks ? intervals_from(c->stat, time) : c->interval;
    for (hectic_stat_interval *i = first; i; i = i->next) {
        if (is_before(c->stat, c->stat->cap[completed->leader], i)) continue;
        if (completed->is_over && !hectic_histogram_add(&i->mean_pause, mean)) return false;
        if (!completed->is_known || number >= HECTIC_STAT_GENERATIONS) continue;
        struct generation *generation = stat_generation(i, number);
        if (!generation || !hectic_histogram_add(&generation->mean_pause, mean)) return false;
    }
    return true;
}

bool stat_is_lone(const hectic_stat *s)
{
    return s->caps <= 1 && s->started <= 1 && !(s->seen & SEEN_REQUEST);
}

bool stat_take_edge(void *collecting, size_t cap, uint64_t time, enum gc_edge kind, uint64_t number)
{
    const struct stat_collecting *c = collecting;
    struct gc_completion completed;
    if (c->marks) stat_marks_edge(c->marks, c->stat, time);
    return gc_time_edge(c->time, cap, time, kind, number, &completed) &&
           (!(completed.is_over || completed.is_known) || count_mean_pause(c, time, &completed));
}

/* Counts the cap's last collection again, when it goes on, if the program requested it. */
static bool count_request(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint32_t thread)
{
    const uint64_t after = saturating_less(time, cap->gc_end);
    const bool is_request =
        hectic_gc_reason_of(thread == cap->thread, cap->since_call, after) == HECTIC_GC_REQUEST;
    const uint16_t number = (uint16_t)(cap->asks - 1);
    cap->asks = 0;
    for (hectic_stat_interval *i = intervals_from(s, time); i && is_request; i = i->next) {
        struct generation *generation = stat_generation(i, number);
        if (!generation) return false;
        generation->requested++;
    }
    return true;
}

static bool take_request(hectic_stat *s, struct stat_cap *cap, uint64_t time)
{
    s->seen |= SEEN_REQUEST;
    cap->requested = true;
    cap->requested_at = time;
    if (cap->in_gc) return set_existing(s, cap, time);
    turn(s, cap, REQUESTED_GC, time);
    return set_existing(s, cap, time) && edge(s, cap, time, GC_EDGE_BUSY, 0);
}

/* The requesting cap leads; without requests (non-threaded runtime), the only cap. In file order,
 * this is known at the end: stat_is_lone. */
static bool is_leader(hectic_stat *s, const struct stat_cap *cap)
{
    if (cap->requested || !s->is_ordered || !stat_is_lone(s)) return cap->requested;
    s->seen |= SEEN_LONE_LEADER;
    return true;
}

static uint64_t worked(const struct stat_cap *cap)
{
    return cap->sum[COLLECTING] + cap->sum[GC_WITHOUT_WORK];
}

static bool take_gc_start(hectic_stat *s, struct stat_cap *cap, uint64_t time)
{
    s->seen |= SEEN_GC;
    end_leading(cap, time);
    const bool was_requested = cap->requested;
    cap->since_call = span_of(cap->stopped_at, was_requested ? cap->requested_at : time);
    cap->asks = 0;
    const uint64_t to_safepoint = was_requested ? span_of(cap->requested_at, time) : 0;
    cap->in_gc = true;
    cap->gc_since = time;
    cap->gc_half = NO_HALF;
    cap->leads = is_leader(s, cap);
    cap->requested = false;
    turn(s, cap, cap->leads ? COLLECTING : STOPPED, time);
    cap->worked = worked(cap);
    bool done = set_existing(s, cap, time) &&
                edge(s, cap, time, cap->leads ? GC_EDGE_LEAD : GC_EDGE_BEGIN, to_safepoint);
    if (!was_requested || time == s->replay_time) return done;
    hectic_exponential_add(&s->safepoints, to_safepoint);
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next)
        done = done && (is_before(s, cap, i) || hectic_histogram_add(&i->safepoint, to_safepoint));
    return done;
}

/* The cap is a GC thread, with or without work; or, according to `thread`, not any more. */
static bool take_gc_thread(hectic_stat *s, struct stat_cap *cap, uint64_t time,
                           enum activity thread)
{
    if (thread == COLLECTING) s->recorded |= SEEN_GC_THREADS;
    if (!cap->in_gc) return true;
    const bool was_stopped = cap->activity == STOPPED;
    s->seen |= SEEN_GC_THREADS;
    turn(s, cap, thread == STOPPED && cap->leads ? COLLECTING : thread, time);
    if (!s->is_ordered || cap->leads || was_stopped == (thread == STOPPED)) return true;
    return edge(s, cap, time, was_stopped ? GC_EDGE_WORK : GC_EDGE_DONE, 0);
}

static bool take_gc_end(hectic_stat *s, struct stat_cap *cap, uint64_t time)
{
    if (!cap->in_gc) return true;
    cap->in_gc = false;
    turn(s, cap, cap->requested ? REQUESTED_GC : IDLE, time);
    s->last_gc_end = larger(s->last_gc_end, time);
    cap->pause = span_of(cap->gc_since, time);
    cap->gc_end = time;
    cap->was_led = cap->leads;
    cap->led = cap->leads || cap->gc_half == HAS_STATS;
    cap->leads = false;
    const bool is_counted = cap->gc_half == HAS_STATS;
    cap->gc_half = is_counted ? NO_HALF : HAS_PAUSE;
    const uint64_t generation = is_counted ? cap->generation : GC_UNCOUNTED;
    const uint64_t uncounted = s->is_ordered ? 0 : worked(cap) - cap->worked;
    return edge(s, cap, time, cap->was_led ? GC_EDGE_LEAD_END : GC_EDGE_END,
                cap->was_led ? generation : uncounted) &&
           (!cap->requested || edge(s, cap, time, GC_EDGE_BUSY, 0)) &&
           (cap->led ? count_pause(s, cap, time) : count_lone_pause(s, cap, time)) &&
           (!is_counted || count_collection(s, cap, time, true));
}

/* Major collections are those of the last generation or, if the number of generations is unknown,
 * those with recorded live data. */
static bool take_gc_stats(hectic_stat *s, struct stat_cap *cap, uint64_t time,
                          const hectic_event_gc_stats_ghc *stats)
{
    s->seen |= SEEN_GC_STATS;
    cap->generation = stats->generation;
    cap->parallel = stats->par_threads > 1;
    saturating_add(&cap->run.sum[COPIED], stats->copied);
    cap->run.slop = stats->slop;
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next)
        i->fragmentation_max = larger(i->fragmentation_max, stats->fragmentation);
    if (cap->parallel) {
        s->seen |= SEEN_PAR_COPIED;
        saturating_add(&cap->run.sum[PAR_MAX_COPIED], stats->par_max_copied);
        saturating_add(&cap->run.sum[PAR_COPIED], stats->par_total_copied);
        if (stats->has_par_balanced_copied) {
            s->seen |= SEEN_BALANCED;
            saturating_add(&cap->run.sum[PAR_BALANCED], stats->par_balanced_copied);
        }
    }
    if (cap->in_gc) {
        cap->gc_half = HAS_STATS;
        return true;
    }
    const bool has_pause = cap->gc_half == HAS_PAUSE;
    cap->gc_half = NO_HALF;
    if (has_pause && !cap->led && !count_pause(s, cap, time)) return false;
    return count_collection(s, cap, time, has_pause) &&
           (!has_pause || !cap->was_led || edge(s, cap, time, GC_EDGE_COUNTED, cap->generation));
}

/* --- The heap -------------------------------------------------------------------------------- */

static bool take_live(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint64_t bytes)
{
    s->seen |= SEEN_LIVE;
    measure(s, SIZE_LIVE, time, time, bytes);
    cap->run.sum[MAJOR] += time != s->replay_time;
    if (!stat_add_live(s, (struct live_sample){time, bytes})) return false;
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next) {
        i->residency_max = larger(i->residency_max, bytes);
        i->slop_max = larger(i->slop_max, cap->run.slop);
    }
    return true;
}

static bool take_heap_size(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint64_t bytes)
{
    s->seen |= SEEN_HEAP_SIZE;
    measure(s, SIZE_HEAP, time, time, bytes);
    cap->run.heap_size = bytes;
    cap->run.heap_size_time = time;
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next)
        i->heap_max = larger(i->heap_max, bytes);
    return true;
}

static bool take_blocks_size(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint64_t bytes)
{
    s->seen |= SEEN_BLOCKS;
    measure(s, SIZE_BLOCKS, time, time, bytes);
    cap->run.blocks_size = bytes;
    cap->run.blocks_size_time = time;
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next) {
        i->blocks_max = larger(i->blocks_max, bytes);
        i->unused_max = larger(i->unused_max, span_of(bytes, cap->run.heap_size));
    }
    return true;
}

/* --- OS threads, the non-moving collector, heap profiles ------------------------------------- */

static void record_visit(uint64_t visit[VISITS], uint64_t time)
{
    memmove(visit + 1, visit, (VISITS - 1) * sizeof *visit);
    visit[0] = time;
}

static bool take_task(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint64_t task,
                      uint64_t os_thread)
{
    s->seen |= SEEN_TASKS;
    if (s->seen & SEEN_PID && os_thread == s->pid && s->pid_at <= time) {
        s->has_main_task = true;
        s->main_task = task;
        record_visit(s->main_entered, time);
        return true;
    }
    cap->run.sum[WORKERS]++;
    cap->run.workers++;
    const uint64_t workers = count_workers(s);
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next)
        i->workers_max = larger(i->workers_max, workers);
    return true;
}

static void take_task_end(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint64_t task)
{
    if (s->has_main_task && task == s->main_task) {
        record_visit(s->main_left, time);
    } else if (cap->run.workers > 0) {
        cap->run.workers--;
    }
}

static void span_begin(struct stat_cap *cap, int which, uint64_t time)
{
    struct span *span = &cap->run.span[which];
    if (!span->open) *span = (struct span){true, time};
}

/* Adds the span to its sum and count. Returns its duration. */
static uint64_t span_end(struct stat_cap *cap, int which, uint64_t time, enum run_sum ns,
                         enum run_sum count)
{
    struct span *span = &cap->run.span[which];
    if (!span->open) return 0;
    const uint64_t length = span_of(span->since, time);
    span->open = false;
    saturating_add(&cap->run.sum[ns], length);
    cap->run.sum[count]++;
    return length;
}

/* Begins or ends a span while one of `mask` is off. */
static void switch_span(struct run_share *run, int which, enum run_sum ns, uint64_t mask,
                        uint64_t time)
{
    struct span *span = &run->span[which];
    const bool is_off = run->off & mask;
    if (is_off == span->open) return;
    if (!is_off) saturating_add(&run->sum[ns], span_of(span->since, time));
    *span = (struct span){is_off, time};
}

static void switch_spans(const hectic_stat *s, struct run_share *run, uint64_t time)
{
    if (!(run->off & GAP_ACTIVITY)) report_unrecorded(s, run, time);
    switch_span(run, OFF, OFF_NS, ~GAP_DROPS, time);
    switch_span(run, INACTIVE, INACTIVE_NS, GAP_ACTIVITY, time);
    switch_span(run, GCLESS, GCLESS_NS, GAP_COLLECTIONS, time);
}

/* What threads run is not recorded from now on. False: out of memory. */
static bool stop_recording_threads(hectic_stat *s, uint64_t time)
{
    for (size_t i = 0; i < s->caps; i++) {
        struct stat_cap *cap = s->cap[i];
        if (cap->activity != RUNS_THREAD) continue;
        turn(s, cap, IDLE, time);
        if (s->is_ordered && !edge(s, cap, time, GC_EDGE_FREE, 0)) return false;
    }
    return true;
}

/* A replay says what caps do since. */
static void end_drops(hectic_stat *s, uint64_t time)
{
    struct run_share *run = &s->global.run;
    if (!(run->off & GAP_DROPS)) return;
    run->off &= ~GAP_DROPS;
    switch_spans(s, run, time);
}

/* The cap's events are missing from now on, up to its next one: no activity goes on. */
static bool lose(hectic_stat *s, struct stat_cap *cap, uint64_t from)
{
    turn(s, cap, LOST, from);
    end_leading(cap, from);
    cap->in_gc = cap->leads = cap->requested = false;
    cap->asks = 0;
    cap->gc_half = NO_HALF;
    for (int i = MARK; i <= SWEEP; i++)
        cap->run.span[i].open = false;
    return edge(s, cap, from, GC_EDGE_LOST, 0);
}

/* The cap has an event again. */
static bool regain(hectic_stat *s, struct stat_cap *cap, uint64_t time)
{
    turn(s, cap, IDLE, time);
    return edge(s, cap, time, GC_EDGE_HERE, 0);
}

static bool take_message(hectic_stat *s, struct stat_cap *cap, uint64_t time, const uint8_t *text,
                         size_t size)
{
    struct run_share *run = &cap->run;
    uint64_t number;
    switch (gap_message(text, size, &number)) {
    case GAP_DROPPED:
        saturating_add(&run->sum[DROPPED_EVENTS], number);
        run->sum[DROPPED_PLACES]++;
        /* A message in the block of a cap is about earlier blocks of that cap only. */
        if (run != &s->global.run) break;
        run->off |= GAP_DROPS;
        switch_spans(s, run, time);
        break;
    case GAP_LOST:
        saturating_add(&run->sum[LOST_BYTES], number);
        run->sum[LOST_PLACES]++;
        break;
    case GAP_MISSING: return cap == &s->global || lose(s, cap, time);
    case GAP_OFF:
        run->off |= number;
        run->switched |= number;
        run->sum[SWITCHED_OFF]++;
        switch_spans(s, run, time);
        if (number & GAP_THREADS) return stop_recording_threads(s, time);
        break;
    case GAP_ON: /* of what has not been switched off: it was off when the log began */
        run->sum[SWITCHED_OFF] += (number & ~run->switched) > 0;
        run->off |= number & ~run->switched;
        switch_spans(s, run, s->first);
        run->off &= ~number;
        run->switched |= number;
        switch_spans(s, run, time);
        break;
    default: break;
    }
    return true;
}

static void sync_end(hectic_stat *s, struct stat_cap *cap, uint64_t time)
{
    const uint64_t length = span_end(cap, SYNC, time, SYNC_NS, SYNCS);
    for (hectic_stat_interval *i = intervals_from(s, time); i; i = i->next)
        i->sync_max = larger(i->sync_max, length);
}

/* --- The program ----------------------------------------------------------------------------- */

static bool has_word(const uint8_t *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(text + i, word, length) == 0) return true;
    return false;
}

/* 900 for "GHC-9.0.2 rts_thr_l"; 0: unknown */
static uint32_t ghc_version(const uint8_t *text, size_t size)
{
    static const char name[] = "GHC-";
    uint32_t number[2] = {0};
    size_t i = sizeof name - 1;
    if (size < i || memcmp(text, name, i) != 0) return 0;
    for (unsigned part = 0; i < size && part < 2; i++) {
        if (text[i] >= '0' && text[i] <= '9' && number[part] < 100)
            number[part] = 10 * number[part] + (uint32_t)(text[i] - '0');
        else if (text[i] == '.')
            part++;
        else
            break;
    }
    return 100 * number[0] + number[1];
}

/* "GHC-9.0.2 rts_thr_l" */
static void take_rts(hectic_stat *s, uint64_t time, const uint8_t *text, size_t size)
{
    const bool is_first = !(s->seen & SEEN_RTS) || time < s->rts_at;
    if (!is_first || !has_word(text, size, "rts")) return;
    s->seen |= SEEN_RTS;
    s->rts_at = time;
    s->ghc = ghc_version(text, size);
    s->threaded = has_word(text, size, "_thr");
    s->profiled = has_word(text, size, "_p");
}

/* If the non-moving collector did not run, only the arguments indicate it. */
static void take_args(hectic_stat *s, const uint8_t *text, size_t size)
{
    if (!has_word(text, size, "+RTS")) return;
    if (has_word(text, size, "-xn") || has_word(text, size, "--nonmoving-gc")) s->seen |= SEEN_CONC;
}

/* --- Events ---------------------------------------------------------------------------------- */

/* Updates the latest time (UINT64_MAX: none). True if it is this one. */
static bool update_last(uint64_t *last, uint64_t time)
{
    if (*last != UINT64_MAX && time < *last) return false;
    *last = time;
    return true;
}

/* One of the threads with the lowest numbers; NULL: another thread. In a merged log, numbers do not
 * begin with 1. */
static struct first_thread *first_thread(hectic_stat *s, uint32_t number)
{
    if (number < s->lowest_thread) {
        const uint32_t lower = s->lowest_thread - number;
        const unsigned moved = lower < FIRST_THREADS ? lower : FIRST_THREADS;
        memmove(s->thread + moved, s->thread, (FIRST_THREADS - moved) * sizeof *s->thread);
        for (unsigned i = 0; i < moved; i++)
            s->thread[i] = no_thread;
        s->lowest_thread = number;
    }
    const uint32_t place = number - s->lowest_thread;
    return place < FIRST_THREADS ? &s->thread[place] : NULL;
}

static bool take_run(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint32_t thread)
{
    s->seen |= SEEN_THREADS;
    if (cap->in_gc && !take_gc_end(s, cap, time)) return false; /* its end is missing */
    cap->requested = false;
    if (cap->asks > 0 && !count_request(s, cap, time, thread)) return false;
    turn(s, cap, RUNS_THREAD, time);
    if (time != s->replay_time) {
        cap->sum[RUNS]++;
        cap->sum[SWITCHES] += cap->thread != thread;
    }
    cap->thread = thread;
    struct first_thread *first = first_thread(s, thread);
    if (first) update_last(&first->run, time);
    if (time >= cap->deleted && !set_existing(s, cap, time)) return false;
    return !s->is_ordered || edge(s, cap, time, GC_EDGE_BUSY, 0);
}

static bool take_stop(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint32_t thread,
                      uint16_t status)
{
    const bool ran = cap->activity == RUNS_THREAD;
    s->stopping = cap->last_stop = status;
    cap->stopped_at = time;
    if (ran) turn(s, cap, IDLE, time);
    s->stopping = STOP_NONE;
    struct first_thread *first = first_thread(s, thread);
    if (first && update_last(&first->stopped, time))
        first->in_foreign_call = status == STOP_FOREIGN;
    return !ran || !s->is_ordered || edge(s, cap, time, GC_EDGE_FREE, 0);
}

/* A thread that was created before is announced again for a late reader. The set is limited to the
 * number of threads that may be alive at a time; then it is cleared. */
static bool take_create(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint32_t number)
{
    enum { PAGES_MAX = 1 << 16 };
    if (map_has_member(&s->created, number)) return true;
    if (s->created.count >= PAGES_MAX) map_clear(&s->created);
    if (!map_add_member(&s->created, number)) return false;
    cap->sum[CREATED] += time != s->replay_time;
    update_last(&s->thread_created, time);
    struct first_thread *first = first_thread(s, number);
    if (first) first->created = time;
    return true;
}

static bool take_migration(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint16_t to)
{
    cap->sum[MIGRATED_OUT]++;
    struct stat_cap *other = cap_find(s, to, time);
    if (!other) return false;
    other->sum[MIGRATED_IN]++;
    if (s->marks && other != &s->global) stat_marks_migration(s->marks, s, time, s->index[to]);
    return true;
}

static void take_spark_counters(hectic_stat *s, struct stat_cap *cap, uint64_t time,
                                const hectic_event_spark_counters *now)
{
    const uint64_t value[SPARK_SUMS] = {
        [SPARK_CREATED] = now->created,
        [SPARK_DUD] = now->dud,
        [SPARK_OVERFLOWED] = now->overflowed,
        [SPARK_CONVERTED] = now->converted,
        [SPARK_GCD] = now->gcd,
        [SPARK_FIZZLED] = now->fizzled,
    };
    const uint64_t *counted = &cap->sum[SPARKS_COUNTED];
    uint64_t *seen = &cap->sum[SPARKS_SEEN];
    const uint64_t created = counted[SPARK_CREATED], collected = counted[SPARK_GCD];
    s->seen |= SEEN_SPARK_COUNTERS;
    for (unsigned i = 0; i < SPARK_SUMS; i++)
        count_to(s, cap, 1 + i, &cap->sum[SPARKS_COUNTED + i], time, value[i]);
    /* The last collection of a program drops the sparks in the pools without events. */
    const bool is_complete =
        counted[SPARK_CREATED] - created == seen[SPARK_CREATED] - cap->seen_created;
    const uint64_t dropped =
        span_of(seen[SPARK_GCD] - cap->seen_collected, counted[SPARK_GCD] - collected);
    if (is_complete && now->remaining == 0) saturating_add(&seen[SPARK_GCD], dropped);
    cap->seen_created = seen[SPARK_CREATED];
    cap->seen_collected = seen[SPARK_GCD];
}

static bool take(hectic_stat *s, struct stat_cap *cap, uint16_t type, uint64_t time,
                 const uint8_t *p, size_t size);

static bool take_replayed_run(hectic_stat *s, struct stat_cap *cap, uint64_t time,
                              const hectic_event *run)
{
    s->replay_time = time;
    if (cap->activity != IDLE && cap->activity != REQUESTED_GC) return true;
    s->before = (struct stat_before_replay){cap->thread, cap->activity, cap->requested};
    return take(s, cap, run->type, time, run->payload, run->size);
}

/* The state of a thread that waits is replayed by a run and its end: the cap does what it did
 * before.
 */
static bool take_replayed_stop(hectic_stat *s, struct stat_cap *cap, uint64_t time,
                               const hectic_event *stop)
{
    hectic_event_stop_thread fields;
    if (time != s->replay_time || cap->activity != RUNS_THREAD || cap->since != time ||
        !hectic_read_stop_thread(stop, &fields) || fields.thread != cap->thread)
        return true;
    if (!take(s, cap, stop->type, time, stop->payload, stop->size)) return false;
    turn(s, cap, s->before.activity, time);
    cap->thread = s->before.thread;
    cap->requested = s->before.requested;
    return true;
}

/* A replayed event: it matters only if events were missed. */
static bool take_replayed(hectic_stat *s, uint64_t time, const hectic_event *replayed)
{
    struct stat_cap *cap = cap_find(s, replayed->cap, time);
    bool is_missed = false;
    uint16_t number;
    if (!cap) return false;
    if (time >= cap->next_mark && s->marks) stat_marks_pass(s->marks, s, cap, time);
    if (cap->activity == LOST && !regain(s, cap, time)) return false;
    if (replayed->type == HECTIC_EVENT_THREAD_LABEL || replayed->type == HECTIC_EVENT_CAPSET_CREATE)
        tell(s, replayed->type, replayed->payload, replayed->size);
    switch (replayed->type) {
    case HECTIC_EVENT_OSPROCESS_PID:
    case HECTIC_EVENT_RTS_IDENTIFIER:
    case HECTIC_EVENT_PROGRAM_ARGS:
    case HECTIC_EVENT_HEAP_INFO_GHC:
    case HECTIC_EVENT_HEAP_SIZE:
    case HECTIC_EVENT_HEAP_ALLOCATED:
    case HECTIC_EVENT_SPARK_COUNTERS: is_missed = true; break;
    case HECTIC_EVENT_RUN_THREAD: return take_replayed_run(s, cap, time, replayed);
    case HECTIC_EVENT_STOP_THREAD: return take_replayed_stop(s, cap, time, replayed);
    case HECTIC_EVENT_CAP_CREATE:
        is_missed = hectic_read_cap(replayed, &number) && !cap_exists(s, number);
    default: break;
    }
    return !is_missed || take(s, cap, replayed->type, time, replayed->payload, replayed->size);
}

/* The events for each kind. */
static const struct {
    uint16_t type;
    uint32_t seen;
} evidence[] = {
    {HECTIC_EVENT_RUN_THREAD, SEEN_THREADS},
    {HECTIC_EVENT_GC_START, SEEN_GC},
    {HECTIC_EVENT_GC_STATS_GHC, SEEN_GC_STATS},
    {HECTIC_EVENT_REQUEST_SEQ_GC, SEEN_REQUEST},
    {HECTIC_EVENT_REQUEST_PAR_GC, SEEN_REQUEST},
    {HECTIC_EVENT_HEAP_ALLOCATED, SEEN_ALLOCATED},
    {HECTIC_EVENT_HEAP_SIZE, SEEN_HEAP_SIZE},
    {HECTIC_EVENT_BLOCKS_SIZE, SEEN_BLOCKS},
    {HECTIC_EVENT_SPARK_COUNTERS, SEEN_SPARK_COUNTERS},
    {HECTIC_EVENT_TASK_CREATE, SEEN_TASKS},
    {HECTIC_EVENT_GC_WORK, SEEN_GC_THREADS},
    {HECTIC_EVENT_CONC_MARK_BEGIN, SEEN_CONC},
    {HECTIC_EVENT_MEM_RETURN, SEEN_RETURNED},
    {HECTIC_EVENT_SPARK_CREATE, SEEN_EACH_SPARK},
    {HECTIC_EVENT_SPARK_DUD, SEEN_EACH_SPARK},
    {HECTIC_EVENT_SPARK_OVERFLOW, SEEN_EACH_SPARK},
    {HECTIC_EVENT_SPARK_RUN, SEEN_EACH_SPARK},
    {HECTIC_EVENT_SPARK_STEAL, SEEN_EACH_SPARK},
    {HECTIC_EVENT_SPARK_FIZZLE, SEEN_EACH_SPARK},
    {HECTIC_EVENT_SPARK_GC, SEEN_EACH_SPARK},
    {HECTIC_EVENT_CREATE_SPARK, SEEN_EACH_SPARK},
    {HECTIC_EVENT_RUN_SPARK, SEEN_EACH_SPARK},
    {HECTIC_EVENT_STEAL_SPARK, SEEN_EACH_SPARK},
};

static uint32_t seen_by(uint16_t type)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < sizeof evidence / sizeof *evidence; i++)
        if (evidence[i].type == type) seen |= evidence[i].seen;
    return seen;
}

/* Takes an event of a type, with `size` bytes of payload at p. */
static bool take(hectic_stat *s, struct stat_cap *cap, uint16_t type, uint64_t time,
                 const uint8_t *p, size_t size)
{
    const hectic_event event = {.payload = p, .size = (uint16_t)size};
    hectic_event replayed;
    uint32_t thread;
    uint16_t number;
    hectic_event_stop_thread stop_thread;
    hectic_event_migrate_thread migrate_thread;
    hectic_event_gc_stats_ghc gc_stats_ghc;
    hectic_event_heap_size heap_size; /* the others of a heap have the same fields */
    hectic_event_heap_info_ghc heap_info_ghc;
    hectic_event_mem_return mem_return;
    hectic_event_spark_counters spark_counters;
    hectic_event_startup startup;
    hectic_event_task_create task_create;
    hectic_event_task_delete task_delete;
    hectic_event_osprocess_pid osprocess_pid;
    hectic_text text;
#define COUNT_SPARK(what)                                                                          \
    return cap->sum[SPARKS_SEEN + (what)] += time != s->replay_time, s->seen |= SEEN_EACH_SPARK,   \
           true
#define READ(name)                                                                                 \
    if (!hectic_read_##name(&event, &name)) return s->recorded |= seen_by(type), true
#define READ_CAP                                                                                   \
    if (!hectic_read_cap(&event, &number)) return s->recorded |= seen_by(type), true
    if (cap->activity == LOST && !regain(s, cap, time)) return false;
    switch (type) {
    case HECTIC_EVENT_RUN_THREAD: READ(thread); return take_run(s, cap, time, thread);
    case HECTIC_EVENT_STOP_THREAD:
        READ(stop_thread);
        return take_stop(s, cap, time, stop_thread.thread, stop_thread.status);
    case HECTIC_EVENT_CREATE_THREAD: /* of a thread for sparks, GHC writes both */
    case HECTIC_EVENT_CREATE_SPARK_THREAD: READ(thread); return take_create(s, cap, time, thread);
    case HECTIC_EVENT_MIGRATE_THREAD:
        READ(migrate_thread);
        return take_migration(s, cap, time, migrate_thread.new_cap);
    case HECTIC_EVENT_THREAD_LABEL:
    case HECTIC_EVENT_CAPSET_CREATE: return tell(s, type, p, size), true;

    case HECTIC_EVENT_REQUEST_SEQ_GC:
    case HECTIC_EVENT_REQUEST_PAR_GC: return take_request(s, cap, time);
    case HECTIC_EVENT_GC_START: return take_gc_start(s, cap, time);
    case HECTIC_EVENT_GC_END: return take_gc_end(s, cap, time);
    case HECTIC_EVENT_GC_WORK: return take_gc_thread(s, cap, time, COLLECTING);
    case HECTIC_EVENT_GC_IDLE: return take_gc_thread(s, cap, time, GC_WITHOUT_WORK);
    case HECTIC_EVENT_GC_DONE: return take_gc_thread(s, cap, time, STOPPED);
    case HECTIC_EVENT_GC_STATS_GHC:
        READ(gc_stats_ghc);
        return take_gc_stats(s, cap, time, &gc_stats_ghc);

    case HECTIC_EVENT_HEAP_ALLOCATED:
        READ(heap_size);
        s->seen |= SEEN_ALLOCATED;
        if (cap->has_last & 1)
            measure(s, SIZE_ALLOCATED, cap->allocation_time, time,
                    saturating_less(heap_size.bytes, cap->last[0]));
        cap->allocation_time = larger(cap->allocation_time, time);
        count_to(s, cap, 0, &cap->sum[ALLOCATED], time, heap_size.bytes);
        return true;
    case HECTIC_EVENT_HEAP_SIZE:
        READ(heap_size);
        return take_heap_size(s, cap, time, heap_size.bytes);
    case HECTIC_EVENT_BLOCKS_SIZE:
        READ(heap_size);
        return take_blocks_size(s, cap, time, heap_size.bytes);
    case HECTIC_EVENT_HEAP_LIVE: READ(heap_size); return take_live(s, cap, time, heap_size.bytes);
    case HECTIC_EVENT_HEAP_INFO_GHC:
        READ(heap_info_ghc);
        if (time < s->sizes_at) return true;
        s->sizes_at = time;
        s->generations = heap_info_ghc.generations;
        s->area_size = heap_info_ghc.alloc_area_size;
        s->mblock_size = heap_info_ghc.mblock_size;
        s->block_size = heap_info_ghc.block_size;
        return true;
    case HECTIC_EVENT_MEM_RETURN:
        READ(mem_return);
        s->seen |= SEEN_RETURNED;
        saturating_add(&cap->run.sum[RETURNED], mem_return.returned);
        return true;

    case HECTIC_EVENT_SPARK_COUNTERS:
        READ(spark_counters);
        take_spark_counters(s, cap, time, &spark_counters);
        return true;
    case HECTIC_EVENT_SPARK_CREATE:
    case HECTIC_EVENT_CREATE_SPARK: COUNT_SPARK(SPARK_CREATED);
    case HECTIC_EVENT_SPARK_DUD: COUNT_SPARK(SPARK_DUD);
    case HECTIC_EVENT_SPARK_OVERFLOW: COUNT_SPARK(SPARK_OVERFLOWED);
    case HECTIC_EVENT_SPARK_RUN:
    case HECTIC_EVENT_RUN_SPARK:
    case HECTIC_EVENT_SPARK_STEAL:
    case HECTIC_EVENT_STEAL_SPARK: COUNT_SPARK(SPARK_CONVERTED);
    case HECTIC_EVENT_SPARK_GC: COUNT_SPARK(SPARK_GCD);
    case HECTIC_EVENT_SPARK_FIZZLE: COUNT_SPARK(SPARK_FIZZLED);

    case HECTIC_EVENT_STARTUP: READ(startup); return start_caps(s, time, startup.caps);
    case HECTIC_EVENT_CAP_CREATE:
        READ_CAP;
        s->creates_caps = true;
        return cap_created(s, time, number);
    case HECTIC_EVENT_CAP_DELETE: READ_CAP; return delete_cap(s, time, number);
    case HECTIC_EVENT_SHUTDOWN: return delete_cap(s, time, cap->number);
    case HECTIC_EVENT_TASK_CREATE:
        READ(task_create);
        return take_task(s, cap, time, task_create.task, task_create.os_thread);
    case HECTIC_EVENT_TASK_DELETE:
        READ(task_delete);
        take_task_end(s, cap, time, task_delete.task);
        return true;
    case HECTIC_EVENT_OSPROCESS_PID:
        READ(osprocess_pid);
        s->pid = osprocess_pid.pid;
        s->pid_at = time;
        s->seen |= SEEN_PID;
        return true;
    case HECTIC_EVENT_PROGRAM_ARGS:
        READ(text);
        tell(s, type, p, size);
        take_args(s, text.bytes, text.length);
        return true;
    case HECTIC_EVENT_RTS_IDENTIFIER:
        READ(text);
        tell(s, type, p, size);
        take_rts(s, time, text.bytes, text.length);
        return true;

    case HECTIC_EVENT_USER_MSG:
        s->seen |= SEEN_MESSAGES;
        return hectic_spans_is_span(p, size) || take_said(s, cap, time, MESSAGES);
    case HECTIC_EVENT_USER_MARKER:
        s->seen |= SEEN_MESSAGES;
        return take_said(s, cap, time, MARKERS);
    case HECTIC_EVENT_LOG_MSG: return take_message(s, cap, time, p, size);
    case HECTIC_EVENT_HEAP_PROF_BEGIN:
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN:
    case HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN:
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE:
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING:
    case HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE:
    case HECTIC_EVENT_TICKY_COUNTER_SAMPLE:
    case HECTIC_EVENT_USER_BINARY_MSG: return s->seen |= seen_by_profile(type), true;
    case HECTIC_EVENT_SYNC:
        s->has_sync = true;
        end_drops(s, time);
        return !hectic_read_replayed(&event, &replayed) || take_replayed(s, time, &replayed);

    case HECTIC_EVENT_CONC_MARK_BEGIN: span_begin(cap, MARK, time); break;
    case HECTIC_EVENT_CONC_MARK_END: span_end(cap, MARK, time, MARK_NS, MARKS); break;
    case HECTIC_EVENT_CONC_SYNC_BEGIN: span_begin(cap, SYNC, time); break;
    case HECTIC_EVENT_CONC_SYNC_END: sync_end(s, cap, time); break;
    case HECTIC_EVENT_CONC_SWEEP_BEGIN: span_begin(cap, SWEEP, time); break;
    case HECTIC_EVENT_CONC_SWEEP_END: span_end(cap, SWEEP, time, SWEEP_NS, SWEEPS); break;
    default: return true;
    }
    s->seen |= SEEN_CONC;
    return true;
#undef COUNT_SPARK
#undef READ
#undef READ_CAP
}

void hectic_stat_expect(hectic_stat *s, uint16_t type)
{
    s->seen |= seen_by(type);
}

/* Updates the first time: it is that of a cap's first event, or one that steps back. */
static void update_first(hectic_stat *s, uint64_t time)
{
    if (!s->has_first || time < s->first) s->first = time;
    s->has_first = true;
}

/* Sets the current cap to that of an event. NULL: out of memory. */
static struct stat_cap *select_cap(hectic_stat *s, uint16_t number, uint64_t time)
{
    struct stat_cap *cap = cap_find(s, number, time);
    if (!cap) return NULL;
    s->current = cap;
    if (cap->exists) return cap;
    cap->exists = true;
    update_first(s, time);
    if (time < cap->created_at) cap->created_at = time;
    if (s->is_ordered && !set_existing(s, cap, time)) return NULL;
    return s->is_ordered || edge(s, cap, time, GC_EDGE_HERE, 0) ? cap : NULL;
}

static struct stat_cap *cap_of(hectic_stat *s, uint16_t number, uint64_t time)
{
    struct stat_cap *cap = s->current;
    return number == cap->number && cap->exists ? cap : select_cap(s, number, time);
}

/* GHC writes GC_END after GC_STATS_GHC, with a time that it has read before it: if it was
 * interrupted in between, that is long ago. */
static void update_time(hectic_stat *s, struct stat_cap *cap, uint64_t time, uint16_t type)
{
    if (time >= cap->next_mark && s->marks) stat_marks_pass(s->marks, s, cap, time);
    if (time >= cap->time) {
        cap->time = time;
        if (time > s->last) s->last = time;
    } else {
        update_first(s, time);
        if (time < s->earliest) s->earliest = time;
        if (cap->time - time > steps_back && type != HECTIC_EVENT_GC_END)
            s->time_steps_back += !s->repeats;
        if (s->marks) stat_marks_step_back(s->marks, cap, time);
    }
}

static bool take_event(hectic_stat *s, struct stat_cap *cap, const hectic_event *event)
{
    update_time(s, cap, event->time, event->type);
    return take(s, cap, event->type, event->time, event->payload, event->size);
}

bool hectic_stat_event(hectic_stat *s, const hectic_event *event)
{
    struct stat_cap *cap = cap_of(s, event->cap, event->time);
    return cap && take_event(s, cap, event);
}

size_t stat_take_run(hectic_stat *s, const stepper *place, const uint8_t *run, size_t length)
{
    enum { NAMES = HECTIC_EVENT_OSPROCESS_PPID - HECTIC_EVENT_CAPSET_CREATE };
    struct stat_cap *cap = NULL;
    uint64_t types = 0;
    size_t at = 0;
    for (;;) {
        const uint8_t *p = run + at;
        const size_t step = step_length(place, p, length - at);
        if (step <= STEP_UNKNOWN) break;
        const uint16_t type = event_type_at(p);
        if (type == HECTIC_EVENT_BLOCK_MARKER) break;
        if ((uint16_t)(type - HECTIC_EVENT_CAPSET_CREATE) <= NAMES) break;
        const size_t head =
            header_step(place->header, type) == STEP_VARIABLE ? VARIABLE_HEAD : EVENT_HEAD;
        const uint64_t time = event_time_at(p);
        if (!cap && !(cap = cap_of(s, place->cap, time))) return SIZE_MAX;
        update_time(s, cap, time, type);
        types |= type_folded(type);
        if (!take(s, cap, type, time, p + head, step - head)) return SIZE_MAX;
        at += step;
    }
    s->types = types;
    return at;
}

void hectic_stat_set_start(hectic_stat *s, uint64_t start)
{
    s->start = start;
}

void hectic_stat_end(hectic_stat *s)
{
    s->ended = true;
}

void hectic_stat_cut(hectic_stat *s, uint64_t time)
{
    s->is_cut = true;
    if (time > s->last) s->last = time;
}

void hectic_stat_set_blocks(hectic_stat *s, const uint8_t *caps)
{
    s->blocks = caps;
}

static bool has_block(const hectic_stat *s, const struct stat_cap *cap)
{
    return cap->exists || (s->blocks && s->blocks[cap->number / 8] >> cap->number % 8 & 1);
}

/* Until the end of what the log covers. In a state before its creation, it is deleted at 0. */
static bool is_created(const hectic_stat *s, const struct stat_cap *cap)
{
    return cap->created_at <= s->last && cap->deleted > 0;
}

/* A log that is still read, or written, may get the first block of a cap later. */
static bool may_lack(const hectic_stat *s)
{
    return s->is_cut || s->grows || (s->marks && !s->is_final);
}

bool stat_lacks_cap(const hectic_stat *s, const struct stat_cap *cap)
{
    return may_lack(s) && is_created(s, cap) && !has_block(s, cap);
}

/* The creation of caps is logged without a cap: these events may be missing, too. A runtime may
 * write them at the end only. */
bool stat_lacks_caps(const hectic_stat *s)
{
    size_t existing = 0;
    bool lacks = s->is_cut && (s->joined == UINT64_MAX || s->joined > s->last);
    for (size_t i = 0; i < s->caps; i++) {
        existing += is_created(s, s->cap[i]);
        lacks = lacks || stat_lacks_cap(s, s->cap[i]);
    }
    return may_lack(s) && (lacks || existing < s->started);
}

/* --- Intervals ------------------------------------------------------------------------------- */

bool hectic_stat_set_ordered(hectic_stat *s)
{
    if (s->is_ordered) return true;
    struct stat_collecting to = {s, &s->gc_time, &s->run, s->marks};
    if (!gc_queue_empty(&s->queue, stat_take_edge, &to)) return false;
    s->is_ordered = true;
    for (size_t i = 0; i < s->caps; i++) {
        const struct stat_cap *cap = s->cap[i];
        const bool is_busy = cap->activity == RUNS_THREAD || cap->activity == REQUESTED_GC;
        const bool is_thread = cap->activity == COLLECTING || cap->activity == GC_WITHOUT_WORK;
        if (is_thread && !edge(s, cap, s->last, GC_EDGE_WORK, 0)) return false;
        if (cap->deleted == UINT64_MAX && cap->activity != LOST &&
            !edge(s, cap, s->last, is_busy ? GC_EDGE_BUSY : GC_EDGE_HERE, 0))
            return false;
    }
    return true;
}

/* The sizes at the beginning of an interval: the latest ones. */
static void set_sizes(const hectic_stat *s, hectic_stat_interval *interval)
{
    uint64_t heap_time = 0, blocks_time = 0;
    for (size_t i = 0; i <= s->caps; i++) {
        const struct run_share *run = i < s->caps ? &s->cap[i]->run : &s->global.run;
        if (run->heap_size_time >= heap_time) {
            heap_time = run->heap_size_time;
            if (heap_time) interval->heap_max = run->heap_size;
        }
        if (run->blocks_size_time >= blocks_time) {
            blocks_time = run->blocks_size_time;
            if (blocks_time) interval->blocks_max = run->blocks_size;
        }
    }
}

hectic_stat_interval *hectic_stat_open(hectic_stat *s, uint64_t from)
{
    hectic_stat_interval *interval =
        hectic_stat_set_ordered(s) ? calloc(1, sizeof *interval) : NULL;
    if (!interval) return NULL;
    interval->from = from;
    interval->caps = s->caps;
    interval->cap = malloc((s->caps + 1) * sizeof *interval->cap);
    interval->waited = malloc((s->caps + 1) * sizeof *interval->waited);
    if (!interval->cap || !interval->waited) {
        stat_interval_clear(interval);
        free(interval);
        return NULL;
    }
    for (size_t i = 0; i < s->caps; i++) {
        stat_cap_sums(s, s->cap[i], from, interval->cap[i]);
        interval->waited[i] = gc_time_waits(&s->gc_time, i, stat_known_until(s->cap[i], from));
    }
    stat_run_sums(s, from, interval->run);
    interval->excess = s->gc_time.excess;
    interval->losses = gc_time_losses(&s->gc_time, from);
    set_sizes(s, interval);
    interval->workers = interval->workers_max = count_workers(s);
    interval->next = s->run.next;
    s->run.next = interval;
    return interval;
}

/* Adds caps that have appeared since, with zero sums. */
static bool widen(const hectic_stat *s, hectic_stat_interval *interval)
{
    uint64_t(*cap)[CAP_SUMS] = realloc(interval->cap, s->caps * sizeof *cap);
    if (cap) interval->cap = cap;
    struct gc_waits *waited = realloc(interval->waited, s->caps * sizeof *waited);
    if (waited) interval->waited = waited;
    if (!cap || !waited) return false;
    memset(cap + interval->caps, 0, (s->caps - interval->caps) * sizeof *cap);
    memset(waited + interval->caps, 0, (s->caps - interval->caps) * sizeof *waited);
    interval->caps = s->caps;
    return true;
}

/* Increments of counters during missed events do not count in the interval. */
static bool take_sync(hectic_stat *s, hectic_stat_interval *interval, struct stat_cap *cap,
                      const hectic_event *event)
{
    hectic_event replayed;
    if (!hectic_read_replayed(event, &replayed) || replayed.cap == HECTIC_CAP_NONE)
        return take_event(s, cap, event);
    const struct stat_cap *of = cap_find(s, replayed.cap, event->time);
    const size_t place = s->index[replayed.cap];
    if (!of || (place > interval->caps && !widen(s, interval))) return false;
    uint64_t before[COUNTERS];
    memcpy(before, of->sum + ALLOCATED, sizeof before);
    const bool done = take_event(s, cap, event);
    for (unsigned i = 0; i < COUNTERS; i++)
        interval->cap[place - 1][ALLOCATED + i] += of->sum[ALLOCATED + i] - before[i];
    return done;
}

bool stat_event_late(hectic_stat *s, hectic_stat_interval *interval, const hectic_event *event)
{
    struct stat_cap *cap = cap_of(s, event->cap, event->time);
    if (!cap) return false;
    s->drops = true;
    cap->known_to = UINT64_MAX;
    if (interval && event->type == HECTIC_EVENT_SYNC) return take_sync(s, interval, cap, event);
    if (!interval || cap == &s->global || cap->time >= interval->from)
        return take_event(s, cap, event);
    if (event->time >= interval->from) { /* the interval begins now */
        const size_t place = s->index[cap->number];
        if (place > interval->caps && !widen(s, interval)) return false;
        stat_cap_sums(s, cap, interval->from, interval->cap[place - 1]);
        return take_event(s, cap, event);
    }
    uint64_t before[RUN_SUMS];
    memcpy(before, cap->run.sum, sizeof before);
    const bool done = take_event(s, cap, event);
    for (unsigned i = 0; i < RUN_SUMS; i++)
        interval->run[i] += cap->run.sum[i] - before[i];
    return done;
}

void stat_set_known_to(hectic_stat *s, uint16_t cap, uint64_t time)
{
    if (s->index[cap]) s->cap[s->index[cap] - 1]->known_to = time;
}

void hectic_stat_close(hectic_stat *s, hectic_stat_interval *interval)
{
    if (!interval) return;
    hectic_stat_interval **link = &s->run.next;
    while (*link != interval)
        link = &(*link)->next;
    *link = interval->next;
    stat_interval_clear(interval);
    free(interval);
}
