/* The rows of live tables are those of the finished log, and the same is its id. */
#include "logs.h"

#include "read/decode/stream_section.h"
#include "results/identity.h"
#include "results/live/live_tables.h"
#include "results/live/row.h"
#include "results/process_choice.h"

#include <inttypes.h>

enum { TABLES_MAX = 32, SIZE_MAX_OF_LOG = 64 << 20 };
static const uint64_t long_lag = UINT64_C(1) << 62;

/* The rows of a table, as text. */
struct rows {
    const hectic_table *table;
    struct bytes text;
};

static bool take(void *user, const hectic_row *row)
{
    struct rows *rows = user;
    hectic_column column = {.size = sizeof column};
    for (size_t i = 0; hectic_table_column(rows->table, i, &column); i++) {
        char value[64] = "?";
        uint64_t number;
        double real;
        const char *text = hectic_row_text(row, i);
        if (hectic_row_number(row, i, &number)) snprintf(value, sizeof value, "%" PRIu64, number);
        if (hectic_row_real(row, i, &real)) snprintf(value, sizeof value, "%.17g", real);
        if (!text) text = value;
        bytes_write(&rows->text, text, strlen(text));
        bytes_write(&rows->text, "\t", 1);
    }
    bytes_write(&rows->text, "\n", 1);
    return true;
}

/* What a live reader gets from a stream. */
struct live {
    struct rows rows[TABLES_MAX];
    size_t count;
    live_tables *tables;
    struct log_identifier identifier;
};

static void begin(struct live *live)
{
    struct live_table table[TABLES_MAX];
    const hectic_table *next;
    *live = (struct live){0};
    for (size_t i = 0; (next = hectic_table_at(i)); i++)
        if (table_live_rows(next).maker) live->rows[live->count++].table = next;
    for (size_t i = 0; i < live->count; i++)
        table[i] = (struct live_table){live->rows[i].table, table_live_rows(live->rows[i].table),
                                       take, &live->rows[i]};
    live->tables = live_tables_new(table, live->count, NULL);
    assert_non_null(live->tables);
}

static void clear(struct live *live)
{
    for (size_t i = 0; i < live->count; i++)
        bytes_free(&live->rows[i].text);
    live_tables_free(live->tables);
}

/* Gives what is due. */
static void pull(struct live *live, hectic_stream *stream, uint64_t now)
{
    hectic_event event;
    hectic_result result;
    while ((result = hectic_stream_pull(stream, now, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_HEADER) live_tables_begin(live->tables, hectic_stream_header(stream));
        if (result != HECTIC_GOT_EVENT) continue;
        log_identifier_take(&live->identifier, &event);
        assert_true(live_tables_event(live->tables, &event));
    }
}

static void read_live(struct live *live, const struct bytes *log, uint64_t lag)
{
    const hectic_stream_options options = {.lag = lag, .memory = (size_t)4 << 30};
    hectic_stream *stream = hectic_stream_new(&options);
    uint64_t random = log->length, now = 1;
    assert_non_null(stream);
    begin(live);
    for (size_t at = 0, size; at < log->length; at += size, now++) {
        size = 1 + random_below(&random, 1 << 16);
        if (size > log->length - at) size = log->length - at;
        hectic_stream_push(stream, log->data + at, size, now);
        pull(live, stream, now);
    }
    hectic_section section;
    hectic_stream_push(stream, NULL, 0, now);
    pull(live, stream, now);
    hectic_stream_end(stream);
    assert_true(stream_section(stream, &section));
    live_tables_cut(live->tables, &section);
    pull(live, stream, now);
    assert_true(live_tables_end(live->tables));
    hectic_stream_free(stream);
}

/* This log has two PROGRAM_ARGS: `runs` has the first in the file, a live table that of the earlier
 * time. */
static bool is_other(const char *name, const hectic_table *table)
{
    return strstr(name, "every-event") && strcmp(table->name, "runs") == 0;
}

/* A log of one section. */
static void compare(const char *name, const struct bytes *bytes)
{
    hectic_error error;
    hectic_log *log = hectic_log_open(bytes_input(bytes->data, bytes->length), NULL, &error);
    if (!log) return;
    struct log_identity identity;
    struct live live;
    uint8_t id[16];
    read_live(&live, bytes, long_lag);
    assert_true(log_identify(log, &identity));
    log_identifier_get(&live.identifier, id);
    if (memcmp(identity.id, id, sizeof id) != 0) fail_msg("%s: the ids differ", name);
    for (size_t i = 0; i < live.count; i++) {
        struct rows *found = &live.rows[i], wanted = {.table = found->table};
        if (is_other(name, found->table)) continue;
        assert_true(hectic_table_read(log, wanted.table, NULL, take, &wanted, &error));
        if (found->text.length != wanted.text.length ||
            (found->text.length > 0 &&
             memcmp(found->text.data, wanted.text.data, wanted.text.length) != 0))
            fail_msg("%s: %s:\n%.2000s\nnot\n%.2000s", name, found->table->name,
                     found->text.data ? (const char *)found->text.data : "",
                     wanted.text.data ? (const char *)wanted.text.data : "");
        bytes_free(&wanted.text);
    }
    clear(&live);
    hectic_log_free(log);
}

/* Each section is a log of its own, as a relay passes it on. */
static void compare_sections(const char *name, const struct bytes *bytes)
{
    hectic_error error;
    hectic_processes *several;
    hectic_log *log = hectic_log_open(bytes_input(bytes->data, bytes->length), NULL, &error);
    if (!log) return;
    const hectic_survey *survey = hectic_log_survey(log);
    assert_true(log_several_processes(log, &several));
    for (size_t i = 0; i < survey->sections && !several; i++) {
        const uint64_t from = survey->section[i].position;
        const uint64_t to =
            i + 1 < survey->sections ? survey->section[i + 1].position : bytes->length;
        compare(name, &(struct bytes){.data = bytes->data + from, .length = (size_t)(to - from)});
    }
    hectic_processes_free(several);
    hectic_log_free(log);
}

static void compare_all(void **state)
{
    (void)state;
    for_each_log(SIZE_MAX_OF_LOG, compare_sections);
}

/* Logs that are cut off at any place: events after covered_to are left out, and caps are lacking.
 */
static void compare_cut(const char *name, const struct bytes *bytes)
{
    enum { PLACES = 20 };
    uint64_t random = bytes->length;
    for (size_t i = 0; i < PLACES; i++) {
        const struct bytes part = {.data = bytes->data,
                                   .length = (size_t)random_below(&random, bytes->length + 1)};
        compare_sections(name, &part);
    }
}

static void compare_all_cut(void **state)
{
    (void)state;
    for_each_log(4 << 20, compare_cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compare_all),
        cmocka_unit_test(compare_all_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
