/* type_set.h — a set of types of events. */
#ifndef HECTIC_SRC_TYPE_SET_H
#define HECTIC_SRC_TYPE_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { TYPE_SET_SIZE = 256 };

/* Of the types below TYPE_SET_SIZE: no event type of GHC is beyond. */
typedef struct type_set {
    uint64_t bits[4]; /* bit type % 64 of word type / 64 */
} type_set;

static inline void type_set_add(type_set *set, uint16_t type)
{
    if (type < TYPE_SET_SIZE) set->bits[type / 64] |= UINT64_C(1) << type % 64;
}

static inline bool type_set_has(const type_set *set, uint16_t type)
{
    return type < TYPE_SET_SIZE && set->bits[type / 64] >> type % 64 & 1;
}

/* The set modulo 64, in one word: if it has no bit in common with that of another set, then they
 * have no type in common. */
static inline uint64_t type_set_folded(const type_set *set)
{
    return set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3];
}

static inline uint64_t type_folded(uint16_t type)
{
    return UINT64_C(1) << type % 64;
}

#endif
