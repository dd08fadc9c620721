/* listing.c — see listing.h. */
#include "tool/output/listing.h"

#include "render/renderer.h"
#include "render/units.h"
#include "tool/cli/message.h"

#include <string.h>

const struct tool_option listing_options[] = {
    {"jsonl", 0, NULL, "a JSON object per line, its former name", NULL,
     offsetof(struct listing_settings, json), tool_set_flag},
    {"json", 0, NULL, NULL, NULL, offsetof(struct listing_settings, json), tool_set_flag},
    {"header", 0, NULL, "print the table of event types, or do not", NULL,
     offsetof(struct listing_settings, header), tool_set_flag},
    {"no-header", 0, NULL, NULL, NULL, offsetof(struct listing_settings, no_header), tool_set_flag},
    {0},
};

static const char dim[] = "\033[2m", plain[] = "\033[0m";

void listing_for(struct listing *listing, const struct sink *sink)
{
    listing->colored = sink_is_colored(sink);
    listing->visible = sink_is_terminal(sink);
}

bool listing_begin(struct listing *listing, const hectic_header *header)
{
    hectic_renderer_free(listing->renderer);
    listing->renderer = hectic_renderer_new(header);
    if (listing->renderer == NULL) tool_message("out of memory");
    return listing->renderer != NULL;
}

/* "1200000: cap 0: " in a line. */
static size_t prefix_length(const char *line, bool has_cap)
{
    const char *end = strchr(line, ':') + 2;
    if (has_cap) end = strchr(end, ':') + 2;
    return (size_t)(end - line);
}

static char *put(char *out, const char *text, size_t length)
{
    memcpy(out, text, length);
    return out + length;
}

/* The raw line is rendered behind the space for the escaped one. */
static size_t visible_line(const struct listing *listing, const hectic_event *event, char *out)
{
    char *const line = out + listing_bound(listing, event) - hectic_render_bound(event);
    size_t length =
        hectic_render_line(listing->renderer, event, listing->time, listing->unknown, line);
    const size_t prefix = prefix_length(line, event->cap != HECTIC_CAP_NONE);
    /* The text of a block marker is not from the log, and ends in a newline. */
    const bool is_marker = event->type == HECTIC_EVENT_BLOCK_MARKER && line[length - 1] == '\n';
    char *end = out;
    if (listing->colored) end = put(end, dim, sizeof dim - 1);
    end = put(end, line, prefix);
    if (listing->colored) end = put(end, plain, sizeof plain - 1);
    length -= prefix + is_marker;
    end += hectic_render_visible(line + prefix, length, end);
    if (is_marker) *end++ = '\n';
    return (size_t)(end - out);
}

static size_t json_line(const struct listing *listing, const hectic_event *event, char *out)
{
    static const char key[] = ",\"running_thread\":";
    size_t length = hectic_render_json(listing->renderer, event, out);
    if (listing->running == 0) return length;
    length--; /* the brace */
    char *end = put(out + length, key, sizeof key - 1);
    end += hectic_render_u64(listing->running, end);
    *end++ = '}';
    return (size_t)(end - out);
}

size_t listing_special_line(const struct listing *listing, const hectic_event *event, char *out)
{
    const size_t length =
        listing->json ? json_line(listing, event, out) : visible_line(listing, event, out);
    out[length] = '\n';
    return length + 1;
}

void listing_header(struct sink *sink, const hectic_header *header, const char *title)
{
    static const char heading[] = "Event Types:\n";
    sink_text(sink, heading, sizeof heading - 1);
    size_t count;
    const hectic_event_type *type = hectic_header_types(header, &count);
    for (size_t i = 0; i < count; i++) {
        char *out = sink_foreign_room(sink, 64 + 4 * (size_t)type[i].description_length);
        sink_foreign_fill(sink, out, render_type(&type[i], out));
        sink_text(sink, "\n", 1);
    }
    sink_text(sink, "\n", 1);
    sink_text(sink, title, strlen(title));
    sink_text(sink, ":\n", 2);
}
