/* terminal_text.h — untrusted text in the columns of a terminal. */
#ifndef HECTIC_TERMINAL_TEXT_H
#define HECTIC_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes that terminal_text_fit writes. */
static inline size_t terminal_text_bound(size_t length)
{
    return 4 * length + 3;
}

/* Writes `length` bytes as hectic_render_visible does. Text of more than `most` terminal columns is
 * clipped, and ends with "…". Returns the bytes written; sets *width to their columns. */
size_t terminal_text_fit(const char *text, size_t length, size_t most, char *out, size_t *width);

/* Is the locale's encoding UTF-8? */
bool terminal_is_utf8(void);

/* The width of the terminal on stdout: $COLUMNS, or what the terminal reports, or 80. */
size_t terminal_width(void);

#endif
