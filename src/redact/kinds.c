/* kinds.c — see kinds.h. */
#include "redact/kinds.h"

#include <string.h>

const struct redact_kind_row redact_kinds[REDACT_KINDS] = {
#define KIND(NAME, name, team, performance, structure, meaning)                                    \
    {name, {HECTIC_##team, HECTIC_##performance, HECTIC_##structure}, meaning},
#include "redact/kinds.def"
#undef KIND
};

const struct redact_purpose redact_purposes[REDACT_PURPOSES] = {
    {"team",
     "for people who know the program: its environment and arguments are removed, and paths "
     "are shortened to their last part"},
    {"performance", "for anybody who helps with performance: structure, times and sizes; names of "
                    "functions, types and modules"},
    {"structure", "structure, times and sizes only: all names are replaced"},
};

const char *const redact_treatments[TREATMENTS] = {
    [HECTIC_KEEP] = "kept",
    [HECTIC_SHORTEN] = "shortened",
    [HECTIC_REPLACE] = "replaced",
    [HECTIC_DROP] = "removed",
};

/* A text of another unit is of kind OTHERS, so that new events reveal nothing. */
static const uint8_t kind_of_unit[HECTIC_UNITS] = {
    [HECTIC_UNIT_OS_THREAD] = 1 + REDACT_IDS,
    [HECTIC_UNIT_OS_PROCESS] = 1 + REDACT_IDS,
    [HECTIC_UNIT_SECONDS] = 1 + REDACT_CLOCK,
    [HECTIC_UNIT_WALL_CLOCK] = 1 + REDACT_CLOCK,
    [HECTIC_UNIT_ENVIRONMENT] = 1 + REDACT_ENVIRONMENT,
    [HECTIC_UNIT_ARGUMENTS] = 1 + REDACT_ARGUMENTS,
    [HECTIC_UNIT_RUNTIME] = 1 + REDACT_RUNTIME,
    [HECTIC_UNIT_MESSAGE] = 1 + REDACT_MESSAGES,
    [HECTIC_UNIT_MARKER] = 1 + REDACT_MARKERS,
    [HECTIC_UNIT_LABEL] = 1 + REDACT_LABELS,
    [HECTIC_UNIT_DATA] = 1 + REDACT_DATA,
    [HECTIC_UNIT_SELECTOR] = 1 + REDACT_SELECTORS,
    [HECTIC_UNIT_LOCATION] = 1 + REDACT_LOCATIONS,
    [HECTIC_UNIT_FUNCTION] = 1 + REDACT_FUNCTIONS,
    [HECTIC_UNIT_MODULE] = 1 + REDACT_MODULES,
    [HECTIC_UNIT_CLOSURE] = 1 + REDACT_TYPES,
    [HECTIC_UNIT_BAND] = 1 + REDACT_BANDS,
    [HECTIC_UNIT_COUNTER] = 1 + REDACT_COUNTERS,
    [HECTIC_UNIT_INTERNED] = 1 + REDACT_STRINGS,
};

enum redact_kind redact_kind_of(const hectic_field *field)
{
    if (kind_of_unit[field->unit]) return (enum redact_kind)(kind_of_unit[field->unit] - 1);
    const bool is_text = field->wire >= HECTIC_STRING && field->wire != HECTIC_U32S;
    return is_text ? REDACT_OTHERS : REDACT_NOTHING;
}

bool hectic_redaction_begin(hectic_redaction *redaction, const char *purpose)
{
    *redaction = (hectic_redaction){0};
    for (size_t i = 0; i < REDACT_PURPOSES; i++) {
        if (strcmp(redact_purposes[i].name, purpose) != 0) continue;
        for (size_t k = 0; k < REDACT_KINDS; k++)
            redaction->treatment[k] = redact_kinds[k].treatment[i];
        return true;
    }
    return false;
}

bool hectic_redaction_set(hectic_redaction *redaction, const char *kind, hectic_treatment treatment)
{
    for (size_t k = 0; k < REDACT_KINDS; k++) {
        if (strcmp(redact_kinds[k].name, kind) != 0) continue;
        redaction->treatment[k] = (uint8_t)treatment;
        return true;
    }
    return false;
}
