/* Any file is a baseline, or is refused at a line. What was read is written, and is then the same
 * when it is read again. The input is the baseline. */
#define _GNU_SOURCE
#include "memory_file.h"

#include "compare/baseline.h"

struct text {
    char *bytes;
    size_t length;
};

static void put_line(void *user, const char *line)
{
    struct text *text = user;
    const size_t length = strlen(line);
    text->bytes = realloc(text->bytes, text->length + length + 1);
    REQUIRE(text->bytes && length > 0 && line[length - 1] == '\n');
    memcpy(text->bytes + text->length, line, length + 1);
    text->length += length;
}

static enum baseline_result read_bytes(struct runs *runs, const void *bytes, size_t length,
                                       char **options)
{
    char path[64];
    size_t line;
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    *options = NULL;
    const enum baseline_result result = baseline_read(runs, path, options, &line);
    close(fd);
    REQUIRE(result != BASELINE_FAILED && (result != BASELINE_READ || *options));
    return result;
}

static struct text write_runs(const struct runs *runs, const char *options)
{
    struct text text = {0};
    REQUIRE(baseline_write(runs, options, put_line, &text));
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct runs runs = {0}, again = {0};
    char *options, *same;
    if (read_bytes(&runs, data, length, &options) == BASELINE_READ) {
        const struct text first = write_runs(&runs, options);
        REQUIRE(read_bytes(&again, first.bytes, first.length, &same) == BASELINE_READ);
        const struct text second = write_runs(&again, same);
        REQUIRE(again.count == runs.count && strcmp(options, same) == 0);
        REQUIRE(first.length == second.length &&
                memcmp(first.bytes, second.bytes, first.length) == 0);
        free(first.bytes);
        free(second.bytes);
        free(same);
    }
    runs_clear(&runs);
    runs_clear(&again);
    free(options);
    return 0;
}
