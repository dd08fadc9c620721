/* timeline.c — see timeline.h. */
#include "timeline/timeline_parts.h"

#include "format/header.h"
#include "numbers/saturating.h"
#include "numbers/uint256.h"
#include "read/decode/run.h"
#include "read/decode/step.h"
#include "stat/stat_fork.h"
#include "timeline/excerpt.h"
#include "timeline/fork.h"
#include "timeline/range.h"
#include "timeline/thread_index.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 1 << 15,
    SUMS = 1 << 23, /* of all caps: 64 MB */
    SHIFT_FIRST = 10,
    READ_MAX =
        1
        << 23, /* bytes of events that are read for a picture: in a browser, a tenth of a second */
};

static void take_span(void *user, size_t cap, enum stat_span span, uint64_t from, uint64_t to)
{
    hectic_timeline *t = user;
    if (!bins_add_time(&t->spans, cap * STAT_SPANS + span, from, to)) t->is_full = true;
}

static void take_unrecorded(void *user, uint64_t from, uint64_t to)
{
    hectic_timeline *t = user;
    if (!bins_add_time(&t->unrecorded, 0, from, to)) t->is_full = true;
}

static void take_size(void *user, enum stat_size size, uint64_t since, uint64_t time,
                      uint64_t bytes)
{
    hectic_timeline *t = user;
    if (!(size == SIZE_ALLOCATED
              ? bins_spread(&t->allocated, ALLOCATED_SINCE, since, time, bytes) &&
                    bins_spread(&t->allocated, ALLOCATED_COUNT, time, time, 1)
              : gauge_add(&t->gauge[size], time, bytes)))
        t->is_full = true;
}

bool timeline_find_first(hectic_timeline *t)
{
    const hectic_stat *s = t->stat;
    struct first_reports found = {.joined = s->joined, .first = s->first};
    for (size_t i = 0; i < s->caps; i++)
        found.count += s->cap[i]->has_last & 1, found.appeared += s->cap[i]->appeared;
    const bool is_known = found.joined == t->first.joined && found.first == t->first.first &&
                          found.count == t->first.count && found.appeared == t->first.appeared;
    if (t->is_saved || is_known) return true;
    bins_clear(&t->allocated, ALLOCATED_FIRST);
    for (size_t i = 0; i < s->caps; i++) {
        const struct stat_cap *cap = s->cap[i];
        const uint64_t bytes = stat_first_counted(s, cap, 0), time = cap->first_at[0];
        /* A block marker of the cap may have an earlier time. */
        const uint64_t created = cap->appeared > s->joined ? cap->appeared : s->joined;
        const uint64_t since = created < time ? created : time;
        if (bytes > 0 && !bins_spread(&t->allocated, ALLOCATED_FIRST, since, time, bytes))
            return false;
    }
    t->first = found;
    return true;
}

static void take_message(void *user, enum run_sum what, uint64_t time)
{
    hectic_timeline *t = user;
    if (!bins_spread(&t->said, what == MARKERS ? TIMELINE_MARKERS : TIMELINE_MESSAGES, time, time,
                     1))
        t->is_full = true;
}

static void take_run_end(void *user, size_t cap, uint32_t thread, uint64_t from, uint64_t to,
                         uint16_t stop)
{
    hectic_timeline *t = user;
    if (longest_lacks(&t->longest, to - from)) return; /* most are short */
    const hectic_timeline_run run = {
        t->stat->cap[cap]->number, stop, stop != STOP_NONE, thread, from, to};
    if (!longest_add(&t->longest, &run)) t->is_full = true;
}

static void take_name(void *user, uint16_t type, const uint8_t *payload, size_t size)
{
    hectic_timeline *t = user;
    if (!(t->told ? told_add(t->told, type, payload, size)
                  : titles_take(&t->titles, type, payload, size)))
        t->is_full = true;
}

/* `of`: the stat that a fork continues; or NULL. */
static hectic_timeline *timeline_new(const hectic_stat *of)
{
    hectic_timeline *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->spans = bins_new(SLOTS, SHIFT_FIRST, SUMS);
    t->unrecorded = bins_new(SLOTS, SHIFT_FIRST, SLOTS);
    t->allocated = bins_new(SLOTS, SHIFT_FIRST, ALLOCATED_ROWS * SLOTS);
    t->said = bins_new(SLOTS, SHIFT_FIRST, TIMELINE_MESSAGE_KINDS * SLOTS);
    for (size_t i = 0; i < HECTIC_TIMELINE_ALLOCATED; i++)
        t->gauge[i] = (struct gauge){.slots = SLOTS, .shift = SHIFT_FIRST};
    t->stat = of ? stat_fork(of) : hectic_stat_new();
    t->excerpt = of ? NULL : excerpt_new();
    if (t->stat && (of || (t->excerpt && stat_keep_marks(t->stat)))) {
        stat_set_watch(t->stat, &(struct stat_watch){t, take_span, take_unrecorded, take_size,
                                                     take_run_end, take_name, take_message, 0});
        return t;
    }
    hectic_timeline_free(t);
    return NULL;
}

hectic_timeline *hectic_timeline_new(void)
{
    return timeline_new(NULL);
}

hectic_timeline *timeline_fork(const hectic_timeline *of, const uint8_t *owner, unsigned number)
{
    hectic_timeline *t = timeline_new(of->stat);
    if (!t) return NULL;
    t->is_fork = true;
    t->excerpt = excerpt_fork(of->excerpt, owner, number);
    t->header = of->header;
    t->spans.slots = of->spans.slots;
    t->spans.sums = of->spans.sums;
    t->spans.shift = of->spans.shift;
    t->unrecorded.shift = of->unrecorded.shift;
    t->allocated.shift = of->allocated.shift;
    t->said.shift = of->said.shift;
    for (size_t i = 0; i < HECTIC_TIMELINE_ALLOCATED; i++)
        t->gauge[i].shift = of->gauge[i].shift;
    if (t->excerpt) return t;
    hectic_timeline_free(t);
    return NULL;
}

void hectic_timeline_free(hectic_timeline *t)
{
    if (!t) return;
    hectic_stat_free(t->stat);
    chunks_free(&t->chunks);
    bins_free(&t->spans);
    bins_free(&t->unrecorded);
    bins_free(&t->allocated);
    bins_free(&t->said);
    for (size_t i = 0; i < HECTIC_TIMELINE_ALLOCATED; i++)
        gauge_free(&t->gauge[i]);
    free(t->longest.run);
    titles_clear(&t->titles);
    thread_index_free(t->threads);
    if (!t->is_fork) excerpt_free(t->excerpt);
    watched_free(&t->watched);
    free(t);
}

/* --- The pass -------------------------------------------------------------------------------- */

static bool add_chunk(hectic_timeline *t, struct timeline_chunk *events, uint64_t last)
{
    /* A message about lost bytes has no bytes, and its time is that of the chunk. */
    if (events->length > 0 && t->stat->earliest < events->first) events->first = t->stat->earliest;
    if (events->length > 0) t->stat->earliest = UINT64_MAX;
    events->last = last;
    return chunks_add(&t->chunks, events) && !t->is_full;
}

bool timeline_take_run(hectic_timeline *t, hectic_decoder *decoder)
{
    size_t length;
    struct timeline_chunk events = {.position = hectic_decoder_position(decoder),
                                    .remaining = hectic_decoder_block_remaining(decoder)};
    const stepper *at;
    const uint8_t *run = decoder_run(decoder, &length, &at);
    events.cap = at->cap;
    if (length > CHUNK_BYTES) length = CHUNK_BYTES;
    if (length < EVENT_HEAD) return true;
    events.first = event_time_at(run);
    length = stat_take_run(t->stat, at, run, length);
    if (length == SIZE_MAX) return false;
    if (length == 0) return true;
    if (!excerpt_take_run(t->excerpt, t->header, events.cap, events.position, run, length))
        return false;
    decoder_advance(decoder, length);
    events.length = length;
    events.types = t->stat->types;
    return add_chunk(t, &events, stat_time(t->stat, events.cap));
}

hectic_result timeline_next(hectic_decoder *decoder, hectic_event *event,
                            struct timeline_chunk *chunk)
{
    size_t length;
    *chunk = (struct timeline_chunk){.remaining = hectic_decoder_block_remaining(decoder)};
    const stepper *at;
    decoder_run(decoder, &length, &at);
    chunk->cap = at->cap;
    const hectic_result result = hectic_decoder_pull(decoder, event);
    if (result != HECTIC_GOT_EVENT) return result;
    chunk->position = event->position;
    chunk->length = hectic_decoder_position(decoder) - event->position;
    chunk->first = event->time;
    chunk->types = type_folded(event->type);
    return result;
}

bool timeline_take_event(hectic_timeline *t, const hectic_event *event,
                         const struct timeline_chunk *chunk)
{
    struct timeline_chunk events = *chunk;
    return hectic_stat_event(t->stat, event) && excerpt_take_event(t->excerpt, event) &&
           add_chunk(t, &events, event->time);
}

bool timeline_show_event(hectic_timeline *t, const hectic_event *event,
                         const struct timeline_chunk *chunk)
{
    struct timeline_chunk events = *chunk;
    t->stat->seen |= seen_by_profile(event->type);
    events.last = event->time;
    return excerpt_take_event(t->excerpt, event) && chunks_add(&t->chunks, &events);
}

/* --- Answers --------------------------------------------------------------------------------- */

struct stat_range {
    const hectic_timeline *timeline;
    const hectic_timeline_source *source;
};

static bool read_stat(void *user, uint64_t from, uint64_t to,
                      bool (*take)(void *taking, const hectic_event *event), void *taking)
{
    const struct stat_range *range = user;
    const hectic_timeline *t = range->timeline;
    return range_read(&t->chunks, t->header, range->source, from, to, take, taking) == RANGE_END;
}

bool timeline_watch(hectic_timeline *t, const hectic_timeline_source *source, uint64_t from,
                    uint64_t to, const struct stat_watch *watch)
{
    struct stat_range range = {t, source};
    const uint64_t version = t->chunks.additions; /* 0: no events */
    if (watched_play(&t->watched, from, to, version, watch)) return true;
    for (size_t i = 0; i < HECTIC_TIMELINE_ALLOCATED; i++) { /* as curves need it */
        const uint64_t slot = from >> t->gauge[i].shift << t->gauge[i].shift;
        if (slot < from) from = slot;
    }
    const struct stat_watch recorder = watched_begin(&t->watched, from, to, watch);
    const struct stat_reader reader = {&range, read_stat};
    if (!stat_marks_watch(t->stat, &reader, from, to, &recorder)) return false;
    watched_end(&t->watched, version);
    return true;
}

bool hectic_timeline_stat(hectic_timeline *t, const hectic_timeline_source *source, uint64_t from,
                          uint64_t to, hectic_stat_result *result)
{
    struct stat_range range = {t, source};
    return stat_marks_get(t->stat, &(struct stat_reader){&range, read_stat}, from, to, result);
}

/* The sums of a cap, by slot. */
struct cap_sums {
    const uint64_t *sum[STAT_SPANS]; /* NULL: zeros */
    size_t slots;
    unsigned shift;
    bool has_sums;
    enum stat_span present; /* its span that has not ended; STAT_SPANS: none */
    uint64_t from, to;      /* of that */
    bool is_lone;
};

static struct cap_sums sums_of(const hectic_timeline *t, size_t cap)
{
    struct cap_sums s = {.slots = t->spans.slots,
                         .shift = t->spans.shift,
                         .present = STAT_SPANS,
                         .is_lone = stat_is_lone(t->stat)};
    for (enum stat_span span = 0; span < STAT_SPANS; span++) {
        s.sum[span] = bins_row(&t->spans, cap * STAT_SPANS + span);
        s.has_sums |= s.sum[span] != NULL;
        if (s.present == STAT_SPANS && stat_get_span(t->stat, cap, span, &s.from, &s.to))
            s.present = span;
    }
    const uint64_t time = t->stat->cap[cap]->time;
    if (t->is_behind && s.present < STAT_SPANS && s.to > time) s.to = time;
    return s;
}

static uint64_t time_of(const uint64_t sum[STAT_SPANS], hectic_timeline_time what, bool is_lone)
{
    const uint64_t begin = is_lone ? 0 : sum[SPAN_WAITED_BEGIN];
    const uint64_t end = is_lone ? 0 : sum[SPAN_WAITED_END];
    switch (what) {
    case HECTIC_TIMELINE_RUNNING: return sum[SPAN_RUNNING];
    case HECTIC_TIMELINE_COLLECTING: return saturating_less(sum[SPAN_STOPPED], begin + end);
    case HECTIC_TIMELINE_WAIT_BEGIN: return sum[SPAN_REQUESTED] + begin;
    case HECTIC_TIMELINE_WAIT_END: return end;
    case HECTIC_TIMELINE_WAIT_OUT: return sum[SPAN_OUT];
    default: return sum[SPAN_LOST];
    }
}

/* The time of the present span that lies between two times. */
static uint64_t present_between(const struct cap_sums *s, uint64_t from, uint64_t to)
{
    return saturating_less(s->to < to ? s->to : to, s->from > from ? s->from : from);
}

/* --- Columns --------------------------------------------------------------------------------- */

uint64_t picture_edge(const struct picture *p, size_t i)
{
    const uint64_t length = p->to - p->from, rest = length % p->width; /* no product overflows */
    return p->from + length / p->width * i + rest * i / p->width;
}

size_t picture_column(const struct picture *p, uint64_t time)
{
    const double share = (double)(time - p->from) / (double)(p->to - p->from);
    size_t i = (size_t)(share * (double)p->width); /* nearly */
    if (i >= p->width) i = p->width - 1;
    while (i > 0 && picture_edge(p, i) > time)
        i--;
    while (i + 1 < p->width && picture_edge(p, i + 1) <= time)
        i++;
    return i;
}

/* The columns of all caps: the sums of spans are not divided into collections and waits before the
 * end. */
struct canvas {
    struct picture picture;
    size_t caps;
    hectic_timeline_column *column;
    uint64_t *unrecorded; /* ns in each column */
};

static void add(hectic_timeline_column *column, enum stat_span span, uint64_t ns)
{
    static const hectic_timeline_time times[] = {
        [SPAN_RUNNING] = HECTIC_TIMELINE_RUNNING,
        [SPAN_REQUESTED] = HECTIC_TIMELINE_WAIT_BEGIN,
        [SPAN_STOPPED] = HECTIC_TIMELINE_COLLECTING,
        [SPAN_WAITED_BEGIN] = HECTIC_TIMELINE_WAIT_BEGIN,
        [SPAN_WAITED_END] = HECTIC_TIMELINE_WAIT_END,
        [SPAN_OUT] = HECTIC_TIMELINE_WAIT_OUT,
        [SPAN_LOST] = HECTIC_TIMELINE_UNKNOWN,
    };
    column->time[times[span]] += ns;
    if (span == SPAN_WAITED_BEGIN || span == SPAN_WAITED_END)
        column->time[HECTIC_TIMELINE_COLLECTING] -= ns; /* modulo 2^64 */
}

/* The part of a time that lies in a picture. False: none. */
static bool clip(const struct picture *p, uint64_t *from, uint64_t *to)
{
    if (*from < p->from) *from = p->from;
    if (*to > p->to) *to = p->to;
    return *from < *to;
}

static void paint_span(void *user, size_t cap, enum stat_span span, uint64_t from, uint64_t to)
{
    const struct canvas *canvas = user;
    const struct picture *p = &canvas->picture;
    if (!clip(p, &from, &to) || cap >= canvas->caps) return;
    for (size_t i = picture_column(p, from); i < p->width && from < to; i++) {
        const uint64_t edge = picture_edge(p, i + 1), until = edge < to ? edge : to;
        if (until > from) add(&canvas->column[cap * p->width + i], span, until - from);
        from = until > from ? until : from;
    }
}

static void paint_unrecorded(void *user, uint64_t from, uint64_t to)
{
    const struct canvas *canvas = user;
    const struct picture *p = &canvas->picture;
    if (!clip(p, &from, &to)) return;
    for (size_t i = picture_column(p, from); i < p->width && from < to; i++) {
        const uint64_t edge = picture_edge(p, i + 1), until = edge < to ? edge : to;
        canvas->unrecorded[i] += saturating_less(until, from);
        from = until > from ? until : from;
    }
}

/* What a cap did while nothing was recorded is not known, unless it is in another span. */
static void add_unrecorded(const struct canvas *canvas, size_t index, const struct stat_cap *cap)
{
    const struct picture *p = &canvas->picture;
    for (size_t i = 0; i < p->width; i++) {
        uint64_t *time = canvas->column[index * p->width + i].time;
        uint64_t rest = canvas->unrecorded[i] == 0
                            ? 0
                            : stat_present(cap, picture_edge(p, i), picture_edge(p, i + 1));
        for (hectic_timeline_time k = 0; k < HECTIC_TIMELINE_TIMES; k++)
            rest = saturating_less(rest, time[k]);
        time[HECTIC_TIMELINE_UNKNOWN] +=
            rest < canvas->unrecorded[i] ? rest : canvas->unrecorded[i];
    }
}

/* The part of a slot's sum that lies in a column. */
static uint64_t part_of(uint64_t sum, uint64_t overlap, unsigned shift)
{
    const uint128 product = uint128_product(sum, overlap);
    return product.high << (64 - shift) | product.low >> shift;
}

static void paint_slots(const hectic_timeline *t, const struct canvas *canvas, size_t cap)
{
    const struct picture *p = &canvas->picture;
    const struct cap_sums sums = sums_of(t, cap);
    const unsigned shift = sums.shift;
    const size_t slots = sums.has_sums ? sums.slots : 0;
    for (size_t i = 0; i < p->width; i++) {
        const uint64_t from = picture_edge(p, i), to = picture_edge(p, i + 1);
        uint64_t sum[STAT_SPANS] = {0};
        if (sums.present < STAT_SPANS) sum[sums.present] = present_between(&sums, from, to);
        for (uint64_t slot = from >> shift; slot << shift < to && slot < slots; slot++) {
            const uint64_t begin = slot << shift, end = (slot + 1) << shift;
            const bool is_whole = begin >= from && end <= to;
            const uint64_t overlap = (end < to ? end : to) - (begin > from ? begin : from);
            for (enum stat_span k = 0; k < STAT_SPANS; k++) {
                const uint64_t time = sums.sum[k] ? sums.sum[k][slot] : 0;
                sum[k] += is_whole ? time : part_of(time, overlap, shift);
            }
        }
        for (hectic_timeline_time k = 0; k < HECTIC_TIMELINE_TIMES; k++)
            canvas->column[cap * p->width + i].time[k] = time_of(sum, k, sums.is_lone);
    }
}

uint64_t timeline_unrecorded(const hectic_timeline *t, uint64_t from, uint64_t to)
{
    return bins_between(&t->unrecorded, 0, from, to) + stat_unrecorded(t->stat, from, to);
}

static void paint_all_slots(const hectic_timeline *t, const struct canvas *canvas)
{
    const struct picture *p = &canvas->picture;
    for (size_t i = 0; i < p->width; i++)
        canvas->unrecorded[i] = timeline_unrecorded(t, picture_edge(p, i), picture_edge(p, i + 1));
    for (size_t i = 0; i < canvas->caps; i++)
        paint_slots(t, canvas, i);
}

/* From events. Those of a cap without a block are lost. */
static bool paint_exactly(hectic_timeline *t, const hectic_timeline_source *source,
                          struct canvas *canvas)
{
    uint64_t from, to;
    for (size_t i = 0; i < canvas->caps; i++)
        if (stat_lacks_cap(t->stat, t->stat->cap[i]) &&
            stat_get_span(t->stat, i, SPAN_LOST, &from, &to))
            paint_span(canvas, i, SPAN_LOST, from, to);
    return timeline_watch(
        t, source, canvas->picture.from, canvas->picture.to,
        &(struct stat_watch){.user = canvas, .take = paint_span, .unrecorded = paint_unrecorded});
}

bool timeline_is_short(const hectic_timeline *t, uint64_t from, uint64_t to)
{
    uint64_t bytes = 0;
    if (t->is_saved) return false;
    for (size_t i = 0; i < t->chunks.count && bytes <= READ_MAX; i++)
        if (t->chunks.chunk[i].first < to && t->chunks.chunk[i].last >= from)
            bytes += t->chunks.chunk[i].length;
    return bytes <= READ_MAX;
}

bool hectic_timeline_is_exact(const hectic_timeline *t, uint64_t from, uint64_t to, size_t width)
{
    return from < to && width > 0 && (to - from) / width < UINT64_C(1) << t->spans.shift &&
           timeline_is_short(t, from, to);
}

bool hectic_timeline_columns(hectic_timeline *t, const hectic_timeline_source *source,
                             uint64_t from, uint64_t to, size_t width,
                             hectic_timeline_column *column)
{
    memset(column, 0, t->stat->caps * width * sizeof *column);
    if (from >= to || width == 0) return true;
    struct canvas canvas = {
        {from, to, width}, t->stat->caps, column, calloc(width, sizeof(uint64_t))};
    bins_reach(&t->spans, t->stat->last); /* for what has not ended yet */
    const bool is_exact = hectic_timeline_is_exact(t, from, to, width);
    const bool done = canvas.unrecorded &&
                      (is_exact ? paint_exactly(t, source, &canvas) : stat_marks_merge(t->stat));
    if (done && !is_exact) paint_all_slots(t, &canvas);
    for (size_t i = 0; i < canvas.caps && done; i++)
        add_unrecorded(&canvas, i, t->stat->cap[i]);
    free(canvas.unrecorded);
    return done;
}

size_t hectic_timeline_caps(const hectic_timeline *t)
{
    return t->stat->caps;
}

uint16_t hectic_timeline_cap(const hectic_timeline *t, size_t index)
{
    return t->stat->cap[index]->number;
}

const char *hectic_timeline_label(const hectic_timeline *t, uint32_t thread)
{
    return titles_label(&t->titles, thread);
}

const char *hectic_timeline_program(const hectic_timeline *t)
{
    return titles_program(&t->titles);
}

const char *hectic_timeline_runtime(const hectic_timeline *t)
{
    return titles_runtime(&t->titles);
}

bool hectic_timeline_extent(const hectic_timeline *t, uint64_t *first, uint64_t *last)
{
    *first = t->stat->first;
    *last = t->stat->last;
    return t->stat->has_first;
}

void hectic_timeline_cut(hectic_timeline *t, uint64_t time)
{
    bins_reach(&t->spans, t->stat->last); /* as after a request before, so that answers are equal */
    if (time < t->stat->last) {
        t->left_out_to = t->stat->last;
        thread_index_free(t->threads); /* it may have later events, as what was recorded */
        t->threads = NULL;
        t->watched.version = 0;
    }
    t->chunks.is_cut = true;
    t->chunks.end = time;
    if (time < t->stat->first) { /* a process that begins later */
        t->stat->has_first = false;
        time = t->stat->first;
    }
    t->stat->last = time;
    hectic_stat_cut(t->stat, time);
    hectic_timeline_end(t);
}

void hectic_timeline_end(hectic_timeline *t)
{
    t->stat->is_final = true;
    if (!stat_marks_merge(t->stat)) t->is_full = true;
}
