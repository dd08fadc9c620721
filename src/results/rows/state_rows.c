/* state_rows.c — the rows of thread_states. */
#include "facts/threads.h"
#include "results/rows.h"
#include "tables/tables.h"

#include "base/array.h"

#include <hectic/read_events.h>
#include <stdlib.h>

/* The thread that ran where the thread of the state was woken. */
static struct cell waker_of(const struct state_rows *rows, const struct threads_span *span)
{
    hectic_event_thread_wakeup woken;
    uint32_t waker;
    if (!rows->event || rows->event->type != HECTIC_EVENT_THREAD_WAKEUP ||
        !hectic_read_thread_wakeup(rows->event, &woken) || woken.thread != span->thread ||
        !threads_running(rows->threads, rows->event->cap, &waker))
        return cell_unknown();
    return cell_number(waker);
}

/* Notes the owner of the black hole for which the thread waits next. */
static bool note_owner(struct state_rows *rows, const struct threads_span *span)
{
    hectic_event_stop_thread stop;
    if (!array_reserve(rows->wait, rows->waits, (size_t)span->place + 1)) return false;
    struct state_wait *wait = &rows->wait[span->place];
    *wait = (struct state_wait){0};
    if (span->next != HECTIC_THREAD_BLACK_HOLE || !rows->event ||
        rows->event->type != HECTIC_EVENT_STOP_THREAD ||
        !hectic_read_stop_thread(rows->event, &stop))
        return true;
    *wait = (struct state_wait){stop.has_info, stop.info};
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

void state_rows_take(void *user, const struct threads_span *span)
{
    struct state_rows *rows = user;
    const struct reading *reading = rows->reading;
    const struct row_taker *taker = rows->taker;
    if (rows->failed) return;
    const struct state_wait wait =
        span->place < rows->waits ? rows->wait[span->place] : (struct state_wait){0};
    const bool is_black_hole = span->state == HECTIC_THREAD_BLACK_HOLE;
    union thread_states_row row; /* all cells are set: to clear them first takes longer */
    row.thread = cell_number(span->thread);
    row.start_ns = cell_number(span->from);
    row.end_ns = cell_if(rows->event != NULL, span->to);
    row.duration_ns = cell_number(span->to - span->from);
    row.cap = cell_if(span->cap != HECTIC_CAP_NONE, span->cap);
    row.waker = waker_of(rows, span);
    row.owner = cell_if(is_black_hole && wait.has_owner, wait.owner);
    reading_cells(reading, row.cells);
    put_state(&row, span->state, reading_lacks_caps(reading));
    const bool goes_on = span->to > span->from || span->next != span->state;
    rows->failed = (goes_on && !taker->take(taker->user, row.cells)) || !note_owner(rows, span);
}
