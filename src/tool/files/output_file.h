/* output_file.h — an output file that is written atomically: it gets its name when it is complete.
 */
#ifndef HECTIC_OUTPUT_FILE_H
#define HECTIC_OUTPUT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct output_file {
    int fd;
    char *path;      /* its final name */
    char *folder;    /* its directory, with a slash */
    char *temporary; /* its name until then, if it must have one; or NULL */
    mode_t mode;     /* its final mode */
    bool is_regular; /* it will be published; otherwise it is written in place */
    bool is_named;   /* it always has a temporary name */
};

/* Opens it. The target of a symbolic link is replaced, not the link; a path that is not a regular
 * file is written in place. An input (see input_files.h) is refused. False after a message. */
bool output_file_open(struct output_file *file, const char *path);

/* The same for a library that opens the file by a name, file->temporary. Only a regular file. */
bool output_file_open_named(struct output_file *file, const char *path);

/* A path from which it can be read before it is published; in `room`, or the file's own. */
enum { OUTPUT_FILE_PATH = 64 };
const char *output_file_readable(const struct output_file *file, char room[OUTPUT_FILE_PATH]);

/* Syncs it and gives it its name: after a crash of the system, the name is that of the old file or
 * of the complete new one. A file that is written in place is only closed. With `partial`, it gets
 * its name although writing has failed. False after a message. */
bool output_file_publish(struct output_file *file, bool partial);

/* Closes it. A file that was not published is lost. */
void output_file_close(struct output_file *file);

/* A random name in the directory of a path. To be freed; NULL: no memory. */
char *output_file_temporary(const char *path);

/* Syncs an open file or directory, if the file system can do that. Returns 0 or an errno. */
int output_file_sync(int fd);

#endif
