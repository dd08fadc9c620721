/* How the time of caps around collections is divided, and the mean pause of each collection: random
 * logs against a slow reference, which determines each cap's activity at every time. */
#include "events.h"

#include "stat/stat.h"

enum { CAPS = 7, EVENTS = 4000, COLLECTIONS = 2000 };

/* --- Logs ------------------------------------------------------------------------------------ */

struct happening {
    uint64_t time;
    uint16_t cap, type;
    uint64_t number; /* of a cap, a thread, a generation */
};

struct story {
    size_t count;
    struct happening event[EVENTS + 200];
    uint64_t time, seed;
};

static void add_event(struct story *s, uint16_t cap, uint16_t type, uint64_t number)
{
    assert_true(s->count < sizeof s->event / sizeof *s->event);
    s->event[s->count++] = (struct happening){s->time, cap, type, number};
}

static uint64_t below(struct story *s, uint64_t limit)
{
    return random_below(&s->seed, limit);
}

static void pass(struct story *s)
{
    s->time += 1 + below(s, 9);
}

/* Random events in order of time. */
static void make_nonsense(struct story *s, uint64_t seed)
{
    static const uint16_t types[] = {
        HECTIC_EVENT_RUN_THREAD,    HECTIC_EVENT_STOP_THREAD,    HECTIC_EVENT_RUN_THREAD,
        HECTIC_EVENT_STOP_THREAD,   HECTIC_EVENT_REQUEST_SEQ_GC, HECTIC_EVENT_REQUEST_PAR_GC,
        HECTIC_EVENT_GC_START,      HECTIC_EVENT_GC_END,         HECTIC_EVENT_GC_START,
        HECTIC_EVENT_GC_END,        HECTIC_EVENT_GC_WORK,        HECTIC_EVENT_GC_IDLE,
        HECTIC_EVENT_GC_DONE,       HECTIC_EVENT_CAP_CREATE,     HECTIC_EVENT_CAP_DELETE,
        HECTIC_EVENT_MIGRATE_THREAD};
    enum { TYPES = sizeof types / sizeof *types };
    *s = (struct story){.seed = seed};
    const uint64_t caps = 1 + below(s, CAPS);
    for (size_t i = 0; i < EVENTS; i++) {
        s->time += below(s, 4);
        const uint16_t type = types[below(s, seed % 3 ? TYPES - 3 : TYPES)];
        const bool of_cap = type == HECTIC_EVENT_CAP_CREATE || type == HECTIC_EVENT_CAP_DELETE;
        add_event(s, of_cap ? HECTIC_CAP_NONE : (uint16_t)below(s, caps), type,
                  of_cap || type == HECTIC_EVENT_MIGRATE_THREAD ? below(s, caps) : below(s, 3));
    }
}

/* Simulates a runtime: caps run threads; one requests a collection, and the participants stop,
 * work, idle, and continue one after the other while earlier ones run already. */
struct runtime {
    struct story *story;
    size_t caps;
    bool runs[CAPS], in_gc[CAPS];
};

static void run_or_stop(struct runtime *r, size_t cap)
{
    if (r->in_gc[cap]) return;
    add_event(r->story, (uint16_t)cap,
              r->runs[cap] ? HECTIC_EVENT_STOP_THREAD : HECTIC_EVENT_RUN_THREAD, 1 + cap);
    r->runs[cap] = !r->runs[cap];
    pass(r->story);
}

static void stop(struct runtime *r, size_t cap)
{
    if (r->runs[cap]) run_or_stop(r, cap);
}

static void event_on(struct runtime *r, size_t cap, uint16_t type)
{
    add_event(r->story, (uint16_t)cap, type, 0);
    pass(r->story);
}

static void collect(struct runtime *r, bool parallel)
{
    struct story *s = r->story;
    const size_t leader = below(s, r->caps);
    bool takes_part[CAPS] = {false};
    uint8_t thread[CAPS] = {0}; /* 0: not yet, 1: works, 2: idle, 3: done */
    for (size_t i = 0; i < r->caps; i++)
        if (r->in_gc[i]) { /* it has not continued yet */
            event_on(r, i, HECTIC_EVENT_GC_END);
            r->in_gc[i] = false;
        }
    stop(r, leader);
    event_on(r, leader, parallel ? HECTIC_EVENT_REQUEST_PAR_GC : HECTIC_EVENT_REQUEST_SEQ_GC);
    for (size_t i = below(s, r->caps), k = 0; k < r->caps; i = (i + 1) % r->caps, k++) {
        if (i == leader) continue;
        stop(r, i);
        takes_part[i] = parallel && below(s, 4) > 0;
        if (takes_part[i]) event_on(r, i, HECTIC_EVENT_GC_START);
    }
    takes_part[leader] = true;
    event_on(r, leader, HECTIC_EVENT_GC_START);
    const bool tells_threads = below(s, 8) > 0;
    for (size_t steps = tells_threads ? 6 * r->caps : 0; steps-- > 0;) {
        const size_t i = below(s, r->caps);
        if (!takes_part[i] || thread[i] == 3) continue;
        thread[i] = thread[i] == 1 ? 2 : thread[i] == 2 && below(s, 3) == 0 ? 3 : 1;
        static const uint16_t types[] = {0, HECTIC_EVENT_GC_WORK, HECTIC_EVENT_GC_IDLE,
                                         HECTIC_EVENT_GC_DONE};
        event_on(r, i, types[thread[i]]);
    }
    for (size_t i = 0; i < r->caps; i++)
        if (thread[i] == 1 || thread[i] == 2) event_on(r, i, HECTIC_EVENT_GC_DONE);
    const bool counts_before = below(s, 2);
    const uint64_t generation = below(s, 3);
    if (counts_before) add_event(s, (uint16_t)leader, HECTIC_EVENT_GC_STATS_GHC, generation);
    if (counts_before) pass(s);
    event_on(r, leader, HECTIC_EVENT_GC_END);
    if (!counts_before) add_event(s, (uint16_t)leader, HECTIC_EVENT_GC_STATS_GHC, generation);
    if (!counts_before) pass(s);
    for (size_t i = 0; i < r->caps; i++)
        r->in_gc[i] = takes_part[i] && i != leader;
}

static void make_run(struct story *s, uint64_t seed)
{
    *s = (struct story){.seed = seed};
    struct runtime r = {.story = s, .caps = 1 + below(s, CAPS)};
    for (size_t i = 0; i < r.caps; i++) {
        add_event(s, HECTIC_CAP_NONE, HECTIC_EVENT_CAP_CREATE, i);
        pass(s);
    }
    while (s->count < EVENTS) {
        const size_t cap = below(s, r.caps);
        if (below(s, 10) == 0) {
            collect(&r, below(s, 2));
        } else if (r.in_gc[cap]) {
            event_on(&r, cap, HECTIC_EVENT_GC_END);
            r.in_gc[cap] = false;
        } else {
            run_or_stop(&r, cap);
        }
    }
}

/* --- The reference --------------------------------------------------------------------------- */

struct part {
    uint64_t present, running, work, idle_in_gc, begin, end, out, idle;
};

enum { NOTHING, RUNS, ASKED, GC };

/* A collection: its pauses, and the caps still in it. */
struct collection {
    size_t leader;
    uint64_t start, pause, sum, count;
    bool takes_part[CAPS], is_over, is_broken;
};

struct reference {
    uint64_t from, to; /* events outside do not count */
    uint64_t time, order;
    bool has_requests;
    size_t caps; /* seen so far */
    struct {
        bool heard, there, asked, leads, was_led;
        int doing, thread;
        uint64_t since, asked_at;
        uint64_t order; /* of the beginnings of GC */
        struct part part;
        uint64_t delay;
    } cap[CAPS];
    size_t collections;
    struct collection collection[COLLECTIONS];
    uint64_t means, mean_sum, mean_max, excess, led;
};

static bool is_led(const struct reference *r)
{
    for (size_t i = 0; i < CAPS; i++)
        if (r->cap[i].doing == GC && r->cap[i].leads) return true;
    return false;
}

static struct collection *collection_of(struct reference *r, size_t cap)
{
    for (size_t i = r->collections; i-- > 0;)
        if (r->collection[i].takes_part[cap]) return &r->collection[i];
    return NULL;
}

static void advance(struct reference *r, uint64_t time)
{
    const uint64_t from = r->time > r->from ? r->time : r->from;
    const uint64_t to = time < r->to ? time : r->to;
    r->time = time;
    if (from >= to) return;
    const bool led = is_led(r);
    for (size_t i = 0; i < CAPS; i++) {
        struct part *p = &r->cap[i].part;
        const bool is_thread = r->cap[i].thread == HECTIC_EVENT_GC_WORK;
        const bool looks = r->cap[i].thread == HECTIC_EVENT_GC_IDLE;
        uint64_t *what = &p->begin;
        if (!r->cap[i].there) continue;
        if (r->cap[i].doing == NOTHING) what = led ? &p->out : &p->idle;
        if (r->cap[i].doing == RUNS) what = &p->running;
        if (r->cap[i].doing == GC && looks)
            what = &p->idle_in_gc;
        else if (r->cap[i].doing == GC && (r->cap[i].leads || is_thread))
            what = &p->work;
        else if (r->cap[i].doing == GC && r->cap[i].was_led)
            what = led ? &p->idle_in_gc : &p->end;
        *what += to - from;
        p->present += to - from;
        if (r->cap[i].doing == GC && r->cap[i].leads) r->led += to - from;
    }
}

/* Checks whether no cap is in the collection any more. */
static void look_at(struct reference *r, struct collection *c)
{
    for (size_t i = 0; i < CAPS; i++)
        if (c->takes_part[i]) return;
    if (c->is_over || c->is_broken) return;
    c->is_over = true;
    const uint64_t mean = c->sum / c->count;
    if (r->time < r->from || r->time >= r->to) return;
    r->means++;
    r->mean_sum += mean;
    if (mean > r->mean_max) r->mean_max = mean;
    if (mean > c->pause) r->excess += mean - c->pause;
}

/* The end of a cap's GC, or another event if the end is missing. */
static void leave(struct reference *r, size_t cap, bool is_end)
{
    struct collection *c = collection_of(r, cap);
    const uint64_t pause = r->time - r->cap[cap].since;
    const bool leads = r->cap[cap].leads;
    r->cap[cap].doing = NOTHING;
    r->cap[cap].leads = false;
    if (!c) return;
    c->takes_part[cap] = false;
    if (leads && is_end) c->pause = pause;
    if (leads && !is_end) c->is_broken = true;
    if (is_end) {
        c->sum += pause;
        c->count++;
    }
    look_at(r, c);
}

static void note_cap(struct reference *r, size_t cap)
{
    if (r->cap[cap].heard) return;
    r->cap[cap].heard = r->cap[cap].there = true;
    r->caps++;
}

/* The cap that has stopped last, after the request. */
static void note_delay(struct reference *r, size_t leader)
{
    size_t last = CAPS;
    for (size_t i = 0; i < CAPS; i++)
        if (i != leader && r->cap[i].doing == GC && !r->cap[i].leads && !r->cap[i].was_led &&
            (last == CAPS || r->cap[i].order > r->cap[last].order))
            last = i;
    const uint64_t asked_at = r->cap[leader].asked_at;
    if (last == CAPS || r->cap[last].since <= asked_at || r->time < r->from) return;
    r->cap[last].delay += r->cap[last].since - asked_at;
}

static void begin_gc(struct reference *r, size_t cap)
{
    if (r->cap[cap].doing == GC) leave(r, cap, false);
    const bool led = is_led(r);
    const bool leads = r->cap[cap].asked || (r->caps == 1 && !r->has_requests);
    if (r->cap[cap].asked) note_delay(r, cap);
    r->cap[cap].order = ++r->order;
    r->cap[cap].doing = GC;
    r->cap[cap].thread = 0;
    r->cap[cap].since = r->time;
    r->cap[cap].asked = false;
    r->cap[cap].leads = leads;
    r->cap[cap].was_led = led;
    struct collection *last = r->collections ? &r->collection[r->collections - 1] : NULL;
    if (!leads) {
        if (led && last->takes_part[last->leader]) last->takes_part[cap] = true;
        return;
    }
    /* Caps still in its previous collection do not count in its pauses. */
    for (size_t i = 0; i < r->collections; i++)
        if (r->collection[i].leader == cap) {
            memset(r->collection[i].takes_part, 0, sizeof r->collection[i].takes_part);
            look_at(r, &r->collection[i]);
        }
    assert_true(r->collections < COLLECTIONS);
    struct collection *c = &r->collection[r->collections++];
    *c = (struct collection){.leader = cap, .start = r->time};
    c->takes_part[cap] = true;
    for (size_t i = 0; i < CAPS; i++)
        if (i != cap && r->cap[i].doing == GC && !r->cap[i].leads && !r->cap[i].was_led)
            r->cap[i].was_led = c->takes_part[i] = true;
}

static void refer(struct reference *r, const struct happening *e)
{
    const size_t cap = e->cap;
    advance(r, e->time);
    if (cap != HECTIC_CAP_NONE) note_cap(r, cap);
    switch (e->type) {
    case HECTIC_EVENT_CAP_CREATE:
        note_cap(r, e->number);
        r->cap[e->number].there = true;
        break;
    case HECTIC_EVENT_MIGRATE_THREAD: note_cap(r, e->number); break;
    case HECTIC_EVENT_CAP_DELETE:
        if (!r->cap[e->number].there) break;
        if (r->cap[e->number].doing == GC) leave(r, e->number, false);
        r->cap[e->number].there = r->cap[e->number].asked = false;
        r->cap[e->number].doing = NOTHING;
        break;
    case HECTIC_EVENT_RUN_THREAD:
        r->cap[cap].there = true;
        if (r->cap[cap].doing == GC) leave(r, cap, true);
        r->cap[cap].asked = false;
        r->cap[cap].doing = RUNS;
        break;
    case HECTIC_EVENT_STOP_THREAD:
        if (r->cap[cap].doing == RUNS) r->cap[cap].doing = NOTHING;
        break;
    case HECTIC_EVENT_REQUEST_SEQ_GC:
    case HECTIC_EVENT_REQUEST_PAR_GC:
        r->cap[cap].there = r->cap[cap].asked = r->has_requests = true;
        r->cap[cap].asked_at = e->time;
        if (r->cap[cap].doing != GC) r->cap[cap].doing = ASKED;
        break;
    case HECTIC_EVENT_GC_START:
        r->cap[cap].there = true;
        begin_gc(r, cap);
        break;
    case HECTIC_EVENT_GC_WORK:
    case HECTIC_EVENT_GC_IDLE:
    case HECTIC_EVENT_GC_DONE:
        if (r->cap[cap].doing == GC) r->cap[cap].thread = e->type;
        break;
    case HECTIC_EVENT_GC_END:
        if (r->cap[cap].doing != GC) break;
        leave(r, cap, true);
        if (r->cap[cap].asked) r->cap[cap].doing = ASKED;
        break;
    default: break;
    }
}

static void refer_all(struct reference *r, const struct story *s, uint64_t from, uint64_t to)
{
    memset(r, 0, sizeof *r);
    r->from = from;
    r->to = to;
    for (size_t i = 0; i < s->count && s->event[i].time < to; i++)
        refer(r, &s->event[i]);
    advance(r, to);
}

/* --- Comparing ------------------------------------------------------------------------------- */

static void feed(hectic_stat *stat, const struct happening *e)
{
    uint8_t room[EVENT_SIZE_MAX];
    hectic_event_type type;
    uint64_t numbers[HECTIC_MAX_FIELDS] = {e->number, e->number, 0, 0, 0, 1};
    if (e->type == HECTIC_EVENT_GC_STATS_GHC) numbers[0] = 0;
    const hectic_event event = event_make(room, &type, e->time, e->cap, e->type, numbers, "");
    assert_true(hectic_stat_event(stat, &event));
}

static const struct part *part_of(const hectic_stat_result *r, uint16_t cap, struct part *part)
{
    *part = (struct part){0};
    for (uint32_t i = 0; i < r->caps; i++)
        if (r->cap[i].cap == cap) {
            const hectic_stat_cap *c = &r->cap[i];
            *part = (struct part){.present = c->present_ns,
                                  .running = c->running_ns,
                                  .work = c->gc_work_ns,
                                  .idle_in_gc = c->gc_idle_ns,
                                  .begin = c->wait_begin_ns,
                                  .end = c->wait_end_ns,
                                  .out = c->wait_out_ns,
                                  .idle = c->idle_ns};
            assert_int_equal(c->gc_ns, c->gc_work_ns + c->gc_idle_ns);
            assert_int_equal(c->present_ns, c->running_ns + c->gc_ns + c->wait_begin_ns +
                                                c->wait_end_ns + c->wait_out_ns + c->idle_ns);
        }
    return part;
}

static void compare(const hectic_stat_result *r, const struct reference *reference, uint64_t seed)
{
    struct part part;
    for (uint16_t i = 0; i < CAPS; i++)
        if (memcmp(part_of(r, i, &part), &reference->cap[i].part, sizeof part) != 0) {
            const uint64_t *a = (const uint64_t *)&part;
            const uint64_t *b = (const uint64_t *)&reference->cap[i].part;
            for (size_t k = 0; k < sizeof part / sizeof *a; k++)
                print_message("  %llu, not %llu\n", (unsigned long long)a[k],
                              (unsigned long long)b[k]);
            fail_msg("seed %llu, cap %u, from %llu to %llu", (unsigned long long)seed, i,
                     (unsigned long long)r->from, (unsigned long long)r->to);
        }
    assert_int_equal(r->mean_pause.count, reference->means);
    assert_int_equal(r->mean_pause.sum, reference->mean_sum);
    assert_int_equal(r->mean_pause.max, reference->mean_max);
    assert_int_equal(r->gc_main_ns, reference->led);
    assert_int_equal(r->gc_caps_ns, reference->led + reference->excess);
}

static void compare_delays(const hectic_stat_result *r, const struct reference *reference)
{
    uint64_t all = 0, most = 0;
    for (size_t i = 0; i < CAPS; i++) {
        all += reference->cap[i].delay;
        if (reference->cap[i].delay > most) most = reference->cap[i].delay;
    }
    assert_int_equal(r->delay_ns, all);
    assert_int_equal(r->delay_cap_ns, most);
    if (most > 0) assert_int_equal(reference->cap[r->delay_cap].delay, most);
}

/* Intervals: from a to b, from b to c, and both; they are reported at the first event after them.
 */
static void compare_intervals(const struct story *s, uint64_t a, uint64_t b, uint64_t c,
                              uint64_t seed)
{
    static struct reference reference;
    hectic_stat *stat = hectic_stat_new();
    assert_true(hectic_stat_set_ordered(stat));
    hectic_stat_interval *first = NULL, *second = NULL, *both = NULL;
    hectic_stat_result r;
    for (size_t i = 0; i <= s->count; i++) {
        const uint64_t time = i < s->count ? s->event[i].time : UINT64_MAX;
        if (!both && time >= a) {
            first = hectic_stat_open(stat, a);
            both = hectic_stat_open(stat, a);
        }
        if (!second && time >= b) {
            assert_true(hectic_stat_get(stat, first, b, &r));
            refer_all(&reference, s, a, b);
            compare(&r, &reference, seed);
            hectic_stat_result_clear(&r);
            second = hectic_stat_open(stat, b);
        }
        if (time >= c) break;
        feed(stat, &s->event[i]);
    }
    assert_true(hectic_stat_get(stat, second, c, &r));
    refer_all(&reference, s, b, c);
    compare(&r, &reference, seed);
    hectic_stat_result_clear(&r);
    assert_true(hectic_stat_get(stat, both, c, &r));
    refer_all(&reference, s, a, c);
    compare(&r, &reference, seed);
    hectic_stat_result_clear(&r);
    hectic_stat_free(stat);
}

static void try_intervals(struct story *s, uint64_t seed)
{
    for (int i = 0; i < 3; i++) {
        const uint64_t a = i ? below(s, s->time) : 0, b = a + below(s, s->time - a);
        compare_intervals(s, a, b, b + 1 + below(s, s->time - b), seed);
    }
}

static void any_interval_of_a_run(void **state)
{
    (void)state;
    static struct story s;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        make_run(&s, seed);
        try_intervals(&s, seed);
    }
}

static void any_interval_of_nonsense(void **state)
{
    (void)state;
    static struct story s;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        make_nonsense(&s, seed);
        try_intervals(&s, seed);
    }
}

/* File order: some events of a cap, then some of another one. Results are plausible at any time,
 * and correct at the end. */
static void whole_run_in_the_order_of_a_file(void **state)
{
    (void)state;
    static struct story s;
    static struct reference reference;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        size_t at[CAPS] = {0}, left = 0;
        make_run(&s, seed);
        hectic_stat *stat = hectic_stat_new();
        hectic_stat_result r;
        struct part part;
        for (size_t i = 0; i < s.count; i++)
            if (s.event[i].cap == HECTIC_CAP_NONE)
                feed(stat, &s.event[i]);
            else
                left++;
        while (left > 0) {
            const uint16_t cap = (uint16_t)below(&s, CAPS);
            for (size_t block = 1 + below(&s, 500); block > 0 && at[cap] < s.count; at[cap]++)
                if (s.event[at[cap]].cap == cap) {
                    feed(stat, &s.event[at[cap]]);
                    left--;
                    block--;
                }
            if (below(&s, 3) > 0) continue;
            assert_true(hectic_stat_get(stat, NULL, HECTIC_STAT_END, &r));
            part_of(&r, cap, &part);
            hectic_stat_result_clear(&r);
        }
        assert_true(hectic_stat_get(stat, NULL, s.time, &r));
        assert_true(r.has_mean_pause && r.cap[0].has_idle);
        refer_all(&reference, &s, 0, s.time);
        compare(&r, &reference, seed);
        compare_delays(&r, &reference);
        hectic_stat_result_clear(&r);
        hectic_stat_free(stat);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_interval_of_a_run),
        cmocka_unit_test(any_interval_of_nonsense),
        cmocka_unit_test(whole_run_in_the_order_of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
