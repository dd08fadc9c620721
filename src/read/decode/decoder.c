/* The decoder: pieces of input in, items out.
 *
 * Complete items are delivered directly from the pushed piece. An item that is split at the end of
 * a piece is assembled in `held`, and delivered from there; bytes of the new piece held beyond it
 * are returned to the input. */
#include <hectic/decoder.h>

#include "read/decode/run.h"
#include "read/decode/step.h"

#include <stdlib.h>

enum state { IN_HEADER, IN_EVENTS, FAILED, SEARCHING };

struct hectic_decoder {
    enum state state;
    stepper at;
    hectic_header *header;
    const uint8_t *input; /* the rest of the pushed piece */
    size_t input_length;
    uint64_t position; /* of the next item */
    uint8_t *held;     /* the held bytes begin at held + held_start */
    size_t held_start;
    size_t held_length;
    size_t held_capacity;
    size_t held_new;  /* held bytes from the current piece */
    size_t held_done; /* held bytes that were delivered */
    size_t cursor;    /* the position up to which the header being assembled was parsed */
    size_t failed;    /* after an error: bytes that are known to contain no event */
    bool is_end;      /* no input follows for now */
    uint64_t skipped;
    hectic_error error;
};

hectic_decoder *hectic_decoder_new(void)
{
    hectic_decoder *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->at.cap = HECTIC_CAP_NONE;
    d->held_capacity = HECTIC_EVENT_MAX + PLAUSIBLE_MAX;
    d->held = malloc(d->held_capacity);
    if (d->held) return d;
    free(d);
    return NULL;
}

void hectic_decoder_free(hectic_decoder *d)
{
    if (!d) return;
    hectic_header_free(d->header);
    free(d->held);
    free(d);
}

void hectic_decoder_push(hectic_decoder *d, const void *bytes, size_t length)
{
    d->input = length > 0 ? bytes : (const uint8_t *)"";
    d->input_length = length;
    d->held_new = 0;
    d->is_end = length == 0;
}

static hectic_result fail(hectic_decoder *d, hectic_error error, size_t failed)
{
    d->error = error;
    d->failed = failed;
    d->state = FAILED;
    return HECTIC_ERROR;
}

/* Reserves `count` bytes after the held ones. False: out of memory. */
static bool reserve(hectic_decoder *d, size_t count)
{
    const size_t needed = d->held_length + count;
    if (d->held_start + needed <= d->held_capacity) return true;
    if (needed > d->held_capacity) {
        uint8_t *held = realloc(d->held, 2 * needed);
        if (!held) return false;
        d->held = held;
        d->held_capacity = 2 * needed;
    }
    memmove(d->held, d->held + d->held_start, d->held_length);
    d->held_start = 0;
    return true;
}

/* Moves up to `count` bytes of the input to the end of the held ones. False: out of memory. */
static bool hold(hectic_decoder *d, size_t count)
{
    if (count > d->input_length) count = d->input_length;
    if (count == 0) return true; /* the input may be NULL */
    if (!reserve(d, count)) return false;
    memcpy(d->held + d->held_start + d->held_length, d->input, count);
    d->held_length += count;
    d->held_new += count;
    d->input += count;
    d->input_length -= count;
    return true;
}

/* Removes the first `count` held bytes. The rest is returned to the current piece of input, if all
 * of it came from there. */
static void drop(hectic_decoder *d, size_t count)
{
    if (count == 0) return;
    d->held_length -= count;
    d->held_start += count;
    if (d->held_length > d->held_new) return;
    d->input -= d->held_length;
    d->input_length += d->held_length;
    d->held_start = d->held_length = d->held_new = 0;
}

/* The contiguous bytes of the next item. */
static const uint8_t *next_bytes(const hectic_decoder *d, size_t *length)
{
    *length = d->held_length ? d->held_length : d->input_length;
    return d->held_length ? d->held + d->held_start : d->input;
}

/* Advances past an item of `length` bytes, which stays in place until the next pull. */
static void advance(hectic_decoder *d, size_t length)
{
    d->position += length;
    if (d->held_length) {
        d->held_done = length;
    } else {
        d->input += length;
        d->input_length -= length;
    }
}

/* Advances past unreadable bytes. */
static void skip(hectic_decoder *d, size_t length)
{
    advance(d, length);
    d->skipped += length;
    drop(d, d->held_done);
    d->held_done = 0;
}

/* Of a damaged header, the valid types are skipped, since they contain no event. So bytes with many
 * beginnings of headers are searched only once. */
static hectic_result fail_header(hectic_decoder *d, hectic_error error)
{
    error.position += d->position;
    return fail(d, error, d->cursor > 0 ? d->cursor : 1);
}

static hectic_result pull_header(hectic_decoder *d)
{
    static const hectic_error no_memory = {.kind = HECTIC_NO_MEMORY};
    /* A header that may be split is assembled completely, up to the limit. */
    if (d->held_length && !hold(d, HECTIC_HEADER_MAX + 4096)) return fail_header(d, no_memory);
    size_t length;
    const uint8_t *bytes = next_bytes(d, &length);
    hectic_error error;
    size_t whole = header_measure(bytes, length, &d->cursor, &error);
    hectic_header *header = NULL;
    if (whole) hectic_header_parse(&header, bytes, whole, &error);
    if (error.kind != HECTIC_OK) return fail_header(d, error);
    if (whole == 0) {
        if (d->held_length == 0 && !hold(d, d->input_length)) return fail_header(d, no_memory);
        return HECTIC_PARTIAL;
    }
    advance(d, whole);
    hectic_header_free(d->header);
    d->header = header;
    d->at = step_outside(header);
    d->state = IN_EVENTS;
    return HECTIC_HEADER;
}

/* At bytes that are not an event: a further header, or damage. */
static hectic_result pull_unknown(hectic_decoder *d, const uint8_t *p, size_t length)
{
    if (may_begin_header(p, length)) {
        if (length < HEADER_BEGIN) return HECTIC_PARTIAL;
        d->state = IN_HEADER;
        d->cursor = 0;
        return hectic_decoder_pull(d, NULL);
    }
    return fail(d, step_error(&d->at, p, d->position), 1);
}

static hectic_result deliver(hectic_decoder *d, const uint8_t *p, size_t length,
                             hectic_event *event)
{
    uint16_t cap = step_over(&d->at, p, length);
    step_view(d->header, p, length, d->position, cap, event);
    advance(d, length);
    return HECTIC_GOT_EVENT;
}

/* How many bytes of the split item in `held` are needed for the next decision. */
static size_t bytes_needed(const hectic_decoder *d)
{
    if (d->held_length < 2) return 2;
    const uint8_t *held = d->held + d->held_start;
    size_t length = header_step(d->header, load16(held));
    if (length == STEP_UNDECLARED) return 8;
    if (length == STEP_VARIABLE && d->held_length < VARIABLE_HEAD) return VARIABLE_HEAD;
    if (length == STEP_VARIABLE) length = VARIABLE_HEAD + (size_t)load16(held + EVENT_HEAD);
    return d->held_length < length ? length : length + STEP_AHEAD;
}

static hectic_result pull_event(hectic_decoder *d, hectic_event *event)
{
    for (;;) {
        size_t length;
        const uint8_t *p = next_bytes(d, &length);
        size_t step = step_next(&d->at, p, length);
        if (step > STEP_UNKNOWN) return deliver(d, p, step, event);
        if (step == STEP_END_MARK) {
            advance(d, 2);
            return HECTIC_COMPLETE;
        }
        if (step == STEP_UNKNOWN) {
            hectic_result result = pull_unknown(d, p, length);
            if (result != HECTIC_PARTIAL) return result;
        }
        if (step == STEP_NEED_MORE && d->is_end) step = step_size(d->header, p, length);
        if (step > STEP_UNKNOWN) return deliver(d, p, step, event);
        if (d->input_length == 0) return HECTIC_PARTIAL;
        size_t more = d->held_length ? bytes_needed(d) - d->held_length : d->input_length;
        hold(d, more); /* cannot fail: `held` is large enough for any event */
    }
}

static hectic_result pull_search(hectic_decoder *d, hectic_event *event)
{
    for (;;) {
        size_t length;
        const uint8_t *p = next_bytes(d, &length);
        size_t passed = resync_next(d->header, p, length, false);
        bool found = length - passed >= PLAUSIBLE_MAX;
        skip(d, passed);
        if (found) {
            d->at = step_outside(d->header);
            d->state = IN_EVENTS;
            return pull_event(d, event);
        }
        if (d->input_length == 0) return HECTIC_PARTIAL;
        /* The rest is too short for a decision: keep it until more input follows. */
        hold(d, PLAUSIBLE_MAX); /* cannot fail either */
    }
}

/* Releases the item that was delivered last. */
static void settle(hectic_decoder *d)
{
    drop(d, d->held_done);
    d->held_done = 0;
}

const uint8_t *decoder_run(hectic_decoder *d, size_t *length, const stepper **at)
{
    settle(d);
    *at = &d->at;
    /* After the marker of an empty block only the next event has its cap. */
    bool in_one_place = d->state == IN_EVENTS && d->held_length == 0 &&
                        (d->at.remaining > 0 || d->at.cap == HECTIC_CAP_NONE);
    *length = in_one_place ? d->input_length : 0;
    if (d->at.remaining > 0 && (uint64_t)d->at.remaining < *length)
        *length = (size_t)d->at.remaining;
    return d->input;
}

void decoder_advance(hectic_decoder *d, size_t length)
{
    advance(d, length);
    step_advance(&d->at, length);
}

hectic_result hectic_decoder_pull(hectic_decoder *d, hectic_event *event)
{
    settle(d);
    switch (d->state) {
    case IN_HEADER: return pull_header(d);
    case IN_EVENTS: return pull_event(d, event);
    case SEARCHING: return pull_search(d, event);
    case FAILED: break;
    }
    return HECTIC_ERROR;
}

const hectic_header *hectic_decoder_header(const hectic_decoder *d)
{
    return d->header;
}

const hectic_error *hectic_decoder_error(const hectic_decoder *d)
{
    return &d->error;
}

void hectic_decoder_resync(hectic_decoder *d)
{
    /* Without a header, events cannot be recognized. */
    if (d->state != FAILED || !d->header) return;
    d->state = SEARCHING;
    skip(d, d->failed); /* or it would be found plausible again */
}

uint64_t hectic_decoder_skipped(const hectic_decoder *d)
{
    return d->skipped;
}

uint64_t hectic_decoder_position(const hectic_decoder *d)
{
    return d->position;
}

const uint8_t *hectic_decoder_tail(const hectic_decoder *d, size_t *length)
{
    *length = d->held_length - d->held_done;
    return d->held + d->held_start + d->held_done;
}

int64_t hectic_decoder_block_remaining(const hectic_decoder *d)
{
    return d->at.remaining;
}

void decoder_skip(hectic_decoder *d, uint64_t length)
{
    d->position += length;
    d->at = step_outside(d->header);
}
