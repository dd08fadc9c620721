/* redact.c — a log without its secrets: repaired, with each event redacted. */
#include "redact/redact.h"

#include "base/buffer.h"
#include "redact/event.h"
#include "transform/salvage.h"

#include <stdlib.h>
#include <string.h>

/* Salvages the log with these options, and frees the redactor. */
static bool redact(redactor *r, hectic_input *input, const struct salvage_options *options,
                   hectic_redacted *redacted, hectic_error *error)
{
    *error = (hectic_error){.kind = r ? HECTIC_OK : HECTIC_NO_MEMORY};
    const bool done = r && salvage_part(input, options, &redacted->salvaged, error);
    redactor_free(r);
    return done;
}

bool hectic_redact(hectic_input *input, const hectic_redaction *redaction, hectic_write write,
                   void *write_user, hectic_lost_callback lost, void *lost_user,
                   hectic_redacted *redacted, hectic_error *error)
{
    redactor *r = redactor_new(redaction, redacted);
    const struct salvage_options options = {.write = write,
                                            .write_user = write_user,
                                            .lost = lost,
                                            .lost_user = lost_user,
                                            .change = redactor_event,
                                            .change_user = r};
    return redact(r, input, &options, redacted, error);
}

/* --- Checking -------------------------------------------------------------------------------- */

struct check {
    redactor *redactor;
    redact_found found;
    void *user;
};

static void on_change(void *user, const hectic_event *event, const hectic_field *field)
{
    const struct check *check = user;
    check->found(check->user, &(struct redact_finding){event->type, event, field});
}

/* Headers; all events pass. */
static bool check_header(void *user, const hectic_header *header, const hectic_event *event)
{
    const struct check *check = user;
    size_t count;
    const hectic_event_type *types = hectic_header_types(header, &count);
    for (size_t i = 0; i < count && !event; i++) {
        const hectic_shape *shape = types[i].shape;
        const hectic_event_type own = hectic_type_of(types[i].number);
        const bool is_own =
            shape && types[i].extra_length == 0 &&
            types[i].size == (shape->variable ? HECTIC_VARIABLE : shape->size) &&
            types[i].description_length == own.description_length &&
            memcmp(types[i].description, own.description, own.description_length) == 0;
        if (!is_own) check->found(check->user, &(struct redact_finding){.type = types[i].number});
    }
    return true;
}

static bool check_event(void *user, hectic_event *event)
{
    const struct check *check = user;
    const hectic_event before = *event;
    const uint64_t extra = redactor_extra_bytes(check->redactor);
    const bool is_known = redactor_event(check->redactor, event);
    if (!is_known || redactor_extra_bytes(check->redactor) > extra)
        check->found(check->user, &(struct redact_finding){.type = before.type, .event = &before});
    return is_known;
}

static bool write_nothing(void *user, const void *bytes, size_t length)
{
    (void)user, (void)bytes, (void)length;
    return true;
}

bool redact_check(hectic_input *input, const hectic_redaction *redaction, redact_found found,
                  void *found_user, hectic_lost_callback lost, void *lost_user,
                  hectic_redacted *redacted, hectic_error *error)
{
    struct check check = {redactor_new(redaction, redacted), found, found_user};
    if (check.redactor) redactor_on_change(check.redactor, on_change, &check);
    const struct salvage_options options = {.write = write_nothing,
                                            .lost = lost,
                                            .lost_user = lost_user,
                                            .keep = check_header,
                                            .keep_user = &check,
                                            .change = check_event,
                                            .change_user = &check};
    return redact(check.redactor, input, &options, redacted, error);
}

/* --- Pieces ---------------------------------------------------------------------------------- */

struct redact_stream {
    redactor *redactor;
    salvager *salvager;
    struct buffer ready;
    hectic_redacted redacted;
};

static bool keep_ready(void *user, const void *bytes, size_t length)
{
    struct buffer *ready = user;
    buffer_add(ready, bytes, length);
    return !ready->failed;
}

redact_stream *redact_stream_new(const hectic_redaction *redaction, hectic_lost_callback lost,
                                 void *lost_user)
{
    redact_stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->redactor = redactor_new(redaction, &s->redacted);
    const struct salvage_options options = {.write = keep_ready,
                                            .write_user = &s->ready,
                                            .lost = lost,
                                            .lost_user = lost_user,
                                            .change = redactor_event,
                                            .change_user = s->redactor};
    s->salvager = s->redactor ? salvager_new(&options, &s->redacted.salvaged) : NULL;
    if (s->salvager) return s;
    redact_stream_free(s);
    return NULL;
}

void redact_stream_free(redact_stream *s)
{
    if (!s) return;
    redactor_free(s->redactor);
    salvager_free(s->salvager);
    buffer_free(&s->ready);
    free(s);
}

/* Takes a piece, or the end of the log: NULL. */
const struct buffer *redact_stream_piece(redact_stream *s, const void *bytes, size_t size,
                                         hectic_error *error)
{
    *error = (hectic_error){0};
    s->ready.size = 0;
    const bool done =
        bytes ? salvager_piece(s->salvager, bytes, size, error) : salvager_end(s->salvager, error);
    if (!done && error->kind == HECTIC_OK) error->kind = HECTIC_NO_MEMORY;
    return done ? &s->ready : NULL;
}

/* --- An input -------------------------------------------------------------------------------- */

enum { PIECE = 1 << 17 };

struct redacting {
    hectic_input *input;
    redact_stream *stream;
    const struct buffer *ready; /* the bytes from `at` on were not read yet; NULL: nothing */
    size_t at;
    bool has_ended;
    hectic_lost_callback lost;
    void *lost_user;
    uint8_t piece[PIECE];
};

/* Damage of compressed data ends the log, as in hectic_salvage. */
static bool next_piece(struct redacting *r, hectic_error *error)
{
    const ptrdiff_t n = hectic_input_read(r->input, r->piece, sizeof r->piece, error);
    if (n < 0 && error->kind != HECTIC_COMPRESSION) return false;
    const hectic_damage cut = {.error = *error};
    r->at = 0;
    r->has_ended = n <= 0;
    r->ready =
        redact_stream_piece(r->stream, n > 0 ? r->piece : NULL, n > 0 ? (size_t)n : 0, error);
    if (r->ready && n < 0 && r->lost) r->lost(r->lost_user, &cut);
    return r->ready != NULL;
}

static ptrdiff_t read_redacted(void *user, void *buffer, size_t size, hectic_error *error)
{
    struct redacting *r = user;
    while (!r->has_ended && (!r->ready || r->at == r->ready->size))
        if (!next_piece(r, error)) return -1;
    const size_t left = r->ready ? r->ready->size - r->at : 0;
    if (size > left) size = left;
    if (size > 0) memcpy(buffer, r->ready->bytes + r->at, size);
    r->at += size;
    return (ptrdiff_t)size;
}

static void close_redacting(void *user)
{
    struct redacting *r = user;
    hectic_input_free(r->input);
    redact_stream_free(r->stream);
    free(r);
}

hectic_input *redact_input(hectic_input *input, const hectic_redaction *redaction,
                           hectic_lost_callback lost, void *lost_user)
{
    struct redacting *r = calloc(1, sizeof *r);
    if (!r) {
        hectic_input_free(input);
        return NULL;
    }
    r->input = input;
    r->lost = lost;
    r->lost_user = lost_user;
    r->stream = redact_stream_new(redaction, lost, lost_user);
    const hectic_reader reader = {.user = r, .read = read_redacted, .close = close_redacting};
    hectic_input *redacted = r->stream ? hectic_input_from_reader(&reader) : NULL;
    if (!redacted) close_redacting(r);
    return redacted;
}
