/* distribution.c — see distribution.h. */
#include "report/distribution.h"

enum { FIRST = 64 }; /* the first bucket ends there */

/* The end of the bucket that begins at `from`; 0: 2^64. */
static uint64_t end_of(uint64_t from)
{
    if (from < FIRST) return FIRST;
    const unsigned power = 63 - (unsigned)__builtin_clzll(from);
    return from + (UINT64_C(1) << power) / 4;
}

void distribution_put(struct json *json, const char *key, const hectic_histogram *histogram)
{
    const bool any = histogram->count > 0;
    json_open(json, key, '{');
    json_number(json, "count", true, histogram->count);
    json_number(json, "sum_ns", true, histogram->sum);
    json_number(json, "p50_ns", any, hectic_histogram_quantile(histogram, 0.5));
    json_number(json, "p90_ns", any, hectic_histogram_quantile(histogram, 0.9));
    json_number(json, "p99_ns", any, hectic_histogram_quantile(histogram, 0.99));
    json_number(json, "max_ns", any, histogram->max);
    json_open(json, "buckets", '[');
    uint64_t from = 0, before = 0;
    while (any && before < histogram->count) {
        const uint64_t end = end_of(from);
        const uint64_t within = hectic_histogram_within(histogram, end - 1);
        if (within > before) {
            json_open(json, NULL, '{');
            json_number(json, "from_ns", true, from);
            json_number(json, "to_ns", end > 0, end);
            json_number(json, "count", true, within - before);
            json_close(json, '}');
        }
        before = within;
        if (end == 0) break;
        from = end;
    }
    json_close(json, ']');
    json_close(json, '}');
}
