/* Repairs a log: writes every event that the decoder finds, with correct framing, perhaps changed.
 */
#include "transform/salvage.h"

#include "format/header.h"
#include "read/decode/lost.h"
#include "read/decode/pass.h"
#include "transform/reblock.h"

#include <stdlib.h>

struct salvager {
    struct salvage_options options;
    hectic_decoder *decoder;
    reblock blocks;
    hectic_writer *writer;
    hectic_salvaged *result;
    const hectic_event_type *declared; /* by the section's header */
    hectic_event_type *types;          /* that are written: each in its place */
    hectic_error damage;               /* the current damage; HECTIC_OK: none */
    uint64_t skipped_before;           /* by the decoder, before that */
    struct lost lost;                  /* where the damage began */
    cap_times lost_caps;               /* of the section so far, for lost_messages */
    struct block_reach reach;
    /* As a message about it and its block are written; NULL: the section cannot have one. */
    const hectic_event_type *message, *marker;
    bool in_section; /* a header was written, but no end marker yet */
    bool complete;   /* the section has an end marker */
    bool usable;     /* a header declares events */
};

static void report(salvager *s, const hectic_error *error, uint64_t skipped)
{
    s->result->places_damaged++;
    s->result->bytes_lost += skipped;
    hectic_damage damage = {*error, skipped};
    if (s->options.lost) s->options.lost(s->options.lost_user, &damage);
}

/* The present block ends at `position`. */
static bool end_block(salvager *s, uint64_t position)
{
    const uint16_t cap = s->reach.cap;
    const uint64_t end = reach_end(&s->reach, position);
    if (cap == HECTIC_CAP_NONE || cap_times_raise_one(&s->lost_caps, cap, end)) return true;
    s->damage.kind = HECTIC_NO_MEMORY;
    return false;
}

/* Follows the caps of the section. */
static bool follow(salvager *s, const hectic_event *event)
{
    hectic_event_block_marker marker = {0};
    if (event->type != HECTIC_EVENT_BLOCK_MARKER || !event->declared->shape)
        return reach_event(&s->reach, event->cap, event->time), true;
    hectic_read_block_marker(event, &marker);
    const bool done = end_block(s, event->position);
    reach_begin(&s->reach, event->position, event->time, &marker);
    return done;
}

static bool begin_damage(salvager *s, const hectic_decoder *decoder)
{
    const reblock *block = &s->blocks;
    const uint64_t position = hectic_decoder_position(decoder);
    s->lost = lost_begin(position, block->declared ? block->remaining : 0, &s->reach);
    if (!end_block(s, position)) return false;
    s->damage = *hectic_decoder_error(decoder);
    s->skipped_before = hectic_decoder_skipped(decoder);
    return reblock_end(&s->blocks);
}

/* Writes a message about lost bytes, in a block of its own. */
static bool write_message(void *self, const struct lost_message *message)
{
    salvager *s = self;
    char text[LOST_TEXT];
    hectic_event event = {.time = message->time,
                          .payload = (const uint8_t *)text,
                          .declared = s->message,
                          .type = HECTIC_EVENT_LOG_MSG,
                          .size = lost_text(text, message->bytes),
                          .cap = message->cap};
    if (s->options.keep &&
        !s->options.keep(s->options.keep_user, hectic_decoder_header(s->decoder), &event))
        return true;
    if (s->options.change && !s->options.change(s->options.change_user, &event)) return true;
    if (!s->marker) return hectic_writer_event(s->writer, &event);
    return hectic_writer_begin_block(s->writer, s->marker, event.time, event.cap) &&
           hectic_writer_event(s->writer, &event) && hectic_writer_end_block(s->writer, event.time);
}

/* The search after damage has reached an item or the end; `unsearched` bytes were not searched.
 * `next`: the event there, or NULL. False: `write` has returned false. */
static bool end_damage(salvager *s, const hectic_decoder *decoder, uint64_t unsearched,
                       const hectic_event *next)
{
    if (s->damage.kind == HECTIC_OK) return true;
    const uint64_t bytes = hectic_decoder_skipped(decoder) - s->skipped_before + unsearched;
    report(s, &s->damage, bytes);
    const uint64_t position = next ? next->position : s->lost.position + bytes;
    s->damage.kind = HECTIC_OK;
    return bytes == 0 || !s->in_section || !s->message ||
           lost_messages(&s->lost, position, next ? next->time : 0, &s->lost_caps, write_message,
                         s);
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

/* Of a log that is changed, the header has the known types only, without unknown bytes. */
static bool write_known(salvager *s, size_t count)
{
    hectic_event_type *known = malloc((count + 1) * sizeof *known);
    if (!known) return s->damage.kind = HECTIC_NO_MEMORY, false;
    size_t all = 0;
    for (size_t i = 0; i < count; i++) {
        const hectic_shape *shape = s->declared[i].shape;
        if (!shape) continue;
        s->types[i] = hectic_type_of(shape->number);
        s->types[i].shape = shape;
        s->types[i].size = shape->variable ? HECTIC_VARIABLE : shape->size;
        known[all++] = s->types[i];
    }
    const bool written = hectic_writer_header(s->writer, known, all);
    free(known);
    return written;
}

/* The type as events of it are written. A header may declare it twice: one counts. */
static const hectic_event_type *written_type(const salvager *s, const hectic_header *header,
                                             uint16_t number)
{
    const hectic_event_type *type = hectic_header_type(header, number);
    return type && type->shape ? &s->types[type - s->declared] : NULL;
}

static bool begin_section(salvager *s, const hectic_decoder *decoder)
{
    if (!end_section(s)) return false;
    s->in_section = true;
    const hectic_header *header = hectic_decoder_header(decoder);
    const uint64_t position = hectic_decoder_position(decoder) - header->length;
    if (s->options.keep && !s->options.keep(s->options.keep_user, header, NULL)) return false;
    hectic_error defect;
    size_t count;
    for (size_t next = 0; header_defect(header, position, &next, &defect);)
        report(s, &defect, 0);
    s->declared = hectic_header_types(header, &count);
    s->usable |= count > 0;
    s->reach = (struct block_reach){.cap = HECTIC_CAP_NONE};
    cap_times_empty(&s->lost_caps);
    s->blocks.empty = NULL;
    s->message = s->marker = NULL;
    if (copy_types(s, header, count)) {
        s->message = written_type(s, header, HECTIC_EVENT_LOG_MSG);
        s->marker = written_type(s, header, HECTIC_EVENT_BLOCK_MARKER);
        return s->options.change ? write_known(s, count)
                                 : hectic_writer_header(s->writer, s->types, count);
    }
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
    if (!end_damage(s, decoder, 0, result == HECTIC_GOT_EVENT ? event : NULL)) return false;
    if (result == HECTIC_HEADER) return begin_section(s, decoder);
    if (result == HECTIC_COMPLETE) return s->complete = true;
    if (!follow(s, event)) return false;
    bool keep = !lose_malformed(s, event) &&
                (!s->options.keep ||
                 s->options.keep(s->options.keep_user, hectic_decoder_header(decoder), event));
    hectic_event written = *event;
    if (keep && s->options.change) keep = s->options.change(s->options.change_user, &written);
    s->result->events += keep;
    written.declared = &s->types[event->declared - s->declared];
    written.type = written.declared->number;
    return reblock_event(&s->blocks, &written, hectic_decoder_block_remaining(decoder), keep);
}

static bool salvage_drain(void *self)
{
    const salvager *s = self;
    return hectic_writer_drain(s->writer);
}

static const struct pass_consumer consumer = {.item = salvage_item, .drain = salvage_drain};

salvager *salvager_new(const struct salvage_options *options, hectic_salvaged *result)
{
    *result = (hectic_salvaged){0};
    salvager *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->options = *options;
    s->result = result;
    s->decoder = hectic_decoder_new();
    s->writer = hectic_writer_new(0, options->write, options->write_user);
    s->blocks = (reblock){
        .writer = s->writer, .keep_empty = !options->keep, .keep_times = options->change != NULL};
    if (s->decoder && s->writer) return s;
    salvager_free(s);
    return NULL;
}

void salvager_free(salvager *s)
{
    if (!s) return;
    hectic_decoder_free(s->decoder);
    hectic_writer_free(s->writer);
    cap_times_clear(&s->lost_caps);
    free(s->types);
    free(s);
}

bool salvager_piece(salvager *s, const void *bytes, size_t size, hectic_error *error)
{
    const pass_end end = pass_piece(s->decoder, &consumer, s, bytes, size);
    if (end == PASS_DONE && salvage_drain(s)) return true;
    *error = s->damage;
    return false;
}

/* A log without a header, or without types, is none. */
static bool is_log(const salvager *s, hectic_error *error)
{
    size_t there;
    hectic_decoder_tail(s->decoder, &there);
    if (!s->in_section)
        *error = (hectic_error){.kind = HECTIC_HEADER_TRUNCATED, .number = there};
    else if (!s->usable)
        *error = (hectic_error){.kind = HECTIC_NO_EVENT_TYPES};
    return s->in_section && s->usable;
}

bool salvager_end(salvager *s, hectic_error *error)
{
    if (!salvager_piece(s, NULL, 0, error) || !is_log(s, error)) return false;
    *error = (hectic_error){0};
    size_t tail;
    hectic_decoder_tail(s->decoder, &tail);
    if (s->damage.kind == HECTIC_OK) s->result->tail = tail;
    const bool told = end_damage(s, s->decoder, tail, NULL);
    const bool written = told && end_section(s) && hectic_writer_flush(s->writer);
    s->result->blocks_repaired = s->blocks.changed + s->blocks.omitted + s->blocks.added;
    s->result->events += s->blocks.added - s->blocks.omitted;
    return written;
}

static bool salvage(salvager *s, hectic_input *input, hectic_error *error)
{
    const pass_end end = pass_input(input, s->decoder, &consumer, s, error);
    if (end == PASS_STOPPED || end == PASS_UNUSABLE) {
        *error = s->damage;
        return false;
    }
    const hectic_error cut = *error; /* a read or decompression error */
    if (cut.kind != HECTIC_OK && !s->in_section) return false;
    if (!salvager_end(s, error)) return false;
    if (cut.kind != HECTIC_OK) report(s, &cut, 0);
    return true;
}

bool salvage_part(hectic_input *input, const struct salvage_options *options,
                  hectic_salvaged *salvaged, hectic_error *error)
{
    *error = (hectic_error){0};
    salvager *s = salvager_new(options, salvaged);
    if (!s) error->kind = HECTIC_NO_MEMORY;
    const bool saved = s && salvage(s, input, error);
    salvager_free(s);
    return saved;
}

bool hectic_salvage(hectic_input *input, hectic_write write, void *write_user,
                    hectic_lost_callback lost, void *lost_user, hectic_salvaged *salvaged,
                    hectic_error *error)
{
    const struct salvage_options options = {
        .write = write, .write_user = write_user, .lost = lost, .lost_user = lost_user};
    return salvage_part(input, &options, salvaged, error);
}
