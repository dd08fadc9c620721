/* state_blocks.c — see state_blocks.h.
 *
 * The state of a cap follows from its events since it last was outside a collection before a
 * collection: what it does, who leads, and what GC_STATS_GHC refers to. A running counter that
 * occurs in the interval needs its last value before it, and the sizes of the heap their latest
 * ones on any cap. */
#include "read/state_blocks.h"

#include <stdlib.h>

enum {
    BUFFER = 1 << 18,
    SAMPLE = 1 << 14,   /* bytes */
    SAMPLES = 256,      /* of all caps */
    DISORDER = 1 << 16, /* an event may precede one that is so many bytes before it */
    BEFORE_ALL = 0,     /* no byte of a log's events has this position */
};

/* --- The events of a block ------------------------------------------------------------------- */

struct events {
    const struct state_blocks *s;
    uint8_t *buffer;
    uint64_t position, end; /* of the next event; of the part to read */
    size_t at, length;      /* in the buffer */
    hectic_error *error;
};

/* Sets the next event, and its position and size. NULL: no more, or *error is set. */
static const uint8_t *next_event(struct events *e, uint64_t *position, size_t *size)
{
    for (;;) {
        const size_t rest = e->length - e->at;
        const size_t length = step_size(e->s->header, e->buffer + e->at, rest);
        if (length > STEP_UNKNOWN) {
            const uint8_t *p = e->buffer + e->at;
            *position = e->position;
            *size = length;
            e->at += length;
            e->position += length;
            return p;
        }
        const uint64_t left = e->end - e->position - rest;
        if (length != STEP_NEED_MORE || left == 0) return NULL;
        memmove(e->buffer, e->buffer + e->at, rest);
        const size_t room = BUFFER - rest, wanted = left < room ? (size_t)left : room;
        const ptrdiff_t n =
            hectic_input_pread(e->s->input, e->position + rest, e->buffer + rest, wanted, e->error);
        if (n <= 0) return NULL;
        e->at = 0;
        e->length = rest + (size_t)n;
    }
}

static void begin_block(struct events *e, const struct block *block, uint64_t most)
{
    e->position = block->position;
    e->end = block->position + (block->size < most ? block->size : most);
    e->at = e->length = 0;
}

/* --- What is looked for ---------------------------------------------------------------------- */

/* Values that last until the next such event of the cap. */
enum value { THREAD, ALLOCATED, SPARKS, HEAP, BLOCKS, STATISTICS, VALUES };

static const uint16_t type_of[VALUES] = {
    HECTIC_EVENT_RUN_THREAD, HECTIC_EVENT_HEAP_ALLOCATED, HECTIC_EVENT_SPARK_COUNTERS,
    HECTIC_EVENT_HEAP_SIZE,  HECTIC_EVENT_BLOCKS_SIZE,    HECTIC_EVENT_GC_STATS_GHC,
};

/* Types that use a value before they set it, or without setting it. */
static const struct {
    uint16_t type;
    enum value value;
} uses[] = {
    {HECTIC_EVENT_RUN_THREAD, THREAD},     {HECTIC_EVENT_HEAP_ALLOCATED, ALLOCATED},
    {HECTIC_EVENT_SPARK_COUNTERS, SPARKS}, {HECTIC_EVENT_BLOCKS_SIZE, HEAP},
    {HECTIC_EVENT_HEAP_LIVE, STATISTICS},
};

/* GHC logs these without a cap: they change the state of the run. */
static const uint16_t of_run[] = {
    HECTIC_EVENT_STARTUP,        HECTIC_EVENT_CAP_CREATE,
    HECTIC_EVENT_CAP_DELETE,     HECTIC_EVENT_CAPSET_CREATE,
    HECTIC_EVENT_OSPROCESS_PID,  HECTIC_EVENT_RTS_IDENTIFIER,
    HECTIC_EVENT_PROGRAM_ARGS,   HECTIC_EVENT_TASK_CREATE,
    HECTIC_EVENT_TASK_DELETE,    HECTIC_EVENT_CONC_MARK_BEGIN,
    HECTIC_EVENT_CONC_MARK_END,  HECTIC_EVENT_CONC_SYNC_BEGIN,
    HECTIC_EVENT_CONC_SYNC_END,  HECTIC_EVENT_CONC_SWEEP_BEGIN,
    HECTIC_EVENT_CONC_SWEEP_END, HECTIC_EVENT_HEAP_INFO_GHC,
    HECTIC_EVENT_SYNC,
};

struct place {
    uint64_t position; /* BEFORE_ALL: none */
    uint64_t time;
};

struct cap {
    size_t begin, end;    /* its blocks */
    size_t inside, after; /* the first with events of the interval; the first after it */
    size_t searched;      /* from this block on, `outside` was searched for */
    uint64_t outside;     /* a place where it is outside collections; BEFORE_ALL: not found */
    bool has_collection;  /* a collection begins between `outside` and the interval */
    uint64_t started;     /* ns: when that collection begins */
    bool is_settled;
    uint64_t pending_since; /* ns: a collection that has not ended before the interval, or whose
                               statistics follow; UINT64_MAX: none */
    struct place last[VALUES];
    bool needs[VALUES];
};

struct search {
    struct state_blocks *s;
    struct events events;
    bool has_collections, has_statistics; /* in the log */
    size_t caps;
    struct cap *cap;
};

static bool is_outside(uint16_t type)
{
    return type == HECTIC_EVENT_RUN_THREAD || type == HECTIC_EVENT_STOP_THREAD ||
           type == HECTIC_EVENT_GC_END;
}

static void note_type(struct state_blocks *s, uint16_t type)
{
    if (type < STATE_TYPES) s->occurs[type] = true;
}

static bool failed(const struct search *x)
{
    return x->events.error->kind != HECTIC_OK;
}

/* --- Before the interval --------------------------------------------------------------------- */

/* What a block tells about the collections of its cap. */
struct course {
    uint64_t outside;         /* the last place outside collections */
    uint64_t before_start;    /* the last such place before a collection */
    uint64_t started;         /* ns: when that collection began */
    bool starts, is_known;    /* a collection begins; whether the cap is in one is known */
    bool in_gc, led, counted; /* at the end */
    bool requested;
    uint64_t entered; /* ns */
};

static void follow(struct course *c, uint16_t type, uint64_t position, uint64_t time)
{
    c->is_known = c->is_known || is_outside(type) || type == HECTIC_EVENT_GC_START;
    if (is_outside(type)) {
        c->in_gc = false;
        c->outside = position;
    }
    switch (type) {
    case HECTIC_EVENT_RUN_THREAD: c->requested = false; break;
    case HECTIC_EVENT_REQUEST_SEQ_GC:
    case HECTIC_EVENT_REQUEST_PAR_GC: c->requested = true; break;
    case HECTIC_EVENT_GC_STATS_GHC: c->counted = true; break;
    case HECTIC_EVENT_GC_START:
        c->in_gc = c->starts = true;
        c->led = c->requested;
        c->requested = c->counted = false;
        c->entered = time;
        if (c->outside == BEFORE_ALL) break;
        c->before_start = c->outside;
        c->started = time;
        break;
    default: break;
    }
}

static void take_course(const struct search *x, struct cap *cap, const struct course *c)
{
    const bool is_pending = c->in_gc || (c->led && !c->counted && x->has_statistics);
    const bool is_before = cap->has_collection || !x->has_collections;
    if (!cap->is_settled && c->is_known) {
        cap->is_settled = true;
        cap->pending_since = is_pending ? c->entered : UINT64_MAX;
    }
    if (cap->outside == BEFORE_ALL) {
        cap->outside = is_before ? c->outside : c->before_start;
        if (!is_before) cap->started = c->started;
    }
    if (!cap->has_collection && c->starts) cap->started = c->before_start ? c->started : c->entered;
    cap->has_collection = cap->has_collection || c->starts;
}

/* Searches the block before the searched ones. The cap must be outside collections not after
 * `until`. */
static void search_back(struct search *x, struct cap *cap, uint64_t until)
{
    const struct block *block = &x->s->block[--cap->searched];
    uint64_t position, latest = UINT64_MAX;
    struct place last[VALUES] = {{BEFORE_ALL, 0}};
    struct course course = {.outside = BEFORE_ALL, .before_start = BEFORE_ALL};
    size_t size;
    begin_block(&x->events, block, UINT64_MAX);
    for (const uint8_t *p; (p = next_event(&x->events, &position, &size));) {
        const uint16_t type = load16(p);
        const uint64_t time = load64(p + 2);
        if (time >= x->s->from) {
            if (position > latest && position - latest > DISORDER) break;
            continue;
        }
        latest = position;
        if (time <= until) follow(&course, type, position, time);
        for (int k = 0; k < VALUES; k++)
            if (type == type_of[k]) last[k] = (struct place){position, time};
        note_type(x->s, type);
    }
    take_course(x, cap, &course);
    for (int k = 0; k < VALUES; k++)
        if (cap->last[k].position == BEFORE_ALL) cap->last[k] = last[k];
}

/* Finds which values the events of the interval use. */
static void find_needs(struct search *x, struct cap *cap)
{
    const uint16_t number = x->s->block[cap->begin].cap;
    bool set[VALUES] = {false};
    size_t found = 0, size;
    uint64_t position;
    if (x->s->read_caps[number / 8] >> number % 8 & 1)
        for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
            cap->needs[uses[k].value] = x->s->occurs[uses[k].type];
    for (size_t i = cap->inside; i < cap->after && found < VALUES; i++) {
        begin_block(&x->events, &x->s->block[i], UINT64_MAX);
        for (const uint8_t *p; found < VALUES && (p = next_event(&x->events, &position, &size));) {
            const uint16_t type = load16(p);
            const uint64_t time = load64(p + 2);
            if (time < x->s->from || time >= x->s->to) continue;
            for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
                if (type == uses[k].type && !set[uses[k].value]) cap->needs[uses[k].value] = true;
            for (int k = 0; k < VALUES; k++)
                if (type == type_of[k] && !set[k]) {
                    set[k] = true;
                    found++;
                }
        }
    }
}

static bool is_known(const struct cap *cap)
{
    bool known = cap->outside != BEFORE_ALL;
    for (int k = 0; k < VALUES; k++)
        known = known && (!cap->needs[k] || cap->last[k].position != BEFORE_ALL);
    return known;
}

/* The cap whose events that were not searched are the latest, if they are later than `time`. */
static struct cap *latest_unsearched(const struct search *x, uint64_t time)
{
    struct cap *latest = NULL;
    for (size_t i = 0; i < x->caps; i++) {
        struct cap *cap = &x->cap[i];
        if (cap->searched == cap->begin) continue;
        const uint64_t end = x->s->block[cap->searched - 1].end;
        if (end < time) continue;
        time = end;
        latest = cap;
    }
    return latest;
}

/* The latest value of all caps before the interval. */
static void find_latest(struct search *x, enum value value)
{
    struct cap *holder = NULL;
    if (!x->s->occurs[type_of[value]]) return;
    for (size_t i = 0; i < x->caps; i++)
        if (x->cap[i].last[value].position != BEFORE_ALL &&
            (!holder || x->cap[i].last[value].time > holder->last[value].time))
            holder = &x->cap[i];
    for (struct cap *cap;
         !failed(x) && (cap = latest_unsearched(x, holder ? holder->last[value].time : 0));) {
        search_back(x, cap, UINT64_MAX);
        if (cap->last[value].position != BEFORE_ALL &&
            (!holder || cap->last[value].time > holder->last[value].time))
            holder = cap;
    }
    if (holder) holder->needs[value] = true;
}

/* --- Samples --------------------------------------------------------------------------------- */

static void take_sample(struct search *x, const struct block *block)
{
    size_t size;
    uint64_t position;
    begin_block(&x->events, block, SAMPLE);
    for (const uint8_t *p; (p = next_event(&x->events, &position, &size));) {
        note_type(x->s, load16(p));
        for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
            if (load16(p) == of_run[i]) x->s->is_unfit = true;
    }
}

static void take_samples(struct search *x)
{
    if (x->caps == 0) return;
    const size_t each = x->caps < SAMPLES / 2 ? SAMPLES / x->caps : 2;
    for (size_t i = 0; i < x->caps; i++) {
        const struct cap *cap = &x->cap[i];
        const size_t count = cap->end - cap->begin, step = count > each ? count / each : 1;
        for (size_t k = cap->begin; k < cap->end && !failed(x); k += step)
            take_sample(x, &x->s->block[k]);
        if (!failed(x)) take_sample(x, &x->s->block[cap->end - 1]);
    }
    x->has_collections = x->s->occurs[HECTIC_EVENT_GC_START];
    x->has_statistics = x->s->occurs[HECTIC_EVENT_GC_STATS_GHC];
}

/* --- Parts ----------------------------------------------------------------------------------- */

static bool add_part(struct state_blocks *s, const struct block *block, uint64_t from, uint64_t to)
{
    struct block_part *part = list_add(&s->parts, sizeof *part);
    if (part) *part = (struct block_part){*block, from, to};
    return part;
}

/* Where the events begin from which the state follows. */
static uint64_t start_of(const struct search *x, const struct cap *cap)
{
    uint64_t start = cap->outside;
    if (start == BEFORE_ALL) start = x->s->block[cap->begin].position;
    for (int k = 0; k < VALUES; k++)
        if (cap->needs[k] && cap->last[k].position != BEFORE_ALL && cap->last[k].position < start)
            start = cap->last[k].position;
    return start;
}

/* The first events of a cap show when it was created, and the first values of its counters. */
static bool add_first(struct search *x, const struct cap *cap, uint64_t start)
{
    const struct block *block = &x->s->block[cap->begin];
    bool allocated = false, sparks = false, is_first = true, done = true;
    uint64_t position;
    size_t size;
    begin_block(&x->events, block, UINT64_MAX);
    for (const uint8_t *p; done && !(allocated && sparks) &&
                           (p = next_event(&x->events, &position, &size)) && position < start;) {
        const uint16_t type = load16(p);
        const bool is_allocated = type == HECTIC_EVENT_HEAP_ALLOCATED && !allocated;
        const bool is_sparks = type == HECTIC_EVENT_SPARK_COUNTERS && !sparks;
        if (is_first || is_allocated || is_sparks)
            done = add_part(x->s, block, position, position + size);
        allocated = allocated || is_allocated;
        sparks = sparks || is_sparks;
        is_first = false;
    }
    return done;
}

/* The first events after the interval can have earlier times than their block. */
static bool add_early(struct search *x, const struct block *block)
{
    uint64_t position, end = block->position;
    size_t size;
    begin_block(&x->events, block, DISORDER);
    for (const uint8_t *p; (p = next_event(&x->events, &position, &size));)
        if (load64(p + 2) < x->s->to) end = position + size;
    return end == block->position || add_part(x->s, block, block->position, end);
}

static bool add_parts(struct search *x, const struct cap *cap)
{
    const struct block *block = x->s->block;
    const uint64_t start = start_of(x, cap);
    if (!add_first(x, cap, start)) return false;
    for (size_t i = cap->begin; i < cap->after; i++) {
        const uint64_t end = block[i].position + block[i].size;
        const uint64_t from = start > block[i].position ? start : block[i].position;
        if (from < end && !add_part(x->s, &block[i], from, end)) return false;
    }
    return cap->after == cap->end || add_early(x, &block[cap->after]);
}

/* --- The search ------------------------------------------------------------------------------ */

static int by_cap(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->cap != y->cap) return x->cap < y->cap ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Divides the blocks, sorted by cap, between the caps. */
static bool divide_blocks(struct search *x)
{
    const struct block *block = x->s->block;
    for (size_t i = 0; i < x->s->count; i++)
        x->caps += i == 0 || block[i].cap != block[i - 1].cap;
    x->cap = calloc(x->caps + 1, sizeof *x->cap);
    if (!x->cap) return false;
    struct cap *cap = x->cap - 1;
    for (size_t i = 0; i < x->s->count; i++) {
        if (i == 0 || block[i].cap != block[i - 1].cap) {
            cap++;
            cap->begin = cap->inside = cap->after = cap->searched = i;
        }
        cap->end = i + 1;
        if (block[i].end < x->s->from) cap->inside = i + 1;
        if (block[i].begin < x->s->from) cap->searched = i + 1;
        if (block[i].begin < x->s->to) cap->after = i + 1;
    }
    return true;
}

static void find_states(struct search *x, struct cap *cap, uint64_t until)
{
    while (!is_known(cap) && cap->searched > cap->begin && !failed(x))
        search_back(x, cap, until);
}

/* Goes back to when a collection began that is pending on another cap at the interval's beginning:
 * its pause depends on all caps that took part in it. */
static void find_pending(struct search *x)
{
    uint64_t since = UINT64_MAX;
    for (size_t i = 0; i < x->caps; i++)
        if (x->cap[i].is_settled && x->cap[i].pending_since < since)
            since = x->cap[i].pending_since;
    for (size_t i = 0; i < x->caps && since < UINT64_MAX; i++) {
        struct cap *cap = &x->cap[i];
        if (cap->outside == BEFORE_ALL || cap->started <= since) continue;
        cap->outside = BEFORE_ALL;
        cap->has_collection = false;
        cap->searched = cap->begin;
        while (cap->searched < cap->end && x->s->block[cap->searched].begin <= since)
            cap->searched++;
        find_states(x, cap, since);
    }
}

static bool search(struct search *x)
{
    take_samples(x);
    for (size_t i = 0; i < x->caps && !failed(x); i++) {
        find_needs(x, &x->cap[i]);
        find_states(x, &x->cap[i], UINT64_MAX);
    }
    find_pending(x);
    find_latest(x, HEAP);
    find_latest(x, BLOCKS);
    bool done = true;
    for (size_t i = 0; i < x->caps && done && !failed(x); i++)
        done = add_parts(x, &x->cap[i]);
    return done;
}

bool state_blocks_find(struct state_blocks *s, hectic_error *error)
{
    struct search x = {.s = s, .events = {.s = s, .buffer = malloc(BUFFER), .error = error}};
    if (s->count) qsort(s->block, s->count, sizeof *s->block, by_cap);
    *error = (hectic_error){.kind = HECTIC_OK};
    const bool done = x.events.buffer && divide_blocks(&x) && search(&x);
    if (!done) *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    free(x.events.buffer);
    free(x.cap);
    return done && error->kind == HECTIC_OK;
}

void state_blocks_clear(struct state_blocks *s)
{
    free(s->parts.items);
    s->parts = (list){0};
}
