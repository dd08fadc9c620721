/* stack_difference.h — the stacks in the profiles of old and of new runs, as one tree.
 *
 * Frames are matched by what they are called: module and label. Identifiers and addresses differ
 * from run to run, and places in the source change with every edit, so neither counts. Sums over
 * the runs of a side are exact integers, as of `hectic prof --json` and `hectic export`. Memory is
 * that of stacks.h and symbols.h, once for each kind of profile. */
#ifndef HECTIC_COMPARE_STACK_DIFFERENCE_H
#define HECTIC_COMPARE_STACK_DIFFERENCE_H

#include "profiles/heap_samples.h"
#include "profiles/time_samples.h"
#include "results/several.h"

enum side { SIDE_OLD, SIDE_NEW, SIDES };

/* What the weight of a stack is: of time profiles ticks, and the time between samples (ns); of heap
 * profiles bytes in the largest sample. */
enum stack_weight { STACK_TICKS, STACK_NS, STACK_BYTES = STACK_NS, STACK_WEIGHTS };

/* The columns of trees. */
static inline uint32_t stack_column(enum side side, enum stack_weight weight)
{
    return (uint32_t)side * STACK_WEIGHTS + (uint32_t)weight;
}

/* The profiles of one kind. */
struct stack_sums {
    hectic_symbols *symbols; /* labels, each with its last place in the source; NULL: no profile */
    hectic_stacks *stacks;
    uint64_t runs[SIDES]; /* with such a profile */
};

enum { STACK_HEAPS = HECTIC_BREAKDOWN_ERA + 1, STACK_KINDS = HECTIC_TIME_SOURCES + STACK_HEAPS };

/* All zero is empty. */
struct stack_difference {
    struct stack_sums kind[STACK_KINDS]; /* by hectic_time_source, then by hectic_breakdown */
    enum side side;                      /* of the log that is read next */
};

/* What reads the profiles of a log, beside its other tables. */
struct several_table stack_difference_reader(struct stack_difference *stacks);
void stack_difference_clear(struct stack_difference *stacks);

/* "time by cost centre", "heap by type". */
enum { STACK_TITLE = 64 };
void stack_kind_title(char title[STACK_TITLE], unsigned kind);

#endif
