/* causes.c — see causes.h. */
#include "compare/causes.h"

#include "base/array.h"
#include "compare/number_sources.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 4, 5))) static bool add(struct causes *causes, const char *of,
                                                      double ns, const char *part, ...)
{
    va_list arguments;
    if (!array_reserve(causes->cause, causes->capacity, causes->count + 1)) return false;
    struct cause *cause = &causes->cause[causes->count++];
    *cause = (struct cause){.of = of, .ns = ns};
    va_start(arguments, part);
    vsnprintf(cause->part, sizeof cause->part, part, arguments);
    va_end(arguments);
    return true;
}

void causes_clear(struct causes *causes)
{
    free(causes->cause);
    *causes = (struct causes){0};
}

/* The mean of a number over the runs. False: a run does not have it. */
static bool mean_of(const struct runs *runs, const char *name, double *mean)
{
    *mean = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct run_number *number = run_find(&runs->run[i], name);
        if (!number) return false;
        *mean += number->value / (double)runs->count;
    }
    return runs->count > 0;
}

static bool means_of(const struct runs *old, const struct runs *new, const char *name,
                     double mean[2])
{
    return mean_of(old, name, &mean[0]) && mean_of(new, name, &mean[1]);
}

/* --- Time ------------------------------------------------------------------------------------ */

static bool add_parts_of_total(struct causes *causes, const struct runs *old,
                               const struct runs *new)
{
    static const char *const parts[][2] = {{"time.mutator_ns", "mutator"},
                                           {"time.gc_ns", "GC"},
                                           {"time.init_ns", "initialization"},
                                           {"time.exit_ns", "exit"},
                                           {"time.unrecorded_ns", "not recorded"}};
    double total[2], mean[2];
    if (!means_of(old, new, "time.total_ns", total)) return true;
    double rest = total[1] - total[0];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!means_of(old, new, parts[i][0], mean)) continue;
        rest -= mean[1] - mean[0];
        if (!add(causes, "time.total_ns", mean[1] - mean[0], "%s", parts[i][1])) return false;
    }
    return fabs(rest) < 1 || add(causes, "time.total_ns", rest, "other");
}

/* The difference of a product is that of the first factor at the mean of the second ones, and that
 * of the second factor at the mean of the first ones. */
static double part_of(const double factor[2], const double other[2])
{
    return (factor[1] - factor[0]) * (other[0] + other[1]) / 2;
}

static void divide(double quotient[2], const double number[2], const double by[2])
{
    for (size_t i = 0; i < 2; i++)
        quotient[i] = by[i] > 0 ? number[i] / by[i] : 0;
}

/* The collections of a generation, of both sides. */
struct generation {
    unsigned number;
    bool has_copied;
    double count[2], total[2], copied[2]; /* total: ns, copied: bytes, of all its collections */
};

/* " (each copied 2.6 times as much)"; empty if that is not known, or the same. */
static void say_copied(char out[64], const struct generation *g)
{
    double copied[2];
    divide(copied, g->copied, g->count);
    const double ratio = copied[0] > 0 ? copied[1] / copied[0] : 1;
    *out = 0;
    if (g->has_copied && fabs(ratio - 1) >= 0.01)
        snprintf(out, 64, " (each copied %.3g times as much)", ratio);
}

static bool add_generation(struct causes *causes, const struct generation *g)
{
    double length[2];
    char copied[64];
    divide(length, g->total, g->count);
    /* Pauses that one side does not have are not longer or shorter than the other's. */
    for (size_t i = 0; i < 2; i++)
        if (g->count[i] <= 0) length[i] = length[1 - i];
    say_copied(copied, g);
    return add(causes, "time.gc_ns", part_of(g->count, length), "%s collections of generation %u",
               g->count[1] < g->count[0] ? "fewer" : "more", g->number) &&
           (g->count[0] <= 0 || g->count[1] <= 0 ||
            add(causes, "time.gc_ns", part_of(length, g->count), "%s pauses of generation %u%s",
                length[1] < length[0] ? "shorter" : "longer", g->number, copied));
}

static bool find_generation(struct generation *g, const struct runs *old, const struct runs *new)
{
    char name[80];
    snprintf(name, sizeof name, "gc.generations[%u].copied_bytes", g->number);
    g->has_copied = means_of(old, new, name, g->copied);
    snprintf(name, sizeof name, "gc.generations[%u].pause.count", g->number);
    if (!means_of(old, new, name, g->count)) return false;
    snprintf(name, sizeof name, "gc.generations[%u].pause.total_ns", g->number);
    return means_of(old, new, name, g->total);
}

static bool add_parts_of_gc(struct causes *causes, const struct runs *old, const struct runs *new)
{
    enum { GENERATIONS = 64 };
    double time[2];
    struct generation g = {0};
    if (!means_of(old, new, "time.gc_ns", time)) return true;
    double rest = time[1] - time[0];
    for (; g.number < GENERATIONS && find_generation(&g, old, new); g.number++) {
        if (!add_generation(causes, &g)) return false;
        rest -= g.total[1] - g.total[0];
    }
    return fabs(rest) < 1 || add(causes, "time.gc_ns", rest, "other");
}

bool causes_of_time(struct causes *causes, const struct runs *old, const struct runs *new)
{
    return add_parts_of_total(causes, old, new) && add_parts_of_gc(causes, old, new);
}

/* --- Spans ----------------------------------------------------------------------------------- */

/* The mean time of a span in a state: its total in all runs by the number of spans. */
static bool state_mean(const struct runs *runs, const char *before, const char *state, double *mean)
{
    char name[NUMBER_NAME_MAX];
    double spans = 0, total = 0;
    for (size_t i = 0; i < runs->count; i++) {
        snprintf(name, sizeof name, "%scount", before);
        const struct run_number *number = run_find(&runs->run[i], name);
        spans += number ? number->value : 0;
        snprintf(name, sizeof name, "%sstates.%s_ns", before, state);
        number = run_find(&runs->run[i], name);
        total += number ? number->value : 0;
    }
    *mean = spans > 0 ? total / spans : 0;
    return total > 0;
}

bool causes_of_span(struct causes *causes, const char *of, const struct runs *old,
                    const struct runs *new)
{
    static const char *const states[][2] = {{"running", "running"},
                                            {"runnable", "runnable"},
                                            {"mvar", "blocked on an MVar"},
                                            {"mvar_read", "blocked in readMVar"},
                                            {"stm", "blocked in STM"},
                                            {"black_hole", "blocked on a black hole"},
                                            {"delay", "in threadDelay"},
                                            {"io", "waiting for I/O"},
                                            {"foreign_call", "in foreign calls"},
                                            {"throw_to", "blocked in throwTo"},
                                            {"other", "blocked for another reason"},
                                            {"unknown", "unknown"},
                                            {"gc", "GC within these"}};
    char before[NUMBER_NAME_MAX];
    snprintf(before, sizeof before, "%.*s", (int)(strlen(of) - strlen("mean_ns")), of);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        double mean[2];
        const bool has_old = state_mean(old, before, states[i][0], &mean[0]);
        const bool has_new = state_mean(new, before, states[i][0], &mean[1]);
        if (!has_old && !has_new) continue;
        if (!add(causes, of, mean[1] - mean[0], "%s", states[i][1])) return false;
        causes->cause[causes->count - 1].is_within = strcmp(states[i][0], "gc") == 0;
    }
    return true;
}
