/* windows.h — the windows of hectic stat: the spans of one label, found by a pass of their own. */
#ifndef HECTIC_WINDOWS_H
#define HECTIC_WINDOWS_H

#include "results/reading.h"

#include "facts/spans.h"
#include "stat/stat.h"

struct window {
    uint64_t start, stop; /* positions of the events; stop UINT64_MAX: no STOP */
    uint32_t thread;      /* that opened it, if has_thread */
    bool has_thread;
    uint32_t slot; /* of its process */
    bool is_open;
    hectic_stat_interval *interval; /* while it is open inside the interval */
};

/* Its START or STOP. */
struct window_edge {
    uint64_t position;
    size_t window;
};

struct windows {
    struct window *window; /* in file order */
    size_t count, room;
    struct window_edge *edge; /* by position */
    size_t edges;
    bool too_many;
    hectic_span_totals totals;
};

/* Finds the spans of that label (as in hectic spans, but markers may start and stop them, too) that
 * overlap the interval. False: no memory; or too many, after a message. */
bool windows_find(struct windows *windows, struct reading *reading, const char *label);
void windows_clear(struct windows *windows);

/* The window that starts or stops with the event, or NULL. */
struct window *windows_at(const struct windows *windows, const hectic_event *event);

#endif
