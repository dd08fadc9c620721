/* number_classes.h — how much the numbers of equal runs differ, and which ones matter. */
#ifndef HECTIC_SRC_COMPARE_NUMBER_CLASSES_H
#define HECTIC_SRC_COMPARE_NUMBER_CLASSES_H

#include <hectic/tables.h>

enum number_class {
    NUMBER_LEFT_OUT, /* identifiers, times of the log's clock, and what others say, too */
    NUMBER_STEADY,   /* almost the same in equal runs: allocation, counts */
    NUMBER_NOISY,
};

enum number_class number_class(const char *name, hectic_column_kind kind);

/* Is it a number of collections, of those that are steady? */
bool number_is_of_collections(const char *name);

/* Does twice the work give twice the number? Others are means, maxima, and so on. */
bool number_is_sum(const char *name, hectic_column_kind kind);

/* Can it only become larger while a program runs? A sum, or a maximum. */
bool number_only_grows(const char *name, hectic_column_kind kind);

/* Is it larger if there are more values? */
bool number_is_extreme(const char *name);

/* What texts call one of the numbers that may be certain: "The total time". NULL: it is another. */
enum { HEADLINES = 8 };
const char *number_headline(const char *name);
const char *number_headline_name(size_t place);

/* By how much a single noisy number may differ between equal runs, as a part of it. */
double number_noise(const char *name);

#endif
