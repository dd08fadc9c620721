/* stream_section.h — what a stream has received of the section that it delivers. */
#ifndef HECTIC_SRC_STREAM_SECTION_H
#define HECTIC_SRC_STREAM_SECTION_H

#include <hectic/log.h>
#include <hectic/stream.h>

/* As the survey of a log says it that ends with what was received, but for the section's place. It
 * is final when the stream has delivered the events, of the whole section or after
 * hectic_stream_end. False: out of memory. */
bool stream_section(const hectic_stream *stream, hectic_section *section);

#endif
