/* arriving.c — see arriving.h. */
#define _GNU_SOURCE /* F_SETLEASE */
#include "tool/verbs/view/arriving.h"

#include "read/input.h"
#include "read/spool.h"
#include "tool/cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 16, PATIENCE = 5 /* s: as long as the page says "live" */ };

struct arriving {
    hectic_input *input;
    const char *path;
    bool is_file;
    time_t patience;         /* s without a change after which a file has its end */
    struct spool spool;      /* unless it is a file */
    _Atomic uint64_t stored; /* bytes in it */
    atomic_bool is_dropped;  /* the rest is not stored */
    atomic_bool has_ended;   /* the thread uses nothing any more */
};

static void store(struct arriving *a)
{
    static _Thread_local char buffer[PIECE];
    hectic_error error = {0};
    ptrdiff_t size;
    while ((size = hectic_input_read(a->input, buffer, sizeof buffer, &error)) > 0) {
        if (a->is_dropped) continue;
        if (!spool_write(&a->spool, buffer, (size_t)size, &error)) break;
        a->stored = a->spool.size;
    }
    if (size == 0 && a->stored == 0) error.kind = HECTIC_HEADER_TRUNCATED;
    if (error.kind != HECTIC_OK) tool_log_error(a->path, &error);
}

static void *store_all(void *arriving)
{
    struct arriving *a = arriving;
    store(a);
    a->has_ended = true;
    return NULL;
}

static bool start(struct arriving *a, uint64_t spool_limit)
{
    hectic_error error;
    pthread_t thread;
    if (!spool_open(&a->spool, spool_limit, &error)) {
        tool_log_error(a->path, &error);
        return false;
    }
    if (pthread_create(&thread, NULL, store_all, a) == 0) return pthread_detach(thread) == 0;
    tool_message("cannot start a thread: %s", strerror(errno));
    close(a->spool.fd);
    return false;
}

struct arriving *arriving_open(hectic_input *input, const char *path, uint64_t spool_limit)
{
    struct arriving *a = calloc(1, sizeof *a);
    if (a) {
        a->input = input;
        a->path = path;
        a->patience = PATIENCE;
        a->is_file = hectic_input_is_random(input);
        if (a->is_file || start(a, spool_limit)) return a;
    } else {
        tool_message("out of memory");
    }
    hectic_input_free(input);
    free(a);
    return NULL;
}

ptrdiff_t arriving_read(void *arriving, uint64_t position, void *buffer, size_t size)
{
    const struct arriving *a = arriving;
    hectic_error error;
    if (a->is_file) return hectic_input_pread(a->input, position, buffer, size, &error);
    const uint64_t stored = a->stored;
    if (position >= stored) return 0;
    if (size > stored - position) size = (size_t)(stored - position);
    ssize_t got;
    do
        got = pread(a->spool.fd, buffer, size, (off_t)position);
    while (got < 0 && errno == EINTR);
    return got;
}

uint64_t arriving_size(const struct arriving *a)
{
    uint64_t done, size = 0;
    if (a->is_file) hectic_input_progress(a->input, &done, &size);
    return size;
}

/* Does a file system also refuse a lease for other reasons than a program that writes? */
static bool is_remote(int fd)
{
    struct statfs status;
    if (fstatfs(fd, &status) != 0) return true;
    const uint32_t kind = (uint32_t)status.f_type;
    return kind == NFS_SUPER_MAGIC || kind == CIFS_SUPER_MAGIC || kind == SMB2_SUPER_MAGIC;
}

/* Sets whether a program has the file open for writing. False: it is not known. */
static bool knows_writer(int fd, bool *has_writer)
{
    /* SIGIO would end the process if a program opened the file meanwhile. */
    if (fcntl(fd, F_SETSIG, SIGURG) != 0) return false;
    *has_writer = fcntl(fd, F_SETLEASE, F_RDLCK) != 0;
    if (*has_writer) return errno == EAGAIN && !is_remote(fd);
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return true;
}

static bool file_grows(struct arriving *a)
{
    const int fd = input_fd(a->input);
    struct stat status;
    bool grows;
    if (knows_writer(fd, &grows)) return grows;
    grows = fstat(fd, &status) == 0 && time(NULL) - status.st_mtime < a->patience;
    if (!grows) a->patience *= 2; /* if it grows all the same, it has its end later */
    return grows;
}

bool arriving_grows(void *arriving)
{
    struct arriving *a = arriving;
    return a->is_file ? file_grows(a) : !a->has_ended || a->stored == 0;
}

bool arriving_has_ended(const struct arriving *a)
{
    return !a->is_file && a->has_ended;
}

void arriving_drop(struct arriving *a)
{
    a->is_dropped = true;
}

void arriving_close(struct arriving *a)
{
    if (!a->is_file && !a->has_ended) return;
    if (!a->is_file) close(a->spool.fd);
    hectic_input_free(a->input);
    free(a);
}
