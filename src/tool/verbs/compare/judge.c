/* judge.c — conditions on a comparison: on the new runs, or on the change. */
#include "tool/verbs/compare/compare.h"

#include "tool/cli/message.h"

/* What a condition is about, with an interval of 95 %. */
struct estimate {
    double value, low, high;
};

/* Steady numbers have the range of what the runs have; noisy ones an interval of 95 %. */
static void estimate_range(const struct change *change, bool is_change, struct estimate *estimate)
{
    double old_low = 0, old_high = 0, new_low, new_high;
    if (is_change) sample_range(&change->old, &old_low, &old_high);
    sample_range(&change->new, &new_low, &new_high);
    *estimate = (struct estimate){change->new_median - (is_change ? change->old_median : 0),
                                  new_low - old_high, new_high - old_low};
}

/* False: out of memory. */
static bool estimate_of(const struct condition *condition, const struct change *change,
                        struct estimate *estimate)
{
    struct shift shift = change->shift;
    if (change->class == NUMBER_NOISY && !condition->is_change &&
        !sample_median(&change->new, &shift))
        return false;
    if (change->class == NUMBER_STEADY)
        estimate_range(change, condition->is_change, estimate);
    else
        *estimate = (struct estimate){shift.estimate, shift.low, shift.high};
    const double whole = condition->is_part ? change->old_median : 1;
    /* Of no old value, a difference of 0 is a part of 0. */
    estimate->value = estimate->value == 0 ? 0 : estimate->value / whole;
    estimate->low = estimate->low == 0 ? 0 : estimate->low / whole;
    estimate->high = estimate->high == 0 ? 0 : estimate->high / whole;
    return true;
}

static enum outcome outcome_of(const struct condition *condition, const struct estimate *estimate)
{
    const bool holds = condition_holds(condition, estimate->value);
    const bool low = condition_holds(condition, estimate->low);
    const bool high = condition_holds(condition, estimate->high);
    if (low == high && low == holds) return holds ? OUTCOME_PASSED : OUTCOME_FAILED;
    return OUTCOME_UNCERTAIN;
}

/* False: out of memory. */
static bool judge(const struct comparison *comparison, struct judgement *judgement, bool strict)
{
    const struct condition *condition = judgement->condition;
    const struct change *change = comparison_find(comparison, condition->name);
    struct estimate estimate = {0};
    double part;
    const char *const cut = "cannot decide: the runs of a side are cut short";
    judgement->outcome = change && comparison->is_cut ? OUTCOME_UNDECIDED : OUTCOME_UNKNOWN;
    judgement->note = change && comparison->is_cut ? cut : "the runs do not have it";
    if (!change || change->new.count == 0 || (condition->is_change && change->old.count == 0))
        return true;
    if (condition->is_part && !change_part(change, change->shift.estimate, &part)) return true;
    if (!estimate_of(condition, change, &estimate)) return false;
    judgement->has_value = true;
    judgement->note = NULL;
    judgement->value = estimate.value;
    if (!comparison_suffices(comparison, change, !condition->is_change)) {
        judgement->outcome = OUTCOME_UNDECIDED;
        judgement->note = comparison->is_cut ? cut : "cannot decide: too few runs";
        return true;
    }
    judgement->outcome = outcome_of(condition, &estimate);
    if (judgement->outcome != OUTCOME_UNCERTAIN) return true;
    judgement->note = "not certain: the interval has values of both kinds";
    if (strict) judgement->outcome = OUTCOME_FAILED;
    return true;
}

bool compare_judge(struct judged *judged, const struct conditions *conditions, bool strict)
{
    for (size_t i = 0; i < conditions->count; i++) {
        struct judgement judgement = {.condition = &conditions->condition[i]};
        if (!judge(&judged->compared.comparison, &judgement, strict)) tool_out_of_memory();
        if (!judgements_add(&judged->judgements, &judgement)) return false;
    }
    return true;
}
