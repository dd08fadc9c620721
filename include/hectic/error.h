/* hectic/error.h — what can be wrong with a log, as a value.
 *
 * Every result that says HECTIC_ERROR comes with one of these. Positions are byte offsets from
 * the beginning of the (uncompressed) input.
 */
#ifndef HECTIC_ERROR_H
#define HECTIC_ERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hectic_error_kind {
    HECTIC_OK = 0,
    HECTIC_NOT_A_LOG,        /**< the first bytes are not "hdrb" */
    HECTIC_BAD_HEADER,       /**< one of the header's own markers is missing */
    HECTIC_HEADER_TRUNCATED, /**< the input ends inside the header; `number` bytes are there */
    HECTIC_HEADER_TOO_LARGE, /**< see HECTIC_HEADER_MAX and HECTIC_DESCRIPTION_MAX */
    HECTIC_UNDECLARED_EVENT, /**< an event whose number the header does not name */
    HECTIC_NO_MEMORY,
    HECTIC_IO,          /**< the system refused; `number` is errno */
    HECTIC_COMPRESSION, /**< the compressed data are damaged: at byte `number` of the file; what
                           they hold before `position` was read; `expected`: what the library says
                         */
    HECTIC_UNSUPPORTED_COMPRESSION, /**< compressed in a way that is not built in, or not supported;
                         `number` and `expected` as above */
    HECTIC_CHANGED,                 /**< the file changed while it was read */
    HECTIC_SPOOL,                   /**< a temporary file could not be written; `number` is errno */
    HECTIC_SPOOL_LIMIT,             /**< a temporary file would become larger than `number` bytes */
    /* What a check finds besides; reading goes on without loss. */
    HECTIC_BLOCK_CROSSED,     /**< a block ends inside an event; `number` is the event's type */
    HECTIC_BLOCK_OVERLAPPED,  /**< a block begins before the last one is over; `number` bytes */
    HECTIC_BLOCK_TRUNCATED,   /**< the events end before their block does; `number` bytes */
    HECTIC_LATE_EVENT,        /**< an event is later than its block's end time; `number` ns */
    HECTIC_TIME_BACK,         /**< time goes back further than writers stamp; `number` ns */
    HECTIC_NO_EVENT_TYPES,    /**< the header names none: no event can be read */
    HECTIC_MISDECLARED_EVENT, /**< declared with a size that it cannot have; `number` its type */
    HECTIC_MALFORMED_EVENT,   /**< a payload too short for its fields; `number` is the type */
    HECTIC_ERROR_KINDS,
} hectic_error_kind;

typedef struct hectic_error {
    hectic_error_kind kind;
    uint64_t position;    /**< where, in bytes from the beginning of the input */
    uint64_t number;      /**< what was found: an event's number, a marker, an errno; see kind */
    const char *expected; /**< what belongs there; see kind; a constant text, or NULL */
} hectic_error;

/** Writes what went wrong, without the position, into text[0 … size-1], NUL-terminated:
 *  "undeclared event type 1234 (expected: a number that the header declares)".
 *  Returns text. 300 bytes are always enough. */
char *hectic_error_text(const hectic_error *error, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
