#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "read/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* A twentieth of the file system, but at most 1 GiB, stays free for other programs. */
enum { FREE_PART = 20, FREE_MAX = 1 << 30, CHECK_INTERVAL = 1 << 24 };

static bool fail(const spool *s, hectic_error *error, hectic_error_kind kind, uint64_t number)
{
    *error = (hectic_error){.kind = kind, .position = s->size, .number = number};
    return false;
}

/* A file without a name, if the file system supports that. */
static int open_nameless(const char *folder)
{
#ifdef O_TMPFILE
    const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
#endif
    char path[4096];
    if (snprintf(path, sizeof path, "%s/hectic-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int named = mkostemp(path, O_CLOEXEC);
    if (named >= 0) unlink(path);
    return named;
}

bool spool_open(spool *s, uint64_t limit, hectic_error *error)
{
    const char *folder = getenv("TMPDIR");
    *s = (spool){.fd = open_nameless(folder && *folder ? folder : "/tmp"), .limit = limit};
    return s->fd >= 0 || fail(s, error, HECTIC_SPOOL, (uint64_t)errno);
}

static bool is_scarce(const spool *s)
{
    struct statvfs status;
    if (fstatvfs(s->fd, &status) != 0 || status.f_blocks == 0) return false;
    const uint64_t part = status.f_blocks / FREE_PART * status.f_frsize;
    return status.f_bavail * status.f_frsize < (part < FREE_MAX ? part : FREE_MAX);
}

static bool may_write(spool *s, size_t size, hectic_error *error)
{
    if (s->limit) return size <= s->limit - s->size || fail(s, error, HECTIC_SPOOL_LIMIT, s->limit);
    if (s->size < s->due) return true;
    s->due += CHECK_INTERVAL;
    return !is_scarce(s) || fail(s, error, HECTIC_SPOOL, ENOSPC);
}

bool spool_write(spool *s, const void *bytes, size_t size, hectic_error *error)
{
    const char *at = bytes;
    if (!may_write(s, size, error)) return false;
    while (size > 0) {
        const ssize_t written = write(s->fd, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail(s, error, HECTIC_SPOOL, (uint64_t)errno);
        at += written;
        size -= (size_t)written;
        s->size += (uint64_t)written;
    }
    return true;
}
