/* distribution.h — a histogram as JSON. */
#ifndef HECTIC_SRC_DISTRIBUTION_H
#define HECTIC_SRC_DISTRIBUTION_H

#include "tables/json.h"

#include "numbers/histogram.h"

/* An object: count, sum_ns, p50_ns, p90_ns, p99_ns, max_ns; and buckets, an array of from_ns, to_ns
 * (from <= number < to) and count, in ascending order, four for each power of two, without empty
 * ones. Numbers that differ by less than 1/64 may be in the same bucket. */
void distribution_put(struct json *json, const char *key, const hectic_histogram *histogram);

#endif
