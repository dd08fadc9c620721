/* machine_threadrun.c — the running thread of each cap. */
#include "machines/machines.h"

enum { WAITING, RUNNING };
enum { RUN, STOP };

const hectic_machine machine_threadrun = {
    .name = "threadrun",
    .about = "a cap runs one thread at a time, and a thread runs on one cap",
    .key = HECTIC_UNIT_THREAD,
    .place = HECTIC_UNIT_CAP,
    .exclusive = true,
    .states = (const char *const[]){"not running", "running", NULL},
    .letters =
        (const hectic_letter[]){
            [RUN] = {.event = HECTIC_EVENT_RUN_THREAD,
                     .key = "thread",
                     .place = HECTIC_OWN_CAP,
                     .on_cap = true},
            [STOP] = {.event = HECTIC_EVENT_STOP_THREAD, .key = "thread", .on_cap = true},
            {0}},
    .transitions = (const hectic_transition[]){{WAITING, RUN, RUNNING, HECTIC_ENTER},
                                               {RUNNING, STOP, WAITING, HECTIC_LEAVE},
                                               HECTIC_TRANSITIONS_END},
    .causes =
        (const hectic_cause[]){
            {HECTIC_FAULT_STATE, WAITING, STOP,
             "the event that ran it was lost, or the log starts in the middle"},
            {HECTIC_FAULT_STATE, RUNNING, RUN,
             "the event that stopped it was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_OCCUPIED, HECTIC_ANY, RUN,
             "the event that stopped the other thread was lost, in a damaged or dropped block"},
            {0}},
};
