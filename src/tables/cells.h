/* cells.h — the rows of tables: columns, cells that carry values, and rows as JSON. The command
 * prints tables (tool/output/table.h), and pages show them. */
#ifndef HECTIC_SRC_TABLES_CELLS_H
#define HECTIC_SRC_TABLES_CELLS_H

#include "tables/json.h"

/* What a column holds. A value of text is as long as its row. */
enum cell_kind {
    CELL_TEXT,
    CELL_NAME,    /* a text that is one of a fixed set, or made of numbers */
    CELL_COUNT,   /* text: 1,234 */
    CELL_ID,      /* an identifier; text: 1234 */
    CELL_SECTION, /* of the log, counted from 1; an optional column of ones counts as empty */
    CELL_PROCESS, /* number of a process; the column exists if the log has several */
    CELL_NS,      /* text: 1.23ms */
    CELL_TIME,    /* a point in the log's time, ns; text: 1.234567s */
    CELL_BYTES,   /* text: 12.3MiB */
    CELL_SHARE,   /* 0 … 1; text: 12.3% */
    CELL_GROWTH,  /* a signed real number of bytes; text: +12.3MiB */
    CELL_FLAG,    /* text: yes or no; CSV and JSON: true, false */
    CELL_BAR,     /* 0 … 1, as a bar; only on terminals, never in CSV or JSON */
    CELL_REAL,    /* with all its digits; not in tables that a verb prints */
    CELL_RECORD,  /* cells of a record follow */
    CELL_ROWS,    /* an array of records */
    CELL_ANY,     /* a text, or a number as text: cell.number is 1 */
};

/* How text shows a column; 0: always, if it fits. */
#define OPTIONAL  1u  /* hidden if all rows have 0 or nothing in it */
#define DATA_ONLY 2u  /* only in CSV and JSON */
#define TEXT_ONLY 4u  /* never in CSV or JSON */
#define RELATIVE  8u  /* a bar's share is a size: the bar shows its share of the largest row's */
#define SECRET    16u /* it may reveal something about the program's user, as each TEXT may */
#define OR_NULL   32u /* a record of which nothing is known is null */
/* Columns with a greater rank are left out first; of the same rank, the rightmost. */
#define RANK(rank) ((rank)*64u)

struct table_column {
    const char *name;  /* the key in JSON, the heading in CSV, what --sort takes: "pause_ns" */
    const char *title; /* the heading in text: "Pause" */
    enum cell_kind kind;
    unsigned show;                     /* OPTIONAL | RANK(2), … */
    const char *meaning;               /* for the documentation */
    const struct table_column *record; /* CELL_RECORD, CELL_ROWS */
};

struct cell_rows;

struct cell {
    bool known;
    uint64_t number; /* CELL_COUNT, _ID, _NS, _TIME, _BYTES, _FLAG, _ANY; CELL_ROWS: how many */
    double share;    /* CELL_SHARE, CELL_BAR, CELL_GROWTH, CELL_REAL */
    union {
        const char *text;             /* CELL_TEXT, _NAME, _ANY; copied */
        const struct cell_rows *rows; /* CELL_ROWS */
    };
};

/* Sets the cells of the rows of an array, which are unknown before. */
struct cell_rows {
    void (*take)(const void *user, uint64_t index, struct cell *cells);
    const void *user;
};
enum { RECORD_CELLS_MAX = 64 }; /* of such a row */

enum { READING_CELLS = 3 }; /* the first columns of tables about a log: its section and process */

/* Never in CSV or JSON, so it has no name for --sort. */
static inline bool column_is_text_only(const struct table_column *column)
{
    return column->kind == CELL_BAR || column->show & TEXT_ONLY;
}

/* A text that may be written in many places, cut off so that output cannot be many times as long as
 * the log; a character is not divided. NULL: it is unknown. */
enum { REPEATED_MAX = 255, REPEATED_ROOM = REPEATED_MAX + sizeof "…" };
const char *repeated_text(const char *text, char room[REPEATED_ROOM]);

static inline bool kind_is_text(enum cell_kind kind)
{
    return kind == CELL_TEXT || kind == CELL_NAME || kind == CELL_ANY;
}

static inline bool column_is_secret(const struct table_column *column)
{
    return column->kind == CELL_TEXT || column->show & SECRET;
}

/* The length of a column's name without its unit. */
size_t column_bare_length(const char *name);

/* The length of the part of a column's name that names no other column: without its unit, unless
 * another column has that rest, too. */
size_t column_short_length(const struct table_column *columns, size_t number);

/* The column of that name, or else of that heading: the case does not matter, the unit may be left
 * out (of several such columns, it is the first), and "-", "_" and " " are the same. SIZE_MAX:
 * there is none. */
size_t column_find(const struct table_column *columns, const char *word);

/* Writes a row, or a record, as an object. The columns end with one without a name. */
void cells_put(struct json *json, const struct table_column *columns, const struct cell *cells,
               bool has_processes);

/* The same as a member of an object; as its members. */
void cells_put_record(struct json *json, const char *key, const struct table_column *columns,
                      const struct cell *cells);
void cells_put_members(struct json *json, const struct table_column *columns,
                       const struct cell *cells, bool has_processes);

/* Constructors of cells. All members are given: otherwise compilers clear the cell in memory, and
 * wait for that when they copy it, which takes several times as long. */
static inline struct cell cell_with(bool known, uint64_t number, double share, const char *text)
{
    return (struct cell){known, number, share, {text}};
}

static inline struct cell cell_number(uint64_t number)
{
    return cell_with(true, number, 0, NULL);
}

static inline struct cell cell_if(bool known, uint64_t number)
{
    return cell_with(known, number, 0, NULL);
}

static inline struct cell cell_share(double share)
{
    return cell_with(true, 0, share, NULL);
}

/* A share of `whole`; unknown if that is 0. */
static inline struct cell cell_part(uint64_t part, uint64_t whole)
{
    return cell_with(whole > 0, 0, whole > 0 ? (double)part / (double)whole : 0, NULL);
}

/* The nearest number, which is below 2^63. */
static inline struct cell cell_rounded(double number)
{
    return cell_number(number < 0x1p63 ? (uint64_t)(number + 0.5) : UINT64_C(1) << 63);
}

static inline struct cell cell_text(const char *text)
{
    return cell_with(text != NULL, 0, 0, text);
}

static inline struct cell cell_real(bool known, double real)
{
    return cell_with(known, 0, real, NULL);
}

static inline struct cell cell_array(bool known, uint64_t count, const struct cell_rows *rows)
{
    return (struct cell){.known = known, .number = count, .rows = rows};
}

static inline struct cell cell_unknown(void)
{
    return cell_with(false, 0, 0, NULL);
}

#endif
