/* What the reading room knows of an input beyond its public face. */
#ifndef HECTIC_SRC_INPUT_H
#define HECTIC_SRC_INPUT_H

#include <hectic/input.h>

/* How many bytes there are, now, to be read at random. */
uint64_t input_size(const hectic_input *input);

/* The bytes from `begin` up to `end`, as an input by itself; positions in it count from `begin`.
 * `input` has to be random, and may be freed before it. NULL and *error set on failure. */
hectic_input *input_part(const hectic_input *input, uint64_t begin, uint64_t end,
                         hectic_error *error);

#endif
