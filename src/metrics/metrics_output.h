/* The interface between metrics.c and the output formats. */
#ifndef HECTIC_SRC_METRICS_OUTPUT_H
#define HECTIC_SRC_METRICS_OUTPUT_H

#include "metrics/metrics.h"

#include <stdio.h>

enum metrics_kind { METRICS_COUNTER, METRICS_GAUGE, METRICS_HISTOGRAM, METRICS_INFO };

/* Suffixes of sample names, by kind. */
extern const char *const metrics_suffix[];

struct metrics_family {
    const char *name;
    const char *unit; /* NULL: none; for "seconds", numbers are in ns */
    const char *help;
    enum metrics_kind kind;
};

/* Are its numbers in ns? */
bool metrics_is_time(const struct metrics_family *f);

struct metrics_label {
    const char *name, *value; /* UTF-8 */
};

enum { METRICS_MAX_LABELS = 4, METRICS_LIMITS = 19 };

struct metrics_sample {
    struct metrics_label label[METRICS_MAX_LABELS];
    size_t labels;
    bool has_created; /* `created` is known */
    uint64_t created; /* begin of its counter: ns since the Unix epoch */
    uint64_t time;    /* of the latest event, likewise */
};

struct metrics_histogram {
    const hectic_histogram *all;
    const hectic_exponential *exponential;
};

/* The limits of classic buckets; `le` as OpenMetrics requires it. */
extern const struct metrics_limit {
    const char *le;
    uint64_t ns;
} metrics_limits[METRICS_LIMITS];

/* Output of a page. */
struct metrics_output {
    FILE *out;  /* errors are detected when it is closed */
    FILE *part; /* the current family, for formats that write its length first */
    char *part_bytes;
    size_t part_length;
    const struct metrics_family *family; /* of the part, for formats that need it at its end */
    bool failed;
};

/* A format: functions to begin a family, write its samples, and end it. `end` and `finish` may be
 * NULL. */
struct metrics_writer {
    void (*begin)(struct metrics_output *o, const struct metrics_family *f);
    void (*number)(struct metrics_output *o, const struct metrics_family *f,
                   const struct metrics_sample *sample, uint64_t number);
    void (*histogram)(struct metrics_output *o, const struct metrics_family *f,
                      const struct metrics_sample *sample, const struct metrics_histogram *h);
    void (*end)(struct metrics_output *o);
    void (*finish)(struct metrics_output *o);
};

extern const struct metrics_writer metrics_classic, metrics_open, metrics_protobuf, metrics_otlp;

#endif
