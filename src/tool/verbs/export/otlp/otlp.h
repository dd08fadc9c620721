/* otlp.h — requests of OTLP as lines of JSON. */
#ifndef HECTIC_EXPORT_OTLP_H
#define HECTIC_EXPORT_OTLP_H

#include "otlp/batch.h"
#include "tool/files/sink.h"

/* Writes a request as a line. False: out of memory. */
bool otlp_put_line(struct sink *sink, enum otlp_signal signal, const struct buffer *request);

#endif
