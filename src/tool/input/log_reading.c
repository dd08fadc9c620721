/* log_reading.c — see log_reading.h. */
#include "tool/input/log_reading.h"

#include "tool/cli/message.h"
#include "tool/input/logs.h"

#include <stdio.h>

static void show_progress(void *user, double done)
{
    progress_update(user, done);
}

int log_reading_open_log(const char *path, const struct interval_settings *settings,
                         enum reading_extent extent, struct interval *interval,
                         struct progress *progress, hectic_log **log)
{
    hectic_input *input = tool_input_open(path);
    *log = NULL;
    if (!input) return TOOL_UNUSABLE;
    const int code = interval_resolve(settings, input, path, interval);
    if (code != TOOL_OK) {
        hectic_input_free(input);
        return code;
    }
    const bool is_skipping = extent == READING_STATES && !settings->process.is_set;
    *log = is_skipping ? tool_log_open_interval(input, path, interval->from, interval->to, progress)
                       : tool_log_open(input, path, 0, extent == READING_TO_END ? 0 : interval->to,
                                       progress);
    return *log ? TOOL_OK : TOOL_UNUSABLE;
}

int log_reading_open(struct log_reading *log, const char *path,
                     const struct interval_settings *interval, enum reading_extent extent,
                     const struct output_settings *output)
{
    struct reading *reading = &log->reading;
    *log = (struct log_reading){.path = path,
                                .output = output,
                                .progress = progress_start(output),
                                .reading = {.last = HECTIC_GOT_EVENT,
                                            .progress = show_progress,
                                            .progress_user = &log->progress}};
    progress_survey(&log->progress);
    const int code = log_reading_open_log(path, interval, extent, &reading->interval,
                                          &log->progress, &reading->log);
    if (code != TOOL_OK) return code;
    reading_prepare(reading);
    if (extent == READING_ONE_PROCESS)
        return process_refuse_log_of_several(reading->log, path) ? TOOL_UNUSABLE : TOOL_OK;
    if (!reading_find_processes(reading, &interval->process)) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    if (reading->unmatched) process_complain(&interval->process, path, reading->unchosen);
    return TOOL_OK;
}

bool log_reading_all(struct log_reading *log, const struct reader *reader, void *user)
{
    progress_pass(&log->progress);
    const bool done = reading_all(&log->reading, reader, user);
    progress_end(&log->progress);
    return done;
}

int log_reading_report(const struct log_reading *log)
{
    const struct reading *reading = &log->reading;
    int code = tool_log_report(reading->log, log->path, reading->last, log->output);
    logs_report_left_out(log->path, reading->left_out, READING_PROCESSES);
    if (code != TOOL_UNUSABLE)
        tool_note_coverage(reading->log, log->path, reading->interval.to, log->output);
    if (code != TOOL_UNUSABLE && reading->unmatched) code = TOOL_DAMAGED;
    if (code != TOOL_UNUSABLE &&
        interval_check(&reading->interval, reading->log, log->path) != TOOL_OK)
        code = TOOL_DAMAGED;
    return code;
}

bool log_reading_has(const struct log_reading *log, const uint16_t *numbers, size_t count,
                     const char *what, const char *flag)
{
    for (size_t i = 0; i < count; i++)
        if (reading_has_chosen_type(&log->reading, numbers[i])) return true;
    const hectic_survey *survey = hectic_log_survey(log->reading.log);
    char events[64], need[160];
    snprintf(events, sizeof events, "events of %s", what);
    snprintf(need, sizeof need, "they need %s", flag);
    logs_report_none(log->path, !survey->section[survey->sections - 1].complete, events, need);
    return false;
}
