/* sparkline.h — a course of numbers in a line of text. */
#ifndef HECTIC_SPARKLINE_H
#define HECTIC_SPARKLINE_H

#include <stdint.h>

enum {
    SPARKLINE_WIDTH = 16,                     /* the most columns of a terminal */
    SPARKLINE_ROOM = 3 * SPARKLINE_WIDTH + 1, /* bytes, with the final NUL */
};

/* As a value: there is none, so its column is blank. */
#define SPARKLINE_NONE UINT64_MAX

/* Writes a block for each of `count` <= SPARKLINE_WIDTH values. Its height is the value's share of
 * the largest one, in eighths; at least one. ASCII characters if the locale is not UTF-8. */
void sparkline(char out[SPARKLINE_ROOM], const uint64_t *value, uint32_t count);

#endif
