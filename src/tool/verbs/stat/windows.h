/* windows.h — the windows of hectic stat: spans of one label, found by a reading of their own. */
#ifndef HECTIC_WINDOWS_H
#define HECTIC_WINDOWS_H

#include "tool/input/reading.h"

#include <hectic/spans.h>
#include <hectic/stat.h>

struct window {
    uint64_t start, stop; /* positions of the events; stop UINT64_MAX: it is not stopped */
    uint32_t thread;      /* that has opened it, where has_thread */
    bool has_thread;
    uint32_t slot; /* of its process */
    bool is_open;
    hectic_stat_interval *interval; /* while it is open, in the interval that is asked for */
};

/* One of its two events. */
struct window_edge {
    uint64_t position;
    size_t window;
};

struct windows {
    struct window *window; /* in the order of the file */
    size_t count, room;
    struct window_edge *edge; /* by position */
    size_t edges;
    bool too_many;
    hectic_span_totals totals;
};

/* Reads the log for spans of that label (as hectic spans has them; markers may be their ends, too)
 * of which something lies in the interval. False: no memory; or after a message, where there are
 * too many. */
bool windows_find(struct windows *windows, struct reading *reading, const char *label);
void windows_clear(struct windows *windows);

/* The window that begins or ends with the event, or NULL. */
struct window *windows_at(const struct windows *windows, const hectic_event *event);

#endif
