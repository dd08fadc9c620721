/* rows.h — the rows of a table of one log, one by one. */
#ifndef HECTIC_SRC_QUERY_ROWS_H
#define HECTIC_SRC_QUERY_ROWS_H

#include "query/logs.h"

#include <hectic/tables.h>

enum query_type { QUERY_NULL, QUERY_INTEGER, QUERY_REAL, QUERY_TEXT, QUERY_BLOB };

struct query_value {
    enum query_type type;
    size_t size; /* of a text or blob, in bytes */
    union {
        uint64_t number;
        double real;
        const void *bytes; /* valid until the next row */
    };
};

/* Which columns are wanted: a bit each; the last one is for all from there on. */
typedef uint64_t query_columns;
static inline bool query_wants(query_columns columns, size_t column)
{
    return columns >> (column < 63 ? column : 63) & 1;
}
static inline query_columns query_column_bit(size_t column)
{
    return UINT64_C(1) << (column < 63 ? column : 63);
}

/* Only rows with this value; of text columns a text, of integers a number. */
enum { QUERY_EQUALS = 4, QUERY_EQUAL_TEXT = 64 };
struct query_equal {
    size_t column;
    uint64_t number;
    char text[QUERY_EQUAL_TEXT];
};

/* What is wanted of a table. Rows outside of the bounds may be among the rows. */
struct query_scan {
    query_columns columns;
    uint64_t from, to;                      /* ns: from <= t < to; UINT64_MAX: no end */
    struct query_equal equal[QUERY_EQUALS]; /* of tables of results */
    size_t equals;
    bool has_cap, has_type, has_thread;
    uint16_t cap, type;
    uint32_t thread;
    bool by_type, by_name, descending; /* events: in order of their types, or of their names */
};

struct query_table;

/* A kind of tables. */
struct query_rows_kind {
    /* NULL with *error set on failure. */
    void *(*open)(query_logs *logs, size_t log, const struct query_table *table,
                  const struct query_scan *scan, hectic_error *error);
    /* The next row. False: there is none, or *error is set. */
    bool (*next)(void *rows, hectic_error *error);
    /* Columns that are not wanted are unknown. */
    void (*get)(void *rows, size_t column, struct query_value *value);
    /* Identifies the row in the table, whatever was wanted of it: SQLite finds by it which rows
     * fulfil several terms of an OR. Less than 2⁴⁴. */
    uint64_t (*id)(const void *rows);
    void (*close)(void *rows);
};
extern const struct query_rows_kind query_result_rows, query_event_rows;

/* The rows of a table of events of a live log of one process: while an event is given, its row is
 * the current one of what `open` has returned, for query_event_rows.get; then query_event_rows
 * closes it. The header must stay valid. NULL: out of memory. False: `take` has returned that. */
void *query_events_open(const struct query_table *table, const hectic_header *header);
bool query_events_give(void *rows, const hectic_event *event, bool (*take)(void *user, void *rows),
                       void *user);

#endif
