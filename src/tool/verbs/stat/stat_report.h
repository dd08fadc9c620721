/* stat_report.h — the output of hectic stat, as text or rows. */
#ifndef HECTIC_STAT_REPORT_H
#define HECTIC_STAT_REPORT_H

#include "report/stat_report.h"
#include "tool/output/table.h"

/* As +RTS -s prints it, and then what it does not print. */
void report_print(struct sink *sink, const struct report *report);

/* The most important numbers, as report_print prints them: about six lines, each with a title of 11
 * columns. What the log does not hold is left out. */
void report_print_headline(struct sink *sink, const struct report *report);

void report_print_total(struct sink *sink, const struct report_total *total);

/* As one row of a table. False after a message. */
bool report_row(struct table *table, struct sink *sink, const struct report *report);

#endif
