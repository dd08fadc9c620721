/* comparison.c — see comparison.h. */
#include "compare/comparison.h"

#include "base/array.h"
#include "compare/corrections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double certain_p = 0.05; /* after the correction */
static const double steady_window = 0.01;
static const double smallest_part = 0.005; /* of a noisy number: less is no difference */
static const double large_share = 0.05;    /* of the total time or memory, at least */

enum { CHANGE_NAME_MAX = 700 };

/* --- The numbers of both sides --------------------------------------------------------------- */

/* The numbers that are there. */
struct numbers {
    struct comparison *comparison;
    map places; /* of struct place, by their names */
    size_t capacity, room;
};

struct place {
    map_key key;
    size_t place; /* in the comparison, from 1 */
};

/* Numbers per unit are not steady, since a part of each number is there once in a run. */
static enum number_class class_of(const struct run_number *number, bool is_divided)
{
    const enum number_class class = number_class(number->name, number->kind);
    if (!is_divided || class == NUMBER_LEFT_OUT) return class;
    return number_is_extreme(number->name) ? NUMBER_LEFT_OUT : NUMBER_NOISY;
}

/* NULL: out of memory. */
static struct change *change_of(struct numbers *numbers, const struct run_number *number,
                                enum number_class class)
{
    struct comparison *comparison = numbers->comparison;
    struct place *place = map_add_bytes(&numbers->places, 0, number->name, strlen(number->name));
    if (!place) return NULL;
    if (place->place > 0) return &comparison->change[place->place - 1];
    double *values = malloc(numbers->room * sizeof *values);
    if (!values || !array_reserve(comparison->change, numbers->capacity, comparison->count + 1))
        return free(values), NULL;
    struct change *change = &comparison->change[comparison->count++];
    *change = (struct change){
        .name = number->name, .kind = number->kind, .class = class, .p = 1, .values = values};
    place->place = comparison->count;
    return change;
}

static bool add_number(struct numbers *numbers, const struct run_number *number,
                       enum number_class class, bool is_new)
{
    if (class == NUMBER_LEFT_OUT || !isfinite(number->value)) return true;
    struct change *change = change_of(numbers, number, class);
    if (!change) return false;
    change->values[change->old.count + change->new.count] = number->value;
    if (is_new)
        change->new.count++;
    else
        change->old.count++;
    change->old.value = change->values;
    change->new.value = change->values + change->old.count;
    return true;
}

static bool add_runs(struct numbers *numbers, const struct runs *runs, bool are_new)
{
    for (size_t i = 0; i < runs->count; i++)
        for (const struct run_number *n = NULL; (n = map_next(&runs->run[i].numbers, n));)
            if (!add_number(numbers, n, class_of(n, runs->is_divided), are_new)) return false;
    return true;
}

/* --- Statistics ------------------------------------------------------------------------------ */

static bool find_median(const struct sample *sample, double *median)
{
    struct shift found;
    if (!sample_median(sample, &found)) return false;
    *median = found.estimate;
    return true;
}

static size_t fewer_of(const struct change *change)
{
    return change->old.count < change->new.count ? change->old.count : change->new.count;
}

/* No number that cannot be negative falls by more than it is. */
static void set_interval(struct change *change, const struct shift *shift)
{
    double old_low, new_low, high;
    sample_range(&change->old, &old_low, &high);
    sample_range(&change->new, &new_low, &high);
    const double least = old_low >= 0 && new_low >= 0 ? -change->old_median : -HUGE_VAL;
    change->shift = (struct shift){change->new_median - change->old_median, fmax(shift->low, least),
                                   fmax(shift->high, least), shift->has_interval};
}

static bool measure(struct change *change)
{
    if (!find_median(&change->old, &change->old_median) ||
        !find_median(&change->new, &change->new_median))
        return false;
    change->shift = (struct shift){.estimate = change->new_median - change->old_median};
    if (change->class == NUMBER_STEADY || fewer_of(change) < INDICATIVE_RUNS) return true;
    struct shift shift;
    if (!rank_shift(&change->old, &change->new, &shift) ||
        !rank_test(&change->old, &change->new, &change->p))
        return false;
    change->hodges_lehmann = shift.estimate;
    set_interval(change, &shift);
    return true;
}

/* The quantiles of a distribution: how they differ follows from the values of all runs. Those of
 * the family that can be certain are compared by ranks, as its others. */
static bool measure_quantiles(struct comparison *comparison, const char *name,
                              const struct sketch *const *side[2], const size_t runs[2])
{
    static const char *const words[] = {"p50_ns", "p90_ns", "p99_ns"};
    struct quantile_shift quantile[] = {{.share = 0.5}, {.share = 0.9}, {.share = 0.99}};
    char whole[CHANGE_NAME_MAX];
    if (!sketch_compare(side[0], runs[0], side[1], runs[1], quantile, 3)) return false;
    for (size_t i = 0; i < 3; i++) {
        snprintf(whole, sizeof whole, "%s.%s", name, words[i]);
        struct change *change = (struct change *)comparison_find(comparison, whole);
        if (!change || fewer_of(change) < INDICATIVE_RUNS || number_headline(whole)) continue;
        change->old_median = quantile[i].old;
        change->new_median = quantile[i].new;
        change->hodges_lehmann = quantile[i].new - quantile[i].old;
        set_interval(change, &quantile[i].shift);
        change->p = quantile[i].p;
    }
    return true;
}

/* The sketches of that name. Returns how many runs have it. */
static size_t find_sketches(const struct runs *runs, const char *name, const struct sketch **sketch)
{
    size_t found = 0;
    for (size_t i = 0; i < runs->count; i++)
        if ((sketch[found] = run_find_sketch(&runs->run[i], name))) found++;
    return found;
}

static bool measure_distributions(struct comparison *comparison, const struct runs *old,
                                  const struct runs *new)
{
    const struct sketch **sketch = calloc(old->count + new->count + 1, sizeof *sketch);
    const struct sketch *const *const side[] = {sketch, sketch + old->count};
    bool done = sketch;
    const struct run *first = old->count > 0 ? &old->run[0] : NULL;
    for (const struct run_sketch *s = NULL; done && first && (s = map_next(&first->sketches, s));) {
        const size_t runs[] = {find_sketches(old, s->name, sketch),
                               find_sketches(new, s->name, sketch + old->count)};
        if (runs[0] >= INDICATIVE_RUNS && runs[1] >= INDICATIVE_RUNS)
            done =
                measure_quantiles(comparison, s->name, (const struct sketch *const **)side, runs);
    }
    free(sketch);
    return done;
}

static bool can_be_certain(const struct change *change)
{
    return change->class == NUMBER_NOISY && number_headline(change->name) &&
           fewer_of(change) >= CERTAIN_RUNS;
}

static bool can_be_indicative(const struct change *change)
{
    return change->class == NUMBER_NOISY && !can_be_certain(change) &&
           fewer_of(change) >= INDICATIVE_RUNS;
}

/* Corrects the p of those that `is_member` names. */
static bool correct(struct comparison *comparison, bool (*is_member)(const struct change *),
                    bool (*by)(double *p, size_t count))
{
    double *p = malloc((comparison->count + 1) * sizeof *p);
    size_t count = 0;
    if (!p) return false;
    for (size_t i = 0; i < comparison->count; i++)
        if (is_member(&comparison->change[i])) p[count++] = comparison->change[i].p;
    const bool done = by(p, count);
    count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (is_member(&comparison->change[i])) comparison->change[i].p = p[count++];
    free(p);
    return done;
}

/* A steady number differs if its medians are further apart than a window, and its ranges than they
 * are wide. */
static bool is_steady_change(const struct change *change)
{
    double old_low, old_high, new_low, new_high;
    sample_range(&change->old, &old_low, &old_high);
    sample_range(&change->new, &new_low, &new_high);
    const double width = fmax(old_high - old_low, new_high - new_low);
    const double gap = fmax(new_low - old_high, old_low - new_high);
    const double window = steady_window * fmax(fabs(change->old_median), fabs(change->new_median));
    const bool is_count = change->kind == HECTIC_COLUMN_COUNT;
    return fabs(change->shift.estimate) > window + (is_count ? 1 : 0) && gap > width;
}

static bool is_visible(const struct change *change)
{
    double part;
    return !change_part(change, change->shift.estimate, &part) || fabs(part) >= smallest_part;
}

static enum certainty certainty_of(const struct comparison *comparison, const struct change *change)
{
    double part;
    if (fewer_of(change) == 0) return DIFFERENCE_ONE_SIDE;
    if (comparison->is_cut) return DIFFERENCE_NONE;
    const bool is_steady = change->class == NUMBER_STEADY;
    if (is_steady && comparison_suffices(comparison, change, false))
        return is_steady_change(change) ? DIFFERENCE_CERTAIN : DIFFERENCE_NONE;
    if (!is_steady && change->p <= certain_p && is_visible(change))
        return can_be_certain(change) ? DIFFERENCE_CERTAIN : DIFFERENCE_INDICATIVE;
    const bool is_large = fewer_of(change) < INDICATIVE_RUNS && number_headline(change->name) &&
                          change->share >= large_share &&
                          change_part(change, change->shift.estimate, &part) &&
                          fmax(part, -part / (1 + part)) > number_noise(change->name);
    return is_large ? DIFFERENCE_LARGE : DIFFERENCE_NONE;
}

/* --- Order ----------------------------------------------------------------------------------- */

static double median_named(const struct comparison *comparison, const char *name)
{
    const struct change *change = comparison_find(comparison, name);
    return change ? fmax(change->old_median, change->new_median) : 0;
}

/* The mean, in proportions, of the difference as a part of the number, and of the total time or
 * memory. Numbers without a total of their kind matter less; steady ones come before what follows
 * from them. */
static void weigh(struct comparison *comparison)
{
    const double time = median_named(comparison, "time.total_ns");
    const double heap = median_named(comparison, "memory.heap_max_bytes");
    const double allocated = median_named(comparison, "memory.allocated_bytes");
    for (size_t i = 0; i < comparison->count; i++) {
        struct change *change = &comparison->change[i];
        const bool is_flow = strcmp(change->name, "memory.allocated_bytes") == 0 ||
                             strcmp(change->name, "memory.copied_bytes") == 0;
        const bool is_time = change->kind == HECTIC_COLUMN_NS;
        const double whole = is_time                               ? time
                             : change->kind != HECTIC_COLUMN_BYTES ? 0
                             : is_flow                             ? allocated
                                                                   : heap;
        const double larger = fmax(fabs(change->old_median), fabs(change->new_median));
        const double part = larger > 0 ? fabs(change->shift.estimate) / larger : 0;
        change->share = whole > 0 ? fabs(change->shift.estimate) / whole : 0;
        change->weight = sqrt(part * (whole > 0 ? change->share : part / 100)) *
                         (change->class == NUMBER_STEADY ? 1.5 : 1);
    }
}

static int by_importance(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->certainty != y->certainty) return x->certainty < y->certainty ? -1 : 1;
    const bool x_leads = number_headline(x->name), y_leads = number_headline(y->name);
    if (x_leads != y_leads) return x_leads ? -1 : 1;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* --- The comparison -------------------------------------------------------------------------- */

static bool make(struct comparison *comparison, const struct runs *old, const struct runs *new)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (!measure(&comparison->change[i])) return false;
    if (!measure_distributions(comparison, old, new)) return false;
    if (!correct(comparison, can_be_certain, correct_by_holm) ||
        !correct(comparison, can_be_indicative, correct_by_false_discoveries))
        return false;
    weigh(comparison);
    for (size_t i = 0; i < comparison->count; i++)
        comparison->change[i].certainty = certainty_of(comparison, &comparison->change[i]);
    qsort(comparison->change, comparison->count, sizeof *comparison->change, by_importance);
    return true;
}

static bool are_parallel(const struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        if (run_find(&runs->run[i], "caps[1].present_ns")) return true;
    return false;
}

/* May a timer have caused collections? Idle GC does after 0.3 s, and a heap profile's censuses are
 * collections. */
static bool are_timed(const struct runs *runs)
{
    enum { IDLE_GC_NS = 300000000 };
    for (size_t i = 0; i < runs->count; i++) {
        const struct run_number *idle = run_find(&runs->run[i], "caps[0].idle_ns");
        if (!idle || idle->value >= IDLE_GC_NS || run_has_beginning(&runs->run[i], "heap("))
            return true;
    }
    return false;
}

static bool are_cut(const struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        if (!runs->run[i].is_cut) return false;
    return runs->count > 0;
}

bool comparison_make(struct comparison *comparison, const struct runs *old, const struct runs *new)
{
    struct numbers numbers = {.comparison = comparison,
                              .places = {.entry_size = sizeof(struct place), .unsorted = true},
                              .room = old->count + new->count};
    *comparison = (struct comparison){.old_runs = old->count, .new_runs = new->count};
    comparison->is_parallel = are_parallel(old) || are_parallel(new);
    comparison->is_timed = are_timed(old) || are_timed(new);
    comparison->is_cut = are_cut(old) || are_cut(new);
    const bool done = add_runs(&numbers, old, false) && add_runs(&numbers, new, true);
    map_clear(&numbers.places);
    return done && make(comparison, old, new);
}

void comparison_clear(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++)
        free(comparison->change[i].values);
    free(comparison->change);
    *comparison = (struct comparison){0};
}

const struct change *comparison_find(const struct comparison *comparison, const char *name)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (strcmp(comparison->change[i].name, name) == 0) return &comparison->change[i];
    return NULL;
}

bool comparison_suffices(const struct comparison *comparison, const struct change *change,
                         bool new_only)
{
    const size_t runs = new_only ? change->new.count : fewer_of(change);
    if (comparison->is_cut) return false;
    if (change->class == NUMBER_NOISY) return runs >= CERTAIN_RUNS;
    const bool varies =
        comparison->is_parallel || (comparison->is_timed && number_is_of_collections(change->name));
    return runs >= (varies ? SPREAD_RUNS : 1);
}

bool change_part(const struct change *change, double difference, double *part)
{
    if (difference == 0) return *part = 0, true;
    *part = difference / change->old_median;
    return change->old_median > 0 && change->old.count > 0;
}
