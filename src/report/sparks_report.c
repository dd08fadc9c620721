/* sparks_report.c — see sparks_report.h. */
#include "report/sparks_report.h"

static hectic_spark_counts counts_between(const hectic_spark_counts *a,
                                          const hectic_spark_counts *b)
{
    return (hectic_spark_counts){b->created - a->created,
                                 b->converted - a->converted,
                                 b->overflowed - a->overflowed,
                                 b->dud - a->dud,
                                 b->gcd - a->gcd,
                                 b->fizzled - a->fizzled};
}

void sparks_put_numbers(struct cell cell[SPARKS_COLUMNS], bool by_events, const hectic_spark_cap *a,
                        const hectic_spark_cap *b, uint64_t length, bool is_slice)
{
    struct cell *next = cell + SPARKS_FIRST_NUMBER;
    const hectic_spark_counts counts = by_events ? counts_between(&a->events, &b->events)
                                                 : counts_between(&a->counters, &b->counters);
    const uint64_t numbers[] = {counts.created + counts.overflowed + counts.dud,
                                counts.created,
                                counts.converted,
                                counts.overflowed,
                                counts.dud,
                                counts.gcd,
                                counts.fizzled};
    const bool known = by_events || b->has_counters;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *next++ = cell_if(known, numbers[i]);
    *next++ = cell_if(by_events, b->run - a->run);
    *next++ = cell_if(by_events, b->stolen - a->stolen);
    *next++ = cell_if(by_events, b->lost - a->lost);
    *next++ = cell_number(b->pool);
    /* Unknown for slices: it is the maximum since the beginning. */
    *next++ = cell_if(!is_slice, b->pool_max);
    const uint64_t left = b->left - a->left;
    *next++ = cell_if(by_events && left > 0, left ? (b->waited - a->waited) / left : 0);
    *next++ = cell_if(by_events, b->eval - a->eval);
    *next = cell_share(length ? (double)(b->eval - a->eval) / (double)length : 0);
    next->known = by_events;
}

void sparks_put_durations(struct cell cell[SPARKS_DURATION_COLUMNS],
                          const hectic_histogram *durations)
{
    const bool any = durations->count > 0;
    cell[0] = cell_number(durations->count);
    cell[1] = cell_if(any, any ? durations->sum / durations->count : 0);
    static const double shares[] = {0.5, 0.9, 0.99, 1};
    for (size_t i = 0; i < 4; i++)
        cell[2 + i] = cell_if(any, hectic_histogram_quantile(durations, shares[i]));
}

static void add_counts(hectic_spark_counts *sum, const hectic_spark_counts *part)
{
    sum->created += part->created;
    sum->converted += part->converted;
    sum->overflowed += part->overflowed;
    sum->dud += part->dud;
    sum->gcd += part->gcd;
    sum->fizzled += part->fizzled;
}

void sparks_add_cap(hectic_spark_cap *sum, const hectic_spark_cap *cap, bool by_events)
{
    const hectic_spark_counts *counts = by_events ? &cap->events : &cap->counters;
    add_counts(&sum->counters, counts);
    add_counts(&sum->events, counts);
    sum->has_counters |= by_events;
    sum->has_counters |= cap->has_counters;
    sum->run += cap->run;
    sum->stolen += cap->stolen;
    sum->lost += cap->lost;
    sum->pool += cap->pool;
    sum->waited += cap->waited;
    sum->left += cap->left;
    sum->eval += cap->eval;
    sum->counter_resets += cap->counter_resets;
}
