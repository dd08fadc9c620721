/* heap_bands.c — see heap_bands.h. */
#include "analysis/heap_bands.h"

#include <stdlib.h>
#include <string.h>

/* At most PROBES slots are tried, since hostile labels may have equal hashes. */
enum { ENTRIES_MIN = 256, ENTRIES_MAX = 1 << 17, BYTES_MIN = 1 << 14, BYTES_MAX = 1 << 23 };
enum { PROBES = 32 };

void heap_bands_clear(struct heap_bands *b)
{
    free(b->entry);
    free(b->slot);
    free(b->bytes);
    *b = (struct heap_bands){0};
}

void heap_bands_renew(struct heap_bands *b)
{
    if (b->is_full) heap_bands_clear(b);
}

static uint32_t tag_of(enum heap_bands_kind kind, uint32_t length)
{
    return length << 2 | kind;
}

static uint32_t hash_of(uint32_t tag, const uint8_t *bytes, uint32_t length)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = tag * factor, word = 0;
    for (; length >= sizeof word; length -= (uint32_t)sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 29;
    }
    word = 0;
    for (uint32_t i = 0; i < length; i++)
        word = word << 8 | bytes[i];
    hash = (hash ^ word) * factor;
    return (uint32_t)(hash >> 32);
}

static uint32_t *slot_at(const struct heap_bands *b, uint32_t hash, uint32_t probe)
{
    return &b->slot[(hash + probe) & (2 * b->capacity - 1)];
}

static bool is_equal(const struct heap_bands *b, const struct heap_bands_entry *entry, uint32_t tag,
                     const uint8_t *bytes, uint32_t length)
{
    return entry->tag == tag && memcmp(b->bytes + entry->offset, bytes, length) == 0;
}

static bool look_up(struct heap_bands *b, uint32_t tag, const uint8_t *bytes, uint32_t length)
{
    const uint32_t hash = hash_of(tag, bytes, length);
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        const uint32_t slot = *slot_at(b, hash, probe);
        if (slot == 0) return false;
        b->next = slot;
        const struct heap_bands_entry *entry = &b->entry[slot - 1];
        if (entry->hash == hash && is_equal(b, entry, tag, bytes, length)) return true;
    }
    return false;
}

bool heap_bands_find(struct heap_bands *b, enum heap_bands_kind kind, const uint8_t *bytes,
                     uint32_t length, uint32_t *node)
{
    if (b->count == 0) return false;
    const uint32_t tag = tag_of(kind, length);
    if (b->next < b->count && is_equal(b, &b->entry[b->next], tag, bytes, length))
        b->next++;
    else if (!look_up(b, tag, bytes, length))
        return false;
    *node = b->entry[b->next - 1].node;
    return true;
}

/* Leaves the entry out of the table if there is no free slot nearby. */
static void put(struct heap_bands *b, uint32_t index)
{
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint32_t *slot = slot_at(b, b->entry[index].hash, probe);
        if (*slot != 0) continue;
        *slot = index + 1;
        return;
    }
}

static bool grow_entries(struct heap_bands *b)
{
    if (b->count < b->capacity) return true;
    const uint32_t capacity = b->capacity ? 2 * b->capacity : ENTRIES_MIN;
    if (capacity > ENTRIES_MAX) return false;
    struct heap_bands_entry *entry = realloc(b->entry, capacity * sizeof *entry);
    if (!entry) return false;
    b->entry = entry;
    uint32_t *slot = calloc(2 * (size_t)capacity, sizeof *slot);
    if (!slot) return false;
    free(b->slot);
    b->slot = slot;
    b->capacity = capacity;
    for (uint32_t i = 0; i < b->count; i++)
        put(b, i);
    return true;
}

static bool grow_bytes(struct heap_bands *b, uint32_t wanted)
{
    if (b->bytes && wanted <= b->room) return true;
    uint32_t room = b->room ? b->room : BYTES_MIN;
    while (room < wanted)
        room *= 2;
    uint8_t *bytes = room > BYTES_MAX ? NULL : realloc(b->bytes, room);
    if (!bytes) return false;
    b->bytes = bytes;
    b->room = room;
    return true;
}

void heap_bands_add(struct heap_bands *b, enum heap_bands_kind kind, const uint8_t *bytes,
                    uint32_t length, uint32_t node)
{
    b->is_full = !grow_entries(b) || !grow_bytes(b, b->used + length);
    if (b->is_full) return;
    const uint32_t tag = tag_of(kind, length);
    b->entry[b->count] = (struct heap_bands_entry){tag, hash_of(tag, bytes, length), b->used, node};
    put(b, b->count++);
    b->next = b->count;
    if (length > 0) memcpy(b->bytes + b->used, bytes, length);
    b->used += length;
}
