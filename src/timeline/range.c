/* range.c — see range.h. */
#include "timeline/range.h"

#include "read/decode/order.h"

#include <stdlib.h>

enum {
    EVENTS = 256,
    JOIN_MAX = 1 << 18,  /* bytes of joined chunks: in a browser, each read has a cost */
    SHORT_MAX = 1 << 25, /* bytes: longer ranges read chunk by chunk, as chunks fit into caches */
    EXPECTED = 1 << 24,  /* bytes to be read next that are told, at most */
    EXPECTED_MAX = EXPECTED / CHUNK_BYTES,
};

struct range {
    const hectic_timeline_source *source;
    type_set types;
    order *order;
    chunk *chunk;
    size_t chunks;
    uint64_t bytes; /* of these chunks */
    bool is_ahead;  /* the source knows what the next step reads */
};

static ptrdiff_t read_source(const void *user, uint64_t position, void *buffer, size_t size,
                             hectic_error *error)
{
    const struct range *range = user;
    if (range->source->read(range->source->user, position, buffer, size)) return (ptrdiff_t)size;
    *error = (hectic_error){.kind = HECTIC_IO, .position = position};
    return -1;
}

/* Copies the chunks that may have such events. Returns their number. */
static size_t choose(struct range *range, const struct chunks *c, uint64_t from, uint64_t last,
                     uint64_t types)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct timeline_chunk *from_table = &c->chunk[i];
        if (from_table->first > last || from_table->last < from) continue;
        if (!(from_table->types & types)) continue;
        range->bytes += from_table->length;
        range->chunk[count++] = (chunk){.position = from_table->position,
                                        .length = from_table->length,
                                        .first = from_table->first,
                                        .remaining = from_table->remaining,
                                        .cap = from_table->cap};
    }
    return count;
}

/* Joins neighbours in the log. Returns how many chunks are left. */
static size_t join(chunk *c, size_t count)
{
    size_t kept = 0;
    for (size_t i = 1; i < count; i++)
        if (c[kept].length > 0 && c[i].length > 0 &&
            c[kept].position + c[kept].length == c[i].position &&
            c[kept].length + c[i].length <= JOIN_MAX) {
            c[kept].length += c[i].length;
            if (c[i].first < c[kept].first) c[kept].first = c[i].first;
        } else {
            c[++kept] = c[i];
        }
    return count > 0 ? kept + 1 : 0;
}

static void expect(const struct range *range, uint64_t most, bool at_once)
{
    if (!range->source->expect) return;
    hectic_timeline_bytes bytes[EXPECTED_MAX];
    size_t count = 0;
    uint64_t length = 0;
    for (size_t i = order_next(range->order);
         i < range->chunks && count < EXPECTED_MAX && length < most; i++) {
        const chunk *c = &range->chunk[i];
        if (c->length > 0) bytes[count++] = (hectic_timeline_bytes){c->position, c->length};
        length += c->length;
    }
    if (count > 0) range->source->expect(range->source->user, bytes, count, at_once);
}

void range_ahead(struct range *range)
{
    expect(range, EXPECTED, false);
    range->is_ahead = true;
}

struct range *range_open(const struct chunks *chunks, const hectic_header *header,
                         const hectic_timeline_source *source, uint64_t from, uint64_t to,
                         const type_set *types)
{
    const uint64_t last = chunks_last(chunks, to);
    struct range *range = calloc(1, sizeof *range);
    if (!range) return NULL;
    range->source = source;
    range->chunk = malloc((chunks->count + 1) * sizeof *range->chunk);
    range->order = order_new((order_source){range, read_source}, from, last);
    if (!range->chunk || !range->order) {
        range_close(range);
        return NULL;
    }
    if (types) {
        range->types = *types;
        order_want(range->order, &range->types);
    }
    const uint64_t folded = types ? type_set_folded(types) : UINT64_MAX;
    size_t count = from < to ? choose(range, chunks, from, last, folded) : 0;
    if (range->bytes <= SHORT_MAX) count = join(range->chunk, count);
    range->chunks = count;
    order_begin(range->order, header, range->chunk, count);
    return range;
}

void range_close(struct range *range)
{
    if (!range) return;
    order_free(range->order);
    free(range->chunk);
    free(range);
}

range_result range_step(struct range *range, uint64_t bytes, range_take take, void *user)
{
    hectic_event event[EVENTS];
    hectic_error error = {0};
    size_t count;
    bool is_wanted = true;
    if (!range->is_ahead) expect(range, bytes < EXPECTED ? bytes : EXPECTED, true);
    range->is_ahead = false;
    order_allow(range->order, bytes);
    do {
        count = order_fill(range->order, event, EVENTS, &error);
        for (size_t i = 0; i < count && is_wanted; i++)
            is_wanted = take(user, &event[i]);
    } while (count == EVENTS && is_wanted);
    if (!is_wanted) return RANGE_STOPPED;
    if (error.kind != HECTIC_OK) return RANGE_FAILED;
    return order_is_paused(range->order) ? RANGE_MORE : RANGE_END;
}

uint64_t range_bytes(const struct range *range)
{
    return range->bytes;
}

double range_progress(const struct range *range)
{
    return range->bytes ? (double)order_loaded(range->order) / (double)range->bytes : 1;
}

range_result range_read(const struct chunks *chunks, const hectic_header *header,
                        const hectic_timeline_source *source, uint64_t from, uint64_t to,
                        range_take take, void *user)
{
    struct range *range = range_open(chunks, header, source, from, to, NULL);
    const range_result result = range ? range_step(range, UINT64_MAX, take, user) : RANGE_FAILED;
    range_close(range);
    return result;
}
