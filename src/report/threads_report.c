/* threads_report.c — see threads_report.h. */
#include "report/threads_report.h"

#include "report/gaps_json.h"

#include <string.h>

static const char *const kind_names[THREADS_KINDS] = {"program", "runtime"};

const hectic_thread_state threads_states[HECTIC_THREAD_STATES] = {
    HECTIC_THREAD_RUNNING, HECTIC_THREAD_RUNNABLE,   HECTIC_THREAD_MVAR,  HECTIC_THREAD_MVAR_READ,
    HECTIC_THREAD_STM,     HECTIC_THREAD_BLACK_HOLE, HECTIC_THREAD_DELAY, HECTIC_THREAD_IO,
    HECTIC_THREAD_FOREIGN, HECTIC_THREAD_THROW_TO,   HECTIC_THREAD_OTHER, HECTIC_THREAD_UNKNOWN,
};

const struct table_column threads_columns[] = {
    READING_COLUMNS,
    {"thread", "Thread", CELL_ID, 0},
    {"label", "Label", CELL_TEXT, OPTIONAL},
    {"kind", "Kind", CELL_TEXT, DATA_ONLY},
    {"running_bar", "", CELL_BAR, RANK(2)},
    {"born_ns", "Born", CELL_TIME, RANK(3)},
    {"ended_ns", "Ended", CELL_TIME, OPTIONAL | RANK(4)},
    {"lifetime_ns", "Lifetime", CELL_NS, RANK(1)},
    {"running_ns", "Running", CELL_NS, 0},
    {"runnable_ns", "Runnable", CELL_NS, RANK(1)},
    {"mvar_ns", "MVar", CELL_NS, OPTIONAL | RANK(1)},
    {"mvar_read_ns", "readMVar", CELL_NS, OPTIONAL | RANK(3)},
    {"stm_ns", "STM", CELL_NS, OPTIONAL | RANK(1)},
    {"black_hole_ns", "Black hole", CELL_NS, OPTIONAL | RANK(1)},
    {"delay_ns", "Delay", CELL_NS, OPTIONAL | RANK(2)},
    {"io_ns", "I/O", CELL_NS, OPTIONAL | RANK(2)},
    {"foreign_call_ns", "Foreign call", CELL_NS, OPTIONAL | RANK(2)},
    {"throw_to_ns", "throwTo", CELL_NS, OPTIONAL | RANK(3)},
    {"other_ns", "Other", CELL_NS, OPTIONAL | RANK(4)},
    {"unknown_ns", "Unknown", CELL_NS, OPTIONAL | RANK(4)},
    {"runs", "Runs", CELL_COUNT, RANK(2)},
    {"migrations", "Migrations", CELL_COUNT, OPTIONAL | RANK(3)},
    {"caps", "Caps", CELL_COUNT, RANK(5)},
    {"spark_thread", "Sparks", CELL_FLAG, OPTIONAL | RANK(4)},
    {0},
};
_Static_assert(sizeof threads_columns / sizeof *threads_columns == THREADS_COLUMNS + 1,
               "THREADS_COLUMNS is their number");

enum threads_kind threads_kind_of(const char *label)
{
    return hectic_thread_is_runtime(label) ? THREADS_RUNTIME : THREADS_PROGRAM;
}

const char *threads_kind_name(enum threads_kind kind)
{
    return kind_names[kind];
}

size_t threads_put_times(struct cell cell[THREADS_COLUMNS], const uint64_t *ns)
{
    uint64_t lifetime = 0;
    size_t i = THREADS_FIRST_TIME + 1;
    for (size_t k = 0; k < HECTIC_THREAD_STATES; k++) {
        cell[i++] = cell_number(ns[threads_states[k]]);
        lifetime += ns[k];
    }
    cell[THREADS_FIRST_TIME] = cell_number(lifetime);
    return i;
}

void threads_put_cells(struct cell cell[THREADS_COLUMNS], const hectic_thread *thread,
                       uint64_t from, uint64_t duration)
{
    const double share =
        duration ? (double)thread->ns[HECTIC_THREAD_RUNNING] / (double)duration : 0;
    size_t i = READING_CELLS;
    cell[i++] = cell_number(thread->id);
    cell[i++] = cell_text(thread->label);
    cell[i++] = cell_text(kind_names[threads_kind_of(thread->label)]);
    cell[i++] = cell_share(share);
    cell[i++] = cell_if(thread->has_born, thread->born);
    cell[i++] = cell_if(thread->has_ended, thread->ended);
    i = threads_put_times(cell, thread->ns);
    /* Its lifetime before its first event is unknown. */
    if (!thread->has_born && thread->born > from) cell[THREADS_FIRST_TIME] = cell_unknown();
    cell[i++] = cell_number(thread->runs);
    cell[i++] = cell_number(thread->migrations);
    cell[i++] = cell_number(thread->caps);
    cell[i++] = cell_number(thread->is_spark);
}

const struct table_column threads_total_columns[] = {
    {"state", "State", CELL_TEXT, 0},
    {"total_ns", "Total", CELL_NS, 0},
    {"share", "Share", CELL_SHARE, 0},
    {"share_bar", "", CELL_BAR, RANK(1)},
    {0},
};

void threads_put_total(struct cell cell[THREADS_TOTAL_COLUMNS], const hectic_thread_totals *totals,
                       hectic_thread_state state)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        sum += totals->ns[i];
    const double share = sum ? (double)totals->ns[state] / (double)sum : 0;
    cell[0] = cell_text(hectic_thread_state_name(state));
    cell[1] = cell_number(totals->ns[state]);
    cell[2] = cell[3] = cell_share(share);
}

void threads_put_sums(struct json *json, const hectic_thread_totals *totals, bool has_live,
                      const hectic_gaps *gaps)
{
    json_number(json, "count", true, totals->threads);
    json_number(json, "born", true, totals->born);
    json_number(json, "ended", true, totals->ended);
    json_number(json, "spark_threads", true, totals->spark_threads);
    json_number(json, "runs", true, totals->runs);
    json_number(json, "migrations", true, totals->migrations);
    json_number(json, "live_max", has_live, totals->live_max);
    gaps_put(json, gaps);
}
