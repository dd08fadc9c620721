/* A header is parsed exactly at its end; encoding its types gives its bytes again. */
#include "fuzz.h"
#include "render/renderer.h"

static void check_types(const hectic_header *header)
{
    size_t count;
    const hectic_event_type *types = hectic_header_types(header, &count);
    for (const hectic_event_type *type = types; type < types + count; type++) {
        const hectic_event_type *found = hectic_header_type(header, type->number);
        if (type->number != HECTIC_DATA_END) /* which is never an event type */
            REQUIRE(found && found->number == type->number && found >= type);
        REQUIRE(type->shape == hectic_shape_find(type->number, type->size));
        size_t room = 64 + 4 * (size_t)type->description_length;
        char *text = must_allocate(room);
        REQUIRE(render_type(type, text) <= room);
        free(text);
    }
    hectic_header_shifted_stop_status(header);
}

static void check_bytes(const hectic_header *header, const uint8_t *data, size_t length)
{
    size_t count, size;
    const hectic_event_type *types = hectic_header_types(header, &count);
    const uint8_t *bytes = hectic_header_bytes(header, &size);
    REQUIRE(size == length && memcmp(bytes, data, size) == 0);

    uint8_t *again = must_allocate(length);
    REQUIRE(hectic_encode_header(again, length, types, count) == length);
    REQUIRE(memcmp(again, data, length) == 0);
    free(again);

    hectic_header *made = hectic_header_new(types, count);
    REQUIRE(made);
    bytes = hectic_header_bytes(made, &size);
    REQUIRE(size == length && memcmp(bytes, data, size) == 0);
    hectic_header_free(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    hectic_header *header, *other;
    hectic_error error;
    size_t size = hectic_header_parse(&header, data, length, &error);
    if (size == 0) {
        REQUIRE(!header && error.position <= length);
        return 0;
    }
    REQUIRE(header && size <= length && error.kind == HECTIC_OK);
    REQUIRE(hectic_header_parse(&other, data, size - 1, &error) == 0);
    REQUIRE(!other && error.kind == HECTIC_OK);
    check_types(header);
    check_bytes(header, data, size);
    hectic_header_free(header);
    return 0;
}
