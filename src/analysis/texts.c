/* texts.c — see texts.h. */
#include "analysis/texts.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MIN = 4096 };

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

static bool grow_bytes(struct texts *texts, size_t wanted)
{
    if (wanted <= texts->capacity) return true;
    size_t capacity = texts->capacity ? texts->capacity : BYTES_MIN;
    while (capacity < wanted)
        capacity *= 2;
    char *grown = realloc(texts->bytes, capacity);
    if (!grown) return false;
    texts->bytes = grown;
    texts->capacity = capacity;
    return true;
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
    const bool has_memory = grow_bytes(texts, texts->used + length + 1);
    struct text *added = has_memory ? map_add_bytes(&texts->numbers, 0, text, length) : NULL;
    if (!added) return texts->no_memory = true, TEXTS_NONE;
    added->number = number;
    memcpy(texts->bytes + number, text, length);
    texts->bytes[number + length] = 0;
    texts->used += length + 1;
    return number;
}
