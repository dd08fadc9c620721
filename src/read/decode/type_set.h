/* type_set.h — a set of types of events. */
#ifndef HECTIC_SRC_TYPE_SET_H
#define HECTIC_SRC_TYPE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TYPE_SET_SIZE = 256 };

/* GHC's types are below TYPE_SET_SIZE. Those beyond, such as SYNC, are distinguished modulo 64
 * only.
 */
typedef struct type_set {
    uint64_t
        bits[TYPE_SET_SIZE / 64 + 1]; /* bit type % 64 of word type / 64; or of the last word */
} type_set;

static inline unsigned type_set_word(uint16_t type)
{
    return type < TYPE_SET_SIZE ? type / 64u : TYPE_SET_SIZE / 64u;
}

static inline void type_set_add(type_set *set, uint16_t type)
{
    set->bits[type_set_word(type)] |= UINT64_C(1) << type % 64;
}

static inline void type_set_add_all(type_set *set, const uint16_t *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        type_set_add(set, types[i]);
}

static inline bool type_set_has(const type_set *set, uint16_t type)
{
    return set->bits[type_set_word(type)] >> type % 64 & 1;
}

/* The set modulo 64, in one word: if it has no bit in common with that of another set, then they
 * have no type in common. */
static inline uint64_t type_set_folded(const type_set *set)
{
    uint64_t folded = 0;
    for (unsigned i = 0; i < sizeof set->bits / sizeof *set->bits; i++)
        folded |= set->bits[i];
    return folded;
}

static inline uint64_t type_folded(uint16_t type)
{
    return UINT64_C(1) << type % 64;
}

#endif
