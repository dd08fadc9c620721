/* An input in memory, for code that reads files. */
#ifndef HECTIC_FUZZ_MEMORY_FILE_H
#define HECTIC_FUZZ_MEMORY_FILE_H

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static inline hectic_input *memory_input(const uint8_t *data, size_t length)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, data, length) == (ssize_t)length);
    REQUIRE(lseek(fd, 0, SEEK_SET) == 0);
    hectic_error error;
    hectic_input *input = hectic_input_from_fd(fd, &error);
    REQUIRE(input);
    return input;
}

/* Compressed bytes are another input: the targets skip them. */
static inline bool is_compressed(const uint8_t *data, size_t length)
{
    return (length >= 2 && memcmp(data, "\x1f\x8b", 2) == 0) ||
           (length >= 4 && memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0);
}

#endif
