/* log_files.h — the logs of operands that may be folders. */
#ifndef HECTIC_LOG_FILES_H
#define HECTIC_LOG_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct log_files {
    char **path;
    size_t count, capacity;
    bool has_folder; /* there may be several, as far as a user knows */
};

/* Adds a log; of a folder, all files in it and in the folders in it whose names end with .eventlog,
 * .eventlog.gz or .eventlog.zst, in order of their paths; links to files that do not exist are
 * skipped with a message. False after a message: there is none, or the folder cannot be read. */
bool log_files_add(struct log_files *files, const char *path);
void log_files_free(struct log_files *files);

#endif
