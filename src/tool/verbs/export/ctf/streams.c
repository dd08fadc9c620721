/* streams.c — the events of a section as streams of CTF, one for each cap. Packets are in memory
 * until they are full, and a file is open only while a packet is appended to it: there may be
 * 65,536 caps. */
#include "tool/verbs/export/ctf/ctf.h"

#include "base/buffer.h"
#include "format/fields.h"
#include "render/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    PACKET = 1 << 16,        /* bytes from which a packet is written */
    MEMORY = 16 << 20,       /* of all packets: if there are very many caps, they are smaller */
    PACKET_HEADER = 40,      /* without the cap */
    EVENT_HEADER = 10,       /* the class, the time */
    LENGTH = 4,              /* of a sequence */
    EXPANSION = 6,           /* of text: see put_latin1_text */
    FIELD_ROOM = LENGTH + 1, /* beyond the text: a length, a NUL */
};

struct stream {
    struct buffer packet; /* with its header; empty: not begun */
    uint64_t begin, end;  /* times */
};

struct ctf_streams {
    struct ctf_folder *folder;
    struct ctf_classes *classes;
    const hectic_shape *catalogue;
    bool is_copied[CTF_SHAPES_MAX]; /* shapes of integers only: CTF has their payload as it is */
    size_t memory;                  /* of all packets */
    struct stream stream[HECTIC_CAP_NONE + 1];
    uint16_t cap[HECTIC_CAP_NONE + 1]; /* those with a packet in memory */
    size_t caps;
};

/* --- Values ---------------------------------------------------------------------------------- */

static uint8_t *put_bytes_of(uint8_t *out, const void *bytes, size_t size)
{
    memcpy(out, bytes, size);
    return out + size;
}

static uint8_t *put_length(uint8_t *out, size_t length)
{
    store32(out, (uint32_t)length);
    return out + LENGTH;
}

static uint8_t *put_sequence(uint8_t *out, const void *bytes, size_t size)
{
    return put_bytes_of(put_length(out, size), bytes, size);
}

/* A NUL ends a text of CTF: one inside is escaped as an invalid byte is. */
static uint8_t *put_text(uint8_t *out, const uint8_t *bytes, size_t length)
{
    static const char escaped[] = "\\x00";
    for (size_t part; length > 0; bytes += part, length -= part) {
        const uint8_t *nul = memchr(bytes, 0, length);
        part = nul ? (size_t)(nul - bytes) : length;
        out = (uint8_t *)put_exact((char *)out, bytes, part);
        if (!nul) continue;
        out = put_bytes_of(out, escaped, strlen(escaped));
        part++;
    }
    *out++ = 0;
    return out;
}

/* As UTF-8, behind the place where it is escaped: a byte becomes two, or four if it is a NUL. */
static uint8_t *put_latin1_text(uint8_t *out, const uint8_t *bytes, size_t length)
{
    uint8_t *utf8 = out + 4 * length + 1;
    const char *end = put_latin1((char *)utf8, bytes, length);
    return put_text(out, utf8, (size_t)((const uint8_t *)end - utf8));
}

static uint8_t *put_texts(uint8_t *out, const uint8_t *bytes, size_t length)
{
    struct text_list list = text_list(bytes, length);
    uint8_t *count_at = out;
    size_t count = 0;
    for (out += LENGTH; text_list_next(&list); count++)
        out = put_text(out, list.text, list.length);
    put_length(count_at, count);
    return out;
}

/* The integers of CTF are those of the log: big-endian, of the same width. */
static uint8_t *put_value(uint8_t *out, const hectic_value *value)
{
    switch (value->field->wire) {
    case HECTIC_STRING:
    case HECTIC_TEXT: return put_text(out, value->bytes, value->length);
    case HECTIC_LATIN1: return put_latin1_text(out, value->bytes, value->length);
    case HECTIC_TEXTS: return put_texts(out, value->bytes, value->length);
    case HECTIC_BYTES: return put_sequence(out, value->bytes, value->length);
    case HECTIC_U32S:
        return put_bytes_of(put_length(out, value->number), value->bytes, value->length);
    default: return put_bytes_of(out, value->bytes, value->length);
    }
}

/* --- Events ---------------------------------------------------------------------------------- */

static uint8_t *put_unknown(uint8_t *out, const hectic_event *event)
{
    const hectic_event_type *type = event->declared;
    store16(out, event->type);
    out = put_text(out + 2, (const uint8_t *)type->description, type->description_length);
    return put_sequence(out, event->payload, event->size);
}

/* Sets *class. */
static uint8_t *put_fields(uint8_t *out, const hectic_event *event, size_t shape, uint16_t *class)
{
    const hectic_shape *of = event->declared->shape;
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t used;
    const size_t count = hectic_shape_walk(of, event->payload, event->size, value, &used);
    const bool has_rest = fields_are_malformed(of, count, used, event->size) || used < event->size;
    for (size_t i = 0; i < count; i++)
        out = put_value(out, &value[i]);
    if (has_rest) out = put_sequence(out, event->payload + used, event->size - used);
    *class =
        (uint16_t)(shape << CTF_SHAPE_SHIFT | count << CTF_COUNT_SHIFT | (has_rest ? CTF_REST : 0));
    return out;
}

static uint8_t *put_payload(struct ctf_streams *streams, uint8_t *out, const hectic_event *event,
                            uint16_t *class)
{
    const hectic_shape *of = event->declared->shape;
    if (!of) return *class = CTF_UNKNOWN, put_unknown(out, event);
    const size_t shape = (size_t)(of - streams->catalogue);
    if (!streams->is_copied[shape] || event->size != of->size)
        return put_fields(out, event, shape, class);
    *class = ctf_class_of(shape, of);
    return put_bytes_of(out, event->payload, event->size);
}

static size_t bound_of(const hectic_event *event)
{
    return EVENT_HEADER + HECTIC_MAX_FIELDS * FIELD_ROOM + EXPANSION * (size_t)event->size +
           (event->declared->shape ? 0 : 4 * (size_t)event->declared->description_length);
}

/* --- Packets --------------------------------------------------------------------------------- */

static size_t header_of(uint32_t cap)
{
    return PACKET_HEADER + (cap == HECTIC_CAP_NONE ? 0 : 4);
}

/* As the metadata describe it; sizes are in bits. */
static void put_header(const struct stream *stream, uint32_t cap)
{
    uint8_t *out = stream->packet.bytes;
    const uint64_t bits = 8 * (uint64_t)stream->packet.size;
    store32(out, 0xc1fc1fc1);
    store32(out + 4, cap == HECTIC_CAP_NONE ? CTF_STREAM_NO_CAP : CTF_STREAM_CAP);
    store64(out + 8, stream->begin);
    store64(out + 16, stream->end);
    store64(out + 24, bits);
    store64(out + 32, bits);
    if (cap != HECTIC_CAP_NONE) store32(out + PACKET_HEADER, cap);
}

static bool write_packet(struct ctf_streams *streams, uint32_t cap)
{
    struct stream *stream = &streams->stream[cap];
    if (stream->packet.size == 0) return true;
    put_header(stream, cap);
    const bool done =
        ctf_folder_write(streams->folder, cap, stream->packet.bytes, stream->packet.size);
    stream->packet.size = 0;
    return done;
}

/* Writes all packets, and frees their memory. */
static bool write_all(struct ctf_streams *streams)
{
    bool done = true;
    for (; streams->caps > 0; streams->caps--) {
        const uint16_t cap = streams->cap[streams->caps - 1];
        done = done && write_packet(streams, cap);
        buffer_free(&streams->stream[cap].packet);
    }
    streams->memory = 0;
    return done;
}

/* Room for an event in the packet of its cap. NULL: out of memory, or writing failed. */
static uint8_t *room_for(struct ctf_streams *streams, const hectic_event *event)
{
    struct stream *stream = &streams->stream[event->cap];
    const size_t capacity = stream->packet.capacity, header = header_of(event->cap);
    if (stream->packet.size >= PACKET && !write_packet(streams, event->cap)) return NULL;
    uint8_t *room = buffer_room(&stream->packet, header + bound_of(event));
    streams->memory += stream->packet.capacity - capacity;
    if (capacity == 0) streams->cap[streams->caps++] = event->cap;
    if (!room || stream->packet.size > 0) return room;
    stream->begin = event->time;
    stream->packet.size = header;
    return room + header;
}

static bool add_event(struct ctf_streams *streams, const hectic_event *event)
{
    struct stream *stream = &streams->stream[event->cap];
    uint16_t class;
    uint8_t *out = room_for(streams, event);
    if (!out) return false;
    stream->packet.size += (size_t)(put_payload(streams, out + EVENT_HEADER, event, &class) - out);
    store16(out, class);
    store64(out + 2, event->time);
    stream->end = event->time;
    ctf_classes_add(streams->classes, class);
    return streams->memory <= MEMORY || write_all(streams);
}

/* --- All streams ----------------------------------------------------------------------------- */

static bool has_integers_only(const hectic_shape *shape)
{
    bool has = true;
    for (size_t i = 0; i < shape->field_count && has; i++)
        has = shape->field[i].wire <= HECTIC_U64;
    return has;
}

struct ctf_streams *ctf_streams_new(struct ctf_folder *folder, struct ctf_classes *classes)
{
    struct ctf_streams *streams = calloc(1, sizeof *streams);
    if (!streams) return NULL;
    size_t count;
    streams->folder = folder;
    streams->classes = classes;
    streams->catalogue = hectic_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        streams->is_copied[i] = has_integers_only(&streams->catalogue[i]);
    return streams;
}

void ctf_streams_free(struct ctf_streams *streams)
{
    for (size_t i = 0; streams && i < streams->caps; i++)
        buffer_free(&streams->stream[streams->cap[i]].packet);
    free(streams);
}

bool ctf_streams_add(struct ctf_streams *streams, const hectic_event *event, size_t count)
{
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = add_event(streams, &event[i]);
    return done;
}

bool ctf_streams_end(struct ctf_streams *streams)
{
    return write_all(streams);
}
