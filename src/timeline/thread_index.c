/* thread_index.c — see thread_index.h. */
#include "timeline/thread_index.h"

#include "base/array.h"
#include "numbers/nth_element.h"
#include "read/decode/running.h"

#include <hectic/catalogue.h>
#include <hectic/header.h>

#include <stdlib.h>
#include <string.h>

enum {
    MARKS_MAX = 128,
    MARK_BYTES_MAX = 1 << 24,
    MARK_EVENTS = 1 << 13,  /* between the first marks */
    THREADS_KEPT = 1 << 15, /* then those that ran for a short time go */
    SLOTS_MAX = 1 << 20,    /* of all threads */
    SLOTS_FIRST = 13,
    SLOTS_LAST = 4, /* log2 of those in the extent of the section */
    PART_BITS = 31,
    TEXT_BYTES = 1 << 23,
};

static bool has_replays(const hectic_timeline *t)
{
    return t->stat->has_sync;
}

bool thread_types(const hectic_timeline *t, type_set *types)
{
    size_t shapes;
    const hectic_shape *shape = hectic_catalogue(&shapes);
    *types = (type_set){0};
    for (size_t i = 0; i < shapes; i++)
        if (running_is_about_thread(&shape[i])) type_set_add(types, shape[i].number);
    type_set_add(types, HECTIC_EVENT_CAP_CREATE);
    type_set_add(types, HECTIC_EVENT_LOG_MSG);
    /* Events between replays of the state distinguish them. */
    return !has_replays(t);
}

enum thread_class thread_class_of(unsigned state)
{
    switch (state) {
    case HECTIC_THREAD_RUNNING: return CLASS_RUNNING;
    case HECTIC_THREAD_RUNNABLE: return CLASS_RUNNABLE;
    case HECTIC_THREAD_UNKNOWN: return CLASS_UNKNOWN;
    default: return CLASS_BLOCKED;
    }
}

/* --- Slots ----------------------------------------------------------------------------------- */

struct thread_slot *thread_course_slots(struct thread_course *course)
{
    return course->capacity ? course->slot : &course->one;
}

static void fold_course(struct thread_index *index, struct thread_course *course)
{
    struct thread_slot *slot = thread_course_slots(course);
    if (course->slots == 0) return;
    const uint64_t first = course->first >> 1, last = (course->first + course->slots - 1) >> 1;
    const unsigned half = index->shift >= PART_BITS; /* parts become half as many */
    for (uint64_t i = first; i <= last; i++) {
        struct thread_slot sum = {0};
        for (uint64_t k = 2 * i; k <= 2 * i + 1; k++)
            if (k >= course->first && k - course->first < course->slots)
                for (unsigned c = 0; c < THREAD_CLASSES; c++)
                    sum.part[c] += slot[k - course->first].part[c] >> half;
        slot[i - first] = sum;
    }
    const uint32_t slots = (uint32_t)(last - first + 1);
    memset(slot + slots, 0, (course->slots - slots) * sizeof *slot); /* they may be used again */
    course->first = first;
    course->slots = slots;
    if (course->capacity <= 2 * course->slots) return;
    struct thread_slot *less = realloc(course->slot, course->slots * sizeof *less);
    if (!less) return;
    index->slots -= course->capacity - course->slots;
    course->slot = less;
    course->capacity = course->slots;
}

static void fold(struct thread_index *index)
{
    for (size_t i = 0; i < index->count; i++)
        fold_course(index, &index->thread[i].course);
    for (size_t i = 0; i < index->places; i++) {
        fold_course(index, &index->live[i].course);
        index->live[i].slot >>= 1;
    }
    index->shift++;
}

/* Makes the slots up to that of a time. NULL: out of memory. */
static struct thread_slot *reach(struct thread_index *index, struct thread_course *course,
                                 uint64_t from, uint64_t last)
{
    if (course->slots == 0) {
        course->first = from >> index->shift;
        course->slots = 1;
    }
    for (;;) {
        const uint64_t wanted = (last >> index->shift) - course->first + 1;
        if (wanted <= course->slots) return thread_course_slots(course);
        if (wanted <= course->capacity) {
            course->slots = (uint32_t)wanted;
            return course->slot;
        }
        const bool is_too_long = wanted > SLOTS_MAX && index->shift < 63;
        if (is_too_long ||
            (wanted + wanted / 2 + index->slots > SLOTS_MAX && index->shift < index->shift_max)) {
            fold(index);
            continue;
        }
        const uint32_t capacity = (uint32_t)(wanted + wanted / 2);
        struct thread_slot *more = realloc(course->slot, capacity * sizeof *more);
        if (!more) return NULL;
        if (course->capacity == 0) more[0] = course->one;
        const uint32_t kept = course->capacity ? course->capacity : 1;
        memset(more + kept, 0, (capacity - kept) * sizeof *more);
        index->slots += capacity - course->capacity;
        course->slot = more;
        course->capacity = capacity;
        course->slots = (uint32_t)wanted;
        return more;
    }
}

static bool add_time(struct thread_index *index, struct thread_course *course,
                     enum thread_class class, uint64_t from, uint64_t to)
{
    if (from >= to) return true;
    struct thread_slot *slot = reach(index, course, from, to - 1);
    if (!slot) return false;
    const unsigned shift = index->shift, less = shift > PART_BITS ? shift - PART_BITS : 0;
    uint64_t i = from >> shift;
    for (; from < to; i++) {
        const uint64_t end = (i + 1) << shift;
        const uint64_t until = end > from && end < to ? end : to;
        if (i >= course->first)
            slot[i - course->first].part[class] += (uint32_t)((until - from) >> less);
        from = until;
    }
    return true;
}

/* --- Threads --------------------------------------------------------------------------------- */

/* Keeps the INDEXED_THREADS that ran longest. */
static bool clear_room(struct thread_index *index)
{
    uint64_t *running = malloc(index->count * sizeof *running);
    if (!running) return false;
    size_t kept = 0, equal = INDEXED_THREADS;
    for (size_t i = 0; i < index->count; i++)
        running[i] = index->thread[i].row.ns[HECTIC_THREAD_RUNNING];
    const uint64_t least = value_at_rank(running, index->count, INDEXED_THREADS - 1);
    for (size_t i = 0; i < index->count; i++)
        equal -= running[i] > least; /* so many of those with `least` remain */
    free(running);
    for (size_t i = 0; i < index->count; i++) {
        struct indexed_thread *thread = &index->thread[i];
        const uint64_t ran = thread->row.ns[HECTIC_THREAD_RUNNING];
        if (ran > least || (ran == least && equal > 0)) {
            equal -= ran == least;
            index->thread[kept++] = *thread;
        } else {
            index->slots -= thread->course.capacity;
            free(thread->course.slot);
        }
    }
    index->count = kept;
    return true;
}

static bool make_places(struct thread_index *index, uint32_t place)
{
    const size_t before = index->places;
    if (!array_reserve(index->live, index->places, (size_t)place + 1)) return false;
    memset(index->live + before, 0, (index->places - before) * sizeof *index->live);
    return true;
}

/* Adds the times in the present slot of a live thread to its slots. */
static bool flush(struct thread_index *index, struct live_thread *live)
{
    if (!(live->ns[CLASS_RUNNING] | live->ns[CLASS_RUNNABLE] | live->ns[CLASS_UNKNOWN]))
        return true;
    const uint64_t begin = live->slot << index->shift;
    struct thread_slot *slot = reach(index, &live->course, begin, begin);
    if (!slot) return false;
    /* Slots may have been joined. */
    const unsigned less = index->shift > PART_BITS ? index->shift - PART_BITS : 0;
    for (unsigned i = 0; i < THREAD_CLASSES; i++) {
        slot[live->slot - live->course.first].part[i] += (uint32_t)(live->ns[i] >> less);
        live->ns[i] = 0;
    }
    return true;
}

static bool add_span(struct thread_index *index, struct live_thread *live,
                     const struct threads_span *span, enum thread_class class)
{
    const uint64_t first = span->from >> index->shift, last = (span->to - 1) >> index->shift;
    if (first != live->slot || last != first) {
        if (!flush(index, live)) return false;
        if (first != last) return add_time(index, &live->course, class, span->from, span->to);
        live->slot = span->from >> index->shift;
    }
    live->ns[class] += span->to - span->from;
    return true;
}

static void take_span(void *user, const struct threads_span *span)
{
    struct thread_index *index = user;
    const enum thread_class class = thread_class_of(span->state);
    index->told = span->place;
    if ((span->place >= index->places && !make_places(index, span->place)) ||
        (class < THREAD_CLASSES && span->from < span->to &&
         !add_span(index, &index->live[span->place], span, class)))
        index->is_lost = true;
}

/* After the last span of the thread. */
static bool take_thread(void *user, const hectic_thread *row)
{
    struct thread_index *index = user;
    if (index->is_lost || !flush(index, &index->live[index->told])) return false;
    if (index->count == THREADS_KEPT && !clear_room(index)) return false;
    if (!array_reserve(index->thread, index->capacity, index->count + 1)) return false;
    struct indexed_thread *thread = &index->thread[index->count++];
    *thread = (struct indexed_thread){*row, TEXTS_NONE, index->live[index->told].course};
    index->live[index->told] = (struct live_thread){0};
    index->ended++;
    hectic_thread_sums_add(&index->sums, row);
    thread->row.label = NULL;
    if (row->label) thread->label = texts_add(&index->texts, row->label, strlen(row->label));
    return !index->texts.no_memory;
}

/* --- Marks ----------------------------------------------------------------------------------- */

static void drop_marks(struct thread_index *index, size_t from)
{
    for (size_t i = from; i < index->marks; i++) {
        index->mark_bytes -= threads_states_size(index->mark[i].states);
        threads_states_free(index->mark[i].states);
    }
    if (index->marks > from) index->marks = from;
}

/* Drops every second one. */
static void thin(struct thread_index *index)
{
    size_t kept = 0;
    for (size_t i = 0; i < index->marks; i++) {
        if (i % 2 == 1) {
            index->mark[kept++] = index->mark[i];
            continue;
        }
        index->mark_bytes -= threads_states_size(index->mark[i].states);
        threads_states_free(index->mark[i].states);
    }
    index->marks = kept;
    index->mark_every *= 2;
}

/* Before an event that is later than all others so far. No mark is made in a replay, without
 * memory, or if there are too many threads. */
static void add_mark(struct thread_index *index, uint64_t time)
{
    if (!index->mark) index->mark = malloc(MARKS_MAX * sizeof *index->mark);
    struct threads_states *states =
        index->mark ? threads_keep(index->threads, MARK_BYTES_MAX) : NULL;
    index->next_mark = index->events + index->mark_every;
    if (!states) return;
    index->mark[index->marks++] = (struct thread_mark){time, index->gaps, states};
    index->mark_bytes += threads_states_size(states);
    while (index->marks == MARKS_MAX || (index->mark_bytes > MARK_BYTES_MAX && index->marks > 0))
        thin(index);
    index->next_mark = index->events + index->mark_every;
}

/* --- The pass -------------------------------------------------------------------------------- */

static uint64_t end_of(const hectic_timeline *t)
{
    const struct chunks *c = &t->chunks;
    return c->count ? c->chunk[c->count - 1].position + c->chunk[c->count - 1].length : 0;
}

static bool take_event(void *user, const hectic_event *event)
{
    struct thread_index *index = user;
    if (++index->events >= index->next_mark && event->time > index->time)
        add_mark(index, event->time);
    index->time = event->time;
    if (event->type == HECTIC_EVENT_LOG_MSG) hectic_gaps_event(&index->gaps, event);
    return hectic_threads_event(index->threads, event) && !index->is_lost;
}

static void begin_section(const hectic_timeline *t, hectic_threads *threads,
                          const hectic_header *header)
{
    hectic_threads_begin(threads, header);
    if (!has_replays(t)) threads_expect_no_replay(threads);
}

/* Has nothing been read since the pass began? */
static bool has_all(const hectic_timeline *t, const struct thread_index *index)
{
    return index->additions == t->chunks.additions;
}

static struct thread_index *begin(const hectic_timeline *t, const hectic_header *header,
                                  const hectic_timeline_source *source)
{
    struct thread_index *index = calloc(1, sizeof *index);
    type_set types;
    const bool has_types = thread_types(t, &types);
    if (!index) return NULL;
    index->texts.limit = TEXT_BYTES;
    index->gaps.to = UINT64_MAX;
    index->sums.from = t->stat->first;
    index->mark_every = index->next_mark = MARK_EVENTS;
    index->end = end_of(t);
    index->additions = t->chunks.additions;
    const uint64_t length = t->stat->last - t->stat->first;
    while (index->shift < 63 && length >> index->shift >> SLOTS_FIRST > 0)
        index->shift++;
    index->shift_max = index->shift + SLOTS_FIRST - SLOTS_LAST;
    if (index->shift_max > 63) index->shift_max = 63;
    index->threads = hectic_threads_new(0, UINT64_MAX, take_thread, index);
    index->range = range_open(&t->chunks, header, source, 0, UINT64_MAX, has_types ? &types : NULL);
    if (index->threads && index->range) {
        begin_section(t, index->threads, header);
        index->has_replays = has_replays(t);
        threads_watch(index->threads, take_span, index);
        return index;
    }
    thread_index_free(index);
    return NULL;
}

void thread_index_free(struct thread_index *index)
{
    if (!index) return;
    range_close(index->range);
    hectic_threads_free(index->threads);
    drop_marks(index, 0);
    free(index->mark);
    for (size_t i = 0; i < index->count; i++)
        free(index->thread[i].course.slot);
    for (size_t i = 0; i < index->places; i++)
        free(index->live[i].course.slot);
    free(index->thread);
    free(index->live);
    texts_clear(&index->texts);
    free(index);
}

static bool finish(struct thread_index *index, uint64_t last)
{
    if (!hectic_threads_end(index->threads, last) || index->is_lost) return false;
    hectic_threads_totals(index->threads, last, &index->totals);
    hectic_gaps_end(&index->gaps, last);
    index->is_complete = true;
    range_close(index->range);
    hectic_threads_free(index->threads);
    free(index->live);
    index->range = NULL;
    index->threads = NULL;
    index->live = NULL;
    index->places = 0;
    return true;
}

bool thread_index_is_current(const hectic_timeline *t)
{
    return t->threads && t->threads->is_complete && has_all(t, t->threads);
}

/* Events that were read since the pass began may precede marks. */
static void take_growth(const hectic_timeline *t, struct thread_index *index)
{
    const struct chunks *c = &t->chunks;
    uint64_t first = UINT64_MAX;
    if (has_all(t, index)) return;
    for (size_t i = c->count; i-- > 0 && (c->chunk[i].length == 0 ||
                                          c->chunk[i].position + c->chunk[i].length > index->end);)
        if (c->chunk[i].first < first) first = c->chunk[i].first;
    size_t kept = index->marks;
    while (kept > 0 && index->mark[kept - 1].time > first)
        kept--;
    drop_marks(index, kept);
    if (index->time > first) index->time = first;
}

/* Is the index to be made anew? While a log grows, it may lag behind. */
static bool is_outgrown(const hectic_timeline *t, const struct thread_index *index)
{
    const uint64_t more = end_of(t) - index->end;
    return index->has_replays != has_replays(t) ||
           (index->is_complete && (t->stat->is_final ? !has_all(t, index) : more > index->end / 8));
}

range_result thread_index_reach(hectic_timeline *t, const hectic_header *header,
                                const hectic_timeline_source *source, uint64_t time, uint64_t bytes)
{
    if (t->threads && (is_outgrown(t, t->threads) || t->threads->is_lost)) {
        thread_index_free(t->threads);
        t->threads = NULL;
    }
    const bool is_new = !t->threads;
    if (is_new) t->threads = begin(t, header, source);
    struct thread_index *index = t->threads;
    if (!index) return RANGE_FAILED;
    if (index->is_complete) {
        take_growth(t, index);
        return RANGE_END;
    }
    if (time < UINT64_MAX && index->time >= time && has_all(t, index)) return RANGE_END;
    const bool waits = is_new && source->expect; /* it reads ahead first */
    const range_result result =
        waits ? RANGE_MORE : range_step(index->range, bytes, take_event, index);
    if (result == RANGE_MORE) {
        range_ahead(index->range);
        return RANGE_MORE;
    }
    if (result == RANGE_END && finish(index, t->stat->last))
        return t->stat->is_final && is_outgrown(t, index) ? RANGE_MORE : RANGE_END;
    thread_index_free(index);
    t->threads = NULL;
    return RANGE_FAILED;
}

double thread_index_progress(const hectic_timeline *t)
{
    return t->threads && t->threads->range ? range_progress(t->threads->range) : 1;
}

hectic_threads *thread_index_begin(const hectic_timeline *t, const hectic_header *header,
                                   uint64_t at, uint64_t from, uint64_t to,
                                   hectic_thread_callback callback, void *user, uint64_t *start,
                                   hectic_gaps *gaps)
{
    const struct thread_index *index = t->threads;
    size_t i = index ? index->marks : 0;
    while (i > 0 && index->mark[i - 1].time > at)
        i--;
    *start = i > 0 ? index->mark[i - 1].time : 0;
    if (gaps) {
        *gaps = (hectic_gaps){.from = from, .to = to};
        if (i > 0) gaps->off = index->mark[i - 1].gaps.off;
        if (i > 0) gaps->off_since = index->mark[i - 1].gaps.off_since;
    }
    if (i > 0) return threads_continue(index->mark[i - 1].states, from, to, callback, user);
    hectic_threads *threads = hectic_threads_new(from, to, callback, user);
    if (threads) begin_section(t, threads, header);
    return threads;
}
