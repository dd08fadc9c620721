/* Inputs: files and pipes, plain or compressed. */
#include "read/input.h"

#include "format/header.h"
#include "read/decompress.h"
#include "read/file.h"
#include "read/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AHEAD_SIZE = 1 << 16 };

struct hectic_input {
    int fd;                                                       /* -1: `reader` is used */
    hectic_reader reader;                                         /* .read NULL: `fd` is used */
    bool is_detected;                                             /* the compression is known */
    bool (*enough)(void *user, const void *bytes, size_t length); /* or NULL */
    void *enough_user;
    bool over;  /* `enough` returned true */
    int random; /* for pread: fd itself, the spool, or -1 */
    bool regular;
    bool spooled; /* fd was read to its end, and replaced by the spool */
    bool cut_off; /* the compressed bytes end inside a member */
    decompressor decompressor;
    uint64_t begin, end;   /* the range of a part; end 0: not a part */
    uint64_t size;         /* as stored on disk; 0: unknown */
    uint64_t done;         /* bytes read */
    uint64_t decompressed; /* bytes produced by decompression */
    uint64_t spool_limit;  /* see hectic_input_limit_spool */
    uint8_t magic[DECOMPRESS_MAGIC_SIZE];
    uint8_t *ahead; /* read ahead: `magic`, the first bytes; or AHEAD_SIZE compressed bytes */
    size_t ahead_at, ahead_end;
    hectic_error damage; /* of the compressed data, once found: ends the input */
};

static ptrdiff_t fail(hectic_error *error, hectic_error_kind kind, uint64_t position,
                      uint64_t number)
{
    *error = (hectic_error){.kind = kind, .position = position, .number = number};
    return -1;
}

static ptrdiff_t read_some(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    if (input->reader.read && !input->spooled) {
        const ptrdiff_t n = input->reader.read(input->reader.user, buffer, size, error);
        input->done += n > 0 ? (uint64_t)n : 0;
        return n;
    }
    const ssize_t n = file_read(input->spooled ? input->random : input->fd, buffer, size);
    if (n < 0) return fail(error, HECTIC_IO, input->done, (uint64_t)errno);
    input->done += (uint64_t)n;
    return n;
}

/* Reads the first bytes ahead, and detects the compression by them. */
static bool detect_compression(hectic_input *input, hectic_error *error)
{
    if (input->is_detected) return true;
    input->ahead = input->magic;
    while (input->ahead_end < DECOMPRESS_MAGIC_SIZE) {
        ptrdiff_t n = read_some(input, input->ahead + input->ahead_end,
                                DECOMPRESS_MAGIC_SIZE - input->ahead_end, error);
        if (n < 0) return false;
        if (n == 0) break;
        input->ahead_end += (size_t)n;
    }
    const hectic_error_kind kind =
        decompressor_open(&input->decompressor, input->ahead, input->ahead_end);
    if (kind != HECTIC_OK) fail(error, kind, 0, 0);
    error->expected = input->decompressor.why;
    return input->is_detected = kind == HECTIC_OK;
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
    input->random = -1;
    /* A regular file that is partly read, as a shell may pass it, is read from its offset on. */
    input->regular = S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
    input->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    if (!detect_compression(input, error)) {
        hectic_input_free(input);
        return NULL;
    }
    if (input->regular && !input->decompressor.kind) {
        input->random = fd;
        posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return input;
}

hectic_input *hectic_input_open(const char *path, hectic_error *error)
{
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) return hectic_input_from_fd(fd, error);
    fail(error, HECTIC_IO, 0, (uint64_t)errno);
    return NULL;
}

hectic_input *hectic_input_from_reader(const hectic_reader *reader)
{
    hectic_input *input = calloc(1, sizeof *input);
    if (!input) return NULL;
    input->fd = input->random = -1;
    input->reader = *reader;
    return input;
}

void input_until(hectic_input *input, bool (*enough)(void *user, const void *bytes, size_t length),
                 void *user)
{
    input->enough = enough;
    input->enough_user = user;
}

void hectic_input_free(hectic_input *input)
{
    if (!input) return;
    decompressor_close(&input->decompressor);
    if (input->random >= 0 && input->random != input->fd) close(input->random);
    if (input->fd >= 0) close(input->fd);
    if (input->reader.close) input->reader.close(input->reader.user);
    if (input->ahead != input->magic) free(input->ahead);
    free(input);
}

/* --- Compressed inputs ----------------------------------------------------------------------- */

/* Reads more compressed bytes if none are ahead. At their end: 0, or an error if there was no
 * output at all. */
static ptrdiff_t read_ahead(hectic_input *input, hectic_error *error)
{
    input->ahead_at = input->ahead_end = 0;
    if (input->ahead == input->magic && !(input->ahead = malloc(AHEAD_SIZE))) {
        input->ahead = input->magic;
        return fail(error, HECTIC_NO_MEMORY, input->done, 0);
    }
    const ptrdiff_t n = read_some(input, input->ahead, AHEAD_SIZE, error);
    if (n > 0) input->ahead_end = (size_t)n;
    if (n != 0) return n;
    /* The compressing process may have been killed: then the input ends as a cut-off log does. */
    input->cut_off = !input->decompressor.between;
    if (!input->cut_off || input->decompressed > 0) return 0;
    input->damage = (hectic_error){
        .kind = HECTIC_COMPRESSION, .number = input->done, .expected = "the data end there"};
    return 0;
}

static ptrdiff_t read_compressed(hectic_input *input, void *buffer, size_t size,
                                 hectic_error *error)
{
    decompressor *u = &input->decompressor;
    while (input->damage.kind == HECTIC_OK) {
        if (input->ahead_at == input->ahead_end && !u->pending) {
            const ptrdiff_t n = read_ahead(input, error);
            if (n < 0) return n;
            if (n == 0) break;
        }
        decompress_step step = {.in = input->ahead + input->ahead_at,
                                .in_size = input->ahead_end - input->ahead_at,
                                .out = buffer,
                                .out_size = size};
        const hectic_error_kind kind = decompressor_step(u, &step);
        input->ahead_at += step.used;
        input->decompressed += step.made;
        if (kind != HECTIC_OK)
            input->damage =
                (hectic_error){.kind = kind,
                               .position = input->decompressed,
                               .number = input->done - (input->ahead_end - input->ahead_at),
                               .expected = u->why};
        if (step.made > 0) return (ptrdiff_t)step.made;
    }
    *error = input->damage;
    return error->kind == HECTIC_OK ? 0 : -1;
}

/* The decompressed bytes, and then the error that ended them. */
static ptrdiff_t read_spooled(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    ptrdiff_t n = read_some(input, buffer, size, error);
    if (n != 0 || input->damage.kind == HECTIC_OK) return n;
    *error = input->damage;
    return -1;
}

/* The descriptor, and so its offset, is shared with other parts. */
static ptrdiff_t read_part(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    const ptrdiff_t n = hectic_input_pread(input, input->done, buffer, size, error);
    if (n > 0) input->done += (uint64_t)n;
    return n;
}

static ptrdiff_t read_plain(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    size_t ahead = input->ahead_end - input->ahead_at;
    if (ahead == 0) return read_some(input, buffer, size, error);
    if (ahead > size) ahead = size;
    memcpy(buffer, input->ahead + input->ahead_at, ahead);
    input->ahead_at += ahead;
    return (ptrdiff_t)ahead;
}

ptrdiff_t hectic_input_read(hectic_input *input, void *buffer, size_t size, hectic_error *error)
{
    if (input->end) return read_part(input, buffer, size, error);
    if (input->spooled) return read_spooled(input, buffer, size, error);
    if (input->over) return 0;
    if (!detect_compression(input, error)) return -1;
    const ptrdiff_t n = input->decompressor.kind ? read_compressed(input, buffer, size, error)
                                                 : read_plain(input, buffer, size, error);
    if (n > 0 && input->enough) input->over = input->enough(input->enough_user, buffer, (size_t)n);
    return n;
}

const hectic_error *hectic_input_damage(const hectic_input *input)
{
    return &input->damage;
}

bool hectic_input_is_cut_off(const hectic_input *input)
{
    return input->cut_off;
}

/* --- Random access --------------------------------------------------------------------------- */

bool hectic_input_is_random(const hectic_input *input)
{
    return input->random >= 0;
}

void hectic_input_limit_spool(hectic_input *input, uint64_t bytes)
{
    input->spool_limit = bytes;
}

/* A few compressed bytes must not fill a disk: neither deflate nor logs reach this ratio. */
static bool is_plausible_size(const hectic_input *input, hectic_error *error)
{
    const uint64_t most = HECTIC_DECOMPRESSED_FREE + HECTIC_DECOMPRESSED_RATIO * input->done;
    if (!input->decompressor.kind || input->spool_limit || input->decompressed <= most) return true;
    return fail(error, HECTIC_SPOOL_LIMIT, input->decompressed, most) >= 0;
}

/* Reads until the log header is complete: only logs are spooled. Sets *length to the number of
 * bytes. NULL with *error set: no valid header. */
static uint8_t *read_head(hectic_input *input, size_t *length, hectic_error *error)
{
    uint8_t *head = NULL;
    size_t size = 0, cursor = 0;
    *length = 0;
    for (;;) {
        if (*length == size) {
            uint8_t *grown = realloc(head, size += AHEAD_SIZE);
            if (!grown) {
                fail(error, HECTIC_NO_MEMORY, 0, 0);
                break;
            }
            head = grown;
        }
        const ptrdiff_t n = hectic_input_read(input, head + *length, size - *length, error);
        if (n == 0) fail(error, HECTIC_HEADER_TRUNCATED, 0, *length);
        if (n <= 0) break;
        *length += (size_t)n;
        if (header_measure(head, *length, &cursor, error) > 0) return head;
        if (error->kind != HECTIC_OK) break;
    }
    free(head);
    return NULL;
}

/* Spools the head and the rest. False and *error set on failure; damage is not a failure. */
static bool spool_all(hectic_input *input, spool *s, uint8_t *bytes, size_t length,
                      hectic_error *error)
{
    ptrdiff_t n = (ptrdiff_t)length;
    do {
        if (!is_plausible_size(input, error)) return false;
        if (spool_write(s, bytes, (size_t)n, error)) continue;
        if (!input->reader.cut || !input->reader.cut(input->reader.user, error)) return false;
        n = 0;
        break;
    } while ((n = hectic_input_read(input, bytes, AHEAD_SIZE, error)) > 0);
    if (n < 0 && error->kind != HECTIC_COMPRESSION) return false;
    return lseek(s->fd, 0, SEEK_SET) == 0 || fail(error, HECTIC_SPOOL, 0, (uint64_t)errno) >= 0;
}

bool hectic_input_make_random(hectic_input *input, hectic_error *error)
{
    if (hectic_input_is_random(input)) return true;
    spool s;
    size_t length;
    uint8_t *head = read_head(input, &length, error);
    bool done = head && spool_open(&s, input->spool_limit, error);
    if (done && !spool_all(input, &s, head, length, error)) {
        close(s.fd);
        done = false;
    }
    free(head);
    if (!done) return false;
    input->random = s.fd;
    input->spooled = true;
    input->done = 0;
    input->size = s.size;
    return true;
}

uint64_t input_size(const hectic_input *input)
{
    if (input->end) return input->size;
    struct stat status;
    return fstat(input->random, &status) == 0 ? (uint64_t)status.st_size : 0;
}

int input_fd(const hectic_input *input)
{
    return input->random;
}

hectic_input *input_part(const hectic_input *input, uint64_t begin, uint64_t end,
                         hectic_error *error)
{
    hectic_input *part = calloc(1, sizeof *part);
    if (!part) {
        fail(error, HECTIC_NO_MEMORY, 0, 0);
        return NULL;
    }
    part->fd = part->random = fcntl(input->random, F_DUPFD_CLOEXEC, 0);
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
    if (input->end) {
        const uint64_t left = position < input->size ? input->size - position : 0;
        if (size > left) size = (size_t)left;
    }
    const ssize_t got = file_pread(input->random, buffer, size, (off_t)(input->begin + position));
    return got < 0 ? fail(error, HECTIC_IO, position, (uint64_t)errno) : got;
}

void hectic_input_progress(const hectic_input *input, uint64_t *done, uint64_t *size)
{
    *done = input->done;
    *size = input->size;
}

const char *hectic_input_kind(const hectic_input *input)
{
    if (input->decompressor.kind) return decompressor_name(&input->decompressor);
    return input->regular ? "file" : "pipe";
}
