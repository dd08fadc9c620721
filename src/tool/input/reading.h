/* reading.h — runs an analysis over a log: opens it, resolves the interval, and reads section by
 * section.
 */
#ifndef HECTIC_READING_H
#define HECTIC_READING_H

#include "tool/input/interval.h"
#include "tool/output/table.h"

enum { READING_PROCESSES = 256 }; /* of a section, at most; further ones are ignored */

/* A process of a section. */
struct reading_part {
    hectic_process process;
    uint64_t first, last; /* ns: of its events that are read */
    uint64_t types[4];    /* bit set of its event types below 256 */
    uint32_t slot;        /* READING_PROCESSES: it is ignored */
    bool begun;
};

/* The processes of a section. */
struct reading_parts {
    uint32_t count;
    struct reading_part *part;
};

struct reading {
    const char *path;
    const struct output_settings *output;
    struct interval interval;
    hectic_log *log;
    struct progress progress;
    size_t section;     /* the current one, counted from 1 */
    hectic_result last; /* the result of the last read */
    /* For logs of several processes: */
    bool several;                    /* rows have to name their process */
    uint32_t slot;                   /* of the current process, below READING_PROCESSES */
    const struct reading_part *part; /* the current process; NULL: the whole section */
    struct reading_parts *parts;     /* of all sections */
    size_t sections;                 /* 0: processes are not separated */
    bool unmatched;                  /* --process matches none */
    uint64_t left_out;               /* events of ignored processes */
};

/* The callbacks of an analysis. The first three return false to stop. Sections and processes
 * outside of the interval are skipped. If a section's processes are separated
 * (reading_find_processes), `begin` and `end` are called for each, and `slot` is the one of the
 * current event. */
struct reader {
    bool (*begin)(void *user, const hectic_header *header);
    bool (*event)(void *user, const hectic_event *event);
    bool (*end)(void *user, uint64_t now); /* the end of the section or of the interval */
    /* Not NULL: events after the interval follow, too, until this returns true. */
    bool (*is_settled)(const void *user);
};

enum reading_extent {
    READING_TO_INTERVAL, /* everything up to the end of the interval, … */
    READING_TO_END,      /* … or to the end of the log */
    READING_STATES,      /* the interval, and before it what determines the state of caps */
};

/* Opens the log. Returns the exit code, after a message if it is not TOOL_OK. */
int reading_open(struct reading *reading, const char *path,
                 const struct interval_settings *interval, enum reading_extent extent,
                 const struct output_settings *output);

/* Reads the log to find its processes, if it may have several or --process is given. False: no
 * memory. */
bool reading_find_processes(struct reading *reading, const struct process_choice *choice);

/* Sets the cells of READING_COLUMNS: the section and process. Returns their number. */
size_t reading_cells(const struct reading *reading, struct cell *cells);

/* Does the current process, or section, have events of that type? */
bool reading_has_type(const struct reading *reading, uint16_t type);

/* Reads the log from the beginning, since earlier events determine the state at the start of the
 * interval. False if the reader has stopped. Each call starts from the beginning. */
bool reading_all(struct reading *reading, const struct reader *reader, void *user);

/* Reports damage. Returns the exit code. */
int reading_report(const struct reading *reading);

/* Does the log have events of one of these types? Otherwise prints a message. */
bool reading_has(const struct reading *reading, const uint16_t *numbers, size_t count,
                 const char *what, const char *flag);

void reading_close(struct reading *reading);

/* The start of the first slice of the section: slices of that length begin with the interval, and
 * those before the section are skipped. */
uint64_t reading_first_slice(const struct reading *reading, uint64_t every);

/* How much of the log lies in the interval, ns. */
uint64_t reading_duration(const struct reading *reading);

#endif
