/* top_history.h — what `hectic top` remembers: a bounded number of moments, each what a program was
 * like at the end of an interval. And what is reckoned from them; nothing here knows a terminal.
 */
#ifndef HECTIC_TOP_HISTORY_H
#define HECTIC_TOP_HISTORY_H

#include "tool/output/live_lines.h"

enum {
    HISTORY_MAX = 300, /* moments */
    LISTED_MAX = 100,  /* threads of a moment, in each order */
    CAPS_MAX = 64,
    GENERATIONS_MAX = 4, /* the last is all older ones */
    BANDS_MAX = 12,
    MESSAGES_MAX = 12,
    NAME_SIZE = 64,
    MESSAGE_SIZE = 160,
};

enum thread_sort { SORT_BUSIEST, SORT_NEWEST, SORT_BLOCKED, THREAD_SORTS };

struct thread_row {
    uint32_t id;
    uint16_t cap;
    hectic_thread_state state;
    uint64_t since, born; /* ns */
    uint64_t ran;         /* ns, in the interval */
    bool has_born;        /* else it is at least as old as `born`, when it was heard of */
    char label[NAME_SIZE];
};

/* The first LISTED_MAX threads in some order. */
struct thread_list {
    uint32_t count;
    struct thread_row *row;
};

/* Does a thread that is blocked wait for something? */
bool is_blocked(hectic_thread_state state);

/* Texts are in UTF-8, fit to be shown. What has no has_, and is not known, is 0 or "". */
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
    uint64_t alive, in_state[HECTIC_THREAD_STATES];
    uint32_t caps, caps_beyond; /* and those that are not told of */
    struct moment_cap {
        uint16_t cap;
        bool known, has_gc;
        float mutator, gc, wait; /* shares of the interval; the rest is idle */
    } cap[CAPS_MAX];
    uint32_t bands;
    struct moment_band {
        uint64_t bytes;
        char name[NAME_SIZE];
    } band[BANDS_MAX];
    uint32_t messages; /* the latest first */
    struct moment_message {
        uint64_t time;
        char text[MESSAGE_SIZE];
    } message[MESSAGES_MAX];
    struct thread_list threads[THREAD_SORTS];
};

struct history;

struct history *history_new(void); /* NULL: no memory */
void history_free(struct history *history);

/* Remembers an interval; the oldest is forgotten. False: no memory. */
bool history_add(struct history *history, const struct live_line *watched);

/* Moments have numbers, from 1 on. The latest one's; 0: there is none. */
uint64_t history_last(const struct history *history);
uint64_t history_first(const struct history *history); /* the oldest that is remembered */
const struct moment *history_get(const struct history *history, uint64_t number);

/* --- Graphs ---------------------------------------------------------------------------------- */

/* Fits values into columns: the greatest of as many neighbours as needed. `first` is the first
 * value's number: neighbours stay together as values come and go. Returns the columns used. */
size_t graph_fit(const double *values, size_t count, uint64_t first, size_t columns, double *out);

/* How high a value stands in `rows` rows, in eighths of a row; what is above 0 is seen. */
unsigned graph_eighths(double value, double top, unsigned rows);

/* Of `width` columns, those of each share, and the rest: they add up. */
enum { BAR_SHARES = 3 };
struct bar {
    unsigned part[BAR_SHARES], rest;
};
struct bar bar_of(const double share[BAR_SHARES], unsigned width);

#endif
