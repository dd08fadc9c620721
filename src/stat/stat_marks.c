/* stat_marks.c — see stat_marks.h. */
#include "stat/stat_marks.h"

#include "numbers/saturating.h"
#include "stat/stat_copies.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHIFT_FIRST = 16, /* 65.536 us */
    MARKS_MAX = 1 << 11,
    COPIES_MAX = 1 << 16, /* of caps, in all */
    SLICES_MAX = 1 << 9,  /* the histograms of one take as much as copies of eighty caps */
};

struct stat_marks {
    unsigned shift; /* marks are at multiples of 2^shift ns */
    bool is_lost;   /* out of memory */
    size_t most;    /* marks; decreases with the number of caps */
    size_t lanes;
    struct stat_copies *lane; /* the states of a cap, by mark. 0: events without a cap; then by the
                                 cap's index in the stat + 1 */
    size_t edges;             /* copies of gc_time, by mark */
    uint64_t next_edge;
    struct gc_time gc[MARKS_MAX];
    bool is_unusable[MARKS_MAX];
    unsigned slice_shift; /* slices begin at multiples of 2^slice_shift ns */
    hectic_stat_interval slice[SLICES_MAX];
};

struct stat_marks *stat_marks_new(void)
{
    struct stat_marks *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->shift = m->slice_shift = SHIFT_FIRST;
    m->most = MARKS_MAX;
    return m;
}

static void clear(struct stat_marks *m)
{
    for (size_t i = 0; i < m->lanes; i++)
        stat_copies_free(&m->lane[i]);
    free(m->lane);
    for (size_t k = 0; k < MARKS_MAX; k++)
        gc_time_clear(&m->gc[k]);
    for (size_t k = 0; k < SLICES_MAX; k++)
        stat_interval_clear(&m->slice[k]);
    *m = (struct stat_marks){.is_lost = true};
}

void stat_marks_free(struct stat_marks *m)
{
    if (!m) return;
    clear(m);
    free(m);
}

static void lose(struct stat_marks *m, hectic_stat *s)
{
    clear(m);
    m->next_edge = s->global.next_mark = UINT64_MAX;
    for (size_t i = 0; i < s->caps; i++)
        s->cap[i]->next_mark = UINT64_MAX;
}

/* --- Folding --------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Adds what is not a difference of sums. */
static bool add_slice(hectic_stat_interval *to, const hectic_stat_interval *from)
{
    static const size_t extremes[] = {
        offsetof(hectic_stat_interval, residency_max),
        offsetof(hectic_stat_interval, slop_max),
        offsetof(hectic_stat_interval, heap_max),
        offsetof(hectic_stat_interval, blocks_max),
        offsetof(hectic_stat_interval, sync_max),
        offsetof(hectic_stat_interval, fragmentation_max),
        offsetof(hectic_stat_interval, unused_max),
        offsetof(hectic_stat_interval, workers_max),
    };
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        uint64_t *a = (uint64_t *)((char *)to + extremes[i]);
        *a = larger(*a, *(const uint64_t *)((const char *)from + extremes[i]));
    }
    bool done = hectic_histogram_merge(&to->pause, &from->pause) &&
                hectic_histogram_merge(&to->mean_pause, &from->mean_pause) &&
                hectic_histogram_merge(&to->safepoint, &from->safepoint) &&
                hectic_histogram_merge(&to->lone_pause, &from->lone_pause);
    for (size_t i = 0; i < from->generations && done; i++) {
        const struct generation *other = &from->generation[i];
        struct generation *generation = stat_generation(to, (uint16_t)i);
        if (!generation) return false;
        generation->collections += other->collections;
        generation->parallel += other->parallel;
        generation->requested += other->requested;
        done = hectic_histogram_merge(&generation->pause, &other->pause) &&
               hectic_histogram_merge(&generation->mean_pause, &other->mean_pause);
    }
    for (size_t i = 0; i < from->arrivals && done; i++)
        done = stat_add_arrivals(to, i, from->arrived[i]);
    return done;
}

bool stat_join_interval(hectic_stat_interval *to, const hectic_stat_interval *from)
{
    return add_slice(to, from);
}

/* Drops each second mark. */
static void fold_marks(struct stat_marks *m, hectic_stat *s)
{
    for (size_t k = 0; k < MARKS_MAX / 2; k++) {
        gc_time_clear(&m->gc[2 * k + 1]);
        if (k > 0) m->gc[k] = m->gc[2 * k];
        if (k > 0) m->gc[2 * k] = (struct gc_time){0};
        m->is_unusable[k] = m->is_unusable[2 * k];
    }
    memset(m->is_unusable + MARKS_MAX / 2, 0, MARKS_MAX / 2 * sizeof *m->is_unusable);
    m->shift++;
    m->edges = (m->edges + 1) / 2;
    m->next_edge = (uint64_t)m->edges << m->shift;
    bool done = true;
    for (size_t i = 0; i < m->lanes && done; i++) {
        struct stat_cap *cap = i == 0 ? &s->global : s->cap[i - 1];
        done = stat_copies_halve(&m->lane[i]);
        cap->next_mark = (uint64_t)m->lane[i].count << m->shift;
    }
    if (!done) lose(m, s);
}

/* Joins slices in pairs. */
static void fold_slices(struct stat_marks *m, hectic_stat *s)
{
    bool done = true;
    for (size_t k = 0; k < SLICES_MAX / 2; k++) {
        if (k > 0) m->slice[k] = m->slice[2 * k];
        if (k > 0) m->slice[2 * k] = (hectic_stat_interval){0};
        done = done && add_slice(&m->slice[k], &m->slice[2 * k + 1]);
        stat_interval_clear(&m->slice[2 * k + 1]);
        m->slice[2 * k + 1] = (hectic_stat_interval){0};
    }
    m->slice_shift++;
    if (!done) lose(m, s);
}

/* Folds until a time is within the marks. False: marks are lost. */
static bool reach(struct stat_marks *m, hectic_stat *s, uint64_t time)
{
    while (!m->is_lost && time >> m->shift >= m->most)
        fold_marks(m, s);
    return !m->is_lost;
}

static bool reach_slice(struct stat_marks *m, hectic_stat *s, uint64_t time)
{
    while (!m->is_lost && time >> m->slice_shift >= SLICES_MAX)
        fold_slices(m, s);
    return !m->is_lost;
}

/* --- Copies ---------------------------------------------------------------------------------- */

hectic_stat_interval *stat_marks_slice(struct stat_marks *m, hectic_stat *s, uint64_t time)
{
    return reach_slice(m, s, time) ? &m->slice[time >> m->slice_shift] : NULL;
}

static bool grow_lanes(struct stat_marks *m, hectic_stat *s)
{
    if (m->lanes == s->caps + 1) return true;
    struct stat_copies *lane = realloc(m->lane, (s->caps + 1) * sizeof *lane);
    if (!lane) return false;
    memset(lane + m->lanes, 0, (s->caps + 1 - m->lanes) * sizeof *lane);
    m->lane = lane;
    m->lanes = s->caps + 1;
    if (m->most * m->lanes > COPIES_MAX) m->most = COPIES_MAX / m->lanes;
    if (m->most < 2) m->most = 2;
    return true;
}

void stat_marks_pass(struct stat_marks *m, hectic_stat *s, struct stat_cap *cap, uint64_t time)
{
    if (m->is_lost) {
        cap->next_mark = UINT64_MAX;
        return;
    }
    if (!grow_lanes(m, s)) {
        lose(m, s);
        return;
    }
    if (!reach(m, s, time)) return;
    struct stat_copies *lane = &m->lane[cap == &s->global ? 0 : s->index[cap->number]];
    while (lane->count <= time >> m->shift)
        if (!stat_copies_add(lane, cap)) {
            lose(m, s);
            return;
        }
    cap->next_mark = (uint64_t)lane->count << m->shift;
}

void stat_marks_step_back(struct stat_marks *m, const struct stat_cap *cap, uint64_t time)
{
    if (m->is_lost) return;
    for (uint64_t k = (time >> m->shift) + 1; k <= cap->time >> m->shift && k < m->most; k++)
        m->is_unusable[k] = true;
}

void stat_marks_edge(struct stat_marks *m, hectic_stat *s, uint64_t time)
{
    if (time < m->next_edge || !reach(m, s, time)) return;
    for (; m->edges <= time >> m->shift; m->edges++)
        if (!gc_time_copy(&m->gc[m->edges], &s->gc_time)) {
            lose(m, s);
            return;
        }
    m->next_edge = (uint64_t)m->edges << m->shift;
}

void stat_marks_migration(struct stat_marks *m, hectic_stat *s, uint64_t time, size_t place)
{
    hectic_stat_interval *slice = stat_marks_slice(m, s, time);
    if (slice && !stat_add_arrivals(slice, place - 1, 1)) lose(m, s);
}

/* --- Forks ----------------------------------------------------------------------------------- */

bool stat_marks_fork(hectic_stat *fork, const hectic_stat *of)
{
    const struct stat_marks *m = of->marks;
    if (!m || m->is_lost || !stat_keep_marks(fork)) return false;
    struct stat_marks *n = fork->marks;
    n->shift = m->shift;
    n->slice_shift = m->slice_shift;
    n->most = m->most;
    n->next_edge = UINT64_MAX;
    if (!grow_lanes(n, fork)) return false;
    for (size_t i = 0; i < m->lanes; i++)
        n->lane[i] = stat_copies_after(m->lane[i].count);
    return true;
}

/* The same marks and slices for both. */
static bool align(hectic_stat *to, hectic_stat *fork)
{
    struct stat_marks *m = to->marks, *n = fork->marks;
    if (m->is_lost) return false;
    if (n->is_lost || !grow_lanes(m, to)) {
        lose(m, to);
        return false;
    }
    if (!reach(m, to, fork->last)) return false;
    while (n->shift < m->shift && !n->is_lost)
        fold_marks(n, fork);
    while (m->shift < n->shift && !m->is_lost)
        fold_marks(m, to);
    while (n->slice_shift < m->slice_shift && !n->is_lost)
        fold_slices(n, fork);
    while (m->slice_shift < n->slice_shift && !m->is_lost)
        fold_slices(m, to);
    if (n->is_lost && !m->is_lost) lose(m, to);
    return !m->is_lost;
}

void stat_marks_join_slices(hectic_stat *to, hectic_stat *fork)
{
    struct stat_marks *m = to->marks, *n = fork->marks;
    if (!align(to, fork)) return;
    bool done = true;
    for (size_t k = 0; k < MARKS_MAX; k++)
        m->is_unusable[k] = m->is_unusable[k] || n->is_unusable[k];
    for (size_t k = 0; k < SLICES_MAX && done; k++) {
        const size_t arrivals = n->slice[k].arrivals;
        n->slice[k].arrivals = 0; /* by other indices */
        done = add_slice(&m->slice[k], &n->slice[k]);
        n->slice[k].arrivals = arrivals;
        for (size_t i = 0; i < arrivals && done; i++)
            if (n->slice[k].arrived[i] > 0)
                done = stat_add_arrivals(&m->slice[k], to->index[fork->cap[i]->number] - 1,
                                         n->slice[k].arrived[i]);
    }
    if (!done) lose(m, to);
}

void stat_marks_join_cap(hectic_stat *to, size_t place, hectic_stat *fork, size_t from)
{
    struct stat_marks *m = to->marks, *n = fork->marks;
    if (!align(to, fork) || from + 1 >= n->lanes) return;
    struct stat_copies *lane = &m->lane[place + 1];
    const struct stat_copies *gained = &n->lane[from + 1];
    while (lane->count < gained->count) {
        const struct stat_cap copy = stat_copies_get(gained, lane->count);
        if (!stat_copies_add(lane, &copy)) {
            lose(m, to);
            return;
        }
    }
    to->cap[place]->next_mark = (uint64_t)lane->count << m->shift;
}

/* --- Continuing from a mark ------------------------------------------------------------------ */

/* The cap's state at a mark. When it was created and deleted may be known by events of others. */
static struct stat_cap state_at(const struct stat_marks *m, const struct stat_cap *now,
                                size_t place, size_t mark)
{
    const uint64_t time = (uint64_t)mark << m->shift;
    const bool is_copied = place < m->lanes && mark < m->lane[place].count;
    struct stat_cap cap = is_copied ? stat_copies_get(&m->lane[place], mark) : *now;
    cap.next_mark = UINT64_MAX;
    if (now->past > 0 || place == 0) return cap;
    const bool is_created = now->created_at <= time;
    cap.exists = cap.exists && is_created;
    cap.created_at = is_created ? now->created_at : 0;
    cap.deleted = !is_created ? 0 : now->deleted <= time ? now->deleted : UINT64_MAX;
    return cap;
}

/* The only cap leads its collections: in order of the file, this is known at the end only. */
static void lead_alone(struct stat_cap *cap, struct gc_cap *of)
{
    cap->sum[COLLECTING] += cap->sum[STOPPED];
    cap->sum[STOPPED] = 0;
    cap->sum[GC_MAIN_NS] = cap->sum[COLLECTING] + cap->sum[GC_WITHOUT_WORK];
    of->waited = (struct gc_waits){0};
}

static bool add_cap(hectic_stat *s, const struct stat_cap *state)
{
    struct stat_cap *cap = malloc(sizeof *cap);
    if (!cap) return false;
    *cap = *state;
    s->cap[s->caps++] = cap;
    s->index[cap->number] = (uint32_t)s->caps;
    return gc_queue_grow(&s->queue) && (s->gc_time.caps >= s->caps || gc_time_grow(&s->gc_time));
}

/* What does not depend on the time, or is known at the end only; and what events before a time have
 * told. */
static void copy_facts(hectic_stat *to, const hectic_stat *from, uint64_t time)
{
    to->seen = from->seen | from->recorded;
    to->has_first = from->has_first;
    to->start = from->start;
    to->first = from->first;
    to->counted = from->counted;
    to->joined = from->joined;
    if (from->pid_at < time) {
        to->pid = from->pid;
        to->pid_at = from->pid_at;
        to->main_task = from->main_task;
        to->has_main_task = from->has_main_task;
    } else {
        to->seen &= ~(uint32_t)SEEN_PID;
    }
    if (from->rts_at < time) {
        to->threaded = from->threaded;
        to->profiled = from->profiled;
        to->rts_at = from->rts_at;
    } else {
        to->seen &= ~(uint32_t)SEEN_RTS;
    }
    if (from->sizes_at >= time) return;
    to->sizes_at = from->sizes_at;
    to->generations = from->generations;
    to->area_size = from->area_size;
    to->mblock_size = from->mblock_size;
    to->block_size = from->block_size;
}

static bool set_caps(hectic_stat *s, const hectic_stat *of, size_t mark)
{
    const struct stat_marks *m = of->marks;
    size_t capacity = 1; /* as cap_new grows it */
    while (capacity <= of->caps)
        capacity *= 2;
    s->cap = malloc(capacity * sizeof *s->cap);
    if (!s->cap) return false;
    if (!gc_time_copy(&s->gc_time, mark < m->edges ? &m->gc[mark] : &of->gc_time)) return false;
    s->global = state_at(m, &of->global, 0, mark);
    for (size_t i = 0; i < of->caps; i++) {
        const struct stat_cap cap = state_at(m, of->cap[i], i + 1, mark);
        if (!add_cap(s, &cap)) return false;
    }
    if (stat_is_lone(of) && s->caps == 1) lead_alone(s->cap[0], &s->gc_time.cap[0]);
    return true;
}

/* A stat that has read, in order of time, all events before a mark. NULL: out of memory. */
static hectic_stat *continue_from(const hectic_stat *of, size_t mark)
{
    hectic_stat *s = hectic_stat_new();
    if (!s) return NULL;
    s->last = (uint64_t)mark << of->marks->shift;
    copy_facts(s, of, s->last);
    if (of->started_at < s->last) {
        s->started = of->started;
        s->started_at = of->started_at;
    }
    if (set_caps(s, of, mark) && hectic_stat_set_ordered(s)) return s;
    hectic_stat_free(s);
    return NULL;
}

/* A stat that has read nothing. */
static hectic_stat *begin(const hectic_stat *of)
{
    hectic_stat *s = hectic_stat_new();
    if (!s) return NULL;
    s->seen = (of->seen | of->recorded) & ~(uint32_t)(SEEN_RTS | SEEN_PID);
    s->start = of->start;
    if (hectic_stat_set_ordered(s)) return s;
    hectic_stat_free(s);
    return NULL;
}

/* --- Intervals ------------------------------------------------------------------------------- */

/* Does the order of the file lack what the cap's next edge needs? That a single cap leads its
 * collections is known at the end only, or by their statistics, which may follow them; and what a
 * GC thread did before the collection has a leader is subtracted when it continues. */
static bool is_unclear(const hectic_stat *s, const struct gc_time *time, size_t place, size_t mark)
{
    const struct stat_cap cap = state_at(s->marks, s->cap[place], place + 1, mark);
    if (cap.gc_half == HAS_PAUSE && stat_is_lone(s) && s->seen & SEEN_GC_STATS) return true;
    if (!cap.in_gc || cap.leads) return false;
    const bool has_worked =
        cap.activity != STOPPED || cap.sum[COLLECTING] + cap.sum[GC_WITHOUT_WORK] != cap.worked;
    const bool takes_part = place < time->caps && time->cap[place].takes_part;
    return (has_worked && !takes_part) || stat_is_lone(s);
}

static bool is_usable(const hectic_stat *s, size_t mark)
{
    const struct stat_marks *m = s->marks;
    const struct gc_time *time = mark < m->edges ? &m->gc[mark] : &s->gc_time;
    if (m->is_unusable[mark]) return false;
    for (size_t i = 0; i < s->caps; i++)
        if (is_unclear(s, time, i, mark)) return false;
    return true;
}

/* Does a slice begin at a mark? */
static bool begins_slice(const struct stat_marks *m, size_t mark)
{
    return ((uint64_t)mark << m->shift & ((UINT64_C(1) << m->slice_shift) - 1)) == 0;
}

/* The last mark that may be used for a time: up to it, all edges of collections have been merged.
 */
static size_t mark_before(const hectic_stat *s, uint64_t time)
{
    const struct stat_marks *m = s->marks;
    if (time > s->last) time = s->last;
    const size_t k = time >> m->shift < m->most ? (size_t)(time >> m->shift) : m->most - 1;
    if (s->queue.words == 0 || k < m->edges) return k;
    return m->edges ? m->edges - 1 : 0;
}

/* The last usable mark that is not after a time; 0: none. */
static size_t last_mark(const hectic_stat *s, uint64_t time)
{
    size_t k = mark_before(s, time);
    while (k > 0 && !is_usable(s, k))
        k--;
    return k;
}

/* The last one from `least` on at which a slice begins; 0: none. */
static size_t last_slice(const hectic_stat *s, uint64_t time, size_t least)
{
    size_t k = mark_before(s, time);
    while (k >= least && k > 0 && (!begins_slice(s->marks, k) || !is_usable(s, k)))
        k--;
    return k >= least ? k : 0;
}

/* The first one not before a time; most: none. */
static size_t first_slice(const hectic_stat *s, uint64_t time)
{
    const struct stat_marks *m = s->marks;
    uint64_t k = (time >> m->shift) + ((time & ((UINT64_C(1) << m->shift) - 1)) > 0);
    while (k < m->most && (k == 0 || !begins_slice(m, (size_t)k) || !is_usable(s, (size_t)k)))
        k++;
    return k < m->most ? (size_t)k : m->most;
}

/* Threads that arrive on a cap are counted by another one: copies do not include them. */
static void set_arrivals(const hectic_stat *left, hectic_stat *right,
                         hectic_stat_interval *interval)
{
    for (size_t i = 0; i < interval->caps; i++) {
        const uint64_t here = left->cap[i]->sum[MIGRATED_IN] - interval->cap[i][MIGRATED_IN];
        const uint64_t between = i < interval->arrivals ? interval->arrived[i] : 0;
        interval->cap[i][MIGRATED_IN] = right->cap[i]->sum[MIGRATED_IN];
        right->cap[i]->sum[MIGRATED_IN] += here + between;
    }
}

/* Moves the open interval of a stat to one that continues later, over the slices between two marks.
 * Their caps are in the same order. */
static bool move_interval(const struct stat_marks *m, hectic_stat *left, hectic_stat *right,
                          hectic_stat_interval *interval, size_t first, size_t last)
{
    const uint64_t from = (uint64_t)first << m->shift, to = (uint64_t)last << m->shift;
    for (uint64_t k = from >> m->slice_shift; k < to >> m->slice_shift && k < SLICES_MAX; k++)
        if (!add_slice(interval, &m->slice[k])) return false;
    /* Then it leads; with statistics, these collections are among the others. */
    if (stat_is_lone(right) && !(right->seen & SEEN_GC_STATS)) {
        if (!hectic_histogram_merge(&interval->pause, &interval->lone_pause) ||
            !hectic_histogram_merge(&interval->mean_pause, &interval->lone_pause))
            return false;
    }
    set_arrivals(left, right, interval);
    left->run.next = NULL;
    right->run.next = interval;
    return true;
}

/* A stat in order of time, and an interval that is opened in it on the way. */
struct taking {
    hectic_stat *stat;
    uint64_t open_at;
    hectic_stat_interval *interval;
};

static bool open_interval(struct taking *taking)
{
    if (!taking->interval) taking->interval = hectic_stat_open(taking->stat, taking->open_at);
    return taking->interval;
}

static bool take_event(void *user, const hectic_event *event)
{
    struct taking *taking = user;
    if (event->time >= taking->open_at && !open_interval(taking)) return false;
    return hectic_stat_event(taking->stat, event);
}

static bool read(const struct stat_reader *reader, uint64_t from, uint64_t to, hectic_stat *s)
{
    struct taking taking = {s, UINT64_MAX, NULL};
    return from >= to || reader->read(reader->user, from, to, take_event, &taking);
}

/* NULL: out of memory, or the reader failed. */
static hectic_stat_interval *read_and_open(const struct stat_reader *reader, uint64_t from,
                                           uint64_t open_at, uint64_t to, hectic_stat *s)
{
    struct taking taking = {s, open_at, NULL};
    const bool done = from >= to || reader->read(reader->user, from, to, take_event, &taking);
    return done && open_interval(&taking) ? taking.interval : NULL;
}

/* In a log of GHC, each cap exists once, and OS threads are events of no cap. */
static bool is_regular(const hectic_stat *s)
{
    unsigned with_workers = s->global.run.sum[WORKERS] > 0;
    for (size_t i = 0; i < s->caps; i++) {
        if (s->cap[i]->past > 0) return false;
        with_workers += s->cap[i]->run.sum[WORKERS] > 0;
    }
    return with_workers <= 1;
}

/* Where a stat begins that is to know everything at a time. */
struct beginning {
    hectic_stat *stat; /* NULL: out of memory */
    uint64_t time;
};

/* At the last usable mark. */
static struct beginning begin_before(const hectic_stat *s, uint64_t time)
{
    const bool has_marks = !s->marks->is_lost && is_regular(s);
    const size_t mark = has_marks ? last_mark(s, time) : 0;
    return (struct beginning){has_marks ? continue_from(s, mark) : begin(s),
                              (uint64_t)mark << s->marks->shift};
}

/* Before the end, a cap may follow that was not seen yet, with earlier edges. */
bool stat_marks_merge(hectic_stat *s)
{
    if (!s->is_final) return true;
    struct stat_collecting all = {s, &s->gc_time, &s->run, s->marks};
    return gc_queue_empty(&s->queue, stat_take_edge, &all);
}

bool stat_marks_watch(hectic_stat *s, const struct stat_reader *reader, uint64_t from, uint64_t to,
                      const struct stat_watch *watch)
{
    if (!stat_marks_merge(s)) return false;
    const struct beginning at = begin_before(s, from);
    if (!at.stat) return false;
    stat_set_watch(at.stat, watch);
    const bool done = read(reader, at.time, to, at.stat);
    stat_flush_watch(at.stat, to < s->last ? to : s->last);
    hectic_stat_free(at.stat);
    return done;
}

/* Where a log was cut, an interval ends there, not with its last event. Which caps have no block is
 * known of the whole log. */
static void cut_as(const hectic_stat *s, uint64_t to, hectic_stat *copy)
{
    if (!s->is_cut && s->is_final) return;
    for (size_t i = 0; i < copy->caps; i++) {
        const uint32_t index = s->index[copy->cap[i]->number];
        struct stat_cap *cap = copy->cap[i];
        if (index == 0) continue;
        const struct stat_cap *known = s->cap[index - 1];
        cap->exists = known->exists;
        /* The copy of a cap from before its creation is not created by events about it. */
        if (known->exists || cap->deleted > 0) continue;
        cap->created_at = known->created_at;
        cap->deleted = known->deleted;
    }
    copy->grows = !s->is_final;
    if (s->is_cut) hectic_stat_cut(copy, to > s->last ? s->last : 0);
}

/* An interval that contains usable marks. */
static bool get_long(hectic_stat *s, const struct stat_reader *reader, size_t first, size_t last,
                     uint64_t from, uint64_t to, hectic_stat_result *result)
{
    const struct stat_marks *m = s->marks;
    const uint64_t until = (uint64_t)first << m->shift, since = (uint64_t)last << m->shift;
    const struct beginning left = begin_before(s, from);
    hectic_stat *right = continue_from(s, last);
    hectic_stat_interval *interval =
        left.stat && right ? read_and_open(reader, left.time, from, until, left.stat) : NULL;
    bool done = interval && move_interval(m, left.stat, right, interval, first, last);
    done = done && read(reader, since, to, right);
    if (done) cut_as(s, to, right);
    done = done && hectic_stat_get(right, interval, to, result);
    hectic_stat_free(left.stat);
    hectic_stat_free(right);
    return done;
}

/* An interval that does not. */
static bool get_short(hectic_stat *s, const struct stat_reader *reader, uint64_t from, uint64_t to,
                      hectic_stat_result *result)
{
    const struct beginning at = begin_before(s, from);
    const hectic_stat_interval *interval =
        at.stat ? read_and_open(reader, at.time, from, to, at.stat) : NULL;
    if (interval) cut_as(s, to, at.stat);
    const bool done = interval && hectic_stat_get(at.stat, interval, to, result);
    hectic_stat_free(at.stat);
    return done;
}

static bool get(hectic_stat *s, const struct stat_reader *reader, uint64_t from, uint64_t to,
                hectic_stat_result *result)
{
    const struct stat_marks *m = s->marks;
    if (m->is_lost || !is_regular(s)) return get_short(s, reader, from, to, result);
    const size_t first = first_slice(s, from), last = last_slice(s, to, first);
    return first < m->most && last >= first && last > 0
               ? get_long(s, reader, first, last, from, to, result)
               : get_short(s, reader, from, to, result);
}

/* Caps that appear later are not part of an interval, nor of a log that was cut before. */
static void drop_later_caps(const hectic_stat *s, uint64_t to, hectic_stat_result *result)
{
    uint32_t kept = 0;
    if (to > s->last) to = s->last + 1;
    for (uint32_t i = 0; i < result->caps; i++) {
        const uint32_t index = s->index[result->cap[i].cap];
        if (index == 0 || s->cap[index - 1]->appeared < to) result->cap[kept++] = result->cap[i];
    }
    result->caps = kept;
}

bool stat_marks_get(hectic_stat *s, const struct stat_reader *reader, uint64_t from, uint64_t to,
                    hectic_stat_result *result)
{
    if (!stat_marks_merge(s) || !get(s, reader, from, to, result)) return false;
    drop_later_caps(s, to, result);
    return true;
}
