/* Spans of random logs, against a slow reference: it searches all events for every pair, and checks
 * every nanosecond. */
#include "events.h"
#include "facts/spans.h"

enum { THREADS = 8, CAPS = 4, LABELS = 3, EVENTS = 300, TIME_MAX = 3 * EVENTS + 10 };
enum { FINISHED = 5, YIELDING = 3 };

static const char *const labels[LABELS] = {"a", "b", "longer label"};

/* An event of a log. */
struct happening {
    uint64_t time;
    uint16_t number, cap;
    uint64_t thread, status; /* RUN_THREAD, STOP_THREAD */
    bool is_cap_lost;        /* LOG_MSG: events of the cap are missing up to its next one */
    bool again;              /* in a SYNC event */
    bool starts;             /* USER_MSG */
    unsigned label;
    uint64_t subscript;
};

struct history {
    struct happening event[EVENTS];
    uint64_t end;
};

/* --- Random logs ----------------------------------------------------------------------------- */

struct run_of {
    bool runs;
    uint64_t thread;
};

static bool runs_somewhere(const struct run_of *cap, uint64_t thread)
{
    for (size_t i = 0; i < CAPS; i++)
        if (cap[i].runs && cap[i].thread == thread) return true;
    return false;
}

static void schedule(struct happening *event, struct run_of *cap, uint64_t *seed)
{
    struct run_of *own = &cap[event->cap];
    if (own->runs && random_below(seed, 4) > 0) {
        event->number = HECTIC_EVENT_STOP_THREAD;
        event->thread = own->thread;
        event->status = random_below(seed, 4) == 0 ? FINISHED : YIELDING;
        own->runs = false;
        return;
    }
    event->number = HECTIC_EVENT_RUN_THREAD;
    event->thread = random_below(seed, THREADS);
    /* Mostly valid, but sometimes as if damaged. */
    if (runs_somewhere(cap, event->thread) && random_below(seed, 8) > 0) {
        event->number = HECTIC_EVENT_USER_MARKER;
        return;
    }
    event->again = random_below(seed, 5) == 0;
    if (!event->again || !own->runs) *own = (struct run_of){true, event->thread};
}

/* kinds: how many of ten events schedule threads; 0: threads are not recorded. losses: how many of
 * a thousand report missing events. */
static struct history make(uint64_t seed, unsigned kinds, unsigned losses)
{
    struct history h = {0};
    struct run_of cap[CAPS] = {0};
    uint64_t time = random_below(&seed, 5);
    for (size_t i = 0; i < EVENTS; i++) {
        struct happening *event = &h.event[i];
        time += random_below(&seed, 4);
        event->time = time;
        event->cap = (uint16_t)random_below(&seed, CAPS);
        const uint64_t kind = random_below(&seed, 10);
        if (losses > 0 && random_below(&seed, 1000) < losses) {
            event->number = HECTIC_EVENT_LOG_MSG;
            event->is_cap_lost = random_below(&seed, 2);
        } else if (kind < kinds) {
            schedule(event, cap, &seed);
        } else if (kind == 9) {
            event->number = random_below(&seed, 2) ? HECTIC_EVENT_GC_START : HECTIC_EVENT_GC_END;
        } else {
            event->number = HECTIC_EVENT_USER_MSG;
            event->starts = random_below(&seed, 2);
            event->label = (unsigned)random_below(&seed, LABELS);
            event->subscript = random_below(&seed, 4) == 0 ? 1 + random_below(&seed, 2) : 0;
            if (random_below(&seed, 20) == 0) event->cap = HECTIC_CAP_NONE;
        }
    }
    h.end = time;
    return h;
}

/* --- The reference --------------------------------------------------------------------------- */

enum { NOT_PAIRED = -1 };

struct known {
    uint64_t owner[EVENTS]; /* of a message */
    int partner[EVENTS];
    bool across[EVENTS];
    uint64_t lost[EVENTS]; /* of a START: when events are missing after it; UINT64_MAX: never */
};

/* Events are missing where a message says so, and then of a cap up to its next event. */
static void find_losses(const struct history *h, struct known *k)
{
    for (size_t i = 0; i < EVENTS; i++) {
        bool loses[CAPS] = {0};
        k->lost[i] = UINT64_MAX;
        for (size_t j = EVENTS; j-- > i + 1;)
            if (h->event[j].number == HECTIC_EVENT_LOG_MSG) k->lost[i] = h->event[j].time;
        for (size_t j = 0; j <= i; j++)
            if (h->event[j].cap < CAPS && !h->event[j].again)
                loses[h->event[j].cap] = h->event[j].is_cap_lost;
        if (loses[0] || loses[1] || loses[2] || loses[3]) k->lost[i] = h->event[i].time;
    }
}

/* The owner of a message: a thread, until it finishes, or a cap. */
static void find_owners(const struct history *h, struct known *k)
{
    struct run_of cap[CAPS] = {0};
    uint64_t lives[THREADS] = {0};
    for (size_t i = 0; i < EVENTS; i++) {
        const struct happening *event = &h->event[i];
        struct run_of *own = event->cap < CAPS ? &cap[event->cap] : NULL;
        k->partner[i] = NOT_PAIRED;
        k->owner[i] =
            own && own->runs ? 1000000 + own->thread + 100 * lives[own->thread] : event->cap;
        if (event->number == HECTIC_EVENT_RUN_THREAD && !(event->again && own->runs))
            *own = (struct run_of){true, event->thread};
        if (event->number != HECTIC_EVENT_STOP_THREAD) continue;
        own->runs = false;
        lives[event->thread] += event->status == FINISHED;
    }
}

static bool is_free(const struct history *h, const struct known *k, size_t i, bool starts)
{
    return h->event[i].number == HECTIC_EVENT_USER_MSG && h->event[i].starts == starts &&
           k->partner[i] == NOT_PAIRED;
}

static bool is_same(const struct happening *a, const struct happening *b)
{
    return a->label == b->label && a->subscript == b->subscript;
}

/* Each STOP is paired with the last free START before it. */
static void find_partners(const struct history *h, struct known *k, bool across)
{
    for (size_t stop = 0; stop < EVENTS; stop++) {
        if (!is_free(h, k, stop, false)) continue;
        for (size_t start = stop; start-- > 0;) {
            const bool fits = is_free(h, k, start, true) &&
                              is_same(&h->event[start], &h->event[stop]) &&
                              (across || k->owner[start] == k->owner[stop]);
            if (!fits) continue;
            if (across && k->lost[start] < h->event[stop].time) break;
            k->partner[start] = (int)stop;
            k->partner[stop] = (int)start;
            k->across[stop] = across;
            break;
        }
    }
}

static struct known know(const struct history *h)
{
    static struct known k;
    memset(&k, 0, sizeof k);
    find_owners(h, &k);
    find_losses(h, &k);
    find_partners(h, &k, false);
    find_partners(h, &k, true);
    return k;
}

struct sums {
    uint64_t count, across, total, open, no_gc, unstarted, unstopped;
    uint64_t duration, longest;
};

static uint64_t end_of(const struct history *h, const struct known *k, size_t start)
{
    const uint64_t last = k->lost[start] < h->end ? k->lost[start] : h->end;
    return k->partner[start] == NOT_PAIRED ? last : h->event[k->partner[start]].time;
}

/* The nanoseconds in which a cap is in a collection. */
static void find_collections(const struct history *h, bool *collects)
{
    bool cap[CAPS] = {0};
    size_t i = 0;
    for (uint64_t t = 0; t < TIME_MAX; t++) {
        for (; i < EVENTS && h->event[i].time <= t; i++) {
            if (h->event[i].number == HECTIC_EVENT_GC_START) cap[h->event[i].cap] = true;
            if (h->event[i].number == HECTIC_EVENT_GC_END) cap[h->event[i].cap] = false;
        }
        collects[t] = cap[0] || cap[1] || cap[2] || cap[3];
    }
}

static void count_time(const struct history *h, const struct known *k, unsigned label,
                       uint64_t from, uint64_t to, struct sums *sums)
{
    static bool collects[TIME_MAX];
    find_collections(h, collects);
    for (uint64_t t = from; t < to && t < h->end; t++) {
        uint64_t open = 0;
        for (size_t i = 0; i < EVENTS; i++)
            open += h->event[i].number == HECTIC_EVENT_USER_MSG && h->event[i].starts &&
                    h->event[i].label == label && h->event[i].time <= t && end_of(h, k, i) > t;
        sums->total += open;
        sums->open += open > 0;
        sums->no_gc += open > 0 && !collects[t];
    }
}

static struct sums expect(const struct history *h, const struct known *k, unsigned label,
                          uint64_t from, uint64_t to)
{
    struct sums sums = {0};
    for (size_t i = 0; i < EVENTS; i++) {
        const struct happening *event = &h->event[i];
        const bool counts = event->number == HECTIC_EVENT_USER_MSG && event->label == label &&
                            event->time >= from && event->time < to;
        if (!counts) continue;
        const bool is_alone = k->partner[i] == NOT_PAIRED;
        sums.unstopped += event->starts && is_alone;
        sums.unstarted += !event->starts && is_alone;
        if (event->starts || is_alone) continue;
        const uint64_t duration = event->time - h->event[k->partner[i]].time;
        sums.count++;
        sums.across += k->across[i];
        sums.duration += duration;
        if (duration > sums.longest) sums.longest = duration;
    }
    count_time(h, k, label, from, to, &sums);
    return sums;
}

/* --- The results ----------------------------------------------------------------------------- */

struct result {
    const struct history *history;
    const struct known *known;
    uint64_t from, to;
    struct sums sums[LABELS];
    bool is_reported[EVENTS]; /* spans, by their START */
    unsigned seen;            /* labels */
};

static bool take_one(void *user, const hectic_span_one *span)
{
    struct result *result = user;
    const size_t start = span->start.position - 1;
    const struct happening *event = &result->history->event[start];
    assert_false(result->is_reported[start]);
    result->is_reported[start] = true;
    const int partner = result->known->partner[start];
    assert_int_equal(span->is_stopped, partner != NOT_PAIRED);
    assert_string_equal(span->label, labels[event->label]);
    assert_int_equal(span->subscript, event->subscript);
    assert_int_equal(span->start.time, event->time);
    assert_int_equal(span->start.cap, event->cap);
    assert_int_equal(span->start.has_thread, result->known->owner[start] >= 1000000);
    if (span->start.has_thread)
        assert_int_equal(span->start.thread, result->known->owner[start] % 100 % THREADS);
    assert_int_equal(span->stop.time, end_of(result->history, result->known, start) < result->to ||
                                              partner != NOT_PAIRED
                                          ? end_of(result->history, result->known, start)
                                          : result->to);
    assert_true(span->start.time < result->to && span->stop.time >= result->from);
    if (partner == NOT_PAIRED) return true;
    assert_int_equal(span->stop.position, partner + 1);
    assert_int_equal(span->across, result->known->across[partner]);
    return true;
}

static bool take(void *user, const hectic_span *span)
{
    struct result *result = user;
    unsigned label = 0;
    if (span->is_marker) return true;
    while (strcmp(labels[label], span->label) != 0)
        label++;
    assert_false(result->seen >> label & 1);
    result->seen |= 1u << label;
    assert_int_equal(span->durations->count, span->count);
    result->sums[label] = (struct sums){.count = span->count,
                                        .across = span->across,
                                        .total = span->total,
                                        .open = span->open,
                                        .no_gc = span->no_gc,
                                        .unstarted = span->unstarted,
                                        .unstopped = span->unstopped,
                                        .duration = span->durations->sum,
                                        .longest = span->durations->max};
    return true;
}

static void feed(hectic_spans *spans, const struct happening *event, size_t position)
{
    static uint8_t room[EVENT_SIZE_MAX], inside[EVENT_SIZE_MAX];
    hectic_event_type type;
    const uint64_t numbers[] = {event->thread, event->status, 0};
    char text[100] = "tick";
    if (event->number == HECTIC_EVENT_USER_MSG && event->subscript)
        snprintf(text, sizeof text, "%s %d %s", event->starts ? "START" : "STOP",
                 (int)event->subscript, labels[event->label]);
    else if (event->number == HECTIC_EVENT_USER_MSG)
        snprintf(text, sizeof text, "%s %s", event->starts ? "START" : "STOP",
                 labels[event->label]);
    else if (event->number == HECTIC_EVENT_LOG_MSG)
        snprintf(text, sizeof text, "%s",
                 event->is_cap_lost ? "hectic: events are missing from here"
                                    : "hectic: 3 events were dropped here");
    hectic_event made =
        event_make(room, &type, event->time, event->cap, event->number, numbers, text);
    made.position = position;
    if (event->again) {
        memcpy(inside, room, made.size);
        memcpy(event_put(event_put(room, made.type, 2), made.cap, 2), inside, made.size);
        made.size = (uint16_t)(made.size + 4);
        made.type = HECTIC_EVENT_SYNC;
        made.cap = HECTIC_CAP_NONE;
    }
    assert_true(hectic_spans_event(spans, &made));
}

/* early: stop after the interval, when it is settled. */
static void report_spans(struct result *result, bool early)
{
    const struct history *h = result->history;
    hectic_spans *spans = hectic_spans_new(result->from, result->to, take_one, result);
    assert_non_null(spans);
    bool is_whole = true;
    for (size_t i = 0; i < EVENTS && is_whole; i++) {
        is_whole = !early || h->event[i].time < result->to || !hectic_spans_are_settled(spans);
        if (is_whole) feed(spans, &h->event[i], i + 1);
    }
    const uint64_t now = h->end < result->to ? h->end : result->to;
    assert_true(hectic_spans_end(spans, now));
    assert_true(hectic_spans_each(spans, now, take, result));
    for (size_t i = 0; i < EVENTS && is_whole; i++) {
        const struct happening *event = &h->event[i];
        const bool overlaps =
            event->time < result->to && end_of(h, result->known, i) >= result->from;
        if (event->number == HECTIC_EVENT_USER_MSG && event->starts)
            assert_int_equal(result->is_reported[i], overlaps);
    }
    hectic_spans_free(spans);
}

static void check_interval(const struct history *h, const struct known *k, uint64_t from,
                           uint64_t to)
{
    for (int early = 0; early < 2; early++) {
        struct result result = {.history = h, .known = k, .from = from, .to = to};
        report_spans(&result, early);
        for (unsigned label = 0; label < LABELS; label++) {
            const struct sums expected = expect(h, k, label, from, to);
            assert_memory_equal(&result.sums[label], &expected, sizeof expected);
        }
    }
}

static void spans_are_those_of_the_reference(void **state)
{
    (void)state;
    uint64_t across = 0, own = 0, lost = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const struct history h =
            make(seed, seed % 5 == 0 ? 0 : 2 + seed % 4, (unsigned)(seed % 3 * 10));
        const struct known k = know(&h);
        uint64_t random = seed;
        check_interval(&h, &k, 0, UINT64_MAX);
        for (int i = 0; i < 3; i++) {
            const uint64_t a = random_below(&random, h.end + 2);
            check_interval(&h, &k, a, a + random_below(&random, h.end + 2 - a));
        }
        for (size_t i = 0; i < EVENTS; i++) {
            across += k.across[i];
            own += k.partner[i] != NOT_PAIRED && !k.across[i];
            lost += is_free(&h, &k, i, true) && k.lost[i] < h.end;
        }
    }
    /* The test covered all kinds. */
    assert_true(across > 1000 && own > 1000 && lost > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_are_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
