/* The catalogue: invariants of every row, lookups, and finding fields in payloads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <hectic/catalogue.h>
#include <stdlib.h>
#include <string.h>

static const hectic_shape *shapes;
static size_t shape_count;

static bool has_field(const hectic_shape *shape, const char *name, size_t length)
{
    for (size_t i = 0; i < shape->field_count; i++)
        if (strlen(shape->field[i].name) == length &&
            memcmp(shape->field[i].name, name, length) == 0)
            return true;
    return false;
}

static void rows_are_in_order(void **state)
{
    (void)state;
    for (size_t i = 1; i < shape_count; i++) {
        assert_true(shapes[i - 1].number <= shapes[i].number);
        if (shapes[i - 1].number == shapes[i].number) {
            assert_string_equal(shapes[i - 1].name, shapes[i].name);
            assert_true(shapes[i - 1].size != shapes[i].size);
        } else {
            assert_ptr_equal(hectic_shape_by_number(shapes[i].number), &shapes[i]);
        }
    }
}

static void rows_are_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < shape_count; i++) {
        const hectic_shape *const s = &shapes[i];
        assert_true(*s->name && *s->label && *s->doc);
        assert_true(s->field_count <= HECTIC_MAX_FIELDS);
        assert_non_null(hectic_class_name(s->class_));
        bool seen_optional = false;
        size_t rests = 0;
        for (size_t f = 0; f < s->field_count; f++) {
            const hectic_field *const field = &s->field[f];
            assert_false(has_field(&(hectic_shape){.field = s->field, .field_count = (uint8_t)f},
                                   field->name, strlen(field->name)));
            assert_int_equal(strspn(field->name, "abcdefghijklmnopqrstuvwxyz_0123456789"),
                             strlen(field->name));
            assert_true(field->optional || !seen_optional);
            seen_optional = field->optional;
            rests += field->wire == HECTIC_TEXT || field->wire == HECTIC_LATIN1 ||
                     field->wire == HECTIC_TEXTS || field->wire == HECTIC_BYTES;
        }
        assert_true(rests <= 1);
        assert_true(!seen_optional || s->variable);
    }
}

/* Their JSON members would be duplicated. */
static void no_field_has_the_name_of_a_common_field(void **state)
{
    static const char *const taken[] = {"time",    "cap",   "event",     "type",
                                        "payload", "extra", "malformed", "description"};
    (void)state;
    for (size_t i = 0; i < shape_count; i++)
        for (size_t t = 0; t < sizeof taken / sizeof *taken; t++)
            assert_false(has_field(&shapes[i], taken[t], strlen(taken[t])));
}

static void texts_name_fields(void **state)
{
    static const char *const variants[] = {"x",    "inc", "pow2", "low16",  "digits",
                                           "dots", "caf", "stop", "filters"};
    (void)state;
    for (size_t i = 0; i < shape_count; i++) {
        const char *text = shapes[i].text;
        if (!text) continue;
        for (; (text = strchr(text, '{')); text++) {
            const size_t name = strcspn(text + 1, ":}"), all = strcspn(text + 1, "}");
            const char *const variant = text + 1 + name + 1;
            bool known = name == all;
            for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
                known |= strlen(variants[v]) == all - name - 1 &&
                         memcmp(variants[v], variant, all - name - 1) == 0;
            assert_true(known);
            assert_true(has_field(&shapes[i], text + 1, name) ||
                        strncmp(text, "{:filters}", 10) == 0);
        }
    }
}

/* The events of GHC's runtime. */
static void sizes_are_known(void **state)
{
    static const struct {
        const char *name;
        uint16_t declared, fields;
    } sizes[] = {
        {"CREATE_THREAD", 4, 1},
        {"STOP_THREAD", 10, 3},
        {"STOP_THREAD", 6, 2},
        {"MIGRATE_THREAD", 6, 2},
        {"BLOCK_MARKER", 14, 3},
        {"GC_START", 0, 0},
        {"GC_STATS_GHC", 58, 9},
        {"GC_STATS_GHC", 50, 8},
        {"SPARK_COUNTERS", 56, 7},
        {"HEAP_INFO_GHC", 38, 6},
        {"TASK_CREATE", 18, 3},
        {"TASK_MIGRATE", 12, 3},
        {"TASK_DELETE", 8, 1},
        {"WALL_CLOCK_TIME", 16, 3},
        {"MEM_RETURN", 16, 4},
        {"PERF_COUNTER", 20, 3},
        {"PERF_TRACEPOINT", 12, 2},
        {"NONMOVING_HEAP_CENSUS", 14, 4},
        {"NONMOVING_HEAP_CENSUS", 13, 4},
        {"CONC_MARK_END", 4, 1},
        {"TICKY_COUNTER_SAMPLE", 32, 4},
        {"HEAP_BIO_PROF_SAMPLE_BEGIN", 16, 2},
        {"SEND_MESSAGE", 19, 6},
        {"RECEIVE_MESSAGE", 23, 7},
        {"USER_MSG", 0xffff, 1},
        {"IPE", 0xffff, 7},
    };
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint16_t number = hectic_shape_by_name(sizes[i].name)->number;
        const hectic_shape *const shape = hectic_shape_find(number, sizes[i].declared);
        assert_non_null(shape);
        assert_int_equal(shape->variable, sizes[i].declared == 0xffff);
        if (!shape->variable) assert_int_equal(shape->size, sizes[i].declared);
        assert_int_equal(shape->field_count, sizes[i].fields);
    }
    assert_int_equal(hectic_shape_by_name("USER_MSG")->size, 0);
    assert_int_equal(hectic_shape_by_name("IPE")->size, 8 + 6);
    assert_int_equal(hectic_shape_by_name("PROF_SAMPLE_COST_CENTRE")->size, 13);
    assert_int_equal(hectic_shape_by_name("TICKY_COUNTER_DEF")->size, 12);
    assert_int_equal(hectic_shape_by_name("INTERN_STRING")->size, 4);
}

static void the_largest_shape_that_fits_is_found(void **state)
{
    (void)state;
    assert_int_equal(hectic_shape_find(2, 12)->size, 10);
    assert_int_equal(hectic_shape_find(2, 9)->size, 6);
    assert_null(hectic_shape_find(2, 5));
    assert_null(hectic_shape_find(2, 0xffff));
    assert_int_equal(hectic_shape_find(207, 14)->size, 14);
    assert_int_equal(hectic_shape_find(207, 13)->size, 13);
    assert_int_equal(hectic_shape_find(9, 0xfffe)->size, 0);
    assert_null(hectic_shape_find(19, 100));
    assert_true(hectic_shape_find(19, 0xffff)->variable);
    assert_null(hectic_shape_find(999, 0xffff));
    assert_null(hectic_shape_by_number(0xffff));
    for (size_t i = 0; i < shape_count; i++)
        assert_ptr_equal(
            hectic_shape_find(shapes[i].number, shapes[i].variable ? 0xffff : shapes[i].size),
            &shapes[i]);
}

static void names_are_found(void **state)
{
    (void)state;
    assert_int_equal(hectic_shape_by_name("gc-start")->number, HECTIC_EVENT_GC_START);
    assert_int_equal(hectic_shape_by_name("Stop_Thread")->size, 10);
    assert_null(hectic_shape_by_name("gc"));
    assert_null(hectic_shape_by_name("gc-start2"));
    assert_null(hectic_shape_by_name(""));
    for (hectic_class c = 0; c < HECTIC_CLASS_COUNT; c++) {
        assert_int_equal(hectic_class_by_name(hectic_class_name(c)), c);
        assert_non_null(hectic_class_flag(c));
    }
    assert_int_equal(hectic_class_by_name("Heap_Profile"), HECTIC_CLASS_HEAP_PROFILE);
    assert_int_equal(hectic_class_by_name("none"), HECTIC_CLASS_COUNT);
    assert_null(hectic_class_name(HECTIC_CLASS_COUNT));
    assert_string_equal(hectic_class_flag(HECTIC_CLASS_SCHEDULER), "+RTS -ls");
    assert_string_equal(hectic_class_flag(HECTIC_CLASS_COUNT), "");
    assert_string_equal(hectic_unit_name(HECTIC_UNIT_NS), "ns");
    assert_string_equal(hectic_unit_name(HECTIC_UNIT_NONE), "");
}

static void values_have_names(void **state)
{
    (void)state;
    assert_string_equal(hectic_enum_text(HECTIC_UNIT_STOP_STATUS, 5), "thread finished");
    assert_null(hectic_enum_text(HECTIC_UNIT_STOP_STATUS, 21));
    assert_string_equal(hectic_enum_text(HECTIC_UNIT_CAPSET_TYPE, 2), "CapsetOsProcess");
    assert_string_equal(hectic_enum_text(HECTIC_UNIT_CAPSET_TYPE, 0), "CapsetUnknown");
    assert_string_equal(hectic_enum_text(HECTIC_UNIT_CAPSET_TYPE, 4), "CapsetUnknown");
    assert_null(hectic_enum_text(HECTIC_UNIT_BREAKDOWN, 0));
    assert_string_equal(hectic_enum_text(HECTIC_UNIT_BREAKDOWN, 9), "era");
    assert_null(hectic_enum_text(HECTIC_UNIT_BREAKDOWN, 10));
    assert_null(hectic_enum_text(HECTIC_UNIT_MESSAGE_TAG, 0x4f));
    assert_string_equal(hectic_enum_text(HECTIC_UNIT_MESSAGE_TAG, 0x50), "Ready");
    assert_string_equal(hectic_enum_text(HECTIC_UNIT_MESSAGE_TAG, 0x5c), "Packet");
    assert_null(hectic_enum_text(HECTIC_UNIT_MESSAGE_TAG, 0x5d));
    assert_null(hectic_enum_text(HECTIC_UNIT_NS, 1));
}

/* A payload for the shape: numbers 1, 2, …, texts "ab", two Word32, and one byte too many. */
static size_t make_payload(const hectic_shape *shape, uint8_t *payload)
{
    size_t size = 0;
    for (size_t i = 0; i < shape->field_count; i++) {
        size_t width = 0;
        switch (shape->field[i].wire) {
        case HECTIC_U8: width = 1; break;
        case HECTIC_U16: width = 2; break;
        case HECTIC_U32: width = 4; break;
        case HECTIC_U64: width = 8; break;
        case HECTIC_STRING:
            memcpy(payload + size, "ab", 3);
            size += 3;
            continue;
        case HECTIC_U32S:
            memcpy(payload + size, "\2\0\0\0\7\0\0\0\10", 9);
            size += 9;
            continue;
        default:
            memcpy(payload + size, "ab", 2);
            size += 2;
            continue;
        }
        memset(payload + size, 0, width - 1);
        payload[size + width - 1] = (uint8_t)(i + 1);
        size += width;
    }
    return size;
}

/* Every payload of every shape, truncated at every byte, in memory of its exact size, so that
 * reading beyond it is detected. */
static void fields_are_found_in_short_payloads(void **state)
{
    (void)state;
    for (size_t i = 0; i < shape_count; i++) {
        const hectic_shape *const shape = &shapes[i];
        uint8_t whole[256];
        hectic_value value[HECTIC_MAX_FIELDS];
        size_t used;
        const size_t size = make_payload(shape, whole);
        size_t rest = 0;
        for (size_t f = 0; f < shape->field_count; f++)
            rest |= shape->field[f].wire == HECTIC_TEXT || shape->field[f].wire == HECTIC_TEXTS ||
                    shape->field[f].wire == HECTIC_LATIN1 || shape->field[f].wire == HECTIC_BYTES;
        for (size_t cut = 0; cut <= size; cut++) {
            uint8_t *const payload = malloc(cut + !cut);
            memcpy(payload, whole, cut);
            const size_t count = hectic_shape_walk(shape, payload, cut, value, &used);
            assert_true(used <= cut);
            for (size_t f = 0; f < count; f++) {
                assert_ptr_equal(value[f].field, &shape->field[f]);
                assert_true(value[f].bytes >= payload);
                assert_true(value[f].bytes + value[f].length <= payload + used);
                if (shape->field[f].wire <= HECTIC_U64 && !rest)
                    assert_int_equal(value[f].number, f + 1);
                if (shape->field[f].wire == HECTIC_U32S) assert_int_equal(value[f].number, 2);
                if (shape->field[f].wire == HECTIC_STRING)
                    assert_memory_equal(value[f].bytes, "ab", 3);
            }
            const bool malformed = hectic_shape_malformed(shape, payload, cut);
            if (count == shape->field_count)
                assert_false(malformed);
            else
                assert_int_equal(malformed, !(shape->field[count].optional && used == cut));
            if (cut < shape->size) assert_true(malformed);
            if (cut == size) {
                assert_int_equal(count, shape->field_count);
                assert_int_equal(used, size);
            }
            free(payload);
        }
        /* Additional bytes of a newer GHC. */
        if (!rest) {
            memset(whole + size, 0xee, 3);
            assert_int_equal(hectic_shape_walk(shape, whole, size + 3, value, &used),
                             shape->field_count);
            assert_int_equal(used, size);
        }
    }
}

static void texts_leave_room_for_the_following_fields(void **state)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t used;
    (void)state;
    const hectic_shape *const shape = hectic_shape_by_name("INTERN_STRING");
    assert_int_equal(hectic_shape_walk(shape, (const uint8_t *)"abc\0\0\0\5", 7, value, &used), 2);
    assert_int_equal(value[0].length, 3);
    assert_int_equal(value[1].number, 5);
    assert_int_equal(hectic_shape_walk(shape, (const uint8_t *)"\0\0\0\5", 4, value, NULL), 2);
    assert_int_equal(value[0].length, 0);
    assert_true(hectic_shape_malformed(shape, (const uint8_t *)"\0\0\5", 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_in_order),
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(no_field_has_the_name_of_a_common_field),
        cmocka_unit_test(texts_name_fields),
        cmocka_unit_test(sizes_are_known),
        cmocka_unit_test(the_largest_shape_that_fits_is_found),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(values_have_names),
        cmocka_unit_test(fields_are_found_in_short_payloads),
        cmocka_unit_test(texts_leave_room_for_the_following_fields),
    };
    shapes = hectic_catalogue(&shape_count);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
