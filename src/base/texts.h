/* texts.h — a set of texts, each kept once and known by a number. */
#ifndef HECTIC_SRC_BASE_TEXTS_H
#define HECTIC_SRC_BASE_TEXTS_H

#include "base/map.h"

#define TEXTS_NONE UINT32_MAX

/* All zero except `limit` is empty. */
struct texts {
    char *bytes; /* NUL-terminated texts; a text's number is its offset */
    size_t used, capacity;
    size_t limit; /* of the bytes in use; at most 2^32 - 2 */
    map numbers;
    bool no_memory; /* a text was left out for lack of memory */
};

void texts_clear(struct texts *texts);

/* The number of the text, up to `length` bytes or a NUL, which is added if it is new. TEXTS_NONE:
 * the limit is reached, or out of memory. */
uint32_t texts_add(struct texts *texts, const void *text, size_t length);

/* The text, valid until one is added; NULL for TEXTS_NONE. */
static inline const char *texts_get(const struct texts *texts, uint32_t number)
{
    return number == TEXTS_NONE ? NULL : texts->bytes + number;
}

#endif
