/* listing.h — events as lines of text or JSON, as show and inc print them. */
#ifndef HECTIC_LISTING_H
#define HECTIC_LISTING_H

#include "tool/cli/verb.h"
#include "tool/files/sink.h"

struct listing_settings {
    bool pretty_time, json, header, no_header;
};
extern const struct tool_option listing_options[]; /* --json, --header, --no-header */

/* The format of lines. The renderer is that of the current section. */
struct listing {
    hectic_renderer *renderer;
    hectic_time_format time;
    hectic_unknown_text unknown;
    bool json;
    bool colored;
    uint64_t running; /* for JSON: the thread that ran, if the next event does not name it; or 0 */
    bool visible;     /* control characters are escaped; needed for colors */
};

/* Sets colors and escapes as a sink needs them. */
void listing_for(struct listing *listing, const struct sink *sink);

/* Makes a renderer for a section's header. False after a message. */
bool listing_begin(struct listing *listing, const hectic_header *header);

/* The bytes that listing_line needs. */
static inline size_t listing_bound(const struct listing *listing, const hectic_event *event)
{
    enum { THREAD_COLORS_AND_NEWLINE = 64, AS_IT_IS_AND_VISIBLE = 5 };
    const size_t bound = hectic_render_bound(event) + THREAD_COLORS_AND_NEWLINE;
    return listing->visible ? AS_IT_IS_AND_VISIBLE * bound : bound;
}

/* As listing_line, for JSON and terminals. */
size_t listing_special_line(const struct listing *listing, const hectic_event *event, char *out);

/* The event's line, with its newline; returns the length. */
static inline size_t listing_line(const struct listing *listing, const hectic_event *event,
                                  char *out)
{
    if (listing->json || listing->visible) return listing_special_line(listing, event, out);
    const size_t length =
        hectic_render_line(listing->renderer, event, listing->time, listing->unknown, out);
    out[length] = '\n';
    return length + 1;
}

/* "Event Types:", the types, and the title of what follows. */
void listing_header(struct sink *sink, const hectic_header *header, const char *title);

#endif
