/* The logs for tests: the project's own and, if present, the corpus. */
#ifndef HECTIC_TEST_LOGS_H
#define HECTIC_TEST_LOGS_H

#include "bytes.h"

#include <glob.h>

/* Calls `test` for each log of up to `size_max` bytes. */
static inline void for_each_log(size_t size_max, void (*test)(const char *, const struct bytes *))
{
    const char *corpus = getenv("HECTIC_CORPUS");
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/*.eventlog", corpus ? corpus : "../shared/corpus");
    glob_t logs;
    assert_int_equal(glob("tests/logs/*.eventlog", 0, NULL, &logs), 0);
    if (glob(pattern, GLOB_APPEND, NULL, &logs) != 0)
        print_message("without the corpus: no logs at %s (set HECTIC_CORPUS)\n", pattern);
    for (size_t i = 0; i < logs.gl_pathc; i++) {
        struct bytes log = bytes_of_file(logs.gl_pathv[i]);
        if (log.length <= size_max) test(logs.gl_pathv[i], &log);
        bytes_free(&log);
    }
    globfree(&logs);
}

#endif
