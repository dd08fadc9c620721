/* file_reading.h — runs an analysis over a log in the order of the file: in one pass, also over a
 * pipe. For analyses whose events each have one writer, so that their order in the file is that of
 * time; reading.h is for the others. The processes of a merged log are not separated.
 */
#ifndef HECTIC_FILE_READING_H
#define HECTIC_FILE_READING_H

#include "facts/processes.h"
#include "tool/input/interval.h"
#include "tool/input/logs.h"

struct file_reading {
    const char *path;
    const struct output_settings *output;
    struct interval interval;
    size_t section; /* the current one, counted from 1 */
    /* Of the section: */
    uint64_t first, last; /* ns: its earliest and latest event */
    uint64_t events;
    bool is_cut; /* it ended without an end marker */
    /* Internal: */
    hectic_input *input;
    hectic_processes *processes; /* of the section, with of_one_process */
    struct progress progress;
    uint64_t damaged; /* number of damaged places */
    bool has_events;  /* inside the interval */
    bool stopped;     /* by the reader */
};

/* The callbacks of an analysis, for each section. They return false to stop. All events are
 * delivered, also those outside of the interval, since they may be definitions. */
struct file_reader {
    bool (*begin)(void *user, const hectic_header *header);
    bool (*event)(void *user, const hectic_event *event);
    bool (*end)(void *user);
    bool of_one_process; /* another process in a section ends reading, after a message */
};

/* Opens the log and resolves the interval. Returns the exit code, after a message if it is not
 * TOOL_OK. */
int file_reading_open(struct file_reading *reading, const char *path,
                      const struct interval_settings *interval,
                      const struct output_settings *output);

/* Reads the whole log, and reports damage. Returns the exit code; TOOL_UNUSABLE without a message
 * if the reader has stopped: then `stopped` is set. Call it once. */
int file_reading_run(struct file_reading *reading, const struct file_reader *reader, void *user);

/* How much of the section's time so far is in the interval, ns. */
static inline uint64_t file_reading_duration(const struct file_reading *reading)
{
    return interval_overlap(&reading->interval, reading->first, reading->last);
}

void file_reading_close(struct file_reading *reading);

#endif
