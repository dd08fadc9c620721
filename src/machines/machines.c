/* machines.c — the list of machines. */
#include "machines/machines.h"

#include <string.h>

static const hectic_machine *const machines[] = {
    &machine_threads, &machine_threadpool, &machine_threadrun, &machine_taskpool,
    &machine_tasks,   &machine_sparks,     &machine_gc,
};

const hectic_machine *const *hectic_machines(size_t *count)
{
    *count = sizeof machines / sizeof *machines;
    return machines;
}

const hectic_machine *hectic_machine_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(machines[i]->name, name) == 0) return machines[i];
    return NULL;
}
