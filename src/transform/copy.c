/* Copies a log or a part of it. */
#include "transform/copy.h"

#include "read/decode/pass.h"
#include "transform/reblock.h"

typedef struct copier {
    reblock blocks;
    hectic_writer *writer;
    hectic_keep_callback keep;
    void *keep_user;
    copy_prologue prologue;
    bool complete; /* an end marker was held back until the end of its section */
} copier;

bool hectic_is_context(const hectic_event *event)
{
    const hectic_shape *shape = event->declared->shape;
    return shape && (shape->definition || shape->class_ == HECTIC_CLASS_PROCESS);
}

static bool copy_event(copier *c, const hectic_decoder *decoder, const hectic_event *event)
{
    if (!c->keep) return hectic_writer_event(c->writer, event);
    bool keep = c->keep(c->keep_user, hectic_decoder_header(decoder), event);
    return reblock_event(&c->blocks, event, hectic_decoder_block_remaining(decoder), keep);
}

/* A partial copy has its end marker after all events of a section, so that it does not split a
 * block; a complete copy has it at its place. */
static bool copy_end_marker(copier *c)
{
    if (!c->keep) return hectic_writer_data_end(c->writer);
    return c->complete = true;
}

static bool end_section(copier *c)
{
    bool complete = c->complete;
    c->complete = false;
    return reblock_end(&c->blocks) && (!complete || hectic_writer_data_end(c->writer));
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
           (!c->prologue || c->prologue(c->keep_user, header, c->writer));
}

static bool copy_tail(copier *c, const hectic_decoder *decoder, hectic_error *error)
{
    size_t length;
    const uint8_t *tail = hectic_decoder_tail(decoder, &length);
    if (hectic_decoder_header(decoder))
        return c->keep || hectic_writer_bytes(c->writer, tail, length);
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
    /* A failing prologue has set *error already. */
    if (end == PASS_STOPPED && error->kind == HECTIC_OK) *error = *hectic_decoder_error(decoder);
    const bool written = end_section(c);
    if (end == PASS_DONE && written)
        return copy_tail(c, decoder, error) && hectic_writer_flush(c->writer);
    hectic_writer_flush(c->writer);
    return false;
}

bool copy_part(hectic_input *input, hectic_keep_callback keep, copy_prologue prologue, void *user,
               hectic_write write, void *write_user, hectic_error *error)
{
    *error = (hectic_error){0};
    hectic_writer *writer = hectic_writer_new(0, write, write_user);
    hectic_decoder *decoder = hectic_decoder_new();
    bool copied = false;
    if (writer && decoder) {
        copier c = {
            .blocks = {.writer = writer},
            .writer = writer,
            .keep = keep,
            .keep_user = user,
            .prologue = prologue,
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
    return copy_part(input, keep, NULL, keep_user, write, write_user, error);
}
