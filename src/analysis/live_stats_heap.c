/* live_stats_heap.c — see live_stats_heap.h. */
#include "analysis/live_stats_heap.h"

#include "format/wire.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 128 };

bool heap_samples_init(struct heap_samples *s)
{
    return ids_init(&s->ids);
}

static void sample_clear(struct heap_sample *sample)
{
    for (uint32_t i = 0; i < sample->latest.bands; i++)
        free((char *)sample->band[i].name);
    sample->latest.bands = 0;
}

void heap_samples_clear(struct heap_samples *s)
{
    sample_clear(&s->open);
    sample_clear(&s->last);
    free(s->open.band);
    free(s->last.band);
    for (uint32_t i = 0; i < s->labels; i++)
        free(s->label[i]);
    free(s->label);
    ids_free(&s->ids);
}

/* --- Bands ----------------------------------------------------------------------------------- */

static bool begin(struct heap_samples *s, uint64_t time)
{
    struct heap_sample *open = &s->open;
    sample_clear(open);
    if (!open->band) open->band = malloc(HECTIC_LIVE_STATS_BANDS * sizeof *open->band);
    open->latest.time = time;
    s->others = 0;
    s->is_open = open->band != NULL;
    return s->is_open;
}

static bool add(struct heap_sample *sample, const char *name, uint64_t bytes)
{
    char *copy = strdup(name);
    if (copy) sample->band[sample->latest.bands++] = (hectic_live_stats_band){copy, bytes};
    return copy != NULL;
}

static bool add_band(struct heap_samples *s, const char *name, uint64_t bytes)
{
    if (!s->is_open) return true;
    if (s->open.latest.bands < HECTIC_LIVE_STATS_BANDS - 1) return add(&s->open, name, bytes);
    s->others += bytes;
    return true;
}

static int by_size(const void *a, const void *b)
{
    const hectic_live_stats_band *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

static bool end(struct heap_samples *s)
{
    if (!s->is_open) return true;
    if (s->others > 0 && !add(&s->open, "(others)", s->others)) return false;
    const struct heap_sample last = s->last;
    s->last = s->open;
    s->open = last;
    qsort(s->last.band, s->last.latest.bands, sizeof *s->last.band, by_size);
    s->last.latest.band = s->last.band;
    s->has_last = true;
    s->is_open = false;
    return true;
}

/* --- Names ----------------------------------------------------------------------------------- */

/* Copies a NUL-terminated text, truncated if it is too long. */
static void copy_name(char name[NAME_SIZE], const uint8_t *text, size_t length)
{
    const size_t most = length < NAME_SIZE - 1 ? length : NAME_SIZE - 1;
    const uint8_t *nul = memchr(text, 0, most);
    const size_t used = nul ? (size_t)(nul - text) : most;
    memcpy(name, text, used);
    name[used] = 0;
}

static bool define(struct heap_samples *s, uint32_t id, const uint8_t *text, size_t length)
{
    char name[NAME_SIZE];
    copy_name(name, text, length);
    char *copy = strdup(name);
    if (!copy) return false;
    const uint32_t place = ids_slot(&s->ids, id)->place;
    if (place) {
        free(s->label[place - 1]);
        s->label[place - 1] = copy;
        return true;
    }
    if ((s->labels & (s->labels - 1)) == 0) { /* at each power of two, double the capacity */
        char **grown = realloc(s->label, (2 * (size_t)s->labels + 1) * sizeof *grown);
        if (grown) s->label = grown;
        if (!grown) return free(copy), false;
    }
    s->label[s->labels++] = copy;
    return ids_add(&s->ids, id, s->labels - 1);
}

/* A stack as "inner<outer<MAIN". */
static void stack_name(const struct heap_samples *s, const uint8_t *ids, size_t count,
                       char name[NAME_SIZE])
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < NAME_SIZE - 1; i++) {
        const uint32_t place = ids_slot(&s->ids, load32(ids + 4 * i))->place;
        const char *label = place ? s->label[place - 1] : "?";
        if (i > 0) name[used++] = '<';
        const size_t length = strlen(label), left = NAME_SIZE - 1 - used;
        memcpy(name + used, label, length < left ? length : left);
        used += length < left ? length : left;
    }
    name[used] = 0;
}

bool heap_samples_event(struct heap_samples *s, const hectic_event *event)
{
    const uint8_t *p = event->payload;
    const size_t size = event->size;
    char name[NAME_SIZE];
#define NEEDS(bytes)                                                                               \
    if (size < (bytes)) return true
    switch (event->type) {
    case HECTIC_EVENT_HEAP_PROF_COST_CENTRE: NEEDS(4); return define(s, load32(p), p + 4, size - 4);
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN: return begin(s, event->time);
    case HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN: NEEDS(16); return begin(s, load64(p + 8));
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING:
        NEEDS(9);
        copy_name(name, p + 9, size - 9);
        return add_band(s, name, load64(p + 1));
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE:
        NEEDS(10);
        NEEDS(10 + 4 * (size_t)p[9]);
        stack_name(s, p + 10, p[9], name);
        return add_band(s, name, load64(p + 1));
    case HECTIC_EVENT_HEAP_PROF_SAMPLE_END: return end(s);
    default: return true;
    }
}
