/* chunks.c — see chunks.h. */
#include "timeline/chunks.h"

#include "base/array.h"

#include <stdlib.h>

void chunks_free(struct chunks *c)
{
    free(c->chunk);
    *c = (struct chunks){0};
}

static bool is_next(const struct timeline_chunk *chunk, const struct timeline_chunk *events)
{
    return chunk->length > 0 && events->length > 0 &&
           chunk->position + chunk->length == events->position;
}

static void extend(struct timeline_chunk *chunk, const struct timeline_chunk *events)
{
    chunk->length += events->length;
    chunk->types |= events->types;
    if (events->first < chunk->first) chunk->first = events->first;
    if (events->last > chunk->last) chunk->last = events->last;
}

/* Joins neighbours, except across bytes that are skipped. */
static void join(struct chunks *c)
{
    size_t kept = 0;
    c->bytes *= 2;
    for (size_t i = 1; i < c->count; i++)
        if (is_next(&c->chunk[kept], &c->chunk[i]) && c->chunk[kept].length < c->bytes)
            extend(&c->chunk[kept], &c->chunk[i]);
        else
            c->chunk[++kept] = c->chunk[i];
    c->count = kept + 1;
}

static bool reserve(struct chunks *c)
{
    /* Between gaps, nothing is joined. */
    if (c->count >= CHUNKS_MAX && c->count % (CHUNKS_MAX / 2) == 0) join(c);
    if (c->count >= 16 * (size_t)CHUNKS_MAX) return false;
    return array_reserve(c->chunk, c->capacity, c->count + 1);
}

bool chunks_add(struct chunks *c, const struct timeline_chunk *events)
{
    c->additions++;
    if (c->bytes == 0) c->bytes = CHUNK_BYTES;
    struct timeline_chunk *last = c->count ? &c->chunk[c->count - 1] : NULL;
    if (last && last->length < c->bytes && is_next(last, events)) {
        extend(last, events);
        return true;
    }
    if (!reserve(c)) return false;
    c->chunk[c->count++] = *events;
    return true;
}

bool chunks_insert(struct chunks *c, const struct timeline_chunk *events)
{
    if (c->count == 0 || c->chunk[c->count - 1].position < events->position)
        return chunks_add(c, events);
    c->additions++;
    if (!reserve(c)) return false;
    size_t at = c->count++;
    for (; at > 0 && c->chunk[at - 1].position > events->position; at--)
        c->chunk[at] = c->chunk[at - 1];
    c->chunk[at] = *events;
    return true;
}

uint64_t chunks_last(const struct chunks *c, uint64_t to)
{
    const uint64_t last = to > 0 ? to - 1 : 0;
    return c->is_cut && c->end < last ? c->end : last;
}
