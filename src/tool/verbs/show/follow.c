/* follow.c — see follow.h. */
#include "tool/verbs/show/follow.h"

#include "tool/input/live_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_SIZE = 256 * 1024 };

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

/* Prints what was pushed. Returns TOOL_UNUSABLE if the log cannot be used, or TOOL_OK. */
static int print_pushed(struct follow *f)
{
    hectic_event event;
    hectic_result result;
    while (!is_over(f) && (result = hectic_decoder_pull(f->decoder, &event)) != HECTIC_PARTIAL) {
        f->ended = result == HECTIC_COMPLETE;
        if (result == HECTIC_GOT_EVENT) {
            put_event(f, &event);
        } else if (result == HECTIC_HEADER) {
            if (!begin_section(f)) return TOOL_UNUSABLE;
        } else if (result == HECTIC_ERROR) {
            const hectic_error *error = hectic_decoder_error(f->decoder);
            note_damage(f, error);
            const bool is_damage = error->kind != HECTIC_NO_MEMORY;
            if (!is_damage || !hectic_decoder_header(f->decoder)) return TOOL_UNUSABLE;
            hectic_decoder_resync(f->decoder);
        }
    }
    return TOOL_OK;
}

static void show_progress(const struct follow *f, struct progress *progress)
{
    uint64_t done, all;
    hectic_input_progress(f->input, &done, &all);
    if (all > 0) progress_update(progress, (double)done / (double)all);
}

static int print_all(struct follow *f, char *buffer, struct progress *progress)
{
    int code = TOOL_OK;
    while (code == TOOL_OK && !is_over(f)) {
        hectic_error error = {0};
        const ptrdiff_t size = hectic_input_read(f->input, buffer, READ_SIZE, &error);
        if (size < 0) note_damage(f, &error);
        f->ended_early = tool_is_early_end(&error, hectic_decoder_header(f->decoder));
        if (size < 0 && !f->ended_early) return TOOL_UNUSABLE;
        if (size <= 0) break;
        hectic_decoder_push(f->decoder, buffer, (size_t)size);
        code = print_pushed(f);
        /* A short read: the writer is slower than this reader. */
        if (size < READ_SIZE) sink_flush(f->sink);
        show_progress(f, progress);
    }
    return code;
}

/* Reports how the log ended. Returns the exit code. */
static int report(const struct follow *f)
{
    if (f->damaged > TOOL_PLACES_SHOWN)
        tool_message("%s: and %" PRIu64 " more such places", tool_log_name(f->path),
                     f->damaged - TOOL_PLACES_SHOWN);
    size_t tail;
    hectic_decoder_tail(f->decoder, &tail);
    if (hectic_decoder_header(f->decoder) == NULL) {
        tool_report_no_header(f->path, f->decoder);
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
            hectic_decoder_push(f->decoder, bytes, length);
            code = print_pushed(f);
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

static int run(struct follow *f, char *buffer)
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
        struct progress progress = progress_start(&f->settings->output);
        code = print_all(f, buffer, &progress);
        progress_end(&progress);
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
    char *buffer = aligned_alloc(HECTIC_INPUT_ALIGNMENT, READ_SIZE);
    int code = TOOL_UNUSABLE;
    if (f.decoder == NULL || buffer == NULL)
        tool_message("out of memory");
    else
        code = run(&f, buffer);
    hectic_renderer_free(f.listing.renderer);
    tool_filter_free(f.filter);
    hectic_decoder_free(f.decoder);
    hectic_input_free(f.input);
    if (f.live) live_log_close(f.live);
    free(buffer);
    return code;
}
