/* span_state_rows.c — the rows of span_states. */
#include "base/map.h"
#include "facts/threads.h"
#include "results/rows.h"
#include "tables/tables.h"

#include <stdlib.h>

enum { STARTS_MAX = 1 << 20 }; /* as many as spans keep; of others, the states are unknown */

/* What a thread had done when it started a span. */
struct started {
    map_key key; /* where the START is */
    uint32_t thread;
    uint64_t ns[HECTIC_THREAD_STATES];
};

struct span_states {
    hectic_spans *spans;
    const hectic_threads *threads;
    const struct reading *reading;
    const struct row_taker *rows;
    map started;
};

/* --- States ---------------------------------------------------------------------------------- */

static bool note_start(void *user, const hectic_span_end *start)
{
    struct span_states *states = user;
    struct started now = {.key = {start->position, 1}};
    if (states->started.count == STARTS_MAX ||
        !threads_running(states->threads, start->cap, &now.thread) ||
        !threads_spent(states->threads, now.thread, start->time, now.ns))
        return true;
    struct started *added = map_add(&states->started, now.key);
    if (added) *added = now;
    return added;
}

/* What its thread did from a START on, which lasted `total`. False: unknown. Replays of the state
 * may change what was known at the START. */
static bool spent_since(const struct span_states *states, const struct started *start,
                        const hectic_span_end *stop, uint64_t total,
                        uint64_t ns[HECTIC_THREAD_STATES])
{
    uint64_t sum = 0;
    if (!threads_spent(states->threads, start->thread, stop->time, ns)) return false;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++) {
        ns[i] -= start->ns[i];
        if (ns[i] > total) return false;
        sum += ns[i];
    }
    return sum == total;
}

static void find_states(const struct span_states *states, const hectic_span_one *span,
                        const struct started *start, uint64_t total,
                        uint64_t ns[HECTIC_THREAD_STATES])
{
    const bool is_known = start && !span->across && span->start.has_thread &&
                          span->start.thread == start->thread &&
                          spent_since(states, start, &span->stop, total, ns);
    if (!is_known) {
        memset(ns, 0, HECTIC_THREAD_STATES * sizeof *ns);
        ns[HECTIC_THREAD_UNKNOWN] = total;
    }
    if (reading_lacks_caps(states->reading)) threads_forget_waits(ns);
}

/* --- Rows ------------------------------------------------------------------------------------ */

static bool put_state(const struct row_taker *rows, union span_states_row *row, const char *state,
                      uint64_t total)
{
    row->state = cell_text(state);
    row->total_ns = cell_number(total);
    return total == 0 || rows->take(rows->user, row->cells);
}

static bool put_states(const struct span_states *states, const hectic_span_one *span,
                       const struct started *start)
{
    uint64_t ns[HECTIC_THREAD_STATES];
    find_states(states, span, start,
                interval_overlap(&states->reading->interval, span->start.time, span->stop.time),
                ns);
    union span_states_row row = {
        .label = cell_text(span->label),
        .subscript = cell_number(span->subscript),
        .start_ns = cell_number(span->start.time),
        .end_ns = cell_number(span->stop.time),
        .thread = cell_if(span->start.has_thread, span->start.thread),
    };
    reading_cells(states->reading, row.cells);
    bool go_on = true;
    for (unsigned i = 0; i < HECTIC_THREAD_STATES && go_on; i++)
        go_on =
            put_state(states->rows, &row, hectic_thread_state_name((hectic_thread_state)i), ns[i]);
    return go_on && put_state(states->rows, &row, "gc", span->stop.gc - span->start.gc);
}

static bool take_span(void *user, const hectic_span_one *span)
{
    struct span_states *states = user;
    const struct interval *interval = &states->reading->interval;
    const uint64_t stop = span->stop.time;
    struct started *start = map_find(&states->started, (map_key){span->start.position, 1});
    if (span->is_stopped && stop >= interval->from && stop < interval->to &&
        !put_states(states, span, start))
        return false;
    if (start) map_remove(&states->started, start);
    return true;
}

/* --- Reading --------------------------------------------------------------------------------- */

struct span_states *span_states_new(const struct reading *reading, const hectic_threads *threads,
                                    const struct row_taker *rows)
{
    const struct interval *interval = &reading->interval;
    struct span_states *states = malloc(sizeof *states);
    if (!states) return NULL;
    *states =
        (struct span_states){.threads = threads,
                             .reading = reading,
                             .rows = rows,
                             .started = {.entry_size = sizeof(struct started), .unsorted = true}};
    states->spans = hectic_spans_new(interval->from, interval->to, take_span, states);
    if (!states->spans) return free(states), NULL;
    hectic_spans_group(states->spans);
    hectic_spans_count_markers(states->spans);
    hectic_spans_watch(states->spans, note_start, states);
    return states;
}

void span_states_free(struct span_states *states)
{
    if (!states) return;
    hectic_spans_free(states->spans);
    map_clear(&states->started);
    free(states);
}

bool span_states_event(struct span_states *states, const hectic_event *event)
{
    return hectic_spans_event(states->spans, event);
}

bool span_states_are_settled(const struct span_states *states)
{
    return hectic_spans_are_settled(states->spans);
}

bool span_states_end(struct span_states *states, uint64_t now)
{
    return hectic_spans_end(states->spans, now);
}
