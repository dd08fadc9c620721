/* The page of a damaged log has the same answers as that of the repaired one: the messages about
 * lost bytes are where the bytes are, whichever way the log is read. */
#include "logs.h"
#include "pages.h"

enum { SIZE_MAX_TRIED = 1 << 20, TRIALS = 3, SECOND = 1000000000 };

static size_t tried, bad, lost;

static hectic_view *open_bytes(const struct bytes *log, hectic_input **input)
{
    hectic_error error;
    *input = bytes_input(log->data, log->length);
    assert_true(hectic_input_make_random(*input, &error));
    return page_open(&(hectic_view_source){.user = *input, .read = page_read});
}

/* Are its times those of the log, and can it have messages? Damage makes other times from other
 * bytes. */
static bool is_like(const hectic_view *view, const struct found *log)
{
    uint64_t earliest = UINT64_MAX, latest = 0, first, last;
    for (size_t i = 0; i < log->count; i++) {
        if (log->event[i].time < earliest) earliest = log->event[i].time;
        if (log->event[i].time > latest) latest = log->event[i].time;
    }
    if (view->sections == 0) return false;
    if (!hectic_header_type(view->section[0].header, HECTIC_EVENT_LOG_MSG)) return false;
    const hectic_timeline *timeline = view->section[0].timeline;
    hectic_timeline_extent(timeline, &first, &last);
    return first >= earliest && last <= latest + SECOND && timeline->stat->time_steps_back == 0;
}

static void try_damage(const char *path, const struct bytes *log)
{
    static uint64_t state = 1;
    struct found sound = found_in(log->data, log->length);
    const size_t begin = sound.count > 0 ? (size_t)sound.event[0].position : log->length;
    for (int i = 0; i < TRIALS && begin < log->length; i++) {
        struct bytes damaged = {0}, repaired = {0};
        hectic_salvaged salvaged;
        hectic_error error;
        hectic_input *input, *other;
        bytes_write(&damaged, log->data, log->length);
        for (size_t places = 1 + random_below(&state, 3); places > 0; places--) {
            const size_t at = begin + random_below(&state, log->length - begin);
            const size_t most = 1 + random_below(&state, log->length / 4);
            memset(damaged.data + at, i % 2 ? 0xee : 0,
                   most < log->length - at ? most : log->length - at);
        }
        input = bytes_input(damaged.data, damaged.length);
        assert_true(hectic_salvage(input, bytes_write, &repaired, NULL, NULL, &salvaged, &error));
        hectic_input_free(input);
        hectic_view *one = open_bytes(&damaged, &input), *two = open_bytes(&repaired, &other);
        if (is_like(one, &sound)) {
            bad += pages_compare(path, one, two);
            lost += salvaged.bytes_lost > 0;
            tried++;
        }
        hectic_view_free(one);
        hectic_view_free(two);
        hectic_input_free(input);
        hectic_input_free(other);
        bytes_free(&damaged);
        bytes_free(&repaired);
    }
    found_free(&sound);
}

static void test_lost(void **state)
{
    (void)state;
    for_each_log(SIZE_MAX_TRIED, try_damage);
    printf("%zu damaged logs, %zu with lost bytes; %zu answers differ\n", tried, lost, bad);
    assert_true(lost > 20);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
