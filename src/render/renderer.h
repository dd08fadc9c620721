/* Shared by rendering as text and as JSON. */
#ifndef HECTIC_SRC_RENDERER_H
#define HECTIC_SRC_RENDERER_H

#include "format/stop_status.h"

#include <hectic/render.h>

typedef struct step step;

/* The compiled text of one event type. */
typedef struct text_program {
    const hectic_shape *shape;
    const step *steps; /* NULL: use the description in the header */
} text_program;

struct hectic_renderer {
    const hectic_header *header;
    bool shifted_stop_status;
    uint32_t count; /* of programs, which are indexed by the number of the event */
    step *steps;    /* of all programs */
    text_program programs[];
};

/* The event that a SYNC event replays. False: none, or the header does not declare its type in a
 * shape of the catalogue. */
bool find_replayed(const hectic_renderer *renderer, const hectic_event *event,
                   hectic_event *replayed);

/* Can the text of an event of a declared type contain these letters (a … z), in either case? True
 * also if that depends on its payload. */
bool renderer_may_have(const hectic_renderer *renderer, const hectic_event_type *type,
                       const char *letters, size_t length);

/* The name of an enumerated value, or a text with its number. */
char *put_enum(char *out, hectic_unit unit, uint64_t value);

/* The name of a field's value, if the field has an enumerated unit; otherwise nothing. */
char *put_name_of_value(char *out, const hectic_renderer *renderer, const hectic_value *value);

/* A field's value as JSON. */
char *put_json_value(char *out, const hectic_value *value);

/* A type of the header, as ghc-events lists it: "0: Create thread (size 4)". Returns the length, at
 * most 64 + 4 × description_length. */
size_t render_type(const hectic_event_type *type, char *out);

/* The event's fields alone, as an object; at most hectic_render_bound bytes. */
size_t render_json_payload(const hectic_renderer *renderer, const hectic_event *event, char *out);

#endif
