/* Batches hold the events of a decoder, whatever is damaged: of a decoder, and from place to place
 * up to the first item that is not an event. */
#include "fuzz.h"

static uint64_t buffer[HECTIC_BATCH_MIN / 8];

/* The event at *at of the batch, which it moves to the next one. */
static void is_next(size_t length, size_t *at, const hectic_event *event)
{
    const hectic_batch_event *record = (const void *)((const uint8_t *)buffer + *at);
    REQUIRE(*at + sizeof *record <= length && *at + hectic_batch_stride(record) <= length);
    REQUIRE(record->time == event->time && record->position == event->position);
    REQUIRE(record->type == event->type && record->size == event->size);
    REQUIRE(record->cap == event->cap);
    REQUIRE(event->size == 0 || memcmp(record + 1, event->payload, event->size) == 0);
    *at += hectic_batch_stride(record);
}

/* All events, with what follows them, beside another decoder. */
static void read_batches(const uint8_t *data, size_t length, hectic_filter *filter,
                         hectic_filter *same)
{
    hectic_decoder *batches = decoder_of(data, length), *events = decoder_of(data, length);
    hectic_event event;
    hectic_result result, expected = HECTIC_HEADER;
    do {
        size_t size, at = 0;
        result = hectic_decoder_batch(batches, filter, buffer, sizeof buffer, &size);
        while (at < size || result != HECTIC_GOT_EVENT) {
            expected = hectic_decoder_pull(events, &event);
            if (expected != HECTIC_GOT_EVENT) break;
            if (!same || hectic_filter_pass(same, &event)) is_next(size, &at, &event);
        }
        REQUIRE(at == size);
        if (result != HECTIC_GOT_EVENT) REQUIRE(result == expected);
        if (result != HECTIC_ERROR) continue;
        if (!hectic_decoder_header(batches)) break;
        hectic_decoder_resync(batches);
        hectic_decoder_resync(events);
    } while (result != HECTIC_PARTIAL);
    hectic_decoder_free(batches);
    hectic_decoder_free(events);
}

static void go_from_place_to_place(const uint8_t *data, size_t length)
{
    hectic_decoder *events = decoder_of(data, length);
    hectic_event event;
    hectic_place place = {0, HECTIC_CAP_NONE};
    size_t position = 0;
    bool is_damaged = false;
    hectic_result result = hectic_decoder_pull(events, &event);
    const hectic_header *header = hectic_decoder_header(events);
    if (result == HECTIC_HEADER) hectic_header_bytes(header, &position);
    if (result == HECTIC_HEADER) result = HECTIC_GOT_EVENT;
    while (result == HECTIC_GOT_EVENT) {
        size_t used, copied, at = 0;
        result = hectic_place_batch(header, &place, data + position, length - position, position,
                                    buffer, sizeof buffer, &used, &copied);
        while (at < copied && !is_damaged) {
            const hectic_result next = pull_to_end(events, &event);
            is_damaged = next == HECTIC_ERROR; /* a place knows less about its block */
            REQUIRE(is_damaged || next == HECTIC_GOT_EVENT);
            if (!is_damaged) is_next(copied, &at, &event);
        }
        position += used;
        REQUIRE(position <= length && (result != HECTIC_GOT_EVENT || used > 0));
    }
    hectic_decoder_free(events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    hectic_filter *filter[4];
    for (int i = 0; i < 4; i++) {
        filter[i] = hectic_filter_new();
        REQUIRE(filter[i]);
        hectic_filter_class(filter[i], HECTIC_CLASS_SCHEDULER);
        if (i >= 2) REQUIRE(hectic_filter_thread(filter[i], 3));
    }
    read_batches(data, length, NULL, NULL);
    read_batches(data, length, filter[0], filter[1]);
    read_batches(data, length, filter[2], filter[3]);
    go_from_place_to_place(data, length);
    for (int i = 0; i < 4; i++)
        hectic_filter_free(filter[i]);
    return 0;
}
