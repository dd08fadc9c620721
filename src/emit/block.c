/* The head of a block. */
#include "emit/emitter.h"
#include "format/event_bytes.h"

#include <hectic/encoder.h>
#include <hectic/gaps.h>

static uint8_t *put(uint8_t *out, const char *text)
{
    const size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

static uint8_t *put_number(uint8_t *out, uint64_t number)
{
    uint8_t digit[20];
    size_t count = 0;
    do
        digit[count++] = (uint8_t)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        *out++ = digit[--count];
    return out;
}

/* A message about dropped events, which older tools show, too. */
static uint8_t *put_gap_message(uint8_t *out, uint64_t time, uint64_t dropped)
{
    enum { PREFIX = 12 };
    uint8_t *end = put_number(put(out + PREFIX, HECTIC_GAP_BEGINS), dropped);
    end = put(end, HECTIC_GAP_DROPPED);
    store16(out, HECTIC_EVENT_LOG_MSG);
    store64(out + 2, time);
    store16(out + 10, (uint16_t)(end - out - PREFIX));
    return end;
}

size_t block_head(uint8_t *out, const block *b)
{
    uint8_t *end = out + HECTIC_BLOCK_MARKER_SIZE;
    if (b->dropped > 0) end = put_gap_message(end, b->begin, b->dropped);
    const size_t size = (size_t)(end - out);
    hectic_encode_block_marker(out, HECTIC_BLOCK_MARKER_SIZE, b->begin, (uint32_t)(size + b->size),
                               b->end, b->cap);
    return size;
}
