/* reading.c — see reading.h. */
#include "reading.h"

int reading_open(struct reading *reading, const char *path,
                 const struct interval_settings *interval, const struct output_settings *output)
{
    *reading = (struct reading){.path = path, .output = output, .last = HECTIC_ONE};
    reading->progress = progress_start(output);
    hectic_input *input = tool_input_open(path);
    if (!input) return TOOL_UNUSABLE;
    const int code = interval_resolve(interval, input, path, &reading->interval);
    if (code != TOOL_OK) {
        hectic_input_free(input);
        return code;
    }
    reading->log = tool_log_open(input, path, 0, reading->interval.to, &reading->progress);
    return reading->log ? TOOL_OK : TOOL_UNUSABLE;
}

/* Ends the section, at the time of its last event, or where the interval ends in it. */
static bool end_section(struct reading *reading, const struct reader *reader, void *user)
{
    if (!reading->begun) return true;
    const hectic_section *section = &hectic_log_survey(reading->log)->section[reading->section];
    const uint64_t to = reading->interval.to;
    reading->begun = false;
    return reader->end(user, section->last_time < to ? section->last_time : to);
}

bool reading_all(struct reading *reading, const struct reader *reader, void *user)
{
    hectic_event event;
    for (bool go_on = true; go_on;) {
        reading->last = hectic_log_next(reading->log, &event);
        if (reading->last == HECTIC_ONE) {
            go_on = reader->event(user, &event);
        } else if (reading->last == HECTIC_HEADER) {
            const bool is_first = !reading->begun;
            go_on = end_section(reading, reader, user);
            reading->section += !is_first;
            reading->begun = true;
            go_on = go_on && reader->begin(user, hectic_log_header(reading->log));
        } else {
            progress_end(&reading->progress);
            return end_section(reading, reader, user);
        }
    }
    progress_end(&reading->progress);
    return false;
}

int reading_report(const struct reading *reading)
{
    int code = tool_log_report(reading->log, reading->path, reading->last, reading->output);
    if (code != TOOL_UNUSABLE &&
        interval_check(&reading->interval, reading->log, reading->path) != TOOL_OK)
        code = TOOL_DAMAGED;
    return code;
}

bool reading_has(const struct reading *reading, const uint16_t *numbers, size_t count,
                 const char *what, const char *flag)
{
    for (size_t i = 0; i < count; i++)
        if (hectic_log_survey(reading->log)->count[numbers[i]] > 0) return true;
    tool_complain("%s: the log tells nothing of %s: it needs %s", tool_log_name(reading->path),
                  what, flag);
    return false;
}

void reading_close(struct reading *reading)
{
    hectic_log_free(reading->log);
}

uint64_t reading_duration(const struct reading *reading)
{
    const hectic_survey *survey = hectic_log_survey(reading->log);
    uint64_t duration = 0;
    for (size_t i = 0; i < survey->sections; i++) {
        uint64_t first = survey->section[i].first_time, last = survey->section[i].last_time;
        if (first < reading->interval.from) first = reading->interval.from;
        if (last > reading->interval.to) last = reading->interval.to;
        if (first < last) duration += last - first;
    }
    return duration;
}
