/* cut.c — hectic cut: write a log, or a part of it; and hectic copy, the same as cut --raw. */
#include "tool/cli/message.h"
#include "tool/cli/progress.h"
#include "tool/files/sink.h"
#include "tool/input/filters.h"
#include "tool/input/live_log.h"
#include "tool/input/logs.h"

#include <string.h>

struct cut_settings {
    bool raw, as_is;
    struct filter_settings filter;
    struct output_settings output;
};

struct cut {
    const char *path;
    hectic_input *input;
    struct tool_filter *filter;  /* NULL: everything, byte by byte */
    struct tool_filter *context; /* by time only: definitions that pass it are kept too */
    struct tool_filter *state;   /* all but time and --limit, for the state at --from */
    hectic_renderer *renderer;
    struct sink *sink;
    struct progress progress;
    uint64_t events; /* of the log that were kept */
};

static bool has_filters(const struct filter_settings *f)
{
    return f->from || f->to || f->match || f->limit > 0 ||
           f->caps.count + f->threads.count + f->events.count + f->classes.count > 0;
}

/* Makes the filters. Returns the exit code. */
static int make_filters(struct cut *cut, const struct cut_settings *settings)
{
    const struct filter_settings *all = &settings->filter;
    if (settings->as_is && has_filters(all)) {
        tool_usage_error("--as-is copies all bytes: it takes no filters");
        return TOOL_USAGE;
    }
    if (settings->as_is || (settings->raw && !has_filters(all))) return TOOL_OK;
    int code = TOOL_OK;
    const struct filter_settings times = {.from = settings->raw ? NULL : all->from, .to = all->to};
    struct filter_settings state = *all;
    state.from = state.to = NULL;
    state.limit = 0;
    cut->context = tool_filter_new(&times, cut->input, cut->path, &code);
    if (cut->context) cut->state = tool_filter_new(&state, cut->input, cut->path, &code);
    if (cut->state) cut->filter = tool_filter_new(all, cut->input, cut->path, &code);
    if (code == TOOL_OK && tool_filter_from(cut->filter) >= tool_filter_to(cut->filter)) {
        tool_usage_error("--from %s is not before --to %s", all->from ? all->from : "0", all->to);
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
    bool kept = tool_filter_pass(cut->filter, cut->renderer, event);
    const bool done = tool_filter_is_done(cut->filter);
    if (done) live_input_end(cut->input);
    if (!kept && !done)
        kept = hectic_is_context(event) && tool_filter_pass(cut->context, cut->renderer, event);
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
    progress_input(&cut->progress, cut->input);
    return !sink_failed(cut->sink) && !has_failed(cut);
}

/* Nothing is decoded. */
static bool write_bytes(struct cut *cut, hectic_error *error)
{
    char piece[64 * 1024];
    ptrdiff_t length;
    *error = (hectic_error){.kind = HECTIC_OK};
    while ((length = hectic_input_read(cut->input, piece, sizeof piece, error)) > 0)
        if (!write_to_sink(cut, piece, (size_t)length)) return false;
    return length == 0;
}

static bool write_part(struct cut *cut, const struct cut_settings *settings, hectic_error *error)
{
    if (settings->as_is) return write_bytes(cut, error);
    if (settings->raw)
        return hectic_copy(cut->input, cut->filter ? keep : NULL, cut, write_to_sink, cut, error);
    hectic_input *input = cut->input;
    const bool done = hectic_cut(input, tool_filter_from(cut->filter), tool_filter_to(cut->filter),
                                 keep, cut, write_to_sink, cut, error);
    cut->input = NULL; /* hectic_cut frees it */
    return done;
}

/* Returns the exit code; sets *done if the output is complete. */
static int write_log(struct cut *cut, const struct cut_settings *settings, bool *done)
{
    hectic_error error;
    *done = write_part(cut, settings, &error) && !has_failed(cut);
    progress_end(&cut->progress);
    const char *name = tool_log_name(cut->path);
    if (*done && cut->filter && cut->events == 0)
        tool_message("%s: note: the output has no event of the log", name);
    if (error.kind != HECTIC_OK) tool_log_error(cut->path, &error);
    if (*done) return error.kind == HECTIC_OK ? TOOL_OK : TOOL_DAMAGED;
    if (!tool_is_damage(&error)) return TOOL_UNUSABLE;
    tool_message(sink_is_kept(cut->sink)
                     ? "%s: the events before the damage were written"
                     : "%s: nothing was written; hectic check --repair IN OUT writes all events "
                       "that can be read",
                 name);
    return TOOL_DAMAGED;
}

static int cut_run(struct cut *cut, const struct cut_settings *settings)
{
    cut->input = tool_input_open(cut->path);
    if (cut->input == NULL) return TOOL_UNUSABLE;
    int code = make_filters(cut, settings);
    if (code != TOOL_OK) return code;
    cut->sink = sink_open_for_log(&settings->output);
    if (cut->sink == NULL) return TOOL_UNUSABLE;
    cut->progress = progress_start(&settings->output);
    bool done;
    code = write_log(cut, settings, &done);
    const int closed = sink_close(cut->sink, done ? code : TOOL_UNUSABLE);
    return done ? closed : code;
}

static int run(void *settings, int argc, char **argv)
{
    struct cut_settings *own = settings;
    if (!tool_output_operand(&own->output, argc, argv)) return TOOL_USAGE;
    struct cut cut = {.path = argv[0]};
    const int code = cut_run(&cut, own);
    hectic_renderer_free(cut.renderer);
    tool_filter_free(cut.filter);
    tool_filter_free(cut.context);
    tool_filter_free(cut.state);
    hectic_input_free(cut.input);
    return code;
}

static int run_copy(void *settings, int argc, char **argv)
{
    struct cut_settings *own = settings;
    own->raw = true;
    return run(own, argc, argv);
}

static const struct tool_option cut_options[] = {
    {"raw", 0, NULL, "keep the log's own order and blocks; add no state", NULL,
     offsetof(struct cut_settings, raw), tool_set_flag},
    {"as-is", 0, NULL, "copy all bytes, damaged ones too, without reading them", NULL,
     offsetof(struct cut_settings, as_is), tool_set_flag},
    {0},
};

static const char *const usage[] = {"[OPTION]... IN OUT", "[OPTION]... -o OUT IN", NULL};

/* hectic copy takes all but the first. */
static const struct option_group groups[] = {
    {"Which events", cut_options, 0, NULL},
    {"Which events", filter_options, offsetof(struct cut_settings, filter), filter_note},
    {"Output", output_options, offsetof(struct cut_settings, output), NULL},
    {"Output", input_options, 0, input_note},
    {0},
};

static const char damage_note[] =
    "OUT is written atomically: it appears when it is complete. An existing OUT is only replaced "
    "with --force. If IN is damaged, nothing is written (from a live source: the events before the "
    "damage); see hectic check --repair.";

const struct verb verb_cut = {
    .name = "cut",
    .group = "Other verbs:",
    .brief = "extract a part of a log",
    .summary = "Write a log, or a self-contained excerpt of it",
    .usage = usage,
    .description =
        (const char *const[]){
            "Writes the events of IN between --from and --to to OUT (- for standard output). The "
            "excerpt is self-contained, so that any tool can read it: it begins with the live "
            "state at --from, with that timestamp.",
            "The live state is: earlier definitions (cost centres, info tables ...); live capsets, "
            "caps, tasks and threads, with their labels; the program and the wall clock; the "
            "thread that runs on each cap, and why each other thread stopped (shown as a run and a "
            "stop); the last values of counters that count from the program's start; and the "
            "beginning of a collection in progress, with the time --from. Finished threads are "
            "left "
            "out. At --to, each cap ends with an empty block, so that the excerpt extends up to "
            "there.",
            "--cap, --thread, --event and the other filters leave events out, but no definitions. "
            "Events are filtered in the order of the file, cap by cap; --limit counts in that "
            "order.",
            "With --raw, no state is added: definitions keep their own times, and all those up to "
            "--to are kept. Without filters, OUT is then a copy of IN, byte by byte, including "
            "unknown events and an incomplete end. hectic copy is the same as hectic cut --raw.",
            "With --as-is, the bytes are not decoded: what is damaged, or no log, is copied, too, "
            "from "
            "a live source as it arrives. If IN is compressed, OUT is not.",
            damage_note, "Without --raw, memory depends on the size of the live state at --from.",
            NULL},
    .groups = groups,
    .examples =
        (const struct example[]){
            {"hectic cut --from 1s --to 2s Main.eventlog second.eventlog", "one second"},
            {"hectic cut --from marker:phase2 Main.eventlog rest.eventlog", "from a marker on"},
            {"hectic cut --raw --cap 0 LOG - | hectic show -", "the events of cap 0"},
            {"hectic cut --from 1s LOG - | hectic check --deep -", "check an excerpt"},
            {NULL, NULL}},
    .exits = {"OUT was written. IN may be cut short.",
              "IN is damaged: nothing was written. If its compressed form is damaged, the events "
              "before the damage were written.",
              "IN cannot be read, or OUT cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct cut_settings),
    .run = run,
};

const struct verb verb_copy = {
    .name = "copy",
    .group = NULL,
    .summary = "Write a log, or some of its events (the same as cut --raw)",
    .usage = usage,
    .description =
        (const char *const[]){
            "The same as hectic cut --raw: writes the events of IN that pass the filters to OUT (- "
            "for standard output), in the order of the file and in blocks of the same caps. "
            "Without filters, OUT is a copy of IN, byte by byte.",
            "Definitions that other events refer to (threads, labels, caps, cost centres, the "
            "program and its arguments ...) are kept up to --to, whether they pass or not. hectic "
            "cut without --raw also writes the state at --from.",
            damage_note, NULL},
    .groups = groups + 1,
    .examples =
        (const struct example[]){
            {"hectic copy --cap 0 LOG - | hectic show -", "the events of cap 0"},
            {"hectic copy Main.eventlog.zst Main.eventlog", "decompress a log"},
            {NULL, NULL}},
    .exits = {"OUT was written. IN may be cut short.", "IN is damaged; see hectic cut.",
              "IN cannot be read, or OUT cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct cut_settings),
    .run = run_copy,
};
