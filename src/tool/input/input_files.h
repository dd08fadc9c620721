/* inputs.h — what the process reads, so that it does not write to it. */
#ifndef HECTIC_INPUT_FILES_H
#define HECTIC_INPUT_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

/* Notes that a file is read: by its device and inode, so that it is known by other names and
 * through links, too. Devices and sockets may be read and written at the same time, and are not
 * noted. False after a message: no memory. */
bool input_files_note(const struct stat *status);

/* The same, for a verb that prints. False after a message: standard output or standard error leads
 * there. */
bool input_files_may_read(const struct stat *status);

/* May that path, or descriptor, be written to? False after a message: it is read. */
bool input_files_allow(const char *path);
bool input_files_allow_open(int fd, const char *name);

#endif
