/* table_verb.c — see table_verb.h. */
#include "tool/passes/table_verb.h"

#include "tool/cli/message.h"

const struct option_group table_verb_groups[] = {
    {"Which part", interval_options, offsetof(struct table_verb_settings, interval), interval_note},
    {"Which part", process_options, offsetof(struct table_verb_settings, interval), process_note},
    {"Table", table_options, offsetof(struct table_verb_settings, table), table_note},
    {"Output", color_options, offsetof(struct table_verb_settings, output), NULL},
    {"Output", output_options, offsetof(struct table_verb_settings, output), NULL},
    {"Output", input_options, 0, input_note},
    {0},
};

static int report(const struct table_verb *base, const struct table_verb_need *need)
{
    const struct reading *reading = &base->reading;
    const bool is_recorded = reading->unmatched || reading_has(reading, need->event, need->events,
                                                               need->what, need->flag);
    const int code = reading_report(reading);
    return is_recorded || code == TOOL_UNUSABLE ? code : TOOL_DAMAGED;
}

int table_verb_run(const char *path, const struct table_verb_settings *settings,
                   const struct table_verb_need *need,
                   bool (*print)(struct table_verb *, void *user), void *user)
{
    struct table_verb base = {.settings = settings};
    int code =
        reading_open(&base.reading, path, &settings->interval, need->extent, &settings->output);
    if (code == TOOL_OK && !reading_find_processes(&base.reading, &settings->interval.process)) {
        tool_message("out of memory");
        code = TOOL_UNUSABLE;
    }
    if (code == TOOL_OK) {
        base.duration = reading_duration(&base.reading);
        base.sink = sink_open(&settings->output);
        code = TOOL_UNUSABLE;
    }
    if (base.sink) {
        if (print(&base, user))
            code = report(&base, need);
        else if (base.refused)
            code = TOOL_USAGE;
        else if (!sink_failed(base.sink))
            tool_message("out of memory");
        code = sink_close(base.sink, code);
    }
    reading_close(&base.reading);
    return code;
}
