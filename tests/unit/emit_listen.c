/* An emitter that listens: readers attach and detach, each gets a complete log, and their
 * commands are executed. */
#define _GNU_SOURCE
#include "bytes.h"
#include "sanitizers.h"

#include <hectic/control.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

static char directory[] = "/tmp/hectic-listen-XXXXXX";
enum { PATIENCE_S = 60, PATH_MOST = 64 };

/* --- Readers: each a thread that keeps what it gets ------------------------------------------- */

struct reader {
    int fd;
    pthread_t thread;
    struct bytes log; /* protected by the lock */
    pthread_mutex_t lock;
    pthread_cond_t more;
    bool ended;
};

static int connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) return fd;
    close(fd);
    return -1;
}

static void *read_all(void *user)
{
    struct reader *r = user;
    uint8_t piece[1 << 16];
    for (ssize_t got; (got = read(r->fd, piece, sizeof piece)) > 0;) {
        pthread_mutex_lock(&r->lock);
        bytes_write(&r->log, piece, (size_t)got);
        pthread_cond_broadcast(&r->more);
        pthread_mutex_unlock(&r->lock);
    }
    pthread_mutex_lock(&r->lock);
    r->ended = true;
    pthread_cond_broadcast(&r->more);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void reader_begin(struct reader *r, int fd)
{
    *r = (struct reader){.fd = fd};
    assert_true(fd >= 0);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->more, NULL);
    assert_int_equal(pthread_create(&r->thread, NULL, read_all, r), 0);
}

static size_t find_text(const struct bytes *log, const char *text)
{
    size_t count = 0;
    const size_t length = strlen(text);
    for (const uint8_t *at = log->data; at && at + length <= log->data + log->length; at++) {
        at = memmem(at, log->length - (size_t)(at - log->data), text, length);
        if (!at) break;
        count++;
    }
    return count;
}

/* Waits for that many events with that text. */
static void reader_wait(struct reader *r, const char *text, size_t count)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&r->lock);
    while (find_text(&r->log, text) < count)
        if (r->ended || pthread_cond_timedwait(&r->more, &r->lock, &until) == ETIMEDOUT) {
            pthread_mutex_unlock(&r->lock);
            fail_msg("\"%s\" has not arrived %zu times", text, count);
        }
    pthread_mutex_unlock(&r->lock);
}

/* Its log, after its end. */
static struct found reader_end(struct reader *r)
{
    pthread_join(r->thread, NULL);
    close(r->fd);
    struct found found = found_in(r->log.data, r->log.length);
    assert_int_equal(found.errors, 0);
    if (found.headers != 1 || found.ends != 1 || found.tail > 0)
        fail_msg("%zu bytes: %zu headers, %zu ends, %zu bytes after the end", r->log.length,
                 found.headers, found.ends, found.tail);
    return found;
}

static void reader_free(struct reader *r, struct found *found)
{
    found_free(found);
    bytes_free(&r->log);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->more);
}

static void send_command(int fd, const char *name, uint8_t id)
{
    uint8_t message[HECTIC_CONTROL_MESSAGE_MAX];
    const size_t size = hectic_control_encode(message, sizeof message, name, id);
    assert_int_equal(send(fd, message, size, MSG_NOSIGNAL), size);
}

/* --- What a log holds ------------------------------------------------------------------------- */

static size_t count_of(const struct found *found, uint16_t type)
{
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++)
        count += found->event[i].type == type;
    return count;
}

/* Checks that the numbers of USER_BINARY_MSG are consecutive, including events reported as
 * dropped: sets the first one and their number. */
static void numbers_of(const struct found *found, uint64_t *first, uint64_t *count)
{
    *first = *count = 0;
    uint64_t dropped = 0;
    for (size_t i = 0; i < found->count; i++) {
        const hectic_event *event = &found->event[i];
        char text[64] = "";
        unsigned long long missing;
        if (event->type == HECTIC_EVENT_LOG_MSG && event->size < sizeof text) {
            memcpy(text, event->payload, event->size);
            if (sscanf(text, "hectic: %llu events were dropped here", &missing) == 1)
                dropped += missing;
        }
        if (event->type != HECTIC_EVENT_USER_BINARY_MSG) continue;
        uint64_t number;
        memcpy(&number, event->payload, sizeof number);
        if (*count == 0) *first = number - dropped;
        *count += dropped;
        dropped = 0;
        if (number != *first + *count)
            fail_msg("%llu in place of %llu", (unsigned long long)number,
                     (unsigned long long)(*first + *count));
        ++*count;
    }
    *count += dropped;
}

static void emit_number(hectic_emit_cap *cap, uint64_t number)
{
    assert_true(hectic_emit_user_binary_msg(cap, &number, sizeof number));
}

/* --- An emitter ------------------------------------------------------------------------------- */

struct fixture {
    hectic_emitter *emitter;
    hectic_emit_cap *cap;
    char path[PATH_MOST];
};

static hectic_emit_status listen_at(hectic_emitter *e, const char *path)
{
    return hectic_emitter_redirect(e,
                                   &(hectic_destination){.kind = HECTIC_TO_LISTEN, .path = path});
}

static void begin(struct fixture *f, const char *name)
{
    f->emitter = hectic_emitter_new(NULL);
    assert_non_null(f->emitter);
    f->cap = hectic_emitter_cap(f->emitter, 0);
    snprintf(f->path, sizeof f->path, "%s/%s", directory, name);
    assert_int_equal(listen_at(f->emitter, f->path), HECTIC_EMIT_OK);
    hectic_emitter_flush_every(f->emitter, 5);
}

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static void wait_for_readers(hectic_emitter *e, uint32_t count)
{
    for (int ms = 0; hectic_emitter_get_state(e).readers != count; ms++) {
        assert_true(ms < PATIENCE_S * 1000);
        usleep(1000);
    }
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void every_reader_has_a_whole_log(void **state)
{
    (void)state;
    enum { BEFORE = 1000, BETWEEN = 5000 };
    struct fixture f;
    struct reader first, second, late;
    begin(&f, "readers");
    struct stat status;
    assert_int_equal(stat(f.path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true(hectic_emit_create_thread(f.cap, 77));
    assert_true(hectic_emit_thread_label(f.cap, 77, "witness"));
    uint64_t number = 0;
    while (number < BEFORE)
        emit_number(f.cap, number++);
    reader_begin(&first, connect_unix(f.path));
    reader_begin(&second, connect_unix(f.path));
    wait_for_readers(f.emitter, 2);
    while (number < BETWEEN)
        emit_number(f.cap, number++);
    assert_int_equal(hectic_emitter_flush(f.emitter, 0), HECTIC_EMIT_OK);
    assert_true(hectic_emit_user_marker(f.cap, "to the late one"));
    reader_wait(&first, "to the late one", 1);
    reader_wait(&second, "to the late one", 1);
    reader_begin(&late, connect_unix(f.path));
    wait_for_readers(f.emitter, 3);
    const uint64_t came = number;
    while (number < 2 * BETWEEN)
        emit_number(f.cap, number++);
    assert_int_equal(hectic_emitter_stop(f.emitter), HECTIC_EMIT_OK);
    assert_false(exists(f.path));
    assert_int_equal(hectic_emitter_get_state(f.emitter).readers, 0);

    uint64_t earliest = UINT64_MAX;
    struct reader *readers[] = {&first, &second, &late};
    for (size_t i = 0; i < 3; i++) {
        struct found found = reader_end(readers[i]);
        uint64_t from, count;
        numbers_of(&found, &from, &count);
        assert_int_equal(from + count, number);
        earliest = from < earliest ? from : earliest;
        assert_true(from <= came);
        assert_int_equal(count_of(&found, HECTIC_EVENT_CREATE_THREAD), 1);
        assert_int_equal(find_text(&readers[i]->log, "witness"), 1);
        assert_true(count_of(&found, HECTIC_EVENT_CAP_CREATE) > 0);
        reader_free(readers[i], &found);
    }
    assert_int_equal(earliest, 0); /* events before the first reader are kept for it */
    hectic_emitter_free(f.emitter);
}

static void a_killed_reader_disturbs_no_others(void **state)
{
    (void)state;
    struct fixture f;
    struct reader stays;
    begin(&f, "dies");
    reader_begin(&stays, connect_unix(f.path));
    wait_for_readers(f.emitter, 1);
    for (uint64_t number = 0; number < 300; number++) {
        const int dies = connect_unix(f.path);
        emit_number(f.cap, number);
        if (number % 3) hectic_emitter_flush(f.emitter, 0);
        const struct linger hard = {.l_onoff = 1};
        setsockopt(dies, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        close(dies);
    }
    assert_int_equal(hectic_emitter_stop(f.emitter), HECTIC_EMIT_OK);
    struct found found = reader_end(&stays);
    uint64_t from, count;
    numbers_of(&found, &from, &count);
    assert_int_equal(from, 0);
    assert_int_equal(count, 300);
    reader_free(&stays, &found);
    hectic_emitter_free(f.emitter);
}

/* A stalled reader misses the oldest events and gets their number; the program continues. */
static void a_slow_reader_learns_what_it_missed(void **state)
{
    (void)state;
    enum { EVENTS = 600000, UNIT = 10000, KEEP = 1 << 20 };
    struct fixture f;
    struct reader slow;
    f.emitter = hectic_emitter_new(NULL);
    f.cap = hectic_emitter_cap(f.emitter, 0);
    snprintf(f.path, sizeof f.path, "%s/slow", directory);
    const hectic_destination to = {.kind = HECTIC_TO_LISTEN, .path = f.path, .ring_size = KEEP};
    assert_int_equal(hectic_emitter_start(f.emitter, &to), HECTIC_EMIT_OK);
    const int fd = connect_unix(f.path);
    wait_for_readers(f.emitter, 1);
    /* Each flush ends a unit: the first one is kept for the reader, which may be in it. */
    for (uint64_t number = 0; number < EVENTS; number++) {
        emit_number(f.cap, number);
        if (number % UNIT == UNIT - 1)
            assert_int_equal(hectic_emitter_flush(f.emitter, 0), HECTIC_EMIT_OK);
    }
    assert_int_equal(hectic_emitter_get_state(f.emitter).events_dropped, 0);
    reader_begin(&slow, fd);
    assert_true(hectic_emit_user_marker(f.cap, "awake again"));
    hectic_emitter_flush(f.emitter, 0);
    reader_wait(&slow, "awake again", 1);
    assert_int_equal(hectic_emitter_stop(f.emitter), HECTIC_EMIT_OK);
    struct found found = reader_end(&slow);
    uint64_t from, count;
    numbers_of(&found, &from, &count);
    assert_true(count_of(&found, HECTIC_EVENT_USER_BINARY_MSG) < EVENTS);
    assert_true(from == 0 && count >= EVENTS &&
                count <= EVENTS + 2); /* the marker may be counted */
    reader_free(&slow, &found);
    hectic_emitter_free(f.emitter);
}

static bool keep(void *user, const void *bytes, size_t length)
{
    return bytes_write(user, bytes, length);
}

static void logs_are_redirected_to_and_from_a_listener(void **state)
{
    (void)state;
    static const hectic_emit_writer keeper = {.write = keep};
    struct fixture f;
    struct bytes before = {0}, after = {0};
    struct reader there, elsewhere;
    const hectic_destination from = {.kind = HECTIC_TO_WRITER, .writer = &keeper, .user = &before};
    const hectic_destination to = {.kind = HECTIC_TO_WRITER, .writer = &keeper, .user = &after};
    char other[PATH_MOST];
    snprintf(other, sizeof other, "%s/other", directory);
    f.emitter = hectic_emitter_new(NULL);
    f.cap = hectic_emitter_cap(f.emitter, 0);
    snprintf(f.path, sizeof f.path, "%s/redirected", directory);
    assert_int_equal(hectic_emitter_start(f.emitter, &from), HECTIC_EMIT_OK);
    emit_number(f.cap, 0);
    assert_int_equal(listen_at(f.emitter, f.path), HECTIC_EMIT_OK);
    emit_number(f.cap, 1);
    reader_begin(&there, connect_unix(f.path));
    wait_for_readers(f.emitter, 1);
    emit_number(f.cap, 2);
    assert_int_equal(listen_at(f.emitter, f.path),
                     HECTIC_EMIT_SYSTEM); /* the emitter itself listens there */
    assert_int_equal(hectic_emitter_get_state(f.emitter).error, EADDRINUSE);
    emit_number(f.cap, 3);
    assert_int_equal(listen_at(f.emitter, other), HECTIC_EMIT_OK);
    assert_false(exists(f.path));
    reader_begin(&elsewhere, connect_unix(other));
    wait_for_readers(f.emitter, 1);
    emit_number(f.cap, 4);
    assert_int_equal(hectic_emitter_redirect(f.emitter, &to), HECTIC_EMIT_OK);
    assert_false(exists(other));
    emit_number(f.cap, 5);
    assert_int_equal(hectic_emitter_stop(f.emitter), HECTIC_EMIT_OK);

    uint64_t first, count;
    struct found found = found_in(before.data, before.length);
    numbers_of(&found, &first, &count);
    assert_true(first == 0 && count == 1);
    found_free(&found);
    found = reader_end(&there);
    numbers_of(&found, &first, &count);
    assert_true(first == 1 && count == 3);
    reader_free(&there, &found);
    found = reader_end(&elsewhere);
    numbers_of(&found, &first, &count);
    assert_true(first == 4 && count == 1);
    reader_free(&elsewhere, &found);
    found = found_in(after.data, after.length);
    numbers_of(&found, &first, &count);
    assert_true(first == 5 && count == 1);
    found_free(&found);
    bytes_free(&before);
    bytes_free(&after);
    hectic_emitter_free(f.emitter);
}

static void *emit_many(void *user)
{
    enum { MANY = 200000 };
    struct fixture *f = user;
    for (uint64_t i = 0; i < MANY; i++)
        emit_number(f->cap, i);
    return NULL;
}

/* The old log waits for its reader, the new one does not wait for that. */
static void redirects_do_not_wait_for_slow_readers(void **state)
{
    (void)state;
    static const hectic_emit_writer keeper = {.write = keep};
    struct fixture f;
    struct bytes after = {0};
    const hectic_destination to = {.kind = HECTIC_TO_WRITER, .writer = &keeper, .user = &after};
    begin(&f, "lingering");
    assert_int_equal(hectic_emitter_set_buffer_size(f.emitter, 1), HECTIC_EMIT_OK);
    const int silent = connect_unix(f.path);
    wait_for_readers(f.emitter, 1);
    emit_many(&f);
    pthread_t emits;
    assert_int_equal(pthread_create(&emits, NULL, emit_many, &f), 0);
    assert_int_equal(hectic_emitter_redirect(f.emitter, &to), HECTIC_EMIT_OK);
    pthread_join(emits, NULL);
    assert_int_equal(hectic_emitter_get_state(f.emitter).events_dropped, 0);
    hectic_emitter_free(f.emitter);
    bytes_free(&after);
    close(silent);
}

/* --- Commands --------------------------------------------------------------------------------- */

struct counts {
    pthread_mutex_t emitting;
    unsigned pauses, reports, resumes;
};

static void count_pause(void *user)
{
    struct counts *counts = user;
    pthread_mutex_lock(&counts->emitting);
    counts->pauses++;
}

static void count_report(void *user, hectic_emit_report *report)
{
    hectic_emit_create_thread(hectic_emit_report_cap(report, 0), 99);
    ((struct counts *)user)->reports++;
}

static void count_resume(void *user)
{
    struct counts *counts = user;
    counts->resumes++;
    pthread_mutex_unlock(&counts->emitting);
}

static void commands_are_executed(void **state)
{
    (void)state;
    static const hectic_emit_reporter reporter = {count_pause, count_report, count_resume};
    static const struct {
        const char *name;
        uint8_t id;
        const char *answer;
    } asked[] = {
        {HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_CLASS_OFF + 1, "hectic: hectic 33: done"},
        {HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_CLASS_OFF + 0, "hectic: hectic 32: done"},
        {HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_CLASS_ON + 0, "hectic: hectic 16: done"},
        {HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_CLASS_OFF + 6,
         "hectic: hectic 38: events of the process"},
        {HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_STOP_LOGGING, "hectic: hectic 3: done"},
        {HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_START_LOGGING, "hectic: hectic 2: done"},
        {HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_REPLAY, "hectic: hectic 4: done"},
        {HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_FLUSH, "hectic: hectic 1: done"},
        {HECTIC_CONTROL_HECTIC, 200, "hectic: hectic 200: this program has no such command"},
        {HECTIC_CONTROL_CORE, HECTIC_CONTROL_HEAP_CENSUS,
         "hectic: eventlog-socket 5: this program has no profiler of GHC's runtime"},
        {HECTIC_CONTROL_CORE, 77, "hectic: eventlog-socket 77: this program has no such command"},
        {"my-app", 1, "hectic: my-app 1: this program has no such command"},
    };
    struct fixture f;
    struct reader asks, other;
    struct counts counts = {.emitting = PTHREAD_MUTEX_INITIALIZER};
    begin(&f, "commands");
    hectic_emitter_set_reporter(f.emitter, &reporter, &counts);
    reader_begin(&asks, connect_unix(f.path));
    reader_begin(&other, connect_unix(f.path));
    wait_for_readers(f.emitter, 2);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        send_command(asks.fd, asked[i].name, asked[i].id);
        reader_wait(&asks, asked[i].answer, 1);
        const bool gc = hectic_emit_gc_start(f.cap), message = hectic_emit_user_msg(f.cap, "m");
        assert_false(gc);
        assert_int_equal(message, i != 4);
        assert_int_equal(hectic_emitter_get_state(f.emitter).logging, i != 4);
    }
    assert_int_equal(counts.pauses, 5);
    assert_int_equal(counts.reports, 2);
    assert_int_equal(counts.resumes, counts.pauses);
    reader_wait(&other, "hectic: logging of scheduler, task is on from here", 1);
    hectic_emitter_stop(f.emitter);
    struct found found = reader_end(&asks);
    assert_int_equal(count_of(&found, HECTIC_EVENT_CREATE_THREAD), 1);
    reader_free(&asks, &found);
    found = reader_end(&other);
    assert_int_equal(find_text(&other.log, ": done"),
                     0); /* only the sender of a command gets the answer */
    reader_free(&other, &found);
    hectic_emitter_free(f.emitter);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void listen_errors_are_reported(void **state)
{
    (void)state;
    struct fixture f;
    char path[PATH_MOST], longer[200];
    begin(&f, "errors");
    snprintf(path, sizeof path, "%s/file", directory);
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    const struct {
        hectic_destination to;
        hectic_emit_status status;
        int error;
    } wrong[] = {
        {{.path = f.path}, HECTIC_EMIT_SYSTEM, EADDRINUSE},
        {{.path = path}, HECTIC_EMIT_SYSTEM, EEXIST},
        {{.path = "/nowhere/at/all"}, HECTIC_EMIT_SYSTEM, ENOENT},
        {{.path = longer}, HECTIC_EMIT_INVALID, ENAMETOOLONG},
        {{.path = ""}, HECTIC_EMIT_INVALID, EINVAL},
        {{0}, HECTIC_EMIT_INVALID, EINVAL},
        {{.host = "127.0.0.1", .port = "x"}, HECTIC_EMIT_INVALID, EINVAL},
        {{.host = "127.0.0.1", .port = "0", .token_file = path}, HECTIC_EMIT_INVALID, EINVAL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hectic_destination to = wrong[i].to;
        to.kind = HECTIC_TO_LISTEN;
        assert_int_equal(hectic_emitter_redirect(f.emitter, &to), wrong[i].status);
        assert_int_equal(hectic_emitter_get_state(f.emitter).error, wrong[i].error);
        assert_int_equal(hectic_emitter_start(f.emitter, &to), wrong[i].status);
        assert_int_equal(hectic_emitter_dump(f.emitter, &to), HECTIC_EMIT_INVALID);
    }
    assert_true(exists(path));
    assert_true(exists(f.path));
    hectic_emitter_free(f.emitter);
    assert_false(exists(f.path));
    unlink(path);
}

static void a_port_is_chosen(void **state)
{
    (void)state;
    struct fixture f;
    struct reader r;
    begin(&f, "port");
    const hectic_destination to = {.kind = HECTIC_TO_LISTEN, .host = "127.0.0.1", .port = "0"};
    assert_int_equal(hectic_emitter_get_state(f.emitter).port, 0);
    assert_int_equal(hectic_emitter_redirect(f.emitter, &to), HECTIC_EMIT_OK);
    const uint16_t port = hectic_emitter_get_state(f.emitter).port;
    assert_true(port > 0);
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    reader_begin(&r, fd);
    wait_for_readers(f.emitter, 1);
    emit_number(f.cap, 0);
    hectic_emitter_free(f.emitter);
    struct found found = reader_end(&r);
    assert_int_equal(count_of(&found, HECTIC_EVENT_USER_BINARY_MSG), 1);
    reader_free(&r, &found);
}

/* --- Fork, and the end ------------------------------------------------------------------------ */

/* The child's exit code: 0 if all checks pass. */
static int child(struct fixture *f, const char *own)
{
    if (hectic_emitter_get_state(f->emitter).destination != HECTIC_DESTINATION_NONE) return 1;
    for (int fd = 3; fd < 64; fd++) {
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        if (getsockname(fd, (struct sockaddr *)&address, &size) == 0) return 2; /* the parent's */
    }
    if (hectic_emit_user_msg(f->cap, "of nobody")) return 3;
    if (!child_may_log) return exists(f->path) ? 0 : 8;
    if (listen_at(f->emitter, own) != HECTIC_EMIT_OK) return 4;
    if (!hectic_emit_user_msg(f->cap, "of the child")) return 5;
    const int fd = connect_unix(own);
    if (fd < 0) return 6;
    hectic_emitter_stop(f->emitter);
    close(fd);
    return exists(own) ? 7 : exists(f->path) ? 0 : 8;
}

static void a_child_does_not_disturb_its_parents_readers(void **state)
{
    (void)state;
    enum { FORKS = 20 };
    struct fixture f;
    char own[PATH_MOST];
    snprintf(own, sizeof own, "%s/own", directory);
    begin(&f, "fork");
    const int open_fds = dup(0);
    close(open_fds);
    for (uint64_t i = 0; i < FORKS; i++) {
        emit_number(f.cap, i);
        const int reader = connect_unix(f.path); /* still pending */
        const int asks = connect_unix(f.path);
        send_command(asks, HECTIC_CONTROL_HECTIC, HECTIC_CONTROL_FLUSH);
        const pid_t pid = fork();
        if (pid == 0) {
            close(reader);
            close(asks);
            const int code = child(&f, own);
            hectic_emitter_free(f.emitter);
            _exit(code);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        close(reader);
        close(asks);
    }
    wait_for_readers(f.emitter, 0); /* the last ones of the loop are disconnected */
    struct reader r;
    reader_begin(&r, connect_unix(f.path));
    wait_for_readers(f.emitter, 1);
    emit_number(f.cap, FORKS);
    hectic_emitter_free(f.emitter);
    struct found found = reader_end(&r);
    uint64_t first, count;
    numbers_of(&found, &first, &count);
    assert_int_equal(first + count, FORKS + 1);
    reader_free(&r, &found);
}

struct crowd {
    const char *path;
    pthread_t thread;
    bool ends;
};

static void *come_and_go(void *user)
{
    struct crowd *c = user;
    for (unsigned i = 0; !__atomic_load_n(&c->ends, __ATOMIC_ACQUIRE); i++) {
        const int fd = connect_unix(c->path);
        if (fd < 0) continue;
        uint8_t some[512], message[HECTIC_CONTROL_MESSAGE_MAX];
        const size_t size =
            hectic_control_encode(message, sizeof message, HECTIC_CONTROL_HECTIC,
                                  (uint8_t)(1 + i % 3)); /* flush, logging on, logging off */
        if (i % 2) send(fd, message, size, MSG_NOSIGNAL);
        if (i % 3) (void)!recv(fd, some, sizeof some, 0);
        close(fd);
    }
    return NULL;
}

/* Also while commands are executed. */
static void an_emitter_can_be_freed_while_readers_connect(void **state)
{
    (void)state;
    enum { TIMES = 40, CROWD = 3 };
    struct crowd crowd[CROWD];
    struct fixture f = {0};
    struct counts counts = {.emitting = PTHREAD_MUTEX_INITIALIZER};
    static const hectic_emit_reporter reporter = {count_pause, count_report, count_resume};
    char path[PATH_MOST];
    snprintf(path, sizeof path, "%s/crowd", directory);
    for (unsigned i = 0; i < CROWD; i++) {
        crowd[i] = (struct crowd){.path = path};
        assert_int_equal(pthread_create(&crowd[i].thread, NULL, come_and_go, &crowd[i]), 0);
    }
    for (unsigned i = 0; i < TIMES; i++) {
        begin(&f, "crowd");
        hectic_emitter_set_reporter(f.emitter, &reporter, &counts);
        for (unsigned j = 0; j < 20 * (i % 4); j++) {
            pthread_mutex_lock(&counts.emitting);
            hectic_emit_user_msg(f.cap, "hello");
            pthread_mutex_unlock(&counts.emitting);
            usleep(100);
        }
        if (i % 3 == 0)
            hectic_emitter_redirect(f.emitter, &(hectic_destination){.kind = HECTIC_TO_RING});
        hectic_emitter_free(f.emitter);
        assert_false(exists(path));
    }
    for (unsigned i = 0; i < CROWD; i++) {
        __atomic_store_n(&crowd[i].ends, true, __ATOMIC_RELEASE);
        pthread_join(crowd[i].thread, NULL);
    }
    assert_int_equal(counts.pauses, counts.resumes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reader_has_a_whole_log),
        cmocka_unit_test(a_killed_reader_disturbs_no_others),
        cmocka_unit_test(a_slow_reader_learns_what_it_missed),
        cmocka_unit_test(logs_are_redirected_to_and_from_a_listener),
        cmocka_unit_test(redirects_do_not_wait_for_slow_readers),
        cmocka_unit_test(commands_are_executed),
        cmocka_unit_test(listen_errors_are_reported),
        cmocka_unit_test(a_port_is_chosen),
        cmocka_unit_test(a_child_does_not_disturb_its_parents_readers),
        cmocka_unit_test(an_emitter_can_be_freed_while_readers_connect),
    };
    if (!mkdtemp(directory)) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed;
}
