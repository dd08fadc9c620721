/* While a log is read, its pictures show nothing that is not there once all of it was read: a cap
 * whose next block was not read yet does not run on. */
#include "hectic/input.h"
#include "view/engine/engine.h"

#include "logs.h"

#include <stdio.h>

enum { WIDTH = 50, BYTES = 1 << 11, MOST = 1 << 20 };

static ptrdiff_t read_file(void *user, uint64_t position, void *buffer, size_t size)
{
    hectic_error error;
    return hectic_input_pread(user, position, buffer, size < BYTES ? size : BYTES, &error);
}

/* The shares of running, cap by cap; returns their number. */
static size_t shares_of(hectic_view *view, uint64_t from, uint64_t to, uint8_t *share)
{
    char request[100];
    hectic_view_answer answer;
    snprintf(request, sizeof request, "columns?from=%llu&to=%llu&width=%d",
             (unsigned long long)from, (unsigned long long)to, WIDTH);
    assert_true(hectic_view_ask(view, request, &answer));
    const size_t columns = (answer.length - 16) / HECTIC_TIMELINE_TIMES;
    assert_true(columns <= MOST);
    for (size_t i = 0; i < columns; i++)
        share[i] = answer.bytes[16 + i * HECTIC_TIMELINE_TIMES];
    return columns;
}

static void test_reading(void **state)
{
    (void)state;
    static const char *const logs[] = {"demo", "threads", "sparks", "spans"};
    static uint8_t share[MOST], known[MOST];
    size_t compared = 0, bad = 0;
    for (size_t k = 0; k < sizeof logs / sizeof *logs; k++) {
        hectic_error error;
        char path[100];
        uint64_t first, last, size, done;
        snprintf(path, sizeof path, "tests/logs/%s.eventlog", logs[k]);
        hectic_input *input = hectic_input_open(path, &error);
        assert_true(hectic_input_make_random(input, &error));
        hectic_input_progress(input, &done, &size);
        const hectic_view_source source = {.user = input, .size = size, .read = read_file};
        hectic_view *all = hectic_view_new(&source), *view = hectic_view_new(&source);
        while (hectic_view_read(all, 1 << 20) == HECTIC_VIEW_MORE)
            ;
        hectic_timeline_extent(all->section[0].timeline, &first, &last);
        /* Columns of whole slots. */
        const unsigned shift = all->section[0].timeline->spans.shift;
        const uint64_t column = ((last >> shift) / WIDTH + 1) << shift;
        const size_t columns = shares_of(all, 0, column * WIDTH, share);
        while (hectic_view_read(view, BYTES) == HECTIC_VIEW_MORE) {
            if (view->sections == 0) continue;
            const size_t caps = hectic_timeline_caps(view->section[0].timeline);
            shares_of(view, 0, column * WIDTH, known);
            for (size_t i = 0; i < caps * WIDTH && caps * WIDTH <= columns; i++, compared++)
                if (known[i] > share[i]) {
                    printf("%s: position %llu: cap %zu column %zu: %u %u\n", path,
                           (unsigned long long)view->position, i / WIDTH, i % WIDTH, known[i],
                           share[i]);
                    bad++;
                }
        }
        hectic_view_free(all);
        hectic_view_free(view);
        hectic_input_free(input);
    }
    assert_true(compared > 1000);
    assert_int_equal(bad, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_reading)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
