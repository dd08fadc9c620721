/* slices.c — the profile of each slice of time. Samples may come in any order: each slice keeps the
 * weights of its cost centres. */
#include "tool/cli/message.h"
#include "tool/verbs/prof/prof.h"

#include "base/map.h"
#include "numbers/saturating.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENTRIES_MAX = 1 << 20, /* slices times their cost centres */
    ROWS_MAX = 10000000,
};

struct entry {
    map_key key; /* symbol (see no_symbol), and slice plus 1 */
    uint64_t samples, weight;
};

struct source {
    map entries;
    uint64_t samples, first, last; /* slices */
};

struct prof_slices {
    const struct prof_settings *settings;
    struct interval interval;
    hectic_time_samples *samples;
    struct source source[HECTIC_TIME_SOURCES];
    bool are_too_many;
};

/* The key of a node without a symbol, which is below 2. */
static uint32_t no_symbol(uint32_t node)
{
    return HECTIC_NO_SYMBOL - node;
}

static bool take(void *user, const hectic_time_sample *sample)
{
    struct prof_slices *s = user;
    const struct prof_settings *settings = s->settings;
    if (settings->cap.is_set && sample->cap != settings->cap.number) return true;
    if (sample->time < s->interval.from || sample->time >= s->interval.to) return true;
    struct source *source = &s->source[sample->source];
    const hectic_stacks *stacks = hectic_time_samples_stacks(s->samples, sample->source);
    const uint64_t slice = (sample->time - s->interval.from) / settings->every;
    const uint32_t symbol = hectic_stacks_nodes(stacks)[sample->node].symbol;
    const map_key key = {symbol == HECTIC_NO_SYMBOL ? no_symbol(sample->node) : symbol, 1 + slice};
    struct entry *entry = map_find(&source->entries, key);
    if (!entry && source->entries.count >= ENTRIES_MAX) return s->are_too_many = true, false;
    if (!entry) entry = map_add(&source->entries, key);
    if (!entry) return false;
    entry->samples++;
    const uint64_t weight = settings->weight == HECTIC_TIME_TICKS ? 1 : sample->since;
    saturating_add(&entry->weight, weight);
    if (source->samples++ == 0 || slice < source->first) source->first = slice;
    if (slice > source->last) source->last = slice;
    return true;
}

struct prof_slices *prof_slices_new(const struct prof_settings *settings,
                                    const struct interval *interval)
{
    struct prof_slices *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->settings = settings;
    s->interval = *interval;
    for (size_t i = 0; i < HECTIC_TIME_SOURCES; i++)
        s->source[i].entries = (map){.entry_size = sizeof(struct entry), .unsorted = true};
    s->samples = hectic_time_samples_new(1, 0, 0, take, s);
    if (s->samples) return s;
    prof_slices_free(s);
    return NULL;
}

void prof_slices_free(struct prof_slices *s)
{
    if (!s) return;
    hectic_time_samples_free(s->samples);
    for (size_t i = 0; i < HECTIC_TIME_SOURCES; i++)
        map_clear(&s->source[i].entries);
    free(s);
}

bool prof_slices_event(struct prof_slices *s, const hectic_event *event)
{
    return hectic_time_samples_event(s->samples, event);
}

hectic_time_warnings prof_slices_warnings(const struct prof_slices *s)
{
    return hectic_time_samples_warnings(s->samples);
}

bool prof_slices_are_too_many(const struct prof_slices *s)
{
    return s->are_too_many;
}

/* --- Rows ------------------------------------------------------------------------------------ */

static int by_slice(const void *a, const void *b)
{
    const struct entry *const x = a, *const y = b;
    if (x->key.b != y->key.b) return x->key.b < y->key.b ? -1 : 1;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return x->key.a < y->key.a ? -1 : x->key.a > y->key.a;
}

struct row {
    uint64_t samples, all, kind[HECTIC_TIME_KINDS];
    const struct entry *top; /* of the program's own; NULL: none */
};

static void add_entry(const struct prof_view *view, struct row *row, const struct entry *entry)
{
    const hectic_symbol symbol = hectic_symbols_get(view->report.symbols, (uint32_t)entry->key.a);
    const hectic_time_kind kind = hectic_time_kind_of(&symbol);
    row->samples += entry->samples;
    saturating_add(&row->all, entry->weight);
    saturating_add(&row->kind[kind], entry->weight);
    if (kind == HECTIC_TIME_OWN && !row->top) row->top = entry;
}

static bool put_row(const struct prof_slices *s, const struct prof_view *view, uint64_t slice,
                    const struct row *row, struct table *table, struct sink *sink)
{
    const uint64_t every = s->settings->every, from = s->interval.from + slice * every;
    const uint64_t to = slice_end(from, every, s->interval.to);
    struct prof_frame frame = {0};
    const uint32_t top = row->top ? (uint32_t)row->top->key.a : 0;
    if (row->top && top >= no_symbol(HECTIC_STACKS_OTHERS))
        prof_node(&view->report, HECTIC_NO_SYMBOL - top, &frame);
    else if (row->top)
        prof_symbol(&view->report, top, &frame);
    const struct cell cells[] = {
        cell_number(view->report.section),
        cell_number(from),
        cell_number(to),
        cell_number(row->samples),
        cell_part(row->kind[HECTIC_TIME_OWN], row->all),
        cell_part(row->kind[HECTIC_TIME_GC], row->all),
        cell_part(row->kind[HECTIC_TIME_IDLE], row->all),
        cell_part(row->kind[HECTIC_TIME_SYSTEM], row->all),
        cell_part(saturating_sum(row->kind[HECTIC_TIME_OVERHEAD], row->kind[HECTIC_TIME_DONT_CARE]),
                  row->all),
        cell_text(frame.label),
        cell_text(frame.module),
        row->top ? cell_part(row->top->weight, row->all) : cell_unknown(),
    };
    return table_row(table, sink, cells) && !sink_failed(sink);
}

static bool put_source(struct prof_slices *s, const struct prof_view *view, struct entry *entry,
                       struct table *table, struct sink *sink)
{
    struct source *source = &s->source[view->report.source];
    size_t count = 0, at = 0;
    for (const struct entry *e = NULL; (e = map_next(&source->entries, e));)
        entry[count++] = *e;
    qsort(entry, count, sizeof *entry, by_slice);
    for (uint64_t slice = source->first; slice <= source->last; slice++) {
        struct row row = {0};
        for (; at < count && entry[at].key.b == 1 + slice; at++)
            add_entry(view, &row, &entry[at]);
        if (!put_row(s, view, slice, &row, table, sink)) return false;
    }
    return true;
}

bool prof_slices_put(struct prof_slices *s, size_t section, struct table *table, struct sink *sink,
                     bool *any)
{
    const bool has_ticks = s->source[HECTIC_TIME_COST_CENTRES].samples > 0;
    const struct prof_view view = {
        .settings = s->settings,
        .report = {.section = section,
                   .source = s->settings->source == PROF_EITHER
                                 ? (has_ticks ? HECTIC_TIME_COST_CENTRES : HECTIC_TIME_CALL_STACKS)
                                 : s->settings->source - PROF_COST_CENTRES,
                   .is_text = prof_is_text(s->settings),
                   .symbols = hectic_time_samples_symbols(s->samples)},
    };
    const struct source *source = &s->source[view.report.source];
    if (source->samples == 0) return true;
    *any = true;
    if (source->last - source->first >= ROWS_MAX) return s->are_too_many = true, false;
    struct entry *entry = malloc(source->entries.count * sizeof *entry);
    if (!entry) tool_message("out of memory");
    const bool done = entry && put_source(s, &view, entry, table, sink);
    free(entry);
    return done;
}
