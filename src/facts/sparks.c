/* sparks.c — see sparks.h. */
#include "facts/sparks.h"
#include <hectic/read_events.h>

#include "base/array.h"
#include "base/map.h"
#include "facts/cap_set.h"
#include "format/per_cap.h"
#include "read/decode/running.h"

#include <stdlib.h>
#include <string.h>

enum { CREATED, DUD, OVERFLOWED, CONVERTED, GCD, FIZZLED, COUNTERS };
enum { NO_CAP = HECTIC_CAP_NONE, STATUS_FINISHED = 5 };

/* In place of the time since which a pool is as it is. */
#define OTHER_SECTION UINT64_MAX

struct cap {
    hectic_spark_cap result;
    uint64_t last[COUNTERS]; /* the last counters */
    uint64_t gcd;            /* events of sparks dropped by the garbage collector since then */
    uint64_t pool, pool_since;
    uint64_t created; /* the time of its last creation event */
    uint32_t thread;  /* the running thread */
    bool is_known;    /* it has results */
    bool is_whole;    /* it was created in this log: its counters began at 0 */
    bool has_last, runs;
};

/* A thread that evaluates sparks. */
struct evaluator {
    hectic_spark spark;
    uint64_t since; /* when it last ran or stopped */
    uint32_t id;    /* if unused: the next unused one, plus 1 */
    uint16_t cap;   /* the cap on which it runs, or NO_CAP */
    bool evaluates;
};

struct hectic_sparks {
    uint64_t from, to;
    hectic_spark_callback callback;
    void *user;
    struct cap *cap; /* in order of appearance */
    uint32_t caps, caps_capacity;
    per_cap place;           /* index in cap[], plus 1 */
    struct cap_set *numbers; /* of the caps with results */
    uint16_t started;        /* the number of caps according to STARTUP, in this section */
    uint64_t started_at;
    map ids; /* evaluators by thread */
    struct evaluator *evaluator;
    uint32_t used, capacity, vacant;
    hectic_histogram durations;
};

static uint64_t clip(const hectic_sparks *x, uint64_t time)
{
    return time < x->from ? x->from : time > x->to ? x->to : time;
}

static bool is_inside(const hectic_sparks *x, uint64_t time)
{
    return time >= x->from && time < x->to;
}

/* Begins the cap's existence. */
static void begin_cap(struct cap *cap, uint64_t time)
{
    if (!cap->has_last) cap->is_whole = true;
    cap->created = time;
}

/* The cap; NULL: it has no events so far. */
static struct cap *cap_known(const hectic_sparks *x, uint16_t number)
{
    const uint32_t place = per_cap_get(&x->place, number);
    return place ? &x->cap[place - 1] : NULL;
}

/* The cap; NULL: out of memory. Valid until a cap is added. */
static struct cap *cap_at(hectic_sparks *x, uint16_t number)
{
    uint32_t *place = per_cap_at(&x->place, number);
    if (!place) return NULL;
    if (*place) {
        struct cap *cap = &x->cap[*place - 1];
        if (cap->pool_since == OTHER_SECTION) cap->pool = 0;
        return cap;
    }
    if (!array_reserve(x->cap, x->caps_capacity, x->caps + 1)) return NULL;
    x->cap[x->caps] = (struct cap){.result.cap = number};
    if (number < x->started) begin_cap(&x->cap[x->caps], x->started_at);
    *place = ++x->caps;
    return &x->cap[*place - 1];
}

/* Marks the cap as having results. False: out of memory. */
static bool mark_known(hectic_sparks *x, struct cap *cap)
{
    if (!cap->is_known && !cap_set_add(&x->numbers, cap->result.cap)) return false;
    cap->is_known = true;
    return true;
}

/* --- Counters -------------------------------------------------------------------------------- */

/* The time that the sparks of the pool have waited since its last change. */
static uint64_t waited(const hectic_sparks *x, const struct cap *cap, uint64_t now)
{
    return now > cap->pool_since ? cap->pool * (clip(x, now) - clip(x, cap->pool_since)) : 0;
}

static void set_pool(const hectic_sparks *x, struct cap *cap, uint64_t pool, uint64_t now)
{
    cap->result.waited += waited(x, cap, now);
    cap->pool_since = now;
    if (pool < cap->pool && is_inside(x, now)) cap->result.left += cap->pool - pool;
    cap->pool = pool;
    if (is_inside(x, now) && pool > cap->result.pool_max) cap->result.pool_max = pool;
}

static bool count(hectic_sparks *x, const hectic_event *event)
{
    hectic_event_spark_counters now;
    if (!hectic_read_spark_counters(event, &now)) return true;
    struct cap *cap = cap_at(x, event->cap);
    if (!cap) return false;
    hectic_spark_counts *result = &cap->result.counters;
    const struct {
        uint64_t value, *grown;
    } counters[COUNTERS] = {
        [CREATED] = {now.created, &result->created},
        [DUD] = {now.dud, &result->dud},
        [OVERFLOWED] = {now.overflowed, &result->overflowed},
        [CONVERTED] = {now.converted, &result->converted},
        [GCD] = {now.gcd, &result->gcd},
        [FIZZLED] = {now.fizzled, &result->fizzled},
    };
    const uint64_t dropped = now.gcd - cap->last[GCD];
    /* An excerpt begins with its caps and their counters. */
    const bool begins = cap->is_whole && event->time > cap->created;
    const bool counts = is_inside(x, event->time) && (cap->has_last || begins);
    /* The last collection of a program drops all sparks, without events. */
    if (counts && now.remaining == 0 && dropped > cap->gcd && dropped <= cap->gcd + cap->pool)
        cap->result.events.gcd += dropped - cap->gcd;
    cap->gcd = 0;
    for (size_t i = 0; i < COUNTERS; i++) {
        const uint64_t value = counters[i].value;
        const bool shrinks = value < cap->last[i];
        if (counts && !shrinks) *counters[i].grown += value - cap->last[i];
        if (counts) cap->result.counter_resets += shrinks;
        cap->last[i] = value;
    }
    cap->has_last = cap->result.has_counters = true;
    set_pool(x, cap, now.remaining, event->time);
    return mark_known(x, cap);
}

/* --- Evaluations ----------------------------------------------------------------------------- */

static struct evaluator *evaluator_of(const hectic_sparks *x, uint32_t thread)
{
    const uint64_t place = map_value_of(&x->ids, thread);
    return place ? &x->evaluator[place - 1] : NULL;
}

static bool add_evaluator(hectic_sparks *x, uint32_t thread)
{
    if (evaluator_of(x, thread)) return true;
    uint32_t index = x->vacant;
    if (index) {
        x->vacant = x->evaluator[index - 1].id;
    } else {
        if (!array_reserve(x->evaluator, x->capacity, x->used + 1)) return false;
        index = ++x->used;
    }
    x->evaluator[index - 1] = (struct evaluator){.id = thread, .cap = NO_CAP};
    return map_set_value(&x->ids, thread, index);
}

static void remove_evaluator(hectic_sparks *x, struct evaluator *evaluator)
{
    const uint32_t index = (uint32_t)(evaluator - x->evaluator) + 1;
    map_remove_value(&x->ids, evaluator->id);
    *evaluator = (struct evaluator){.id = x->vacant, .cap = NO_CAP};
    x->vacant = index;
}

/* Accounts for the evaluator's activity since it last ran or stopped. */
static void account(hectic_sparks *x, struct evaluator *evaluator, uint64_t now)
{
    const uint64_t since = evaluator->since;
    if (evaluator->evaluates && evaluator->cap == NO_CAP) evaluator->spark.idle += now - since;
    if (evaluator->evaluates && evaluator->cap != NO_CAP)
        cap_known(x, evaluator->cap)->result.eval += clip(x, now) - clip(x, since);
    evaluator->since = now;
}

/* Finishes the current evaluation. False: stop, or out of memory. */
static bool finish(hectic_sparks *x, struct evaluator *evaluator, uint64_t now)
{
    account(x, evaluator, now);
    const bool counts = evaluator->evaluates && is_inside(x, now);
    evaluator->evaluates = false;
    if (!counts) return true;
    hectic_spark *spark = &evaluator->spark;
    spark->finished = now;
    if (!hectic_histogram_add(&x->durations, now - spark->started - spark->idle)) return false;
    return !x->callback || x->callback(x->user, spark);
}

/* Begins the evaluation of a spark from the pool of `from` on the event's cap. */
static bool evaluate(hectic_sparks *x, const hectic_event *event, uint16_t from)
{
    const struct cap *cap = cap_known(x, event->cap);
    struct evaluator *evaluator = cap->runs ? evaluator_of(x, cap->thread) : NULL;
    if (!evaluator) return true;
    if (!finish(x, evaluator, event->time)) return false;
    evaluator->evaluates = true;
    evaluator->spark = (hectic_spark){
        .started = event->time, .thread = cap->thread, .cap = event->cap, .from = from};
    return true;
}

static bool run(hectic_sparks *x, const hectic_event *event)
{
    uint32_t thread;
    if (!hectic_read_thread(event, &thread)) return true;
    struct cap *cap = cap_at(x, event->cap);
    if (!cap) return false;
    cap->runs = true;
    cap->thread = thread;
    struct evaluator *evaluator = evaluator_of(x, thread);
    if (!evaluator) return true;
    account(x, evaluator, event->time);
    evaluator->cap = event->cap;
    return true;
}

static bool stop(hectic_sparks *x, const hectic_event *event)
{
    hectic_event_stop_thread fields;
    if (!hectic_read_stop_thread(event, &fields)) return true;
    struct cap *cap = cap_known(x, event->cap);
    if (cap) cap->runs = false;
    struct evaluator *evaluator = evaluator_of(x, fields.thread);
    if (!evaluator) return true;
    if (fields.status == STATUS_FINISHED) {
        const bool go_on = finish(x, evaluator, event->time);
        remove_evaluator(x, evaluator);
        return go_on;
    }
    account(x, evaluator, event->time);
    evaluator->cap = NO_CAP;
    return true;
}

/* --- Each spark ------------------------------------------------------------------------------ */

static void leave_pool(const hectic_sparks *x, struct cap *cap, uint64_t now)
{
    if (cap->pool > 0) set_pool(x, cap, cap->pool - 1, now);
}

static bool take_from(hectic_sparks *x, const hectic_event *event, uint16_t victim)
{
    /* Adding a cap may move the others. */
    struct cap *from = cap_at(x, victim);
    if (!from || !mark_known(x, from)) return false;
    struct cap *cap = cap_known(x, event->cap);
    /* An excerpt begins with its caps, and the last sparks of its threads. */
    const bool is_replay = cap->is_whole && event->time == cap->created;
    const bool inside = is_inside(x, event->time) && !is_replay, own = victim == event->cap;
    hectic_spark_cap *result = &cap->result;
    result->run += inside && own;
    result->stolen += inside && !own;
    result->events.converted += inside;
    from->result.lost += inside && !own;
    leave_pool(x, from, event->time);
    return evaluate(x, event, victim);
}

/* Processes an event of a single spark, of any version of the runtime. */
static bool one_spark(hectic_sparks *x, const hectic_event *event)
{
    struct cap *cap = cap_at(x, event->cap);
    if (!cap || !mark_known(x, cap)) return false;
    cap->result.has_events = true;
    const bool inside = is_inside(x, event->time);
    hectic_spark_counts *events = &cap->result.events;
    hectic_event_spark_steal steal;
    hectic_event_steal_spark old_steal;
    switch (event->type) {
    case HECTIC_EVENT_SPARK_CREATE:
    case HECTIC_EVENT_CREATE_SPARK:
        events->created += inside;
        set_pool(x, cap, cap->pool + 1, event->time);
        break;
    case HECTIC_EVENT_SPARK_DUD: events->dud += inside; break;
    case HECTIC_EVENT_SPARK_OVERFLOW: events->overflowed += inside; break;
    case HECTIC_EVENT_SPARK_FIZZLE:
        events->fizzled += inside;
        leave_pool(x, cap, event->time);
        break;
    case HECTIC_EVENT_SPARK_GC:
        events->gcd += inside;
        cap->gcd++;
        leave_pool(x, cap, event->time);
        break;
    case HECTIC_EVENT_SPARK_RUN:
    case HECTIC_EVENT_RUN_SPARK: return take_from(x, event, event->cap);
    case HECTIC_EVENT_SPARK_STEAL:
        return !hectic_read_spark_steal(event, &steal) || take_from(x, event, steal.victim_cap);
    case HECTIC_EVENT_STEAL_SPARK:
        return !hectic_read_steal_spark(event, &old_steal) ||
               take_from(x, event, old_steal.victim_cap);
    default: break;
    }
    return true;
}

static bool create_cap(hectic_sparks *x, uint16_t number, uint64_t time)
{
    struct cap *cap = cap_at(x, number);
    if (cap) begin_cap(cap, time);
    return cap;
}

/* Creates caps from 0 on; only those with events count. */
static void start_caps(hectic_sparks *x, uint16_t count, uint64_t time)
{
    x->started = count;
    x->started_at = time;
    for (uint32_t i = 0; i < x->caps; i++)
        if (x->cap[i].result.cap < count) begin_cap(&x->cap[i], time);
}

/* Replayed counters and evaluators, whose last events may have been missed. */
static bool take_replayed(hectic_sparks *x, const hectic_event *replayed)
{
    uint32_t thread;
    switch (replayed->type) {
    case HECTIC_EVENT_SPARK_COUNTERS: return replayed->cap == NO_CAP || count(x, replayed);
    case HECTIC_EVENT_CREATE_SPARK_THREAD:
        return !hectic_read_thread(replayed, &thread) || add_evaluator(x, thread);
    default: return true;
    }
}

bool hectic_sparks_event(hectic_sparks *x, const hectic_event *event)
{
    if (event->time >= x->to) return true;
    hectic_event replayed;
    hectic_event_startup startup;
    uint16_t cap;
    uint32_t thread;
    switch (event->type) {
    case HECTIC_EVENT_CAP_CREATE:
        return !hectic_read_cap(event, &cap) || create_cap(x, cap, event->time);
    case HECTIC_EVENT_STARTUP:
        if (x->started == 0 && hectic_read_startup(event, &startup))
            start_caps(x, startup.caps, event->time);
        return true;
    case HECTIC_EVENT_CREATE_SPARK_THREAD:
        return !hectic_read_thread(event, &thread) || add_evaluator(x, thread);
    case HECTIC_EVENT_SYNC:
        return !hectic_read_replayed(event, &replayed) || take_replayed(x, &replayed);
    default: break;
    }
    if (event->cap == NO_CAP) return true;
    switch (running_step_of(event->type)) {
    case RUNNING_STARTS: return run(x, event);
    case RUNNING_STOPS: return stop(x, event);
    case RUNNING_SAME: break;
    }
    switch (event->type) {
    case HECTIC_EVENT_SPARK_COUNTERS: return count(x, event);
    case HECTIC_EVENT_SPARK_CREATE:
    case HECTIC_EVENT_SPARK_DUD:
    case HECTIC_EVENT_SPARK_OVERFLOW:
    case HECTIC_EVENT_SPARK_RUN:
    case HECTIC_EVENT_SPARK_STEAL:
    case HECTIC_EVENT_SPARK_FIZZLE:
    case HECTIC_EVENT_SPARK_GC:
    case HECTIC_EVENT_CREATE_SPARK:
    case HECTIC_EVENT_RUN_SPARK:
    case HECTIC_EVENT_STEAL_SPARK: return one_spark(x, event);
    default: return true;
    }
}

/* --- The whole ------------------------------------------------------------------------------- */

hectic_sparks *hectic_sparks_new(uint64_t from, uint64_t to, hectic_spark_callback callback,
                                 void *user)
{
    hectic_sparks *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->from = from;
    x->to = to;
    x->callback = callback;
    x->user = user;
    return x;
}

void hectic_sparks_free(hectic_sparks *x)
{
    if (!x) return;
    hectic_histogram_clear(&x->durations);
    map_clear(&x->ids);
    free(x->evaluator);
    free(x->cap);
    per_cap_clear(&x->place);
    free(x->numbers);
    free(x);
}

void hectic_sparks_end(hectic_sparks *x, uint64_t now)
{
    for (uint32_t i = 0; i < x->used; i++)
        if (x->evaluator[i].cap != NO_CAP) account(x, &x->evaluator[i], now);
    map_clear(&x->ids);
    x->used = x->vacant = 0;
    for (uint32_t i = 0; i < x->caps; i++) {
        struct cap *cap = &x->cap[i];
        cap->result.waited += waited(x, cap, now);
        cap->pool_since = OTHER_SECTION; /* until its next event */
        memset(cap->last, 0, sizeof cap->last);
        cap->gcd = 0;
        cap->is_whole = cap->has_last = cap->runs = false;
    }
    x->started = 0;
}

uint32_t hectic_sparks_caps(const hectic_sparks *x)
{
    return cap_set_count(x->numbers);
}

bool hectic_sparks_find(const hectic_sparks *x, uint16_t number, uint64_t now,
                        hectic_spark_cap *result)
{
    const struct cap *cap = cap_known(x, number);
    if (!cap || !cap->is_known) return false;
    *result = cap->result;
    result->pool = cap->pool;
    result->waited += waited(x, cap, now);
    const struct evaluator *evaluator = cap->runs ? evaluator_of(x, cap->thread) : NULL;
    if (evaluator && evaluator->evaluates && evaluator->cap == number)
        result->eval += clip(x, now) - clip(x, evaluator->since);
    return true;
}

void hectic_sparks_cap(const hectic_sparks *x, uint32_t place, uint64_t now,
                       hectic_spark_cap *result)
{
    hectic_sparks_find(x, x->numbers->cap[place], now, result);
}

const hectic_histogram *hectic_sparks_durations(const hectic_sparks *x)
{
    return &x->durations;
}
