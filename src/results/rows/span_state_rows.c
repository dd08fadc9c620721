/* span_state_rows.c — the rows of span_states. */
#include "base/map.h"
#include "facts/threads.h"
#include "results/rows.h"
#include "tables/tables.h"

enum { STARTS_MAX = 1 << 20 }; /* as many as spans keep; of others, the states are unknown */

/* What a thread had done when it started a span. */
struct started {
    map_key key; /* where the START is */
    uint32_t thread;
    uint64_t ns[HECTIC_THREAD_STATES];
};

/* What is kept for a process. */
struct kept {
    hectic_spans *spans;
    hectic_threads *threads;
    const struct reading *reading;
    map started;
};

/* --- States ---------------------------------------------------------------------------------- */

static bool note_start(void *user, const hectic_event *start)
{
    struct kept *kept = user;
    struct started now = {.key = {start->position, 1}};
    if (kept->started.count == STARTS_MAX ||
        !threads_running(kept->threads, start->cap, &now.thread) ||
        !threads_spent(kept->threads, now.thread, start->time, now.ns))
        return true;
    struct started *added = map_add(&kept->started, now.key);
    if (added) *added = now;
    return added;
}

/* What its thread did from a START on, which lasted `total`. False: unknown. Replays of the state
 * may change what was known at the START. */
static bool spent_since(const struct kept *kept, const struct started *start,
                        const hectic_span_end *stop, uint64_t total,
                        uint64_t ns[HECTIC_THREAD_STATES])
{
    uint64_t sum = 0;
    if (!threads_spent(kept->threads, start->thread, stop->time, ns)) return false;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++) {
        ns[i] -= start->ns[i];
        if (ns[i] > total) return false;
        sum += ns[i];
    }
    return sum == total;
}

static void find_states(const struct kept *kept, const hectic_span_one *span,
                        const struct started *start, uint64_t total,
                        uint64_t ns[HECTIC_THREAD_STATES])
{
    const bool is_known = start && !span->across && span->start.has_thread &&
                          span->start.thread == start->thread &&
                          spent_since(kept, start, &span->stop, total, ns);
    if (!is_known) {
        memset(ns, 0, HECTIC_THREAD_STATES * sizeof *ns);
        ns[HECTIC_THREAD_UNKNOWN] = total;
    }
    if (reading_section(kept->reading)->lacks_caps) threads_forget_waits(ns);
}

/* --- Rows ------------------------------------------------------------------------------------ */

static bool put_state(const struct row_taker *rows, union span_states_row *row, const char *state,
                      uint64_t total)
{
    row->state = cell_text(state);
    row->total_ns = cell_number(total);
    return total == 0 || rows->take(rows->user, row->cells);
}

static bool put_states(const struct kept *kept, const hectic_span_one *span,
                       const struct started *start)
{
    const struct row_taker *rows = kept->reading->user;
    uint64_t ns[HECTIC_THREAD_STATES];
    find_states(kept, span, start,
                interval_overlap(&kept->reading->interval, span->start.time, span->stop.time), ns);
    union span_states_row row = {
        .label = cell_text(span->label),
        .subscript = cell_number(span->subscript),
        .start_ns = cell_number(span->start.time),
        .end_ns = cell_number(span->stop.time),
        .thread = cell_if(span->start.has_thread, span->start.thread),
    };
    reading_cells(kept->reading, row.cells);
    bool go_on = true;
    for (unsigned i = 0; i < HECTIC_THREAD_STATES && go_on; i++)
        go_on = put_state(rows, &row, hectic_thread_state_name((hectic_thread_state)i), ns[i]);
    return go_on && put_state(rows, &row, "gc", span->stop.gc - span->start.gc);
}

static bool take_span(void *user, const hectic_span_one *span)
{
    struct kept *kept = user;
    const struct interval *interval = &kept->reading->interval;
    const uint64_t stop = span->stop.time;
    struct started *start = map_find(&kept->started, (map_key){span->start.position, 1});
    if (span->is_stopped && stop >= interval->from && stop < interval->to &&
        !put_states(kept, span, start))
        return false;
    if (start) map_remove(&kept->started, start);
    return true;
}

/* --- Reading --------------------------------------------------------------------------------- */

static bool begin(const struct reading *reading)
{
    const struct interval *interval = &reading->interval;
    struct kept *kept = reading->kept;
    kept->reading = reading;
    kept->started = (map){.entry_size = sizeof(struct started), .unsorted = true};
    kept->spans = hectic_spans_new(interval->from, interval->to, take_span, kept);
    kept->threads = hectic_threads_new(interval->from, interval->to, NULL, NULL);
    if (!kept->spans || !kept->threads) return false;
    hectic_spans_group(kept->spans);
    hectic_spans_count_markers(kept->spans);
    hectic_spans_watch(kept->spans, note_start, kept);
    hectic_threads_begin(kept->threads, reading->header);
    return true;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    const struct kept *kept = reading->kept;
    bool go_on = true;
    for (size_t i = 0; i < count && go_on; i++)
        go_on = hectic_threads_event(kept->threads, &event[i]) &&
                hectic_spans_event(kept->spans, &event[i]);
    return go_on;
}

static void finish(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    hectic_spans_free(kept->spans);
    hectic_threads_free(kept->threads);
    map_clear(&kept->started);
    *kept = (struct kept){0};
}

static bool end(const struct reading *reading, uint64_t now)
{
    const struct kept *kept = reading->kept;
    const bool done = hectic_spans_end(kept->spans, now);
    finish(reading);
    return done;
}

static bool is_settled(const struct reading *reading)
{
    const struct kept *kept = reading->kept;
    return hectic_spans_are_settled(kept->spans);
}

static const struct reader span_state_reader = {.size = sizeof(struct kept),
                                                .begin = begin,
                                                .events = events,
                                                .end = end,
                                                .finish = finish,
                                                .is_settled = is_settled};

const struct live_rows span_state_live = {.reader = &span_state_reader};
