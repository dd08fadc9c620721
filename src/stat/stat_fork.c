/* stat_fork.c — see stat_fork.h. */
#include "stat/stat_fork.h"

#include "base/array.h"
#include "stat/stat_marks.h"

#include <stdlib.h>
#include <string.h>

/* --- Fork ------------------------------------------------------------------------------------ */

static bool add_cap(hectic_stat *s, const struct stat_cap *of)
{
    if ((s->caps & (s->caps - 1)) == 0) { /* as in stat.c */
        struct stat_cap **grown = realloc(s->cap, (2 * s->caps + 1) * sizeof *grown);
        if (!grown) return false;
        s->cap = grown;
    }
    struct stat_cap *cap = malloc(sizeof *cap);
    if (!cap || !gc_time_grow(&s->gc_time) || !gc_queue_grow(&s->queue)) {
        free(cap);
        return false;
    }
    *cap = *of;
    s->cap[s->caps++] = cap;
    s->index[cap->number] = (uint32_t)s->caps;
    return true;
}

/* What events of one cap tell about others, or about the run. */
static void copy_facts(hectic_stat *to, const hectic_stat *from)
{
    to->started = from->started;
    to->started_at = from->started_at;
    to->seen = from->seen;
    to->recorded = from->recorded;
    to->has_first = from->has_first;
    to->start = from->start;
    to->first = from->first;
    to->last = from->last;
    to->counted = from->counted;
    to->joined = from->joined;
    to->replay_time = from->replay_time;
    to->before = from->before;
    to->last_gc_end = from->last_gc_end;
    to->pid = from->pid;
    to->main_task = from->main_task;
    to->pid_at = from->pid_at;
    to->rts_at = from->rts_at;
    to->sizes_at = from->sizes_at;
    to->has_main_task = from->has_main_task;
    to->lowest_thread = from->lowest_thread;
    memcpy(to->thread, from->thread, sizeof to->thread);
    to->thread_created = from->thread_created;
}

hectic_stat *stat_fork(const hectic_stat *of)
{
    hectic_stat *s = hectic_stat_new();
    if (!s) return NULL;
    copy_facts(s, of);
    bool done = true;
    for (size_t i = 0; i < of->caps && done; i++) {
        done = add_cap(s, of->cap[i]);
        if (done) s->queue.cap[i].latest = of->queue.cap[i].latest;
    }
    s->global = of->global;
    s->queue.merged = of->queue.merged;
    done = done && map_copy(&s->created, &of->created) && stat_marks_fork(s, of);
    if (done) s->global.next_mark = of->global.next_mark;
    stat_begin_forks(s);
    for (size_t i = 0; i < s->caps; i++)
        s->cap[i]->arrived_before = s->cap[i]->sum[MIGRATED_IN];
    if (done) return s;
    hectic_stat_free(s);
    return NULL;
}

void stat_begin_forks(hectic_stat *s)
{
    s->queue.full_at = SIZE_MAX;
    for (size_t i = 0; i < s->caps; i++)
        s->queue.cap[i].held = s->queue.cap[i].words;
}

static bool is_forked(const hectic_stat *s)
{
    return s->queue.full_at == SIZE_MAX;
}

bool stat_add_live(hectic_stat *s, struct live_sample sample)
{
    if (is_forked(s)) {
        if (!array_reserve(s->forked_live, s->forked_live_capacity, s->forked_lives + 1))
            return false;
        s->forked_live[s->forked_lives++] = sample;
        return true;
    }
    if (!s->live && !(s->live = live_course_new())) return false;
    live_course_add(s->live, sample.time, sample.bytes);
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct live_sample *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

bool stat_end_forks(hectic_stat *s)
{
    bool done = true;
    s->queue.full_at = 0;
    if (s->forked_lives > 0)
        qsort(s->forked_live, s->forked_lives, sizeof *s->forked_live, by_time);
    for (size_t i = 0; i < s->forked_lives && done; i++)
        done = stat_add_live(s, s->forked_live[i]);
    s->forked_lives = 0;
    return done && stat_merge_known(s);
}

/* --- Join ------------------------------------------------------------------------------------ */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The latest time; UINT64_MAX: never. */
static uint64_t later(uint64_t a, uint64_t b)
{
    if (a == UINT64_MAX || b == UINT64_MAX) return smaller(a, b);
    return larger(a, b);
}

/* Its edges since the fork take the place of those that `to` has by events without a cap. */
static bool move_edges(struct gc_queue *to, size_t place, const struct gc_queue *from, size_t index)
{
    struct gc_queue_of_cap *queue = &to->cap[place];
    const struct gc_queue_of_cap *gained = &from->cap[index];
    const size_t words = queue->held + gained->words;
    if (words > queue->capacity) {
        uint64_t *word = realloc(queue->word, words * sizeof *word);
        if (!word) return false;
        queue->word = word;
        queue->capacity = words;
    }
    if (gained->words)
        memcpy(queue->word + queue->held, gained->word, gained->words * sizeof *gained->word);
    to->words += words - queue->words;
    queue->words = words;
    queue->latest = gained->latest;
    return true;
}

static bool join_cap(hectic_stat *to, hectic_stat *fork, size_t index, bool is_owned)
{
    struct stat_cap *cap = fork->cap[index];
    const uint64_t arrived = cap->sum[MIGRATED_IN] - cap->arrived_before;
    if (!to->index[cap->number]) {
        if (!add_cap(to, cap)) return false;
        to->cap[to->caps - 1]->sum[MIGRATED_IN] -= arrived;
        to->cap[to->caps - 1]->next_mark = 0;
    }
    const size_t place = to->index[cap->number] - 1;
    struct stat_cap *known = to->cap[place];
    const uint64_t in = known->sum[MIGRATED_IN] + arrived;
    const uint64_t created_at = smaller(known->created_at, cap->created_at);
    const uint64_t appeared = smaller(known->appeared, cap->appeared);
    if (is_owned) {
        *known = *cap;
        if (!move_edges(&to->queue, place, &fork->queue, index)) return false;
        stat_marks_join_cap(to, place, fork, index);
    }
    known->sum[MIGRATED_IN] = in;
    known->created_at = created_at;
    known->appeared = appeared;
    known->arrived_before = 0;
    return true;
}

static void join_threads(hectic_stat *to, const hectic_stat *fork)
{
    struct first_thread before[FIRST_THREADS];
    const uint32_t lowest =
        to->lowest_thread < fork->lowest_thread ? to->lowest_thread : fork->lowest_thread;
    memcpy(before, to->thread, sizeof before);
    for (uint32_t i = 0; i < FIRST_THREADS && lowest < UINT32_MAX; i++) {
        static const struct first_thread none = {UINT64_MAX, UINT64_MAX, UINT64_MAX, false};
        const uint32_t a = lowest + i - to->lowest_thread, b = lowest + i - fork->lowest_thread;
        const struct first_thread *x = a < FIRST_THREADS ? &before[a] : &none;
        const struct first_thread *y = b < FIRST_THREADS ? &fork->thread[b] : &none;
        const bool is_later =
            x->stopped == UINT64_MAX || (y->stopped != UINT64_MAX && y->stopped > x->stopped);
        to->thread[i] = (struct first_thread){
            .created = later(x->created, y->created),
            .run = later(x->run, y->run),
            .stopped = later(x->stopped, y->stopped),
            .in_foreign_call = is_later ? y->in_foreign_call : x->in_foreign_call,
        };
    }
    to->lowest_thread = lowest;
}

static void join_facts(hectic_stat *to, const hectic_stat *fork)
{
    to->seen |= fork->seen;
    to->recorded |= fork->recorded;
    if (fork->has_first && (!to->has_first || fork->first < to->first)) to->first = fork->first;
    to->has_first = to->has_first || fork->has_first;
    to->last = larger(to->last, fork->last);
    to->counted = smaller(to->counted, fork->counted);
    to->last_gc_end = larger(to->last_gc_end, fork->last_gc_end);
    to->thread_created = later(to->thread_created, fork->thread_created);
    to->time_steps_back += fork->time_steps_back;
    to->queue.is_lost = to->queue.is_lost || fork->queue.is_lost;
    join_threads(to, fork);
}

bool stat_join(hectic_stat *to, hectic_stat *fork, bool (*owns)(const void *user, uint16_t cap),
               const void *user)
{
    bool done = true;
    join_facts(to, fork);
    for (size_t i = 0; i < fork->caps && done; i++)
        done = join_cap(to, fork, i, owns(user, fork->cap[i]->number));
    for (size_t i = 0; i < fork->forked_lives && done; i++)
        done = stat_add_live(to, fork->forked_live[i]);
    if (done) stat_marks_join_slices(to, fork);
    return done && stat_join_interval(&to->run, &fork->run);
}
