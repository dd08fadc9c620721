/* The state of threads that migrate between caps, although caps are drained one after the other. */
#include "emit.h"
#include "less.h"

#include <malloc.h>
#include <unistd.h>

static uint64_t clock_now(void *user)
{
    return *(uint64_t *)user;
}

struct fixture {
    hectic_emitter *emitter;
    hectic_emit_cap *cap[2];
    struct bytes log[2];
    uint64_t time;
};

enum { FINISHED = 5, ON_MVAR = 7 };

static void start(struct fixture *f)
{
    *f = (struct fixture){0};
    f->emitter = hectic_emitter_new(&(hectic_emitter_options){.caps = 2,
                                                              .clock = HECTIC_CLOCK_CALLER,
                                                              .now = clock_now,
                                                              .user = &f->time,
                                                              .no_process = true,
                                                              .no_thread = true});
    assert_non_null(f->emitter);
    for (uint32_t i = 0; i < 2; i++)
        f->cap[i] = hectic_emitter_cap(f->emitter, i);
    const hectic_destination keeper = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &f->log[0]};
    assert_int_equal(hectic_emitter_start(f->emitter, &keeper), HECTIC_EMIT_OK);
}

static void at(struct fixture *f, uint64_t time)
{
    f->time = time;
}

/* The events that a new reader gets now. */
static struct found join(struct fixture *f)
{
    const hectic_destination keeper = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &f->log[1]};
    assert_int_equal(hectic_emitter_redirect(f->emitter, &keeper), HECTIC_EMIT_OK);
    hectic_emitter_free(f->emitter);
    return found_in(f->log[1].data, f->log[1].length);
}

static void leave(struct fixture *f, struct found *found)
{
    found_free(found);
    bytes_free(&f->log[0]);
    bytes_free(&f->log[1]);
}

static size_t count_of(const struct found *found, uint16_t type)
{
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++)
        count += found->event[i].type == type;
    return count;
}

/* The cap on which it ends is drained first, then the one on which it began. */
static void finished_threads_stay_finished(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    at(&f, 1), hectic_emit_create_thread(f.cap[1], 7);
    at(&f, 2), hectic_emit_thread_label(f.cap[1], 7, "wanderer");
    at(&f, 3), hectic_emit_run_thread(f.cap[1], 7);
    at(&f, 4), hectic_emit_stop_thread(f.cap[1], 7, ON_MVAR, 0);
    at(&f, 5), hectic_emit_migrate_thread(f.cap[1], 7, 0);
    at(&f, 6), hectic_emit_run_thread(f.cap[0], 7);
    at(&f, 7), hectic_emit_stop_thread(f.cap[0], 7, FINISHED, 0);
    struct found found = join(&f);
    assert_int_equal(count_of(&found, HECTIC_EVENT_CREATE_THREAD), 0);
    assert_int_equal(count_of(&found, HECTIC_EVENT_THREAD_LABEL), 0);
    assert_int_equal(count_of(&found, HECTIC_EVENT_RUN_THREAD), 0);
    leave(&f, &found);
}

/* Unless its number belongs to another thread by then. */
static void thread_numbers_can_be_reused(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    at(&f, 1), hectic_emit_create_thread(f.cap[0], 7);
    at(&f, 2), hectic_emit_run_thread(f.cap[0], 7);
    at(&f, 3), hectic_emit_stop_thread(f.cap[0], 7, FINISHED, 0);
    at(&f, 4), hectic_emit_create_thread(f.cap[1], 7);
    struct found found = join(&f);
    assert_int_equal(count_of(&found, HECTIC_EVENT_CREATE_THREAD), 1);
    assert_int_equal(count_of(&found, HECTIC_EVENT_RUN_THREAD), 0);
    leave(&f, &found);
}

/* The latest state is replayed, whichever cap is drained last. */
static void the_latest_event_wins(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    at(&f, 1), hectic_emit_create_thread(f.cap[1], 7);
    at(&f, 2), hectic_emit_thread_label(f.cap[1], 7, "wanderer");
    at(&f, 3), hectic_emit_run_thread(f.cap[1], 7);
    at(&f, 4), hectic_emit_stop_thread(f.cap[1], 7, ON_MVAR, 0);
    at(&f, 5), hectic_emit_migrate_thread(f.cap[1], 7, 0);
    at(&f, 6), hectic_emit_run_thread(f.cap[0], 7);
    struct found found = join(&f);
    assert_int_equal(count_of(&found, HECTIC_EVENT_CREATE_THREAD), 1);
    assert_int_equal(count_of(&found, HECTIC_EVENT_THREAD_LABEL), 1);
    assert_int_equal(count_of(&found, HECTIC_EVENT_RUN_THREAD), 1);
    assert_int_equal(count_of(&found, HECTIC_EVENT_STOP_THREAD), 0);
    for (size_t i = 0; i < found.count; i++)
        if (found.event[i].type == HECTIC_EVENT_RUN_THREAD) assert_int_equal(found.event[i].cap, 0);
    leave(&f, &found);
}

/* The cap that wakes it is drained before the one that has stopped it: it is runnable. */
static void waking_comes_after_stopping(void **state)
{
    (void)state;
    struct fixture f;
    start(&f);
    at(&f, 1), hectic_emit_create_thread(f.cap[1], 7);
    at(&f, 2), hectic_emit_run_thread(f.cap[1], 7);
    at(&f, 3), hectic_emit_stop_thread(f.cap[1], 7, ON_MVAR, 0);
    at(&f, 4), hectic_emit_thread_wakeup(f.cap[0], 7, 1);
    struct found found = join(&f);
    assert_int_equal(count_of(&found, HECTIC_EVENT_CREATE_THREAD), 1);
    assert_int_equal(count_of(&found, HECTIC_EVENT_RUN_THREAD), 0);
    assert_int_equal(count_of(&found, HECTIC_EVENT_STOP_THREAD), 0);
    leave(&f, &found);
}

/* Events of tasks on several caps: those of cap 0 are drained first. */
static void tasks_are_where_they_have_gone(void **state)
{
    (void)state;
    enum { MOVES = 0x11, ENDS = 0x22, AGAIN = 0x33 };
    struct fixture f;
    start(&f);
    at(&f, 1), hectic_emit_task_create(f.cap[1], MOVES, 1, 101);
    at(&f, 2), hectic_emit_task_create(f.cap[1], ENDS, 1, 102);
    at(&f, 3), hectic_emit_task_create(f.cap[1], AGAIN, 1, 103);
    at(&f, 4), hectic_emit_task_migrate(f.cap[1], ENDS, 1, 0);
    at(&f, 5), hectic_emit_task_migrate(f.cap[1], MOVES, 1, 0);
    at(&f, 6), hectic_emit_task_migrate(f.cap[0], MOVES, 0, 5);
    at(&f, 7), hectic_emit_task_delete(f.cap[0], ENDS);
    at(&f, 8), hectic_emit_task_delete(f.cap[0], AGAIN);
    at(&f, 9), hectic_emit_task_create(f.cap[1], AGAIN, 1, 103);
    struct found found = join(&f);
    assert_int_equal(count_of(&found, HECTIC_EVENT_TASK_CREATE), 2);
    assert_int_equal(count_of(&found, HECTIC_EVENT_TASK_MIGRATE), 0);
    assert_int_equal(count_of(&found, HECTIC_EVENT_TASK_DELETE), 0);
    for (size_t i = 0; i < found.count; i++) {
        const uint8_t *created = found.event[i].payload;
        if (found.event[i].type == HECTIC_EVENT_TASK_CREATE)
            assert_int_equal(created[9], created[7] == MOVES ? 5 : 1);
        if (found.event[i].type == HECTIC_EVENT_TASK_CREATE) assert_int_not_equal(created[7], ENDS);
    }
    leave(&f, &found);
}

static size_t allocated(void)
{
#ifdef __GLIBC__
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

static void live_and_die(struct fixture *f, uint32_t from, uint32_t to, bool flush)
{
    for (uint32_t i = from; i < to; i++) {
        at(f, i);
        hectic_emit_create_thread(f->cap[1], i);
        hectic_emit_run_thread(f->cap[0], i);
        hectic_emit_stop_thread(f->cap[0], i, FINISHED, 0);
        hectic_emit_task_create(f->cap[1], i, 1, i);
        hectic_emit_task_migrate(f->cap[1], i, 1, 0);
        hectic_emit_task_delete(f->cap[0], i);
        if (i % 100 > 0) continue;
        if (flush) assert_int_equal(hectic_emitter_flush(f->emitter, 0), HECTIC_EMIT_OK);
        bytes_free(&f->log[0]);
        f->log[0] = (struct bytes){0};
    }
}

/* Memory depends on the live state, with or without flushes, and despite old events in the
 * global buffer. */
static void finished_threads_are_dropped(void **state)
{
    (void)state;
    enum { SOME = 50001, MANY = LESS(1000001, 250001) };
    for (int flush = 0; flush < 2; flush++) {
        struct fixture f;
        start(&f);
        hectic_emit_user_msg(hectic_emitter_global(f.emitter), "old");
        live_and_die(&f, 1, SOME, flush);
        const size_t before = allocated();
        live_and_die(&f, SOME, MANY, flush);
        assert_true(allocated() < before + 10000000);
        struct found found = join(&f);
        if (flush) assert_int_equal(count_of(&found, HECTIC_EVENT_CREATE_THREAD), 0);
        if (flush) assert_int_equal(count_of(&found, HECTIC_EVENT_TASK_CREATE), 0);
        leave(&f, &found);
    }
}

/* --- An event that its thread has stamped, but not written yet, at a state replay --------------
 */

struct delayed {
    hectic_emit_cap *cap;
    uint8_t *end; /* of the event; NULL: it is written */
    struct bytes log;
};

/* The event is written after its cap was drained, and before the state is replayed. */
static bool write_and_commit(void *user, const void *bytes, size_t length)
{
    struct delayed *d = user;
    if (d->end) hectic_emit_commit(d->cap, d->end);
    d->end = NULL;
    return emit_keep(&d->log, bytes, length);
}

/* The position of the last event of a type. */
static size_t last_of(const struct found *found, uint16_t type)
{
    size_t last = found->count;
    for (size_t i = 0; i < found->count; i++)
        if (found->event[i].type == type) last = i;
    assert_true(last < found->count);
    return last;
}

/* A state replay is not earlier than the events that it includes, and not later than those after
 * it. */
static void delayed_events_do_not_move_a_replay(void **state)
{
    (void)state;
    enum { SIZE = 14 };
    static const hectic_emit_writer writer = {.write = write_and_commit};
    struct delayed d = {0};
    hectic_emitter *e = hectic_emitter_new(&(hectic_emitter_options){
        .caps = 2, .clock = HECTIC_CLOCK_MONOTONIC, .no_process = true, .no_thread = true});
    assert_non_null(e);
    const hectic_destination keeper = {.kind = HECTIC_TO_WRITER, .writer = &writer, .user = &d};
    assert_int_equal(hectic_emitter_start(e, &keeper), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_flush(e, 0), HECTIC_EMIT_OK);

    d.cap = hectic_emitter_cap(e, 0);
    uint8_t *at = hectic_emit_begin(d.cap, HECTIC_EVENT_CREATE_THREAD, SIZE);
    assert_non_null(at);
    hectic_emit_put32(at + SIZE - 4, 9);
    usleep(1000);
    hectic_emit_create_thread(hectic_emitter_cap(e, 1), 7);
    d.end = at + SIZE;
    assert_int_equal(hectic_emitter_sync(e), HECTIC_EMIT_OK);
    assert_null(d.end);
    assert_int_equal(hectic_emitter_stop(e), HECTIC_EMIT_OK);
    hectic_emitter_free(e);

    struct found found = found_in(d.log.data, d.log.length);
    const size_t replay = last_of(&found, HECTIC_EVENT_SYNC);
    const size_t delayed = last_of(&found, HECTIC_EVENT_CREATE_THREAD);
    assert_true(replay < delayed && found.event[delayed].cap == 0);
    for (size_t i = 0; i < found.count; i++) {
        if (event_is_marker(&found.event[i])) continue;
        if (i < replay) assert_true(found.event[i].time <= found.event[replay].time);
        if (i > replay) assert_true(found.event[i].time >= found.event[replay].time);
    }
    found_free(&found);
    bytes_free(&d.log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finished_threads_stay_finished),
        cmocka_unit_test(thread_numbers_can_be_reused),
        cmocka_unit_test(the_latest_event_wins),
        cmocka_unit_test(waking_comes_after_stopping),
        cmocka_unit_test(tasks_are_where_they_have_gone),
        cmocka_unit_test(finished_threads_are_dropped),
        cmocka_unit_test(delayed_events_do_not_move_a_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
