/* A flush writes everything that every cap emitted before it, while they continue to emit. */
#include "emit.h"

#include <pthread.h>

enum { CAPS = 4, FLUSHES = 300 };

/* Counts the events of each cap in the output. */
struct counter {
    hectic_decoder *decoder;
    uint64_t messages[CAPS + 1];
};

static bool count(void *user, const void *bytes, size_t length)
{
    struct counter *c = user;
    hectic_event event;
    hectic_result result;
    hectic_decoder_push(c->decoder, bytes, length);
    while ((result = hectic_decoder_pull(c->decoder, &event)) != HECTIC_PARTIAL) {
        if (result == HECTIC_ERROR) return false;
        if (result != HECTIC_GOT_EVENT || event.type != HECTIC_EVENT_USER_MSG) continue;
        const size_t cap = event.cap < CAPS ? event.cap : CAPS;
        __atomic_add_fetch(&c->messages[cap], 1, __ATOMIC_RELEASE);
    }
    return true;
}

struct writer {
    hectic_emitter *emitter;
    hectic_emit_cap *cap;
    pthread_t thread;
    uint64_t messages; /* number of messages emitted */
    const bool *ends;
};

static void *write_messages(void *user)
{
    struct writer *w = user;
    while (!__atomic_load_n(w->ends, __ATOMIC_ACQUIRE)) {
        assert_true(hectic_emit_user_msg(w->cap, "message"));
        __atomic_add_fetch(&w->messages, 1, __ATOMIC_RELEASE);
        if (w->messages % 100 == 0) usleep(50);
    }
    return NULL;
}

/* The last cap is this thread's own: its latest event is the newest of all. */
static void flush_often(hectic_emit_clock clock)
{
    static const hectic_emit_writer counting = {.write = count};
    struct counter counter = {.decoder = hectic_decoder_new()};
    const hectic_destination destination = {
        .kind = HECTIC_TO_WRITER, .writer = &counting, .user = &counter, .wait_ms = 60000};
    hectic_emitter *e = hectic_emitter_new(
        &(hectic_emitter_options){.caps = CAPS, .buffer_size = 1, .clock = clock});
    assert_non_null(counter.decoder);
    assert_non_null(e);
    assert_int_equal(hectic_emitter_start(e, &destination), HECTIC_EMIT_OK);
    struct writer writer[CAPS + 1];
    bool ends = false;
    for (uint32_t i = 0; i <= CAPS; i++) {
        writer[i] =
            (struct writer){.emitter = e,
                            .cap = i < CAPS ? hectic_emitter_cap(e, i) : hectic_emitter_global(e),
                            .ends = &ends};
        if (i != CAPS - 1)
            assert_int_equal(pthread_create(&writer[i].thread, NULL, write_messages, &writer[i]),
                             0);
    }
    for (size_t i = 0; i < FLUSHES; i++) {
        uint64_t before[CAPS + 1];
        assert_true(hectic_emit_user_msg(writer[CAPS - 1].cap, "the newest"));
        writer[CAPS - 1].messages++;
        for (size_t cap = 0; cap <= CAPS; cap++)
            before[cap] = __atomic_load_n(&writer[cap].messages, __ATOMIC_ACQUIRE);
        assert_int_equal(hectic_emitter_flush(e, 0), HECTIC_EMIT_OK);
        for (size_t cap = 0; cap <= CAPS; cap++) {
            const uint64_t out = __atomic_load_n(&counter.messages[cap], __ATOMIC_ACQUIRE);
            if (out < before[cap])
                fail_msg("flush %zu: cap %zu had emitted %lu messages, %lu are written", i, cap,
                         (unsigned long)before[cap], (unsigned long)out);
        }
    }
    __atomic_store_n(&ends, true, __ATOMIC_RELEASE);
    for (size_t i = 0; i <= CAPS; i++)
        if (i != CAPS - 1) pthread_join(writer[i].thread, NULL);
    assert_int_equal(hectic_emitter_stop(e), HECTIC_EMIT_OK);
    for (size_t i = 0; i <= CAPS; i++)
        assert_int_equal(counter.messages[i], writer[i].messages);
    hectic_emitter_free(e);
    hectic_decoder_free(counter.decoder);
}

static void a_flush_writes_all_earlier_events(void **state)
{
    (void)state;
    flush_often(HECTIC_CLOCK_MONOTONIC);
}

static void works_with_the_tsc(void **state)
{
    (void)state;
    flush_often(HECTIC_CLOCK_TSC);
}

static uint64_t time_of_test(void *user)
{
    return *(uint64_t *)user;
}

/* An event that is being written belongs to the next block, and so does its time: a block
 * contains all events of its cap up to the block's end. */
static void a_block_ends_with_its_last_event(void **state)
{
    (void)state;
    enum { BEGUN = 12 };
    for (int global = 0; global < 2; global++) {
        uint64_t time = 1;
        struct bytes log = {0};
        hectic_emitter *e = hectic_emitter_new(&(hectic_emitter_options){
            .clock = HECTIC_CLOCK_CALLER, .now = time_of_test, .user = &time, .no_thread = true});
        assert_non_null(e);
        hectic_emit_cap *cap = global ? hectic_emitter_global(e) : hectic_emitter_cap(e, 0);
        const hectic_destination keeper = {
            .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &log};
        assert_int_equal(hectic_emitter_start(e, &keeper), HECTIC_EMIT_OK);
        time = 2, assert_true(hectic_emit_user_msg(cap, "whole"));
        time = 3;
        uint8_t *begun = hectic_emit_begin(cap, HECTIC_EVENT_USER_MSG, BEGUN);
        assert_int_equal(hectic_emitter_flush(e, 0), HECTIC_EMIT_OK);
        hectic_emit_put16(begun + BEGUN - 2, 0);
        hectic_emit_commit(cap, begun + BEGUN);
        assert_int_equal(hectic_emitter_stop(e), HECTIC_EMIT_OK);

        struct found found = found_in(log.data, log.length);
        const hectic_event *marker[] = {NULL, NULL}; /* of the last two blocks */
        for (size_t i = 0; i < found.count; i++) {
            if (!event_is_marker(&found.event[i])) continue;
            marker[0] = marker[1];
            marker[1] = &found.event[i];
        }
        assert_int_equal(event_block_end(marker[0]), 2);
        assert_int_equal(event_block_end(marker[1]), 3);
        found_free(&found);
        bytes_free(&log);
        hectic_emitter_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flush_writes_all_earlier_events),
        cmocka_unit_test(works_with_the_tsc),
        cmocka_unit_test(a_block_ends_with_its_last_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
