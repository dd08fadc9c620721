/* column.h — a column in a group of rows: the values of the current page, and the pages before it
 * as they will be in the file. */
#ifndef HECTIC_SRC_PARQUET_COLUMN_H
#define HECTIC_SRC_PARQUET_COLUMN_H

#include "parquet/bounds.h"
#include "parquet/dictionary.h"
#include "parquet/packer.h"
#include "parquet/parquet.h"
#include "parquet/thrift.h"

struct column {
    const char *name;
    enum parquet_type type;
    bool uses_dictionary;  /* the current page */
    struct packer *packer; /* shared by the columns of a file */

    /* The page. */
    uint64_t *value; /* numbers, the bits of reals, or places in the dictionary */
    size_t values;
    uint8_t *is_known; /* of each row */
    size_t rows;
    struct buffer text; /* texts and blobs, PLAIN, if they are not in the dictionary */

    /* The pages of the group. */
    struct buffer pages;
    uint64_t all_rows, nulls;
    size_t plain_size; /* of the pages, if they were not compressed */
    unsigned encodings;
    struct bounds bounds;
    struct dictionary dictionary;
};

/* False: out of memory. Free it in any case. */
bool column_begin(struct column *column, const struct parquet_column *what, struct packer *packer);
void column_free(struct column *column);

void column_add_null(struct column *column);
void column_add_number(struct column *column, uint64_t number);
void column_add_real(struct column *column, double real);
void column_add_bytes(struct column *column, const void *bytes, size_t size);

/* Ends the last page of a group. */
void column_end(struct column *column);

/* Appends the dictionary's page, which precedes the others, if there is one. */
void column_put_dictionary(struct column *column, struct buffer *out);

/* Writes the metadata of the group, whose first byte is at `position`; `dictionary`: the size of
 * that page. */
void column_describe(const struct column *column, uint64_t position, size_t dictionary,
                     struct thrift *thrift);

/* Begins the next group. */
void column_reset(struct column *column);

/* Writes the element of the schema. */
void column_declare(const struct column *column, struct thrift *thrift);

#endif
