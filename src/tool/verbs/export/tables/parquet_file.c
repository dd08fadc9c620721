/* parquet_file.c — see parquet_file.h. */
#define _GNU_SOURCE /* asprintf */
#include "tool/verbs/export/tables/parquet_file.h"

#include "tool/cli/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDERS = 3, NAME_LENGTH_MAX = 255 };

/* --- Names ----------------------------------------------------------------------------------- */

/* A path as the value of a partition: readers restore what Hive escapes. To be freed; NULL: no
 * memory. */
static char *value_of(const char *path)
{
    char *value = malloc(3 * strlen(path) + 1), *end = value;
    if (!value) return NULL;
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ' || strchr("\"#%'*/:=?\\{}[]^\x7f", *c))
            end += snprintf(end, 4, "%%%02X", (unsigned char)*c);
        else
            *end++ = *c;
    *end = 0;
    return value;
}

bool parquet_file_name(struct parquet_file *file, const char *folder, const char *table,
                       const char *log)
{
    static const char label[] = "log=", name[] = "part-0.parquet";
    char *value = value_of(log);
    const size_t length = value ? strlen(value) : 0;
    *file = (struct parquet_file){.output.fd = -1};
    if (length + strlen(label) > NAME_LENGTH_MAX) {
        tool_message("%s: the path is too long for the name of a folder: start hectic in a folder "
                     "that is closer to the log",
                     log);
        return free(value), false;
    }
    if (!value || asprintf(&file->path, "%s/%s/%s%s/%s", folder, table, label, value, name) < 0)
        file->path = NULL;
    free(value);
    if (!file->path) return tool_message("out of memory"), false;
    file->folder[0] = strlen(folder);
    file->folder[1] = file->folder[0] + 1 + strlen(table);
    file->folder[2] = file->folder[1] + 1 + strlen(label) + length;
    return true;
}

/* --- Folders --------------------------------------------------------------------------------- */

/* The path of a folder, until the next call of end_folder. */
static const char *begin_folder(struct parquet_file *file, size_t number)
{
    file->path[file->folder[number]] = 0;
    return file->path;
}

static void end_folder(struct parquet_file *file, size_t number)
{
    file->path[file->folder[number]] = '/';
}

static bool make_folder(struct parquet_file *file, size_t number)
{
    const char *path = begin_folder(file, number);
    struct stat status;
    const bool was_made = mkdir(path, 0777) == 0;
    const int error = errno;
    const bool is_there = was_made || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
    if (!is_there)
        tool_message("%s: %s", path, error == EEXIST ? "not a directory" : strerror(error));
    file->was_made[number] = was_made;
    end_folder(file, number);
    return is_there;
}

/* Unless there are other files. */
static void remove_folders(struct parquet_file *file)
{
    for (size_t i = FOLDERS; i-- > 0;) {
        if (file->was_made[i]) rmdir(begin_folder(file, i));
        end_folder(file, i);
    }
}

/* --- The file -------------------------------------------------------------------------------- */

bool parquet_file_open(struct parquet_file *file)
{
    bool done = true;
    for (size_t i = 0; i < FOLDERS && done; i++)
        done = make_folder(file, i);
    done = done && output_file_open(&file->output, file->path);
    if (!done) remove_folders(file);
    return done;
}

bool parquet_file_write(void *user, const void *bytes, size_t size)
{
    struct parquet_file *file = user;
    for (const char *rest = bytes; size > 0 && file->error == 0;) {
        const ssize_t written = write(file->output.fd, rest, size);
        if (written < 0 && errno != EINTR) file->error = errno;
        if (written > 0) {
            rest += written;
            size -= (size_t)written;
        }
    }
    return file->error == 0;
}

bool parquet_file_close(struct parquet_file *file, bool done)
{
    done = done && output_file_publish(&file->output, false);
    output_file_close(&file->output);
    if (!done) remove_folders(file);
    return done;
}

void parquet_file_free(struct parquet_file *file)
{
    free(file->path);
}
