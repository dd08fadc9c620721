/* kinds.h — what a log can reveal, by kind (kinds.def), and what becomes of it. */
#ifndef HECTIC_SRC_REDACT_KINDS_H
#define HECTIC_SRC_REDACT_KINDS_H

#include <hectic/catalogue.h>
#include <hectic/transform.h>

enum redact_kind {
#define KIND(NAME, name, team, performance, structure, meaning) REDACT_##NAME,
#include "redact/kinds.def"
#undef KIND
    REDACT_KINDS,
    REDACT_NOTHING = REDACT_KINDS /* it reveals nothing */
};

enum { REDACT_PURPOSES = 3, TREATMENTS = HECTIC_DROP + 1 };

struct redact_kind_row {
    const char *name;
    uint8_t treatment[REDACT_PURPOSES]; /* enum hectic_treatment */
    const char *meaning;
};
extern const struct redact_kind_row redact_kinds[REDACT_KINDS];
extern const struct redact_purpose {
    const char *name, *meaning;
} redact_purposes[REDACT_PURPOSES];
extern const char *const redact_treatments[TREATMENTS];

/* The kind of a field: of a text, never REDACT_NOTHING. */
enum redact_kind redact_kind_of(const hectic_field *field);

#endif
