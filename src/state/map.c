/* Open addressing; an entry is at its key's slot or after it, without a free slot between. */
#include "state/map.h"

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

/* The slot of a key, or of its insertion. */
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

enum { CAPACITY_MIN = 64 };

static bool resize(map *m, size_t capacity)
{
    map other = {.entry_size = m->entry_size, .capacity = capacity, .unsorted = m->unsorted};
    other.entries = calloc(capacity, other.entry_size);
    if (!other.unsorted) other.sorted = calloc(capacity, sizeof *other.sorted);
    if (!other.entries || (!other.unsorted && !other.sorted)) {
        map_clear(&other);
        return false;
    }
    for (const uint8_t *entry = NULL; (entry = map_next(m, entry));) {
        map_key key;
        memcpy(&key, entry, sizeof key);
        memcpy(other.entries + place_of(&other, key) * other.entry_size, entry, other.entry_size);
    }
    other.count = m->count;
    map_clear(m);
    *m = other;
    return true;
}

static bool is_full(const map *m)
{
    return 4 * m->count >= 3 * m->capacity;
}

static size_t larger(const map *m)
{
    return m->capacity ? 2 * m->capacity : CAPACITY_MIN;
}

static size_t memory_of(const map *m, size_t capacity)
{
    return capacity * (m->entry_size + (m->unsorted ? 0 : sizeof *m->sorted));
}

size_t map_memory(const map *m)
{
    return memory_of(m, m->capacity);
}

size_t map_growth(const map *m)
{
    return is_full(m) ? memory_of(m, larger(m)) - map_memory(m) : 0;
}

/* The rest fills at most a quarter, so it can double before the table grows again. */
void map_shrink(map *m)
{
    size_t capacity = m->capacity;
    while (capacity > CAPACITY_MIN && 8 * m->count < capacity)
        capacity /= 2;
    if (capacity < m->capacity) resize(m, capacity);
}

void *map_add(map *m, map_key key)
{
    void *there = map_find(m, key);
    if (there) return there;
    if (is_full(m) && !resize(m, larger(m))) return NULL;
    uint8_t *entry = m->entries + place_of(m, key) * m->entry_size;
    memcpy(entry, &key, sizeof key);
    m->count++;
    return entry;
}

void map_remove(map *m, void *entry)
{
    const size_t mask = m->capacity - 1;
    size_t hole = (size_t)((uint8_t *)entry - m->entries) / m->entry_size;
    /* Moves later entries of the cluster into the hole, if their key allows it. */
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
    *m = (map){.entry_size = m->entry_size, .unsorted = m->unsorted};
}

bool map_copy(map *copy, const map *m)
{
    *copy = (map){.entry_size = m->entry_size, .unsorted = m->unsorted};
    if (m->capacity == 0) return true;
    copy->entries = malloc(m->capacity * m->entry_size);
    if (!m->unsorted) copy->sorted = calloc(m->capacity, sizeof *copy->sorted);
    if (!copy->entries || (!m->unsorted && !copy->sorted)) {
        map_clear(copy);
        return false;
    }
    memcpy(copy->entries, m->entries, m->capacity * m->entry_size);
    copy->capacity = m->capacity;
    copy->count = m->count;
    return true;
}

/* Sifts down the entry at `place` of a max-heap of `count` entries. */
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
