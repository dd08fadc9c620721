/* The texts of errors. */
#include <hectic/error.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The text of each kind, with a conversion for its number. */
static const char *const found_format[] = {
    [HECTIC_OK] = "no error",
    [HECTIC_NOT_A_LOG] = "not an eventlog: it starts with 0x%" PRIx64,
    [HECTIC_BAD_HEADER] = "the header is damaged: found 0x%" PRIx64,
    [HECTIC_HEADER_TRUNCATED] = "truncated header: the input ends after %" PRIu64 " bytes",
    [HECTIC_HEADER_TOO_LARGE] = "the header is damaged or too large: a length of %" PRIu64,
    [HECTIC_UNDECLARED_EVENT] = "undeclared event type %" PRIu64,
    [HECTIC_NO_MEMORY] = "out of memory",
    [HECTIC_IO] = "",
    [HECTIC_SPOOL] = "cannot write a temporary file: ",
    [HECTIC_SPOOL_LIMIT] = "the temporary file would exceed %" PRIu64 " bytes",
    [HECTIC_COMPRESSION] = "the compressed data are damaged at byte %" PRIu64 " of the file",
    [HECTIC_UNSUPPORTED_COMPRESSION] = "unsupported compression at byte %" PRIu64 " of the file",
    [HECTIC_CHANGED] = "the file changed while it was read",
    [HECTIC_BLOCK_CROSSED] = "a block ends inside an event of type %" PRIu64,
    [HECTIC_BLOCK_OVERLAPPED] =
        "a block begins %" PRIu64 " bytes before the end of the previous one",
    [HECTIC_BLOCK_TRUNCATED] = "the log ends %" PRIu64 " bytes before the end of its last block",
    [HECTIC_LATE_EVENT] = "an event is %" PRIu64 " ns later than the end of its block",
    [HECTIC_TIME_BACK] = "time goes back by %" PRIu64 " ns",
    [HECTIC_NO_EVENT_TYPES] = "the header declares no event types",
    [HECTIC_MISDECLARED_EVENT] = "the header declares event type %" PRIu64 " with an invalid size",
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
    const bool has_reason =
        error->kind == HECTIC_COMPRESSION || error->kind == HECTIC_UNSUPPORTED_COMPRESSION;
    if (error->expected && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, has_reason ? ": %s" : " (expected: %s)",
                 error->expected);
    return text;
}
