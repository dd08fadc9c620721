/* Logs in memory, for tests: growing byte buffers, inputs that read them, and decoded events. */
#ifndef HECTIC_TEST_BYTES_H
#define HECTIC_TEST_BYTES_H

/* cmocka requires these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numbers/random.h"

#include <hectic/hectic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bytes {
    uint8_t *data;
    size_t length, capacity;
};

/* Appends `length` bytes, to be written by the caller. */
static inline uint8_t *bytes_grow(struct bytes *b, size_t length)
{
    if (b->length + length > b->capacity) {
        b->capacity = 2 * (b->length + length);
        b->data = realloc(b->data, b->capacity);
        assert_non_null(b->data);
    }
    b->length += length;
    return b->data + b->length - length;
}

/* A hectic_write whose user is a struct bytes. */
static inline bool bytes_write(void *user, const void *data, size_t length)
{
    if (length) memcpy(bytes_grow(user, length), data, length);
    return true;
}

/* A hectic_write that accepts as many bytes as *user, a size_t, like a disk that becomes full. */
static inline bool bytes_write_little(void *user, const void *data, size_t length)
{
    (void)data;
    size_t *room = user;
    if (length > *room) return false;
    *room -= length;
    return true;
}

static inline void bytes_free(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}

static inline struct bytes bytes_of_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be opened", path);
    struct bytes b = {0};
    uint8_t piece[1 << 16];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        bytes_write(&b, piece, n);
    fclose(file);
    return b;
}

/* An input that reads data[0 … length-1]. */
static inline hectic_input *bytes_input(const uint8_t *data, size_t length)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    if (length) assert_int_equal(fwrite(data, 1, length, file), length);
    rewind(file);
    hectic_error error;
    hectic_input *input = hectic_input_from_fd(dup(fileno(file)), &error);
    fclose(file);
    assert_non_null(input);
    return input;
}

static inline void bytes_assert_equal(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->length, b->length);
    if (a->length) assert_memory_equal(a->data, b->data, a->length);
}

/* The events that a decoder finds, skipping damage. They point into the bytes. */
struct found {
    hectic_event *event;
    size_t count, capacity;
    size_t headers, ends, errors, tail;
    uint64_t skipped;
    hectic_decoder *decoder; /* owns the headers of the events: the last two only */
};

static inline struct found found_in(const uint8_t *data, size_t length)
{
    struct found f = {.decoder = hectic_decoder_new()};
    assert_non_null(f.decoder);
    hectic_decoder_push(f.decoder, data, length);
    hectic_event event;
    hectic_result result;
    bool is_end = false;
    while ((result = hectic_decoder_pull(f.decoder, &event)) != HECTIC_PARTIAL || !is_end) {
        if (result == HECTIC_PARTIAL) hectic_decoder_push(f.decoder, NULL, 0);
        is_end = is_end || result == HECTIC_PARTIAL;
        f.headers += result == HECTIC_HEADER;
        f.ends += result == HECTIC_COMPLETE;
        if (result == HECTIC_ERROR) {
            f.errors++;
            if (!hectic_decoder_header(f.decoder)) break;
            hectic_decoder_resync(f.decoder);
        }
        if (result != HECTIC_GOT_EVENT) continue;
        /* Uses the position, since the payload may be in the decoder's memory. */
        event.payload = data + event.position + (event.declared->size == HECTIC_VARIABLE ? 12 : 10);
        if (f.count == f.capacity) {
            f.capacity = f.capacity ? 2 * f.capacity : 256;
            f.event = realloc(f.event, f.capacity * sizeof *f.event);
            assert_non_null(f.event);
        }
        f.event[f.count++] = event;
    }
    hectic_decoder_tail(f.decoder, &f.tail);
    f.skipped = hectic_decoder_skipped(f.decoder);
    return f;
}

static inline void found_free(struct found *f)
{
    free(f->event);
    hectic_decoder_free(f->decoder);
}

static inline bool event_is_marker(const hectic_event *event)
{
    return event->type == HECTIC_EVENT_BLOCK_MARKER;
}

static inline bool event_equal(const hectic_event *a, const hectic_event *b)
{
    return a->type == b->type && a->time == b->time && a->cap == b->cap && a->size == b->size &&
           memcmp(a->payload, b->payload, a->size) == 0;
}

static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
    return random_next(state) % limit;
}

#endif
