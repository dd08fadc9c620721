/* Events in order of time, written as blocks of one cap each.
 *
 * A window of some ten thousand events is held and then written cap by cap: few enough to stay in
 * the processor's cache. Where the log is read by time, ties by position, those of one stream come
 * out in the order in which they went in; so do all of different times. */
#ifndef HECTIC_SRC_WINDOW_H
#define HECTIC_SRC_WINDOW_H

#include <hectic/writer.h>

typedef struct window window;

/* `marker`: what the header says of BLOCK_MARKER. NULL: no memory. */
window *window_new(hectic_writer *writer, const hectic_event_type *marker, size_t streams);
void window_free(window *w);

/* Takes a copy. False: it cannot be written, as hectic_writer_event says. */
bool window_event(window *w, size_t stream, const hectic_event *event);

/* Writes all that is held. */
bool window_flush(window *w);

#endif
