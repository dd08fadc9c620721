/* Open addressing; an entry is at its key's place or behind it, with no free place between. */
#include "living/map.h"

#include <stdlib.h>
#include <string.h>

static map_key key_at(const map *m, size_t place)
{
    map_key key;
    memcpy(&key, m->entries + place * m->entry_size, sizeof key);
    return key;
}

static bool is_free(map_key key)
{
    return key.a == 0 && key.b == 0;
}

static size_t home(const map *m, map_key key)
{
    uint64_t h = (key.a ^ key.b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(h ^ h >> 32) & (m->capacity - 1);
}

/* Where the key is, or would be. */
static size_t place_of(const map *m, map_key key)
{
    size_t place = home(m, key);
    for (map_key there; !is_free(there = key_at(m, place)); place = (place + 1) & (m->capacity - 1))
        if (there.a == key.a && there.b == key.b) break;
    return place;
}

void *map_find(const map *m, map_key key)
{
    if (m->capacity == 0) return NULL;
    const size_t place = place_of(m, key);
    return is_free(key_at(m, place)) ? NULL : m->entries + place * m->entry_size;
}

static bool grow(map *m)
{
    map more = {.entry_size = m->entry_size, .capacity = m->capacity ? 2 * m->capacity : 64};
    more.entries = calloc(more.capacity, more.entry_size);
    more.sorted = calloc(more.capacity, sizeof *more.sorted);
    if (!more.entries || !more.sorted) {
        map_clear(&more);
        return false;
    }
    for (const uint8_t *entry = NULL; (entry = map_next(m, entry));) {
        map_key key;
        memcpy(&key, entry, sizeof key);
        memcpy(more.entries + place_of(&more, key) * more.entry_size, entry, more.entry_size);
    }
    more.count = m->count;
    map_clear(m);
    *m = more;
    return true;
}

void *map_add(map *m, map_key key)
{
    void *there = map_find(m, key);
    if (there) return there;
    if (4 * m->count >= 3 * m->capacity && !grow(m)) return NULL;
    uint8_t *entry = m->entries + place_of(m, key) * m->entry_size;
    memcpy(entry, &key, sizeof key);
    m->count++;
    return entry;
}

void map_remove(map *m, void *entry)
{
    const size_t mask = m->capacity - 1;
    size_t hole = (size_t)((uint8_t *)entry - m->entries) / m->entry_size;
    /* Whatever stands behind the hole, but could stand in it, moves there. */
    for (size_t next = (hole + 1) & mask; !is_free(key_at(m, next)); next = (next + 1) & mask) {
        const size_t wanted = home(m, key_at(m, next));
        if (((next - wanted) & mask) < ((next - hole) & mask)) continue;
        memcpy(m->entries + hole * m->entry_size, m->entries + next * m->entry_size, m->entry_size);
        hole = next;
    }
    memset(m->entries + hole * m->entry_size, 0, m->entry_size);
    m->count--;
}

void *map_next(const map *m, const void *previous)
{
    size_t place =
        previous ? (size_t)((const uint8_t *)previous - m->entries) / m->entry_size + 1 : 0;
    while (place < m->capacity && is_free(key_at(m, place)))
        place++;
    return place < m->capacity ? m->entries + place * m->entry_size : NULL;
}

void map_clear(map *m)
{
    free(m->entries);
    free(m->sorted);
    *m = (map){.entry_size = m->entry_size};
}

/* Lets the entry at `place` of a heap of `count`, whose first is the last in order, sink. */
static void sink(void **heap, size_t place, size_t count, map_compare compare)
{
    void *const entry = heap[place];
    for (size_t below; (below = 2 * place + 1) < count; place = below) {
        if (below + 1 < count && compare(heap[below], heap[below + 1]) < 0) below++;
        if (compare(entry, heap[below]) >= 0) break;
        heap[place] = heap[below];
    }
    heap[place] = entry;
}

/* A heapsort, since qsort may allocate. */
void *const *map_sorted(const map *m, map_compare compare)
{
    size_t count = 0;
    for (void *entry = NULL; (entry = map_next(m, entry));)
        m->sorted[count++] = entry;
    for (size_t place = count / 2; place-- > 0;)
        sink(m->sorted, place, count, compare);
    while (count-- > 1) {
        void *const last = m->sorted[0];
        m->sorted[0] = m->sorted[count];
        m->sorted[count] = last;
        sink(m->sorted, 0, count, compare);
    }
    return m->sorted;
}
