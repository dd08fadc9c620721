/* Events as JSON, from the catalogue. */
#include "format/fields.h"
#include "render/put.h"
#include "render/renderer.h"
#include "render/text.h"

/* ,"NAME": */
static char *put_key(char *out, const char *name)
{
    out = put_literal(out, ",\"");
    out = put_string(out, name);
    return put_literal(out, "\":");
}

static char *put_hex_member(char *out, const char *name, const uint8_t *bytes, size_t length)
{
    out = put_key(out, name);
    *out++ = '"';
    out = put_hex_bytes(out, bytes, length);
    *out++ = '"';
    return out;
}

static char *put_array(char *out, const hectic_value *numbers)
{
    *out++ = '[';
    for (uint64_t i = 0; i < numbers->number; i++) {
        if (i > 0) *out++ = ',';
        out = put_decimal(out, field_number(numbers, i));
    }
    *out++ = ']';
    return out;
}

static char *put_texts(char *out, const uint8_t *bytes, size_t length)
{
    struct text_list list = text_list(bytes, length);
    *out++ = '[';
    for (size_t i = 0; text_list_next(&list); i++) {
        if (i > 0) *out++ = ',';
        out = put_json_exact(out, list.text, list.length);
    }
    *out++ = ']';
    return out;
}

char *put_json_value(char *out, const hectic_value *value)
{
    switch (value->field->wire) {
    case HECTIC_STRING:
    case HECTIC_TEXT: return put_json_exact(out, value->bytes, value->length);
    case HECTIC_LATIN1: return put_json_latin1(out, value->bytes, value->length);
    case HECTIC_TEXTS: return put_texts(out, value->bytes, value->length);
    case HECTIC_U32S: return put_array(out, value);
    case HECTIC_BYTES:
        *out++ = '"';
        out = put_hex_bytes(out, value->bytes, value->length);
        *out++ = '"';
        return out;
    default: return put_decimal(out, value->number);
    }
}

char *put_name_of_value(char *out, const hectic_renderer *renderer, const hectic_value *value)
{
    const hectic_unit unit = value->field->unit;
    switch (unit) {
    case HECTIC_UNIT_STOP_STATUS:
        return put_enum(out, unit, usual_stop_status(renderer->shifted_stop_status, value->number));
    case HECTIC_UNIT_CAPSET_TYPE:
    case HECTIC_UNIT_BREAKDOWN:
    case HECTIC_UNIT_MESSAGE_TAG: return put_enum(out, unit, value->number);
    default: return out;
    }
}

/* ,"NAME_name":"TEXT" if the field has an enumerated unit. */
static char *put_name_member(char *out, const hectic_renderer *renderer, const hectic_value *value)
{
    char *const begin = out;
    out = put_literal(out, ",\"");
    out = put_string(out, value->field->name);
    out = put_literal(out, "_name\":\"");
    char *const name = out;
    out = put_name_of_value(out, renderer, value);
    if (out == name) return begin;
    *out++ = '"';
    return out;
}

static char *put_fields(char *out, const hectic_renderer *renderer, const hectic_event *event,
                        const hectic_shape *shape)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t used;
    const size_t count = hectic_shape_walk(shape, event->payload, event->size, value, &used);
    for (size_t i = 0; i < count; i++) {
        out = put_key(out, value[i].field->name);
        out = put_json_value(out, &value[i]);
        out = put_name_member(out, renderer, &value[i]);
    }
    if (fields_are_malformed(shape, count, used, event->size))
        out = put_literal(out, ",\"malformed\":true");
    else if (used < event->size)
        out = put_hex_member(out, "extra", event->payload + used, event->size - used);
    return out;
}

/* ,"thread":7 */
static char *put_payload(char *end, const hectic_renderer *renderer, const hectic_event *event)
{
    const hectic_event_type *const type = event->declared;
    if (type->shape) return put_fields(end, renderer, event, type->shape);
    end = put_literal(end, ",\"description\":");
    end = put_json_exact(end, (const uint8_t *)type->description, type->description_length);
    return put_hex_member(end, "payload", event->payload, event->size);
}

/* "cap":0,"event":"CREATE_THREAD","type":0,"thread":7 */
static char *put_members(char *end, const hectic_renderer *renderer, const hectic_event *event)
{
    const hectic_event_type *const type = event->declared;
    const hectic_shape *const named =
        type->shape ? type->shape : hectic_shape_by_number(event->type);
    end = put_literal(end, "\"cap\":");
    end = event->cap == HECTIC_CAP_NONE ? put_literal(end, "null") : put_decimal(end, event->cap);
    end = put_literal(end, ",\"event\":");
    if (named) {
        *end++ = '"';
        end = put_string(end, named->name);
        *end++ = '"';
    } else {
        end = put_literal(end, "null");
    }
    end = put_literal(end, ",\"type\":");
    end = put_decimal(end, event->type);
    return put_payload(end, renderer, event);
}

/* ,"replayed":{…} of a SYNC event */
static char *put_replayed(char *end, const hectic_renderer *renderer, const hectic_event *event)
{
    hectic_event replayed;
    if (!find_replayed(renderer, event, &replayed)) return end;
    end = put_literal(end, ",\"replayed\":{");
    end = put_members(end, renderer, &replayed);
    *end++ = '}';
    return end;
}

size_t hectic_render_json(const hectic_renderer *renderer, const hectic_event *event, char *out)
{
    char *end = put_literal(out, "{\"time\":");
    end = put_decimal(end, event->time);
    *end++ = ',';
    end = put_members(end, renderer, event);
    end = put_replayed(end, renderer, event);
    *end++ = '}';
    return (size_t)(end - out);
}

size_t render_json_payload(const hectic_renderer *renderer, const hectic_event *event, char *out)
{
    char *end = put_replayed(put_payload(out, renderer, event), renderer, event);
    if (end == out) *end++ = '{';
    *out = '{'; /* instead of a comma */
    *end++ = '}';
    return (size_t)(end - out);
}

size_t hectic_render_json_string(const char *text, size_t length, char *out)
{
    return (size_t)(put_json_utf8(out, (const uint8_t *)text, length) - out);
}
