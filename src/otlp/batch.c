/* batch.c — see batch.h. The requests of all signals have the same form:
 *
 *     request { 1: { 1: resource, 2: { 1: scope, 2: item, 2: item … } } }
 */
#include "otlp/batch.h"

#include <hectic/version.h>
#include <string.h>

enum { FIRST = 1 << 3 | 2, SECOND = 2 << 3 | 2 }; /* fields of bytes */
enum { ITEMS_MAX = 1000, BYTES_MAX = 1 << 20 };

const char *const otlp_paths[OTLP_SIGNALS] = {"/v1/traces", "/v1/logs", "/v1/metrics"};

static void add_field(struct buffer *to, uint8_t field, const struct buffer *content)
{
    buffer_add_byte(to, field);
    buffer_add_varint(to, content->size);
    if (content->size > 0) buffer_add(to, content->bytes, content->size);
    to->failed = to->failed || content->failed;
}

static void add_message(struct buffer *to, const ProtobufCMessage *message)
{
    uint8_t *room = buffer_room(to, protobuf_c_message_get_packed_size(message));
    if (room) to->size += protobuf_c_message_pack(message, room);
}

bool otlp_flush(struct otlp_batch *batch)
{
    struct buffer about = {0}, scope = {0}, resource = {0}, request = {0};
    Otlp__InstrumentationScope hectic = OTLP__INSTRUMENTATION_SCOPE__INIT;
    if (batch->count == 0) return true;
    hectic.name = "hectic";
    hectic.version = HECTIC_VERSION;
    add_message(&about, &hectic.base);
    add_field(&scope, FIRST, &about);
    buffer_add(&scope, batch->items.bytes, batch->items.size);
    add_field(&resource, FIRST, batch->resource);
    add_field(&resource, SECOND, &scope);
    add_field(&request, FIRST, &resource);
    const bool done =
        !request.failed && !batch->items.failed &&
        batch->target->put(batch->target->self, batch->signal, &request, batch->count);
    buffer_free(&about);
    buffer_free(&scope);
    buffer_free(&resource);
    buffer_free(&request);
    batch->items.size = batch->count = 0;
    return done;
}

bool otlp_add_encoded(struct otlp_batch *batch, const void *bytes, size_t size, size_t count)
{
    buffer_add(&batch->items, bytes, size);
    batch->count += count;
    if (batch->items.failed) return false;
    return (batch->count < ITEMS_MAX && batch->items.size < BYTES_MAX) || otlp_flush(batch);
}

bool otlp_add(struct otlp_batch *batch, const ProtobufCMessage *item)
{
    const size_t size = protobuf_c_message_get_packed_size(item);
    buffer_add_byte(&batch->items, SECOND);
    buffer_add_varint(&batch->items, size);
    add_message(&batch->items, item);
    return otlp_add_encoded(batch, "", 0, 1);
}

/* --- Attributes ------------------------------------------------------------------------------ */

static Otlp__AnyValue *add(struct otlp_attributes *attributes, const char *key)
{
    const size_t place = attributes->count++;
    Otlp__KeyValue *pair = attributes->pairs[place] = &attributes->pair[place];
    otlp__key_value__init(pair);
    otlp__any_value__init(&attributes->value[place]);
    pair->key = (char *)(uintptr_t)key;
    return pair->value = &attributes->value[place];
}

void otlp_add_number(struct otlp_attributes *attributes, const char *key, uint64_t number)
{
    Otlp__AnyValue *value = add(attributes, key);
    value->value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
    value->int_value = number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

void otlp_add_text(struct otlp_attributes *attributes, const char *key, const char *text)
{
    Otlp__AnyValue *value = add(attributes, key);
    value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
    value->string_value = (char *)(uintptr_t)text;
}
