/* input_files.h — the files that the process reads, so that it does not write to them. */
#ifndef HECTIC_INPUT_FILES_H
#define HECTIC_INPUT_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

/* Notes an input by its device and inode, so that links and other names are recognized, too.
 * Devices and sockets may be read and written at the same time, and are not noted. False after a
 * message: no memory. */
bool input_files_note(const struct stat *status);

/* The same, for a verb that prints. False after a message: standard output or standard error is
 * that file. */
bool input_files_may_read(const struct stat *status);

/* May that path, or descriptor, be written? False after a message: it is an input. */
bool input_files_allow(const char *path);
bool input_files_allow_open(int fd, const char *name);

#endif
