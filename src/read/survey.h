/* The first pass over a log: what is where, without keeping any of it.
 *
 * It counts, finds damage, and cuts the log into *chunks*: stretches of events, at event
 * boundaries, that the second pass loads and sorts one by one. Of each it keeps the earliest time.
 */
#ifndef HECTIC_SRC_SURVEY_H
#define HECTIC_SRC_SURVEY_H

#include "read/input.h"
#include "read/step.h"

#include <hectic/log.h>

typedef struct chunk {
    uint64_t position;
    uint64_t length;
    uint64_t first; /* the earliest time in it */
    /* The framing at its beginning, as in a stepper. */
    int64_t remaining;
    uint16_t cap;
} chunk;

/* A growing array of plain values. */
typedef struct list {
    void *items;
    size_t count;
    size_t capacity;
} list;

/* Room for one more item of `size` bytes at the end, or NULL: no memory. */
void *list_add(list *l, size_t size);

typedef struct survey {
    hectic_survey found; /* the public part, pointing into what follows */
    list sections;       /* of hectic_section */
    list section_chunks; /* of size_t: where each section's chunks end in `chunks` */
    list chunks;         /* of chunk, in the order of the file */
    list damage;         /* of hectic_damage */
    uint64_t damage_count;
    list landmarks; /* of uint64_t */
    uint64_t *count;
    uint8_t *caps;
    uint64_t chunk_size;
} survey;

enum { DAMAGE_KEPT = 1000 };

/* Is an event of this shape one whose place the survey may keep? */
static inline bool is_landmark(const hectic_shape *shape)
{
    return shape->number == HECTIC_EVENT_LOG_MSG || shape->class_ == HECTIC_CLASS_PROCESS ||
           shape->number == HECTIC_EVENT_PROF_BEGIN ||
           shape->number == HECTIC_EVENT_HEAP_PROF_BEGIN ||
           shape->number == HECTIC_EVENT_HEAP_INFO_GHC;
}

/* Surveys a random input. False: *error says why no log can be made of it; the survey is to be
 * freed all the same. */
bool survey_run(survey *s, const hectic_input *input, const hectic_log_options *options,
                hectic_error *error);
void survey_free(survey *s);

#endif
