/* The log reports every dropped event, including the last ones. */
#include "facts/gaps.h"

#include <hectic/hectic.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { EVENTS = 200000 };

/* Output of a pipe: the number of our events, and of those reported as missing. */
typedef struct reader {
    int fd;
    uint64_t events, missing;
    hectic_gaps gaps; /* likewise, found by the library */
    bool ended;
} reader;

static void look_at(reader *r, const hectic_event *event)
{
    char text[64] = "";
    uint64_t missing;
    hectic_gaps_event(&r->gaps, event);
    r->events += event->type == HECTIC_EVENT_USER_MARKER;
    if (event->type != HECTIC_EVENT_LOG_MSG || event->size >= sizeof text) return;
    memcpy(text, event->payload, event->size);
    if (sscanf(text, "hectic: %" SCNu64 " events were dropped here", &missing) == 1)
        r->missing += missing;
}

static void *read_all(void *user)
{
    reader *r = user;
    hectic_decoder *d = hectic_decoder_new();
    uint8_t bytes[4096];
    for (ssize_t size; (size = read(r->fd, bytes, sizeof bytes)) > 0;) {
        hectic_event event;
        hectic_result result;
        hectic_decoder_push(d, bytes, (size_t)size);
        while ((result = hectic_decoder_pull(d, &event)) != HECTIC_PARTIAL &&
               result != HECTIC_ERROR) {
            if (result == HECTIC_GOT_EVENT) look_at(r, &event);
            r->ended = result == HECTIC_COMPLETE;
        }
    }
    hectic_decoder_free(d);
    return NULL;
}

static void every_dropped_event_is_reported(void **state)
{
    (void)state;
    const hectic_when_blocked policies[] = {HECTIC_BLOCKED_DROP_NEWEST, HECTIC_BLOCKED_DROP_OLDEST};
    for (size_t i = 0; i < 2; i++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        reader r = {.fd = ends[0], .gaps.to = UINT64_MAX};
        hectic_emitter *e = hectic_emitter_new(&(hectic_emitter_options){.buffer_size = 1 << 16});
        const hectic_destination to = {
            .kind = HECTIC_TO_FD, .fd = ends[1], .when_blocked = policies[i]};
        assert_int_equal(hectic_emitter_start(e, &to), HECTIC_EMIT_OK);
        /* Nothing is read until a block has been dropped. */
        uint64_t sent = 0;
        while (sent < EVENTS || hectic_emitter_get_state(e).events_dropped == 0)
            sent += hectic_emit_user_marker(hectic_emitter_cap(e, 0), "full");
        for (uint64_t dropped = hectic_emitter_get_state(e).events_dropped;
             policies[i] == HECTIC_BLOCKED_DROP_NEWEST &&
             hectic_emitter_get_state(e).events_dropped == dropped;)
            sent += hectic_emit_user_marker(hectic_emitter_cap(e, 0), "full");
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, read_all, &r), 0);
        assert_int_equal(hectic_emitter_stop(e), HECTIC_EMIT_OK);
        close(ends[1]);
        pthread_join(thread, NULL);
        close(ends[0]);
        assert_true(r.ended);
        assert_true(r.missing > 0);
        assert_int_equal(r.missing, hectic_emitter_get_state(e).events_dropped);
        assert_int_equal(r.events + r.missing, sent);
        assert_int_equal(r.gaps.dropped_events, r.missing);
        hectic_emitter_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_dropped_event_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
