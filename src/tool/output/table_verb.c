/* answer.c — see answer.h. */
#include "tool/output/table_verb.h"

#include "tool/cli/times.h"

const struct option_group table_verb_groups[] = {
    {"Which part", interval_options, offsetof(struct table_verb_settings, interval), interval_note},
    {"Table", table_options, offsetof(struct table_verb_settings, table), table_note},
    {"Output", color_options, offsetof(struct table_verb_settings, output), NULL},
    {"Output", output_options, offsetof(struct table_verb_settings, output), NULL},
    {"Output", input_options, 0, input_note},
    {0},
};

bool table_verb_set_every(void *field, const char *argument)
{
    if (time_parse(argument, field) && *(uint64_t *)field > 0) return true;
    tool_message("invalid time \"%s\" for --every (examples: 1.5s, 20ms, 3us)", argument);
    return false;
}

static int report(const struct table_verb *answer, const struct table_verb_need *need)
{
    const struct reading *reading = &answer->reading;
    const bool is_told = reading->unmatched ||
                         reading_has(reading, need->event, need->events, need->what, need->flag);
    const int code = reading_report(reading);
    return is_told || code == TOOL_UNUSABLE ? code : TOOL_DAMAGED;
}

int table_verb_run(const char *path, const struct table_verb_settings *settings,
                   const struct table_verb_need *need,
                   bool (*print)(struct table_verb *, void *user), void *user)
{
    struct table_verb answer = {.settings = settings};
    int code =
        reading_open(&answer.reading, path, &settings->interval, need->whole, &settings->output);
    if (code == TOOL_OK && !reading_find_processes(&answer.reading, &settings->interval.process)) {
        tool_message("out of memory");
        code = TOOL_UNUSABLE;
    }
    if (code == TOOL_OK) {
        answer.duration = reading_duration(&answer.reading);
        answer.sink = sink_open(&settings->output);
        code = TOOL_UNUSABLE;
    }
    if (answer.sink) {
        if (print(&answer, user))
            code = report(&answer, need);
        else if (answer.refused)
            code = TOOL_USAGE;
        else if (!sink_failed(answer.sink))
            tool_message("out of memory");
        code = sink_close(answer.sink, code);
    }
    reading_close(&answer.reading);
    return code;
}
