/* hectic/machine.h — state machines over a log: does it tell a story that can be true?
 *
 * A machine is a table: states, an alphabet of letters (which events it reads), transitions and a
 * final state. One engine runs any machine over events in order of time, with a state for each key
 * that the events name (a thread, a task, a cap). It reports every change of state, and every event
 * for which a key's state has no transition: a fault. After a fault it goes on as if the event were
 * right, so that one lost event is one fault; but a key that is announced again stays as it is.
 *
 * A key can also be *at a place* (a thread on a cap). Where places are exclusive, only one key can
 * be at each, and letters without a key of their own can be routed to the one who is there.
 *
 *     enum { CLOSED, OPEN };
 *     enum { OPENS, CLOSES };
 *     static const hectic_machine doors = {
 *         .name = "doors", .key = HECTIC_UNIT_CAP,
 *         .states = (const char *const[]){"closed", "open", NULL},
 *         .letters = (const hectic_letter[]){
 *             {.event = HECTIC_EVENT_GC_START, .key = HECTIC_OWN_CAP},
 *             {.event = HECTIC_EVENT_GC_END, .key = HECTIC_OWN_CAP}, {0}},
 *         .transitions = (const hectic_transition[]){
 *             {CLOSED, OPENS, OPEN, HECTIC_STAY}, {OPEN, CLOSES, CLOSED, HECTIC_STAY},
 *             HECTIC_TRANSITIONS_END},
 *     };
 *
 * Memory: a key that has left the initial state costs 43 to 85 bytes (and 16 for each state where a
 * profile is kept) until it returns there, and less than a byte once it is in the final state. An
 * engine is used by one thread at a time; it performs no input or output.
 */
#ifndef HECTIC_MACHINE_H
#define HECTIC_MACHINE_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a letter's `key` or `place` can be besides the name of a field. */
#define HECTIC_OWN_CAP "@cap" /**< the cap that the event is written on */
#define HECTIC_OCCUPANT                                                                            \
    "@occupant"                     /**< key: the one whose place is that cap; nobody: no letter   \
                                     */
#define HECTIC_ALL_OTHERS "@others" /**< key: every other cap of that process that has a state */

/** One letter of the alphabet: an event, or an event with certain values. An event is the first
 *  letter whose condition holds; those of HECTIC_ALL_OTHERS are read besides. Fields must have a
 *  fixed place in the event: integers that no text comes before. A letter whose event the log does
 *  not declare, or in a shape without these fields, does not occur. */
typedef struct hectic_letter {
    uint16_t event;
    const char *key;   /**< the field that names the key, or one of the above. NULL ends the list */
    const char *where; /**< only where this field … (NULL: always) */
    uint64_t among;    /**< … has a value whose bit is set; 0: … is the event's own cap */
    const char *place; /**< the field that names the place to be at, or HECTIC_OWN_CAP */
    const char *leaving; /**< for HECTIC_MOVE: the field that names the place to come from */
    bool on_cap;         /**< a fault where the event belongs to no cap */
    bool announces;      /**< the key comes to be; where it is there already, and not in the final
                              state, it is announced again: nothing changes */
    bool context;        /**< read to follow what goes on; alone, it is nothing to check */
} hectic_letter;

/** What a transition does with the key's place. */
typedef enum hectic_placing {
    HECTIC_STAY,  /**< nothing */
    HECTIC_ENTER, /**< it is at the letter's place now; a fault where that is exclusive and taken */
    HECTIC_LEAVE, /**< it is nowhere now */
    HECTIC_MOVE,  /**< as ENTER, and a fault unless it was at `leaving` before */
    HECTIC_PASS,  /**< it stays where it is; a fault where the letter's place is taken */
} hectic_placing;

/** A transition. States and letters are their indices in the machine's lists. */
typedef struct hectic_transition {
    uint8_t from, letter, to;
    uint8_t placing;
} hectic_transition;

#define HECTIC_ANY 0xffu /**< any state, or any letter, where a cause is told */
#define HECTIC_TRANSITIONS_END                                                                     \
    {                                                                                              \
        HECTIC_ANY, 0, 0, 0                                                                        \
    }

typedef enum hectic_fault_kind {
    HECTIC_FAULT_STATE,    /**< the key's state has no transition for the letter */
    HECTIC_FAULT_OCCUPIED, /**< somebody else is at the place */
    HECTIC_FAULT_PLACE,    /**< the key is not at the place that it is said to leave */
    HECTIC_FAULT_NO_CAP,   /**< the event stands outside of every cap's block */
} hectic_fault_kind;

/** What usually makes the log contradict itself so. The first that fits is told. */
typedef struct hectic_cause {
    hectic_fault_kind kind;
    uint8_t state, letter;
    const char *text; /**< NULL ends the list */
} hectic_cause;

/** At most so many states, and letters. */
#define HECTIC_MACHINE_MAX 32

typedef struct hectic_machine {
    const char *name;  /**< "threads" */
    const char *about; /**< half a sentence */
    hectic_unit key;   /**< what its keys are */
    hectic_unit place; /**< what its places are; HECTIC_UNIT_NONE: it has none */
    bool exclusive;    /**< one key at each place */
    bool older_shapes; /**< reads shapes of events that GHC's own tools no longer know, too */
    uint8_t final;     /**< the state that nothing follows; 0: there is none */
    const char *const *states; /**< names; the first is the initial one. NULL ends */
    const hectic_letter *letters;
    /** Of those for one letter, the first is where the engine goes on after a fault; of those that
     *  LEAVE one state, the first is what becomes of one whose place another takes. */
    const hectic_transition *transitions;
    const hectic_cause *causes; /**< or NULL */
    /** NULL: a replay (SYNC events) contradicts what was known of a key if that was in its initial
     *  state and is not, or the other way round, or if it is at another place. Else a number for
     *  each state: a replay contradicts a state that has another number. */
    const uint8_t *alike;
} hectic_machine;

/** The machines that come with the library: threads, threadpool, threadrun, taskpool, tasks,
 *  sparks and gc. All but gc judge as those of ghc-events do. Sets *count. */
const hectic_machine *const *hectic_machines(size_t *count);

/** The one of that name, or NULL. */
const hectic_machine *hectic_machine_by_name(const char *name);

/** A change of a key's state or place. */
typedef struct hectic_change {
    const hectic_event *event;
    uint64_t key;
    uint8_t from, to;
    bool has_since;
    uint64_t since; /**< when `from` began, ns; not known of the initial state */
    bool has_place;
    uint64_t place; /**< where it is now */
} hectic_change;

/** An event that cannot be right, or not after those before it. */
typedef struct hectic_fault {
    const hectic_event *event;
    hectic_fault_kind kind;
    uint8_t letter;
    bool has_key; /**< not for HECTIC_FAULT_NO_CAP */
    uint64_t key;
    uint8_t state; /**< that the key was in */
    bool has_place;
    uint64_t place;    /**< where it was */
    uint64_t wanted;   /**< HECTIC_FAULT_OCCUPIED: the place it was to be at; _PLACE: to leave */
    uint64_t occupant; /**< HECTIC_FAULT_OCCUPIED: who is there */
    const char *cause; /**< what usually causes it */
} hectic_fault;

/** How long a key was in a state, and how often. */
typedef struct hectic_stay {
    uint64_t ns; /**< of stays that have ended */
    uint64_t count;
} hectic_stay;

/** A key and its past. */
typedef struct hectic_profile {
    uint64_t key;
    uint8_t state;
    uint64_t since; /**< when it entered that state, ns */
    bool has_place;
    uint64_t place;
    const hectic_stay *stay; /**< for each state; NULL where no profile is kept */
} hectic_profile;

/** Who wants to know what. All may be NULL. Pointers are valid during the call. */
typedef struct hectic_observer {
    void (*changed)(void *user, const hectic_change *change);
    void (*faulted)(void *user, const hectic_fault *fault);
    void (*ended)(void *user, const hectic_profile *profile); /**< a key is in the final state */
    void *user;
    bool profile; /**< keep how long each key was in each state */
    bool lenient; /**< keys may be announced again; otherwise that is a fault, as for ghc-events */
} hectic_observer;

typedef struct hectic_engine hectic_engine;

/** An engine for the machine (which must outlive it); NULL: no memory, or the machine names states
 *  or letters that it does not have, or too many. `observer` may be NULL. */
hectic_engine *hectic_engine_new(const hectic_machine *machine, const hectic_observer *observer);
void hectic_engine_free(hectic_engine *engine);

/** A section begins, with the header that its events were declared in: all keys are forgotten. */
void hectic_engine_begin(hectic_engine *engine, const hectic_header *header);

/** Could events of that number matter to the machine, in this section? Others need not be fed. */
bool hectic_engine_uses(const hectic_engine *engine, uint16_t number);

/** Takes an event; feed them in order of time. False: no memory, the event is not taken.
 *  What SYNC events replay corrects what is known, where that cannot have become so unseen: a key
 *  that is not replayed has come to the final state (or the initial one), one that is replayed is
 *  where that says. The observer is told of it as of a change at that time whose event is a SYNC,
 *  without its payload; how long the state before lasted is not known, and counts as nothing. */
bool hectic_engine_event(hectic_engine *engine, const hectic_event *event);

/** Events may be missing from now on, or no more: until then what does not fit is taken as right,
 *  and is no fault. See hectic_gap_list. */
void hectic_engine_set_gap(hectic_engine *engine, bool is_in_gap);

/** The section has ended: corrects by a replay that it ends with. False: no memory. */
bool hectic_engine_end(hectic_engine *engine);

/** How far it got, over all sections. */
typedef struct hectic_engine_counts {
    uint64_t events; /**< that were letters, and no mere context */
    uint64_t faults;
} hectic_engine_counts;
hectic_engine_counts hectic_engine_count(const hectic_engine *engine);

/** Keys that have a state now. It looks through all. */
uint64_t hectic_engine_key_count(const hectic_engine *engine);

/** Who is at an exclusive place now? False: nobody. */
bool hectic_engine_occupant(const hectic_engine *engine, uint64_t place, uint64_t *key);

/** Calls `visit` for each key that has a state, in ascending order. False: no memory. */
bool hectic_engine_each(const hectic_engine *engine,
                        void (*visit)(void *user, const hectic_profile *profile), void *user);

/** What is wrong, and how things stood: "thread 7 is running on cap 1". Returns text; 200 bytes are
 *  always enough. */
char *hectic_fault_text(const hectic_machine *machine, const hectic_fault *fault, char *text,
                        size_t size);

#ifdef __cplusplus
}
#endif
#endif
