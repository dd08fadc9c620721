/* The rows of the tables of events, of arbitrary logs: all columns, of all events and of an
 * interval. (fuzz_table_read has the other tables.) */
#define _GNU_SOURCE
#include "memory_file.h"

#include "query/tables.h"

struct log_bytes {
    const uint8_t *data;
    size_t length;
};

static hectic_input *open_bytes(void *user, const char *path, hectic_error *error)
{
    const struct log_bytes *bytes = user;
    (void)path;
    (void)error;
    return memory_input(bytes->data, bytes->length);
}

static uint64_t read_rows(query_logs *logs, const struct query_table *table,
                          const struct query_scan *scan)
{
    hectic_error error = {0};
    uint64_t count = 0, bytes = 0;
    void *rows = table->kind->open(logs, 0, table, scan, &error);
    for (; rows && table->kind->next(rows, &error); count++)
        for (size_t i = 0; i < table->columns && query_wants(scan->columns, i); i++) {
            struct query_value value;
            table->kind->get(rows, i, &value);
            REQUIRE(value.type == QUERY_NULL || value.type == table->column[i].type);
            for (size_t j = 0; value.type >= QUERY_TEXT && j < value.size; j++)
                bytes += ((const uint8_t *)value.bytes)[j];
        }
    if (rows) table->kind->close(rows);
    return bytes < UINT64_MAX ? count : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static query_tables *tables;
    struct log_bytes bytes = {data, length};
    const struct query_logs_hooks hooks = {.open = open_bytes, .user = &bytes};
    size_t number;
    if (is_compressed(data, length)) return 0;
    if (!tables) tables = query_tables_new();
    query_logs *logs = query_logs_new(&hooks);
    REQUIRE(tables && logs && query_logs_add(logs, "log", &number));
    const struct query_scan all = {.columns = UINT64_MAX, .to = UINT64_MAX};
    const struct query_scan none = {.to = UINT64_MAX}, types = {.to = UINT64_MAX, .by_type = true};
    const struct query_scan part = {.columns = UINT64_MAX, .from = 1000, .to = 1000000};
    const struct query_scan thread = {
        .columns = UINT64_MAX, .to = UINT64_MAX, .has_thread = true, .thread = 1};
    const struct query_table *events = query_tables_find(tables, "events");
    const uint64_t count = read_rows(logs, events, &all);
    REQUIRE(read_rows(logs, events, &none) == count);
    REQUIRE(read_rows(logs, events, &types) == count);
    REQUIRE(read_rows(logs, events, &part) <= count);
    REQUIRE(read_rows(logs, events, &thread) <= count);
    for (size_t i = length > 0 ? data[length / 2] % 8 : 0; i < query_tables_count(tables); i += 8) {
        const struct query_table *table = query_tables_at(tables, i);
        if (table->shape) REQUIRE(read_rows(logs, table, &all) <= count);
    }
    query_logs_free(logs);
    return 0;
}
