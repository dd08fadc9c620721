/* hectic/machine.h — state machines that check a log for contradictions.
 *
 * A machine is a table: states, an alphabet of letters (the events it reads), transitions and a
 * final state. One engine runs any machine on events in order of time, with a state for each key in
 * the events (a thread, a task, a cap). It reports every change of state, and every fault: an event
 * for which a key's state has no transition. After a fault it continues as if the event were
 * correct, so one lost event is one fault; but a key that is announced again keeps its state.
 *
 * A key can also be *at a place* (a thread on a cap). If places are exclusive, only one key can be
 * at each, and letters without their own key can refer to the key at a place (its occupant).
 *
 *     enum { OUTSIDE, COLLECTING };
 *     enum { START, END };
 *     static const hectic_machine collections = {
 *         .name = "collections", .key = HECTIC_UNIT_CAP,
 *         .states = (const char *const[]){"outside collections", "collecting", NULL},
 *         .letters = (const hectic_letter[]){
 *             {.event = HECTIC_EVENT_GC_START, .key = HECTIC_OWN_CAP},
 *             {.event = HECTIC_EVENT_GC_END, .key = HECTIC_OWN_CAP}, {0}},
 *         .transitions = (const hectic_transition[]){
 *             {OUTSIDE, START, COLLECTING, HECTIC_STAY},
 *             {COLLECTING, END, OUTSIDE, HECTIC_STAY},
 *             HECTIC_TRANSITIONS_END},
 *     };
 *
 * Memory: a key that has left the initial state takes 43 to 85 bytes (and 16 for each state if a
 * profile is kept) until it returns there, and less than a byte in the final state. An engine may
 * be used by one thread at a time; it performs no input or output.
 */
#ifndef HECTIC_MACHINE_H
#define HECTIC_MACHINE_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Values of a letter's `key` or `place` other than the name of a field. */
#define HECTIC_OWN_CAP "@cap" /**< the cap that the event is written on */
/** key: the occupant of that cap; none: the event is not a letter */
#define HECTIC_OCCUPANT   "@occupant"
#define HECTIC_ALL_OTHERS "@others" /**< key: every other cap of the process that has a state */

/** One letter of the alphabet: an event, or an event with certain values. An event is the first
 *  letter whose condition holds, and in addition those with HECTIC_ALL_OTHERS. Fields must have a
 *  fixed offset in the event: integers without a text before them. A letter does not occur if the
 *  log does not declare its event, or declares a shape without these fields. */
typedef struct hectic_letter {
    uint16_t event;
    const char *key;     /**< the field with the key, or one of the above. NULL ends the list */
    const char *where;   /**< it occurs only with certain values of this field; NULL: always */
    uint64_t values;     /**< a bit for each of these values; 0: the event's own cap */
    const char *place;   /**< the field with the place, or HECTIC_OWN_CAP */
    const char *leaving; /**< for HECTIC_MOVE: the field with the previous place */
    bool on_cap;         /**< a fault if the event does not belong to a cap */
    bool announces; /**< the key is created; if it exists already, and is not in the final state, it
                       is announced again: nothing changes */
    bool context;   /**< read for context only: not counted as checked */
} hectic_letter;

/** The effect of a transition on the key's place. */
typedef enum hectic_placing {
    HECTIC_STAY,  /**< nothing */
    HECTIC_ENTER, /**< the key is at the letter's place now; a fault if that is exclusive and
                     occupied */
    HECTIC_LEAVE, /**< the key is at no place now */
    HECTIC_MOVE,  /**< as ENTER, and a fault unless the key was at `leaving` */
    HECTIC_PASS,  /**< the key stays where it is; a fault if the letter's place is occupied */
} hectic_placing;

/** A transition. States and letters are their indices in the machine's lists. */
typedef struct hectic_transition {
    uint8_t from, letter, to;
    uint8_t placing;
} hectic_transition;

#define HECTIC_ANY 0xffu /**< any state or letter, in a hectic_cause */
#define HECTIC_TRANSITIONS_END                                                                     \
    {                                                                                              \
        HECTIC_ANY, 0, 0, 0                                                                        \
    }

typedef enum hectic_fault_kind {
    HECTIC_FAULT_STATE,    /**< the key's state has no transition for the letter */
    HECTIC_FAULT_OCCUPIED, /**< another key is at the place */
    HECTIC_FAULT_PLACE,    /**< the key is not at the place that it leaves */
    HECTIC_FAULT_NO_CAP,   /**< the event is not in the block of a cap */
} hectic_fault_kind;

/** A usual cause of a fault. The first that matches is reported. */
typedef struct hectic_cause {
    hectic_fault_kind kind;
    uint8_t state, letter;
    const char *text; /**< NULL ends the list */
} hectic_cause;

/** The maximum number of states, and of letters. */
#define HECTIC_MACHINE_MAX 32

typedef struct hectic_machine {
    const char *name;  /**< "threads" */
    const char *about; /**< a short description */
    hectic_unit key;   /**< the unit of its keys */
    hectic_unit place; /**< the unit of its places; HECTIC_UNIT_NONE: no places */
    bool exclusive;    /**< one key at each place */
    bool older_shapes; /**< also reads shapes of events that GHC's own tools no longer support */
    uint8_t final;     /**< the final state; 0: none */
    const char *const *states; /**< names; the first is the initial one. NULL ends */
    const hectic_letter *letters;
    /** Of the transitions for a letter, the first gives the state after a fault. Of those that
     *  LEAVE a state, the first gives the new state of a key whose place is taken by another
     *  key. */
    const hectic_transition *transitions;
    const hectic_cause *causes; /**< or NULL */
    /** NULL: a state replay (SYNC events) contradicts the state of a key if exactly one of both is
     *  the initial state, or if the place differs. Otherwise a number for each state: a replay
     *  contradicts a state with a different number. */
    const uint8_t *replay_classes;
} hectic_machine;

/** The machines of the library: threads, threadpool, threadrun, taskpool, tasks, sparks and gc. All
 *  but gc give the same verdicts as those of ghc-events. Sets *count. */
const hectic_machine *const *hectic_machines(size_t *count);

/** The machine named `name`, or NULL. */
const hectic_machine *hectic_machine_by_name(const char *name);

/** A change of a key's state or place. */
typedef struct hectic_change {
    const hectic_event *event;
    uint64_t key;
    uint8_t from, to;
    bool has_since;
    uint64_t since; /**< when `from` began, ns; unknown for the initial state */
    bool has_place;
    uint64_t place; /**< its new place */
} hectic_change;

/** An event that is impossible, or impossible after those before it. */
typedef struct hectic_fault {
    const hectic_event *event;
    hectic_fault_kind kind;
    uint8_t letter;
    bool has_key; /**< not for HECTIC_FAULT_NO_CAP */
    uint64_t key;
    uint8_t state; /**< the key's state before the event */
    bool has_place;
    uint64_t place;    /**< the key's place before the event */
    uint64_t wanted;   /**< HECTIC_FAULT_OCCUPIED: the place to enter; _PLACE: to leave */
    uint64_t occupant; /**< HECTIC_FAULT_OCCUPIED: the key at that place */
    const char *cause; /**< the usual cause */
} hectic_fault;

/** How long and how often a key was in a state. */
typedef struct hectic_stay {
    uint64_t ns; /**< total of the stays that have ended */
    uint64_t count;
} hectic_stay;

/** A key and its history. */
typedef struct hectic_profile {
    uint64_t key;
    uint8_t state;
    uint64_t since; /**< when it entered that state, ns */
    bool has_place;
    uint64_t place;
    const hectic_stay *stay; /**< for each state; NULL if no profile is kept */
} hectic_profile;

/** Callbacks of an engine. All may be NULL. Pointers are valid during the call. */
typedef struct hectic_observer {
    void (*changed)(void *user, const hectic_change *change);
    void (*faulted)(void *user, const hectic_fault *fault);
    void (*ended)(void *user,
                  const hectic_profile *profile); /**< a key has reached the final state */
    void *user;
    bool profile; /**< keep how long each key was in each state */
    bool lenient; /**< keys may be announced again; otherwise that is a fault, as in ghc-events */
} hectic_observer;

typedef struct hectic_engine hectic_engine;

/** An engine for the machine, which must outlive it; NULL: out of memory, or the machine is
 *  invalid: it refers to undefined states or letters, or has too many. `observer` may be NULL. */
hectic_engine *hectic_engine_new(const hectic_machine *machine, const hectic_observer *observer);
void hectic_engine_free(hectic_engine *engine);

/** Begins a section, with the header that declares its events: removes all keys. */
void hectic_engine_begin(hectic_engine *engine, const hectic_header *header);

/** Takes an event, in order of time. False: out of memory, the event was ignored. A state replay
 *  (SYNC events) corrects the states of keys that it contradicts: a key that is not replayed is in
 *  the final state (or the initial one), a replayed key is in the replayed state. This is reported
 *  as a change at that time whose event is a SYNC without payload; the duration of the previous
 *  state is unknown, and counts as 0. */
bool hectic_engine_event(hectic_engine *engine, const hectic_event *event);

/** Declares that events may be missing from now on (a gap), or no more. In a gap, events without a
 *  transition are not faults. See hectic_gap_list. */
void hectic_engine_set_gap(hectic_engine *engine, bool is_in_gap);

/** Ends the section: applies a state replay at its end. False: out of memory. */
bool hectic_engine_end(hectic_engine *engine);

/** Totals over all sections. */
typedef struct hectic_engine_counts {
    uint64_t events; /**< that were letters other than context */
    uint64_t faults;
} hectic_engine_counts;
hectic_engine_counts hectic_engine_count(const hectic_engine *engine);

/** Sets *key to the key at an exclusive place. False: none. */
bool hectic_engine_occupant(const hectic_engine *engine, uint64_t place, uint64_t *key);

/** Calls `visit` for each key that has a state, in ascending order. False: out of memory. */
bool hectic_engine_each(const hectic_engine *engine,
                        void (*visit)(void *user, const hectic_profile *profile), void *user);

/** Writes a description of the fault, such as "thread 7 is running on cap 1". Returns text; 200
 *  bytes are always sufficient. */
char *hectic_fault_text(const hectic_machine *machine, const hectic_fault *fault, char *text,
                        size_t size);

#ifdef __cplusplus
}
#endif
#endif
