#define _GNU_SOURCE
#include "recording/record.h"

#include "base/array.h"
#include "format/fields.h"
#include "render/units.h"
#include "serve/serve.h"

#include <hectic/encoder.h>
#include <hectic/gaps.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

enum {
    MILLISECOND = 1000000,
    MAX_NAME = 128,
    RETRY_MS = 1000,
    RECENT = 10, /* s: recording begins again after a failure if there is room for so long */
    MIN_ROOM = 64 << 10, /* bytes: and if there is that much room */
    SHARES = 8,          /* a file takes at most this part of the space for the program */
};

/* Level 3 with tables of a quarter of the size: it compresses logs as well, and there may be many
 * recordings. */
static const struct {
    ZSTD_cParameter what;
    int value;
} compression[] = {
    {ZSTD_c_compressionLevel, 3},
    {ZSTD_c_windowLog, 18},
    {ZSTD_c_hashLog, 15},
    {ZSTD_c_chainLog, 14},
};

static const char suffix[] = ".eventlog.zst";

/* The last frame of a closed file, skipped by decompressors: then the number of events. */
static const uint8_t summary_head[8] = {0x5e, 0x2a, 0x4d, 0x18, 8};
enum { SUMMARY_SIZE = sizeof summary_head + 8 };

/* A file; freed when its last pending operation is done. */
typedef struct file {
    record *record;
    int fd;
    bool syncing, again, closing; /* again: data was written since the sync began */
    bool entry_synced;            /* its directory entry is synced, too */
    int error;                    /* of the last sync */
    uv_work_t work;
} file;

struct record {
    struct record_options options;
    uv_loop_t *loop;
    char *name, *directory;
    baseline baseline;
    bool begun;           /* the header was received */
    bool is_whole;        /* the events of all caps were received up to the same time */
    uint64_t until;       /* the last such time */
    uint64_t since_whole; /* events after `until`, in this file and earlier ones */
    uint64_t unit_bytes;  /* bytes after `until`, in this file */
    bool wants_replay;    /* the open file begins with a gap, which a replay ends */
    ZSTD_CCtx *compressor;
    uint8_t *compressed;
    file *file;                 /* NULL: none is open */
    char path[PATH_MAX];        /* of the open file */
    uint64_t bytes, since;      /* of the open file: decompressed size; its begin, ms */
    uint64_t written;           /* to the open file, compressed */
    uint64_t frames_end;        /* of that, up to the end of the last frame */
    uint64_t events;            /* in its complete frames */
    uint64_t open_events;       /* in the current frame */
    uint64_t most;              /* compressed bytes, before the next file begins */
    uint64_t limited;           /* when that was computed, ms */
    uint64_t unsynced;          /* bytes */
    uint64_t synced;            /* when, ms */
    uint64_t synced_bytes;      /* counts.bytes then */
    uint64_t recent;            /* bytes written in the last RECENT seconds, about */
    uint64_t tried;             /* when, ms */
    struct {                    /* that removed files have made */
        uint64_t gained;        /* bytes; 0: none, or it has been used */
        uint64_t since;         /* ms: when they were gained */
        uint64_t sum;           /* at that time: free bytes, and those written by all recordings */
        uint64_t next, wait_ms; /* not before; and how long that was after the last failure */
    } room;
    unsigned count;
    unsigned files; /* not closed yet */
    bool ended;
    record_counts counts, spare; /* spare: unused sums */
    record_counts before;        /* counts when the current failure began */
    uint64_t missing;            /* events to be reported in the next file */
    char why[512];               /* reason of the current failure; "": none */
};

static uint64_t now_ms(void)
{
    return uv_hrtime() / MILLISECOND;
}

/* Adds to the counts of this recording and to the sums. */
#define COUNT(r, what, number) ((r)->counts.what += (number), (r)->options.all->what += (number))

static void miss(record *r, uint64_t events)
{
    COUNT(r, missed, events);
    r->missing += events;
}

/* --- Diagnostics ------------------------------------------------------------------------------ */

static void report(const record *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void report(const record *r, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->options.report) r->options.report(r->options.user, text);
}

/* Reports each reason once. */
static void note_failure(record *r, const char *why)
{
    if (!r->why[0]) {
        r->before = r->counts;
        COUNT(r, failing, 1);
        COUNT(r, failures, 1);
    }
    if (strcmp(r->why, why) != 0)
        report(r, "%s: recording failed: %s: %s; retrying every second", r->name, r->directory,
               why);
    snprintf(r->why, sizeof r->why, "%s", why);
}

/* For a file that is no longer written to. */
static void note_incomplete(record *r, int error)
{
    COUNT(r, failures, 1);
    report(r, "%s: a recorded file may be incomplete: %s: %s", r->name, r->directory,
           strerror(error));
}

static void note_success(record *r)
{
    char removed[96] = "";
    const uint64_t files = r->counts.removed_files - r->before.removed_files;
    if (!r->why[0]) return;
    r->why[0] = 0;
    COUNT(r, failing, UINT64_MAX); /* minus one */
    if (files > 0)
        snprintf(removed, sizeof removed, ", and %" PRIu64 " in %" PRIu64 " removed files",
                 r->counts.removed_events - r->before.removed_events, files);
    report(r, "%s: recording resumed; %" PRIu64 " events are missing%s", r->name, r->missing,
           removed);
}

/* --- Writing and syncing ---------------------------------------------------------------------- */

static void record_free(record *r)
{
    if (r->counts.failing) COUNT(r, failing, UINT64_MAX);
    baseline_clear(&r->baseline);
    ZSTD_freeCCtx(r->compressor);
    free(r->compressed);
    free(r->name);
    free(r->directory);
    free(r);
}

static void file_free(file *f)
{
    record *r = f->record;
    if (close(f->fd) < 0 && errno != EINTR) note_incomplete(r, errno);
    free(f);
    if (--r->files == 0 && r->ended) record_free(r);
}

/* Some file systems cannot sync a file or a directory. */
static int sync_error(int result)
{
    return result == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* In a worker thread of the loop. */
static void sync_file(uv_work_t *work)
{
    file *f = work->data;
    f->error = sync_error(fdatasync(f->fd));
    if (f->error || f->entry_synced) return;
    const int directory = open(f->record->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) f->error = sync_error(fsync(directory));
    if (directory >= 0) close(directory);
    f->entry_synced = f->error == 0;
}

static void on_synced(uv_work_t *work, int status);

static void file_sync(uv_loop_t *loop, file *f)
{
    f->again = f->syncing;
    if (f->syncing) return;
    f->work.data = f;
    f->syncing = uv_queue_work(loop, &f->work, sync_file, on_synced) == 0;
}

static bool make_room(record *r);

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

/* The open file, after its last complete frame; its summary follows, if there is space. */
static void close_file(record *r)
{
    uint8_t summary[SUMMARY_SIZE];
    const off_t end = (off_t)r->frames_end;
    file *f = r->file;
    memcpy(summary, summary_head, sizeof summary_head);
    field_store(summary + sizeof summary_head, 8, r->events);
    bool fits = ftruncate(f->fd, end) == 0;
    while (fits && pwrite(f->fd, summary, SUMMARY_SIZE, end) < SUMMARY_SIZE)
        fits = is_full(errno) && make_room(r);
    if (!fits) (void)!ftruncate(f->fd, end);
    file_sync(r->loop, f);
    f->closing = true;
    if (!f->syncing) file_free(f);
    r->file = NULL;
}

/* Abandons the open file; events after its last complete frame are missing. */
static void give_up(record *r, const char *why)
{
    if (r->file) {
        miss(r, r->open_events);
        r->since_whole -= r->open_events < r->since_whole ? r->open_events : r->since_whole;
        r->open_events = 0;
        if (r->frames_end == 0) unlink(r->path);
        close_file(r);
    }
    r->tried = now_ms();
    note_failure(r, why);
}

static void fail_file(record *r, const char *what, int error)
{
    char why[256];
    snprintf(why, sizeof why, "%s: %s", what, strerror(error));
    give_up(r, why);
}

static void on_synced(uv_work_t *work, int status)
{
    file *f = work->data;
    record *r = f->record;
    (void)status;
    f->syncing = false;
    if (f->error && f == r->file) {
        fail_file(r, "cannot sync a file", f->error); /* closes it */
        return;
    }
    if (f->error) note_incomplete(r, f->error);
    if (f->again && !f->syncing) file_sync(r->loop, f);
    if (f->closing && !f->syncing) file_free(f);
}

static bool write_all(record *r, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(r->file->fd, bytes, size);
        const int error = written < 0 ? errno : 0;
        if (error == EINTR || (is_full(error) && make_room(r))) continue;
        if (error) {
            fail_file(r, "cannot write a file", error);
            return false;
        }
        bytes += written;
        size -= (size_t)written;
        r->written += (uint64_t)written;
        COUNT(r, bytes, (uint64_t)written);
    }
    return true;
}

/* A frame ends wherever the file is synced, so that data on disk can be decompressed. */
static void compress_bytes(record *r, const uint8_t *bytes, size_t size, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left = 1;
    while (r->file && (in.pos < in.size || (how != ZSTD_e_continue && left > 0))) {
        ZSTD_outBuffer out = {r->compressed, ZSTD_CStreamOutSize(), 0};
        left = ZSTD_compressStream2(r->compressor, &out, &in, how);
        if (ZSTD_isError(left)) {
            fail_file(r, "cannot compress the log", ENOMEM);
            return;
        }
        write_all(r, r->compressed, out.pos);
    }
    r->bytes += size;
    r->unsynced += size;
    if (!r->file || how != ZSTD_e_end) return;
    r->frames_end = r->written;
    r->events += r->open_events;
    r->open_events = 0;
}

/* --- Disk space ------------------------------------------------------------------------------- */

/* Sets *all to the size of the file system, unless it is NULL. */
static uint64_t free_in(const char *directory, uint64_t otherwise, uint64_t *all)
{
    struct statvfs status;
    if (statvfs(directory, &status) != 0) return otherwise;
    if (all) *all = (uint64_t)status.f_blocks * status.f_frsize;
    return (uint64_t)status.f_bavail * status.f_frsize;
}

/* Length of the program's name in the name of a recorded file; 0: not a recorded file. */
static size_t name_in(const char *file)
{
    enum { TIME = 18, TAIL = sizeof suffix - 1 }; /* -20261121T081218Z-000001.eventlog.zst */
    const size_t length = strlen(file);
    if (length < TAIL || strcmp(file + length - TAIL, suffix) != 0) return 0;
    size_t at = length - TAIL;
    while (at > 0 && isdigit((unsigned char)file[at - 1]))
        at--;
    if (at <= TIME) return 0;
    const char *time = file + at - TIME;
    return time[0] == '-' && time[9] == 'T' && time[16] == 'Z' && time[17] == '-' ? at - TIME : 0;
}

static bool is_of_program(const char *program, const char *file)
{
    return name_in(file) == strlen(program) && memcmp(file, program, strlen(program)) == 0;
}

/* A recorded file that nobody writes. */
struct old_file {
    char name[NAME_MAX + 1];
    uint64_t size; /* on disk */
    time_t until;  /* when it was last written to */
    uint64_t events;
    bool has_events; /* they are known: it was closed by a relay that has not crashed */
};

/* False: somebody writes it. */
static bool look_at(int directory, const char *name, struct old_file *old)
{
    struct stat status = {0};
    uint8_t summary[SUMMARY_SIZE] = {0};
    const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return false;
    const bool is_closed = fstat(fd, &status) == 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    const ssize_t got = pread(fd, summary, sizeof summary, status.st_size - SUMMARY_SIZE);
    close(fd);
    snprintf(old->name, sizeof old->name, "%s", name);
    old->size = (uint64_t)status.st_blocks * 512;
    old->until = status.st_mtime;
    old->events = field_load(summary + sizeof summary_head, 8);
    old->has_events =
        got == SUMMARY_SIZE && memcmp(summary, summary_head, sizeof summary_head) == 0;
    return is_closed;
}

struct old_files {
    struct old_file *file; /* to be freed; their names sort by time */
    size_t count, room;
    uint64_t size; /* on disk */
};

static void add_old(struct old_files *files, const struct old_file *old)
{
    if (!array_reserve(files->file, files->room, files->count + 1)) return;
    files->file[files->count++] = *old;
    files->size += old->size;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct old_file *)a)->name, ((const struct old_file *)b)->name);
}

/* All files of a program that nobody writes, or of all programs for NULL. */
static struct old_files removable_in(const char *path, const char *program)
{
    struct old_files files = {0};
    struct old_file old;
    DIR *directory = opendir(path);
    if (!directory) return files;
    for (const struct dirent *each; (each = readdir(directory));) {
        const bool is_meant =
            program ? is_of_program(program, each->d_name) : name_in(each->d_name) > 0;
        if (is_meant && look_at(dirfd(directory), each->d_name, &old)) add_old(&files, &old);
    }
    closedir(directory);
    if (files.count > 0) qsort(files.file, files.count, sizeof *files.file, compare_names);
    return files;
}

static uint64_t removable_size(const char *path, const char *program)
{
    const struct old_files files = removable_in(path, program);
    free(files.file);
    return files.size;
}

static const char *size_text(char text[UNITS_ROOM], uint64_t bytes)
{
    units_put(text, (double)bytes, UNITS_SIZE, UNITS_TENTH, true);
    return text;
}

static void report_removed(record *r, const struct old_file *old)
{
    static const char form[] = "%Y-%m-%dT%H:%M:%SZ";
    char size[UNITS_ROOM], events[48] = "", from[32], until[32];
    struct tm utc = {0};
    strptime(old->name + name_in(old->name), "-%Y%m%dT%H%M%SZ", &utc);
    strftime(from, sizeof from, form, &utc);
    gmtime_r(&old->until, &utc);
    strftime(until, sizeof until, form, &utc);
    if (old->has_events) snprintf(events, sizeof events, ", %" PRIu64 " events", old->events);
    report(r, "%s: removed the oldest file to make room: %s, %s%s, %s to %s", r->name, old->name,
           size_text(size, old->size), events, from, until);
    COUNT(r, removed_files, 1);
    COUNT(r, removed_events, old->has_events ? old->events : 0);
}

/* What the recording writes in so many seconds, but not more than a small file system has. */
static uint64_t room_for(const record *r, unsigned seconds, uint64_t all)
{
    const uint64_t keep = r->options.free_bytes, most = all > keep ? (all - keep) / 2 : 0;
    const uint64_t bytes = r->recent / RECENT * seconds;
    return bytes < most ? (bytes > MIN_ROOM ? bytes : MIN_ROOM) : most > MIN_ROOM ? most : MIN_ROOM;
}

/* Free space that is needed now: to begin again after a failure, enough for some seconds. */
static uint64_t wanted_space(const record *r, uint64_t all)
{
    return r->options.free_bytes + room_for(r, r->why[0] ? RECENT : 1, all);
}

/* If others have taken the room that was made, it would be in vain to make more soon. */
static void judge_room(record *r, uint64_t there)
{
    const uint64_t now = now_ms(), least = RECENT * 1000, wait = r->room.wait_ms;
    const uint64_t accounted = r->options.all->bytes + there;
    const uint64_t taken = r->room.sum > accounted ? r->room.sum - accounted : 0;
    const bool has_lasted = now - r->room.since > (wait > least ? wait : least);
    if (r->room.gained > 0 && !has_lasted && taken > r->room.gained / SHARES * (SHARES - 1)) {
        r->room.wait_ms = wait ? 2 * wait : 2 * RETRY_MS;
        r->room.next = now + r->room.wait_ms;
        r->room.gained = 0;
    } else if (r->room.gained > 0 && has_lasted) {
        r->room.wait_ms = r->room.gained = 0;
    }
}

/* Removes the oldest files, if all of them would be enough: as many as are needed; after a failure,
 * one at a time. */
static bool make_room(record *r)
{
    uint64_t all = 0, gained = 0;
    const uint64_t there = free_in(r->directory, 0, &all), wanted = wanted_space(r, all);
    const bool failing = r->why[0];
    judge_room(r, there);
    if (now_ms() < r->room.next) return false;
    const struct old_files old = removable_in(r->directory, r->name);
    const bool is_enough = there + old.size >= wanted;
    for (size_t i = 0;
         is_enough && i < old.count && (gained == 0 || (!failing && there + gained < wanted));
         i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", r->directory, old.file[i].name);
        if (unlink(path) != 0) break;
        report_removed(r, &old.file[i]);
        gained += old.file[i].size;
    }
    free(old.file);
    if (gained == 0) return false;
    r->room.gained = gained;
    r->room.sum = there + gained + r->options.all->bytes;
    r->room.since = now_ms();
    return !failing || there + gained >= wanted;
}

/* Is enough space free, perhaps after removing files? False: recording fails. */
static bool free_space(record *r)
{
    char why[128], keep[24];
    uint64_t all = 0;
    const uint64_t there = free_in(r->directory, UINT64_MAX, &all);
    const uint64_t least = r->why[0] ? wanted_space(r, all) : r->options.free_bytes;
    if (there >= least || make_room(r)) return true;
    snprintf(why, sizeof why, "less than %s (--keep-free) is free",
             size_text(keep, r->options.free_bytes));
    give_up(r, why);
    return false;
}

/* --- Files ------------------------------------------------------------------------------------ */

static int create(record *r)
{
    char when[32];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &utc);
    int fd;
    do
        snprintf(r->path, sizeof r->path, "%s/%s-%s-%06u%s", r->directory, r->name, when,
                 ++r->count, suffix);
    while ((fd = open(r->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0 &&
           errno == EEXIST);
    if (fd >= 0) flock(fd, LOCK_EX | LOCK_NB);
    return fd;
}

/* The replayed state, piece by piece. False: no memory. */
static bool write_replay(record *r, bool as_sync)
{
    bytes piece = {0};
    replay replay = {0};
    bool ok = true;
    baseline_replay(&r->baseline, &replay, as_sync, r->until);
    while (ok && replay.active && r->file) {
        piece.size = 0;
        ok = baseline_piece(&r->baseline, &replay, &piece);
        compress_bytes(r, piece.at, piece.size, ZSTD_e_continue);
    }
    bytes_clear(&piece);
    return ok;
}

/* The number of missing events, and the state. A file that begins inside a unit lacks what earlier
 * files have of it. */
static bool write_state(record *r)
{
    char text[96];
    bytes piece = {0};
    bool ok = true;
    const uint64_t missing = r->missing + r->since_whole;
    r->wants_replay = missing > 0;
    if (missing > 0) {
        snprintf(text, sizeof text, HECTIC_GAP_BEGINS "%" PRIu64 HECTIC_GAP_DROPPED, missing);
        ok = baseline_message(&r->baseline, &piece, r->until, text);
        compress_bytes(r, piece.at, piece.size, ZSTD_e_continue);
        bytes_clear(&piece);
    }
    return ok && write_replay(r, false);
}

/* A file leaves space for older ones, so that removing the oldest one does not remove all. */
static void limit_file(record *r)
{
    const uint64_t now = now_ms();
    if (r->most > 0 && now - r->limited < RETRY_MS) return; /* looking at many files takes long */
    const uint64_t there = free_in(r->directory, UINT64_MAX / 2, NULL),
                   keep = r->options.free_bytes;
    const uint64_t space =
        (there > keep ? there - keep : 0) + removable_size(r->directory, r->name);
    r->most = space / SHARES > MIN_ROOM ? space / SHARES : MIN_ROOM;
    r->limited = now;
}

/* Begins a file with a frame that contains the header and the replayed state, so that the file can
 * be read whatever happens then. */
static void begin_file(record *r)
{
    r->tried = now_ms();
    if (!free_space(r)) return;
    bytes header = {0};
    const bool ok = baseline_header(&r->baseline, &header);
    const int fd = ok ? create(r) : -1;
    file *f = fd >= 0 ? calloc(1, sizeof *f) : NULL;
    if (f) {
        *f = (file){.record = r, .fd = fd};
        r->file = f;
        r->files++;
        r->bytes = r->unit_bytes = r->unsynced = r->written = r->frames_end = r->events = 0;
        limit_file(r);
        r->since = r->synced = now_ms();
        ZSTD_CCtx_reset(r->compressor, ZSTD_reset_session_only);
        compress_bytes(r, header.at, header.size, ZSTD_e_continue);
        if (!write_state(r)) fail_file(r, "cannot replay the state", ENOMEM);
        compress_bytes(r, NULL, 0, ZSTD_e_end);
    } else {
        fail_file(r, "cannot create a file", ok && fd < 0 ? errno : ENOMEM);
        if (fd >= 0) close(fd);
    }
    bytes_clear(&header);
    if (!r->file) return;
    note_success(r);
    r->missing = 0;
}

/* Only the last file of a complete log has an end marker. */
static void end_file(record *r, bool complete)
{
    uint8_t end[2];
    if (!r->file) return;
    const size_t size = hectic_encode_data_end(end, sizeof end);
    compress_bytes(r, end, complete ? size : 0, ZSTD_e_end);
    if (r->file) close_file(r);
}

/* A file begins between two units, unless there is no such place for long. */
static bool is_due(const record *r, uint64_t amount, uint64_t limit)
{
    return amount >= limit && (r->is_whole || amount - limit >= limit / 4);
}

/* A unit is divided if it is longer than a file may be. */
static bool is_long(const record *r)
{
    const uint64_t limit = r->options.file_bytes;
    return r->bytes >= limit && (r->is_whole || r->unit_bytes >= limit);
}

static bool is_header(const uint8_t *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "hdrb", 4) == 0;
}

void record_write(record *r, const uint8_t *bytes, size_t size)
{
    if (is_header(bytes, size)) {
        end_file(r, false);
        baseline_clear(&r->baseline);
        hectic_header *header;
        hectic_error error;
        record_end_unit(r, 0);
        r->begun = hectic_header_parse(&header, bytes, size, &error) > 0 &&
                   baseline_begin(&r->baseline, header, r->options.state_bytes);
        if (r->begun)
            begin_file(r);
        else
            note_failure(r, "out of memory");
        return;
    }
    if (!r->begun) return;
    if (r->file && (is_long(r) || is_due(r, r->written, r->most))) {
        end_file(r, false);
        begin_file(r);
    }
    r->is_whole = false;
    r->unit_bytes += size;
    if (r->file) compress_bytes(r, bytes, size, ZSTD_e_continue);
    const uint64_t events = baseline_update(&r->baseline, bytes, size);
    if (r->file) {
        r->open_events += events;
        r->since_whole += events;
    } else {
        miss(r, events);
    }
}

void record_end_unit(record *r, uint64_t time)
{
    r->is_whole = true;
    r->until = time;
    r->since_whole = r->unit_bytes = 0;
    if (!r->wants_replay || !r->file) return;
    r->wants_replay = false;
    if (!write_replay(r, true)) fail_file(r, "cannot replay the state", ENOMEM);
}

void record_tick(record *r)
{
    const uint64_t now = now_ms();
    if (r->file && r->bytes > 0 && is_due(r, now - r->since, r->options.file_ms)) {
        end_file(r, false);
        begin_file(r);
    } else if (r->file && r->unsynced > 0 && now - r->synced >= r->options.sync_ms) {
        compress_bytes(r, NULL, 0, ZSTD_e_end);
        r->unsynced = 0;
        r->synced = now;
        r->recent += r->counts.bytes - r->synced_bytes - r->recent / RECENT;
        r->synced_bytes = r->counts.bytes;
        if (!r->file) return;
        file_sync(r->loop, r->file);
        free_space(r);
    } else if (!r->file && r->begun && is_due(r, now - r->tried, RETRY_MS)) {
        begin_file(r);
    }
}

const record_counts *record_counted(const record *r)
{
    return &r->counts;
}

/* --- Lifetime --------------------------------------------------------------------------------- */

/* Returns 0 or an errno. */
static int write_page(int fd)
{
    static const uint8_t page[4096];
    for (size_t done = 0; done < sizeof page;) {
        const ssize_t written = write(fd, page + done, sizeof page - done);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) done += (size_t)written;
    }
    return 0;
}

/* Returns 0 or an errno. */
static int try_to_write(const char *directory)
{
    char path[PATH_MAX];
    int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) {
        snprintf(path, sizeof path, "%s/.hectic.XXXXXX", directory);
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0) unlink(path);
    }
    if (fd < 0) return errno;
    int error = write_page(fd);
    if (!error) error = sync_error(fsync(fd)); /* some systems allocate space only then */
    close(fd);
    return error;
}

/* Why the directory cannot be used; "": it can. */
static void find_obstacle(const struct record_options *options, char *why, size_t size)
{
    const int error = try_to_write(options->directory);
    const uint64_t removable = removable_size(options->directory, NULL);
    const uint64_t free_ = free_in(options->directory, UINT64_MAX - removable, NULL);
    char there[24], keep[24];
    *why = 0;
    if (error && !(is_full(error) && removable > 0))
        snprintf(why, size, "%s; choose another directory", strerror(error));
    else if (free_ + removable < options->free_bytes)
        snprintf(why, size,
                 "only %s is free, and --keep-free is %s: free some space, choose another "
                 "directory, or reduce --keep-free",
                 size_text(there, free_), size_text(keep, options->free_bytes));
}

bool record_prepare(const struct record_options *options, char *message, size_t size)
{
    char why[512];
    const bool made = mkdir(options->directory, 0700) == 0;
    if (made || errno == EEXIST)
        find_obstacle(options, why, sizeof why);
    else
        snprintf(why, sizeof why, "%s", strerror(errno));
    if (!*why) return true;
    if (made) rmdir(options->directory);
    snprintf(message, size, "%s: cannot write recordings: %s", options->directory, why);
    return false;
}

record *record_new(uv_loop_t *loop, const struct record_options *options, const char *name)
{
    record *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->options = *options;
    if (!r->options.all) r->options.all = &r->spare;
    r->loop = loop;
    r->name = strndup(name, MAX_NAME);
    r->directory = strdup(options->directory);
    r->compressor = ZSTD_createCCtx();
    r->compressed = malloc(ZSTD_CStreamOutSize());
    if (r->name && r->directory && r->compressor && r->compressed) {
        for (size_t i = 0; i < sizeof compression / sizeof *compression; i++)
            ZSTD_CCtx_setParameter(r->compressor, compression[i].what, compression[i].value);
        return r;
    }
    record_free(r);
    return NULL;
}

void record_end(record *r, bool complete)
{
    end_file(r, complete);
    if (r->missing > 0)
        report(r, "%s: log ended; %" PRIu64 " events are missing at the end of its recording",
               r->name, r->missing);
    r->ended = true;
    if (r->files == 0) record_free(r);
}
