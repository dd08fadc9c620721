/* Events with consecutive numbers per cap: they show which events an emitter lost or duplicated,
 * and whether a log contains the live state. */
#ifndef HECTIC_TEST_NUMBERED_H
#define HECTIC_TEST_NUMBERED_H

#include "emit.h"

#include <pthread.h>
#include <time.h>

enum { NUMBERED_CAPS = 4, WITNESS = 4242 };
#define NUMBERED_NONE UINT64_MAX

/* An emitter that has logged a thread, with which every later log must begin. */
struct numbered {
    hectic_emitter *emitter;
    struct bytes first;              /* the log with the thread's creation */
    uint64_t emitted[NUMBERED_CAPS]; /* the next number to emit */
    uint64_t read[NUMBERED_CAPS];    /* the next number to read */
    uint64_t begun[NUMBERED_CAPS];   /* the first number of the log read last, or NUMBERED_NONE */
    uint64_t dropped;                /* according to the logs */
    uint64_t blocks;                 /* of the log read last */
};

static inline void numbered_emit(struct numbered *n, uint32_t cap, size_t size)
{
    static const uint8_t filler[1000];
    uint8_t payload[8 + sizeof filler];
    memcpy(payload, &n->emitted[cap], 8);
    memcpy(payload + 8, filler, size);
    if (hectic_emit_bytes(hectic_emitter_cap(n->emitter, cap), HECTIC_EVENT_USER_BINARY_MSG,
                          payload, 8 + size))
        __atomic_store_n(&n->emitted[cap], n->emitted[cap] + 1, __ATOMIC_RELEASE);
}

static inline void numbered_start(struct numbered *n, hectic_emitter_options options)
{
    *n = (struct numbered){0};
    if (options.caps == 0) options.caps = NUMBERED_CAPS;
    n->emitter = hectic_emitter_new(&options);
    assert_non_null(n->emitter);
    const hectic_destination keeper = {
        .kind = HECTIC_TO_WRITER, .writer = &emit_keeper, .user = &n->first};
    assert_int_equal(hectic_emitter_start(n->emitter, &keeper), HECTIC_EMIT_OK);
    hectic_emit_cap *cap = hectic_emitter_cap(n->emitter, 0);
    assert_true(hectic_emit_create_thread(cap, WITNESS));
    assert_true(hectic_emit_thread_label(cap, WITNESS, "witness"));
    /* Otherwise a full buffer of another cap would be written before. */
    assert_int_equal(hectic_emitter_flush(n->emitter, 0), HECTIC_EMIT_OK);
}

/* Starts it with the destination. */
static inline void numbered_start_to(struct numbered *n, hectic_emitter_options options,
                                     hectic_destination destination)
{
    numbered_start(n, options);
    assert_int_equal(hectic_emitter_redirect(n->emitter, &destination), HECTIC_EMIT_OK);
    bytes_free(&n->first);
}

static inline void numbered_free(struct numbered *n)
{
    hectic_emitter_free(n->emitter);
    bytes_free(&n->first);
}

/* True for the emitter's message that logging or a class is off or on from here. */
static inline bool note_of_logging(const hectic_event *event)
{
    static const char logging[] = "hectic: logging";
    return event->size >= sizeof logging &&
           memcmp(event->payload, logging, sizeof logging - 1) == 0;
}

static inline uint64_t note_of_dropped(const hectic_event *event)
{
    unsigned long long count = 0;
    char text[64] = "";
    memcpy(text, event->payload, event->size < sizeof text ? event->size : sizeof text - 1);
    assert_int_equal(sscanf(text, "hectic: %llu events were dropped here", &count), 1);
    return count;
}

enum numbered_log {
    LOG_WHOLE,     /* complete, and continues at the end of the last one */
    LOG_CUT,       /* truncated anywhere, possibly inside an event */
    LOG_AFTER_CUT, /* truncated, and may repeat the end of the last one */
    LOG_AFTER_GAP, /* as that, or begins at any later number */
};

/* Reads one log. */
static inline void numbered_read(struct numbered *n, const struct bytes *log, enum numbered_log how)
{
    struct found f = found_in(log->data, log->length);
    bool thread = false, label = false;
    assert_int_equal(f.errors, 0);
    if (how == LOG_WHOLE || f.count > 0) assert_int_equal(f.headers, 1);
    if (how == LOG_WHOLE) {
        assert_int_equal(f.ends, 1);
        assert_int_equal(f.tail, 0);
    }
    n->blocks = 0;
    for (unsigned i = 0; i < NUMBERED_CAPS; i++)
        n->begun[i] = NUMBERED_NONE;
    for (size_t i = 0; i < f.count; i++) {
        const hectic_event *event = &f.event[i];
        const uint16_t cap = event->cap;
        n->blocks += event_is_marker(event);
        if (event->type == HECTIC_EVENT_CREATE_THREAD) thread = true;
        if (event->type == HECTIC_EVENT_THREAD_LABEL) label = true;
        if (event->type == HECTIC_EVENT_LOG_MSG && !note_of_logging(event)) {
            const uint64_t dropped = note_of_dropped(event);
            assert_true(cap < NUMBERED_CAPS);
            n->read[cap] += dropped;
            n->dropped += dropped;
        }
        if (event->type != HECTIC_EVENT_USER_BINARY_MSG) continue;
        uint64_t number;
        assert_true(cap < NUMBERED_CAPS);
        assert_true(event->size >= 8);
        memcpy(&number, event->payload, 8);
        assert_true(thread && label);
        if (n->begun[cap] == NUMBERED_NONE) {
            n->begun[cap] = number;
            const bool again = how == LOG_AFTER_CUT && number < n->read[cap];
            if (again || how == LOG_AFTER_GAP) n->read[cap] = number;
        }
        if (number != n->read[cap])
            fail_msg("cap %u: %llu instead of %llu", cap, (unsigned long long)number,
                     (unsigned long long)n->read[cap]);
        n->read[cap]++;
    }
    found_free(&f);
}

/* Every emitted event has been read, or is reported as dropped. */
static inline void numbered_all_read(const struct numbered *n)
{
    for (unsigned i = 0; i < NUMBERED_CAPS; i++)
        assert_int_equal(n->read[i], n->emitted[i]);
}

/* --- A thread that emits until it is stopped ---------------------------------------------------
 */

struct load {
    pthread_t thread;
    struct numbered *n;
    uint32_t cap;
    size_t size;
    long pause_ns; /* after every 100th */
    bool stop;
};

static inline void *load_run(void *user)
{
    struct load *l = user;
    const struct timespec pause = {.tv_nsec = l->pause_ns};
    while (!__atomic_load_n(&l->stop, __ATOMIC_RELAXED)) {
        numbered_emit(l->n, l->cap, l->size);
        if (l->pause_ns > 0 && l->n->emitted[l->cap] % 100 == 0) nanosleep(&pause, NULL);
    }
    return NULL;
}

static inline void load_start(struct load *l)
{
    l->stop = false;
    assert_int_equal(pthread_create(&l->thread, NULL, load_run, l), 0);
}

static inline void load_stop(struct load *l)
{
    __atomic_store_n(&l->stop, true, __ATOMIC_RELAXED);
    pthread_join(l->thread, NULL);
}

/* --- Others ----------------------------------------------------------------------------------- */

static inline uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static inline void wait_for_state(hectic_emitter *emitter, hectic_destination_state wanted)
{
    const uint64_t until = milliseconds() + 20000;
    while (hectic_emitter_get_state(emitter).destination != wanted) {
        if (milliseconds() > until) fail_msg("the destination's state is not %d", (int)wanted);
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

#endif
