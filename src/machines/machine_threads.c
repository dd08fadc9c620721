/* machine_threads.c — the lifecycle of a Haskell thread. */
#include "machines/machines.h"

enum { UNKNOWN, QUEUED, RUNNING, STOPPED, FINISHED };
enum { CREATE, RUN, INTERRUPT, FINISH, STOP, WAKE };

const hectic_machine machine_threads = {
    .name = "threads",
    .about = "each thread is created, run, stopped and woken in a valid order",
    .key = HECTIC_UNIT_THREAD,
    .place = HECTIC_UNIT_CAP,
    .exclusive = true,
    .final = FINISHED,
    .states = (const char *const[]){"unknown", "queued", "running", "stopped", "finished", NULL},
    .letters =
        (const hectic_letter[]){
            [CREATE] = {.event = HECTIC_EVENT_CREATE_THREAD, .key = "thread", .announces = true},
            [RUN] = {.event = HECTIC_EVENT_RUN_THREAD,
                     .key = "thread",
                     .place = HECTIC_OWN_CAP,
                     .on_cap = true},
            /* It was preempted, and is still queued. */
            [INTERRUPT] = {.event = HECTIC_EVENT_STOP_THREAD,
                           .key = "thread",
                           .where = "status",
                           .values = STOP_HEAP_OVERFLOW | STOP_STACK_OVERFLOW | STOP_FOREIGN_CALL,
                           .on_cap = true},
            [FINISH] = {.event = HECTIC_EVENT_STOP_THREAD,
                        .key = "thread",
                        .where = "status",
                        .values = STOP_FINISHED,
                        .on_cap = true},
            [STOP] = {.event = HECTIC_EVENT_STOP_THREAD, .key = "thread", .on_cap = true},
            /* The wakeup is on another cap: the thread is still migrating. */
            [WAKE] = {.event = HECTIC_EVENT_THREAD_WAKEUP, .key = "thread", .where = "other_cap"},
            {0}},
    .transitions = (const hectic_transition[]){{UNKNOWN, CREATE, QUEUED, HECTIC_STAY},
                                               {QUEUED, RUN, RUNNING, HECTIC_ENTER},
                                               {QUEUED, WAKE, QUEUED, HECTIC_STAY},
                                               {RUNNING, INTERRUPT, QUEUED, HECTIC_LEAVE},
                                               {RUNNING, FINISH, FINISHED, HECTIC_LEAVE},
                                               {RUNNING, STOP, STOPPED, HECTIC_LEAVE},
                                               {STOPPED, RUN, RUNNING, HECTIC_ENTER},
                                               {STOPPED, WAKE, QUEUED, HECTIC_STAY},
                                               HECTIC_TRANSITIONS_END},
    .causes =
        (const hectic_cause[]){
            {HECTIC_FAULT_STATE, UNKNOWN, HECTIC_ANY,
             "its creation was not logged: the log starts in the middle, or lost its beginning"},
            {HECTIC_FAULT_STATE, FINISHED, CREATE,
             "two runs are mixed in one log, or logs were merged without renumbering threads"},
            {HECTIC_FAULT_STATE, HECTIC_ANY, CREATE,
             "it was announced again for late readers, without SYNC events; or two runs are mixed "
             "in one log, or logs were merged without renumbering threads"},
            {HECTIC_FAULT_STATE, RUNNING, RUN,
             "the event that stopped it was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_OCCUPIED, HECTIC_ANY, RUN,
             "the event that stopped the other thread was lost, in a damaged or dropped block"},
            {HECTIC_FAULT_STATE, RUNNING, WAKE,
             "it was woken while it was stopping, on two caps whose times are close"},
            {HECTIC_FAULT_STATE, QUEUED, HECTIC_ANY,
             "the event that ran it was lost, or times of different caps are inconsistent"},
            {HECTIC_FAULT_STATE, STOPPED, HECTIC_ANY,
             "the event that ran it was lost, or times of different caps are inconsistent"},
            {HECTIC_FAULT_STATE, FINISHED, HECTIC_ANY,
             "times of different caps are inconsistent, or logs were merged without renumbering "
             "threads"},
            {0}},
};
