/* otlp_json.c — requests as lines of JSON, by the descriptions of their messages: names in
 * lowerCamelCase, numbers of 64 bits as texts, bytes in hexadecimal digits, fields with a default
 * left out. Messages contain others up to a depth that otlp.proto determines. */
#include "render/text.h"
#include "tables/json.h"
#include "tool/verbs/export/otlp/otlp.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 64, DIGITS_ROOM = 32 };

static void put_message(struct json *json, const char *key, const ProtobufCMessage *message);

static const char *camel(const char *name, char text[NAME_ROOM])
{
    size_t length = 0;
    for (; *name && length + 1 < NAME_ROOM; name++) {
        const bool is_upper = *name == '_' && name[1];
        if (is_upper) name++;
        text[length++] = is_upper ? (char)toupper(*name) : *name;
    }
    text[length] = 0;
    return text;
}

static void put_bytes(struct json *json, const char *key, const ProtobufCBinaryData *bytes)
{
    char text[2 * 16 + 1];
    const size_t length = bytes->len <= 16 ? bytes->len : 16;
    *put_hex_bytes(text, bytes->data, length) = 0;
    json_text(json, key, text);
}

static void put_value(struct json *json, const char *key, ProtobufCType type, const void *at)
{
    char digits[DIGITS_ROOM];
    switch (type) {
    case PROTOBUF_C_TYPE_MESSAGE: put_message(json, key, *(ProtobufCMessage *const *)at); break;
    case PROTOBUF_C_TYPE_STRING: json_text(json, key, *(char *const *)at); break;
    case PROTOBUF_C_TYPE_BYTES: put_bytes(json, key, at); break;
    case PROTOBUF_C_TYPE_DOUBLE: json_real(json, key, true, *(const double *)at); break;
    case PROTOBUF_C_TYPE_BOOL: json_flag(json, key, true, *(const protobuf_c_boolean *)at); break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        snprintf(digits, sizeof digits, "%" PRId64, *(const int64_t *)at);
        json_text(json, key, digits);
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        snprintf(digits, sizeof digits, "%" PRIu64, *(const uint64_t *)at);
        json_text(json, key, digits);
        break;
    default: /* 32 bits */
        snprintf(digits, sizeof digits, "%" PRId32, *(const int32_t *)at);
        json_literal(json, key, digits);
        break;
    }
}

static size_t size_of(ProtobufCType type)
{
    return type == PROTOBUF_C_TYPE_MESSAGE || type == PROTOBUF_C_TYPE_STRING ? sizeof(void *)
                                                                             : sizeof(uint64_t);
}

static bool is_default(ProtobufCType type, const void *at)
{
    static const uint8_t zero[sizeof(uint64_t)];
    switch (type) {
    case PROTOBUF_C_TYPE_MESSAGE: return !*(ProtobufCMessage *const *)at;
    case PROTOBUF_C_TYPE_STRING: return !**(char *const *)at;
    case PROTOBUF_C_TYPE_BYTES: return ((const ProtobufCBinaryData *)at)->len == 0;
    case PROTOBUF_C_TYPE_BOOL: return !*(const protobuf_c_boolean *)at;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_FIXED32: return memcmp(at, zero, sizeof(uint32_t)) == 0;
    default: return memcmp(at, zero, sizeof zero) == 0;
    }
}

/* Arrays are of messages, or of numbers of 64 bits. */
static void put_array(struct json *json, const char *key, ProtobufCType type, const char *at,
                      size_t count)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        put_value(json, NULL, type, at + i * size_of(type));
    json_close(json, ']');
}

static void put_field(struct json *json, const ProtobufCMessage *message,
                      const ProtobufCFieldDescriptor *field)
{
    const char *base = (const char *)message, *at = base + field->offset;
    const bool is_one = field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;
    char key[NAME_ROOM];
    camel(field->name, key);
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        const size_t count = *(const size_t *)(const void *)(base + field->quantifier_offset);
        if (count > 0) put_array(json, key, field->type, *(char *const *)(const void *)at, count);
    } else if (is_one
                   ? *(const uint32_t *)(const void *)(base + field->quantifier_offset) == field->id
                   : !is_default(field->type, at)) {
        put_value(json, key, field->type, at);
    }
}

static void put_message(struct json *json, const char *key, const ProtobufCMessage *message)
{
    json_open(json, key, '{');
    for (unsigned i = 0; i < message->descriptor->n_fields; i++)
        put_field(json, message, &message->descriptor->fields[i]);
    json_close(json, '}');
}

static void append(void *to, const char *bytes, size_t size)
{
    sink_text(to, bytes, size);
}

bool otlp_put_line(struct sink *sink, enum otlp_signal signal, const struct buffer *request)
{
    static const ProtobufCMessageDescriptor *const requests[OTLP_SIGNALS] = {
        &otlp__export_trace_service_request__descriptor,
        &otlp__export_logs_service_request__descriptor,
        &otlp__export_metrics_service_request__descriptor,
    };
    ProtobufCMessage *message =
        protobuf_c_message_unpack(requests[signal], NULL, request->size, request->bytes);
    struct json json = {.put = append, .to = sink};
    if (!message) return false;
    put_message(&json, NULL, message);
    json_end_line(&json);
    protobuf_c_message_free_unpacked(message, NULL);
    return true;
}
