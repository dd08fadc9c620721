#define _GNU_SOURCE
#include "live/record.h"

#include "serve/serve.h"

#include <hectic/encoder.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

enum { MILLISECOND = 1000000, NAME_MOST = 128, TRY_MS = 1000 };

/* Level 3 with tables of a quarter of the size: logs are packed no worse, and there may be many. */
static const struct {
    ZSTD_cParameter what;
    int value;
} packing[] = {
    {ZSTD_c_compressionLevel, 3},
    {ZSTD_c_windowLog, 18},
    {ZSTD_c_hashLog, 15},
    {ZSTD_c_chainLog, 14},
};

static const char ending[] = ".eventlog.zst";

/* A file on its way to the disk: freed when the last thing that was asked of it is done. */
typedef struct file {
    int fd;
    bool syncing, again, closing; /* again: more has been written since the syncing began */
    uv_fs_t request;
} file;

struct record {
    struct record_options options;
    uv_loop_t *loop;
    char *name, *directory;
    known known;
    bool begun; /* the header is known */
    ZSTD_CCtx *packer;
    uint8_t *packed;
    file *file;             /* NULL: none is open */
    uint64_t bytes, since;  /* of the open file: unpacked; when it was begun, ms */
    uint64_t unsynced;      /* bytes */
    uint64_t synced, tried; /* when, ms */
    unsigned count;
    char trouble[256];
};

static uint64_t now_ms(void)
{
    return uv_hrtime() / MILLISECOND;
}

/* --- To the disk ------------------------------------------------------------------------------ */

static void file_free(file *f)
{
    close(f->fd);
    free(f);
}

static void on_synced(uv_fs_t *request);

static void file_sync(uv_loop_t *loop, file *f)
{
    f->again = f->syncing;
    if (f->syncing) return;
    f->request.data = f;
    f->syncing = uv_fs_fdatasync(loop, &f->request, f->fd, on_synced) == 0;
}

static void on_synced(uv_fs_t *request)
{
    file *f = request->data;
    uv_fs_req_cleanup(request);
    f->syncing = false;
    if (f->again) file_sync(request->loop, f);
    if (f->closing && !f->syncing) file_free(f);
}

static void file_close(uv_loop_t *loop, file *f)
{
    file_sync(loop, f);
    f->closing = true;
    if (!f->syncing) file_free(f);
}

static void trouble(record *r, const char *what, int error)
{
    snprintf(r->trouble, sizeof r->trouble, "%s: %s: %s", r->directory, what, strerror(error));
    if (r->file) file_close(r->loop, r->file);
    r->file = NULL;
    r->tried = now_ms();
}

static bool write_all(record *r, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(r->file->fd, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            trouble(r, "cannot write the record", errno);
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* A frame ends wherever the file is synced: what is there can be unpacked. */
static void pack(record *r, const uint8_t *bytes, size_t size, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left = 1;
    while (r->file && (in.pos < in.size || (how != ZSTD_e_continue && left > 0))) {
        ZSTD_outBuffer out = {r->packed, ZSTD_CStreamOutSize(), 0};
        left = ZSTD_compressStream2(r->packer, &out, &in, how);
        if (ZSTD_isError(left)) {
            trouble(r, "cannot pack the record", ENOMEM);
            return;
        }
        write_all(r, r->packed, out.pos);
    }
    r->bytes += size;
    r->unsynced += size;
}

/* --- Room ------------------------------------------------------------------------------------- */

static bool is_scarce(const record *r)
{
    struct statvfs status;
    return statvfs(r->directory, &status) == 0 &&
           (uint64_t)status.f_bavail * status.f_frsize < r->options.free_bytes;
}

/* Is it one of this name's files, not of one that begins like it? See create(). */
static bool is_own(const record *r, const char *name)
{
    const size_t length = strlen(name), own = strlen(r->name), tail = sizeof ending - 1;
    const char *time = name + own + 1; /* 2026-11-21T08:12:18Z- */
    return length > own + 22 + tail && strncmp(name, r->name, own) == 0 && name[own] == '-' &&
           time[10] == 'T' && time[19] == 'Z' && time[20] == '-' &&
           strcmp(name + length - tail, ending) == 0;
}

/* Is it such a file, and is nobody writing it? */
static bool may_go(const record *r, int directory, const char *name)
{
    if (!is_own(r, name)) return false;
    const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return false;
    const bool free_ = flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return free_;
}

/* Names sort by time. False: there is none. */
static bool remove_oldest(const record *r)
{
    char oldest[NAME_MAX + 1] = "";
    DIR *directory = opendir(r->directory);
    if (!directory) return false;
    for (const struct dirent *each; (each = readdir(directory));)
        if (may_go(r, dirfd(directory), each->d_name) &&
            (!*oldest || strcmp(each->d_name, oldest) < 0))
            snprintf(oldest, sizeof oldest, "%s", each->d_name);
    const bool removed = *oldest && unlinkat(dirfd(directory), oldest, 0) == 0;
    closedir(directory);
    return removed;
}

static bool make_room(const record *r)
{
    while (is_scarce(r))
        if (!remove_oldest(r)) return false;
    return true;
}

/* --- Files ----------------------------------------------------------------------------------- */

static int create(record *r)
{
    char path[PATH_MAX], when[32];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    int fd;
    do
        snprintf(path, sizeof path, "%s/%s-%s-%06u%s", r->directory, r->name, when, ++r->count,
                 ending);
    while ((fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0 && errno == EEXIST);
    if (fd >= 0) flock(fd, LOCK_EX | LOCK_NB);
    return fd;
}

/* All that a reader must know, piece by piece. False: no memory. */
static bool pack_state(record *r)
{
    bytes piece = {0};
    replay replay = {0};
    bool known = true;
    known_replay(&r->known, &replay, false, 0);
    while (known && replay.active && r->file) {
        piece.size = 0;
        known = known_piece(&r->known, &replay, &piece);
        pack(r, piece.at, piece.size, ZSTD_e_continue);
    }
    bytes_clear(&piece);
    return known;
}

/* Begins a file with the header and all that a reader must know: at once, and as a frame, so that
 * it can be opened whatever happens then. */
static void begin_file(record *r)
{
    r->tried = now_ms();
    if (!make_room(r)) {
        trouble(r, "the file system is as full as it may be", ENOSPC);
        return;
    }
    bytes header = {0};
    const bool known = known_header(&r->known, &header);
    const int fd = known ? create(r) : -1;
    file *f = fd >= 0 ? calloc(1, sizeof *f) : NULL;
    if (f) {
        f->fd = fd;
        r->file = f;
        r->bytes = r->unsynced = 0;
        r->since = r->synced = now_ms();
        r->trouble[0] = 0;
        ZSTD_CCtx_reset(r->packer, ZSTD_reset_session_only);
        pack(r, header.at, header.size, ZSTD_e_continue);
        if (!pack_state(r)) trouble(r, "cannot replay the state", ENOMEM);
        pack(r, NULL, 0, ZSTD_e_end);
    } else {
        trouble(r, "cannot make a file", known && fd < 0 ? errno : ENOMEM);
        if (fd >= 0) close(fd);
    }
    bytes_clear(&header);
}

static void end_file(record *r)
{
    uint8_t end[2];
    if (!r->file) return;
    hectic_encode_data_end(end, sizeof end);
    pack(r, end, sizeof end, ZSTD_e_end);
    if (r->file) file_close(r->loop, r->file);
    r->file = NULL;
}

static bool is_header(const uint8_t *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "hdrb", 4) == 0;
}

void record_write(record *r, const uint8_t *bytes, size_t size)
{
    if (is_header(bytes, size)) {
        end_file(r);
        known_clear(&r->known);
        hectic_header *header;
        hectic_error error;
        r->begun = hectic_header_parse(&header, bytes, size, &error) > 0 &&
                   known_begin(&r->known, header, r->options.state_bytes);
        if (r->begun) begin_file(r);
        return;
    }
    if (!r->begun) return;
    if (r->file && r->bytes >= r->options.file_bytes) {
        end_file(r);
        begin_file(r);
    }
    if (r->file) pack(r, bytes, size, ZSTD_e_continue);
    known_learn(&r->known, bytes, size);
}

void record_tick(record *r)
{
    const uint64_t now = now_ms();
    if (r->file && r->bytes > 0 && now - r->since >= r->options.file_ms) {
        end_file(r);
        begin_file(r);
    } else if (r->file && r->unsynced > 0 && now - r->synced >= r->options.sync_ms) {
        pack(r, NULL, 0, ZSTD_e_end);
        r->unsynced = 0;
        r->synced = now;
        if (r->file) file_sync(r->loop, r->file);
        if (!make_room(r)) trouble(r, "the file system is as full as it may be", ENOSPC);
    } else if (!r->file && r->begun && now - r->tried >= TRY_MS) {
        begin_file(r);
    }
}

const char *record_trouble(const record *r)
{
    return r->trouble[0] ? r->trouble : NULL;
}

/* --- Made and ended -------------------------------------------------------------------------- */

static void record_free(record *r)
{
    known_clear(&r->known);
    ZSTD_freeCCtx(r->packer);
    free(r->packed);
    free(r->name);
    free(r->directory);
    free(r);
}

bool record_prepare(const char *directory, char *message, size_t size)
{
    int error = mkdir(directory, 0700) < 0 && errno != EEXIST ? errno : 0;
    const int fd = error ? -1 : open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (!error && (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)) error = errno;
    if (fd >= 0) close(fd);
    if (error)
        snprintf(message, size, "%s: cannot keep logs there: %s", directory, strerror(error));
    return !error;
}

record *record_new(uv_loop_t *loop, const struct record_options *options, const char *name,
                   char *message, size_t size)
{
    if (!record_prepare(options->directory, message, size)) return NULL;
    record *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->options = *options;
    r->loop = loop;
    r->name = strndup(name, NAME_MOST);
    r->directory = strdup(options->directory);
    r->packer = ZSTD_createCCtx();
    r->packed = malloc(ZSTD_CStreamOutSize());
    if (r->name && r->directory && r->packer && r->packed) {
        for (size_t i = 0; i < sizeof packing / sizeof *packing; i++)
            ZSTD_CCtx_setParameter(r->packer, packing[i].what, packing[i].value);
        return r;
    }
    snprintf(message, size, "out of memory");
    record_free(r);
    return NULL;
}

void record_end(record *r)
{
    end_file(r);
    record_free(r);
}
