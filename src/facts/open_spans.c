/* open_spans.c — see open_spans.h. */
#include "facts/open_spans.h"

enum { OPEN_MAX = 1 << 20 };
#define NONE UINT64_MAX

/* The open spans of an owner are a list, in the order in which they started. */
struct open {
    map_key key; /* the position, 1 */
    uint64_t owner, time;
    uint64_t below, above; /* positions; NONE */
    bool is_tied;          /* it started at the same time as the one below */
};

struct last {
    map_key key; /* the owner, 1 */
    uint64_t position;
};

void open_spans_init(struct open_spans *spans)
{
    *spans = (struct open_spans){
        .open = {.entry_size = sizeof(struct open), .unsorted = true, .by_number = true},
        .last = {.entry_size = sizeof(struct last), .unsorted = true, .by_number = true}};
}

void open_spans_clear(struct open_spans *spans)
{
    map_clear(&spans->open);
    map_clear(&spans->last);
}

static struct open *at(const struct open_spans *spans, uint64_t position)
{
    return position == NONE ? NULL : map_find_number(&spans->open, position, sizeof(struct open));
}

static struct last *last_of(const struct open_spans *spans, uint64_t owner)
{
    return map_find_number(&spans->last, owner, sizeof(struct last));
}

uint64_t open_spans_last(const struct open_spans *spans, uint64_t owner)
{
    const struct last *last = last_of(spans, owner);
    return last ? last->position : NONE;
}

bool open_spans_start(struct open_spans *spans, uint64_t owner, uint64_t position, uint64_t time)
{
    const uint64_t parent = open_spans_last(spans, owner);
    if (spans->open.count >= OPEN_MAX || at(spans, position)) return true;
    struct last *last = map_add(&spans->last, (map_key){owner, 1});
    struct open *open = last ? map_add(&spans->open, (map_key){position, 1}) : NULL;
    if (!open) return false;
    last->position = position;
    open->owner = owner;
    open->time = time;
    open->below = parent;
    open->above = NONE;
    struct open *below = at(spans, parent);
    if (below) below->above = position;
    open->is_tied = below && below->time == time;
    return true;
}

bool open_spans_stop(struct open_spans *spans, uint64_t position)
{
    struct open *open = at(spans, position);
    if (!open) return false;
    const bool nests = open->above == NONE && !open->is_tied;
    struct open *below = at(spans, open->below), *above = at(spans, open->above);
    struct last *last = last_of(spans, open->owner);
    if (below) below->above = open->above;
    if (above) above->below = open->below;
    if (!above && below) last->position = open->below;
    if (!above && !below) map_remove(&spans->last, last);
    map_remove(&spans->open, open);
    return nests;
}
