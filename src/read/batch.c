/* batch.c — see hectic/batch.h. */
#include <hectic/batch.h>

#include "read/decode/filter.h"
#include "read/decode/run.h"
#include "read/decode/step.h"
#include "read/survey.h"

#include <string.h>

enum { EVENTS_MAX = 1 << 20 /* looked at in a call */ };

/* What is copied into a buffer. */
struct batch {
    hectic_filter *filter;
    uint8_t *buffer;
    size_t capacity, length;
    size_t seen; /* events */
};

static bool has_room(const struct batch *batch)
{
    return batch->seen < EVENTS_MAX && batch->capacity - batch->length >= HECTIC_BATCH_MIN / 2 + 64;
}

/* `readable`: bytes of the payload that may be read, even if they are not part of it. */
static inline void put(struct batch *batch, const hectic_event *event, size_t readable)
{
    enum { SMALL = 16 };
    const hectic_shape *shape = event->declared->shape;
    uint8_t *at = batch->buffer + batch->length;
    /* Field by field: a record that is copied would be loaded before its stores have ended. */
    hectic_batch_event *record = (hectic_batch_event *)(void *)at;
    record->time = event->time;
    record->position = event->position;
    record->type = event->type;
    record->size = event->size;
    record->cap = event->cap;
    record->shape = !shape ? HECTIC_NO_SHAPE : shape->variable ? HECTIC_VARIABLE : shape->size;
    if (event->size <= SMALL && readable >= SMALL)
        memcpy(at + sizeof *record, event->payload, SMALL); /* faster than the exact size */
    else if (event->size > 0)
        memcpy(at + sizeof *record, event->payload, event->size);
    batch->length += hectic_batch_stride(record);
}

static void copy(struct batch *batch, const hectic_event *event)
{
    batch->seen++;
    if (!batch->filter || hectic_filter_pass(batch->filter, event)) put(batch, event, event->size);
}

/* The next item of what `from` is; its other arguments are `now`. */
typedef hectic_result next_item(void *from, uint64_t now, hectic_event *event);

static hectic_result take(void *from, next_item *next, uint64_t now, struct batch *batch,
                          size_t *length)
{
    hectic_event event;
    hectic_result result = HECTIC_GOT_EVENT;
    while (has_room(batch) && (result = next(from, now, &event)) == HECTIC_GOT_EVENT)
        copy(batch, &event);
    *length = batch->length;
    return result;
}

static hectic_result next_of_log(void *log, uint64_t now, hectic_event *event)
{
    (void)now;
    return hectic_log_next(log, event);
}

static hectic_result next_of_stream(void *stream, uint64_t now, hectic_event *event)
{
    return hectic_stream_pull(stream, now, event);
}

hectic_result hectic_log_batch(hectic_log *log, hectic_filter *filter, void *buffer,
                               size_t capacity, size_t *length)
{
    struct batch batch = {.filter = filter, .buffer = buffer, .capacity = capacity};
    log_want(log, filter ? filter_types(filter) : NULL);
    return take(log, next_of_log, 0, &batch, length);
}

/* The events of a run, as far as they are complete. */
static void take_run(hectic_decoder *decoder, struct batch *batch)
{
    size_t length, done = 0, step;
    hectic_event event;
    const stepper *at;
    const uint8_t *run = decoder_run(decoder, &length, &at);
    if (length == 0) return; /* and there may be no input at all */
    const uint64_t position = hectic_decoder_position(decoder);
    const uint8_t *const types = batch->filter ? filter_types(batch->filter) : NULL;
    while (has_room(batch) && (step = step_length(at, run + done, length - done)) > STEP_UNKNOWN) {
        const uint16_t type = event_type_at(run + done);
        if (type == HECTIC_EVENT_BLOCK_MARKER) break;
        if (types && !(types[type / 8] >> type % 8 & 1)) {
            done += step;
            batch->seen++;
            continue;
        }
        step_view(at->header, run + done, step, position + done, at->cap, &event);
        done += step;
        if (batch->filter)
            copy(batch, &event);
        else
            put(batch, &event, event.size + length - done);
    }
    if (done > 0) decoder_advance(decoder, done);
}

hectic_result hectic_decoder_batch(hectic_decoder *decoder, hectic_filter *filter, void *buffer,
                                   size_t capacity, size_t *length)
{
    struct batch batch = {.filter = filter, .buffer = buffer, .capacity = capacity};
    hectic_event event;
    hectic_result result = HECTIC_GOT_EVENT;
    while (has_room(&batch) && result == HECTIC_GOT_EVENT) {
        take_run(decoder, &batch);
        if (!has_room(&batch)) break;
        result = hectic_decoder_pull(decoder, &event);
        if (result == HECTIC_GOT_EVENT) copy(&batch, &event);
    }
    *length = batch.length;
    return result;
}

hectic_result hectic_stream_batch(hectic_stream *stream, uint64_t now, hectic_filter *filter,
                                  void *buffer, size_t capacity, size_t *length)
{
    struct batch batch = {.filter = filter, .buffer = buffer, .capacity = capacity};
    return take(stream, next_of_stream, now, &batch, length);
}

/* What follows at bytes that do not begin a complete event. */
static hectic_result other_item(size_t step, const uint8_t *at, size_t length)
{
    if (step == STEP_NEED_MORE) return HECTIC_PARTIAL;
    if (step == STEP_END_MARK) return HECTIC_COMPLETE;
    if (!may_begin_header(at, length)) return HECTIC_ERROR;
    return length < HEADER_BEGIN ? HECTIC_PARTIAL : HECTIC_HEADER;
}

hectic_result hectic_place_batch(const hectic_header *header, hectic_place *place,
                                 const void *bytes, size_t length, uint64_t position, void *buffer,
                                 size_t capacity, size_t *used, size_t *copied)
{
    *used = *copied = 0;
    if (length == 0) return HECTIC_PARTIAL; /* `bytes` may be NULL */
    const uint8_t *at = bytes, *const end = at + length;
    stepper stepper = {.header = header, .remaining = place->remaining, .cap = place->cap};
    struct batch batch = {.buffer = buffer, .capacity = capacity};
    hectic_result result = HECTIC_GOT_EVENT;
    /* A place does not know its block's times, nor whether more bytes follow. */
    const struct stepper any = {.header = header, .lasts = UINT64_MAX};
    while (result == HECTIC_GOT_EVENT) {
        const size_t step = step_length(&any, at, (size_t)(end - at));
        if (step <= STEP_UNKNOWN) {
            result = other_item(step, at, (size_t)(end - at));
            if (step == STEP_END_MARK) at += 2;
            break;
        }
        if (capacity - batch.length < step + sizeof(hectic_batch_event)) break;
        hectic_event event;
        const uint16_t cap = step_over(&stepper, at, step);
        step_view(header, at, step, position + (uint64_t)(at - (const uint8_t *)bytes), cap,
                  &event);
        copy(&batch, &event);
        at += step;
    }
    *place = (hectic_place){stepper.remaining, stepper.cap};
    *used = (size_t)(at - (const uint8_t *)bytes);
    *copied = batch.length;
    return result;
}
