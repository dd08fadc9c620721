/* reading.h — how an analysis goes through a log: opened, its interval resolved, section by
 * section.
 */
#ifndef HECTIC_READING_H
#define HECTIC_READING_H

#include "tool/input/interval.h"
#include "tool/output/table.h"

enum { READING_PROCESSES = 256 }; /* of a section are told of */

/* A process of a section. */
struct reading_part {
    hectic_process process;
    uint64_t first, last; /* ns: its events, as far as they are read */
    uint64_t types[4];    /* those that it has, of the first 256: bits */
    uint32_t slot;        /* READING_PROCESSES: it is left out */
    bool begun;
};

/* Those of a section. */
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
    size_t section;     /* the one that is read, counted from 1 */
    hectic_result last; /* what reading ended with */
    /* Of several processes: */
    bool several;                    /* rows need to tell which one they are of */
    uint32_t slot;                   /* of the one that is read: less than READING_PROCESSES */
    const struct reading_part *part; /* the same; NULL: all of the section */
    struct reading_parts *parts;     /* of all sections */
    size_t sections;                 /* 0: processes are not told apart */
    bool unmatched;                  /* no process is the one that was asked for */
    uint64_t left_out;               /* events of processes of which nothing is told */
};

/* What is done with the log. The first three return false to stop. Sections, and processes, of
 * which nothing lies in the interval are left out. Where a section's processes are told apart
 * (reading_find_processes), it is begun and ended for each, and `slot` tells whose event it is. */
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

/* Reads the log, where it may be of several processes or one was asked for, to find them. False: no
 * memory. */
bool reading_find_processes(struct reading *reading, const struct process_choice *choice);

/* Which section and process it is: cells of the columns READING_COLUMNS. Returns how many. */
enum { READING_CELLS = 3 };
size_t reading_cells(const struct reading *reading, struct cell *cells);
#define READING_COLUMNS                                                                            \
    {"section", "Section", CELL_SECTION, OPTIONAL}, {"process", "Process", CELL_PROCESS, RANK(1)}, \
    {                                                                                              \
        "pid", "PID", CELL_PROCESS, 0                                                              \
    }

/* Are there events of that type, of what is read? */
bool reading_has_type(const struct reading *reading, uint16_t type);

/* Reads all of it, from the beginning, since what is before the interval tells how things stand
 * when it begins. False where the reader has stopped. Can be called again, then from the beginning.
 */
bool reading_all(struct reading *reading, const struct reader *reader, void *user);

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
