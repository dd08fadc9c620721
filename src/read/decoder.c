/* The decoder: pieces of input in, items out.
 *
 * Whole items are delivered straight from the pushed piece. An item that is cut at the end of a
 * piece is gathered in `held`, and delivered from there; what was held of the new piece beyond it
 * is given back. */
#include <hectic/decoder.h>

#include "read/run.h"
#include "read/step.h"

#include <stdlib.h>

enum state { IN_HEADER, IN_EVENTS, FAILED, SEARCHING };

struct hectic_decoder {
    enum state state;
    stepper at;
    hectic_header *header;
    const uint8_t *input; /* the rest of the pushed piece */
    size_t input_length;
    uint64_t position; /* of the next item's first byte */
    uint8_t *held;     /* what is held begins at held + held_start */
    size_t held_start;
    size_t held_length;
    size_t held_capacity;
    size_t held_new;  /* bytes of what is held that came from the current piece */
    size_t held_done; /* bytes of what is held that were delivered */
    size_t cursor;    /* how far the header being gathered is understood */
    size_t failed;    /* bytes that are known to hold no event, where an error is */
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
    d->input = bytes;
    d->input_length = length;
    d->held_new = 0;
}

static hectic_result fail(hectic_decoder *d, hectic_error error, size_t failed)
{
    d->error = error;
    d->failed = failed;
    d->state = FAILED;
    return HECTIC_ERROR;
}

/* Room for `count` bytes behind what is held. False: no memory. */
static bool make_room(hectic_decoder *d, size_t count)
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

/* Moves up to `count` bytes of the input behind what is held. False: no memory. */
static bool hold(hectic_decoder *d, size_t count)
{
    if (count > d->input_length) count = d->input_length;
    if (count == 0) return true; /* the input may be NULL */
    if (!make_room(d, count)) return false;
    memcpy(d->held + d->held_start + d->held_length, d->input, count);
    d->held_length += count;
    d->held_new += count;
    d->input += count;
    d->input_length -= count;
    return true;
}

/* Forgets the first `count` bytes that are held. What is left goes back to the piece of input that
 * it came from, if it all came from there. */
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

/* The bytes of the next item, as far as they are in one place. */
static const uint8_t *next_bytes(const hectic_decoder *d, size_t *length)
{
    *length = d->held_length ? d->held_length : d->input_length;
    return d->held_length ? d->held + d->held_start : d->input;
}

/* Goes on behind the item of `length` bytes, which stays in place until the next pull. */
static void pass(hectic_decoder *d, size_t length)
{
    d->position += length;
    if (d->held_length) {
        d->held_done = length;
    } else {
        d->input += length;
        d->input_length -= length;
    }
}

/* Goes on behind bytes that are given up. */
static void skip(hectic_decoder *d, size_t length)
{
    pass(d, length);
    d->skipped += length;
    drop(d, d->held_done);
    d->held_done = 0;
}

/* A failed header is given up as far as its types are sound: no event is in them. So bytes in which
 * headers begin again and again are looked through but once. */
static hectic_result fail_header(hectic_decoder *d, hectic_error error)
{
    error.position += d->position;
    return fail(d, error, d->cursor > 0 ? d->cursor : 1);
}

static hectic_result pull_header(hectic_decoder *d)
{
    static const hectic_error no_memory = {.kind = HECTIC_NO_MEMORY};
    /* A header that may be cut is gathered whole; more than the limit need not be looked at. */
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
    pass(d, whole);
    hectic_header_free(d->header);
    d->header = header;
    d->at = (stepper){.header = header, .cap = HECTIC_CAP_NONE};
    d->state = IN_EVENTS;
    return HECTIC_HEADER;
}

/* At bytes that are no event: a further header, or damage? */
static hectic_result pull_unknown(hectic_decoder *d, const uint8_t *p, size_t length)
{
    if (may_begin_header(p, length)) {
        if (length < HEADER_BEGIN) return HECTIC_PARTIAL;
        d->state = IN_HEADER;
        d->cursor = 0;
        return hectic_decoder_pull(d, NULL);
    }
    return fail(d,
                (hectic_error){.kind = HECTIC_UNDECLARED_EVENT,
                               .position = d->position,
                               .number = load16(p),
                               .expected = "an event type that the header declares"},
                1);
}

static hectic_result deliver(hectic_decoder *d, const uint8_t *p, size_t length,
                             hectic_event *event)
{
    uint16_t cap = step_over(&d->at, p, length);
    step_view(d->header, p, length, d->position, cap, event);
    pass(d, length);
    return HECTIC_GOT_EVENT;
}

/* How many bytes the cut item in held has to have before more can be said of it. */
static size_t wanted(const hectic_decoder *d)
{
    if (d->held_length < 2) return 2;
    const uint8_t *held = d->held + d->held_start;
    uint32_t step = header_step(d->header, load16(held));
    if (step == STEP_UNDECLARED) return 8;
    if (step > STEP_VARIABLE) return step;
    if (d->held_length < VARIABLE_HEAD) return VARIABLE_HEAD;
    return VARIABLE_HEAD + (size_t)load16(held + EVENT_HEAD);
}

static hectic_result pull_event(hectic_decoder *d, hectic_event *event)
{
    for (;;) {
        size_t length;
        const uint8_t *p = next_bytes(d, &length);
        size_t step = step_length(d->header, p, length);
        if (step > STEP_UNKNOWN) return deliver(d, p, step, event);
        if (step == STEP_END_MARK) {
            pass(d, 2);
            return HECTIC_COMPLETE;
        }
        if (step == STEP_UNKNOWN) {
            hectic_result result = pull_unknown(d, p, length);
            if (result != HECTIC_PARTIAL) return result;
        }
        if (d->input_length == 0) return HECTIC_PARTIAL;
        size_t more = d->held_length ? wanted(d) - d->held_length : d->input_length;
        hold(d, more); /* cannot fail: held has room for any event */
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
            d->at = (stepper){.header = d->header, .cap = HECTIC_CAP_NONE};
            d->state = IN_EVENTS;
            return pull_event(d, event);
        }
        if (d->input_length == 0) return HECTIC_PARTIAL;
        /* What is left is too short to judge: look at it together with what follows. */
        hold(d, PLAUSIBLE_MAX); /* cannot fail either */
    }
}

/* Lets go of the item that was delivered last. */
static void settle(hectic_decoder *d)
{
    drop(d, d->held_done);
    d->held_done = 0;
}

const uint8_t *decoder_run(hectic_decoder *d, size_t *length, uint16_t *cap)
{
    settle(d);
    *cap = d->at.cap;
    /* Behind the marker of an empty block the next event alone has its cap. */
    bool in_one_place = d->state == IN_EVENTS && d->held_length == 0 &&
                        (d->at.remaining > 0 || d->at.cap == HECTIC_CAP_NONE);
    *length = in_one_place ? d->input_length : 0;
    if (d->at.remaining > 0 && (uint64_t)d->at.remaining < *length)
        *length = (size_t)d->at.remaining;
    return d->input;
}

void decoder_advance(hectic_decoder *d, size_t length)
{
    pass(d, length);
    if (d->at.remaining != INT64_MAX) d->at.remaining -= (int64_t)length;
    if (d->at.remaining <= 0) d->at.cap = HECTIC_CAP_NONE;
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
    /* Without any header there is nothing to recognise events by. */
    if (d->state != FAILED || !d->header) return;
    d->state = SEARCHING;
    skip(d, d->failed); /* or it would be believed again */
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
