/* copy.c — hectic copy: a log, or a part of it, written anew. */
#include "tool/input/live_log.h"

#include <string.h>

struct copy_settings {
    struct filter_settings filter;
    struct output_settings output;
};

/* What is carried through the log. */
struct copy {
    hectic_input *input;
    struct tool_filter *filter;  /* what was asked for; NULL: everything */
    struct tool_filter *context; /* by --to only: definitions that pass this one are kept too */
    hectic_renderer *renderer;
    struct sink *sink;
    struct progress progress;
};

static bool has_filters(const struct filter_settings *f)
{
    return f->from || f->to || f->match || f->limit > 0 ||
           f->caps.count + f->threads.count + f->events.count + f->classes.count > 0;
}

/* Makes the filters. Returns the exit code. */
static int make_filters(struct copy *copy, const struct filter_settings *settings, const char *path)
{
    int code = TOOL_OK;
    if (!has_filters(settings)) return code;
    const struct filter_settings until = {.to = settings->to};
    copy->context = tool_filter_new(&until, copy->input, path, &code);
    if (copy->context) copy->filter = tool_filter_new(settings, copy->input, path, &code);
    return code;
}

static bool begin_section(struct copy *copy, const hectic_header *header)
{
    hectic_renderer_free(copy->renderer);
    copy->renderer = hectic_renderer_new(header);
    if (copy->renderer == NULL) tool_message("out of memory");
    return copy->renderer != NULL;
}

static bool keep(void *user, const hectic_header *header, const hectic_event *event)
{
    struct copy *copy = user;
    if (event == NULL) return begin_section(copy, header);
    const bool passes = tool_filter_pass(copy->filter, copy->renderer, event);
    if (tool_filter_is_done(copy->filter)) live_input_end(copy->input);
    if (passes) return true;
    return hectic_is_context(event) && !tool_filter_is_done(copy->filter) &&
           tool_filter_pass(copy->context, copy->renderer, event);
}

static bool write_to_sink(void *user, const void *bytes, size_t length)
{
    struct copy *copy = user;
    sink_text(copy->sink, bytes, length);
    uint64_t done, all;
    hectic_input_progress(copy->input, &done, &all);
    if (all > 0) progress_update(&copy->progress, (double)done / (double)all);
    return !sink_failed(copy->sink) && !tool_filter_failed(copy->filter);
}

/* Returns the exit code; sets *copied where there is a copy. */
static int copy_log(struct copy *copy, const char *path, bool *copied)
{
    hectic_error error;
    *copied =
        hectic_copy(copy->input, copy->filter ? keep : NULL, copy, write_to_sink, copy, &error) &&
        !tool_filter_failed(copy->filter);
    progress_end(&copy->progress);
    if (error.kind != HECTIC_OK) tool_log_error(path, &error);
    if (*copied) return error.kind == HECTIC_OK ? TOOL_OK : TOOL_DAMAGED;
    if (error.kind != HECTIC_UNDECLARED_EVENT) return TOOL_UNUSABLE;
    tool_message(sink_is_kept(copy->sink)
                     ? "%s: what came before that was copied"
                     : "%s: nothing was copied; hectic check --salvage saves what can be read",
                 tool_log_name(path));
    return TOOL_DAMAGED;
}

static int copy_run(struct copy *copy, const struct copy_settings *settings, const char *path)
{
    copy->input = tool_input_open(path);
    if (copy->input == NULL) return TOOL_UNUSABLE;
    int code = make_filters(copy, &settings->filter, path);
    if (code != TOOL_OK) return code;
    copy->sink = sink_open_for_log(&settings->output);
    if (copy->sink == NULL) return TOOL_UNUSABLE;
    copy->progress = progress_start(&settings->output);
    bool copied;
    code = copy_log(copy, path, &copied);
    /* For the sink, what is no copy is not wanted. */
    const int closed = sink_close(copy->sink, copied ? code : TOOL_UNUSABLE);
    return copied ? closed : code;
}

static int run(void *settings, int argc, char **argv)
{
    struct copy_settings *own = settings;
    if ((argc == 2) == (own->output.path != NULL)) {
        tool_message("copy: name one file to write: OUT, or - for standard output");
        return TOOL_USAGE;
    }
    if (argc == 2 && strcmp(argv[1], "-") != 0) own->output.path = argv[1];
    struct copy copy = {0};
    const int code = copy_run(&copy, own, argv[0]);
    hectic_renderer_free(copy.renderer);
    tool_filter_free(copy.filter);
    tool_filter_free(copy.context);
    hectic_input_free(copy.input);
    return code;
}

const struct verb verb_copy = {
    .name = "copy",
    .group = NULL,
    .summary = "Write a log, or a part of it, anew",
    .usage = (const char *const[]){"[OPTION]... LOG OUT", "[OPTION]... -o OUT LOG", NULL},
    .description =
        (const char *const[]){
            "Reads a log event by event and writes it to OUT (- for standard output). Without "
            "filters OUT is the same to the last byte, unknown events and an unfinished end "
            "included.",
            "With filters, OUT holds the events that pass, in blocks of the caps that they were "
            "in. What other events refer to (threads, labels, caps, cost centres, the program and "
            "its arguments ...) is kept whether it passes or not, up to --to, so that the part can "
            "be understood; hectic cut tells how things stand at --from as well. Events are looked "
            "at in the order of the log, cap by cap: that is what "
            "--limit counts.",
            "OUT appears when it is whole. A damaged log is not copied, or up to the damage only "
            "where it is still being written: see hectic check --salvage.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"Which events", filter_options, offsetof(struct copy_settings, filter), filter_note},
            {"Output", output_options, offsetof(struct copy_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic copy --from 1s --to 2s Main.eventlog second.eventlog", "one second of a log"},
            {"hectic copy --cap 0 LOG - | hectic show -", "what happened on cap 0"},
            {"hectic copy Main.eventlog.zst Main.eventlog", "a log that is not compressed"},
            {NULL, NULL}},
    .exits =
        {"The log was copied; it may have been cut short.",
         "The log is damaged inside: nothing was copied; or its compressed form is: what comes "
         "before was copied.",
         "The log cannot be read, or OUT cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct copy_settings),
    .run = run,
};
