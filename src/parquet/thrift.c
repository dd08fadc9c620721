/* thrift.c — see thrift.h. */
#include "parquet/thrift.h"

#include <string.h>

enum { FLAG_TRUE = 1, FLAG_FALSE = 2, SHORT_STEP = 15, SHORT_COUNT = 15 };

static void begin_field(struct thrift *thrift, int field, unsigned type)
{
    const int step = field - thrift->field[thrift->depth];
    if (step > 0 && step <= SHORT_STEP) {
        buffer_add_byte(thrift->out, (uint8_t)((unsigned)step << 4 | type));
    } else {
        buffer_add_byte(thrift->out, (uint8_t)type);
        buffer_add_varint(thrift->out, zigzag(field));
    }
    thrift->field[thrift->depth] = field;
}

static void add_bytes(struct thrift *thrift, const void *bytes, size_t size)
{
    buffer_add_varint(thrift->out, size);
    buffer_add(thrift->out, bytes, size);
}

void thrift_flag(struct thrift *thrift, int field, bool flag)
{
    begin_field(thrift, field, flag ? FLAG_TRUE : FLAG_FALSE);
}

void thrift_byte(struct thrift *thrift, int field, uint8_t byte)
{
    begin_field(thrift, field, THRIFT_BYTE);
    buffer_add_byte(thrift->out, byte);
}

void thrift_i32(struct thrift *thrift, int field, int32_t number)
{
    begin_field(thrift, field, THRIFT_I32);
    buffer_add_varint(thrift->out, zigzag(number));
}

void thrift_i64(struct thrift *thrift, int field, uint64_t number)
{
    begin_field(thrift, field, THRIFT_I64);
    buffer_add_varint(thrift->out, zigzag((int64_t)number));
}

void thrift_bytes(struct thrift *thrift, int field, const void *bytes, size_t size)
{
    begin_field(thrift, field, THRIFT_BINARY);
    add_bytes(thrift, bytes, size);
}

void thrift_text(struct thrift *thrift, int field, const char *text)
{
    thrift_bytes(thrift, field, text, strlen(text));
}

void thrift_begin(struct thrift *thrift, int field)
{
    begin_field(thrift, field, THRIFT_STRUCT);
    thrift_element(thrift);
}

void thrift_end(struct thrift *thrift)
{
    buffer_add_byte(thrift->out, 0);
    if (thrift->depth > 0) thrift->depth--;
}

void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t count)
{
    begin_field(thrift, field, THRIFT_LIST);
    if (count < SHORT_COUNT) {
        buffer_add_byte(thrift->out, (uint8_t)(count << 4 | type));
    } else {
        buffer_add_byte(thrift->out, (uint8_t)(SHORT_COUNT << 4 | type));
        buffer_add_varint(thrift->out, count);
    }
}

void thrift_element(struct thrift *thrift)
{
    thrift->field[++thrift->depth] = 0;
}

void thrift_i32_element(struct thrift *thrift, int32_t number)
{
    buffer_add_varint(thrift->out, zigzag(number));
}

void thrift_text_element(struct thrift *thrift, const char *text)
{
    add_bytes(thrift, text, strlen(text));
}
