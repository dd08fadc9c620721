/* The catalogue as a table, generated from hectic/events.def, and lookups in it. */
#include <hectic/catalogue.h>

#include "format/fields.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define PASTE2(a, b)    a##b
#define PASTE(a, b)     PASTE2(a, b)

/* What each wire type adds to a shape's layout: its minimum size, and VARIABLE if it can be longer.
 * The compiler adds up the layouts, so the table is constant data. A row is named after its line in
 * events.def. */
#define VARIABLE 0x10000
enum {
    LAYOUT_U8 = 1,
    LAYOUT_U16 = 2,
    LAYOUT_U32 = 4,
    LAYOUT_U64 = 8,
    LAYOUT_STRING = VARIABLE + 1, /* the NUL */
    LAYOUT_TEXT = VARIABLE,
    LAYOUT_LATIN1 = VARIABLE,
    LAYOUT_TEXTS = VARIABLE,
    LAYOUT_BYTES = VARIABLE,
    LAYOUT_U32S = VARIABLE + 1, /* the count */
};

#define SUM(a, b, c, d, e, f, g, h, i, j, k, l, ...)                                               \
    (a) + (b) + (c) + (d) + (e) + (f) + (g) + (h) + (i) + (j) + (k) + (l)

#define F(name, wire, unit) LAYOUT_##wire
#define O(name, wire, unit) VARIABLE
#define FIELDS(...)         SUM(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define NO_FIELDS           0
#define HECTIC_EVENT(number, name, class, definition, label, text, doc, fields)                    \
    PASTE(LAYOUT_OF_LINE_, __LINE__) = fields,
#define HECTIC_SHAPE HECTIC_EVENT
enum {
#include <hectic/events.def>
};
#undef F
#undef O
#undef FIELDS
#undef NO_FIELDS
#undef HECTIC_EVENT

#define F(name, wire, unit)                                                                        \
    {                                                                                              \
#name, HECTIC_##wire, HECTIC_UNIT_##unit, false                                            \
    }
#define O(name, wire, unit)                                                                        \
    {                                                                                              \
#name, HECTIC_##wire, HECTIC_UNIT_##unit, true                                             \
    }
#define FIELDS(...)                                                                                \
    .field = (const hectic_field[]){__VA_ARGS__},                                                  \
    .field_count = COUNT_OF(((const hectic_field[]){__VA_ARGS__}))
#define NO_FIELDS .field_count = 0
#define HECTIC_EVENT(number_, name_, class_of, definition_, label_, text_, doc_, ...)              \
    {.number = (number_),                                                                          \
     .variable = PASTE(LAYOUT_OF_LINE_, __LINE__) >= VARIABLE,                                     \
     .definition = (definition_),                                                                  \
     .size = PASTE(LAYOUT_OF_LINE_, __LINE__) % VARIABLE,                                          \
     .class_ = HECTIC_CLASS_##class_of,                                                            \
     .name = #name_,                                                                               \
     .label = (label_),                                                                            \
     .text = (text_),                                                                              \
     .doc = (doc_),                                                                                \
     __VA_ARGS__},
static const hectic_shape catalogue[] = {
#include <hectic/events.def>
};

static const char *const class_names[] = {
    [HECTIC_CLASS_PROCESS] = "process",
    [HECTIC_CLASS_SCHEDULER] = "scheduler",
    [HECTIC_CLASS_GC] = "gc",
    [HECTIC_CLASS_NONMOVING] = "nonmoving",
    [HECTIC_CLASS_SPARK] = "spark",
    [HECTIC_CLASS_SPARK_FULL] = "spark-full",
    [HECTIC_CLASS_TASK] = "task",
    [HECTIC_CLASS_USER] = "user",
    [HECTIC_CLASS_TICKY] = "ticky",
    [HECTIC_CLASS_HEAP_PROFILE] = "heap-profile",
    [HECTIC_CLASS_TIME_PROFILE] = "time-profile",
    [HECTIC_CLASS_INFO_TABLE] = "info-table",
    [HECTIC_CLASS_PERF] = "perf",
    [HECTIC_CLASS_MERCURY] = "mercury",
    [HECTIC_CLASS_EDEN] = "eden",
    [HECTIC_CLASS_FRAMING] = "framing",
};

static const char *const class_flags[HECTIC_CLASS_COUNT] = {
    [HECTIC_CLASS_SCHEDULER] = "+RTS -ls",
    [HECTIC_CLASS_GC] = "+RTS -lg",
    [HECTIC_CLASS_NONMOVING] = "+RTS -ln",
    [HECTIC_CLASS_SPARK] = "+RTS -lp",
    [HECTIC_CLASS_SPARK_FULL] = "+RTS -lf",
    [HECTIC_CLASS_TASK] = "+RTS -ls",
    [HECTIC_CLASS_USER] = "+RTS -lu",
    [HECTIC_CLASS_TICKY] = "+RTS -lT",
    [HECTIC_CLASS_HEAP_PROFILE] = "+RTS -l -hT",
    [HECTIC_CLASS_TIME_PROFILE] = "+RTS -l -p",
    [HECTIC_CLASS_INFO_TABLE] = "+RTS -l",
};

static const char *const unit_names[] = {
    [HECTIC_UNIT_NONE] = "",
    [HECTIC_UNIT_COUNT] = "count",
    [HECTIC_UNIT_NS] = "ns",
    [HECTIC_UNIT_TIME] = "time",
    [HECTIC_UNIT_SECONDS] = "seconds",
    [HECTIC_UNIT_BYTES] = "bytes",
    [HECTIC_UNIT_WORDS] = "words",
    [HECTIC_UNIT_MBLOCKS] = "mblocks",
    [HECTIC_UNIT_THREAD] = "thread",
    [HECTIC_UNIT_CAP] = "cap",
    [HECTIC_UNIT_CAPSET] = "capset",
    [HECTIC_UNIT_TASK] = "task",
    [HECTIC_UNIT_OS_THREAD] = "os-thread",
    [HECTIC_UNIT_OS_PROCESS] = "os-process",
    [HECTIC_UNIT_ADDRESS] = "address",
    [HECTIC_UNIT_COST_CENTRE] = "cost-centre",
    [HECTIC_UNIT_PROFILE] = "profile",
    [HECTIC_UNIT_TICKY] = "ticky-counter",
    [HECTIC_UNIT_PERF] = "perf-counter",
    [HECTIC_UNIT_STRING] = "string",
    [HECTIC_UNIT_STOP_STATUS] = "stop-status",
    [HECTIC_UNIT_CAPSET_TYPE] = "capset-type",
    [HECTIC_UNIT_BREAKDOWN] = "breakdown",
    [HECTIC_UNIT_MESSAGE_TAG] = "message-tag",
    [HECTIC_UNIT_WALL_CLOCK] = "10-ns",
    [HECTIC_UNIT_ENVIRONMENT] = "environment",
    [HECTIC_UNIT_ARGUMENTS] = "arguments",
    [HECTIC_UNIT_RUNTIME] = "runtime",
    [HECTIC_UNIT_MESSAGE] = "message",
    [HECTIC_UNIT_MARKER] = "marker",
    [HECTIC_UNIT_LABEL] = "label",
    [HECTIC_UNIT_DATA] = "data",
    [HECTIC_UNIT_SELECTOR] = "selector",
    [HECTIC_UNIT_LOCATION] = "location",
    [HECTIC_UNIT_FUNCTION] = "function",
    [HECTIC_UNIT_MODULE] = "module",
    [HECTIC_UNIT_CLOSURE] = "closure",
    [HECTIC_UNIT_BAND] = "band",
    [HECTIC_UNIT_COUNTER] = "counter",
    [HECTIC_UNIT_INTERNED] = "interned",
};

/* 4 and 14 … 17 are reserved by GHC's EventLogFormat.h, though no GHC writes them. */
static const char *const stop_statuses[] = {
    [0] = "No stop thread status",
    [1] = "heap overflow",
    [2] = "stack overflow",
    [3] = "thread yielding",
    [4] = "thread blocked",
    [5] = "thread finished",
    [6] = "making a foreign call",
    [7] = "blocked on an MVar",
    [8] = "blocked on black hole",
    [9] = "blocked on I/O read",
    [10] = "blocked on I/O write",
    [11] = "blocked on threadDelay",
    [12] = "blocked in STM retry",
    [13] = "blocked on asyncDoProc",
    [14] = "blocked in a foreign call",
    [15] = "blocked in a foreign call",
    [16] = "blocked in throwTo",
    [17] = "thread migrating",
    [18] = "blocked in throwTo",
    [19] = "No stop thread status",
    [20] = "blocked reading an MVar",
};

static const char *const capset_types[] = {
    [1] = "CapsetCustom",
    [2] = "CapsetOsProcess",
    [3] = "CapsetClockDomain",
};

static const char *const breakdowns[] = {
    [1] = "cost centre",      [2] = "module",     [3] = "closure description",
    [4] = "type description", [5] = "retainer",   [6] = "biography",
    [7] = "closure type",     [8] = "info table", [9] = "era",
};

enum { MESSAGE_TAG_FIRST = 0x50 };
static const char *const message_tags[] = {
    "Ready",   "NewPE", "PETIDS", "Finish", "FailPE",    "RFork",  "Connect",
    "DataMes", "Head",  "Constr", "Part",   "Terminate", "Packet",
};

const hectic_shape *hectic_catalogue(size_t *count)
{
    *count = COUNT_OF(catalogue);
    return catalogue;
}

const hectic_shape *hectic_shape_find(uint16_t number, uint16_t size)
{
    const bool variable = size == 0xffff;
    const hectic_shape *best = NULL;
    for (const hectic_shape *s = hectic_shape_by_number(number);
         s && s < catalogue + COUNT_OF(catalogue) && s->number == number; s++) {
        if (s->variable != variable || (!variable && s->size > size)) continue;
        if (!best || s->size > best->size) best = s;
    }
    return best;
}

const hectic_shape *hectic_shape_by_number(uint16_t number)
{
    size_t low = 0, high = COUNT_OF(catalogue);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (catalogue[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNT_OF(catalogue) && catalogue[low].number == number ? &catalogue[low] : NULL;
}

/* Independent of the locale: names in the catalogue are ASCII. */
static char fold(char c)
{
    if (c == '-') return '_';
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a && fold(*a) == fold(*b))
        a++, b++;
    return *a == *b;
}

const hectic_shape *hectic_shape_by_name(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(catalogue); i++)
        if (same_name(catalogue[i].name, name)) return &catalogue[i];
    return NULL;
}

const char *hectic_class_name(hectic_class c)
{
    return (size_t)c < COUNT_OF(class_names) ? class_names[c] : NULL;
}

hectic_class hectic_class_by_name(const char *name)
{
    size_t c = 0;
    while (c < COUNT_OF(class_names) && !same_name(class_names[c], name))
        c++;
    return (hectic_class)c;
}

const char *hectic_class_flag(hectic_class c)
{
    return (size_t)c < COUNT_OF(class_flags) && class_flags[c] ? class_flags[c] : "";
}

const char *hectic_unit_name(hectic_unit u)
{
    return (size_t)u < COUNT_OF(unit_names) ? unit_names[u] : "";
}

const char *hectic_enum_text(hectic_unit u, uint64_t value)
{
    switch (u) {
    case HECTIC_UNIT_STOP_STATUS:
        return value < COUNT_OF(stop_statuses) ? stop_statuses[value] : NULL;
    case HECTIC_UNIT_CAPSET_TYPE:
        return value < COUNT_OF(capset_types) && value ? capset_types[value] : "CapsetUnknown";
    case HECTIC_UNIT_BREAKDOWN: return value < COUNT_OF(breakdowns) ? breakdowns[value] : NULL;
    case HECTIC_UNIT_MESSAGE_TAG:
        value -= MESSAGE_TAG_FIRST;
        return value < COUNT_OF(message_tags) ? message_tags[value] : NULL;
    default: return NULL;
    }
}

/* The minimum size of the shape's fields from index `i` on. */
static size_t min_size(const hectic_shape *shape, size_t i)
{
    static const uint8_t least[] = {
        [HECTIC_U8] = LAYOUT_U8,
        [HECTIC_U16] = LAYOUT_U16,
        [HECTIC_U32] = LAYOUT_U32,
        [HECTIC_U64] = LAYOUT_U64,
        [HECTIC_STRING] = LAYOUT_STRING % VARIABLE,
        [HECTIC_TEXT] = LAYOUT_TEXT % VARIABLE,
        [HECTIC_LATIN1] = LAYOUT_LATIN1 % VARIABLE,
        [HECTIC_TEXTS] = LAYOUT_TEXTS % VARIABLE,
        [HECTIC_BYTES] = LAYOUT_BYTES % VARIABLE,
        [HECTIC_U32S] = LAYOUT_U32S % VARIABLE,
    };
    size_t size = 0;
    for (; i < shape->field_count; i++)
        if (!shape->field[i].optional) size += least[shape->field[i].wire];
    return size;
}

/* Decodes field `i` of the shape from the beginning of `size` bytes. Returns its size, or SIZE_MAX
 * if there are too few bytes. */
static size_t decode_field(hectic_value *value, const hectic_shape *shape, size_t i,
                           const uint8_t *bytes, size_t size)
{
    const uint8_t *end;
    size_t reserved;
    value->field = &shape->field[i];
    value->bytes = bytes;
    value->number = 0;
    switch (value->field->wire) {
    case HECTIC_U8:
        if (size < 1) return SIZE_MAX;
        value->number = bytes[0];
        value->length = 1;
        break;
    case HECTIC_U16:
        if (size < 2) return SIZE_MAX;
        value->number = load16(bytes);
        value->length = 2;
        break;
    case HECTIC_U32:
        if (size < 4) return SIZE_MAX;
        value->number = load32(bytes);
        value->length = 4;
        break;
    case HECTIC_U64:
        if (size < 8) return SIZE_MAX;
        value->number = load64(bytes);
        value->length = 8;
        break;
    case HECTIC_STRING:
        end = size ? memchr(bytes, 0, size) : NULL;
        if (!end) return SIZE_MAX;
        value->length = (uint32_t)(end - bytes);
        return value->length + 1u;
    case HECTIC_U32S:
        if (size < 1 || (size - 1) / 4 < bytes[0]) return SIZE_MAX;
        value->number = bytes[0];
        value->length = bytes[0] * 4u;
        value->bytes = bytes + 1;
        return value->length + 1u;
    case HECTIC_TEXT:
    case HECTIC_LATIN1:
    case HECTIC_TEXTS:
    case HECTIC_BYTES:
        reserved = min_size(shape, i + 1);
        if (size < reserved) return SIZE_MAX;
        value->length = (uint32_t)(size - reserved);
        break;
    }
    return value->length;
}

size_t hectic_shape_walk(const hectic_shape *shape, const uint8_t *payload, size_t size,
                         hectic_value *value, size_t *used)
{
    size_t offset = 0, i;
    for (i = 0; i < shape->field_count; i++) {
        const size_t taken = decode_field(&value[i], shape, i, payload + offset, size - offset);
        if (taken == SIZE_MAX) break;
        offset += taken;
    }
    if (used) *used = offset;
    return i;
}

bool hectic_shape_malformed(const hectic_shape *shape, const uint8_t *payload, size_t size)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t used;
    const size_t count = hectic_shape_walk(shape, payload, size, value, &used);
    return fields_are_malformed(shape, count, used, size);
}
