#include "transform/window.h"

#include <stdlib.h>
#include <string.h>

enum {
    CAPS = 1 << 16,
    BYTES = 1 << 18, /* total size of payloads */
    ENTRIES = BYTES / 8,
};

#define NOBODY UINT32_MAX

typedef struct entry {
    uint64_t time;
    const hectic_event_type *declared;
    uint32_t payload; /* its offset */
    uint32_t next;    /* index of the next entry of the cap */
    uint16_t size;
} entry;

/* A cap's entries. */
typedef struct chain {
    uint64_t position; /* of the first entry: caps are written in this order */
    uint32_t first, last;
} chain;

/* A stream's last event. */
typedef struct last {
    uint64_t time;
    uint64_t window; /* the window of the event */
    uint16_t cap;
} last;

struct window {
    hectic_writer *writer;
    hectic_event_type marker;
    uint32_t count;
    uint32_t used; /* bytes in use */
    uint32_t cap_count;
    uint64_t number; /* number of the current window */
    last *last;      /* of each stream */
    struct written {
        uint64_t position;
        uint16_t cap;
    } caps[CAPS]; /* with entries */
    chain of_cap[CAPS];
    uint64_t end[CAPS]; /* ns: when the cap was deleted, in this window; 0: it was not */
    uint32_t end_count;
    uint16_t ends[ENTRIES]; /* these caps */
    entry entries[ENTRIES];
    uint8_t bytes[BYTES];
};

window *window_new(hectic_writer *writer, const hectic_event_type *marker, size_t streams)
{
    window *w = malloc(sizeof *w);
    last *last = calloc(streams, sizeof *last);
    if (!w || !last) {
        free(w);
        free(last);
        return NULL;
    }
    w->last = last;
    w->number = 1;
    w->writer = writer;
    w->marker = *marker;
    w->count = w->used = w->cap_count = w->end_count = 0;
    memset(w->end, 0, sizeof w->end);
    for (size_t i = 0; i < CAPS; i++)
        w->of_cap[i].first = NOBODY;
    return w;
}

void window_free(window *w)
{
    if (w) free(w->last);
    free(w);
}

static bool write_chain(const window *w, uint16_t cap)
{
    uint32_t i = w->of_cap[cap].first;
    if (!hectic_writer_begin_block(w->writer, &w->marker, w->entries[i].time, cap)) return false;
    for (; i != NOBODY; i = w->entries[i].next) {
        const entry *e = &w->entries[i];
        const hectic_event event = {.time = e->time,
                                    .payload = w->bytes + e->payload,
                                    .declared = e->declared,
                                    .type = e->declared->number,
                                    .size = e->size,
                                    .cap = cap};
        if (!hectic_writer_event(w->writer, &event)) return false;
    }
    return hectic_writer_end_block(w->writer, w->end[cap]);
}

/* A cap that was deleted, and has no events in this window. */
static bool write_end(const window *w, uint16_t cap)
{
    return hectic_writer_begin_block(w->writer, &w->marker, w->end[cap], cap) &&
           hectic_writer_end_block(w->writer, w->end[cap]);
}

/* Events without a cap come first: they assign caps to processes, which readers in file order need
 * first. */
static bool precedes(uint64_t a, uint16_t cap_a, uint64_t b, uint16_t cap_b)
{
    const bool is_of_none = cap_a == HECTIC_CAP_NONE;
    if (is_of_none || cap_b == HECTIC_CAP_NONE) return is_of_none && cap_b != HECTIC_CAP_NONE;
    return a != b ? a < b : cap_a < cap_b;
}

static int compare(const void *a, const void *b)
{
    const struct written *x = a, *y = b;
    return precedes(x->position, x->cap, y->position, y->cap) ? -1 : 1;
}

bool window_flush(window *w)
{
    bool written = true;
    qsort(w->caps, w->cap_count, sizeof *w->caps, compare);
    for (uint32_t i = 0; i < w->cap_count; i++) {
        written = written && write_chain(w, w->caps[i].cap);
        w->of_cap[w->caps[i].cap].first = NOBODY;
        w->end[w->caps[i].cap] = 0;
    }
    for (uint32_t i = 0; i < w->end_count; i++) {
        if (w->end[w->ends[i]] > 0) written = written && write_end(w, w->ends[i]);
        w->end[w->ends[i]] = 0;
    }
    w->count = w->used = w->cap_count = w->end_count = 0;
    w->number++;
    return written;
}

/* True if the event would precede one of its stream with the same time. Usually not, since caps are
 * written in the order of the original file. */
static bool would_overtake(const window *w, const last *last, const hectic_event *event)
{
    if (last->window != w->number || event->time != last->time || event->cap == last->cap)
        return false;
    const chain *c = &w->of_cap[event->cap];
    return precedes(c->first == NOBODY ? event->position : c->position, event->cap,
                    w->of_cap[last->cap].position, last->cap);
}

static void append(window *w, const hectic_event *event, uint32_t i)
{
    chain *c = &w->of_cap[event->cap];
    if (c->first == NOBODY) {
        c->first = i;
        c->position = event->position;
        w->caps[w->cap_count++] = (struct written){event->position, event->cap};
    } else {
        w->entries[c->last].next = i;
    }
    c->last = i;
}

bool window_event(window *w, size_t stream, const hectic_event *event)
{
    last *last = &w->last[stream];
    const bool full = w->count == ENTRIES || BYTES - w->used < event->size;
    if ((full || would_overtake(w, last, event)) && !window_flush(w)) return false;
    w->entries[w->count] = (entry){.time = event->time,
                                   .declared = event->declared,
                                   .payload = w->used,
                                   .next = NOBODY,
                                   .size = event->size};
    if (event->size > 0) memcpy(w->bytes + w->used, event->payload, event->size);
    w->used += event->size;
    append(w, event, w->count++);
    last->time = event->time;
    last->window = w->number;
    last->cap = event->cap;
    return true;
}

void window_end_cap(window *w, uint16_t cap, uint64_t time)
{
    if (w->end_count < ENTRIES) w->ends[w->end_count++] = cap;
    w->end[cap] = time;
}
