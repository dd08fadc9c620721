/* dictionary.h — the different values of a column in a group of rows, by the order in which they
 * came. */
#ifndef HECTIC_SRC_PARQUET_DICTIONARY_H
#define HECTIC_SRC_PARQUET_DICTIONARY_H

#include "base/buffer.h"
#include "base/map.h"

enum { DICTIONARY_MEMO = 256 };

/* A recent value: a number, or a text. */
struct dictionary_memo {
    uint64_t first;     /* the number; of a text, what its first or only bytes are */
    size_t begin, size; /* of a text in `values` */
    uint32_t place;     /* in the order, plus 1; 0: none */
};

/* Empty if all zero. */
struct dictionary {
    uint64_t asked; /* how many values were looked for */
    uint32_t count;
    map found;
    struct buffer values; /* PLAIN */
    struct dictionary_memo memo[DICTIONARY_MEMO];
};

enum { DICTIONARY_FULL = UINT32_MAX };

/* The place of a value, which is added if it is new: then *is_new. DICTIONARY_FULL: there are too
 * many, or no memory. */
uint32_t dictionary_number(struct dictionary *dictionary, uint64_t number, bool *is_new);
uint32_t dictionary_text(struct dictionary *dictionary, const void *bytes, size_t size,
                         bool *is_new);

/* Forgets the values. */
void dictionary_reset(struct dictionary *dictionary);
void dictionary_free(struct dictionary *dictionary);

#endif
