/* A redacted log is sound, passes the check, and is not changed by redacting it again with another
 * key; in pieces, it is the same. */
#define _GNU_SOURCE
#include "memory_file.h"
#include "redact/redact.h"

struct output {
    uint8_t *bytes;
    size_t size, room;
};

static bool append(void *user, const void *bytes, size_t length)
{
    struct output *out = user;
    if (out->size + length > out->room) {
        out->room = 2 * (out->size + length);
        out->bytes = realloc(out->bytes, out->room);
        REQUIRE(out->bytes);
    }
    if (length > 0) memcpy(out->bytes + out->size, bytes, length);
    out->size += length;
    return true;
}

/* An input without a header has no output. */
static struct output redact(const uint8_t *data, size_t length, const hectic_redaction *rules)
{
    struct output out = {0};
    hectic_redacted redacted;
    hectic_error error;
    hectic_input *input = memory_input(data, length);
    if (!hectic_redact(input, rules, append, &out, NULL, NULL, &redacted, &error)) {
        REQUIRE(error.kind != HECTIC_OK);
        out.size = 0;
    }
    hectic_input_free(input);
    return out;
}

static void count_finding(void *user, const struct redact_finding *finding)
{
    (void)finding;
    ++*(uint64_t *)user;
}

static void check(const struct output *out, const hectic_redaction *rules)
{
    uint64_t findings = 0;
    hectic_redacted redacted;
    hectic_error error;
    hectic_input *input = memory_input(out->bytes, out->size);
    REQUIRE(redact_check(input, rules, count_finding, &findings, NULL, NULL, &redacted, &error));
    REQUIRE(findings == 0 && redacted.salvaged.bytes_lost == 0 && redacted.salvaged.tail == 0);
    hectic_input_free(input);
}

static void require_same_in_pieces(const uint8_t *data, size_t length, const struct output *whole,
                                   const hectic_redaction *rules)
{
    struct output out = {0};
    hectic_error error;
    redact_stream *stream = redact_stream_new(rules, NULL, NULL);
    REQUIRE(stream);
    const struct buffer *ready;
    for (size_t at = 0, size; at < length; at += size) {
        size = 1 + at % 199;
        if (size > length - at) size = length - at;
        REQUIRE((ready = redact_stream_piece(stream, data + at, size, &error)) != NULL);
        append(&out, ready->bytes, ready->size);
    }
    REQUIRE((ready = redact_stream_piece(stream, NULL, 0, &error)) != NULL);
    append(&out, ready->bytes, ready->size);
    redact_stream_free(stream);
    REQUIRE(out.size == whole->size && memcmp(out.bytes, whole->bytes, out.size) == 0);
    free(out.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static const char *const purposes[] = {"team", "performance", "structure"};
    if (is_compressed(data, length)) return 0;
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++) {
        hectic_redaction rules;
        REQUIRE(hectic_redaction_begin(&rules, purposes[i]));
        rules.key[0] = 1;
        struct output once = redact(data, length, &rules);
        if (once.size > 0) {
            check(&once, &rules);
            if (i == 1) require_same_in_pieces(data, length, &once, &rules);
            rules.key[0] = 2;
            struct output twice = redact(once.bytes, once.size, &rules);
            REQUIRE(once.size == twice.size && memcmp(once.bytes, twice.bytes, once.size) == 0);
            free(twice.bytes);
        }
        free(once.bytes);
    }
    return 0;
}
