/* report.h — a comparison as one file of HTML, for browsers: no scripts, nothing from elsewhere. */
#ifndef HECTIC_COMPARE_REPORT_H
#define HECTIC_COMPARE_REPORT_H

#include "tool/verbs/compare/compare.h"
#include "tool/verbs/compare/distributions.h"

/* What is shown. */
struct report {
    const struct judged *judged;
    const struct distributions *distributions;
    const struct stack_difference *stacks;
    bool has_baseline; /* a side has neither distributions nor stacks */
    struct {
        int count;
        char **path; /* as the user has given them */
    } operands[SIDES];
};

/* Writes it to a file. Returns the exit code. */
int comparison_report_write(const struct report *report, const struct output_settings *output);

/* --- Parts ----------------------------------------------------------------------------------- */

extern const char report_style[];

/* A section's heading, and what leads to it. */
void report_heading(struct sink *sink, const char *id, const char *title);

/* The pauses and spans as histograms. */
void report_put_distributions(struct sink *sink, const struct report *report);

/* A difference, red or blue, with its sign. */
void report_put_difference(struct sink *sink, double difference, const char *text);

#endif
