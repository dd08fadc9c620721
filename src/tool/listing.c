/* listing.c — see listing.h. */
#include "listing.h"

#include <string.h>

const struct tool_option listing_options[] = {
    {"json", 0, NULL, "a JSON object per line", NULL, offsetof(struct listing_settings, json),
     tool_set_flag},
    {"header", 0, NULL, "with, or without, the table of event types", NULL,
     offsetof(struct listing_settings, header), tool_set_flag},
    {"no-header", 0, NULL, NULL, NULL, offsetof(struct listing_settings, no_header), tool_set_flag},
    {0},
};

static const char dim[] = "\033[2m", plain[] = "\033[0m";

bool listing_begin(struct listing *listing, const hectic_header *header)
{
    hectic_renderer_free(listing->renderer);
    listing->renderer = hectic_renderer_new(header);
    if (listing->renderer == NULL) tool_complain("out of memory");
    return listing->renderer != NULL;
}

/* "1200000: cap 0: " in a line. */
static size_t prefix_length(const char *line, bool has_cap)
{
    const char *end = strchr(line, ':') + 2;
    if (has_cap) end = strchr(end, ':') + 2;
    return (size_t)(end - line);
}

static size_t colored_line(const struct listing *listing, const hectic_event *event, char *out)
{
    char *line = out + sizeof dim - 1;
    const size_t length =
        hectic_render_line(listing->renderer, event, listing->time, listing->unknown, line);
    const size_t prefix = prefix_length(line, event->cap != HECTIC_CAP_NONE);
    memcpy(out, dim, sizeof dim - 1);
    memmove(line + prefix + sizeof plain - 1, line + prefix, length - prefix);
    memcpy(line + prefix, plain, sizeof plain - 1);
    return sizeof dim - 1 + length + sizeof plain - 1;
}

size_t listing_special_line(const struct listing *listing, const hectic_event *event, char *out)
{
    const size_t length = listing->json ? hectic_render_json(listing->renderer, event, out)
                                        : colored_line(listing, event, out);
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
        char *out = sink_room(sink, 65 + 4 * (size_t)type[i].description_length);
        const size_t length = hectic_render_type(&type[i], out);
        out[length] = '\n';
        sink_fill(sink, length + 1);
    }
    sink_text(sink, "\n", 1);
    sink_text(sink, title, strlen(title));
    sink_text(sink, ":\n", 2);
}
