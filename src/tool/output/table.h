/* table.h — tables of results, as text, CSV or JSON.
 *
 * A verb describes its columns once; cells carry values, not text. An unknown value is N/A in text,
 * empty in CSV and null in JSON. Text is aligned, has three significant digits with a unit, and
 * fits into the terminal (80 columns if there is none): the columns that do not fit are left out,
 * the least useful first. CSV and JSON have all columns, and exact integers in the unit that ends
 * the column's name (pause_ns, live_bytes).
 */
#ifndef HECTIC_TABLE_H
#define HECTIC_TABLE_H

#include "tool/cli/tool.h"

enum cell_kind {
    CELL_TEXT,
    CELL_COUNT,   /* text: 1,234 */
    CELL_ID,      /* an identifier; text: 1234 */
    CELL_SECTION, /* of the log, counted from 1; an optional column of ones counts as empty */
    CELL_PROCESS, /* number of a process; the column exists after table_show_processes */
    CELL_NS,      /* text: 1.23ms */
    CELL_TIME,    /* a point in the log's time, ns; text: 1.234567s */
    CELL_BYTES,   /* text: 12.3MiB */
    CELL_SHARE,   /* 0 … 1; text: 12.3% */
    CELL_GROWTH,  /* a signed real number of bytes; text: +12.3MiB */
    CELL_FLAG,    /* text: yes or no; CSV and JSON: true, false */
    CELL_BAR,     /* 0 … 1, as a bar; only on terminals, never in CSV or JSON */
};

/* How text shows a column; 0: always, if it fits. */
#define OPTIONAL  1u /* hidden if all rows have 0 or nothing in it */
#define DATA_ONLY 2u /* only in CSV and JSON */
#define TEXT_ONLY 4u /* never in CSV or JSON */
/* Columns with a greater rank are left out first; of the same rank, the rightmost. */
#define RANK(rank) ((rank)*8u)

struct table_column {
    const char *name;  /* the key in JSON, the heading in CSV, what --sort takes: "pause_ns" */
    const char *title; /* the heading in text: "Pause" */
    enum cell_kind kind;
    unsigned show; /* OPTIONAL | RANK(2), … */
};

struct cell {
    bool known;
    uint64_t number;  /* CELL_COUNT, _ID, _NS, _TIME, _BYTES, _FLAG */
    double share;     /* CELL_SHARE, CELL_BAR, CELL_GROWTH */
    const char *text; /* CELL_TEXT; copied */
};

struct table_settings {
    bool json, csv;
    bool wide;        /* text: all columns */
    const char *sort; /* a column's name, descending; "-name": ascending; NULL: in input order */
    uint64_t limit;   /* only so many rows; 0: all */
    bool is_member; /* not an option: in JSON, "title":[…] as a member of an object that the verb
                       writes, instead of an array */
};
extern const struct tool_option table_options[]; /* --json, --csv, --sort, --limit, --wide */
extern const char table_note[];

/* Sorts by `column` if there is a --limit without --sort. */
static inline void table_default_sort(struct table_settings *settings, const char *column)
{
    if (settings->limit > 0 && settings->sort == NULL) settings->sort = column;
}

struct table;

/* Makes a table; `columns` ends with a column without a name. `title` (or NULL) is the heading in
 * text, and the key in JSON if settings->is_member. The settings, the title and the columns have to
 * outlive the table. Returns NULL after a message; *code is TOOL_USAGE for an unknown --sort
 * column. --sort may omit the unit at the end of a column's name. */
struct table *table_new(const char *title, const struct table_column *columns,
                        const struct table_settings *settings, int *code);
void table_free(struct table *table);

/* Shows the columns of processes. Call it before the first row. */
void table_show_processes(struct table *table);

/* Adds a row: a cell for each column. Returns false after a message. Rows are kept only as far as
 * sorting and --limit need them; otherwise they are written to `sink` at once (in text after the
 * first 1,000, which determine the widths of columns). */
bool table_row(struct table *table, struct sink *sink, const struct cell *cells);

/* Sets a last row, for sums; only in text, below a line. Call it before table_end. Returns false
 * after a message. */
bool table_footer(struct table *table, const struct cell *cells);

/* Writes the rows that are left, and the end of the table. False after a message. */
bool table_end(struct table *table, struct sink *sink);

/* Constructors of cells. */
static inline struct cell cell_number(uint64_t number)
{
    return (struct cell){.known = true, .number = number};
}

static inline struct cell cell_if(bool known, uint64_t number)
{
    return (struct cell){.known = known, .number = number};
}

static inline struct cell cell_share(double share)
{
    return (struct cell){.known = true, .share = share};
}

/* A share of `whole`; unknown if that is 0. */
static inline struct cell cell_part(uint64_t part, uint64_t whole)
{
    return (struct cell){.known = whole > 0, .share = whole > 0 ? (double)part / (double)whole : 0};
}

/* The nearest number, which is below 2^63. */
static inline struct cell cell_rounded(double number)
{
    return cell_number(number < 0x1p63 ? (uint64_t)(number + 0.5) : UINT64_C(1) << 63);
}

static inline struct cell cell_text(const char *text)
{
    return (struct cell){.known = text != NULL, .text = text};
}

static inline struct cell cell_unknown(void)
{
    return (struct cell){0};
}

#endif
