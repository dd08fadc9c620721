/* Emitters and processes: kill, fork, exit, canceled threads. */
#include "numbered.h"
#include "sanitizers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

static char directory[] = "/tmp/hectic-processes-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static const hectic_emitter_options small = {.caps = NUMBERED_CAPS, .buffer_size = 1};

/* Numbers shared between child and parent. */
static uint64_t *shared;

static void must_exit(pid_t child, int code)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status)) fail_msg("the child was ended by signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), code);
}

static void read_file(struct numbered *n, const char *path, enum numbered_log how)
{
    struct bytes log = bytes_of_file(path);
    numbered_read(n, &log, how);
    bytes_free(&log);
}

/* --- Killed ---------------------------------------------------------------------------------- */

static void emit_until_killed(hectic_destination file)
{
    struct numbered n;
    numbered_start_to(&n, small, file);
    hectic_emitter_flush_every(n.emitter, 2);
    struct load load = {.n = &n, .cap = 1, .size = 40, .pause_ns = 20000};
    load_start(&load);
    for (;;) {
        for (unsigned i = 0; i < 50; i++)
            numbered_emit(&n, 0, 8);
        if (hectic_emitter_flush(n.emitter, 0) == HECTIC_EMIT_OK)
            __atomic_store_n(shared, n.emitted[0], __ATOMIC_RELEASE);
    }
}

static void flushed_events_survive_a_kill(void **state)
{
    (void)state;
    const hectic_destination file = {.path = path_of("killed")};
    uint64_t random = 1;
    for (unsigned turn = 0; turn < 60; turn++) {
        *shared = 0;
        const pid_t child = fork();
        if (child == 0) emit_until_killed(file);
        while (turn % 4 && __atomic_load_n(shared, __ATOMIC_ACQUIRE) == 0)
            usleep(100);
        usleep((useconds_t)random_below(&random, 20000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (access(file.path, F_OK) < 0) continue;
        struct numbered n = {0};
        read_file(&n, file.path, LOG_CUT);
        assert_true(n.read[0] >= *shared);
        unlink(file.path);
    }
}

/* --- Forked ---------------------------------------------------------------------------------- */

/* The child's emitter is silent until it starts its own log. */
static int be_child(struct numbered *n, hectic_destination file)
{
    hectic_emit_cap *cap = hectic_emitter_cap(n->emitter, 3);
    if (hectic_emit_user_msg(cap, "not to be logged")) return 1;
    if (hectic_emitter_get_state(n->emitter).destination != HECTIC_DESTINATION_NONE) return 2;
    if (hectic_emitter_flush(n->emitter, 0) != HECTIC_EMIT_SEQUENCE) return 3;
    if (!file.path) return 0;
    if (hectic_emitter_start(n->emitter, &file) != HECTIC_EMIT_OK) return 4;
    for (uint64_t i = 0; i < 5000; i++)
        if (!hectic_emit_bytes(cap, HECTIC_EVENT_USER_BINARY_MSG, &i, sizeof i)) return 5;
    return 0;
}

/* The child's log: its own numbers, and no threads of its parent. */
static void check_child(const char *path)
{
    struct bytes log = bytes_of_file(path);
    struct found f = found_in(log.data, log.length);
    assert_int_equal(f.errors, 0);
    assert_int_equal(f.headers, 1);
    assert_int_equal(f.ends, 1);
    uint64_t next = 0;
    for (size_t i = 0; i < f.count; i++) {
        assert_true(f.event[i].type != HECTIC_EVENT_CREATE_THREAD);
        if (f.event[i].type != HECTIC_EVENT_USER_BINARY_MSG) continue;
        assert_int_equal(f.event[i].cap, 3);
        assert_memory_equal(f.event[i].payload, &next, sizeof next);
        next++;
    }
    assert_int_equal(next, 5000);
    found_free(&f);
    bytes_free(&log);
}

static void forked_logs_are_independent(void **state)
{
    (void)state;
    char parent_path[256], child_path[256];
    snprintf(parent_path, sizeof parent_path, "%s", path_of("parent"));
    snprintf(child_path, sizeof child_path, "%s", path_of("child"));
    struct numbered n;
    numbered_start_to(&n, small, (hectic_destination){.path = parent_path});
    hectic_emitter_flush_every(n.emitter, 1);
    struct load load[] = {{.n = &n, .cap = 0, .size = 20, .pause_ns = 100000},
                          {.n = &n, .cap = 1, .size = 20, .pause_ns = 100000}};
    load_start(&load[0]);
    load_start(&load[1]);
    for (unsigned turn = 0; turn < 60; turn++) {
        const bool logs = child_may_log && turn % 3;
        const pid_t child = fork();
        if (child == 0) {
            const int code = be_child(&n, (hectic_destination){.path = logs ? child_path : NULL});
            if (turn % 3 == 1) hectic_emitter_free(n.emitter);
            exit(code);
        }
        numbered_emit(&n, 2, 8);
        must_exit(child, 0);
        if (logs) check_child(child_path);
    }
    load_stop(&load[0]);
    load_stop(&load[1]);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    read_file(&n, parent_path, LOG_WHOLE);
    numbered_all_read(&n);
    numbered_free(&n);
    unlink(parent_path);
    unlink(child_path);
}

/* A reader of the parent's pipe gets its end when the parent has stopped, even if the child
 * still runs.
 */
static void a_child_keeps_no_destination(void **state)
{
    (void)state;
    const char *path = path_of("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    struct numbered n;
    numbered_start_to(&n, small, (hectic_destination){.kind = HECTIC_TO_FIFO, .path = path});
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    numbered_emit(&n, 0, 8);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    fcntl(reader, F_SETFL, 0);
    struct bytes log = {0};
    uint8_t piece[4096];
    for (ssize_t got; (got = read(reader, piece, sizeof piece)) > 0;)
        bytes_write(&log, piece, (size_t)got);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    numbered_read(&n, &log, LOG_WHOLE);
    numbered_all_read(&n);
    bytes_free(&log);
    close(reader);
    unlink(path);
    numbered_free(&n);
}

/* A writer of the caller belongs to the parent. */
static void count_stop(void *user)
{
    ++*(uint64_t *)user;
}

static bool take(void *user, const void *bytes, size_t length)
{
    (void)user, (void)bytes, (void)length;
    return true;
}

static void a_child_does_not_stop_a_writer(void **state)
{
    (void)state;
    static const hectic_emit_writer writer = {.write = take, .stop = count_stop};
    *shared = 0;
    struct numbered n;
    numbered_start_to(
        &n, small,
        (hectic_destination){.kind = HECTIC_TO_WRITER, .writer = &writer, .user = shared});
    const pid_t child = fork();
    if (child == 0) exit(0);
    must_exit(child, 0);
    assert_int_equal(*shared, 0);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    assert_int_equal(*shared, 1);
    numbered_free(&n);
}

/* --- Exiting --------------------------------------------------------------------------------- */

static void the_log_ends_at_exit(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("exit"));
    for (unsigned turn = 0; turn < 40; turn++) {
        *shared = 0;
        const pid_t child = fork();
        if (child == 0) {
            static struct numbered n;
            static struct load load[2];
            numbered_start_to(&n, small, (hectic_destination){.path = path});
            for (uint32_t i = 0; i < 2; i++) {
                load[i] = (struct load){.n = &n, .cap = i, .size = 20};
                load_start(&load[i]);
            }
            for (unsigned i = 0; i < 100; i++)
                numbered_emit(&n, 2, 8);
            usleep(turn * 100);
            *shared = n.emitted[2];
            exit(3);
        }
        must_exit(child, 3);
        struct numbered n = {0};
        read_file(&n, path, LOG_WHOLE);
        assert_int_equal(n.read[2], *shared);
    }
    unlink(path);
}

/* There is no reader; the program must still end, and soon. */
static void a_program_ends_without_a_reader(void **state)
{
    (void)state;
    const uint64_t begin = milliseconds();
    const pid_t child = fork();
    if (child == 0) {
        int end[2];
        if (pipe(end) < 0) _exit(1);
        struct numbered n;
        numbered_start_to(&n, small,
                          (hectic_destination){.kind = HECTIC_TO_FD, .fd = end[1], .wait_ms = 10});
        static struct load load;
        load = (struct load){.n = &n, .cap = 1, .size = 20};
        load_start(&load);
        for (unsigned i = 0; i < 50000; i++)
            numbered_emit(&n, 0, 8);
        exit(0);
    }
    must_exit(child, 0);
    assert_true(milliseconds() - begin < 30000);
}

static void stop_now(int number)
{
    (void)number;
    exit(4);
}

/* Runs after the emitter's exit handler. Signal handlers must not run exit handlers of other
 * libraries: those that free memory deadlock if malloc was interrupted. */
static bool ends_in_handler;
static void end_at_once(void)
{
    if (ends_in_handler) _exit(4);
}

/* Programs do this, although it is not allowed. */
static void a_program_ends_from_a_handler(void **state)
{
    (void)state;
    /* Exit handlers of other libraries, such as the thread sanitizer, are not async-signal-safe. */
    if (!child_may_log) {
        print_message("SKIPPED: a forked child may not log under this sanitizer\n");
        skip();
    }
    for (unsigned turn = 0; turn < 20; turn++) {
        const pid_t child = fork();
        if (child == 0) {
            struct numbered n;
            const struct itimerval soon = {.it_value.tv_usec = 2000 + turn * 37};
            numbered_start_to(&n, small,
                              (hectic_destination){.kind = HECTIC_TO_RING, .ring_size = 1});
            ends_in_handler = true;
            signal(SIGALRM, stop_now);
            setitimer(ITIMER_REAL, &soon, NULL);
            for (;;)
                numbered_emit(&n, 0, 1000);
        }
        must_exit(child, 4);
    }
}

/* --- Threads that end in the middle ---------------------------------------------------------- */

/* Threads are canceled at any point; their events are complete, and their cap can still be
 * used. */
static void threads_may_be_cancelled(void **state)
{
    (void)state;
    struct bytes log = {0};
    struct numbered n;
    numbered_start_to(
        &n, small,
        (hectic_destination){.kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &log});
    for (unsigned turn = 0; turn < 100; turn++) {
        struct load load = {.n = &n, .cap = turn % 2, .size = 100, .pause_ns = 1000};
        load_start(&load);
        usleep(turn * 10);
        pthread_cancel(load.thread);
        pthread_join(load.thread, NULL);
        numbered_emit(&n, turn % 2, 8);
    }
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    numbered_read(&n, &log, LOG_WHOLE);
    numbered_all_read(&n);
    bytes_free(&log);
    numbered_free(&n);
}

/* --- All ------------------------------------------------------------------------------------- */

static int before_all(void **state)
{
    (void)state;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared != MAP_FAILED && atexit(end_at_once) == 0 && mkdtemp(directory) ? 0 : -1;
}

static int after_all(void **state)
{
    (void)state;
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flushed_events_survive_a_kill),
        cmocka_unit_test(forked_logs_are_independent),
        cmocka_unit_test(a_child_keeps_no_destination),
        cmocka_unit_test(a_child_does_not_stop_a_writer),
        cmocka_unit_test(the_log_ends_at_exit),
        cmocka_unit_test(a_program_ends_without_a_reader),
        cmocka_unit_test(a_program_ends_from_a_handler),
        cmocka_unit_test(threads_may_be_cancelled),
    };
    return cmocka_run_group_tests(tests, before_all, after_all);
}
