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

hectic_thread_state threads_known_state(hectic_thread_state state)
{
    return state == HECTIC_THREAD_RUNNING ? state : HECTIC_THREAD_UNKNOWN;
}

void threads_forget_waits(uint64_t ns[HECTIC_THREAD_STATES])
{
    for (hectic_thread_state i = 0; i < HECTIC_THREAD_STATES; i++) {
        const hectic_thread_state known = threads_known_state(i);
        if (known == i) continue;
        ns[known] += ns[i];
        ns[i] = 0;
    }
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
    record_put_members(json, threads_totals, .count = cell_number(totals->threads),
                       .born = cell_number(totals->born), .ended = cell_number(totals->ended),
                       .spark_threads = cell_number(totals->spark_threads),
                       .runs = cell_number(totals->runs),
                       .migrations = cell_number(totals->migrations),
                       .live_max = cell_if(has_live, totals->live_max), .gaps = gaps_cells(gaps));
}
