/* run_rows.c — the rows of runs: the sections of a log. */
#include "read/survey.h"
#include "results/rows.h"
#include "results/summary.h"
#include "tables/tables.h"

#include <stdlib.h>

static bool put_run(const struct row_taker *rows, size_t number, const hectic_section *section,
                    const hectic_summary *summary)
{
    const bool has_events = section->events > 0;
    uint64_t clock_start = 0;
    const bool has_clock = summary_clock_zero(summary, &clock_start);
    const union runs_row row = {
        .section = cell_number(number),
        .program = cell_text(summary->args),
        .runtime = cell_text(summary->rts),
        .pid = cell_if(summary->has_pid, summary->pid),
        .clock_start_ns = cell_if(has_clock, clock_start),
        .first_ns = cell_if(has_events, section->first_time),
        .last_ns = cell_if(has_events, section->last_time),
        .covered_to_ns = cell_if(has_events, section->covered_to),
        .is_complete = cell_number(section->complete),
        .events = cell_number(section->events),
        .caps = cell_number(summary->caps),
    };
    return rows->take(rows->user, row.cells);
}

static bool put_section(const struct reading *reading, const struct row_taker *rows, size_t number)
{
    hectic_summary *summary = calloc(1, sizeof *summary);
    if (!summary || !hectic_summarize_section(reading->log, number, summary))
        return free(summary), false;
    const bool done =
        put_run(rows, number + 1, &hectic_log_survey(reading->log)->section[number], summary);
    hectic_summary_clear(summary);
    free(summary);
    return done;
}

static bool read(struct reading *reading, const struct row_taker *const *rows)
{
    const size_t sections = hectic_log_survey(reading->log)->sections;
    bool done = true;
    for (size_t i = 0; i < sections && done; i++)
        done = put_section(reading, rows[0], i);
    if (done) reading->last = HECTIC_COMPLETE;
    return done;
}

/* --- Live ------------------------------------------------------------------------------------ */

/* What is kept. */
struct run {
    hectic_summary summary;
    uint64_t started; /* see summary_add */
};

static bool begin(const struct reading *reading)
{
    (void)reading;
    return true;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct run *run = reading->kept;
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        if (event[i].declared->shape && is_landmark(event[i].declared->shape))
            done = summary_add(&run->summary, &event[i], &run->started);
    return done;
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct run *run = reading->kept;
    (void)now;
    summary_count_caps(&run->summary);
    return put_run(reading->user, reading->section, reading->found, &run->summary);
}

static void finish(const struct reading *reading)
{
    struct run *run = reading->kept;
    hectic_summary_clear(&run->summary);
}

static const struct reader live_reader = {
    .size = sizeof(struct run), .begin = begin, .events = events, .end = end, .finish = finish};

const struct row_maker run_maker = {.reader = &live_reader, .read = read, .has_empty = true};
