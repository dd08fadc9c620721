/* cells.c — see cells.h. */
#include "tables/cells.h"

#include "render/text.h"

#include <string.h>

const char *repeated_text(const char *text, char room[REPEATED_ROOM])
{
    static const char more[] = "\xe2\x80\xa6"; /* "…" */
    const size_t length = text ? strnlen(text, REPEATED_MAX + 1) : 0;
    if (length <= REPEATED_MAX) return text;
    const size_t end = text_cut(text, length, REPEATED_MAX);
    memcpy(room, text, end);
    memcpy(room + end, more, sizeof more);
    return room;
}

/* --- Columns by name ------------------------------------------------------------------------- */

size_t column_bare_length(const char *name)
{
    static const char *const units[] = {"_ns", "_bytes", "_share"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t unit = strlen(units[i]);
        if (length > unit && strcmp(name + length - unit, units[i]) == 0) return length - unit;
    }
    return length;
}

size_t column_short_length(const struct table_column *columns, size_t number)
{
    const char *name = columns[number].name;
    const size_t length = column_bare_length(name);
    for (size_t i = 0; columns[i].name; i++)
        if (i != number && !column_is_text_only(&columns[i]) &&
            column_bare_length(columns[i].name) == length &&
            strncmp(columns[i].name, name, length) == 0)
            return strlen(name);
    return length;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* "Mean pause" matches mean_pause, mean-pause and "mean pause". Returns the bytes of the name that
 * the word matches; SIZE_MAX: the word has others. */
static size_t match_name(const char *name, const char *word)
{
    size_t i = 0;
    for (; word[i] != 0; i++) {
        const bool is_gap = strchr("-_ ", word[i]) != NULL;
        if (is_gap ? !name[i] || !strchr("-_ ", name[i]) : lower(name[i]) != lower(word[i]))
            return SIZE_MAX;
    }
    return i;
}

/* "pause_ns" matches pause_ns, pause-ns, pause, and the heading, which is `title`. */
static bool is_named(const struct table_column *column, const char *word, bool by_title)
{
    const size_t matched = match_name(by_title ? column->title : column->name, word);
    if (by_title) return matched == strlen(column->title);
    return matched == strlen(column->name) || matched == column_bare_length(column->name);
}

size_t column_find(const struct table_column *columns, const char *word)
{
    for (int by_title = 0; by_title < 2; by_title++)
        for (size_t i = 0; columns[i].name; i++)
            if (!column_is_text_only(&columns[i]) && is_named(&columns[i], word, by_title))
                return i;
    return SIZE_MAX;
}

/* --- As JSON --------------------------------------------------------------------------------- */

/* Texts may be JSON themselves: they are not in the exact form. */
static void put_any(struct json *json, const char *key, const struct cell *cell)
{
    const bool exact = json->exact;
    json->exact = false;
    if (cell->known && cell->number)
        json_literal(json, key, cell->text);
    else
        json_text(json, key, cell->known ? cell->text : NULL);
    json->exact = exact;
}

static void put_cell(struct json *json, const char *key, enum cell_kind kind,
                     const struct cell *cell)
{
    switch (kind) {
    case CELL_TEXT:
    case CELL_NAME: json_text(json, key, cell->known ? cell->text : NULL); break;
    case CELL_ANY: put_any(json, key, cell); break;
    case CELL_FLAG: json_flag(json, key, cell->known, cell->number); break;
    case CELL_SHARE:
    case CELL_GROWTH: json_rounded(json, key, cell->known, cell->share); break;
    case CELL_REAL: json_real(json, key, cell->known, cell->share); break;
    default: json_number(json, key, cell->known, cell->number); break;
    }
}

/* The number of cells of a record, with those of the records in it. */
static size_t cells_of(const struct table_column *columns)
{
    size_t count = 0;
    for (size_t i = 0; columns[i].name; i++)
        count += columns[i].kind == CELL_RECORD ? cells_of(columns[i].record) : 1;
    return count;
}

static void put_rows(struct json *json, const struct table_column *column, const struct cell *cell)
{
    if (!cell->known) {
        json_text(json, column->name, NULL);
        return;
    }
    json_open(json, column->name, '[');
    for (uint64_t i = 0; i < cell->number; i++) {
        struct cell cells[RECORD_CELLS_MAX] = {0};
        cell->rows->take(cell->rows->user, i, cells);
        if (column->record[1].name)
            cells_put_record(json, NULL, column->record, cells);
        else
            put_cell(json, NULL, column->record->kind, cells);
    }
    json_close(json, ']');
}

static bool is_any_known(const struct cell *cells, size_t count)
{
    size_t i = 0;
    while (i < count && !cells[i].known)
        i++;
    return i < count;
}

void cells_put_members(struct json *json, const struct table_column *columns,
                       const struct cell *cells, bool has_processes)
{
    for (const struct table_column *column = columns; column->name; column++) {
        const size_t count = column->kind == CELL_RECORD ? cells_of(column->record) : 1;
        if (column->kind == CELL_RECORD && column->show & OR_NULL && !is_any_known(cells, count))
            json_text(json, column->name, NULL);
        else if (column->kind == CELL_RECORD)
            cells_put_record(json, column->name, column->record, cells);
        else if (column->kind == CELL_ROWS)
            put_rows(json, column, cells);
        else if (!column_is_text_only(column) && (column->kind != CELL_PROCESS || has_processes))
            put_cell(json, column->name, column->kind, cells);
        cells += count;
    }
}

void cells_put_record(struct json *json, const char *key, const struct table_column *columns,
                      const struct cell *cells)
{
    json_open(json, key, '{');
    cells_put_members(json, columns, cells, false);
    json_close(json, '}');
}

void cells_put(struct json *json, const struct table_column *columns, const struct cell *cells,
               bool has_processes)
{
    json_open(json, NULL, '{');
    cells_put_members(json, columns, cells, has_processes);
    json_close(json, '}');
}
