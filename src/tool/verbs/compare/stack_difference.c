/* stack_difference.c — see stack_difference.h. */
#include "tool/verbs/compare/stack_difference.h"

#include "results/profiles.h"
#include "results/reading.h"
#include "tool/verbs/export/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The union of trees ---------------------------------------------------------------------- */

/* The profile of a run, which is added to the sums. */
struct source {
    const hectic_symbols *symbols;
    const hectic_stacks *stacks;
    struct stack_sums *sums;
    uint32_t *node; /* of the sums, by node of the source */
};

/* False: out of memory. */
static bool prepare(struct stack_sums *sums)
{
    if (sums->stacks) return true;
    sums->symbols = hectic_symbols_new(0);
    sums->stacks = hectic_stacks_new(SIDES * STACK_WEIGHTS, 0);
    return sums->symbols && sums->stacks;
}

/* What is not defined is known by its number or address only, which another run does not have. */
static const char *name_of(const struct source *source, const hectic_stack_node *node,
                           char text[FRAME_NAME])
{
    const hectic_symbol symbol = hectic_symbols_get(source->symbols, node->symbol);
    return !symbol.name && !symbol.closure ? "(no name)" : frame_name(source->symbols, node, text);
}

/* The same symbol in the sums; HECTIC_NO_SYMBOL: there are too many. */
static uint32_t match(const struct source *source, const hectic_stack_node *node)
{
    char text[FRAME_NAME];
    const char *name = name_of(source, node, text);
    const char *place = hectic_symbols_get(source->symbols, node->symbol).location;
    const uint32_t symbol = hectic_symbols_label(source->sums->symbols, name, strlen(name));
    if (symbol != HECTIC_NO_SYMBOL && place)
        hectic_symbols_define(source->sums->symbols, symbol, name, NULL, place);
    return symbol;
}

static bool match_nodes(const struct source *source)
{
    const hectic_stack_node *node = hectic_stacks_nodes(source->stacks);
    source->node[HECTIC_STACKS_ROOT] = HECTIC_STACKS_ROOT;
    source->node[HECTIC_STACKS_OTHERS] = HECTIC_STACKS_OTHERS;
    for (uint32_t i = HECTIC_STACKS_OTHERS + 1; i < hectic_stacks_count(source->stacks); i++) {
        source->node[i] = hectic_stacks_child(source->sums->stacks, source->node[node[i].parent],
                                              match(source, &node[i]));
        if (source->node[i] == UINT32_MAX) return false;
    }
    return true;
}

/* Prepares to add the profile of a run; the caller frees source->node. False: out of memory. */
static bool source_begin(struct source *source, enum side side)
{
    source->node = malloc(hectic_stacks_count(source->stacks) * sizeof *source->node);
    source->sums->runs[side]++;
    return source->node && prepare(source->sums) && match_nodes(source);
}

/* --- Time ------------------------------------------------------------------------------------ */

static bool add_time(struct stack_difference *to, hectic_time_profile *profile,
                     hectic_time_source which)
{
    struct source source = {.symbols = hectic_time_profile_symbols(profile),
                            .stacks = hectic_time_profile_stacks(profile, which),
                            .sums = &to->kind[which]};
    hectic_time_totals totals;
    if (!hectic_time_profile_totals(profile, which, &totals)) return false;
    if (totals.samples == 0) return true;
    const bool done = source_begin(&source, to->side);
    for (uint32_t i = 0; i < hectic_stacks_count(source.stacks) && done; i++) {
        hectic_stacks_add(source.sums->stacks, source.node[i], stack_column(to->side, STACK_TICKS),
                          hectic_stacks_own(source.stacks, i, HECTIC_TIME_TICKS));
        hectic_stacks_add(source.sums->stacks, source.node[i], stack_column(to->side, STACK_NS),
                          hectic_stacks_own(source.stacks, i, HECTIC_TIME_NS));
    }
    free(source.node);
    return done;
}

/* --- Heap ------------------------------------------------------------------------------------ */

struct heap_adder {
    const struct source *source;
    enum side side;
};

static bool add_band(void *user, const hectic_heap_band_stats *band)
{
    const struct heap_adder *adder = user;
    hectic_stacks_add(adder->source->sums->stacks, adder->source->node[band->node],
                      stack_column(adder->side, STACK_BYTES), band->at_peak);
    return true;
}

static bool add_heap(struct stack_difference *to, const hectic_heap_profile *profile,
                     uint32_t number)
{
    struct source source = {.symbols = hectic_heap_profile_symbols(profile),
                            .stacks = hectic_heap_profile_stacks(profile)};
    struct heap_adder adder = {&source, to->side};
    hectic_heap_totals totals;
    hectic_heap_profile_totals(profile, number, &totals);
    source.sums = &to->kind[HECTIC_TIME_SOURCES + totals.kind->breakdown];
    const bool done = source_begin(&source, to->side) &&
                      hectic_heap_profile_each(profile, number, add_band, &adder);
    free(source.node);
    return done;
}

/* --- Reading --------------------------------------------------------------------------------- */

static bool begin(const struct reading *reading)
{
    const struct interval *interval = &reading->interval;
    const hectic_time_profile_options time = {.from = interval->from, .to = interval->to};
    const hectic_heap_profile_options heap = {
        .from = interval->from, .to = interval->to, .points = 2};
    return profiles_begin(reading->kept, &heap, &time);
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = profiles_event(reading->kept, &event[i]);
    return done;
}

static void finish(const struct reading *reading)
{
    profiles_clear(reading->kept);
}

static bool end(const struct reading *reading, uint64_t now)
{
    const struct profiles *profiles = reading->kept;
    struct stack_difference *to = reading->user;
    bool done = true;
    (void)now;
    for (unsigned i = 0; i < HECTIC_TIME_SOURCES && done; i++)
        done = add_time(to, profiles->time, (hectic_time_source)i);
    for (uint32_t i = 0; i < hectic_heap_profile_count(profiles->heap) && done; i++)
        done = add_heap(to, profiles->heap, i);
    finish(reading);
    return done;
}

struct several_table stack_difference_reader(struct stack_difference *stacks)
{
    static const struct reader reader = {.size = sizeof(struct profiles),
                                         .begin = begin,
                                         .events = events,
                                         .end = end,
                                         .finish = finish};
    return (struct several_table){.reader = &reader, .user = stacks};
}

void stack_difference_clear(struct stack_difference *stacks)
{
    for (unsigned i = 0; i < STACK_KINDS; i++) {
        hectic_symbols_free(stacks->kind[i].symbols);
        hectic_stacks_free(stacks->kind[i].stacks);
    }
    *stacks = (struct stack_difference){0};
}

void stack_kind_title(char title[STACK_TITLE], unsigned kind)
{
    if (kind < HECTIC_TIME_SOURCES)
        snprintf(title, STACK_TITLE, "time by %s",
                 kind == HECTIC_TIME_CALL_STACKS ? "call stack" : "cost centre");
    else
        snprintf(title, STACK_TITLE, "heap by %s",
                 hectic_breakdown_text((hectic_breakdown)(kind - HECTIC_TIME_SOURCES)));
}
