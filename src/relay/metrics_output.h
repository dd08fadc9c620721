/* What metrics.c has to tell, and the formats in which it can be written. */
#ifndef HECTIC_SRC_METRICS_OUTPUT_H
#define HECTIC_SRC_METRICS_OUTPUT_H

#include "relay/metrics.h"

#include <stdio.h>

enum metrics_kind { METRICS_COUNTER, METRICS_GAUGE, METRICS_HISTOGRAM, METRICS_INFO };

/* Of the samples' names, by kind. */
extern const char *const metrics_suffix[];

struct metrics_family {
    const char *name;
    const char *unit; /* NULL: none; where it is "seconds", numbers are in ns */
    const char *help;
    enum metrics_kind kind;
};

struct metrics_label {
    const char *name, *value; /* nothing in them has to be escaped */
};

enum { METRICS_LABELS_MAX = 4, METRICS_LIMITS = 19 };

struct metrics_sample {
    struct metrics_label label[METRICS_LABELS_MAX];
    size_t labels;
    bool has_created; /* when its counter began … */
    uint64_t created; /* … in ns since the Unix epoch */
};

struct metrics_histogram {
    const hectic_histogram *all;
    const hectic_exponential *exponential;
};

/* The limits of classic buckets; `le` is how OpenMetrics wants them written. */
extern const struct metrics_limit {
    const char *le;
    uint64_t ns;
} metrics_limits[METRICS_LIMITS];

/* Where it is written to. */
struct metrics_output {
    FILE *out;  /* errors are found when it is closed */
    FILE *part; /* of those that have to know a family's length before it */
    char *part_bytes;
    size_t part_length;
    bool failed;
};

/* A format: a family is begun, has samples, and is ended. `end` and `finish` may be NULL. */
struct metrics_writer {
    void (*begin)(struct metrics_output *o, const struct metrics_family *f);
    void (*number)(struct metrics_output *o, const struct metrics_family *f,
                   const struct metrics_sample *sample, uint64_t number);
    void (*histogram)(struct metrics_output *o, const struct metrics_family *f,
                      const struct metrics_sample *sample, const struct metrics_histogram *h);
    void (*end)(struct metrics_output *o);
    void (*finish)(struct metrics_output *o);
};

extern const struct metrics_writer metrics_classic, metrics_open, metrics_protobuf;

#endif
