/* What the reading room knows of an input beyond its public face. */
#ifndef HECTIC_SRC_INPUT_H
#define HECTIC_SRC_INPUT_H

#include <hectic/input.h>

/* What ended a compressed input early when it was spooled (kind HECTIC_OK: nothing did). All that
 * could be read before it is there. */
const hectic_error *input_cut(const hectic_input *input);

/* How many bytes there are, now, to be read at random. */
uint64_t input_size(const hectic_input *input);

#endif
