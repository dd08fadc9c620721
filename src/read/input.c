/* Inputs: files, pipes, and what zlib and libzstd unpack. */
#include "read/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HECTIC_ZLIB
#include <zlib.h>
#endif
#ifdef HECTIC_ZSTD
#include <zstd.h>
#endif

enum { PACKED_SIZE = 1 << 16, MAGIC_SIZE = 4 };

/* One way to unpack: the next piece of packed bytes in, unpacked bytes out. */
typedef struct unpacker {
    const char *name;
    uint8_t magic[MAGIC_SIZE];
    size_t magic_length;
    void *(*open)(void);
    void (*close)(void *state);
    /* Unpacks from input->packed; returns the bytes produced (0: more input is needed), or -1. */
    ptrdiff_t (*unpack)(struct hectic_input *input, void *buffer, size_t size);
} unpacker;

struct hectic_input {
    int fd;
    int spool; /* where pread reads: fd itself, the spool file, or -1 */
    bool regular;
    bool spooled;             /* fd has been read; the spool is there in its place */
    bool between;             /* an unpacker stands between two members */
    bool unpacked;            /* something came out of it */
    const unpacker *unpacker; /* NULL: the bytes are as they are */
    void *unpacker_state;
    uint64_t begin, end;         /* of a part, which begins and ends there; end 0: it is none */
    uint64_t size;               /* as it lies on disk; 0: not known */
    uint64_t done;               /* bytes read of it */
    uint8_t packed[PACKED_SIZE]; /* read ahead: packed bytes, or the first few of a plain input */
    size_t packed_at;
    size_t packed_end;
    hectic_error cut;
};

static ptrdiff_t fail(hectic_error *error, hectic_error_kind kind, uint64_t position,
                      uint64_t number)
{
    *error = (hectic_error){.kind = kind, .position = position, .number = number};
    return -1;
}

#ifdef HECTIC_ZLIB
static void *gzip_open(void)
{
    z_stream *z = calloc(1, sizeof *z);
    if (z && inflateInit2(z, 15 + 16) == Z_OK) return z;
    free(z);
    return NULL;
}

static void gzip_close(void *state)
{
    inflateEnd(state);
    free(state);
}

static ptrdiff_t gzip_unpack(hectic_input *input, void *buffer, size_t size)
{
    z_stream *z = input->unpacker_state;
    z->next_in = input->packed + input->packed_at;
    z->avail_in = (uInt)(input->packed_end - input->packed_at);
    z->next_out = buffer;
    z->avail_out = (uInt)size;
    int result = inflate(z, Z_NO_FLUSH);
    input->packed_at = input->packed_end - z->avail_in;
    if (result == Z_BUF_ERROR) return 0; /* nothing was done: it stands where it stood */
    if (result != Z_OK && result != Z_STREAM_END) return -1;
    input->between = result == Z_STREAM_END; /* a further member may follow */
    if (input->between) inflateReset(z);
    return (ptrdiff_t)(size - z->avail_out);
}
#endif

#ifdef HECTIC_ZSTD
static void *zstd_open(void)
{
    return ZSTD_createDStream();
}

static void zstd_close(void *state)
{
    ZSTD_freeDStream(state);
}

static ptrdiff_t zstd_unpack(hectic_input *input, void *buffer, size_t size)
{
    ZSTD_inBuffer in = {input->packed, input->packed_end, input->packed_at};
    ZSTD_outBuffer out = {buffer, size, 0};
    size_t result = ZSTD_decompressStream(input->unpacker_state, &out, &in);
    const bool moved = in.pos > input->packed_at || out.pos > 0;
    input->packed_at = in.pos;
    if (ZSTD_isError(result)) return -1;
    if (moved) input->between = result == 0; /* else it stands where it stood */
    return (ptrdiff_t)out.pos;
}
#endif

static const unpacker unpackers[] = {
#ifdef HECTIC_ZLIB
    {"gzip", {0x1f, 0x8b}, 2, gzip_open, gzip_close, gzip_unpack},
#else
    {"gzip", {0x1f, 0x8b}, 2, NULL, NULL, NULL},
#endif
#ifdef HECTIC_ZSTD
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, zstd_open, zstd_close, zstd_unpack},
#else
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, NULL, NULL, NULL},
#endif
};

static ptrdiff_t read_some(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    ptrdiff_t n;
    do
        n = read(input->spooled ? input->spool : input->fd, buffer, size);
    while (n < 0 && errno == EINTR);
    if (n < 0) return fail(error, HECTIC_IO, input->done, (uint64_t)errno);
    input->done += (uint64_t)n;
    return n;
}

/* Reads the first bytes ahead, and finds out from them how the input is packed. */
static bool recognise(hectic_input *input, hectic_error *error)
{
    while (input->packed_end < MAGIC_SIZE) {
        ptrdiff_t n = read_some(input, input->packed + input->packed_end,
                                MAGIC_SIZE - input->packed_end, error);
        if (n < 0) return false;
        if (n == 0) break;
        input->packed_end += (size_t)n;
    }
    for (size_t i = 0; i < sizeof unpackers / sizeof *unpackers; i++) {
        const unpacker *u = &unpackers[i];
        if (input->packed_end < u->magic_length ||
            memcmp(input->packed, u->magic, u->magic_length) != 0)
            continue;
        if (!u->open) return fail(error, HECTIC_COMPRESSION, 0, 0) >= 0;
        input->unpacker_state = u->open();
        if (!input->unpacker_state) return fail(error, HECTIC_NO_MEMORY, 0, 0) >= 0;
        input->unpacker = u;
    }
    return true;
}

hectic_input *hectic_input_from_fd(int fd, hectic_error *error)
{
    *error = (hectic_error){0};
    struct stat status;
    hectic_input *input = calloc(1, sizeof *input);
    if (!input || fstat(fd, &status) != 0 || S_ISDIR(status.st_mode)) {
        if (!input)
            fail(error, HECTIC_NO_MEMORY, 0, 0);
        else
            fail(error, HECTIC_IO, 0, S_ISDIR(status.st_mode) ? EISDIR : (uint64_t)errno);
        free(input);
        close(fd);
        return NULL;
    }
    input->fd = fd;
    input->spool = -1;
    /* A regular file that is given half read, as a shell may do, is read on from there. */
    input->regular = S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
    input->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    if (!recognise(input, error)) {
        hectic_input_free(input);
        return NULL;
    }
    if (input->regular && !input->unpacker) {
        input->spool = fd;
        posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return input;
}

hectic_input *hectic_input_open(const char *path, hectic_error *error)
{
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) return hectic_input_from_fd(fd, error);
    fail(error, HECTIC_IO, 0, (uint64_t)errno);
    return NULL;
}

void hectic_input_free(hectic_input *input)
{
    if (!input) return;
    if (input->unpacker) input->unpacker->close(input->unpacker_state);
    if (input->spool >= 0 && input->spool != input->fd) close(input->spool);
    close(input->fd);
    free(input);
}

static ptrdiff_t read_packed(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    for (;;) {
        ptrdiff_t unpacked = input->unpacker->unpack(input, buffer, size);
        if (unpacked > 0) {
            input->unpacked = true;
            return unpacked;
        }
        if (unpacked < 0) return fail(error, HECTIC_COMPRESSION, input->done, 0);
        if (input->packed_at < input->packed_end) continue; /* between two members */
        input->packed_at = input->packed_end = 0;
        ptrdiff_t n = read_some(input, input->packed, PACKED_SIZE, error);
        if (n < 0) return -1;
        if (n == 0) { /* who packed it may have been killed: then it ends as a plain log does */
            const bool may_end = input->between || input->unpacked;
            return may_end ? 0 : fail(error, HECTIC_COMPRESSION, input->done, 0);
        }
        input->packed_end = (size_t)n;
    }
}

/* What could be unpacked, and then why no more could be. */
static ptrdiff_t read_spooled(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    ptrdiff_t n = read_some(input, buffer, size, error);
    if (n != 0 || input->cut.kind == HECTIC_OK) return n;
    *error = input->cut;
    return -1;
}

/* The descriptor, and so where it stands, is shared with other parts. */
static ptrdiff_t read_part(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    const ptrdiff_t n = hectic_input_pread(input, input->done, buffer, size, error);
    if (n > 0) input->done += (uint64_t)n;
    return n;
}

ptrdiff_t hectic_input_read(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    if (input->end) return read_part(input, buffer, size, error);
    if (input->spooled) return read_spooled(input, buffer, size, error);
    if (input->unpacker) return read_packed(input, buffer, size, error);
    size_t ahead = input->packed_end - input->packed_at;
    if (ahead == 0) return read_some(input, buffer, size, error);
    if (ahead > size) ahead = size;
    memcpy(buffer, input->packed + input->packed_at, ahead);
    input->packed_at += ahead;
    return (ptrdiff_t)ahead;
}

bool hectic_input_is_random(const hectic_input *input)
{
    return input->spool >= 0;
}

static int open_spool(void)
{
    const char *directory = getenv("TMPDIR");
    if (!directory || !*directory) directory = "/tmp";
    char path[4096];
    if (snprintf(path, sizeof path, "%s/hectic-XXXXXX", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkstemp(path);
    if (fd >= 0) unlink(path);
    return fd;
}

static bool write_all(int fd, const uint8_t *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

bool hectic_input_make_random(hectic_input *input, hectic_error *error)
{
    if (hectic_input_is_random(input)) return true;
    int fd = open_spool();
    if (fd < 0) return fail(error, HECTIC_IO, 0, (uint64_t)errno) >= 0;
    uint8_t *buffer = malloc(PACKED_SIZE);
    uint64_t spooled = 0;
    ptrdiff_t n = buffer ? 1 : fail(error, HECTIC_NO_MEMORY, 0, 0);
    while (n > 0 && (n = hectic_input_read(input, buffer, PACKED_SIZE, error)) > 0) {
        if (!write_all(fd, buffer, (size_t)n))
            n = fail(error, HECTIC_IO, 0, (uint64_t)errno);
        else
            spooled += (uint64_t)n;
    }
    free(buffer);
    if (n < 0 && error->kind == HECTIC_COMPRESSION && spooled > 0) {
        input->cut = *error;
        input->cut.position = spooled;
        n = 0;
    }
    if (n >= 0 && lseek(fd, 0, SEEK_SET) < 0) n = fail(error, HECTIC_IO, 0, (uint64_t)errno);
    if (n < 0) {
        close(fd);
        return false;
    }
    input->spool = fd;
    input->spooled = true;
    input->done = 0;
    input->size = spooled;
    return true;
}

const hectic_error *input_cut(const hectic_input *input)
{
    return &input->cut;
}

uint64_t input_size(const hectic_input *input)
{
    if (input->end) return input->size;
    struct stat status;
    return fstat(input->spool, &status) == 0 ? (uint64_t)status.st_size : 0;
}

hectic_input *input_part(const hectic_input *input, uint64_t begin, uint64_t end,
                         hectic_error *error)
{
    hectic_input *part = calloc(1, sizeof *part);
    if (!part) {
        fail(error, HECTIC_NO_MEMORY, 0, 0);
        return NULL;
    }
    part->fd = part->spool = fcntl(input->spool, F_DUPFD_CLOEXEC, 0);
    if (part->fd < 0) {
        fail(error, HECTIC_IO, 0, (uint64_t)errno);
        free(part);
        return NULL;
    }
    const uint64_t size = input_size(input);
    part->regular = true;
    part->begin = begin;
    part->end = end < size ? end : size;
    part->size = part->end - begin;
    return part;
}

ptrdiff_t hectic_input_pread(const hectic_input *input, uint64_t position, void *buffer,
                             size_t size, hectic_error *error)
{
    size_t got = 0;
    if (input->end) {
        const uint64_t left = position < input->size ? input->size - position : 0;
        if (size > left) size = (size_t)left;
    }
    while (got < size) {
        ssize_t n = pread(input->spool, (uint8_t *)buffer + got, size - got,
                          (off_t)(input->begin + position + got));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(error, HECTIC_IO, position + got, (uint64_t)errno);
        if (n == 0) break;
        got += (size_t)n;
    }
    return (ptrdiff_t)got;
}

void hectic_input_progress(const hectic_input *input, uint64_t *done, uint64_t *size)
{
    *done = input->done;
    *size = input->size;
}

const char *hectic_input_kind(const hectic_input *input)
{
    if (input->unpacker) return input->unpacker->name;
    return input->regular ? "file" : "pipe";
}
