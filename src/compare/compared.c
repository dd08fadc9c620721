/* compared.c — see compared.h. */
#include "compare/compared.h"

#include "base/text.h"
#include "render/units.h"

#include <stdio.h>
#include <string.h>

static bool find_causes(struct compared *compared)
{
    struct causes *causes = &compared->causes;
    bool done = causes_of_time(causes, &compared->old, &compared->new);
    for (size_t i = 0; i < compared->comparison.count && done; i++) {
        const char *name = compared->comparison.change[i].name;
        if (text_begins(name, "span(") && text_ends(name, "\").mean_ns"))
            done = causes_of_span(causes, name, &compared->old, &compared->new);
    }
    return done;
}

bool compared_make(struct compared *compared)
{
    return comparison_make(&compared->comparison, &compared->old, &compared->new) &&
           find_causes(compared);
}

void compared_clear(struct compared *compared)
{
    causes_clear(&compared->causes);
    comparison_clear(&compared->comparison);
    runs_clear(&compared->old);
    runs_clear(&compared->new);
}

/* --- Rows ------------------------------------------------------------------------------------ */

static const char *unit_of(hectic_column_kind kind)
{
    switch (kind) {
    case HECTIC_COLUMN_NS: return "ns";
    case HECTIC_COLUMN_BYTES: return "bytes";
    case HECTIC_COLUMN_COUNT: return "count";
    case HECTIC_COLUMN_SHARE: return "share";
    default: return "real";
    }
}

/* A number, as a text that is in `out`. */
static struct cell real_cell(char out[COMPARE_VALUE], bool known, double value)
{
    units_exact(out, value);
    return (struct cell){.known = known, .number = 1, .text = out};
}

void compare_row(union compare_row *row, struct compare_texts *texts, const struct change *change)
{
    double part = 0;
    const bool has_part = change_part(change, change->shift.estimate, &part);
    const bool is_both = change->old.count > 0 && change->new.count > 0;
    const bool has_interval = is_both && change->shift.has_interval;
    const bool is_tested = change->class == NUMBER_NOISY && change->shift.has_interval;
    snprintf(texts->name, sizeof texts->name, "%s", change->name);
    *row = (union compare_row){
        .number = cell_text(texts->name),
        .unit = cell_text(unit_of(change->kind)),
        .old = real_cell(texts->old, change->old.count > 0, change->old_median),
        .new = real_cell(texts->new, change->new.count > 0, change->new_median),
        .change = real_cell(texts->change, is_both, change->shift.estimate),
        .shift = real_cell(texts->shift, has_interval, change->hodges_lehmann),
        .low = real_cell(texts->low, has_interval, change->shift.low),
        .high = real_cell(texts->high, has_interval, change->shift.high),
        .part = real_cell(texts->part, is_both && has_part, part),
        .p = real_cell(texts->p, is_tested, change->p),
        .certainty = cell_text(compare_certainty(change->certainty)),
        .old_runs = cell_number(change->old.count),
        .new_runs = cell_number(change->new.count),
    };
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void put_verdict(struct json *json, const struct compared *compared)
{
    struct compare_verdict verdict;
    compare_verdict(&verdict, compared);
    json_open(json, "verdict", '[');
    for (size_t i = 0; i < verdict.count; i++)
        json_text(json, NULL, verdict.sentence[i]);
    json_close(json, ']');
}

static void put_changes(struct json *json, const struct comparison *comparison)
{
    json_open(json, "compare", '[');
    for (size_t i = 0; i < comparison->count; i++) {
        union compare_row row;
        struct compare_texts texts;
        compare_row(&row, &texts, &comparison->change[i]);
        cells_put(json, compare_columns, row.cells, false);
    }
    json_close(json, ']');
}

static void put_causes(struct json *json, const struct causes *causes)
{
    json_open(json, "causes", '[');
    for (size_t i = 0; i < causes->count; i++) {
        const struct cause *cause = &causes->cause[i];
        char value[COMPARE_VALUE];
        const union compare_causes_row row = {.number = cell_text(cause->of),
                                              .part = cell_text(cause->part),
                                              .change = real_cell(value, true, cause->ns),
                                              .within = cell_number(cause->is_within)};
        cells_put(json, compare_causes_columns, row.cells, false);
    }
    json_close(json, ']');
}

void compared_put(struct json *json, const struct compared *compared)
{
    put_verdict(json, compared);
    json_number(json, "old_runs", true, compared->comparison.old_runs);
    json_number(json, "new_runs", true, compared->comparison.new_runs);
    json_text(json, "per", *compared->per ? compared->per : NULL);
    put_changes(json, &compared->comparison);
    put_causes(json, &compared->causes);
    compare_put_findings(json, &compared->comparison);
}
