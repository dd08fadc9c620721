/* message.c — messages on stderr. */
#define _GNU_SOURCE /* strcasestr, memmem */
#include "tool/cli/message.h"

#include "render/shell_word.h"
#include "tool/cli/stderr_buffer.h"
#include "tool/cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* File names and other text in messages come from outside. A message is one line without control
 * characters, so that it is harmless on a terminal. */
enum { TEXT_MAX = 8192, PREFIX_MAX = 32, SUFFIX_MAX = 8 };

static size_t make_line(char line[PREFIX_MAX + 4 * TEXT_MAX + SUFFIX_MAX], const char *before,
                        const char *format, va_list arguments)
{
    char text[TEXT_MAX];
    const int whole = vsnprintf(text, sizeof text, format, arguments);
    char *end = stpcpy(line, before);
    end += hectic_render_visible(text, strlen(text), end);
    end = stpcpy(end, whole < TEXT_MAX ? "\n" : "\u2026\n");
    return (size_t)(end - line);
}

void tool_message(const char *format, ...)
{
    char line[PREFIX_MAX + 4 * TEXT_MAX + SUFFIX_MAX];
    va_list arguments;
    va_start(arguments, format);
    stderr_buffer_write(line, make_line(line, "hectic: ", format, arguments));
    va_end(arguments);
}

static const char *usage_verb;

void tool_usage_verb(const char *verb)
{
    usage_verb = verb;
}

void tool_usage_error(const char *format, ...)
{
    char line[PREFIX_MAX + 4 * TEXT_MAX + SUFFIX_MAX], before[PREFIX_MAX];
    const char *space = usage_verb ? " " : "";
    snprintf(before, sizeof before, "hectic%s%s: ", space, usage_verb ? usage_verb : "");
    va_list arguments;
    va_start(arguments, format);
    stderr_buffer_write(line, make_line(line, before, format, arguments));
    va_end(arguments);
}

void tool_out_of_memory(void)
{
    tool_message("out of memory");
    exit(TOOL_UNUSABLE);
}

void tool_print_visible(FILE *to, const char *format, ...)
{
    char line[PREFIX_MAX + 4 * TEXT_MAX + SUFFIX_MAX];
    va_list arguments;
    va_start(arguments, format);
    fwrite(line, 1, make_line(line, "", format, arguments), to);
    va_end(arguments);
}

const char *tool_log_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* The position of the first header in the file, plus 1; 0: not found. */
static size_t find_header(const char *path)
{
    enum { NEAR = 1 << 24 };
    static const char mark[] = "hdrbhetb";
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status = {0};
    const bool is_file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    const size_t size = status.st_size < NEAR ? (size_t)status.st_size : NEAR;
    char *bytes = is_file && size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (bytes == MAP_FAILED) return 0;
    const char *found = memmem(bytes, size, mark, sizeof mark - 1);
    const size_t place = found ? (size_t)(found - bytes) + 1 : 0;
    munmap(bytes, size);
    return place;
}

static void report_prefix(const char *path)
{
    struct stat status;
    const bool is_stdin = strcmp(path, "-") == 0;
    const bool is_known = (is_stdin ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0;
    const bool is_file = is_known && S_ISREG(status.st_mode);
    const size_t place = is_file && !is_stdin ? find_header(path) : 0;
    if (!is_file)
        tool_message("%s: other output, such as that of the program, comes before the log",
                     tool_log_name(path));
    else if (place > 1) {
        char *word = shell_word(path);
        tool_message("%s: an eventlog begins at byte %zu; to read it: tail -c +%zu %s | "
                     "hectic ... -",
                     path, place - 1, place, word ? word : "LOG");
        free(word);
    }
}

static const char *temporary_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

static void report_spool(const char *name, const hectic_error *error)
{
    if (error->kind == HECTIC_SPOOL)
        tool_message("%s: cannot write to the temporary directory %s: %s; set TMPDIR to another",
                     name, temporary_directory(), strerror((int)error->number));
    else
        tool_message("%s: needs more than %" PRIu64 " bytes in the temporary directory %s; raise "
                     "the limit with --spool-limit",
                     name, error->number, temporary_directory());
}

bool tool_is_damage(const hectic_error *error)
{
    return error->kind == HECTIC_UNDECLARED_EVENT || error->kind == HECTIC_BLOCK_CROSSED ||
           error->kind == HECTIC_LATE_EVENT;
}

void tool_log_error(const char *path, const hectic_error *error)
{
    char text[300];
    const char *name = tool_log_name(path);
    if (error->kind == HECTIC_IO && error->number == ETIMEDOUT) return; /* live_log.c has said it */
    hectic_error_text(error, text, sizeof text);
    const bool of_system = error->kind == HECTIC_IO || error->kind == HECTIC_NO_MEMORY;
    if (error->kind == HECTIC_SPOOL || error->kind == HECTIC_SPOOL_LIMIT)
        report_spool(name, error);
    else if (of_system && error->position == 0)
        tool_message("%s: %s", name, text);
    else
        tool_message("%s: byte %" PRIu64 ": %s", name, error->position, text);
    if (error->kind == HECTIC_NOT_A_LOG && error->position == 0) report_prefix(path);
    if (error->kind == HECTIC_UNSUPPORTED_COMPRESSION)
        tool_message("%s: decompress it first, as with: zstd -dc --long=31 LOG | hectic ... -",
                     name);
}

/* The edit distance of two words, without regard to case. Only their first 63 letters count. */
static size_t word_distance(const char *a, const char *b)
{
    enum { WORD_MAX = 64 };
    size_t row[WORD_MAX];
    const size_t width = strnlen(b, WORD_MAX - 1);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != 0 && i < WORD_MAX; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= width; j++) {
            const char pair[2][2] = {{a[i] == '-' ? '_' : a[i], 0},
                                     {b[j - 1] == '-' ? '_' : b[j - 1], 0}};
            const size_t replaced = diagonal + (strcasecmp(pair[0], pair[1]) != 0);
            diagonal = row[j];
            const size_t shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            row[j] = replaced < shorter + 1 ? replaced : shorter + 1;
        }
    }
    return row[width];
}

void tool_suggest(struct suggestion *suggestion, const char *candidate)
{
    const size_t length = strlen(suggestion->word);
    size_t distance = word_distance(suggestion->word, candidate);
    /* A candidate that contains the word is usually what was meant. */
    if (length >= 3 && strcasestr(candidate, suggestion->word) != NULL) distance = 1;
    const bool is_near = distance <= 1 + length / 4;
    if (is_near && (suggestion->best == NULL || distance < suggestion->distance)) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}
