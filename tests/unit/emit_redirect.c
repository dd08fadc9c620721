/* A redirect returns before the new destination accepts data, whose reader may start only then.
 * Meanwhile another thread drains its buffers and waits for the new destination. */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "bytes.h"

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 3, PIPES = 500, SMALL = 4096, WAIT_MS = 60000, LONG_S = 20 };

struct program {
    hectic_emitter *emitter;
    uint32_t workers;
    bool ends;
};

static void *emit(void *user)
{
    struct program *p = user;
    hectic_emit_cap *cap =
        hectic_emitter_cap(p->emitter, __atomic_fetch_add(&p->workers, 1, __ATOMIC_RELAXED));
    while (!__atomic_load_n(&p->ends, __ATOMIC_ACQUIRE))
        hectic_emit_user_msg(cap, "a message that fills a small buffer soon");
    return NULL;
}

static void *read_all(void *user)
{
    static _Thread_local uint8_t piece[1 << 16];
    const int fd = *(int *)user;
    while (read(fd, piece, sizeof piece) > 0)
        ;
    close(fd);
    return NULL;
}

static void a_redirect_does_not_wait_for_its_destination(void **state)
{
    (void)state;
    struct program p = {.emitter = hectic_emitter_new(
                            &(hectic_emitter_options){.caps = WORKERS, .no_thread = true})};
    assert_non_null(p.emitter);
    assert_int_equal(hectic_emitter_set_buffer_size(p.emitter, 1), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_start(p.emitter, &(hectic_destination){.kind = HECTIC_TO_FILE,
                                                                           .path = "/dev/null"}),
                     HECTIC_EMIT_OK);
    pthread_t emits[WORKERS], reads[PIPES];
    int ends[PIPES][2];
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&emits[i], NULL, emit, &p), 0);
    for (int i = 0; i < PIPES; i++) {
        const time_t before = time(NULL);
        assert_int_equal(pipe(ends[i]), 0);
        fcntl(ends[i][1], F_SETPIPE_SZ, SMALL);
        const hectic_destination to = {.kind = HECTIC_TO_FD,
                                       .fd = ends[i][1],
                                       .when_blocked = HECTIC_BLOCKED_WAIT,
                                       .wait_ms = WAIT_MS};
        assert_int_equal(hectic_emitter_redirect(p.emitter, &to), HECTIC_EMIT_OK);
        if (time(NULL) - before > LONG_S) fail_msg("a redirect waited for its destination");
        assert_int_equal(pthread_create(&reads[i], NULL, read_all, &ends[i][0]), 0);
        if (i > 0) close(ends[i - 1][1]);
        usleep((useconds_t)(i % 10) * 50);
    }
    __atomic_store_n(&p.ends, true, __ATOMIC_RELEASE);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(emits[i], NULL);
    hectic_emitter_free(p.emitter);
    close(ends[PIPES - 1][1]);
    for (int i = 0; i < PIPES; i++)
        pthread_join(reads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_redirect_does_not_wait_for_its_destination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
