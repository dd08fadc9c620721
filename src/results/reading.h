/* reading.h — runs an analysis over an interval of a log in order of time: for each section, each
 * of its processes, and each slice.
 */
#ifndef HECTIC_SRC_READING_H
#define HECTIC_SRC_READING_H

#include "facts/processes.h"
#include "results/process_choice.h"
#include "tables/cells.h"

#include <hectic/log.h>

/* from <= t < to, ns. */
struct interval {
    uint64_t from, to;
};

/* How much of the time from `first` to `last` is in the interval, ns. */
static inline uint64_t interval_overlap(const struct interval *interval, uint64_t first,
                                        uint64_t last)
{
    if (first < interval->from) first = interval->from;
    if (last > interval->to) last = interval->to;
    return first < last ? last - first : 0;
}

enum { READING_PROCESSES = 256 }; /* of a section, at most; further ones are ignored */

/* A process of a section. */
struct reading_part {
    hectic_process process;
    uint64_t first, last; /* ns: of its events */
    uint64_t created;     /* ns: the first creation of a cap; UINT64_MAX: none */
    uint64_t types[4];    /* bit set of its event types below 256 */
    bool lacks_caps;      /* as of hectic_section, of its caps */
    uint32_t slot;        /* READING_PROCESSES: it is ignored */
    bool begun, in_slice;
    uint64_t slice, slice_end; /* ns: the current one */
};

/* The processes of a section. */
struct reading_parts {
    uint32_t count;
    struct reading_part *part;
};

struct reader;

struct reading {
    struct interval interval;
    hectic_log *log;                           /* owned; NULL: live (live_tables.h) */
    void (*progress)(void *user, double done); /* the part from 0 to 1 that is read; may be NULL */
    void *progress_user;
    bool (*all)(struct reading *reading, const struct reader *reader, void *user);
    bool (*is_cancelled)(void *user); /* true: reading stops; may be NULL */
    void *cancel_user;
    struct joint_pass *joint;    /* reading_all joins this pass; NULL: it makes one */
    size_t section;              /* the current one, counted from 1 */
    const hectic_section *found; /* what is known of it */
    const hectic_header *header;
    uint64_t duration;  /* ns: how much of the log lies in the interval */
    bool has_no_replay; /* it has no SYNC event */
    void *user, *kept;  /* for a reader */
    hectic_result last; /* the result of the last read */
    /* For logs of several processes: */
    bool several;                    /* rows have to name their process */
    const struct reading_part *part; /* the current process */
    struct reading_part whole;       /* of the section, if processes are not separated */
    struct reading_parts *parts;     /* of all sections */
    size_t sections;                 /* 0: processes are not separated */
    bool unmatched;                  /* no process is the chosen one */
    hectic_processes *unchosen;      /* then: those of the first section */
    uint64_t left_out;               /* events of ignored processes */
};

/* An analysis, made for each process of each section, or for the section if it has one process.
 * Those outside of the interval are skipped. The callbacks get the process in reading->part, and in
 * reading->kept what they keep for it: `size` bytes, 0 at first, which stay from one section to the
 * next. They return false to stop. */
struct reader {
    size_t size; /* 0: that of a pointer */
    bool (*begin)(const struct reading *reading);
    /* The next events of the process, in order. */
    bool (*events)(const struct reading *reading, const hectic_event *event, size_t count);
    bool (*end)(const struct reading *reading, uint64_t now); /* of the section or the interval */
    void (*finish)(const struct reading *reading); /* at last, also after a failure; may be NULL */
    /* Not NULL: events after the interval follow, too, until this returns true. */
    bool (*is_settled)(const struct reading *reading);
    /* Not NULL: slices of `every` ns, or one, which begin with the interval. Those before the first
     * event are skipped; the last one may be empty. Not with is_settled. */
    bool (*end_slice)(const struct reading *reading, uint64_t from, uint64_t to);
    bool (*begin_slice)(const struct reading *reading, uint64_t from); /* may be NULL */
    uint64_t every;
};

/* For what is kept that begins with a pointer to an analysis of this type: functions of these
 * names, or `events` and `finish`. */
#define READER_EVENTS(type) READER_EVENTS_AS(events, type)
#define READER_FINISH(type) READER_FINISH_AS(finish, type)
#define READER_EVENTS_AS(name, type)                                                               \
    static bool name(const struct reading *reading, const hectic_event *event, size_t count)       \
    {                                                                                              \
        type *analysis = *(type **)reading->kept;                                                  \
        bool done = true;                                                                          \
        for (size_t i = 0; i < count && done; i++)                                                 \
            done = type##_event(analysis, &event[i]);                                              \
        return done;                                                                               \
    }
#define READER_FINISH_AS(name, type)                                                               \
    static void name(const struct reading *reading)                                                \
    {                                                                                              \
        type##_free(*(type **)reading->kept);                                                      \
        *(type **)reading->kept = NULL;                                                            \
    }

/* Sets what is known of the log in the interval. Call it, or the next one, first. */
void reading_prepare(struct reading *reading);

/* The same; and reads the log to find its processes, if it may have several or --process is given.
 * False: no memory. */
bool reading_find_processes(struct reading *reading, const struct process_choice *choice);

/* Sets the cells of the columns READING (tables.def): the section and process. Returns their
 * number. */
static inline size_t reading_cells(const struct reading *reading, struct cell *cells)
{
    const hectic_process *process = &reading->part->process;
    cells[0] = cell_number(reading->section);
    cells[1] = cell_if(process->has_capset, process->capset);
    cells[2] = cell_if(process->has_pid, process->pid);
    return READING_CELLS;
}

/* Does the current process, or section, have events of that type? */
bool reading_has_type(const struct reading *reading, uint16_t type);

/* Reads the log from the beginning, since earlier events determine the state at the start of the
 * interval. False if the reader has stopped. Each call starts from the beginning. */
static inline bool reading_all(struct reading *reading, const struct reader *reader, void *user)
{
    return reading->all(reading, reader, user);
}

/* Do the chosen processes have events of that type? */
bool reading_has_chosen_type(const struct reading *reading, uint16_t type);

/* Frees the log, too. */
void reading_close(struct reading *reading);

/* Does the log lack caps of the current process: hectic_section.lacks_caps? */
static inline bool reading_lacks_caps(const struct reading *reading)
{
    return reading->sections > 0 ? reading->part->lacks_caps : reading->found->lacks_caps;
}

/* The current section. One of a live log is not complete and has all caps, until it ends. */
static inline const hectic_section *reading_section(const struct reading *reading)
{
    return reading->found;
}

#endif
