/* cap_rows.c — the rows of gc_caps and sizes: what stat knows of each cap, as it takes events.
 */
#include "base/array.h"
#include "results/rows.h"
#include "stat/stat_sums.h"
#include "tables/tables.h"

#include <hectic/read_events.h>
#include <stdlib.h>
#include <string.h>

/* What is kept for a process. */
struct kept {
    hectic_stat *stat;
    const struct reading *reading;
    struct stopped {
        uint64_t from, to; /* ns */
    } * stopped;           /* of each cap: the parts of a collection so far */
    uint32_t caps;
    bool failed; /* out of memory, or the taker has stopped */
};

static void finish(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    hectic_stat_free(kept->stat);
    free(kept->stopped);
    *kept = (struct kept){0};
}

/* --- gc_caps --------------------------------------------------------------------------------- */

static void put_state(struct kept *kept, const char *state, size_t cap, uint64_t from, uint64_t to)
{
    const struct interval *interval = &kept->reading->interval;
    const struct row_taker *rows = kept->reading->user;
    const uint64_t duration = interval_overlap(interval, from, to);
    if (kept->failed || duration == 0) return;
    const uint64_t start = from < interval->from ? interval->from : from;
    union gc_caps_row row = {.cap = cell_number(kept->stat->cap[cap]->number),
                             .state = cell_text(state),
                             .start_ns = cell_number(start),
                             .end_ns = cell_number(start + duration),
                             .duration_ns = cell_number(duration)};
    reading_cells(kept->reading, row.cells);
    kept->failed = !rows->take(rows->user, row.cells);
}

/* The cap is in no collection any more. */
static void end_gc(struct kept *kept, size_t cap)
{
    if (cap >= kept->caps) return;
    struct stopped *stopped = &kept->stopped[cap];
    put_state(kept, "gc", cap, stopped->from, stopped->to);
    *stopped = (struct stopped){0};
}

/* A part of a collection: between its GC_START, GC_WORK, GC_IDLE, GC_DONE and GC_END. */
static void add_gc(struct kept *kept, size_t cap, uint64_t from, uint64_t to)
{
    const uint32_t before = kept->caps;
    kept->failed = kept->failed || !array_reserve(kept->stopped, kept->caps, cap + 1);
    if (kept->failed) return;
    memset(kept->stopped + before, 0, (kept->caps - before) * sizeof *kept->stopped);
    if (kept->stopped[cap].to != from) end_gc(kept, cap);
    if (kept->stopped[cap].to == 0) kept->stopped[cap].from = from;
    kept->stopped[cap].to = to;
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

static bool begin_states(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    kept->reading = reading;
    kept->stat = stat_of_process(reading, true);
    if (!kept->stat) return false;
    stat_set_watch(kept->stat, &(struct stat_watch){.user = kept,
                                                    .take = take_span,
                                                    .skipped = 1 << SPAN_RUNNING | 1 << SPAN_OUT});
    return true;
}

static bool state_events(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct kept *kept = reading->kept;
    for (size_t i = 0; i < count && !kept->failed; i++) {
        if (!hectic_stat_event(kept->stat, &event[i])) return false;
        if (event[i].type == HECTIC_EVENT_GC_END)
            end_gc(kept, (size_t)kept->stat->index[event[i].cap] - 1);
    }
    return !kept->failed;
}

static bool end_states(const struct reading *reading, uint64_t now)
{
    struct kept *kept = reading->kept;
    stat_flush_watch(kept->stat, now);
    for (size_t i = 0; i < kept->caps; i++)
        end_gc(kept, i);
    const bool done = !kept->failed;
    finish(reading);
    return done;
}

static const struct reader gc_cap_reader = {.size = sizeof(struct kept),
                                            .begin = begin_states,
                                            .events = state_events,
                                            .end = end_states,
                                            .finish = finish};

const struct live_rows gc_cap_live = {.reader = &gc_cap_reader};

/* --- sizes ----------------------------------------------------------------------------------- */

static bool begin_sizes(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    kept->stat = stat_of_process(reading, true);
    return kept->stat;
}

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

static bool put_size(const struct reading *reading, const hectic_event *event, const char *kind,
                     uint64_t allocated)
{
    const struct row_taker *rows = reading->user;
    const struct interval *interval = &reading->interval;
    const bool is_counter = event->type == HECTIC_EVENT_HEAP_ALLOCATED;
    hectic_event_heap_size size;
    if (event->time < interval->from || event->time >= interval->to ||
        !hectic_read_heap_size(event, &size))
        return true;
    union sizes_row row = {.time_ns = cell_number(event->time),
                           .cap = cell_if(event->cap != HECTIC_CAP_NONE, event->cap),
                           .kind = cell_text(kind),
                           .bytes = cell_number(is_counter ? allocated : size.bytes)};
    reading_cells(reading, row.cells);
    return rows->take(rows->user, row.cells);
}

static bool size_events(const struct reading *reading, const hectic_event *event, size_t count)
{
    const struct kept *kept = reading->kept;
    bool go_on = true;
    for (size_t i = 0; i < count && go_on; i++) {
        const char *kind = kind_of(event[i].type);
        const uint64_t before = kind ? allocated_by(kept->stat, event[i].cap) : 0;
        go_on = hectic_stat_event(kept->stat, &event[i]);
        if (kind && go_on)
            go_on =
                put_size(reading, &event[i], kind, allocated_by(kept->stat, event[i].cap) - before);
    }
    return go_on;
}

static bool end_sizes(const struct reading *reading, uint64_t now)
{
    (void)now;
    finish(reading);
    return true;
}

static const struct reader size_reader = {.size = sizeof(struct kept),
                                          .begin = begin_sizes,
                                          .events = size_events,
                                          .end = end_sizes,
                                          .finish = finish};

const struct live_rows size_live = {.reader = &size_reader};
