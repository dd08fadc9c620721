/* screen.h — text of others, in the columns of a terminal. */
#ifndef HECTIC_SCREEN_H
#define HECTIC_SCREEN_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that screen_text writes. */
static inline size_t screen_bound(size_t length)
{
    return 4 * length + 3;
}

/* Writes `length` bytes as hectic_render_visible does. What would take more than `most` columns of
 * a terminal is cut, and ends with "…". Returns the bytes written; sets *width to the columns that
 * they take. */
size_t screen_text(const char *text, size_t length, size_t most, char *out, size_t *width);

#endif
