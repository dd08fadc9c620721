/* Runs: for analyses that need maximum speed. Instead of pulling every event as a view, they step
 * through the bytes of many events themselves (see step.h), and leave rare cases (markers, headers,
 * damage, events split between two pieces) to pull:
 *
 *     do {
 *         while ((n = step_through(decoder_run(d, &length, &at), length, at)) > 0)
 *             decoder_advance(d, n);
 *     } while ((r = hectic_decoder_pull(d, &event)) != HECTIC_PARTIAL);
 */
#ifndef HECTIC_SRC_RUN_H
#define HECTIC_SRC_RUN_H

#include "read/decode/step.h"

#include <hectic/decoder.h>

/* The next bytes, contiguous and in one block; length 0 if the next item must be pulled. They begin
 * at an event; the last event may be incomplete, and types may be unknown. Sets *at to the position
 * in the framing, with the cap of all these events; it changes with the decoder. */
const uint8_t *decoder_run(hectic_decoder *d, size_t *length, const stepper **at);

/* Skips the first `length` bytes of the run: complete events except BLOCK_MARKERs. */
void decoder_advance(hectic_decoder *d, size_t length);

/* At the end of a block, with no bytes left: the next `length` bytes, whole blocks, were taken
 * elsewhere. */
void decoder_skip(hectic_decoder *d, uint64_t length);

#endif
