/* machines.h — the machines of the library, one file each: machine_NAME.c; and what else of an
 * engine the command uses. */
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

/* True if the machine reads events with this number in this section. Others can be skipped. */
bool engine_uses(const hectic_engine *engine, uint16_t number);

#endif
