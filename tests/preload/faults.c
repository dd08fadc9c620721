/* Preloaded by tests: lets one call of a kind fail, as SQLite tests its own calls.
 *
 *     FAULT=KIND:N:HOW   the N-th call of that kind fails; N+: each call from the N-th on
 *     FAULT_LOG=FILE     where a call failed: its stack, appended
 *     FAULT_TRACE=FILE   each call: "KIND N HASH\n", HASH of the callers, appended
 *
 * KIND is one of the names below, HOW what they may fail by. Only calls of this process count, from
 * its constructors on, not those of the programs that it starts. "short" is no failure: one byte is
 * read or written. Descriptors fail by what can happen to them: ENOSPC becomes EPIPE for sockets
 * and pipes, EIO becomes ETIMEDOUT for sockets, and what is neither of them nor a file never
 * fails.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind {
    MEMORY,
    MAP,
    THREAD,
    PROCESS,
    DESCRIPTOR,
    READ,
    WRITE,
    SYNC,
    NAME,
    STATUS,
    WAIT,
    SOCKET,
    KINDS
};
static const char *const kind_names[KINDS] = {
    "memory", "map",  "thread", "process", "descriptor", "read",
    "write",  "sync", "name",   "status",  "wait",       "socket",
};

static const struct {
    const char *name;
    int error;
} hows[] = {
    {"ENOMEM", ENOMEM},
    {"ENOSPC", ENOSPC},
    {"EIO", EIO},
    {"EINTR", EINTR},
    {"EMFILE", EMFILE},
    {"EAGAIN", EAGAIN},
    {"EACCES", EACCES},
    {"ECONNREFUSED", ECONNREFUSED},
    {"EADDRINUSE", EADDRINUSE},
    {"short", -1},
};
enum { SHORT = -1, FRAMES = 24, OWN_FRAMES = 3, HASHED = 5 };

static bool ready;               /* the calls of this process count */
static enum kind chosen = KINDS; /* fails */
static unsigned long chosen_first, chosen_last;
static int chosen_how;
static int log_fd = -1, trace_fd = -1;
static atomic_ulong calls[KINDS];
static _Thread_local bool inside __attribute__((tls_model("initial-exec"))); /* of this file */

static void put(int fd, const char *text, int length)
{
    syscall(SYS_write, fd, text, (size_t)length);
}

/* Of where the innermost frames are in their files, which is the same in each run. */
static uint64_t stack_hash(void *const *frames, int count)
{
    uint64_t hash = 14695981039346656037u;
    for (int i = OWN_FRAMES; i < count && i < OWN_FRAMES + HASHED; i++) {
        Dl_info about;
        uint64_t place = (uint64_t)(uintptr_t)frames[i];
        if (dladdr(frames[i], &about)) place -= (uint64_t)(uintptr_t)about.dli_fbase;
        hash = (hash ^ place) * 1099511628211u;
    }
    return hash;
}

/* Calls that do not survive a failure, and why that is acceptable. */
static bool is_exempt(enum kind kind, void *const *frames, int count)
{
    static const struct {
        enum kind kind;
        const char *file, *function;
    } exempt[] = {
        /* ncurses crashes without memory. */
        {MEMORY, "libncursesw", NULL},
        {MEMORY, "libtinfo", NULL},
        /* libuv aborts where it cannot begin: src/tool/input/loop.c tries whether it can. */
        {MEMORY, "libuv", "uv_once"},
        {DESCRIPTOR, "libuv", "uv_once"},
        {THREAD, "libuv", "uv_once"},
    };
    for (int i = OWN_FRAMES - 1; i < count; i++)
        for (size_t j = 0; j < sizeof exempt / sizeof *exempt; j++) {
            Dl_info about;
            if (exempt[j].kind == kind && dladdr(frames[i], &about) &&
                strstr(about.dli_fname, exempt[j].file) &&
                (!exempt[j].function ||
                 (about.dli_sname && strcmp(about.dli_sname, exempt[j].function) == 0)))
                return true;
        }
    return false;
}

/* Code that runs after the handlers of exit(3) is not the program's own. */
static void stop_counting(void)
{
    ready = false;
}

/* Handlers are called the last one first: this one before those of the C library. */
static void stop_at_exit(void)
{
    static atomic_flag registered = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&registered)) return;
    inside = true;
    if (atexit(stop_counting) != 0) abort();
    inside = false;
}

/* Shall this call fail? Returns 0, an errno, or SHORT. */
static int fault(enum kind kind)
{
    if (!ready || inside) return 0;
    stop_at_exit();
    if (kind != chosen && trace_fd < 0) return 0;
    inside = true;
    const int error = errno;
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    const bool exempt = is_exempt(kind, frames, count);
    const unsigned long n = exempt ? 0 : atomic_fetch_add(&calls[kind], 1) + 1;
    const bool fails = kind == chosen && n >= chosen_first && n <= chosen_last;
    char line[128];
    if (trace_fd >= 0 && !exempt)
        put(trace_fd, line,
            snprintf(line, sizeof line, "%s %lu %016llx\n", kind_names[kind], n,
                     (unsigned long long)stack_hash(frames, count)));
    if (fails && log_fd >= 0) {
        put(log_fd, line, snprintf(line, sizeof line, "%s %lu\n", kind_names[kind], n));
        backtrace_symbols_fd(frames + 2, count - 2, log_fd);
    }
    errno = error;
    inside = false;
    return fails ? chosen_how : 0;
}

/* A pipe that the process has for itself does not lose an end. */
static dev_t pipe_device;
static ino_t inherited[3];

static bool is_inherited(ino_t pipe)
{
    return pipe == inherited[0] || pipe == inherited[1] || pipe == inherited[2];
}

static void note_pipes(void)
{
    struct stat status;
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) abort();
    pipe_device = fstat(fds[0], &status) == 0 ? status.st_dev : 0;
    close(fds[0]);
    close(fds[1]);
    for (int fd = 0; fd < 3; fd++)
        if (fstat(fd, &status) == 0) inherited[fd] = status.st_ino;
}

/* Less than was asked for is all that there is, for who is told of news only. */
static bool is_short_for(void *caller)
{
    Dl_info about;
    return !dladdr(caller, &about) || !strstr(about.dli_fname, "libmicrohttpd");
}

/* For libuv, less than was asked for is the last data of a socket whose other end is closed. */
static bool is_last_of(int fd)
{
    struct pollfd other = {.fd = fd};
    inside = true;
    const bool is_closed = poll(&other, 1, 0) == 1 && (other.revents & POLLHUP);
    inside = false;
    return is_closed;
}

/* Of a call on a descriptor, from `caller`. */
static int fault_of(enum kind kind, int fd, void *caller)
{
    struct stat status;
    if (!ready || inside) return 0;
    const int before = errno;
    inside = true;
    const bool is_open = fstat(fd, &status) == 0;
    inside = false;
    errno = before;
    if (!is_open) return 0;
    const bool is_pipe = S_ISFIFO(status.st_mode), is_socket = S_ISSOCK(status.st_mode);
    if (!is_pipe && !is_socket && !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) return 0;
    const bool is_own = is_pipe && status.st_dev == pipe_device && !is_inherited(status.st_ino);
    const int error = fault(kind);
    if (error == SHORT && kind == READ && is_socket && is_last_of(fd)) return 0;
    if (error == SHORT) return is_short_for(caller) ? SHORT : 0;
    if (error == EINTR) return EINTR;
    if (is_own || (error == EIO && is_pipe)) return 0;
    if (error == ENOSPC && (is_pipe || is_socket)) return EPIPE;
    if (error == EIO && is_socket) return ETIMEDOUT; /* ECONNRESET is the end of a log */
    return error;
}

static int open_appending(const char *name)
{
    const char *path = getenv(name);
    const int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path,
                                       O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                        : -1;
    if (fd < 0) return fd;
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, 1000); /* others keep the numbers they would have */
    if (high < 0) return fd;
    syscall(SYS_close, fd);
    return high;
}

static void __attribute__((constructor)) begin(void)
{
    const char *text = getenv("FAULT");
    if (!text && !getenv("FAULT_TRACE")) return;
    char kind[16] = "", from[16] = "", how[16] = "";
    if (text && sscanf(text, "%15[^:]:%15[^:]:%15s", kind, from, how) != 3) abort();
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kind, kind_names[i]) == 0) chosen = (enum kind)i;
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
        if (strcmp(how, hows[i].name) == 0) chosen_how = hows[i].error;
    if (text && (chosen == KINDS || chosen_how == 0)) abort();
    char *end;
    chosen_first = chosen_last = strtoul(from, &end, 10);
    if (*end == '+') chosen_last = (unsigned long)-1;
    log_fd = open_appending("FAULT_LOG");
    trace_fd = open_appending("FAULT_TRACE");
    void *frames[1];
    backtrace(frames, 1); /* loads what it needs */
    note_pipes();
    for (const char *const *name =
             (const char *const[]){"FAULT", "FAULT_LOG", "FAULT_TRACE", "LD_PRELOAD", NULL};
         *name; name++)
        unsetenv(*name);
    ready = true;
}

/* --- Memory: the C library's own names, since dlsym needs memory itself -------------------------
 */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

#define FAIL(KIND, RESULT)                                                                         \
    do {                                                                                           \
        const int error_ = fault(KIND);                                                            \
        if (error_ != 0) return errno = error_, RESULT;                                            \
    } while (0)

void *malloc(size_t size)
{
    FAIL(MEMORY, NULL);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    FAIL(MEMORY, NULL);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    FAIL(MEMORY, NULL);
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    FAIL(MEMORY, NULL);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (fault(MEMORY) != 0) return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

/* --- Other calls -------------------------------------------------------------------------------
 */

static void *real_of(const char *name)
{
    const bool was = inside;
    inside = true;
    void *found = dlsym(RTLD_NEXT, name);
    inside = was;
    return found;
}

#define REAL(NAME)                                                                                 \
    static __typeof__(&NAME) real_;                                                                \
    if (!real_) *(void **)&real_ = real_of(#NAME)

/* A function that fails with `FAILED` and errno set. */
#define CALL(KIND, FAILED, RESULT, NAME, PARAMETERS, ARGUMENTS)                                    \
    RESULT NAME PARAMETERS                                                                         \
    {                                                                                              \
        REAL(NAME);                                                                                \
        FAIL(KIND, FAILED);                                                                        \
        return real_ ARGUMENTS;                                                                    \
    }

/* One that returns an errno. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    REAL(pthread_create);
    const int error = fault(THREAD);
    return error ? error : real_(thread, attributes, run, argument);
}

CALL(MAP, MAP_FAILED, void *, mmap,
     (void *at, size_t size, int protection, int flags, int fd, off_t offset),
     (at, size, protection, flags, fd, offset))
CALL(PROCESS, -1, pid_t, fork, (void), ())
CALL(DESCRIPTOR, -1, int, mkostemp, (char *path, int flags), (path, flags))
CALL(DESCRIPTOR, NULL, FILE *, fopen, (const char *path, const char *how), (path, how))
CALL(DESCRIPTOR, NULL, DIR *, opendir, (const char *path), (path))
CALL(DESCRIPTOR, -1, int, eventfd, (unsigned count, int flags), (count, flags))
CALL(DESCRIPTOR, -1, int, pipe, (int fds[2]), (fds))
CALL(DESCRIPTOR, -1, int, epoll_create1, (int flags), (flags))
CALL(DESCRIPTOR, -1, int, socket, (int domain, int type, int protocol), (domain, type, protocol))
CALL(DESCRIPTOR, -1, int, socketpair, (int domain, int type, int protocol, int fds[2]),
     (domain, type, protocol, fds))
CALL(DESCRIPTOR, -1, int, accept4, (int fd, struct sockaddr *address, socklen_t *size, int flags),
     (fd, address, size, flags))
CALL(SYNC, -1, int, fsync, (int fd), (fd))
CALL(SYNC, -1, int, fdatasync, (int fd), (fd))
CALL(NAME, -1, int, rename, (const char *from, const char *to), (from, to))
CALL(NAME, -1, int, linkat, (int a, const char *from, int b, const char *to, int flags),
     (a, from, b, to, flags))
CALL(NAME, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(NAME, NULL, char *, mkdtemp, (char *path), (path))
CALL(NAME, -1, int, ftruncate, (int fd, off_t size), (fd, size))
CALL(NAME, -1, int, fchmod, (int fd, mode_t mode), (fd, mode))
CALL(STATUS, -1, int, fstat, (int fd, struct stat *status), (fd, status))
CALL(STATUS, -1, int, stat, (const char *path, struct stat *status), (path, status))
CALL(STATUS, -1, int, fstatvfs, (int fd, struct statvfs *status), (fd, status))
CALL(WAIT, -1, int, poll, (struct pollfd * fds, nfds_t count, int most), (fds, count, most))
CALL(WAIT, -1, int, epoll_wait, (int fd, struct epoll_event *events, int count, int most),
     (fd, events, count, most))
CALL(WAIT, -1, int, epoll_pwait,
     (int fd, struct epoll_event *events, int count, int most, const sigset_t *mask),
     (fd, events, count, most, mask))
CALL(WAIT, -1, pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, status, flags))
CALL(SOCKET, -1, int, connect, (int fd, const struct sockaddr *address, socklen_t size),
     (fd, address, size))
CALL(SOCKET, -1, int, bind, (int fd, const struct sockaddr *address, socklen_t size),
     (fd, address, size))
CALL(SOCKET, -1, int, listen, (int fd, int most), (fd, most))

int pipe2(int fds[2], int flags)
{
    REAL(pipe2);
    FAIL(DESCRIPTOR, -1);
    return real_(fds, flags);
}

/* Time passes, so that what is left is known. */
int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    REAL(nanosleep);
    if (left) *left = *wanted;
    FAIL(WAIT, -1);
    return real_(wanted, left);
}

int fcntl(int fd, int command, ...)
{
    REAL(fcntl);
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) FAIL(DESCRIPTOR, -1);
    return real_(fd, command, argument);
}

#define OPEN(NAME, PARAMETERS, ARGUMENTS)                                                          \
    int NAME PARAMETERS                                                                            \
    {                                                                                              \
        REAL(NAME);                                                                                \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        const mode_t mode = va_arg(arguments, mode_t);                                             \
        va_end(arguments);                                                                         \
        FAIL(DESCRIPTOR, -1);                                                                      \
        return real_ ARGUMENTS;                                                                    \
    }
OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

/* Reading and writing: SIZE is what is read or written, shortened where the fault is that. */
#define MOVE(KIND, NAME, PARAMETERS, SIZE, ARGUMENTS)                                              \
    ssize_t NAME PARAMETERS                                                                        \
    {                                                                                              \
        REAL(NAME);                                                                                \
        const int error = fault_of(KIND, fd, __builtin_return_address(0));                         \
        if (error > 0) return errno = error, -1;                                                   \
        if (error == SHORT && SIZE > 1) SIZE = 1;                                                  \
        return real_ ARGUMENTS;                                                                    \
    }
MOVE(READ, read, (int fd, void *bytes, size_t size), size, (fd, bytes, size))
MOVE(READ, pread, (int fd, void *bytes, size_t size, off_t at), size, (fd, bytes, size, at))
MOVE(READ, recv, (int fd, void *bytes, size_t size, int flags), size, (fd, bytes, size, flags))
MOVE(WRITE, write, (int fd, const void *bytes, size_t size), size, (fd, bytes, size))
MOVE(WRITE, pwrite, (int fd, const void *bytes, size_t size, off_t at), size, (fd, bytes, size, at))
MOVE(WRITE, send, (int fd, const void *bytes, size_t size, int flags), size,
     (fd, bytes, size, flags))

/* The first of the pieces that is not empty: a byte of it. */
static struct iovec first_byte(const struct iovec *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pieces[i].iov_len > 0) return (struct iovec){pieces[i].iov_base, 1};
    return (struct iovec){0};
}

ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    REAL(writev);
    const int error = fault_of(WRITE, fd, __builtin_return_address(0));
    if (error > 0) return errno = error, -1;
    if (error != SHORT) return real_(fd, pieces, count);
    const struct iovec byte = first_byte(pieces, (size_t)count);
    return real_(fd, &byte, 1);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    REAL(sendmsg);
    const int error = fault_of(WRITE, fd, __builtin_return_address(0));
    if (error > 0) return errno = error, -1;
    if (error != SHORT) return real_(fd, message, flags);
    struct iovec byte = first_byte(message->msg_iov, message->msg_iovlen);
    struct msghdr shorter = *message;
    shorter.msg_iov = &byte;
    shorter.msg_iovlen = 1;
    return real_(fd, &shorter, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    REAL(recvmsg);
    const int error = fault_of(READ, fd, __builtin_return_address(0));
    if (error > 0) return errno = error, -1;
    return real_(fd, message, flags);
}
