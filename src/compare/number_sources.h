/* number_sources.h — which tables of the catalogue have the numbers of a run, and their names:
 * those of `hectic stat --json`, and of rows by a key: span("request").p99_ns. */
#ifndef HECTIC_SRC_COMPARE_NUMBER_SOURCES_H
#define HECTIC_SRC_COMPARE_NUMBER_SOURCES_H

#include "compare/run_numbers.h"

/* How a row is told from others: in names, after the first part. */
enum number_key {
    BY_NONE,  /* one row; if there are several, they are added up */
    BY_INDEX, /* caps[0] */
    BY_TEXT,  /* span("request") */
};

struct number_source {
    const char *table;
    const char *first;  /* the first part of the names; empty: none */
    enum number_key by; /* what follows it */
    const char *key;    /* the column of the key, or NULL */
    const char *more;   /* BY_TEXT: a column before it in the key, with a dot, if known; or NULL */
    const char *kind;   /* only rows that have `first` in this column, or NULL */
    const char *state;  /* the column whose text is the last part of the name, or NULL */
    const char *(*states)(size_t i); /* then: all texts that it may have, then NULL */
    const char *count;               /* the name of the number of rows, or NULL */
    const char *columns;             /* which ones, separated by blanks; NULL: all numbers */
    bool is_spread;    /* the total, the mean and the maximum of each column; not times and ids */
    bool is_whole;     /* of whole runs only, whatever the interval */
    uint16_t event[2]; /* logs without events of these types have no rows; 0: not known */
    const char *sketched;          /* not numbers, but a sketch of this column; or NULL */
    bool groups_digits;            /* keys that differ in numbers are one, with # in their place */
    const char *(*keys)(size_t i); /* all that there are, then NULL; NULL: a key may be any text */
};

/* All of them; ends with one without a table. */
extern const struct number_source number_sources[];

enum { NUMBER_SOURCES = RUN_SOURCES - 1, NUMBER_NAME_MAX = 640, NUMBER_COLUMNS_MAX = 96 };

/* The description of the source's number with that place, from 0. False after the last one. */
bool number_source_column(const struct number_source *source, size_t number, hectic_column *column);

/* Further numbers of a source and run become those of the key "(others)": a log may have any number
 * of keys. */
enum { SOURCE_NUMBERS_MAX = 20000 };

/* Writes the name of a number: of this source, with this key, and this last part. */
void number_name(char name[NUMBER_NAME_MAX], const struct number_source *source, const char *key,
                 const char *last);

/* What takes the rows of a source into the runs of a log. */
struct number_taker {
    const struct number_source *source;
    size_t number; /* of the source; NUMBER_SOURCES: it is none of number_sources */
    struct runs *runs;
    const char *log;
    struct number_taker *next; /* of the same table: it takes the rows, too; or NULL */
    size_t key, more, kind, state, section, process,
        sketched;   /* places of columns; SIZE_MAX: none */
    size_t columns; /* with numbers */
    struct number_column {
        size_t place;
        hectic_column_kind kind;
        char name[80];
        map_key known; /* BY_NONE: where the last run has the number; zero: not yet */
    } column[NUMBER_COLUMNS_MAX];
    size_t last_run; /* its place */
};

/* Adds a taker to those of a log. NULL: another one takes the rows of its table, and gives them to
 * it. */
struct number_taker *number_takers_add(struct number_taker *all, size_t *count,
                                       const struct number_source *source, struct runs *runs,
                                       const char *log);

/* For hectic_table_read. False: out of memory. */
bool number_take(void *taker, const hectic_row *row);

#endif
