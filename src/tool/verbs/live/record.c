/* record.c — hectic record: a live source, recorded into a file. */
#include "tool/cli/message.h"
#include "tool/files/sink.h"
#include "tool/input/filters.h"
#include "tool/input/live_log.h"
#include "tool/input/logs.h"
#include "tool/input/redaction.h"
#include "tool/output/cells.h"
#include "tool/passes/live_lines.h"
#include "transform/salvage.h"

#include <string.h>
#include <unistd.h>

/* ns, with --for */
#define DEFAULT_WAIT UINT64_C(10000000000)

struct record_settings {
    struct filter_settings filter; /* --to and --limit only */
    struct output_settings output;
    struct redaction_settings redaction;
    uint64_t duration; /* ns; 0: no limit */
};

struct record {
    const struct record_settings *settings;
    const char *source;
    hectic_input *live, *input; /* the latter may be redacted */
    struct redaction redaction;
    struct tool_filter *filter; /* NULL: everything is recorded */
    hectic_renderer *renderer;  /* for the filter */
    struct sink *sink;
    struct losses losses;
    uint64_t bytes;
};

static const struct tool_option limit_options[] = {
    {"for", 0, "TIME", "stop TIME after the first byte; wait 10s for that", NULL,
     offsetof(struct record_settings, duration), tool_set_duration},
    {"limit", 0, "N", "stop after N events", NULL, offsetof(struct record_settings, filter.limit),
     tool_set_count},
    {"to", 0, "TIME", "stop where the log reaches TIME", NULL,
     offsetof(struct record_settings, filter.to), tool_set_text},
    {0},
};

static const struct tool_option message_options[] = {
    {"force", 0, NULL, "replace OUT if it exists", NULL,
     offsetof(struct record_settings, output.force), tool_set_flag},
    {"quiet", 'q', NULL, "no messages about progress", NULL,
     offsetof(struct record_settings, output.quiet), tool_set_flag},
    {"verbose", 'v', NULL, "print messages even if stderr is not a terminal", NULL,
     offsetof(struct record_settings, output.verbose), tool_set_flag},
    {0},
};

static bool is_talkative(const struct record *record)
{
    const struct output_settings *output = &record->settings->output;
    return output->verbose || (!output->quiet && isatty(STDERR_FILENO));
}

/* --- Opening --------------------------------------------------------------------------------- */

/* A file may grow: it is read until its end marker. */
static bool is_file(const char *source)
{
    return !live_log_may_be(source) || strncmp(source, "file:", 5) == 0;
}

static int open_input(struct record *record)
{
    int code;
    const struct live_log_options options = {.follow = is_file(record->source),
                                             .quiet = record->settings->output.quiet,
                                             .ends_at_end_marker = true,
                                             .wait = record->settings->duration ? DEFAULT_WAIT : 0,
                                             .duration = record->settings->duration};
    struct live_log *live = live_log_open(record->source, &options, &code);
    if (!live) return code;
    record->live = record->input = live_log_input(live);
    if (record->input && redaction_is_wanted(&record->settings->redaction))
        record->input = redaction_input(record->input, record->source, &record->redaction);
    if (!record->input) return TOOL_UNUSABLE;
    if (record->settings->filter.limit || record->settings->filter.to)
        record->filter =
            tool_filter_new(&record->settings->filter, record->live, record->source, &code);
    return code;
}

static int open_all(struct record *record)
{
    const int code = open_input(record);
    if (code != TOOL_OK) return code;
    record->sink = sink_open_for_log(&record->settings->output);
    if (!record->sink) return TOOL_UNUSABLE;
    const bool is_followed = is_file(record->source) && !record->settings->output.quiet;
    if (is_talkative(record) || is_followed)
        tool_message("recording %s; an interrupt (Ctrl-C) ends the recording",
                     tool_log_name(record->source));
    return TOOL_OK;
}

/* --- Recording ------------------------------------------------------------------------------- */

static bool keep(void *user, const hectic_header *header, const hectic_event *event)
{
    struct record *record = user;
    if (!event) {
        hectic_renderer_free(record->renderer);
        record->renderer = hectic_renderer_new(header);
        if (!record->renderer) tool_message("out of memory");
        return record->renderer;
    }
    const bool passes = tool_filter_pass(record->filter, record->renderer, event);
    if (tool_filter_is_done(record->filter)) live_input_end(record->live);
    return passes;
}

static bool write_to_sink(void *user, const void *bytes, size_t length)
{
    struct record *record = user;
    sink_text(record->sink, bytes, length);
    record->bytes += length;
    return !sink_failed(record->sink);
}

static void report(const struct record *record, const hectic_salvaged *done)
{
    logs_report_more_lost(&record->losses);
    if (is_talkative(record))
        tool_message("%s: %s, %s recorded%s", record->settings->output.path,
                     quantity(done->events, "event").text, quantity(record->bytes, "byte").text,
                     done->end_missing ? "; the log has no end marker" : "");
}

static int record_log(struct record *record)
{
    hectic_salvaged done;
    hectic_error error;
    const struct salvage_options options = {.write = write_to_sink,
                                            .write_user = record,
                                            .lost = logs_report_lost,
                                            .lost_user = &record->losses,
                                            .keep = record->filter ? keep : NULL,
                                            .keep_user = record};
    const bool recorded = salvage_part(record->input, &options, &done, &error);
    if (error.kind != HECTIC_OK) tool_log_error(record->source, &error);
    const int code = sink_close(
        record->sink, !recorded                                                    ? TOOL_UNUSABLE
                      : done.places_damaged || record->redaction.losses.places > 0 ? TOOL_DAMAGED
                                                                                   : 0);
    if (recorded && code != TOOL_UNUSABLE) report(record, &done);
    return code;
}

static int run(void *settings, int argc, char **argv)
{
    (void)argc;
    struct record_settings *own = settings;
    own->output.path = argv[1];
    struct record record = {
        .settings = own,
        .source = argv[0],
        .losses = {.path = argv[0], .is_verbose = own->output.verbose},
    };
    if (!sink_may_replace(&own->output)) return TOOL_UNUSABLE;
    int code = redaction_make(&own->redaction, "performance", &record.redaction);
    if (code == TOOL_OK) code = open_all(&record);
    if (code == TOOL_OK) code = record_log(&record);
    hectic_renderer_free(record.renderer);
    tool_filter_free(record.filter);
    hectic_input_free(record.input);
    return code;
}

const struct verb verb_record = {
    .name = "record",
    .group = "Other verbs:",
    .brief = "save a live log to a file",
    .summary = "Record a live source into a file",
    .usage = (const char *const[]){"[OPTION]... SOURCE OUT", NULL},
    .description =
        (const char *const[]){
            "Reads the log of a running program and writes it to OUT (- for standard output) until "
            "the log ends, a limit is reached, or a signal such as Ctrl-C arrives. SOURCE is "
            "unix:PATH, tcp:HOST:PORT, a FIFO, fd:N, - for standard input, run:COMMAND, or a file "
            "that is still being written; hectic-watch(1) describes them.",
            "OUT is a log of its own: a block that the end of the recording cuts is shortened to "
            "the events that arrived. All other bytes are the same as in the source. It has an "
            "end marker only if the program wrote one, which it does when it exits; without, as "
            "after an interrupt or when the program was killed, hectic check calls it cut short. "
            "If a part of the source is damaged, that part is skipped and reported.",
            "--for counts by the wall clock from the first byte, for which it waits 10 s unless "
            "--wait says otherwise. --to counts by the clock of the "
            "log; the recording ends when each cap has passed that time by half a second, or the "
            "log by 5 s. --limit counts events, block markers included, in the order in which they "
            "arrive: cap by cap. A program that run:COMMAND started is interrupted when the "
            "recording ends, and the events that it writes within the next 5 s are recorded, too.",
            "OUT is written atomically. An existing one is only replaced with --force. If the disk "
            "is full or the source fails, OUT holds what could be written, and the exit status is "
            "2.",
            NULL},
    .groups =
        (const struct option_group[]){{"When to stop", limit_options, 0, NULL},
                                      {"When to stop", wait_options, 0, NULL},
                                      {"Output", message_options, 0, NULL},
                                      {"Output", redaction_options,
                                       offsetof(struct record_settings, redaction), redaction_note},
                                      {0}},
    .examples =
        (const struct example[]){
            {"hectic record --for 30s unix:/run/my.sock my.eventlog", "30 seconds of a service"},
            {"hectic record tcp:localhost:4242 my.eventlog", "until Ctrl-C"},
            {"hectic record --limit 100000 run:'./myprog -v' my.eventlog",
             "the first events of a program"},
            {NULL, NULL}},
    .exits = {"The source was recorded to its end, to a limit, or until a signal.",
              "The source was damaged inside; the rest was recorded.",
              "The source cannot be read, or OUT cannot be written."},
    .least = 2,
    .most = 2,
    .settings_size = sizeof(struct record_settings),
    .run = run,
};
