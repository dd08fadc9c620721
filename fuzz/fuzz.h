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

/* A decoder of the input. */
static inline hectic_decoder *decoder_of(const uint8_t *data, size_t length)
{
    hectic_decoder *decoder = hectic_decoder_new();
    REQUIRE(decoder);
    hectic_decoder_push(decoder, data, length);
    return decoder;
}

/* Pulls the next item, also the last event of a log that was cut. */
static inline hectic_result pull_to_end(hectic_decoder *decoder, hectic_event *event)
{
    const hectic_result result = hectic_decoder_pull(decoder, event);
    if (result != HECTIC_PARTIAL) return result;
    hectic_decoder_push(decoder, NULL, 0);
    return hectic_decoder_pull(decoder, event);
}

/* Pulls the next item, and searches for a place to continue after damage. False: there is no more.
 */
static inline bool pull_next(hectic_decoder *decoder, hectic_event *event, hectic_result *result)
{
    *result = hectic_decoder_pull(decoder, event);
    if (*result == HECTIC_ERROR) {
        if (!hectic_decoder_header(decoder)) return false;
        hectic_decoder_resync(decoder);
    }
    return *result != HECTIC_PARTIAL;
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
