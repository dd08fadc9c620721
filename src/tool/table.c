/* table.c — see table.h.
 *
 * Rows that have to wait (for the widths of columns, or to be sorted) are packed: numbers in as few
 * bytes as they need.
 */
#include "table.h"

#include "screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS_MOST = 64, WIDTH_ROWS = 1000, WIDTH_MOST = 48, BAR_WIDTH = 10, NUMBER_ROOM = 64 };

struct row {
    unsigned char *bytes; /* packed cells */
    uint64_t key;         /* what is sorted by; of a text: where in bytes it is */
    uint64_t order;       /* the rows before it */
    bool known;
};

struct table {
    const char *title;
    const struct table_column *column;
    const struct table_settings *settings;
    size_t columns;
    size_t sort; /* the column to sort by; `columns`: none */
    bool ascending;
    bool begun;                /* the heading is written */
    bool ended;                /* all rows are there */
    bool hidden[COLUMNS_MOST]; /* in text */
    uint64_t added;            /* rows */
    uint64_t written;
    struct row *row; /* those that wait; with sort and top: a heap, the last of them on top */
    size_t rows, capacity;
    unsigned char *footer;
    size_t width[COLUMNS_MOST];
    char *scratch;
    size_t scratch_size;
};

/* --- Options --------------------------------------------------------------------------------- */

const struct tool_option table_options[] = {
    {"sort", 0, "COLUMN", "the greatest first; -COLUMN: the least first", NULL,
     offsetof(struct table_settings, sort), tool_set_text},
    {"top", 0, "N", "only the first N rows", NULL, offsetof(struct table_settings, top),
     tool_set_count},
    {"json", 0, NULL, "as JSON, as CSV", NULL, offsetof(struct table_settings, json),
     tool_set_flag},
    {"csv", 0, NULL, NULL, NULL, offsetof(struct table_settings, csv), tool_set_flag},
    {0},
};

const char table_note[] =
    "The columns to sort by are called as in CSV; the unit at the end of a name may be left out. "
    "What is not known comes last. CSV is as RFC 4180 has it, with a line of headings; lines end "
    "with CR LF. Numbers in CSV and JSON are exact: nanoseconds, bytes, counts, and shares of 1.";

/* The length of a column's name without its unit. */
static size_t bare_length(const char *name)
{
    static const char *const units[] = {"_ns", "_bytes", "_share"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t unit = strlen(units[i]);
        if (length > unit && strcmp(name + length - unit, units[i]) == 0) return length - unit;
    }
    return length;
}

/* "pause_ns" is found as pause_ns, pause-ns, and pause. */
static bool is_called(const char *name, const char *word)
{
    size_t i = 0;
    for (; word[i] != 0; i++) {
        const char letters[2][2] = {{name[i], 0}, {word[i] == '-' ? '_' : word[i], 0}};
        if (strcasecmp(letters[0], letters[1]) != 0) return false;
    }
    return name[i] == 0 || i == bare_length(name);
}

static void complain_of_column(const struct table *table, const char *word)
{
    struct suggestion suggestion = {.word = word};
    char bare[COLUMNS_MOST][32], names[2048] = "";
    size_t length = 0;
    for (size_t i = 0; i < table->columns; i++) {
        const char *name = table->column[i].name;
        if (table->column[i].kind == CELL_BAR) continue;
        snprintf(bare[i], sizeof bare[i], "%.*s", (int)bare_length(name), name);
        tool_suggest(&suggestion, bare[i]);
        if (length >= sizeof names) continue;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                   length ? ", " : "", bare[i]);
    }
    if (suggestion.best)
        tool_complain("--sort: there is no column \"%s\"; did you mean %s? There are: %s", word,
                      suggestion.best, names);
    else
        tool_complain("--sort: there is no column \"%s\"; there are: %s", word, names);
}

static bool choose_sort(struct table *table)
{
    const char *word = table->settings->sort;
    table->sort = table->columns;
    if (!word) return true;
    table->ascending = word[0] == '-';
    word += table->ascending;
    for (size_t i = 0; i < table->columns && table->sort == table->columns; i++)
        if (table->column[i].kind != CELL_BAR && is_called(table->column[i].name, word))
            table->sort = i;
    if (table->sort == table->columns) complain_of_column(table, word);
    return table->sort < table->columns;
}

struct table *table_new(const char *title, const struct table_column *columns,
                        const struct table_settings *settings, int *code)
{
    *code = TOOL_USAGE;
    if (settings->json && settings->csv) {
        tool_complain("--json and --csv exclude each other");
        return NULL;
    }
    struct table *table = calloc(1, sizeof *table);
    if (!table) {
        tool_complain("out of memory");
        *code = TOOL_UNUSABLE;
        return NULL;
    }
    *table = (struct table){.title = title, .column = columns, .settings = settings};
    while (columns[table->columns].name)
        table->columns++;
    if (table->columns > COLUMNS_MOST) abort(); /* a mistake in a table */
    if (!choose_sort(table)) {
        table_free(table);
        return NULL;
    }
    *code = TOOL_OK;
    return table;
}

void table_free(struct table *table)
{
    if (!table) return;
    for (size_t i = 0; i < table->rows; i++)
        free(table->row[i].bytes);
    free(table->row);
    free(table->footer);
    free(table->scratch);
    free(table);
}

/* --- Packed rows ----------------------------------------------------------------------------- */

enum { UNKNOWN, KNOWN };

static size_t put_varint(unsigned char *out, uint64_t number)
{
    size_t i = 0;
    for (; number >= 0x80; number >>= 7)
        out[i++] = (unsigned char)(number | 0x80);
    out[i++] = (unsigned char)number;
    return i;
}

static size_t get_varint(const unsigned char *bytes, uint64_t *number)
{
    size_t i = 0;
    unsigned shift = 0;
    *number = 0;
    do {
        *number |= (uint64_t)(bytes[i] & 0x7f) << shift;
        shift += 7;
    } while (bytes[i++] & 0x80);
    return i;
}

static bool is_share(enum cell_kind kind)
{
    return kind == CELL_SHARE || kind == CELL_BAR;
}

/* A number by which cells that are no texts are ordered. Shares are not negative, and such doubles
 * are ordered like their bits. */
static uint64_t key_of(enum cell_kind kind, const struct cell *cell)
{
    uint64_t key = cell->number;
    if (is_share(kind)) memcpy(&key, &cell->share, sizeof key);
    return key;
}

static size_t pack_cell(enum cell_kind kind, const struct cell *cell, unsigned char *out)
{
    out[0] = cell->known ? KNOWN : UNKNOWN;
    if (!cell->known) return 1;
    if (kind != CELL_TEXT && !is_share(kind)) return 1 + put_varint(out + 1, cell->number);
    const size_t size = is_share(kind) ? sizeof cell->share : strlen(cell->text) + 1;
    memcpy(out + 1, is_share(kind) ? (const void *)&cell->share : cell->text, size);
    return 1 + size;
}

static size_t unpack_cell(enum cell_kind kind, const unsigned char *bytes, struct cell *cell)
{
    *cell = (struct cell){.known = bytes[0] == KNOWN};
    if (!cell->known) return 1;
    if (kind == CELL_TEXT) {
        cell->text = (const char *)bytes + 1;
        return 2 + strlen(cell->text);
    }
    if (!is_share(kind)) return 1 + get_varint(bytes + 1, &cell->number);
    memcpy(&cell->share, bytes + 1, sizeof cell->share);
    return 1 + sizeof cell->share;
}

static void unpack(const struct table *table, const unsigned char *bytes, struct cell *cells)
{
    for (size_t i = 0; i < table->columns; i++)
        bytes += unpack_cell(table->column[i].kind, bytes, &cells[i]);
}

/* Packs cells into memory of its own; NULL after a message. Sets *sorted to where the cell that is
 * sorted by is. */
static unsigned char *pack(const struct table *table, const struct cell *cells, size_t *sorted)
{
    size_t room = table->columns * 11;
    for (size_t i = 0; i < table->columns; i++)
        if (table->column[i].kind == CELL_TEXT && cells[i].known) room += strlen(cells[i].text);
    unsigned char *bytes = malloc(room);
    size_t size = 0;
    for (size_t i = 0; i < table->columns && bytes; i++) {
        if (i == table->sort) *sorted = size + 1;
        size += pack_cell(table->column[i].kind, &cells[i], bytes + size);
    }
    unsigned char *fitting = bytes ? realloc(bytes, size) : NULL;
    if (!bytes) tool_complain("out of memory");
    return fitting ? fitting : bytes;
}

/* --- Order ----------------------------------------------------------------------------------- */

static int compare_keys(const struct table *table, const struct row *a, const struct row *b)
{
    if (table->column[table->sort].kind == CELL_TEXT)
        return strcmp((const char *)a->bytes + a->key, (const char *)b->bytes + b->key);
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Negative where `a` comes first. What is unknown comes last. */
static int compare_rows(const struct row *a, const struct row *b, const struct table *table)
{
    if (a->known != b->known) return a->known ? -1 : 1;
    int order = a->known ? compare_keys(table, a, b) : 0;
    if (!table->ascending) order = -order;
    return order ? order : a->order < b->order ? -1 : a->order > b->order;
}

static void swap(struct row *a, struct row *b)
{
    const struct row other = *a;
    *a = *b;
    *b = other;
}

/* Moves row `i` of a heap of `count` down to where it belongs. */
static void sift(const struct table *table, struct row *row, size_t i, size_t count)
{
    for (;;) {
        size_t last = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (compare_rows(&row[child], &row[last], table) > 0) last = child;
        if (last == i) return;
        swap(&row[i], &row[last]);
        i = last;
    }
}

/* Sorts by a heap: what --top has kept is one already, and qsort knows no table. */
static void sort_rows(struct table *table)
{
    for (size_t i = table->rows / 2; i-- > 0;)
        sift(table, table->row, i, table->rows);
    for (size_t count = table->rows; count-- > 1;) {
        swap(&table->row[0], &table->row[count]);
        sift(table, table->row, 0, count);
    }
}

/* --- Rows that wait -------------------------------------------------------------------------- */

static bool append(struct table *table, struct row row)
{
    if (table->rows == table->capacity) {
        const size_t capacity = table->capacity ? 2 * table->capacity : 64;
        struct row *grown = realloc(table->row, capacity * sizeof *grown);
        if (!grown) {
            tool_complain("out of memory");
            return false;
        }
        table->row = grown;
        table->capacity = capacity;
    }
    table->row[table->rows++] = row;
    return true;
}

static bool is_full(const struct table *table)
{
    return table->settings->top > 0 && table->rows >= table->settings->top;
}

/* Of a full heap, the last row goes for one that comes before it. */
static void replace_last(struct table *table, struct row row)
{
    free(table->row[0].bytes);
    table->row[0] = row;
    sift(table, table->row, 0, table->rows);
}

static bool keep(struct table *table, const struct cell *cells)
{
    struct row row = {.order = table->added, .known = true};
    const bool is_sorted = table->sort < table->columns;
    const bool by_text = is_sorted && table->column[table->sort].kind == CELL_TEXT;
    if (is_sorted) {
        row.known = cells[table->sort].known;
        row.key = key_of(table->column[table->sort].kind, &cells[table->sort]);
        /* Most rows of a large log are not among the top: they are not even packed. */
        if (is_full(table) && !by_text && compare_rows(&row, &table->row[0], table) > 0)
            return true;
    }
    size_t sorted = 0;
    row.bytes = pack(table, cells, &sorted);
    if (!row.bytes) return false;
    if (by_text) row.key = sorted;
    if (is_sorted && is_full(table)) {
        if (compare_rows(&row, &table->row[0], table) < 0)
            replace_last(table, row);
        else
            free(row.bytes);
        return true;
    }
    if (!append(table, row)) {
        free(row.bytes);
        return false;
    }
    if (is_sorted && is_full(table))
        for (size_t i = table->rows / 2; i-- > 0;)
            sift(table, table->row, i, table->rows);
    return true;
}

/* --- Cells as text --------------------------------------------------------------------------- */

static int put_grouped(char *out, uint64_t number)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *end = out;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) *end++ = ',';
        *end++ = digits[i];
    }
    *end = 0;
    return (int)(end - out);
}

static int put_ns(char *out, uint64_t ns)
{
    if (ns < 1000) return snprintf(out, NUMBER_ROOM, "%" PRIu64 " ns", ns);
    const char *unit = ns < 1000000 ? "us" : ns < 1000000000 ? "ms" : "s";
    const double size = ns < 1000000 ? 1e3 : ns < 1000000000 ? 1e6 : 1e9;
    return snprintf(out, NUMBER_ROOM, "%.3f %s", (double)ns / size, unit);
}

static int put_size(char *out, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes;
    size_t i = 0;
    for (; size >= 1024; i++)
        size /= 1024;
    return snprintf(out, NUMBER_ROOM, i == 0 ? "%.0f %s" : "%.1f %s", size, units[i]);
}

/* A bar of eighths of columns. Its width is that of all bars. */
static int put_bar(char *out, double share)
{
    static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    int rest = (int)((share < 1 ? share : 1) * BAR_WIDTH * 8 + 0.5);
    char *end = out;
    for (int i = 0; i < BAR_WIDTH; i++) {
        const int eighth = rest < 8 ? rest : 8;
        const size_t size = strlen(eighths[eighth]);
        memcpy(end, eighths[eighth], size);
        end += size;
        rest -= eighth;
    }
    return (int)(end - out);
}

/* A cell that is no text, into NUMBER_ROOM bytes. */
static int put_number(char *out, enum cell_kind kind, const struct cell *cell)
{
    switch (kind) {
    case CELL_COUNT: return put_grouped(out, cell->number);
    case CELL_NS: return put_ns(out, cell->number);
    case CELL_TIME:
        return snprintf(out, NUMBER_ROOM, "%" PRIu64 ".%09" PRIu64 " s", cell->number / 1000000000,
                        cell->number % 1000000000);
    case CELL_BYTES: return put_size(out, cell->number);
    case CELL_SHARE: return snprintf(out, NUMBER_ROOM, "%.1f%%", 100 * cell->share);
    case CELL_FLAG: return snprintf(out, NUMBER_ROOM, cell->number ? "yes" : "no");
    case CELL_BAR: return put_bar(out, cell->share);
    case CELL_ID:
    case CELL_TEXT: break;
    }
    return snprintf(out, NUMBER_ROOM, "%" PRIu64, cell->number);
}

static bool room_for(struct table *table, size_t size)
{
    if (table->scratch_size >= size) return true;
    char *grown = realloc(table->scratch, size);
    if (!grown) {
        tool_complain("out of memory");
        return false;
    }
    table->scratch = grown;
    table->scratch_size = size;
    return true;
}

/* The cell as text, in `scratch`; sets its length in bytes and its width in columns. */
static bool cell_as_text(struct table *table, enum cell_kind kind, const struct cell *cell,
                         const char *unknown, size_t *length, size_t *width)
{
    const size_t size = kind == CELL_TEXT && cell->known ? strlen(cell->text) : 0;
    if (!room_for(table, NUMBER_ROOM + screen_bound(size))) return false;
    *width = 0;
    if (!cell->known)
        *length = (size_t)sprintf(table->scratch, "%s", kind == CELL_BAR ? "" : unknown);
    else if (kind == CELL_TEXT)
        *length = screen_text(cell->text, size, table->scratch, width);
    else
        *length = (size_t)put_number(table->scratch, kind, cell);
    if (!cell->known || kind != CELL_TEXT) *width = *length;
    if (cell->known && kind == CELL_BAR) *width = BAR_WIDTH;
    return true;
}

static bool is_left(enum cell_kind kind)
{
    return kind == CELL_TEXT || kind == CELL_BAR;
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

/* One cell of a line: what is in front of the next, or of the end of the line. */
static void put_padded(const struct table *table, struct sink *sink, size_t column,
                       const char *text, size_t length, size_t width)
{
    const size_t wanted = table->width[column];
    const size_t padding = width < wanted ? wanted - width : 0;
    const bool left = is_left(table->column[column].kind);
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
        if (!cell_as_text(table, table->column[i].kind, &cells[i], unknown, &length, &width))
            return false;
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
        if (!cell_as_text(table, table->column[i].kind, &cells[i], not_known, &length, &width))
            return false;
        if (width > WIDTH_MOST) width = WIDTH_MOST;
        if (width > table->width[i]) table->width[i] = width;
    }
    return true;
}

static bool is_empty(enum cell_kind kind, const struct cell *cell)
{
    return !cell->known || (kind == CELL_TEXT ? cell->text[0] == 0 : key_of(kind, cell) == 0);
}

/* Hides bars where there is no terminal, and optional columns in which nothing is. */
static void hide_columns(struct table *table, bool with_bars)
{
    struct cell cells[COLUMNS_MOST];
    for (size_t i = 0; i < table->columns; i++)
        table->hidden[i] = table->column[i].kind == CELL_BAR
                               ? !with_bars
                               : table->column[i].optional && table->ended;
    for (size_t row = 0; row < table->rows && table->ended; row++) {
        unpack(table, table->row[row].bytes, cells);
        for (size_t i = 0; i < table->columns; i++)
            if (table->column[i].kind != CELL_BAR && !is_empty(table->column[i].kind, &cells[i]))
                table->hidden[i] = false;
    }
}

/* Chooses the widths of columns by the rows that wait. */
static bool choose_widths(struct table *table)
{
    struct cell cells[COLUMNS_MOST];
    bool good = true;
    for (size_t i = 0; i < table->columns; i++)
        table->width[i] = strlen(table->column[i].title);
    for (size_t i = 0; i < table->rows && i < WIDTH_ROWS && good; i++) {
        unpack(table, table->row[i].bytes, cells);
        good = widen(table, cells);
    }
    if (table->footer && good) {
        unpack(table, table->footer, cells);
        good = widen(table, cells);
    }
    return good;
}

static bool text_footer(struct table *table, struct sink *sink)
{
    if (!table->footer) return true;
    struct cell cells[COLUMNS_MOST];
    size_t width = 0;
    for (size_t i = 0; i < table->columns; i++)
        if (is_shown(table, i)) width += table->width[i] + 2;
    for (size_t i = 2; i < width; i++)
        sink_text(sink, "-", 1);
    sink_text(sink, "\n", 1);
    unpack(table, table->footer, cells);
    return text_row(table, sink, cells, "");
}

/* --- CSV and JSON ---------------------------------------------------------------------------- */

static void csv_text(struct sink *sink, const char *text)
{
    const bool quoted = text[strcspn(text, ",\"\r\n")] != 0;
    size_t length = strlen(text);
    if (quoted) sink_text(sink, "\"", 1);
    while (length > 0) {
        uint32_t character;
        const size_t size = screen_character(text, length, &character);
        if (character == '"') sink_text(sink, "\"", 1);
        if (character == 0xfffd)
            sink_text(sink, "\xef\xbf\xbd", 3);
        else
            sink_text(sink, text, size);
        text += size;
        length -= size;
    }
    if (quoted) sink_text(sink, "\"", 1);
}

static void json_text(struct sink *sink, const char *text)
{
    const size_t length = strlen(text);
    sink_fill(sink, hectic_render_json_string(text, length, sink_room(sink, 2 + 6 * length)));
}

/* A known cell that is no text. */
static void plain_number(struct sink *sink, enum cell_kind kind, const struct cell *cell)
{
    if (kind == CELL_FLAG)
        sink_print(sink, cell->number ? "true" : "false");
    else if (kind == CELL_SHARE)
        sink_print(sink, "%.6g", cell->share);
    else
        sink_fill(sink, hectic_render_u64(cell->number, sink_room(sink, 20)));
}

/* Separates columns; bars are for people. */
static const char *const no_separator = "";

static void csv_row(const struct table *table, struct sink *sink, const struct cell *cells)
{
    const char *separator = no_separator;
    for (size_t i = 0; i < table->columns; i++) {
        if (table->column[i].kind == CELL_BAR) continue;
        sink_text(sink, separator, strlen(separator));
        separator = ",";
        if (!cells[i].known) continue;
        if (table->column[i].kind == CELL_TEXT)
            csv_text(sink, cells[i].text);
        else
            plain_number(sink, table->column[i].kind, &cells[i]);
    }
    sink_text(sink, "\r\n", 2);
}

static void csv_heading(const struct table *table, struct sink *sink)
{
    const char *separator = no_separator;
    for (size_t i = 0; i < table->columns; i++) {
        if (table->column[i].kind == CELL_BAR) continue;
        sink_text(sink, separator, strlen(separator));
        separator = ",";
        csv_text(sink, table->column[i].name);
    }
    sink_text(sink, "\r\n", 2);
}

static void json_row(const struct table *table, struct sink *sink, const struct cell *cells)
{
    const char *separator = table->written > 0 ? ",\n{" : "\n{";
    for (size_t i = 0; i < table->columns; i++) {
        if (table->column[i].kind == CELL_BAR) continue;
        sink_text(sink, separator, strlen(separator));
        separator = ",";
        json_text(sink, table->column[i].name);
        sink_text(sink, ":", 1);
        if (!cells[i].known)
            sink_text(sink, "null", 4);
        else if (table->column[i].kind == CELL_TEXT)
            json_text(sink, cells[i].text);
        else
            plain_number(sink, table->column[i].kind, &cells[i]);
    }
    sink_text(sink, "}", 1);
}

/* --- The table ------------------------------------------------------------------------------- */

static bool is_text(const struct table *table)
{
    return !table->settings->json && !table->settings->csv;
}

static bool begin(struct table *table, struct sink *sink)
{
    if (table->begun) return true;
    table->begun = true;
    if (table->settings->csv) {
        csv_heading(table, sink);
    } else if (table->settings->json) {
        if (table->settings->is_member) json_text(sink, table->title);
        sink_print(sink, table->settings->is_member ? ":[" : "[");
    } else {
        hide_columns(table, sink_is_colored(sink));
        if (!choose_widths(table)) return false;
        text_heading(table, sink);
    }
    return true;
}

static bool write_row(struct table *table, struct sink *sink, const struct cell *cells)
{
    bool good = true;
    if (table->settings->csv)
        csv_row(table, sink, cells);
    else if (table->settings->json)
        json_row(table, sink, cells);
    else
        good = text_row(table, sink, cells, not_known);
    table->written++;
    return good;
}

/* Writes the heading and all rows that wait. */
static bool write_kept(struct table *table, struct sink *sink)
{
    struct cell cells[COLUMNS_MOST];
    bool good = begin(table, sink);
    for (size_t i = 0; i < table->rows && good && !sink_failed(sink); i++) {
        unpack(table, table->row[i].bytes, cells);
        good = write_row(table, sink, cells);
    }
    for (size_t i = 0; i < table->rows; i++)
        free(table->row[i].bytes);
    table->rows = 0;
    return good;
}

bool table_row(struct table *table, struct sink *sink, const struct cell *cells)
{
    bool good = true;
    const uint64_t top = table->settings->top;
    if (table->sort < table->columns)
        good = keep(table, cells);
    else if (top > 0 && table->added >= top)
        ;
    else if (is_text(table) && !table->begun)
        good = keep(table, cells) && (table->rows < WIDTH_ROWS || write_kept(table, sink));
    else
        good = begin(table, sink) && write_row(table, sink, cells);
    table->added++;
    return good;
}

bool table_footer(struct table *table, const struct cell *cells)
{
    size_t sorted;
    free(table->footer);
    table->footer = pack(table, cells, &sorted);
    return table->footer != NULL;
}

bool table_end(struct table *table, struct sink *sink)
{
    if (table->sort < table->columns) sort_rows(table);
    table->ended = true;
    if (!write_kept(table, sink)) return false;
    if (is_text(table)) return text_footer(table, sink);
    if (!table->settings->json) return true;
    if (table->written > 0) sink_text(sink, "\n", 1);
    sink_print(sink, table->settings->is_member ? "]" : "]\n");
    return true;
}
