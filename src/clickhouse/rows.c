/* rows.c — see rows.h. */
#include "clickhouse/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_text(struct buffer *out, const char *text)
{
    buffer_add(out, text, strlen(text));
}

/* --- What begins each row -------------------------------------------------------------------- */

/* The halves of a UUID, each with its lowest byte first. */
static void put_binary_id(struct buffer *out, const uint8_t id[16])
{
    for (size_t half = 0; half < 2; half++)
        for (size_t i = 8; i-- > 0;)
            buffer_add_byte(out, id[8 * half + i]);
}

void clickhouse_rows_begin(struct clickhouse_rows *rows, const struct clickhouse_log *log,
                           const struct clickhouse_table *table, bool is_text)
{
    *rows = (struct clickhouse_rows){.log = log, .table = table, .is_text = is_text};
    struct buffer *prefix = &rows->prefix;
    const size_t host = strlen(log->host);
    char number[32];
    if (is_text) {
        char id[CLICKHOUSE_ID_SIZE];
        clickhouse_id_text(log->id, id);
        clickhouse_quote(prefix, id, strlen(id));
        snprintf(number, sizeof number, ",toDate(%u),", log->day);
        add_text(prefix, number);
        clickhouse_quote(prefix, log->host, host);
        snprintf(number, sizeof number, ",%llu,", (unsigned long long)log->revision);
        add_text(prefix, number);
    } else {
        put_binary_id(prefix, log->id);
        buffer_add_byte(prefix, (uint8_t)log->day);
        buffer_add_byte(prefix, (uint8_t)(log->day >> 8));
        buffer_add_varint(prefix, host);
        buffer_add(prefix, log->host, host);
        buffer_add_u64s(prefix, &log->revision, 1);
    }
}

void clickhouse_rows_free(struct clickhouse_rows *rows)
{
    buffer_free(&rows->bytes);
    buffer_free(&rows->prefix);
}

/* --- Values ---------------------------------------------------------------------------------- */

static void put_number(struct clickhouse_rows *rows, uint64_t number)
{
    char text[24];
    if (rows->is_text)
        buffer_add(&rows->bytes, text,
                   (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)number));
    else
        buffer_add_u64s(&rows->bytes, &number, 1);
}

/* Begins a value, and before the first one the row. */
static void begin_value(struct clickhouse_rows *rows, size_t column, bool is_null)
{
    if (column == 0) {
        if (rows->is_text) add_text(&rows->bytes, rows->count > 0 ? ",(" : "(");
        buffer_add(&rows->bytes, rows->prefix.bytes, rows->prefix.size);
        put_number(rows, rows->next);
    }
    if (rows->is_text)
        buffer_add_byte(&rows->bytes, ',');
    else
        buffer_add_byte(&rows->bytes, is_null);
}

void clickhouse_add_null(struct clickhouse_rows *rows, size_t column)
{
    begin_value(rows, column, true);
    if (rows->is_text) add_text(&rows->bytes, "NULL");
}

void clickhouse_add_number(struct clickhouse_rows *rows, size_t column, uint64_t number)
{
    begin_value(rows, column, false);
    if (!rows->is_text && rows->table->column[column].type == CLICKHOUSE_FLAG)
        buffer_add_byte(&rows->bytes, (uint8_t)number);
    else
        put_number(rows, number);
}

void clickhouse_add_real(struct clickhouse_rows *rows, size_t column, double real)
{
    uint64_t bits;
    char text[40];
    if (!isfinite(real)) {
        clickhouse_add_null(rows, column);
        return;
    }
    begin_value(rows, column, false);
    memcpy(&bits, &real, sizeof bits);
    if (rows->is_text)
        buffer_add(&rows->bytes, text, (size_t)snprintf(text, sizeof text, "%.17g", real));
    else
        buffer_add_u64s(&rows->bytes, &bits, 1);
}

void clickhouse_add_bytes(struct clickhouse_rows *rows, size_t column, const void *bytes,
                          size_t size)
{
    begin_value(rows, column, false);
    if (rows->is_text) {
        clickhouse_quote(&rows->bytes, bytes, size);
    } else {
        buffer_add_varint(&rows->bytes, size);
        buffer_add(&rows->bytes, bytes, size);
    }
}

void clickhouse_end_row(struct clickhouse_rows *rows)
{
    if (rows->is_text) buffer_add_byte(&rows->bytes, ')');
    rows->count++;
    rows->next++;
}
