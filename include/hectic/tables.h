/* hectic/tables.h — what hectic computes from a log, as tables: those that `hectic threads`, `gc`,
 * `spans`, `stat` and other verbs print, with the names, units and meanings of docs/tables.md,
 * docs/stat.md and docs/heap.md. */
#ifndef HECTIC_TABLES_H
#define HECTIC_TABLES_H

#include <hectic/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a column holds, and by which function a row returns it. Kinds may be added at the end. */
typedef enum hectic_column_kind {
    HECTIC_COLUMN_TEXT,   /**< text of the log, in its bytes: hectic_row_text */
    HECTIC_COLUMN_NAME,   /**< one of a fixed set of words, or made of numbers: hectic_row_text */
    HECTIC_COLUMN_ID,     /**< identifies a thing: hectic_row_number, as the next five */
    HECTIC_COLUMN_COUNT,  /**< how many */
    HECTIC_COLUMN_NS,     /**< a duration, ns */
    HECTIC_COLUMN_TIME,   /**< a time of the section's clock, ns */
    HECTIC_COLUMN_BYTES,  /**< a size, bytes */
    HECTIC_COLUMN_FLAG,   /**< 0 or 1 */
    HECTIC_COLUMN_SHARE,  /**< 0 … 1: hectic_row_real, as the next two */
    HECTIC_COLUMN_GROWTH, /**< bytes/s, negative if it shrinks */
    HECTIC_COLUMN_REAL,   /**< another real number */
} hectic_column_kind;

/** A column. Members may be added at the end. */
typedef struct hectic_column {
    size_t size;   /**< set by the caller: sizeof(hectic_column) */
    char name[80]; /**< as in JSON and CSV; of a member of a record, its path: time.mutator_ns */
    const char *meaning; /**< in Markdown */
    hectic_column_kind kind;
    bool is_secret; /**< it can reveal something about the program's user, as each text can */
} hectic_column;

/** A table. A constant; members may be added at the end. */
typedef struct hectic_table {
    const char *name;    /**< "threads" */
    const char *meaning; /**< in Markdown */
} hectic_table;

/** The table with that number, counted from 0; NULL after the last one. */
const hectic_table *hectic_table_at(size_t number);

/** The table of that name; NULL: there is none. */
const hectic_table *hectic_table_find(const char *name);

/** Describes the column with that number, counted from 0, in *column. False after the last one. The
 *  columns section, process and pid come first in the tables that have them; process and pid are
 * known only in logs of several processes. */
bool hectic_table_column(const hectic_table *table, size_t number, hectic_column *column);

/** The number of the column with that name; SIZE_MAX: there is none. */
size_t hectic_table_column_find(const hectic_table *table, const char *name);

/** A row. Valid, with its texts, until the callback returns. */
typedef struct hectic_row hectic_row;

/** The value of a column. False, or NULL: it is not known, or of another kind. */
bool hectic_row_number(const hectic_row *row, size_t column, uint64_t *number);
bool hectic_row_real(const hectic_row *row, size_t column, double *real);
const char *hectic_row_text(const hectic_row *row, size_t column);

/** Members may be added at the end; zero is the default of each. */
typedef struct hectic_table_options {
    size_t size;       /**< set by the caller: sizeof(hectic_table_options) */
    uint64_t from, to; /**< ns: from <= t < to; `to` 0: without end */
    bool has_process;
    uint32_t process; /**< if has_process: only the process of that pid, or else of that capset */
    /** Called between events, often; true: stop reading. May be NULL. */
    bool (*is_cancelled)(void *user);
    void *user; /**< passed to it */
} hectic_table_options;

/** Reads the log from its beginning, and calls `take` for each row, in no order that a later
 * version must keep. `log` was opened without `from` and `interval_from`; `options` may be NULL.
 * True: the log was read to its end, or as far as it can be read (hectic_log_damage). False: `take`
 * returned false (error->kind is HECTIC_OK), or *error says why. Memory depends on the table, as
 * the verb's man page describes; rows are not kept. */
bool hectic_table_read(hectic_log *log, const hectic_table *table,
                       const hectic_table_options *options,
                       bool (*take)(void *user, const hectic_row *row), void *user,
                       hectic_error *error);

#ifdef __cplusplus
}
#endif
#endif
