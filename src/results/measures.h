/* measures.h — what the verdict is made from, and the headlines of hectic info: measured in each
 * section of a log, in one pass in the order of time. */
#ifndef HECTIC_SRC_MEASURES_H
#define HECTIC_SRC_MEASURES_H

#include "results/profiles.h"
#include "results/reading.h"
#include "verdict/verdict.h"

struct measured_process {
    hectic_threads *threads; /* NULL: no events of threads yet, or the section has ended */
    hectic_thread_sums sums;
    uint64_t events; /* of the process, as far as they count */
    uint64_t last;   /* the time of its last one, counted or not */
};

struct measured_section {
    size_t number; /* counted from 1 */
    hectic_stat_parts *stat;
    struct measured_process *process; /* HECTIC_STAT_PARTS_MAX */
    struct profiles profiles;         /* empty if the log has no samples */
};

/* Takes what was measured in a section. What it leaves there is freed. False: stop. */
struct measured_taker {
    bool (*take)(void *user, struct measured_section *measured);
    void *user;
};

/* Measures the whole log, but at most that many sections: the interval of the reading and its
 * choice of a process do not matter. Damage is skipped: the survey has found it. False: the taker
 * has stopped, or out of memory. */
bool measures_take(struct reading *reading, size_t sections, const struct measured_taker *taker);
void measured_clear(struct measured_section *measured);

/* How many processes have a verdict: 1, or those of a section that has several. */
uint32_t measured_processes(const struct measured_section *measured);

/* The verdict on a process, by its number in hectic_stat_parts_processes. It has a
 * hectic_stat_parts_get. False: no memory. */
bool measured_verdict(const struct measured_section *measured, const hectic_survey *survey,
                      uint32_t process, hectic_verdict *verdict);

#endif
