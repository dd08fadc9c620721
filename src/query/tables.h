/* tables.h — the tables of a database: those of hectic/tables.h, `events`, and one for each type of
 * event. */
#ifndef HECTIC_SRC_QUERY_TABLES_H
#define HECTIC_SRC_QUERY_TABLES_H

#include "query/rows.h"

#include <hectic/catalogue.h>

struct query_column {
    char name[80]; /* as hectic_column, with _ for a point */
    hectic_column_kind kind;
    enum query_type type; /* of values that are known */
    bool is_secret;       /* it may reveal something about the program's user */
    const char *meaning;  /* in Markdown; of a field: its unit */
    const hectic_field *field;
    bool is_name_of_field; /* the name of its number */
    bool has_short_name;   /* the name without its unit is no other column's */
};

struct query_table {
    char name[64];
    const char *meaning;
    const struct query_rows_kind *kind;
    const hectic_table *result; /* NULL: events */
    const hectic_shape *shape;  /* of events of one type; NULL: all events */
    size_t columns;
    struct query_column *column;
};

/* The first columns of tables of events. */
enum event_column {
    EVENT_SECTION,
    EVENT_PROCESS,
    EVENT_PID,
    EVENT_POSITION,
    EVENT_TIME,
    EVENT_CAP,
    EVENT_THREAD,
    EVENT_COLUMNS,
    /* Of `events`: */
    EVENT_TYPE = EVENT_COLUMNS,
    EVENT_NAME,
    EVENT_CLASS,
    EVENT_PAYLOAD,
    EVENTS_COLUMNS,
};

typedef struct query_tables query_tables;

/* NULL: out of memory. */
query_tables *query_tables_new(void);
void query_tables_free(query_tables *tables);
size_t query_tables_count(const query_tables *tables);
const struct query_table *query_tables_at(const query_tables *tables, size_t number);

/* NULL: there is none of that name. */
const struct query_table *query_tables_find(const query_tables *tables, const char *name);

/* The number of a column; the case does not matter, and its unit may be left out. SIZE_MAX: there
 * is none. */
size_t query_table_column(const struct query_table *table, const char *name);

/* Does the column have what a log tells about its user: arguments, environment, ids of processes,
 * the time of the day? Texts that the program wrote, and names in it, are not among these. */
bool query_column_is_private(const struct query_column *column);

/* The unit or range of its values, as in hectic sql --schema. NULL: it has none. */
const char *query_column_unit(const struct query_column *column);

/* The length of a column's name without its unit. */
size_t query_short_length(const struct query_column *column);

#endif
