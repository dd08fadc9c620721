/* machine_taskpool.c — the existing tasks (OS threads) and their caps. */
#include "machines/machines.h"

enum { ABSENT, PRESENT };
enum { CREATE, DELETE, MIGRATE };

const hectic_machine machine_taskpool = {
    .name = "taskpool",
    .about = "tasks are created once, and migrate from their current cap",
    .key = HECTIC_UNIT_TASK,
    .place = HECTIC_UNIT_CAP,
    .states = (const char *const[]){"absent", "present", NULL},
    .letters =
        (const hectic_letter[]){
            [CREATE] = {.event = HECTIC_EVENT_TASK_CREATE, .key = "task", .place = "cap_no"},
            [DELETE] = {.event = HECTIC_EVENT_TASK_DELETE, .key = "task"},
            [MIGRATE] = {.event = HECTIC_EVENT_TASK_MIGRATE,
                         .key = "task",
                         .place = "new_cap",
                         .leaving = "cap_no"},
            {0}},
    .transitions = (const hectic_transition[]){{ABSENT, CREATE, PRESENT, HECTIC_ENTER},
                                               {PRESENT, DELETE, ABSENT, HECTIC_LEAVE},
                                               {PRESENT, MIGRATE, PRESENT, HECTIC_MOVE},
                                               HECTIC_TRANSITIONS_END},
    .causes =
        (const hectic_cause[]){
            {HECTIC_FAULT_STATE, ABSENT, HECTIC_ANY,
             "its creation was not logged: the log starts in the middle, or lost its beginning"},
            {HECTIC_FAULT_STATE, PRESENT, CREATE,
             "its end was lost, or two runs are mixed in one log"},
            {HECTIC_FAULT_PLACE, HECTIC_ANY, MIGRATE,
             "a migration was lost, or times of different caps are inconsistent"},
            {0}},
};
