/* machine_sparks.c — threads that evaluate sparks. Ordinary threads stay in the initial state. */
#include "machines/machines.h"

enum { ORDINARY, NEW, READY, RUNNING, PAUSED, FINISHED };
enum { CREATE, RUN, FINISH, STOP, RUN_SPARK, STEAL_SPARK };

const hectic_machine machine_sparks = {
    .name = "sparks",
    .about = "spark threads run, take sparks and finish in a valid order",
    .key = HECTIC_UNIT_THREAD,
    .place = HECTIC_UNIT_CAP,
    .exclusive = true,
    .final = FINISHED,
    .states = (const char *const[]){"not a spark thread", "new", "without a spark",
                                    "running sparks", "paused", "finished", NULL},
    .letters =
        (const hectic_letter[]){
            [CREATE] = {.event = HECTIC_EVENT_CREATE_SPARK_THREAD,
                        .key = "thread",
                        .on_cap = true,
                        .announces = true},
            [RUN] = {.event = HECTIC_EVENT_RUN_THREAD,
                     .key = "thread",
                     .place = HECTIC_OWN_CAP,
                     .on_cap = true,
                     .context = true},
            [FINISH] = {.event = HECTIC_EVENT_STOP_THREAD,
                        .key = "thread",
                        .where = "status",
                        .values = STOP_FINISHED,
                        .on_cap = true,
                        .context = true},
            [STOP] = {.event = HECTIC_EVENT_STOP_THREAD,
                      .key = "thread",
                      .on_cap = true,
                      .context = true},
            [RUN_SPARK] = {.event = HECTIC_EVENT_SPARK_RUN, .key = HECTIC_OCCUPANT},
            [STEAL_SPARK] = {.event = HECTIC_EVENT_SPARK_STEAL, .key = HECTIC_OCCUPANT},
            {0}},
    .transitions = (const hectic_transition[]){{ORDINARY, CREATE, NEW, HECTIC_STAY},
                                               {NEW, RUN, READY, HECTIC_ENTER},
                                               {READY, RUN_SPARK, RUNNING, HECTIC_STAY},
                                               {READY, STEAL_SPARK, RUNNING, HECTIC_STAY},
                                               {READY, FINISH, FINISHED, HECTIC_LEAVE},
                                               {RUNNING, RUN_SPARK, RUNNING, HECTIC_STAY},
                                               {RUNNING, STEAL_SPARK, RUNNING, HECTIC_STAY},
                                               {RUNNING, STOP, PAUSED, HECTIC_LEAVE},
                                               {RUNNING, FINISH, FINISHED, HECTIC_LEAVE},
                                               {PAUSED, RUN, RUNNING, HECTIC_ENTER},
                                               {ORDINARY, RUN, ORDINARY, HECTIC_PASS},
                                               {ORDINARY, STOP, ORDINARY, HECTIC_STAY},
                                               {ORDINARY, FINISH, ORDINARY, HECTIC_STAY},
                                               HECTIC_TRANSITIONS_END},
    .causes =
        (const hectic_cause[]){
            {HECTIC_FAULT_STATE, READY, STOP,
             "events for each spark (+RTS -lf) were not logged, or were enabled late"},
            {HECTIC_FAULT_STATE, READY, RUN,
             "the event that stopped it was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, RUNNING, RUN,
             "the event that stopped it was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, FINISHED, CREATE,
             "two runs are mixed in one log, or logs were merged without renumbering threads"},
            {HECTIC_FAULT_STATE, HECTIC_ANY, CREATE,
             "it was announced again for late readers, without SYNC events; or two runs are mixed "
             "in one log, or logs were merged without renumbering threads"},
            {HECTIC_FAULT_OCCUPIED, HECTIC_ANY, RUN,
             "the event that stopped the other thread was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, FINISHED, HECTIC_ANY,
             "times of different caps are inconsistent, or logs were merged without renumbering "
             "threads"},
            {0}},
};
