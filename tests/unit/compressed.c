#define _GNU_SOURCE /* F_SETPIPE_SZ */
/* Compressed logs, damaged at every byte: every way of reading gets exactly what zlib and libzstd
 * decompress byte by byte, up to the damage; and only logs are spooled, within the limit. */
#include "bytes.h"
#include "less.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#ifdef HECTIC_ZLIB
#include <zlib.h>
#endif
#ifdef HECTIC_ZSTD
#include <zstd.h>
#endif

enum { PIECE = 700 }; /* approximate size of a zstd block */

typedef enum verdict { WHOLE, CUT_OFF, DAMAGED } verdict;

/* The reference's result for compressed bytes. */
struct decompressed {
    struct bytes bytes;
    verdict verdict;
};

struct packing {
    const char *name;
    void (*pack)(struct bytes *out, const struct bytes *in);
    struct decompressed (*decompress)(const uint8_t *data, size_t length);
};

#ifdef HECTIC_ZLIB
static void gzip_pack(struct bytes *out, const struct bytes *in)
{
    z_stream z = {.next_in = in->data, .avail_in = (uInt)in->length};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    const size_t before = out->length, room = deflateBound(&z, (uLong)in->length);
    z.next_out = bytes_grow(out, room);
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->length = before + z.total_out;
    deflateEnd(&z);
}

static struct decompressed gzip_unpack(const uint8_t *data, size_t length)
{
    struct decompressed u = {.verdict = WHOLE};
    z_stream z = {0};
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    for (size_t i = 0; i < length && u.verdict != DAMAGED; i++) {
        if (u.verdict == WHOLE && i > 0 && data[i] == 0) continue; /* between members */
        uint8_t byte = data[i], room[4096];
        z.next_in = &byte;
        z.avail_in = 1;
        int result;
        do {
            z.next_out = room;
            z.avail_out = sizeof room;
            result = inflate(&z, Z_NO_FLUSH);
            bytes_write(&u.bytes, room, sizeof room - z.avail_out);
        } while (result == Z_OK && z.avail_out == 0);
        if (result == Z_STREAM_END) inflateReset(&z);
        u.verdict = result == Z_STREAM_END                    ? WHOLE
                    : result == Z_OK || result == Z_BUF_ERROR ? CUT_OFF
                                                              : DAMAGED;
    }
    inflateEnd(&z);
    return u;
}
#endif

#ifdef HECTIC_ZSTD
static void zstd_pack(struct bytes *out, const struct bytes *in)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    for (size_t at = 0; at < in->length; at += PIECE) {
        const size_t rest = in->length - at;
        ZSTD_inBuffer piece = {in->data + at, rest < PIECE ? rest : PIECE, 0};
        const size_t before = out->length, room = ZSTD_compressBound(PIECE) + 64;
        ZSTD_outBuffer compressed = {bytes_grow(out, room), room, 0};
        assert_int_equal(
            ZSTD_compressStream2(c, &compressed, &piece, rest > PIECE ? ZSTD_e_flush : ZSTD_e_end),
            0);
        out->length = before + compressed.pos;
    }
    ZSTD_freeCCtx(c);
}

static struct decompressed zstd_unpack(const uint8_t *data, size_t length)
{
    enum { ROOM = 1 << 18 }; /* more than a block */
    struct decompressed u = {.verdict = WHOLE};
    uint8_t *room = malloc(ROOM);
    ZSTD_DStream *z = ZSTD_createDStream();
    for (size_t i = 0; i < length && u.verdict != DAMAGED; i++) {
        ZSTD_inBuffer in = {data + i, 1, 0};
        ZSTD_outBuffer out = {room, ROOM, 0};
        const size_t result = ZSTD_decompressStream(z, &out, &in);
        u.verdict = ZSTD_isError(result) ? DAMAGED : result == 0 ? WHOLE : CUT_OFF;
        if (u.verdict != DAMAGED) bytes_write(&u.bytes, room, out.pos);
    }
    ZSTD_freeDStream(z);
    free(room);
    return u;
}
#endif

static const struct packing packings[] = {
#ifdef HECTIC_ZLIB
    {"gzip", gzip_pack, gzip_unpack},
#endif
#ifdef HECTIC_ZSTD
    {"zstd", zstd_pack, zstd_unpack},
#endif
};

enum { PACKINGS = sizeof packings / sizeof *packings };

/* --- Ways of reading ------------------------------------------------------------------------- */

/* The same bytes, from a pipe. */
static hectic_input *pipe_input(const uint8_t *data, size_t length)
{
    int ends[2];
    hectic_error error;
    assert_int_equal(pipe(ends), 0);
    assert_true(fcntl(ends[1], F_SETPIPE_SZ, 1 << 18) >= (int)length);
    assert_int_equal(write(ends[1], data, length), length);
    close(ends[1]);
    hectic_input *input = hectic_input_from_fd(ends[0], &error);
    assert_non_null(input);
    return input;
}

/* Reads an input to its end, in reads of `size`; *error is the final error. */
static struct bytes read_all(hectic_input *input, size_t size, hectic_error *error)
{
    struct bytes all = {0};
    uint8_t *buffer = malloc(size);
    ptrdiff_t n;
    *error = (hectic_error){0};
    while ((n = hectic_input_read(input, buffer, size, error)) > 0)
        bytes_write(&all, buffer, (size_t)n);
    hectic_error again = {0};
    assert_int_equal(hectic_input_read(input, buffer, size, &again), n); /* repeated */
    assert_int_equal(again.kind, error->kind);
    free(buffer);
    return all;
}

static void assert_read(hectic_input *input, size_t size, const struct decompressed *expected,
                        size_t compressed)
{
    hectic_error error;
    struct bytes got = read_all(input, size, &error);
    bytes_assert_equal(&got, &expected->bytes);
    if (expected->bytes.length > 0) {
        assert_int_equal(error.kind, expected->verdict == DAMAGED ? HECTIC_COMPRESSION : HECTIC_OK);
        assert_int_equal(hectic_input_is_cut_off(input), expected->verdict == CUT_OFF);
    }
    if (error.kind != HECTIC_OK) {
        assert_int_equal(error.position, expected->bytes.length);
        assert_in_range(error.number, 0, compressed);
    }
    bytes_free(&got);
}

/* By small and large reads, from a file, a pipe, and the spool. */
static void assert_reads(const uint8_t *data, size_t length, const struct decompressed *expected)
{
    static const size_t sizes[] = {1, 13, 4096, 1 << 18};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int piped = 0; piped < 2; piped++) {
            hectic_input *input = (piped ? pipe_input : bytes_input)(data, length);
            assert_read(input, sizes[i], expected, length);
            hectic_input_free(input);
        }
    }
    hectic_error error;
    hectic_input *input = bytes_input(data, length);
    if (hectic_input_make_random(input, &error)) assert_read(input, 4096, expected, length);
    hectic_input_free(input);
}

/* The results of the library's readers for an input. */
struct made {
    struct bytes copy, part, saved;
    bool copied, is_part, is_saved, is_log;
    uint64_t events, ordered, places;
};

static bool keep_all(void *user, const hectic_header *header, const hectic_event *event)
{
    (void)user, (void)header, (void)event;
    return true;
}

static struct made make(const uint8_t *data, size_t length)
{
    struct made m = {0};
    hectic_error error;
    hectic_salvaged salvaged;
    hectic_input *input = bytes_input(data, length);
    m.copied = hectic_copy(input, NULL, NULL, bytes_write, &m.copy, &error);
    hectic_input_free(input);
    m.is_part = hectic_cut(bytes_input(data, length), 1, UINT64_MAX, keep_all, NULL, bytes_write,
                           &m.part, &error);
    input = bytes_input(data, length);
    m.is_saved = hectic_salvage(input, bytes_write, &m.saved, NULL, NULL, &salvaged, &error);
    hectic_input_free(input);
    m.events = salvaged.events;
    m.places = salvaged.places_damaged;
    hectic_log *log = hectic_log_open(bytes_input(data, length), NULL, &error);
    hectic_event event;
    m.is_log = log;
    hectic_result result = HECTIC_PARTIAL;
    while (log &&
           ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER))
        m.ordered += result == HECTIC_GOT_EVENT;
    hectic_log_free(log);
    return m;
}

static void made_free(struct made *m)
{
    bytes_free(&m->copy);
    bytes_free(&m->part);
    bytes_free(&m->saved);
}

static void assert_made(const uint8_t *data, size_t length, const struct decompressed *expected)
{
    struct made m = make(data, length);
    struct made plain = make(expected->bytes.data, expected->bytes.length);
    assert_int_equal(m.copied, plain.copied);
    assert_int_equal(m.is_part, plain.is_part);
    assert_int_equal(m.is_saved, plain.is_saved);
    assert_int_equal(m.is_log, plain.is_log);
    assert_int_equal(m.events, plain.events);
    assert_int_equal(m.ordered, plain.ordered);
    if (m.is_saved) assert_int_equal(m.places, plain.places + (expected->verdict == DAMAGED));
    if (plain.copied) bytes_assert_equal(&m.copy, &plain.copy);
    if (plain.is_part) bytes_assert_equal(&m.part, &plain.part);
    if (plain.is_saved) bytes_assert_equal(&m.saved, &plain.saved);
    made_free(&m);
    made_free(&plain);
}

/* --- Damage ---------------------------------------------------------------------------------- */

static void assert_same_every_way(const struct packing *packing, const uint8_t *data, size_t length)
{
    struct decompressed expected = packing->decompress(data, length);
    assert_reads(data, length, &expected);
    assert_made(data, length, &expected);
    bytes_free(&expected.bytes);
}

/* A log in two members. */
static struct bytes compressed_log(const struct packing *packing, struct bytes *log)
{
    *log = bytes_of_file("tests/logs/tiny.eventlog");
    struct bytes out = {0}, half = *log;
    half.length = log->length * 3 / 4;
    packing->pack(&out, &half);
    half.data += half.length;
    half.length = log->length - half.length;
    packing->pack(&out, &half);
    return out;
}

static void damage_at_any_byte_is_reported(void **state)
{
    (void)state;
    for (size_t p = 0; p < PACKINGS; p++) {
        struct bytes log, compressed = compressed_log(&packings[p], &log);
        const struct decompressed whole =
            packings[p].decompress(compressed.data, compressed.length);
        bytes_assert_equal(&whole.bytes, &log);
        uint64_t seed = 1;
        /* Except the bytes that identify the compression. */
        for (size_t i = 4; i < compressed.length; i += LESS(1, 5)) {
            const uint8_t right = compressed.data[i];
            compressed.data[i] ^= (uint8_t)(1u << random_below(&seed, 8));
            assert_same_every_way(&packings[p], compressed.data, compressed.length);
            compressed.data[i] = right;
        }
        free(whole.bytes.data);
        bytes_free(&compressed);
        bytes_free(&log);
    }
}

static void truncation_at_any_byte_is_reported(void **state)
{
    (void)state;
    for (size_t p = 0; p < PACKINGS; p++) {
        struct bytes log, compressed = compressed_log(&packings[p], &log);
        for (size_t length = 4; length <= compressed.length; length += LESS(1, 5))
            assert_same_every_way(&packings[p], compressed.data, length);
        bytes_free(&compressed);
        bytes_free(&log);
    }
}

static void anything_may_follow(void **state)
{
    (void)state;
    static const char *const more[] = {"garbage", "\x1f\x8b", "\x28\xb5\x2f\xfd\x20", "\xff"};
    for (size_t p = 0; p < PACKINGS; p++) {
        struct bytes log, compressed = compressed_log(&packings[p], &log);
        const size_t whole = compressed.length;
        for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
            compressed.length = whole;
            bytes_write(&compressed, more[i], strlen(more[i]));
            assert_same_every_way(&packings[p], compressed.data, compressed.length);
        }
        bytes_free(&compressed);
        bytes_free(&log);
    }
}

#ifdef HECTIC_ZLIB
/* As gzip does. */
static void zeros_may_follow_gzip(void **state)
{
    (void)state;
    struct bytes log = bytes_of_file("tests/logs/tiny.eventlog"), compressed = {0};
    struct decompressed expected = {.bytes = log, .verdict = WHOLE};
    gzip_pack(&compressed, &log);
    memset(bytes_grow(&compressed, 1000), 0, 1000);
    assert_reads(compressed.data, compressed.length, &expected);
    bytes_free(&compressed);
    bytes_free(&log);
}
#endif

#ifdef HECTIC_ZSTD
static void skippable_frames_may_come_first(void **state)
{
    (void)state;
    for (uint8_t kind = 0x50; kind < 0x60; kind++) {
        const uint8_t skipped[] = {kind, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 'h', 'e', 'l', 'l', 'o'};
        struct bytes log = bytes_of_file("tests/logs/tiny.eventlog"), compressed = {0};
        bytes_write(&compressed, skipped, sizeof skipped);
        zstd_pack(&compressed, &log);
        bytes_write(&compressed, skipped, sizeof skipped);
        const struct decompressed expected = {.bytes = log, .verdict = WHOLE};
        assert_reads(compressed.data, compressed.length, &expected);
        bytes_free(&compressed);
        bytes_free(&log);
    }
}

/* A window that libzstd rejects by default is not damage. */
static void unsupported_compression_is_not_damage(void **state)
{
    (void)state;
    static const uint8_t huge[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 0x01, 0, 0};
    hectic_input *input = bytes_input(huge, sizeof huge);
    uint8_t byte;
    hectic_error error;
    assert_int_equal(hectic_input_read(input, &byte, 1, &error), -1);
    assert_int_equal(error.kind, HECTIC_UNSUPPORTED_COMPRESSION);
    assert_non_null(error.expected);
    hectic_input_free(input);
}
#endif

/* --- The spool ------------------------------------------------------------------------------- */

static void only_logs_are_spooled(void **state)
{
    (void)state;
    hectic_error error;
    setenv("TMPDIR", "/nowhere", 1);
    hectic_input *input = hectic_input_open("/dev/zero", &error);
    assert_false(hectic_input_make_random(input, &error));
    assert_int_equal(error.kind, HECTIC_NOT_A_LOG);
    hectic_input_free(input);

    struct bytes log = bytes_of_file("tests/logs/tiny.eventlog");
    input = pipe_input(log.data, 100);
    assert_false(hectic_input_make_random(input, &error));
    assert_int_equal(error.kind, HECTIC_HEADER_TRUNCATED);
    assert_int_equal(error.number, 100);
    hectic_input_free(input);

    input = pipe_input(log.data, log.length);
    assert_false(hectic_input_make_random(input, &error));
    assert_int_equal(error.kind, HECTIC_SPOOL);
    assert_int_equal(error.number, ENOENT);
    hectic_input_free(input);
    unsetenv("TMPDIR");
    bytes_free(&log);
}

static void the_spool_is_limited(void **state)
{
    (void)state;
    struct bytes log = bytes_of_file("tests/logs/tiny.eventlog");
    for (uint64_t limit = log.length - 1; limit <= log.length; limit++) {
        hectic_error error = {0};
        hectic_input *input = pipe_input(log.data, log.length);
        hectic_input_limit_spool(input, limit);
        assert_int_equal(hectic_input_make_random(input, &error), limit == log.length);
        assert_int_equal(error.kind, limit == log.length ? HECTIC_OK : HECTIC_SPOOL_LIMIT);
        if (error.kind) assert_int_equal(error.number, limit);
        hectic_input_free(input);
    }
    bytes_free(&log);
}

/* Child processes do not inherit it, and it has no name. */
static void the_spool_is_private(void **state)
{
    (void)state;
    char folder[] = "/tmp/hectic-compressed-XXXXXX", command[100];
    hectic_error error;
    assert_non_null(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    struct bytes log = bytes_of_file("tests/logs/tiny.eventlog");
    hectic_input *input = pipe_input(log.data, log.length);
    assert_true(hectic_input_make_random(input, &error));
    assert_int_equal(rmdir(folder), 0);
    snprintf(command, sizeof command, "! ls -l /proc/self/fd | grep -q %s", folder);
    assert_int_equal(system(command), 0);
    hectic_input_free(input);
    unsetenv("TMPDIR");
    bytes_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_at_any_byte_is_reported),
        cmocka_unit_test(truncation_at_any_byte_is_reported),
        cmocka_unit_test(anything_may_follow),
#ifdef HECTIC_ZLIB
        cmocka_unit_test(zeros_may_follow_gzip),
#endif
#ifdef HECTIC_ZSTD
        cmocka_unit_test(skippable_frames_may_come_first),
        cmocka_unit_test(unsupported_compression_is_not_damage),
#endif
        cmocka_unit_test(only_logs_are_spooled),
        cmocka_unit_test(the_spool_is_limited),
        cmocka_unit_test(the_spool_is_private),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
