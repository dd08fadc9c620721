/* Typed readers: every event of the catalogue, in each shape, with all lengths of its payload. */
#include "emit.h"

#include <hectic/read_events.h>

/* What a reader has set, by the names of the fields. */
struct read {
    size_t count;
    const char *name[2 * HECTIC_MAX_FIELDS];
    hectic_value value[2 * HECTIC_MAX_FIELDS];
};

static void read_set(struct read *read, const char *name, hectic_value value)
{
    read->name[read->count] = name;
    read->value[read->count++] = value;
}

/* Reads any event. */
static bool read_call(const hectic_event *event, struct read *read)
{
    read->count = 0;
    switch (event->type) {
#include "read_calls.h"
    default: return true;
    }
}

static const hectic_value *find(const struct read *read, const char *name)
{
    for (size_t i = 0; i < read->count; i++)
        if (strcmp(read->name[i], name) == 0) return &read->value[i];
    return NULL;
}

static bool is_in(const hectic_shape *shape, const char *name)
{
    for (size_t i = 0; i < shape->field_count; i++)
        if (strcmp(shape->field[i].name, name) == 0) return true;
    return false;
}

/* The fields that are in the payload are as the catalogue finds them; others are 0 and empty. */
static void assert_fields(const struct read *read, const hectic_shape *shape,
                          const hectic_value *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const hectic_value *is = find(read, shape->field[i].name);
        assert_non_null(is);
        assert_int_equal(is->number, value[i].number);
        if (shape->field[i].wire <= HECTIC_U64) continue;
        assert_ptr_equal(is->bytes, value[i].bytes);
        assert_int_equal(is->length, value[i].length);
    }
    for (size_t i = 0; i < read->count; i++) {
        if (is_in(shape, read->name[i])) continue;
        assert_int_equal(read->value[i].number, 0);
        assert_int_equal(read->value[i].length, 0);
    }
}

static bool is_rest(hectic_wire wire)
{
    return wire == HECTIC_TEXT || wire == HECTIC_LATIN1 || wire == HECTIC_TEXTS ||
           wire == HECTIC_BYTES;
}

/* Where the fixed fields at the beginning end; with those after a text without an end of its own.
 */
static size_t fixed_size(const hectic_shape *shape)
{
    size_t size = 0;
    for (size_t i = 0; i < shape->field_count; i++)
        if (shape->field[i].wire <= HECTIC_U64)
            size += (size_t)1 << shape->field[i].wire;
        else if (!is_rest(shape->field[i].wire))
            return size;
    return size;
}

static const hectic_shape *smallest(uint16_t number)
{
    size_t count;
    const hectic_shape *shapes = hectic_catalogue(&count), *least = NULL;
    for (const hectic_shape *s = shapes; s < shapes + count; s++)
        if (s->number == number && (!least || s->size < least->size)) least = s;
    return least;
}

/* In memory of its exact size, so that reading beyond it is detected. */
static void read_part(const hectic_shape *shape, const uint8_t *whole, size_t size, size_t part)
{
    uint8_t *payload = malloc(part + !part);
    assert_non_null(payload);
    if (part > 0) memcpy(payload, whole, part);
    const hectic_event event = {.type = shape->number, .payload = payload, .size = (uint16_t)part};
    const hectic_shape *of_part =
        hectic_shape_find(shape->number, shape->variable ? 0xffff : (uint16_t)part);
    struct read read;
    hectic_value value[HECTIC_MAX_FIELDS];
    const bool is_read = read_call(&event, &read);
    if (part < fixed_size(smallest(shape->number))) {
        assert_int_equal(is_read, shape->field_count == 0);
    } else {
        const size_t count = hectic_shape_walk(of_part, payload, part, value, NULL);
        const bool has_list = of_part->field_count > 0 &&
                              of_part->field[of_part->field_count - 1].wire == HECTIC_U32S;
        assert_int_equal(is_read, !has_list || count == of_part->field_count);
        if (is_read) assert_fields(&read, of_part, value, count);
        if (part == size) assert_int_equal(count, of_part->field_count);
    }
    free(payload);
}

static void every_event_is_read_as_it_was_written(void **state)
{
    (void)state;
    enum { TIMES = 20, EXTRA = 3 };
    static struct values values;
    static uint8_t encoded[HECTIC_EVENT_MAX + EXTRA];
    size_t count;
    const hectic_shape *shapes = hectic_catalogue(&count);
    uint64_t random = 3;
    for (size_t i = 0; i < count * TIMES; i++) {
        const hectic_shape *shape = &shapes[i % count];
        const hectic_event_type type = {.number = shape->number,
                                        .size = shape->variable ? HECTIC_VARIABLE : shape->size,
                                        .shape = shape};
        values_fill(&values, shape, &random, 40);
        values.count = shape->field_count;
        const size_t size =
            hectic_encode_fields(encoded, HECTIC_EVENT_MAX, &type, 0, values.value, values.count);
        const size_t head = shape->variable ? 12 : 10;
        assert_true(size >= head);
        for (size_t part = 0; part <= size - head; part++)
            read_part(shape, encoded + head, size - head, part);
        memset(encoded + size, 0xee, EXTRA); /* of a newer version */
        if (!shape->variable) read_part(shape, encoded + head, 0, size - head + EXTRA);
    }
}

static void omitted_fields_are_empty(void **state)
{
    (void)state;
    static const uint8_t payload[] = "\0\0\0\0\0\0\0\7\0\2kinds\0name";
    hectic_event event = {.payload = payload, .size = sizeof payload};
    hectic_event_ticky_counter_def counter;
    assert_true(hectic_read_ticky_counter_def(&event, &counter));
    assert_int_equal(counter.counter, 7);
    assert_int_equal(counter.arity, 2);
    assert_int_equal(counter.kinds.length, 5);
    assert_int_equal(counter.name.length, 4);
    assert_int_equal(counter.info_table, 0);
    assert_int_equal(counter.json.length, 0);
    event.size--; /* without the NUL */
    assert_true(hectic_read_ticky_counter_def(&event, &counter));
    assert_int_equal(counter.name.length, 4);
    assert_memory_equal(counter.name.bytes, "name", 4);
}

static void old_shapes_are_read(void **state)
{
    (void)state;
    static const uint8_t stop[] = "\0\0\0\7\0\2\0\0\1\0", census[] = "\4\0\0\0\1\0\0\0\2\0\0\0\3\0";
    hectic_event event = {.payload = stop, .size = 6};
    hectic_event_stop_thread thread;
    assert_true(hectic_read_stop_thread(&event, &thread));
    assert_false(thread.has_info);
    assert_int_equal(thread.info, 0);
    event.size = 10;
    assert_true(hectic_read_stop_thread(&event, &thread));
    assert_true(thread.has_info);
    assert_int_equal(thread.info, 256);
    hectic_event_nonmoving_heap_census segments;
    event = (hectic_event){.payload = census, .size = 13};
    assert_true(hectic_read_nonmoving_heap_census(&event, &segments));
    assert_true(segments.has_log_block_size && !segments.has_block_size);
    assert_int_equal(segments.log_block_size, 4);
    assert_int_equal(segments.live_blocks, 3);
    event.size = 14;
    assert_true(hectic_read_nonmoving_heap_census(&event, &segments));
    assert_true(!segments.has_log_block_size && segments.has_block_size);
    assert_int_equal(segments.block_size, 1024);
}

static void replayed_events_are_read(void **state)
{
    (void)state;
    static const uint8_t payload[] = "\0\1\0\3\0\0\0\7", nested[] = "\7\317\0\3";
    const hectic_event sync = {.type = HECTIC_EVENT_SYNC,
                               .time = 9,
                               .cap = HECTIC_CAP_NONE,
                               .payload = payload,
                               .size = sizeof payload - 1};
    hectic_event replayed;
    uint32_t thread;
    assert_true(hectic_read_replayed(&sync, &replayed));
    assert_int_equal(replayed.type, HECTIC_EVENT_RUN_THREAD);
    assert_int_equal(replayed.cap, 3);
    assert_int_equal(replayed.time, 9);
    assert_true(hectic_read_thread(&replayed, &thread));
    assert_int_equal(thread, 7);
    hectic_event other = sync;
    other.size = 3;
    assert_false(hectic_read_replayed(&other, &replayed));
    other.payload = nested;
    other.size = sizeof nested - 1;
    assert_false(hectic_read_replayed(&other, &replayed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_is_read_as_it_was_written),
        cmocka_unit_test(omitted_fields_are_empty),
        cmocka_unit_test(old_shapes_are_read),
        cmocka_unit_test(replayed_events_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
