/* fork.c — see fork.h. */
#include "timeline/fork.h"

#include "base/array.h"
#include "format/header.h"
#include "read/decode/step.h"
#include "read/decode/type_set.h"
#include "stat/stat_fork.h"
#include "timeline/excerpt.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 18 };

/* --- Names ----------------------------------------------------------------------------------- */

bool told_add(struct told *told, uint16_t type, const uint8_t *payload, size_t size)
{
    if (!array_reserve(told->name, told->capacity, told->count + 1)) return false;
    uint8_t *copy = malloc(size + 1);
    if (!copy) return false;
    memcpy(copy, payload, size);
    told->name[told->count++] = (struct name){told->position, type, (uint16_t)size, copy};
    return true;
}

void told_free(struct told *told)
{
    for (size_t i = 0; i < told->count; i++)
        free(told->name[i].payload);
    free(told->name);
    *told = (struct told){0};
}

/* --- Reading --------------------------------------------------------------------------------- */

/* The bytes of a block that are in memory. */
struct window {
    uint8_t *bytes;
    size_t at, length;
    uint64_t position; /* of bytes[at] */
    uint64_t end;      /* of the block */
    stepper place;
};

static bool refill(const struct timeline_part *part, struct window *w)
{
    const size_t rest = w->length - w->at;
    const uint64_t left = w->end - w->position - rest;
    const size_t room = BUFFER - rest, size = left < room ? (size_t)left : room;
    memmove(w->bytes, w->bytes + w->at, rest);
    w->at = 0;
    w->length = rest + size;
    return part->source->read(part->source->user, w->position + rest, w->bytes + rest, size);
}

static bool add_chunk(struct timeline_part *part, struct timeline_chunk *events, uint64_t last)
{
    hectic_stat *stat = part->timeline->stat;
    if (stat->earliest < events->first) events->first = stat->earliest;
    stat->earliest = UINT64_MAX;
    events->last = last;
    return stat->repeats || chunks_add(&part->chunks, events);
}

/* Takes the next events. False: failed, or unfit. */
static bool take_some(struct timeline_part *part, struct window *w, bool is_first)
{
    const hectic_timeline *t = part->timeline;
    const uint8_t *p = w->bytes + w->at;
    const size_t available = w->length - w->at;
    struct timeline_chunk events = {
        .position = w->position, .cap = w->place.cap, .remaining = w->place.remaining};
    size_t length = 0;
    part->told.position = w->position;
    if (!is_first && available >= EVENT_HEAD) {
        events.first = event_time_at(p);
        length =
            stat_take_run(t->stat, &w->place, p, available < CHUNK_BYTES ? available : CHUNK_BYTES);
        if (length == SIZE_MAX) return false;
    }
    /* All parts read the blocks without a cap. */
    struct excerpt *excerpt = t->stat->repeats ? NULL : t->excerpt;
    if (length > 0) {
        if (excerpt && !excerpt_take_run(excerpt, t->header, events.cap, w->position, p, length))
            return false;
        events.types = t->stat->types;
        events.length = length;
        if (!add_chunk(part, &events, stat_time(t->stat, events.cap))) return false;
        step_advance(&w->place, length);
    } else {
        hectic_event event;
        length = step_length(&w->place, p, available);
        if (length == STEP_NEED_MORE && w->position + available < w->end) return refill(part, w);
        part->is_unfit = length <= STEP_UNKNOWN;
        if (part->is_unfit) return false;
        step_view(t->header, p, length, w->position, step_over(&w->place, p, length), &event);
        if (event.type == HECTIC_EVENT_BLOCK_MARKER && !is_first) part->is_unfit = true;
        events.first = event.time;
        events.length = length;
        events.types = type_folded(event.type);
        if (part->is_unfit || !hectic_stat_event(t->stat, &event) ||
            (excerpt && !excerpt_take_event(excerpt, &event)) ||
            !add_chunk(part, &events, event.time))
            return false;
    }
    w->at += length;
    w->position += length;
    return true;
}

static bool take_block(struct timeline_part *part, const struct timeline_block *block,
                       uint8_t *bytes)
{
    struct window w = {.bytes = bytes,
                       .position = block->position,
                       .end = block->position + block->size,
                       .place = step_outside(part->timeline->header)};
    bool is_first = true;
    part->timeline->stat->repeats = part->timeline->is_fork && block->cap == HECTIC_CAP_NONE;
    while (w.position < w.end) {
        const uint64_t position = w.position;
        if (!take_some(part, &w, is_first)) return false;
        is_first = is_first && w.position == position;
    }
    part->is_unfit = part->timeline->stat->has_sync;
    return !part->is_unfit;
}

void timeline_part_read(struct timeline_part *part)
{
    uint8_t *bytes = malloc(BUFFER);
    bool done = bytes;
    part->timeline->told = &part->told;
    for (size_t i = 0; i < part->blocks && done; i++)
        if (part->block[i].cap == HECTIC_CAP_NONE ||
            part->owner[part->block[i].cap] == part->number)
            done = take_block(part, &part->block[i], bytes);
    part->timeline->stat->repeats = false;
    part->timeline->told = NULL;
    part->has_failed = (!done && !part->is_unfit) || part->timeline->is_full;
    free(bytes);
}

/* --- Joining --------------------------------------------------------------------------------- */

static bool owns(const void *user, uint16_t cap)
{
    const struct timeline_part *part = user;
    return part->owner[cap] == part->number;
}

static bool join(hectic_timeline *t, struct timeline_part *part)
{
    hectic_timeline *fork = part->timeline;
    bool done = stat_join(t->stat, fork->stat, owns, part);
    for (size_t i = 0; i < fork->stat->caps && done; i++) {
        const size_t place = t->stat->index[fork->stat->cap[i]->number] - 1;
        for (size_t k = 0; k < STAT_SPANS && done; k++)
            done = bins_move(&t->spans, place * STAT_SPANS + k, &fork->spans, i * STAT_SPANS + k);
    }
    done = done && bins_move(&t->unrecorded, 0, &fork->unrecorded, 0);
    for (size_t i = 0; i < ALLOCATED_ROWS && done; i++)
        done = bins_move(&t->allocated, i, &fork->allocated, i);
    for (size_t i = 0; i < TIMELINE_MESSAGE_KINDS && done; i++)
        done = bins_move(&t->said, i, &fork->said, i);
    for (size_t i = 0; i < HECTIC_TIMELINE_ALLOCATED && done; i++)
        done = gauge_join(&t->gauge[i], &fork->gauge[i]);
    for (size_t i = 0; i < fork->longest.count && done; i++)
        done = longest_add(&t->longest, &fork->longest.run[i]);
    return done;
}

/* The position of an item of a part; UINT64_MAX: it has no more. */
typedef uint64_t position_of(const struct timeline_part *part, size_t at);

static uint64_t name_position(const struct timeline_part *part, size_t at)
{
    return at < part->told.count ? part->told.name[at].position : UINT64_MAX;
}

static uint64_t chunk_position(const struct timeline_part *part, size_t at)
{
    return at < part->chunks.count ? part->chunks.chunk[at].position : UINT64_MAX;
}

/* The part whose next item comes first in the log; NULL: none. */
static struct timeline_part *next_part(struct timeline_part *part, size_t parts, const size_t *at,
                                       position_of *position)
{
    struct timeline_part *next = NULL;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < parts; i++)
        if (position(&part[i], at[i]) < least) {
            least = position(&part[i], at[i]);
            next = &part[i];
        }
    return next;
}

bool timeline_join(struct timeline_part *part, size_t parts)
{
    hectic_timeline *t = part[0].timeline;
    bool done = true;
    size_t at[TIMELINE_PARTS_MAX] = {0};
    for (struct timeline_part *next; done && (next = next_part(part, parts, at, name_position));) {
        const struct name *name = &next->told.name[at[next - part]++];
        done = titles_take(&t->titles, name->type, name->payload, name->size);
    }
    memset(at, 0, sizeof at);
    for (struct timeline_part *next; done && (next = next_part(part, parts, at, chunk_position));)
        done = chunks_add(&t->chunks, &next->chunks.chunk[at[next - part]++]);
    for (size_t i = 1; i < parts && done; i++)
        done = join(t, &part[i]);
    return done && excerpt_join(t->excerpt, part[0].owner, parts) && stat_end_forks(t->stat);
}
