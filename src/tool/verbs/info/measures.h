/* measures.h — what hectic info measures in the sections of a log, in one pass in the order of
 * time. */
#ifndef HECTIC_INFO_MEASURES_H
#define HECTIC_INFO_MEASURES_H

#include "tool/input/logs.h"
#include "tool/output/profile_headlines.h"

#include "verdict/verdict.h"

/* A log may have many sections: so many of them are measured. */
enum { MEASURED_SECTIONS = 4 };

struct measured_process {
    hectic_threads *threads; /* NULL: no events yet, or the section has ended */
    hectic_thread_sums sums;
};

struct measured_section {
    hectic_stat_parts *stat;
    struct measured_process *process; /* HECTIC_STAT_PARTS_MAX */
    struct profiles profiles;         /* empty if the log has no samples */
};

struct measures {
    size_t sections;
    struct measured_section section[MEASURED_SECTIONS];
};

/* Measures a log. Damage is skipped: the survey has found it. Returns the kind of error that
 * prevented reading. */
hectic_error measures_take(struct measures *measures, hectic_log *log);
void measures_free(struct measures *measures);

/* The verdict on a process of a section, by its number in hectic_stat_parts_processes. False: it
 * has no events. */
bool measures_verdict(const struct measures *measures, const hectic_survey *survey, size_t section,
                      uint32_t process, hectic_verdict *verdict);

#endif
