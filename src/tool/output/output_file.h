/* output_file.h — a file that gets its name when it is whole. */
#ifndef HECTIC_OUTPUT_FILE_H
#define HECTIC_OUTPUT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct output_file {
    int fd;
    char *path;      /* what messages call it, and its name in the end */
    char *folder;    /* that it is in, with its slash */
    char *temporary; /* its name until then, where it cannot be without one; or NULL */
    mode_t mode;     /* in the end */
    bool is_regular; /* it is to be published; else it is written in place */
};

/* Opens it. A path that is a symbolic link stays one; what is no regular file is written in place.
 * A file that is read (see inputs.h) is refused. False after a message, with nothing to discard. */
bool output_file_open(struct output_file *file, const char *path);

/* Puts it on the disk and gives it its name: if the system crashes, the name leads to the old file
 * or to all of the new one. What is written in place is only closed. With `partial`, what is there
 * gets the name though writing has failed. False after a message. */
bool output_file_publish(struct output_file *file, bool partial);

/* Closes it and frees what it holds. What was not published is gone. */
void output_file_close(struct output_file *file);

#endif
