/* Text as a terminal may get it. */
#ifndef HECTIC_SRC_VISIBLE_H
#define HECTIC_SRC_VISIBLE_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that show one byte of a text. */
enum { VISIBLE_MAX = 4 };

/* Writes what shows the character that begins at bytes[0], of `length` > 0 bytes: the character
 * itself, or an escape. Sets *size to the bytes that it takes, and *character to it, or 0 where an
 * escape was written. Returns the place behind. */
char *put_visible(char *out, const uint8_t *bytes, size_t length, size_t *size,
                  uint32_t *character);

#endif
