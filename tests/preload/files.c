/* Preloaded by tests: simulates a full disk, and logs operations on files.
 *
 *     FULL_DISK=TEXT        writing to files with TEXT in their path, or that of their folder,
 * fails … FULL_AFTER=N          … after N bytes FULL_WHILE=FILE       … as long as FILE exists
 *     FULL_HOW=NAME         by write (default) or sync: fsync and fdatasync fail
 *     NO_UNNAMED=1          files without a name cannot be made
 *     TELL_FILES=FILE       appends "fsync PATH", "rename FROM TO", "link TO" to FILE
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void log_line(const char *format, ...)
{
    const char *path = getenv("TELL_FILES");
    char line[2 * PATH_MAX];
    const int error = errno;
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (fd >= 0) dprintf(fd, "%.*s\n", length, line);
    if (fd >= 0) close(fd);
    errno = error;
}

static const char *path_of(int fd, char path[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
    return path;
}

static bool is_full(int fd, const char *how)
{
    const char *text = getenv("FULL_DISK"), *while_ = getenv("FULL_WHILE"),
               *wanted = getenv("FULL_HOW");
    char path[PATH_MAX];
    return text && strcmp(wanted ? wanted : "write", how) == 0 && strstr(path_of(fd, path), text) &&
           (!while_ || access(while_, F_OK) == 0);
}

/* How much of `size` bytes still fits. */
static size_t take_room(size_t size)
{
    static atomic_size_t written;
    const char *text = getenv("FULL_AFTER");
    const size_t most = text ? strtoul(text, NULL, 10) : 0,
                 before = atomic_fetch_add(&written, size);
    if (before >= most) return 0;
    return most - before < size ? most - before : size;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "write");
    if (size == 0 || !is_full(fd, "write")) return real(fd, bytes, size);
    size = take_room(size);
    if (size > 0) return real(fd, bytes, size);
    errno = ENOSPC;
    return -1;
}

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    va_list arguments;
    va_start(arguments, flags);
    const int mode = va_arg(arguments, int);
    va_end(arguments);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "open");
    if ((flags & O_TMPFILE) != O_TMPFILE || !getenv("NO_UNNAMED")) return real(path, flags, mode);
    errno = EOPNOTSUPP;
    return -1;
}

int fsync(int fd)
{
    static int (*real)(int);
    char path[PATH_MAX];
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fsync");
    log_line("fsync %s", path_of(fd, path));
    if (!is_full(fd, "sync")) return real(fd);
    errno = ENOSPC;
    return -1;
}

int fdatasync(int fd)
{
    static int (*real)(int);
    char path[PATH_MAX];
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
    log_line("fdatasync %s", path_of(fd, path));
    if (!is_full(fd, "sync")) return real(fd);
    errno = ENOSPC;
    return -1;
}

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rename");
    log_line("rename %s %s", from, to);
    return real(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    static int (*real)(int, const char *, int, const char *, int);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "linkat");
    const int result = real(from_folder, from, to_folder, to, flags);
    if (result == 0) log_line("link %s", to);
    return result;
}
