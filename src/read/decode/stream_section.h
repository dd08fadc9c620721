/* stream_section.h — what a stream has received of the section that it delivers, and what is known
 * of what it receives. */
#ifndef HECTIC_SRC_STREAM_SECTION_H
#define HECTIC_SRC_STREAM_SECTION_H

#include <hectic/log.h>
#include <hectic/stream.h>

/* As the survey of a log says it that ends with what was received, but for the section's place. It
 * is final when the stream has delivered the events, of the whole section or after
 * hectic_stream_end. False: out of memory. */
bool stream_section(const hectic_stream *stream, hectic_section *section);

/* What is pushed until the unit ends has all events of all caps up to a time: so the beginnings of
 * its blocks do not say how far the log has advanced, however long the unit is. */
void stream_begin_unit(hectic_stream *stream);
void stream_end_unit(hectic_stream *stream, uint64_t until);

#endif
