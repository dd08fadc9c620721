/* causes.h — what the difference of a total is made of. The parts add up to the difference of the
 * means of both sides: of the runs, or of the spans in all of them. */
#ifndef HECTIC_SRC_COMPARE_CAUSES_H
#define HECTIC_SRC_COMPARE_CAUSES_H

#include "compare/run_numbers.h"

/* A part of the difference of a number. */
struct cause {
    const char *of; /* the name of the number: time.gc_ns */
    char part[160]; /* "more collections of generation 0" */
    double ns;
    bool is_within; /* of the other parts, too: it does not add up with them */
};

struct causes {
    struct cause *cause; /* those of a number follow each other */
    size_t count, capacity;
};

/* Splits the differences of the total time (into its parts), of the GC time (into the number of
 * collections of each generation, and the length of their pauses), and of the mean of each of these
 * labels of spans (into the states of their threads). What a run does not have is not split. False:
 * out of memory. */
bool causes_of_time(struct causes *causes, const struct runs *old, const struct runs *new);

/* `name` is that of a span's mean: span("request").mean_ns; it has to outlive the causes. */
bool causes_of_span(struct causes *causes, const char *name, const struct runs *old,
                    const struct runs *new);
void causes_clear(struct causes *causes);

#endif
