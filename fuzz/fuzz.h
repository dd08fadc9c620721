/* Shared by the fuzz targets. Each fuzz_NAME.c is one libFuzzer target; replay.c runs the same
 * target over files, without libFuzzer. */
#ifndef HECTIC_FUZZ_H
#define HECTIC_FUZZ_H

#include <hectic/hectic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

/* Conditions that hold for every input. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static inline void *must_allocate(size_t size)
{
    void *p = malloc(size ? size : 1);
    REQUIRE(p);
    return p;
}

/* Appends to an array that doubles when it is full. */
#define APPEND(array, count, capacity, item)                                                       \
    do {                                                                                           \
        if ((count) == (capacity)) {                                                               \
            (capacity) = (capacity) ? 2 * (capacity) : 64;                                         \
            (array) = realloc((array), (capacity) * sizeof *(array));                              \
            REQUIRE(array);                                                                        \
        }                                                                                          \
        (array)[(count)++] = (item);                                                               \
    } while (0)

#endif
