/* Writes events in order of time as blocks of one cap each.
 *
 * A window of some ten thousand events, which fits in the processor's cache, is collected and then
 * written cap by cap. Sorted by time, then by position, events of one stream, and events with
 * different times, are in the order of the input. */
#ifndef HECTIC_SRC_WINDOW_H
#define HECTIC_SRC_WINDOW_H

#include <hectic/writer.h>

typedef struct window window;

/* `marker`: the header's type of BLOCK_MARKER. NULL: out of memory. */
window *window_new(hectic_writer *writer, const hectic_event_type *marker, size_t streams);
void window_free(window *w);

/* Adds a copy. False: it cannot be written, see hectic_writer_event. */
bool window_event(window *w, size_t stream, const hectic_event *event);

/* After an event that deletes the cap: its block of this window extends up to that time, so that a
 * log that is cut later is known to have all events of the cap. */
void window_end_cap(window *w, uint16_t cap, uint64_t time);

/* Writes all collected events. */
bool window_flush(window *w);

#endif
