/* bins.h — sums over slots of time, of equal width, in fixed memory.
 *
 * A row is a quantity over time, such as the time in which a cap ran threads. All rows have the
 * same slots. If a time is beyond the last slot, slots are joined in pairs until it is not: so the
 * width of a slot is a power of two (ns), and the sums stay exact. If there are too many rows, they
 * get half as many slots, down to BINS_SLOTS_MIN. */
#ifndef HECTIC_SRC_TIMELINE_BINS_H
#define HECTIC_SRC_TIMELINE_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BINS_SLOTS_MIN = 1 << 6 };

struct bins {
    size_t sums;    /* at most, of all rows */
    size_t used;    /* rows with sums */
    size_t slots;   /* a power of two */
    unsigned shift; /* a slot has 2^shift ns */
    size_t rows;
    uint64_t **row; /* NULL: a row with no sums yet */
};

/* The slots are those of times from 0 on. */
struct bins bins_new(size_t slots, unsigned shift, size_t sums);
void bins_free(struct bins *bins);

/* Adds a row of one to a row of another, and clears it. False: out of memory. */
bool bins_move(struct bins *to, size_t row, struct bins *from, size_t from_row);

/* Sets the sums of a row to 0. */
void bins_clear(struct bins *bins, size_t row);

/* Joins slots until there is one for a time. */
void bins_reach(struct bins *bins, uint64_t time);

/* Adds an amount, divided evenly between the slots from `from` to `to`; to that of `to`, if there
 * is no time between them. False: out of memory. */
bool bins_spread(struct bins *bins, size_t row, uint64_t from, uint64_t to, uint64_t amount);

/* Adds the time from `from` to `to`, divided between its slots. False: out of memory. */
bool bins_add_time(struct bins *bins, size_t row, uint64_t from, uint64_t to);

/* The sums of a row, by slot; NULL: it has none. */
const uint64_t *bins_row(const struct bins *bins, size_t row);

/* The sum of a row between two times: a slot that lies there in part is divided evenly, so that the
 * sums of adjacent intervals add up. */
uint64_t bins_between(const struct bins *bins, size_t row, uint64_t from, uint64_t to);

/* The sum of a slot; 0 in a row that does not exist. */
uint64_t bins_get(const struct bins *bins, size_t row, size_t slot);

#endif
