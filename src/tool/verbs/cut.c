/* cut.c — hectic cut: a part of a log as a log of its own. */
#include "tool/cli/tool.h"

#include <string.h>

struct cut_settings {
    struct filter_settings filter;
    struct output_settings output;
};

/* What is carried through the log. */
struct cut {
    hectic_input *input;
    struct tool_filter *filter;  /* what was asked for */
    struct tool_filter *context; /* by time only: definitions that pass this one are kept too */
    struct tool_filter *state;   /* by all but time and number: of how things stood at the cut */
    hectic_renderer *renderer;
    struct sink *sink;
    struct progress progress;
    uint64_t events; /* of the log itself that were kept */
};

/* Makes the filters. Returns the exit code. */
static int make_filters(struct cut *cut, const struct filter_settings *settings, const char *path)
{
    int code = TOOL_OK;
    const struct filter_settings times = {.from = settings->from, .to = settings->to};
    struct filter_settings state = *settings;
    state.from = state.to = NULL;
    state.limit = 0;
    cut->context = tool_filter_new(&times, cut->input, path, &code);
    if (cut->context) cut->state = tool_filter_new(&state, cut->input, path, &code);
    if (cut->state) cut->filter = tool_filter_new(settings, cut->input, path, &code);
    if (code == TOOL_OK && tool_filter_from(cut->context) >= tool_filter_to(cut->context)) {
        tool_message("cut: --from %s is not before --to %s", settings->from ? settings->from : "0",
                     settings->to);
        code = TOOL_USAGE;
    }
    return code;
}

static bool begin_section(struct cut *cut, const hectic_header *header)
{
    hectic_renderer_free(cut->renderer);
    cut->renderer = hectic_renderer_new(header);
    if (cut->renderer == NULL) tool_message("out of memory");
    return cut->renderer != NULL;
}

static bool keep(void *user, const hectic_header *header, const hectic_event *event)
{
    struct cut *cut = user;
    if (event == NULL) return begin_section(cut, header);
    if (event->position == 0) return tool_filter_pass(cut->state, cut->renderer, event);
    const bool kept = tool_filter_pass(cut->filter, cut->renderer, event) ||
                      (hectic_is_context(event) && !tool_filter_is_done(cut->filter) &&
                       tool_filter_pass(cut->context, cut->renderer, event));
    cut->events += kept && event->type != HECTIC_EVENT_BLOCK_MARKER;
    return kept;
}

static bool has_failed(const struct cut *cut)
{
    return tool_filter_failed(cut->filter) || tool_filter_failed(cut->state);
}

static bool write_to_sink(void *user, const void *bytes, size_t length)
{
    struct cut *cut = user;
    sink_text(cut->sink, bytes, length);
    uint64_t done, all;
    hectic_input_progress(cut->input, &done, &all);
    if (all > 0) progress_update(&cut->progress, (double)done / (double)all);
    return !sink_failed(cut->sink) && !has_failed(cut);
}

/* Returns the exit code; sets *done where a part was written. */
static int cut_log(struct cut *cut, const char *path, bool *done)
{
    hectic_error error;
    *done = hectic_cut(cut->input, tool_filter_from(cut->context), keep, cut, write_to_sink, cut,
                       &error) &&
            !has_failed(cut);
    cut->input = NULL; /* hectic_cut has taken it over */
    progress_end(&cut->progress);
    if (*done && cut->events == 0)
        tool_message("%s: note: no event of the log is in what was cut", tool_log_name(path));
    if (error.kind != HECTIC_OK) tool_log_error(path, &error);
    if (*done) return error.kind == HECTIC_OK ? TOOL_OK : TOOL_DAMAGED;
    if (error.kind != HECTIC_UNDECLARED_EVENT) return TOOL_UNUSABLE;
    tool_message(sink_is_kept(cut->sink)
                     ? "%s: what came before that was cut"
                     : "%s: nothing was cut; hectic check --salvage saves what can be read",
                 tool_log_name(path));
    return TOOL_DAMAGED;
}

static int cut_run(struct cut *cut, const struct cut_settings *settings, const char *path)
{
    cut->input = tool_input_open(path);
    if (cut->input == NULL) return TOOL_UNUSABLE;
    int code = make_filters(cut, &settings->filter, path);
    if (code != TOOL_OK) return code;
    cut->sink = sink_open_for_log(&settings->output);
    if (cut->sink == NULL) return TOOL_UNUSABLE;
    cut->progress = progress_start(&settings->output);
    bool done;
    code = cut_log(cut, path, &done);
    /* For the sink, what was not cut is not wanted. */
    const int closed = sink_close(cut->sink, done ? code : TOOL_UNUSABLE);
    return done ? closed : code;
}

static int run(void *settings, int argc, char **argv)
{
    struct cut_settings *own = settings;
    if ((argc == 2) == (own->output.path != NULL)) {
        tool_message("cut: name one file to write: OUT, or - for standard output");
        return TOOL_USAGE;
    }
    if (argc == 2 && strcmp(argv[1], "-") != 0) own->output.path = argv[1];
    struct cut cut = {0};
    const int code = cut_run(&cut, own, argv[0]);
    hectic_renderer_free(cut.renderer);
    tool_filter_free(cut.filter);
    tool_filter_free(cut.context);
    tool_filter_free(cut.state);
    hectic_input_free(cut.input);
    return code;
}

const struct verb verb_cut = {
    .name = "cut",
    .group = "Other verbs:",
    .brief = "extract a part of a log",
    .summary = "Cut a part out of a log that can stand alone",
    .usage = (const char *const[]){"[OPTION]... LOG OUT", "[OPTION]... -o OUT LOG", NULL},
    .description =
        (const char *const[]){
            "Writes the part of a log between --from and --to to OUT (- for standard output), so "
            "that any tool can open it: what a reader has to know at the beginning comes first, "
            "stamped --from.",
            "That is: what was defined before (cost centres, info tables ...); the capsets, caps, "
            "tasks and threads that live, with their labels; the program and the wall clock; who "
            "runs on each cap, and why each other thread has stopped (it seems to run and stop at "
            "once); the last values of running counters, which count from the program's start; "
            "and the beginning of a collection that is going on. Threads that have finished are "
            "not mentioned.",
            "--cap, --thread, --event and the other filters leave events out, as hectic copy does: "
            "definitions are kept. hectic copy --from keeps all definitions at their own times, "
            "but nothing tells how things stand when the part begins.",
            "OUT appears when it is whole. A damaged log is not cut: see hectic check --salvage. "
            "Memory depends on what lives at --from.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"Which events", filter_options, offsetof(struct cut_settings, filter), filter_note},
            {"Output", output_options, offsetof(struct cut_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic cut --from 1s --to 2s Main.eventlog second.eventlog", "one second"},
            {"hectic cut --from marker:phase2 Main.eventlog rest.eventlog", "from a marker on"},
            {"hectic cut --from 1s LOG - | hectic validate all -", "does it make sense?"},
            {NULL, NULL}},
    .exits = {"The part was written; the log may have been cut short.",
              "The log is damaged inside: nothing was cut; or its compressed form is: what comes "
              "before was used.",
              "The log cannot be read, or OUT cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct cut_settings),
    .run = run,
};
