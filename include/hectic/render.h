/* hectic/render.h — renders events as text or JSON, driven by the catalogue.
 *
 * A renderer is created for one header, and renders its events without allocating. It is immutable:
 * several threads may use it.
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

/** A renderer for events that `header`, which must outlive it, declares; NULL: out of memory. */
hectic_renderer *hectic_renderer_new(const hectic_header *header);
void hectic_renderer_free(hectic_renderer *renderer);

/** The maximum output size of the functions below for this event, in bytes. */
static inline size_t hectic_render_bound(const hectic_event *event)
{
    return 4096 + (size_t)event->declared->description_length * 6 + (size_t)event->size * 12;
}

/** The maximum of hectic_render_bound: a buffer of this size is sufficient for any event. */
#define HECTIC_RENDER_MAX (4096u + HECTIC_DESCRIPTION_MAX * 6u + 65535u * 12u)

/** The event's text, without its time and cap: "creating thread 7". A malformed event has the text
 *  of an unknown one. Returns the length; `out` must have hectic_render_bound bytes; no NUL is
 *  added. The text is UTF-8; invalid bytes become U+FFFD. It is identical to that of ghc-events for
 *  all events that ghc-events prints, except that the text of a SYNC event continues with the cap
 *  and text of the replayed event: "hectic: state replay: cap 3: creating thread 7". */
size_t hectic_render_text(const hectic_renderer *renderer, const hectic_event *event,
                          hectic_unknown_text unknown, char *out);

/** The line that ghc-events prints: "1200000: cap 0: creating thread 7", without the final newline
 *  (the text of a BLOCK_MARKER itself ends with one). */
size_t hectic_render_line(const hectic_renderer *renderer, const hectic_event *event,
                          hectic_time_format format, hectic_unknown_text unknown, char *out);

/** A JSON object on one line, without the newline:
 *
 *      {"time":1200000,"cap":0,"event":"CREATE_THREAD","type":0,"thread":7}
 *
 *  `cap` is null for global events. Fields have their names of the catalogue; integers are exact; a
 *  status or type has a second member NAME_name with its text; texts are strings, in which an
 *  invalid byte of UTF-8 is \xE4 and a backslash is two; bytes are a string of hexadecimal digits.
 * An event of unknown type (then "event" is null) or size has "description" and "payload"
 * (hexadecimal); extra bytes beyond the known fields are in "extra"; a malformed event has its
 * complete fields and "malformed":true. A SYNC event also has the fields of the replayed event, if
 * the header declares that: "replayed":{"cap":3,"event":"CREATE_THREAD","type":0,"thread":7}. */
size_t hectic_render_json(const hectic_renderer *renderer, const hectic_event *event, char *out);

/** Escapes untrusted text for a terminal, on one line. Characters that are not printable in Unicode
 *  14 become escapes (controls, line separators, bidirectional and other format characters,
 *  private-use and unassigned ones): \n, \t, \x1b, \u202e, \U000e0001; invalid UTF-8 becomes \xff.
 *  Other text, including backslashes, is unchanged, so escaping is idempotent. Returns the length,
 *  at most 4 × `length`. */
size_t hectic_render_visible(const char *text, size_t length, char *out);

#ifdef __cplusplus
}
#endif
#endif
