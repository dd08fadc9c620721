/* log_files.c — see log_files.h. */
#include "tool/files/log_files.h"

#include "base/array.h"
#include "tool/cli/message.h"
#include "tool/files/input_files.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool has_suffix(const char *name, const char *suffix)
{
    const size_t length = strlen(name), end = strlen(suffix);
    return length > end && strcmp(name + length - end, suffix) == 0;
}

static bool is_log(const char *name)
{
    return has_suffix(name, ".eventlog") || has_suffix(name, ".eventlog.gz") ||
           has_suffix(name, ".eventlog.zst");
}

static bool add(struct log_files *files, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && !input_files_note(&status)) return false;
    char *copy = strdup(path);
    if (!copy || !array_reserve(files->path, files->capacity, files->count + 1)) {
        free(copy);
        tool_message("out of memory");
        return false;
    }
    files->path[files->count++] = copy;
    return true;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A link without a target: its log was removed, or is elsewhere. */
static bool is_dangling(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 && (errno == ENOENT || errno == ELOOP);
}

static bool add_entry(struct log_files *files, const FTSENT *entry)
{
    const bool is_link = entry->fts_info == FTS_SL;
    switch (entry->fts_info) {
    case FTS_F:
    case FTS_SL:
        if (!is_log(entry->fts_name)) return true;
        if (!is_link || !is_dangling(entry->fts_path)) return add(files, entry->fts_path);
        tool_message("%s: skipped: a link to a file that does not exist", entry->fts_path);
        return true;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS: tool_message("%s: %s", entry->fts_path, strerror(entry->fts_errno)); return false;
    default: return true;
    }
}

static bool add_folder(struct log_files *files, const char *path)
{
    char *name = strdup(path);
    char *const paths[] = {name, NULL};
    FTS *walk = name ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
    const size_t before = files->count;
    files->has_folder = true;
    bool done = walk;
    if (!walk) tool_message("%s: %s", path, strerror(name ? errno : ENOMEM));
    for (FTSENT *entry; done && (entry = fts_read(walk));)
        done = add_entry(files, entry);
    if (walk) fts_close(walk);
    free(name);
    if (done && files->count == before) {
        tool_message("%s: there is no log in this folder (*.eventlog, .gz, .zst)", path);
        return false;
    }
    return done;
}

bool log_files_add(struct log_files *files, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return add_folder(files, path);
    return add(files, path);
}

void log_files_free(struct log_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->path[i]);
    free(files->path);
}
