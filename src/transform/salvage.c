/* Repairs a log: writes every event that the decoder finds, with correct framing. */
#include "transform/salvage.h"

#include "format/header.h"
#include "read/decode/pass.h"
#include "transform/reblock.h"

#include <stdlib.h>

typedef struct salvager {
    reblock blocks;
    hectic_writer *writer;
    hectic_lost_callback lost;
    void *lost_user;
    hectic_keep_callback keep; /* NULL: all */
    void *keep_user;
    hectic_salvaged *result;
    const hectic_event_type *declared; /* by the section's header */
    hectic_event_type *types;          /* that are written: each in its place */
    hectic_error damage;               /* the current damage; HECTIC_OK: none */
    uint64_t skipped_before;           /* by the decoder, before that */
    bool in_section;                   /* a header was written, but no end marker yet */
    bool complete;                     /* the section has an end marker */
    bool usable;                       /* a header declares events */
} salvager;

static void report(salvager *s, const hectic_error *error, uint64_t skipped)
{
    s->result->places_damaged++;
    s->result->bytes_lost += skipped;
    hectic_damage damage = {*error, skipped};
    if (s->lost) s->lost(s->lost_user, &damage);
}

static bool begin_damage(salvager *s, const hectic_decoder *decoder)
{
    s->damage = *hectic_decoder_error(decoder);
    s->skipped_before = hectic_decoder_skipped(decoder);
    return reblock_end(&s->blocks);
}

/* The search after damage has reached an item or the end; `unsearched` bytes were not searched. */
static void end_damage(salvager *s, const hectic_decoder *decoder, uint64_t unsearched)
{
    if (s->damage.kind == HECTIC_OK) return;
    report(s, &s->damage, hectic_decoder_skipped(decoder) - s->skipped_before + unsearched);
    s->damage.kind = HECTIC_OK;
}

/* Writes the end marker after all events of a section, wherever it was before; none if there was
 * none: the program may have logged more. */
static bool end_section(salvager *s)
{
    if (!s->in_section) return true;
    s->in_section = false;
    const bool has_end = s->complete;
    s->result->end_missing |= !has_end;
    s->complete = false;
    return reblock_end(&s->blocks) && (!has_end || hectic_writer_data_end(s->writer));
}

/* Copies the types. One with an impossible size gets a free number, as one that is unknown: its
 * events stay complete. False: no memory. */
static bool copy_types(salvager *s, const hectic_header *header, size_t count)
{
    enum { FIRST_FREE = 1000 };
    uint16_t number = FIRST_FREE;
    free(s->types);
    s->types = malloc((count + 1) * sizeof *s->types);
    if (!s->types) return false;
    for (size_t i = 0; i < count; i++) {
        s->types[i] = s->declared[i];
        if (s->declared[i].shape || !hectic_shape_by_number(s->declared[i].number)) continue;
        while (number < HECTIC_DATA_END && hectic_header_type(header, number))
            number++;
        s->types[i].number = number++;
    }
    return true;
}

static bool begin_section(salvager *s, const hectic_decoder *decoder)
{
    if (!end_section(s)) return false;
    s->in_section = true;
    const hectic_header *header = hectic_decoder_header(decoder);
    const uint64_t position = hectic_decoder_position(decoder) - header->length;
    if (s->keep && !s->keep(s->keep_user, header, NULL)) return false;
    hectic_error defect;
    for (size_t next = 0; header_defect(header, position, &next, &defect);)
        report(s, &defect, 0);
    size_t count;
    s->declared = hectic_header_types(header, &count);
    s->usable |= count > 0;
    if (copy_types(s, header, count)) return hectic_writer_header(s->writer, s->types, count);
    s->damage.kind = HECTIC_NO_MEMORY;
    return false;
}

/* Omits a malformed event: it was misread, or is damaged. */
static bool lose_malformed(salvager *s, const hectic_event *event)
{
    const hectic_shape *shape = event->declared->shape;
    if (!shape || !hectic_shape_malformed(shape, event->payload, event->size)) return false;
    const hectic_error error = {
        .kind = HECTIC_MALFORMED_EVENT, .position = event->position, .number = event->type};
    report(s, &error, hectic_encode_event(NULL, 0, event));
    return true;
}

static bool salvage_item(void *self, const hectic_decoder *decoder, hectic_result result,
                         const hectic_event *event)
{
    salvager *s = self;
    if (result == HECTIC_ERROR) return begin_damage(s, decoder);
    end_damage(s, decoder, 0);
    if (result == HECTIC_HEADER) return begin_section(s, decoder);
    if (result == HECTIC_COMPLETE) return s->complete = true;
    const bool keep = !lose_malformed(s, event) &&
                      (!s->keep || s->keep(s->keep_user, hectic_decoder_header(decoder), event));
    s->result->events += keep;
    hectic_event written = *event;
    written.declared = &s->types[event->declared - s->declared];
    written.type = written.declared->number;
    return reblock_event(&s->blocks, &written, hectic_decoder_block_remaining(decoder), keep);
}

static bool salvage_end(salvager *s, const hectic_decoder *decoder)
{
    size_t tail;
    hectic_decoder_tail(decoder, &tail);
    if (s->damage.kind == HECTIC_OK) s->result->tail = tail;
    end_damage(s, decoder, tail);
    bool written = end_section(s) && hectic_writer_flush(s->writer);
    s->result->blocks_repaired = s->blocks.changed;
    return written;
}

static bool salvage_drain(void *self)
{
    const salvager *s = self;
    return hectic_writer_drain(s->writer);
}

static bool salvage(salvager *s, hectic_input *input, hectic_decoder *decoder, hectic_error *error)
{
    static const struct pass_consumer consumer = {.item = salvage_item, .drain = salvage_drain};
    const pass_end end = pass_input(input, decoder, &consumer, s, error);
    if (end == PASS_STOPPED || end == PASS_UNUSABLE) {
        *error = s->damage;
        return false;
    }
    const bool is_cut_short = error->kind != HECTIC_OK; /* a read or decompression error */
    if (!s->in_section) {
        if (is_cut_short) return false;
        size_t there;
        hectic_decoder_tail(decoder, &there);
        *error = (hectic_error){.kind = HECTIC_HEADER_TRUNCATED, .number = there};
        return false;
    }
    if (!s->usable) {
        error->kind = HECTIC_NO_EVENT_TYPES;
        return false;
    }
    if (!salvage_end(s, decoder)) return false;
    if (is_cut_short) report(s, error, 0);
    *error = (hectic_error){0};
    return true;
}

bool salvage_part(hectic_input *input, hectic_keep_callback keep, void *keep_user,
                  hectic_write write, void *write_user, hectic_lost_callback lost, void *lost_user,
                  hectic_salvaged *salvaged, hectic_error *error)
{
    *error = (hectic_error){0};
    *salvaged = (hectic_salvaged){0};
    hectic_writer *writer = hectic_writer_new(0, write, write_user);
    hectic_decoder *decoder = hectic_decoder_new();
    bool saved = false;
    if (writer && decoder) {
        salvager s = {
            .blocks = {.writer = writer, .keep_empty = !keep},
            .writer = writer,
            .lost = lost,
            .lost_user = lost_user,
            .keep = keep,
            .keep_user = keep_user,
            .result = salvaged,
        };
        saved = salvage(&s, input, decoder, error);
        free(s.types);
    } else {
        error->kind = HECTIC_NO_MEMORY;
    }
    hectic_decoder_free(decoder);
    hectic_writer_free(writer);
    return saved;
}

bool hectic_salvage(hectic_input *input, hectic_write write, void *write_user,
                    hectic_lost_callback lost, void *lost_user, hectic_salvaged *salvaged,
                    hectic_error *error)
{
    return salvage_part(input, NULL, NULL, write, write_user, lost, lost_user, salvaged, error);
}
