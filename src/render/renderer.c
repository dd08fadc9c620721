/* Texts of events. The text of each declared type is compiled once into steps, each a piece of text
 * followed by a value, so rendering an event needs no lookup in the catalogue, and an event of
 * fixed size is one pass over its steps. */
#include "render/renderer.h"

#include <stdlib.h>

#include "format/fields.h"
#include "render/put.h"
#include "render/text.h"
#include "render/units.h"

#include <hectic/read_events.h>

typedef enum kind {
    NOTHING, /* only the piece of text */
    DECIMAL8,
    DECIMAL16,
    DECIMAL32,
    DECIMAL64,
    LOW16,
    SUCCESSOR,
    POWER_OF_2,
    HEXADECIMAL32,
    HEXADECIMAL64,
    CAF,
    STOP,
    STOP_SHIFTED,
    CAPSET_TYPE,
    BREAKDOWN,
    MESSAGE_TAG,
    /* Values of variable size: */
    UTF8,
    LATIN1,
    HASKELL_LIST,
    DOTS,
    DIGITS,
    NUMBERS,
    FILTERS,
} kind;

enum { PIECE_MAX = 28 };

struct step {
    char piece[PIECE_MAX]; /* copied completely: a constant size takes one or two moves */
    uint8_t length;        /* of the piece */
    uint8_t kind;
    uint8_t where; /* the value's offset in a payload of fixed size, otherwise its field's index */
    bool last;
};

/* If a payload ends before an optional field, its number is 0. */
static const uint8_t absent[8];

static const uint8_t wire_size[] = {
    [HECTIC_U8] = 1, [HECTIC_U16] = 2, [HECTIC_U32] = 4, [HECTIC_U64] = 8, [HECTIC_U32S] = 0,
};

char *put_enum(char *out, hectic_unit unit, uint64_t value)
{
    const char *const text = hectic_enum_text(unit, value);
    if (text) return put_string(out, text);
    out = put_string(out, unit == HECTIC_UNIT_BREAKDOWN     ? "unknown breakdown "
                          : unit == HECTIC_UNIT_MESSAGE_TAG ? "tag "
                                                            : "unknown status ");
    return put_decimal(out, value);
}

/* The payload of a STOP_THREAD with all fields: others have no text. */
__attribute__((noinline)) static char *put_stop(char *out, const uint8_t *payload, bool shifted)
{
    hectic_event_stop_thread stop;
    if (!hectic_read_stop_thread(&(hectic_event){.payload = payload, .size = UINT16_MAX}, &stop))
        return out;
    const uint64_t usual = usual_stop_status(shifted, stop.status);
    out = put_enum(out, HECTIC_UNIT_STOP_STATUS, usual);
    if (usual == 2)
        out = put_literal(out, ", size ");
    else if (usual == 8)
        out = put_literal(out, " owned by thread ");
    else
        return out;
    return put_decimal(out, stop.info);
}

__attribute__((always_inline)) static inline char *put_fixed(char *out, kind kind,
                                                             const uint8_t *bytes)
{
    switch (kind) {
    case DECIMAL8: return put_below_1e8(out, *bytes);
    case DECIMAL16: return put_below_1e8(out, (uint32_t)field_load(bytes, 2));
    case DECIMAL32: return put_decimal(out, field_load(bytes, 4));
    case DECIMAL64: return put_decimal(out, field_load(bytes, 8));
    case LOW16: return put_below_1e8(out, (uint16_t)field_load(bytes, 4));
    case SUCCESSOR: return put_decimal(out, field_load(bytes, 8) + 1);
    case POWER_OF_2: return put_below_1e8(out, *bytes < 16 ? 1u << *bytes : 0);
    case HEXADECIMAL32: return put_hexadecimal(out, field_load(bytes, 4));
    case HEXADECIMAL64: return put_hexadecimal(out, field_load(bytes, 8));
    case CAF: return *bytes & 1 ? put_literal(out, " CAF") : out;
    case STOP: return put_stop(out, bytes, false);
    case STOP_SHIFTED: return put_stop(out, bytes, true);
    case CAPSET_TYPE: return put_enum(out, HECTIC_UNIT_CAPSET_TYPE, field_load(bytes, 2));
    case BREAKDOWN: return put_enum(out, HECTIC_UNIT_BREAKDOWN, field_load(bytes, 4));
    case MESSAGE_TAG: return put_enum(out, HECTIC_UNIT_MESSAGE_TAG, *bytes);
    default: return out;
    }
}

/* The number at the beginning of a text, as a signed 64-bit integer (modulo 2^64). */
static char *put_digits(char *out, const hectic_value *text)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < text->length; i++) {
        const unsigned digit = text->bytes[i] - (unsigned)'0';
        if (digit > 9) break;
        number = number * 10 + digit;
    }
    if (number > INT64_MAX) {
        *out++ = '-';
        number = 0 - number;
    }
    return put_decimal(out, number);
}

static char *put_numbers(char *out, const hectic_value *numbers)
{
    for (uint64_t i = 0; i < numbers->number; i++) {
        if (i > 0) out = put_literal(out, ", ");
        out = put_decimal(out, field_number(numbers, i));
    }
    return out;
}

/* The filters of a heap profile: its non-empty texts. */
static char *put_filters(char *out, const hectic_shape *shape, const hectic_value *value)
{
    bool first = true;
    for (size_t i = 0; i < shape->field_count; i++) {
        if (shape->field[i].wire != HECTIC_STRING || value[i].length == 0) continue;
        if (first) out = put_literal(out, " filtered by ");
        first = false;
        out = put_utf8(out, value[i].bytes, value[i].length);
        out = put_literal(out, ", ");
    }
    return out;
}

static inline char *put_piece(char *out, const step *step)
{
    memcpy(out, step->piece, PIECE_MAX);
    return out + step->length;
}

static inline char *run_fixed(const step *step, const uint8_t *payload, char *out)
{
    for (;; step++) {
        out = put_piece(out, step);
        out = put_fixed(out, (kind)step->kind, payload + step->where);
        if (step->last) return out;
    }
}

static char *run_variable(const text_program *program, const hectic_value *value, char *out)
{
    for (const step *step = program->steps;; step++) {
        const hectic_value *const v = &value[step->where];
        out = put_piece(out, step);
        switch ((kind)step->kind) {
        case UTF8: out = put_utf8(out, v->bytes, v->length); break;
        case LATIN1: out = put_latin1(out, v->bytes, v->length); break;
        case HASKELL_LIST: out = put_haskell_list(out, v->bytes, v->length); break;
        case DOTS: out = put_dots(out, v->bytes, v->length); break;
        case DIGITS: out = put_digits(out, v); break;
        case NUMBERS: out = put_numbers(out, v); break;
        case FILTERS: out = put_filters(out, program->shape, value); break;
        default: out = put_fixed(out, (kind)step->kind, v->bytes); break;
        }
        if (step->last) return out;
    }
}

bool find_replayed(const hectic_renderer *renderer, const hectic_event *event,
                   hectic_event *replayed)
{
    if (event->type != HECTIC_EVENT_SYNC || !hectic_read_replayed(event, replayed)) return false;
    replayed->declared = hectic_header_type(renderer->header, replayed->type);
    return replayed->declared && replayed->declared->shape;
}

static char *put_unknown(const hectic_event *event, hectic_unknown_text unknown, char *out)
{
    const hectic_event_type *const type = event->declared;
    if (unknown == HECTIC_UNKNOWN_DESCRIBED)
        return put_utf8(out, (const uint8_t *)type->description, type->description_length);
    out = put_literal(out, "Unknown Event (ref: ");
    out = put_decimal(out, event->type);
    *out++ = ')';
    return out;
}

static char *put_variable(const text_program *program, const hectic_event *event,
                          hectic_unknown_text unknown, char *out)
{
    const hectic_shape *const shape = program->shape;
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t used;
    size_t count = hectic_shape_walk(shape, event->payload, event->size, value, &used);
    if (fields_are_malformed(shape, count, used, event->size))
        return put_unknown(event, unknown, out);
    for (; count < shape->field_count; count++)
        value[count] = (hectic_value){.field = &shape->field[count], .bytes = absent};
    return run_variable(program, value, out);
}

static char *put_cap(char *out, uint16_t cap)
{
    if (cap == HECTIC_CAP_NONE) return out;
    out = put_literal(out, "cap ");
    out = put_below_1e8(out, cap);
    return put_literal(out, ": ");
}

static inline char *put_event(const hectic_renderer *renderer, const hectic_event *event,
                              hectic_unknown_text unknown, char *out);

/* An event without its own text. A replayed event gets only its number: hectic_render_bound does
 * not include its description. */
static char *put_described(const hectic_renderer *renderer, const hectic_event *event,
                           hectic_unknown_text unknown, char *out)
{
    hectic_event replayed;
    out = put_unknown(event, unknown, out);
    if (!find_replayed(renderer, event, &replayed)) return out;
    out = put_cap(put_literal(out, ": "), replayed.cap);
    return put_event(renderer, &replayed, HECTIC_UNKNOWN_NUMBERED, out);
}

static inline char *put_event(const hectic_renderer *renderer, const hectic_event *event,
                              hectic_unknown_text unknown, char *out)
{
    if (event->type >= renderer->count) return put_described(renderer, event, unknown, out);
    const text_program *const program = &renderer->programs[event->type];
    if (!program->steps) return put_described(renderer, event, unknown, out);
    if (program->shape->variable) return put_variable(program, event, unknown, out);
    if (event->size < program->shape->size) return put_unknown(event, unknown, out);
    return run_fixed(program->steps, event->payload, out);
}

size_t hectic_render_text(const hectic_renderer *renderer, const hectic_event *event,
                          hectic_unknown_text unknown, char *out)
{
    return (size_t)(put_event(renderer, event, unknown, out) - out);
}

/* A number below 1000, in three columns. */
static char *put_three(char *out, uint64_t value, bool right)
{
    char digits[8 + PUT_SLACK];
    const size_t length = (size_t)(put_decimal(digits, value) - digits);
    const size_t spaces = length < 3 ? 3 - length : 0;
    memset(out, ' ', spaces + length);
    memcpy(out + (right ? spaces : 0), digits, length);
    return out + spaces + length;
}

static size_t put_pretty_time(uint64_t ns, char *out)
{
    char *end = put_three(out, ns / 1000000000, true);
    end = put_literal(end, "s ");
    end = put_three(end, ns / 1000000 % 1000, true);
    end = put_literal(end, "ms ");
    end = put_three(end, ns / 1000 % 1000, true);
    *end++ = '.';
    end = put_three(end, ns % 1000, false);
    end = put_literal(end, "us");
    return (size_t)(end - out);
}

size_t hectic_render_line(const hectic_renderer *renderer, const hectic_event *event,
                          hectic_time_format format, hectic_unknown_text unknown, char *out)
{
    char *end = format == HECTIC_TIME_RAW ? put_decimal(out, event->time)
                                          : out + put_pretty_time(event->time, out);
    end = put_cap(put_literal(end, ": "), event->cap);
    return (size_t)(put_event(renderer, event, unknown, end) - out);
}

size_t hectic_render_u64(uint64_t value, char *out)
{
    char digits[20 + PUT_SLACK];
    const size_t length = (size_t)(put_decimal(digits, value) - digits);
    memcpy(out, digits, length);
    return length;
}

size_t render_type(const hectic_event_type *type, char *out)
{
    char *end = out + hectic_render_u64(type->number, out);
    end = put_literal(end, ": ");
    end = put_utf8(end, (const uint8_t *)type->description, type->description_length);
    end = put_literal(end, " (size ");
    if (type->size == HECTIC_VARIABLE)
        end = put_literal(end, "variable");
    else
        end += hectic_render_u64(type->size, end);
    *end++ = ')';
    return (size_t)(end - out);
}

/* Compiling programs. */

static kind plain_kind(const hectic_field *field)
{
    static const uint8_t kinds[] = {
        [HECTIC_U8] = DECIMAL8,   [HECTIC_U16] = DECIMAL16,      [HECTIC_U32] = DECIMAL32,
        [HECTIC_U64] = DECIMAL64, [HECTIC_STRING] = UTF8,        [HECTIC_TEXT] = UTF8,
        [HECTIC_LATIN1] = LATIN1, [HECTIC_TEXTS] = HASKELL_LIST, [HECTIC_BYTES] = DOTS,
        [HECTIC_U32S] = NUMBERS,
    };
    switch (field->unit) {
    case HECTIC_UNIT_CAPSET_TYPE: return CAPSET_TYPE;
    case HECTIC_UNIT_BREAKDOWN: return BREAKDOWN;
    case HECTIC_UNIT_MESSAGE_TAG: return MESSAGE_TAG;
    default: return (kind)kinds[field->wire];
    }
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static kind variant_kind(const hectic_field *field, const char *variant, size_t length,
                         bool shifted)
{
    static const struct {
        const char *name;
        kind kind;
    } variants[] = {
        {"inc", SUCCESSOR}, {"pow2", POWER_OF_2}, {"low16", LOW16},     {"digits", DIGITS},
        {"dots", DOTS},     {"caf", CAF},         {"filters", FILTERS},
    };
    if (is_word(variant, length, "x"))
        return field->wire == HECTIC_U64 ? HEXADECIMAL64 : HEXADECIMAL32;
    if (is_word(variant, length, "stop")) return shifted ? STOP_SHIFTED : STOP;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (is_word(variant, length, variants[i].name)) return variants[i].kind;
    return plain_kind(field);
}

/* The position of the named field: its offset in a fixed shape, its index in a variable one. */
static size_t find_field(const hectic_shape *shape, const char *name, size_t length, size_t *offset)
{
    size_t i = 0;
    *offset = 0;
    for (; i < shape->field_count && !is_word(name, length, shape->field[i].name); i++)
        *offset += shape->variable ? 1 : wire_size[shape->field[i].wire];
    return i;
}

/* Compiles a text into steps; only counts them if `steps` is NULL. */
static size_t compile(const hectic_shape *shape, bool shifted, step *steps)
{
    const char *text = shape->text;
    size_t count = 0;
    do {
        step step = {.kind = NOTHING};
        while (*text && *text != '{' && step.length < PIECE_MAX)
            step.piece[step.length++] = *text++;
        if (*text == '{') {
            const char *const name = text + 1;
            const size_t all = strcspn(name, "}"), length = strcspn(name, ":}");
            size_t where;
            const hectic_field *const field =
                &shape->field[find_field(shape, name, length, &where)];
            const bool whole = length == all;
            step.kind = (uint8_t)(whole ? plain_kind(field)
                                        : variant_kind(field, name + length + 1, all - length - 1,
                                                       shifted));
            const bool is_whole_payload = step.kind == STOP || step.kind == STOP_SHIFTED;
            step.where = length == 0 || is_whole_payload ? 0 : (uint8_t)where;
            text = name + all + 1;
        }
        step.last = *text == 0;
        if (steps) steps[count] = step;
        count++;
    } while (*text);
    return count;
}

/* True if events of this type are rendered by steps. The last declaration of a number wins. */
static bool is_compiled(const hectic_header *header, const hectic_event_type *type)
{
    return type->shape && type->shape->text && hectic_header_type(header, type->number) == type;
}

hectic_renderer *hectic_renderer_new(const hectic_header *header)
{
    size_t type_count, step_count = 0;
    uint32_t count = 0;
    const bool shifted = hectic_header_shifted_stop_status(header);
    const hectic_event_type *const types = hectic_header_types(header, &type_count);
    for (size_t i = 0; i < type_count; i++) {
        if (!is_compiled(header, &types[i])) continue;
        if (types[i].number >= count) count = types[i].number + 1u;
        step_count += compile(types[i].shape, shifted, NULL);
    }
    hectic_renderer *const renderer =
        calloc(1, sizeof *renderer + count * sizeof *renderer->programs);
    step *step = calloc(step_count + 1, sizeof *step);
    if (!renderer || !step) {
        free(renderer);
        free(step);
        return NULL;
    }
    renderer->header = header;
    renderer->shifted_stop_status = shifted;
    renderer->count = count;
    renderer->steps = step;
    for (size_t i = 0; i < type_count; i++) {
        if (!is_compiled(header, &types[i])) continue;
        renderer->programs[types[i].number] = (text_program){types[i].shape, step};
        step += compile(types[i].shape, shifted, step);
    }
    return renderer;
}

void hectic_renderer_free(hectic_renderer *renderer)
{
    if (!renderer) return;
    free(renderer->steps);
    free(renderer);
}

/* What texts may contain. */

enum { FIXED_MAX = 1024 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool has_letters(const char *text, size_t size, const char *letters, size_t length)
{
    for (size_t i = 0; i + length <= size; i++) {
        size_t k = 0;
        while (k < length && lower(text[i + k]) == letters[k])
            k++;
        if (k == length) return true;
    }
    return false;
}

static bool are_hexadecimal(const char *letters, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (letters[i] > 'f' && letters[i] != 'x') return false;
    return true;
}

static bool enum_may_have(hectic_unit unit, const char *letters, size_t length)
{
    enum { VALUES = 256 };
    static const char others[] = "unknown status; unknown breakdown; tag; size; owned by thread";
    if (has_letters(others, sizeof others - 1, letters, length)) return true;
    for (unsigned value = 0; value < VALUES; value++) {
        const char *text = hectic_enum_text(unit, value);
        if (text && has_letters(text, strlen(text), letters, length)) return true;
    }
    return false;
}

/* Can a value's text contain the letters? */
static bool value_may_have(kind kind, const char *letters, size_t length)
{
    if (kind >= UTF8) return kind != DIGITS && kind != NUMBERS;
    switch (kind) {
    case HEXADECIMAL32:
    case HEXADECIMAL64: return are_hexadecimal(letters, length);
    case CAF: return true;
    case STOP:
    case STOP_SHIFTED: return enum_may_have(HECTIC_UNIT_STOP_STATUS, letters, length);
    case CAPSET_TYPE: return enum_may_have(HECTIC_UNIT_CAPSET_TYPE, letters, length);
    case BREAKDOWN: return enum_may_have(HECTIC_UNIT_BREAKDOWN, letters, length);
    case MESSAGE_TAG: return enum_may_have(HECTIC_UNIT_MESSAGE_TAG, letters, length);
    default: return false;
    }
}

static bool is_letter(char c)
{
    return lower(c) >= 'a' && lower(c) <= 'z';
}

/* The pieces of text, with a blank for each value: in the catalogue, letters of a piece and of a
 * name do not touch. Where they do, the answer is true. */
static bool program_may_have(const text_program *program, const char *letters, size_t length)
{
    char fixed[FIXED_MAX];
    size_t size = 0;
    bool was_name = false;
    for (const step *step = program->steps;; step++) {
        const kind kind = (enum kind)step->kind;
        const bool is_name = kind >= CAF && kind <= MESSAGE_TAG;
        if (size + step->length + 1 > sizeof fixed) return true;
        if (was_name && step->length > 0 && is_letter(step->piece[0])) return true;
        memcpy(fixed + size, step->piece, step->length);
        size += step->length;
        if (is_name && size > 0 && is_letter(fixed[size - 1])) return true;
        if (kind != NOTHING) fixed[size++] = ' ';
        if (value_may_have(kind, letters, length)) return true;
        was_name = is_name;
        if (step->last) return has_letters(fixed, size, letters, length);
    }
}

bool renderer_may_have(const hectic_renderer *renderer, const hectic_event_type *type,
                       const char *letters, size_t length)
{
    /* A malformed event has the text of an unknown one. */
    if (type->number == HECTIC_EVENT_SYNC ||
        has_letters(type->description, type->description_length, letters, length))
        return true;
    if (type->number >= renderer->count || !renderer->programs[type->number].steps) return false;
    return program_may_have(&renderer->programs[type->number], letters, length);
}
