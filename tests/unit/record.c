/* Recording: while files are synced, and where files begin. */
#include "made.h"

#include "recording/record.h"

#include <hectic/log.h>

#include <glob.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The size of the file when its last sync began. */
static off_t synced;

/* Replaces the system's function; a thread of the loop calls it. */
int fdatasync(int fd)
{
    struct stat status;
    fstat(fd, &status);
    __atomic_store_n(&synced, status.st_size, __ATOMIC_SEQ_CST);
    return 0;
}

static void write_message(record *r, struct made *m, const char *text)
{
    m->bytes.length = 0;
    made_block(m, 0);
    made_event(m, HECTIC_EVENT_USER_MSG,
               &(hectic_value){.bytes = (const uint8_t *)text, .length = (uint32_t)strlen(text)},
               1);
    record_write(r, m->bytes.data, m->bytes.length);
}

static void writes_during_a_sync_are_synced_too(void **state)
{
    (void)state;
    uv_loop_t loop;
    struct made m = {0};
    char directory[] = "/tmp/hectic-record-XXXXXX", pattern[64];
    const hectic_event_type types[] = {hectic_type_of(HECTIC_EVENT_BLOCK_MARKER),
                                       hectic_type_of(HECTIC_EVENT_USER_MSG)};
    const struct record_options options = {
        .directory = mkdtemp(directory), .file_bytes = UINT64_MAX, .file_ms = UINT64_MAX};
    assert_int_equal(uv_loop_init(&loop), 0);
    record *r = record_new(&loop, &options, "name");
    assert_non_null(r);
    made_header(&m, types, 2);
    record_write(r, m.bytes.data, m.bytes.length);
    write_message(r, &m, "before");
    record_tick(r);
    for (unsigned ms = 0; __atomic_load_n(&synced, __ATOMIC_SEQ_CST) == 0; ms++) {
        assert_true(ms < 60000);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    write_message(r, &m, "meanwhile");
    record_end(r, true);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);

    glob_t files;
    struct stat status;
    snprintf(pattern, sizeof pattern, "%s/name-*", directory);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    assert_int_equal(files.gl_pathc, 1);
    assert_int_equal(stat(files.gl_pathv[0], &status), 0);
    assert_int_equal(synced, status.st_size);
    unlink(files.gl_pathv[0]);
    globfree(&files);
    rmdir(directory);
    bytes_free(&m.bytes);
}

/* The messages of a file in order of time, and how many events were replayed. */
static void read_file(const char *path, char *text, size_t size, unsigned *replayed)
{
    hectic_error error;
    hectic_event event;
    hectic_result result;
    hectic_log *log = hectic_log_open(hectic_input_open(path, &error), NULL, &error);
    assert_non_null(log);
    *text = 0;
    *replayed = 0;
    while ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER) {
        const size_t length = strlen(text);
        if (result == HECTIC_HEADER) continue;
        *replayed += event.type == HECTIC_EVENT_SYNC;
        if (event.type == HECTIC_EVENT_USER_MSG || event.type == HECTIC_EVENT_LOG_MSG)
            snprintf(text + length, size - length, "%.*s; ", event.size,
                     (const char *)event.payload);
    }
    assert_int_not_equal(result, HECTIC_ERROR);
    hectic_log_free(log);
}

/* Only the last unit is longer than a file may be: a file begins inside it. */
static void files_begin_between_units(void **state)
{
    (void)state;
    static const struct {
        const char *messages;
        bool has_replay;
    } wanted[] = {{"", false}, /* its header is long enough */
                  {"one; two; ", false},
                  {"three; four; five; ", false},
                  {"hectic: 3 events were dropped here; six; ", true}};
    uv_loop_t loop;
    struct made m = {0};
    char directory[] = "/tmp/hectic-record-XXXXXX", pattern[64], text[256];
    const hectic_event_type types[] = {
        hectic_type_of(HECTIC_EVENT_BLOCK_MARKER), hectic_type_of(HECTIC_EVENT_CAP_CREATE),
        hectic_type_of(HECTIC_EVENT_USER_MSG), hectic_type_of(HECTIC_EVENT_LOG_MSG)};
    const struct record_options options = {
        .directory = mkdtemp(directory), .file_bytes = 100, .file_ms = UINT64_MAX};
    assert_int_equal(uv_loop_init(&loop), 0);
    record *r = record_new(&loop, &options, "name");
    made_header(&m, types, sizeof types / sizeof *types);
    record_write(r, m.bytes.data, m.bytes.length);
    m.time = 1;
    m.bytes.length = 0;
    made_block(&m, 0);
    made_numbers(&m, HECTIC_EVENT_CAP_CREATE, 0, 0, 0);
    record_write(r, m.bytes.data, m.bytes.length);
    write_message(r, &m, "one");
    write_message(r, &m, "two");
    record_end_unit(r, m.time++);
    write_message(r, &m, "three");
    write_message(r, &m, "four");
    write_message(r, &m, "five");
    m.time++;
    write_message(r, &m, "six");
    record_end_unit(r, m.time);
    record_end(r, true);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);

    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/name-*", directory);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    assert_int_equal(files.gl_pathc, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        unsigned replayed;
        read_file(files.gl_pathv[i], text, sizeof text, &replayed);
        assert_string_equal(text, wanted[i].messages);
        assert_int_equal(replayed > 0, wanted[i].has_replay);
        unlink(files.gl_pathv[i]);
    }
    globfree(&files);
    rmdir(directory);
    bytes_free(&m.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_during_a_sync_are_synced_too),
        cmocka_unit_test(files_begin_between_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
