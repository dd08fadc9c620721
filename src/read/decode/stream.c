/* Sorting events while they arrive: see stream.h. Bytes of held events are copied into pieces. An
 * entry refers to an event; entries are in sorted runs. A heap has the run with the first event at
 * its top, so an event costs no allocation, and delivering one costs a step of merging the runs.
 * New entries go to the end of the newest run or, if events step back a little, a few places before
 * it. Larger steps back, usually another cap's block, begin a new run. */
#include "read/decode/stream_section.h"

#include "read/decode/coverage.h"
#include "read/decode/step.h"

#include <stdlib.h>

enum {
    PIECE_SIZE = 2 * 65536, /* sufficient for any event */
    RUN_SIZE = 256,
    STEP_BACK = 64, /* maximum of entries moved to insert one */
    GRAINS = 32,    /* of the lag: resolution of the times when events arrived */
    ARRIVALS = 2 * GRAINS,
    MEMORY_MIN = 1 << 20,  /* a few pieces and runs */
    CAPS_PER_EVENT = 1024, /* maximum of caps checked; real programs have fewer */
};

static const uint64_t default_lag = 1000000000;
static const size_t default_memory = (size_t)64 << 20;

/* A part of the input; only held events are filled in. */
typedef struct piece {
    uint64_t position;
    size_t held; /* number of held events */
    uint8_t bytes[PIECE_SIZE];
} piece;

typedef struct entry {
    uint64_t time;
    piece *piece;
    uint32_t offset;
    uint16_t type;
    uint16_t cap;
} entry;

typedef struct run {
    size_t slot; /* its index in the heap, unless empty */
    size_t at, count;
    entry entry[RUN_SIZE];
} run;

/* A run in the heap, with the key of its first event. */
typedef struct slot {
    uint64_t time, position;
    run *run;
} slot;

/* Events that arrived at about the same time by the caller's clock. */
typedef struct arrival {
    uint64_t begun, pushed; /* times of the first and the last push */
    uint64_t latest;        /* the latest event until then */
} arrival;

struct hectic_stream {
    hectic_decoder *decoder;
    hectic_header *header; /* of the delivered events: the decoder may be ahead */
    uint64_t lag, lag_max;
    size_t memory_limit;
    uint64_t now, pushed;
    bool ended;
    bool failed; /* the last item was an error */
    bool dead;   /* no further item can follow the error */

    /* The decoder's last result if it is pending: GOT_EVENT waits for memory, HEADER and COMPLETE
     * until all events before them are delivered. PARTIAL: none. */
    hectic_result pending;
    hectic_event event;

    piece *piece; /* the newest */
    run *run;     /* the newest */
    slot *heap;
    size_t runs, heap_capacity;
    piece *delivered; /* contains the event delivered last */

    /* Of this section. */
    uint64_t latest;     /* latest time received */
    uint64_t last;       /* latest time delivered */
    uint64_t watermark;  /* events up to here can be delivered */
    cap_times reached;   /* the latest time of each cap */
    uint64_t unchecked;  /* events since these were last checked */
    uint64_t begun;      /* when the section's first event was pushed */
    bool has_cap_create; /* the existing caps are known */
    uint16_t block_cap;
    uint64_t block_end; /* of the current block; 0: no block, or no end time */
    bool in_block;      /* inside a finished block */
    bool in_unit;       /* see stream_begin_unit */
    arrival arrival[ARRIVALS];
    size_t first_arrival, arrivals;
    hectic_section received; /* without what `coverage` determines */
    struct coverage coverage;
    struct open_block { /* the last marker's */
        uint64_t end_position, end, last;
        uint16_t cap; /* HECTIC_CAP_NONE: it does not count */
    } block;

    hectic_error error;
    hectic_stream_state state;
};

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void raise(uint64_t *value, uint64_t to)
{
    if (to > *value) *value = to;
}

/* --- Memory ---------------------------------------------------------------------------------- */

/* NULL also if the limit would be exceeded. */
static void *allocate(hectic_stream *s, size_t size)
{
    if (s->state.memory + size > s->memory_limit) return NULL;
    void *memory = malloc(size);
    if (memory) s->state.memory += size;
    return memory;
}

static void deallocate(hectic_stream *s, void *memory, size_t size)
{
    if (memory) s->state.memory -= size;
    free(memory);
}

static void release(hectic_stream *s, piece *p)
{
    if (p && --p->held == 0 && p != s->piece) deallocate(s, p, sizeof *p);
}

/* The piece for an event's bytes, or NULL. */
static piece *piece_for(hectic_stream *s, uint64_t position, size_t length)
{
    piece *p = s->piece;
    if (p && position - p->position <= PIECE_SIZE - length) return p;
    s->piece = NULL;
    if (p && p->held == 0) deallocate(s, p, sizeof *p);
    s->piece = allocate(s, sizeof *p);
    if (!s->piece) return NULL;
    s->piece->position = position;
    s->piece->held = 0;
    return s->piece;
}

/* The index in the newest run for an event with this time; RUN_SIZE: none. */
static size_t place_in(const run *r, uint64_t time)
{
    if (!r || r->count == RUN_SIZE) return RUN_SIZE;
    size_t i = r->count;
    for (; i > r->at && r->entry[i - 1].time > time; i--)
        if (r->count - i == STEP_BACK) return RUN_SIZE;
    return i;
}

static run *new_run(hectic_stream *s)
{
    if (s->runs == s->heap_capacity) {
        slot *heap = realloc(s->heap, (2 * s->runs + 16) * sizeof *heap);
        if (!heap) return NULL;
        s->heap = heap;
        s->heap_capacity = 2 * s->runs + 16;
    }
    run *r = allocate(s, sizeof *r + 2 * sizeof(slot));
    if (r) r->at = r->count = 0;
    return r;
}

static void free_run(hectic_stream *s, run *r)
{
    deallocate(s, r, sizeof *r + 2 * sizeof(slot));
}

/* --- The heap -------------------------------------------------------------------------------- */

static bool before(const slot *a, const slot *b)
{
    return a->time != b->time ? a->time < b->time : a->position < b->position;
}

static void set_slot(hectic_stream *s, size_t i, slot to)
{
    s->heap[i] = to;
    to.run->slot = i;
}

static slot slot_of(run *r)
{
    const entry *e = &r->entry[r->at];
    return (slot){e->time, e->piece->position + e->offset, r};
}

/* Puts a run at index i of the heap, or at its place above that. */
static void heap_rise(hectic_stream *s, size_t i, run *r)
{
    const slot risen = slot_of(r);
    for (; i > 0 && before(&risen, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        set_slot(s, i, s->heap[(i - 1) / 2]);
    set_slot(s, i, risen);
}

/* Puts a run at the top of the heap, or at its place below that. */
static void heap_sink(hectic_stream *s, run *r)
{
    const slot sunk = slot_of(r);
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < s->runs; i = child) {
        if (child + 1 < s->runs) child += before(&s->heap[child + 1], &s->heap[child]);
        if (!before(&s->heap[child], &sunk)) break;
        set_slot(s, i, s->heap[child]);
    }
    set_slot(s, i, sunk);
}

/* --- Holding and delivering ------------------------------------------------------------------ */

static size_t head_of(const hectic_event_type *declared)
{
    return declared->size == HECTIC_VARIABLE ? VARIABLE_HEAD : EVENT_HEAD;
}

/* Copies an event. False: no memory left. */
static bool hold(hectic_stream *s, const hectic_event *event)
{
    const size_t head = head_of(event->declared), length = head + event->size;
    piece *p = piece_for(s, event->position, length);
    if (!p) return false;
    size_t i = place_in(s->run, event->time);
    if (i == RUN_SIZE) {
        run *r = new_run(s);
        if (!r) return false;
        s->run = r;
        i = 0;
    }
    run *r = s->run;
    const uint32_t offset = (uint32_t)(event->position - p->position);
    /* A decoder's payload follows the event's head. */
    memcpy(p->bytes + offset, event->payload - head, length);
    p->held++;
    const bool was_empty = r->count == r->at;
    memmove(&r->entry[i + 1], &r->entry[i], (r->count - i) * sizeof r->entry[0]);
    r->entry[i] = (entry){event->time, p, offset, event->type, event->cap};
    r->count++;
    if (was_empty)
        heap_rise(s, s->runs++, r);
    else if (i == r->at)
        heap_rise(s, r->slot, r);
    s->state.held++;
    return true;
}

static hectic_result deliver(hectic_stream *s, hectic_event *event)
{
    run *r = s->heap[0].run;
    const entry *e = &r->entry[r->at++];
    const uint8_t *p = e->piece->bytes + e->offset;
    step_view(s->header, p, step_size(s->header, p, PIECE_SIZE), s->heap[0].position, e->cap,
              event);
    s->delivered = e->piece;
    s->last = e->time;
    s->state.held--;
    s->state.events++;
    if (r->at < r->count) {
        heap_sink(s, r);
        return HECTIC_GOT_EVENT;
    }
    if (--s->runs > 0) heap_sink(s, s->heap[s->runs].run);
    r->at = r->count = 0;
    if (r != s->run) free_run(s, r);
    return HECTIC_GOT_EVENT;
}

/* Delivers an event without holding it: it is late, or there is no memory to hold it. */
static hectic_result deliver_directly(hectic_stream *s, hectic_event *event)
{
    *event = s->event;
    event->declared = header_declared(s->header, event->type);
    if (event->time < s->last) {
        s->state.late++;
        raise(&s->state.latest_by, s->last - event->time);
    }
    raise(&s->last, event->time);
    s->state.events++;
    return HECTIC_GOT_EVENT;
}

/* --- The watermark --------------------------------------------------------------------------- */

/* If out of memory, this cap is ignored: the lag still applies. */
static void record_reached(hectic_stream *s, uint16_t cap, uint64_t time)
{
    uint64_t *reached = cap_times_at(&s->reached, cap);
    if (reached) raise(reached, time);
}

/* A late block would have been in time with a lag as long as the time to fill it. If that exceeds
 * the maximum lag, the lag stays: a longer one would add delay with little benefit. */
static void adapt_lag(hectic_stream *s, uint64_t begun, uint64_t ended)
{
    const uint64_t needed = less(ended > s->latest ? ended : s->latest, begun);
    if (needed < s->lag || needed > s->lag_max) return;
    s->lag = needed < s->lag_max - needed / 4 ? needed + needed / 4 : s->lag_max;
}

/* --- What was received ----------------------------------------------------------------------- */

/* The block ends before that position: a complete one extends to the end time of its marker. If out
 * of memory, the section seems to be covered further than it is. */
static void end_open_block(struct coverage *coverage, const struct open_block *block,
                           uint64_t position)
{
    const bool is_whole = position >= block->end_position;
    coverage_block(coverage, block->cap,
                   is_whole && block->end > block->last ? block->end : block->last);
}

static void receive_marker(hectic_stream *s)
{
    const hectic_event *marker = &s->event;
    end_open_block(&s->coverage, &s->block, marker->position);
    s->block = (struct open_block){.end_position = marker->position + load32(marker->payload),
                                   .end = load64(marker->payload + 4),
                                   .last = marker->time,
                                   .cap = marker->cap};
}

static void receive_event(hectic_stream *s)
{
    const hectic_event *event = &s->event;
    hectic_section *received = &s->received;
    received->events++;
    if (event->time < received->first_time) received->first_time = event->time;
    raise(&received->last_time, event->time);
    if (event->type == HECTIC_EVENT_BLOCK_MARKER && s->header->has_blocks) {
        receive_marker(s);
        return;
    }
    received->complete = false;
    if (event->cap == s->block.cap) raise(&s->block.last, event->time);
    if (coverage_needs(event->declared->shape)) coverage_event(&s->coverage, event);
}

/* Other caps may have written events during the time of this block that follow it in the log: so
 * the beginnings of blocks indicate the log's progress. */
static void record_event(hectic_stream *s)
{
    const hectic_event *event = &s->event;
    const int64_t remaining = hectic_decoder_block_remaining(s->decoder);
    if (s->reached.count == 0) s->begun = s->pushed;
    receive_event(s);
    s->unchecked++;
    raise(&s->latest, event->time);
    if (!s->in_block && !s->in_unit) raise(&s->watermark, less(event->time, s->lag));
    s->in_block = remaining > 0 && remaining != INT64_MAX;
    record_reached(s, event->cap, event->time);
    if (event->type == HECTIC_EVENT_BLOCK_MARKER && s->header->has_blocks) {
        s->block_cap = event->cap;
        s->block_end = load64(event->payload + 4);
        if (event->time < s->last) adapt_lag(s, event->time, s->block_end);
    } else if (event->type == HECTIC_EVENT_CAP_CREATE && event->size >= 2) {
        /* The cap will write, even if it has no events yet. */
        record_reached(s, load16(event->payload), event->time);
        s->has_cap_create = true;
    }
    if (s->block_end && remaining <= 0) {
        record_reached(s, s->block_cap, s->block_end);
        s->block_end = 0;
    }
}

/* A tenth of the lag is for events that are written later than their time: their cap may have
 * advanced by then. If the existing caps are unknown, a cap may be about to write its first events.
 */
static void check_caps(hectic_stream *s)
{
    if (!s->has_cap_create && s->now - s->begun < s->lag) return;
    if (s->unchecked == 0 || s->unchecked * CAPS_PER_EVENT < s->reached.count) return;
    s->unchecked = 0;
    raise(&s->watermark, less(cap_times_earliest(&s->reached), s->lag / 10));
}

static arrival *arrival_at(hectic_stream *s, size_t i)
{
    return &s->arrival[(s->first_arrival + i) % ARRIVALS];
}

/* They span the lag; they are too few only if it has just grown. */
static void halve_arrivals(hectic_stream *s)
{
    for (size_t i = 0; i < ARRIVALS / 2; i++) {
        const arrival earlier = *arrival_at(s, 2 * i), later = *arrival_at(s, 2 * i + 1);
        *arrival_at(s, i) = (arrival){earlier.begun, later.pushed, later.latest};
    }
    s->arrivals = ARRIVALS / 2;
}

/* Records when events arrived that are later than all before; others are delivered with these. */
static void record_arrival(hectic_stream *s)
{
    arrival *newest = s->arrivals ? arrival_at(s, s->arrivals - 1) : NULL;
    if (s->state.held == 0 || s->latest <= s->watermark) return;
    if (newest && newest->latest >= s->latest) return;
    if (!newest || s->pushed - newest->begun >= (s->lag - 1) / GRAINS + 1) {
        if (s->arrivals == ARRIVALS) halve_arrivals(s);
        newest = arrival_at(s, s->arrivals++);
        newest->begun = s->pushed;
    }
    newest->pushed = s->pushed;
    newest->latest = s->latest;
}

static void check_clock(hectic_stream *s)
{
    for (const arrival *a;
         !s->in_unit && s->arrivals && (a = arrival_at(s, 0), s->now - a->pushed >= s->lag);
         s->arrivals--) {
        raise(&s->watermark, a->latest);
        s->first_arrival = (s->first_arrival + 1) % ARRIVALS;
    }
}

/* --- Sections -------------------------------------------------------------------------------- */

static void reset_times(hectic_stream *s)
{
    s->latest = s->last = s->watermark = s->block_end = 0;
    s->has_cap_create = s->in_block = false;
    cap_times_clear(&s->reached);
    s->unchecked = 0;
    s->arrivals = 0;
    s->received = (hectic_section){.first_time = UINT64_MAX};
    coverage_clear(&s->coverage);
    s->block = (struct open_block){.cap = HECTIC_CAP_NONE};
}

static hectic_result begin_section(hectic_stream *s)
{
    size_t length;
    const uint8_t *bytes = hectic_header_bytes(hectic_decoder_header(s->decoder), &length);
    hectic_header *header;
    if (!hectic_header_parse(&header, bytes, length, &s->error)) {
        s->failed = s->dead = true;
        return HECTIC_ERROR;
    }
    hectic_header_free(s->header);
    s->header = header;
    reset_times(s);
    return HECTIC_HEADER;
}

static hectic_result record_error(hectic_stream *s)
{
    s->error = *hectic_decoder_error(s->decoder);
    s->state.damaged++;
    s->failed = true;
    s->block_end = 0;
    s->in_block = false;
    s->block.end = 0;
    return HECTIC_ERROR;
}

/* --- Public ---------------------------------------------------------------------------------- */

hectic_stream *hectic_stream_new(const hectic_stream_options *options)
{
    const hectic_stream_options o = options ? *options : (hectic_stream_options){0};
    hectic_stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->lag = o.lag ? o.lag : default_lag;
    s->lag_max = o.lag_max;
    s->memory_limit = o.memory == 0           ? default_memory
                      : o.memory < MEMORY_MIN ? MEMORY_MIN
                                              : o.memory;
    s->decoder = hectic_decoder_new();
    if (s->decoder) return s;
    hectic_stream_free(s);
    return NULL;
}

void hectic_stream_free(hectic_stream *s)
{
    if (!s) return;
    hectic_event event;
    if (s->delivered) release(s, s->delivered);
    while (s->runs) {
        deliver(s, &event);
        release(s, s->delivered);
    }
    free(s->piece);
    free(s->run);
    free(s->heap);
    cap_times_clear(&s->reached);
    coverage_clear(&s->coverage);
    hectic_header_free(s->header);
    hectic_decoder_free(s->decoder);
    free(s);
}

void hectic_stream_push(hectic_stream *s, const void *bytes, size_t length, uint64_t now)
{
    raise(&s->now, now);
    s->pushed = s->now;
    hectic_decoder_push(s->decoder, bytes, length);
}

void hectic_stream_end(hectic_stream *s)
{
    s->ended = true;
    hectic_decoder_push(s->decoder, NULL, 0);
}

/* Updates the watermark at the end of the pushed input. */
static void update_watermark(hectic_stream *s)
{
    check_caps(s);
    record_arrival(s);
    check_clock(s);
    if (s->ended) s->watermark = UINT64_MAX;
}

static bool is_due(const hectic_stream *s)
{
    const bool all = s->pending == HECTIC_HEADER || s->pending == HECTIC_COMPLETE;
    return s->runs > 0 && (all || s->heap[0].time <= s->watermark);
}

/* Processes the decoder's next item. */
static hectic_result pull_item(hectic_stream *s)
{
    if (s->dead) return HECTIC_PARTIAL;
    return hectic_decoder_pull(s->decoder, &s->event);
}

hectic_result hectic_stream_pull(hectic_stream *s, uint64_t now, hectic_event *event)
{
    release(s, s->delivered);
    s->delivered = NULL;
    raise(&s->now, now);
    check_clock(s);
    if (s->failed) {
        s->failed = false;
        s->dead = s->dead || !s->header;
        hectic_decoder_resync(s->decoder);
    }
    for (;;) {
        if (is_due(s)) return deliver(s, event);
        const hectic_result pending = s->pending;
        s->pending = HECTIC_PARTIAL;
        if (pending == HECTIC_COMPLETE) return pending;
        if (pending == HECTIC_HEADER) return begin_section(s);
        if (pending == HECTIC_GOT_EVENT && (s->event.time < s->last || !hold(s, &s->event))) {
            if (s->event.time < s->last || s->runs == 0) return deliver_directly(s, event);
            s->pending = pending;
            return deliver(s, event);
        }
        if (pending == HECTIC_GOT_EVENT && is_due(s)) continue;
        s->pending = pull_item(s);
        if (s->pending == HECTIC_ERROR) {
            s->pending = HECTIC_PARTIAL;
            return record_error(s);
        }
        if (s->pending == HECTIC_GOT_EVENT) record_event(s);
        if (s->pending == HECTIC_COMPLETE) s->received.complete = true;
        if (s->pending != HECTIC_PARTIAL) continue;
        update_watermark(s);
        if (!is_due(s)) return HECTIC_PARTIAL;
    }
}

uint64_t hectic_stream_due(const hectic_stream *s)
{
    if (s->runs == 0) return UINT64_MAX;
    for (size_t i = 0; i < s->arrivals && !is_due(s); i++) {
        const arrival *a = &s->arrival[(s->first_arrival + i) % ARRIVALS];
        if (a->latest < s->heap[0].time) continue;
        return s->lag > UINT64_MAX - a->pushed ? UINT64_MAX : a->pushed + s->lag;
    }
    return s->now;
}

const hectic_header *hectic_stream_header(const hectic_stream *s)
{
    return s->header;
}

const hectic_error *hectic_stream_error(const hectic_stream *s)
{
    return &s->error;
}

hectic_stream_state hectic_stream_get_state(const hectic_stream *s)
{
    hectic_stream_state state = s->state;
    state.lag = s->lag;
    state.behind = less(s->latest, s->last);
    state.skipped = hectic_decoder_skipped(s->decoder);
    return state;
}

void stream_begin_unit(hectic_stream *s)
{
    s->in_unit = true;
}

void stream_end_unit(hectic_stream *s, uint64_t until)
{
    s->in_unit = false;
    raise(&s->watermark, less(until, s->lag / 10));
}

bool stream_section(const hectic_stream *s, hectic_section *section)
{
    struct coverage coverage = {0};
    const bool done = coverage_join(&coverage, &s->coverage);
    if (done) end_open_block(&coverage, &s->block, hectic_decoder_position(s->decoder));
    *section = s->received;
    coverage_set(&coverage, section);
    coverage_clear(&coverage);
    return done;
}
