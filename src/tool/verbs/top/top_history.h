/* top_history.h — the history of `hectic top`: a bounded number of moments, each the state of a
 * program at the end of an interval, and computations on them. Independent of the terminal.
 */
#ifndef HECTIC_TOP_HISTORY_H
#define HECTIC_TOP_HISTORY_H

#include "tool/passes/live_lines.h"

#include "facts/spans.h"
#include "profiles/time_profile.h"

enum {
    HISTORY_MAX = 300, /* moments */
    LISTED_MAX = 100,  /* threads of a moment, in each order */
    CAPS_MAX = 64,
    GENERATIONS_MAX = 4, /* the last is all older ones */
    PARTS_MAX = 48,      /* bands, or cost centres, of a moment */
    MESSAGES_MAX = 12,
    SPANS_MAX = 12,   /* labels of a moment */
    LABELS_MAX = 256, /* of spans, for which durations are counted; later ones are ignored */
    NAME_SIZE = 64,
    PART_NAME_SIZE = 1024,
    MESSAGE_SIZE = 160,
};

enum thread_sort { SORT_BUSIEST, SORT_NEWEST, SORT_BLOCKED, THREAD_SORTS };

struct thread_row {
    uint32_t id;
    uint16_t cap;
    hectic_thread_state state;
    uint64_t since, born; /* ns */
    uint64_t ended;       /* ns, if has_ended */
    uint64_t ran;         /* ns, in the interval */
    bool has_born;        /* otherwise it is at least as old as `born`, its first event */
    bool has_ended;
    char label[NAME_SIZE];
};

/* The first LISTED_MAX threads in some order. */
struct thread_list {
    uint32_t count;
    struct thread_row *row;
};

/* Is a thread in that state blocked? */
bool is_blocked(hectic_thread_state state);

/* A band of the heap profile, or a cost centre of the time profile. */
struct profile_part {
    uint32_t name;  /* see history_name */
    uint64_t value; /* bytes; or samples in which it is innermost */
    uint64_t total; /* samples in which it is on the stack */
};

/* The largest parts of a profile, in descending order. */
struct moment_profile {
    uint32_t parts;
    struct profile_part part[PARTS_MAX];
    uint64_t
        sum; /* of all parts, also of those left out: bytes; or samples of the program itself */
};

enum profile { PROFILE_HEAP, PROFILE_TIME, PROFILES };

/* Texts are in UTF-8 and safe to print. Unknown values without a has_ flag are 0 or "". */
struct moment {
    char program[NAME_SIZE], rts[NAME_SIZE];
    uint32_t pid;
    uint64_t from, to; /* ns: the interval */
    bool has_lag, has_live, has_heap, has_threads, has_gc, has_gc_stats, has_allocated;
    bool has_safepoint;
    uint64_t lag, late, dropped, damaged, events;
    uint64_t live, heap, allocated;
    uint64_t pause_max, gc_ns, safepoint_ns;
    uint32_t generations;
    uint64_t collections[GENERATIONS_MAX];
    uint64_t alive, created, in_state[HECTIC_THREAD_STATES];
    uint32_t caps, caps_beyond; /* in cap[], and left out */
    struct moment_cap {
        uint16_t cap;
        bool known, has_gc;
        float mutator, gc, wait; /* shares of the interval; the rest is idle */
    } cap[CAPS_MAX];
    struct moment_profile profile[PROFILES];
    hectic_breakdown breakdown;               /* of the heap profile */
    uint64_t time_samples[HECTIC_TIME_KINDS]; /* of the time profile, in the interval */
    uint32_t messages;                        /* the latest first */
    struct moment_message {
        uint64_t time;
        char text[MESSAGE_SIZE];
    } message[MESSAGES_MAX];
    uint32_t spans; /* the greatest total time so far first */
    struct moment_span {
        uint64_t count;    /* that ended in the interval */
        uint64_t p50, p99; /* ns: of these */
        char label[NAME_SIZE];
    } span[SPANS_MAX];
    struct thread_list threads[THREAD_SORTS];
};

struct history;

struct history *history_new(void); /* NULL: no memory */
void history_free(struct history *history);

/* A log begins. `is_finished`: its whole run becomes a moment, too. False: no memory. */
bool history_begin(struct history *history, const hectic_header *header, bool is_finished);

/* The next event: spans and messages come from here. False: no memory. */
bool history_event(struct history *history, const hectic_event *event);

/* Adds an interval, and drops the oldest if there are too many. False: no memory. */
bool history_add(struct history *history, const struct live_line *line);

/* The end of a finished log: adds the moment of the whole run. False: no memory. */
bool history_end(struct history *history);

/* The moment of the whole run; NULL: the log is not finished. */
const struct moment *history_whole(const struct history *history);

/* Moments are numbered from 1. The number of the latest; 0: none. */
uint64_t history_last(const struct history *history);
uint64_t history_first(const struct history *history); /* of the oldest that is kept */
const struct moment *history_get(const struct history *history, uint64_t number);

/* --- Profiles -------------------------------------------------------------------------------- */

/* The name of a part: whole, in UTF-8, safe to print. */
const char *history_name(const struct history *history, uint32_t name);

/* The course of a part over the moments up to number `last`, from the first one with that profile
 * on: value[i] is its bytes, or its share of the program's own samples; 0 if it is not among the
 * largest; time[i] is the end of the moment, in ns. Both have room for HISTORY_MAX. Returns their
 * number. */
size_t history_course(const struct history *history, uint64_t last, enum profile profile,
                      uint32_t name, double *value, double *time);

/* The time profile in the last seconds before the end of a moment: the sum of the moments that are
 * at most `ns` long together, and at least that one. */
void history_recent(const struct history *history, uint64_t last, uint64_t ns,
                    struct moment_profile *sum, uint64_t samples[HECTIC_TIME_KINDS]);

/* The slope of the line through `count` values (per second, for times in ns), and whether it
 * matters: -1 falling, 0 not, 1 rising. */
int trend_of(const double *value, const double *time, size_t count, double *slope);

/* --- Graphs ---------------------------------------------------------------------------------- */

/* Fits values into columns; each is the maximum of as many neighbors as needed. `first` is the
 * number of the first value: neighbors stay together when values are added and dropped. Returns
 * the columns used. */
size_t graph_fit(const double *values, size_t count, uint64_t first, size_t columns, double *out);

/* The height of a value in `rows` rows, in eighths of a row; at least 1 if it is above 0. */
unsigned graph_eighths(double value, double top, unsigned rows);

/* How many of `width` columns each share takes, and the rest. */
enum { BAR_SHARES = 3 };
struct bar {
    unsigned part[BAR_SHARES], rest;
};
struct bar bar_of(const double share[BAR_SHARES], unsigned width);

#endif
