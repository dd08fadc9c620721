/* run_numbers.h — the numbers of a run, by name: time.gc_ns, span("request").p99_ns. */
#ifndef HECTIC_SRC_COMPARE_RUN_NUMBERS_H
#define HECTIC_SRC_COMPARE_RUN_NUMBERS_H

#include "base/map.h"
#include "compare/sketch.h"

#include <hectic/tables.h>

struct run_number {
    map_key key;
    char *name;
    hectic_column_kind kind;
    double value;    /* ns, bytes, parts of 1, or a count */
    uint64_t values; /* how many were folded */
};

/* The values of which numbers are quantiles: those of gc.pause, of span("request"). */
struct run_sketch {
    map_key key;
    char *name;
    struct sketch sketch;
};
enum { RUN_SKETCHES_MAX = 32, RUN_SOURCES = 17 /* number_sources, and a table */ };

/* A process of a section of a log. Numbers that are not known are not there. */
struct run {
    char *log;        /* its path, or another name */
    uint64_t section; /* counted from 1 */
    bool is_cut;      /* it went on after the end of the log */
    bool has_process; /* the log has several */
    uint64_t process;
    map numbers, sketches;
    size_t added[RUN_SOURCES]; /* numbers, by their sources */
};

struct runs {
    struct run *run;
    size_t count, capacity;
    size_t first;    /* of the log that is being read; set it before */
    bool is_divided; /* by runs_divide */
};

/* The run of the log that is being read; it is added if it is new. Valid until another one is
 * added. NULL: out of memory. */
struct run *runs_add(struct runs *runs, const char *log, uint64_t section, bool has_process,
                     uint64_t process);
void runs_clear(struct runs *runs);

/* Removes runs without numbers, and, if others are whole, those that are cut. Returns how many. */
size_t runs_keep_whole(struct runs *runs);

/* How several values of a name become one number. */
enum number_fold { FOLD_SUM, FOLD_MEAN, FOLD_MAX };

/* Folds a value into the number of that name, which is returned; it moves when another one is
 * added. NULL: out of memory. */
struct run_number *run_fold(struct run *run, const char *name, hectic_column_kind kind,
                            enum number_fold fold, double value);

static inline struct run_number *run_add(struct run *run, const char *name, hectic_column_kind kind,
                                         double value)
{
    return run_fold(run, name, kind, FOLD_SUM, value);
}

/* The sketch of that name, which is added if it is new. NULL: out of memory, or there are
 * RUN_SKETCHES_MAX others, and *is_full is set. */
struct sketch *run_add_sketch(struct run *run, const char *name, bool *is_full);

/* NULL: there is none. */
const struct sketch *run_find_sketch(const struct run *run, const char *name);

/* Divides the numbers of each run that are sums by the number `by`. NULL: done; or a run that does
 * not have that number, or has none. */
const struct run *runs_divide(struct runs *runs, const char *by,
                              bool (*is_sum)(const char *name, hectic_column_kind kind));

/* NULL: it is not known. */
const struct run_number *run_find(const struct run *run, const char *name);

/* Does it have a number whose name begins so? */
bool run_has_beginning(const struct run *run, const char *beginning);

/* The numbers in order of their names: as map_sorted. */
const struct run_number *const *run_sorted(const struct run *run);

#endif
