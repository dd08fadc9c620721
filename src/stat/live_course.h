/* live_course.h — how the live data after major collections develops, from samples in any order:
 * the first and the last, and how long they grow.
 *
 * Memory is fixed: samples are joined in slices of time, which double in length as the run gets
 * longer. A decrease inside a slice, or of the last sample, is not seen: the runtime ends a program
 * with a collection after which nothing is alive. */
#ifndef HECTIC_SRC_LIVE_COURSE_H
#define HECTIC_SRC_LIVE_COURSE_H

#include <stdbool.h>
#include <stdint.h>

enum { LIVE_SLICES = 256 };

struct live_sample {
    uint64_t time, bytes;
};

struct live_course {
    uint64_t count;
    struct live_sample first, last, last_but_one;
    uint64_t high;  /* bytes, of all samples but the last */
    uint64_t base;  /* beginning of the slices; earlier samples are in the first one */
    unsigned shift; /* a slice has 2^shift ns */
    struct {
        uint64_t low, high; /* all samples but the last; high < low: none */
    } slice[LIVE_SLICES];
};

/* Allocated; NULL: out of memory. */
struct live_course *live_course_new(void);
void live_course_add(struct live_course *course, uint64_t time, uint64_t bytes);

/* When a sample was at least 95 % of the largest for the last time, without the last sample: the
 * end of its slice, or that of the samples. */
uint64_t live_course_until(const struct live_course *course);

/* When a sample was taken next; `until`: no more. In a slice: its beginning. */
uint64_t live_course_after(const struct live_course *course, uint64_t until);

/* The largest in the first half of the time between the first sample and `until`. */
uint64_t live_course_middle(const struct live_course *course, uint64_t until);

/* The largest decrease from a slice to a later one that begins before `until`, without the last
 * sample. */
uint64_t live_course_fall(const struct live_course *course, uint64_t until);

#endif
