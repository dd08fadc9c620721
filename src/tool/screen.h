/* screen.h — foreign text, made fit to be seen. */
#ifndef HECTIC_SCREEN_H
#define HECTIC_SCREEN_H

#include <stddef.h>
#include <stdint.h>

/* The character at the beginning of `length` bytes (at least 1) of UTF-8, and its bytes; what is no
 * UTF-8 gives U+FFFD and one byte. */
size_t screen_character(const char *text, size_t length, uint32_t *character);

/* The most bytes that screen_text writes. */
static inline size_t screen_bound(size_t length)
{
    return 4 * length + 3;
}

/* Writes `length` bytes so that they stay on their line and move no cursor: control characters
 * become \n, \t, \x1b, bad bytes U+FFFD. What would take more than `most` columns of a terminal is
 * cut, and ends with "…". Returns the bytes written; sets *width to the columns that they take. */
size_t screen_text(const char *text, size_t length, size_t most, char *out, size_t *width);

#endif
