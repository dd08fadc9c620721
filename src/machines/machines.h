/* machines.h — the machines of the library, one file each: machine_NAME.c. */
#ifndef HECTIC_SRC_MACHINES_H
#define HECTIC_SRC_MACHINES_H

#include <hectic/machine.h>

/* Stop statuses, as bits of hectic_letter.values. */
#define STOP_HEAP_OVERFLOW  (UINT64_C(1) << 1)
#define STOP_STACK_OVERFLOW (UINT64_C(1) << 2)
#define STOP_FINISHED       (UINT64_C(1) << 5)
#define STOP_FOREIGN_CALL   (UINT64_C(1) << 6)

extern const hectic_machine machine_threads, machine_threadpool, machine_threadrun,
    machine_taskpool, machine_tasks, machine_sparks, machine_gc;

#endif
