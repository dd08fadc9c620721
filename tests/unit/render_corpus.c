/* Every log of the corpus, rendered. */
#include "golden.h"

static const char *corpus;

static void logs_are_shown_as_ghc_events_does(void **state)
{
    (void)state;
    assert_true(golden_check_directory(corpus) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(logs_are_shown_as_ghc_events_does)};
    const char *const named = getenv("HECTIC_CORPUS");
    corpus = named ? named : "../shared/corpus";
    if (access(corpus, R_OK) != 0) {
        printf("SKIPPED: needs the collection of logs (HECTIC_CORPUS)\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
