/* stat_copies.h — the states of a cap at many marks, in a quarter of their size or less: in each
 * group, all but the first are stored as differences from it. */
#ifndef HECTIC_SRC_STAT_COPIES_H
#define HECTIC_SRC_STAT_COPIES_H

#include "stat/stat_sums.h"

struct copy_group;

/* All zero has no copies. */
struct stat_copies {
    size_t count;
    size_t first; /* those before it are absent */
    size_t groups;
    struct copy_group **group; /* NULL: all of its copies are absent */
};

void stat_copies_free(struct stat_copies *copies);

/* Begins with `count` absent copies. */
struct stat_copies stat_copies_after(size_t count);

/* False: out of memory. */
bool stat_copies_add(struct stat_copies *copies, const struct stat_cap *cap);

/* Those that are absent are all zero. */
struct stat_cap stat_copies_get(const struct stat_copies *copies, size_t index);

/* Drops each second one; the first remains. False: out of memory. */
bool stat_copies_halve(struct stat_copies *copies);

#endif
