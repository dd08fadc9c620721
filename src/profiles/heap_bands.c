/* heap_bands.c — see heap_bands.h. */
#include "profiles/heap_bands.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MIN = 256, ENTRIES_MAX = 1 << 17, BYTES_MIN = 1 << 14, BYTES_MAX = 1 << 23 };

struct place {
    map_key key;
    uint32_t number; /* of an entry, plus 1 */
};

void heap_bands_clear(struct heap_bands *b)
{
    free(b->entry);
    map_clear(&b->places);
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

static bool is_equal(const struct heap_bands *b, const struct heap_bands_entry *entry, uint32_t tag,
                     const uint8_t *bytes, uint32_t length)
{
    return entry->tag == tag && memcmp(b->bytes + entry->offset, bytes, length) == 0;
}

bool heap_bands_find(struct heap_bands *b, enum heap_bands_kind kind, const uint8_t *bytes,
                     uint32_t length, uint32_t *node)
{
    if (b->count == 0) return false;
    const uint32_t tag = tag_of(kind, length);
    if (b->next < b->count && is_equal(b, &b->entry[b->next], tag, bytes, length)) {
        b->next++;
    } else {
        const struct place *place = map_find_bytes(&b->places, kind, bytes, length);
        if (!place) return false;
        b->next = place->number;
    }
    *node = b->entry[b->next - 1].node;
    return true;
}

static bool grow_entries(struct heap_bands *b)
{
    if (b->count < b->capacity) return true;
    const uint32_t capacity = b->capacity ? 2 * b->capacity : ENTRIES_MIN;
    if (capacity > ENTRIES_MAX) return false;
    struct heap_bands_entry *entry = realloc(b->entry, capacity * sizeof *entry);
    if (!entry) return false;
    b->entry = entry;
    b->capacity = capacity;
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
    b->places.entry_size = sizeof(struct place);
    b->places.unsorted = true;
    const bool has_room = grow_entries(b) && grow_bytes(b, b->used + length);
    struct place *place = has_room ? map_add_bytes(&b->places, kind, bytes, length) : NULL;
    b->is_full = !place;
    if (!place) return;
    b->entry[b->count] = (struct heap_bands_entry){tag_of(kind, length), b->used, node};
    place->number = b->next = ++b->count;
    if (length > 0) memcpy(b->bytes + b->used, bytes, length);
    b->used += length;
}
