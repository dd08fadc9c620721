/* Batches hold the events of a decoder, a log and a stream, whatever the pieces of the input; their
 * layout, and that of what the Haskell package reads, is fixed. */
#include "logs.h"

#include <hectic/hectic.h>

/* haskell/hectic/src/Hectic/Internal has these numbers. */
_Static_assert(sizeof(void *) != 8 ||
                   (sizeof(hectic_batch_event) == 24 && sizeof(hectic_place) == 16),
               "");
_Static_assert(offsetof(hectic_batch_event, position) == 8 &&
                   offsetof(hectic_batch_event, type) == 16 &&
                   offsetof(hectic_batch_event, size) == 18 &&
                   offsetof(hectic_batch_event, cap) == 20 &&
                   offsetof(hectic_batch_event, shape) == 22,
               "");
_Static_assert(offsetof(hectic_place, cap) == 8, "");
_Static_assert(HECTIC_UNIT_STOP_STATUS == 20, "");
_Static_assert(HECTIC_CLASS_PROCESS == 0 && HECTIC_CLASS_FRAMING == 15, "");
_Static_assert(sizeof(void *) != 8 ||
                   (sizeof(hectic_error) == 32 && offsetof(hectic_error, position) == 8),
               "");
_Static_assert(sizeof(void *) != 8 ||
                   (sizeof(hectic_log_options) == 48 && offsetof(hectic_log_options, to) == 8),
               "");
_Static_assert(sizeof(void *) != 8 ||
                   (sizeof(hectic_damage) == 40 && offsetof(hectic_damage, skipped) == 32),
               "");
_Static_assert(sizeof(void *) != 8 ||
                   (sizeof(hectic_event) == 40 && offsetof(hectic_event, payload) == 16 &&
                    offsetof(hectic_event, declared) == 24 && offsetof(hectic_event, type) == 32),
               "");
_Static_assert(sizeof(void *) != 8 || (sizeof(hectic_event_type) == 40 &&
                                       offsetof(hectic_event_type, description_length) == 4 &&
                                       offsetof(hectic_event_type, description) == 16 &&
                                       offsetof(hectic_event_type, shape) == 32),
               "");
_Static_assert(offsetof(hectic_shape, variable) == 2 && offsetof(hectic_shape, size) == 4, "");
_Static_assert(sizeof(void *) != 8 ||
                   (sizeof(hectic_section) == 64 && offsetof(hectic_section, events) == 16 &&
                    offsetof(hectic_section, first_time) == 24 &&
                    offsetof(hectic_section, last_time) == 32 &&
                    offsetof(hectic_section, complete) == 40 &&
                    offsetof(hectic_section, covered_to) == 48),
               "");
_Static_assert(offsetof(hectic_survey, sections) == sizeof(void *), "");
_Static_assert(sizeof(void *) != 8 || offsetof(hectic_survey, cut_off) == 96, "");
_Static_assert(sizeof(void *) != 8 || (sizeof(hectic_table_options) == 48 &&
                                       offsetof(hectic_table_options, from) == 8 &&
                                       offsetof(hectic_table_options, has_process) == 24 &&
                                       offsetof(hectic_table_options, process) == 28),
               "");
_Static_assert(sizeof(void *) != 8 ||
                   (sizeof(hectic_stream_options) == 24 && sizeof(hectic_stream_state) == 72 &&
                    offsetof(hectic_stream_state, skipped) == 56),
               "");

static uint64_t buffer[HECTIC_BATCH_MIN / 8];

/* The next event of the batch at *at is this one. */
static void is_next(size_t length, size_t *at, const hectic_event *event)
{
    assert_true(*at < length);
    const hectic_batch_event *record = (const void *)((const uint8_t *)buffer + *at);
    assert_int_equal(record->time, event->time);
    assert_int_equal(record->position, event->position);
    assert_int_equal(record->type, event->type);
    assert_int_equal(record->cap, event->cap);
    assert_int_equal(record->size, event->size);
    const hectic_shape *shape = event->declared->shape;
    assert_ptr_equal(shape, record->shape == HECTIC_NO_SHAPE
                                ? NULL
                                : hectic_shape_find(record->type, record->shape));
    if (event->size > 0) assert_memory_equal(record + 1, event->payload, event->size);
    *at += hectic_batch_stride(record);
}

/* --- Decoders -------------------------------------------------------------------------------- */

/* Batches of a decoder that gets pieces of a size, beside another decoder. */
static void decode_in_pieces(const struct bytes *log, size_t piece, hectic_filter *filter,
                             hectic_filter *same)
{
    hectic_decoder *batches = hectic_decoder_new(), *events = hectic_decoder_new();
    hectic_event event;
    hectic_result result = HECTIC_PARTIAL, expected;
    for (size_t begin = 0; begin < log->length; begin += piece) {
        const size_t size = log->length - begin < piece ? log->length - begin : piece;
        hectic_decoder_push(batches, log->data + begin, size);
        hectic_decoder_push(events, log->data + begin, size);
        do {
            size_t length, at = 0;
            result = hectic_decoder_batch(batches, filter, buffer, sizeof buffer, &length);
            while ((expected = hectic_decoder_pull(events, &event)) == HECTIC_GOT_EVENT) {
                if (!same || hectic_filter_pass(same, &event)) is_next(length, &at, &event);
                if (at == length && result == HECTIC_GOT_EVENT) break;
            }
            assert_int_equal(at, length);
            assert_int_equal(result, expected);
            if (result == HECTIC_ERROR) {
                hectic_decoder_resync(batches);
                hectic_decoder_resync(events);
                if (!hectic_decoder_header(batches)) result = HECTIC_PARTIAL;
            }
        } while (result != HECTIC_PARTIAL);
    }
    hectic_decoder_free(batches);
    hectic_decoder_free(events);
}

static void decode(const char *name, const struct bytes *log)
{
    (void)name;
    static const size_t pieces[] = {1 << 30, 4096, 37};
    for (size_t i = 0; i < 3; i++)
        decode_in_pieces(log, pieces[i], NULL, NULL);
    for (int threads = 0; threads < 2; threads++) {
        hectic_filter *filter[2];
        for (int i = 0; i < 2; i++) {
            filter[i] = hectic_filter_new();
            hectic_filter_class(filter[i], HECTIC_CLASS_GC);
            if (threads) assert_true(hectic_filter_thread(filter[i], 3));
        }
        /* With the last event that passes, the batch may go on. */
        size_t length;
        hectic_decoder *decoder = hectic_decoder_new(), *events = hectic_decoder_new();
        hectic_decoder_push(decoder, log->data, log->length);
        hectic_decoder_push(events, log->data, log->length);
        hectic_result result = HECTIC_HEADER, expected;
        while (result == HECTIC_HEADER || result == HECTIC_GOT_EVENT) {
            size_t at = 0;
            hectic_event event;
            result = hectic_decoder_batch(decoder, filter[0], buffer, sizeof buffer, &length);
            while (at < length) {
                expected = hectic_decoder_pull(events, &event);
                assert_true(expected == HECTIC_GOT_EVENT || expected == HECTIC_HEADER);
                if (expected == HECTIC_GOT_EVENT && hectic_filter_pass(filter[1], &event))
                    is_next(length, &at, &event);
            }
        }
        hectic_event event;
        do {
            expected = hectic_decoder_pull(events, &event);
            if (expected == HECTIC_GOT_EVENT) assert_false(hectic_filter_pass(filter[1], &event));
        } while (expected == HECTIC_GOT_EVENT || expected == HECTIC_HEADER);
        hectic_decoder_free(decoder);
        hectic_decoder_free(events);
        for (int i = 0; i < 2; i++)
            hectic_filter_free(filter[i]);
    }
}

static void decoders(void **state)
{
    (void)state;
    for_each_log(1 << 20, decode);
}

/* --- Logs ------------------------------------------------------------------------------------ */

static hectic_log *open_log(const char *name)
{
    hectic_error error;
    hectic_input *input = hectic_input_open(name, &error);
    return input ? hectic_log_open(input, NULL, &error) : NULL;
}

/* All events of a class, by both ways to read, twice: the second time all events. */
static void read_log(const char *name, const struct bytes *bytes)
{
    (void)bytes;
    hectic_log *batches = open_log(name), *events = open_log(name);
    assert_int_equal(!batches, !events);
    if (!batches) return;
    for (int all = 0; all < 2; all++) {
        hectic_filter *filter = hectic_filter_new(), *same = hectic_filter_new();
        if (!all) hectic_filter_class(filter, HECTIC_CLASS_SCHEDULER);
        if (!all) hectic_filter_class(same, HECTIC_CLASS_SCHEDULER);
        hectic_log_rewind(batches);
        hectic_log_rewind(events);
        hectic_result result = HECTIC_HEADER;
        hectic_event event;
        while (result == HECTIC_HEADER || result == HECTIC_GOT_EVENT) {
            size_t length, at = 0;
            result = hectic_log_batch(batches, all ? NULL : filter, buffer, sizeof buffer, &length);
            while (at < length) {
                const hectic_result next = hectic_log_next(events, &event);
                assert_true(next == HECTIC_GOT_EVENT || next == HECTIC_HEADER);
                if (next == HECTIC_GOT_EVENT && hectic_filter_pass(same, &event))
                    is_next(length, &at, &event);
            }
        }
        hectic_result rest;
        do {
            rest = hectic_log_next(events, &event);
            if (rest == HECTIC_GOT_EVENT) assert_false(hectic_filter_pass(same, &event));
        } while (rest == HECTIC_GOT_EVENT || rest == HECTIC_HEADER);
        assert_int_equal(result, rest);
        hectic_filter_free(filter);
        hectic_filter_free(same);
    }
    hectic_log_free(batches);
    hectic_log_free(events);
}

static void logs(void **state)
{
    (void)state;
    for_each_log(1 << 20, read_log);
}

/* --- Places ---------------------------------------------------------------------------------- */

/* From place to place, with a small buffer, as a decoder; each step twice. */
static void step(const char *name, const struct bytes *log)
{
    (void)name;
    hectic_decoder *events = hectic_decoder_new();
    hectic_decoder_push(events, log->data, log->length);
    hectic_event event;
    hectic_place place = {0, HECTIC_CAP_NONE};
    size_t position = 0;
    hectic_result expected = hectic_decoder_pull(events, &event), result = HECTIC_GOT_EVENT;
    if (expected != HECTIC_HEADER) {
        hectic_decoder_free(events);
        return;
    }
    const hectic_header *header = hectic_decoder_header(events);
    hectic_header_bytes(header, &position);
    size_t none[2] = {1, 1};
    assert_int_equal(hectic_place_batch(header, &place, NULL, 0, position, buffer, sizeof buffer,
                                        &none[0], &none[1]),
                     HECTIC_PARTIAL);
    assert_int_equal(none[0] + none[1], 0);
    while (result == HECTIC_GOT_EVENT) {
        size_t used, copied, used_again, copied_again, at = 0;
        hectic_place again = place;
        for (size_t capacity = 256; capacity <= sizeof buffer; capacity = sizeof buffer) {
            hectic_place before = place;
            hectic_place_batch(header, &before, log->data + position, log->length - position,
                               position, buffer, capacity, &used_again, &copied_again);
            result =
                hectic_place_batch(header, &again, log->data + position, log->length - position,
                                   position, buffer, capacity, &used, &copied);
            assert_int_equal(used, used_again);
            assert_int_equal(copied, copied_again);
            assert_int_equal(again.remaining, before.remaining);
            assert_int_equal(again.cap, before.cap);
            if (copied > 0 || result != HECTIC_GOT_EVENT || capacity == sizeof buffer) break;
        }
        place = again;
        while (at < copied) {
            hectic_result next = hectic_decoder_pull(events, &event);
            if (next == HECTIC_PARTIAL) hectic_decoder_push(events, NULL, 0);
            if (next == HECTIC_PARTIAL) next = hectic_decoder_pull(events, &event);
            assert_int_equal(next, HECTIC_GOT_EVENT);
            is_next(copied, &at, &event);
        }
        position += used;
    }
    if (result != HECTIC_HEADER) assert_int_equal(hectic_decoder_pull(events, &event), result);
    hectic_decoder_free(events);
}

static void places(void **state)
{
    (void)state;
    for_each_log(1 << 20, step);
}

/* --- Streams --------------------------------------------------------------------------------- */

/* Batches of a stream, beside another one, of a log that arrives in pieces of 1,000 bytes each
 * millisecond. */
static void stream_in_pieces(const char *name, const struct bytes *log)
{
    (void)name;
    enum { PIECE = 1000, MS = 1000000 };
    if (log->length == 0) return;
    hectic_stream *batches = hectic_stream_new(NULL), *events = hectic_stream_new(NULL);
    hectic_event event;
    for (size_t at = 0, now = 0; at <= log->length; at += PIECE, now += MS) {
        const size_t size = log->length - at < PIECE ? log->length - at : PIECE;
        hectic_result result = HECTIC_GOT_EVENT;
        hectic_stream_push(batches, log->data + at, size, now);
        hectic_stream_push(events, log->data + at, size, now);
        if (size < PIECE) {
            hectic_stream_end(batches);
            hectic_stream_end(events);
        }
        while (result != HECTIC_PARTIAL) {
            size_t length, next = 0;
            result = hectic_stream_batch(batches, now, NULL, buffer, sizeof buffer, &length);
            while (next < length) {
                assert_int_equal(hectic_stream_pull(events, now, &event), HECTIC_GOT_EVENT);
                is_next(length, &next, &event);
            }
            if (result != HECTIC_GOT_EVENT)
                assert_int_equal(hectic_stream_pull(events, now, &event), result);
        }
    }
    hectic_stream_free(batches);
    hectic_stream_free(events);
}

static void streams(void **state)
{
    (void)state;
    for_each_log(1 << 20, stream_in_pieces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoders),
        cmocka_unit_test(logs),
        cmocka_unit_test(places),
        cmocka_unit_test(streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
