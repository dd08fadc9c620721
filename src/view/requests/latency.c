/* latency.c — scheduler latency: how long threads were runnable before they ran. A wait counts in
 * the interval in which it ends, with all of its time. */
#include "view/requests/threads.h"

#include "base/array.h"
#include "base/map.h"
#include "numbers/nth_element.h"
#include "numbers/saturating.h"
#include "report/threads_report.h"
#include "timeline/thread_index.h"

#include "numbers/histogram.h"

#include <stdlib.h>
#include <string.h>

enum {
    PARTS = 4, /* buckets of a power of two */
    BUCKETS = 64 * PARTS,
    WORST_MAX = 100,
    THREADS_MAX = 1 << 18,
    ROWS_MAX = 10000,
};

/* What made a thread runnable. */
enum cause { CAUSE_CREATED, CAUSE_YIELDED, CAUSE_WOKEN, CAUSE_UNKNOWN, CAUSES };

struct waiting { /* of a thread */
    uint32_t thread;
    uint64_t count, sum, max, max_from;
};

struct wait {
    uint32_t thread;
    uint16_t cap;
    uint8_t cause;
    uint8_t state; /* before the wait */
    uint64_t from, to;
};

struct latency {
    uint64_t from, to;
    bool has_thread, has_failed;
    uint32_t only;
    hectic_threads *threads;
    const hectic_timeline *timeline;
    uint16_t cap;    /* of the event that is taken */
    uint8_t *before; /* by place: the state before the present one, plus 1; 0: it was created */
    size_t places;
    hectic_histogram all, by_cause[CAUSES];
    uint64_t bucket[BUCKETS];
    map ids;
    struct waiting *thread;
    size_t count, capacity;
    uint64_t left_out;            /* waits of further threads */
    struct wait worst[WORST_MAX]; /* a heap: the shortest first */
    size_t worsts;
};

/* --- Buckets: PARTS for each power of two ----------------------------------------------------- */

static unsigned bucket_of(uint64_t ns)
{
    if (ns < PARTS) return (unsigned)ns;
    const unsigned octave = 63 - (unsigned)__builtin_clzll(ns);
    return (octave - 1) * PARTS + (unsigned)(ns >> (octave - 2) & (PARTS - 1));
}

static uint64_t bucket_begin(unsigned bucket)
{
    if (bucket < PARTS) return bucket;
    return ((uint64_t)PARTS + bucket % PARTS) << (bucket / PARTS - 1);
}

/* --- Waits ----------------------------------------------------------------------------------- */

static uint64_t length_of(const struct wait *wait)
{
    return wait->to - wait->from;
}

static void note_worst(struct latency *l, const struct wait *wait)
{
    size_t i = 0;
    if (l->worsts < WORST_MAX) {
        for (i = l->worsts++; i > 0 && length_of(wait) < length_of(&l->worst[(i - 1) / 2]);
             i = (i - 1) / 2)
            l->worst[i] = l->worst[(i - 1) / 2];
    } else if (length_of(wait) > length_of(l->worst)) {
        for (size_t child; (child = 2 * i + 1) < WORST_MAX; i = child) {
            if (child + 1 < WORST_MAX &&
                length_of(&l->worst[child + 1]) < length_of(&l->worst[child]))
                child++;
            if (length_of(&l->worst[child]) >= length_of(wait)) break;
            l->worst[i] = l->worst[child];
        }
    } else {
        return;
    }
    l->worst[i] = *wait;
}

static struct waiting *thread_of(struct latency *l, uint32_t id)
{
    const uint64_t place = map_value_of(&l->ids, id);
    if (place) return &l->thread[place - 1];
    if (l->count == THREADS_MAX) return NULL;
    if (!array_reserve(l->thread, l->capacity, l->count + 1)) return l->has_failed = true, NULL;
    l->has_failed = l->has_failed || !map_set_value(&l->ids, id, l->count + 1);
    l->thread[l->count] = (struct waiting){.thread = id};
    return &l->thread[l->count++];
}

static void add(struct latency *l, const struct wait *wait)
{
    const uint64_t ns = length_of(wait);
    struct waiting *thread = thread_of(l, wait->thread);
    l->has_failed = l->has_failed || !hectic_histogram_add(&l->all, ns) ||
                    !hectic_histogram_add(&l->by_cause[wait->cause], ns);
    l->bucket[bucket_of(ns)]++;
    note_worst(l, wait);
    if (!thread) {
        l->left_out++;
        return;
    }
    if (thread->count++ == 0 || ns > thread->max) {
        thread->max = ns;
        thread->max_from = wait->from;
    }
    saturating_add(&thread->sum, ns);
}

static uint8_t *before_of(struct latency *l, uint32_t place)
{
    while (place >= l->places) {
        const size_t places = l->places ? 2 * l->places : 256;
        uint8_t *more = realloc(l->before, places);
        l->has_failed = l->has_failed || !more;
        if (!more) return NULL;
        memset(more + l->places, 0, places - l->places);
        l->before = more;
        l->places = places;
    }
    return &l->before[place];
}

static enum cause cause_of(uint8_t before)
{
    if (before == 0) return CAUSE_CREATED;
    if (before - 1 == HECTIC_THREAD_RUNNING) return CAUSE_YIELDED;
    return before - 1 == HECTIC_THREAD_UNKNOWN ? CAUSE_UNKNOWN : CAUSE_WOKEN;
}

static void take_span(void *user, const struct threads_span *span)
{
    struct latency *l = user;
    uint8_t *before = before_of(l, span->place);
    if (!before) return;
    const bool is_wait = span->state == HECTIC_THREAD_RUNNABLE &&
                         span->next == HECTIC_THREAD_RUNNING && span->to >= l->from;
    if (is_wait && (!l->has_thread || span->thread == l->only))
        add(l, &(struct wait){span->thread, l->cap, (uint8_t)cause_of(*before),
                              *before ? (uint8_t)(*before - 1) : 0, span->from, span->to});
    *before = span->next < HECTIC_THREAD_STATES ? (uint8_t)(span->state + 1) : 0;
}

/* --- The job --------------------------------------------------------------------------------- */

static void free_latency(void *state)
{
    struct latency *l = state;
    hectic_threads_free(l->threads);
    free(l->before);
    hectic_histogram_clear(&l->all);
    for (size_t i = 0; i < CAUSES; i++)
        hectic_histogram_clear(&l->by_cause[i]);
    map_clear(&l->ids);
    free(l->thread);
    free(l);
}

static bool ignore_thread(void *user, const hectic_thread *thread)
{
    (void)user, (void)thread;
    return true;
}

/* Of the threads that are there at the beginning: what was before their present state. */
static bool know_nothing(struct latency *l)
{
    hectic_thread_totals totals;
    hectic_threads_totals(l->threads, 0, &totals);
    if (totals.live == 0) return true;
    if (!before_of(l, (uint32_t)totals.live - 1)) return false;
    memset(l->before, HECTIC_THREAD_UNKNOWN + 1, (size_t)totals.live);
    return true;
}

static void *begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct latency *l = calloc(1, sizeof *l);
    if (!l) return view_fail(v, "out of memory"), NULL;
    l->has_thread = request_text(&v->request, "thread");
    l->only = (uint32_t)view_value(v, "thread");
    l->from = plan->from;
    l->to = plan->to;
    l->timeline = section->timeline;
    l->threads = thread_index_begin(section->timeline, section->header, plan->from, 0, UINT64_MAX,
                                    ignore_thread, NULL, &plan->from, NULL);
    plan->has_types = thread_types(section->timeline, &plan->types);
    if (l->threads && know_nothing(l)) {
        threads_watch(l->threads, take_span, l);
        return l;
    }
    free_latency(l);
    view_fail(v, "out of memory");
    return NULL;
}

static bool take_event(void *state, const hectic_event *event)
{
    struct latency *l = state;
    l->cap = event->cap;
    l->has_failed = l->has_failed || !hectic_threads_event(l->threads, event);
    return !l->has_failed;
}

static void put_distribution(struct json *json, const hectic_histogram *h)
{
    static const struct {
        const char *key;
        double share;
    } quantiles[] = {{"p50_ns", 0.5}, {"p90_ns", 0.9}, {"p99_ns", 0.99}, {"p999_ns", 0.999}};
    json_number(json, "count", true, h->count);
    json_number(json, "total_ns", true, h->sum);
    json_number(json, "mean_ns", h->count > 0, h->count ? h->sum / h->count : 0);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        json_number(json, quantiles[i].key, h->count > 0,
                    hectic_histogram_quantile(h, quantiles[i].share));
    json_number(json, "max_ns", h->count > 0, h->max);
}

static int longest_first(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    if (length_of(x) != length_of(y)) return length_of(x) > length_of(y) ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void put_worst(struct json *json, struct latency *l)
{
    static const char *const names[CAUSES] = {"created", "yielded", NULL, NULL};
    if (l->worsts > 0) qsort(l->worst, l->worsts, sizeof *l->worst, longest_first);
    json_open(json, "worst", '[');
    for (size_t i = 0; i < l->worsts; i++) {
        const struct wait *wait = &l->worst[i];
        const char *after = names[wait->cause];
        if (wait->cause == CAUSE_WOKEN) after = hectic_thread_state_name(wait->state);
        json_open(json, NULL, '{');
        json_number(json, "thread", true, wait->thread);
        json_text(json, "label", hectic_timeline_label(l->timeline, wait->thread));
        json_number(json, "from_ns", true, wait->from);
        json_number(json, "to_ns", true, wait->to);
        json_number(json, "wait_ns", true, length_of(wait));
        json_number(json, "cap", wait->cap != HECTIC_CAP_NONE, wait->cap);
        json_text(json, "after", after);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static int most_first(const void *a, const void *b)
{
    const struct waiting *x = a, *y = b;
    if (x->sum != y->sum) return x->sum > y->sum ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Puts those that may be listed first. Returns their number; without memory that of all. */
static size_t choose_threads(struct latency *l)
{
    uint64_t *sum = l->count > ROWS_MAX ? malloc(l->count * sizeof *sum) : NULL;
    if (!sum) return l->count;
    for (size_t i = 0; i < l->count; i++)
        sum[i] = l->thread[i].sum;
    const uint64_t least = value_at_rank(sum, l->count, ROWS_MAX - 1);
    free(sum);
    size_t chosen = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct waiting thread = l->thread[i];
        if (thread.sum < least) continue;
        l->thread[i] = l->thread[chosen];
        l->thread[chosen++] = thread;
    }
    return chosen;
}

static void put_threads(struct json *json, struct latency *l)
{
    const size_t chosen = choose_threads(l);
    if (chosen > 0) qsort(l->thread, chosen, sizeof *l->thread, most_first);
    json_open(json, "threads", '[');
    for (size_t i = 0; i < l->count && i < ROWS_MAX; i++) {
        const struct waiting *thread = &l->thread[i];
        const char *label = hectic_timeline_label(l->timeline, thread->thread);
        json_open(json, NULL, '{');
        json_number(json, "thread", true, thread->thread);
        json_text(json, "label", label);
        json_text(json, "kind", threads_kind_name(threads_kind_of(label)));
        json_number(json, "count", true, thread->count);
        json_number(json, "total_ns", true, thread->sum);
        json_number(json, "mean_ns", true, thread->sum / thread->count);
        json_number(json, "max_ns", true, thread->max);
        json_number(json, "max_from_ns", true, thread->max_from);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_number(json, "left_out", true, l->count > ROWS_MAX ? l->count - ROWS_MAX : 0);
    json_number(json, "left_out_waits", true, l->left_out);
}

static bool finish(void *state, hectic_view *v, struct json *json)
{
    static const char *const causes[CAUSES] = {"created", "yielded", "woken", NULL};
    struct latency *l = state;
    if (l->has_failed) return view_fail(v, "out of memory");
    put_distribution(json, &l->all);
    json_open(json, "buckets", '[');
    for (unsigned i = 0; i < BUCKETS; i++) {
        if (l->bucket[i] == 0) continue;
        json_open(json, NULL, '{');
        json_number(json, "from_ns", true, bucket_begin(i));
        json_number(json, "to_ns", i + 5 < BUCKETS, i + 5 < BUCKETS ? bucket_begin(i + 1) : 0);
        json_number(json, "count", true, l->bucket[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "causes", '[');
    for (size_t i = 0; i < CAUSES; i++) {
        if (l->by_cause[i].count == 0) continue;
        json_open(json, NULL, '{');
        json_text(json, "after", causes[i]);
        put_distribution(json, &l->by_cause[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    put_worst(json, l);
    put_threads(json, l);
    return true;
}

bool answer_latency(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {begin, take_event, NULL, finish, free_latency};
    const struct section *section;
    uint64_t from, to;
    if (!view_thread_interval(v, &section, &from, &to)) return false;
    switch (view_index(v, section, from, json)) {
    case INDEX_FAILED: return false;
    case INDEX_NOT_READY: return true;
    default: return answer_job(v, json, &kind);
    }
}
