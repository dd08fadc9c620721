/* heap_sizes.c — see heap_sizes.h. */
#include "report/heap_sizes.h"

#include "numbers/saturating.h"

#include <hectic/read_events.h>

#include <string.h>

const char *const heap_size_names[HEAP_SIZE_KINDS] = {"live data", "blocks in use", "heap size"};

static struct heap_of_process *heap_of(struct heap_sizes *sizes, uint32_t capset)
{
    for (uint32_t i = 0; i < sizes->heaps; i++)
        if (sizes->heap[i].capset == capset) return &sizes->heap[i];
    if (sizes->heaps == HEAP_HEAPS) {
        sizes->omitted++;
        return NULL;
    }
    struct heap_of_process *heap = &sizes->heap[sizes->heaps++];
    heap->capset = capset;
    for (int kind = 0; kind < HEAP_SIZE_KINDS; kind++)
        for (uint32_t i = 0; i < HEAP_COURSE; i++)
            heap->measure[kind].bin[i].time = UINT64_MAX;
    return heap;
}

/* --- Course ---------------------------------------------------------------------------------- */

/* Doubles the length of bins. */
static void join_bins(struct heap_measure *measure)
{
    const uint64_t base = measure->base / 2;
    for (uint32_t i = 0; i < HEAP_COURSE; i++) {
        const uint64_t time = measure->bin[i].time, bytes = measure->bin[i].bytes;
        measure->bin[i].time = UINT64_MAX;
        if (time == UINT64_MAX) continue;
        const uint64_t to = (measure->base + i) / 2 - base; /* <= i */
        if (measure->bin[to].time != UINT64_MAX && measure->bin[to].time > time) continue;
        measure->bin[to].time = time;
        measure->bin[to].bytes = bytes;
    }
    measure->base = base;
    measure->shift++;
}

/* Moves bins, so that they begin with number `base`. */
static void move_bins(struct heap_measure *measure, uint64_t base)
{
    const size_t by = (size_t)(measure->base - base);
    memmove(measure->bin + by, measure->bin, (HEAP_COURSE - by) * sizeof *measure->bin);
    for (size_t i = 0; i < by; i++)
        measure->bin[i].time = UINT64_MAX;
    measure->base = base;
}

static uint64_t last_used(const struct heap_measure *measure)
{
    uint32_t last = HEAP_COURSE - 1;
    while (last > 0 && measure->bin[last].time == UINT64_MAX)
        last--;
    return measure->base + last;
}

static void add_to_course(struct heap_measure *measure, uint64_t time, uint64_t bytes)
{
    if (measure->count == 0) measure->base = time;
    for (;;) {
        const uint64_t number = time >> measure->shift;
        if (number < measure->base && last_used(measure) - number < HEAP_COURSE)
            move_bins(measure, number);
        if (number >= measure->base && number - measure->base < HEAP_COURSE) break;
        join_bins(measure);
    }
    const uint64_t number = (time >> measure->shift) - measure->base;
    if (measure->bin[number].time != UINT64_MAX && measure->bin[number].time > time) return;
    measure->bin[number].time = time;
    measure->bin[number].bytes = bytes;
}

void heap_measure_course(const struct heap_measure *measure, uint64_t from, uint64_t to,
                         uint64_t *value, uint32_t count)
{
    const double part = count ? (double)(to - from) / count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const double end = i + 1 == count ? (double)to : (double)from + (i + 1) * part;
        value[i] = UINT64_MAX;
        for (uint32_t k = 0; k < HEAP_COURSE; k++)
            if (measure->bin[k].time != UINT64_MAX && (double)measure->bin[k].time <= end)
                value[i] = measure->bin[k].bytes;
    }
}

/* --- Measures -------------------------------------------------------------------------------- */

static void add_to_line(struct heap_measure *measure, uint64_t time, uint64_t bytes)
{
    const double count = (double)measure->count;
    const double from_time = (double)time - measure->mean_time;
    const double from_bytes = (double)bytes - measure->mean_bytes;
    measure->mean_time += from_time / count;
    measure->mean_bytes += from_bytes / count;
    measure->time_time += from_time * ((double)time - measure->mean_time);
    measure->time_bytes += from_time * ((double)bytes - measure->mean_bytes);
    measure->bytes_bytes += from_bytes * ((double)bytes - measure->mean_bytes);
}

static void add(struct heap_measure *measure, uint64_t time, uint64_t bytes)
{
    add_to_course(measure, time, bytes);
    if (measure->count == 0 || bytes > measure->max ||
        (bytes == measure->max && time < measure->max_time)) {
        measure->max = bytes;
        measure->max_time = time;
    }
    if (measure->count == 0 || time < measure->first_time) {
        measure->first = bytes;
        measure->first_time = time;
    }
    if (measure->count == 0 || time >= measure->last_time) {
        measure->last = bytes;
        measure->last_time = time;
    }
    /* The latest value is not in the line yet: when a program ends, its heap is empty. */
    const bool is_latest = measure->count == 0 || time >= measure->pending_time;
    if (measure->count > 0 && is_latest)
        add_to_line(measure, measure->pending_time, measure->pending);
    if (!is_latest) add_to_line(measure, time, bytes);
    if (is_latest) {
        measure->pending_time = time;
        measure->pending = bytes;
    }
    measure->count++;
}

double heap_measure_growth(const struct heap_measure *measure, double *fit)
{
    *fit = 0;
    if (measure->time_time <= 0) return 0;
    if (measure->bytes_bytes > 0)
        *fit =
            measure->time_bytes * measure->time_bytes / (measure->time_time * measure->bytes_bytes);
    return measure->time_bytes / measure->time_time * 1e9;
}

static void add_generation(struct heap_of_process *heap, uint64_t time, uint16_t number,
                           uint64_t copied)
{
    if (number >= GENERATIONS_MAX) return;
    struct heap_generation *generation = &heap->generation[number];
    if (number >= heap->generations) heap->generations = number + 1u;
    generation->collections++;
    saturating_add(&generation->copied, copied);
    if (copied > generation->most) generation->most = copied;
    if (time < generation->last_time) return;
    generation->last = copied;
    generation->last_time = time;
}

/* What a size event measures. HEAP_SIZE_KINDS: it is not a size event. */
static enum heap_size kind_of(uint16_t type)
{
    switch (type) {
    case HECTIC_EVENT_HEAP_LIVE: return HEAP_SIZE_LIVE;
    case HECTIC_EVENT_BLOCKS_SIZE: return HEAP_SIZE_BLOCKS;
    case HECTIC_EVENT_HEAP_SIZE: return HEAP_SIZE_HEAP;
    default: return HEAP_SIZE_KINDS;
    }
}

void heap_sizes_event(struct heap_sizes *sizes, const hectic_event *event)
{
    const enum heap_size kind = kind_of(event->type);
    const bool is_gc = event->type == HECTIC_EVENT_GC_STATS_GHC;
    if (kind == HEAP_SIZE_KINDS && !is_gc) return;
    if (event->time < sizes->from || event->time >= sizes->to) return;
    hectic_event_gc_stats_ghc stats;
    hectic_event_heap_live size; /* the others have the same fields */
    struct heap_of_process *heap;
    if (is_gc && hectic_read_gc_stats_ghc(event, &stats) && (heap = heap_of(sizes, stats.capset)))
        add_generation(heap, event->time, stats.generation, stats.copied);
    if (!is_gc && hectic_read_heap_live(event, &size) && (heap = heap_of(sizes, size.capset)))
        add(&heap->measure[kind], event->time, size.bytes);
}
