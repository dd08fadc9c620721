/* Renders the project's logs, and checks that they cover every row of the catalogue. */
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

static void every_row_of_the_catalogue_is_in_a_log(void **state)
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

static bool is_of_ghc(const struct found *events)
{
    static const char ghc[] = "GHC-9.0.2";
    for (size_t i = 0; i < events->count; i++) {
        const hectic_event *const event = &events->event[i];
        if (event->type == HECTIC_EVENT_RTS_IDENTIFIER && event->size > 4 + sizeof ghc)
            return memcmp(event->payload + 4, ghc, sizeof ghc - 1) == 0;
    }
    return false;
}

/* Every type that GHC declares and writes has a shape in the catalogue of exactly its size. */
static void the_catalogue_has_every_event_of_ghc(void **state)
{
    (void)state;
    glob_t logs;
    size_t of_ghc = 0;
    assert_int_equal(glob("tests/logs/*.eventlog", 0, NULL, &logs), 0);
    for (size_t l = 0; l < logs.gl_pathc; l++) {
        const char *const path = logs.gl_pathv[l];
        if (strstr(path, "every-event")) continue; /* its header says so */
        struct bytes log = bytes_of_file(path);
        struct found events = found_in(log.data, log.length);
        /* The decoder keeps only the last header. */
        const bool counts = events.headers == 1 && is_of_ghc(&events);
        of_ghc += counts;
        size_t types_count = 0;
        const hectic_event_type *const types =
            hectic_header_types(hectic_decoder_header(events.decoder), &types_count);
        for (size_t i = 0; counts && i < types_count; i++)
            if (!types[i].shape ||
                (!types[i].shape->variable && types[i].shape->size != types[i].size))
                fail_msg("%s: event %u of %u bytes", path, types[i].number, types[i].size);
        for (size_t i = 0; counts && i < events.count; i++) {
            const hectic_event *const event = &events.event[i];
            const hectic_shape *const shape = event->declared->shape;
            hectic_value value[HECTIC_MAX_FIELDS];
            size_t used;
            hectic_shape_walk(shape, event->payload, event->size, value, &used);
            if (used != event->size || hectic_shape_malformed(shape, event->payload, event->size))
                fail_msg("%s: %s of %u bytes", path, shape->name, event->size);
        }
        found_free(&events);
        bytes_free(&log);
    }
    globfree(&logs);
    assert_true(of_ghc > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_are_shown_as_ghc_events_does),
        cmocka_unit_test(every_row_of_the_catalogue_is_in_a_log),
        cmocka_unit_test(the_catalogue_has_every_event_of_ghc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
