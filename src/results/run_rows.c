/* run_rows.c — the rows of runs: the sections of a log. */
#include "results/rows.h"
#include "results/summary.h"
#include "tables/tables.h"

#include <stdlib.h>

static bool put_run(const struct reading *reading, const struct row_taker *rows, size_t number)
{
    const hectic_section *section = &hectic_log_survey(reading->log)->section[number];
    hectic_summary *summary = calloc(1, sizeof *summary);
    if (!summary || !hectic_summarize_section(reading->log, number, summary))
        return free(summary), false;
    const bool has_events = section->events > 0;
    const union runs_row row = {
        .section = cell_number(number + 1),
        .program = cell_text(summary->args),
        .runtime = cell_text(summary->rts),
        .pid = cell_if(summary->has_pid, summary->pid),
        .clock_start_ns = cell_if(summary->has_wall_clock,
                                  summary->start_seconds * 1000000000 + summary->start_ns),
        .first_ns = cell_if(has_events, section->first_time),
        .last_ns = cell_if(has_events, section->last_time),
        .covered_to_ns = cell_if(has_events, section->covered_to),
        .is_complete = cell_number(section->complete),
        .events = cell_number(section->events),
        .caps = cell_number(summary->caps),
    };
    const bool done = rows->take(rows->user, row.cells);
    hectic_summary_clear(summary);
    free(summary);
    return done;
}

bool run_rows(struct reading *reading, const struct row_taker *rows)
{
    const size_t sections = hectic_log_survey(reading->log)->sections;
    bool done = true;
    for (size_t i = 0; i < sections && done; i++)
        done = put_run(reading, rows, i);
    if (done) reading->last = HECTIC_COMPLETE;
    return done;
}
