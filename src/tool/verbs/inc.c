/* inc.c — hectic inc: the events in the order of the log, as they come. */
#include "tool/input/live_log.h"
#include "tool/output/listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_SIZE = 256 * 1024 };

struct inc_settings {
    struct filter_settings filter;
    struct listing_settings listing;
    struct output_settings output;
    bool follow;
};

static const struct tool_option follow_options[] = {
    {"follow", 'f', NULL, "wait for a file, and at its end for more", NULL,
     offsetof(struct inc_settings, follow), tool_set_flag},
    {0},
};

/* What is carried through the log. */
struct inc {
    const struct inc_settings *settings;
    const char *path;
    hectic_input *input;   /* NULL: a living program, or a file that is still to come */
    struct live_log *live; /* that, or a file that grows; or NULL */
    hectic_decoder *decoder;
    struct tool_filter *filter;
    struct sink *sink;
    struct listing listing;
    uint64_t damaged; /* places */
    bool ended;       /* the last item was an end marker */
    bool ended_early; /* by damage of compressed data */
};

static void note_damage(struct inc *inc, const hectic_error *error)
{
    if (++inc->damaged > TOOL_PLACES_SHOWN) return;
    sink_flush(inc->sink);
    tool_log_error(inc->path, error);
}

static bool begin_section(struct inc *inc)
{
    const hectic_header *header = hectic_decoder_header(inc->decoder);
    if (inc->settings->listing.header && !inc->settings->listing.json)
        listing_header(inc->sink, header, "Events");
    return listing_begin(&inc->listing, header);
}

static void put_event(struct inc *inc, const hectic_event *event)
{
    if (!tool_filter_pass(inc->filter, inc->listing.renderer, event)) return;
    char *out = sink_room(inc->sink, listing_bound(&inc->listing, event));
    sink_fill(inc->sink, listing_line(&inc->listing, event, out));
}

static bool is_over(const struct inc *inc)
{
    return sink_failed(inc->sink) || tool_filter_is_done(inc->filter);
}

/* Prints all that has come. Returns the exit code where the log is not usable, or else TOOL_OK. */
static int print_pushed(struct inc *inc)
{
    hectic_event event;
    hectic_result result;
    while (!is_over(inc) &&
           (result = hectic_decoder_pull(inc->decoder, &event)) != HECTIC_PARTIAL) {
        inc->ended = result == HECTIC_COMPLETE;
        if (result == HECTIC_GOT_EVENT) {
            put_event(inc, &event);
        } else if (result == HECTIC_HEADER) {
            if (!begin_section(inc)) return TOOL_UNUSABLE;
        } else if (result == HECTIC_ERROR) {
            const hectic_error *error = hectic_decoder_error(inc->decoder);
            note_damage(inc, error);
            const bool is_damage = error->kind != HECTIC_NO_MEMORY;
            if (!is_damage || !hectic_decoder_header(inc->decoder)) return TOOL_UNUSABLE;
            hectic_decoder_resync(inc->decoder);
        }
    }
    return TOOL_OK;
}

static void show_progress(const struct inc *inc, struct progress *progress)
{
    uint64_t done, all;
    hectic_input_progress(inc->input, &done, &all);
    if (all > 0) progress_update(progress, (double)done / (double)all);
}

static int print_all(struct inc *inc, char *buffer, struct progress *progress)
{
    int code = TOOL_OK;
    while (code == TOOL_OK && !is_over(inc)) {
        hectic_error error = {0};
        const ptrdiff_t size = hectic_input_read(inc->input, buffer, READ_SIZE, &error);
        if (size < 0) note_damage(inc, &error);
        inc->ended_early = tool_is_early_end(&error, hectic_decoder_header(inc->decoder));
        if (size < 0 && !inc->ended_early) return TOOL_UNUSABLE;
        if (size <= 0) break;
        hectic_decoder_push(inc->decoder, buffer, (size_t)size);
        code = print_pushed(inc);
        /* Less than was asked for: whoever writes the log is slower than we are. */
        if (size < READ_SIZE) sink_flush(inc->sink);
        show_progress(inc, progress);
    }
    return code;
}

/* Says how the log ended, and returns the exit code. */
static int report(const struct inc *inc)
{
    if (inc->damaged > TOOL_PLACES_SHOWN)
        tool_message("%s: and %" PRIu64 " more such places", tool_log_name(inc->path),
                     inc->damaged - TOOL_PLACES_SHOWN);
    const uint64_t position = hectic_decoder_position(inc->decoder);
    size_t tail;
    hectic_decoder_tail(inc->decoder, &tail);
    if (hectic_decoder_header(inc->decoder) == NULL) {
        if (position + tail == 0)
            tool_message("%s: it is empty", tool_log_name(inc->path));
        else
            tool_message("%s: byte %" PRIu64 ": it ends inside the header",
                         tool_log_name(inc->path), position + tail);
        return TOOL_UNUSABLE;
    }
    const bool is_cut_off = inc->input && hectic_input_is_cut_off(inc->input);
    if (!inc->ended && !inc->ended_early && !is_over(inc))
        tool_note_unfinished(inc->path, &inc->settings->output, is_cut_off, tail);
    return inc->damaged ? TOOL_DAMAGED : TOOL_OK;
}

/* --- Of a living program --------------------------------------------------------------------- */

/* Another log of it is one by itself, whatever the last one ended with. */
static int begin_another(struct inc *inc)
{
    const bool is_first = hectic_decoder_position(inc->decoder) == 0;
    const int code = is_first ? TOOL_OK : report(inc);
    hectic_decoder_free(inc->decoder);
    inc->decoder = hectic_decoder_new();
    inc->ended = false;
    if (inc->decoder) return code == TOOL_DAMAGED ? TOOL_OK : code;
    tool_message("out of memory");
    return TOOL_UNUSABLE;
}

/* A file that grows is read to its end marker; who names a place wants all that comes there. */
static bool is_enough(const struct inc *inc)
{
    return is_over(inc) || (inc->ended && !live_log_is(inc->path));
}

static int print_live(struct inc *inc)
{
    const uint8_t *bytes;
    size_t length;
    enum live_log_item item;
    int code = TOOL_OK;
    while (code == TOOL_OK && !is_enough(inc) &&
           (item = live_log_next(inc->live, &bytes, &length)) != LIVE_LOG_END) {
        if (item == LIVE_LOG_BEGIN) {
            code = begin_another(inc);
        } else {
            hectic_decoder_push(inc->decoder, bytes, length);
            code = print_pushed(inc);
        }
    }
    return code;
}

static bool open_live(struct inc *inc, int *code)
{
    const char *text = strcmp(inc->path, "-") == 0 ? "/dev/stdin" : inc->path;
    const struct live_log_options options = {.follow = inc->settings->follow,
                                             .quiet = inc->settings->output.quiet};
    inc->live = live_log_open(text, &options, code);
    if (inc->live) live_log_until(inc->live, tool_filter_to(inc->filter));
    return inc->live;
}

/* --------------------------------------------------------------------------------------------- */

/* May what is named come to be only when the program begins? */
static bool is_awaited(const struct inc *inc)
{
    return inc->settings->follow && strcmp(inc->path, "-") != 0 && access(inc->path, F_OK) != 0;
}

/* Does a program write to it, perhaps? One that is packed is whole. */
static bool grows(const struct inc *inc)
{
    return inc->settings->follow && strcmp(hectic_input_kind(inc->input), "file") == 0;
}

static int inc_run(struct inc *inc, char *buffer)
{
    int code = TOOL_OK;
    const bool is_live = live_log_is(inc->path) || is_awaited(inc);
    if (!is_live && (inc->input = tool_input_open(inc->path)) == NULL) return TOOL_UNUSABLE;
    inc->filter = tool_filter_new(&inc->settings->filter, inc->input, inc->path, &code);
    if (inc->filter == NULL) return code;
    if ((is_live || grows(inc)) && !open_live(inc, &code)) return code;
    inc->sink = sink_open(&inc->settings->output);
    if (inc->sink == NULL) return TOOL_UNUSABLE;
    inc->listing = (struct listing){
        .unknown = HECTIC_UNKNOWN_NUMBERED,
        .json = inc->settings->listing.json,
    };
    listing_for(&inc->listing, inc->sink);
    if (inc->live) {
        code = print_live(inc);
    } else {
        struct progress progress = progress_start(&inc->settings->output);
        code = print_all(inc, buffer, &progress);
        progress_end(&progress);
    }
    if (code == TOOL_OK) code = report(inc);
    if (tool_filter_failed(inc->filter)) code = TOOL_UNUSABLE;
    return sink_close(inc->sink, code);
}

static int run(void *settings, int argc, char **argv)
{
    struct inc_settings *own = settings;
    if (argc == 2 && strcmp(argv[0], "force") != 0) {
        tool_message("inc: \"%s\" is not force", argv[0]);
        return TOOL_USAGE;
    }
    own->follow = own->follow || argc == 2;
    struct inc inc = {.settings = own, .path = argv[argc - 1]};
    inc.decoder = hectic_decoder_new();
    char *buffer = aligned_alloc(HECTIC_INPUT_ALIGNMENT, READ_SIZE);
    int code = TOOL_UNUSABLE;
    if (inc.decoder == NULL || buffer == NULL)
        tool_message("out of memory");
    else
        code = inc_run(&inc, buffer);
    hectic_renderer_free(inc.listing.renderer);
    tool_filter_free(inc.filter);
    hectic_decoder_free(inc.decoder);
    hectic_input_free(inc.input);
    if (inc.live) live_log_close(inc.live);
    free(buffer);
    return code;
}

const struct verb verb_inc = {
    .name = "inc",
    .group = "As in ghc-events:",
    .brief = "print events as they arrive",
    .summary = "Print the events of a log as they come",
    .usage = (const char *const[]){"[OPTION]... [force] LOG", NULL},
    .description =
        (const char *const[]){
            "Reads the log from its beginning, and prints each event as soon as it is whole. "
            "Works on pipes and on logs that are still being written. Events come in the order of "
            "the log: cap by cap, as the runtime flushed its buffers. The output is the same as "
            "that of ghc-events inc, version 0.21.",
            "With --follow, or the word force, it waits for a file to appear, and at its end for "
            "more to be written, until the end marker that a program writes when it ends. Where "
            "the file is truncated or replaced, it goes on with the log that is there then.",
            "LOG may also be a living program: unix:PATH and tcp:HOST:PORT connect to one, again "
            "and again until it listens there; fifo:PATH waits for one to write; run:COMMAND "
            "starts one (see hectic watch). With --follow, inc goes on with the next log when that "
            "one is over.",
            "Texts are shown as hectic show does. After damage, what can still be read is printed.",
            NULL},
    .words = "force",
    .groups =
        (const struct option_group[]){
            {"Which events", filter_options, offsetof(struct inc_settings, filter), filter_note},
            {"Output", follow_options, 0, NULL},
            {"Output", listing_options, offsetof(struct inc_settings, listing), NULL},
            {"Output", color_options, offsetof(struct inc_settings, output), NULL},
            {"Output", output_options, offsetof(struct inc_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic inc --follow Main.eventlog", "watch a program that runs"},
            {"hectic inc --event user --follow LOG", "watch what it has to say"},
            {"ssh host cat Main.eventlog | hectic inc -", "a log from elsewhere"},
            {"hectic inc unix:/run/program.sock", "a program that listens there"},
            {NULL, NULL}},
    .exits = {"The log was printed; it may have been cut short.",
              "The log is damaged inside: what could be read was printed.",
              "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct inc_settings),
    .run = run,
};
