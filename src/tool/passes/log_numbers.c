/* log_numbers.c — see log_numbers.h. */
#include "tool/passes/log_numbers.h"

#include "tool/cli/message.h"
#include "tool/input/logs.h"

#include <stdlib.h>
#include <string.h>

enum { TAKERS = NUMBER_SOURCES + 1 };

struct takers {
    struct several_table table[TAKERS + LOG_NUMBERS_MORE];
    struct number_taker taker[TAKERS];
    size_t tables, count; /* how many of these */
};

/* A log that is being read. */
struct number_log {
    hectic_log *log;
    const char *path;
    struct interval interval;
    struct progress progress;
    const struct output_settings *output;
};

/* Sets *error to the first one. */
static bool read_tables(struct number_log *log, struct takers *takers, hectic_error *error)
{
    const struct interval *interval = &log->interval;
    const hectic_table_options options = {
        .size = sizeof options,
        .from = interval->from,
        .to = interval->to == UINT64_MAX ? 0 : interval->to,
    };
    bool done = true;
    several_tables_read(log->log, takers->table, takers->tables, &options, progress_update,
                        &log->progress);
    for (size_t i = 0; i < takers->tables && done; i++) {
        done = takers->table[i].done;
        *error = takers->table[i].error;
    }
    /* Rows are refused only for lack of memory. */
    if (!done && error->kind == HECTIC_OK) error->kind = HECTIC_NO_MEMORY;
    return done;
}

static void add_source(struct takers *takers, const struct number_source *source, struct runs *runs,
                       const char *path)
{
    struct number_taker *taker =
        number_takers_add(takers->taker, &takers->count, source, runs, path);
    if (taker)
        takers->table[takers->tables++] = (struct several_table){
            .table = hectic_table_find(source->table), .take = number_take, .user = taker};
}

static bool may_have_rows(const struct number_log *log, const struct number_source *source)
{
    const bool is_part = log->interval.from > 0 || log->interval.to < UINT64_MAX;
    if (is_part && source->is_whole) return false;
    const uint64_t *count = hectic_log_survey(log->log)->count;
    return source->event[0] == 0 || count[source->event[0]] > 0 || count[source->event[1]] > 0;
}

static void choose(struct takers *takers, const struct number_choice *choice,
                   const struct number_log *log, struct runs *runs)
{
    for (size_t i = 0; i < NUMBER_SOURCES; i++)
        if (choice->wanted[i] && may_have_rows(log, &number_sources[i]))
            add_source(takers, &number_sources[i], runs, log->path);
    if (choice->table) add_source(takers, choice->table, runs, log->path);
    for (size_t i = 0; i < choice->more_count; i++)
        takers->table[takers->tables++] = choice->more[i];
}

/* Runs that go on after the end of the log, within the interval. A log without events is a run
 * without numbers. */
static bool note_ends(const struct number_log *log, struct runs *runs)
{
    const hectic_survey *survey = hectic_log_survey(log->log);
    for (size_t i = runs->first; i < runs->count; i++) {
        const uint64_t number = runs->run[i].section - 1;
        if (number >= survey->sections) continue;
        const hectic_section *section = &survey->section[number];
        runs->run[i].is_cut = !section->complete && section->covered_to < log->interval.to;
    }
    return runs->count > runs->first || runs_add(runs, log->path, 1, false, 0);
}

static int read_log(struct number_log *log, struct takers *takers, struct runs *runs)
{
    hectic_error error = {0};
    progress_pass(&log->progress);
    const bool done = read_tables(log, takers, &error);
    progress_end(&log->progress);
    if (!done) return tool_log_error(log->path, &error), TOOL_UNUSABLE;
    if (!note_ends(log, runs)) return tool_message("out of memory"), TOOL_UNUSABLE;
    tool_note_coverage(log->log, log->path, log->interval.to, log->output);
    const hectic_survey *survey = hectic_log_survey(log->log);
    const bool is_cut = survey->sections > 0 && !survey->section[survey->sections - 1].complete;
    const int code = tool_log_report(log->log, log->path, is_cut ? HECTIC_PARTIAL : HECTIC_COMPLETE,
                                     log->output);
    const bool is_inside = interval_check(&log->interval, log->log, log->path) == TOOL_OK;
    return is_inside ? code : TOOL_UNUSABLE;
}

static int open_log(struct number_log *log, const struct interval_settings *interval)
{
    hectic_input *input = tool_input_open(log->path);
    if (!input) return TOOL_UNUSABLE;
    static const struct interval_settings whole = {0};
    const int code =
        interval_resolve(interval ? interval : &whole, input, log->path, &log->interval);
    if (code != TOOL_OK) return hectic_input_free(input), code;
    progress_survey(&log->progress);
    log->log = tool_log_open(input, log->path, 0, 0, &log->progress);
    return log->log ? TOOL_OK : TOOL_UNUSABLE;
}

int log_numbers_read(struct runs *runs, const char *path, const struct number_choice *choice,
                     const struct output_settings *output)
{
    struct number_log log = {.path = path, .output = output, .progress = progress_start(output)};
    runs->first = runs->count;
    int code = open_log(&log, choice->interval);
    if (code != TOOL_OK) return code;
    struct takers *takers = calloc(1, sizeof *takers);
    if (takers) {
        choose(takers, choice, &log, runs);
        code = read_log(&log, takers, runs);
    } else {
        tool_message("out of memory");
        code = TOOL_UNUSABLE;
    }
    free(takers);
    hectic_log_free(log.log);
    return code;
}
