/* Destinations that fail in various ways while the emitter continues. */
#define _GNU_SOURCE /* unshare */
#include "disk.h"
#include "less.h"
#include "numbered.h"
#include "tidy.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

static char directory[] = "/tmp/hectic-faults-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

/* The smallest buffers: 65,547 bytes. */
static const hectic_emitter_options small = {.caps = NUMBERED_CAPS, .buffer_size = 1};
enum { SMALL = 65547 };

/* An unexpected wait takes PATIENCE_MS; anything else less than SOON_MS, also on a slow, busy
 * machine. */
enum { PATIENCE_MS = 60000, SOON_MS = 20000 };

/* A thread that reads to the end. */
struct reader {
    pthread_t thread;
    int fd;
    unsigned delay_us; /* before each piece of 1,000 bytes; 0: none, and larger pieces */
    struct bytes log;
};

static void *reader_run(void *user)
{
    struct reader *r = user;
    uint8_t piece[1 << 16];
    const size_t most = r->delay_us ? 1000 : sizeof piece;
    for (ssize_t n; (n = read(r->fd, piece, most)) != 0;) {
        if (n > 0) bytes_write(&r->log, piece, (size_t)n);
        if (n < 0 && errno != EINTR) break;
        if (r->delay_us) usleep(r->delay_us);
    }
    close(r->fd);
    return NULL;
}

static void reader_start(struct reader *r, int fd)
{
    r->fd = fd;
    fcntl(fd, F_SETFL, 0);
    assert_int_equal(pthread_create(&r->thread, NULL, reader_run, r), 0);
}

static void reader_join(struct reader *r)
{
    pthread_join(r->thread, NULL);
}

/* --- FIFOs and connections -------------------------------------------------------------------- */

/* The other end of a destination, which may be closed. */
struct way {
    hectic_destination destination;
    int (*appear)(struct way *w);       /* creates the other end: a listener, or already a reader */
    int (*meet)(struct way *w, int fd); /* returns the reader's descriptor */
    char port[8];
    int bound;
};

static int fifo_appear(struct way *w)
{
    return open(w->destination.path, O_RDONLY | O_NONBLOCK);
}

/* Without a writer, a read would return an end of file. */
static int fifo_meet(struct way *w, int fd)
{
    (void)w;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 20000), 1);
    return fd;
}

static int unix_appear(struct way *w)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", w->destination.path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(address.sun_path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 5), 0);
    return fd;
}

static int accept_meet(struct way *w, int listener)
{
    (void)w;
    const int fd = accept(listener, NULL, NULL);
    assert_true(fd >= 0);
    close(listener);
    return fd;
}

static int tcp_appear(struct way *w)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(w->port)),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 5), 0);
    return fd;
}

static void choose_port(struct way *w)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    snprintf(w->port, sizeof w->port, "%u", ntohs(address.sin_port));
    close(fd);
}

/* Runs a function with each way. */
static void with_each_way(void (*test)(struct way *w))
{
    enum { TCP = 3 };
    static char fifo[256], socket_path[256];
    snprintf(fifo, sizeof fifo, "%s", path_of("fifo"));
    snprintf(socket_path, sizeof socket_path, "%s", path_of("socket"));
    struct way way[] = {
        {{.kind = HECTIC_TO_FIFO, .path = fifo}, fifo_appear, fifo_meet, "", 0},
        {{.kind = HECTIC_TO_FILE, .path = fifo}, fifo_appear, fifo_meet, "", 0},
        {{.kind = HECTIC_TO_UNIX, .path = socket_path}, unix_appear, accept_meet, "", 0},
        {{.kind = HECTIC_TO_TCP, .host = "127.0.0.1"}, tcp_appear, accept_meet, "", 0},
    };
    for (size_t i = 0; i < sizeof way / sizeof *way; i++)
        way[i].destination.wait_ms = PATIENCE_MS;
    choose_port(&way[TCP]);
    way[TCP].destination.port = way[TCP].port;
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (size_t i = 0; i < sizeof way / sizeof *way; i++)
        test(&way[i]);
    unlink(fifo);
    unlink(socket_path);
}

static void log_arrives_whole(struct way *w)
{
    struct numbered n;
    numbered_start_to(&n, small, w->destination);
    const uint64_t begin = milliseconds();
    for (unsigned i = 0; i < 4000; i++)
        numbered_emit(&n, i % 2, 8);
    assert_int_equal(hectic_emitter_get_state(n.emitter).destination, HECTIC_DESTINATION_WAITING);
    assert_int_equal(hectic_emitter_flush(n.emitter, 50), HECTIC_EMIT_TIMEOUT);
    assert_true(milliseconds() - begin < SOON_MS);

    struct reader r = {0};
    const int fd = w->appear(w);
    reader_start(&r, w->meet(w, fd));
    assert_int_equal(hectic_emitter_flush(n.emitter, PATIENCE_MS), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    reader_join(&r);
    numbered_read(&n, &r.log, LOG_WHOLE);
    numbered_all_read(&n);
    assert_int_equal(n.dropped, 0);
    bytes_free(&r.log);
    numbered_free(&n);
}

static void late_readers_get_everything(void **state)
{
    (void)state;
    with_each_way(log_arrives_whole);
}

static void much_is_dropped(struct way *w)
{
    struct numbered n;
    numbered_start_to(&n, small, w->destination);
    const uint64_t begin = milliseconds();
    for (unsigned i = 0; i < 200000; i++)
        numbered_emit(&n, i % 3, 8);
    assert_true(milliseconds() - begin < SOON_MS);

    struct reader r = {0};
    const int fd = w->appear(w);
    reader_start(&r, w->meet(w, fd));
    assert_int_equal(hectic_emitter_flush(n.emitter, PATIENCE_MS), HECTIC_EMIT_OK);
    for (unsigned i = 0; i < 1000; i++)
        numbered_emit(&n, i % 3, 8);
    assert_int_equal(hectic_emitter_flush(n.emitter, PATIENCE_MS), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    reader_join(&r);
    numbered_read(&n, &r.log, LOG_WHOLE);
    numbered_all_read(&n);
    assert_true(n.begun[0] > 0); /* the oldest events are missing */
    assert_true(n.dropped > 100000);
    assert_int_equal(n.dropped, hectic_emitter_get_state(n.emitter).events_dropped);
    bytes_free(&r.log);
    numbered_free(&n);
}

static void missed_events_of_a_late_reader_are_reported(void **state)
{
    (void)state;
    with_each_way(much_is_dropped);
}

static uint64_t ms_to_end(struct way *w)
{
    struct numbered n;
    numbered_start_to(&n, small, w->destination);
    for (unsigned i = 0; i < 20000; i++)
        numbered_emit(&n, i % 2, 8);
    const uint64_t begin = milliseconds();
    numbered_free(&n);
    return milliseconds() - begin;
}

/* It would be 2 s for a connected reader. A busy machine may sometimes be as slow. */
static void no_reader_connects(struct way *w)
{
    unsigned slow = 0;
    while (ms_to_end(w) > 1000)
        assert_true(++slow < 10);
}

static void stops_at_once_without_a_reader(void **state)
{
    (void)state;
    with_each_way(no_reader_connects);
}

struct last_reader {
    pthread_t thread;
    struct way *way;
    struct reader reader;
};

static void *meet_and_read(void *user)
{
    struct last_reader *r = user;
    r->reader.fd = r->way->meet(r->way, r->reader.fd);
    fcntl(r->reader.fd, F_SETFL, 0);
    return reader_run(&r->reader);
}

/* The emitter notices the reader only when it stops, and then waits until the reader has taken all.
 */
static void connects_last(struct way *w)
{
    struct numbered n;
    hectic_emitter_options options = small;
    options.no_thread = true;
    numbered_start_to(&n, options, w->destination);
    for (unsigned i = 0; i < 4000; i++)
        numbered_emit(&n, i % 2, 8);
    struct last_reader r = {.way = w, .reader.fd = w->appear(w)};
    assert_int_equal(pthread_create(&r.thread, NULL, meet_and_read, &r), 0);
    usleep(200000); /* longer than the time between two retries */
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    pthread_join(r.thread, NULL);
    numbered_read(&n, &r.reader.log, LOG_WHOLE);
    numbered_all_read(&n);
    bytes_free(&r.reader.log);
    numbered_free(&n);
}

static void the_last_reader_gets_everything(void **state)
{
    (void)state;
    with_each_way(connects_last);
}

/* Readers connect and disconnect anywhere in the log; each gets a complete log. */
static void readers_connect_and_disconnect(struct way *w)
{
    struct numbered n;
    uint64_t random = 3;
    numbered_start_to(&n, small, w->destination);
    hectic_emitter_flush_every(n.emitter, 1);
    struct load load = {.n = &n, .cap = 1, .size = 100, .pause_ns = 100000};
    load_start(&load);
    for (unsigned turn = 0; turn < 12; turn++) {
        struct bytes log = {0};
        const int fd = w->meet(w, w->appear(w));
        size_t wanted = (size_t)random_below(&random, 100000) + (turn % 2 ? 20000 : 1);
        const uint64_t until = milliseconds() + PATIENCE_MS;
        fcntl(fd, F_SETFL, 0);
        while (log.length < wanted && milliseconds() < until) {
            uint8_t piece[4096];
            struct pollfd ready = {.fd = fd, .events = POLLIN};
            poll(&ready, 1, 100);
            const ssize_t got = read(fd, piece, sizeof piece);
            if (got > 0) bytes_write(&log, piece, (size_t)got);
        }
        assert_true(log.length >= wanted);
        close(fd);
        numbered_read(&n, &log, LOG_AFTER_GAP);
        bytes_free(&log);
        if (turn == 6) {
            /* Idle: a disconnect is detected before the next reader connects. */
            load_stop(&load);
            wait_for_state(n.emitter, HECTIC_DESTINATION_WAITING);
            load_start(&load);
        }
        wait_for_state(n.emitter, HECTIC_DESTINATION_WAITING);
    }
    load_stop(&load);
    numbered_free(&n);
}

static void each_reader_has_a_log_of_its_own(void **state)
{
    (void)state;
    with_each_way(readers_connect_and_disconnect);
}

/* Nothing is emitted when the reader disconnects. */
static void reader_of_nothing_goes(struct way *w)
{
    struct numbered n;
    numbered_start_to(&n, small, w->destination);
    for (unsigned turn = 0; turn < 3; turn++) {
        const int fd = w->meet(w, w->appear(w));
        wait_for_state(n.emitter, HECTIC_DESTINATION_READY);
        close(fd);
        if (w->destination.kind == HECTIC_TO_TCP) /* only the first write detects it */
            for (unsigned i = 0; i < 2; i++) {
                numbered_emit(&n, 0, 8);
                hectic_emitter_flush(n.emitter, 100);
                usleep(10000);
            }
        wait_for_state(n.emitter, HECTIC_DESTINATION_WAITING);
    }
    struct reader r = {0};
    const int fd = w->appear(w);
    reader_start(&r, w->meet(w, fd));
    wait_for_state(n.emitter, HECTIC_DESTINATION_READY);
    numbered_emit(&n, 0, 8);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    reader_join(&r);
    numbered_read(&n, &r.log, LOG_AFTER_GAP);
    assert_int_equal(n.read[0], n.emitted[0]);
    bytes_free(&r.log);
    numbered_free(&n);
}

static void disconnected_readers_are_noticed(void **state)
{
    (void)state;
    with_each_way(reader_of_nothing_goes);
}

/* A peer that accepts and closes each connection is not tried again at once. */
static void readers_that_disconnect_at_once_do_no_harm(void **state)
{
    (void)state;
    enum { RETRY = 100 }; /* ms, as in the emitter */
    struct way w = {.destination = {.kind = HECTIC_TO_UNIX, .path = path_of("door")}};
    const int listener = unix_appear(&w);
    struct pollfd knock = {.fd = listener, .events = POLLIN};
    struct numbered n;
    uint64_t visits = 0;
    const uint64_t begin = milliseconds();
    numbered_start_to(&n, small, w.destination);
    while (milliseconds() < begin + 5 * RETRY) {
        if (poll(&knock, 1, RETRY) <= 0) continue;
        close(accept(listener, NULL, NULL));
        visits++;
    }
    assert_in_range(visits, 1, (milliseconds() - begin) / RETRY + 2);
    numbered_free(&n);
    close(listener);
    unlink(w.destination.path);
}

/* --- What was not written goes elsewhere ------------------------------------------------------ */

static void goes_elsewhere(hectic_destination first, unsigned events, bool may_drop)
{
    struct numbered n;
    struct bytes log = {0};
    const hectic_destination keeper = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &log};
    numbered_start_to(&n, small, first);
    for (unsigned i = 0; i < events; i++)
        numbered_emit(&n, i % 3, 8);
    assert_int_equal(hectic_emitter_redirect(n.emitter, &keeper), HECTIC_EMIT_OK);
    numbered_emit(&n, 0, 8);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    numbered_read(&n, &log, LOG_WHOLE);
    numbered_all_read(&n);
    assert_int_equal(n.dropped, hectic_emitter_get_state(n.emitter).events_dropped);
    assert_true(may_drop ? n.dropped > 0 : n.dropped == 0);
    bytes_free(&log);
    numbered_free(&n);
}

static void an_absent_reader_is_replaced(struct way *w)
{
    goes_elsewhere(w->destination, 3000, false);
    goes_elsewhere(w->destination, 100000, true);
}

static bool take_nothing(void *user, const void *bytes, size_t length)
{
    (void)user, (void)bytes, (void)length;
    return false;
}

static void unread_blocks_go_to_the_next_destination(void **state)
{
    (void)state;
    static const hectic_emit_writer nothing = {.write = take_nothing};
    with_each_way(an_absent_reader_is_replaced);
    goes_elsewhere((hectic_destination){.kind = HECTIC_TO_WRITER, .writer = &nothing}, 3000, false);
    goes_elsewhere((hectic_destination){.kind = HECTIC_TO_WRITER, .writer = &nothing}, 100000,
                   true);
}

/* --- Threads that wait ------------------------------------------------------------------------ */

static void *flush_for_long(void *emitter)
{
    hectic_emitter_flush(emitter, 600000);
    return NULL;
}

/* While a thread waits for a reader that does not connect, others can control the emitter, and
 * the thread can be canceled. */
static void waiting_readers_delay_no_others(void **state)
{
    (void)state;
    struct bytes log = {0};
    const hectic_destination keeper = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &log};
    const char *path = path_of("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    struct numbered n;
    numbered_start_to(&n, small, (hectic_destination){.kind = HECTIC_TO_FIFO, .path = path});
    unlink(path);
    numbered_emit(&n, 0, 8);
    pthread_t waiting[2];
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&waiting[i], NULL, flush_for_long, n.emitter), 0);
    usleep(50000);
    const uint64_t begin = milliseconds();
    pthread_cancel(waiting[0]);
    pthread_join(waiting[0], NULL);
    numbered_emit(&n, 0, 8);
    assert_int_equal(hectic_emitter_redirect(n.emitter, &keeper), HECTIC_EMIT_OK);
    pthread_join(waiting[1], NULL);
    assert_true(milliseconds() - begin < SOON_MS);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    numbered_read(&n, &log, LOG_WHOLE);
    numbered_all_read(&n);
    bytes_free(&log);
    numbered_free(&n);
}

/* --- Readers that are too slow ---------------------------------------------------------------- */

/* If events must be dropped, it reads nothing before that, on slow machines too. */
static void slow_reader(hectic_when_blocked when_blocked, unsigned delay_us, bool drops)
{
    int end[2];
    const int room = 4096;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
    setsockopt(end[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    struct numbered n;
    struct reader r = {.delay_us = delay_us};
    if (!drops) reader_start(&r, end[0]);
    numbered_start_to(&n, small,
                      (hectic_destination){.kind = HECTIC_TO_FD,
                                           .fd = end[1],
                                           .when_blocked = when_blocked,
                                           .wait_ms = PATIENCE_MS});
    for (unsigned i = 0; i < 40000; i++)
        numbered_emit(&n, i % 3, 30);
    if (drops) reader_start(&r, end[0]);
    assert_int_equal(hectic_emitter_flush(n.emitter, PATIENCE_MS), HECTIC_EMIT_OK);
    for (unsigned i = 0; i < 100; i++)
        numbered_emit(&n, i % 3, 30);
    assert_int_equal(hectic_emitter_flush(n.emitter, PATIENCE_MS), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    close(end[1]);
    reader_join(&r);
    numbered_read(&n, &r.log, LOG_WHOLE);
    numbered_all_read(&n);
    assert_int_equal(n.dropped, hectic_emitter_get_state(n.emitter).events_dropped);
    if (drops)
        assert_true(n.dropped > 0);
    else
        assert_int_equal(n.dropped, 0);
    bytes_free(&r.log);
    numbered_free(&n);
}

static void the_emitter_waits_for_a_slow_reader(void **state)
{
    (void)state;
    slow_reader(HECTIC_BLOCKED_DEFAULT, 100, false);
}

static void a_slow_reader_misses_the_newest(void **state)
{
    (void)state;
    slow_reader(HECTIC_BLOCKED_DROP_NEWEST, 100, true);
}

static void a_slow_reader_misses_the_oldest(void **state)
{
    (void)state;
    slow_reader(HECTIC_BLOCKED_DROP_OLDEST, 100, true);
}

/* A stalled reader delays threads only once, not for each buffer. */
static void the_emitter_does_not_wait_for_a_stalled_reader(void **state)
{
    (void)state;
    enum { WAIT_MS = 1000 };
    int end[2];
    assert_int_equal(pipe(end), 0);
    struct numbered n;
    numbered_start_to(&n, small,
                      (hectic_destination){.kind = HECTIC_TO_FD, .fd = end[1], .wait_ms = WAIT_MS});
    uint64_t begin = milliseconds();
    for (unsigned i = 0; i < 100000; i++)
        numbered_emit(&n, i % 3, 30);
    assert_true(milliseconds() - begin < SOON_MS);
    assert_int_equal(hectic_emitter_flush(n.emitter, 50), HECTIC_EMIT_TIMEOUT);
    assert_int_equal(hectic_emitter_get_state(n.emitter).destination, HECTIC_DESTINATION_BLOCKED);
    struct reader r = {0};
    reader_start(&r, end[0]);
    assert_int_equal(hectic_emitter_flush(n.emitter, PATIENCE_MS), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    close(end[1]);
    reader_join(&r);
    numbered_read(&n, &r.log, LOG_WHOLE);
    numbered_all_read(&n);
    assert_true(n.dropped > 0);
    bytes_free(&r.log);
    numbered_free(&n);
}

/* Signals interrupt waiting calls. */
static void do_nothing(int number)
{
    (void)number;
}

static void interruptions_do_no_harm(void **state)
{
    (void)state;
    const struct sigaction action = {.sa_handler = do_nothing};
    struct sigaction previous;
    sigaction(SIGALRM, &action, &previous);
    const struct itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, NULL);
    slow_reader(HECTIC_BLOCKED_WAIT, 20, false);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    sigaction(SIGALRM, &previous, NULL);
}

/* --- Disks that are full ---------------------------------------------------------------------- */

static void the_emitter_waits_for_a_full_disk(void **state)
{
    (void)state;
    char disk[256];
    snprintf(disk, sizeof disk, "%s", path_of("disk"));
    if (!disk_mount(disk, "size=1m")) skip();
    const int other = open(path_of("disk/other"), O_WRONLY | O_CREAT, 0600);
    assert_int_equal(ftruncate(other, 0), 0);
    assert_int_equal(posix_fallocate(other, 0, 700000), 0);
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("disk/log"));
    struct numbered n;
    numbered_start_to(&n, small, (hectic_destination){.path = path, .wait_ms = 100});
    const uint64_t begin = milliseconds();
    for (unsigned i = 0; i < 30000; i++)
        numbered_emit(&n, i % 3, 30);
    assert_true(milliseconds() - begin < SOON_MS);
    assert_int_equal(hectic_emitter_flush(n.emitter, 50), HECTIC_EMIT_TIMEOUT);
    assert_int_equal(hectic_emitter_get_state(n.emitter).destination, HECTIC_DESTINATION_BLOCKED);
    assert_int_equal(hectic_emitter_get_state(n.emitter).error, ENOSPC);
    assert_int_equal(ftruncate(other, 0), 0);
    assert_int_equal(hectic_emitter_flush(n.emitter, PATIENCE_MS), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_get_state(n.emitter).destination, HECTIC_DESTINATION_READY);
    for (unsigned i = 0; i < 300; i++)
        numbered_emit(&n, i % 3, 30);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    struct bytes log = bytes_of_file(path);
    numbered_read(&n, &log, LOG_WHOLE);
    numbered_all_read(&n);
    assert_true(n.dropped > 0);
    bytes_free(&log);
    numbered_free(&n);
    close(other);
    disk_unmount(disk);
}

/* --- Failures at every byte ------------------------------------------------------------------- */

struct short_keeper {
    struct bytes log;
    size_t most;
};

static bool keep_short(void *user, const void *bytes, size_t length)
{
    struct short_keeper *k = user;
    return k->log.length + length <= k->most && bytes_write(&k->log, bytes, length);
}

static const hectic_emit_writer short_writer = {.write = keep_short};

/* Few event types, to save time. */
static const hectic_emitter_options brief = {.caps = 2,
                                             .buffer_size = 1,
                                             .clock = HECTIC_CLOCK_MONOTONIC,
                                             .classes = HECTIC_CLASS_BIT(HECTIC_CLASS_USER) |
                                                        HECTIC_CLASS_BIT(HECTIC_CLASS_SCHEDULER),
                                             .no_process = true,
                                             .no_thread = true};

/* Emits events, and continues in memory when the destination has failed: events missing from the
 * first log are in the second. False: it did not fail. */
static bool fails_and_goes_on(hectic_destination destination, struct bytes (*log_of)(void *user),
                              void *user)
{
    struct numbered n;
    struct bytes second = {0};
    bool failed = false;
    numbered_start_to(&n, brief, destination);
    const hectic_destination keeper = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &second};
    for (unsigned turn = 0; turn < 3; turn++) {
        for (unsigned i = 0; i < 4; i++)
            numbered_emit(&n, i % 2, 10);
        const hectic_emit_status status = hectic_emitter_flush(n.emitter, 1000);
        if (status != HECTIC_EMIT_OK) failed = true;
        assert_int_equal(status, failed ? HECTIC_EMIT_LOST : HECTIC_EMIT_OK);
        assert_int_equal(hectic_emitter_get_state(n.emitter).destination,
                         failed ? HECTIC_DESTINATION_FAILED : HECTIC_DESTINATION_READY);
    }
    assert_int_equal(hectic_emitter_redirect(n.emitter, &keeper), HECTIC_EMIT_OK);
    numbered_emit(&n, 0, 10);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);

    struct bytes first = log_of(user);
    numbered_read(&n, &first, LOG_CUT);
    numbered_read(&n, &second, LOG_AFTER_CUT);
    numbered_all_read(&n);
    bytes_free(&first);
    bytes_free(&second);
    numbered_free(&n);
    return failed;
}

static struct bytes kept_log(void *user)
{
    return ((struct short_keeper *)user)->log;
}

static void a_writer_may_fail_at_every_byte(void **state)
{
    (void)state;
    bool failed = true;
    for (size_t most = 0; failed; most++) {
        struct short_keeper keeper = {.most = most};
        failed = fails_and_goes_on((hectic_destination){.kind = HECTIC_TO_WRITER,
                                                        .writer = &short_writer,
                                                        .user = &keeper},
                                   kept_log, &keeper);
    }
}

static struct bytes file_log(void *user)
{
    return bytes_of_file(user);
}

static void a_file_may_end_at_every_byte(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("log"));
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    bool failed = true;
    for (rlim_t most = 0; failed; most++) {
        limit.rlim_cur = most;
        setrlimit(RLIMIT_FSIZE, &limit);
        failed = fails_and_goes_on((hectic_destination){.path = path}, file_log, path);
        setrlimit(RLIMIT_FSIZE, &before);
    }
    unlink(path);
}

/* Control calls that lose no events. */
static void control(hectic_emitter *e, uint64_t *random)
{
    switch (random_below(random, 8)) {
    case 0: hectic_emitter_set_buffer_size(e, (size_t)random_below(random, 200000)); break;
    case 1: hectic_emitter_sync(e); break;
    case 2: hectic_emitter_set_logging(e, false); break;
    case 3: hectic_emitter_disable(e, HECTIC_CLASS_USER); break;
    case 4: hectic_emitter_flush_every(e, (uint32_t)random_below(random, 3)); break;
    case 5: hectic_emitter_sync_every(e, (uint32_t)random_below(random, 3)); break;
    case 6: hectic_emitter_flush_idle(e, (uint32_t)random_below(random, 3)); break;
    default:
        hectic_emitter_set_logging(e, true);
        hectic_emitter_enable(e, HECTIC_CLASS_USER, NULL, 0);
    }
}

/* Several threads emit; each destination fails after a given number of bytes. */
static void every_loss_under_load_is_reported(void **state)
{
    (void)state;
    enum { TIMES = LESS(150, 50), LOADS = 3 };
    static struct short_keeper keeper[TIMES];
    struct bytes last = {0};
    struct numbered n;
    struct load load[LOADS];
    uint64_t random = 5;
    numbered_start(&n, small);
    for (uint32_t i = 0; i < LOADS; i++) {
        load[i] = (struct load){.n = &n, .cap = i, .size = 50, .pause_ns = 100000};
        load_start(&load[i]);
    }
    for (unsigned i = 0; i < TIMES; i++) {
        keeper[i].most = (size_t)random_below(&random, 400000);
        const hectic_destination to = {
            .kind = HECTIC_TO_WRITER,
            .writer = &short_writer,
            .user = &keeper[i],
            .when_blocked = (hectic_when_blocked)random_below(&random, 4),
            .wait_ms = 5,
        };
        assert_int_equal(hectic_emitter_redirect(n.emitter, &to), HECTIC_EMIT_OK);
        const unsigned flushes = (unsigned)random_below(&random, 4);
        for (unsigned j = 0; j < flushes; j++) {
            usleep((useconds_t)random_below(&random, 5000));
            hectic_emitter_flush(n.emitter, 10);
            control(n.emitter, &random);
        }
    }
    const hectic_destination to = {.kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &last};
    assert_int_equal(hectic_emitter_redirect(n.emitter, &to), HECTIC_EMIT_OK);
    for (unsigned i = 0; i < LOADS; i++)
        load_stop(&load[i]);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    numbered_read(&n, &n.first, LOG_WHOLE);
    for (unsigned i = 0; i < TIMES; i++) {
        numbered_read(&n, &keeper[i].log, LOG_AFTER_CUT);
        bytes_free(&keeper[i].log);
    }
    numbered_read(&n, &last, LOG_AFTER_CUT);
    numbered_all_read(&n);
    bytes_free(&last);
    numbered_free(&n);
}

/* A writer that fails, or refuses to start, is stopped and gets no more bytes. */
struct account {
    char calls[64];
    unsigned fails_at; /* the number of the call that fails, from 1 */
};

static bool count_call(struct account *a, char call)
{
    const size_t count = strlen(a->calls);
    assert_true(count + 1 < sizeof a->calls);
    a->calls[count] = call;
    return count + 1 != a->fails_at;
}

static bool account_init(void *user)
{
    return count_call(user, 'i');
}

static bool account_write(void *user, const void *bytes, size_t length)
{
    (void)bytes, (void)length;
    return count_call(user, 'w');
}

static void account_flush(void *user)
{
    count_call(user, 'f');
}

static void account_stop(void *user)
{
    count_call(user, 's');
}

static const hectic_emit_writer accounting = {account_init, account_write, account_flush,
                                              account_stop};

static void a_writer_is_stopped_once(void **state)
{
    (void)state;
    for (unsigned fails_at = 2; fails_at < 10; fails_at++) {
        struct account a = {.fails_at = fails_at};
        struct numbered n;
        numbered_start_to(
            &n, brief,
            (hectic_destination){.kind = HECTIC_TO_WRITER, .writer = &accounting, .user = &a});
        for (unsigned i = 0; i < 3; i++) {
            numbered_emit(&n, 0, 10);
            hectic_emitter_flush(n.emitter, 100);
        }
        hectic_emitter_stop(n.emitter);
        numbered_free(&n);
        assert_int_equal(a.calls[0], 'i');
        const char *stop = strchr(a.calls, 's');
        assert_non_null(stop);
        assert_int_equal(stop[1], 0);
        if (fails_at <= strlen(a.calls) && a.calls[fails_at - 1] == 'w')
            assert_int_equal(stop - a.calls, fails_at);
    }
    struct account a = {.fails_at = 1};
    struct numbered n;
    numbered_start(&n, brief);
    const hectic_destination to = {.kind = HECTIC_TO_WRITER, .writer = &accounting, .user = &a};
    assert_int_equal(hectic_emitter_redirect(n.emitter, &to), HECTIC_EMIT_SYSTEM);
    assert_int_equal(hectic_emitter_get_state(n.emitter).destination, HECTIC_DESTINATION_READY);
    assert_string_equal(a.calls, "i");
    numbered_emit(&n, 0, 10);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    numbered_read(&n, &n.first, LOG_WHOLE);
    numbered_all_read(&n);
    numbered_free(&n);
}

/* --- Many destinations, one after the other -------------------------------------------------- */

/* Until both have emitted more than that. */
static void wait_for_numbers(struct numbered *n, uint64_t number)
{
    for (unsigned i = 0; i < 2; i++)
        while (__atomic_load_n(&n->emitted[i], __ATOMIC_RELAXED) <= number)
            sched_yield();
}

static void a_thousand_redirections_lose_nothing(void **state)
{
    (void)state;
    enum { TIMES = 1000 };
    static struct bytes log[TIMES];
    struct numbered n;
    numbered_start(&n, small);
    struct load load[] = {{.n = &n, .cap = 0, .size = 20, .pause_ns = 50000},
                          {.n = &n, .cap = 1, .size = 20, .pause_ns = 50000}};
    load_start(&load[0]);
    load_start(&load[1]);
    for (unsigned i = 0; i < TIMES; i++) {
        const hectic_destination to = {.kind = HECTIC_TO_WRITER,
                                       .writer = &emit_keeper,
                                       .user = &log[i],
                                       .wait_ms = PATIENCE_MS};
        wait_for_numbers(&n, i);
        assert_int_equal(hectic_emitter_redirect(n.emitter, &to), HECTIC_EMIT_OK);
    }
    load_stop(&load[0]);
    load_stop(&load[1]);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    numbered_read(&n, &n.first, LOG_WHOLE);
    for (unsigned i = 0; i < TIMES; i++) {
        numbered_read(&n, &log[i], LOG_WHOLE);
        bytes_free(&log[i]);
    }
    numbered_all_read(&n);
    assert_int_equal(n.dropped, 0);
    numbered_free(&n);
}

static size_t allocated(void)
{
    return mallinfo2().uordblks;
}

static void a_thousand_logs_leave_nothing_behind(void **state)
{
    (void)state;
    enum { MOST_BUFFERS = 2 * (NUMBERED_CAPS + 1) + 2 };
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("log"));
    const hectic_destination file = {.path = path};
    struct numbered n;
    numbered_start(&n, small);
    hectic_emitter_stop(n.emitter);
    unsigned open_files = 0;
    size_t memory = 0;
    for (unsigned i = 0; i < 1000; i++) {
        if (i == 10) {
            open_files = count_descriptors();
            memory = allocated();
        }
        assert_int_equal(hectic_emitter_start(n.emitter, &file), HECTIC_EMIT_OK);
        for (unsigned j = 0; j < 20; j++)
            numbered_emit(&n, j % 4, 8);
        assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
        numbered_emit(&n, 0, 8); /* without a reader */
        struct bytes log = bytes_of_file(path);
        numbered_read(&n, &log, LOG_WHOLE);
        bytes_free(&log);
        numbered_all_read(&n);
    }
    assert_int_equal(count_descriptors(), open_files);
    assert_true(allocated() < memory + MOST_BUFFERS * SMALL);
    assert_true(hectic_emitter_get_state(n.emitter).memory <= MOST_BUFFERS * SMALL);
    numbered_free(&n);
    unlink(path);
}

/* The log is redirected to the same file. */
static void a_file_can_be_reopened(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("log"));
    const hectic_destination file = {.path = path};
    struct numbered n;
    numbered_start_to(&n, small, file);
    for (unsigned i = 0; i < 9000; i++)
        numbered_emit(&n, 0, 8);
    assert_int_equal(hectic_emitter_redirect(n.emitter, &file), HECTIC_EMIT_OK);
    numbered_emit(&n, 0, 8);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    struct bytes log = bytes_of_file(path);
    n.read[0] = 9000;
    numbered_read(&n, &log, LOG_WHOLE);
    numbered_all_read(&n);
    bytes_free(&log);
    numbered_free(&n);
    unlink(path);
}

/* --- All ------------------------------------------------------------------------------------- */

static int before_all(void **state)
{
    (void)state;
    count_signals();
    return mkdtemp(directory) ? 0 : -1;
}

static int after_all(void **state)
{
    (void)state;
    return rmdir(directory);
}

/* --- When there is nothing to do -------------------------------------------------------------- */

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void assert_idle(void)
{
    const double before_it = processor_time();
    usleep(300000);
    assert_true(processor_time() - before_it < 0.1);
}

/* Periodic work and retries end when the log ends or is redirected. */
static void idle_without_work(void **state)
{
    (void)state;
    struct bytes log = {0};
    hectic_emitter *e = hectic_emitter_new(&small);
    const hectic_destination keeper = {.kind = HECTIC_TO_WRITER,
                                       .writer = &emit_keeper,
                                       .user = &log},
                             ring = {.kind = HECTIC_TO_RING},
                             nobody = {.kind = HECTIC_TO_UNIX, .path = path_of("nobody")};
    assert_int_equal(hectic_emitter_start(e, &keeper), HECTIC_EMIT_OK);
    hectic_emitter_flush_every(e, 10);
    hectic_emitter_flush_idle(e, 10);
    hectic_emitter_sync_every(e, 10);
    hectic_emitter_stop(e);
    assert_idle();
    hectic_emitter_flush_every(e, 0);
    hectic_emitter_flush_idle(e, 0);
    hectic_emitter_sync_every(e, 0);
    assert_int_equal(hectic_emitter_start(e, &nobody), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_redirect(e, &ring), HECTIC_EMIT_OK);
    assert_idle();
    assert_int_equal(hectic_emitter_redirect(e, &nobody), HECTIC_EMIT_OK);
    hectic_emitter_stop(e);
    assert_idle();
    hectic_emitter_free(e);
    bytes_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(late_readers_get_everything),
        TEST(missed_events_of_a_late_reader_are_reported),
        TEST(stops_at_once_without_a_reader),
        TEST(the_last_reader_gets_everything),
        TEST(each_reader_has_a_log_of_its_own),
        TEST(disconnected_readers_are_noticed),
        TEST(readers_that_disconnect_at_once_do_no_harm),
        TEST(unread_blocks_go_to_the_next_destination),
        TEST(waiting_readers_delay_no_others),
        TEST(the_emitter_waits_for_a_slow_reader),
        TEST(a_slow_reader_misses_the_newest),
        TEST(a_slow_reader_misses_the_oldest),
        TEST(the_emitter_does_not_wait_for_a_stalled_reader),
        TEST(interruptions_do_no_harm),
        TEST(a_writer_may_fail_at_every_byte),
        TEST(a_file_may_end_at_every_byte),
        TEST(every_loss_under_load_is_reported),
        TEST(a_writer_is_stopped_once),
        TEST(a_thousand_redirections_lose_nothing),
        TEST(a_thousand_logs_leave_nothing_behind),
        TEST(a_file_can_be_reopened),
        TEST(the_emitter_waits_for_a_full_disk),
        TEST(idle_without_work),
    };
    return cmocka_run_group_tests(tests, before_all, after_all);
}
