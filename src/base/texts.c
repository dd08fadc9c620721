/* texts.c — see texts.h. */
#include "base/texts.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

struct text {
    map_key key;
    uint32_t number;
};

void texts_clear(struct texts *texts)
{
    free(texts->bytes);
    map_clear(&texts->numbers);
    *texts = (struct texts){.limit = texts->limit};
}

uint32_t texts_add(struct texts *texts, const void *text, size_t length)
{
    const char *nul = memchr(text, 0, length);
    if (nul) length = (size_t)(nul - (const char *)text);
    const struct text *known = map_find_bytes(&texts->numbers, 0, text, length);
    if (known) return known->number;
    if (length >= texts->limit - texts->used) return TEXTS_NONE;
    texts->numbers.entry_size = sizeof(struct text);
    texts->numbers.unsorted = true;
    const uint32_t number = (uint32_t)texts->used;
    const bool has_memory = array_reserve(texts->bytes, texts->capacity, texts->used + length + 1);
    struct text *added = has_memory ? map_add_bytes(&texts->numbers, 0, text, length) : NULL;
    if (!added) return texts->no_memory = true, TEXTS_NONE;
    added->number = number;
    memcpy(texts->bytes + number, text, length);
    texts->bytes[number + length] = 0;
    texts->used += length + 1;
    return number;
}
