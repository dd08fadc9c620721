/* Reads an input through a decoder to its end: shared by copy, merge and salvage. */
#ifndef HECTIC_SRC_PUMP_H
#define HECTIC_SRC_PUMP_H

#include <hectic/decoder.h>
#include <hectic/input.h>

/* Called for each item, including HECTIC_ERROR; `event` is set for HECTIC_GOT_EVENT. Return false
 * to stop.
 */
typedef bool (*pump_item)(void *self, const hectic_decoder *decoder, hectic_result result,
                          const hectic_event *event);

/* Called before waiting for slow input: write pending output. Return false to stop. */
typedef bool (*pump_drain)(void *self);

typedef enum pump_end {
    PUMP_DONE,    /* the input has ended; if *error is HECTIC_COMPRESSION, by damage */
    PUMP_STOPPED, /* by pump_item or pump_drain */
    PUMP_FAILED,  /* the input could not be read: *error */
} pump_end;

/* After an error, reading continues where the decoder finds a place. `drain` may be NULL. */
pump_end pump(hectic_input *input, hectic_decoder *decoder, pump_item item, pump_drain drain,
              void *self, hectic_error *error);

#endif
