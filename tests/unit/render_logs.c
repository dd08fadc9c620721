/* Our own logs, rendered, and that every row of the catalogue is in one of them. */
#include "golden.h"

static void logs_are_shown_as_ghc_events_does(void **state)
{
    (void)state;
    assert_true(golden_check_directory("tests/logs") > 0);
}

static void mark_shapes(const char *path, bool *seen)
{
    size_t count;
    const hectic_shape *const shapes = hectic_catalogue(&count);
    struct bytes log = bytes_of_file(path);
    struct found events = found_in(log.data, log.length);
    for (size_t i = 0; i < events.count; i++) {
        const hectic_shape *const shape = events.event[i].declared->shape;
        if (shape) seen[shape - shapes] = true;
    }
    found_free(&events);
    bytes_free(&log);
}

static void every_row_of_the_catalogue_is_among_them(void **state)
{
    bool seen[1000] = {false};
    size_t count;
    (void)state;
    const hectic_shape *const shapes = hectic_catalogue(&count);
    assert_true(count <= sizeof seen);
    mark_shapes("tests/logs/every-event.eventlog", seen);
    mark_shapes("tests/logs/older-shapes.eventlog", seen);
    for (size_t i = 0; i < count; i++)
        if (!seen[i])
            fail_msg("%s of %u bytes is not in tests/logs: add it to tests/programs/every-event",
                     shapes[i].name, shapes[i].size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_are_shown_as_ghc_events_does),
        cmocka_unit_test(every_row_of_the_catalogue_is_among_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
