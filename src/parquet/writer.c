/* writer.c — see parquet.h. */
#include "parquet/column.h"

#include <hectic/version.h>

#include <stdlib.h>
#include <string.h>

enum { GROUP_ROWS = 1 << 20, GROUP_BYTES = 16 << 20, MAGIC = 4 };
static const char magic[] = "PAR1";

struct parquet_writer {
    struct parquet_output output;
    bool failed;
    uint64_t position; /* of the next byte of the file */
    struct packer packer;
    struct column *column;
    size_t columns;
    size_t group_rows; /* of the current group */
    uint64_t rows;
    struct buffer groups; /* the metadata of those that are written */
    size_t group_count;
};

static void write_bytes(parquet_writer *writer, const void *bytes, size_t size)
{
    writer->failed = writer->failed || !writer->output.write(writer->output.user, bytes, size);
    writer->position += size;
}

parquet_writer *parquet_writer_new(const struct parquet_column *column, size_t columns,
                                   const struct parquet_output *output)
{
    parquet_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->output = *output;
    writer->column = calloc(columns + 1, sizeof *writer->column);
    if (!packer_begin(&writer->packer) || !writer->column) return parquet_writer_free(writer), NULL;
    for (; writer->columns < columns; writer->columns++)
        if (!column_begin(&writer->column[writer->columns], &column[writer->columns],
                          &writer->packer)) {
            column_free(&writer->column[writer->columns]);
            return parquet_writer_free(writer), NULL;
        }
    write_bytes(writer, magic, MAGIC);
    return writer;
}

void parquet_writer_free(parquet_writer *writer)
{
    if (!writer) return;
    for (size_t i = 0; i < writer->columns; i++)
        column_free(&writer->column[i]);
    packer_free(&writer->packer);
    buffer_free(&writer->groups);
    free(writer->column);
    free(writer);
}

/* --- Rows ------------------------------------------------------------------------------------ */

void parquet_add_null(parquet_writer *writer, size_t column)
{
    column_add_null(&writer->column[column]);
}

void parquet_add_number(parquet_writer *writer, size_t column, uint64_t number)
{
    column_add_number(&writer->column[column], number);
}

void parquet_add_real(parquet_writer *writer, size_t column, double real)
{
    column_add_real(&writer->column[column], real);
}

void parquet_add_bytes(parquet_writer *writer, size_t column, const void *bytes, size_t size)
{
    column_add_bytes(&writer->column[column], bytes, size);
}

/* Writes the pages of a column, and their metadata. */
static void write_column(parquet_writer *writer, struct column *column, struct thrift *thrift)
{
    const uint64_t position = writer->position;
    struct buffer dictionary = {0};
    column_put_dictionary(column, &dictionary);
    writer->failed = writer->failed || writer->packer.failed;
    if (dictionary.size > 0) write_bytes(writer, dictionary.bytes, dictionary.size);
    write_bytes(writer, column->pages.bytes, column->pages.size);
    column_describe(column, position, dictionary.size, thrift);
    buffer_free(&dictionary);
}

static bool end_group(parquet_writer *writer)
{
    struct thrift thrift = {.out = &writer->groups};
    const uint64_t position = writer->position;
    uint64_t plain_size = 0;
    if (writer->group_rows == 0) return !writer->failed;
    for (size_t i = 0; i < writer->columns; i++)
        column_end(&writer->column[i]);
    thrift_list(&thrift, 1, THRIFT_STRUCT, writer->columns); /* RowGroup */
    for (size_t i = 0; i < writer->columns; i++) {
        write_column(writer, &writer->column[i], &thrift);
        plain_size += writer->column[i].plain_size;
        column_reset(&writer->column[i]);
    }
    thrift_i64(&thrift, 2, plain_size);
    thrift_i64(&thrift, 3, writer->group_rows);
    thrift_i64(&thrift, 5, position);
    thrift_i64(&thrift, 6, writer->position - position);
    thrift_end(&thrift);
    writer->failed = writer->failed || writer->packer.failed || writer->groups.failed;
    writer->rows += writer->group_rows;
    writer->group_rows = writer->packer.size = 0;
    writer->group_count++;
    return !writer->failed;
}

bool parquet_end_row(parquet_writer *writer)
{
    writer->group_rows++;
    if (writer->group_rows == GROUP_ROWS || writer->packer.size >= GROUP_BYTES)
        return end_group(writer);
    return !writer->packer.failed;
}

/* --- The end of the file --------------------------------------------------------------------- */

static void put_schema(const parquet_writer *writer, struct thrift *thrift)
{
    thrift_list(thrift, 2, THRIFT_STRUCT, writer->columns + 1);
    thrift_element(thrift);
    thrift_text(thrift, 4, "schema");
    thrift_i32(thrift, 5, (int32_t)writer->columns);
    thrift_end(thrift);
    for (size_t i = 0; i < writer->columns; i++)
        column_declare(&writer->column[i], thrift);
}

static void put_entries(struct thrift *thrift, const struct parquet_entry *entry, size_t entries)
{
    thrift_list(thrift, 5, THRIFT_STRUCT, entries);
    for (size_t i = 0; i < entries; i++) {
        thrift_element(thrift);
        thrift_text(thrift, 1, entry[i].key);
        thrift_text(thrift, 2, entry[i].value);
        thrift_end(thrift);
    }
}

/* Bounds are in the order of each type. */
static void put_orders(const parquet_writer *writer, struct thrift *thrift)
{
    thrift_list(thrift, 7, THRIFT_STRUCT, writer->columns);
    for (size_t i = 0; i < writer->columns; i++) {
        thrift_element(thrift);
        thrift_begin(thrift, 1);
        thrift_end(thrift);
        thrift_end(thrift);
    }
}

bool parquet_finish(parquet_writer *writer, const struct parquet_entry *entry, size_t entries)
{
    struct buffer footer = {0};
    struct thrift thrift = {.out = &footer}; /* FileMetaData */
    if (!end_group(writer)) return false;
    thrift_i32(&thrift, 1, 2); /* the version of the format */
    put_schema(writer, &thrift);
    thrift_i64(&thrift, 3, writer->rows);
    thrift_list(&thrift, 4, THRIFT_STRUCT, writer->group_count);
    buffer_add(&footer, writer->groups.bytes, writer->groups.size);
    put_entries(&thrift, entry, entries);
    thrift_text(&thrift, 6, "hectic version " HECTIC_VERSION);
    put_orders(writer, &thrift);
    thrift_end(&thrift);
    buffer_add_u32(&footer, (uint32_t)footer.size);
    buffer_add(&footer, magic, MAGIC);
    writer->failed = writer->failed || footer.failed;
    if (!writer->failed) write_bytes(writer, footer.bytes, footer.size);
    buffer_free(&footer);
    return !writer->failed;
}
