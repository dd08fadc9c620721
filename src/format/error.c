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

/* Are the bytes of the number printable ASCII, or white space? Then they are written to `word`. */
static bool is_text(uint64_t number, char word[9])
{
    size_t length = 0;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
        const unsigned byte = number >> (shift - 8) & 0xff;
        if (byte == 0 && length == 0) continue;
        const bool is_blank = byte == '\n' || byte == '\r' || byte == '\t';
        if (!is_blank && (byte < 0x20 || byte > 0x7e)) return false;
        word[length++] = is_blank ? ' ' : (char)byte;
    }
    word[length] = 0;
    return length > 1;
}

char *hectic_error_text(const hectic_error *error, char *text, size_t size)
{
    char word[9];
    if (size == 0) return text;
    int length = 0;
    if (error->kind == HECTIC_HEADER_TRUNCATED && error->number == 0) {
        length = snprintf(text, size, "the input is empty");
    } else if (error->kind == HECTIC_UNDECLARED_EVENT && !error->expected) {
        length = snprintf(text, size, "zeros instead of an event");
    } else if (error->kind == HECTIC_NOT_A_LOG && is_text(error->number, word)) {
        length = snprintf(text, size, "not an eventlog: it is text: \"%s…\"", word);
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
