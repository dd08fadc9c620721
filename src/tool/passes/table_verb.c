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
    const bool is_recorded =
        base->reading->unmatched ||
        log_reading_has(&base->log, need->event, need->events, need->what, need->flag);
    const int code = log_reading_report(&base->log);
    return is_recorded || code == TOOL_UNUSABLE ? code : TOOL_DAMAGED;
}

static bool take_row(void *user, const struct cell *cells)
{
    const struct table_rows *rows = user;
    return table_row(rows->table, rows->base->sink, cells) && !sink_failed(rows->base->sink);
}

const struct row_taker *table_rows(struct table_rows *rows, struct table_verb *base,
                                   struct table *table)
{
    *rows = (struct table_rows){{take_row, rows}, base, table};
    if (base->reading->several) table_show_processes(table);
    return &rows->taker;
}

int table_verb_run(const char *path, const struct table_verb_settings *settings,
                   const struct table_verb_need *need,
                   bool (*print)(struct table_verb *, void *user), void *user)
{
    struct table_verb base = {.settings = settings, .reading = &base.log.reading};
    int code =
        log_reading_open(&base.log, path, &settings->interval, need->extent, &settings->output);
    if (code == TOOL_OK) {
        base.duration = base.reading->duration;
        base.sink = sink_open(&settings->output);
        code = TOOL_UNUSABLE;
    }
    if (base.sink) {
        progress_pass(&base.log.progress);
        const bool done = print(&base, user);
        progress_end(&base.log.progress);
        if (done)
            code = report(&base, need);
        else if (base.refused)
            code = TOOL_USAGE;
        else if (!sink_failed(base.sink))
            tool_message("out of memory");
        code = sink_close(base.sink, code);
    }
    reading_close(base.reading);
    return code;
}
