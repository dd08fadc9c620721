/* rows.c — see rows.h. */
#include "tool/output/rows.h"

#include "base/array.h"
#include "tool/cli/message.h"
#include "tool/output/cells.h"

#include <stdlib.h>
#include <string.h>

/* --- Packed ---------------------------------------------------------------------------------- */

void rows_unpack(const struct rows *rows, const unsigned char *bytes, struct cell *cells)
{
    for (size_t i = 0; i < rows->columns; i++)
        bytes += cell_unpack(rows->column[i].kind, bytes, &cells[i]);
}

unsigned char *rows_pack(const struct rows *rows, const struct cell *cells, size_t *sorted)
{
    size_t room = rows->columns * CELL_PACKED;
    for (size_t i = 0; i < rows->columns; i++)
        if (kind_is_text(rows->column[i].kind) && cells[i].known) room += strlen(cells[i].text);
    unsigned char *bytes = malloc(room);
    size_t size = 0;
    for (size_t i = 0; i < rows->columns && bytes; i++) {
        if (i == rows->sort) *sorted = size + 1;
        size += cell_pack(rows->column[i].kind, &cells[i], bytes + size);
    }
    unsigned char *fitting = bytes ? realloc(bytes, size) : NULL;
    if (!bytes) tool_message("out of memory");
    return fitting ? fitting : bytes;
}

/* --- Order ----------------------------------------------------------------------------------- */

static int compare_keys(const struct rows *rows, const struct row *a, const struct row *b)
{
    if (kind_is_text(rows->column[rows->sort].kind))
        return strcmp((const char *)a->bytes + a->key, (const char *)b->bytes + b->key);
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Negative if `a` comes first. Unknown values come last. */
static int compare_rows(const struct row *a, const struct row *b, const struct rows *rows)
{
    if (a->known != b->known) return a->known ? -1 : 1;
    int order = a->known ? compare_keys(rows, a, b) : 0;
    if (!rows->ascending) order = -order;
    return order ? order : a->order < b->order ? -1 : a->order > b->order;
}

static void swap(struct row *a, struct row *b)
{
    const struct row other = *a;
    *a = *b;
    *b = other;
}

/* Restores the heap of `count` rows below row `i`. */
static void sift(const struct rows *rows, struct row *row, size_t i, size_t count)
{
    for (;;) {
        size_t last = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (compare_rows(&row[child], &row[last], rows) > 0) last = child;
        if (last == i) return;
        swap(&row[i], &row[last]);
        i = last;
    }
}

/* Heap sort: rows kept for --limit are a heap already, and qsort takes no context. */
void rows_sort(struct rows *rows)
{
    for (size_t i = rows->count / 2; i-- > 0;)
        sift(rows, rows->row, i, rows->count);
    for (size_t count = rows->count; count-- > 1;) {
        swap(&rows->row[0], &rows->row[count]);
        sift(rows, rows->row, 0, count);
    }
}

/* --- Rows that are kept ---------------------------------------------------------------------- */

static bool append(struct rows *rows, struct row row)
{
    if (!array_reserve(rows->row, rows->capacity, rows->count + 1)) {
        tool_message("out of memory");
        return false;
    }
    rows->row[rows->count++] = row;
    return true;
}

static bool is_full(const struct rows *rows)
{
    return rows->limit > 0 && rows->count >= rows->limit;
}

/* Replaces the last row of a full heap. */
static void replace_last(struct rows *rows, struct row row)
{
    free(rows->row[0].bytes);
    rows->row[0] = row;
    sift(rows, rows->row, 0, rows->count);
}

bool rows_keep(struct rows *rows, const struct cell *cells)
{
    struct row row = {.order = rows->added, .known = true};
    const bool is_sorted = rows->sort < rows->columns;
    const bool by_text = is_sorted && kind_is_text(rows->column[rows->sort].kind);
    if (is_sorted) {
        row.known = cells[rows->sort].known;
        row.key = cell_key(rows->column[rows->sort].kind, &cells[rows->sort]);
        /* Most rows of a large log are beyond the limit: they are not even packed. */
        if (is_full(rows) && !by_text && compare_rows(&row, &rows->row[0], rows) > 0) return true;
    }
    size_t sorted = 0;
    row.bytes = rows_pack(rows, cells, &sorted);
    if (!row.bytes) return false;
    if (by_text) row.key = sorted;
    if (is_sorted && is_full(rows)) {
        if (compare_rows(&row, &rows->row[0], rows) < 0)
            replace_last(rows, row);
        else
            free(row.bytes);
        return true;
    }
    if (!append(rows, row)) {
        free(row.bytes);
        return false;
    }
    if (is_sorted && is_full(rows))
        for (size_t i = rows->count / 2; i-- > 0;)
            sift(rows, rows->row, i, rows->count);
    return true;
}

void rows_clear(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->row[i].bytes);
    rows->count = 0;
}

void rows_free(struct rows *rows)
{
    rows_clear(rows);
    free(rows->row);
}
