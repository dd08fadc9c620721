/* rank_test.h — are the numbers of one sample larger than those of another? The test of Mann and
 * Whitney, and the shift of Hodges and Lehmann with its interval. */
#ifndef HECTIC_SRC_COMPARE_RANK_TEST_H
#define HECTIC_SRC_COMPARE_RANK_TEST_H

#include <stdbool.h>
#include <stddef.h>

struct sample {
    const double *value;
    size_t count;
};

/* The two-sided p. Exact if a sample has at most eight values and none occurs twice; otherwise by
 * the normal approximation with corrections for ties and for continuity. Samples that are empty
 * give 1. False: out of memory. */
bool rank_test(const struct sample *old, const struct sample *new, double *p);

/* By how much `new` is shifted against `old`: the median of all differences, and an interval that
 * has the shift with a probability of at least 95 %. */
struct shift {
    double estimate, low, high;
    bool has_interval; /* the samples are large enough for it */
};
bool rank_shift(const struct sample *old, const struct sample *new, struct shift *shift);

/* The median, with an interval that has that of the population with a probability of 95 %: by order
 * statistics, from six values on. False: out of memory. */
bool sample_median(const struct sample *sample, struct shift *median);

/* The smallest and the largest value; count > 0. */
void sample_range(const struct sample *sample, double *low, double *high);

#endif
