/* corrections.h — corrections of p values for a family of tests. */
#ifndef HECTIC_SRC_COMPARE_CORRECTIONS_H
#define HECTIC_SRC_COMPARE_CORRECTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces each p: a test whose p is then at most 0.05 is one of those that Holm's procedure
 * rejects, so that any is rejected wrongly with a probability of 5 % at most. Likewise for the
 * procedure of Benjamini and Hochberg, so that 5 % of those that are rejected are expected to be
 * wrong. False: out of memory. */
bool correct_by_holm(double *p, size_t count);
bool correct_by_false_discoveries(double *p, size_t count);

#endif
