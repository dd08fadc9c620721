/* live_stats_heap.c — see live_stats_heap.h. Samples are much more frequent than requests for the
 * latest one: bands are sorted and named when it is requested. */
#include "stat/live_stats_heap.h"

#include "numbers/saturating.h"

#include <stdlib.h>
#include <string.h>

enum { SYMBOL_MEMORY = 32 << 20, NAME_SIZE = 4096, BEGIN_SIZE = 2048 };

struct live_heap {
    hectic_heap_samples *samples;
    hectic_event begin; /* the latest HEAP_PROF_BEGIN, without its declared type */
    uint8_t begin_payload[BEGIN_SIZE];
    bool has_sample, is_named;
    hectic_breakdown breakdown; /* of the latest sample */
    uint64_t time;
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

static hectic_heap_samples *new_samples(struct live_heap *h)
{
    const hectic_heap_samples_options options = {.symbol_limit = SYMBOL_MEMORY};
    return hectic_heap_samples_new(&options, keep, h);
}

struct live_heap *live_heap_new(void)
{
    struct live_heap *h = calloc(1, sizeof *h);
    if (h) h->samples = new_samples(h);
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
            saturating_add(&others, band->bytes);
        else if (!add(h, band->node, band->bytes))
            return false;
    }
    if (others > 0 && !add(h, HECTIC_STACKS_OTHERS, others)) return false;
    qsort(h->named, h->names, sizeof *h->named, by_size);
    return h->is_named = true;
}

/* Those in SYNC events are here as well: live_stats.c unwraps them. */
static void keep_begin(struct live_heap *h, const hectic_event *event)
{
    if (event->size > BEGIN_SIZE) return;
    h->begin = *event;
    h->begin.payload = memcpy(h->begin_payload, event->payload, event->size);
}

static bool is_full(const struct live_heap *h)
{
    return h->breakdown != HECTIC_BREAKDOWN_COST_CENTRE &&
           h->breakdown != HECTIC_BREAKDOWN_INFO_TABLE &&
           hectic_heap_samples_warnings(h->samples).omitted > 0;
}

/* Forgets all labels, except the names of the latest sample. */
static bool renew(struct live_heap *h)
{
    if (h->has_sample && !h->is_named && !name_bands(h)) return false;
    hectic_heap_samples *fresh = new_samples(h);
    if (!fresh) return false;
    hectic_heap_samples_free(h->samples);
    h->samples = fresh;
    return h->begin.size == 0 || hectic_heap_samples_event(fresh, &h->begin);
}

bool live_heap_event(struct live_heap *h, const hectic_event *event)
{
    if (event->type == HECTIC_EVENT_HEAP_PROF_BEGIN) keep_begin(h, event);
    if (event->type == HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN && is_full(h) && !renew(h)) return false;
    return hectic_heap_samples_event(h->samples, event);
}

bool live_heap_latest(struct live_heap *h, hectic_live_stats_sample *sample)
{
    *sample = (hectic_live_stats_sample){0};
    if (!h->has_sample || (!h->is_named && !name_bands(h))) return false;
    *sample = (hectic_live_stats_sample){
        .time = h->time, .breakdown = h->breakdown, .bands = h->names, .band = h->named};
    return true;
}
