/* read(2) and pread(2) that are not interrupted by signals. */
#ifndef HECTIC_SRC_FILE_H
#define HECTIC_SRC_FILE_H

#include <sys/types.h>

/* As read(2): may return less than `size`. */
ssize_t file_read(int fd, void *bytes, size_t size);

/* Less than `size` only where the file ends. -1 and errno: as pread(2). */
ssize_t file_pread(int fd, void *bytes, size_t size, off_t position);

#endif
