/* hectic/processes.h — which process each event of a log is of.
 *
 * A log that was merged from those of several processes names each of them by a capset of type
 * OsProcess. What an event is of follows from what it names: its cap, or the capset, cap or task in
 * its fields. An event that names none of these (those of the non-moving collector, samples of heap
 * profiles, user messages without a cap) is of the process that is alive where there is only one.
 *
 * Takes events in the order of time, or in that of a file in which a cap is assigned to its capset
 * before it has events, as hectic_merge writes it. All events before the second process are of the
 * first, so that a log of one process can be in any order.
 */
#ifndef HECTIC_PROCESSES_H
#define HECTIC_PROCESSES_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The event is of no process, as far as the log tells. */
#define HECTIC_NO_PROCESS UINT32_MAX

typedef struct hectic_process {
    bool has_capset; /**< always, but where the log names no process at all */
    uint32_t capset;
    bool has_pid;
    uint32_t pid;
    bool has_start; /**< it is known when its clock was 0: see hectic_merge */
    uint64_t start; /**< ns, in the log's time */
    bool has_ended; /**< its capset was deleted */
} hectic_process;

typedef struct hectic_processes hectic_processes;

/** NULL: no memory. */
hectic_processes *hectic_processes_new(void);
void hectic_processes_free(hectic_processes *processes);

/** Takes an event, and sets *process to the number of its process: 0, 1, … as they first came.
 *  CAP_CREATE comes before it is known whose the cap is: it is of no process then, and given again
 *  by hectic_processes_held. False: no memory. */
bool hectic_processes_event(hectic_processes *processes, const hectic_event *event,
                            uint32_t *process);

/** An earlier event that turned out to be of the same process as the one just taken, and is to be
 *  taken before it; NULL: there is none. Valid until the next event. */
const hectic_event *hectic_processes_held(const hectic_processes *processes);

/** How many there are so far: at least 1, the process that the log begins with. At most 65,535
 *  capsets are told apart; the events of further ones are of no process. */
uint32_t hectic_processes_count(const hectic_processes *processes);

/** The process of that number, which is less than the count. */
hectic_process hectic_processes_get(const hectic_processes *processes, uint32_t number);

/** The process that a cap is of, or HECTIC_NO_PROCESS. */
uint32_t hectic_processes_of_cap(const hectic_processes *processes, uint16_t cap);

#ifdef __cplusplus
}
#endif
#endif
