/* cells.h — the rows of tables: columns, cells that carry values, and rows as JSON. The command
 * prints tables (tool/output/table.h), and pages show them. */
#ifndef HECTIC_SRC_CELLS_H
#define HECTIC_SRC_CELLS_H

#include "report/json.h"

enum cell_kind {
    CELL_TEXT,
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
};

/* How text shows a column; 0: always, if it fits. */
#define OPTIONAL  1u /* hidden if all rows have 0 or nothing in it */
#define DATA_ONLY 2u /* only in CSV and JSON */
#define TEXT_ONLY 4u /* never in CSV or JSON */
#define RELATIVE  8u /* a bar's share is a size: the bar shows its share of the largest row's */
/* Columns with a greater rank are left out first; of the same rank, the rightmost. */
#define RANK(rank) ((rank)*16u)

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

/* The first columns of tables about a log: its section and process. */
enum { READING_CELLS = 3 };
#define READING_COLUMNS                                                                            \
    {"section", "Section", CELL_SECTION, OPTIONAL}, {"process", "Process", CELL_PROCESS, RANK(1)}, \
    {                                                                                              \
        "pid", "PID", CELL_PROCESS, 0                                                              \
    }

/* Never in CSV or JSON, so it has no name for --sort. */
static inline bool column_is_text_only(const struct table_column *column)
{
    return column->kind == CELL_BAR || column->show & TEXT_ONLY;
}

/* Writes a row as an object. The columns end with one without a name. */
void cells_put(struct json *json, const struct table_column *columns, const struct cell *cells,
               bool has_processes);

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
