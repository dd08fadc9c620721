/* Encoded data are decoded unchanged. */
#include "bytes.h"

static uint64_t seed = 1;

static void random_bytes(uint8_t *out, size_t length)
{
    for (size_t i = 0; i < length; i++)
        out[i] = (uint8_t)random_next(&seed);
}

static uint8_t *random_block(size_t length)
{
    uint8_t *block = malloc(length + 1);
    assert_non_null(block);
    random_bytes(block, length);
    return block;
}

enum { TYPES = 24 };

/* Known and unknown types, with texts and extra info of any bytes. */
static size_t random_types(hectic_event_type types[TYPES])
{
    static const uint16_t known[] = {0, 1, 2, 16, 19, 29, 30, 53, 163, 169, 181, 207};
    size_t count = 0;
    types[count++] = hectic_type_of(HECTIC_EVENT_BLOCK_MARKER);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (random_below(&seed, 2)) types[count++] = hectic_type_of(known[i]);
    for (uint16_t number = 1000; count < TYPES; number = (uint16_t)(number + 1789)) {
        hectic_event_type type = {.number = number};
        type.size = random_below(&seed, 3) ? (uint16_t)random_below(&seed, 50) : HECTIC_VARIABLE;
        type.description_length = (uint32_t)random_below(&seed, 40);
        type.description = (char *)random_block(type.description_length);
        type.extra_length = (uint32_t)random_below(&seed, 4) * 3;
        type.extra = random_block(type.extra_length);
        types[count++] = type;
    }
    return count;
}

static void free_types(hectic_event_type *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (types[i].number < 1000) continue;
        free((char *)types[i].description);
        free((uint8_t *)types[i].extra);
    }
}

static void put_header(struct bytes *log, const hectic_event_type *types, size_t count)
{
    size_t size = hectic_encode_header(NULL, 0, types, count);
    hectic_encode_header(bytes_grow(log, size), size, types, count);
}

static void put_event(struct bytes *log, const hectic_event *event)
{
    size_t size = hectic_encode_event(NULL, 0, event);
    assert_true(size >= 10);
    hectic_encode_event(bytes_grow(log, size), size, event);
}

/* Random events: payloads are random, too, so those of known types are malformed. There is no block
 * marker: its events would be outside of its bounds. */
static void put_random_events(struct bytes *log, const hectic_event_type *types, size_t count,
                              size_t events)
{
    static uint8_t payload[65535];
    for (size_t i = 0; i < events; i++) {
        const hectic_event_type *type = &types[1 + random_below(&seed, count - 1)];
        bool large = random_below(&seed, 20) == 0;
        size_t size = type->size != HECTIC_VARIABLE ? type->size
                      : large                       ? random_below(&seed, 65536)
                                                    : random_below(&seed, 30);
        random_bytes(payload, size);
        put_event(log, &(hectic_event){.declared = type,
                                       .type = type->number,
                                       .time = random_next(&seed),
                                       .payload = payload,
                                       .size = (uint16_t)size});
    }
}

static void assert_same_type(const hectic_event_type *a, const hectic_event_type *b)
{
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->description_length, b->description_length);
    assert_memory_equal(a->description, b->description, a->description_length);
    assert_int_equal(a->extra_length, b->extra_length);
    if (a->extra_length) assert_memory_equal(a->extra, b->extra, a->extra_length);
}

static void decoding_reverses_encoding(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        hectic_event_type types[TYPES];
        size_t count = random_types(types);
        struct bytes log = {0};
        put_header(&log, types, count);
        put_random_events(&log, types, count, 100);
        hectic_encode_data_end(bytes_grow(&log, 2), 2);

        struct found found = found_in(log.data, log.length);
        assert_int_equal(found.headers, 1);
        assert_int_equal(found.ends, 1);
        assert_int_equal(found.errors, 0);
        assert_int_equal(found.count, 100);

        size_t decoded_count;
        const hectic_event_type *decoded =
            hectic_header_types(hectic_decoder_header(found.decoder), &decoded_count);
        assert_int_equal(decoded_count, count);
        for (size_t i = 0; i < count; i++)
            assert_same_type(&types[i], &decoded[i]);

        struct bytes again = {0};
        put_header(&again, decoded, decoded_count);
        for (size_t i = 0; i < found.count; i++)
            put_event(&again, &found.event[i]);
        hectic_encode_data_end(bytes_grow(&again, 2), 2);
        bytes_assert_equal(&again, &log);

        bytes_free(&again);
        found_free(&found);
        bytes_free(&log);
        free_types(types, count);
    }
}

static void fixed_size_is_kept(void **state)
{
    (void)state;
    hectic_event_type type = hectic_type_of(HECTIC_EVENT_CREATE_THREAD);
    uint8_t payload[4] = {0};
    uint8_t out[32];
    hectic_event event = {.declared = &type, .payload = payload, .size = 3};
    assert_int_equal(hectic_encode_event(out, sizeof out, &event), 0);
    event.size = 4;
    assert_int_equal(hectic_encode_event(out, sizeof out, &event), 14);
}

/* A capacity one byte too small: the same result, nothing written. The exact capacity: everything.
 */
static void assert_respects_capacity(size_t (*encode)(uint8_t *, size_t, const void *),
                                     const void *what)
{
    size_t size = encode(NULL, 0, what);
    uint8_t *out = malloc(size + 1);
    assert_non_null(out);
    memset(out, 0xaa, size + 1);
    assert_int_equal(encode(out, size - 1, what), size);
    for (size_t i = 0; i <= size; i++)
        assert_int_equal(out[i], 0xaa);
    assert_int_equal(encode(out, size, what), size);
    assert_int_equal(out[size], 0xaa);
    free(out);
}

static size_t encode_header(uint8_t *out, size_t capacity, const void *type)
{
    return hectic_encode_header(out, capacity, type, 1);
}

static size_t encode_event(uint8_t *out, size_t capacity, const void *event)
{
    return hectic_encode_event(out, capacity, event);
}

static size_t encode_message(uint8_t *out, size_t capacity, const void *type)
{
    hectic_value text = {.bytes = (const uint8_t *)"hello", .length = 5};
    return hectic_encode_fields(out, capacity, type, 1, &text, 1);
}

static size_t encode_marker(uint8_t *out, size_t capacity, const void *unused)
{
    (void)unused;
    return hectic_encode_block_marker(out, capacity, 1, 24, 2, 3);
}

static size_t encode_end(uint8_t *out, size_t capacity, const void *unused)
{
    (void)unused;
    return hectic_encode_data_end(out, capacity);
}

static void capacity_is_respected(void **state)
{
    (void)state;
    hectic_event_type type = hectic_type_of(HECTIC_EVENT_USER_MSG);
    hectic_event event = {.declared = &type, .payload = (const uint8_t *)"hello", .size = 5};
    assert_respects_capacity(encode_header, &type);
    assert_respects_capacity(encode_event, &event);
    assert_respects_capacity(encode_message, &type);
    assert_respects_capacity(encode_marker, NULL);
    assert_respects_capacity(encode_end, NULL);
}

static const uint8_t bits[] = {8, 16, 32, 64}; /* by HECTIC_U8 … HECTIC_U64 */

static hectic_value random_value(hectic_wire wire, uint8_t text[64])
{
    if (wire <= HECTIC_U64)
        return (hectic_value){.number = random_next(&seed) >> (64 - bits[wire])};
    hectic_value value = {.bytes = text, .length = (uint32_t)(1 + random_below(&seed, 15))};
    if (wire == HECTIC_U32S) {
        value.number = value.length;
        value.length *= 4;
    }
    for (size_t i = 0; i < value.length; i++)
        text[i] = (uint8_t)(1 + random_below(&seed, 255));
    return value;
}

/* A shape's fields, encoded and found again; `extra` bytes more than the shape. */
static void check_fields(const hectic_shape *shape, size_t count, uint16_t extra)
{
    hectic_event_type type = {.number = shape->number, .shape = shape};
    type.size = shape->variable ? HECTIC_VARIABLE : (uint16_t)(shape->size + extra);
    uint8_t text[HECTIC_MAX_FIELDS][64];
    hectic_value in[HECTIC_MAX_FIELDS], found[HECTIC_MAX_FIELDS];
    for (size_t i = 0; i < count; i++)
        in[i] = random_value(shape->field[i].wire, text[i]);

    uint8_t out[2048];
    size_t size = hectic_encode_fields(out, sizeof out, &type, 42, in, count);
    size_t head = shape->variable ? 12 : 10;
    assert_in_range(size, head, sizeof out);
    size_t used;
    assert_int_equal(hectic_shape_walk(shape, out + head, size - head, found, &used), count);
    assert_false(hectic_shape_malformed(shape, out + head, size - head));
    assert_int_equal(used + (shape->variable ? 0 : extra), size - head);
    for (size_t i = used; i < size - head; i++)
        assert_int_equal(out[head + i], 0);
    for (size_t i = 0; i < count; i++) {
        assert_true(in[i].number == found[i].number);
        if (!in[i].bytes) continue;
        assert_int_equal(in[i].length, found[i].length);
        assert_memory_equal(in[i].bytes, found[i].bytes, in[i].length);
    }
}

static void every_shape_round_trips(void **state)
{
    (void)state;
    size_t count;
    const hectic_shape *shapes = hectic_catalogue(&count);
    for (const hectic_shape *shape = shapes; shape < shapes + count; shape++)
        for (int round = 0; round < 20; round++) {
            check_fields(shape, shape->field_count, 0);
            check_fields(shape, shape->field_count, 3);
            size_t fewer = shape->field_count;
            while (fewer > 0 && shape->field[fewer - 1].optional)
                check_fields(shape, --fewer, 0);
        }
}

static void fields_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const uint8_t text[65536] = "some\0text";
    uint8_t out[64];
    hectic_event_type thread = hectic_type_of(HECTIC_EVENT_CREATE_THREAD);
    hectic_event_type message = hectic_type_of(HECTIC_EVENT_USER_MSG);
    hectic_event_type counter = hectic_type_of(HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE);
    hectic_event_type string = hectic_type_of(HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING);
    hectic_event_type unknown = {.number = 999, .size = 4};

    hectic_value number = {.number = UINT64_C(1) << 32};
    assert_int_equal(hectic_encode_fields(out, 64, &thread, 0, &number, 1), 0);
    assert_int_equal(hectic_encode_fields(out, 64, &thread, 0, NULL, 0), 0);
    number.number--;
    assert_int_equal(hectic_encode_fields(out, 64, &thread, 0, &number, 1), 14);
    assert_int_equal(hectic_encode_fields(out, 64, &unknown, 0, &number, 1), 0);
    thread.size = 3;
    assert_int_equal(hectic_encode_fields(out, 64, &thread, 0, &number, 1), 0);

    hectic_value large = {.bytes = text, .length = 65536};
    assert_int_equal(hectic_encode_fields(out, 64, &message, 0, &large, 1), 0);
    large.length--;
    assert_int_equal(hectic_encode_fields(out, 64, &message, 0, &large, 1), 12 + 65535);

    hectic_value strings[] = {{.number = 1}, {.number = 2}, {.bytes = text, .length = 9}};
    assert_int_equal(hectic_encode_fields(out, 64, &string, 0, strings, 3), 0);
    strings[2].length = 4;
    assert_int_equal(hectic_encode_fields(out, 64, &string, 0, strings, 3), 12 + 1 + 8 + 5);

    hectic_value stack[] = {{.number = 1}, {.number = 2}, {.bytes = text, .length = 4 * 256}};
    assert_int_equal(hectic_encode_fields(out, 64, &counter, 0, stack, 3), 0);
    stack[2].length = 6;
    assert_int_equal(hectic_encode_fields(out, 64, &counter, 0, stack, 3), 0);
}

static void types_are_those_of_the_catalogue(void **state)
{
    (void)state;
    hectic_event_type type = hectic_type_of(HECTIC_EVENT_USER_MSG);
    assert_int_equal(type.number, 19);
    assert_int_equal(type.size, HECTIC_VARIABLE);
    assert_int_equal(type.description_length, strlen("User message"));
    assert_memory_equal(type.description, "User message", type.description_length);
    assert_int_equal(hectic_type_of(HECTIC_EVENT_BLOCK_MARKER).size, 14);
    assert_null(hectic_type_of(9999).shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_reverses_encoding),
        cmocka_unit_test(fixed_size_is_kept),
        cmocka_unit_test(capacity_is_respected),
        cmocka_unit_test(every_shape_round_trips),
        cmocka_unit_test(fields_that_do_not_fit_are_refused),
        cmocka_unit_test(types_are_those_of_the_catalogue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
