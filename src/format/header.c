/* Headers: measured incrementally, parsed once, written back unchanged. */
#include "format/header.h"
#include "format/event_bytes.h"

#include <stdlib.h>

/* The bytes of an event type except its description and extra info. */
enum { TYPE_FIXED_BYTES = 20, HEADER_TAIL_BYTES = 12, HEADER_HEAD_BYTES = 8 };

static size_t fail(hectic_error *error, hectic_error_kind kind, size_t at, uint64_t found,
                   const char *expected)
{
    *error = (hectic_error){.kind = kind, .position = at, .number = found, .expected = expected};
    return 0;
}

/* True if the word at `at` is the expected mark. An incomplete word must be a prefix of it. */
static bool mark_is(const uint8_t *bytes, size_t length, size_t at, uint32_t mark)
{
    uint8_t expected[4];
    store32(expected, mark);
    size_t here = at < length ? length - at : 0;
    return here == 0 || memcmp(bytes + at, expected, here < 4 ? here : 4) == 0;
}

static uint64_t word_at(const uint8_t *bytes, size_t length, size_t at)
{
    return length - at >= 4 ? load32(bytes + at) : bytes[at];
}

/* The length of the event type at `at`, or 0: see header_measure. */
static size_t measure_type(const uint8_t *bytes, size_t length, size_t at, hectic_error *error)
{
    if (length - at < 12) return 0;
    size_t description = load32(bytes + at + 8);
    if (description > HECTIC_DESCRIPTION_MAX)
        return fail(error, HECTIC_HEADER_TOO_LARGE, at + 8, description,
                    "a description of at most 65,536 bytes");
    if (length - at < 16 + description) return 0;
    size_t extra = load32(bytes + at + 12 + description);
    if (extra > HECTIC_DESCRIPTION_MAX)
        return fail(error, HECTIC_HEADER_TOO_LARGE, at + 12 + description, extra,
                    "extra info of at most 65,536 bytes");
    size_t whole = TYPE_FIXED_BYTES + description + extra;
    if (length - at < whole) return 0;
    if (load32(bytes + at + whole - 4) != MARK_TYPE_END)
        return fail(error, HECTIC_BAD_HEADER, at + whole - 4, load32(bytes + at + whole - 4),
                    "the mark \"ete\" at the end of an event type");
    return whole;
}

size_t header_measure(const uint8_t *bytes, size_t length, size_t *cursor, hectic_error *error)
{
    *error = (hectic_error){0};
    if (*cursor == 0) {
        if (length > 0 && !mark_is(bytes, length, 0, MARK_HEADER_BEGIN))
            return fail(error, HECTIC_NOT_A_LOG, 0, word_at(bytes, length, 0),
                        "the mark \"hdrb\" at the beginning of an eventlog");
        if (length > 4 && !mark_is(bytes, length, 4, MARK_TYPES_BEGIN))
            return fail(error, HECTIC_BAD_HEADER, 4, word_at(bytes, length, 4),
                        "the mark \"hetb\" before the event types");
        if (length < HEADER_HEAD_BYTES) return 0;
        *cursor = HEADER_HEAD_BYTES;
    }
    while (length - *cursor >= 4) {
        size_t at = *cursor;
        if (at > HECTIC_HEADER_MAX)
            return fail(error, HECTIC_HEADER_TOO_LARGE, at, at, "a header of at most 4 MiB");
        uint32_t mark = load32(bytes + at);
        if (mark == MARK_TYPE_BEGIN) {
            size_t type = measure_type(bytes, length, at, error);
            if (type == 0) return 0;
            *cursor = at + type;
        } else if (mark == MARK_TYPES_END) {
            if (length - at < HEADER_TAIL_BYTES) return 0;
            if (load32(bytes + at + 4) != MARK_HEADER_END)
                return fail(error, HECTIC_BAD_HEADER, at + 4, load32(bytes + at + 4),
                            "the mark \"hdre\" at the end of the header");
            if (load32(bytes + at + 8) != MARK_DATA_BEGIN)
                return fail(error, HECTIC_BAD_HEADER, at + 8, load32(bytes + at + 8),
                            "the mark \"datb\" before the events");
            return at + HEADER_TAIL_BYTES;
        } else {
            return fail(error, HECTIC_BAD_HEADER, at, mark,
                        "the mark \"etb\" of an event type, or \"hete\" after the last one");
        }
    }
    return 0;
}

static void parse_type(hectic_event_type *type, const uint8_t *p)
{
    type->number = load16(p + 4);
    type->size = load16(p + 6);
    type->description_length = load32(p + 8);
    type->description = (const char *)p + 12;
    type->extra_length = load32(p + 12 + type->description_length);
    type->extra = p + 16 + type->description_length;
    type->shape = hectic_shape_find(type->number, type->size);
}

static size_t type_length(const uint8_t *p)
{
    const size_t description = load32(p + 8);
    return TYPE_FIXED_BYTES + description + load32(p + 12 + description);
}

static int by_number(const void *a, const void *b)
{
    const hectic_event_type *const x = *(hectic_event_type *const *)a;
    const hectic_event_type *const y = *(hectic_event_type *const *)b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Sorts the types with high numbers, for header_high. */
static bool index_high(hectic_header *header)
{
    const hectic_event_type **sorted = calloc(header->highs, sizeof *sorted);
    header->high = calloc(header->highs, sizeof *header->high);
    if (!sorted || !header->high) {
        free(sorted);
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < header->count; i++)
        if (header->types[i].number >= HEADER_LOW && header->types[i].number != HECTIC_DATA_END)
            sorted[count++] = &header->types[i];
    qsort(sorted, count, sizeof *sorted, by_number);
    header->highs = 0;
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || sorted[i + 1]->number != sorted[i]->number)
            header->high[header->highs++] = (uint32_t)(sorted[i] - header->types);
    free(sorted);
    return true;
}

/* The last declaration of a number wins, as in GHC's own reader. */
static void index_low(hectic_header *header, uint32_t place)
{
    const hectic_event_type *type = &header->types[place];
    header->step[type->number] = step_of(type);
    header->index[type->number] = place;
}

static bool parse_types(hectic_header *header)
{
    size_t count = 0;
    size_t at = HEADER_HEAD_BYTES;
    for (; load32(header->bytes + at) == MARK_TYPE_BEGIN; count++)
        at += type_length(header->bytes + at);
    header->types = calloc(count ? count : 1, sizeof *header->types);
    if (!header->types) return false;
    at = HEADER_HEAD_BYTES;
    for (; header->count < count; header->count++) {
        hectic_event_type *type = &header->types[header->count];
        parse_type(type, header->bytes + at);
        at += type_length(header->bytes + at);
        if (type->number < HEADER_LOW)
            index_low(header, (uint32_t)header->count);
        else
            header->highs += type->number != HECTIC_DATA_END; /* always the end marker */
    }
    const hectic_event_type *marker = hectic_header_type(header, HECTIC_EVENT_BLOCK_MARKER);
    header->has_blocks = marker && marker->shape;
    return header->highs == 0 || index_high(header);
}

/* Takes ownership of `bytes`. */
static hectic_header *header_from(uint8_t *bytes, size_t length)
{
    hectic_header *header = calloc(1, sizeof *header);
    if (!header) {
        free(bytes);
        return NULL;
    }
    header->bytes = bytes;
    header->length = length;
    if (parse_types(header)) return header;
    hectic_header_free(header);
    return NULL;
}

size_t hectic_header_parse(hectic_header **header, const uint8_t *bytes, size_t length,
                           hectic_error *error)
{
    *header = NULL;
    size_t cursor = 0;
    size_t whole = header_measure(bytes, length, &cursor, error);
    if (whole == 0) return 0;
    uint8_t *copy = malloc(whole);
    if (copy) *header = header_from(memcpy(copy, bytes, whole), whole);
    return *header ? whole : fail(error, HECTIC_NO_MEMORY, 0, 0, NULL);
}

bool header_defect(const hectic_header *header, uint64_t position, size_t *next,
                   hectic_error *defect)
{
    if (header->count == 0) {
        *defect = (hectic_error){.kind = HECTIC_NO_EVENT_TYPES, .position = position};
        return (*next)++ == 0;
    }
    while (*next < header->count) {
        const hectic_event_type *type = &header->types[(*next)++];
        const hectic_shape *shape = hectic_shape_by_number(type->number);
        if (!shape || type->shape) continue;
        const size_t within = (size_t)((const uint8_t *)type->description - header->bytes);
        *defect = (hectic_error){.kind = HECTIC_MISDECLARED_EVENT,
                                 .position = position + within,
                                 .number = type->number};
        return true;
    }
    return false;
}

/* Writes a header; returns its length, and writes nothing if the capacity is less. */
static size_t header_store(uint8_t *out, size_t capacity, const hectic_event_type *types,
                           size_t count)
{
    size_t length = HEADER_HEAD_BYTES + HEADER_TAIL_BYTES;
    for (size_t i = 0; i < count; i++)
        length += TYPE_FIXED_BYTES + (size_t)types[i].description_length + types[i].extra_length;
    if (length > capacity) return length;
    store32(out, MARK_HEADER_BEGIN);
    store32(out + 4, MARK_TYPES_BEGIN);
    uint8_t *p = out + HEADER_HEAD_BYTES;
    for (size_t i = 0; i < count; i++) {
        const hectic_event_type *type = &types[i];
        store32(p, MARK_TYPE_BEGIN);
        store16(p + 4, type->number);
        store16(p + 6, type->size);
        store32(p + 8, type->description_length);
        p += 12;
        if (type->description_length) memcpy(p, type->description, type->description_length);
        p += type->description_length;
        store32(p, type->extra_length);
        p += 4;
        if (type->extra_length) memcpy(p, type->extra, type->extra_length);
        p += type->extra_length;
        store32(p, MARK_TYPE_END);
        p += 4;
    }
    store32(p, MARK_TYPES_END);
    store32(p + 4, MARK_HEADER_END);
    store32(p + 8, MARK_DATA_BEGIN);
    return length;
}

hectic_header *hectic_header_new(const hectic_event_type *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (types[i].description_length > HECTIC_DESCRIPTION_MAX ||
            types[i].extra_length > HECTIC_DESCRIPTION_MAX)
            return NULL;
    size_t length = header_store(NULL, 0, types, count);
    if (length > HECTIC_HEADER_MAX) return NULL;
    uint8_t *bytes = malloc(length);
    if (!bytes) return NULL;
    header_store(bytes, length, types, count);
    return header_from(bytes, length);
}

void hectic_header_free(hectic_header *header)
{
    if (!header) return;
    free(header->types);
    free(header->high);
    free(header->bytes);
    free(header);
}

const hectic_event_type *hectic_header_types(const hectic_header *header, size_t *count)
{
    *count = header->count;
    return header->types;
}

const hectic_event_type *hectic_header_type(const hectic_header *header, uint16_t number)
{
    if (number >= HEADER_LOW) return header_high(header, number);
    return header->step[number] == STEP_UNDECLARED ? NULL : &header->types[header->index[number]];
}

const hectic_event_type *header_high(const hectic_header *header, uint16_t number)
{
    size_t low = 0, high = header->highs;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (header->types[header->high[middle]].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    const hectic_event_type *type = low < header->highs ? &header->types[header->high[low]] : NULL;
    return type && type->number == number ? type : NULL;
}

const uint8_t *hectic_header_bytes(const hectic_header *header, size_t *length)
{
    *length = header->length;
    return header->bytes;
}

bool hectic_header_shifted_stop_status(const hectic_header *header)
{
    return hectic_header_type(header, HECTIC_EVENT_USER_MARKER) &&
           !hectic_header_type(header, HECTIC_EVENT_HACK_BUG_T9003);
}
