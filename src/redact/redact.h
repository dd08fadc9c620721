/* redact.h — redacts and checks logs: see hectic_redact. */
#ifndef HECTIC_SRC_REDACT_REDACT_H
#define HECTIC_SRC_REDACT_REDACT_H

#include "base/buffer.h"
#include "redact/kinds.h"

/* An input with what `input` has, redacted while it is read; it owns `input` from now on, and uses
 * `redaction` until it is freed. It has no damage, but `lost` is called, and may be NULL. NULL: out
 * of memory; `input` is freed. */
hectic_input *redact_input(hectic_input *input, const hectic_redaction *redaction,
                           hectic_lost_callback lost, void *lost_user);

/* The same for a log that arrives in pieces. NULL: out of memory. */
typedef struct redact_stream redact_stream;
redact_stream *redact_stream_new(const hectic_redaction *redaction, hectic_lost_callback lost,
                                 void *lost_user);
void redact_stream_free(redact_stream *s);

/* Takes bytes of the log; its end, if they are NULL. Returns all that is complete, valid until the
 * next call: of headers and whole blocks, these. NULL: *error. */
const struct buffer *redact_stream_piece(redact_stream *s, const void *bytes, size_t size,
                                         hectic_error *error);

/* Calls `found` for each field that redacting would change; with `field` NULL for other places: an
 * event of an unknown type or with unknown bytes, or a type of a header that has unknown bytes, or
 * another description than the catalogue (then `event` is NULL, and `type` the type's number). As
 * hectic_redact, which writes nothing. */
struct redact_finding {
    uint16_t type;
    const hectic_event *event;
    const hectic_field *field;
};
typedef void (*redact_found)(void *user, const struct redact_finding *finding);
bool redact_check(hectic_input *input, const hectic_redaction *redaction, redact_found found,
                  void *found_user, hectic_lost_callback lost, void *lost_user,
                  hectic_redacted *redacted, hectic_error *error);

#endif
