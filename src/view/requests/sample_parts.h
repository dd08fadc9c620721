/* sample_parts.h — the samples of a time profile by thread, or by the spans that their thread is
 * in. */
#ifndef HECTIC_SRC_VIEW_SAMPLE_PARTS_H
#define HECTIC_SRC_VIEW_SAMPLE_PARTS_H

#include "profiles/time_samples.h"
#include "timeline/range.h"
#include "view/engine/marks.h"

/* As the key `by`. */
enum parts_by { PARTS_NONE, PARTS_BY_THREAD, PARTS_BY_SPAN };

struct sample_parts;

/* `part`: of which samples count; UINT64_MAX: all do. `marks`: of PARTS_BY_SPAN; they are copied.
 * NULL: out of memory. */
struct sample_parts *sample_parts_new(enum parts_by by, uint64_t part, const struct marks *marks);
void sample_parts_free(struct sample_parts *parts);

/* Adds the types of the events that sample_parts_event needs. */
void sample_parts_types(type_set *types);

/* The next event, in order of time, from the beginning of the section on. */
void sample_parts_event(struct sample_parts *parts, const hectic_event *event);

/* The next sample; it follows the events before it. Does it count? */
bool sample_parts_take(struct sample_parts *parts, const hectic_time_sample *sample);

/* Writes the members of the answer. False: out of memory. */
bool sample_parts_put(struct sample_parts *parts, hectic_time_source source,
                      const hectic_timeline *timeline, struct json *json);

#endif
