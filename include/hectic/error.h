/* hectic/error.h — errors as values.
 *
 * Every HECTIC_ERROR result comes with one of these. Positions are byte offsets from the beginning
 * of the (uncompressed) input.
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
    HECTIC_UNDECLARED_EVENT, /**< an event whose number the header does not declare, perhaps behind
                                one that was damaged, too; or zeros, and then `expected` is NULL */
    HECTIC_NO_MEMORY,
    HECTIC_IO,          /**< a system call failed; `number` is errno */
    HECTIC_COMPRESSION, /**< the compressed data are damaged at byte `number` of the file; the data
                           before `position` were read; `expected`: the decompression library's
                           message */
    HECTIC_UNSUPPORTED_COMPRESSION, /**< a compression format that is not supported or not built in;
                                       `number` and `expected` as above */
    HECTIC_CHANGED,                 /**< the file changed while it was being read */
    HECTIC_SPOOL,                   /**< a temporary file could not be written; `number` is errno */
    HECTIC_SPOOL_LIMIT,             /**< a temporary file would exceed `number` bytes */
    /* Defects that only a check reports, and reading continues without loss; but an event that
     * crosses its block's end where another block begins, or that is more than 10 s later than it
     * before an earlier event, or than 10 hours, is damage as HECTIC_UNDECLARED_EVENT is. */
    HECTIC_BLOCK_CROSSED,    /**< a block ends inside an event; `number` is the event's type */
    HECTIC_BLOCK_OVERLAPPED, /**< a block begins `number` bytes before the end of the previous one
                              */
    HECTIC_BLOCK_TRUNCATED,  /**< the events end `number` bytes before their block */
    HECTIC_LATE_EVENT,       /**< an event is `number` ns later than its block's end time */
    HECTIC_TIME_BACK,      /**< time goes back by `number` ns, more than any writer's imprecision */
    HECTIC_NO_EVENT_TYPES, /**< the header declares none: no event can be read */
    HECTIC_MISDECLARED_EVENT, /**< declared with an invalid size; `number` is the type */
    HECTIC_MALFORMED_EVENT,   /**< a payload too short for its fields; `number` is the type */
    HECTIC_ERROR_KINDS,
} hectic_error_kind;

typedef struct hectic_error {
    hectic_error_kind kind;
    uint64_t position;    /**< byte offset in the input */
    uint64_t number;      /**< the value found: an event's number, a marker, an errno; see kind */
    const char *expected; /**< the expected value; see kind; a constant text, or NULL */
} hectic_error;

/** Writes the error's message, without the position, to text[0 … size-1], NUL-terminated:
 *  "undeclared event type 1234 (expected: a number that the header declares)". Returns text. 300
 *  bytes are always sufficient. */
char *hectic_error_text(const hectic_error *error, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
