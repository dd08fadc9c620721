/* show.c — hectic show: the events in order of time, as ghc-events show prints them. */
#include "read/time_pass.h"
#include "tool/cli/message.h"
#include "tool/cli/progress.h"
#include "tool/files/groups.h"
#include "tool/input/filters.h"
#include "tool/input/logs.h"
#include "tool/passes/running.h"
#include "tool/verbs/show/follow.h"

#include <stdio.h>
#include <string.h>

static const struct tool_option pretty_options[] = {
    {"pretty-time", 0, NULL, "times as seconds, ms and us", NULL,
     offsetof(struct listing_settings, pretty_time), tool_set_flag},
    {0},
};

enum show_by { BY_TIME, BY_THREAD, BY_CAP };

struct show {
    const struct show_settings *settings;
    enum show_by by;
    hectic_log *log;
    struct tool_filter *filter;
    struct sink *sink;
    struct listing listing;
    struct groups *groups;  /* by thread or cap */
    hectic_engine *running; /* by thread */
    bool contradicted;      /* by thread: ghc-events prints nothing more of the section */
    bool is_done;           /* nothing more passes the filter, or the output has failed */
    bool has_header;        /* the table of event types is printed */
};

static hectic_time_format time_format(const struct show_settings *settings)
{
    return settings->listing.pretty_time ? HECTIC_TIME_PRETTY : HECTIC_TIME_RAW;
}

/* --- Grouped --------------------------------------------------------------------------------- */

static void put_heading(struct sink *sink, uint64_t key)
{
    char *out = sink_room(sink, 40);
    const int length =
        key ? sprintf(out, "Just %llu\n", (unsigned long long)key - 1) : sprintf(out, "Nothing\n");
    sink_fill(sink, (size_t)length);
}

static void no_heading(struct sink *sink, uint64_t key)
{
    (void)sink;
    (void)key;
}

static uint64_t key_of(struct show *show, const hectic_event *event, uint64_t *implied)
{
    if (show->by == BY_CAP) return event->cap == HECTIC_CAP_NONE ? 0 : event->cap + UINT64_C(1);
    bool is_implied;
    const uint64_t key = running_index(show->running, event, &is_implied);
    *implied = is_implied && key ? key - 1 : 0;
    show->contradicted = !running_advance(show->running, event);
    return key;
}

static bool add_to_group(struct show *show, const hectic_event *event, char *scratch)
{
    if (show->contradicted) return true;
    uint64_t implied = 0;
    const uint64_t key = key_of(show, event, &implied);
    if (!tool_filter_pass(show->filter, show->listing.renderer, event)) return true;
    show->listing.running = implied ? implied : tool_filter_implied(show->filter);
    const size_t indent = show->listing.json ? 0 : 2;
    memset(scratch, ' ', indent);
    return groups_add(show->groups, key, scratch,
                      indent + listing_line(&show->listing, event, scratch + indent));
}

/* --- Sections -------------------------------------------------------------------------------- */

/* Into a pipe or a file, and unfiltered, the output is that of ghc-events. */
static bool wants_header(const struct show *show)
{
    const struct listing_settings *listing = &show->settings->listing;
    if (listing->json || listing->no_header) return false;
    return listing->header || (!show->listing.visible && tool_filter_is_empty(show->filter));
}

static pass_next begin_section(void *self, const struct log_section *section)
{
    static const char *const titles[] = {"Events", "Thread Indexed Events", "Cap Indexed Events"};
    struct show *show = self;
    if (!listing_begin(&show->listing, section->header)) return PASS_STOP;
    if (show->has_header) listing_header(show->sink, section->header, titles[show->by]);
    if (show->running) hectic_engine_begin(show->running, section->header);
    show->contradicted = false;
    return PASS_ON;
}

static bool end_section(void *self, const struct log_section *section)
{
    const struct show *show = self;
    (void)section;
    if (show->groups &&
        !groups_write(show->groups, show->sink, show->listing.json ? no_heading : put_heading))
        return false;
    if (show->has_header) sink_text(show->sink, "\n", 1);
    return true;
}

/* Prints events. This loop takes most of the time. */
static pass_next list_events(void *self, const hectic_event *event, size_t count)
{
    struct show *show = self;
    const bool all_pass = tool_filter_is_empty(show->filter);
    char *start = NULL, *out = NULL;
    size_t left = 0;
    for (const hectic_event *end = event + count; event < end && !show->is_done; event++) {
        const size_t bound = listing_bound(&show->listing, event);
        if (left < bound) {
            sink_fill(show->sink, (size_t)(out - start));
            show->is_done = sink_failed(show->sink);
            start = out = sink_space(show->sink, bound, &left);
        }
        if (!all_pass && !tool_filter_pass(show->filter, show->listing.renderer, event)) continue;
        if (!all_pass) show->listing.running = tool_filter_implied(show->filter);
        const size_t length = listing_line(&show->listing, event, out);
        out += length;
        left -= length;
        show->is_done |= !all_pass && tool_filter_is_done(show->filter);
    }
    sink_fill(show->sink, (size_t)(out - start));
    return show->is_done ? PASS_STOP : PASS_ON;
}

/* The same, by thread or cap. Stops after a message, too. */
static pass_next group_events(void *self, const hectic_event *event, size_t count)
{
    struct show *show = self;
    for (size_t i = 0; i < count && !show->is_done; i++) {
        char *scratch = sink_room(show->sink, 2 + listing_bound(&show->listing, &event[i]));
        if (!add_to_group(show, &event[i], scratch)) return PASS_STOP;
        show->is_done = tool_filter_is_done(show->filter);
    }
    return show->is_done ? PASS_STOP : PASS_ON;
}

/* Sets *last to the item that ended reading. False after a message. */
static bool show_all(struct show *show, hectic_result *last)
{
    const struct time_consumer consumer = {
        .begin = begin_section,
        .events = show->groups ? group_events : list_events,
        .end = end_section,
    };
    *last = time_pass(show->log, &consumer, show);
    return *last != HECTIC_GOT_EVENT || (show->is_done && end_section(show, NULL));
}

static int show_open_log(struct show *show, const char *path, struct progress *progress)
{
    int code = TOOL_OK;
    hectic_input *input = tool_input_open(path);
    if (input == NULL) return TOOL_UNUSABLE;
    show->filter = tool_filter_new(&show->settings->filter, input, path, &code);
    if (show->filter == NULL) {
        hectic_input_free(input);
        return code;
    }
    /* Which thread runs on which cap is only known from the beginning. */
    const uint64_t from = show->by == BY_THREAD ? 0 : tool_filter_from(show->filter);
    show->log = tool_log_open(input, path, from, tool_filter_to(show->filter), progress);
    return show->log ? TOOL_OK : TOOL_UNUSABLE;
}

static int show_run(struct show *show, const char *path)
{
    struct progress progress = progress_start(&show->settings->output);
    int code = show_open_log(show, path, &progress);
    if (code != TOOL_OK) return code;
    if (show->by != BY_TIME && (show->groups = groups_new()) == NULL) return TOOL_UNUSABLE;
    if (show->by == BY_THREAD && (show->running = running_engine()) == NULL) return TOOL_UNUSABLE;
    show->sink = sink_open(&show->settings->output);
    if (show->sink == NULL) return TOOL_UNUSABLE;
    show->listing = (struct listing){
        .time = time_format(show->settings),
        .json = show->settings->listing.json,
    };
    listing_for(&show->listing, show->sink);
    show->has_header = wants_header(show);
    hectic_result last = HECTIC_GOT_EVENT;
    const bool good = show_all(show, &last);
    progress_end(&progress);
    code = good ? tool_log_report(show->log, path, last, &show->settings->output) : TOOL_UNUSABLE;
    if (tool_filter_failed(show->filter)) code = TOOL_UNUSABLE;
    return sink_close(show->sink, code);
}

static int run(void *settings, int argc, char **argv)
{
    struct show show = {.settings = settings};
    if (argc == 2) {
        show.by = strcmp(argv[0], "threads") == 0 ? BY_THREAD
                  : strcmp(argv[0], "caps") == 0  ? BY_CAP
                                                  : BY_TIME;
        if (show.by == BY_TIME) {
            tool_usage_error("invalid grouping \"%s\" (threads or caps)", argv[0]);
            return TOOL_USAGE;
        }
    }
    if (show.settings->follow && show.by != BY_TIME) {
        tool_usage_error("--follow cannot be combined with threads or caps");
        return TOOL_USAGE;
    }
    if (show.settings->follow)
        return follow_run(show.settings, &(struct listing){.time = time_format(show.settings)},
                          argv[argc - 1]);
    const int code = show_run(&show, argv[argc - 1]);
    hectic_renderer_free(show.listing.renderer);
    tool_filter_free(show.filter);
    hectic_log_free(show.log);
    groups_free(show.groups);
    hectic_engine_free(show.running);
    return code;
}

const struct verb verb_show = {
    .name = "show",
    .group = "Other verbs:",
    .brief = "print the events of a log",
    .summary = "Print the events of a log in order of time",
    .usage = (const char *const[]){"[OPTION]... [threads|caps] LOG", NULL},
    .description =
        (const char *const[]){
            "Prints the events of a log in order of time, one line each: the time in nanoseconds, "
            "the cap (capability), and what happened. Into a pipe or a file, without filters, the "
            "table of event types that the log declares comes first, and the output is the same as "
            "that of ghc-events show, version 0.21. --header prints the table in any case, "
            "--no-header never.",
            "With threads, events are grouped by the Haskell thread that they are about or that "
            "ran on their cap; with caps, by cap. Output that does not fit into a few megabytes is "
            "buffered in a temporary file. As in ghc-events, the list by threads ends where the "
            "log runs a thread that is already running, or stops one that is not.",
            "With --follow, events are printed as soon as they are complete, in the order of the "
            "file: cap by cap, as the runtime flushed its buffers. LOG may be a live source (see "
            "hectic-watch(1)), or a file that grows: show waits for it to appear, and reads it "
            "until its end marker. This is what hectic inc does.",
            "On a terminal, and with colors, control characters and other characters that are not "
            "printable are shown as escapes such as \\n and \\x1b. Elsewhere text is printed as it "
            "is in the log.",
            "With --json, each line is an object with time (ns), cap (null: none), event, type and "
            "the fields of the event. With --thread, and in show threads, an event that does not "
            "name the thread has it as running_thread: the thread that ran on the event's cap.",
            "A log that was cut short is shown up to there. After damage, the readable events that "
            "follow are shown. A log with several headers, as a restarted program leaves it, is "
            "shown as several logs, one after the other.",
            NULL},
    .words = "threads caps",
    .groups =
        (const struct option_group[]){
            {"Which events", filter_options, offsetof(struct show_settings, filter), filter_note},
            {"Output", follow_options, 0, NULL},
            {"Output", listing_options, offsetof(struct show_settings, listing), NULL},
            {"Output", pretty_options, offsetof(struct show_settings, listing), NULL},
            {"Output", color_options, offsetof(struct show_settings, output), NULL},
            {"Output", output_options, offsetof(struct show_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic show --event gc Main.eventlog", "garbage collections"},
            {"hectic show --from 1s --to 1.2s LOG", "a fifth of a second"},
            {"hectic show --from marker:start --thread 7 Main.eventlog",
             "what thread 7 did after Debug.Trace.traceMarkerIO \"start\""},
            {"hectic show --json Main.eventlog | jq .event", "the events as JSON"},
            {NULL, NULL}},
    .exits = {"The log was shown; it may be cut short.",
              "The log is damaged inside; what could be read was shown.",
              "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct show_settings),
    .run = run,
};
