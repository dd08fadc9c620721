/* metrics_packed.h — what the formats share that are messages of protocol buffers. */
#ifndef HECTIC_SRC_METRICS_PACKED_H
#define HECTIC_SRC_METRICS_PACKED_H

#include "metrics/metrics_output.h"

#include <protobuf-c/protobuf-c.h>

double metrics_seconds(uint64_t ns);

void metrics_put_message(FILE *out, const ProtobufCMessage *message);

/* The length of what follows. */
void metrics_put_length(FILE *out, size_t length);

/* Begins the part of a family, o->part; without memory that is NULL. */
void metrics_begin_part(struct metrics_output *o);

/* Ends it: o->part_bytes has it, which the caller frees. False: there is none. */
bool metrics_end_part(struct metrics_output *o);

#endif
