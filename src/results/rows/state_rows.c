/* state_rows.c — the rows of thread_states. */
#include "facts/threads.h"
#include "results/rows.h"
#include "tables/tables.h"

#include "base/array.h"

#include <hectic/read_events.h>
#include <stdlib.h>

/* What is known of the state that a thread is in, by threads_span.place. */
struct wait {
    bool has_owner;
    uint32_t owner;
};

/* What is kept for a process. */
struct kept {
    hectic_threads *analysis;
    const struct reading *reading;
    const hectic_event *event; /* the current one; NULL: the section ends */
    struct wait *wait;
    size_t waits;
    bool failed; /* no memory, or the taker has stopped */
};

/* The thread that ran where the thread of the state was woken. */
static struct cell waker_of(const struct kept *kept, const struct threads_span *span)
{
    hectic_event_thread_wakeup woken;
    uint32_t waker;
    if (!kept->event || kept->event->type != HECTIC_EVENT_THREAD_WAKEUP ||
        !hectic_read_thread_wakeup(kept->event, &woken) || woken.thread != span->thread ||
        !threads_running(kept->analysis, kept->event->cap, &waker))
        return cell_unknown();
    return cell_number(waker);
}

/* Notes the owner of the black hole for which the thread waits next. */
static bool note_owner(struct kept *kept, const struct threads_span *span)
{
    hectic_event_stop_thread stop;
    if (!array_reserve(kept->wait, kept->waits, (size_t)span->place + 1)) return false;
    struct wait *wait = &kept->wait[span->place];
    *wait = (struct wait){0};
    if (span->next != HECTIC_THREAD_BLACK_HOLE || !kept->event ||
        kept->event->type != HECTIC_EVENT_STOP_THREAD ||
        !hectic_read_stop_thread(kept->event, &stop))
        return true;
    *wait = (struct wait){stop.has_info, stop.info};
    return true;
}

static void put_state(union thread_states_row *row, unsigned state, bool waits_unknown)
{
    const bool is_known =
        state != HECTIC_THREAD_UNKNOWN && (state == HECTIC_THREAD_RUNNING || !waits_unknown);
    const bool is_blocked =
        is_known && state != HECTIC_THREAD_RUNNING && state != HECTIC_THREAD_RUNNABLE;
    const char *name = hectic_thread_state_name((hectic_thread_state)state);
    row->state = cell_text(!is_known ? "unknown" : is_blocked ? "blocked" : name);
    row->reason = is_blocked ? cell_text(name) : cell_unknown();
}

static void take_span(void *user, const struct threads_span *span)
{
    struct kept *kept = user;
    const struct reading *reading = kept->reading;
    const struct row_taker *rows = reading->user;
    if (kept->failed) return;
    const struct wait wait = span->place < kept->waits ? kept->wait[span->place] : (struct wait){0};
    const bool is_black_hole = span->state == HECTIC_THREAD_BLACK_HOLE;
    union thread_states_row row; /* all cells are set: to clear them first takes longer */
    row.thread = cell_number(span->thread);
    row.start_ns = cell_number(span->from);
    row.end_ns = cell_if(kept->event != NULL, span->to);
    row.duration_ns = cell_number(span->to - span->from);
    row.cap = cell_if(span->cap != HECTIC_CAP_NONE, span->cap);
    row.waker = waker_of(kept, span);
    row.owner = cell_if(is_black_hole && wait.has_owner, wait.owner);
    reading_cells(reading, row.cells);
    put_state(&row, span->state, reading_section(reading)->lacks_caps);
    const bool goes_on = span->to > span->from || span->next != span->state;
    kept->failed = (goes_on && !rows->take(rows->user, row.cells)) || !note_owner(kept, span);
}

static bool begin(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    kept->reading = reading;
    if (!kept->analysis)
        kept->analysis =
            hectic_threads_new(reading->interval.from, reading->interval.to, NULL, NULL);
    if (!kept->analysis) return false;
    threads_watch(kept->analysis, take_span, kept);
    hectic_threads_begin(kept->analysis, reading->header);
    return true;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct kept *kept = reading->kept;
    for (size_t i = 0; i < count && !kept->failed; i++) {
        kept->event = &event[i];
        if (!hectic_threads_event(kept->analysis, &event[i])) return false;
    }
    return !kept->failed;
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct kept *kept = reading->kept;
    kept->event = NULL;
    return hectic_threads_end(kept->analysis, now) && !kept->failed;
}

static void finish(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    hectic_threads_free(kept->analysis);
    free(kept->wait);
}

static const struct reader reader = {
    .size = sizeof(struct kept), .begin = begin, .events = events, .end = end, .finish = finish};

const struct live_rows thread_state_live = {.reader = &reader};
