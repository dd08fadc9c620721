/* bounds.h — the least and the greatest value of a column in a group of rows: its statistics. */
#ifndef HECTIC_SRC_PARQUET_BOUNDS_H
#define HECTIC_SRC_PARQUET_BOUNDS_H

#include "parquet/parquet.h"
#include "parquet/thrift.h"

enum { BOUND_SIZE = 64 };

struct bound {
    uint64_t number; /* of numbers and flags */
    double real;
    uint8_t bytes[BOUND_SIZE]; /* of texts and blobs */
    size_t size;
};

/* Empty if all zero. */
struct bounds {
    bool are_known, are_unknown; /* neither: no value so far; unknown: a value is too long */
    struct bound least, greatest;
};

static inline void bounds_number(struct bounds *bounds, uint64_t number)
{
    if (!bounds->are_known || number < bounds->least.number) bounds->least.number = number;
    if (!bounds->are_known || number > bounds->greatest.number) bounds->greatest.number = number;
    bounds->are_known = true;
}

void bounds_real(struct bounds *bounds, double real);
void bounds_bytes(struct bounds *bounds, const void *bytes, size_t size);

/* Writes the statistics as a field. */
void bounds_describe(const struct bounds *bounds, enum parquet_type type, uint64_t nulls,
                     struct thrift *thrift, int field);

#endif
