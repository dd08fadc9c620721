/* Any file is a baseline, or is refused at a line. What was read is written, and is then the same
 * when it is read again. The input is the baseline. */
#include "fuzz.h"

#include "compare/baseline.h"

#include <stdlib.h>
#include <string.h>

static enum baseline_result read_bytes(struct runs *runs, const void *bytes, size_t length,
                                       char **options)
{
    size_t line;
    char *copy = malloc(length + 1);
    REQUIRE(copy);
    if (length > 0) memcpy(copy, bytes, length);
    copy[length] = 0;
    const enum baseline_result result = baseline_parse(runs, copy, length, options, &line);
    free(copy);
    REQUIRE(result != BASELINE_FAILED && (result != BASELINE_READ || *options));
    return result;
}

static struct buffer write_runs(const struct runs *runs, const char *options)
{
    struct buffer text = {0};
    REQUIRE(baseline_write(runs, options, false, &text));
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct runs runs = {0}, again = {0};
    char *options, *same;
    if (read_bytes(&runs, data, length, &options) == BASELINE_READ) {
        struct buffer first = write_runs(&runs, options);
        REQUIRE(read_bytes(&again, first.bytes, first.size, &same) == BASELINE_READ);
        struct buffer second = write_runs(&again, same);
        REQUIRE(again.count == runs.count && strcmp(options, same) == 0);
        REQUIRE(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);
        buffer_free(&first);
        buffer_free(&second);
        free(same);
    }
    runs_clear(&runs);
    runs_clear(&again);
    free(options);
    return 0;
}
