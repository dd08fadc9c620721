/* read(2) and pread(2), retried if a signal interrupts them. */
#ifndef HECTIC_SRC_FILE_H
#define HECTIC_SRC_FILE_H

#include <sys/types.h>

/* As read(2): may return less than `size`. */
ssize_t file_read(int fd, void *bytes, size_t size);

/* Less than `size` only at the end of the file. -1 and errno: as pread(2). */
ssize_t file_pread(int fd, void *bytes, size_t size, off_t position);

#endif
