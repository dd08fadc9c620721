/* log_tables.c — see log_tables.h. */
#include "tool/passes/log_tables.h"

#include "tool/cli/message.h"
#include "tool/input/live_log.h"
#include "tool/input/logs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void worsen(struct log_tables *tables, int code)
{
    if (code > tables->code) tables->code = code;
}

/* Copies what can be read only once to a temporary file. */
static bool copy_bytes(hectic_input *input, const char *path, FILE *file)
{
    static char buffer[1 << 16] __attribute__((aligned(HECTIC_INPUT_ALIGNMENT)));
    hectic_error error = {0};
    for (ptrdiff_t size; (size = hectic_input_read(input, buffer, sizeof buffer, &error)) != 0;) {
        if (size < 0) return tool_log_error(path, &error), false;
        if (fwrite(buffer, 1, (size_t)size, file) != (size_t)size) {
            tool_message("a temporary file cannot be written: %s", strerror(errno));
            return false;
        }
    }
    if (fflush(file) == 0) return true;
    tool_message("a temporary file cannot be written: %s", strerror(errno));
    return false;
}

static bool keep_copy(struct log_tables *tables, const char *path)
{
    struct log_copy *grown = realloc(tables->copy, (tables->copies + 1) * sizeof *tables->copy);
    if (grown) tables->copy = grown;
    hectic_input *input = grown ? tool_input_open(path) : NULL;
    FILE *file = input ? tmpfile() : NULL;
    if (input && !file) tool_message("no temporary file: %s", strerror(errno));
    const bool done = file && copy_bytes(input, path, file);
    const int fd = done ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
    if (file) fclose(file);
    hectic_input_free(input);
    if (fd < 0) return false;
    tables->copy[tables->copies++] = (struct log_copy){path, fd};
    return true;
}

/* NULL: none. */
static struct log_reports *reports_of(const struct log_tables *tables, const char *path)
{
    for (size_t i = 0; i < tables->files.count; i++)
        if (strcmp(tables->files.path[i], path) == 0) return &tables->reported[i];
    return NULL;
}

static hectic_input *open_bytes(void *user, const char *path, hectic_error *error)
{
    const struct log_tables *tables = user;
    char name[64];
    for (size_t i = 0; i < tables->copies; i++) {
        if (strcmp(tables->copy[i].path, path) != 0) continue;
        snprintf(name, sizeof name, "/proc/self/fd/%d", tables->copy[i].fd);
        return hectic_input_open(name, error);
    }
    const struct log_reports *reports = reports_of(tables, path);
    hectic_input *input = reports && reports->failure ? NULL : tool_input_open(path);
    if (!input) *error = (hectic_error){.kind = HECTIC_ERROR_KINDS}; /* was reported */
    return input;
}

/* Each log once, however often it was opened. */
static void report_log(void *user, const char *path, const hectic_log *log)
{
    struct log_tables *tables = user;
    struct log_reports *reports = reports_of(tables, path);
    if (!reports || reports->damage) return;
    reports->damage = true;
    worsen(tables, tool_log_report(log, path, HECTIC_COMPLETE, tables->output));
    tool_note_coverage(log, path, UINT64_MAX, tables->output);
}

/* Of several logs, those that cannot be read are left out. Each is reported once. */
bool log_tables_failed(void *user, const char *path, const hectic_error *error)
{
    struct log_tables *tables = user;
    const bool is_alone = tables->files.count == 1;
    struct log_reports *reports = reports_of(tables, path);
    const bool is_known = error->kind == HECTIC_ERROR_KINDS || (reports && reports->failure);
    if (!is_known) tool_log_error(path, error);
    if (reports) reports->failure = true;
    worsen(tables, is_alone ? TOOL_UNUSABLE : TOOL_DAMAGED);
    return !is_alone;
}

static bool is_interrupted(void *user)
{
    const struct log_tables *tables = user;
    return tables->is_interrupted && tables->is_interrupted(tables->user);
}

/* A query need not read the log. False after a message: the log is the only one. */
static bool exists(struct log_tables *tables, const char *path)
{
    const hectic_error error = {.kind = HECTIC_IO, .number = ENOENT};
    return access(path, F_OK) == 0 || log_tables_failed(tables, path, &error);
}

static int add_logs(struct log_tables *tables)
{
    size_t number;
    for (size_t i = 0; i < tables->files.count; i++) {
        const char *path = tables->files.path[i];
        const bool once = strcmp(path, "-") == 0 || live_log_may_be(path);
        if (once ? !keep_copy(tables, path) : !exists(tables, path)) return TOOL_UNUSABLE;
        if (!query_logs_add(tables->logs, path, &number))
            return tool_message("out of memory"), TOOL_UNUSABLE;
    }
    return TOOL_OK;
}

static query_logs *make_logs(struct log_tables *tables)
{
    const struct query_logs_hooks hooks = {.open = open_bytes,
                                           .closing = report_log,
                                           .is_interrupted = is_interrupted,
                                           .user = tables};
    return query_logs_new(&hooks);
}

int log_tables_open(struct log_tables *tables, int count, char **paths)
{
    for (int i = 0; i < count; i++)
        if (!log_files_add(&tables->files, paths[i])) return TOOL_UNUSABLE;
    tables->logs = make_logs(tables);
    tables->reported = calloc(tables->files.count + 1, sizeof *tables->reported);
    if (!tables->logs || !tables->reported) return tool_message("out of memory"), TOOL_UNUSABLE;
    return add_logs(tables);
}

int log_tables_close(struct log_tables *tables, int code)
{
    query_logs_free(tables->logs);
    for (size_t i = 0; i < tables->copies; i++)
        close(tables->copy[i].fd);
    free(tables->copy);
    free(tables->reported);
    log_files_free(&tables->files);
    return code == TOOL_OK ? tables->code : code;
}
