/* The flight recorder: the ring keeps the latest events, and dumps of it are complete logs: on
 * request, on a signal, and on any crash. */
#define _GNU_SOURCE
#include "numbered.h"

#include "emit/emitter.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { RING = 1 << 20, BUFFER = 1 << 17, LOADS = 2, SIZE = 50 };

static char directory[] = "/tmp/hectic-recorder-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static const hectic_emitter_options options = {.caps = NUMBERED_CAPS, .buffer_size = BUFFER};
static const hectic_destination ring = {.kind = HECTIC_TO_RING, .ring_size = RING};

/* Each thread must have emitted that many events. */
static void wait_for_load(const struct numbered *n, const struct load *loads, uint64_t events)
{
    for (unsigned i = 0; i < LOADS; i++)
        while (__atomic_load_n(&n->emitted[loads[i].cap], __ATOMIC_ACQUIRE) < events)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void start_loads(struct numbered *n, struct load loads[LOADS])
{
    for (unsigned i = 0; i < LOADS; i++) {
        loads[i] = (struct load){.n = n, .cap = i + 1, .size = SIZE};
        load_start(&loads[i]);
    }
}

static void stop_loads(struct load loads[LOADS])
{
    for (unsigned i = 0; i < LOADS; i++)
        load_stop(&loads[i]);
}

/* Checks that the ordered reader reports nothing. */
static void check_log(const struct bytes *log)
{
    hectic_error error;
    hectic_log *l = hectic_log_open(bytes_input(log->data, log->length),
                                    &(hectic_log_options){.check = true}, &error);
    assert_non_null(l);
    size_t kept;
    uint64_t damages;
    hectic_log_damage(l, &kept, &damages);
    assert_int_equal(damages, 0);
    const hectic_survey *survey = hectic_log_survey(l);
    assert_int_equal(survey->sections, 1);
    assert_true(survey->section->complete);
    assert_int_equal(survey->tail, 0);
    hectic_log_free(l);
}

/* A dump is complete, and contains consecutive events of each cap except for reported gaps. */
static void read_dump(struct numbered *n, const struct bytes *log)
{
    n->dropped = 0;
    for (unsigned i = 0; i < NUMBERED_CAPS; i++)
        n->read[i] = 0;
    check_log(log);
    numbered_read(n, log, LOG_AFTER_GAP);
}

static void read_dump_file(struct numbered *n, const char *path)
{
    struct bytes log = bytes_of_file(path);
    read_dump(n, &log);
    bytes_free(&log);
}

/* --- On request ------------------------------------------------------------------------------- */

static void a_ring_keeps_the_latest_events(void **state)
{
    (void)state;
    struct numbered n;
    struct load loads[LOADS];
    numbered_start_to(&n, options, ring);
    start_loads(&n, loads);
    wait_for_load(&n, loads, 200000);
    stop_loads(loads);
    /* Beyond its size it grows until the service runs. */
    assert_int_equal(hectic_emitter_flush(n.emitter, 0), HECTIC_EMIT_OK);
    struct bytes log = {0};
    const hectic_destination keeper = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &log};
    assert_int_equal(hectic_emitter_dump(n.emitter, &keeper), HECTIC_EMIT_OK);
    read_dump(&n, &log);
    assert_int_equal(n.dropped, 0);
    for (unsigned i = 0; i < LOADS; i++) {
        const uint32_t cap = loads[i].cap;
        assert_int_equal(n.read[cap], n.emitted[cap]);
        assert_true(n.begun[cap] > 0);
    }
    /* The ring, and the buffers that are not full; header and definitions are small. */
    assert_in_range(log.length, RING - BUFFER, RING + (LOADS + 1) * BUFFER);
    const hectic_emitter_state now = hectic_emitter_get_state(n.emitter);
    assert_true(now.memory < 2 * RING + 10 * BUFFER);
    assert_true(now.events_dropped > 0);

    /* The recorder continues, and keeps the dumped events. */
    numbered_emit(&n, 0, SIZE);
    struct bytes again = {0};
    const hectic_destination second = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &again};
    assert_int_equal(hectic_emitter_dump(n.emitter, &second), HECTIC_EMIT_OK);
    const uint64_t begun = n.begun[1];
    read_dump(&n, &again);
    assert_int_equal(n.begun[1], begun);
    assert_int_equal(n.read[0], 1);
    bytes_free(&log);
    bytes_free(&again);
    numbered_free(&n);
}

static void old_definitions_are_replayed(void **state)
{
    (void)state;
    struct numbered n;
    numbered_start(&n, options);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    uint16_t own;
    assert_int_equal(
        hectic_emitter_register(n.emitter, 0, 3, HECTIC_CLASS_USER, true, "what a color is", &own),
        HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_start(n.emitter, &ring), HECTIC_EMIT_OK);
    assert_true(hectic_emit_bytes(hectic_emitter_cap(n.emitter, 0), own, "red", 3));
    for (unsigned i = 0; i < 100000; i++)
        numbered_emit(&n, i % 3, SIZE);
    struct bytes log = {0};
    const hectic_destination keeper = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &log};
    assert_int_equal(hectic_emitter_dump(n.emitter, &keeper), HECTIC_EMIT_OK);
    read_dump(&n, &log);
    struct found f = found_in(log.data, log.length);
    unsigned defined = 0, pids = 0;
    for (size_t i = 0; i < f.count; i++) {
        defined += f.event[i].type == own && memcmp(f.event[i].payload, "red", 3) == 0;
        pids += f.event[i].type == HECTIC_EVENT_OSPROCESS_PID;
    }
    assert_int_equal(defined, 1);
    assert_int_equal(pids, 1);
    found_free(&f);
    bytes_free(&log);
    numbered_free(&n);
}

static bool keep_slowly(void *user, const void *bytes, size_t length)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return bytes_write(user, bytes, length);
}

static void threads_overtake_dumps(void **state)
{
    (void)state;
    static const hectic_emit_writer slow_keeper = {.write = keep_slowly};
    struct numbered n;
    struct load loads[LOADS];
    uint64_t overtaken = 0;
    numbered_start_to(&n, options, ring);
    start_loads(&n, loads);
    wait_for_load(&n, loads, 20000);
    for (unsigned i = 0; i < 30; i++) {
        struct bytes log = {0};
        const bool slow = i % 6 == 5;
        const hectic_destination keeper = {
            .kind = HECTIC_TO_WRITER, .writer = slow ? &slow_keeper : &emit_keeper, .user = &log};
        assert_int_equal(hectic_emitter_dump(n.emitter, &keeper), HECTIC_EMIT_OK);
        struct numbered read = {0};
        read_dump(&read, &log);
        overtaken += read.dropped;
        bytes_free(&log);
    }
    stop_loads(loads);
    assert_true(overtaken > 0);
    numbered_free(&n);
}

/* An event in progress during the state replay of a dump. */
struct late {
    hectic_emit_cap *cap;
    uint8_t *event;
    uint64_t now;
    struct bytes log;
};

static uint64_t late_now(void *user)
{
    struct late *l = user;
    return l->now;
}

static bool end_late(void *user, const void *bytes, size_t length)
{
    struct late *l = user;
    if (l->event) hectic_emit_commit(l->cap, l->event + 14);
    l->event = NULL;
    return bytes_write(&l->log, bytes, length);
}

static void no_event_precedes_the_replay(void **state)
{
    (void)state;
    static const hectic_emit_writer ender = {.write = end_late};
    struct late l = {.now = 10};
    hectic_emitter *emitter = hectic_emitter_new(&(hectic_emitter_options){
        .clock = HECTIC_CLOCK_CALLER, .now = late_now, .user = &l, .no_thread = true});
    assert_int_equal(hectic_emitter_start(emitter, &ring), HECTIC_EMIT_OK);
    l.cap = hectic_emitter_cap(emitter, 0);
    l.event = hectic_emit_begin(l.cap, HECTIC_EVENT_CREATE_THREAD, 14);
    memset(l.event + 10, 1, 4);
    l.now = 20;
    const hectic_destination to = {.kind = HECTIC_TO_WRITER, .writer = &ender, .user = &l};
    assert_int_equal(hectic_emitter_dump(emitter, &to), HECTIC_EMIT_OK);
    struct found f = found_in(l.log.data, l.log.length);
    uint64_t last = 0;
    assert_true(f.count > 2);
    for (size_t i = 0; i < f.count; i++) {
        assert_true(f.event[i].time >= last);
        last = f.event[i].time;
    }
    assert_int_equal(f.event[f.count - 1].type, HECTIC_EVENT_CREATE_THREAD);
    found_free(&f);
    bytes_free(&l.log);
    hectic_emitter_free(emitter);
}

/* A thread runs on two caps in turn, each owned by another thread. */
enum { WANDERER = 77, WAITS = 7 };

struct wandering {
    hectic_emitter *emitter;
    uint64_t time;
    unsigned turn;
    bool stop;
    struct bytes log;
};

struct wanderer {
    struct wandering *on;
    unsigned cap;
};

static uint64_t wandering_now(void *user)
{
    struct wandering *w = user;
    return __atomic_add_fetch(&w->time, 1, __ATOMIC_SEQ_CST);
}

/* It migrates while a dump is written. */
static bool keep_wandering(void *user, const void *bytes, size_t length)
{
    struct wandering *w = user;
    const uint64_t begin = __atomic_load_n(&w->time, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&w->time, __ATOMIC_SEQ_CST) < begin + 20)
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    return bytes_write(&w->log, bytes, length);
}

static void *wander(void *user)
{
    const struct wanderer *w = user;
    hectic_emit_cap *cap = hectic_emitter_cap(w->on->emitter, w->cap);
    while (!__atomic_load_n(&w->on->stop, __ATOMIC_RELAXED)) {
        if (__atomic_load_n(&w->on->turn, __ATOMIC_ACQUIRE) != w->cap) continue;
        hectic_emit_run_thread(cap, WANDERER);
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
        hectic_emit_stop_thread(cap, WANDERER, WAITS, 0);
        __atomic_store_n(&w->on->turn, 1 - w->cap, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* It runs and stops repeatedly. */
static void follow_wanderer(const struct bytes *log)
{
    hectic_error error;
    hectic_log *l = hectic_log_open(bytes_input(log->data, log->length), NULL, &error);
    hectic_event event;
    hectic_result result;
    unsigned runs = 0, stops = 0;
    while ((result = hectic_log_next(l, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER) {
        if (result != HECTIC_GOT_EVENT) continue;
        runs += event.type == HECTIC_EVENT_RUN_THREAD;
        stops += event.type == HECTIC_EVENT_STOP_THREAD;
        if (stops == 0 && runs == 0) continue;
        assert_true(runs == stops || runs == stops + 1);
    }
    hectic_log_free(l);
    assert_true(runs > 0);
}

static void all_caps_are_dumped_up_to_one_moment(void **state)
{
    (void)state;
    struct wandering w = {0};
    const struct wanderer wanderers[] = {{&w, 0}, {&w, 1}};
    pthread_t thread[2];
    w.emitter = hectic_emitter_new(&(hectic_emitter_options){
        .caps = 2, .clock = HECTIC_CLOCK_CALLER, .now = wandering_now, .user = &w});
    assert_int_equal(hectic_emitter_start(w.emitter, &ring), HECTIC_EMIT_OK);
    for (unsigned i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, wander, (void *)(uintptr_t)&wanderers[i]);
    static const hectic_emit_writer keeper = {.write = keep_wandering};
    const hectic_destination to = {.kind = HECTIC_TO_WRITER, .writer = &keeper, .user = &w};
    for (unsigned i = 0; i < 30; i++) {
        assert_int_equal(hectic_emitter_dump(w.emitter, &to), HECTIC_EMIT_OK);
        if (i > 0) follow_wanderer(&w.log);
        bytes_free(&w.log);
    }
    __atomic_store_n(&w.stop, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    hectic_emitter_free(w.emitter);
}

static void a_dump_needs_a_ring(void **state)
{
    (void)state;
    struct numbered n;
    numbered_start(&n, options);
    const hectic_destination file = {.path = path_of("none")};
    assert_int_equal(hectic_emitter_dump(n.emitter, &file), HECTIC_EMIT_SEQUENCE);
    assert_int_equal(access(file.path, F_OK), -1);
    assert_int_equal(hectic_emitter_redirect(n.emitter, &ring), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_dump(n.emitter, &ring), HECTIC_EMIT_INVALID);
    const hectic_destination nowhere = {.path = "/nonexistent/dump"};
    assert_int_equal(hectic_emitter_dump(n.emitter, &nowhere), HECTIC_EMIT_SYSTEM);
    assert_int_equal(hectic_emitter_dump(n.emitter, &file), HECTIC_EMIT_OK);
    read_dump_file(&n, file.path);
    assert_int_equal(hectic_emitter_stop(n.emitter), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_dump(n.emitter, &file), HECTIC_EMIT_SEQUENCE);
    numbered_free(&n);
}

/* --- By a signal ------------------------------------------------------------------------------ */

static volatile sig_atomic_t handled;

static void count(int number)
{
    (void)number;
    handled++;
}

static void wait_for_dump(const char *path)
{
    const uint64_t until = milliseconds() + 20000;
    for (;;) {
        struct stat status;
        if (stat(path, &status) == 0 && status.st_size > 0) {
            struct bytes log = bytes_of_file(path);
            struct found f = found_in(log.data, log.length);
            const bool whole = f.ends == 1;
            found_free(&f);
            bytes_free(&log);
            if (whole) return;
        }
        if (milliseconds() > until) fail_msg("no dump at %s", path);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

static void signals_ask_for_dumps(void **state)
{
    (void)state;
    struct numbered n;
    struct load loads[LOADS];
    char pattern[256];
    signal(SIGUSR1, count);
    handled = 0;
    numbered_start_to(&n, options, ring);
    snprintf(pattern, sizeof pattern, "%s", path_of("dump-%n"));
    assert_int_equal(hectic_emitter_dump_on_signal(n.emitter, SIGSEGV, pattern),
                     HECTIC_EMIT_INVALID);
    assert_int_equal(hectic_emitter_dump_on_signal(n.emitter, SIGKILL, pattern),
                     HECTIC_EMIT_INVALID);
    assert_int_equal(hectic_emitter_dump_on_signal(n.emitter, SIGUSR1, path_of("other")),
                     HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_dump_on_signal(n.emitter, SIGUSR1, pattern), HECTIC_EMIT_OK);
    start_loads(&n, loads);
    for (unsigned i = 1; i <= 3; i++) {
        wait_for_load(&n, loads, i * 10000);
        char name[32];
        snprintf(name, sizeof name, "dump-%u", i);
        raise(SIGUSR1);
        wait_for_dump(path_of(name));
    }
    stop_loads(loads);
    assert_int_equal(access(path_of("dump-4"), F_OK), -1);
    assert_int_equal(access(path_of("other"), F_OK), -1);
    read_dump_file(&n, path_of("dump-3"));
    assert_int_equal(handled, 0);
    assert_int_equal(hectic_emitter_dump_on_signal(n.emitter, SIGUSR1, NULL), HECTIC_EMIT_OK);
    raise(SIGUSR1);
    assert_int_equal(handled, 1);

    assert_int_equal(hectic_emitter_dump_on_signal(n.emitter, SIGUSR1, pattern), HECTIC_EMIT_OK);
    numbered_free(&n);
    raise(SIGUSR1);
    assert_int_equal(handled, 2);
    signal(SIGUSR1, SIG_DFL);
}

/* Without a service, the next flush dumps. */
static void a_flush_dumps_without_a_service(void **state)
{
    (void)state;
    struct numbered n;
    numbered_start_to(&n, (hectic_emitter_options){.no_thread = true}, ring);
    assert_int_equal(hectic_emitter_dump_on_signal(n.emitter, SIGUSR1, path_of("flushed")),
                     HECTIC_EMIT_OK);
    raise(SIGUSR1);
    assert_int_equal(access(path_of("flushed"), F_OK), -1);
    assert_int_equal(hectic_emitter_flush(n.emitter, 0), HECTIC_EMIT_OK);
    read_dump_file(&n, path_of("flushed"));
    numbered_free(&n);
}

/* --- Crashes: each in a child ----------------------------------------------------------------- */

/* Shared by child and parent. */
struct shown {
    struct numbered n;
    struct load loads[LOADS];
    uint64_t before[NUMBERED_CAPS]; /* number of events emitted before the crash */
};

static uint8_t *forbidden; /* inaccessible memory */

static void *touch(void *user)
{
    (void)user;
    *(volatile uint8_t *)forbidden = 1;
    return NULL;
}

static void crash_by_touching(struct shown *shown)
{
    (void)shown;
    touch(NULL);
}

static void crash_by_abort(struct shown *shown)
{
    (void)shown;
    abort();
}

static void crash_by_raise(struct shown *shown)
{
    (void)shown;
    raise(SIGFPE);
}

static void crash_beyond_a_file(struct shown *shown)
{
    (void)shown;
    const int fd = memfd_create("empty", 0);
    volatile uint8_t *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    (void)*at;
}

static void crash_by_trap(struct shown *shown)
{
    (void)shown;
    raise(SIGTRAP);
}

static void crash_in_another_thread(struct shown *shown)
{
    (void)shown;
    pthread_t thread;
    pthread_create(&thread, NULL, touch, NULL);
    pthread_join(thread, NULL);
}

static void *abort_at(void *user)
{
    pthread_barrier_wait(user);
    abort();
}

static void crash_in_many_threads(struct shown *shown)
{
    enum { THREADS = 4 };
    (void)shown;
    pthread_barrier_t barrier;
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, abort_at, &barrier);
    pthread_join(thread, NULL);
}

/* Recurses until the stack overflows. */
__attribute__((noinline)) static unsigned fill_the_stack(volatile unsigned *depth)
{
    volatile unsigned room[256];
    room[0] = *depth + 1;
    return room[0] == 0 ? 0 : fill_the_stack(room) + room[0];
}

static void crash_by_overflow(struct shown *shown)
{
    (void)shown;
    volatile unsigned begin = 0;
    fill_the_stack(&begin);
}

/* As if the thread had crashed while it held the lock. */
static void crash_with_the_state(struct shown *shown)
{
    pthread_mutex_lock(state_mutex(shown->n.emitter->state));
    abort();
}

static void crash_with_the_pool(struct shown *shown)
{
    pthread_mutex_lock(&shown->n.emitter->pool.lock);
    abort();
}

/* Destroys the state that the handler reads. */
static void crash_the_handler(struct shown *shown)
{
    stop_loads(shown->loads);
    for (unsigned i = 0; i < NUMBERED_CAPS; i++)
        shown->before[i] = shown->n.emitted[i];
    hectic_emitter_flush(shown->n.emitter, 0);
    pthread_mutex_lock(&shown->n.emitter->pool.lock);
    shown->n.emitter->pool.first->bytes = forbidden;
    pthread_mutex_unlock(&shown->n.emitter->pool.lock);
    abort();
}

static void leave(int number)
{
    _exit(number == SIGSEGV ? 42 : 43);
}

static void crash_over_a_handler(struct shown *shown)
{
    signal(SIGSEGV, leave);
    hectic_emitter_dump_on_crash(shown->n.emitter, path_of("crash"));
    touch(NULL);
}

/* A signal action that calls the handler, and is called by it. */
static struct sigaction below;

static void call_below(int number, siginfo_t *info, void *context)
{
    below.sa_sigaction(number, info, context);
}

static void crash_in_a_circle(struct shown *shown)
{
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = call_below, .sa_flags = SA_SIGINFO},
              &below);
    hectic_emitter_dump_on_crash(shown->n.emitter, path_of("crash"));
    touch(NULL);
}

/* A forked child has nothing to dump, and leaves its parent's dump unchanged. */
static void crash_after_a_child(struct shown *shown)
{
    (void)shown;
    const pid_t child = fork();
    if (child == 0) abort();
    int status;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) _exit(1);
    if (access(path_of("crash"), F_OK) == 0) _exit(2);
    abort();
}

enum { ALL, NO_STATE, PART /* or events are missing without a message */ };

static const struct crash_test {
    const char *name;
    void (*crash)(struct shown *shown);
    int signal; /* fatal signal; or */
    int status; /* exit code */
    int expected;
    bool unsanitized; /* not for sanitizers, which use the stack differently; and while locks are
                         unavailable, buffers are read without them */
    int other;        /* a fatal signal of the service, which may meet the same fault */
} crash_tests[] = {
    {"a fault", crash_by_touching, SIGSEGV, 0, ALL, false, 0},
    {"abort", crash_by_abort, SIGABRT, 0, ALL, false, 0},
    {"a raised signal", crash_by_raise, SIGFPE, 0, ALL, false, 0},
    {"a trap", crash_by_trap, SIGTRAP, 0, ALL, false, 0},
    {"beyond a file", crash_beyond_a_file, SIGBUS, 0, ALL, false, 0},
    {"in another thread", crash_in_another_thread, SIGSEGV, 0, ALL, false, 0},
    {"in many threads", crash_in_many_threads, SIGABRT, 0, ALL, false, 0},
    {"no stack left", crash_by_overflow, SIGSEGV, 0, ALL, true, 0},
    {"with the state's lock", crash_with_the_state, SIGABRT, 0, NO_STATE, true, 0},
    {"with the pool's lock", crash_with_the_pool, SIGABRT, 0, PART, false, 0},
    {"in the handler", crash_the_handler, SIGABRT, 0, PART, false, SIGSEGV},
    {"over the program's handler", crash_over_a_handler, 0, 42, ALL, false, 0},
    {"in a circle of handlers", crash_in_a_circle, SIGSEGV, 0, ALL, false, 0},
    {"after a child", crash_after_a_child, SIGABRT, 0, ALL, false, 0},
};

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = true };
#elif defined __has_feature
enum { SANITIZED = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) };
#else
enum { SANITIZED = false };
#endif

static void be_a_child(const struct crash_test *test, struct shown *shown)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    /* cmocka has its own handlers. */
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    numbered_start_to(&shown->n, options, ring);
    assert_int_equal(hectic_emitter_dump_on_crash(shown->n.emitter, path_of("crash")),
                     HECTIC_EMIT_OK);
    start_loads(&shown->n, shown->loads);
    wait_for_load(&shown->n, shown->loads, 30000);
    for (unsigned i = 0; i < 10; i++)
        numbered_emit(&shown->n, 0, SIZE);
    for (unsigned i = 0; i < NUMBERED_CAPS; i++)
        shown->before[i] = __atomic_load_n(&shown->n.emitted[i], __ATOMIC_ACQUIRE);
    test->crash(shown);
    _exit(1);
}

/* Only events are available, without definitions. */
static void read_numbers(struct numbered *n, const struct bytes *log)
{
    struct found f = found_in(log->data, log->length);
    assert_int_equal(f.errors, 0);
    for (unsigned i = 0; i < NUMBERED_CAPS; i++)
        n->begun[i] = NUMBERED_NONE;
    for (size_t i = 0; i < f.count; i++)
        if (f.event[i].type == HECTIC_EVENT_USER_BINARY_MSG) {
            uint64_t number;
            memcpy(&number, f.event[i].payload, 8);
            n->begun[f.event[i].cap] = 0;
            n->read[f.event[i].cap] = number + 1;
        }
    found_free(&f);
}

static void crash(const struct crash_test *test)
{
    struct shown *shown =
        mmap(NULL, sizeof *shown, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    print_message("crash: %s\n", test->name);
    unlink(path_of("crash"));
    const uint64_t begin = milliseconds();
    const pid_t child = fork();
    if (child == 0) be_a_child(test, shown);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (test->signal == 0) {
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), test->status);
    } else {
        assert_true(WIFSIGNALED(status));
        if (WTERMSIG(status) != test->other) assert_int_equal(WTERMSIG(status), test->signal);
    }
    assert_true(milliseconds() - begin < 20000);

    struct bytes log = bytes_of_file(path_of("crash"));
    check_log(&log);
    if (test->expected == ALL)
        read_dump(&shown->n, &log);
    else
        read_numbers(&shown->n, &log);
    assert_int_equal(shown->n.read[0], shown->before[0]);
    /* A thread that was not scheduled may have nothing in the ring. */
    for (unsigned i = 1; i <= LOADS; i++)
        assert_true(shown->n.begun[i] == NUMBERED_NONE || shown->n.read[i] >= shown->before[i]);
    assert_true(log.length > RING / 2);
    bytes_free(&log);
    munmap(shown, sizeof *shown);
}

static void crashes_are_dumped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof crash_tests / sizeof *crash_tests; i++)
        if (SANITIZED && crash_tests[i].unsanitized)
            print_message("SKIPPED: %s, which sanitizers do not support\n", crash_tests[i].name);
        else
            crash(&crash_tests[i]);
}

/* Debian's ghc-events does not print payloads that are not text. */
static void show_by_ghc_events(const char *path)
{
    char command[512];
    if (system("command -v ghc-events >/dev/null") != 0) return;
    snprintf(command, sizeof command, "ghc-events show '%s' >/dev/null", path);
    assert_int_equal(system(command), 0);
}

static void emit_texts(hectic_emitter *emitter)
{
    for (uint32_t i = 0; i < 60000; i++) {
        hectic_emit_cap *cap = hectic_emitter_cap(emitter, i % 3);
        if (i % 1000 < 3) hectic_emit_create_thread(cap, i);
        hectic_emit_run_thread(cap, i / 1000 * 1000 + i % 3);
        hectic_emit_user_msg(cap, "as if something had happened");
        hectic_emit_stop_thread(cap, i / 1000 * 1000 + i % 3, 1, 0);
    }
}

/* Two emitters, one of which writes to a file: its dump has the events that are not in the file. */
static void every_emitter_is_dumped(void **state)
{
    (void)state;
    struct shown *shown =
        mmap(NULL, sizeof *shown, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        signal(SIGABRT, SIG_DFL);
        char path[256];
        struct numbered other;
        numbered_start_to(&other, options, ring);
        hectic_emitter_dump_on_crash(other.emitter, path_of("of-ring"));
        emit_texts(other.emitter);
        numbered_emit(&other, 0, SIZE);
        snprintf(path, sizeof path, "%s", path_of("log"));
        numbered_start_to(&shown->n, options, (hectic_destination){.path = path});
        hectic_emitter_dump_on_crash(shown->n.emitter, path_of("of-file"));
        for (unsigned i = 0; i < 20000; i++)
            numbered_emit(&shown->n, i % 3, SIZE);
        abort();
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    struct numbered ring_read = {0};
    read_dump_file(&ring_read, path_of("of-ring"));
    assert_int_equal(ring_read.read[0], 1);
    show_by_ghc_events(path_of("of-ring"));

    struct numbered *n = &shown->n;
    struct bytes log = bytes_of_file(path_of("log"));
    numbered_read(n, &log, LOG_CUT);
    uint64_t before[NUMBERED_CAPS];
    memcpy(before, n->read, sizeof before);
    read_dump_file(n, path_of("of-file"));
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(n->read[i], n->emitted[i]);
        assert_true(before[i] >= n->begun[i]);
    }
    bytes_free(&log);
    munmap(shown, sizeof *shown);
}

int main(void)
{
    assert_non_null(mkdtemp(directory));
    forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_keeps_the_latest_events),
        cmocka_unit_test(old_definitions_are_replayed),
        cmocka_unit_test(threads_overtake_dumps),
        cmocka_unit_test(no_event_precedes_the_replay),
        cmocka_unit_test(all_caps_are_dumped_up_to_one_moment),
        cmocka_unit_test(a_dump_needs_a_ring),
        cmocka_unit_test(signals_ask_for_dumps),
        cmocka_unit_test(a_flush_dumps_without_a_service),
        cmocka_unit_test(crashes_are_dumped),
        cmocka_unit_test(every_emitter_is_dumped),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[512];
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command) == 0 ? failed : 1;
}
