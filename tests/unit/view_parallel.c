/* A log that is read by several threads gives the same answers as one that is read by one, byte for
 * byte. Logs: tests/logs, and those named in $HECTIC_LOGS.
 *
 * The division of logs is compiled into this test, so that small ones are divided, too. */
#define WINDOW     (1 << 18)
#define WORTHWHILE 1
#include "view/engine/parallel.c"

#include "logs.h"

#include <glob.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3 };

static size_t divided; /* bytes */

static ptrdiff_t read_file(void *user, uint64_t position, void *buffer, size_t size)
{
    hectic_error error;
    return hectic_input_pread(user, position, buffer, size, &error);
}

struct task {
    void (*run)(void *argument, unsigned number);
    void *argument;
    unsigned number;
};

static void *run_task(void *given)
{
    const struct task *task = given;
    task->run(task->argument, task->number);
    return NULL;
}

static void run_tasks(void (*task)(void *argument, unsigned number), void *argument,
                      unsigned threads)
{
    struct task given[THREADS];
    pthread_t thread[THREADS];
    divided += ((const struct window *)argument)->bytes;
    for (unsigned i = 0; i < threads; i++) {
        given[i] = (struct task){task, argument, i};
        assert_int_equal(pthread_create(&thread[i], NULL, run_task, &given[i]), 0);
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static hectic_view *open_view(hectic_input *input, bool is_divided)
{
    const hectic_view_source source = {
        .user = input,
        .read = read_file,
        .run = is_divided ? run_tasks : NULL,
        .threads = THREADS,
    };
    hectic_view *view = hectic_view_new(&source);
    assert_non_null(view);
    while (hectic_view_read(view, 1 << 20) == HECTIC_VIEW_MORE)
        ;
    return view;
}

/* Until it is complete. */
static bool ask(hectic_view *view, const char *request, hectic_view_answer *answer)
{
    static const char part[] = "{\"complete\":false";
    bool done;
    do
        done = hectic_view_ask(view, request, answer);
    while (answer->length >= sizeof part && memcmp(answer->bytes, part, sizeof part - 1) == 0);
    return done;
}

static size_t compare(const char *path, hectic_view *one, hectic_view *several, const char *request)
{
    hectic_view_answer a, b;
    assert_true(ask(one, request, &a));
    ask(several, request, &b);
    if (a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0) return 0;
    size_t i = 0;
    while (i < a.length && i < b.length && a.bytes[i] == b.bytes[i])
        i++;
    const size_t from = i < 60 ? 0 : i - 60;
    printf("%s: %s: %zu and %zu bytes, from %zu on", path, request, a.length, b.length, i);
    if (strcmp(a.type, "application/json") == 0)
        printf(": %.*s, not %.*s", (int)(b.length - from < 120 ? b.length - from : 120),
               (const char *)b.bytes + from, (int)(a.length - from < 120 ? a.length - from : 120),
               (const char *)a.bytes + from);
    puts("");
    return 1;
}

static size_t check(const char *path)
{
    static const char *const form[] = {
        "columns?section=%u&from=%llu&to=%llu&width=700",
        "stat?section=%u&from=%llu&to=%llu",
        "labels?section=%u&from=%llu&to=%llu&width=300",
        "curves?section=%u&from=%llu&to=%llu&width=400",
        "gc?section=%u&from=%llu&to=%llu",
        "spans?section=%u&from=%llu&to=%llu",
        "span_rows?section=%u&from=%llu&to=%llu&width=100&by=thread",
        "message_rows?section=%u&from=%llu&to=%llu&width=100",
    };
    hectic_error error;
    hectic_input *input = hectic_input_open(path, &error);
    assert_true(hectic_input_make_random(input, &error));
    hectic_view *one = open_view(input, false), *several = open_view(input, true);
    size_t bad = compare(path, one, several, "overview");
    for (unsigned section = 1; section <= one->sections && section < 3; section++) {
        uint64_t first, last;
        hectic_timeline_extent(one->section[section - 1].timeline, &first, &last);
        char whole[40];
        snprintf(whole, sizeof whole, "stat?section=%u", section);
        bad += compare(path, one, several, whole);
        for (int i = 0; i < 40 && bad < 3 && last > first; i++) {
            uint64_t a = first + (uint64_t)rand() * 1000003 % (last - first + 1);
            uint64_t b = first + (uint64_t)rand() * 1000003 % (last - first + 1);
            if (i == 0) a = first;
            if (i == 0) b = last;
            for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
                char request[200];
                snprintf(request, sizeof request, form[k], section,
                         (unsigned long long)(a < b ? a : b), (unsigned long long)(a < b ? b : a));
                bad += compare(path, one, several, request);
            }
        }
    }
    hectic_view_free(one);
    hectic_view_free(several);
    hectic_input_free(input);
    return bad;
}

static void test_answers(void **state)
{
    (void)state;
    glob_t found;
    const char *more = getenv("HECTIC_LOGS");
    size_t bad = 0;
    glob("tests/logs/*.eventlog", 0, NULL, &found);
    if (more) glob(more, GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        bad += check(found.gl_pathv[i]) > 0;
    if (getenv("HECTIC_COLLECTIONS")) bad += check(getenv("HECTIC_COLLECTIONS")) > 0;
    printf("%zu of %zu logs differ; %zu bytes were divided\n", bad, found.gl_pathc, divided);
    globfree(&found);
    assert_int_equal(bad, 0);
    assert_int_not_equal(divided, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
