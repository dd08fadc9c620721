/* A log that is read by several threads gives the same answers as one that is read by one, byte for
 * byte. Logs: tests/logs, and those named in $HECTIC_LOGS.
 *
 * The division of logs is compiled into this test, so that small ones are divided, too. */
#define WINDOW     (1 << 18)
#define WORTHWHILE 1
#include "view/engine/parallel.c"

#include "logs.h"
#include "pages.h"

#include <glob.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3 };

static size_t divided; /* bytes */

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

static size_t check(const char *path)
{
    hectic_error error;
    hectic_input *input = hectic_input_open(path, &error);
    assert_true(hectic_input_make_random(input, &error));
    hectic_view_source source = {.user = input, .read = page_read};
    hectic_view *one = page_open(&source);
    source.run = run_tasks;
    source.threads = THREADS;
    hectic_view *several = page_open(&source);
    const size_t bad =
        page_compare(path, one, several, "overview") + pages_compare(path, one, several);
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
