/* Sinks, with real files, FIFOs, descriptors and sockets. */
#define _GNU_SOURCE /* unshare, posix_openpt */
#include "bytes.h"
#include "disk.h"
#include "tidy.h"

#include "sink/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static char directory[] = "/tmp/hectic-sinks-XXXXXX";
static uint8_t block[1 << 20]; /* bytes that depend on their position */

static const char *path_of(const char *name)
{
    static char path[2][256];
    static unsigned turn;
    char *text = path[++turn % 2];
    snprintf(text, sizeof path[0], "%s/%s", directory, name);
    return text;
}

static sink *made(hectic_destination destination)
{
    sink *s = sink_new(&destination);
    if (!s) fail_msg("no sink: %s", strerror(errno));
    return s;
}

static sink *opened(hectic_destination destination)
{
    sink *s = made(destination);
    assert_int_equal(s->kind->open(s), 0);
    return s;
}

static void closed(sink *s)
{
    s->kind->close(s);
    assert_int_equal(s->fd, -1);
    sink_free(s);
}

static ssize_t written(sink *s, const void *bytes, size_t length)
{
    /* As in the emitter, a first part, here empty. */
    const struct iovec piece[] = {{(void *)(uintptr_t) "", 0}, {(void *)(uintptr_t)bytes, length}};
    return s->kind->write(s, piece, 2);
}

/* Writes block[at … ] until a write is incomplete, and returns the position reached. *why: the
 * result of the last write. */
static size_t filled(sink *s, size_t at, ssize_t *why)
{
    while ((*why = written(s, block + at, sizeof block - at)) > 0)
        at += (size_t)*why;
    return at;
}

/* Reads the available bytes, which must be block[at … ]. */
static size_t emptied(int fd, size_t at)
{
    static uint8_t bytes[sizeof block];
    fcntl(fd, F_SETFL, O_NONBLOCK);
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0; at += (size_t)n)
        assert_memory_equal(bytes, block + at, (size_t)n);
    return at;
}

static bool is_pending(int signal_number)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, signal_number);
}

/* --- Texts ------------------------------------------------------------------------------------ */

static void texts_name_destinations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        hectic_destination is;
    } good[] = {
        {"a", {.path = "a"}},
        {"/a/b:c", {.path = "/a/b:c"}},
        {"file:fd:3", {.path = "fd:3"}},
        {"fifo:a", {.kind = HECTIC_TO_FIFO, .path = "a"}},
        {"unix:/run/a", {.kind = HECTIC_TO_UNIX, .path = "/run/a"}},
        {"tcp:h:65535", {.kind = HECTIC_TO_TCP, .host = "h", .port = "65535"}},
        {"tcp:h:1", {.kind = HECTIC_TO_TCP, .host = "h", .port = "1"}},
        {"tcp:[::1]:http", {.kind = HECTIC_TO_TCP, .host = "::1", .port = "http"}},
        {"tcp:h:1,token-file=a,b",
         {.kind = HECTIC_TO_TCP, .host = "h", .port = "1", .token_file = "a,b"}},
        {"unix:a,token-file=b", {.kind = HECTIC_TO_UNIX, .path = "a,token-file=b"}},
        {"listen:unix:/run/a", {.kind = HECTIC_TO_LISTEN, .path = "/run/a"}},
        {"listen:tcp:[::1]:0", {.kind = HECTIC_TO_LISTEN, .host = "::1", .port = "0"}},
        {"fd:7", {.kind = HECTIC_TO_FD, .fd = 7}},
        {"-", {.kind = HECTIC_TO_FD, .fd = 1}},
        {"ring", {.kind = HECTIC_TO_RING}},
        {"ring:5", {.kind = HECTIC_TO_RING, .ring_size = 5}},
        {"ring:64M", {.kind = HECTIC_TO_RING, .ring_size = 64 << 20}},
        {"ring:3K", {.kind = HECTIC_TO_RING, .ring_size = 3 << 10}},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const size_t size = strlen(good[i].text) + 1;
        char *room = malloc(size);
        const hectic_destination *is = &good[i].is;
        hectic_destination d = {.wait_ms = 1};
        if (!hectic_destination_parse(&d, good[i].text, room, size)) fail_msg("%s", good[i].text);
        assert_int_equal(d.kind, is->kind);
        assert_int_equal(d.wait_ms, 0);
        assert_int_equal(d.fd, is->fd);
        assert_int_equal(d.ring_size, is->ring_size);
        assert_string_equal(d.path ? d.path : "", is->path ? is->path : "");
        assert_string_equal(d.host ? d.host : "", is->host ? is->host : "");
        assert_string_equal(d.port ? d.port : "", is->port ? is->port : "");
        assert_string_equal(d.token_file ? d.token_file : "", is->token_file ? is->token_file : "");
        free(room);
    }
}

static void invalid_texts_are_rejected(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "file:",
        "fifo:",
        "unix:",
        "fd:",
        "fd:x",
        "fd:-1",
        "fd:1x",
        "ring:",
        "fd:99999999999",
        "ring:0",
        "ring:1KB",
        "ring:x",
        "ring:1P",
        "tcp:",
        "tcp:h",
        "tcp:h:",
        "tcp::1",
        "tcp:::1:2",
        "tcp:[::1]",
        "tcp:[::1",
        "tcp:[]:1",
        "tcp:h:1:2",
        "tcp:h:65536",
        "tcp:h:1,",
        "tcp:h:1,token-file=",
        "tcp:h:1,token=secret",
        "tcp:h,token-file=a",
        "listen:",
        "listen:a",
        "listen:unix:",
        "listen:tcp:h",
        "listen:fifo:a",
        "listen:listen:unix:a",
        "ring:18446744073709551616",
        "ring:99999999T",
    };
    char room[64];
    hectic_destination d;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (hectic_destination_parse(&d, bad[i], room, sizeof room)) fail_msg("%s", bad[i]);
    assert_false(hectic_destination_parse(&d, "abc", room, 3));
    assert_true(hectic_destination_parse(&d, "abc", room, 4));
}

/* --- New ones --------------------------------------------------------------------------------- */

static bool takes_all(void *user, const void *bytes, size_t length)
{
    (void)user, (void)bytes, (void)length;
    return true;
}

static void invalid_destinations_are_rejected(void **state)
{
    (void)state;
    char long_path[200];
    memset(long_path, 'a', sizeof long_path);
    long_path[sizeof long_path - 1] = 0;
    const hectic_emit_writer no_writer = {0};
    const struct {
        hectic_destination destination;
        int error;
    } bad[] = {
        {{0}, EINVAL},
        {{.path = ""}, EINVAL},
        {{.kind = HECTIC_TO_FIFO}, EINVAL},
        {{.kind = HECTIC_TO_FD, .fd = -1}, EINVAL},
        {{.kind = HECTIC_TO_UNIX}, EINVAL},
        {{.kind = HECTIC_TO_UNIX, .path = long_path}, ENAMETOOLONG},
        {{.kind = HECTIC_TO_TCP, .host = "127.0.0.1"}, EINVAL},
        {{.kind = HECTIC_TO_TCP, .port = "1"}, EINVAL},
        {{.kind = HECTIC_TO_TCP, .host = "127.0.0.1", .port = "no-such-service"}, EINVAL},
        {{.kind = HECTIC_TO_WRITER}, EINVAL},
        {{.kind = HECTIC_TO_WRITER, .writer = &no_writer}, EINVAL},
        {{.kind = HECTIC_TO_RING}, EINVAL},
        {{.kind = (hectic_destination_kind)99}, EINVAL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        errno = 0;
        assert_null(sink_new(&bad[i].destination));
        assert_int_equal(errno, bad[i].error);
    }
    sink_free(NULL);
}

static void all_is_copied(void **state)
{
    (void)state;
    char path[] = "a", host[] = "::1", port[] = "4242";
    hectic_emit_writer writer = {.write = takes_all};
    sink *s =
        made((hectic_destination){.path = path, .host = host, .port = port, .writer = &writer});
    path[0] = host[0] = port[0] = 0;
    writer.write = NULL;
    assert_string_equal(s->destination.path, "a");
    assert_string_equal(s->destination.host, "::1");
    assert_string_equal(s->destination.port, "4242");
    assert_ptr_equal(s->destination.writer->write, takes_all);
    sink_free(s);
}

/* --- Files ------------------------------------------------------------------------------------ */

static void a_file_is_created_and_truncated(void **state)
{
    (void)state;
    const hectic_destination to = {.path = path_of("file")};
    const mode_t mask = umask(027);
    sink *s = opened(to);
    umask(mask);
    assert_int_equal(fcntl(s->fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(written(s, "long text", 9), 9);
    closed(s);

    s = opened(to);
    assert_int_equal(written(s, "text", 4), 4);
    closed(s);
    struct stat status;
    assert_int_equal(stat(to.path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(status.st_size, 4);

    s = made((hectic_destination){.path = path_of("none/file")});
    assert_int_equal(s->kind->open(s), ENOENT);
    sink_free(s);
    s = made((hectic_destination){.path = directory});
    assert_int_equal(s->kind->open(s), EISDIR);
    sink_free(s);
}

/* As if a log is redirected to its own file. */
static void a_file_can_be_reopened(void **state)
{
    (void)state;
    const hectic_destination to = {.path = path_of("file")};
    sink *old = opened(to);
    assert_int_equal(written(old, block, 1000), 1000);
    sink *new = opened(to);
    assert_int_equal(written(old, block, 1000), 1000);
    closed(old);
    assert_int_equal(written(new, block, 100), 100);
    assert_int_equal(written(new, block + 100, 100), 100);
    closed(new);
    struct bytes file = bytes_of_file(to.path);
    assert_int_equal(file.length, 200);
    assert_memory_equal(file.data, block, 200);
    bytes_free(&file);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    sink *s = opened((hectic_destination){.path = "/dev/full"});
    assert_int_equal(written(s, block, sizeof block), -ENOSPC);
    closed(s);
}

static void a_disk_with_space_again_accepts_more(void **state)
{
    (void)state;
    char disk[256];
    snprintf(disk, sizeof disk, "%s", path_of("disk"));
    if (!disk_mount(disk, "size=256k")) skip();
    const int other = open(path_of("disk/other"), O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(other, block, 1 << 17), 1 << 17);
    const char *path = path_of("disk/log");
    sink *s = opened((hectic_destination){.path = path});
    ssize_t why;
    size_t at = filled(s, 0, &why);
    assert_int_equal(why, -ENOSPC);
    assert_true(at > 0 && at < sizeof block);
    assert_int_equal(ftruncate(other, 0), 0);
    const size_t more = filled(s, at, &why);
    assert_int_equal(why, -ENOSPC);
    assert_true(more > at);
    closed(s);
    const int reader = open(path, O_RDONLY);
    assert_int_equal(emptied(reader, 0), more);
    close(reader);
    close(other);
    disk_unmount(disk);
}

static void a_file_size_limit_raises_no_signal(void **state)
{
    (void)state;
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &limit);
    sink *s = opened((hectic_destination){.path = path_of("file")});
    ssize_t why;
    const size_t at = filled(s, 0, &why);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(at, 100000);
    assert_int_equal(why, -EFBIG);
    assert_false(is_pending(SIGXFSZ));
    closed(s);
}

/* --- FIFOs ------------------------------------------------------------------------------------ */

static void fifo_with_readers(hectic_destination to)
{
    ssize_t why;
    sink *s = made(to);
    assert_int_equal(s->kind->open(s), EAGAIN);
    assert_int_equal(s->fd, -1);
    for (unsigned turn = 0; turn < 3; turn++) {
        const int reader = open(to.path, O_RDONLY | O_NONBLOCK);
        assert_int_equal(s->kind->open(s), 0);
        assert_true(s->kind->reopens);
        assert_int_equal(fcntl(s->fd, F_GETFD), FD_CLOEXEC);
        const size_t at = filled(s, 0, &why);
        assert_int_equal(why, -EAGAIN);
        assert_true(at > 0 && at < sizeof block);
        assert_int_equal(emptied(reader, 0), at);
        const size_t more = filled(s, at, &why);
        assert_int_equal(why, -EAGAIN);
        assert_int_equal(emptied(reader, at), more);
        close(reader);
        assert_int_equal(written(s, "a", 1), -EPIPE);
        assert_false(is_pending(SIGPIPE));
        s->kind->close(s);
        assert_int_equal(s->kind->open(s), EAGAIN);
    }
    sink_free(s);
}

static void a_fifo_waits_for_readers(void **state)
{
    (void)state;
    const char *path = path_of("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    fifo_with_readers((hectic_destination){.kind = HECTIC_TO_FIFO, .path = path});
    fifo_with_readers((hectic_destination){.kind = HECTIC_TO_FILE, .path = path});
    unlink(path);
}

static void other_files_are_not_opened_as_fifos(void **state)
{
    (void)state;
    sink *s = made((hectic_destination){.kind = HECTIC_TO_FIFO, .path = path_of("no-fifo")});
    assert_int_equal(s->kind->open(s), ENOENT);
    sink_free(s);
    const char *paths[] = {directory, "/dev/null"};
    for (unsigned i = 0; i < 2; i++) {
        s = made((hectic_destination){.kind = HECTIC_TO_FIFO, .path = paths[i]});
        assert_int_equal(s->kind->open(s), EINVAL);
        sink_free(s);
    }
}

/* --- Descriptors of the caller's -------------------------------------------------------------- */

static void flags_and_descriptor_stay(int fd, int flags)
{
    assert_int_equal(fcntl(fd, F_GETFL), flags);
    assert_int_equal(fcntl(fd, F_GETFD), 0);
}

/* The other end does not read: a write must report this, and not block. */
static void filled_and_emptied(int fd, int reader)
{
    const int flags = fcntl(fd, F_GETFL);
    sink *s = opened((hectic_destination){.kind = HECTIC_TO_FD, .fd = fd});
    assert_false(s->kind->reopens);
    flags_and_descriptor_stay(fd, flags);
    if (s->fd != fd) assert_int_equal(fcntl(s->fd, F_GETFD), FD_CLOEXEC);
    ssize_t why;
    size_t at = filled(s, 0, &why);
    assert_int_equal(why, -EAGAIN);
    struct pollfd ready = {.fd = s->fd, .events = POLLOUT};
    assert_int_equal(poll(&ready, 1, 0), 0);
    assert_int_equal(emptied(reader, 0), at);
    assert_int_equal(poll(&ready, 1, 1000), 1);
    const size_t more = filled(s, at, &why);
    assert_int_equal(why, -EAGAIN);
    assert_int_equal(emptied(reader, at), more);
    flags_and_descriptor_stay(fd, flags);
    closed(s);
    flags_and_descriptor_stay(fd, flags);
}

static void pipe_filled_and_emptied(void)
{
    int end[2];
    assert_int_equal(pipe(end), 0);
    filled_and_emptied(end[1], end[0]);
    close(end[0]);
    close(end[1]);
}

static void a_pipe_does_not_block(void **state)
{
    (void)state;
    pipe_filled_and_emptied();
}

/* As without /proc: it cannot be reopened. */
static void a_pipe_does_not_block_either_way(void **state)
{
    (void)state;
    struct rlimit before, limit;
    getrlimit(RLIMIT_NOFILE, &before);
    limit = before;
    const int next = open("/dev/null", O_RDONLY);
    close(next);
    int end[2];
    assert_int_equal(pipe(end), 0);
    limit.rlim_cur = (rlim_t)next + 2;
    setrlimit(RLIMIT_NOFILE, &limit);
    filled_and_emptied(end[1], end[0]);
    setrlimit(RLIMIT_NOFILE, &before);
    close(end[0]);
    close(end[1]);
}

static void a_socket_does_not_block(void **state)
{
    (void)state;
    int end[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
    filled_and_emptied(end[1], end[0]);
    close(end[0]);
    sink *s = opened((hectic_destination){.kind = HECTIC_TO_FD, .fd = end[1]});
    assert_int_equal(written(s, "a", 1), -EPIPE);
    closed(s);
    close(end[1]);
}

static void a_terminal_does_not_block(void **state)
{
    (void)state;
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0) {
        print_message("SKIPPED: there are no pseudo-terminals: %s\n", strerror(errno));
        skip();
    }
    assert_int_equal(grantpt(master) | unlockpt(master), 0);
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    const int flags = fcntl(slave, F_GETFL);
    sink *s = opened((hectic_destination){.kind = HECTIC_TO_FD, .fd = slave});
    ssize_t why;
    assert_true(filled(s, 0, &why) > 0);
    assert_int_equal(why, -EAGAIN);
    flags_and_descriptor_stay(slave, flags);
    closed(s);
    assert_int_equal(tcgetpgrp(master), 0);

    /* The master of a terminal cannot be reopened. */
    char text[8] = "";
    s = opened((hectic_destination){.kind = HECTIC_TO_FD, .fd = master});
    assert_int_equal(written(s, "text\n", 5), 5);
    assert_int_equal(read(slave, text, sizeof text), 5);
    assert_string_equal(text, "text\n");
    closed(s);
    close(slave);
    close(master);
}

static void offset_and_flags_of_a_file_are_kept(void **state)
{
    (void)state;
    const char *path = path_of("file");
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    lseek(fd, 3, SEEK_SET);
    sink *s = opened((hectic_destination){.kind = HECTIC_TO_FD, .fd = fd});
    assert_int_equal(written(s, "abc", 3), 3);
    closed(s);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 6);
    const int end = open(path, O_WRONLY | O_APPEND);
    s = opened((hectic_destination){.kind = HECTIC_TO_FD, .fd = end});
    assert_int_equal(written(s, "xyz", 3), 3);
    closed(s);
    char text[20] = "";
    assert_int_equal(pread(fd, text, sizeof text, 0), 13);
    assert_string_equal(text, "012abc6789xyz");
    close(end);
    close(fd);
}

static void unwritable_destinations_are_reported(void **state)
{
    (void)state;
    int end[2];
    assert_int_equal(pipe(end), 0);
    sink *s = made((hectic_destination){.kind = HECTIC_TO_FD, .fd = end[0]});
    assert_int_equal(s->kind->open(s), EBADF);
    sink_free(s);
    s = made((hectic_destination){.kind = HECTIC_TO_FD, .fd = 999});
    assert_int_equal(s->kind->open(s), EBADF);
    sink_free(s);
    s = opened((hectic_destination){.kind = HECTIC_TO_FD, .fd = end[1]});
    close(end[0]);
    assert_int_equal(written(s, "a", 1), -EPIPE);
    closed(s);
    close(end[1]);

    const char *path = path_of("left");
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK), writer = open(path, O_WRONLY);
    close(reader);
    s = made((hectic_destination){.kind = HECTIC_TO_FD, .fd = writer});
    assert_int_equal(s->kind->open(s), EPIPE);
    closed(s);
    close(writer);
    unlink(path);
}

/* --- SIGPIPE ---------------------------------------------------------------------------------- */

static void a_signal_that_was_pending_stays(void **state)
{
    (void)state;
    int end[2];
    assert_int_equal(pipe(end), 0);
    sink *s = opened((hectic_destination){.kind = HECTIC_TO_FD, .fd = end[1]});
    close(end[0]);
    sigset_t mask, before, now;
    sigemptyset(&mask);
    sigaddset(&mask, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &mask, &before);
    assert_int_equal(written(s, "a", 1), -EPIPE);
    assert_false(is_pending(SIGPIPE));
    raise(SIGPIPE);
    assert_int_equal(written(s, "a", 1), -EPIPE);
    assert_true(is_pending(SIGPIPE));
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    assert_true(sigismember(&now, SIGPIPE));
    assert_int_equal(signals, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(signals, 1);
    signals = 0;
    assert_int_equal(written(s, "a", 1), -EPIPE);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    assert_false(sigismember(&now, SIGPIPE));
    closed(s);
    close(end[1]);
}

/* --- Connections ------------------------------------------------------------------------------ */

/* The peer reads nothing at first, then everything, then closes. */
static void served(sink *s, int listener)
{
    const int peer = accept(listener, NULL, NULL);
    assert_true(peer >= 0);
    const int small = 4096;
    setsockopt(s->fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    assert_int_equal(fcntl(s->fd, F_GETFD), FD_CLOEXEC);
    ssize_t why = 0;
    size_t at = 0, read_at = 0;
    unsigned pieces = 0;
    /* Window and buffer of a TCP connection may still grow. */
    for (; at < sizeof block / 2; pieces++) {
        at = filled(s, at, &why);
        assert_true(why == -EAGAIN || at == sizeof block);
        read_at = emptied(peer, read_at);
    }
    assert_true(pieces > 1);
    for (unsigned i = 0; i < 20000 && read_at < at; i++) {
        usleep(1000);
        read_at = emptied(peer, read_at);
    }
    assert_int_equal(read_at, at);
    close(peer);
    for (unsigned i = 0; i < 20000 && (why = written(s, "a", 1)) == 1; i++)
        usleep(1000);
    assert_true(why == -EPIPE || why == -ECONNRESET);
    s->kind->close(s);
    assert_int_equal(s->fd, -1);
}

/* Bytes written before the end arrive before the end. */
static void served_to_the_end(sink *s, int listener)
{
    const int peer = accept(listener, NULL, NULL);
    assert_int_equal(written(s, block, 10000), 10000);
    s->kind->close(s);
    uint8_t bytes[10001];
    assert_int_equal(recv(peer, bytes, sizeof bytes, MSG_WAITALL), 10000);
    assert_memory_equal(bytes, block, 10000);
    assert_int_equal(recv(peer, bytes, 1, 0), 0);
    close(peer);
}

static int unix_listener(const char *path, int backlog)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, backlog), 0);
    return fd;
}

static void a_unix_socket_waits_for_its_peer(void **state)
{
    (void)state;
    const char *path = path_of("socket");
    sink *s = made((hectic_destination){.kind = HECTIC_TO_UNIX, .path = path});
    assert_int_equal(s->kind->open(s), EAGAIN);
    for (unsigned turn = 0; turn < 2; turn++) {
        const int listener = unix_listener(path, 5);
        assert_int_equal(s->kind->open(s), 0);
        served(s, listener);
        assert_int_equal(s->kind->open(s), 0);
        served_to_the_end(s, listener);
        close(listener);
        assert_int_equal(s->kind->open(s), EAGAIN);
        assert_int_equal(s->fd, -1);
    }
    sink_free(s);
}

static void a_full_unix_socket_is_retried(void **state)
{
    (void)state;
    const char *path = path_of("busy");
    const int listener = unix_listener(path, 0);
    sink *s[64];
    unsigned count = 0;
    int error = 0;
    for (; count < 64 && error == 0; count++) {
        s[count] = made((hectic_destination){.kind = HECTIC_TO_UNIX, .path = path});
        error = s[count]->kind->open(s[count]);
    }
    assert_int_equal(error, EAGAIN);
    sink *last = s[--count];
    assert_int_equal(last->fd, -1);
    close(accept(listener, NULL, NULL));
    assert_int_equal(last->kind->open(last), 0);
    closed(last);
    while (count > 0)
        closed(s[--count]);
    close(listener);
}

static int tcp_bound(char port[8])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    snprintf(port, 8, "%u", ntohs(address.sin_port));
    return fd;
}

static int open_within(sink *s, int ms)
{
    int error = s->kind->open(s);
    struct pollfd ready = {.fd = s->fd, .events = POLLOUT};
    while (error == EAGAIN && s->fd >= 0 && poll(&ready, 1, ms) > 0) {
        error = s->kind->open(s);
        ready.fd = s->fd;
    }
    return error;
}

static int open_in_time(sink *s)
{
    return open_within(s, 10000);
}

static void a_tcp_connection_waits_for_its_peer(void **state)
{
    (void)state;
    char port[8];
    const int listener = tcp_bound(port);
    /* localhost may also be ::1, without a listener. */
    sink *s = made((hectic_destination){.kind = HECTIC_TO_TCP, .host = "localhost", .port = port});
    for (unsigned turn = 0; turn < 2; turn++) {
        assert_int_equal(open_in_time(s), EAGAIN);
        assert_int_equal(s->fd, -1);
    }
    assert_int_equal(listen(listener, 5), 0);
    assert_int_equal(open_in_time(s), 0);
    int now = 0;
    socklen_t size = sizeof now;
    assert_int_equal(getsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &now, &size), 0);
    assert_int_equal(now, 1);
    served(s, listener);
    assert_int_equal(open_in_time(s), 0);
    served_to_the_end(s, listener);
    close(listener);
    assert_int_equal(open_in_time(s), EAGAIN);
    assert_int_equal(s->fd, -1);
    sink_free(s);
}

/* A pending connection does not block the caller. */
static void a_tcp_connection_is_made_in_the_background(void **state)
{
    (void)state;
    char port[8];
    const int listener = tcp_bound(port);
    assert_int_equal(listen(listener, 0), 0);
    const hectic_destination to = {.kind = HECTIC_TO_TCP, .host = "127.0.0.1", .port = port};
    sink *s[8];
    unsigned count = 0;
    int error = 0;
    for (; count < 8 && error == 0; count++) {
        s[count] = made(to);
        error = open_within(s[count], 100);
    }
    assert_int_equal(error, EAGAIN);
    sink *last = s[--count];
    assert_true(last->fd >= 0);
    assert_int_equal(last->kind->open(last), EAGAIN);
    for (unsigned i = 0; i < count; i++)
        close(accept(listener, NULL, NULL));
    assert_int_equal(open_in_time(last), 0);
    closed(last);
    while (count > 0)
        closed(s[--count]);
    close(listener);
}

/* TCP self-connection: one of many attempts to connect to an unused ephemeral port gets that
 * port itself. (Linux assigns even ports to connections and odd ones to bind.) */
static void a_tcp_connection_is_not_its_own_peer(void **state)
{
    (void)state;
    char port[8];
    close(tcp_bound(port));
    port[strlen(port) - 1] &= ~1;
    sink *s = made((hectic_destination){.kind = HECTIC_TO_TCP, .host = "127.0.0.1", .port = port});
    for (unsigned i = 0; i < 30000; i++) {
        assert_int_equal(open_in_time(s), EAGAIN);
        assert_int_equal(s->fd, -1);
    }
    sink_free(s);
}

/* Reads a token from a file with that content. 0, or the error. */
static int token_in(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    const hectic_destination to = {
        .kind = HECTIC_TO_TCP, .host = "127.0.0.1", .port = "1", .token_file = path};
    sink *s = sink_new(&to);
    const int error = s ? 0 : errno;
    sink_free(s);
    return error;
}

static void a_token_is_a_line_of_a_file(void **state)
{
    (void)state;
    const char *path = path_of("token"), *fifo = path_of("token-fifo");
    char text[300];
    memset(text, 'x', sizeof text);
    assert_int_equal(token_in(path, text, 15), EBADMSG);
    assert_int_equal(token_in(path, text, 16), 0);
    assert_int_equal(token_in(path, text, 255), 0);
    assert_int_equal(token_in(path, text, 256), EBADMSG); /* not its first 255 characters */
    assert_int_equal(token_in(path, text, sizeof text), EBADMSG);
    memcpy(text + 255, "\r\n", 2);
    assert_int_equal(token_in(path, text, sizeof text), 0);
    memcpy(text + 255, "x\n", 2);
    assert_int_equal(token_in(path, text, sizeof text), EBADMSG);
    text[20] = 0;
    assert_int_equal(token_in(path, text, 100), EBADMSG);
    text[15] = '\n';
    assert_int_equal(token_in(path, text, 100), EBADMSG);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const struct {
        const char *path;
        int error;
    } bad[] = {{path_of("nowhere"), ENOENT}, {directory, EISDIR}, {fifo, EBADMSG}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const hectic_destination to = {
            .kind = HECTIC_TO_TCP, .host = "127.0.0.1", .port = "1", .token_file = bad[i].path};
        assert_null(sink_new(&to));
        assert_int_equal(errno, bad[i].error);
    }
    unlink(path);
    unlink(fifo);
}

/* On each connection, before all other bytes. */
static void the_token_is_sent_first(void **state)
{
    (void)state;
    static const char token[] = "0123456789abcdef\n";
    enum { LENGTH = sizeof token - 1 };
    const char *path = path_of("token");
    char port[8], received[LENGTH + 1] = "";
    const int listener = tcp_bound(port);
    assert_int_equal(listen(listener, 5), 0);
    assert_int_equal(token_in(path, token, LENGTH), 0);
    sink *s = made((hectic_destination){
        .kind = HECTIC_TO_TCP, .host = "127.0.0.1", .port = port, .token_file = path});
    unlink(path);
    for (unsigned turn = 0; turn < 2; turn++) {
        assert_int_equal(open_in_time(s), 0);
        const int peer = accept(listener, NULL, NULL);
        assert_int_equal(written(s, block, 100), 100);
        assert_int_equal(recv(peer, received, LENGTH, MSG_WAITALL), LENGTH);
        assert_string_equal(received, token);
        uint8_t bytes[100];
        assert_int_equal(recv(peer, bytes, sizeof bytes, MSG_WAITALL), sizeof bytes);
        assert_memory_equal(bytes, block, sizeof bytes);
        s->kind->close(s);
        close(peer);
    }
    sink_free(s);
    close(listener);
}

/* --- Writers ---------------------------------------------------------------------------------- */

struct account {
    char calls[16]; /* their first letters */
    size_t length;
    bool refuses_init;
    size_t most; /* maximum number of bytes accepted */
};

static void account(struct account *a, char call)
{
    a->calls[strlen(a->calls)] = call;
}

static bool account_init(void *user)
{
    account(user, 'i');
    return !((struct account *)user)->refuses_init;
}

static bool account_write(void *user, const void *bytes, size_t length)
{
    struct account *a = user;
    account(a, 'w');
    if (a->length + length > a->most) return false;
    assert_memory_equal(bytes, block + a->length, length);
    a->length += length;
    return true;
}

static void account_flush(void *user)
{
    account(user, 'f');
}

static void account_stop(void *user)
{
    account(user, 's');
}

static const hectic_emit_writer accounting = {account_init, account_write, account_flush,
                                              account_stop};

static void a_writer_is_called(void **state)
{
    (void)state;
    struct account a = {.most = 20};
    sink *s =
        opened((hectic_destination){.kind = HECTIC_TO_WRITER, .writer = &accounting, .user = &a});
    assert_int_equal(written(s, block, 10), 10);
    s->kind->flush(s);
    assert_int_equal(written(s, block + 10, 10), 10);
    assert_int_equal(written(s, block + 20, 1), -EIO);
    s->kind->close(s);
    s->kind->close(s);
    sink_free(s);
    assert_string_equal(a.calls, "iwfwws");
}

static void a_writer_may_refuse(void **state)
{
    (void)state;
    struct account a = {.refuses_init = true};
    sink *s =
        made((hectic_destination){.kind = HECTIC_TO_WRITER, .writer = &accounting, .user = &a});
    assert_int_equal(s->kind->open(s), EIO);
    s->kind->close(s);
    sink_free(s);
    assert_string_equal(a.calls, "i");
}

static void a_writer_is_not_stopped_by_a_child(void **state)
{
    (void)state;
    struct account a = {0};
    sink *s =
        opened((hectic_destination){.kind = HECTIC_TO_WRITER, .writer = &accounting, .user = &a});
    const pid_t child = fork();
    if (child == 0) {
        s->kind->close(s);
        _exit(strcmp(a.calls, "i") != 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    closed(s);
    assert_string_equal(a.calls, "is");
}

static void a_writer_needs_only_write(void **state)
{
    (void)state;
    const hectic_emit_writer writer = {.write = takes_all};
    sink *s = opened((hectic_destination){.kind = HECTIC_TO_WRITER, .writer = &writer});
    assert_int_equal(written(s, block, 10), 10);
    s->kind->flush(s);
    closed(s);
}

/* --- All of them ------------------------------------------------------------------------------ */

static int before_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (uint8_t)(i ^ i >> 8 ^ i >> 16);
    count_signals();
    return mkdtemp(directory) ? 0 : -1;
}

static int after_all(void **state)
{
    (void)state;
    static const char *const names[] = {"file", "socket", "busy"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(texts_name_destinations),
        TEST(invalid_texts_are_rejected),
        TEST(invalid_destinations_are_rejected),
        TEST(all_is_copied),
        TEST(a_file_is_created_and_truncated),
        TEST(a_file_can_be_reopened),
        TEST(a_full_disk_is_reported),
        TEST(a_file_size_limit_raises_no_signal),
        TEST(a_fifo_waits_for_readers),
        TEST(other_files_are_not_opened_as_fifos),
        TEST(a_pipe_does_not_block),
        TEST(a_pipe_does_not_block_either_way),
        TEST(a_socket_does_not_block),
        TEST(a_terminal_does_not_block),
        TEST(offset_and_flags_of_a_file_are_kept),
        TEST(unwritable_destinations_are_reported),
        TEST(a_signal_that_was_pending_stays),
        TEST(a_unix_socket_waits_for_its_peer),
        TEST(a_full_unix_socket_is_retried),
        TEST(a_tcp_connection_waits_for_its_peer),
        TEST(a_tcp_connection_is_made_in_the_background),
        TEST(a_tcp_connection_is_not_its_own_peer),
        TEST(a_token_is_a_line_of_a_file),
        TEST(the_token_is_sent_first),
        TEST(a_writer_is_called),
        TEST(a_writer_may_refuse),
        TEST(a_writer_is_not_stopped_by_a_child),
        TEST(a_writer_needs_only_write),
        TEST(a_disk_with_space_again_accepts_more),
    };
    return cmocka_run_group_tests(tests, before_all, after_all);
}
