#include "state/live_state.h"

#include "base/array.h"
#include "base/map.h"
#include "format/fields.h"
#include "format/per_cap.h"
#include "read/decode/running.h"
#include "state/live_threads.h"

#include <hectic/encoder.h>
#include <hectic/read_events.h>

#include <stdlib.h>

/* The subject of an event: of two events with the same subject, the later one holds. */
enum subject { FIRST_FIELD, FIRST_TWO_FIELDS, OWN_CAP, ONLY_ONE };

/* Replayed in this order; threads precede the counters. */
enum phase { PROCESS, TASKS, COUNTERS, OPEN, NOT_REPLAYED };

static const struct rule {
    uint8_t event, subject, phase;
} rules[] = {
    {HECTIC_EVENT_CAPSET_CREATE, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_CAPSET_ASSIGN_CAP, FIRST_TWO_FIELDS, PROCESS},
    {HECTIC_EVENT_RTS_IDENTIFIER, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_PROGRAM_ARGS, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_PROGRAM_ENV, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_OSPROCESS_PID, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_OSPROCESS_PPID, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_WALL_CLOCK_TIME, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_HEAP_INFO_GHC, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_CAP_CREATE, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_CAP_DISABLE, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_CREATE_MACHINE, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_CREATE_PROCESS, FIRST_FIELD, PROCESS},
    {HECTIC_EVENT_TASK_CREATE, FIRST_FIELD, TASKS},
    {HECTIC_EVENT_TASK_MIGRATE, FIRST_FIELD, NOT_REPLAYED},
    {HECTIC_EVENT_TASK_DELETE, FIRST_FIELD, NOT_REPLAYED}, /* if caps' events are disordered */
    {HECTIC_EVENT_HEAP_ALLOCATED, OWN_CAP, COUNTERS},
    {HECTIC_EVENT_SPARK_COUNTERS, OWN_CAP, COUNTERS},
    {HECTIC_EVENT_HEAP_SIZE, FIRST_FIELD, COUNTERS},
    {HECTIC_EVENT_HEAP_LIVE, FIRST_FIELD, COUNTERS},
    {HECTIC_EVENT_BLOCKS_SIZE, FIRST_FIELD, COUNTERS},
    {HECTIC_EVENT_REQUEST_SEQ_GC, OWN_CAP, OPEN},
    {HECTIC_EVENT_REQUEST_PAR_GC, OWN_CAP, OPEN},
    {HECTIC_EVENT_GC_START, OWN_CAP, OPEN},
    {HECTIC_EVENT_GC_IDLE, OWN_CAP, OPEN},
    {HECTIC_EVENT_GC_WORK, OWN_CAP, OPEN},
    {HECTIC_EVENT_GC_DONE, OWN_CAP, OPEN},
    {HECTIC_EVENT_GC_GLOBAL_SYNC, OWN_CAP, OPEN},
    {HECTIC_EVENT_GC_STATS_GHC, OWN_CAP, NOT_REPLAYED},
    {HECTIC_EVENT_GC_END, OWN_CAP, OPEN},
    {HECTIC_EVENT_CONC_MARK_BEGIN, ONLY_ONE, OPEN},
    {HECTIC_EVENT_CONC_SYNC_BEGIN, ONLY_ONE, OPEN},
    {HECTIC_EVENT_CONC_SWEEP_BEGIN, ONLY_ONE, OPEN},
    {HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, ONLY_ONE, OPEN},
    {HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, ONLY_ONE, OPEN},
};

/* Which events no longer hold after an event with the same subject. */
static const struct ending {
    uint8_t by, what;
    uint8_t before; /* only if it precedes this event; 0: always */
} endings[] = {
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_CAPSET_CREATE, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_RTS_IDENTIFIER, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_PROGRAM_ARGS, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_PROGRAM_ENV, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_OSPROCESS_PID, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_OSPROCESS_PPID, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_WALL_CLOCK_TIME, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_HEAP_INFO_GHC, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_HEAP_SIZE, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_HEAP_LIVE, 0},
    {HECTIC_EVENT_CAPSET_DELETE, HECTIC_EVENT_BLOCKS_SIZE, 0},
    {HECTIC_EVENT_CAPSET_REMOVE_CAP, HECTIC_EVENT_CAPSET_ASSIGN_CAP, 0},
    {HECTIC_EVENT_CAP_DELETE, HECTIC_EVENT_CAP_CREATE, 0},
    {HECTIC_EVENT_CAP_DELETE, HECTIC_EVENT_CAP_DISABLE, 0},
    {HECTIC_EVENT_CAP_DELETE, HECTIC_EVENT_HEAP_ALLOCATED, 0},
    {HECTIC_EVENT_CAP_DELETE, HECTIC_EVENT_SPARK_COUNTERS, 0},
    {HECTIC_EVENT_CAP_ENABLE, HECTIC_EVENT_CAP_DISABLE, 0},
    {HECTIC_EVENT_KILL_MACHINE, HECTIC_EVENT_CREATE_MACHINE, 0},
    {HECTIC_EVENT_KILL_PROCESS, HECTIC_EVENT_CREATE_PROCESS, 0},
    {HECTIC_EVENT_TASK_DELETE, HECTIC_EVENT_TASK_CREATE, 0},
    /* The next collection may be requested before this one ends. */
    {HECTIC_EVENT_GC_END, HECTIC_EVENT_REQUEST_SEQ_GC, HECTIC_EVENT_GC_START},
    {HECTIC_EVENT_GC_END, HECTIC_EVENT_REQUEST_PAR_GC, HECTIC_EVENT_GC_START},
    {HECTIC_EVENT_GC_END, HECTIC_EVENT_GC_IDLE, 0},
    {HECTIC_EVENT_GC_END, HECTIC_EVENT_GC_WORK, 0},
    {HECTIC_EVENT_GC_END, HECTIC_EVENT_GC_DONE, 0},
    {HECTIC_EVENT_GC_IDLE, HECTIC_EVENT_GC_DONE, 0},
    {HECTIC_EVENT_GC_WORK, HECTIC_EVENT_GC_IDLE, 0},
    {HECTIC_EVENT_GC_WORK, HECTIC_EVENT_GC_DONE, 0},
    {HECTIC_EVENT_GC_DONE, HECTIC_EVENT_GC_IDLE, 0},
    {HECTIC_EVENT_CONC_MARK_END, HECTIC_EVENT_CONC_MARK_BEGIN, 0},
    {HECTIC_EVENT_CONC_SYNC_END, HECTIC_EVENT_CONC_SYNC_BEGIN, 0},
    {HECTIC_EVENT_CONC_SWEEP_END, HECTIC_EVENT_CONC_SWEEP_BEGIN, 0},
    {HECTIC_EVENT_HEAP_PROF_SAMPLE_END, HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, 0},
    {HECTIC_EVENT_HEAP_PROF_SAMPLE_END, HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, 0},
};

/* The events of a cap in a collection, except the request. */
static const uint8_t collection[] = {
    HECTIC_EVENT_GC_START, HECTIC_EVENT_GC_WORK,        HECTIC_EVENT_GC_IDLE,
    HECTIC_EVENT_GC_DONE,  HECTIC_EVENT_GC_GLOBAL_SYNC, HECTIC_EVENT_GC_STATS_GHC,
    HECTIC_EVENT_GC_END,
};

enum { EVENTS = 256, COUNT_OF_RULES = sizeof rules / sizeof *rules };

/* Flags of a cap: events of `collection` are kept; the cap is in `ended`. */
enum { IN_COLLECTION = 1, IS_ENDED = 2 };

/* An event that holds. */
typedef struct entry {
    map_key key;
    uint64_t order; /* increases with time */
    uint64_t time;
    uint8_t *payload;
    const hectic_event_type *declared;
    const struct rule *rule;
    uint16_t size;
    uint16_t cap;
} entry;

struct live_state {
    map entries;
    live_threads threads;
    budget *budget, unbounded;
    uint64_t order;
    bool stats_follow; /* the log may have events of a collection after its end */
    per_cap caps;      /* IN_COLLECTION, IS_ENDED */
    uint16_t *ended;   /* caps with a GC_END that may wait for the leader */
    size_t ends, ends_capacity;
    size_t ended_tasks, prune_at;        /* TASK_DELETEs in `entries`, and when to remove some */
    const struct rule *rule[EVENTS];     /* by event; NULL: none */
    const struct ending *ending[EVENTS]; /* the first ending of an event */
};

live_state *live_state_new(const hectic_header *header, budget *given)
{
    live_state *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->unbounded.limit = SIZE_MAX;
    l->budget = given ? given : &l->unbounded;
    if (!live_threads_init(&l->threads, l->budget)) {
        free(l);
        return NULL;
    }
    l->entries.entry_size = sizeof(entry);
    l->stats_follow = hectic_header_type(header, HECTIC_EVENT_GC_GLOBAL_SYNC) ||
                      hectic_header_type(header, HECTIC_EVENT_GC_STATS_GHC);
    for (size_t i = 0; i < COUNT_OF_RULES; i++)
        l->rule[rules[i].event] = &rules[i];
    for (size_t i = sizeof endings / sizeof *endings; i-- > 0;)
        l->ending[endings[i].by] = &endings[i];
    return l;
}

void live_state_free(live_state *l)
{
    if (!l) return;
    for (entry *n = NULL; (n = map_next(&l->entries, n));)
        free(n->payload);
    map_clear(&l->entries);
    live_threads_clear(&l->threads);
    per_cap_clear(&l->caps);
    free(l->ended);
    free(l);
}

live_state *live_state_copy(const live_state *l)
{
    live_state *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *l;
    copy->unbounded = (budget){.used = l->budget->used, .limit = SIZE_MAX};
    copy->budget = &copy->unbounded;
    copy->ended = l->ends > 0 ? malloc(l->ends * sizeof *l->ended) : NULL;
    copy->ends = copy->ends_capacity = copy->ended ? l->ends : 0;
    if (copy->ends > 0) memcpy(copy->ended, l->ended, copy->ends * sizeof *copy->ended);
    bool whole = copy->ends == l->ends;
    whole = per_cap_copy(&copy->caps, &l->caps) && whole;
    whole = map_copy(&copy->entries, &l->entries) && whole;
    whole = live_threads_copy(&copy->threads, &l->threads, copy->budget) && whole;
    for (entry *n = NULL; (n = map_next(&copy->entries, n));) {
        uint8_t *payload = n->size > 0 ? malloc(n->size) : NULL;
        if (payload) memcpy(payload, n->payload, n->size);
        whole = whole && (payload || n->size == 0);
        n->payload = payload;
    }
    if (whole) return copy;
    live_state_free(copy);
    return NULL;
}

void live_state_expect_disorder(live_state *l)
{
    l->threads.disordered = true;
}

static bool would_prune_tasks(const live_state *l)
{
    enum { FEW = 1 << 8 };
    return l->ended_tasks >= FEW && l->ended_tasks >= l->prune_at;
}

bool live_state_would_prune(const live_state *l)
{
    return live_threads_would_prune(&l->threads) || would_prune_tasks(l);
}

static map_key key_of(const struct rule *rule, const hectic_event *event, const hectic_value *value)
{
    map_key key = {0, UINT64_C(1) << 63 | (uint64_t)rule->event << 32};
    if (rule->subject == FIRST_FIELD || rule->subject == FIRST_TWO_FIELDS) key.a = value[0].number;
    if (rule->subject == FIRST_TWO_FIELDS) key.b |= (uint32_t)value[1].number;
    if (rule->subject == OWN_CAP) key.a = event->cap;
    return key;
}

static entry *find(const live_state *l, uint16_t type, const hectic_event *event,
                   const hectic_value *value)
{
    return map_find(&l->entries, key_of(l->rule[type], event, value));
}

static entry *find_on_cap(const live_state *l, uint16_t type, uint16_t cap)
{
    return find(l, type, &(hectic_event){.cap = cap}, NULL);
}

static void remove_entry(live_state *l, entry *n)
{
    free(n->payload);
    budget_give_back(l->budget, budget_allocation(n->size));
    map_remove(&l->entries, n);
}

/* Removing an entry may move a later one to its place. */
static void prune_tasks(live_state *l, uint64_t before)
{
    l->ended_tasks = 0;
    for (entry *last = NULL, *n; (n = map_next(&l->entries, last));) {
        const bool is_end = n->rule->event == HECTIC_EVENT_TASK_DELETE;
        l->ended_tasks += is_end && n->time >= before;
        if (is_end && n->time < before)
            remove_entry(l, n);
        else
            last = n;
    }
    l->prune_at = 2 * l->ended_tasks;
}

void live_state_prune(live_state *l, uint64_t before)
{
    enum { MANY = 1 << 14 };
    live_threads_prune(&l->threads, before);
    if (would_prune_tasks(l)) prune_tasks(l, before);
    if (l->ended_tasks > MANY) prune_tasks(l, UINT64_MAX);
}

static void end(live_state *l, const struct ending *ending, const hectic_event *event,
                const hectic_value *value)
{
    hectic_event by = *event; /* the deletion of a cap is logged without a cap */
    if (event->type == HECTIC_EVENT_CAP_DELETE) by.cap = (uint16_t)value[0].number;
    entry *n = find(l, ending->what, &by, value);
    if (!n) return;
    if (ending->before) {
        const entry *since = find(l, ending->before, event, value);
        if (!since || since->order < n->order) return;
    }
    remove_entry(l, n);
}

/* Makes an entry's payload `size` bytes, discarding its content. */
static live_state_result reserve(live_state *l, entry *n, uint16_t size)
{
    if (size == n->size) return LIVE_STATE_KEPT;
    free(n->payload);
    budget_give_back(l->budget, budget_allocation(n->size));
    n->payload = NULL;
    n->size = 0;
    if (size == 0) return LIVE_STATE_KEPT;
    if (!budget_take(l->budget, budget_allocation(size))) return LIVE_STATE_FULL;
    n->payload = malloc(size);
    if (n->payload)
        n->size = size;
    else
        budget_give_back(l->budget, budget_allocation(size));
    return n->payload ? LIVE_STATE_KEPT : LIVE_STATE_FAILED;
}

static live_state_result keep(live_state *l, const struct rule *rule, const hectic_event *event,
                              const hectic_value *value)
{
    const map_key key = key_of(rule, event, value);
    entry *n = map_find(&l->entries, key);
    if (!n) {
        const size_t growth = map_growth(&l->entries);
        if (!budget_take(l->budget, growth)) return LIVE_STATE_FULL;
        n = map_add(&l->entries, key);
        if (!n) budget_give_back(l->budget, growth);
        if (!n) return LIVE_STATE_FAILED;
    }
    if (l->threads.disordered && n->declared && event->time < n->time) return LIVE_STATE_KEPT;
    const live_state_result result = reserve(l, n, event->size);
    if (result != LIVE_STATE_KEPT) {
        remove_entry(l, n); /* it no longer holds */
        return result;
    }
    if (event->size > 0) memcpy(n->payload, event->payload, event->size);
    n->order = l->order++;
    n->time = event->time;
    n->declared = event->declared;
    n->rule = rule;
    n->cap = event->cap;
    return LIVE_STATE_KEPT;
}

/* --- Tasks ---------------------------------------------------------------------------------- */

static bool is_of_task(uint16_t type)
{
    return type >= HECTIC_EVENT_TASK_CREATE && type <= HECTIC_EVENT_TASK_DELETE;
}

/* A task is replayed on the cap to which it has migrated. */
static void move_task(const live_state *l, const entry *migration, const hectic_event *event,
                      const hectic_value *value)
{
    const entry *n = find(l, HECTIC_EVENT_TASK_CREATE, event, value);
    hectic_value created[HECTIC_MAX_FIELDS], moved[HECTIC_MAX_FIELDS];
    if (!n || n->time > migration->time ||
        hectic_shape_walk(n->declared->shape, n->payload, n->size, created, NULL) < 2)
        return;
    hectic_shape_walk(migration->declared->shape, migration->payload, migration->size, moved, NULL);
    field_set(n->payload, &created[1], moved[2].number);
}

static void end_task(live_state *l, const hectic_event *event, const hectic_value *value)
{
    static const uint8_t ended[] = {HECTIC_EVENT_TASK_CREATE, HECTIC_EVENT_TASK_MIGRATE};
    for (size_t i = 0; i < sizeof ended; i++) {
        entry *n = find(l, ended[i], event, value);
        if (n && n->time <= event->time) remove_entry(l, n);
    }
}

/* The last migration of a task is kept until it ends. If caps' events are disordered, its end is
 * kept until all earlier events have arrived. */
static live_state_result task(live_state *l, const hectic_event *event, const hectic_value *value)
{
    const bool is_end = event->type == HECTIC_EVENT_TASK_DELETE;
    const entry *ended = find(l, HECTIC_EVENT_TASK_DELETE, event, value);
    if (ended && ended->time >= event->time) return LIVE_STATE_KEPT; /* that came first */
    if (is_end) end_task(l, event, value);
    if (is_end && !l->threads.disordered) return LIVE_STATE_KEPT;
    l->ended_tasks += is_end && !ended;
    const live_state_result kept = keep(l, l->rule[event->type], event, value);
    const entry *migration = find(l, HECTIC_EVENT_TASK_MIGRATE, event, value);
    if (migration) move_task(l, migration, event, value);
    return event->type == HECTIC_EVENT_TASK_CREATE ? kept : LIVE_STATE_KEPT;
}

/* --- Sparks --------------------------------------------------------------------------------- */

/* The fields of SPARK_COUNTERS. */
enum { PUT, DUDS, OVERFLOWS, CONVERTED, COLLECTED, FIZZLED, REMAINING };

/* By event, from SPARK_CREATE on: the counter that grows, and how many sparks enter the pool. */
static const struct {
    uint8_t counter;
    int8_t enter;
} spark_events[] = {{PUT, 1},        {DUDS, 0},     {OVERFLOWS, 0}, {CONVERTED, -1},
                    {CONVERTED, -1}, {FIZZLED, -1}, {COLLECTED, -1}};

static bool is_of_spark(uint16_t type)
{
    return type >= HECTIC_EVENT_SPARK_CREATE && type <= HECTIC_EVENT_SPARK_GC;
}

/* Counters come at collections: what was logged since the last ones is added to them, so that the
 * next ones grow by what a late reader sees. */
static void add_to_counter(const live_state *l, uint16_t cap, size_t field, int8_t more)
{
    const entry *n = find_on_cap(l, HECTIC_EVENT_SPARK_COUNTERS, cap);
    if (!n) return;
    hectic_value counter[HECTIC_MAX_FIELDS];
    if (hectic_shape_walk(n->declared->shape, n->payload, n->size, counter, NULL) <= field) return;
    if (more >= 0 || counter[field].number > 0)
        field_set(n->payload, &counter[field], counter[field].number + (uint64_t)more);
}

static void count_spark(const live_state *l, const hectic_event *event)
{
    const size_t kind = event->type - HECTIC_EVENT_SPARK_CREATE;
    hectic_event_spark_steal steal;
    const bool is_stolen =
        event->type == HECTIC_EVENT_SPARK_STEAL && hectic_read_spark_steal(event, &steal);
    add_to_counter(l, event->cap, spark_events[kind].counter, 1);
    add_to_counter(l, is_stolen ? steal.victim_cap : event->cap, REMAINING,
                   spark_events[kind].enter);
}

/* --- Collections ---------------------------------------------------------------------------- */

static bool in_collection(const live_state *l, uint16_t cap)
{
    return per_cap_get(&l->caps, cap) & IN_COLLECTION;
}

static void remove_collection(live_state *l, uint16_t cap)
{
    if (!in_collection(l, cap)) return;
    *per_cap_at(&l->caps, cap) &= ~(uint32_t)IN_COLLECTION;
    for (size_t i = 0; i < sizeof collection; i++) {
        entry *n = find_on_cap(l, collection[i], cap);
        if (n) remove_entry(l, n);
    }
}

/* Since GHC 8.2, the leader of a collection logs its statistics after its own end; for all other
 * caps it is over at their end, or at the leader's event. */
static bool is_over(const live_state *l, uint16_t cap)
{
    const bool counted = find_on_cap(l, HECTIC_EVENT_GC_STATS_GHC, cap) != NULL;
    return find_on_cap(l, HECTIC_EVENT_GC_END, cap) && (counted || !l->stats_follow);
}

/* Records that a cap may wait for the leader. If out of memory, it waits until its next activity.
 */
static void record_end(live_state *l, uint16_t cap, uint32_t *state)
{
    if (*state & IS_ENDED) return;
    if (!array_reserve(l->ended, l->ends_capacity, l->ends + 1)) return;
    l->ended[l->ends++] = cap;
    *state |= IS_ENDED;
}

/* Each cap with an end is checked once: only another end makes it wait again. */
static void remove_followers(live_state *l, uint16_t leader)
{
    for (; l->ends > 0; l->ends--) {
        const uint16_t cap = l->ended[l->ends - 1];
        *per_cap_at(&l->caps, cap) &= ~(uint32_t)IS_ENDED;
        if (cap != leader && find_on_cap(l, HECTIC_EVENT_GC_END, cap) &&
            !find_on_cap(l, HECTIC_EVENT_GC_GLOBAL_SYNC, cap))
            remove_collection(l, cap);
    }
}

/* A cap with such an event is not in a collection any more, even if it logged no end. */
static bool is_outside(uint16_t type)
{
    return running_step_of(type) == RUNNING_STARTS || type == HECTIC_EVENT_REQUEST_SEQ_GC ||
           type == HECTIC_EVENT_REQUEST_PAR_GC || type == HECTIC_EVENT_GC_START;
}

/* False: out of memory. */
static bool follow_collection(live_state *l, const hectic_event *event)
{
    if (!memchr(collection, event->type, sizeof collection)) return true;
    uint32_t *state = per_cap_at(&l->caps, event->cap);
    if (!state) return false;
    *state |= IN_COLLECTION;
    if (event->type == HECTIC_EVENT_GC_END) record_end(l, event->cap, state);
    if (event->type == HECTIC_EVENT_GC_GLOBAL_SYNC) remove_followers(l, event->cap);
    if (is_over(l, event->cap)) remove_collection(l, event->cap);
    return true;
}

bool live_state_uses(const live_state *l, const hectic_event_type *declared)
{
    const uint16_t type = declared->number;
    return declared->shape && type < EVENTS &&
           (declared->shape->definition || live_threads_use(type) || l->rule[type] ||
            l->ending[type] || is_of_spark(type));
}

static bool is_lasting(const struct rule *rule)
{
    return rule && (rule->phase == PROCESS || rule->phase == TASKS);
}

bool live_state_is_permanent(const live_state *l, const hectic_event_type *declared)
{
    const uint16_t type = declared->number;
    if (!declared->shape || type >= EVENTS || live_threads_use(type)) return false;
    return is_lasting(l->rule[type]) || type == HECTIC_EVENT_TASK_MIGRATE ||
           (l->ending[type] && is_lasting(l->rule[l->ending[type]->what])) ||
           (declared->shape->definition && !l->rule[type]);
}

static live_state_result note_event(live_state *l, const hectic_event *event)
{
    const hectic_shape *shape = event->declared->shape;
    const struct rule *rule = l->rule[event->type];
    const struct ending *ending = l->ending[event->type];
    if (!rule && !ending) return shape->definition ? LIVE_STATE_PERMANENT : LIVE_STATE_IGNORED;

    hectic_value value[HECTIC_MAX_FIELDS];
    if (hectic_shape_walk(shape, event->payload, event->size, value, NULL) < shape->field_count)
        return LIVE_STATE_IGNORED;
    if (is_of_task(event->type)) return task(l, event, value);
    for (;
         ending && ending < endings + sizeof endings / sizeof *endings && ending->by == event->type;
         ending++)
        end(l, ending, event, value);
    const live_state_result kept = rule ? keep(l, rule, event, value) : LIVE_STATE_KEPT;
    return follow_collection(l, event) ? kept : LIVE_STATE_FAILED;
}

live_state_result live_state_event(live_state *l, const hectic_event *event)
{
    if (!event->declared->shape || event->type >= EVENTS) return LIVE_STATE_IGNORED;
    if (in_collection(l, event->cap) && is_outside(event->type)) remove_collection(l, event->cap);
    if (is_of_spark(event->type)) count_spark(l, event);
    if (live_threads_use(event->type)) return live_threads_event(&l->threads, event);
    return note_event(l, event);
}

static bool is_of(const entry *n, uint64_t classes)
{
    return classes >> n->declared->shape->class_ & 1;
}

static bool includes_threads(uint64_t classes)
{
    return classes & HECTIC_CLASS_BIT(HECTIC_CLASS_SCHEDULER);
}

/* Removing an entry may move a later one to its place. */
void live_state_drop_classes(live_state *l, uint64_t classes)
{
    for (entry *last = NULL, *n; (n = map_next(&l->entries, last));) {
        if (n->rule->phase != PROCESS && is_of(n, classes))
            remove_entry(l, n);
        else
            last = n;
    }
    if (includes_threads(classes)) live_threads_prune_all(&l->threads);
}

/* --- Replay --------------------------------------------------------------------------------- */

enum { SECOND = 1000000000 };

hectic_event live_state_retime(const hectic_event *event, uint64_t time,
                               uint8_t buffer[LIVE_STATE_ROOM])
{
    hectic_event moved = *event;
    moved.time = time;
    moved.position = 0;
    if (event->type != HECTIC_EVENT_WALL_CLOCK_TIME || event->size > LIVE_STATE_ROOM ||
        time < event->time)
        return moved;
    enum { SECONDS = 1, NANOSECONDS };
    hectic_value value[HECTIC_MAX_FIELDS];
    if (event->size > 0) memcpy(buffer, event->payload, event->size);
    if (hectic_shape_walk(hectic_shape_by_number(event->type), buffer, event->size, value, NULL) <=
        NANOSECONDS)
        return moved;
    const uint64_t ns = value[NANOSECONDS].number + (time - event->time) % SECOND;
    const uint64_t seconds = (time - event->time) / SECOND + ns / SECOND;
    field_set(buffer, &value[SECONDS], value[SECONDS].number + seconds);
    field_set(buffer, &value[NANOSECONDS], ns % SECOND);
    moved.payload = buffer;
    return moved;
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->rule->phase != y->rule->phase) return x->rule->phase < y->rule->phase ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool emit_entry(const entry *n, uint64_t time, live_state_emit emit, void *user)
{
    const hectic_event event = {.time = n->time,
                                .payload = n->payload,
                                .declared = n->declared,
                                .type = n->declared->number,
                                .size = n->size,
                                .cap = n->cap};
    uint8_t buffer[LIVE_STATE_ROOM];
    const hectic_event moved = live_state_retime(&event, time, buffer);
    return emit(user, &moved);
}

/* Older GHCs do not log the end of a heap census: it is unknown whether one is open. */
static bool is_census(uint16_t type)
{
    return type == HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN ||
           type == HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN;
}

static bool is_replayed(const entry *n, const hectic_header *header)
{
    return !is_census(n->declared->number) ||
           hectic_header_type(header, HECTIC_EVENT_HEAP_PROF_SAMPLE_END);
}

/* How many of the sorted entries precede the phase. */
static size_t entries_before(const live_state *l, enum phase phase)
{
    size_t low = 0, high = l->entries.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const entry *n = l->entries.sorted[middle];
        *(n->rule->phase < phase ? &low : &high) = n->rule->phase < phase ? middle + 1 : middle;
    }
    return low;
}

size_t live_state_sort(const live_state *l)
{
    map_sorted(&l->entries, compare);
    return entries_before(l, NOT_REPLAYED) + live_threads_sort(&l->threads);
}

bool live_state_replay_one(const live_state *l, size_t place, const hectic_header *header,
                           uint64_t time, live_state_emit emit, void *user)
{
    const size_t early = entries_before(l, COUNTERS), threads = l->threads.threads.count;
    if (place >= early && place - early < threads)
        return live_threads_replay_one(&l->threads, place - early, header, time, emit, user);
    const entry *n = l->entries.sorted[place < early ? place : place - threads];
    return !is_replayed(n, header) || emit_entry(n, time, emit, user);
}

bool live_state_replay(const live_state *l, const hectic_header *header, uint64_t time,
                       live_state_emit emit, void *user)
{
    const size_t count = live_state_sort(l);
    for (size_t place = 0; place < count; place++)
        if (!live_state_replay_one(l, place, header, time, emit, user)) return false;
    return true;
}

/* --- Changes -------------------------------------------------------------------------------- */

/* The events that end objects known only by their beginning, whose first fields they share. */
static const struct {
    uint8_t begin, end;
} ends[] = {
    {HECTIC_EVENT_TASK_CREATE, HECTIC_EVENT_TASK_DELETE},
    {HECTIC_EVENT_GC_START, HECTIC_EVENT_GC_END},
    {HECTIC_EVENT_CONC_MARK_BEGIN, HECTIC_EVENT_CONC_MARK_END},
    {HECTIC_EVENT_CONC_SYNC_BEGIN, HECTIC_EVENT_CONC_SYNC_END},
    {HECTIC_EVENT_CONC_SWEEP_BEGIN, HECTIC_EVENT_CONC_SWEEP_END},
    {HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN, HECTIC_EVENT_HEAP_PROF_SAMPLE_END},
    {HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, HECTIC_EVENT_HEAP_PROF_SAMPLE_END},
};

static bool emit_end_of(const entry *n, uint16_t type, const hectic_header *header, uint64_t time,
                        live_state_emit emit, void *user)
{
    enum { PREFIX = 10, MOST = 32 };
    uint8_t bytes[MOST];
    hectic_value value[HECTIC_MAX_FIELDS] = {0};
    const hectic_event_type *declared = hectic_header_type(header, type);
    if (!declared || !declared->shape) return true;
    hectic_shape_walk(n->declared->shape, n->payload, n->size, value, NULL);
    const size_t size =
        hectic_encode_fields(bytes, MOST, declared, time, value, declared->shape->field_count);
    const hectic_event event = {.time = time,
                                .payload = bytes + PREFIX,
                                .declared = declared,
                                .type = type,
                                .size = (uint16_t)(size - PREFIX),
                                .cap = n->cap};
    return size < PREFIX || size > MOST || emit(user, &event);
}

static bool emit_ends(const live_state *from, const live_state *to, const hectic_header *header,
                      uint64_t classes, uint64_t time, live_state_emit emit, void *user)
{
    void *const *sorted = map_sorted(&from->entries, compare);
    for (size_t i = 0; i < from->entries.count; i++) {
        const entry *n = sorted[i];
        if (!is_of(n, classes) || map_find(&to->entries, n->key)) continue;
        const uint16_t type = n->declared->number;
        if (type == HECTIC_EVENT_GC_START && find_on_cap(from, HECTIC_EVENT_GC_END, n->cap))
            continue;
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++)
            if (ends[j].begin == type && !emit_end_of(n, ends[j].end, header, time, emit, user))
                return false;
    }
    return true;
}

static bool is_new(const live_state *from, const entry *n)
{
    const entry *was = map_find(&from->entries, n->key);
    return !was || was->size != n->size ||
           (n->size > 0 && memcmp(was->payload, n->payload, n->size) != 0);
}

bool live_state_replay_change(const live_state *from, const live_state *to,
                              const hectic_header *header, uint64_t classes, uint64_t time,
                              live_state_emit emit, void *user)
{
    if (!emit_ends(from, to, header, classes, time, emit, user)) return false;
    void *const *sorted = map_sorted(&to->entries, compare);
    size_t i = 0;
    for (const entry *n; i < to->entries.count && (n = sorted[i])->rule->phase < COUNTERS; i++)
        if (is_of(n, classes) && is_new(from, n) && !emit_entry(n, time, emit, user)) return false;
    if (includes_threads(classes) &&
        !live_threads_replay_change(&from->threads, &to->threads, header, time, emit, user))
        return false;
    for (const entry *n; i < to->entries.count && (n = sorted[i])->rule->phase < NOT_REPLAYED; i++)
        if (is_of(n, classes) && is_new(from, n) && is_replayed(n, header) &&
            !emit_entry(n, time, emit, user))
            return false;
    return true;
}
