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

#include "tables/tables.h"
#include "tool/cli/verb.h"
#include "tool/files/sink.h"

struct table_settings {
    bool json;
    bool csv;          /* rows only */
    bool lines;        /* with csv: as JSON, one on a line */
    bool wide;         /* text: all columns */
    const char *sort;  /* a column's name, descending; "-name": ascending; NULL: in input order */
    uint64_t limit;    /* only so many rows; 0: all */
    bool is_complete;  /* with `wide`, texts are not clipped */
    const char *where; /* only rows that fulfil this condition (where.h); NULL: all */
    /* Not options: in JSON, the table is {"KEY":[…]}, KEY being its name in the catalogue if it is
     * NULL, or "title":[…] as a member of an object: the first one, or of one that the verb has
     * begun; the verb ends it. */
    const char *key;
    bool is_member, is_first;
};
extern const struct tool_option
    table_options[]; /* --json, --jsonl, --csv, --where, --sort, --limit, --wide */

/* --json, --jsonl and --csv, for a verb's settings; `member`: where its table_settings are,
 * as `base.table.` */
#define TABLE_FORM(name, meaning, offset, set)                                                     \
    {                                                                                              \
        name, 0, NULL, meaning, NULL, offset, set                                                  \
    }
#define TABLE_FORMS(type, member)                                                                  \
    TABLE_FORM("json", "as JSON, as lines of JSON, as CSV", offsetof(type, member json),           \
               tool_set_flag),                                                                     \
        TABLE_FORM("jsonl", NULL, offsetof(type, member csv), table_set_lines),                    \
        TABLE_FORM("csv", NULL, offsetof(type, member csv), table_set_csv)
bool table_set_lines(void *csv, const char *argument);
bool table_set_csv(void *csv, const char *argument);

/* Reports a usage error if several of these are given. */
bool table_forms_agree(const struct table_settings *settings);
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
 * column. --sort takes a column's heading, or its name, without its unit, too. */
struct table *table_new(const char *title, const struct table_column *columns,
                        const struct table_settings *settings, int *code);
void table_free(struct table *table);

/* Shows the columns of processes. Call it before the first row. */
void table_show_processes(struct table *table);

/* Declares that the rows may repeat a text many times: it is cut (repeated_text). Call it before
 * the first row. */
void table_cut_texts(struct table *table);

/* Adds a row: a cell for each column. Returns false after a message. Rows are kept only as far as
 * sorting and --limit need them; otherwise they are written to `sink` at once (in text after the
 * first 1,000, which determine the widths of columns). */
bool table_row(struct table *table, struct sink *sink, const struct cell *cells);

/* Sets a last row, for sums; only in text, below a line. Call it before table_end. Returns false
 * after a message. */
bool table_footer(struct table *table, const struct cell *cells);

/* Writes the rows that are left, and the end of the table. False after a message. */
bool table_end(struct table *table, struct sink *sink);

#endif
