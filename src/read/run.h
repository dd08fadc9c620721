/* Runs: for analyses that have to be as fast as stepping over events can be. Instead of pulling
 * every event as a view, they step through the bytes of many events themselves (see step.h), and
 * leave what is rare (markers, headers, damage, what is cut between two pieces) to pull:
 *
 *     do {
 *         while ((n = step_through(decoder_run(d, &length, &cap), length, cap)) > 0)
 *             decoder_advance(d, n);
 *     } while ((r = hectic_decoder_pull(d, &event)) != HECTIC_PARTIAL);
 */
#ifndef HECTIC_SRC_RUN_H
#define HECTIC_SRC_RUN_H

#include <hectic/decoder.h>

/* The bytes ahead, as far as they are in one place and in one block: 0 where the next item has to
 * be pulled. They begin at an event; not all of them need be whole or of known type. Sets *cap to
 * the cap of all events in them. */
const uint8_t *decoder_run(hectic_decoder *d, size_t *length, uint16_t *cap);

/* Passes over the first `length` bytes of the run: whole events, none a BLOCK_MARKER. */
void decoder_advance(hectic_decoder *d, size_t length);

#endif
