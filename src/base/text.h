/* text.h — how texts begin and end. */
#ifndef HECTIC_SRC_BASE_TEXT_H
#define HECTIC_SRC_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

static inline bool text_begins(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static inline bool text_ends(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

#endif
