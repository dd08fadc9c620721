/* table.c — see table.h. */
#include "tool/output/table.h"

#include "render/text.h"
#include "render/units.h"
#include "render/visible.h"
#include "tool/cli/message.h"
#include "tool/output/cells.h"
#include "tool/output/json.h"
#include "tool/output/rows.h"
#include "tool/output/terminal_text.h"
#include "tool/output/where.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS_MAX = 256,
    WIDTH_ROWS = 1000,  /* choose the widths of columns */
    WIDTH_MAX = 48,     /* of a text cell */
    WIDTH_CLIPPED = 24, /* a text cell is clipped so far to make room for useful columns */
    PLAIN_WIDTH = 80,   /* of a line, if the output is not a terminal */
    GAP = 2,            /* between columns */
    USEFUL = 1,         /* columns up to this rank are worth clipping text cells */
};

struct table {
    const char *title;
    const struct table_column *column;
    const struct table_settings *settings;
    size_t columns;
    struct where *where;         /* NULL: all rows */
    struct rows rows;            /* not written yet: to choose widths, or to be sorted */
    bool begun;                  /* the heading has been written */
    bool ended;                  /* no further rows follow */
    bool processes;              /* the columns of processes exist */
    bool cuts_texts;             /* see table_cut_texts */
    bool empty[COLUMNS_MAX];     /* optional columns, in text: with nothing in it so far */
    bool hidden[COLUMNS_MAX];    /* in text */
    bool has_texts[COLUMNS_MAX]; /* of a CELL_ANY: not only numbers so far */
    size_t left_out;             /* columns that do not fit */
    uint64_t written;
    unsigned char *footer;
    size_t width[COLUMNS_MAX];
    double largest[COLUMNS_MAX]; /* of RELATIVE columns */
    char *scratch;
    size_t scratch_size;
};

/* --- Options --------------------------------------------------------------------------------- */

const struct tool_option table_options[] = {
    {"where", 0, "CONDITION", "only such rows: --where 'mvar > 100ms and runs > 5'", NULL,
     offsetof(struct table_settings, where), tool_set_text},
    {"sort", 0, "COLUMN", "sort, descending; -COLUMN: ascending", NULL,
     offsetof(struct table_settings, sort), tool_set_text},
    {"limit", 0, "N", "only the first N rows; all columns", NULL,
     offsetof(struct table_settings, limit), tool_set_count},
    {"wide", 0, NULL, NULL, NULL, offsetof(struct table_settings, wide), tool_set_flag},
    TABLE_FORMS(struct table_settings, ),
    {0},
};

const char table_note[] =
    "--where is an expression of SQLite over the columns of CSV: 'label like \"worker%\"'. The "
    "unit "
    "at the end of a name may be omitted; numbers may have units: 100ms, 2MiB, 5%. A comparison "
    "with an unknown value is not true. Sums below the table, of all rows, are left out. "
    "--sort takes a heading, or the name of a CSV column; the unit at the end of a name may be "
    "omitted. "
    "Unknown values sort last. CSV follows RFC 4180, with a header line, but lines end with LF. "
    "Texts that begin like a formula (=, +, -, @, tab, CR) get a ' in front. "
    "Text is as wide as the terminal, or 80 columns if the output is not one: columns that do not "
    "fit are left out, the least useful first, unless --wide is given. It rounds to three "
    "significant digits (1.23ms, 4.56MiB; 1 KiB, MiB, GiB are 2^10, 2^20, 2^30 bytes), points in "
    "time to microseconds, and clips long labels. --json prints one object, with the rows as an "
    "array by the table's name; --jsonl prints each row as an object on a line. CSV and JSON have "
    "all columns, complete labels "
    "and exact numbers: nanoseconds, bytes, counts, and shares of 1.";

/* The settings of which `csv` is a member. */
static struct table_settings *settings_of(void *csv)
{
    return (struct table_settings *)(void *)((char *)csv - offsetof(struct table_settings, csv));
}

static bool choose_rows(struct table_settings *settings, bool lines)
{
    if (settings->csv && settings->lines != lines)
        return tool_usage_error("--csv and --jsonl cannot be combined"), false;
    settings->csv = true;
    settings->lines = lines;
    return true;
}

bool table_set_lines(void *csv, const char *argument)
{
    (void)argument;
    return choose_rows(settings_of(csv), true);
}

bool table_set_csv(void *csv, const char *argument)
{
    (void)argument;
    return choose_rows(settings_of(csv), false);
}

bool table_forms_agree(const struct table_settings *settings)
{
    if (!settings->json || !settings->csv) return true;
    tool_usage_error("--json and --%s cannot be combined", settings->lines ? "jsonl" : "csv");
    return false;
}

static void report_column(const struct table *table, const char *word)
{
    struct suggestion suggestion = {.word = word};
    char bare[COLUMNS_MAX][32], names[2048] = "";
    size_t length = 0;
    for (size_t i = 0; i < table->columns; i++) {
        const char *name = table->column[i].name;
        if (column_is_text_only(&table->column[i])) continue;
        snprintf(bare[i], sizeof bare[i], "%.*s", (int)column_short_length(table->column, i), name);
        tool_suggest(&suggestion, bare[i]);
        if (length >= sizeof names) continue;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                   length ? ", " : "", bare[i]);
    }
    if (suggestion.best)
        tool_usage_error("unknown column \"%s\" for --sort; did you mean %s? (columns: %s)", word,
                         suggestion.best, names);
    else
        tool_usage_error("unknown column \"%s\" for --sort (columns: %s)", word, names);
}

static bool choose_sort(struct table *table)
{
    const char *word = table->settings->sort;
    struct rows *rows = &table->rows;
    *rows = (struct rows){.column = table->column,
                          .columns = table->columns,
                          .sort = table->columns,
                          .limit = table->settings->limit};
    if (!word) return true;
    rows->ascending = word[0] == '-';
    word += rows->ascending;
    rows->sort = column_find(table->column, word);
    if (rows->sort == SIZE_MAX) report_column(table, word);
    return rows->sort != SIZE_MAX;
}

struct table *table_new(const char *title, const struct table_column *columns,
                        const struct table_settings *settings, int *code)
{
    *code = TOOL_USAGE;
    if (!table_forms_agree(settings)) return NULL;
    struct table *table = calloc(1, sizeof *table);
    if (!table) {
        tool_message("out of memory");
        *code = TOOL_UNUSABLE;
        return NULL;
    }
    *table = (struct table){.title = title, .column = columns, .settings = settings};
    for (; columns[table->columns].name; table->columns++)
        if (table->columns < COLUMNS_MAX)
            table->empty[table->columns] = columns[table->columns].show & OPTIONAL;
    if (table->columns > COLUMNS_MAX) abort(); /* a bug in a table */
    if (!choose_sort(table)) {
        table_free(table);
        return NULL;
    }
    *code = TOOL_OK;
    if (settings->where && !(table->where = where_new(settings->where, columns, code))) {
        table_free(table);
        return NULL;
    }
    return table;
}

void table_show_processes(struct table *table)
{
    table->processes = true;
}

void table_free(struct table *table)
{
    if (!table) return;
    rows_free(&table->rows);
    where_free(table->where);
    free(table->footer);
    free(table->scratch);
    free(table);
}

/* --- Cells as text --------------------------------------------------------------------------- */

static bool room_for(struct table *table, size_t size)
{
    if (table->scratch_size >= size) return true;
    char *grown = realloc(table->scratch, size);
    if (!grown) {
        tool_message("out of memory");
        return false;
    }
    table->scratch = grown;
    table->scratch_size = size;
    return true;
}

/* Columns of a terminal that a text cell takes at most. */
static size_t most_width(const struct table *table, size_t column)
{
    const struct table_settings *settings = table->settings;
    if (table->begun && !settings->wide) return table->width[column];
    return settings->wide && settings->is_complete ? SIZE_MAX : WIDTH_MAX;
}

/* The cell as text, in `scratch`; sets its length in bytes and its width in columns. */
static bool cell_as_text(struct table *table, size_t column, const struct cell *cell,
                         const char *unknown, size_t *length, size_t *width)
{
    const enum cell_kind kind = table->column[column].kind;
    const size_t size = kind_is_text(kind) && cell->known ? strlen(cell->text) : 0;
    if (!room_for(table, CELL_ROOM + terminal_text_bound(size))) return false;
    *width = 0;
    if (!cell->known)
        *length = (size_t)sprintf(table->scratch, "%s", kind == CELL_BAR ? "" : unknown);
    else if (kind_is_text(kind))
        *length =
            terminal_text_fit(cell->text, size, most_width(table, column), table->scratch, width);
    else if (table->column[column].show & RELATIVE)
        *length = (size_t)cell_print(
            table->scratch, kind,
            &(struct cell){.share = cell->share > 0 ? cell->share / table->largest[column] : 0});
    else
        *length = (size_t)cell_print(table->scratch, kind, cell);
    if (!cell->known || !kind_is_text(kind)) *width = *length;
    if (cell->known && kind == CELL_BAR) *width = CELL_BAR_WIDTH;
    return true;
}

static bool is_left(const struct table *table, size_t column)
{
    const enum cell_kind kind = table->column[column].kind;
    if (kind == CELL_ANY) return table->has_texts[column];
    return kind_is_text(kind) || kind == CELL_BAR;
}

static bool is_absent(const struct table *table, size_t column)
{
    return table->column[column].kind == CELL_PROCESS && !table->processes;
}

static bool is_shown(const struct table *table, size_t column)
{
    return !table->hidden[column];
}

static const char not_known[] = "N/A";

/* --- Text ------------------------------------------------------------------------------------ */

static void put_spaces(struct sink *sink, size_t count)
{
    memset(sink_room(sink, count), ' ', count);
    sink_fill(sink, count);
}

static size_t last_shown(const struct table *table)
{
    size_t last = table->columns;
    while (last > 0 && !is_shown(table, last - 1))
        last--;
    return last - 1;
}

/* A cell and its padding, up to the next cell or the end of the line. */
static void put_padded(const struct table *table, struct sink *sink, size_t column,
                       const char *text, size_t length, size_t width)
{
    const size_t wanted = table->width[column];
    const size_t padding = width < wanted ? wanted - width : 0;
    const bool left = is_left(table, column);
    const bool is_last = column == last_shown(table);
    if (!left && (length > 0 || !is_last)) put_spaces(sink, padding);
    sink_text(sink, text, length);
    if (left && !is_last) put_spaces(sink, padding);
    sink_text(sink, is_last ? "\n" : "  ", is_last ? 1 : 2);
}

static bool text_row(struct table *table, struct sink *sink, const struct cell *cells,
                     const char *unknown)
{
    for (size_t i = 0; i < table->columns; i++) {
        size_t length, width;
        if (!is_shown(table, i)) continue;
        if (!cell_as_text(table, i, &cells[i], unknown, &length, &width)) return false;
        put_padded(table, sink, i, table->scratch, length, width);
    }
    return true;
}

static void text_heading(struct table *table, struct sink *sink)
{
    const bool colored = sink_is_colored(sink);
    if (table->title) sink_print(sink, "%s\n", table->title);
    if (colored) sink_print(sink, "\033[1m");
    for (size_t i = 0; i < table->columns; i++) {
        const char *title = table->column[i].title;
        if (is_shown(table, i)) put_padded(table, sink, i, title, strlen(title), strlen(title));
    }
    if (colored) sink_print(sink, "\033[0m");
}

static bool widen(struct table *table, const struct cell *cells)
{
    for (size_t i = 0; i < table->columns; i++) {
        size_t length, width;
        if (!cell_as_text(table, i, &cells[i], not_known, &length, &width)) return false;
        if (width > table->width[i]) table->width[i] = width;
    }
    return true;
}

/* A table with such bars is kept until its end, on terminals, which show them. */
static bool is_relative(const struct table *table, const struct sink *sink)
{
    bool found = false;
    for (size_t i = 0; i < table->columns && sink_is_colored(sink); i++)
        found |= (table->column[i].show & RELATIVE) != 0;
    return found;
}

static bool is_empty(enum cell_kind kind, const struct cell *cell)
{
    if (!cell->known) return true;
    if (kind == CELL_SECTION) return cell->number == 1;
    return kind_is_text(kind) ? cell->text[0] == 0 : cell_key(kind, cell) == 0;
}

/* Notes which optional columns have something in the row. Returns whether there is a new one. */
static bool note_columns(struct table *table, const struct cell *cells)
{
    bool is_new = false;
    for (size_t i = 0; i < table->columns; i++) {
        if (!table->empty[i] || is_empty(table->column[i].kind, &cells[i])) continue;
        table->empty[i] = false;
        is_new = true;
    }
    return is_new;
}

static void note_packed(struct table *table, const unsigned char *packed)
{
    struct cell cells[COLUMNS_MAX];
    rows_unpack(&table->rows, packed, cells);
    note_columns(table, cells);
    for (size_t i = 0; i < table->columns; i++)
        table->has_texts[i] |= cells[i].known && !cells[i].number;
    for (size_t i = 0; i < table->columns; i++)
        if (table->column[i].show & RELATIVE && cells[i].share > table->largest[i])
            table->largest[i] = cells[i].share;
}

/* Hides bars unless they are wanted, and optional columns that are empty so far. */
static void hide_columns(struct table *table, bool with_bars)
{
    for (size_t i = 0; i < table->rows.count; i++)
        note_packed(table, table->rows.row[i].bytes);
    if (table->footer) note_packed(table, table->footer);
    for (size_t i = 0; i < table->columns; i++) {
        const struct table_column *column = &table->column[i];
        table->hidden[i] = column->kind == CELL_BAR
                               ? !with_bars
                               : is_absent(table, i) || table->empty[i] || column->show & DATA_ONLY;
    }
}

/* Chooses the widths of columns from the first rows. */
static bool choose_widths(struct table *table)
{
    struct cell cells[COLUMNS_MAX];
    bool good = true;
    for (size_t i = 0; i < table->columns; i++)
        if (table->width[i] < strlen(table->column[i].title))
            table->width[i] = strlen(table->column[i].title);
    for (size_t i = 0; i < table->rows.count && i < WIDTH_ROWS && good; i++) {
        rows_unpack(&table->rows, table->rows.row[i].bytes, cells);
        good = widen(table, cells);
    }
    if (table->footer && good) {
        rows_unpack(&table->rows, table->footer, cells);
        good = widen(table, cells);
    }
    return good;
}

/* What later rows of a table that is not complete are likely to need. */
static void reserve_widths(struct table *table)
{
    static const size_t least[] = {
        [CELL_TEXT] = 16, [CELL_NAME] = 16,  [CELL_COUNT] = 9, [CELL_ID] = 8,
        [CELL_NS] = 6,    [CELL_TIME] = 11,  [CELL_BYTES] = 7, [CELL_SHARE] = 6,
        [CELL_BAR] = 0,   [CELL_GROWTH] = 8, [CELL_ANY] = 8,
    };
    for (size_t i = 0; i < table->columns; i++) {
        const size_t width = least[table->column[i].kind];
        if (table->width[i] < width) table->width[i] = width;
    }
}

static size_t line_width(const struct table *table)
{
    size_t width = 0;
    for (size_t i = 0; i < table->columns; i++)
        if (is_shown(table, i)) width += table->width[i] + GAP;
    return width ? width - GAP : 0;
}

/* What a column is ordered by when some do not fit. The one that rows are sorted by stays. */
static unsigned rank_of(const struct table *table, size_t column)
{
    return column == table->rows.sort ? 0 : table->column[column].show / RANK(1);
}

/* The column that is shown and useful least; `columns`: none but the first is shown. */
static size_t least_useful(const struct table *table)
{
    size_t least = table->columns, shown = 0;
    for (size_t i = 0; i < table->columns; i++) {
        if (!is_shown(table, i) || shown++ == 0) continue;
        if (least == table->columns || rank_of(table, i) >= rank_of(table, least)) least = i;
    }
    return least;
}

/* Clips the widest text column by up to `width`. False: none can be clipped. */
static bool clip_text(struct table *table, size_t width)
{
    size_t widest = table->columns;
    for (size_t i = 0; i < table->columns; i++)
        if (is_shown(table, i) && kind_is_text(table->column[i].kind) &&
            table->width[i] > WIDTH_CLIPPED &&
            (widest == table->columns || table->width[i] > table->width[widest]))
            widest = i;
    if (widest == table->columns) return false;
    const size_t room = table->width[widest] - WIDTH_CLIPPED;
    table->width[widest] -= width < room ? width : room;
    return true;
}

/* Leaves out the columns that do not fit. */
static void fit_columns(struct table *table, size_t width)
{
    for (size_t all; (all = line_width(table)) > width;) {
        const size_t least = least_useful(table);
        const bool is_useful = least == table->columns || rank_of(table, least) <= USEFUL;
        if (is_useful && clip_text(table, all - width)) continue;
        if (least == table->columns) return;
        table->hidden[least] = true;
        table->left_out += table->column[least].kind != CELL_BAR;
    }
}

static void text_left_out(const struct table *table, struct sink *sink)
{
    if (table->left_out > 0)
        sink_print(sink, "(%s: --wide)\n", quantity(table->left_out, "more column").text);
}

static bool text_footer(struct table *table, struct sink *sink)
{
    if (!table->footer) return true;
    struct cell cells[COLUMNS_MAX];
    for (size_t i = 0, width = line_width(table); i < width; i++)
        sink_text(sink, "-", 1);
    sink_text(sink, "\n", 1);
    rows_unpack(&table->rows, table->footer, cells);
    return text_row(table, sink, cells, "");
}

/* --- CSV and JSON ---------------------------------------------------------------------------- */

/* How many characters at the beginning are the same in all forms. */
static size_t plain_length(const uint8_t *bytes)
{
    size_t length = 0;
    while (bytes[length] >= ' ' && bytes[length] < 0x7f && bytes[length] != '"' &&
           bytes[length] != '\\')
        length++;
    return length;
}

/* In the exact form (render/text.h), or with U+FFFD for what is not UTF-8; on a terminal without
 * control characters. A spreadsheet would interpret a text of the log that begins like a formula as
 * one. */
static void csv_text(struct sink *sink, const char *text, bool is_exact)
{
    const bool quoted = text[strcspn(text, ",\"\r\n")] != 0;
    const bool is_formula = *text && strchr("=+-@\t\r", *text);
    const uint8_t *bytes = (const uint8_t *)text;
    if (quoted) sink_text(sink, "\"", 1);
    if (is_formula) sink_text(sink, "'", 1);
    for (size_t length = strlen(text), size; length > 0; length -= size) {
        size = plain_length(bytes);
        if (size > 0) {
            sink_text(sink, (const char *)bytes, size);
            bytes += size;
            continue;
        }
        uint32_t character;
        char out[16], *end = put_visible(out, bytes, length, &size, &character);
        const bool is_escape = character == '\\' || (size == 1 && *bytes >= 0x80);
        if (!is_exact && !sink_is_terminal(sink))
            end = put_utf8(out, bytes, size);
        else if (!sink_is_terminal(sink) || is_escape)
            end = put_exact(out, bytes, size);
        if (*bytes == '"') sink_text(sink, "\"", 1);
        sink_text(sink, out, (size_t)(end - out));
        bytes += size;
    }
    if (quoted) sink_text(sink, "\"", 1);
}

/* A known cell that is not a text. */
static void plain_number(struct sink *sink, enum cell_kind kind, const struct cell *cell)
{
    if (kind == CELL_FLAG)
        sink_print(sink, cell->number ? "true" : "false");
    else if (kind == CELL_SHARE || kind == CELL_GROWTH)
        sink_print(sink, "%.6g", cell->share);
    else
        sink_fill(sink, hectic_render_u64(cell->number, sink_room(sink, 20)));
}

/* In front of the first column; bars are only in text. */
static const char *const no_separator = "";

static void csv_row(const struct table *table, struct sink *sink, const struct cell *cells)
{
    const char *separator = no_separator;
    for (size_t i = 0; i < table->columns; i++) {
        if (column_is_text_only(&table->column[i]) || is_absent(table, i)) continue;
        sink_text(sink, separator, strlen(separator));
        separator = ",";
        if (!cells[i].known) continue;
        if (table->column[i].kind == CELL_ANY && cells[i].number)
            sink_text(sink, cells[i].text, strlen(cells[i].text));
        else if (kind_is_text(table->column[i].kind))
            csv_text(sink, cells[i].text, table->column[i].kind != CELL_ANY);
        else
            plain_number(sink, table->column[i].kind, &cells[i]);
    }
    sink_text(sink, "\n", 1);
}

static void csv_heading(const struct table *table, struct sink *sink)
{
    const char *separator = no_separator;
    for (size_t i = 0; i < table->columns; i++) {
        if (column_is_text_only(&table->column[i]) || is_absent(table, i)) continue;
        sink_text(sink, separator, strlen(separator));
        separator = ",";
        csv_text(sink, table->column[i].name, true);
    }
    sink_text(sink, "\n", 1);
}

static void json_row(const struct table *table, struct sink *sink, const struct cell *cells)
{
    struct json json = json_on_sink(sink);
    const bool lines = table->settings->lines;
    if (!lines) sink_text(sink, table->written > 0 ? ",\n" : "\n", table->written > 0 ? 2 : 1);
    cells_put(&json, table->column, cells, table->processes);
    if (lines) sink_text(sink, "\n", 1);
}

/* --- The table ------------------------------------------------------------------------------- */

static bool is_text(const struct table *table)
{
    return !table->settings->json && !table->settings->csv;
}

/* Chooses the columns of the rows so far, and writes their heading. */
static bool begin_text(struct table *table, struct sink *sink)
{
    hide_columns(table, sink_is_colored(sink));
    if (!choose_widths(table)) return false;
    if (!table->ended) reserve_widths(table);
    table->left_out = 0;
    if (!table->settings->wide)
        fit_columns(table, sink_is_terminal(sink) ? terminal_width() : PLAIN_WIDTH);
    text_heading(table, sink);
    return true;
}

/* Repeats the heading if the row has something in a column that was empty. */
static bool begin_again(struct table *table, struct sink *sink, const struct cell *cells)
{
    if (!note_columns(table, cells)) return true;
    sink_text(sink, "\n", 1);
    return begin_text(table, sink);
}

/* The key of the rows in JSON. */
static const char *key_of(const struct table *table)
{
    const struct table_settings *settings = table->settings;
    size_t count;
    const struct table_description *all = tables_all(&count);
    if (settings->is_member) return table->title;
    if (settings->key) return settings->key;
    for (size_t i = 0; i < count; i++)
        if (all[i].columns == table->column) return all[i].name;
    return "rows";
}

static bool begin(struct table *table, struct sink *sink)
{
    if (table->begun) return true;
    const struct table_settings *settings = table->settings;
    if (settings->csv) {
        if (!settings->lines) csv_heading(table, sink);
    } else if (settings->json) {
        struct json json = json_on_sink(sink);
        if (!settings->is_member || settings->is_first) json_open(&json, NULL, '{');
        json_open(&json, key_of(table), '[');
    } else if (!begin_text(table, sink)) {
        return false;
    }
    table->begun = true;
    return true;
}

static bool write_row(struct table *table, struct sink *sink, const struct cell *cells)
{
    bool good = true;
    if (table->settings->csv && !table->settings->lines)
        csv_row(table, sink, cells);
    else if (table->settings->csv || table->settings->json)
        json_row(table, sink, cells);
    else
        good = begin_again(table, sink, cells) && text_row(table, sink, cells, not_known);
    table->written++;
    return good;
}

/* Writes the heading and the rows kept so far. */
static bool write_kept(struct table *table, struct sink *sink)
{
    struct cell cells[COLUMNS_MAX];
    bool good = begin(table, sink);
    for (size_t i = 0; i < table->rows.count && good && !sink_failed(sink); i++) {
        rows_unpack(&table->rows, table->rows.row[i].bytes, cells);
        good = write_row(table, sink, cells);
    }
    rows_clear(&table->rows);
    return good;
}

void table_cut_texts(struct table *table)
{
    table->cuts_texts = true;
}

bool table_row(struct table *table, struct sink *sink, const struct cell *cells)
{
    bool failed = false;
    if (table->where && !where_passes(table->where, cells, &failed)) return !failed;
    struct cell cut[COLUMNS_MAX];
    char room[COLUMNS_MAX][REPEATED_ROOM];
    for (size_t i = 0; table->cuts_texts && i < table->columns; i++) {
        cut[i] = cells[i];
        cut[i].text = repeated_text(cells[i].text, room[i]);
    }
    if (table->cuts_texts) cells = cut;
    bool good = true;
    const uint64_t limit = table->settings->limit;
    if (table->rows.sort < table->columns)
        good = rows_keep(&table->rows, cells);
    else if (limit > 0 && table->rows.added >= limit)
        ;
    else if (is_text(table) && !table->begun)
        good =
            rows_keep(&table->rows, cells) &&
            (table->rows.count < WIDTH_ROWS || is_relative(table, sink) || write_kept(table, sink));
    else
        good = begin(table, sink) && write_row(table, sink, cells);
    table->rows.added++;
    return good;
}

bool table_footer(struct table *table, const struct cell *cells)
{
    size_t sorted;
    if (table->where) return true; /* sums are of all rows */
    free(table->footer);
    table->footer = rows_pack(&table->rows, cells, &sorted);
    return table->footer != NULL;
}

bool table_end(struct table *table, struct sink *sink)
{
    if (table->rows.sort < table->columns) rows_sort(&table->rows);
    table->ended = true;
    if (!write_kept(table, sink)) return false;
    if (is_text(table)) {
        if (!text_footer(table, sink)) return false;
        text_left_out(table, sink);
        return true;
    }
    if (!table->settings->json) return true;
    if (table->written > 0) sink_text(sink, "\n", 1);
    sink_print(sink, table->settings->is_member ? "]" : "]}\n");
    return true;
}
