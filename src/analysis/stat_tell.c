/* What the sums mean: results of intervals. */
#include "analysis/amount.h"
#include "analysis/stat.h"

#include <stdlib.h>

/* What was under way when an interval began may turn out to have ended before, where an event comes
 * too late: then nothing of it is in the interval. */
static uint64_t span_of(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

static hectic_distribution distribution_of(const hectic_histogram *h)
{
    return (hectic_distribution){
        .count = h->count,
        .sum = h->sum,
        .max = h->max,
        .p50 = hectic_histogram_quantile(h, 0.5),
        .p90 = hectic_histogram_quantile(h, 0.9),
        .p99 = hectic_histogram_quantile(h, 0.99),
    };
}

static hectic_stat_sparks sparks_of(const uint64_t *sum)
{
    /* In the order of the fields of SPARK_COUNTERS. */
    return (hectic_stat_sparks){.created = sum[0],
                                .dud = sum[1],
                                .overflowed = sum[2],
                                .converted = sum[3],
                                .gcd = sum[4],
                                .fizzled = sum[5]};
}

/* --- Caps ------------------------------------------------------------------------------------ */

static hectic_stat_cap cap_of(const hectic_stat *s, size_t index, const uint64_t *sum,
                              uint64_t waited, uint64_t from, uint64_t to)
{
    const struct stat_cap *cap = s->cap[index];
    const uint64_t since = cap->born > from ? cap->born : from;
    const uint64_t known = cap->heard < to ? cap->heard : to;
    const uint64_t until = cap->gone < known ? cap->gone : known;
    const uint64_t present = span_of(since, until);
    const uint64_t not_in_gc = amount_less(amount_less(present, sum[RUNNING_NS]), sum[GC_NS]);
    if (known < to && waited > not_in_gc) waited = not_in_gc;
    return (hectic_stat_cap){
        .cap = cap->number,
        .has_wait = !s->wait.lost && s->seen & SEEN_GC && s->seen & SEEN_THREADS &&
                    (s->caps == 1 || s->seen & SEEN_REQUEST),
        .present_ns = present,
        .running_ns = sum[RUNNING_NS],
        .gc_ns = sum[GC_NS],
        .gc_wait_ns = waited,
        .idle_ns = amount_less(not_in_gc, waited),
        .gc_work_ns = sum[GC_WORK_NS],
        .gc_idle_ns = sum[GC_IDLE_NS],
        .runs = sum[RUNS],
        .switches = sum[SWITCHES],
        .created = sum[CREATED],
        .migrated_in = sum[MIGRATED_IN],
        .migrated_out = sum[MIGRATED_OUT],
        .allocated = sum[ALLOCATED],
        .sparks = sparks_of(sum + (s->seen & SEEN_SPARK_COUNTERS ? SPARKS_COUNTED : SPARKS_SEEN)),
    };
}

static void add_sparks(hectic_stat_sparks *all, const hectic_stat_sparks *some)
{
    amount_add(&all->created, some->created);
    amount_add(&all->dud, some->dud);
    amount_add(&all->overflowed, some->overflowed);
    amount_add(&all->converted, some->converted);
    amount_add(&all->gcd, some->gcd);
    amount_add(&all->fizzled, some->fizzled);
}

static int by_number(const void *a, const void *b)
{
    const hectic_stat_cap *x = a, *y = b;
    return x->cap - y->cap;
}

static bool tell_caps(const hectic_stat *s, const hectic_stat_interval *interval, uint64_t to,
                      hectic_stat_result *r)
{
    uint64_t *waited = malloc((s->caps + 1) * sizeof *waited);
    r->cap = malloc((s->caps + 1) * sizeof *r->cap);
    if (!waited || !r->cap || !stat_wait_tell(&s->wait, to, waited)) {
        free(waited);
        return false;
    }
    uint64_t led = 0, in_gc = 0;
    for (size_t i = 0; i < s->caps; i++) {
        uint64_t sum[CAP_SUMS];
        stat_cap_sums(s, s->cap[i], to, sum);
        if (i < interval->caps) {
            for (unsigned k = 0; k < CAP_SUMS; k++)
                sum[k] = span_of(interval->cap[i][k], sum[k]);
            waited[i] = span_of(interval->waited[i], waited[i]);
        }
        r->cap[i] = cap_of(s, i, sum, waited[i], r->from, r->to);
        amount_add(&led, sum[GC_MAIN_NS]);
        amount_add(&in_gc, sum[GC_NS]);
        amount_add(&r->allocated, sum[ALLOCATED]);
        add_sparks(&r->sparks, &r->cap[i].sparks);
    }
    free(waited);
    r->caps = (uint32_t)s->caps;
    r->gc_main_ns = s->caps == 1 ? in_gc : led;
    r->gc_caps_ns = s->caps ? in_gc / s->caps : 0;
    qsort(r->cap, s->caps, sizeof *r->cap, by_number);
    return true;
}

/* --- Generations ----------------------------------------------------------------------------- */

static bool tell_generations(const hectic_stat *s, const hectic_stat_interval *interval,
                             hectic_stat_result *r)
{
    size_t count = interval->generations;
    if (s->generations > count)
        count = s->generations < HECTIC_STAT_GENERATIONS ? s->generations : HECTIC_STAT_GENERATIONS;
    r->generation = calloc(count + 1, sizeof *r->generation);
    if (!r->generation) return false;
    r->generations = (uint32_t)count;
    for (size_t i = 0; i < interval->generations; i++) {
        const struct generation *generation = &interval->generation[i];
        r->generation[i] = (hectic_stat_generation){
            .collections = generation->collections,
            .parallel = generation->parallel,
            .pause = distribution_of(&generation->pause),
        };
    }
    return true;
}

/* --- The run --------------------------------------------------------------------------------- */

/* Until GHC 8.4 there was only the most that a thread copied to compare with: a perfect balance
 * divides by the number of caps. */
static double balance_of(const hectic_stat *s, const uint64_t *sum)
{
    if (s->seen & SEEN_BALANCED) return (double)sum[PAR_BALANCED] / (double)sum[PAR_COPIED];
    if (sum[PAR_MAX_COPIED] == 0 || s->caps < 2) return 0;
    return ((double)sum[PAR_COPIED] / (double)sum[PAR_MAX_COPIED] - 1) / (double)(s->caps - 1);
}

static void tell_run(const hectic_stat *s, const hectic_stat_interval *interval, uint64_t to,
                     hectic_stat_result *r)
{
    uint64_t sum[RUN_SUMS];
    stat_run_sums(s, to, sum);
    for (unsigned k = 0; k < RUN_SUMS; k++)
        sum[k] = span_of(interval->run[k], sum[k]);
    r->copied = sum[COPIED];
    r->has_balance = sum[PAR_COPIED] > 0;
    if (r->has_balance) r->work_balance = balance_of(s, sum);
    r->residency_samples = sum[MAJOR];
    r->conc_marks = sum[MARKS];
    r->conc_mark_ns = sum[MARK_NS];
    r->conc_syncs = sum[SYNCS];
    r->conc_sync_ns = sum[SYNC_NS];
    r->conc_sweeps = sum[SWEEPS];
    r->conc_sweep_ns = sum[SWEEP_NS];
    const uint64_t mblock = s->mblock_size ? s->mblock_size : 1u << 20;
    if (__builtin_mul_overflow(sum[RETURNED], mblock, &r->returned)) r->returned = UINT64_MAX;
    r->workers = sum[WORKERS];
    r->residency_max = interval->residency_max;
    r->slop_max = interval->slop_max;
    r->heap_max = interval->heap_max;
    r->fragmentation_max = interval->fragmentation_max;
    r->workers_max = interval->workers_max;
    r->conc_sync_max_ns = interval->sync_max;
    /* Without requests and statistics it is not known who led, but of a single cap it is. */
    const bool lone = s->caps == 1 && !(s->seen & (SEEN_REQUEST | SEEN_GC_STATS));
    r->pause = distribution_of(lone ? &interval->lone_pause : &interval->pause);
    r->safepoint = distribution_of(&interval->safepoint);
    r->shrunk = s->shrunk;
    r->went_back = s->went_back;
    r->last_known = s->last;
}

static void tell_what_is_known(const hectic_stat *s, hectic_stat_result *r)
{
    const uint32_t seen = s->seen;
    r->has_threads = seen & SEEN_THREADS;
    r->has_gc = seen & SEEN_GC;
    r->has_gc_stats = seen & SEEN_GC_STATS;
    r->has_allocated = seen & SEEN_ALLOCATED;
    r->has_heap_size = seen & SEEN_HEAP_SIZE;
    r->has_sparks = seen & (SEEN_SPARK_COUNTERS | SEEN_EACH_SPARK);
    r->has_tasks = seen & SEEN_TASKS;
    r->has_bound = s->has_main_task;
    r->has_gc_threads = seen & SEEN_GC_THREADS;
    r->has_nonmoving = seen & SEEN_CONC;
    r->has_returned = seen & SEEN_RETURNED;
    r->has_safepoint = seen & SEEN_REQUEST;
    r->has_threaded = seen & SEEN_RTS;
    r->threaded = s->threaded;
    r->profiled = s->profiled;
}

/* --- Phases ---------------------------------------------------------------------------------- */

/* Collections led after a time. */
static uint64_t led_after(const hectic_stat *s, uint64_t time)
{
    uint64_t led = 0;
    for (size_t i = 0; i < s->caps; i++)
        for (unsigned k = 0; k < LAST_PAUSES; k++) {
            const struct pause *pause = &s->cap[i]->recent[k];
            amount_add(&led, span_of(pause->from > time ? pause->from : time, pause->to));
        }
    return led;
}

/* When main called for the end from inside of Haskell (exitWith, an exception): main's thread is
 * the first that was created after `entered`, and it made a foreign call from which it never came
 * back. Otherwise when the last thread was created, which flushes stdout. */
static uint64_t exit_from_inside(const hectic_stat *s, uint64_t entered)
{
    const struct first_thread *main = NULL;
    for (int i = 0; i < FIRST_THREADS; i++) {
        const struct first_thread *thread = &s->thread[i];
        if (thread->created == UINT64_MAX || thread->created < entered) continue;
        if (!main || thread->created < main->created) main = thread;
    }
    const bool called = main && main->in_foreign_call && main->stopped != UINT64_MAX &&
                        main->run != UINT64_MAX && main->stopped >= main->run;
    return called ? main->stopped : s->thread_created;
}

/* The main OS thread enters the runtime to start the I/O manager (threaded), to run main, and to
 * flush stdout and stderr. It has left it for the first time when INIT ends, or else has entered it
 * then; EXIT begins when it has left main. */
static void tell_phases(const hectic_stat *s, hectic_stat_result *r)
{
    const uint64_t *entered = s->main_entered, *left = s->main_left;
    if (!s->has_main_task || stat_is_late(s)) return;
    uint64_t main = entered[0], before = left[0];
    const bool is_back = left[0] != UINT64_MAX && left[0] >= entered[0];
    const bool has_flushed = is_back && s->ended && entered[1] != UINT64_MAX;
    if (has_flushed) {
        main = entered[1];
        before = left[2];
    } else if (is_back) {
        before = left[1];
    }
    if (s->ended) {
        /* Between the two, threads wait for a cap; without threads there is nothing to wait for. */
        const bool waits = !(s->seen & SEEN_RTS) || s->threaded;
        const uint64_t flushes = waits ? left[1] : entered[0];
        const uint64_t exit = has_flushed ? flushes : exit_from_inside(s, main);
        if (exit == UINT64_MAX || exit < main || exit > r->to) return;
        r->exit_ns = span_of(led_after(s, exit), span_of(exit, r->to));
    }
    r->init_ns = span_of(r->from, before < main ? before : main);
    r->has_phases = true;
}

/* The end of the run as the runtime sees it. At its very end it takes the time that +RTS -s prints,
 * then tells what each cap has allocated, once more, and cleans up. */
static uint64_t end_of_run(const hectic_stat *s)
{
    uint64_t end = s->last;
    for (size_t i = 0; i < s->caps && s->ended; i++) {
        const uint64_t told = s->cap[i]->allocation_told;
        if (told > s->gc_ended && told < end) end = told;
    }
    return end;
}

bool hectic_stat_tell(const hectic_stat *s, const hectic_stat_interval *interval, uint64_t to,
                      hectic_stat_result *r)
{
    if (!interval) interval = &s->run;
    *r = (hectic_stat_result){0};
    const uint64_t start = stat_is_late(s) ? s->first : 0;
    r->from = interval->from > start ? interval->from : start;
    const bool is_run = interval->whole && to == HECTIC_STAT_END;
    if (to == HECTIC_STAT_END) to = is_run ? end_of_run(s) : s->last;
    if (to < r->from) to = r->from;
    r->to = to;
    if (!tell_caps(s, interval, to, r) || !tell_generations(s, interval, r)) {
        hectic_stat_result_clear(r);
        return false;
    }
    tell_run(s, interval, to, r);
    tell_what_is_known(s, r);
    if (is_run) tell_phases(s, r);
    return true;
}

void hectic_stat_result_clear(hectic_stat_result *r)
{
    free(r->cap);
    free(r->generation);
    *r = (hectic_stat_result){0};
}
