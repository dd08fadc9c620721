/* distributions.c — see distributions.h. */
#include "tool/verbs/compare/distributions.h"

#include "base/text.h"
#include "compare/number_sources.h"

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

/* --- Runs of a baseline ---------------------------------------------------------------------- */

/* The values of a bucket are about equally far apart. */
static bool add_bucket(hectic_histogram *histogram, const struct sketch_bucket *bucket)
{
    enum { PARTS = 4 };
    double width;
    const double edge = sketch_edge(bucket->place, &width);
    bool done = true;
    for (uint32_t i = 0; i < PARTS && done; i++)
        done = histogram_add_many(histogram, (uint64_t)(edge + width * (i + 0.5) / PARTS),
                                  ((uint64_t)bucket->count + i) / PARTS);
    return done;
}

static bool add_sketch(hectic_histogram *histogram, const struct sketch *sketch)
{
    bool done = true;
    for (size_t i = 0; i < sketch->blocks; i++)
        for (uint32_t j = 0; j < sketch->block[i].buckets && done; j++)
            done = add_bucket(histogram, &sketch->block[i].bucket[j]);
    return done;
}

/* The label in span("label"), without \ before " and \. False: it is another name. */
static bool read_label(char label[NUMBER_NAME_MAX], const char *name)
{
    static const char begin[] = "span(\"";
    if (!text_begins(name, begin) || strlen(name) >= NUMBER_NAME_MAX) return false;
    for (name += sizeof begin - 1; *name && *name != '"'; name++) {
        if (*name == '\\' && name[1]) name++;
        *label++ = *name;
    }
    *label = 0;
    return true;
}

bool distributions_add_run(struct distributions *distributions, const struct run *run)
{
    char label[NUMBER_NAME_MAX];
    bool done = true;
    for (const struct run_sketch *s = NULL; done && (s = map_next(&run->sketches, s));)
        if (strcmp(s->name, "gc.pause") == 0) {
            done = add_sketch(&distributions->pauses[distributions->side], &s->sketch);
        } else if (read_label(label, s->name)) {
            struct span_durations *found = find_label(distributions, label);
            done = found ? add_sketch(&found->side[distributions->side], &s->sketch)
                         : distributions->omits_labels;
        }
    return done;
}

/* --------------------------------------------------------------------------------------------- */

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
