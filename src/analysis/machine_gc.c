/* machine_gc.c — the life cycle of a collection, for each cap and across caps.
 *
 * A cap that asks for a collection takes part in it. Whoever takes part starts, works and idles,
 * is done, and ends. One of them, the leader, tells that all caps are stopped and what was done:
 * before or after its own end, which is stamped with the time that the runtime measured. At that
 * moment no cap runs a thread, and no cap can be left over from the collection before, although the
 * others' ends may come late: the next request may be ahead of them.
 *
 * GHC 6.12 wrote the work of a sequential collection on cap 0, whoever led it: such a cap is lent,
 * and neither starts nor ends. */
#include "analysis/machines.h"

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
/* What can follow outside of collections. */
#define OUTSIDE_OF_ONE(from)                                                                       \
    GO(from, RUN, RUNNING), GO(from, STOP, OUTSIDE), GO(from, ASK_SEQ, ASKING),                    \
        GO(from, ASK_PAR, ASKING), GO(from, START, STARTED)
/* What can follow inside of one. */
#define INSIDE_OF_ONE(from)                                                                        \
    GO(from, WORK, WORKING), GO(from, REST, IDLE), GO(from, FINISH, DONE), GO(from, END, ENDED),   \
        GO(from, SYNC, LEADING), GO(from, COUNT, COUNTED), GO(from, OTHERS_SYNC, RELEASED)

const hectic_machine machine_gc = {
    .name = "gc",
    .about = "collections are asked for, started, worked on and ended by each cap in turn",
    .key = HECTIC_UNIT_CAP,
    .older_shapes = true,
    .states =
        (const char *const[]){"outside of collections", "running a thread",
                              "lent to the collection of another cap", "asking for a collection",
                              "starting a collection", "working on a collection",
                              "idle in a collection", "done with its part of a collection",
                              "waiting for the end of a collection", "leading a collection",
                              "past a collection's statistics", "past a collection's end",
                              "past the end of one that it led", NULL},
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
            OUTSIDE_OF_ONE(OUTSIDE),
            GO(ENDED, OTHERS_SYNC, OUTSIDE),
            GO(RUNNING, RUN, RUNNING),
            GO(RUNNING, STOP, OUTSIDE),
            GO(ASKING, START, STARTED),
            GO(ASKING, OTHERS_SYNC, ASKING),
            INSIDE_OF_ONE(STARTED),
            INSIDE_OF_ONE(WORKING),
            INSIDE_OF_ONE(IDLE),
            INSIDE_OF_ONE(DONE),
            /* Another cap has led; clocks of processors may differ a little. */
            GO(RELEASED, REST, RELEASED),
            GO(RELEASED, FINISH, RELEASED),
            GO(RELEASED, END, OUTSIDE),
            GO(LEADING, COUNT, COUNTED),
            GO(LEADING, END, ENDED_LEADING),
            GO(COUNTED, END, OUTSIDE),
            OUTSIDE_OF_ONE(ENDED),
            GO(ENDED, SYNC, ENDED_LEADING),
            GO(ENDED, COUNT, OUTSIDE),
            GO(ENDED, WORK, LENT),
            OUTSIDE_OF_ONE(ENDED_LEADING),
            GO(ENDED_LEADING, COUNT, OUTSIDE),
            GO(ENDED_LEADING, OTHERS_SYNC, OUTSIDE),
            GO(OUTSIDE, WORK, LENT),
            OUTSIDE_OF_ONE(LENT),
            GO(LENT, WORK, LENT),
            GO(LENT, REST, LENT),
            GO(LENT, FINISH, LENT),
            HECTIC_TRANSITIONS_END},
    /* clang-format on */
    /* In a replay only what has begun is told, and not in each of its steps. */
    .alike = (const uint8_t[]){[RUNNING] = 1,
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
             "the end of its collection before this one was lost"},
            {HECTIC_FAULT_STATE, OUTSIDE, HECTIC_ANY,
             "the start of the collection was lost, or the log starts in the middle"},
            {HECTIC_FAULT_STATE, RUNNING, HECTIC_ANY,
             "the event that stopped its thread, or the start of the collection, was lost"},
            {HECTIC_FAULT_STATE, ASKING, HECTIC_ANY,
             "the start of the collection was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, HECTIC_ANY, RUN,
             "the end of the collection was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, HECTIC_ANY, START,
             "the end of the collection before was lost, in a damaged or dropped block"},
            {0}},
};
