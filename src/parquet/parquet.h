/* parquet.h — writes a file of Apache Parquet, row by row, in bounded memory: the rows go into
 * pages, whose compressed bytes are kept until a group of rows is complete.
 *
 * The format: https://parquet.apache.org/docs/file-format. What is used of it is old enough for all
 * its readers: pages of version 1, PLAIN, RLE_DICTIONARY, and DELTA_BINARY_PACKED for integers. */
#ifndef HECTIC_SRC_PARQUET_H
#define HECTIC_SRC_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum parquet_type {
    PARQUET_NUMBER, /* INT64, as UINT_64 */
    PARQUET_REAL,   /* DOUBLE */
    PARQUET_FLAG,   /* BOOLEAN */
    PARQUET_TEXT,   /* BYTE_ARRAY, as STRING: valid UTF-8 */
    PARQUET_BLOB,   /* BYTE_ARRAY */
};

/* A column, whose values may be null. The name is not copied. */
struct parquet_column {
    const char *name;
    enum parquet_type type;
};

/* An entry of the file's metadata. */
struct parquet_entry {
    const char *key, *value;
};

/* Takes the bytes of the file, in order. False: stop. */
struct parquet_output {
    bool (*write)(void *user, const void *bytes, size_t size);
    void *user;
};

typedef struct parquet_writer parquet_writer;

/* NULL: out of memory. */
parquet_writer *parquet_writer_new(const struct parquet_column *column, size_t columns,
                                   const struct parquet_output *output);
void parquet_writer_free(parquet_writer *writer);

/* The value of a column in the current row: exactly one for each column. Numbers are those of
 * numbers and flags, bytes those of texts and blobs. */
void parquet_add_null(parquet_writer *writer, size_t column);
void parquet_add_number(parquet_writer *writer, size_t column, uint64_t number);
void parquet_add_real(parquet_writer *writer, size_t column, double real);
void parquet_add_bytes(parquet_writer *writer, size_t column, const void *bytes, size_t size);

/* False: out of memory, or the output has stopped. */
bool parquet_end_row(parquet_writer *writer);

/* Writes the rest. False: as above. */
bool parquet_finish(parquet_writer *writer, const struct parquet_entry *entry, size_t entries);

#endif
