/* The tables of the public interface, of arbitrary logs: each column of each row is known or not,
 * and of one kind; shares are shares, texts end. */
#define _GNU_SOURCE
#include "memory_file.h"

static bool take(void *user, const hectic_row *row)
{
    hectic_column column = {.size = sizeof column};
    for (size_t i = 0; hectic_table_column(user, i, &column); i++) {
        uint64_t number = 0;
        double real = 0;
        const bool is_number = hectic_row_number(row, i, &number);
        const bool is_real = hectic_row_real(row, i, &real);
        const char *text = hectic_row_text(row, i);
        REQUIRE(is_number + is_real + (text != NULL) <= 1);
        REQUIRE(!is_number ||
                (column.kind >= HECTIC_COLUMN_ID && column.kind <= HECTIC_COLUMN_FLAG));
        REQUIRE(!is_number || column.kind != HECTIC_COLUMN_FLAG || number <= 1);
        REQUIRE(!text || (column.kind <= HECTIC_COLUMN_NAME && strlen(text) < 1 << 20));
    }
    return true;
}

static void read_tables(const uint8_t *data, size_t length, uint64_t from)
{
    hectic_error error;
    const hectic_log_options options = {.threads = 1};
    hectic_log *log = hectic_log_open(memory_input(data, length), &options, &error);
    if (!log) return;
    const hectic_section *section = hectic_log_survey(log)->section;
    const hectic_table_options part = {
        .size = sizeof part, .from = section->first_time / 2, .to = section->last_time / 2 + 1};
    const hectic_table *table;
    for (size_t i = 0; (table = hectic_table_at(i)) != NULL; i++)
        REQUIRE(hectic_table_read(log, table, from ? &part : NULL, take, (void *)table, &error) ||
                error.kind != HECTIC_OK);
    hectic_log_free(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (is_compressed(data, length)) return 0;
    read_tables(data, length, 0);
    read_tables(data, length, 1);
    return 0;
}
