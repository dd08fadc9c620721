/* event.h — what becomes of an event. */
#ifndef HECTIC_SRC_REDACT_EVENT_H
#define HECTIC_SRC_REDACT_EVENT_H

#include <hectic/transform.h>

/* Redacts the events of one log, in the order of its bytes. */
typedef struct redactor redactor;

/* `redacted` counts; but for `salvaged`. NULL: out of memory. */
redactor *redactor_new(const hectic_redaction *redaction, hectic_redacted *redacted);
void redactor_free(redactor *r);

/* Changes the payload, which is valid until the next call. False: the event is omitted, since it
 * is unknown. As salvage_options.change. */
bool redactor_event(void *redactor, hectic_event *event);

/* Called by redactor_event for each field that it has changed. */
typedef void (*redactor_changed)(void *user, const hectic_event *event, const hectic_field *field);
void redactor_on_change(redactor *r, redactor_changed changed, void *user);
uint64_t redactor_extra_bytes(const redactor *r); /* bytes behind fields, so far */

#endif
