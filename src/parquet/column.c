/* column.c — see column.h. */
#include "parquet/column.h"

#include "parquet/encodings.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_ROWS = 20000, PAGE_BYTES = 1 << 20 };

/* How a type is in the metadata. */
static const struct type {
    int32_t physical, converted; /* -1: none */
    int logical;                 /* the member of LogicalType; 0: none */
    bool has_dictionary;
} types[] = {
    [PARQUET_NUMBER] = {2, 14, 10, true}, /* INT64, UINT_64, INTEGER */
    [PARQUET_REAL] = {5, -1, 0, false},   /* DOUBLE */
    [PARQUET_FLAG] = {0, -1, 0, false},   /* BOOLEAN */
    [PARQUET_TEXT] = {6, 0, 1, true},     /* BYTE_ARRAY, UTF8, STRING */
    [PARQUET_BLOB] = {6, -1, 0, true},    /* BYTE_ARRAY */
};

bool column_begin(struct column *column, const struct parquet_column *what, struct packer *packer)
{
    *column = (struct column){.name = what->name, .type = what->type, .packer = packer};
    column->value = malloc(PAGE_ROWS * sizeof *column->value);
    column->is_known = malloc(PAGE_ROWS);
    column_reset(column);
    return column->value && column->is_known;
}

void column_free(struct column *column)
{
    free(column->value);
    free(column->is_known);
    buffer_free(&column->text);
    buffer_free(&column->pages);
    dictionary_free(&column->dictionary);
}

/* --- Pages ----------------------------------------------------------------------------------- */

/* Which values are known: a bit each, after the size of all bits. */
static void put_known(struct column *column)
{
    struct buffer *raw = &column->packer->raw;
    const size_t begin = raw->size;
    buffer_add_u32(raw, 0);
    if (column->values == column->rows || column->values == 0)
        encode_run(raw, column->values > 0, column->rows, 1);
    else
        encode_bits(raw, column->is_known, column->rows);
    if (raw->failed) return;
    const size_t size = raw->size - begin - sizeof(uint32_t);
    for (size_t i = 0; i < sizeof(uint32_t); i++)
        raw->bytes[begin + i] = (uint8_t)(size >> 8 * i);
}

static enum parquet_encoding put_values(struct column *column)
{
    struct buffer *raw = &column->packer->raw;
    if (column->values == 0) return ENCODING_PLAIN;
    if (column->uses_dictionary) {
        const unsigned width = bits_of(column->dictionary.count - 1);
        buffer_add_byte(raw, (uint8_t)width);
        encode_runs(raw, column->value, column->values, width);
        return ENCODING_DICTIONARY;
    }
    switch (column->type) {
    case PARQUET_NUMBER: encode_deltas(raw, column->value, column->values); return ENCODING_DELTAS;
    case PARQUET_REAL: buffer_add_u64s(raw, column->value, column->values); break;
    case PARQUET_FLAG: encode_flags(raw, column->value, column->values); break;
    case PARQUET_TEXT:
    case PARQUET_BLOB: buffer_add(raw, column->text.bytes, column->text.size); break;
    }
    return ENCODING_PLAIN;
}

static void end_page(struct column *column)
{
    struct page page = {.rows = column->rows};
    if (column->rows == 0) return;
    put_known(column);
    page.encoding = put_values(column);
    column->encodings |= 1U << page.encoding;
    packer_page(column->packer, &page, &column->pages, &column->plain_size);
    column->packer->failed =
        column->packer->failed || column->text.failed || column->dictionary.values.failed;
    column->all_rows += column->rows;
    column->nulls += column->rows - column->values;
    column->rows = column->values = column->text.size = 0;
}

/* --- Rows ------------------------------------------------------------------------------------ */

static inline void add_row(struct column *column, bool is_known)
{
    column->is_known[column->rows++] = is_known;
    if (column->rows == PAGE_ROWS) end_page(column);
}

static inline void add_value(struct column *column, uint64_t value)
{
    column->value[column->values++] = value;
    add_row(column, true);
}

void column_add_null(struct column *column)
{
    add_row(column, false);
}

/* Adds the value by its place in the dictionary, or ends the use of that. */
static bool add_place(struct column *column, uint32_t place)
{
    if (place != DICTIONARY_FULL) return add_value(column, place), true;
    end_page(column);
    column->uses_dictionary = false;
    return false;
}

void column_add_number(struct column *column, uint64_t number)
{
    bool is_new = true;
    if (column->uses_dictionary) {
        const uint32_t place = dictionary_number(&column->dictionary, number, &is_new);
        if (is_new) bounds_number(&column->bounds, number);
        if (add_place(column, place)) return;
    }
    bounds_number(&column->bounds, number);
    add_value(column, number);
}

void column_add_real(struct column *column, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    bounds_real(&column->bounds, real);
    add_value(column, bits);
}

void column_add_bytes(struct column *column, const void *bytes, size_t size)
{
    bool is_new = true;
    if (column->uses_dictionary) {
        const uint32_t place = dictionary_text(&column->dictionary, bytes, size, &is_new);
        if (is_new) bounds_bytes(&column->bounds, bytes, size);
        if (add_place(column, place)) return;
    }
    bounds_bytes(&column->bounds, bytes, size);
    column->packer->failed = column->packer->failed || size > UINT32_MAX;
    buffer_add_u32(&column->text, (uint32_t)size);
    buffer_add(&column->text, bytes, size);
    column->values++;
    add_row(column, true);
    if (column->text.size >= PAGE_BYTES) end_page(column);
}

/* --- Groups of rows -------------------------------------------------------------------------- */

void column_end(struct column *column)
{
    end_page(column);
}

void column_put_dictionary(struct column *column, struct buffer *out)
{
    const struct dictionary *dictionary = &column->dictionary;
    const struct page page = {
        .is_dictionary = true, .rows = dictionary->count, .encoding = ENCODING_PLAIN};
    if (!(column->encodings & 1U << ENCODING_DICTIONARY)) return;
    buffer_add(&column->packer->raw, dictionary->values.bytes, dictionary->values.size);
    column->encodings |= 1U << ENCODING_PLAIN;
    packer_page(column->packer, &page, out, &column->plain_size);
}

void column_reset(struct column *column)
{
    dictionary_reset(&column->dictionary);
    column->uses_dictionary = types[column->type].has_dictionary;
    column->bounds = (struct bounds){0};
    column->encodings = 1U << ENCODING_RLE; /* which values are null */
    column->pages.size = column->plain_size = 0;
    column->all_rows = column->nulls = 0;
}

void column_describe(const struct column *column, uint64_t position, size_t dictionary,
                     struct thrift *thrift)
{
    thrift_element(thrift); /* ColumnChunk */
    thrift_i64(thrift, 2, 0);
    thrift_begin(thrift, 3); /* ColumnMetaData */
    thrift_i32(thrift, 1, types[column->type].physical);
    thrift_list(thrift, 2, THRIFT_I32, (size_t)__builtin_popcount(column->encodings));
    for (int32_t i = 0; i <= ENCODING_DICTIONARY; i++)
        if (column->encodings & 1U << i) thrift_i32_element(thrift, i);
    thrift_list(thrift, 3, THRIFT_BINARY, 1);
    thrift_text_element(thrift, column->name);
    thrift_i32(thrift, 4, packer_codec());
    thrift_i64(thrift, 5, column->all_rows);
    thrift_i64(thrift, 6, column->plain_size);
    thrift_i64(thrift, 7, dictionary + column->pages.size);
    thrift_i64(thrift, 9, position + dictionary);
    if (dictionary > 0) thrift_i64(thrift, 11, position);
    bounds_describe(&column->bounds, column->type, column->nulls, thrift, 12);
    thrift_end(thrift);
    thrift_end(thrift);
}

void column_declare(const struct column *column, struct thrift *thrift)
{
    enum { OPTIONAL = 1 };
    const struct type *type = &types[column->type];
    thrift_element(thrift); /* SchemaElement */
    thrift_i32(thrift, 1, type->physical);
    thrift_i32(thrift, 3, OPTIONAL);
    thrift_text(thrift, 4, column->name);
    if (type->converted >= 0) thrift_i32(thrift, 6, type->converted);
    if (type->logical > 0) {
        thrift_begin(thrift, 10); /* LogicalType */
        thrift_begin(thrift, type->logical);
        if (column->type == PARQUET_NUMBER) {
            thrift_byte(thrift, 1, 64);
            thrift_flag(thrift, 2, false); /* it has no sign */
        }
        thrift_end(thrift);
        thrift_end(thrift);
    }
    thrift_end(thrift);
}
