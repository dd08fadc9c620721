/* Copies a log or a part of it. */
#include "transform/copy.h"

#include "read/decode/coverage.h"
#include "read/decode/pass.h"
#include "transform/reblock.h"

#include <hectic/read_events.h>

typedef struct copier {
    reblock blocks;
    hectic_writer *writer;
    hectic_write write;
    void *write_user;
    hectic_keep_callback keep;
    void *keep_user;
    copy_prologue prologue;
    bool complete; /* an end marker was held back until the end of its section */

    /* Of a copy that ends at a time, in the section: */
    uint64_t to;
    uint64_t last;                   /* the latest event */
    struct coverage coverage;        /* what is known of each cap */
    cap_times written;               /* the caps that are in the copy */
    const hectic_event_type *marker; /* NULL: no block yet */
    hectic_event_block_marker block; /* the present one */
    bool out_of_memory;
} copier;

bool hectic_is_context(const hectic_event *event)
{
    const hectic_shape *shape = event->declared->shape;
    return shape && (shape->definition || shape->class_ == HECTIC_CLASS_PROCESS);
}

/* A block's end is known when all of its events are there. */
static bool note_block(copier *c, const hectic_event *event, int64_t remaining)
{
    if (event->type == HECTIC_EVENT_BLOCK_MARKER && hectic_read_block_marker(event, &c->block))
        c->marker = event->declared;
    if (!c->marker) return true;
    return coverage_block(&c->coverage, c->block.cap_no,
                          remaining > 0 ? event->time : c->block.end_time);
}

static bool note_event(copier *c, const hectic_event *event, int64_t remaining, bool keep)
{
    if (event->time > c->last) c->last = event->time;
    return note_block(c, event, remaining) &&
           (!coverage_needs(event->declared->shape) || coverage_event(&c->coverage, event)) &&
           (!keep || event->cap == HECTIC_CAP_NONE ||
            cap_times_raise_one(&c->written, event->cap, event->time));
}

static bool copy_event(copier *c, const hectic_decoder *decoder, const hectic_event *event)
{
    if (!c->keep) return hectic_writer_event(c->writer, event);
    const bool keep =
        c->keep(c->keep_user, hectic_decoder_header(decoder), event) && event->time < c->to;
    const int64_t remaining = hectic_decoder_block_remaining(decoder);
    c->out_of_memory = c->to < UINT64_MAX && !note_event(c, event, remaining, keep);
    return !c->out_of_memory && reblock_event(&c->blocks, event, remaining, keep);
}

/* A partial copy has its end marker after all events of a section, so that it does not split a
 * block; a complete copy has it at its place. */
static bool copy_end_marker(copier *c)
{
    if (!c->keep) return hectic_writer_data_end(c->writer);
    return c->complete = true;
}

/* Up to when the cap is written, if later than `last`, its last event in the copy: to the time of
 * the cut, but not beyond what is known of it. 0: nowhere. */
static uint64_t end_of_cap(const copier *c, uint16_t cap, uint64_t last)
{
    uint64_t ended, known;
    uint64_t end = c->to < c->last ? c->to : c->last;
    if (cap_times_get(&c->coverage.ended, cap, &ended) && ended <= end) return 0;
    if (!c->complete && coverage_of_cap(&c->coverage, cap, &known) && known < end) end = known;
    return end > last ? end : 0;
}

/* An excerpt says by blocks without events that nothing happened on a cap up to its end. */
static bool end_caps(copier *c)
{
    bool written = true;
    for (uint32_t i = 0; i < c->written.count && c->last >= c->to; i++) {
        const cap_time *cap = &c->written.of[i];
        const uint64_t end = end_of_cap(c, cap->cap, cap->time);
        if (c->marker && end > 0)
            written = written && hectic_writer_begin_block(c->writer, c->marker, end, cap->cap) &&
                      hectic_writer_end_block(c->writer, end);
    }
    coverage_clear(&c->coverage);
    cap_times_clear(&c->written);
    c->last = 0;
    c->marker = NULL;
    return written;
}

static bool end_section(copier *c)
{
    const bool ended = reblock_end(&c->blocks) && end_caps(c);
    const bool complete = c->complete;
    c->complete = false;
    return ended && (!complete || hectic_writer_data_end(c->writer));
}

static bool copy_item(void *self, const hectic_decoder *decoder, hectic_result result,
                      const hectic_event *event)
{
    copier *c = self;
    if (result == HECTIC_GOT_EVENT) return copy_event(c, decoder, event);
    if (result == HECTIC_COMPLETE) return copy_end_marker(c);
    if (result == HECTIC_ERROR || !end_section(c)) return false;
    const hectic_header *header = hectic_decoder_header(decoder);
    if (c->keep && !c->keep(c->keep_user, header, NULL)) return false;
    size_t count;
    const hectic_event_type *types = hectic_header_types(header, &count);
    return hectic_writer_header(c->writer, types, count) &&
           (!c->prologue || c->prologue(c->keep_user, header, c->writer, &c->written));
}

/* After what the writer has buffered. */
static bool copy_tail(const copier *c, const hectic_decoder *decoder, hectic_error *error)
{
    size_t length;
    const uint8_t *tail = hectic_decoder_tail(decoder, &length);
    if (hectic_decoder_header(decoder))
        return c->keep || length == 0 || c->write(c->write_user, tail, length);
    if (error->kind == HECTIC_OK)
        *error = (hectic_error){.kind = HECTIC_HEADER_TRUNCATED, .number = length};
    return false;
}

static bool copy_drain(void *self)
{
    const copier *c = self;
    return hectic_writer_drain(c->writer);
}

/* If copying fails, everything before the failure is written. */
static bool copy(copier *c, hectic_input *input, hectic_decoder *decoder, hectic_error *error)
{
    static const struct pass_consumer consumer = {.item = copy_item, .drain = copy_drain};
    const pass_end end = pass_input(input, decoder, &consumer, c, error);
    if (c->out_of_memory) error->kind = HECTIC_NO_MEMORY;
    /* A failing prologue has set *error already. */
    if (end == PASS_STOPPED && error->kind == HECTIC_OK) *error = *hectic_decoder_error(decoder);
    const bool ended = end_section(c);
    const bool written = hectic_writer_flush(c->writer) && ended;
    return end == PASS_DONE && written && copy_tail(c, decoder, error);
}

bool copy_part(hectic_input *input, uint64_t to, hectic_keep_callback keep, copy_prologue prologue,
               void *user, hectic_write write, void *write_user, hectic_error *error)
{
    *error = (hectic_error){0};
    hectic_writer *writer = hectic_writer_new(0, write, write_user);
    hectic_decoder *decoder = hectic_decoder_new();
    bool copied = false;
    if (writer && decoder) {
        copier c = {
            .blocks = {.writer = writer},
            .writer = writer,
            .write = write,
            .write_user = write_user,
            .keep = keep,
            .keep_user = user,
            .prologue = prologue,
            .to = to,
        };
        copied = copy(&c, input, decoder, error);
    } else {
        error->kind = HECTIC_NO_MEMORY;
    }
    hectic_decoder_free(decoder);
    hectic_writer_free(writer);
    return copied;
}

bool hectic_copy(hectic_input *input, hectic_keep_callback keep, void *keep_user,
                 hectic_write write, void *write_user, hectic_error *error)
{
    return copy_part(input, UINT64_MAX, keep, NULL, keep_user, write, write_user, error);
}
