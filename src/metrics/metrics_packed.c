/* metrics_packed.c — see metrics_packed.h. */
#include "metrics/metrics_packed.h"

struct to_file {
    ProtobufCBuffer base;
    FILE *out;
};

double metrics_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static void append(ProtobufCBuffer *buffer, size_t length, const uint8_t *bytes)
{
    fwrite(bytes, 1, length, ((struct to_file *)buffer)->out);
}

void metrics_put_message(FILE *out, const ProtobufCMessage *message)
{
    struct to_file to = {{append}, out};
    protobuf_c_message_pack_to_buffer(message, &to.base);
}

void metrics_put_length(FILE *out, size_t length)
{
    for (; length > 0x7f; length >>= 7)
        fputc((int)(length & 0x7f) | 0x80, out);
    fputc((int)length, out);
}

void metrics_begin_part(struct metrics_output *o)
{
    o->part_bytes = NULL;
    o->part = open_memstream(&o->part_bytes, &o->part_length);
    o->failed = o->failed || !o->part;
}

bool metrics_end_part(struct metrics_output *o)
{
    if (!o->part) return false;
    /* If glibc runs out of memory, fclose may succeed without any bytes. */
    if (fclose(o->part) != 0 || !o->part_bytes) o->failed = true;
    o->part = NULL;
    return o->part_bytes;
}
