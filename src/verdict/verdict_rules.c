/* verdict_rules.c — what the rules of verdicts.def measure: a function for each, of its
 * name. */
#include "verdict/verdict_rules.h"

#include "render/text.h"
#include "render/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MILLION = 1000000, SOME_COLLECTIONS = 10 };

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* --- Numbers as words ------------------------------------------------------------------------ */

char *share_word(char word[WORD], double share)
{
    snprintf(word, WORD, share > 0 && share < 0.01 ? "%.1f %%" : "%.0f %%", 100 * share);
    return word;
}

char *time_word(char word[WORD], double ns)
{
    units_put(word, ns, UNITS_NS, UNITS_THREE, true);
    return word;
}

char *size_word(char word[WORD], double bytes)
{
    units_put(word, bytes, UNITS_SIZE, UNITS_TENTH, true);
    return word;
}

/* "1 thread", "12 threads" */
static char *count_word(char word[WORD], uint64_t count, const char *what)
{
    units_quantity(word, WORD, count, what);
    return word;
}

/* --- Garbage collection ---------------------------------------------------------------------- */

/* Has live data shrunk after its growth? */
static bool has_shrunk(const hectic_stat_result *r)
{
    return r->live_last < r->live_high - r->live_high / 20;
}

/* Is a time in the last of `parts` parts of the run? */
static bool is_in_last(const struct facts *f, uint64_t time, double parts)
{
    return f->stat->to < time || (double)(f->stat->to - time) < f->elapsed / parts;
}

/* Did a collection measure live data in the last quarter of the run? */
static bool is_measured_late(const struct facts *f)
{
    return is_in_last(f, f->stat->live_last_at, 4);
}

/* Live data may be measured last long before it shrinks, if that is at the end. */
static bool grows_to_the_end(const struct facts *f)
{
    return !has_shrunk(f->stat) || is_in_last(f, f->stat->live_less, 10);
}

/* Do too few samples show nothing of what grows? */
static bool has_few_samples(const struct facts *f)
{
    const hectic_heap_profile *heap = f->input->heap;
    if (f->applies[RULE_thunks] || f->applies[RULE_stack_growth]) return false;
    for (uint32_t i = 0; heap && i < hectic_heap_profile_count(heap); i++) {
        hectic_heap_totals totals;
        hectic_heap_profile_totals(heap, i, &totals);
        if (totals.points >= HECTIC_HEAP_LINE_POINTS) return false;
    }
    return heap;
}

static void put_samples(const struct facts *f, char samples[WORD])
{
    /* For 50 samples: each is a collection, which may take long. 0.1 s is the default. */
    double period = least(f->all / 50e9, 0.1);
    if (period < 0.001) period = 0.001;
    char interval[16];
    snprintf(interval, sizeof interval, "-i%.1g", period);
    *samples = 0;
    if (!f->input->has_heap_profile)
        snprintf(samples, WORD, " This log has no heap samples: run again with +RTS %s%s%s -l.",
                 f->stat->profiled ? "-hc" : "-hT", period < 0.1 ? " " : "",
                 period < 0.1 ? interval : "");
    else if (!f->input->has_heap_samples || has_few_samples(f))
        snprintf(samples, WORD, " Its heap profile has %s samples: run again with +RTS %s.",
                 f->input->has_heap_samples ? "few" : "no", interval);
}

static void put_growth(const struct facts *f, struct draft *d)
{
    const hectic_stat_result *r = f->stat;
    char time[WORD];
    size_word(word(d, "first"), (double)r->live_first);
    size_word(word(d, "last"), (double)(has_shrunk(r) ? r->live_high : r->live_last));
    char *then = word(d, "then");
    if (!has_shrunk(r) && !is_measured_late(f))
        snprintf(then, WORD, "was not measured after %.40s",
                 time_word(time, (double)r->live_last_at - (double)r->from));
    else if (!has_shrunk(r) || is_in_last(f, r->live_until, 10))
        strcpy(then, "did not shrink until the end");
    else
        snprintf(then, WORD, "did not shrink until %.40s",
                 time_word(time, (double)r->live_until - (double)r->from));
    put_samples(f, word(d, "samples"));
}

/* Collections include the censuses of a heap profile. */
static void put_census(const struct facts *f, struct draft *d)
{
    strcpy(word(d, "census"),
           f->input->has_heap_samples ? " (with the heap profile's censuses)" : "");
}

static double growth_importance(const struct facts *f)
{
    return is_measured_late(f) ? 0.8 : 0.5;
}

static void gc_growth(const struct facts *f, struct draft *d)
{
    if (!f->grows) return;
    put_census(f, d);
    d->value = f->gc;
    const double importance = growth_importance(f);
    d->importance = f->gc > importance ? f->gc : importance;
    put_growth(f, d);
}

static void live_growth(const struct facts *f, struct draft *d)
{
    const bool *other = f->applies;
    if (!f->grows || !grows_to_the_end(f) || other[RULE_gc_growth] || other[RULE_heap_band]) return;
    const uint64_t last = has_shrunk(f->stat) ? f->stat->live_high : f->stat->live_last;
    d->value = (double)last - (double)f->stat->live_first;
    d->importance = growth_importance(f);
    put_growth(f, d);
}

static void allocation_area(const struct facts *f, struct draft *d)
{
    enum { LARGE = 16 << 20, PER_SECOND = 50 };
    if (!f->g || f->stat->generations < 2 || f->g[0].collections < SOME_COLLECTIONS) return;
    const double every = f->elapsed / (double)f->g[0].collections;
    if (f->stat->allocation_area == 0 || f->stat->allocation_area >= LARGE ||
        every * PER_SECOND > 1000.0 * MILLION)
        return;
    d->value = d->importance = f->young;
    snprintf(word(d, "young"), WORD, "%" PRIu64, f->g[0].collections);
    time_word(word(d, "every"), every);
    size_word(word(d, "area"), (double)f->stat->allocation_area);
    strcpy(word(d, "chunks"), f->caps > 1 ? " -n4m" : "");
    /* A slice of about a twentieth of the run. */
    double slice = f->elapsed / MILLION / 20;
    snprintf(word(d, "slice"), WORD, "%.0fms", slice < 1 ? 1 : slice);
}

static void old_generation(const struct facts *f, struct draft *d)
{
    enum { SMALL = 4 << 20 };
    if (!f->g || f->stat->generations < 2 || f->stat->has_nonmoving || f->applies[RULE_gc_growth])
        return;
    const bool is_small = f->stat->residency_max < SMALL;
    const hectic_stat_generation *old = &f->g[f->stat->generations - 1];
    const bool are_few = old->collections < SOME_COLLECTIONS;
    if (is_small && (are_few || f->applies[RULE_allocation_area])) return;
    d->value = d->importance = f->old;
    snprintf(word(d, "old"), WORD, "%" PRIu64, old->collections);
    time_word(word(d, "mean"), ratio((double)old->pause.sum, (double)old->pause.count));
    size_word(word(d, "live"), (double)f->stat->residency_max);
    put_census(f, d);
    char *advice = word(d, "advice");
    if (2 * old->requested > old->collections)
        strcpy(advice, "The program requested most of them (performGC).");
    else
        strcpy(advice,
               is_small ? "The heap is small: +RTS -A16m makes them fewer, at the cost of memory."
                        : "If the program needs that much, +RTS -F4 makes them fewer, at the cost "
                          "of memory; GHC.Compact makes them shorter.");
}

static void gc_time(const struct facts *f, struct draft *d)
{
    const bool *other = f->applies;
    if (other[RULE_gc_growth] || other[RULE_allocation_area] || other[RULE_old_generation]) return;
    d->value = d->importance = f->gc;
    put_census(f, d);
    count_word(word(d, "count"), f->stat->pause.count, "collection");
    time_word(word(d, "mean"), ratio((double)f->stat->pause.sum, (double)f->stat->pause.count));
}

/* Did the longest collection copy less than 10 MB/s? A busy machine does 100 MB/s. A young one has
 * what was allocated since the one before it, and what that one left. */
static bool was_delayed(const struct facts *f, bool is_young)
{
    enum { BYTES_PER_US = 10 };
    const hectic_stat_result *r = f->stat;
    const double allocated = (double)r->allocation_area * (double)r->caps;
    if (r->residency_samples == 0 || r->allocation_area == 0) return false;
    const double most = allocated + (is_young ? allocated : (double)r->residency_max);
    return most / BYTES_PER_US < (double)r->pause.max / 1000;
}

static void long_pause(const struct facts *f, struct draft *d)
{
    enum { NONMOVING_SINCE = 810 };
    const hectic_stat_result *r = f->stat;
    char time[WORD];
    if (!r->has_gc || r->has_nonmoving || f->input->has_heap_samples) return;
    d->value = (double)r->pause.max;
    d->importance = least(d->value / (2000.0 * MILLION), 0.5);
    char *p99 = word(d, "p99");
    if (r->pause.count >= 100)
        snprintf(p99, WORD, ", and one in a hundred for %.40s or more",
                 time_word(time, (double)r->pause.p99));
    else
        strcpy(p99, "");
    const char *advice = "";
    if (r->ghc >= NONMOVING_SINCE)
        advice =
            "+RTS --nonmoving-gc collects the oldest generation while the program runs; it takes "
            "more processor time and memory.";
    const bool is_young =
        f->g && r->generations > 1 && f->g[r->generations - 1].pause.max < r->pause.max;
    if (was_delayed(f, is_young))
        advice = "There was little to copy for that time: possible causes are other processes, and "
                 "more caps than processors.";
    else if (is_young)
        advice = "It did not collect the oldest generation. If it copied much (column Copied), a "
                 "smaller allocation area (+RTS -A) makes such pauses shorter, and more frequent.";
    strcpy(word(d, "advice"), advice);
}

/* The cap that has delayed collections for at least half of the time; NULL: there is none. */
static const hectic_stat_cap *delaying_cap(const hectic_stat_result *r)
{
    if (r->delay_cap_ns == 0 || r->delay_cap_ns < r->delay_ns / 2) return NULL;
    for (uint32_t i = 0; i < r->caps; i++)
        if (r->cap[i].cap == r->delay_cap) return &r->cap[i];
    return NULL;
}

static void safepoint(const struct facts *f, struct draft *d)
{
    const double share = 0.2; /* of the time from requests to ends */
    const hectic_stat_result *r = f->stat;
    const double waited = (double)r->safepoint.sum, longest = (double)r->safepoint.max;
    if (!r->has_safepoint || r->caps < 2 || longest < MILLION) return;
    /* Other programs, and hosts of virtual machines, take processors away: that costs some percent.
     */
    if (waited < f->elapsed / (longest < 100.0 * MILLION ? 20 : 100)) return;
    if (waited < share * (waited + (double)r->gc_main_ns)) return;
    d->value = d->importance = ratio(waited, f->elapsed);
    const hectic_stat_cap *cap = delaying_cap(r);
    char part[WORD], *text = word(d, "cap");
    if (cap)
        snprintf(text, WORD, " (%.20s of that for cap %u)",
                 share_word(part, ratio((double)r->delay_cap_ns, (double)r->delay_ns)), cap->cap);
    else
        strcpy(text, "");
    time_word(word(d, "max"), longest);
    /* A cap without work takes part by an OS thread that sleeps until then. */
    const bool is_asleep = r->has_threads && cap && (double)cap->running_ns < f->elapsed / 20 &&
                           cap->runs < r->safepoint.count / 2;
    strcpy(word(d, "cause"),
           is_asleep ? "That one ran no thread between most collections, so its OS thread may have "
                       "to wake up: fewer caps (+RTS -N) avoid that, and -A16m makes collections "
                       "fewer."
                     : "Possible causes: loops that do not allocate (compile them with "
                       "-fno-omit-yields), unsafe foreign calls, more caps than free processors.");
}

static void gc_balance(const struct facts *f, struct draft *d)
{
    double share = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; f->g && i < f->stat->generations; i++) {
        count += f->g[i].parallel;
        share += ratio((double)f->g[i].pause.sum * (double)f->g[i].parallel,
                       f->elapsed * (double)f->g[i].collections);
    }
    if (!f->stat->has_balance || count < SOME_COLLECTIONS || share < 0.1) return;
    d->value = f->stat->work_balance;
    d->importance = share * (1 - d->value);
    share_word(word(d, "share"), share);
}

/* --- Caps and threads ------------------------------------------------------------------------ */

static void cap_balance(const struct facts *f, struct draft *d)
{
    const hectic_stat_result *r = f->stat;
    const hectic_stat_cap *busiest = NULL;
    double present = 0, running = 0;
    if (!r->has_threads || r->caps < 2) return;
    for (uint32_t i = 0; i < r->caps; i++) {
        const hectic_stat_cap *c = &r->cap[i];
        if (!busiest || c->running_ns > busiest->running_ns) busiest = c;
        present += (double)c->present_ns;
        running += (double)c->running_ns;
    }
    if (present <= 0) return;
    const double most = (double)busiest->running_ns;
    /* A cap that did not exist was not idle. */
    const double mean = running / present * (double)busiest->present_ns;
    if (most < f->elapsed / 4) return;
    /* Threads that take turns, and hardly wait for a cap, would not end sooner on several. */
    if (f->threads && (double)f->threads->most_running_ns < 0.75 * most &&
        (double)f->threads->queued_ns < most / 10)
        return;
    d->value = 1 - mean / most;
    d->importance = (most - mean) / f->elapsed;
    snprintf(word(d, "cap"), WORD, "%u", busiest->cap);
    share_word(word(d, "busiest"), most / f->elapsed);
    snprintf(word(d, "caps"), WORD, "%" PRIu32, r->caps);
    share_word(word(d, "mean"), mean / f->elapsed);
    const double others = running - most;
    strcpy(word(d, "cause"), others < most / 100 && r->caps == 2
                                 ? " The other one ran almost no threads."
                             : others < most / 100 ? " The other ones ran almost no threads."
                             : most < 0.75 * f->elapsed
                                 ? " Possible causes: few threads, and more caps than processors."
                                 : "");
}

static bool is_idle(const struct facts *f)
{
    return f->caps > 0 && f->idle >= 0.25;
}

/* The time of the program's threads in a state. */
static double spent(const struct facts *f, hectic_thread_state state)
{
    return f->threads ? (double)f->threads->ns[state] : 0;
}

/* Their lifetimes, outside of foreign calls. */
static double own_time(const struct facts *f)
{
    double own = 0;
    for (unsigned i = 0; i < HECTIC_THREAD_STATES; i++)
        if (i != HECTIC_THREAD_FOREIGN) own += spent(f, i);
    return own;
}

static void runnable(const struct facts *f, struct draft *d)
{
    const hectic_stat_result *r = f->stat;
    double stopped = 0, vacant = f->idle;
    if (r->caps < 2 || f->caps == 0 || !f->threads || f->applies[RULE_yields]) return;
    for (uint32_t i = 0; i < r->caps; i++) {
        const hectic_stat_cap *cap = &r->cap[i];
        /* Until a collection begins, no cap starts a thread, even one that has nothing to stop. */
        const double begin = (double)cap->wait_begin_ns;
        const double requested = r->has_safepoint ? (double)r->safepoint.sum : 0;
        stopped += (double)cap->gc_ns + (begin > requested ? begin : requested) +
                   (double)cap->wait_end_ns + (double)cap->wait_out_ns;
        /* After a collection: its OS thread has not gone on. */
        vacant += (double)cap->wait_end_ns / f->elapsed / f->caps;
    }
    if (vacant < 0.25) return;
    d->value = ((double)f->threads->queued_ns - stopped) / f->elapsed;
    d->importance = least(vacant, ratio(d->value, f->caps));
    share_word(word(d, "running"), f->running / f->caps);
}

/* Did the program end when these threads did? */
static bool is_at_end(const struct facts *f, const hectic_threads_left *left)
{
    return (double)left->to >= (double)f->threads->end - f->elapsed / 8;
}

/* Threads that wait for each other, or for nothing, until the end. */
static void never_woken(const struct facts *f, struct draft *d)
{
    const hectic_thread_sums *t = f->threads;
    const double begin = t ? (double)t->from : 0;
    if (!t || f->caps == 0) return;
    const hectic_lock lock = t->stuck[HECTIC_LOCK_STM].threads > t->stuck[HECTIC_LOCK_MVAR].threads
                                 ? HECTIC_LOCK_STM
                                 : HECTIC_LOCK_MVAR;
    const hectic_threads_left *stuck = &t->stuck[lock];
    const double length = (double)stuck->from - (double)stuck->since; /* until the first ended */
    if (!is_at_end(f, stuck) || stuck->threads < t->left.threads / 2) return;
    if (length < f->elapsed / 10) return;
    /* Later events may wake them. */
    if (f->stat->is_cut && (length < 1000.0 * MILLION || length < 2 * (double)t->longest_wait))
        return;
    if (f->least_idle * f->elapsed < 0.8 * length) return;
    d->value = (double)stuck->threads;
    d->importance = least(ratio(length, f->elapsed), 1);
    snprintf(word(d, "count"), WORD, "%" PRIu64, stuck->threads);
    strcpy(word(d, "where"), lock == HECTIC_LOCK_STM ? "in STM" : "on MVars");
    strcpy(word(d, "column"), lock == HECTIC_LOCK_STM ? "stm" : "mvar");
    time_word(word(d, "since"), (double)stuck->since - begin);
    time_word(word(d, "length"), length);
}

static void thread_growth(const struct facts *f, struct draft *d)
{
    enum { PART = 8 };
    const hectic_threads_left *left = f->threads ? &f->threads->left : NULL;
    if (!left || !is_at_end(f, left) || left->from < f->threads->last_born ||
        left->late < left->threads / PART || left->threads - left->late < left->threads / PART)
        return;
    d->value = (double)left->threads;
    d->importance = 0.6;
    snprintf(word(d, "count"), WORD, "%" PRIu64, left->threads);
    snprintf(word(d, "late"), WORD, "%" PRIu64, left->late);
}

/* Threads that wait for each other: what they do together is hardly more than one of them could. */
static void take_turns(const struct facts *f, struct draft *d, hectic_lock lock)
{
    const double active = spent(f, HECTIC_THREAD_RUNNING) + spent(f, HECTIC_THREAD_FOREIGN);
    const hectic_lock_waits *waits = f->threads ? &f->threads->waits[lock] : NULL;
    if (!waits || f->caps == 0 || waits->threads < 2 || active < f->elapsed / 2) return;
    const bool is_slow = f->stat->caps >= 2 && active <= 0.8 * f->caps * f->elapsed;
    if ((!is_slow && !is_idle(f)) || (double)waits->active_ns < active / 2) return;
    d->value = d->importance = ratio((double)waits->ns, (double)waits->own_ns);
    count_word(word(d, "threads"), waits->threads, "thread");
    snprintf(word(d, "active"), WORD, "%.1f", active / f->elapsed);
}

static void mvar(const struct facts *f, struct draft *d)
{
    take_turns(f, d, HECTIC_LOCK_MVAR);
}

static void stm(const struct facts *f, struct draft *d)
{
    take_turns(f, d, HECTIC_LOCK_STM);
}

static void black_hole(const struct facts *f, struct draft *d)
{
    const double waited = spent(f, HECTIC_THREAD_BLACK_HOLE);
    if (f->idle * f->caps * f->elapsed < waited / 2) return;
    d->value = d->importance = ratio(waited, own_time(f));
}

static void yields(const struct facts *f, struct draft *d)
{
    enum { SOME = 1000 };
    if (!f->threads || f->caps == 0) return;
    /* In such a loop most of the time may pass between threads. */
    const double ready =
        (spent(f, HECTIC_THREAD_RUNNING) + spent(f, HECTIC_THREAD_RUNNABLE)) / f->elapsed;
    if (ready < 0.5) return;
    /* A collection on another cap makes a thread stop as if it yielded. */
    const double forced = (double)f->stat->pause.count * (f->caps - 1);
    const double count = (double)f->threads->yields - forced;
    if (count < SOME) return;
    d->value = f->running * f->elapsed / count;
    d->importance = least(ready / f->caps, 1) / 2;
    snprintf(word(d, "count"), WORD, "%.0f", count);
}

static void foreign(const struct facts *f, struct draft *d)
{
    const double inside = spent(f, HECTIC_THREAD_FOREIGN);
    if (f->idle < 0.5) return;
    d->value = ratio(inside, own_time(f) + inside);
    d->importance = f->idle / 5;
    share_word(word(d, "idle"), f->idle);
}

/* " Threads were blocked on MVars or in STM for 40 % of their time, and waited for timers or I/O
 * for 30 % of it.": where they spent more than a fifth, at most three. */
static void put_states(const struct facts *f, char states[WORD])
{
    const double outside = f->threads ? (double)f->threads->outside_ns : 0;
    const double locks = spent(f, HECTIC_THREAD_MVAR) + spent(f, HECTIC_THREAD_MVAR_READ) +
                         spent(f, HECTIC_THREAD_STM) - outside;
    const double others = spent(f, HECTIC_THREAD_DELAY) + spent(f, HECTIC_THREAD_IO) + outside;
    /* Waits for timers and I/O are known as such when they end, which may be after the interval. */
    const bool is_part = f->input->is_part;
    const struct {
        const char *what;
        double ns;
    } states_of[] = {
        {"were blocked on MVars or in STM, or waited for timers or I/O,",
         is_part ? locks + others : 0},
        {"were blocked on MVars or in STM", is_part ? 0 : locks},
        {"waited for timers or I/O", is_part ? 0 : others},
        {"were in foreign calls", spent(f, HECTIC_THREAD_FOREIGN)},
    };
    enum { KINDS = sizeof states_of / sizeof *states_of };
    const double all = own_time(f) + spent(f, HECTIC_THREAD_FOREIGN);
    size_t last = KINDS, length = 0;
    char share[WORD];
    *states = 0;
    for (size_t i = 0; i < KINDS; i++)
        if (all > 0 && states_of[i].ns >= all / 5) last = i;
    for (size_t i = 0; i <= last && last < KINDS; i++) {
        if (states_of[i].ns < all / 5) continue;
        const char *before = length == 0 ? " Threads" : i == last ? " and" : ",";
        length += (size_t)snprintf(states + length, WORD - length, "%s %s for %.20s%s", before,
                                   states_of[i].what, share_word(share, states_of[i].ns / all),
                                   length == 0 ? " of their time" : "");
    }
    if (length > 0) strcpy(states + length, ".");
}

static void idle(const struct facts *f, struct draft *d)
{
    const bool *other = f->applies;
    if (f->caps == 0 || other[RULE_yields] || other[RULE_cap_balance] || other[RULE_runnable] ||
        other[RULE_never_woken] || other[RULE_mvar] || other[RULE_stm] || other[RULE_foreign])
        return;
    d->value = f->idle;
    d->importance = f->idle / 10;
    put_states(f, word(d, "states"));
}

/* --- Sparks ---------------------------------------------------------------------------------- */

static void some_sparks(const struct facts *f, struct draft *d, uint64_t some)
{
    const hectic_stat_sparks *s = &f->stat->sparks;
    const double all = (double)s->created + (double)s->dud + (double)s->overflowed;
    if (!f->stat->has_sparks || all < 100 || f->stat->caps < 2) return;
    d->value = ratio((double)some, all);
    d->importance = d->value / 2;
    snprintf(word(d, "count"), WORD, "%.0f", all);
}

static void sparks_overflowed(const struct facts *f, struct draft *d)
{
    some_sparks(f, d, f->stat->sparks.overflowed);
}

static void sparks_dud(const struct facts *f, struct draft *d)
{
    some_sparks(f, d, f->stat->sparks.dud);
}

static void sparks_fizzled(const struct facts *f, struct draft *d)
{
    some_sparks(f, d, f->stat->sparks.fizzled);
}

static void sparks_collected(const struct facts *f, struct draft *d)
{
    some_sparks(f, d, f->stat->sparks.gcd);
}

static void sparks_small(const struct facts *f, struct draft *d)
{
    const uint64_t converted = f->stat->sparks.converted;
    double running = 0;
    if (!f->stat->has_sparks || !f->stat->has_threads || converted < 1000) return;
    for (uint32_t i = 0; i < f->stat->caps; i++)
        running += (double)f->stat->cap[i].running_ns;
    d->value = running / (double)converted;
    d->importance = least(1000 * (double)converted / (f->elapsed * f->stat->caps), 1);
    snprintf(word(d, "count"), WORD, "%" PRIu64, converted);
}

/* --- The heap, and profiles ------------------------------------------------------------------ */

static void fragmentation(const struct facts *f, struct draft *d)
{
    enum { LARGE = 64 << 20 };
    const hectic_stat_result *r = f->stat;
    if (!r->has_fragmentation || !r->has_heap_size || r->heap_max < LARGE) return;
    d->value = ratio((double)r->fragmentation_max, (double)r->heap_max);
    d->importance = d->value / 5;
    size_word(word(d, "free"), (double)r->fragmentation_max);
    size_word(word(d, "heap"), (double)r->heap_max);
}

/* Printable, in quotes, and cut at the end of a character. */
static void label_word(char word[WORD], const char *label)
{
    const size_t length = strlen(label), cut = text_cut(label, length, WORD - 8);
    snprintf(word, WORD, "\"%.*s%s\"", (int)cut, label, cut < length ? "..." : "");
}

/* The band that grows most of those that rise steadily. */
struct band {
    const hectic_heap_totals *totals;
    uint32_t node;
    double growth, at_peak;
};

static bool take_band(void *user, const hectic_heap_band_stats *band)
{
    struct band *most = user;
    if (band->node <= HECTIC_STACKS_OTHERS || band->growth <= most->growth ||
        !hectic_heap_line_of(most->totals, band->course).is_steady)
        return true;
    most->node = band->node;
    most->growth = band->growth;
    most->at_peak = (double)band->at_peak;
    return true;
}

/* Between the first and the last sample. */
static double growth_in_all(const hectic_heap_totals *totals, double growth)
{
    if (!totals->kind->has_times) return growth * (double)(totals->samples - 1);
    return growth * (double)(totals->last - totals->first) / 1e9;
}

/* The bands of a profile by type of closure that begin with one of some names. */
struct kind {
    const hectic_heap_profile *profile;
    const char *const *names; /* ends with NULL */
    double *course;           /* their bytes at each point of the profile */
    uint32_t points;
    uint64_t most; /* bytes of the largest of these bands, at its largest */
    uint32_t node; /* of the largest band */
};

static bool add_kind(void *user, const hectic_heap_band_stats *band)
{
    struct kind *kind = user;
    char label[64];
    hectic_band_text(hectic_heap_profile_stacks(kind->profile),
                     hectic_heap_profile_symbols(kind->profile), band->node, label, sizeof label);
    bool is_one = false;
    for (const char *const *name = kind->names; *name; name++)
        is_one = is_one || strncmp(label, *name, strlen(*name)) == 0;
    if (!is_one) return true;
    for (uint32_t i = 0; i < kind->points; i++)
        kind->course[i] += (double)band->course[i];
    if (band->max > kind->most) {
        kind->most = band->max;
        kind->node = band->node;
    }
    return true;
}

/* What they take of the heap when they take most. */
static void put_kind(struct draft *d, const hectic_heap_totals *totals, const struct kind *kind)
{
    enum { SOME = 4 << 20 };
    uint32_t most = 0;
    char label[256];
    for (uint32_t i = 1; i < kind->points; i++)
        if (kind->course[i] > kind->course[most]) most = i;
    const double whole = (double)totals->course[most];
    const double share = ratio(kind->course[most], whole);
    if (kind->course[most] < SOME || whole < (double)totals->peak / 4 || share <= d->value) return;
    d->words = 0;
    d->value = share;
    d->importance = 1;
    d->has_time = totals->kind->has_times;
    d->from = totals->course_time[most];
    d->to = most + 1 < kind->points ? totals->course_time[most + 1] : totals->last + 1;
    size_word(word(d, "size"), whole);
    hectic_band_text(hectic_heap_profile_stacks(kind->profile),
                     hectic_heap_profile_symbols(kind->profile), kind->node, label, sizeof label);
    label_word(word(d, "label"), label);
}

static void kind_of_closure(const struct facts *f, struct draft *d, const char *const *names)
{
    const hectic_heap_profile *profile = f->input->heap;
    for (uint32_t i = 0; profile && i < hectic_heap_profile_count(profile); i++) {
        hectic_heap_totals totals;
        hectic_heap_profile_totals(profile, i, &totals);
        if (totals.kind->breakdown != HECTIC_BREAKDOWN_CLOSURE_TYPE || totals.points == 0) continue;
        struct kind kind = {.profile = profile,
                            .names = names,
                            .course = calloc(totals.points, sizeof *kind.course),
                            .points = totals.points};
        if (kind.course && hectic_heap_profile_each(profile, i, add_kind, &kind))
            put_kind(d, &totals, &kind);
        else
            d->failed = true;
        free(kind.course);
    }
}

static void thunks(const struct facts *f, struct draft *d)
{
    enum { INFO_TABLES_SINCE = 902 };
    static const char *const names[] = {"THUNK", "AP", NULL};
    kind_of_closure(f, d, names);
    if (d->words > 0)
        strcpy(word(d, "more"), f->stat->ghc >= INFO_TABLES_SINCE
                                    ? " Where they were made: ghc -finfo-table-map, +RTS -hi."
                                    : "");
}

static void stack_growth(const struct facts *f, struct draft *d)
{
    static const char *const names[] = {"STACK", NULL};
    kind_of_closure(f, d, names);
}

static void heap_band(const struct facts *f, struct draft *d)
{
    const hectic_heap_profile *profile = f->input->heap;
    char label[256];
    for (uint32_t i = 0; profile && i < hectic_heap_profile_count(profile); i++) {
        hectic_heap_totals totals;
        hectic_heap_profile_totals(profile, i, &totals);
        struct band most = {.totals = &totals};
        if (!hectic_heap_profile_each(profile, i, take_band, &most)) d->failed = true;
        const double growth = growth_in_all(&totals, most.growth);
        if (growth <= d->value || growth < (double)totals.peak / 10) continue;
        const double share = ratio(most.at_peak, (double)totals.peak);
        d->words = 0;
        d->value = growth;
        d->importance = least(share, 0.95);
        hectic_band_text(hectic_heap_profile_stacks(profile), hectic_heap_profile_symbols(profile),
                         most.node, label, sizeof label);
        label_word(word(d, "label"), label);
        share_word(word(d, "share"), share);
    }
}

/* "main.go" of Main */
static void put_symbol(struct draft *d, const hectic_symbol *symbol)
{
    char label[64], *text = word(d, "label");
    label_word(text, hectic_symbol_text(symbol, label, sizeof label));
    const size_t length = strlen(text);
    if (symbol->module) snprintf(text + length, WORD - length, " of %.40s", symbol->module);
}

static void cost_centre_of(const struct facts *f, struct draft *d, hectic_time_source source)
{
    enum { TICKS_MIN = 50 };
    hectic_time_profile *profile = f->input->time;
    hectic_time_totals totals;
    size_t count;
    if (!hectic_time_profile_totals(profile, source, &totals)) {
        d->failed = true;
        return;
    }
    const double own = (double)totals.all.samples[HECTIC_TIME_OWN];
    if (own < TICKS_MIN) return;
    hectic_symbol_time *times = hectic_time_profile_symbol_times(profile, source, &count);
    const hectic_symbols *symbols = hectic_time_profile_symbols(profile);
    if (!times) d->failed = true;
    for (size_t i = 0; times && i < count; i++) {
        const hectic_symbol symbol = hectic_symbols_get(symbols, times[i].symbol);
        if (hectic_time_kind_of(&symbol) != HECTIC_TIME_OWN) continue;
        d->value = d->importance = (double)times[i].own[HECTIC_TIME_TICKS] / own;
        put_symbol(d, &symbol);
        break;
    }
    free(times);
}

static void cost_centre(const struct facts *f, struct draft *d)
{
    for (unsigned source = 0; f->input->time && source < HECTIC_TIME_SOURCES && d->value <= 0;
         source++)
        cost_centre_of(f, d, (hectic_time_source)source);
}

static void unrecorded(const struct facts *f, struct draft *d)
{
    const hectic_gaps *gaps = &f->stat->gaps;
    const bool off = gaps->switched_off > 0, dropped = gaps->dropped_places > 0;
    const bool lost = gaps->lost_places > 0;
    d->value = ratio((double)f->stat->unrecorded_ns, f->all);
    d->importance = 1;
    strcpy(word(d, "cause"), off + dropped + lost != 1
                                 ? "Logging, or that of threads or collections, was off, or events "
                                   "were dropped or lost,"
                             : off     ? "Logging, or that of threads or collections, was off"
                             : dropped ? "Events were dropped"
                                       : "Events were lost in damaged bytes");
}

static void lost_events(const struct facts *f, struct draft *d)
{
    const hectic_gaps *gaps = &f->stat->gaps;
    d->value = (double)gaps->dropped_events;
    d->importance = ratio(d->value, d->value + (double)f->input->events);
    if (f->input->events == 0 || d->importance < 0.05) d->importance = 0.05;
    count_word(word(d, "places"), gaps->dropped_places, "place");
}

/* --- What rules need -------------------------------------------------------------------------- */

enum evidence {
    NEEDS_COLLECTIONS = 1,
    NEEDS_GENERATIONS = 2,
    NEEDS_THREADS = 4,
    NEEDS_IDLE = 8, /* how long caps were idle */
    NEEDS_REQUESTS = 16,
    NEEDS_SPARKS = 32,
    NEEDS_FRAGMENTATION = 64,
    NEEDS_HEAP = 128,  /* a heap profile */
    NEEDS_TYPES = 256, /* one by type of closure */
    NEEDS_VALUE = 512, /* it is not 0 if there is anything to measure */
    NEEDS_NO_CENSUS = 1024,
};

static bool has_types(const struct facts *f)
{
    const hectic_heap_profile *heap = f->input->heap;
    for (uint32_t i = 0; heap && i < hectic_heap_profile_count(heap); i++) {
        hectic_heap_totals totals;
        hectic_heap_profile_totals(heap, i, &totals);
        if (totals.kind->breakdown == HECTIC_BREAKDOWN_CLOSURE_TYPE && totals.points > 0)
            return true;
    }
    return false;
}

static unsigned lacking(const struct facts *f, const struct draft *d)
{
    const hectic_stat_result *r = f->stat;
    return (r->has_gc ? 0 : NEEDS_COLLECTIONS) | (f->g ? 0 : NEEDS_GENERATIONS) |
           (r->has_threads && f->threads ? 0 : NEEDS_THREADS) | (f->caps > 0 ? 0 : NEEDS_IDLE) |
           (r->has_safepoint || r->caps < 2 ? 0 : NEEDS_REQUESTS) |
           (r->has_sparks ? 0 : NEEDS_SPARKS) |
           (r->has_fragmentation && r->has_heap_size ? 0 : NEEDS_FRAGMENTATION) |
           (f->input->heap ? 0 : NEEDS_HEAP) | (has_types(f) ? 0 : NEEDS_TYPES) |
           (d->value > 0 ? 0 : NEEDS_VALUE) | (f->input->has_heap_samples ? NEEDS_NO_CENSUS : 0);
}

bool verdict_is_known(enum rule rule, const struct facts *facts, const struct draft *draft)
{
    enum { STATES = NEEDS_THREADS | NEEDS_IDLE };
    static const unsigned needs[RULES] = {
        [RULE_thunks] = NEEDS_TYPES,
        [RULE_stack_growth] = NEEDS_TYPES,
        [RULE_gc_growth] = NEEDS_COLLECTIONS,
        [RULE_heap_band] = NEEDS_HEAP,
        [RULE_live_growth] = NEEDS_COLLECTIONS,
        [RULE_allocation_area] = NEEDS_GENERATIONS,
        [RULE_old_generation] = NEEDS_GENERATIONS,
        [RULE_gc_time] = NEEDS_COLLECTIONS,
        [RULE_long_pause] = NEEDS_COLLECTIONS | NEEDS_NO_CENSUS,
        [RULE_safepoint] = NEEDS_REQUESTS,
        [RULE_gc_balance] = NEEDS_GENERATIONS,
        [RULE_cap_balance] = NEEDS_THREADS,
        [RULE_yields] = STATES,
        [RULE_runnable] = STATES,
        [RULE_never_woken] = STATES,
        [RULE_thread_growth] = NEEDS_THREADS,
        [RULE_mvar] = STATES,
        [RULE_stm] = STATES,
        [RULE_black_hole] = STATES,
        [RULE_sparks_overflowed] = NEEDS_SPARKS,
        [RULE_sparks_dud] = NEEDS_SPARKS,
        [RULE_sparks_fizzled] = NEEDS_SPARKS,
        [RULE_sparks_collected] = NEEDS_SPARKS,
        [RULE_sparks_small] = NEEDS_SPARKS | NEEDS_THREADS,
        [RULE_fragmentation] = NEEDS_FRAGMENTATION,
        [RULE_foreign] = STATES,
        [RULE_idle] = NEEDS_IDLE,
        [RULE_cost_centre] = NEEDS_VALUE,
    };
    return !(needs[rule] & lacking(facts, draft));
}

/* --- All of them ----------------------------------------------------------------------------- */

void verdict_measure(enum rule rule, const struct facts *facts, struct draft *draft)
{
    static void (*const measure[RULES])(const struct facts *, struct draft *) = {
#define HECTIC_RULE(name, ...) name,
#include "verdict/verdicts.def"
#undef HECTIC_RULE
    };
    measure[rule](facts, draft);
}
