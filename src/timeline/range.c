/* range.c — see range.h. */
#include "timeline/range.h"

#include "read/order.h"

#include <stdlib.h>

enum { EVENTS = 256 };

static ptrdiff_t read_source(const void *user, uint64_t position, void *buffer, size_t size,
                             hectic_error *error)
{
    const hectic_timeline_source *source = user;
    if (source->read(source->user, position, buffer, size)) return (ptrdiff_t)size;
    *error = (hectic_error){.kind = HECTIC_IO, .position = position};
    return -1;
}

/* Copies the chunks that may have such events. Returns their number. */
static size_t choose(const struct chunks *c, uint64_t from, uint64_t last, chunk *chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct timeline_chunk *from_table = &c->chunk[i];
        if (from_table->first > last || from_table->last < from) continue;
        chosen[count++] = (chunk){.position = from_table->position,
                                  .length = from_table->length,
                                  .first = from_table->first,
                                  .remaining = from_table->remaining,
                                  .cap = from_table->cap};
    }
    return count;
}

static bool deliver(order *order, bool (*take)(void *user, const hectic_event *event), void *user)
{
    hectic_event event[EVENTS];
    hectic_error error = {0};
    size_t count;
    bool done = true;
    do {
        loaded *used = NULL;
        count = order_fill(order, event, EVENTS, &used, &error);
        for (size_t i = 0; i < count && done; i++)
            done = take(user, &event[i]);
        order_reuse(order, used);
    } while (count == EVENTS && done);
    return done && error.kind == HECTIC_OK;
}

bool range_read(const struct chunks *chunks, const hectic_header *header,
                const hectic_timeline_source *source, uint64_t from, uint64_t to,
                bool (*take)(void *user, const hectic_event *event), void *user)
{
    if (from >= to) return true;
    chunk *chosen = malloc((chunks->count + 1) * sizeof *chosen);
    order *order = chosen ? order_new((order_source){source, read_source}, from, to - 1) : NULL;
    bool done = order;
    if (order) {
        order_begin(order, header, chosen, choose(chunks, from, to - 1, chosen));
        done = deliver(order, take, user);
    }
    order_free(order);
    free(chosen);
    return done;
}
