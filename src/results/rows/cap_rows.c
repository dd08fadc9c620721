/* cap_rows.c — the rows of gc_caps and sizes: what stat knows of each cap, as it takes events.
 */
#include "base/array.h"
#include "results/rows.h"
#include "stat/stat_sums.h"
#include "tables/tables.h"

#include <hectic/read_events.h>
#include <stdlib.h>
#include <string.h>

/* --- gc_caps --------------------------------------------------------------------------------- */

static void put_state(struct cap_rows *rows, const char *state, size_t cap, uint64_t from,
                      uint64_t to)
{
    const struct interval *interval = &rows->reading->interval;
    const struct row_taker *taker = rows->states;
    const uint64_t duration = interval_overlap(interval, from, to);
    if (rows->failed || !taker || duration == 0) return;
    const uint64_t start = from < interval->from ? interval->from : from;
    union gc_caps_row row = {.cap = cell_number(rows->stat->cap[cap]->number),
                             .state = cell_text(state),
                             .start_ns = cell_number(start),
                             .end_ns = cell_number(start + duration),
                             .duration_ns = cell_number(duration)};
    reading_cells(rows->reading, row.cells);
    rows->failed = !taker->take(taker->user, row.cells);
}

/* The cap is in no collection any more. */
static void end_gc(struct cap_rows *rows, size_t cap)
{
    if (cap >= rows->caps) return;
    struct cap_stop *stopped = &rows->stopped[cap];
    put_state(rows, "gc", cap, stopped->from, stopped->to);
    *stopped = (struct cap_stop){0};
}

/* A part of a collection: between its GC_START, GC_WORK, GC_IDLE, GC_DONE and GC_END. */
static void add_gc(struct cap_rows *rows, size_t cap, uint64_t from, uint64_t to)
{
    const uint32_t before = rows->caps;
    rows->failed = rows->failed || !array_reserve(rows->stopped, rows->caps, cap + 1);
    if (rows->failed) return;
    memset(rows->stopped + before, 0, (rows->caps - before) * sizeof *rows->stopped);
    if (rows->stopped[cap].to != from) end_gc(rows, cap);
    if (rows->stopped[cap].to == 0) rows->stopped[cap].from = from;
    rows->stopped[cap].to = to;
}

static void take_span(void *user, size_t cap, enum stat_span span, uint64_t from, uint64_t to)
{
    switch (span) {
    case SPAN_REQUESTED: put_state(user, "gc_requested", cap, from, to); break;
    case SPAN_WAITED_BEGIN:
    case SPAN_WAITED_END: put_state(user, "gc_wait", cap, from, to); break;
    case SPAN_STOPPED: add_gc(user, cap, from, to); break;
    default: break; /* in thread_states */
    }
}

/* --- sizes ----------------------------------------------------------------------------------- */

static const char *kind_of(uint16_t type)
{
    switch (type) {
    case HECTIC_EVENT_HEAP_ALLOCATED: return "allocated";
    case HECTIC_EVENT_HEAP_SIZE: return "heap";
    case HECTIC_EVENT_BLOCKS_SIZE: return "blocks";
    case HECTIC_EVENT_HEAP_LIVE: return "live";
    default: return NULL;
    }
}

static uint64_t allocated_by(const hectic_stat *stat, uint16_t cap)
{
    const uint32_t index = stat->index[cap];
    return index ? stat->cap[index - 1]->sum[ALLOCATED] : 0;
}

/* The latest size of the heap; 0: none. */
static uint64_t heap_of(const hectic_stat *stat)
{
    const struct run_share *latest = &stat->global.run;
    for (size_t i = 0; i < stat->caps; i++)
        if (stat->cap[i]->run.heap_size_time >= latest->heap_size_time) latest = &stat->cap[i]->run;
    return latest->heap_size;
}

/* A replay restates what is known, or reports what events that are missing have changed. Others
 * than these are not taken from it, as stat does not. False: it has nothing new. */
static bool read_replayed(const hectic_event *sync, uint64_t heap, hectic_event *event)
{
    hectic_event_heap_size size;
    if (!hectic_read_replayed(sync, event)) return false;
    if (event->type == HECTIC_EVENT_HEAP_ALLOCATED) return true;
    return event->type == HECTIC_EVENT_HEAP_SIZE && hectic_read_heap_size(event, &size) &&
           size.bytes != heap;
}

static bool put_size(const struct cap_rows *rows, const hectic_event *event, const char *kind,
                     uint64_t allocated)
{
    const struct row_taker *taker = rows->sizes;
    const struct interval *interval = &rows->reading->interval;
    const bool is_counter = event->type == HECTIC_EVENT_HEAP_ALLOCATED;
    hectic_event_heap_size size;
    if (event->time < interval->from || event->time >= interval->to ||
        !hectic_read_heap_size(event, &size))
        return true;
    union sizes_row row = {.time_ns = cell_number(event->time),
                           .cap = cell_if(event->cap != HECTIC_CAP_NONE, event->cap),
                           .kind = cell_text(kind),
                           .bytes = cell_number(is_counter ? allocated : size.bytes)};
    reading_cells(rows->reading, row.cells);
    return taker->take(taker->user, row.cells);
}

/* Takes an event that may report a size. */
static bool take_size(const struct cap_rows *rows, const hectic_event *event)
{
    hectic_event replayed;
    const bool is_replay = event->type == HECTIC_EVENT_SYNC;
    const bool is_new = !is_replay || read_replayed(event, heap_of(rows->stat), &replayed);
    const hectic_event *size = is_replay && is_new ? &replayed : event;
    const char *kind = is_new ? kind_of(size->type) : NULL;
    const uint64_t before = kind ? allocated_by(rows->stat, size->cap) : 0;
    if (!hectic_stat_event(rows->stat, event)) return false;
    if (!kind) return true;
    const uint64_t allocated = allocated_by(rows->stat, size->cap) - before;
    const bool is_restated =
        is_replay && size->type == HECTIC_EVENT_HEAP_ALLOCATED && allocated == 0;
    return is_restated || put_size(rows, size, kind, allocated);
}

/* --------------------------------------------------------------------------------------------- */

void cap_rows_begin(struct cap_rows *rows, const struct reading *reading, hectic_stat *stat,
                    const struct row_taker *states, const struct row_taker *sizes)
{
    *rows = (struct cap_rows){.stat = stat, .reading = reading, .states = states, .sizes = sizes};
    if (!states) return;
    stat_set_watch(stat, &(struct stat_watch){.user = rows,
                                              .take = take_span,
                                              .skipped = 1 << SPAN_RUNNING | 1 << SPAN_OUT});
}

bool cap_rows_event(struct cap_rows *rows, const hectic_event *event)
{
    if (!(rows->sizes ? take_size(rows, event) : hectic_stat_event(rows->stat, event)))
        return false;
    if (event->type == HECTIC_EVENT_GC_END) end_gc(rows, (size_t)rows->stat->index[event->cap] - 1);
    return !rows->failed;
}

bool cap_rows_end(struct cap_rows *rows, uint64_t now)
{
    if (rows->states) stat_flush_watch(rows->stat, now);
    for (size_t i = 0; i < rows->caps; i++)
        end_gc(rows, i);
    free(rows->stopped);
    rows->stopped = NULL;
    rows->caps = 0;
    rows->states = NULL; /* the end of the run is none of these spans */
    return !rows->failed;
}
