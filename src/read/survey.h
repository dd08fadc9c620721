/* The first pass over a log: an index of its content.
 *
 * It counts events, finds damage, and divides the log into *chunks* of events, which the second
 * pass loads and sorts one by one. It keeps the earliest time of each chunk.
 */
#ifndef HECTIC_SRC_SURVEY_H
#define HECTIC_SRC_SURVEY_H

#include "read/decode/coverage.h"
#include "read/decode/lost.h"
#include "read/decode/order.h"
#include "read/decode/step.h"
#include "read/input.h"

#include <hectic/log.h>

/* A growing array of plain values. */
typedef struct list {
    void *items;
    size_t count;
    size_t capacity;
} list;

/* Appends an item of `size` bytes. NULL: out of memory. */
void *list_add(list *l, size_t size);

typedef struct survey {
    hectic_survey found; /* the public part, which points into the following */
    list sections;       /* of hectic_section */
    list section_chunks; /* of size_t: the end of each section's chunks in `chunks` */
    list chunks;         /* of chunk, in the order of the file */
    list damage;         /* of hectic_damage */
    uint64_t damage_count;
    uint64_t messages;    /* that stand for lost bytes */
    uint64_t lost_places; /* of which there are messages */
    cap_times lost_caps;  /* of the last section so far, for lost_messages */
    list landmarks;       /* of uint64_t */
    uint64_t *count;
    uint8_t *caps;
    struct coverage coverage; /* of the last section */
    uint64_t chunk_size;
    bool skips;    /* blocks of caps that an interval does not need */
    bool is_unfit; /* the log needs skipped blocks: its survey must be repeated with all */
} survey;

enum { DAMAGE_KEPT = 1000 };

/* True if events of this shape can be landmarks. */
static inline bool is_landmark(const hectic_shape *shape)
{
    return shape->number == HECTIC_EVENT_LOG_MSG || shape->class_ == HECTIC_CLASS_PROCESS ||
           shape->number == HECTIC_EVENT_PROF_BEGIN ||
           shape->number == HECTIC_EVENT_HEAP_PROF_BEGIN ||
           shape->number == HECTIC_EVENT_HEAP_INFO_GHC;
}

/* Surveys a random-access input. False with *error: the log cannot be read; the survey must be
 * freed in any case. */
bool survey_run(survey *s, const hectic_input *input, const hectic_log_options *options,
                hectic_error *error);
void survey_free(survey *s);

/* The number of messages that stand for lost bytes: events that the survey does not count; and of
 * the places. */
uint64_t log_lost_messages(const hectic_log *log);
uint64_t log_lost_places(const hectic_log *log);

/* Up to which time (ns) the last section has a cap's events. False: it has no block of the cap. */
bool hectic_log_covers_cap(const hectic_log *log, uint16_t cap, uint64_t *to);

/* Does the last section lack all blocks of a cap that was created in what it covers? */
bool log_lacks_cap(const hectic_log *log, uint16_t cap);

/* Before the first item after opening or rewinding: only events of these types are needed
 * (filter_types; NULL: all). Others may be delivered, too. */
void log_want(hectic_log *log, const uint8_t *types);

/* Goes back to the beginning, and reads to the end of the log from then on: beyond options->to. The
 * survey has not skipped blocks (options->from, options->interval_from). */
void log_read_on(hectic_log *log);

#endif
