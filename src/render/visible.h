/* Escapes text for a terminal. */
#ifndef HECTIC_SRC_VISIBLE_H
#define HECTIC_SRC_VISIBLE_H

#include <stddef.h>
#include <stdint.h>

/* The maximum number of output bytes per byte of text. */
enum { VISIBLE_MAX = 4 };

/* Writes the character at bytes[0], of `length` > 0 bytes, or an escape for it. Sets *size to its
 * size, and *character to the character, or 0 if an escape was written. Returns the end of the
 * output. */
char *put_visible(char *out, const uint8_t *bytes, size_t length, size_t *size,
                  uint32_t *character);

#endif
