/* parquet_file.h — the file of a table of one log, in its folders: FOLDER/TABLE/log=PATH, as Hive
 * names partitions. Not for several threads at a time, but for parquet_file_write. */
#ifndef HECTIC_EXPORT_PARQUET_FILE_H
#define HECTIC_EXPORT_PARQUET_FILE_H

#include "tool/files/output_file.h"

#include <stddef.h>

struct parquet_file {
    char *path;
    size_t folder[3]; /* where the names of its folders end */
    bool was_made[3];
    struct output_file output;
    int error; /* of writing: an errno */
};

/* Finds its name. False after a message. */
bool parquet_file_name(struct parquet_file *file, const char *folder, const char *table,
                       const char *log);

/* Opens it, and makes the folders. False after a message. */
bool parquet_file_open(struct parquet_file *file);

/* For parquet_output: `user` is the file. */
bool parquet_file_write(void *user, const void *bytes, size_t size);

/* Gives it its name if it is `done`; otherwise, removes it and the folders that were made. False:
 * it is not done, or after a message. */
bool parquet_file_close(struct parquet_file *file, bool done);
void parquet_file_free(struct parquet_file *file);

#endif
