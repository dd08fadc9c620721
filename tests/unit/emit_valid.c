/* Well-formed programs: their threads behave as real ones, and every log, however often it was
 * redirected, is valid for `hectic validate` and for ghc-events. */
#include "bytes.h"
#include "less.h"

#include <pthread.h>

enum { CAPS = 4, THREADS = 8, LOGS = LESS(9, 3), PAUSE_US = 20000 };
enum { YIELDING = 3, FINISHED = 5, BLOCKED = 7 }; /* statuses of STOP_THREAD */

static char directory[] = "/tmp/hectic-valid-XXXXXX";

struct program {
    hectic_emitter *emitter;
    bool ends;
};

struct worker {
    struct program *program;
    pthread_t thread;
    uint16_t cap;
};

/* A light thread's next step on its cap. */
static void step(hectic_emit_cap *cap, uint16_t cap_no, uint32_t *thread, bool *blocked,
                 uint32_t *last, uint64_t *random)
{
    if (*thread == 0) {
        *thread = *last += CAPS;
        hectic_emit_create_thread(cap, *thread);
        if (random_below(random, 2)) hectic_emit_thread_label(cap, *thread, "worker");
        return;
    }
    if (*blocked) {
        hectic_emit_thread_wakeup(cap, *thread, cap_no);
        *blocked = false;
        return;
    }
    hectic_emit_run_thread(cap, *thread);
    if (random_below(random, 3) == 0) hectic_emit_user_msg(cap, "at work");
    if (random_below(random, 9) == 0) hectic_emit_heap_allocated(cap, 0, *last);
    switch (random_below(random, 4)) {
    case 0:
        hectic_emit_stop_thread(cap, *thread, FINISHED, 0);
        *thread = 0;
        break;
    case 1:
        hectic_emit_stop_thread(cap, *thread, BLOCKED, 0);
        *blocked = true;
        break;
    default: hectic_emit_stop_thread(cap, *thread, YIELDING, 0);
    }
}

static void *work(void *user)
{
    struct worker *w = user;
    hectic_emit_cap *cap = hectic_emitter_cap(w->program->emitter, w->cap);
    uint32_t thread[THREADS] = {0}, last = w->cap;
    bool blocked[THREADS] = {0};
    uint64_t random = w->cap;
    while (!__atomic_load_n(&w->program->ends, __ATOMIC_ACQUIRE)) {
        const size_t which = random_below(&random, THREADS);
        step(cap, w->cap, &thread[which], &blocked[which], &last, &random);
        if (random_below(&random, 50) == 0) usleep(200);
    }
    return NULL;
}

static void control(struct program *p, uint64_t *random)
{
    switch (random_below(random, 5)) {
    case 0: hectic_emitter_flush(p->emitter, 0); break;
    case 1: hectic_emitter_sync(p->emitter); break;
    case 2: hectic_emitter_set_buffer_size(p->emitter, random_below(random, 300000)); break;
    case 3: hectic_emitter_flush_every(p->emitter, (uint32_t)random_below(random, 3)); break;
    default: hectic_emitter_flush_idle(p->emitter, (uint32_t)random_below(random, 3));
    }
}

/* Checks that the command succeeds. */
static void assert_command(const char *format, const char *program, const char *path)
{
    char command[512];
    snprintf(command, sizeof command, format, program, path);
    if (system(command) != 0) fail_msg("%s", command);
}

/* Times do not decrease on a cap. */
static void assert_times(const char *path)
{
    static uint64_t last[HECTIC_CAP_NONE + 1];
    memset(last, 0, sizeof last);
    struct bytes bytes = bytes_of_file(path);
    struct found found = found_in(bytes.data, bytes.length);
    assert_int_equal(found.errors, 0);
    assert_int_equal(found.ends, 1);
    for (size_t i = 0; i < found.count; i++) {
        const hectic_event *event = &found.event[i];
        if (event->time < last[event->cap])
            fail_msg("%s: byte %lu: time decreases on cap %u", path, (unsigned long)event->position,
                     event->cap);
        last[event->cap] = event->time;
    }
    found_free(&found);
    bytes_free(&bytes);
}

static void every_log_of_a_well_formed_program_is_valid(void **state)
{
    (void)state;
    struct program p = {
        .emitter = hectic_emitter_new(&(hectic_emitter_options){.caps = CAPS, .buffer_size = 1})};
    struct worker worker[CAPS];
    char path[LOGS][64];
    uint64_t random = 1;
    assert_non_null(p.emitter);
    for (size_t i = 0; i < LOGS; i++) {
        snprintf(path[i], sizeof path[i], "%s/%zu", directory, i);
        /* A busy disk may be slow. */
        const hectic_destination file = {.path = path[i], .wait_ms = 60000};
        assert_int_equal(i ? hectic_emitter_redirect(p.emitter, &file)
                           : hectic_emitter_start(p.emitter, &file),
                         HECTIC_EMIT_OK);
        for (uint16_t cap = 0; i == 0 && cap < CAPS; cap++) {
            worker[cap] = (struct worker){.program = &p, .cap = cap};
            assert_int_equal(pthread_create(&worker[cap].thread, NULL, work, &worker[cap]), 0);
        }
        for (uint64_t passed = 0, pause; passed < PAUSE_US; passed += pause) {
            pause = 1 + random_below(&random, PAUSE_US / 4);
            usleep((useconds_t)pause);
            control(&p, &random);
        }
    }
    __atomic_store_n(&p.ends, true, __ATOMIC_RELEASE);
    for (size_t i = 0; i < CAPS; i++)
        pthread_join(worker[i].thread, NULL);
    assert_int_equal(hectic_emitter_stop(p.emitter), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_get_state(p.emitter).events_dropped, 0);
    hectic_emitter_free(p.emitter);

    const char *const hectic = getenv("HECTIC");
    const bool has_ghc_events = system("command -v ghc-events >/dev/null") == 0;
    for (size_t i = 0; i < LOGS; i++) {
        assert_times(path[i]);
        if (hectic) assert_command("%s validate all %s >/dev/null", hectic, path[i]);
        if (has_ghc_events && i % 4 == 0) {
            assert_command("%s validate threads %s | grep -q '^Valid event log'", "ghc-events",
                           path[i]);
            assert_command("%s show %s | grep -q 'cap 0: at work'", "ghc-events", path[i]);
        }
        unlink(path[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_log_of_a_well_formed_program_is_valid),
    };
    if (!mkdtemp(directory)) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed;
}
