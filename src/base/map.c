/* map.c — see map.h. An entry is at its key's home or after it, without a free slot between. */
#include "base/map.h"

#include "base/siphash.h"
#include <stdlib.h>

static map_key key_at(const map *m, size_t place)
{
    map_key key;
    memcpy(&key, m->entries + place * m->entry_size, sizeof key);
    return key;
}

static bool is_free(const map *m, map_key there)
{
    return there.b == 0 && (there.a == 0 || m->by_number);
}

/* --- Seeds and keys -------------------------------------------------------------------------- */

/* Maps differ, since entries of one may be added to another in the order of their places. */
static void set_seed(map *m)
{
    if (m->seed[0]) return;
    uint64_t x = map_seed() + (uintptr_t)m;
    for (size_t i = 0; i < 2; i++) {
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        m->seed[i] = (x ^ x >> 31) | 1;
    }
    if (m->by_number) m->seed[1] = 0;
}

static map_key key_of_bytes(const map *m, uint64_t kind, const void *bytes, size_t size)
{
    struct siphash hash = siphash_begin(m->seed);
    siphash_bytes(&hash, bytes, size, 1);
    siphash_word(&hash, (uint64_t)size << 16 | kind, 1);
    const uint64_t a = siphash_end(&hash, 2, 0xee, 3);
    return (map_key){a, siphash_end(&hash, 1, 0xdd, 3) | 1};
}

/* The slot of a key, or of its insertion. */
static uint8_t *slot_of(const map *m, map_key key)
{
    for (size_t place = map_home(m, key);; place = (place + 1) & (m->capacity - 1)) {
        const map_key there = key_at(m, place);
        if (is_free(m, there) || (there.a == key.a && (m->by_number || there.b == key.b)))
            return m->entries + place * m->entry_size;
    }
}

/* --- Size ------------------------------------------------------------------------------------ */

enum { CAPACITY_BITS = 6, CAPACITY_MIN = 1 << CAPACITY_BITS };

bool map_rebuild(map *m, bool (*is_kept)(const void *entry))
{
    size_t count = 0;
    for (const uint8_t *entry = NULL; (entry = map_next(m, entry));)
        count += !is_kept || is_kept(entry);
    set_seed(m);
    map other = *m;
    other.capacity = CAPACITY_MIN;
    other.shift = 64 - CAPACITY_BITS;
    for (; other.capacity < 2 * (count + 1); other.shift--)
        other.capacity *= 2;
    other.count = count;
    other.entries = calloc(other.capacity, other.entry_size);
    other.sorted = other.unsorted ? NULL : calloc(other.capacity, sizeof *other.sorted);
    if (!other.entries || (!other.unsorted && !other.sorted)) {
        map_clear(&other);
        return false;
    }
    for (const uint8_t *entry = NULL; (entry = map_next(m, entry));) {
        if (is_kept && !is_kept(entry)) continue;
        map_key key;
        memcpy(&key, entry, sizeof key);
        memcpy(slot_of(&other, key), entry, other.entry_size);
    }
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

/* The rest fills at most half of it. */
void map_shrink(map *m)
{
    if (m->capacity > CAPACITY_MIN && 8 * m->count < m->capacity) map_rebuild(m, NULL);
}

/* --- Entries --------------------------------------------------------------------------------- */

void *map_add(map *m, map_key key)
{
    uint8_t *entry = m->capacity ? slot_of(m, key) : NULL;
    map_key there = {0};
    if (entry) memcpy(&there, entry, sizeof there);
    if (!is_free(m, there)) return entry;
    if (is_full(m)) {
        if (!map_rebuild(m, NULL)) return NULL;
        entry = slot_of(m, key);
    }
    memcpy(entry, &key, sizeof key);
    m->count++;
    return entry;
}

void *map_find_bytes(const map *m, uint64_t kind, const void *bytes, size_t size)
{
    return m->count ? map_find(m, key_of_bytes(m, kind, bytes, size)) : NULL;
}

void *map_add_bytes(map *m, uint64_t kind, const void *bytes, size_t size)
{
    set_seed(m);
    return map_add(m, key_of_bytes(m, kind, bytes, size));
}

void map_remove(map *m, void *entry)
{
    const size_t mask = m->capacity - 1;
    size_t hole = (size_t)((uint8_t *)entry - m->entries) / m->entry_size;
    /* Moves later entries of the cluster into the hole, if their key allows it. */
    for (size_t next = (hole + 1) & mask; !is_free(m, key_at(m, next)); next = (next + 1) & mask) {
        const size_t wanted = map_home(m, key_at(m, next));
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
    while (place < m->capacity && is_free(m, key_at(m, place)))
        place++;
    return place < m->capacity ? m->entries + place * m->entry_size : NULL;
}

void map_clear(map *m)
{
    free(m->entries);
    free(m->sorted);
    *m = (map){.entry_size = m->entry_size, .unsorted = m->unsorted, .by_number = m->by_number};
}

bool map_copy(map *copy, const map *m)
{
    *copy = *m;
    copy->entries = NULL;
    copy->sorted = NULL;
    if (m->capacity == 0) return true;
    copy->entries = malloc(m->capacity * m->entry_size);
    if (!m->unsorted) copy->sorted = calloc(m->capacity, sizeof *copy->sorted);
    if (!copy->entries || (!m->unsorted && !copy->sorted)) {
        map_clear(copy);
        return false;
    }
    memcpy(copy->entries, m->entries, m->capacity * m->entry_size);
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

/* --- Values of numbers ----------------------------------------------------------------------- */

static void *add_number(map *m, uint64_t number, size_t entry_size)
{
    m->entry_size = entry_size;
    m->unsorted = m->by_number = true;
    return map_add(m, (map_key){number, 1});
}

bool map_set_value(map *m, uint64_t number, uint64_t value)
{
    struct map_value *entry = add_number(m, number, sizeof *entry);
    if (entry) entry->value = value;
    return entry;
}

void map_remove_value(map *m, uint64_t number)
{
    struct map_value *entry = map_find_value(m, number);
    if (entry) map_remove(m, entry);
}

static int by_number(const void *a, const void *b)
{
    const struct map_value *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

struct map_value *map_sorted_values(const map *m)
{
    struct map_value *sorted = malloc((m->count + 1) * sizeof *sorted);
    size_t count = 0;
    for (const struct map_value *entry = NULL; sorted && (entry = map_next(m, entry));)
        sorted[count++] = *entry;
    if (sorted) qsort(sorted, count, sizeof *sorted, by_number);
    return sorted;
}

/* The members among 64 numbers. */
struct page {
    map_key key;
    uint64_t members;
};

bool map_has_member(const map *m, uint64_t number)
{
    const struct page *page = map_find_number(m, number / 64, sizeof *page);
    return page && (page->members >> number % 64 & 1);
}

bool map_add_member(map *m, uint64_t number)
{
    struct page *page = add_number(m, number / 64, sizeof *page);
    if (page) page->members |= UINT64_C(1) << number % 64;
    return page;
}

void map_remove_member(map *m, uint64_t number)
{
    struct page *page = map_find_number(m, number / 64, sizeof *page);
    if (page) page->members &= ~(UINT64_C(1) << number % 64);
}
