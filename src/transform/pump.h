/* An input read to its end through a decoder: what copy and salvage have in common. */
#ifndef HECTIC_SRC_PUMP_H
#define HECTIC_SRC_PUMP_H

#include <hectic/decoder.h>
#include <hectic/input.h>

/* Told of each item, HECTIC_ERROR included; `event` is set for HECTIC_GOT_EVENT. Stops where it is
 * false.
 */
typedef bool (*pump_item)(void *self, const hectic_decoder *decoder, hectic_result result,
                          const hectic_event *event);

/* Called when more may be long in coming: what was made of the items so far should be written.
 * Stops where it is false. */
typedef bool (*pump_drain)(void *self);

typedef enum pump_end {
    PUMP_DONE,    /* the input has ended, if *error is HECTIC_COMPRESSION by damage */
    PUMP_STOPPED, /* by pump_item or pump_drain */
    PUMP_FAILED,  /* the input could not be read: *error */
} pump_end;

/* After an error reading goes on where the decoder finds a place for it. `drain` may be NULL. */
pump_end pump(hectic_input *input, hectic_decoder *decoder, pump_item item, pump_drain drain,
              void *self, hectic_error *error);

#endif
