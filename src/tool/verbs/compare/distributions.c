/* distributions.c — see distributions.h. */
#include "tool/verbs/compare/distributions.h"

#include <stdlib.h>
#include <string.h>

/* False: out of memory. */
static bool take_pause(void *user, const hectic_row *row)
{
    struct distributions *distributions = user;
    uint64_t ns;
    return !hectic_row_number(row, distributions->pause, &ns) ||
           hectic_histogram_add(&distributions->pauses[distributions->side], ns);
}

/* NULL: out of memory, or the label is left out. */
static struct span_durations *find_label(struct distributions *distributions, const char *label)
{
    const size_t length = strlen(label);
    distributions->spans.entry_size = sizeof(struct span_durations);
    struct span_durations *found = map_find_bytes(&distributions->spans, 0, label, length);
    if (found) return found;
    if (distributions->spans.count == DISTRIBUTION_LABELS) {
        distributions->omits_labels = true;
        return NULL;
    }
    found = map_add_bytes(&distributions->spans, 0, label, length);
    if (found && !(found->label = strdup(label))) {
        map_remove(&distributions->spans, found);
        return NULL;
    }
    return found;
}

static bool take_span(void *user, const hectic_row *row)
{
    struct distributions *distributions = user;
    const char *label = hectic_row_text(row, distributions->label);
    uint64_t ns;
    if (!label || !hectic_row_number(row, distributions->duration, &ns)) return true;
    struct span_durations *found = find_label(distributions, label);
    if (found) return hectic_histogram_add(&found->side[distributions->side], ns);
    return distributions->omits_labels;
}

void distribution_tables(struct distributions *distributions,
                         struct several_table table[DISTRIBUTION_TABLES])
{
    const hectic_table *pauses = hectic_table_find("gc");
    const hectic_table *spans = hectic_table_find("spans_each");
    distributions->pause = hectic_table_column_find(pauses, "pause_ns");
    distributions->label = hectic_table_column_find(spans, "label");
    distributions->duration = hectic_table_column_find(spans, "duration_ns");
    table[0] = (struct several_table){.table = pauses, .take = take_pause, .user = distributions};
    table[1] = (struct several_table){.table = spans, .take = take_span, .user = distributions};
}

static uint64_t longest_total(const struct span_durations *span)
{
    const uint64_t old = span->side[SIDE_OLD].sum, new = span->side[SIDE_NEW].sum;
    return old > new ? old : new;
}

static int by_total(const void *a, const void *b)
{
    const struct span_durations *x = a, *y = b;
    const uint64_t p = longest_total(x), q = longest_total(y);
    return p != q ? (p < q ? 1 : -1) : strcmp(x->label, y->label);
}

struct span_durations *const *distribution_spans(const struct distributions *distributions)
{
    return (struct span_durations *const *)map_sorted(&distributions->spans, by_total);
}

void distributions_clear(struct distributions *distributions)
{
    for (struct span_durations *span = NULL; (span = map_next(&distributions->spans, span));) {
        free(span->label);
        for (enum side side = SIDE_OLD; side < SIDES; side++)
            hectic_histogram_clear(&span->side[side]);
    }
    map_clear(&distributions->spans);
    for (enum side side = SIDE_OLD; side < SIDES; side++)
        hectic_histogram_clear(&distributions->pauses[side]);
    *distributions = (struct distributions){0};
}
