/* follow.c — see follow.h. */
#include "tool/verbs/show/follow.h"

#include "read/decode/pass.h"
#include "tool/cli/message.h"
#include "tool/cli/progress.h"
#include "tool/input/filters.h"
#include "tool/input/live_log.h"
#include "tool/input/logs.h"

#include <string.h>
#include <unistd.h>

const struct tool_option follow_options[] = {
    {"follow", 'f', NULL, "print events as they are written, in file order", NULL,
     offsetof(struct show_settings, follow), tool_set_flag},
    {0},
};

struct follow {
    const struct show_settings *settings;
    const char *path;
    hectic_input *input;   /* NULL: a live source, or a file that does not exist yet */
    struct live_log *live; /* that, or a file that grows; or NULL */
    hectic_decoder *decoder;
    struct tool_filter *filter;
    struct sink *sink;
    struct listing listing;
    struct progress progress;
    uint64_t damaged; /* places */
    bool ended;       /* the last item was an end marker */
    bool ended_early; /* compressed data are damaged */
};

static void note_damage(struct follow *f, const hectic_error *error)
{
    if (++f->damaged > TOOL_PLACES_SHOWN) return;
    sink_flush(f->sink);
    tool_log_error(f->path, error);
}

static bool begin_section(struct follow *f)
{
    const hectic_header *header = hectic_decoder_header(f->decoder);
    if (f->settings->listing.header && !f->settings->listing.json)
        listing_header(f->sink, header, "Events");
    return listing_begin(&f->listing, header);
}

static void put_event(struct follow *f, const hectic_event *event)
{
    if (!tool_filter_pass(f->filter, f->listing.renderer, event)) return;
    f->listing.running = tool_filter_implied(f->filter);
    char *out = sink_room(f->sink, listing_bound(&f->listing, event));
    sink_fill(f->sink, listing_line(&f->listing, event, out));
}

static bool is_over(const struct follow *f)
{
    return sink_failed(f->sink) || tool_filter_is_done(f->filter);
}

/* False: the output is complete, or out of memory. */
static bool put_item(void *self, const hectic_decoder *decoder, hectic_result result,
                     const hectic_event *event)
{
    struct follow *f = self;
    f->ended = result == HECTIC_COMPLETE;
    if (result == HECTIC_GOT_EVENT) put_event(f, event);
    if (result == HECTIC_ERROR) note_damage(f, hectic_decoder_error(decoder));
    return (result != HECTIC_HEADER || begin_section(f)) && !is_over(f);
}

static bool flush(void *self)
{
    const struct follow *f = self;
    sink_flush(f->sink);
    return true;
}

static void show_progress(void *self, double done)
{
    struct follow *f = self;
    progress_update(&f->progress, done);
}

static const struct pass_consumer consumer = {
    .item = put_item, .drain = flush, .progress = show_progress};

/* The exit code after a part of the pass. */
static int code_of(const struct follow *f, pass_end end)
{
    return end == PASS_DONE || (end == PASS_STOPPED && is_over(f)) ? TOOL_OK : TOOL_UNUSABLE;
}

static int print_all(struct follow *f)
{
    hectic_error error = {0};
    const pass_end end = pass_input(f->input, f->decoder, &consumer, f, &error);
    if (error.kind != HECTIC_OK) note_damage(f, &error);
    f->ended_early = tool_is_early_end(&error, hectic_decoder_header(f->decoder));
    return f->ended_early ? TOOL_OK : code_of(f, end);
}

/* Reports how the log ended. Returns the exit code. */
static int report(const struct follow *f)
{
    logs_report_more(f->path, f->damaged, TOOL_PLACES_SHOWN);
    size_t tail;
    hectic_decoder_tail(f->decoder, &tail);
    if (hectic_decoder_header(f->decoder) == NULL) {
        const bool is_reported = hectic_decoder_position(f->decoder) + tail == 0 &&
                                 live_log_code() != TOOL_OK; /* by the source */
        if (!is_reported) tool_report_no_header(f->path, f->decoder);
        return TOOL_UNUSABLE;
    }
    const bool is_cut_off = f->input && hectic_input_is_cut_off(f->input);
    if (!f->ended && !f->ended_early && !is_over(f))
        tool_note_unfinished(f->path, &f->settings->output, is_cut_off, tail);
    return f->damaged ? TOOL_DAMAGED : TOOL_OK;
}

/* --- Live sources ---------------------------------------------------------------------------- */

/* Each log of a source is independent of the one before. */
static int begin_another(struct follow *f)
{
    const bool is_first = hectic_decoder_position(f->decoder) == 0;
    const int code = is_first ? TOOL_OK : report(f);
    hectic_decoder_free(f->decoder);
    f->decoder = hectic_decoder_new();
    f->ended = false;
    if (f->decoder) return code == TOOL_DAMAGED ? TOOL_OK : code;
    tool_message("out of memory");
    return TOOL_UNUSABLE;
}

/* A file that grows is read to its end marker; a source, to the end of the source. */
static bool is_enough(const struct follow *f)
{
    return is_over(f) || (f->ended && !live_log_is(f->path));
}

static int print_live(struct follow *f)
{
    const uint8_t *bytes;
    size_t length;
    enum live_log_item item;
    int code = TOOL_OK;
    while (code == TOOL_OK && !is_enough(f) &&
           (item = live_log_next(f->live, &bytes, &length)) != LIVE_LOG_END) {
        if (item == LIVE_LOG_BEGIN) {
            code = begin_another(f);
        } else {
            pass_end end = pass_piece(f->decoder, &consumer, f, bytes, length);
            /* Nothing else may follow for now: the last event is shown, too. */
            if (end == PASS_DONE) end = pass_piece(f->decoder, &consumer, f, NULL, 0);
            code = code_of(f, end);
        }
    }
    return code;
}

static bool open_live(struct follow *f, int *code)
{
    const char *text = strcmp(f->path, "-") == 0 ? "/dev/stdin" : f->path;
    const struct live_log_options options = {.follow = f->settings->follow,
                                             .quiet = f->settings->output.quiet};
    f->live = live_log_open(text, &options, code);
    if (f->live) live_log_until(f->live, tool_filter_to(f->filter));
    return f->live;
}

/* --------------------------------------------------------------------------------------------- */

/* Is it a file that does not exist yet? */
static bool is_awaited(const struct follow *f)
{
    return f->settings->follow && strcmp(f->path, "-") != 0 && access(f->path, F_OK) != 0;
}

/* May a program be writing it? A compressed log is complete. */
static bool grows(const struct follow *f)
{
    return f->settings->follow && strcmp(hectic_input_kind(f->input), "file") == 0;
}

static int run(struct follow *f)
{
    int code = TOOL_OK;
    const bool is_live = live_log_is(f->path) || is_awaited(f);
    if (!is_live && (f->input = tool_input_open(f->path)) == NULL) return TOOL_UNUSABLE;
    f->filter = tool_filter_new(&f->settings->filter, f->input, f->path, &code);
    if (f->filter == NULL) return code;
    if ((is_live || grows(f)) && !open_live(f, &code)) return code;
    f->sink = sink_open(&f->settings->output);
    if (f->sink == NULL) return TOOL_UNUSABLE;
    f->listing.json = f->settings->listing.json;
    listing_for(&f->listing, f->sink);
    if (f->live) {
        code = print_live(f);
    } else {
        f->progress = progress_start(&f->settings->output);
        code = print_all(f);
        progress_end(&f->progress);
    }
    if (code == TOOL_OK) code = report(f);
    if (tool_filter_failed(f->filter)) code = TOOL_UNUSABLE;
    return sink_close(f->sink, code);
}

int follow_run(const struct show_settings *settings, const struct listing *listing,
               const char *path)
{
    struct follow f = {.settings = settings, .path = path, .listing = *listing};
    f.decoder = hectic_decoder_new();
    int code = TOOL_UNUSABLE;
    if (f.decoder == NULL)
        tool_message("out of memory");
    else
        code = run(&f);
    hectic_renderer_free(f.listing.renderer);
    tool_filter_free(f.filter);
    hectic_decoder_free(f.decoder);
    hectic_input_free(f.input);
    if (f.live) live_log_close(f.live);
    return code;
}
