/* texts.c — see texts.h. */
#include "analysis/texts.h"

#include "analysis/wide.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 256, BYTES_MIN = 4096 };

/* Both halves of the product depend on the seed, which differs from process to process: so no log
 * can be made whose texts collide. */
static uint64_t mix(uint64_t hash, uint64_t seed)
{
    const wide product = wide_product(hash, seed | 1);
    return product.low ^ product.high;
}

/* Eight bytes at a time. */
static uint32_t hash_of(const struct texts *texts, const char *text, size_t length)
{
    uint64_t hash = mix(texts->seed ^ length, texts->seed);
    while (length > 0) {
        uint64_t word = 0;
        const size_t size = length < sizeof word ? length : sizeof word;
        memcpy(&word, text, size);
        hash = mix(hash ^ word, texts->seed);
        text += size;
        length -= size;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

void texts_clear(struct texts *texts)
{
    free(texts->bytes);
    free(texts->slot);
    *texts = (struct texts){.limit = texts->limit};
}

/* The slot of the text, or of its insertion. */
static uint32_t *slot_of(const struct texts *texts, const char *text, size_t length)
{
    uint32_t i = hash_of(texts, text, length) & (texts->slots - 1);
    for (; texts->slot[i]; i = (i + 1) & (texts->slots - 1)) {
        const char *there = texts->bytes + texts->slot[i] - 1;
        if (strncmp(there, text, length) == 0 && there[length] == 0) break;
    }
    return &texts->slot[i];
}

static bool grow_slots(struct texts *texts)
{
    const uint32_t slots = texts->slots ? 2 * texts->slots : SLOTS_MIN;
    uint32_t *const old = texts->slot;
    const uint32_t old_slots = texts->slots;
    uint32_t *const fresh = calloc(slots, sizeof *fresh);
    if (!fresh) return false;
    /* The address of the first table is random where the system randomizes addresses. */
    if (!old) texts->seed = (uintptr_t)fresh * UINT64_C(0xbf58476d1ce4e5b9);
    texts->slot = fresh;
    texts->slots = slots;
    for (uint32_t i = 0; i < old_slots; i++) {
        if (!old[i]) continue;
        const char *text = texts->bytes + old[i] - 1;
        *slot_of(texts, text, strlen(text)) = old[i];
    }
    free(old);
    return true;
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
    if (4 * (uint64_t)texts->count >= 3 * (uint64_t)texts->slots && !grow_slots(texts))
        return texts->no_memory = true, TEXTS_NONE;
    uint32_t *slot = slot_of(texts, text, length);
    if (*slot) return *slot - 1;
    if (length >= texts->limit - texts->used) return TEXTS_NONE;
    if (!grow_bytes(texts, texts->used + length + 1)) return texts->no_memory = true, TEXTS_NONE;
    const uint32_t number = (uint32_t)texts->used;
    memcpy(texts->bytes + number, text, length);
    texts->bytes[number + length] = 0;
    texts->used += length + 1;
    texts->count++;
    *slot = number + 1;
    return number;
}
