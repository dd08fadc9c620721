/* Errors in words. */
#include <hectic/error.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What each kind found, with a place for its number. */
static const char *const found_format[] = {
    [HECTIC_OK] = "nothing is wrong",
    [HECTIC_NOT_A_LOG] = "this is no eventlog: it begins with 0x%" PRIx64,
    [HECTIC_BAD_HEADER] = "the header is damaged: found 0x%" PRIx64,
    [HECTIC_HEADER_TRUNCATED] = "the input ends inside the header, after %" PRIu64 " bytes",
    [HECTIC_HEADER_TOO_LARGE] = "the header is damaged or too large: a length of %" PRIu64,
    [HECTIC_UNDECLARED_EVENT] = "undeclared event type %" PRIu64,
    [HECTIC_NO_MEMORY] = "out of memory",
    [HECTIC_IO] = "",
    [HECTIC_SPOOL] = "no temporary file: ",
    [HECTIC_SPOOL_LIMIT] = "more than %" PRIu64 " bytes for a temporary file",
    [HECTIC_COMPRESSION] = "the compressed data are damaged at byte %" PRIu64 " of the file",
    [HECTIC_UNSUPPORTED_COMPRESSION] =
        "what is compressed from byte %" PRIu64 " of the file on cannot be decompressed",
    [HECTIC_CHANGED] = "the file changed while it was read",
    [HECTIC_BLOCK_CROSSED] = "block ends inside an event of type %" PRIu64,
    [HECTIC_BLOCK_OVERLAPPED] = "a block begins %" PRIu64 " bytes before the last one ends",
    [HECTIC_BLOCK_TRUNCATED] = "the log ends %" PRIu64 " bytes before its last block does",
    [HECTIC_LATE_EVENT] = "an event is %" PRIu64 " ns later than the end of its block",
    [HECTIC_TIME_BACK] = "the time goes back by %" PRIu64 " ns",
    [HECTIC_NO_EVENT_TYPES] = "the header names no event types",
    [HECTIC_MISDECLARED_EVENT] =
        "the header declares event type %" PRIu64 " with a size that it cannot have",
    [HECTIC_MALFORMED_EVENT] = "the payload of an event of type %" PRIu64 " is too short",
};

char *hectic_error_text(const hectic_error *error, char *text, size_t size)
{
    if (size == 0) return text;
    int length = 0;
    if (error->kind == HECTIC_HEADER_TRUNCATED && error->number == 0) {
        length = snprintf(text, size, "the input is empty");
    } else if (error->kind == HECTIC_IO || error->kind == HECTIC_SPOOL) {
        length =
            snprintf(text, size, "%s%s", found_format[error->kind], strerror((int)error->number));
    } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        length = snprintf(text, size, found_format[error->kind], error->number);
#pragma GCC diagnostic pop
    }
    const bool said =
        error->kind == HECTIC_COMPRESSION || error->kind == HECTIC_UNSUPPORTED_COMPRESSION;
    if (error->expected && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, said ? ": %s" : " (expected: %s)",
                 error->expected);
    return text;
}
