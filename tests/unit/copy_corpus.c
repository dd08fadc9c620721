/* A copy of every log of the corpus is identical. */
#include "bytes.h"

#include <glob.h>

static glob_t logs;

static void the_corpus_stays_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < logs.gl_pathc; i++) {
        struct bytes log = bytes_of_file(logs.gl_pathv[i]);
        hectic_input *input = bytes_input(log.data, log.length);
        struct bytes out = {0};
        hectic_error error;
        print_message("%s\n", logs.gl_pathv[i]);
        /* One is empty: not a log, nothing to copy. */
        assert_int_equal(hectic_copy(input, NULL, NULL, bytes_write, &out, &error), log.length > 0);
        bytes_assert_equal(&out, &log);
        hectic_input_free(input);
        bytes_free(&out);
        bytes_free(&log);
    }
}

int main(void)
{
    const char *corpus = getenv("HECTIC_CORPUS");
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/*.eventlog", corpus ? corpus : "../shared/corpus");
    if (glob(pattern, 0, NULL, &logs) != 0) {
        printf("SKIPPED: needs the collection of logs (HECTIC_CORPUS)\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_stays_the_same)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    globfree(&logs);
    return failed;
}
