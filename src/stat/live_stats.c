/* live_stats.c — see live_stats.h. */
#include "stat/live_stats.h"
#include <hectic/read_events.h>

#include "base/array.h"
#include "format/gap_message.h"
#include "format/per_cap.h"
#include "read/decode/running.h"
#include "render/text.h"
#include "stat/live_stats_heap.h"
#include "stat/stat_sums.h"

#include <stdlib.h>
#include <string.h>

enum { NO_CAP = HECTIC_CAP_NONE };

/* The lateness that is tolerated in a cap, since caps are not flushed simultaneously: a tenth of
 * the reported time, within these limits. */
static const uint64_t late_min = 10000000, late_max = 100000000;

struct cap {
    hectic_live_stats_cap now;
    uint64_t pool;
    uint64_t known_to; /* its latest event, or the end of its latest block */
    bool exists;
};

/* The counts that are not in the hectic_stat. */
struct counts {
    uint64_t events, messages, dropped, created, ended;
};

struct hectic_live_stats {
    hectic_stat *stat;
    hectic_stat_interval *interval; /* NULL: since the beginning */
    hectic_threads *threads;
    struct counts counts, at_interval; /* created and ended: only in at_interval */
    struct cap *cap;                   /* in order of appearance */
    uint32_t caps, caps_capacity;
    per_cap place; /* index in cap[], plus 1 */
    uint16_t
        started; /* the number of caps according to STARTUP; those not in cap[] had no events yet */
    uint64_t started_at;
    uint64_t time;
    bool is_followed;
    bool is_ghc; /* its runtime flushes idle caps, too */
    bool has_live, has_blocks_size, has_pool, has_messages;
    uint64_t off; /* switches that were off in the interval: see gap_message */
    uint64_t live, live_time, heap_size, heap_size_time, blocks_size, blocks_size_time;
    hectic_live_stats_program program; /* its texts are allocated */
    struct live_heap *heap;
};

const char *hectic_cap_activity_name(hectic_cap_activity activity)
{
    static const char *const names[] = {"unknown", "idle", "running", "gc", "deleted"};
    return activity < HECTIC_CAP_ACTIVITIES ? names[activity] : NULL;
}

/* --- The whole ------------------------------------------------------------------------------- */

static void clear(hectic_live_stats *v)
{
    hectic_stat_free(v->stat);
    hectic_threads_free(v->threads);
    live_heap_free(v->heap);
    free(v->cap);
    per_cap_clear(&v->place);
    free((char *)v->program.name);
    free((char *)v->program.args);
    free((char *)v->program.rts);
    *v = (hectic_live_stats){0};
}

/* False: out of memory; nothing has changed. */
static bool begin(hectic_live_stats *v)
{
    hectic_live_stats fresh = {.stat = hectic_stat_new(),
                               .threads = hectic_threads_new(0, UINT64_MAX, NULL, NULL),
                               .heap = live_heap_new()};
    const bool made =
        fresh.stat && hectic_stat_set_ordered(fresh.stat) && fresh.threads && fresh.heap;
    clear(made ? v : &fresh);
    if (made) *v = fresh;
    return made;
}

hectic_live_stats *hectic_live_stats_new(void)
{
    hectic_live_stats *v = calloc(1, sizeof *v);
    if (v && begin(v)) return v;
    hectic_live_stats_free(v);
    return NULL;
}

void hectic_live_stats_free(hectic_live_stats *v)
{
    if (v) clear(v);
    free(v);
}

bool hectic_live_stats_begin(hectic_live_stats *v, const hectic_header *header)
{
    if (!begin(v)) return false;
    hectic_threads_begin(v->threads, header);
    return true;
}

void hectic_live_stats_follow(hectic_live_stats *v)
{
    v->is_followed = true;
}

/* --- Caps ------------------------------------------------------------------------------------ */

/* The cap `number`; NULL: it had no events. */
static struct cap *cap_known(const hectic_live_stats *v, uint16_t number)
{
    const uint32_t place = per_cap_get(&v->place, number);
    return place ? &v->cap[place - 1] : NULL;
}

/* The cap `number`; NULL: out of memory. Valid until a cap is added. */
static struct cap *cap_of(hectic_live_stats *v, uint16_t number)
{
    uint32_t *place = per_cap_at(&v->place, number);
    if (!place) return NULL;
    if (*place) return &v->cap[*place - 1];
    if (!array_reserve(v->cap, v->caps_capacity, v->caps + 1)) return NULL;
    struct cap *cap = &v->cap[v->caps];
    *cap = (struct cap){.now.cap = number};
    if (number < v->started) {
        cap->exists = true;
        cap->now.activity = HECTIC_CAP_IDLE;
        cap->now.since = cap->known_to = v->started_at;
    }
    *place = ++v->caps;
    return cap;
}

static bool set_activity(hectic_live_stats *v, uint16_t number, hectic_cap_activity activity,
                         uint64_t time)
{
    if (number == NO_CAP) return true;
    struct cap *cap = cap_of(v, number);
    if (!cap) return false;
    if (time < cap->now.since) return true; /* late: the cap has newer events itself */
    cap->exists = activity != HECTIC_CAP_DELETED;
    cap->now.activity = activity;
    cap->now.since = time;
    if (time > cap->known_to) cap->known_to = time;
    return true;
}

static bool extend(hectic_live_stats *v, uint16_t number, uint64_t time)
{
    struct cap *cap = number == NO_CAP ? NULL : cap_of(v, number);
    if (cap && time > cap->known_to) cap->known_to = time;
    return cap || number == NO_CAP;
}

/* The time up to which the cap's activity is known; UINT64_MAX: it continues. */
static uint64_t known_until(const hectic_live_stats *v, uint16_t number)
{
    if (!v->is_followed || !v->is_ghc) return UINT64_MAX;
    const struct cap *cap = cap_known(v, number);
    return cap ? cap->known_to : 0;
}

static bool is_behind(const hectic_live_stats *v, uint16_t number, uint64_t from, uint64_t to)
{
    uint64_t late = (to - from) / 10;
    if (late < late_min) late = late_min;
    if (late > late_max) late = late_max;
    const uint64_t until = known_until(v, number);
    return until < to && to - until > late;
}

static bool cap_runs(hectic_live_stats *v, const hectic_event *event)
{
    uint32_t thread;
    if (!hectic_read_thread(event, &thread)) return true;
    if (!set_activity(v, event->cap, HECTIC_CAP_RUNNING, event->time)) return false;
    if (event->cap != NO_CAP) cap_known(v, event->cap)->now.thread = thread;
    return true;
}

/* Creates caps from 0 on. */
static bool start_caps(hectic_live_stats *v, uint16_t count, uint64_t time)
{
    if (v->started == 0) v->started_at = time;
    for (; v->started < count; v->started++)
        if (cap_known(v, v->started) && !set_activity(v, v->started, HECTIC_CAP_IDLE, time))
            return false;
    return true;
}

static bool cap_disable(hectic_live_stats *v, uint16_t number, bool disabled)
{
    struct cap *cap = number == NO_CAP ? NULL : cap_of(v, number);
    if (cap) cap->now.is_disabled = disabled;
    return cap || number == NO_CAP;
}

static bool update_pool(hectic_live_stats *v, uint16_t number, uint64_t pool)
{
    struct cap *cap = number == NO_CAP ? NULL : cap_of(v, number);
    if (!cap) return number == NO_CAP;
    v->has_pool = true;
    cap->pool = pool;
    return true;
}

/* --- The program ----------------------------------------------------------------------------- */

/* A copy with NULs replaced by spaces. */
static bool set_text(const char **text, const uint8_t *bytes, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) return false;
    for (size_t i = 0; i < length; i++)
        copy[i] = bytes[i] ? (char)bytes[i] : ' ';
    copy[length] = 0;
    free((char *)*text);
    *text = copy;
    return true;
}

static bool take_args(hectic_live_stats *v, const uint8_t *args, size_t size)
{
    const uint8_t *end = memchr(args, 0, size);
    size_t length = end ? (size_t)(end - args) : size;
    const uint8_t *name = args;
    for (const uint8_t *slash; (slash = memchr(name, '/', length));) {
        length -= (size_t)(slash + 1 - name);
        name = slash + 1;
    }
    return set_text(&v->program.name, name, length) && set_text(&v->program.args, args, size);
}

static bool take_rts(hectic_live_stats *v, const uint8_t *rts, size_t size)
{
    v->is_ghc = size >= 4 && memcmp(rts, "GHC-", 4) == 0;
    return set_text(&v->program.rts, rts, size);
}

static void take_wall(hectic_live_stats *v, uint64_t time, uint64_t seconds, uint32_t ns)
{
    const uint64_t second = 1000000000, most = INT64_MAX / second - 8; /* ns is below 5 s */
    if (seconds > most || time > INT64_MAX) return;
    v->program.has_wall = true;
    v->program.wall = (int64_t)(seconds * second + ns) - (int64_t)time;
}

/* --- Messages -------------------------------------------------------------------------------- */

static void take_message(hectic_live_stats *v, const hectic_event *event)
{
    enum gap_kind kind;
    uint64_t number;
    v->has_messages |= event->type != HECTIC_EVENT_LOG_MSG;
    if (event->type != HECTIC_EVENT_LOG_MSG)
        v->counts.messages++;
    else if ((kind = gap_message(event->payload, event->size, &number)) == GAP_DROPPED)
        v->counts.dropped += number, v->off |= GAP_DROPS;
    else if (kind == GAP_LOST)
        v->off |= GAP_DROPS;
    else if (kind == GAP_OFF)
        v->off |= number;
}

/* --- Events ---------------------------------------------------------------------------------- */

/* Definitions, and values that hold until the next event: from any cap. */
static bool take_fact(hectic_live_stats *v, const hectic_event *event)
{
    hectic_text text;
    uint16_t cap;
    hectic_event_osprocess_pid osprocess_pid;
    hectic_event_osprocess_ppid osprocess_ppid;
    hectic_event_wall_clock_time wall;
    hectic_event_heap_size size; /* the others of a heap have the same fields */
    hectic_event_spark_counters sparks;
    switch (event->type) {
    case HECTIC_EVENT_PROGRAM_ARGS:
        return !hectic_read_text(event, &text) || take_args(v, text.bytes, text.length);
    case HECTIC_EVENT_RTS_IDENTIFIER:
        return !hectic_read_text(event, &text) || take_rts(v, text.bytes, text.length);
    case HECTIC_EVENT_OSPROCESS_PID:
        if (hectic_read_osprocess_pid(event, &osprocess_pid)) v->program.pid = osprocess_pid.pid;
        return true;
    case HECTIC_EVENT_OSPROCESS_PPID:
        if (hectic_read_osprocess_ppid(event, &osprocess_ppid))
            v->program.ppid = osprocess_ppid.ppid;
        return true;
    case HECTIC_EVENT_WALL_CLOCK_TIME:
        if (hectic_read_wall_clock_time(event, &wall))
            take_wall(v, event->time, wall.seconds, wall.nanoseconds);
        return true;
    case HECTIC_EVENT_CAP_DISABLE:
    case HECTIC_EVENT_CAP_ENABLE:
        return !hectic_read_cap(event, &cap) ||
               cap_disable(v, cap, event->type == HECTIC_EVENT_CAP_DISABLE);
    case HECTIC_EVENT_HEAP_LIVE:
        if (!hectic_read_heap_size(event, &size) || event->time < v->live_time) return true;
        v->has_live = true;
        v->live = size.bytes;
        v->live_time = event->time;
        return true;
    case HECTIC_EVENT_HEAP_SIZE:
        if (!hectic_read_heap_size(event, &size) || event->time < v->heap_size_time) return true;
        v->heap_size_time = event->time;
        return v->heap_size = size.bytes, true;
    case HECTIC_EVENT_BLOCKS_SIZE:
        if (!hectic_read_heap_size(event, &size) || event->time < v->blocks_size_time) return true;
        v->blocks_size_time = event->time;
        v->has_blocks_size = true;
        return v->blocks_size = size.bytes, true;
    case HECTIC_EVENT_SPARK_COUNTERS:
        return !hectic_read_spark_counters(event, &sparks) ||
               update_pool(v, event->cap, sparks.remaining);
    case HECTIC_EVENT_HEAP_PROF_BEGIN:
    case HECTIC_EVENT_HEAP_PROF_COST_CENTRE:
    case HECTIC_EVENT_IPE: return live_heap_event(v->heap, event);
    default: return true;
    }
}

/* An event that describes a change. */
static bool take(hectic_live_stats *v, const hectic_event *event)
{
    const uint64_t time = event->time;
    hectic_event_startup startup;
    uint16_t cap;
    switch (running_step_of(event->type)) {
    case RUNNING_STARTS: return cap_runs(v, event);
    case RUNNING_STOPS: return set_activity(v, event->cap, HECTIC_CAP_IDLE, time);
    case RUNNING_SAME: break;
    }
    switch (event->type) {
    case HECTIC_EVENT_GC_END: return set_activity(v, event->cap, HECTIC_CAP_IDLE, time);
    case HECTIC_EVENT_GC_START: return set_activity(v, event->cap, HECTIC_CAP_GC, time);
    case HECTIC_EVENT_CAP_CREATE:
        return !hectic_read_cap(event, &cap) || set_activity(v, cap, HECTIC_CAP_IDLE, time);
    case HECTIC_EVENT_STARTUP:
        return !hectic_read_startup(event, &startup) || start_caps(v, startup.caps, time);
    case HECTIC_EVENT_CAP_DELETE:
        return !hectic_read_cap(event, &cap) || set_activity(v, cap, HECTIC_CAP_DELETED, time);
    case HECTIC_EVENT_SHUTDOWN: return set_activity(v, event->cap, HECTIC_CAP_DELETED, time);
    case HECTIC_EVENT_USER_MSG:
    case HECTIC_EVENT_USER_MARKER:
    case HECTIC_EVENT_LOG_MSG: return take_message(v, event), true;
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN:
    case HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN:
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING:
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE:
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_END: return live_heap_event(v->heap, event);
    default: return take_fact(v, event);
    }
}

static bool is_of_unknown_cap(const hectic_live_stats *v, uint16_t number)
{
    const struct cap *cap = cap_known(v, number);
    return !cap || cap->now.activity == HECTIC_CAP_UNKNOWN;
}

/* A replayed event. */
static bool take_replayed(hectic_live_stats *v, const hectic_event *event)
{
    uint16_t cap;
    if (running_step_of(event->type) == RUNNING_STARTS)
        return !is_of_unknown_cap(v, event->cap) || take(v, event);
    switch (event->type) {
    case HECTIC_EVENT_GC_START: return !is_of_unknown_cap(v, event->cap) || take(v, event);
    case HECTIC_EVENT_CAP_CREATE:
        return !hectic_read_cap(event, &cap) || !is_of_unknown_cap(v, cap) || take(v, event);
    default: return take_fact(v, event);
    }
}

static bool take_stat(hectic_live_stats *v, const hectic_event *event)
{
    return v->is_followed ? stat_event_late(v->stat, v->interval, event)
                          : hectic_stat_event(v->stat, event);
}

bool hectic_live_stats_event(hectic_live_stats *v, const hectic_event *event)
{
    hectic_event_block_marker marker;
    if (event->type == HECTIC_EVENT_BLOCK_MARKER)
        return !hectic_read_block_marker(event, &marker) || extend(v, event->cap, marker.end_time);
    v->counts.events++;
    if (!extend(v, event->cap, event->time)) return false;
    if (event->time > v->time) v->time = event->time;
    if (!hectic_threads_event(v->threads, event)) return false;
    if (!take_stat(v, event)) return false;
    if (event->type != HECTIC_EVENT_SYNC) return take(v, event);
    hectic_event report;
    return !hectic_read_replayed(event, &report) || take_replayed(v, &report);
}

/* --- Reports --------------------------------------------------------------------------------- */

static bool report_caps(const hectic_live_stats *v, hectic_live_stats_report *report)
{
    report->cap = calloc(report->sums.caps + 1, sizeof *report->cap);
    if (!report->cap) return false;
    for (uint32_t i = 0; i < report->sums.caps; i++) {
        const uint16_t number = report->sums.cap[i].cap;
        report->cap[i].cap = number;
        const struct cap *known = cap_known(v, number);
        if (known) report->cap[i] = known->now;
        if (is_behind(v, number, report->sums.from, report->sums.to))
            report->cap[i].activity = HECTIC_CAP_UNKNOWN;
    }
    for (uint32_t i = 0; i < v->caps; i++)
        report->pool += v->cap[i].pool;
    return true;
}

/* Reports the sums since the beginning of `interval`; the counts are since the beginning of the
 * log. */
static bool make_report(const hectic_live_stats *v, const hectic_stat_interval *interval,
                        uint64_t time, hectic_live_stats_report *report)
{
    if (time < v->time || time == HECTIC_LIVE_STATS_NOW) time = v->time;
    hectic_thread_totals threads;
    hectic_threads_totals(v->threads, time, &threads);
    *report = (hectic_live_stats_report){
        .events = v->counts.events,
        .messages = v->counts.messages,
        .dropped = v->counts.dropped,
        .created = threads.born,
        .ended = threads.ended,
        .time = v->time,
        .has_live = v->has_live,
        .has_blocks_size = v->has_blocks_size,
        .has_pool = v->has_pool,
        .has_messages = v->has_messages,
        .live = v->live,
        .live_time = v->live_time,
        .heap_size = v->heap_size,
        .blocks_size = v->blocks_size,
        .alive = threads.live,
    };
    memcpy(report->in_state, threads.in_state, sizeof report->in_state);
    for (size_t i = 0; i < v->stat->caps; i++) {
        const uint16_t number = v->stat->cap[i]->number;
        stat_set_known_to(v->stat, number, known_until(v, number));
    }
    if (!hectic_stat_get(v->stat, interval, time, &report->sums)) return false;
    report->has_heap_size = report->sums.has_heap_size;
    if (report_caps(v, report)) return true;
    hectic_live_stats_report_clear(report);
    return false;
}

bool hectic_live_stats_snapshot(const hectic_live_stats *v, uint64_t time,
                                hectic_live_stats_report *report)
{
    return make_report(v, NULL, time, report);
}

/* Marks numbers from classes that were off during the interval as unknown. */
static void mark_unknown(hectic_live_stats_report *report, uint64_t off)
{
    hectic_stat_result *sums = &report->sums;
    const bool all = off & (GAP_LOGGING | GAP_DROPS);
    const bool no_gc = all || off & HECTIC_CLASS_BIT(HECTIC_CLASS_GC);
    const bool no_threads = all || off & HECTIC_CLASS_BIT(HECTIC_CLASS_SCHEDULER);
    const uint64_t sparks =
        HECTIC_CLASS_BIT(HECTIC_CLASS_SPARK) | HECTIC_CLASS_BIT(HECTIC_CLASS_SPARK_FULL);
    if (no_gc) {
        sums->has_gc = sums->has_mean_pause = sums->has_gc_stats = sums->has_gc_threads = false;
        sums->has_allocated = sums->has_heap_size = sums->has_blocks = sums->has_returned = false;
        sums->has_lost = false;
        sums->has_fragmentation = sums->has_balance = sums->has_safepoint = false;
        report->has_live = report->has_heap_size = report->has_blocks_size = false;
    }
    if (no_threads) sums->has_threads = false;
    for (uint32_t i = 0; i < sums->caps; i++) {
        sums->cap[i].has_gc = sums->cap[i].has_gc && !no_gc;
        sums->cap[i].has_idle = sums->cap[i].has_idle && !no_gc && !no_threads;
        if (no_threads) report->cap[i].activity = HECTIC_CAP_UNKNOWN;
    }
    if (all || off & sparks) sums->has_sparks = report->has_pool = false;
    if (all || off & HECTIC_CLASS_BIT(HECTIC_CLASS_TASK)) sums->has_tasks = false;
    if (all || off & HECTIC_CLASS_BIT(HECTIC_CLASS_NONMOVING)) sums->has_nonmoving = false;
    if (all || off & HECTIC_CLASS_BIT(HECTIC_CLASS_USER)) report->has_messages = false;
}

bool hectic_live_stats_interval(hectic_live_stats *v, uint64_t time,
                                hectic_live_stats_report *report)
{
    if (!make_report(v, v->interval, time, report)) return false;
    hectic_stat_interval *next = hectic_stat_open(v->stat, report->sums.to);
    if (!next) {
        hectic_live_stats_report_clear(report);
        return false;
    }
    if (v->interval) hectic_stat_close(v->stat, v->interval);
    v->interval = next;
    const struct counts before = v->at_interval;
    v->at_interval = (struct counts){report->events, report->messages, report->dropped,
                                     report->created, report->ended};
    report->events -= before.events;
    report->messages -= before.messages;
    report->dropped -= before.dropped;
    report->created -= before.created;
    report->ended -= before.ended;
    mark_unknown(report, v->off);
    v->off = stat_off(v->stat);
    return true;
}

void hectic_live_stats_report_clear(hectic_live_stats_report *report)
{
    hectic_stat_result_clear(&report->sums);
    free(report->cap);
    *report = (hectic_live_stats_report){0};
}

hectic_live_stats_program hectic_live_stats_get_program(const hectic_live_stats *v)
{
    hectic_live_stats_program program = v->program;
    program.caps = v->started;
    for (uint32_t i = 0; i < v->caps; i++) {
        program.caps += v->cap[i].exists && !v->cap[i].now.is_disabled;
        program.caps -= v->cap[i].now.cap < v->started;
    }
    return program;
}

const hectic_histogram *hectic_live_stats_pauses(const hectic_live_stats *v, uint16_t generation)
{
    const hectic_stat_interval *run = &v->stat->run;
    return generation < run->generations ? &run->generation[generation].pause : NULL;
}

const hectic_exponential *hectic_live_stats_exponential_pauses(const hectic_live_stats *v,
                                                               uint16_t generation)
{
    return generation < HECTIC_STAT_GENERATIONS ? v->stat->pauses[generation] : NULL;
}

const hectic_histogram *hectic_live_stats_safepoints(const hectic_live_stats *v)
{
    return &v->stat->run.safepoint;
}

const hectic_exponential *hectic_live_stats_exponential_safepoints(const hectic_live_stats *v)
{
    return &v->stat->safepoints;
}

bool hectic_live_stats_threads(const hectic_live_stats *v, uint64_t time,
                               hectic_thread_callback callback, void *user)
{
    if (time < v->time || time == HECTIC_LIVE_STATS_NOW) time = v->time;
    return hectic_threads_live(v->threads, time, callback, user);
}

bool hectic_live_stats_get_sample(const hectic_live_stats *v, hectic_live_stats_sample *sample)
{
    return live_heap_latest(v->heap, sample);
}
