/* heap_sizes.h — the heap as the runtime reports it at collections: its size, blocks in use, live
 * data, and what collections of each generation copied. Events may come in any order.
 */
#ifndef HECTIC_SRC_HEAP_SIZES_H
#define HECTIC_SRC_HEAP_SIZES_H

#include <hectic/decoder.h>

enum heap_size { HEAP_SIZE_LIVE, HEAP_SIZE_BLOCKS, HEAP_SIZE_HEAP, HEAP_SIZE_KINDS };

enum {
    HEAP_COURSE = 64, /* bins */
    HEAP_HEAPS = 8,   /* of a merged log, that are kept */
    GENERATIONS_MAX = 8,
};

/* A size over time. */
struct heap_measure {
    uint64_t count;                                             /* 0: the log has none */
    uint64_t max, max_time, first, first_time, last, last_time; /* bytes, ns */
    /* The latest value in each bin; bins without one have time UINT64_MAX. Bin i begins at (base +
     * i) << shift, ns. */
    struct {
        uint64_t time, bytes;
    } bin[HEAP_COURSE];
    uint64_t base;
    unsigned shift;
    /* Regression of all values but the latest one. */
    double mean_time, mean_bytes, time_time, time_bytes, bytes_bytes;
    uint64_t pending, pending_time;
};

struct heap_generation {
    uint64_t collections, copied, most, last, last_time; /* bytes, ns */
};

/* One heap: a merged log has one for each process. */
struct heap_of_process {
    uint32_t capset;
    struct heap_measure measure[HEAP_SIZE_KINDS];
    struct heap_generation generation[GENERATIONS_MAX];
    uint32_t generations; /* with collections */
};

struct heap_sizes {
    uint64_t from, to; /* ns: set it before the first event */
    struct heap_of_process heap[HEAP_HEAPS];
    uint32_t heaps;
    uint64_t omitted; /* events of further heaps */
};

void heap_sizes_event(struct heap_sizes *sizes, const hectic_event *event);

/* Bytes per second, and R² of that line. */
double heap_measure_growth(const struct heap_measure *measure, double *fit);

/* Sets value[0 … count-1] to the measure at the ends of `count` equal parts of the time from `from`
 * to `to`, or UINT64_MAX before the first value. */
void heap_measure_course(const struct heap_measure *measure, uint64_t from, uint64_t to,
                         uint64_t *value, uint32_t count);

extern const char *const heap_size_names[HEAP_SIZE_KINDS];

#endif
