/* processes.h — the process of each event of a log.
 *
 * A merged log has a capset of type OsProcess for each process. The process of an event follows
 * from its cap, or from the capset, cap or task in its fields. An event without any of these (those
 * of the non-moving collector, samples of heap profiles, user messages without a cap) belongs to
 * the live process if there is only one.
 *
 * Takes events in order of time, or in the order of a file in which a cap is assigned to its capset
 * before its first event, as hectic_merge writes it. All events before the second process belong to
 * the first, so a log of one process can be in any order.
 */
#ifndef HECTIC_SRC_PROCESSES_H
#define HECTIC_SRC_PROCESSES_H

#include <hectic/decoder.h>

/* The event cannot be assigned to a process. */
#define HECTIC_NO_PROCESS UINT32_MAX

typedef struct hectic_process {
    bool has_capset; /* false only if the log identifies no process at all */
    uint32_t capset;
    bool has_pid;
    uint32_t pid;
    bool has_start; /* the time when its clock was 0 is known: see hectic_merge */
    uint64_t start; /* ns, in the log's time */
    bool has_ended; /* its capset was deleted */
} hectic_process;

typedef struct hectic_processes hectic_processes;

/* NULL: out of memory. */
hectic_processes *hectic_processes_new(void);
void hectic_processes_free(hectic_processes *processes);

/* Takes an event, and sets *process to the number of its process: 0, 1, … in order of their first
 *  events. A CAP_CREATE precedes the assignment of its cap: it gets HECTIC_NO_PROCESS, and is
 *  returned again by hectic_processes_held. False: out of memory. */
bool hectic_processes_event(hectic_processes *processes, const hectic_event *event,
                            uint32_t *process);

/* An earlier event that belongs to the same process as the event just taken, and must be processed
 *  before it; NULL: none. Valid until the next event. */
const hectic_event *hectic_processes_held(const hectic_processes *processes);

/* The number of processes so far: at least 1, the process at the beginning of the log. At most
 *  65,535 capsets are distinguished; the events of further ones get HECTIC_NO_PROCESS. */
uint32_t hectic_processes_count(const hectic_processes *processes);

/* The process `number`, which must be less than the count. */
hectic_process hectic_processes_get(const hectic_processes *processes, uint32_t number);

/* The process of a cap, or HECTIC_NO_PROCESS. */
uint32_t hectic_processes_of_cap(const hectic_processes *processes, uint16_t cap);

#endif
