/* compared_text.c — the numbers and sentences of hectic compare. */
#include "compare/compared.h"

#include "render/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Numbers --------------------------------------------------------------------------------- */

void compare_value(char out[COMPARE_VALUE], hectic_column_kind kind, double value)
{
    const uint64_t whole = value > 0 && value < 0x1p63 ? (uint64_t)(value + 0.5) : 0;
    switch (kind) {
    case HECTIC_COLUMN_NS: units_put(out, (double)whole, UNITS_NS, UNITS_THREE, false); break;
    case HECTIC_COLUMN_BYTES: units_put(out, (double)whole, UNITS_BYTES, UNITS_THREE, false); break;
    case HECTIC_COLUMN_COUNT: group_number(out, whole); break;
    case HECTIC_COLUMN_SHARE: snprintf(out, COMPARE_VALUE, "%.1f%%", 100 * value); break;
    default: snprintf(out, COMPARE_VALUE, "%.3g", value); break;
    }
}

void compare_difference(char out[COMPARE_VALUE], hectic_column_kind kind, double difference)
{
    char value[COMPARE_VALUE];
    compare_value(value, kind, fabs(difference));
    snprintf(out, COMPARE_VALUE, "%c%.60s", difference < 0 ? '-' : '+', value);
}

int compare_name_length(const struct change *change)
{
    const bool has_unit = change->kind == HECTIC_COLUMN_NS || change->kind == HECTIC_COLUMN_BYTES;
    return (int)(has_unit ? column_bare_length(change->name) : strlen(change->name));
}

const char *compare_certainty(enum certainty certainty)
{
    static const char *const words[] = {"certain", "indicative", "large", "one_side", "none"};
    return words[certainty];
}

void compare_part(char out[COMPARE_VALUE], const struct change *change, double difference)
{
    double part;
    if (!change_part(change, difference, &part))
        snprintf(out, COMPARE_VALUE, "N/A");
    else if (fabs(part) < 9.995)
        snprintf(out, COMPARE_VALUE, "%+.1f%%", 100 * part);
    else
        snprintf(out, COMPARE_VALUE, "%+.0f%%", part < 1e6 ? 100 * part : 1e8);
}

/* --- Sentences ------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void say(struct compare_verdict *verdict,
                                                      const char *format, ...)
{
    va_list arguments;
    if (verdict->count == VERDICT_MAX) return;
    va_start(arguments, format);
    vsnprintf(verdict->sentence[verdict->count++], SENTENCE_MAX, format, arguments);
    va_end(arguments);
}

/* "The total time fell by 18.2% (2.31s to 1.89s)." */
static void say_change(struct compare_verdict *verdict, const struct change *change)
{
    char old[COMPARE_VALUE], new[COMPARE_VALUE], part[COMPARE_VALUE], name[SENTENCE_MAX / 2];
    const char *phrase = number_headline(change->name);
    const bool rose = change->shift.estimate > 0;
    snprintf(name, sizeof name, "%.*s", compare_name_length(change), change->name);
    compare_value(old, change->kind, change->old_median);
    compare_value(new, change->kind, change->new_median);
    compare_part(part, change, change->shift.estimate);
    const bool has_part = *part == '+' || *part == '-';
    say(verdict, "%s %s%s%s (%s to %s).", phrase ? phrase : name, rose ? "rose" : "fell",
        has_part ? " by " : "", has_part ? part + 1 : "", old, new);
}

static size_t count_of(const struct comparison *comparison, enum certainty certainty)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        count += comparison->change[i].certainty == certainty;
    return count;
}

static bool are_equal(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct change *change = &comparison->change[i];
        if (change->old.count != change->new.count) return false;
        for (size_t j = 0; j < change->old.count; j++)
            if (change->old.value[j] != change->new.value[j]) return false;
    }
    return true;
}

static void say_certain(struct compare_verdict *verdict, const struct comparison *comparison)
{
    enum { SHOWN = 5 };
    const size_t certain = count_of(comparison, DIFFERENCE_CERTAIN);
    for (size_t i = 0; i < certain && i < SHOWN; i++)
        say_change(verdict, &comparison->change[i]);
    const char *these = certain == 1 ? "This is certain" : "These are certain";
    if (certain > SHOWN)
        say(verdict, "%zu differences are certain, from %zu and %zu runs.", certain,
            comparison->old_runs, comparison->new_runs);
    else if (certain > 0)
        say(verdict, "%s, from %zu and %zu runs.", these, comparison->old_runs,
            comparison->new_runs);
    else
        say(verdict, "No difference is certain, from %zu and %zu runs.", comparison->old_runs,
            comparison->new_runs);
}

/* How many numbers are of a certainty, and the first ones of them, as far as their names fit. */
static void say_which(struct compare_verdict *verdict, const struct comparison *comparison,
                      enum certainty certainty, const char *one, const char *several)
{
    enum { NAMED = 3 };
    char names[SENTENCE_MAX / 2] = "";
    const size_t count = count_of(comparison, certainty);
    size_t named = 0, length = 0;
    for (size_t i = 0; i < comparison->count && named < NAMED; i++) {
        const struct change *change = &comparison->change[i];
        if (change->certainty != certainty) continue;
        const int size = compare_name_length(change);
        if (length + (size_t)size + sizeof ", " > sizeof names) break;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%.*s",
                                   named++ > 0 ? ", " : "", size, change->name);
    }
    char more[32] = "";
    if (named > 0 && named < count) snprintf(more, sizeof more, " and %zu more", count - named);
    if (count > 0)
        say(verdict, "%zu %s%s%s%s.", count, count == 1 ? one : several, named > 0 ? ": " : "",
            names, more);
}

static void say_others(struct compare_verdict *verdict, const struct comparison *comparison)
{
    say_which(verdict, comparison, DIFFERENCE_INDICATIVE,
              "difference is indicative (about one in twenty of these is due to chance)",
              "differences are indicative (about one in twenty of these is due to chance)");
    say_which(verdict, comparison, DIFFERENCE_LARGE,
              "number differs by more than it usually does between equal runs",
              "numbers differ by more than they usually do between equal runs");
}

static void say_runs(struct compare_verdict *verdict, const struct comparison *comparison)
{
    const size_t old = comparison->old_runs, new = comparison->new_runs;
    const size_t fewer = old < new ? old : new;
    if (fewer == 1)
        say(verdict,
            "%s: a total time that differs by less than a factor of %g, and other times by less "
            "than %g, cannot be told from noise.",
            old == new ? "One run each" : "One run on a side", 1 + number_noise("time.total_ns"),
            1 + number_noise("gc.pause.max_ns"));
    if (fewer < CERTAIN_RUNS)
        say(verdict,
            "Differences of times can be certain from %d runs on each side: hectic run "
            "--repeat.",
            CERTAIN_RUNS);
}

/* Do the runs of a side become slower or faster in their order? */
static void say_drift(struct compare_verdict *verdict, const struct sample *side, const char *which)
{
    enum { DRIFT_RUNS = 8 };
    double p;
    const size_t half = side->count / 2;
    const struct sample early = {side->value, half},
                        late = {side->value + side->count - half, half};
    if (side->count >= DRIFT_RUNS && rank_test(&early, &late, &p) && p < 0.01)
        say(verdict,
            "The total time of the %s runs drifts with their order: the first half differs "
            "from the second.",
            which);
}

/* How far the total time of a run may be from the median before it counts as an outlier: five times
 * the standard deviation, which is estimated from the median distance, and at least a tenth. False:
 * out of memory. */
static bool find_limit(const struct sample *side, double *distance, double *limit)
{
    struct shift median, typical;
    if (!sample_median(side, &median)) return false;
    for (size_t i = 0; i < side->count; i++)
        distance[i] = fabs(side->value[i] - median.estimate);
    if (!sample_median(&(struct sample){distance, side->count}, &typical)) return false;
    *limit = fmax(5 * 1.4826 * typical.estimate, median.estimate / 10);
    return true;
}

static void say_outliers(struct compare_verdict *verdict, const struct sample *side,
                         const char *which)
{
    enum { OUTLIER_RUNS = 5 };
    double limit, *distance = malloc((side->count + 1) * sizeof *distance);
    size_t outliers = 0;
    const bool is_known =
        side->count >= OUTLIER_RUNS && distance && find_limit(side, distance, &limit);
    for (size_t i = 0; i < side->count && is_known; i++)
        outliers += distance[i] > limit;
    if (outliers == 1 && distance[0] > limit)
        say(verdict,
            "The total time of the first %s run is far from the others: hectic run "
            "--warmup leaves out first runs.",
            which);
    else if (outliers > 0)
        say(verdict, "The total time of %zu of %zu %s runs is far from the others.", outliers,
            side->count, which);
    free(distance);
}

static void say_cut(struct compare_verdict *verdict, const struct compared *compared)
{
    static const char *const sides[] = {"old", "new"};
    for (size_t i = 0; i < 2; i++)
        if (compared->left_out[i] > 0)
            say(verdict, "Left out, since they are cut short or have no events: %zu %s %s.",
                compared->left_out[i], sides[i], compared->left_out[i] == 1 ? "run" : "runs");
    if (compared->comparison.is_cut)
        say(verdict, "All runs of a side are cut short: totals and counts are those of a part, and "
                     "no difference is certain. --between compares parts that are whole.");
}

void compare_verdict(struct compare_verdict *verdict, const struct compared *compared)
{
    const struct comparison *comparison = &compared->comparison;
    const struct change *total = comparison_find(comparison, "time.total_ns");
    verdict->count = 0;
    if (are_equal(comparison)) {
        say(verdict, "No difference: all %zu numbers are equal, in %zu and %zu runs.",
            comparison->count, comparison->old_runs, comparison->new_runs);
        say_cut(verdict, compared);
        return;
    }
    say_certain(verdict, comparison);
    say_others(verdict, comparison);
    if (*compared->per) say(verdict, "Sums are divided by %s.", compared->per);
    say_cut(verdict, compared);
    say_runs(verdict, comparison);
    if (total) {
        say_outliers(verdict, &total->old, "old");
        say_outliers(verdict, &total->new, "new");
        say_drift(verdict, &total->old, "old");
        say_drift(verdict, &total->new, "new");
    }
}
