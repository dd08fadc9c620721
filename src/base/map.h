/* map.h — the hash table of all modules: from keys to entries of one size, which begin with their
 * key.
 *
 * Open addressing, linear probing. A key's place depends on a seed, so that nobody can choose keys
 * that collide, and map_next returns entries in another order in each process: no output may depend
 * on it. */
#ifndef HECTIC_SRC_BASE_MAP_H
#define HECTIC_SRC_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not all zero, which marks a free slot. */
typedef struct map_key {
    uint64_t a, b;
} map_key;

typedef struct map {
    size_t entry_size; /* set this; all other fields are zero in an empty map */
    size_t count;
    size_t capacity; /* a power of two, or 0 */
    uint8_t *entries;
    void **sorted;    /* buffer for map_sorted */
    uint64_t seed[2]; /* 0: none yet */
    unsigned shift;   /* of a product of 64 bits, to a place */
    bool unsorted;    /* set this if map_sorted is not needed */
    bool by_number;   /* set this if keys are numbers: then b is any content but 0 */
} map;

/* The seed of a process: random bits. Where the core is used without the library, as in wasm, its
 * user defines this function. */
uint64_t map_seed(void);

/* One multiplication is not enough: with one seed of a hundred, consecutive numbers are then
 * places that form clusters. */
static inline size_t map_home(const map *m, map_key key)
{
    const uint64_t sum = key.a * m->seed[0] + key.b * m->seed[1];
    return (size_t)((sum ^ sum >> 32) * m->seed[0] >> m->shift);
}

/* Entries move when others are added or removed. NULL: none. */
static inline void *map_find(const map *m, map_key key)
{
    if (m->count == 0) return NULL;
    for (size_t place = map_home(m, key);; place = (place + 1) & (m->capacity - 1)) {
        uint8_t *entry = m->entries + place * m->entry_size;
        map_key there;
        memcpy(&there, entry, sizeof there);
        if (there.a == key.a && there.b == key.b) return entry;
        if (there.a == 0 && there.b == 0) return NULL;
    }
}

/* The same for a map by numbers, whose entries have that size. */
static inline void *map_find_number(const map *m, uint64_t number, size_t entry_size)
{
    if (m->count == 0) return NULL;
    for (size_t place = map_home(m, (map_key){number, 0});;
         place = (place + 1) & (m->capacity - 1)) {
        uint8_t *entry = m->entries + place * entry_size;
        map_key there;
        memcpy(&there, entry, sizeof there);
        if (there.b == 0) return NULL;
        if (there.a == number) return entry;
    }
}

/* The entry, zeroed after its key if it is new. NULL: out of memory. */
void *map_add(map *m, map_key key);
/* The same for bytes, of one kind of several (below 65,536). Their key is a hash of 128 bits,
 * SipHash-1-3 with the map's seed: a random one is equal to another's with a probability of
 * 2^-127. */
void *map_find_bytes(const map *m, uint64_t kind, const void *bytes, size_t size);
void *map_add_bytes(map *m, uint64_t kind, const void *bytes, size_t size);
void map_remove(map *m, void *entry);
size_t map_memory(const map *m);                    /* bytes in use */
size_t map_growth(const map *m);                    /* additional bytes if another entry is added */
void map_shrink(map *m);                            /* shrinks to fit */
void *map_next(const map *m, const void *previous); /* iterates in no order; NULL begins and ends */
void map_clear(map *m);
bool map_copy(map *copy, const map *m); /* false: out of memory, the copy is empty */

/* Keeps the entries of which `is_kept` is true, at most half full. False: out of memory, nothing
 * has changed. */
bool map_rebuild(map *m, bool (*is_kept)(const void *entry));

/* --- Values of numbers ----------------------------------------------------------------------- */

/* An entry of a map from numbers to values that are not 0. A map of them is empty if all zero. */
struct map_value {
    uint64_t number, value;
};

/* NULL: none. Moves when a number is added or removed. */
static inline struct map_value *map_find_value(const map *m, uint64_t number)
{
    return map_find_number(m, number, sizeof(struct map_value));
}

/* 0: none. */
static inline uint64_t map_value_of(const map *m, uint64_t number)
{
    const struct map_value *found = map_find_value(m, number);
    return found ? found->value : 0;
}

bool map_set_value(map *m, uint64_t number, uint64_t value); /* false: out of memory */
void map_remove_value(map *m, uint64_t number);              /* if it is there */
/* All of them in ascending order of numbers; free it. NULL: out of memory. */
struct map_value *map_sorted_values(const map *m);

/* A map used as a set of numbers, with less than a byte for each if they are dense. It is empty if
 * all zero. */
bool map_has_member(const map *m, uint64_t number);
bool map_add_member(map *m, uint64_t number); /* false: out of memory */
void map_remove_member(map *m, uint64_t number);

/* --- In order -------------------------------------------------------------------------------- */

/* As for qsort. */
typedef int (*map_compare)(const void *a, const void *b);
/* All m->count entries in that order. The map owns the array, which is valid until entries are
 * added or removed, or it is sorted again. Does not allocate, so a signal handler may call it. */
void *const *map_sorted(const map *m, map_compare compare);

#endif
