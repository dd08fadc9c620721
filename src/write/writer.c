/* Writes a log incrementally. The buffer contains finished bytes, followed by the open block. */
#include <hectic/writer.h>

#include <stdlib.h>

#include "format/event_bytes.h"

struct hectic_writer {
    hectic_write write;
    void *user;
    size_t capacity;
    size_t used;
    size_t block;               /* offset of the open block */
    hectic_event_type declared; /* the type of its marker; shape NULL: no open block */
    uint64_t time;
    uint64_t end_time; /* its latest time so far */
    uint16_t cap;
    bool failed;
    uint8_t buffer[];
};

hectic_writer *hectic_writer_new(size_t capacity, hectic_write write, void *user)
{
    if (capacity < HECTIC_WRITER_MIN) capacity = HECTIC_WRITER_MIN;
    /* A block's size has 32 bits. */
    if (capacity > UINT32_MAX) capacity = UINT32_MAX;
    hectic_writer *writer = malloc(sizeof *writer + capacity);
    if (writer) *writer = (hectic_writer){.write = write, .user = user, .capacity = capacity};
    return writer;
}

void hectic_writer_free(hectic_writer *writer)
{
    free(writer);
}

/* The open block moves to the beginning of the buffer. */
bool hectic_writer_drain(hectic_writer *writer)
{
    size_t finished = writer->declared.shape ? writer->block : writer->used;
    if (!writer->failed && finished > 0)
        writer->failed = !writer->write(writer->user, writer->buffer, finished);
    memmove(writer->buffer, writer->buffer + finished, writer->used - finished);
    writer->used -= finished;
    writer->block = 0;
    return !writer->failed;
}

/* Writes a block's marker at its beginning. */
static size_t put_marker(hectic_writer *writer, size_t size)
{
    const hectic_value fields[] = {
        {.number = size}, {.number = writer->end_time}, {.number = writer->cap}};
    return hectic_encode_fields(writer->buffer + writer->block, writer->capacity - writer->block,
                                &writer->declared, writer->time, fields, 3);
}

static void end_block(hectic_writer *writer)
{
    if (writer->declared.shape) put_marker(writer, writer->used - writer->block);
    writer->declared.shape = NULL;
}

bool hectic_writer_end_block(hectic_writer *writer, uint64_t end_time)
{
    if (end_time > writer->end_time) writer->end_time = end_time;
    end_block(writer);
    return !writer->failed;
}

bool hectic_writer_begin_block(hectic_writer *writer, const hectic_event_type *declared,
                               uint64_t time, uint16_t cap)
{
    const hectic_event_type marker = *declared; /* it may be that of the open block */
    end_block(writer);
    if (writer->capacity - writer->used < HECTIC_EVENT_MAX) hectic_writer_drain(writer);
    writer->block = writer->used;
    writer->declared = marker;
    writer->time = writer->end_time = time;
    writer->cap = cap;
    size_t size = put_marker(writer, 0);
    if (size == 0) writer->failed = true;
    writer->used += size;
    return !writer->failed;
}

bool hectic_writer_event(hectic_writer *writer, const hectic_event *event)
{
    if (writer->capacity - writer->used < HECTIC_EVENT_MAX) {
        hectic_writer_drain(writer);
        /* Still not enough space: the block alone fills the buffer. */
        if (writer->capacity - writer->used < HECTIC_EVENT_MAX)
            hectic_writer_begin_block(writer, &writer->declared, event->time, writer->cap);
    }
    size_t size =
        hectic_encode_event(writer->buffer + writer->used, writer->capacity - writer->used, event);
    if (size == 0) writer->failed = true;
    writer->used += size;
    if (event->time > writer->end_time) writer->end_time = event->time;
    return !writer->failed;
}

bool hectic_writer_header(hectic_writer *writer, const hectic_event_type *types, size_t count)
{
    end_block(writer);
    hectic_writer_drain(writer);
    size_t size = hectic_encode_header(writer->buffer, writer->capacity, types, count);
    if (size > writer->capacity)
        writer->failed = true;
    else
        writer->used = size;
    return !writer->failed;
}

bool hectic_writer_data_end(hectic_writer *writer)
{
    end_block(writer);
    if (writer->capacity - writer->used < 2) hectic_writer_drain(writer);
    writer->used += hectic_encode_data_end(writer->buffer + writer->used, 2);
    return !writer->failed;
}

bool hectic_writer_flush(hectic_writer *writer)
{
    end_block(writer);
    return hectic_writer_drain(writer);
}
