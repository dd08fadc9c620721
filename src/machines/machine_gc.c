/* machine_gc.c — the lifecycle of a garbage collection, for each cap and across caps.
 *
 * A cap that requests a collection takes part in it. Each participant starts, works and idles, is
 * done, and ends. One of them, the leader, logs that all caps have stopped, and the statistics:
 * before or after its own end, whose time is measured by the runtime. At that time no cap runs a
 * thread, and no cap can still be in the previous collection, although the ends of other caps may
 * be late: the next request may precede them.
 *
 * GHC 6.12 logged the work of a sequential collection on cap 0, whatever the leader: such a cap is
 * lent, and neither starts nor ends. */
#include "machines/machines.h"

enum {
    OUTSIDE,
    RUNNING,
    LENT,
    ASKING,
    STARTED,
    WORKING,
    IDLE,
    DONE,
    RELEASED,
    LEADING,
    COUNTED,
    ENDED,
    ENDED_LEADING,
};
enum { RUN, STOP, ASK_SEQ, ASK_PAR, START, WORK, REST, FINISH, END, SYNC, COUNT, OTHERS_SYNC };

#define LETTER(number)                                                                             \
    {                                                                                              \
        .event = HECTIC_EVENT_##number, .key = HECTIC_OWN_CAP, .on_cap = true                      \
    }
#define CONTEXT(number)                                                                            \
    {                                                                                              \
        .event = HECTIC_EVENT_##number, .key = HECTIC_OWN_CAP, .on_cap = true, .context = true     \
    }
#define GO(from, letter, to)                                                                       \
    {                                                                                              \
        from, letter, to, HECTIC_STAY                                                              \
    }
/* Transitions outside collections. */
#define OUTSIDE_TRANSITIONS(from)                                                                  \
    GO(from, RUN, RUNNING), GO(from, STOP, OUTSIDE), GO(from, ASK_SEQ, ASKING),                    \
        GO(from, ASK_PAR, ASKING), GO(from, START, STARTED)
/* Transitions inside a collection. */
#define INSIDE_TRANSITIONS(from)                                                                   \
    GO(from, WORK, WORKING), GO(from, REST, IDLE), GO(from, FINISH, DONE), GO(from, END, ENDED),   \
        GO(from, SYNC, LEADING), GO(from, COUNT, COUNTED), GO(from, OTHERS_SYNC, RELEASED)

const hectic_machine machine_gc = {
    .name = "gc",
    .about = "each cap requests, starts, performs and ends collections in a valid order",
    .key = HECTIC_UNIT_CAP,
    .older_shapes = true,
    .states = (const char *const[]){"outside collections", "running a thread",
                                    "lent to another cap's collection", "requesting a collection",
                                    "starting a collection", "working in a collection",
                                    "idle in a collection", "done with its part of a collection",
                                    "waiting for the end of a collection", "leading a collection",
                                    "after a collection's statistics", "after a collection's end",
                                    "after the end of a collection that it led", NULL},
    .letters = (const hectic_letter[]){[RUN] = CONTEXT(RUN_THREAD),
                                       [STOP] = CONTEXT(STOP_THREAD),
                                       [ASK_SEQ] = LETTER(REQUEST_SEQ_GC),
                                       [ASK_PAR] = LETTER(REQUEST_PAR_GC),
                                       [START] = LETTER(GC_START),
                                       [WORK] = LETTER(GC_WORK),
                                       [REST] = LETTER(GC_IDLE),
                                       [FINISH] = LETTER(GC_DONE),
                                       [END] = LETTER(GC_END),
                                       [SYNC] = LETTER(GC_GLOBAL_SYNC),
                                       [COUNT] = LETTER(GC_STATS_GHC),
                                       [OTHERS_SYNC] = {.event = HECTIC_EVENT_GC_GLOBAL_SYNC,
                                                        .key = HECTIC_ALL_OTHERS,
                                                        .on_cap = true},
                                       {0}},
    /* clang-format off */
    .transitions =
        (const hectic_transition[]){
            OUTSIDE_TRANSITIONS(OUTSIDE),
            GO(ENDED, OTHERS_SYNC, OUTSIDE),
            GO(RUNNING, RUN, RUNNING),
            GO(RUNNING, STOP, OUTSIDE),
            GO(ASKING, START, STARTED),
            GO(ASKING, OTHERS_SYNC, ASKING),
            INSIDE_TRANSITIONS(STARTED),
            INSIDE_TRANSITIONS(WORKING),
            INSIDE_TRANSITIONS(IDLE),
            INSIDE_TRANSITIONS(DONE),
            /* Another cap has led; the clocks of processors may differ slightly. */
            GO(RELEASED, REST, RELEASED),
            GO(RELEASED, FINISH, RELEASED),
            GO(RELEASED, END, OUTSIDE),
            GO(LEADING, COUNT, COUNTED),
            GO(LEADING, END, ENDED_LEADING),
            GO(COUNTED, END, OUTSIDE),
            OUTSIDE_TRANSITIONS(ENDED),
            GO(ENDED, SYNC, ENDED_LEADING),
            GO(ENDED, COUNT, OUTSIDE),
            GO(ENDED, WORK, LENT),
            OUTSIDE_TRANSITIONS(ENDED_LEADING),
            GO(ENDED_LEADING, COUNT, OUTSIDE),
            GO(ENDED_LEADING, OTHERS_SYNC, OUTSIDE),
            GO(OUTSIDE, WORK, LENT),
            OUTSIDE_TRANSITIONS(LENT),
            GO(LENT, WORK, LENT),
            GO(LENT, REST, LENT),
            GO(LENT, FINISH, LENT),
            HECTIC_TRANSITIONS_END},
    /* clang-format on */
    /* A state replay contains only that a collection has begun, not its single steps. */
    .replay_classes = (const uint8_t[]){[RUNNING] = 1,
                                        [ASKING] = 2,
                                        [STARTED] = 3,
                                        [WORKING] = 3,
                                        [IDLE] = 3,
                                        [DONE] = 3,
                                        [RELEASED] = 3,
                                        [LEADING] = 3,
                                        [COUNTED] = 3,
                                        [ENDED_LEADING] = 0},
    .causes =
        (const hectic_cause[]){
            {HECTIC_FAULT_STATE, LENT, HECTIC_ANY,
             "the start of its collection was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, RUNNING, OTHERS_SYNC,
             "the event that stopped its thread was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, HECTIC_ANY, OTHERS_SYNC,
             "the end of its previous collection was lost"},
            {HECTIC_FAULT_STATE, OUTSIDE, HECTIC_ANY,
             "the start of the collection was lost, or the log starts in the middle"},
            {HECTIC_FAULT_STATE, RUNNING, HECTIC_ANY,
             "the event that stopped its thread, or the start of the collection, was lost"},
            {HECTIC_FAULT_STATE, ASKING, HECTIC_ANY,
             "the start of the collection was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, HECTIC_ANY, RUN,
             "the end of the collection was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, HECTIC_ANY, START,
             "the end of the previous collection was lost, in a damaged or dropped block"},
            {0}},
};
