/* machine_threadpool.c — the existing threads and their caps. */
#include "machines/machines.h"

enum { ABSENT, PRESENT };
enum { CREATE, FINISH, STOP, MIGRATE };

const hectic_machine machine_threadpool = {
    .name = "threadpool",
    .about = "threads are created once, and only those that exist migrate and finish",
    .key = HECTIC_UNIT_THREAD,
    .place = HECTIC_UNIT_CAP,
    .states = (const char *const[]){"absent", "present", NULL},
    .letters =
        (const hectic_letter[]){
            [CREATE] = {.event = HECTIC_EVENT_CREATE_THREAD,
                        .key = "thread",
                        .place = HECTIC_OWN_CAP,
                        .on_cap = true,
                        .announces = true},
            [FINISH] = {.event = HECTIC_EVENT_STOP_THREAD,
                        .key = "thread",
                        .where = "status",
                        .values = STOP_FINISHED,
                        .on_cap = true},
            [STOP] = {.event = HECTIC_EVENT_STOP_THREAD, .key = "thread", .on_cap = true},
            [MIGRATE] = {.event = HECTIC_EVENT_MIGRATE_THREAD,
                         .key = "thread",
                         .place = "new_cap",
                         .on_cap = true},
            {0}},
    .transitions = (const hectic_transition[]){{ABSENT, CREATE, PRESENT, HECTIC_ENTER},
                                               {ABSENT, STOP, ABSENT, HECTIC_STAY},
                                               {PRESENT, FINISH, ABSENT, HECTIC_LEAVE},
                                               {PRESENT, STOP, PRESENT, HECTIC_STAY},
                                               {PRESENT, MIGRATE, PRESENT, HECTIC_ENTER},
                                               HECTIC_TRANSITIONS_END},
    .causes =
        (const hectic_cause[]){
            {HECTIC_FAULT_STATE, ABSENT, HECTIC_ANY,
             "its creation was not logged: the log starts in the middle, or lost its beginning"},
            {HECTIC_FAULT_STATE, PRESENT, CREATE,
             "it was announced again for late readers, without SYNC events; or two runs are mixed "
             "in one log, or logs were merged without renumbering threads"},
            {0}},
};
