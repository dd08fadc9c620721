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
    size_t section;     /* the one that is read, counted from 0 */
    hectic_result last; /* what reading ended with */
    bool begun;         /* a section is being read */
};

/* What is done with the log. Each returns false to stop. */
struct reader {
    bool (*begin)(void *user, const hectic_header *header);
    bool (*event)(void *user, const hectic_event *event);
    bool (*end)(void *user, uint64_t now); /* the section's end, or that of the interval */
};

/* Opens the log. Returns the exit code, after a message. */
int reading_open(struct reading *reading, const char *path,
                 const struct interval_settings *interval, const struct output_settings *output);

/* Reads all of it, from the beginning, since what is before the interval tells how things stand
 * when it begins. False where the reader has stopped. */
bool reading_all(struct reading *reading, const struct reader *reader, void *user);

/* Says what was wrong with the log. Returns the exit code. */
int reading_report(const struct reading *reading);

/* Are there events of one of these numbers? Otherwise says that the log tells nothing of `what`. */
bool reading_has(const struct reading *reading, const uint16_t *numbers, size_t count,
                 const char *what, const char *flag);

void reading_close(struct reading *reading);

/* The nanoseconds of the log that lie in the interval. */
uint64_t reading_duration(const struct reading *reading);

#endif
