/* reading.h — how an analysis goes through a log: opened, its interval resolved, section by
 * section.
 */
#ifndef HECTIC_READING_H
#define HECTIC_READING_H

#include "interval.h"

struct reading {
    const char *path;
    const struct output_settings *output;
    struct interval interval;
    hectic_log *log;
    struct progress progress;
    size_t section;     /* the one that is read, counted from 1 */
    hectic_result last; /* what reading ended with */
};

/* What is done with the log. The first three return false to stop. Sections of which nothing lies
 * in the interval are left out. */
struct reader {
    bool (*begin)(void *user, const hectic_header *header);
    bool (*event)(void *user, const hectic_event *event);
    bool (*end)(void *user, uint64_t now); /* the section's end, or that of the interval */
    /* Not NULL: events behind the interval are wanted, too, until this returns true. */
    bool (*is_settled)(const void *user);
};

/* Opens the log; whole: events behind the interval shall be read, too. Returns the exit code, after
 * a message. */
int reading_open(struct reading *reading, const char *path,
                 const struct interval_settings *interval, bool whole,
                 const struct output_settings *output);

/* Reads all of it, from the beginning, since what is before the interval tells how things stand
 * when it begins. False where the reader has stopped. Can be called again, then from the beginning.
 */
bool reading_all(struct reading *reading, const struct reader *reader, void *user);

/* What the survey tells of the section that is read. */
const hectic_section *reading_section(const struct reading *reading);

/* Says what was wrong with the log. Returns the exit code. */
int reading_report(const struct reading *reading);

/* Are there events of one of these numbers? Otherwise says that the log tells nothing of `what`. */
bool reading_has(const struct reading *reading, const uint16_t *numbers, size_t count,
                 const char *what, const char *flag);

void reading_close(struct reading *reading);

/* Where the first slice begins of a section that is cut into slices of that length, from the
 * beginning of the interval on: those before the section are left out. */
uint64_t reading_first_slice(const struct reading *reading, uint64_t every);

/* The nanoseconds of the log that lie in the interval. */
uint64_t reading_duration(const struct reading *reading);

#endif
