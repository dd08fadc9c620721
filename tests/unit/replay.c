/* Programs whose readers miss events: at the end their logs have the correct state. */
#include "bytes.h"
#include "facts/threads.h"
#include "less.h"

#include <hectic/hectic.h>

#include <pthread.h>
#include <unistd.h>

enum { CAPS = 3, THREADS = 400000, ALIVE_MAX = 40, ROUNDS = 6 };
enum { YIELDING = 3, FINISHED = 5, BLOCKED = 7 }; /* statuses of STOP_THREAD */

/* The actual state of a thread. */
struct truth {
    bool alive, blocked;
    uint16_t cap;
};

struct program {
    hectic_emitter *emitter;
    struct truth thread[THREADS];
    uint32_t created, alive;
    uint32_t runs[CAPS]; /* 0: none */
    uint64_t random;
    uint64_t now; /* of a program with its own clock */
};

/* A reader of the pipe, which can be paused. */
struct reader {
    int fd;
    bool waits;
    struct bytes log;
};

static void *read_all(void *user)
{
    struct reader *r = user;
    static uint8_t bytes[1 << 16];
    for (;;) {
        while (__atomic_load_n(&r->waits, __ATOMIC_ACQUIRE))
            usleep(200);
        const ssize_t size = read(r->fd, bytes, sizeof bytes);
        if (size <= 0) return NULL;
        bytes_write(&r->log, bytes, (size_t)size);
    }
}

/* Mostly a recent one. */
static uint32_t one_alive(struct program *p, uint16_t cap)
{
    for (uint32_t tries = 0; tries < 30 && p->created > 0; tries++) {
        const uint64_t back = random_below(&p->random, 3 * ALIVE_MAX);
        const uint32_t id = back < p->created ? p->created - (uint32_t)back : 0;
        if (id && p->thread[id].alive && p->thread[id].cap == cap) return id;
    }
    for (uint32_t id = 1; id <= p->created; id++)
        if (p->thread[id].alive && p->thread[id].cap == cap) return id;
    return 0;
}

static void stop(struct program *p, hectic_emit_cap *cap, uint16_t number)
{
    const uint32_t id = p->runs[number];
    const uint16_t status = (uint16_t[]){YIELDING, BLOCKED, FINISHED}[random_below(&p->random, 3)];
    hectic_emit_stop_thread(cap, id, status, 0);
    p->thread[id].alive = status != FINISHED;
    p->alive -= status == FINISHED;
    p->thread[id].blocked = status == BLOCKED;
    p->runs[number] = 0;
}

static void step(struct program *p)
{
    const uint16_t number = (uint16_t)random_below(&p->random, CAPS);
    hectic_emit_cap *cap = hectic_emitter_cap(p->emitter, number);
    if (p->runs[number]) {
        hectic_emit_user_msg(cap, "at work");
        stop(p, cap, number);
        return;
    }
    if (random_below(&p->random, 3) == 0 && p->alive < ALIVE_MAX && p->created + 1 < THREADS) {
        p->alive++;
        p->thread[++p->created] = (struct truth){.alive = true, .cap = number};
        hectic_emit_create_thread(cap, p->created);
        return;
    }
    const uint32_t id = one_alive(p, number);
    if (!id) return;
    struct truth *thread = &p->thread[id];
    if (thread->blocked) {
        hectic_emit_thread_wakeup(cap, id, number);
        thread->blocked = false;
    } else if (random_below(&p->random, 5) == 0) {
        thread->cap = (uint16_t)random_below(&p->random, CAPS);
        hectic_emit_migrate_thread(cap, id, thread->cap);
    } else {
        hectic_emit_run_thread(cap, id);
        p->runs[number] = id;
    }
}

struct rows {
    const struct program *program;
    uint32_t alive, ended;
    bool seen[THREADS];
};

static bool take_row(void *user, const hectic_thread *row)
{
    struct rows *rows = user;
    if (row->id == 0 || row->id >= THREADS) fail_msg("thread %u is not the program's", row->id);
    if (rows->seen[row->id]) fail_msg("thread %u appears twice", row->id);
    if (row->has_ended == rows->program->thread[row->id].alive)
        fail_msg("thread %u is reported %s", row->id, row->has_ended ? "as ended" : "as live");
    rows->seen[row->id] = true;
    rows->alive += !row->has_ended;
    return true;
}

static void assert_command(const char *format, const char *path)
{
    char command[512];
    const char *hectic = getenv("HECTIC");
    if (!hectic) return;
    snprintf(command, sizeof command, format, hectic, path);
    if (system(command) != 0) fail_msg("%s", command);
}

static void assert_true_at_end(const struct program *p, const char *path)
{
    hectic_error error;
    static struct rows rows;
    hectic_event event;
    hectic_result result;
    hectic_log *log = hectic_log_open(hectic_input_open(path, &error), NULL, &error);
    assert_non_null(log);
    hectic_threads *threads = hectic_threads_new(0, UINT64_MAX, take_row, &rows);
    uint64_t now = 0;
    rows = (struct rows){.program = p};
    while ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER) {
        if (result == HECTIC_HEADER) {
            hectic_threads_begin(threads, hectic_log_header(log));
            continue;
        }
        assert_true(hectic_threads_event(threads, &event));
        now = event.time;
    }
    assert_int_equal(result, HECTIC_COMPLETE);
    assert_true(hectic_threads_end(threads, now));
    uint32_t alive = 0;
    for (uint32_t id = 1; id <= p->created; id++)
        alive += p->thread[id].alive;
    assert_int_equal(rows.alive, alive);
    hectic_threads_free(threads);
    hectic_log_free(log);
}

static void run(uint64_t seed, hectic_when_blocked policy)
{
    static struct program p;
    struct reader r = {.waits = true};
    char path[] = "/tmp/hectic-replay-XXXXXX";
    int ends[2];
    p = (struct program){.random = seed};
    assert_int_equal(pipe(ends), 0);
    r.fd = ends[0];
    p.emitter = hectic_emitter_new(&(hectic_emitter_options){.caps = CAPS, .buffer_size = 1 << 12});
    const hectic_destination to = {.kind = HECTIC_TO_FD, .fd = ends[1], .when_blocked = policy};
    assert_int_equal(hectic_emitter_start(p.emitter, &to), HECTIC_EMIT_OK);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_all, &r), 0);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t before = hectic_emitter_get_state(p.emitter).events_dropped;
        __atomic_store_n(&r.waits, true, __ATOMIC_RELEASE);
        for (int i = 0; i < 2000 || hectic_emitter_get_state(p.emitter).events_dropped == before;
             i++)
            step(&p);
        __atomic_store_n(&r.waits, false, __ATOMIC_RELEASE);
        while (hectic_emitter_flush(p.emitter, 1000) != HECTIC_EMIT_OK)
            ;
        for (int i = 0; i < 300; i++)
            step(&p);
    }
    assert_int_equal(hectic_emitter_stop(p.emitter), HECTIC_EMIT_OK);
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);
    hectic_emitter_free(p.emitter);

    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, r.log.data, r.log.length) == (ssize_t)r.log.length);
    close(fd);
    bytes_free(&r.log);
    if (getenv("KEEP")) printf("%s\n", path);
    assert_true_at_end(&p, path);
    assert_command("%s validate all %s >/dev/null", path);
    assert_command("%s simulate threads %s >/dev/null", path);
    assert_command("%s profile threads %s >/dev/null", path);
    assert_command("%s check %s | grep -q ': sound, with gaps: '", path);
    if (!getenv("KEEP")) unlink(path);
}

static void events_after_gaps_are_correct(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= LESS(4, 1); seed++) {
        run(seed, HECTIC_BLOCKED_DROP_OLDEST);
        run(seed + 100, HECTIC_BLOCKED_DROP_NEWEST);
    }
}

static uint64_t clock_of(void *user)
{
    struct program *p = user;
    return p->now;
}

/* A program with its own clock, whose log has replays in which nothing is missing. */
static void make_whole(uint64_t seed, bool replays, const char *path)
{
    static struct program p;
    uint64_t random = seed;
    p = (struct program){.random = seed};
    p.emitter = hectic_emitter_new(&(hectic_emitter_options){.caps = CAPS,
                                                             .buffer_size = 1 << 12,
                                                             .clock = HECTIC_CLOCK_CALLER,
                                                             .now = clock_of,
                                                             .user = &p,
                                                             .no_thread = true});
    const hectic_destination to = {.kind = HECTIC_TO_FILE, .path = path};
    assert_int_equal(hectic_emitter_start(p.emitter, &to), HECTIC_EMIT_OK);
    for (int i = 0; i < 20000; i++) {
        p.now += 1 + random_below(&p.random, 1000);
        step(&p);
        if (random_below(&random, 500) == 0 && replays) {
            assert_int_equal(hectic_emitter_flush(p.emitter, 1000), HECTIC_EMIT_OK);
            assert_int_equal(hectic_emitter_sync(p.emitter), HECTIC_EMIT_OK);
        }
    }
    assert_int_equal(hectic_emitter_stop(p.emitter), HECTIC_EMIT_OK);
    hectic_emitter_free(p.emitter);
}

static void replays_without_gaps_change_nothing(void **state)
{
    const char *hectic = getenv("HECTIC");
    (void)state;
    if (!hectic) skip();
    for (uint64_t seed = 1; seed <= LESS(5, 2); seed++) {
        char plain[] = "/tmp/hectic-replay-XXXXXX", with[] = "/tmp/hectic-replay-XXXXXX";
        close(mkstemp(plain));
        close(mkstemp(with));
        make_whole(seed, false, plain);
        make_whole(seed, true, with);
        assert_command("%s info --json --quick %s | grep -q \"SYNC\"", with);
        for (const char *const *verb = (const char *const[]){"stat", "threads", NULL}; *verb;
             verb++) {
            char command[512];
            snprintf(command, sizeof command,
                     "bash -c 'diff <(\"%s\" %s --json %s) <(\"%s\" %s --json %s)' >&2", hectic,
                     *verb, plain, hectic, *verb, with);
            if (system(command) != 0) fail_msg("seed %d: %s", (int)seed, command);
        }
        unlink(plain);
        unlink(with);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_after_gaps_are_correct),
        cmocka_unit_test(replays_without_gaps_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
