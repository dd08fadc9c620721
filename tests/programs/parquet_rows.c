/* parquet_rows ROWS — a file of Parquet on standard output, with what is hard to encode. The values
 * follow from the number of the row; tests/oracle/export_parquet.mjs knows them, too. */
#include "parquet/parquet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_bytes(void *user, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

static const struct parquet_column columns[] = {
    {"ascending", PARQUET_NUMBER}, {"few", PARQUET_NUMBER},  {"any", PARQUET_NUMBER},
    {"later_any", PARQUET_NUMBER}, {"rare", PARQUET_NUMBER}, {"none", PARQUET_NUMBER},
    {"real", PARQUET_REAL},        {"flag", PARQUET_FLAG},   {"word", PARQUET_TEXT},
    {"text", PARQUET_TEXT},        {"later", PARQUET_TEXT},  {"blob", PARQUET_BLOB},
    {"run", PARQUET_NUMBER},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_text(parquet_writer *writer, size_t column, const char *format, uint64_t number)
{
    char text[128];
    const int size = snprintf(text, sizeof text, format, (unsigned long long)number);
    parquet_add_bytes(writer, column, text, (size_t)size);
}

static uint64_t any(uint64_t row)
{
    static const uint64_t extremes[] = {0, UINT64_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1};
    return row % 3 ? row * UINT64_C(0x9e3779b97f4a7c15) : extremes[row / 3 % 4];
}

static double real(uint64_t row)
{
    static const double extremes[] = {INFINITY, -INFINITY, 0.0, 5e-324};
    return row % 7 ? ((double)row - 1000) / 3 : extremes[row / 7 % 4];
}

static void put_row(parquet_writer *writer, uint64_t row)
{
    enum { LATER = 50000 };
    static const char bytes[300] = "\0\xff\x80 bytes";
    size_t column = 0;
    parquet_add_number(writer, column++, row * 1000 + row % 13);
    parquet_add_number(writer, column++, row % 3 * 1000);
    parquet_add_number(writer, column++, any(row));
    parquet_add_number(writer, column++, row < LATER ? row % 5 : any(row));
    if (row % 997 == 5)
        parquet_add_number(writer, column++, row);
    else
        parquet_add_null(writer, column++);
    parquet_add_null(writer, column++);
    parquet_add_real(writer, column++, real(row));
    parquet_add_number(writer, column++, row % 3 == 1);
    if (row % 4 == 3)
        parquet_add_null(writer, column++);
    else
        put_text(writer, column++, "word %llu \xe2\x82\xac", row % 100);
    put_text(writer, column++, row % 1000 ? "%llu" : "%0100llu", row);
    put_text(writer, column++, "text %llu", row < LATER ? row % 5 : row);
    parquet_add_bytes(writer, column++, bytes, row % sizeof bytes);
    parquet_add_number(writer, column++, row % 50 < 29 ? 7 : row % 50);
}

int main(int argc, char **argv)
{
    const struct parquet_output output = {write_bytes, stdout};
    const struct parquet_entry entry = {"key", "value"};
    const uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    parquet_writer *writer = parquet_writer_new(columns, COLUMNS, &output);
    bool done = writer;
    for (uint64_t row = 0; row < rows && done; row++) {
        put_row(writer, row);
        done = parquet_end_row(writer);
    }
    done = done && parquet_finish(writer, &entry, 1) && fflush(stdout) == 0;
    parquet_writer_free(writer);
    return !done;
}
