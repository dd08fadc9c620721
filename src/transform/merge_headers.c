#include "transform/merge_headers.h"

#include "base/array.h"

#include <hectic/encoder.h>

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 1 << 16 };

/* A type of the merged header under construction. */
typedef struct type {
    hectic_event_type as;
    size_t next; /* the previous type with the same number, or NONE */
} type;

#define NONE SIZE_MAX

typedef struct header_merger {
    merged_headers *u;
    type *types;
    size_t count, capacity;
    size_t first[NUMBERS]; /* the first type with that number; NONE: no log declares it */
} header_merger;

static bool same_description(const hectic_event_type *a, const hectic_event_type *b)
{
    return a->description_length == b->description_length &&
           memcmp(a->description, b->description, a->description_length) == 0;
}

/* True if one type can represent both types with the same number. */
static bool is_compatible(const hectic_event_type *a, const hectic_event_type *b)
{
    if (a->shape || b->shape)
        return a->shape == b->shape && (a->size == HECTIC_VARIABLE) == (b->size == HECTIC_VARIABLE);
    return a->size == b->size && same_description(a, b);
}

/* The index of the merged type for a log's type; NONE: out of memory. */
static size_t add(header_merger *r, const hectic_event_type *of_log)
{
    size_t *first = &r->first[of_log->number];
    for (size_t i = *first; i != NONE; i = r->types[i].next) {
        hectic_event_type *as = &r->types[i].as;
        if (!is_compatible(as, of_log)) continue;
        if (of_log->size > as->size) as->size = of_log->size;
        return i;
    }
    if (!array_reserve(r->types, r->capacity, r->count + 1)) return NONE;
    r->types[r->count] = (type){*of_log, *first};
    return *first = r->count++;
}

static unsigned fields_known(const type *t)
{
    return t->as.shape ? t->as.shape->field_count + 1u : 0;
}

/* The next free number, or HECTIC_DATA_END. */
static uint32_t next_free(const header_merger *r, uint32_t number)
{
    while (number < HECTIC_DATA_END &&
           (r->first[number] != NONE || hectic_shape_by_number((uint16_t)number)))
        number++;
    return number;
}

/* Assigns each number to one type. */
static bool number_types(header_merger *r)
{
    uint32_t unused = MERGE_HEADERS_FREE;
    for (uint32_t number = 0; number < NUMBERS; number++) {
        size_t best = r->first[number];
        for (size_t i = best; i != NONE; i = r->types[i].next)
            if (fields_known(&r->types[i]) >= fields_known(&r->types[best])) best = i;
        for (size_t i = r->first[number]; i != NONE; i = r->types[i].next) {
            if (i == best) continue;
            unused = next_free(r, unused);
            if (unused == HECTIC_DATA_END) return false;
            r->types[i].as.number = (uint16_t)unused++;
        }
    }
    return true;
}

/* Collects the types of all logs, and in `place` the merged type of each. */
static bool add_all(header_merger *r, const hectic_header *const *headers, size_t **place)
{
    bool shifted = false;
    for (size_t log = 0; log < r->u->logs; log++) {
        size_t count;
        const hectic_event_type *types = hectic_header_types(headers[log], &count);
        place[log] = calloc(count + 1, sizeof *place[log]);
        if (!place[log]) return false;
        for (size_t i = 0; i < count; i++) {
            /* The last declaration of a number wins. */
            const hectic_event_type *counts = hectic_header_type(headers[log], types[i].number);
            if (!counts) continue;
            place[log][i] = add(r, counts);
            if (place[log][i] == NONE) return false;
        }
        shifted = shifted || hectic_header_shifted_stop_status(headers[log]);
    }
    /* The first indicates the usual stop statuses; blocks are always declared. */
    const hectic_event_type usual = hectic_type_of(HECTIC_EVENT_HACK_BUG_T9003);
    const hectic_event_type marker = hectic_type_of(HECTIC_EVENT_BLOCK_MARKER);
    return (!shifted || add(r, &usual) != NONE) && add(r, &marker) != NONE;
}

static bool make_header(header_merger *r, size_t *const *place, const hectic_header *const *headers)
{
    hectic_event_type *types = calloc(r->count, sizeof *types);
    if (!types) return false;
    for (size_t i = 0; i < r->count; i++)
        types[i] = r->types[i].as;
    r->u->header = hectic_header_new(types, r->count);
    free(types);
    if (!r->u->header) return false;
    for (size_t log = 0; log < r->u->logs; log++) {
        size_t count;
        hectic_header_types(headers[log], &count);
        r->u->type[log] = calloc(count + 1, sizeof *r->u->type[log]);
        if (!r->u->type[log]) return false;
        for (size_t i = 0; i < count; i++)
            r->u->type[log][i] =
                hectic_header_type(r->u->header, r->types[place[log][i]].as.number);
    }
    return true;
}

bool merge_header_types(merged_headers *u, const hectic_header *const *headers, size_t count)
{
    *u = (merged_headers){.logs = count, .type = calloc(count + 1, sizeof *u->type)};
    header_merger *r = calloc(1, sizeof *r);
    size_t **place = calloc(count + 1, sizeof *place);
    bool done = u->type && r && place;
    if (done) {
        r->u = u;
        for (size_t i = 0; i < NUMBERS; i++)
            r->first[i] = NONE;
        done = add_all(r, headers, place) && number_types(r) && make_header(r, place, headers);
    }
    for (size_t log = 0; place && log < count; log++)
        free(place[log]);
    free(place);
    if (r) free(r->types);
    free(r);
    if (!done) merged_headers_clear(u);
    return done;
}

void merged_headers_clear(merged_headers *u)
{
    for (size_t log = 0; u->type && log < u->logs; log++)
        free(u->type[log]);
    free(u->type);
    hectic_header_free(u->header);
    *u = (merged_headers){0};
}
