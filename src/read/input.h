/* The internals of an input. */
#ifndef HECTIC_SRC_INPUT_H
#define HECTIC_SRC_INPUT_H

#include <hectic/input.h>

/* Ends the input early: `enough` is called for all bytes that are read, in order and uncompressed.
 * After it has returned true, nothing more is read. Set it before the first read. */
void input_until(hectic_input *input, bool (*enough)(void *user, const void *bytes, size_t length),
                 void *user);

/* The current size of a random-access input. */
uint64_t input_size(const hectic_input *input);

/* The file of a random-access input. */
int input_fd(const hectic_input *input);

/* The bytes from `begin` up to `end` as a separate input; its positions count from `begin`. `input`
 * must be random-access, and may be freed before it. NULL and *error set on failure. */
hectic_input *input_part(const hectic_input *input, uint64_t begin, uint64_t end,
                         hectic_error *error);

#endif
