/* reading.c — see reading.h. */
#include "reading.h"

int reading_open(struct reading *reading, const char *path,
                 const struct interval_settings *interval, bool whole,
                 const struct output_settings *output)
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
    const uint64_t to = whole ? 0 : reading->interval.to;
    reading->log = tool_log_open(input, path, 0, to, &reading->progress);
    return reading->log ? TOOL_OK : TOOL_UNUSABLE;
}

const hectic_section *reading_section(const struct reading *reading)
{
    return &hectic_log_survey(reading->log)->section[reading->section - 1];
}

static bool is_in_interval(const struct reading *reading)
{
    const hectic_section *section = reading_section(reading);
    const struct interval *interval = &reading->interval;
    const bool is_empty = section->events == 0 || interval->from >= interval->to;
    return !is_empty && section->first_time < interval->to && section->last_time >= interval->from;
}

/* Goes to the end of the section, if something follows there. */
static void skip_rest(struct reading *reading)
{
    const hectic_survey *survey = hectic_log_survey(reading->log);
    hectic_event event;
    reading->last = reading_section(reading)->complete ? HECTIC_COMPLETE : HECTIC_PARTIAL;
    while (reading->section < survey->sections &&
           (reading->last = hectic_log_next(reading->log, &event)) == HECTIC_ONE)
        ;
}

/* Takes the events of a section, and ends it at the time of the last one, or where the interval
 * ends in it. */
static bool read_section(struct reading *reading, const struct reader *reader, void *user)
{
    const uint64_t to = reading->interval.to, last_time = reading_section(reading)->last_time;
    if (!is_in_interval(reading)) return skip_rest(reading), true;
    if (!reader->begin(user, hectic_log_header(reading->log))) return false;
    hectic_event event;
    while ((reading->last = hectic_log_next(reading->log, &event)) == HECTIC_ONE) {
        if (event.time >= to && (!reader->is_settled || reader->is_settled(user))) {
            skip_rest(reading);
            break;
        }
        if (!reader->event(user, &event)) return false;
    }
    return reader->end(user, last_time < to ? last_time : to);
}

bool reading_all(struct reading *reading, const struct reader *reader, void *user)
{
    hectic_event none; /* a header is none */
    bool go_on = true;
    hectic_log_rewind(reading->log);
    reading->section = 0;
    reading->last = hectic_log_next(reading->log, &none);
    while (go_on && reading->last == HECTIC_HEADER) {
        reading->section++;
        go_on = read_section(reading, reader, user);
    }
    progress_end(&reading->progress);
    return go_on;
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

uint64_t reading_first_slice(const struct reading *reading, uint64_t every)
{
    const uint64_t first = reading_section(reading)->first_time, from = reading->interval.from;
    return first > from ? from + (first - from) / every * every : from;
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
        if (first < last && duration < last - first) return UINT64_MAX;
    }
    return duration;
}
