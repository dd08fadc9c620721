/* logs.c — see logs.h. */
#include "query/logs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { IDLE_MAX = 8 }; /* logs that stay open although no query uses them */

struct file_stamp {
    dev_t device;
    ino_t file;
    off_t size;
    struct timespec changed;
};

struct entry {
    char *path;
    struct file_stamp stamp;
    uint64_t version;
};

struct idle {
    hectic_log *log; /* NULL: vacant */
    size_t number;
    uint64_t given; /* the one that was given first is freed first */
};

struct query_logs {
    struct query_logs_hooks hooks;
    struct entry *entry;
    size_t count, capacity;
    struct idle idle[IDLE_MAX];
    uint64_t given;
};

query_logs *query_logs_new(const struct query_logs_hooks *hooks)
{
    query_logs *logs = calloc(1, sizeof *logs);
    if (logs && hooks) logs->hooks = *hooks;
    return logs;
}

static void close_log(query_logs *logs, size_t number, hectic_log *log)
{
    if (log && logs->hooks.closing)
        logs->hooks.closing(logs->hooks.user, logs->entry[number].path, log);
    hectic_log_free(log);
}

static void close_idle(query_logs *logs, struct idle *idle)
{
    close_log(logs, idle->number, idle->log);
    *idle = (struct idle){0};
}

void query_logs_free(query_logs *logs)
{
    if (!logs) return;
    for (size_t i = 0; i < IDLE_MAX; i++)
        close_idle(logs, &logs->idle[i]);
    for (size_t i = 0; i < logs->count; i++)
        free(logs->entry[i].path);
    free(logs->entry);
    free(logs);
}

bool query_logs_interrupted(const query_logs *logs, hectic_error *error)
{
    if (!logs->hooks.is_interrupted || !logs->hooks.is_interrupted(logs->hooks.user)) return false;
    *error = (hectic_error){.kind = HECTIC_IO, .number = EINTR};
    return true;
}

static struct file_stamp stamp_of(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return (struct file_stamp){0};
    return (struct file_stamp){status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

static bool same_stamp(const struct file_stamp *a, const struct file_stamp *b)
{
    return a->device == b->device && a->file == b->file && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

bool query_logs_add(query_logs *logs, const char *path, size_t *number)
{
    for (size_t i = 0; i < logs->count; i++)
        if (strcmp(logs->entry[i].path, path) == 0) return *number = i, true;
    if (logs->count == logs->capacity) {
        const size_t capacity = 2 * logs->capacity + 8;
        struct entry *grown = realloc(logs->entry, capacity * sizeof *grown);
        if (!grown) return false;
        logs->entry = grown;
        logs->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy) return false;
    *number = logs->count;
    logs->entry[logs->count++] = (struct entry){.path = copy, .stamp = stamp_of(path)};
    return true;
}

size_t query_logs_count(const query_logs *logs)
{
    return logs->count;
}

const char *query_logs_path(const query_logs *logs, size_t number)
{
    return logs->entry[number].path;
}

uint64_t query_logs_version(query_logs *logs, size_t number)
{
    struct entry *entry = &logs->entry[number];
    const struct file_stamp now = stamp_of(entry->path);
    if (same_stamp(&now, &entry->stamp)) return entry->version;
    entry->stamp = now;
    for (size_t i = 0; i < IDLE_MAX; i++)
        if (logs->idle[i].log && logs->idle[i].number == number) close_idle(logs, &logs->idle[i]);
    return ++entry->version;
}

hectic_log *query_log_take(query_logs *logs, size_t number, const hectic_log_options *options,
                           hectic_error *error)
{
    query_logs_version(logs, number);
    for (size_t i = 0; i < IDLE_MAX && !options; i++) {
        struct idle *idle = &logs->idle[i];
        if (!idle->log || idle->number != number) continue;
        hectic_log *log = idle->log;
        *idle = (struct idle){0};
        hectic_log_rewind(log);
        return log;
    }
    const char *path = logs->entry[number].path;
    hectic_input *input = logs->hooks.open ? logs->hooks.open(logs->hooks.user, path, error)
                                           : hectic_input_open(path, error);
    return input ? hectic_log_open(input, options, error) : NULL;
}

void query_log_give(query_logs *logs, size_t number, hectic_log *log, bool is_whole)
{
    struct idle *place = &logs->idle[0];
    if (!log) return;
    if (!is_whole) {
        hectic_log_free(log); /* what is damaged there is reported when all of it is read */
        return;
    }
    for (size_t i = 1; i < IDLE_MAX && place->log; i++)
        if (!logs->idle[i].log || logs->idle[i].given < place->given) place = &logs->idle[i];
    close_idle(logs, place);
    *place = (struct idle){log, number, ++logs->given};
}
