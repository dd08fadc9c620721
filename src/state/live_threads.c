#include "state/live_threads.h"

#include "format/stop_status.h"

#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

/* Offsets of fields, in all shapes of these events; the thread is at offset 0. Most events of a log
 * are about threads; looking up their fields in the catalogue would take most of the time. */

bool live_threads_init(live_threads *t, budget *given)
{
    *t = (live_threads){
        .threads.entry_size = sizeof(thread), .budget = given, .buffer = malloc(HECTIC_EVENT_MAX)};
    return t->buffer != NULL;
}

void live_threads_clear(live_threads *t)
{
    for (thread *each = NULL; (each = map_next(&t->threads, each));)
        free(each->label);
    map_clear(&t->threads);
    per_cap_clear(&t->running);
    free(t->buffer);
    *t = (live_threads){0};
}

bool live_threads_copy(live_threads *copy, const live_threads *t, budget *given)
{
    if (!live_threads_init(copy, given)) return false;
    copy->disordered = t->disordered;
    copy->dead = t->dead;
    copy->prune_at = t->prune_at;
    bool whole = per_cap_copy(&copy->running, &t->running);
    whole = map_copy(&copy->threads, &t->threads) && whole;
    for (thread *each = NULL; (each = map_next(&copy->threads, each));) {
        char *label = each->label ? malloc(each->label_size + (size_t)1) : NULL;
        if (label) memcpy(label, each->label, each->label_size);
        whole = whole && (label || !each->label);
        each->label = label;
    }
    if (!whole) live_threads_clear(copy);
    return whole;
}

static map_key key_of(uint64_t id)
{
    return (map_key){id, 1};
}

thread *live_threads_find(const live_threads *t, uint64_t id)
{
    return map_find(&t->threads, key_of(id));
}

static size_t label_memory(const thread *each)
{
    return each->label ? budget_allocation(each->label_size + (size_t)1) : 0;
}

static void remove_label(live_threads *t, thread *each)
{
    budget_give_back(t->budget, label_memory(each));
    free(each->label);
    each->label = NULL;
}

static live_state_result set_label(live_threads *t, thread *each, const hectic_event *event)
{
    hectic_text label;
    if (!hectic_read_text(event, &label) || event->time < each->labeled)
        return LIVE_STATE_KEPT; /* by a cap whose event came later */
    const size_t size = label.length + 1;
    each->labeled = event->time;
    remove_label(t, each);
    if (!budget_take(t->budget, budget_allocation(size))) return LIVE_STATE_FULL;
    each->label = malloc(size);
    if (!each->label) budget_give_back(t->budget, budget_allocation(size));
    if (!each->label) return LIVE_STATE_FAILED;
    if (label.length) memcpy(each->label, label.bytes, label.length);
    each->label_size = (uint16_t)label.length;
    return LIVE_STATE_KEPT;
}

static void remove_thread(live_threads *t, thread *each)
{
    remove_label(t, each);
    map_remove(&t->threads, each);
    t->recent = NULL;
}

void live_threads_prune_all(live_threads *t)
{
    for (thread *each = NULL; (each = map_next(&t->threads, each));)
        remove_label(t, each);
    budget_give_back(t->budget, map_memory(&t->threads));
    map_clear(&t->threads);
    per_cap_clear(&t->running);
    t->recent = NULL;
    t->dead = 0;
}

static void die(live_threads *t, thread *each)
{
    if (!t->disordered) {
        remove_thread(t, each);
        return;
    }
    remove_label(t, each);
    each->known = DEAD;
    t->dead++;
}

static void shrink(live_threads *t)
{
    const size_t before = map_memory(&t->threads);
    map_shrink(&t->threads);
    t->recent = NULL;
    budget_give_back(t->budget, before - map_memory(&t->threads));
}

/* Removing an entry may move a later one to its place. */
static void remove_dead(live_threads *t, uint64_t before)
{
    for (thread *last = NULL, *each; (each = map_next(&t->threads, last));) {
        if ((each->known & DEAD) && each->since < before) {
            remove_thread(t, each);
            t->dead--;
        } else {
            last = each;
        }
    }
}

/* When the dead are about as many as the entries to scan: the cost is proportional to the number of
 * ends. */
bool live_threads_would_prune(const live_threads *t)
{
    enum { FEW = 1 << 10, SHARE = 8 };
    return t->dead >= FEW && t->dead >= t->prune_at && t->dead >= t->threads.capacity / SHARE;
}

/* Periodically, at a low cost, and with a limit on their number, even though late events of a
 * rarely active cap may then revive one. */
void live_threads_prune(live_threads *t, uint64_t before)
{
    enum { MANY = 1 << 16 };
    if (!live_threads_would_prune(t)) return;
    remove_dead(t, before);
    if (t->dead > MANY) remove_dead(t, UINT64_MAX);
    t->prune_at = 2 * t->dead;
    shrink(t);
}

static void stop(live_threads *t, thread *each, const hectic_event *event)
{
    if (per_cap_get(&t->running, event->cap) == each->id)
        per_cap_clear_one(&t->running, event->cap);
    hectic_event_stop_thread fields;
    if (hectic_read_stop_thread(event, &fields)) {
        each->status = fields.status;
        each->info = fields.info;
    }
    each->known = (uint16_t)((each->known & ~(RUNNING | RUNNABLE)) | STOPPED);
    if (each->woken > event->time) each->known |= RUNNABLE; /* by a cap whose event arrived first */
    if (each->status == STOP_FINISHED) die(t, each);
}

/* The thread is on the event's cap, unless another cap's event of a later migration arrived first.
 */
static void place(thread *each, const hectic_event *event)
{
    if (event->time >= each->moved) each->cap = event->cap;
}

static live_state_result run(live_threads *t, thread *each, const hectic_event *event)
{
    uint32_t *running = per_cap_at(&t->running, event->cap);
    place(each, event);
    each->known = (uint16_t)((each->known & ~(STOPPED | RUNNABLE)) | RUNNING);
    if (!running) return LIVE_STATE_FAILED;
    *running = each->id;
    return LIVE_STATE_KEPT;
}

/* A spark is run by the thread that runs on the cap; until GHC 7.2 the event had its id. */
static live_state_result spark(live_threads *t, const hectic_event *event)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t count =
        hectic_shape_walk(event->declared->shape, event->payload, event->size, value, NULL);
    const hectic_value *victim = value;
    uint64_t id = event->cap == HECTIC_CAP_NONE ? 0 : per_cap_get(&t->running, event->cap);
    if (count > 0 && value[0].field->unit == HECTIC_UNIT_THREAD) {
        id = value[0].number;
        victim++;
        count--;
    }
    thread *each = live_threads_find(t, id);
    if (!each) return LIVE_STATE_IGNORED;
    each->known |= RAN_SPARK;
    each->spark = event->type;
    each->victim = count > 0 ? (uint16_t)victim->number : 0;
    return LIVE_STATE_KEPT;
}

/* The effect of an event on the thread in its first field. */
enum effect {
    NOTHING,
    CREATES,
    IS_FOR_SPARKS,
    RUNS,
    STOPS,
    WAKES,
    MIGRATES,
    LABELS,
    ASSIGNS,
    SPARK
};

static const uint8_t deeds[] = {
    [HECTIC_EVENT_CREATE_THREAD] = CREATES,
    [HECTIC_EVENT_CREATE_SPARK_THREAD] = IS_FOR_SPARKS,
    [HECTIC_EVENT_RUN_THREAD] = RUNS,
    [HECTIC_EVENT_STOP_THREAD] = STOPS,
    [HECTIC_EVENT_THREAD_RUNNABLE] = WAKES,
    [HECTIC_EVENT_THREAD_WAKEUP] = WAKES,
    [HECTIC_EVENT_MIGRATE_THREAD] = MIGRATES,
    [HECTIC_EVENT_THREAD_LABEL] = LABELS,
    [HECTIC_EVENT_ASSIGN_THREAD_TO_PROCESS] = ASSIGNS,
    [HECTIC_EVENT_SPARK_RUN] = SPARK,
    [HECTIC_EVENT_SPARK_STEAL] = SPARK,
    [HECTIC_EVENT_RUN_SPARK] = SPARK,
    [HECTIC_EVENT_STEAL_SPARK] = SPARK,
};

static enum effect effect_of(uint16_t type)
{
    return type < sizeof deeds ? deeds[type] : NOTHING;
}

bool live_threads_use(uint16_t type)
{
    return effect_of(type) != NOTHING;
}

static live_state_result change(live_threads *t, thread *each, const hectic_event *event)
{
    hectic_event_migrate_thread migrated;
    hectic_event_assign_thread_to_process assigned;
    switch (effect_of(event->type)) {
    case CREATES:
        each->known |= CREATED;
        place(each, event);
        break;
    case IS_FOR_SPARKS: each->known |= SPARKS; break;
    case RUNS: return run(t, each, event);
    case STOPS: stop(t, each, event); break;
    case WAKES:
        each->woken = event->time;
        if (!(each->known & RUNNING)) each->known |= RUNNABLE;
        break;
    case MIGRATES:
        if (event->time < each->moved) break;
        each->moved = event->time;
        if (hectic_read_migrate_thread(event, &migrated)) each->cap = migrated.new_cap;
        break;
    case ASSIGNS:
        each->known |= IN_PROCESS;
        if (hectic_read_assign_thread_to_process(event, &assigned))
            each->process = assigned.process;
        break;
    case LABELS: return set_label(t, each, event);
    default: break;
    }
    return LIVE_STATE_KEPT;
}

/* Each cap's events are in order: the running thread of a cap is known even if later events of the
 * thread are known, too. */
static bool follow_cap(live_threads *t, const thread *each, const hectic_event *event)
{
    uint32_t *running = per_cap_at(&t->running, event->cap);
    if (!running) return false;
    if (effect_of(event->type) == RUNS) *running = each->id;
    if (effect_of(event->type) == STOPS && *running == each->id) *running = 0;
    return true;
}

/* An event from before the thread's last known activity. */
static live_state_result change_past(live_threads *t, thread *each, const hectic_event *event)
{
    const enum effect effect = effect_of(event->type);
    if (!follow_cap(t, each, event)) return LIVE_STATE_FAILED;
    if (effect == CREATES) each->known |= CREATED;
    const bool timeless = effect == IS_FOR_SPARKS || effect == LABELS || effect == ASSIGNS;
    return timeless ? change(t, each, event) : LIVE_STATE_KEPT;
}

/* Its id was reused for another thread. */
static void revive(live_threads *t, thread *each)
{
    each->known = 0;
    t->dead--;
}

/* NULL with *why: it is unknown, and the budget is exhausted. */
static thread *named(live_threads *t, uint32_t id, live_state_result *why)
{
    thread *each = t->recent; /* mostly the thread that ran last */
    if (each && each->id == id) return each;
    each = live_threads_find(t, id);
    if (!each) {
        const size_t growth = map_growth(&t->threads);
        *why = LIVE_STATE_FULL;
        if (!budget_take(t->budget, growth)) return NULL;
        *why = LIVE_STATE_FAILED;
        each = map_add(&t->threads, key_of(id));
        if (!each) budget_give_back(t->budget, growth);
        if (each) each->id = id;
    }
    return t->recent = each;
}

live_state_result live_threads_event(live_threads *t, const hectic_event *event)
{
    const enum effect effect = effect_of(event->type);
    if (effect == NOTHING) return LIVE_STATE_IGNORED;
    if (effect == SPARK) return spark(t, event);
    uint32_t id;
    if (event->size < event->declared->shape->size || !hectic_read_thread(event, &id))
        return LIVE_STATE_IGNORED;
    const bool creates = effect == CREATES || effect == IS_FOR_SPARKS;
    live_state_result why = LIVE_STATE_FULL;
    thread *each = named(t, id, &why);
    if (!each) return creates || why == LIVE_STATE_FAILED ? why : LIVE_STATE_IGNORED;
    const bool past = t->disordered && event->time < each->since;
    const bool anew = event->time > each->since && creates;
    if ((each->known & DEAD) && !anew)
        return follow_cap(t, each, event) ? LIVE_STATE_KEPT : LIVE_STATE_FAILED;
    if (each->known & DEAD) revive(t, each);
    if (past) return change_past(t, each, event);
    if (each->known == 0) place(each, event);
    if (creates || effect == RUNS || effect == STOPS) each->since = event->time;
    return change(t, each, event);
}
