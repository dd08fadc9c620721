/* hectic/render.h — an event as text or as JSON, driven by the catalogue.
 *
 * A renderer is made for one header and then renders its events without allocating. It is
 * immutable: several threads may use one.
 */
#ifndef HECTIC_RENDER_H
#define HECTIC_RENDER_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hectic_time_format {
    HECTIC_TIME_RAW,    /**< nanoseconds: "1200000" */
    HECTIC_TIME_PRETTY, /**< "  0s   1ms 200.0  us", as ghc-events show --pretty-time */
} hectic_time_format;

typedef enum hectic_unknown_text {
    HECTIC_UNKNOWN_DESCRIBED, /**< an unknown event's text is its description in the header */
    HECTIC_UNKNOWN_NUMBERED,  /**< "Unknown Event (ref: 1234)", as ghc-events inc */
} hectic_unknown_text;

typedef struct hectic_renderer hectic_renderer;

/** A renderer for events that `header` declares (which must outlive it); NULL: no memory. */
hectic_renderer *hectic_renderer_new(const hectic_header *header);
void hectic_renderer_free(hectic_renderer *renderer);

/** The room that any of the functions below may need for this event, in bytes. */
static inline size_t hectic_render_bound(const hectic_event *event)
{
    return 4096 + (size_t)event->declared->description_length * 6 + (size_t)event->size * 12;
}

/** The most that hectic_render_bound returns: for a buffer that serves all events. */
#define HECTIC_RENDER_MAX (4096u + HECTIC_DESCRIPTION_MAX * 6u + 65535u * 12u)

/** The event's text, without its time and cap: "creating thread 7". An event whose payload is too
 *  short for its fields has the text of an unknown one. Returns the length; `out` has
 *  hectic_render_bound bytes of room; no NUL is added. UTF-8; bytes of the log that are not valid
 *  UTF-8 become U+FFFD. Byte for byte what ghc-events prints, where ghc-events prints the event at
 *  all; but the text of a SYNC event goes on with the cap and text of the event that it replays:
 *  "hectic: still holds: cap 3: creating thread 7". */
size_t hectic_render_text(const hectic_renderer *renderer, const hectic_event *event,
                          hectic_unknown_text unknown, char *out);

/** The whole line that ghc-events prints: "1200000: cap 0: creating thread 7", without the final
 *  newline (the text of a BLOCK_MARKER itself ends in one). */
size_t hectic_render_line(const hectic_renderer *renderer, const hectic_event *event,
                          hectic_time_format format, hectic_unknown_text unknown, char *out);

/** One JSON object on one line, without the newline:
 *  {"time":1200000,"cap":0,"event":"CREATE_THREAD","type":0,"thread":7}
 *  `cap` is null for global events. Fields have their catalogue names; integers are exact; a
 *  status or type has a second member NAME_name with its text; texts are strings; bytes are a
 *  string of hexadecimal digits. An event of unknown type (whose "event" is null) or size has
 *  "description" and "payload" (hexadecimal); extra bytes beyond the known fields are in "extra";
 *  where the payload is too short for its fields, those that are whole are given, and
 *  "malformed":true. A SYNC event has, besides its own fields, those of the event that it replays,
 *  if the header declares that: "replayed":{"cap":3,"event":"CREATE_THREAD","type":0,"thread":7}.
 */
size_t hectic_render_json(const hectic_renderer *renderer, const hectic_event *event, char *out);

/** A type of the header, as ghc-events lists it: "0: Create thread (size 4)". Returns the length;
 *  room: 64 + 4 × description_length. */
size_t hectic_render_type(const hectic_event_type *type, char *out);

/** A number in decimal; returns its length (at most 20). */
size_t hectic_render_u64(uint64_t value, char *out);

/** Text of others as a terminal may get it: on one line, where it does nothing but be seen. What
 *  is no printable character of Unicode 14 becomes an escape (controls, line separators, what turns
 *  the direction of text and other format characters, private and unassigned ones): \n, \t, \x1b,
 *  \u202e, \U000e0001; bytes that are no UTF-8 become \xff. Other text, backslashes too, stays: so
 *  it may be done twice. Returns the length; room: 4 × length. */
size_t hectic_render_visible(const char *text, size_t length, char *out);

/** A JSON string with its quotes from UTF-8 bytes (bad bytes become U+FFFD); what
 *  hectic_render_visible would escape is escaped here, too, as JSON does. Room: 2 + 6 × length. */
size_t hectic_render_json_string(const char *text, size_t length, char *out);

/** A time as in HECTIC_TIME_PRETTY; at most 40 bytes. */
size_t hectic_render_pretty_time(uint64_t ns, char *out);

#ifdef __cplusplus
}
#endif
#endif
