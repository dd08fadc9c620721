/* Computes results of intervals from sums. */
#include "numbers/saturating.h"
#include "numbers/uint256.h"
#include "stat/stat_sums.h"

#include <stdlib.h>

/* An activity in progress at the beginning of an interval may have ended before, according to a
 * late event: then it does not count in the interval. */
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

/* Counters are logged at the end of a collection, for all sparks until then; events for each spark
 * at its time, so an interval uses these. For the run, both can only be too low: counters lack
 * later sparks, events lack those while their class was off. */
static hectic_stat_sparks sparks_of(const hectic_stat *s, const uint64_t *sum, bool is_run)
{
    uint64_t count[SPARK_SUMS];
    for (unsigned i = 0; i < SPARK_SUMS; i++) {
        const uint64_t counted = sum[SPARKS_COUNTED + i], seen = sum[SPARKS_SEEN + i];
        count[i] = s->seen & SEEN_EACH_SPARK && (!is_run || seen > counted) ? seen : counted;
    }
    return (hectic_stat_sparks){.created = count[SPARK_CREATED],
                                .dud = count[SPARK_DUD],
                                .overflowed = count[SPARK_OVERFLOWED],
                                .converted = count[SPARK_CONVERTED],
                                .gcd = count[SPARK_GCD],
                                .fizzled = count[SPARK_FIZZLED]};
}

/* --- Collections that are still queued ------------------------------------------------------- */

/* The caps' shares in collections: from the stat's state, or including queued edges.
 */
struct parts {
    const struct gc_time *time;
    const hectic_stat_interval *means; /* has the mean pauses */
    struct gc_time copied_time;
    hectic_stat_interval copied;
};

static void clear_parts(struct parts *parts)
{
    gc_time_clear(&parts->copied_time);
    for (size_t i = 0; i < parts->copied.generations; i++)
        hectic_histogram_clear(&parts->copied.generation[i].mean_pause);
    hectic_histogram_clear(&parts->copied.mean_pause);
    free(parts->copied.generation);
}

static bool copy_means(hectic_stat_interval *to, const hectic_stat_interval *from)
{
    bool done = hectic_histogram_merge(&to->mean_pause, &from->mean_pause);
    to->generation = calloc(from->generations + 1, sizeof *to->generation);
    if (!to->generation) return false;
    to->generations = from->generations;
    for (size_t i = 0; i < from->generations; i++)
        done = done && hectic_histogram_merge(&to->generation[i].mean_pause,
                                              &from->generation[i].mean_pause);
    return done;
}

/* False: out of memory. */
static bool compute_parts(const hectic_stat *s, const hectic_stat_interval *interval,
                          struct parts *parts)
{
    *parts = (struct parts){.time = &s->gc_time, .means = interval};
    if (s->queue.words == 0) return true;
    struct stat_collecting to = {(hectic_stat *)s, &parts->copied_time, &parts->copied, NULL};
    parts->time = &parts->copied_time;
    parts->means = &parts->copied;
    if (gc_time_copy(&parts->copied_time, &s->gc_time) && copy_means(&parts->copied, interval) &&
        gc_queue_peek(&s->queue, stat_take_edge, &to))
        return true;
    clear_parts(parts);
    return false;
}

/* --- Caps ------------------------------------------------------------------------------------ */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* True if all events of collections belong to a single cap. If events are in order of time, this
 * was determined when they began. */
static bool led_alone(const hectic_stat *s)
{
    return !s->is_ordered && stat_is_lone(s);
}

static bool has_known_leaders(const hectic_stat *s)
{
    return s->seen & SEEN_GC && (s->seen & (SEEN_REQUEST | SEEN_LONE_LEADER) || stat_is_lone(s));
}

/* The activities of the cap's own events add up to at most its time. The rest includes waits for
 * collections without it; the time in which it was stopped includes waits for their beginnings and
 * ends. If events contradict each other, the cap's own take precedence. */
static hectic_stat_cap cap_of(const hectic_stat *s, size_t index, const uint64_t *sum,
                              const struct gc_waits *waited, uint64_t unrecorded, bool is_run)
{
    const bool waits = !s->queue.is_lost && has_known_leaders(s) && !stat_lacks_caps(s);
    const bool leads = led_alone(s);
    const uint64_t stopped = sum[STOPPED], requested = sum[REQUESTED_GC];
    const uint64_t begin = leads ? 0 : least(waited->begin, stopped);
    const uint64_t end = leads ? 0 : least(waited->end, stopped - begin);
    uint64_t busy = sum[RUNS_THREAD];
    saturating_add(&busy, requested);
    saturating_add(&busy, stopped);
    saturating_add(&busy, sum[COLLECTING]);
    saturating_add(&busy, sum[GC_WITHOUT_WORK]);
    saturating_add(&busy, sum[LOST]);
    const uint64_t present = busy > sum[PRESENT_NS] ? busy : sum[PRESENT_NS];
    const uint64_t out = least(waited->out, present - busy);
    const uint64_t in_gc = sum[COLLECTING] + sum[GC_WITHOUT_WORK] + stopped - begin - end;
    const uint64_t unknown = least(unrecorded, present - busy - out);
    const uint64_t work = sum[COLLECTING] + (leads ? stopped : 0);
    return (hectic_stat_cap){
        .cap = s->cap[index]->number,
        .has_threads = s->seen & SEEN_THREADS,
        .has_allocated = s->seen & SEEN_ALLOCATED,
        .has_gc = waits,
        .has_idle = waits && s->seen & SEEN_THREADS,
        .present_ns = present,
        .running_ns = sum[RUNS_THREAD],
        .gc_ns = in_gc,
        .gc_work_ns = work,
        .gc_idle_ns = in_gc - work,
        .wait_begin_ns = requested + begin,
        .wait_end_ns = end,
        .wait_out_ns = out,
        .unknown_ns = sum[LOST] + unknown,
        .idle_ns = present - busy - out - unknown,
        .runs = sum[RUNS],
        .switches = sum[SWITCHES],
        .created = sum[CREATED],
        .migrated_in = sum[MIGRATED_IN],
        .migrated_out = sum[MIGRATED_OUT],
        .allocated = sum[ALLOCATED],
        .sparks = sparks_of(s, sum, is_run),
    };
}

static void add_sparks(hectic_stat_sparks *all, const hectic_stat_sparks *some)
{
    saturating_add(&all->created, some->created);
    saturating_add(&all->dud, some->dud);
    saturating_add(&all->overflowed, some->overflowed);
    saturating_add(&all->converted, some->converted);
    saturating_add(&all->gcd, some->gcd);
    saturating_add(&all->fizzled, some->fizzled);
}

static int by_number(const void *a, const void *b)
{
    const hectic_stat_cap *x = a, *y = b;
    return x->cap - y->cap;
}

static bool set_caps(const hectic_stat *s, const hectic_stat_interval *interval,
                     const struct gc_time *time, uint64_t to, hectic_stat_result *r)
{
    r->cap = malloc((s->caps + 1) * sizeof *r->cap);
    if (!r->cap) return false;
    uint64_t run[RUN_SUMS];
    stat_run_sums(s, to, run);
    const uint64_t unrecorded = span_of(interval->run[INACTIVE_NS], run[INACTIVE_NS]);
    for (size_t i = 0; i < s->caps; i++) {
        uint64_t sum[CAP_SUMS];
        stat_cap_sums(s, s->cap[i], to, sum);
        struct gc_waits waited = gc_time_waits(time, i, stat_known_until(s->cap[i], to));
        if (i < interval->caps) {
            const struct gc_waits *before = &interval->waited[i];
            for (unsigned k = 0; k < CAP_SUMS; k++)
                sum[k] = saturating_less(sum[k], interval->cap[i][k]);
            waited.begin = saturating_less(waited.begin, before->begin);
            waited.end = saturating_less(waited.end, before->end);
            waited.out = saturating_less(waited.out, before->out);
        }
        if (stat_lacks_cap(s, s->cap[i])) continue;
        hectic_stat_cap *cap = &r->cap[r->caps++];
        *cap = cap_of(s, i, sum, &waited, unrecorded, interval->whole);
        saturating_add(&r->gc_main_ns, led_alone(s) ? cap->gc_ns : sum[GC_MAIN_NS]);
        saturating_add(&r->allocated, sum[ALLOCATED]);
        add_sparks(&r->sparks, &cap->sparks);
    }
    r->gc_caps_ns = r->gc_main_ns;
    saturating_add(&r->gc_caps_ns, saturating_less(time->excess, interval->excess));
    qsort(r->cap, r->caps, sizeof *r->cap, by_number);
    return true;
}

/* The cap that has delayed collections for the longest time. */
static void set_delays(const hectic_stat *s, const struct gc_time *time, hectic_stat_result *r)
{
    uint64_t most = 0;
    for (size_t i = 0; i < s->caps; i++) {
        saturating_add(&r->delay_ns, time->cap[i].delay);
        if (time->cap[i].delay <= most) continue;
        most = time->cap[i].delay;
        r->delay_cap = s->cap[i]->number;
        r->delay_cap_ns = most;
    }
}

/* --- Generations ----------------------------------------------------------------------------- */

static bool set_generations(const hectic_stat *s, const hectic_stat_interval *interval,
                            const hectic_stat_interval *means, hectic_stat_result *r)
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
            .requested = generation->requested,
            .pause = distribution_of(&generation->pause),
        };
    }
    for (size_t i = 0; i < means->generations && i < count; i++)
        r->generation[i].mean_pause = distribution_of(&means->generation[i].mean_pause);
    return true;
}

/* --- The run --------------------------------------------------------------------------------- */

/* Until GHC 8.4 only the maximum copied by a thread is logged: in a perfect balance it is the total
 * divided by the number of caps. */
static double balance_of(const hectic_stat *s, const uint64_t *sum)
{
    if (s->seen & SEEN_BALANCED) return (double)sum[PAR_BALANCED] / (double)sum[PAR_COPIED];
    if (sum[PAR_MAX_COPIED] == 0 || s->caps < 2) return 0;
    return ((double)sum[PAR_COPIED] / (double)sum[PAR_MAX_COPIED] - 1) / (double)(s->caps - 1);
}

/* The bytes of blocks that fit into a heap: a megablock begins with a descriptor of each of its
 * blocks. */
static uint64_t block_capacity(const hectic_stat *s, uint64_t heap)
{
    enum { DESCRIPTOR = 64 };
    const uint64_t mblock = s->mblock_size, block = s->block_size;
    if (block < DESCRIPTOR || mblock < block) return heap;
    const uint64_t blocks = mblock / block, in_block = block / DESCRIPTOR;
    return heap / mblock * (blocks - (blocks + in_block - 1) / in_block) * block;
}

static void set_heap(const hectic_stat *s, const hectic_stat_interval *interval,
                     hectic_stat_result *r)
{
    r->has_heap_size = s->seen & SEEN_HEAP_SIZE;
    r->has_blocks = r->has_heap_size && s->seen & SEEN_BLOCKS;
    r->has_fragmentation = r->has_blocks || s->seen & SEEN_GC_STATS;
    r->residency_max = interval->residency_max;
    r->slop_max = interval->slop_max;
    r->heap_max = interval->heap_max;
    r->blocks_max = interval->blocks_max;
    r->allocation_area = s->area_size;
    r->lost = span_of(interval->blocks_max, block_capacity(s, interval->heap_max));
    r->fragmentation_max =
        s->seen & SEEN_GC_STATS ? interval->fragmentation_max : interval->unused_max;
}

static void set_run(const hectic_stat *s, const hectic_stat_interval *interval,
                    const struct gc_time *time, uint64_t to, hectic_stat_result *r)
{
    uint64_t sum[RUN_SUMS];
    stat_run_sums(s, to, sum);
    r->counter_resets = sum[COUNTER_RESETS];
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
    r->gaps = (hectic_gaps){.from = r->from,
                            .to = r->to,
                            .dropped_events = sum[DROPPED_EVENTS],
                            .dropped_places = sum[DROPPED_PLACES],
                            .lost_bytes = sum[LOST_BYTES],
                            .lost_places = sum[LOST_PLACES],
                            .switched_off = sum[SWITCHED_OFF],
                            .off_ns = sum[OFF_NS]};
    const uint64_t mblock = s->mblock_size ? s->mblock_size : 1u << 20;
    const struct gc_losses losses = gc_time_losses(time, to);
    r->unrecorded_ns = sum[INACTIVE_NS] + span_of(interval->losses.ns, losses.ns);
    r->unrecorded_ns = least(r->unrecorded_ns, r->to - r->from); /* both may be at the same time */
    r->gc_unrecorded_ns = sum[GCLESS_NS] + span_of(interval->losses.gcless_ns, losses.gcless_ns);
    r->gc_unrecorded_ns = least(r->gc_unrecorded_ns, span_of(r->gc_main_ns, r->to - r->from));
    const uint128 returned = uint128_product(sum[RETURNED], mblock);
    r->returned = returned.high > 0 ? UINT64_MAX : returned.low;
    r->messages = sum[MESSAGES];
    r->markers = sum[MARKERS];
    r->workers = interval->workers + sum[WORKERS];
    r->workers_max = interval->workers_max;
    r->conc_sync_max_ns = interval->sync_max;
    const bool is_lone = led_alone(s) && !(s->seen & SEEN_GC_STATS);
    r->pause = distribution_of(is_lone ? &interval->lone_pause : &interval->pause);
    if (is_lone) r->mean_pause = r->pause;
    r->safepoint = distribution_of(&interval->safepoint);
    r->time_steps_back = s->time_steps_back;
    r->last_time = s->last;
}

static void set_known(const hectic_stat *s, hectic_stat_result *r)
{
    r->lacks_caps = stat_lacks_caps(s);
    r->is_cut = !s->ended;
    const uint32_t seen = r->lacks_caps ? 0 : s->seen;
    if (r->lacks_caps) r->residency_samples = 0;
    r->has_balance = r->has_balance && !r->lacks_caps;
    r->has_fragmentation = r->has_fragmentation && !r->lacks_caps;
    r->has_heap_size = r->has_heap_size && !r->lacks_caps;
    r->has_blocks = r->has_blocks && !r->lacks_caps;
    r->has_lost = r->has_blocks && (s->mblock_size > 0 || !s->is_cut);
    r->has_threads = seen & SEEN_THREADS;
    r->has_gc = seen & SEEN_GC && (has_known_leaders(s) || seen & SEEN_GC_STATS);
    r->has_mean_pause = seen & SEEN_GC && has_known_leaders(s) && !s->queue.is_lost;
    r->has_gc_stats = seen & SEEN_GC_STATS;
    r->has_allocated = seen & SEEN_ALLOCATED;
    r->has_sparks = seen & (SEEN_SPARK_COUNTERS | SEEN_EACH_SPARK);
    r->has_tasks = seen & SEEN_TASKS;
    r->has_bound = s->has_main_task;
    r->has_gc_threads = seen & SEEN_GC_THREADS;
    r->has_nonmoving = s->seen & SEEN_CONC;
    r->has_returned = seen & SEEN_RETURNED;
    r->has_safepoint = seen & SEEN_REQUEST;
    r->has_threaded = s->seen & SEEN_RTS;
    r->threaded = s->threaded;
    r->profiled = s->profiled;
    r->ghc = s->ghc;
    r->is_part = stat_is_late(s);
}

/* Is the log's last event the end of what it tells of the run? A log that was cut is judged up to
 * where it is whole; another one goes on to the program's end, unless it has no activity. */
static bool ends_with_log(const hectic_stat *s)
{
    bool ends = !s->ended || s->seen & (SEEN_THREADS | SEEN_GC | SEEN_ALLOCATED);
    for (size_t i = 0; i < s->caps; i++)
        ends = ends || s->cap[i]->ends;
    return ends;
}

/* Does the log have the program's end? A recording may end before. At its end, a program deletes
 * its caps, since GHC 7.6, or at least, by exitWith, logs the allocation of each cap once more. */
static bool has_exited(const hectic_stat *s)
{
    bool deletes = true, allocates = s->seen & SEEN_ALLOCATED;
    for (size_t i = 0; i < s->caps; i++) {
        deletes = deletes && (s->cap[i]->ends || !s->creates_caps);
        allocates = allocates && s->cap[i]->allocation_time > s->last_gc_end;
    }
    return s->ended && (deletes || allocates);
}

/* The last collection of a program that has ended is that of its end. */
static void set_live(const hectic_stat *s, hectic_stat_result *r)
{
    const struct live_course *live = s->live;
    const bool exited = has_exited(s);
    if (!live) return;
    r->has_live_course = live->count > (exited ? 1 : 0);
    r->live_first = live->first.bytes;
    r->live_last = exited ? live->last_but_one.bytes : live->last.bytes;
    const bool is_last = !exited && live->last.bytes >= live->high;
    r->live_last_at = exited ? live->last_but_one.time : live->last.time;
    r->live_high = is_last ? live->last.bytes : live->high;
    r->live_until = is_last ? live->last.time : live_course_until(live);
    r->live_less = live_course_after(live, r->live_until);
    r->live_middle = live_course_middle(live, r->live_until);
    r->live_fall = live_course_fall(live, r->live_until);
}

/* --- Phases ---------------------------------------------------------------------------------- */

/* The total time of led collections after a time. */
static uint64_t led_after(const hectic_stat *s, uint64_t time)
{
    uint64_t led = 0;
    for (size_t i = 0; i < s->caps; i++)
        for (unsigned k = 0; k < LAST_PAUSES; k++) {
            const struct pause *pause = &s->cap[i]->recent[k];
            saturating_add(&led, span_of(pause->from > time ? pause->from : time, pause->to));
        }
    return led;
}

/* When main ended the program from Haskell (exitWith, an exception): main's thread is the first one
 * created after `entered`, and it made a foreign call from which it did not return. Otherwise the
 * creation of the last thread, which flushes stdout. */
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
 * flush stdout and stderr. INIT ends when it leaves the runtime for the first time, or else enters
 * it; EXIT begins when it leaves main. Damaged bytes may have had any of these. */
static void set_phases(const hectic_stat *s, hectic_stat_result *r)
{
    const uint64_t *entered = s->main_entered, *left = s->main_left;
    if (!s->has_main_task || stat_is_late(s) || r->gaps.lost_places > 0) return;
    const bool exited = has_exited(s);
    /* The non-threaded runtime has no I/O manager to start, and does not wait for a cap. */
    const bool waits = !(s->seen & SEEN_RTS) || s->threaded;
    const bool is_back = left[0] != UINT64_MAX && left[0] >= entered[0];
    const bool has_flushed =
        exited ? is_back && entered[1] != UINT64_MAX : entered[waits ? 2 : 1] != UINT64_MAX;
    const uint64_t main = entered[has_flushed], before = left[is_back + has_flushed];
    if (exited) {
        /* Before it flushes, it waits for a cap. */
        const uint64_t flushes = waits ? left[1] : entered[0];
        const uint64_t exit = has_flushed ? flushes : exit_from_inside(s, main);
        if (exit == UINT64_MAX || exit < main || exit > r->to) return;
        r->exit_ns = span_of(led_after(s, exit), span_of(exit, r->to));
        r->has_exit = true;
    }
    r->init_ns = span_of(r->from, before < main ? before : main);
    r->has_init = true;
}

/* The end of the run according to the runtime. At its end it takes the time for +RTS -s, then logs
 * the allocation of each cap once more, and cleans up. */
static uint64_t end_of_run(const hectic_stat *s)
{
    const bool exited = has_exited(s);
    uint64_t end = s->last;
    for (size_t i = 0; i < s->caps; i++) {
        const uint64_t time = s->cap[i]->allocation_time;
        if (exited && time > s->last_gc_end && time < end) end = time;
    }
    return end;
}

bool hectic_stat_get(const hectic_stat *s, const hectic_stat_interval *interval, uint64_t to,
                     hectic_stat_result *r)
{
    if (!interval) interval = &s->run;
    *r = (hectic_stat_result){0};
    const uint64_t start = stat_is_late(s) ? s->first : s->start;
    r->from = interval->from > start ? interval->from : start;
    const bool is_run = interval->whole && to == HECTIC_STAT_END;
    if (to == HECTIC_STAT_END) to = is_run ? end_of_run(s) : s->last;
    if (to < r->from) to = r->from;
    r->to = to;
    struct parts parts;
    bool done = compute_parts(s, interval, &parts);
    if (!done) return false;
    done = set_caps(s, interval, parts.time, to, r) && set_generations(s, interval, parts.means, r);
    r->mean_pause = distribution_of(&parts.means->mean_pause);
    if (interval->whole) set_delays(s, parts.time, r);
    if (done) set_run(s, interval, parts.time, to, r);
    clear_parts(&parts);
    if (!done) {
        hectic_stat_result_clear(r);
        return false;
    }
    set_heap(s, interval, r);
    set_known(s, r);
    r->has_total = r->to > r->from && (!interval->whole || ends_with_log(s));
    if (!is_run) return true;
    set_phases(s, r);
    set_live(s, r);
    return true;
}

void hectic_stat_result_clear(hectic_stat_result *r)
{
    free(r->cap);
    free(r->generation);
    *r = (hectic_stat_result){0};
}
