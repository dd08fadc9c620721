#include "read/file.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

ssize_t file_read(int fd, void *bytes, size_t size)
{
    ssize_t length;
    do
        length = read(fd, bytes, size);
    while (length < 0 && errno == EINTR);
    return length;
}

ssize_t file_pread(int fd, void *bytes, size_t size, off_t position)
{
    size_t got = 0;
    while (got < size) {
        const ssize_t length = pread(fd, (uint8_t *)bytes + got, size - got, position + (off_t)got);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0) return -1;
        if (length == 0) break;
        got += (size_t)length;
    }
    return (ssize_t)got;
}
