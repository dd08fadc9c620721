/* live_stats_heap.c — see live_stats_heap.h. Samples come much more often than somebody asks for
 * the latest: only then, its bands are sorted and get names. */
#include "analysis/live_stats_heap.h"

#include "analysis/amount.h"

#include <stdlib.h>
#include <string.h>

enum { SYMBOL_MEMORY = 32 << 20, NAME_SIZE = 4096 };

struct live_heap {
    hectic_heap_samples *samples;
    bool has_sample, is_named;
    uint64_t time;
    hectic_breakdown breakdown;
    hectic_heap_band *band; /* of the latest sample; sorted if they have names */
    size_t bands, capacity;
    hectic_live_stats_band *named; /* of the maximum size; names are allocated */
    uint32_t names;
};

static bool keep(void *user, const hectic_heap_sample *sample)
{
    struct live_heap *h = user;
    if (sample->bands > h->capacity) {
        hectic_heap_band *grown = realloc(h->band, 2 * sample->bands * sizeof *grown);
        if (!grown) return false;
        h->band = grown;
        h->capacity = 2 * sample->bands;
    }
    if (sample->bands > 0) memcpy(h->band, sample->band, sample->bands * sizeof *h->band);
    h->bands = sample->bands;
    h->time = sample->time;
    h->breakdown = sample->kind->breakdown;
    h->has_sample = true;
    h->is_named = false;
    return true;
}

struct live_heap *live_heap_new(void)
{
    const hectic_heap_samples_options options = {.symbol_limit = SYMBOL_MEMORY};
    struct live_heap *h = calloc(1, sizeof *h);
    if (h) h->samples = hectic_heap_samples_new(&options, keep, h);
    if (h && h->samples) return h;
    free(h);
    return NULL;
}

static void forget_names(struct live_heap *h)
{
    while (h->names > 0)
        free((char *)h->named[--h->names].name);
}

void live_heap_free(struct live_heap *h)
{
    if (!h) return;
    forget_names(h);
    free(h->named);
    free(h->band);
    hectic_heap_samples_free(h->samples);
    free(h);
}

bool live_heap_event(struct live_heap *h, const hectic_event *event)
{
    return hectic_heap_samples_event(h->samples, event);
}

static int by_bytes(const void *a, const void *b)
{
    const hectic_heap_band *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static int by_size(const void *a, const void *b)
{
    const hectic_live_stats_band *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

static bool add(struct live_heap *h, uint32_t node, uint64_t bytes)
{
    char name[NAME_SIZE];
    hectic_band_name(hectic_heap_samples_stacks(h->samples),
                     hectic_heap_samples_symbols(h->samples), node, name, sizeof name);
    char *copy = strdup(name);
    if (copy) h->named[h->names++] = (hectic_live_stats_band){copy, bytes};
    return copy != NULL;
}

/* The largest bands, and the others as one. */
static bool name_bands(struct live_heap *h)
{
    uint64_t others = 0;
    forget_names(h);
    if (!h->named) h->named = calloc(HECTIC_LIVE_STATS_BANDS, sizeof *h->named);
    if (!h->named) return false;
    if (h->bands > 0) qsort(h->band, h->bands, sizeof *h->band, by_bytes);
    for (size_t i = 0; i < h->bands; i++) {
        const hectic_heap_band *band = &h->band[i];
        if (h->names == HECTIC_LIVE_STATS_BANDS - 1 || band->node == HECTIC_STACKS_OTHERS)
            amount_add(&others, band->bytes);
        else if (!add(h, band->node, band->bytes))
            return false;
    }
    if (others > 0 && !add(h, HECTIC_STACKS_OTHERS, others)) return false;
    qsort(h->named, h->names, sizeof *h->named, by_size);
    return h->is_named = true;
}

bool live_heap_latest(struct live_heap *h, hectic_live_stats_sample *sample)
{
    *sample = (hectic_live_stats_sample){0};
    if (!h->has_sample || (!h->is_named && !name_bands(h))) return false;
    *sample = (hectic_live_stats_sample){
        .time = h->time, .breakdown = h->breakdown, .bands = h->names, .band = h->named};
    return true;
}
