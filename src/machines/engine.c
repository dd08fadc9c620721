/* engine.c — runs a machine over events.
 *
 * At the beginning of a section, the machine's letters are resolved for its header: their event
 * types, and the offsets of their fields. An event then costs a table lookup by its type; a letter
 * costs a lookup of its key, and a step in a table of states and letters.
 */
#include <hectic/machine.h>

#include "base/array.h"
#include "facts/replay.h"
#include "format/fields.h"
#include "machines/keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 65536, NOWHERE = 0xff };

/* The source of a number. */
enum source { NOTHING, FIELD, OWN_CAP, OCCUPANT, ALL_OTHERS };

struct reference {
    uint8_t source;
    uint8_t width; /* size of a field in bytes */
    uint16_t offset;
};

struct letter {
    uint16_t event;
    uint8_t index; /* in the machine's list */
    bool on_cap, is_context, is_last;
    uint64_t values;
    struct reference key, where, place, leaving;
};

struct step {
    uint8_t to; /* NOWHERE: no transition */
    uint8_t placing;
};

struct list {
    uint64_t *key;
    size_t count, capacity;
};

struct hectic_engine {
    const hectic_machine *machine;
    hectic_observer observer;
    unsigned states, letters;
    struct step step[HECTIC_MACHINE_MAX][HECTIC_MACHINE_MAX]; /* by state and letter */
    struct step forced[HECTIC_MACHINE_MAX];                   /* by letter: after a fault */
    uint8_t displaced[HECTIC_MACHINE_MAX]; /* by state: the state of a key that loses its place */

    uint8_t first[TYPES]; /* 1 + the type's first letter, or 0 */
    struct letter letter[HECTIC_MACHINE_MAX];

    map keys;
    map occupants;   /* of exclusive places: key and place exchanged */
    map ended;       /* the set of keys in the final state */
    bool has_others; /* a letter refers to all others; then the processes of caps matter */
    map processes;   /* capsets that are OS processes */
    map process;     /* by cap: its process */
    /* Keys that react to such a letter, by process. Each is at least in the list of its process;
     * other entries in a list are skipped. */
    bool reacts[HECTIC_MACHINE_MAX]; /* by state */
    map list_of;                     /* by process: the index of its list, plus 1 */
    struct list *list;
    size_t lists;
    hectic_stay *stays; /* `states` elements for each key, if a profile is kept */
    size_t stays_used, stays_capacity;
    uint32_t stays_free; /* 1 + the index of a free element, which links to the next; or 0 */
    hectic_engine_counts counts;

    const hectic_header *header; /* of the section */
    hectic_engine *replayed;     /* the replayed state; NULL: the section has no replays */
    struct replay replay;
    bool is_in_gap;
    hectic_event sync;     /* the first event of the replay, without its payload */
    map touched;           /* by key: the position of its last letter since the previous replay */
    struct list unsettled; /* keys that a complete replay without them would change, and others that
                              have changed since */
};

/* --- Construction ---------------------------------------------------------------------------- */

static bool compile(hectic_engine *engine)
{
    const hectic_machine *machine = engine->machine;
    while (machine->states[engine->states])
        if (++engine->states > HECTIC_MACHINE_MAX) return false;
    while (machine->letters[engine->letters].key)
        if (++engine->letters > HECTIC_MACHINE_MAX) return false;
    memset(engine->step, NOWHERE, sizeof engine->step);
    memset(engine->forced, NOWHERE, sizeof engine->forced);
    memset(engine->displaced, NOWHERE, sizeof engine->displaced);
    for (const hectic_transition *t = machine->transitions; t->from != HECTIC_ANY; t++) {
        if (t->from >= engine->states || t->to >= engine->states || t->letter >= engine->letters)
            return false;
        const struct step step = {t->to, t->placing};
        engine->step[t->from][t->letter] = step;
        if (engine->forced[t->letter].to == NOWHERE) engine->forced[t->letter] = step;
        if (t->placing == HECTIC_LEAVE && engine->displaced[t->from] == NOWHERE)
            engine->displaced[t->from] = t->to;
    }
    return engine->states > 0 && machine->final < engine->states;
}

hectic_engine *hectic_engine_new(const hectic_machine *machine, const hectic_observer *observer)
{
    hectic_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) return NULL;
    engine->machine = machine;
    if (observer) engine->observer = *observer;
    if (compile(engine)) return engine;
    free(engine);
    return NULL;
}

static void remove_all(hectic_engine *engine)
{
    for (size_t i = 0; i < engine->lists; i++)
        free(engine->list[i].key);
    free(engine->list);
    free(engine->unsettled.key);
    engine->list = NULL;
    engine->lists = 0;
    engine->unsettled = (struct list){0};
    map_clear(&engine->list_of);
    map_clear(&engine->keys);
    map_clear(&engine->occupants);
    map_clear(&engine->ended);
    map_clear(&engine->processes);
    map_clear(&engine->process);
    map_clear(&engine->touched);
    engine->stays_used = 0;
    engine->stays_free = 0;
}

void hectic_engine_free(hectic_engine *engine)
{
    if (engine == NULL) return;
    remove_all(engine);
    hectic_engine_free(engine->replayed);
    free(engine->stays);
    free(engine);
}

/* --- The letters of a section ---------------------------------------------------------------- */

static const uint8_t widths[] = {
    [HECTIC_U8] = 1, [HECTIC_U16] = 2, [HECTIC_U32] = 4, [HECTIC_U64] = 8};

/* False if the shape has no such field at a fixed offset. */
static bool refer(const hectic_shape *shape, const char *name, struct reference *reference)
{
    static const struct {
        const char *name;
        enum source source;
    } others[] = {
        {HECTIC_OWN_CAP, OWN_CAP}, {HECTIC_OCCUPANT, OCCUPANT}, {HECTIC_ALL_OTHERS, ALL_OTHERS}};
    *reference = (struct reference){NOTHING, 0, 0};
    if (name == NULL) return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i].name) == 0) {
            reference->source = (uint8_t)others[i].source;
            return true;
        }
    size_t offset = 0;
    for (size_t i = 0; i < shape->field_count && shape->field[i].wire <= HECTIC_U64; i++) {
        const uint8_t width = widths[shape->field[i].wire];
        if (strcmp(shape->field[i].name, name) == 0) {
            *reference = (struct reference){FIELD, width, (uint16_t)offset};
            return true;
        }
        offset += width;
    }
    return false;
}

static bool resolve(const hectic_engine *engine, const hectic_header *header, unsigned index,
                    struct letter *letter)
{
    const hectic_letter *l = &engine->machine->letters[index];
    const hectic_event_type *type = hectic_header_type(header, l->event);
    const hectic_shape *shape = type ? type->shape : NULL;
    /* GHC's own tools do not support shapes without a text. */
    const bool is_older = shape && shape->text == NULL;
    if (shape == NULL || (is_older && !engine->machine->older_shapes)) return false;
    *letter = (struct letter){.event = l->event,
                              .index = (uint8_t)index,
                              .on_cap = l->on_cap,
                              .is_context = l->context,
                              .values = l->values};
    return refer(shape, l->key, &letter->key) && refer(shape, l->where, &letter->where) &&
           refer(shape, l->place, &letter->place) && refer(shape, l->leaving, &letter->leaving);
}

/* Records which states react to a letter for all others. */
static void record_others(hectic_engine *engine, const struct letter *letter)
{
    engine->has_others = true;
    for (unsigned state = 0; state < engine->states; state++) {
        const struct step step = engine->step[state][letter->index];
        engine->reacts[state] |= step.to != state || step.placing != HECTIC_STAY;
    }
}

static void find_letters(hectic_engine *engine, const hectic_header *header)
{
    remove_all(engine);
    for (unsigned i = 0; i < engine->letters; i++)
        engine->first[engine->machine->letters[i].event] = 0;
    unsigned count = 0;
    /* The letters of an event are adjacent, in their order. */
    for (unsigned i = 0; i < engine->letters; i++) {
        const uint16_t event = engine->machine->letters[i].event;
        const unsigned first = count;
        for (unsigned k = i; k < engine->letters && engine->first[event] == 0; k++)
            if (engine->machine->letters[k].event == event &&
                resolve(engine, header, k, &engine->letter[count]))
                count++;
        if (count == first) continue;
        engine->first[event] = (uint8_t)(1 + first);
        engine->letter[count - 1].is_last = true;
    }
    engine->has_others = false;
    memset(engine->reacts, 0, sizeof engine->reacts);
    for (unsigned i = 0; i < count; i++)
        if (engine->letter[i].key.source == ALL_OTHERS) record_others(engine, &engine->letter[i]);
}

void hectic_engine_begin(hectic_engine *engine, const hectic_header *header)
{
    find_letters(engine, header);
    engine->header = header;
    engine->replay.is_open = false;
    hectic_engine_free(engine->replayed);
    engine->replayed = NULL;
    if (!hectic_header_type(header, HECTIC_EVENT_SYNC)) return;
    engine->replayed = hectic_engine_new(engine->machine, NULL);
    if (engine->replayed) find_letters(engine->replayed, header);
}

static bool is_about_process(uint16_t number)
{
    return number == HECTIC_EVENT_CAPSET_CREATE || number == HECTIC_EVENT_CAPSET_ASSIGN_CAP;
}

bool engine_uses(const hectic_engine *engine, uint16_t number)
{
    return engine->first[number] != 0 || (engine->has_others && is_about_process(number)) ||
           (engine->replayed && number == HECTIC_EVENT_SYNC);
}

/* --- Loading --------------------------------------------------------------------------------- */

/* False if the payload ends before the field. The caller handles the other sources. */
static inline bool load(const struct reference *from, const hectic_event *event, uint64_t *number)
{
    if (from->source == OWN_CAP) {
        *number = event->cap;
        return true;
    }
    if (event->size < from->offset + from->width) return false;
    *number = field_load(event->payload + from->offset, from->width);
    return true;
}

static inline bool holds(const struct letter *letter, const hectic_event *event)
{
    if (letter->where.source == NOTHING) return true;
    uint64_t value;
    if (!load(&letter->where, event, &value)) return false;
    return letter->values == 0 ? value == event->cap && event->cap != HECTIC_CAP_NONE
                               : value < 64 && (letter->values >> value & 1);
}

/* --- Profiles -------------------------------------------------------------------------------- */

static uint32_t stays_take(hectic_engine *engine)
{
    const uint32_t free = engine->stays_free;
    if (free) {
        hectic_stay *stay = &engine->stays[(size_t)(free - 1) * engine->states];
        engine->stays_free = (uint32_t)stay->count;
        memset(stay, 0, engine->states * sizeof *stay);
        return free;
    }
    if (engine->stays_used == engine->stays_capacity) {
        const size_t capacity = engine->stays_capacity ? engine->stays_capacity / 2 * 3 : 64;
        if (capacity >= UINT32_MAX) return 0;
        hectic_stay *grown = realloc(engine->stays, capacity * engine->states * sizeof *grown);
        if (grown == NULL) return 0;
        engine->stays = grown;
        engine->stays_capacity = capacity;
    }
    memset(&engine->stays[engine->stays_used * engine->states], 0,
           engine->states * sizeof *engine->stays);
    return (uint32_t)++engine->stays_used;
}

static void stays_free_one(hectic_engine *engine, uint32_t stays)
{
    if (stays == 0) return;
    engine->stays[(size_t)(stays - 1) * engine->states].count = engine->stays_free;
    engine->stays_free = stays;
}

static hectic_stay *stays_of(const hectic_engine *engine, const struct key_slot *slot)
{
    return slot->stays ? &engine->stays[(size_t)(slot->stays - 1) * engine->states] : NULL;
}

static hectic_profile profile_of(const hectic_engine *engine, const struct key_slot *slot)
{
    return (hectic_profile){.key = slot->key,
                            .state = slot->state,
                            .since = slot->since,
                            .has_place = slot->has_place,
                            .place = slot->place,
                            .stay = stays_of(engine, slot)};
}

/* --- Keys ------------------------------------------------------------------------------------ */

static inline uint8_t state_of(const hectic_engine *engine, const struct key_slot *slot,
                               uint64_t key)
{
    if (slot && slot->state) return slot->state;
    return engine->ended.count && map_has_member(&engine->ended, key) ? engine->machine->final : 0;
}

/* Makes a key live that is dead or not in the table (`slot` NULL). NULL: out of memory. */
static struct key_slot *revive(hectic_engine *engine, struct key_slot *slot, uint64_t key,
                               uint8_t state, uint64_t time)
{
    if (slot == NULL) slot = keys_add(&engine->keys, key);
    if (slot == NULL) return NULL;
    if (engine->observer.profile && (slot->stays = stays_take(engine)) == 0) return NULL;
    if (state != 0) map_remove_member(&engine->ended, key);
    slot->state = state;
    slot->since = time;
    return slot;
}

/* --- Places ---------------------------------------------------------------------------------- */

/* A place that was left stays in the table as vacant: it will be occupied again. */
static void leave(hectic_engine *engine, struct key_slot *slot)
{
    if (!slot->has_place) return;
    slot->has_place = false;
    if (!engine->machine->exclusive) return;
    struct key_slot *occupant = keys_find(&engine->occupants, slot->place);
    if (occupant) occupant->has_place = false;
}

static bool enter(hectic_engine *engine, struct key_slot *slot, uint64_t place)
{
    leave(engine, slot);
    if (engine->machine->exclusive) {
        struct key_slot *occupant = keys_find(&engine->occupants, place);
        if (occupant == NULL) occupant = keys_add(&engine->occupants, place);
        if (occupant == NULL) return false;
        occupant->has_place = true;
        occupant->place = slot->key;
    }
    slot->has_place = true;
    slot->place = place;
    return true;
}

/* The key at a place, or NULL. */
static const struct key_slot *occupant_of(const hectic_engine *engine, uint64_t place)
{
    const struct key_slot *occupant = keys_find(&engine->occupants, place);
    return occupant && occupant->has_place ? occupant : NULL;
}

/* --- A step ---------------------------------------------------------------------------------- */

/* The effect of a letter on one key. */
struct move {
    const hectic_event *event;
    const struct letter *letter;
    uint64_t key;
    uint64_t place;   /* the letter's, if it has one */
    uint64_t leaving; /* the letter's, if it has one */
};

static inline bool is_entering(struct step step)
{
    return step.placing == HECTIC_ENTER || step.placing == HECTIC_MOVE;
}

static void enter_state(hectic_engine *engine, struct key_slot *slot, uint8_t state, uint64_t time)
{
    if (slot->stays && slot->state != 0) {
        hectic_stay *stay = &stays_of(engine, slot)[slot->state];
        stay->ns += time - slot->since;
        stay->count++;
    }
    slot->state = state;
    slot->since = time;
}

/* Of a key in the final state, only that is kept. False: out of memory. */
static bool end_key(hectic_engine *engine, struct key_slot *slot)
{
    if (engine->observer.ended) {
        const hectic_profile profile = profile_of(engine, slot);
        engine->observer.ended(engine->observer.user, &profile);
    }
    leave(engine, slot);
    slot->state = 0;
    return map_add_member(&engine->ended, slot->key);
}

static void report_change(const hectic_engine *engine, const struct move *move,
                          const struct key_slot *before, const struct key_slot *slot)
{
    const bool has_moved =
        before->has_place != slot->has_place || (slot->has_place && before->place != slot->place);
    if (engine->observer.changed == NULL || (before->state == slot->state && !has_moved)) return;
    const hectic_change change = {.event = move->event,
                                  .key = move->key,
                                  .from = before->state,
                                  .to = slot->state,
                                  .has_since =
                                      before->state != 0 && move->event->type != HECTIC_EVENT_SYNC,
                                  .since = before->since,
                                  .has_place = slot->has_place,
                                  .place = slot->place};
    engine->observer.changed(engine->observer.user, &change);
}

/* --- Processes ------------------------------------------------------------------------------- */

static bool set_place(map *keys, uint64_t key, uint64_t place)
{
    struct key_slot *slot = keys_find(keys, key);
    if (slot == NULL) slot = keys_add(keys, key);
    if (slot == NULL) return false;
    slot->has_place = true; /* otherwise it would be dead */
    slot->place = place;
    return true;
}

/* Caps without an assignment share one process. */
static uint64_t process_of(const hectic_engine *engine, uint64_t cap)
{
    const struct key_slot *process = keys_find(&engine->process, cap);
    return process ? process->place : UINT64_MAX;
}

static bool list_append(struct list *list, uint64_t key)
{
    if (!array_reserve(list->key, list->capacity, list->count + 1)) return false;
    list->key[list->count++] = key;
    return true;
}

/* Adds a key to the list of its process, if it reacts to letters for all others. */
static bool list_key(hectic_engine *engine, struct key_slot *slot)
{
    if (slot->is_listed || key_is_dead(slot) || !engine->reacts[slot->state]) return true;
    const uint64_t process = process_of(engine, slot->key);
    const struct key_slot *of = keys_find(&engine->list_of, process);
    if (!of) {
        struct list *lists = realloc(engine->list, (engine->lists + 1) * sizeof *lists);
        if (!lists) return false;
        engine->list = lists;
        lists[engine->lists] = (struct list){0};
        if (!set_place(&engine->list_of, process, ++engine->lists)) return false;
        of = keys_find(&engine->list_of, process);
    }
    slot->is_listed = list_append(&engine->list[of->place - 1], slot->key);
    return slot->is_listed;
}

/* Assigns the cap to the process. */
static bool join_process(hectic_engine *engine, uint64_t cap, uint64_t process)
{
    if (!set_place(&engine->process, cap, process)) return false;
    struct key_slot *slot = keys_find(&engine->keys, cap);
    if (slot) slot->is_listed = false;
    return !slot || list_key(engine, slot);
}

/* Tracks which capsets are processes, and their caps. False: out of memory. */
static bool follow_process(hectic_engine *engine, const hectic_event *event)
{
    enum { OS_PROCESS = 2 };
    const hectic_shape *shape = event->declared->shape;
    hectic_value value[HECTIC_MAX_FIELDS];
    if (shape == NULL ||
        hectic_shape_walk(shape, event->payload, event->size, value, NULL) < shape->field_count)
        return true;
    const uint64_t capset = value[0].number;
    if (event->type == HECTIC_EVENT_CAPSET_CREATE)
        return value[1].number != OS_PROCESS || set_place(&engine->processes, capset, 0);
    return keys_find(&engine->processes, capset) == NULL ||
           join_process(engine, value[1].number, capset);
}

/* True if the states contradict each other, without an event in between. */
static bool contradicts(const hectic_machine *machine, const struct key_slot *is,
                        const struct key_slot *replayed)
{
    if (machine->replay_classes)
        return machine->replay_classes[is->state] != machine->replay_classes[replayed->state];
    return (is->state == 0) != (replayed->state == 0) || is->has_place != replayed->has_place ||
           (is->has_place && is->place != replayed->place);
}

/* Would a complete replay without the key change it? */
static bool is_unsettled(const hectic_engine *engine, const struct key_slot *slot)
{
    const struct key_slot absent = {.state = engine->machine->final};
    return !key_is_dead(slot) && contradicts(engine->machine, slot, &absent);
}

static void drop_settled(hectic_engine *engine)
{
    struct list *list = &engine->unsettled;
    const size_t count = list->count;
    list->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct key_slot *slot = keys_find(&engine->keys, list->key[i]);
        if (!slot || !slot->is_unsettled) continue; /* or it is in the list twice */
        slot->is_unsettled = false;
        if (is_unsettled(engine, slot)) list->key[list->count++] = slot->key;
    }
    for (size_t i = 0; i < list->count; i++)
        keys_find(&engine->keys, list->key[i])->is_unsettled = true;
}

/* So that a replay need not look at all keys. */
static bool list_unsettled(hectic_engine *engine, struct key_slot *slot)
{
    struct list *list = &engine->unsettled;
    if (slot->is_unsettled || !is_unsettled(engine, slot)) return true;
    if (list->count == list->capacity) {
        drop_settled(engine);
        if (list->count >= list->capacity / 2 &&
            !array_reserve(list->key, list->capacity, list->capacity + 1))
            return false;
    }
    slot->is_unsettled = list_append(list, slot->key);
    return slot->is_unsettled;
}

/* Moves a key to a state and a place. False: out of memory. */
static bool settle(hectic_engine *engine, const struct move *move, struct key_slot *slot,
                   struct step step)
{
    const uint64_t time = move->event->time;
    if (slot == NULL || key_is_dead(slot)) {
        const uint8_t from = state_of(engine, slot, move->key);
        if (step.to == from && !is_entering(step)) return true;
        slot = revive(engine, slot, move->key, from, time);
        if (slot == NULL) return false;
    }
    const struct key_slot before = *slot;
    if (step.placing == HECTIC_LEAVE) leave(engine, slot);
    if (is_entering(step) && !enter(engine, slot, move->place)) return false;
    if (step.to != slot->state) enter_state(engine, slot, step.to, time);
    report_change(engine, move, &before, slot);
    if (step.to != 0 && step.to == engine->machine->final && !end_key(engine, slot)) return false;
    if (slot->stays && key_is_dead(slot)) {
        stays_free_one(engine, slot->stays);
        slot->stays = 0;
    }
    if (engine->replayed && !list_unsettled(engine, slot)) return false;
    return !engine->has_others || list_key(engine, slot);
}

/* --- Faults ---------------------------------------------------------------------------------- */

static const char *cause_of(const hectic_machine *machine, const hectic_fault *fault)
{
    for (const hectic_cause *c = machine->causes; c && c->text; c++)
        if (c->kind == fault->kind && (c->state == HECTIC_ANY || c->state == fault->state) &&
            (c->letter == HECTIC_ANY || c->letter == fault->letter))
            return c->text;
    return fault->kind == HECTIC_FAULT_NO_CAP
               ? "its block is damaged, or the log was merged incorrectly"
               : "earlier events were lost or not logged: the log is damaged or starts in the "
                 "middle, or classes of events were switched on or off";
}

static void report(hectic_engine *engine, const struct move *move, const struct key_slot *slot,
                   hectic_fault *fault)
{
    if (engine->is_in_gap) return;
    engine->counts.faults++;
    if (engine->observer.faulted == NULL) return;
    fault->event = move->event;
    fault->letter = move->letter->index;
    fault->has_key = fault->kind != HECTIC_FAULT_NO_CAP;
    if (fault->has_key) {
        fault->key = move->key;
        fault->state = state_of(engine, slot, move->key);
        fault->has_place = slot && slot->has_place;
        fault->place = slot ? slot->place : 0;
    }
    fault->cause = cause_of(engine->machine, fault);
    engine->observer.faulted(engine->observer.user, fault);
}

/* Another key at the letter's place, or NULL. */
static const struct key_slot *other_occupant(const hectic_engine *engine, const struct move *move)
{
    if (!engine->machine->exclusive) return NULL;
    const struct key_slot *occupant = occupant_of(engine, move->place);
    return occupant && occupant->place != move->key ? occupant : NULL;
}

/* Continues as if the letter had been correct. */
static bool force(hectic_engine *engine, const struct move *move, struct step step)
{
    if (step.to == NOWHERE) step = engine->forced[move->letter->index];
    if (step.to == NOWHERE) return true;
    const struct key_slot *occupant = other_occupant(engine, move);
    if ((is_entering(step) || step.placing == HECTIC_PASS) && occupant) {
        struct move away = *move;
        away.key = occupant->place;
        struct key_slot *slot = keys_find(&engine->keys, away.key);
        const uint8_t displaced = engine->displaced[slot->state];
        const struct step leaves = {displaced == NOWHERE ? slot->state : displaced, HECTIC_LEAVE};
        if (!settle(engine, &away, slot, leaves)) return false;
    }
    return settle(engine, move, keys_find(&engine->keys, move->key), step);
}

/* --- Taking letters -------------------------------------------------------------------------- */

/* True if the effect of a step on the key's place is possible. */
static inline bool can_place(const hectic_engine *engine, const struct move *move,
                             const struct key_slot *slot, struct step step)
{
    switch (step.placing) {
    case HECTIC_MOVE:
        if (!(slot && slot->has_place && slot->place == move->leaving)) return false;
        return other_occupant(engine, move) == NULL;
    case HECTIC_ENTER:
    case HECTIC_PASS: return other_occupant(engine, move) == NULL;
    default: return true;
    }
}

/* Reports a faulty letter, and continues. */
static bool take_fault(hectic_engine *engine, const struct move *move, const struct key_slot *slot,
                       struct step step)
{
    const struct key_slot *occupant = other_occupant(engine, move);
    hectic_fault fault = {.kind = HECTIC_FAULT_STATE};
    if (step.to != NOWHERE && step.placing == HECTIC_MOVE &&
        !(slot && slot->has_place && slot->place == move->leaving)) {
        fault.kind = HECTIC_FAULT_PLACE;
        fault.wanted = move->leaving;
    } else if (step.to != NOWHERE) {
        fault.kind = HECTIC_FAULT_OCCUPIED;
        fault.wanted = move->place;
        fault.occupant = occupant->place;
    }
    report(engine, move, slot, &fault);
    return force(engine, move, step);
}

/* A second creation of an existing key: announced again for a late reader. */
static bool is_announced_again(const hectic_engine *engine, const struct move *move, uint8_t state)
{
    return engine->machine->letters[move->letter->index].announces && state != 0 &&
           state != engine->machine->final;
}

/* Records the position of the key's last letter. */
static bool touch(hectic_engine *engine, const struct move *move)
{
    enum { TOUCHED_MAX = 1 << 18 };
    if (engine->touched.count >= TOUCHED_MAX) map_clear(&engine->touched);
    return set_place(&engine->touched, move->key, move->event->position);
}

/* Applies the letter to a key. False: out of memory. */
static inline bool take(hectic_engine *engine, const struct move *move, struct key_slot *slot)
{
    const uint8_t state = state_of(engine, slot, move->key);
    const struct step step = engine->step[state][move->letter->index];
    if (engine->replayed && !touch(engine, move)) return false;
    if (step.to == NOWHERE && is_announced_again(engine, move, state)) {
        hectic_fault fault = {.kind = HECTIC_FAULT_STATE};
        if (!engine->observer.lenient) report(engine, move, slot, &fault);
        return true;
    }
    if (step.to == state && step.placing == HECTIC_STAY) return true;
    if (step.to != NOWHERE && can_place(engine, move, slot, step))
        return settle(engine, move, slot, step);
    return take_fault(engine, move, slot, step);
}

/* Applies the letter to the keys in a list except the event's own cap. Keys that no longer react
 * are removed from the list. */
static bool take_listed(hectic_engine *engine, struct move *move, size_t which)
{
    const uint64_t process = process_of(engine, move->event->cap);
    const struct list listed = engine->list[which];
    bool good = true;
    /* Keys that stay in a list are added again. */
    engine->list[which] = (struct list){0};
    for (size_t i = 0; i < listed.count && good; i++) {
        move->key = listed.key[i];
        struct key_slot *slot = keys_find(&engine->keys, move->key);
        if (!slot || !slot->is_listed || process_of(engine, move->key) != process) continue;
        slot->is_listed = false;
        if (key_is_dead(slot) || !engine->reacts[slot->state]) continue;
        if (move->key != move->event->cap) good = take(engine, move, slot);
        slot = keys_find(&engine->keys, move->key);
        good = good && list_key(engine, slot);
    }
    free(listed.key);
    return good;
}

/* Applies the letter to every cap of the process except the event's own. */
static bool take_others(hectic_engine *engine, struct move *move)
{
    const struct key_slot *of = keys_find(&engine->list_of, process_of(engine, move->event->cap));
    return !of || take_listed(engine, move, (size_t)of->place - 1);
}

static bool take_letter(hectic_engine *engine, const struct letter *letter,
                        const hectic_event *event)
{
    struct move move = {.event = event, .letter = letter};
    if (letter->on_cap && event->cap == HECTIC_CAP_NONE) {
        hectic_fault fault = {.kind = HECTIC_FAULT_NO_CAP};
        report(engine, &move, NULL, &fault);
        return true;
    }
    if (letter->place.source != NOTHING && !load(&letter->place, event, &move.place)) return true;
    if (letter->leaving.source != NOTHING && !load(&letter->leaving, event, &move.leaving))
        return true;
    if (letter->key.source == ALL_OTHERS) return take_others(engine, &move);
    if (letter->key.source == OCCUPANT) {
        const struct key_slot *occupant = occupant_of(engine, event->cap);
        if (occupant == NULL) return true;
        move.key = occupant->place;
    } else if (!load(&letter->key, event, &move.key)) {
        return true;
    }
    return take(engine, &move, keys_find(&engine->keys, move.key));
}

static bool read_event(hectic_engine *engine, const hectic_event *event)
{
    bool is_read = false, good = true;
    const struct letter *letter = &engine->letter[engine->first[event->type] - 1];
    for (;; letter++) {
        const bool is_for_others = letter->key.source == ALL_OTHERS;
        if ((is_for_others || !is_read) && holds(letter, event)) {
            good = take_letter(engine, letter, event) && good;
            if (!is_for_others) engine->counts.events += !letter->is_context;
            is_read |= !is_for_others;
        }
        if (letter->is_last) break;
    }
    return good;
}

static bool take_event(hectic_engine *engine, const hectic_event *event)
{
    if (engine->has_others && is_about_process(event->type) && !follow_process(engine, event))
        return false;
    return engine->first[event->type] == 0 || read_event(engine, event);
}

/* --- Replays --------------------------------------------------------------------------------- */

static bool replay_event(hectic_engine *engine, const hectic_event *sync)
{
    hectic_event replayed;
    if (!engine->replay.is_open) {
        remove_all(engine->replayed);
        engine->sync = *sync;
        engine->sync.payload = NULL;
        engine->sync.size = 0;
    }
    if (!replay_take(&engine->replay, sync, &replayed)) return true;
    replayed.declared = hectic_header_type(engine->header, replayed.type);
    return !replayed.declared || take_event(engine->replayed, &replayed);
}

/* True if the replay is complete: a key that it does not contain is not alive. */
static bool is_complete(const hectic_engine *engine)
{
    switch (engine->machine->key) {
    case HECTIC_UNIT_THREAD: return replay_includes(&engine->replay, HECTIC_CLASS_SCHEDULER);
    case HECTIC_UNIT_TASK: return replay_includes(&engine->replay, HECTIC_CLASS_TASK);
    default:
        return engine->machine
            ->replay_classes; /* of a cap only an unfinished operation is replayed */
    }
}

static bool is_later_than_replay(const hectic_engine *engine, uint64_t key)
{
    const struct key_slot *touched = keys_find(&engine->touched, key);
    return touched && touched->has_place && touched->place > engine->replay.position;
}

/* The time of the change is unknown, and so is the duration of the previous state. */
static bool correct(hectic_engine *engine, const struct key_slot *replayed)
{
    const struct move move = {
        .event = &engine->sync, .key = replayed->key, .place = replayed->place};
    const struct step step = {replayed->state, replayed->has_place ? HECTIC_ENTER : HECTIC_LEAVE};
    struct key_slot *slot = keys_find(&engine->keys, replayed->key);
    if (slot && slot->state) slot->since = move.event->time;
    if (step.placing == HECTIC_ENTER && other_occupant(engine, &move)) return true;
    return settle(engine, &move, slot, step);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The keys that the replay may change, in ascending order; some may be twice in the list. */
static bool find_changing(hectic_engine *engine, bool is_complete, struct list *changing)
{
    bool good = true;
    if (is_complete) drop_settled(engine);
    for (size_t i = 0; good && is_complete && i < engine->unsettled.count; i++)
        good = list_append(changing, engine->unsettled.key[i]);
    for (const struct key_slot *slot = NULL;
         good && (slot = map_next(&engine->replayed->keys, slot));)
        good = key_is_dead(slot) || list_append(changing, slot->key);
    if (changing->count > 0) qsort(changing->key, changing->count, sizeof(uint64_t), by_number);
    return good;
}

/* Keys that are elsewhere, or not alive, leave first, so that their places are free. */
static bool correct_leaving(hectic_engine *engine)
{
    const bool complete = is_complete(engine);
    struct list changing = {0};
    bool good = find_changing(engine, complete, &changing);
    for (size_t i = 0; good && i < changing.count; i++) {
        const uint64_t key = changing.key[i];
        struct key_slot *slot = keys_find(&engine->keys, key);
        if (!slot || key_is_dead(slot) || is_later_than_replay(engine, key)) continue;
        struct key_slot absent = {.key = key, .state = engine->machine->final};
        const struct key_slot *replayed = keys_find(&engine->replayed->keys, key);
        if (!replayed || key_is_dead(replayed)) replayed = complete ? &absent : NULL;
        if (!replayed || !contradicts(engine->machine, slot, replayed)) continue;
        if (replayed->has_place)
            leave(engine, slot);
        else
            good = correct(engine, replayed);
    }
    free(changing.key);
    return good;
}

static bool correct_coming(hectic_engine *engine)
{
    size_t count;
    struct key_slot **keys = keys_sorted(&engine->replayed->keys, &count);
    bool good = keys;
    for (size_t i = 0; good && i < count; i++) {
        const struct key_slot *replayed = keys[i];
        if (map_has_member(&engine->ended, replayed->key) ||
            is_later_than_replay(engine, replayed->key))
            continue;
        const struct key_slot none = {.key = replayed->key};
        const struct key_slot *slot = keys_find(&engine->keys, replayed->key);
        if (contradicts(engine->machine, slot ? slot : &none, replayed))
            good = correct(engine, replayed);
    }
    free(keys);
    return good;
}

/* Positions before the replay are not needed any more. */
static void clear_touched(hectic_engine *engine)
{
    bool is_needed = false;
    for (struct key_slot *slot = NULL; (slot = map_next(&engine->touched, slot));) {
        if (slot->place <= engine->replay.position) slot->has_place = false;
        is_needed |= slot->has_place;
    }
    if (!is_needed) map_clear(&engine->touched);
}

bool hectic_engine_end(hectic_engine *engine)
{
    if (!engine->replay.is_open) return true;
    const bool good = correct_leaving(engine) && correct_coming(engine);
    engine->replay.is_open = false;
    clear_touched(engine);
    return good;
}

void hectic_engine_set_gap(hectic_engine *engine, bool is_in_gap)
{
    engine->is_in_gap = is_in_gap;
}

bool hectic_engine_event(hectic_engine *engine, const hectic_event *event)
{
    if (replay_ends_at(&engine->replay, event) && !hectic_engine_end(engine)) return false;
    if (event->type == HECTIC_EVENT_SYNC) return !engine->replayed || replay_event(engine, event);
    return take_event(engine, event);
}

/* --- Results --------------------------------------------------------------------------------- */

hectic_engine_counts hectic_engine_count(const hectic_engine *engine)
{
    return engine->counts;
}

bool hectic_engine_occupant(const hectic_engine *engine, uint64_t place, uint64_t *key)
{
    const struct key_slot *occupant = occupant_of(engine, place);
    if (occupant) *key = occupant->place;
    return occupant != NULL;
}

bool hectic_engine_each(const hectic_engine *engine,
                        void (*visit)(void *user, const hectic_profile *profile), void *user)
{
    size_t count;
    struct key_slot **sorted = keys_sorted(&engine->keys, &count);
    if (sorted == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const hectic_profile profile = profile_of(engine, sorted[i]);
        visit(user, &profile);
    }
    free(sorted);
    return true;
}

/* --- Texts ----------------------------------------------------------------------------------- */

/* "thread 7", "task 0x7f00" */
static const char *name_of(hectic_unit unit, uint64_t number, char buffer[48])
{
    snprintf(buffer, 48, unit == HECTIC_UNIT_TASK ? "%s 0x%" PRIx64 : "%s %" PRIu64,
             hectic_unit_name(unit), number);
    return buffer;
}

char *hectic_fault_text(const hectic_machine *machine, const hectic_fault *fault, char *text,
                        size_t size)
{
    char key[48], place[48], other[48];
    if (fault->kind == HECTIC_FAULT_NO_CAP) {
        snprintf(text, size, "it does not belong to a cap");
        return text;
    }
    name_of(machine->key, fault->key, key);
    if (fault->kind == HECTIC_FAULT_OCCUPIED)
        snprintf(text, size, "%s is occupied by %s; %s is %s",
                 name_of(machine->place, fault->wanted, place),
                 name_of(machine->key, fault->occupant, other), key, machine->states[fault->state]);
    else if (fault->has_place)
        snprintf(text, size, "%s is %s, %s%s", key, machine->states[fault->state],
                 machine->place == HECTIC_UNIT_CAP ? "on " : "with ",
                 name_of(machine->place, fault->place, place));
    else
        snprintf(text, size, "%s is %s", key, machine->states[fault->state]);
    return text;
}
