/* machine_tasks.c — tasks and their OS threads. */
#include "machines/machines.h"

enum { ABSENT, PRESENT };
enum { CREATE, DELETE, MIGRATE };

const hectic_machine machine_tasks = {
    .name = "tasks",
    .about = "each task is one OS thread, and each OS thread is one task",
    .key = HECTIC_UNIT_TASK,
    .place = HECTIC_UNIT_OS_THREAD,
    .exclusive = true,
    .states = (const char *const[]){"absent", "present", NULL},
    .letters =
        (const hectic_letter[]){
            [CREATE] = {.event = HECTIC_EVENT_TASK_CREATE, .key = "task", .place = "os_thread"},
            [DELETE] = {.event = HECTIC_EVENT_TASK_DELETE, .key = "task"},
            [MIGRATE] = {.event = HECTIC_EVENT_TASK_MIGRATE, .key = "task"},
            {0}},
    .transitions = (const hectic_transition[]){{ABSENT, CREATE, PRESENT, HECTIC_ENTER},
                                               {PRESENT, DELETE, ABSENT, HECTIC_LEAVE},
                                               {PRESENT, MIGRATE, PRESENT, HECTIC_STAY},
                                               HECTIC_TRANSITIONS_END},
    .causes =
        (const hectic_cause[]){
            {HECTIC_FAULT_STATE, ABSENT, HECTIC_ANY,
             "its creation was not logged: the log starts in the middle, or lost its beginning"},
            {HECTIC_FAULT_STATE, PRESENT, CREATE,
             "its end was lost, or two runs are mixed in one log"},
            {HECTIC_FAULT_OCCUPIED, HECTIC_ANY, CREATE,
             "the end of the other task was lost, or logs of two machines were merged"},
            {0}},
};
