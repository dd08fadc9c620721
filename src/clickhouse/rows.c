/* rows.c — see rows.h. Native: https://clickhouse.com/docs/en/interfaces/formats#native */
#include "clickhouse/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clickhouse_rows_begin(struct clickhouse_rows *rows, const struct clickhouse_log *log,
                           const struct clickhouse_table *table, bool is_text)
{
    *rows = (struct clickhouse_rows){.log = log, .table = table, .is_text = is_text};
    if (is_text) return;
    rows->column = calloc(table->columns + 1, sizeof *rows->column);
    rows->failed = !rows->column;
}

void clickhouse_rows_free(struct clickhouse_rows *rows)
{
    for (size_t i = 0; rows->column && i < rows->table->columns; i++) {
        buffer_free(&rows->column[i].nulls);
        buffer_free(&rows->column[i].values);
    }
    free(rows->column);
    buffer_free(&rows->text);
}

/* --- VALUES ---------------------------------------------------------------------------------- */

static void print(struct buffer *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void print(struct buffer *out, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    buffer_add(out, text, (size_t)vsnprintf(text, sizeof text, format, arguments));
    va_end(arguments);
}

static void print_common(struct clickhouse_rows *rows)
{
    const struct clickhouse_log *log = rows->log;
    char id[CLICKHOUSE_ID_SIZE];
    clickhouse_id_text(log->id, id);
    print(&rows->text, "%s('%s',toDate(%u),", rows->count > 0 ? "," : "", id, log->day);
    clickhouse_quote(&rows->text, log->host, strlen(log->host));
    print(&rows->text, ",%" PRIu64 ",%" PRIu64, log->revision, rows->next);
}

/* Begins a value, and before the first one the row. */
static void begin_value(struct clickhouse_rows *rows, size_t column)
{
    if (column == 0) print_common(rows);
    buffer_add_byte(&rows->text, ',');
}

/* --- Values ---------------------------------------------------------------------------------- */

/* Where the value goes, unless it is text; NULL: out of memory. */
static struct buffer *add_value(struct clickhouse_rows *rows, size_t column, bool is_null)
{
    if (rows->failed) return NULL;
    buffer_add_byte(&rows->column[column].nulls, is_null);
    return &rows->column[column].values;
}

void clickhouse_add_null(struct clickhouse_rows *rows, size_t column)
{
    static const uint64_t zero;
    if (rows->is_text) {
        begin_value(rows, column);
        print(&rows->text, "NULL");
        return;
    }
    struct buffer *values = add_value(rows, column, true);
    const enum clickhouse_type type = rows->table->column[column].type;
    if (values)
        buffer_add(values, &zero,
                   type == CLICKHOUSE_FLAG || type == CLICKHOUSE_BYTES ? 1 : sizeof zero);
}

void clickhouse_add_number(struct clickhouse_rows *rows, size_t column, uint64_t number)
{
    if (rows->is_text) {
        begin_value(rows, column);
        print(&rows->text, "%" PRIu64, number);
        return;
    }
    struct buffer *values = add_value(rows, column, false);
    if (values && rows->table->column[column].type == CLICKHOUSE_FLAG)
        buffer_add_byte(values, (uint8_t)number);
    else if (values)
        buffer_add_u64s(values, &number, 1);
}

void clickhouse_add_real(struct clickhouse_rows *rows, size_t column, double real)
{
    if (!isfinite(real)) {
        clickhouse_add_null(rows, column);
    } else if (rows->is_text) {
        begin_value(rows, column);
        print(&rows->text, "%.17g", real);
    } else {
        uint64_t bits;
        struct buffer *values = add_value(rows, column, false);
        memcpy(&bits, &real, sizeof bits);
        if (values) buffer_add_u64s(values, &bits, 1);
    }
}

void clickhouse_add_bytes(struct clickhouse_rows *rows, size_t column, const void *bytes,
                          size_t size)
{
    if (rows->is_text) {
        begin_value(rows, column);
        clickhouse_quote(&rows->text, bytes, size);
        return;
    }
    struct buffer *values = add_value(rows, column, false);
    if (!values) return;
    buffer_add_varint(values, size);
    buffer_add(values, bytes, size);
    rows->size += size;
}

void clickhouse_end_row(struct clickhouse_rows *rows)
{
    if (rows->is_text) {
        buffer_add_byte(&rows->text, ')');
        rows->size = rows->text.size;
        rows->failed = rows->text.failed;
    }
    for (size_t i = 0; rows->column && i < rows->table->columns; i++)
        rows->failed =
            rows->failed || rows->column[i].nulls.failed || rows->column[i].values.failed;
    if (!rows->is_text) rows->size += rows->table->columns * sizeof(uint64_t);
    rows->count++;
    rows->next++;
}

/* --- Blocks ---------------------------------------------------------------------------------- */

static void add_text(struct buffer *out, const char *text)
{
    buffer_add_varint(out, strlen(text));
    buffer_add(out, text, strlen(text));
}

/* The halves of a UUID, each with its lowest byte first. */
static void add_id(struct buffer *out, const uint8_t id[16])
{
    for (size_t half = 0; half < 2; half++)
        for (size_t i = 8; i-- > 0;)
            buffer_add_byte(out, id[8 * half + i]);
}

static void add_common(struct buffer *out, const struct clickhouse_rows *rows, size_t column)
{
    const struct clickhouse_log *log = rows->log;
    const uint64_t first = rows->next - rows->count;
    for (uint64_t i = 0; i < rows->count; i++) {
        const uint64_t sequence = first + i;
        switch (column) {
        case CLICKHOUSE_LOG: add_id(out, log->id); break;
        case CLICKHOUSE_DAY:
            buffer_add_byte(out, (uint8_t)log->day);
            buffer_add_byte(out, (uint8_t)(log->day >> 8));
            break;
        case CLICKHOUSE_HOST: add_text(out, log->host); break;
        case CLICKHOUSE_REVISION: buffer_add_u64s(out, &log->revision, 1); break;
        case CLICKHOUSE_SEQUENCE: buffer_add_u64s(out, &sequence, 1); break;
        }
    }
}

static void make_block(struct clickhouse_rows *rows, struct buffer *out)
{
    const struct clickhouse_table *table = rows->table;
    buffer_add_varint(out, CLICKHOUSE_COMMON + table->columns);
    buffer_add_varint(out, rows->count);
    for (size_t i = 0; i < CLICKHOUSE_COMMON; i++) {
        add_text(out, clickhouse_common[i].name);
        add_text(out, clickhouse_common[i].type);
        add_common(out, rows, i);
    }
    for (size_t i = 0; i < table->columns; i++) {
        struct clickhouse_values *column = &rows->column[i];
        add_text(out, table->column[i].name);
        add_text(out, clickhouse_type_name(table->column[i].type));
        buffer_add(out, column->nulls.bytes, column->nulls.size);
        buffer_add(out, column->values.bytes, column->values.size);
        column->nulls.size = column->values.size = 0;
    }
}

bool clickhouse_rows_take(struct clickhouse_rows *rows, struct buffer *out)
{
    if (rows->failed) return false;
    if (rows->is_text) {
        const struct buffer empty = *out;
        *out = rows->text;
        rows->text = empty;
    } else {
        make_block(rows, out);
        rows->failed = out->failed;
    }
    rows->count = rows->size = rows->text.size = 0;
    return !rows->failed;
}
