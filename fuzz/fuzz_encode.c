/* A decoded log encodes to its original bytes; a copy is the same; a salvaged log is sound, and
 * salvaging it again changes nothing. */
#define _GNU_SOURCE
#include "memory_file.h"

#include <hectic/transform.h>

typedef struct {
    uint8_t *bytes;
    size_t length, capacity;
} buffer;

static bool append(void *self, const void *bytes, size_t length)
{
    buffer *out = self;
    if (length > out->capacity - out->length) {
        out->capacity = 2 * (out->length + length);
        out->bytes = realloc(out->bytes, out->capacity);
        REQUIRE(out->bytes);
    }
    if (length) memcpy(out->bytes + out->length, bytes, length);
    out->length += length;
    return true;
}

/* Field by field, if the catalogue has the event and it conforms. */
static void check_fields(const hectic_event *event, const uint8_t *whole, size_t whole_length)
{
    const hectic_event_type *declared = event->declared;
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t used = 0;
    if (!declared->shape) return;
    size_t count = hectic_shape_walk(declared->shape, event->payload, event->size, value, &used);
    REQUIRE(count <= declared->shape->field_count && used <= event->size);
    for (size_t i = 0; i < count; i++)
        REQUIRE(value[i].bytes >= event->payload &&
                value[i].bytes + value[i].length <= event->payload + event->size);
    if (used != event->size || hectic_shape_malformed(declared->shape, event->payload, event->size))
        return;
    uint8_t *again = must_allocate(whole_length);
    size_t length = hectic_encode_fields(again, whole_length, declared, event->time, value, count);
    REQUIRE(length == whole_length && memcmp(again, whole, length) == 0);
    free(again);
}

static void encode_event(buffer *out, const hectic_event *event, const uint8_t *data)
{
    size_t needed = hectic_encode_event(NULL, 0, event);
    uint8_t *bytes = must_allocate(needed);
    REQUIRE(hectic_encode_event(bytes, needed - 1, event) == needed);
    REQUIRE(hectic_encode_event(bytes, needed, event) == needed);
    check_fields(event, data + event->position, needed);
    append(out, bytes, needed);
    free(bytes);
}

static void encode_header(buffer *out, const hectic_header *header)
{
    size_t count;
    const hectic_event_type *types = hectic_header_types(header, &count);
    size_t needed = hectic_encode_header(NULL, 0, types, count);
    uint8_t *bytes = must_allocate(needed);
    REQUIRE(hectic_encode_header(bytes, needed, types, count) == needed);
    append(out, bytes, needed);
    free(bytes);
}

/* Decodes and encodes up to the first damage. True: no damage, and a header. */
static bool check_round_trip(const uint8_t *data, size_t length)
{
    buffer out = {0};
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_event event;
    hectic_result result;
    REQUIRE(decoder);
    hectic_decoder_push(decoder, data, length);
    while ((result = pull_to_end(decoder, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_HEADER) encode_header(&out, hectic_decoder_header(decoder));
        if (result == HECTIC_GOT_EVENT) encode_event(&out, &event, data);
        if (result == HECTIC_COMPLETE) append(&out, "\xff\xff", 2);
        if (result == HECTIC_ERROR) break;
    }
    size_t tail = 0;
    const uint8_t *rest = hectic_decoder_tail(decoder, &tail);
    if (result == HECTIC_PARTIAL) append(&out, rest, tail);
    REQUIRE(out.length <= length && (out.length == 0 || memcmp(out.bytes, data, out.length) == 0));
    REQUIRE(result == HECTIC_ERROR || out.length == length);
    bool sound = result == HECTIC_PARTIAL && hectic_decoder_header(decoder);
    hectic_decoder_free(decoder);
    free(out.bytes);
    return sound;
}

static void check_copy(const uint8_t *data, size_t length)
{
    buffer out = {0};
    hectic_error error;
    hectic_input *input = memory_input(data, length);
    REQUIRE(hectic_copy(input, NULL, NULL, append, &out, &error));
    REQUIRE(out.length == length && memcmp(out.bytes, data, length) == 0);
    hectic_input_free(input);
    free(out.bytes);
}

static bool salvage(const uint8_t *data, size_t length, buffer *out, hectic_salvaged *salvaged)
{
    hectic_error error;
    hectic_input *input = memory_input(data, length);
    bool done = hectic_salvage(input, append, out, NULL, NULL, salvaged, &error);
    REQUIRE(done || error.kind != HECTIC_OK);
    hectic_input_free(input);
    return done;
}

static void check_salvage(const uint8_t *data, size_t length)
{
    buffer once = {0}, twice = {0};
    hectic_salvaged first, second;
    if (salvage(data, length, &once, &first)) {
        REQUIRE(check_round_trip(once.bytes, once.length));
        REQUIRE(salvage(once.bytes, once.length, &twice, &second));
        /* A wrong declaration in a header cannot be repaired, and is reported again. */
        REQUIRE(second.bytes_lost == 0 && second.tail == 0);
        REQUIRE(second.blocks_repaired == 0);
        REQUIRE(twice.length == once.length);
        REQUIRE(memcmp(twice.bytes, once.bytes, once.length) == 0);
    }
    free(once.bytes);
    free(twice.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (is_compressed(data, length)) return 0;
    if (check_round_trip(data, length)) check_copy(data, length);
    check_salvage(data, length);
    return 0;
}
