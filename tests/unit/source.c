/* Sources with real peers: they read what was written, one log at a time, with peers that close,
 * return, or are missing. */
#define _GNU_SOURCE
#include "source/source.h"

#include "bytes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

/* Output of a source: a '#' at the beginning of each log, then its bytes. */
struct observed {
    uv_loop_t loop;
    source *source;
    char text[4096];
    size_t length;
    uint64_t bytes;
    char waiting[512];
    bool ended;
    int error;
    char close_at; /* 'b', 'd', 'w', 'e': the call that closes the source */
};

static char directory[] = "/tmp/source-XXXXXX";

static const char *in_directory(const char *scheme, const char *name)
{
    static char text[4][256];
    static int next;
    char *const path = text[next++ % 4];
    snprintf(path, sizeof text[0], "%s%s/%s", scheme, directory, name);
    return path;
}

static void close_if(struct observed *t, char call)
{
    if (t->close_at != call) return;
    source_close(t->source);
    t->source = NULL;
}

static void on_begin(void *user)
{
    struct observed *t = user;
    t->text[t->length++] = '#';
    close_if(t, 'b');
}

static void on_bytes(void *user, const uint8_t *bytes, size_t length)
{
    struct observed *t = user;
    t->bytes += length;
    if (t->length + length < sizeof t->text) memcpy(t->text + t->length, bytes, length);
    t->length += length;
    close_if(t, 'd');
}

static void on_waiting(void *user, const char *text)
{
    struct observed *t = user;
    snprintf(t->waiting, sizeof t->waiting, "%s", text ? text : "");
    close_if(t, 'w');
}

static void on_end(void *user, int error)
{
    struct observed *t = user;
    assert_false(t->ended);
    t->ended = true;
    t->error = error;
    close_if(t, 'e');
}

static const struct source_calls calls = {on_begin, on_bytes, on_waiting, on_end};

static void open_source(struct observed *t, const char *text, bool once)
{
    char message[512] = "";
    *t = (struct observed){0};
    assert_int_equal(uv_loop_init(&t->loop), 0);
    t->source = source_open(&t->loop, text, &(struct source_options){.once = once}, &calls, t,
                            message, sizeof message);
    if (!t->source) fail_msg("%s: %s", text, message);
}

static void on_tick(uv_timer_t *timer)
{
    (void)timer;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

enum { PATIENCE_MS = 60000 };

/* Runs the loop until the text arrives, or for so many ms. */
static void run_until(struct observed *t, bool (*is_there)(const struct observed *, const char *),
                      const char *wanted, uint64_t ms)
{
    uv_timer_t tick;
    uv_timer_init(&t->loop, &tick);
    uv_timer_start(&tick, on_tick, 5, 5);
    const uint64_t end = now_ms() + ms;
    while (now_ms() < end && !(is_there && is_there(t, wanted))) {
        uv_run(&t->loop, UV_RUN_ONCE);
        usleep(
            2000); /* a caller that runs the loop step by step is busy meanwhile: timers are due */
    }
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(&t->loop, UV_RUN_NOWAIT);
    if (is_there && !is_there(t, wanted))
        fail_msg("wanted %s: there is \"%s\", waiting: \"%s\", %s", wanted, t->text, t->waiting,
                 t->ended ? uv_strerror(t->error) : "not ended");
}

static bool has_text(const struct observed *t, const char *wanted)
{
    return strcmp(t->text, wanted) == 0;
}

static bool has_waiting(const struct observed *t, const char *wanted)
{
    return strstr(t->waiting, wanted) != NULL;
}

static bool has_ended(const struct observed *t, const char *wanted)
{
    (void)wanted;
    return t->ended;
}

static bool has_bytes(const struct observed *t, const char *wanted)
{
    return t->bytes == strtoull(wanted, NULL, 10);
}

static void expect_text(struct observed *t, const char *text)
{
    run_until(t, has_text, text, PATIENCE_MS);
    assert_string_equal(t->waiting, "");
}

static void expect_waiting(struct observed *t, const char *text)
{
    run_until(t, has_waiting, text, PATIENCE_MS);
}

static void expect_end(struct observed *t, int error)
{
    run_until(t, has_ended, "an end", PATIENCE_MS);
    assert_int_equal(t->error, error);
}

/* The loop has no handle of a source left. */
static void close_source(struct observed *t)
{
    source_close(t->source);
    uv_run(&t->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&t->loop), 0);
}

static void put(const char *path, int flags, const char *text)
{
    const int fd = open(path, O_WRONLY | O_NONBLOCK | flags, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* Writes as soon as the FIFO has a reader. */
static void put_when_read(struct observed *t, const char *path, const char *text)
{
    int fd;
    const uint64_t end = now_ms() + PATIENCE_MS;
    while ((fd = open(path, O_WRONLY | O_NONBLOCK)) < 0 && now_ms() < end)
        run_until(t, NULL, NULL, 10);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void send_text(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* --- Texts ----------------------------------------------------------------------------------- */

static void expect_refusal(const char *text, const char *why)
{
    char message[512] = "";
    uv_loop_t loop;
    uv_loop_init(&loop);
    assert_null(source_open(&loop, text, NULL, &calls, NULL, message, sizeof message));
    if (!strstr(message, why)) fail_msg("%s: %s", text, message);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void texts(void **state)
{
    (void)state;
    char longest[200] = "unix:/";
    memset(longest + 6, 'x', 150);
    expect_refusal(longest, "at most 107 bytes, this one has 151");
    expect_refusal("", "incomplete source");
    expect_refusal("unix:", "incomplete source");
    expect_refusal("listen:unix:in", "hectic relay --from listen:unix:in");
    expect_refusal("tcp:host", "tcp:HOST:PORT");
    expect_refusal("tcp::42", "tcp:HOST:PORT");
    expect_refusal("tcp:::1:42", "in brackets");
    expect_refusal("tcp:host:0", "1 to 65535");
    expect_refusal("tcp:host:65536", "1 to 65535");
    expect_refusal("tcp:host:42,token-file=/dev/null", "16 to 255 characters");
    expect_refusal("tcp:host:42,t", "only ,token-file=FILE may follow");
    expect_refusal("fd:x", "example: fd:3");
    expect_refusal("fd:-1", "example: fd:3");
    expect_refusal("fd:987", "not open");
    expect_refusal("/", "a directory");
    expect_refusal("fifo:/dev/null", "create one with mkfifo");
    struct observed t;
    open_source(&t, "tcp:[::1]:4242", false);
    assert_string_equal(source_name(t.source), "tcp:[::1]:4242");
    close_source(&t);
}

static void terminals(void **state)
{
    (void)state;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    char text[16];
    snprintf(text, sizeof text, "fd:%d", terminal);
    expect_refusal(text, "is a terminal");
    close(terminal);
}

/* --- Files ----------------------------------------------------------------------------------- */

static void files(void **state)
{
    (void)state;
    struct observed t;
    const char *path = in_directory("", "file");
    open_source(&t, path, false);
    expect_waiting(&t, "to appear");
    put(path, O_CREAT, "");
    expect_waiting(&t, "a program to write to");
    put(path, O_APPEND, "one");
    expect_text(&t, "#one");
    put(path, O_APPEND, "+");
    expect_text(&t, "#one+");
    put(path, O_TRUNC, "2");
    expect_text(&t, "#one+#2");
    put(path, O_TRUNC, "longer than it was before");
    expect_text(&t, "#one+#2#longer than it was before");
    /* The last bytes written to the old file are not lost. */
    put(path, O_APPEND, "!");
    put(in_directory("", "new"), O_CREAT, "new");
    assert_int_equal(rename(in_directory("", "new"), path), 0);
    expect_text(&t, "#one+#2#longer than it was before!#new");
    put(path, O_APPEND, "er");
    expect_text(&t, "#one+#2#longer than it was before!#newer");
    unlink(path);
    run_until(&t, NULL, NULL, 300);
    put(path, O_CREAT, "again");
    expect_text(&t, "#one+#2#longer than it was before!#newer#again");
    close_source(&t);

    open_source(&t, path, true);
    expect_end(&t, 0);
    assert_string_equal(t.text, "#again");
    close_source(&t);
    unlink(path);
}

static void a_file_can_be_a_fifo_when_it_appears(void **state)
{
    (void)state;
    struct observed t;
    const char *path = in_directory("", "later");
    open_source(&t, path, false);
    expect_waiting(&t, "to appear");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_waiting(&t, "+RTS");
    put(path, 0, "log");
    run_until(&t, has_text, "#log", PATIENCE_MS);
    close_source(&t);
    unlink(path);
}

/* --- FIFOs ----------------------------------------------------------------------------------- */

static void fifos(void **state)
{
    (void)state;
    struct observed t;
    const char *path = in_directory("", "fifo");
    open_source(&t, in_directory("fifo:", "fifo"), false);
    expect_waiting(&t, "mkfifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_waiting(&t, "+RTS -l -ol");
    const int writer = open(path, O_WRONLY), other = open(path, O_WRONLY);
    assert_int_equal(write(writer, "one", 3), 3);
    expect_text(&t, "#one");
    close(writer);
    assert_int_equal(write(other, "+", 1), 1);
    expect_text(&t, "#one+");
    close(other);
    expect_waiting(&t, "+RTS -l -ol");
    put(path, 0, "two");
    run_until(&t, has_text, "#one+#two", PATIENCE_MS);
    expect_waiting(&t, "+RTS -l -ol");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    put_when_read(&t, path, "three");
    run_until(&t, has_text, "#one+#two#three", PATIENCE_MS);
    close_source(&t);

    /* A PATH without the prefix means the same. */
    open_source(&t, path, true);
    expect_waiting(&t, "+RTS -l -ol");
    put(path, 0, "four");
    expect_end(&t, 0);
    assert_string_equal(t.text, "#four");
    close_source(&t);
    unlink(path);
}

/* --- Sockets --------------------------------------------------------------------------------- */

static int listen_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    unlink(path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 5), 0);
    return fd;
}

static int listen_tcp(uint16_t *port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 5), 0);
    socklen_t size = sizeof address;
    getsockname(fd, (struct sockaddr *)&address, &size);
    *port = ntohs(address.sin_port);
    return fd;
}

/* A peer that sends data, closes, and returns. */
static void expect_conversation(struct observed *t, int listener, const char *before)
{
    char text[64], answer[8] = "";
    expect_waiting(t, "no data yet");
    int peer = accept(listener, NULL, NULL);
    send_text(peer, "one");
    snprintf(text, sizeof text, "%s#one", before);
    expect_text(t, text);
    assert_true(source_send(t->source, "hello", 5));
    assert_int_equal(recv(peer, answer, sizeof answer, 0), 5);
    assert_string_equal(answer, "hello");
    /* A peer that does not read gets complete messages only, and is not disconnected. */
    uint8_t order[3001] = {0};
    size_t sent = 0, got = 0;
    while (sent < 1000 && source_send(t->source, order, sizeof order))
        sent++;
    assert_in_range(sent, 1, 999);
    for (ssize_t some; got < sent * sizeof order; got += (size_t)some)
        if ((some = recv(peer, order, sizeof order, 0)) <= 0) fail_msg("received %zu", got);
    assert_int_equal(recv(peer, order, 1, MSG_DONTWAIT), -1);
    assert_true(source_send(t->source, "again", 5));
    close(peer);
    expect_waiting(t, "connection closed by peer");
    assert_false(source_send(t->source, "hello", 5));
    expect_waiting(t, "no data yet");
    peer = accept(listener, NULL, NULL);
    send_text(peer, "two");
    snprintf(text, sizeof text, "%s#one#two", before);
    expect_text(t, text);
    close(peer);
    close(listener);
    expect_waiting(t, "connection refused");
}

static void unix_sockets(void **state)
{
    (void)state;
    struct observed t;
    const char *path = in_directory("", "socket");
    open_source(&t, in_directory("unix:", "socket"), false);
    expect_waiting(&t, "no such socket yet");
    expect_conversation(&t, listen_unix(path), "");
    close_source(&t);

    const int listener = listen_unix(path);
    const uint64_t begun = now_ms();
    open_source(&t, path, true);
    expect_waiting(&t, "no data yet");
    assert_true(now_ms() - begun > 900); /* a peer that connects usually sends something soon */
    const int peer = accept(listener, NULL, NULL);
    send_text(peer, "log");
    close(peer);
    expect_end(&t, 0);
    assert_string_equal(t.text, "#log");
    close_source(&t);
    close(listener);
    unlink(path);
}

static void tcp_sockets(void **state)
{
    (void)state;
    struct observed t;
    uint16_t port = 0;
    char text[64];
    close(listen_tcp(&port));
    /* Its first address may be ::1, without a listener. */
    snprintf(text, sizeof text, "tcp:localhost:%u", (unsigned)port);
    open_source(&t, text, false);
    expect_waiting(&t, "connection refused");
    expect_conversation(&t, listen_tcp(&port), "");
    close_source(&t);
    open_source(&t, "tcp:no-such-host.invalid:42", false);
    expect_waiting(&t, "waiting for tcp:no-such-host.invalid:42: ");
    close_source(&t);
}

/* Listens, prints its port, and waits to be killed. */
static pid_t start_peer(const char *path, char number)
{
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const int peer = accept(listen_unix(path), NULL, NULL);
    (void)!write(peer, &number, 1);
    for (;;)
        pause();
}

static void a_peer_that_is_killed(void **state)
{
    (void)state;
    struct observed t;
    const char *path = in_directory("", "killed");
    open_source(&t, in_directory("unix:", "killed"), false);
    char text[64] = "";
    for (char number = '1'; number <= '4'; number++) {
        const pid_t pid = start_peer(path, number);
        snprintf(text + strlen(text), 3, "#%c", number);
        run_until(&t, has_text, text, PATIENCE_MS);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        run_until(&t, has_waiting, "waiting for", PATIENCE_MS);
    }
    close_source(&t);
    unlink(path);
}

/* --- Descriptors ----------------------------------------------------------------------------- */

static void open_fd(struct observed *t, int fd)
{
    char text[16];
    snprintf(text, sizeof text, "fd:%d", fd);
    open_source(t, text, false);
}

static void descriptors(void **state)
{
    (void)state;
    struct observed t;
    int end[2];
    assert_int_equal(pipe(end), 0);
    open_fd(&t, end[0]);
    expect_waiting(&t, "waiting for a log on fd:");
    assert_int_equal(write(end[1], "pipe", 4), 4);
    expect_text(&t, "#pipe");
    assert_true(fcntl(end[0], F_GETFL) & O_NONBLOCK);
    close(end[1]);
    expect_end(&t, 0);
    assert_false(fcntl(end[0], F_GETFL) & O_NONBLOCK);
    close_source(&t);
    close(end[0]);

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
    open_fd(&t, end[0]);
    send_text(end[1], "socket");
    expect_text(&t, "#socket");
    close_source(&t);
    assert_false(fcntl(end[0], F_GETFL) & O_NONBLOCK);
    close(end[0]);
    close(end[1]);

    put(in_directory("", "inherited"), O_CREAT, "skipped file");
    const int fd = open(in_directory("", "inherited"), O_RDONLY);
    lseek(fd, 8, SEEK_SET);
    open_fd(&t, fd);
    expect_end(&t, 0);
    assert_string_equal(t.text, "#file");
    close_source(&t);
    close(fd);
    unlink(in_directory("", "inherited"));
}

/* --- Flow and closing ------------------------------------------------------------------------ */

static void nothing_is_delivered_while_paused(void **state)
{
    (void)state;
    enum { MUCH = 5 << 20 };
    static uint8_t much[MUCH];
    struct observed t;
    const char *path = in_directory("", "much");
    const int fd = open(path, O_CREAT | O_RDWR, 0600);
    assert_int_equal(write(fd, much, MUCH), MUCH);
    open_source(&t, path, false);
    source_pause(t.source, true);
    run_until(&t, NULL, NULL, 300);
    assert_int_equal(t.bytes, 0);
    source_pause(t.source, false);
    char wanted[16];
    snprintf(wanted, sizeof wanted, "%d", MUCH);
    run_until(&t, has_bytes, wanted, PATIENCE_MS);
    close_source(&t);
    close(fd);
    unlink(path);

    int end[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
    open_fd(&t, end[0]);
    source_pause(t.source, true); /* before it is opened */
    send_text(end[1], "one");
    run_until(&t, NULL, NULL, 50);
    assert_string_equal(t.text, "");
    source_pause(t.source, false);
    expect_text(&t, "#one");
    source_pause(t.source, true);
    send_text(end[1], "two");
    run_until(&t, NULL, NULL, 50);
    assert_string_equal(t.text, "#one");
    source_pause(t.source, false);
    expect_text(&t, "#onetwo");
    close_source(&t);
    close(end[0]);
    close(end[1]);
}

static void a_source_can_be_closed_in_any_callback(void **state)
{
    (void)state;
    const char *path = in_directory("", "closed");
    put(path, O_CREAT, "file");
    for (const char *call = "bdwe"; *call; call++) {
        struct observed t;
        int end[2];
        open_source(&t, *call == 'w' ? in_directory("unix:", "none") : path, *call == 'e');
        t.close_at = *call;
        uv_run(&t.loop, UV_RUN_DEFAULT); /* it ends because no handles are left */
        assert_null(t.source);
        assert_int_equal(t.bytes, *call == 'd' || *call == 'e' ? 4 : 0);
        assert_int_equal(uv_loop_close(&t.loop), 0);

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
        send_text(end[1], "text");
        if (*call == 'e') close(end[1]);
        open_fd(&t, end[0]);
        t.close_at = *call;
        uv_run(&t.loop, UV_RUN_DEFAULT);
        assert_null(t.source);
        assert_int_equal(uv_loop_close(&t.loop), 0);
        close(end[0]);
        if (*call != 'e') close(end[1]);
    }
    struct observed t;
    open_source(&t, "tcp:localhost:1", false);
    uv_run(&t.loop, UV_RUN_NOWAIT); /* while the name is being resolved */
    close_source(&t);
    unlink(path);
}

/* Without an iteration of the loop in between. */
static void pending_bytes_are_delivered_at_the_end(void **state)
{
    (void)state;
    struct observed t;
    int end[2];
    const char *path = in_directory("", "finished");
    put(path, O_CREAT, "file");
    open_source(&t, path, false);
    expect_text(&t, "#file");
    put(path, O_APPEND, " and more");
    source_finish(t.source);
    assert_string_equal(t.text, "#file and more");
    assert_true(t.ended);
    assert_int_equal(t.error, 0);
    close_source(&t);

    open_source(&t, path, false); /* the file was replaced after it was examined */
    expect_text(&t, "#file and more");
    put(path, O_TRUNC, "another");
    source_finish(t.source);
    assert_string_equal(t.text, "#file and more#another");
    close_source(&t);
    unlink(path);

    for (int is_socket = 0; is_socket < 2; is_socket++) {
        assert_int_equal(is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, end) : pipe(end), 0);
        assert_int_equal(write(end[1], "one", 3), 3);
        open_fd(&t, end[0]);
        expect_text(&t, "#one");
        assert_int_equal(write(end[1], "two", 3), 3);
        source_pause(t.source, true); /* then it arrives on demand */
        source_finish(t.source);
        assert_string_equal(t.text, "#one");
        assert_false(t.ended);
        assert_int_equal(write(end[1], "later", 5), 5);
        source_pause(t.source, false);
        assert_string_equal(t.text, "#onetwo");
        assert_true(t.ended);
        close_source(&t);
        close(end[0]);
        close(end[1]);
    }
    open_source(&t, in_directory("unix:", "none"), false);
    source_finish(t.source);
    assert_true(t.ended);
    assert_string_equal(t.text, "");
    close_source(&t);
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(terminals),
        cmocka_unit_test(files),
        cmocka_unit_test(a_file_can_be_a_fifo_when_it_appears),
        cmocka_unit_test(fifos),
        cmocka_unit_test(unix_sockets),
        cmocka_unit_test(tcp_sockets),
        cmocka_unit_test(a_peer_that_is_killed),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(nothing_is_delivered_while_paused),
        cmocka_unit_test(a_source_can_be_closed_in_any_callback),
        cmocka_unit_test(pending_bytes_are_delivered_at_the_end),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
