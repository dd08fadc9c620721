/* The state of threads and capabilities after a gap. */
#include "../../ghc/cbits/gap.c"

#include <hectic/hectic.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { THREADS = 64, CAPS = 4, TIME = 1234, HEADER_MAX = 4096 };

/* --- The events that come out --------------------------------------------------------------- */

typedef struct output {
    uint8_t *bytes;
    size_t size;
    unsigned blocks;
} output;

static void append(void *user, const void *bytes, size_t length)
{
    output *o = user;
    o->bytes = realloc(o->bytes, o->size + length);
    memcpy(o->bytes + o->size, bytes, length);
    o->size += length;
    o->blocks++;
}

static output begin(void)
{
    static const uint16_t numbers[] = {
        HECTIC_EVENT_BLOCK_MARKER, HECTIC_EVENT_CREATE_THREAD, HECTIC_EVENT_RUN_THREAD,
        HECTIC_EVENT_STOP_THREAD,  HECTIC_EVENT_THREAD_WAKEUP, HECTIC_EVENT_MIGRATE_THREAD,
        HECTIC_EVENT_THREAD_LABEL, HECTIC_EVENT_LOG_MSG,       HECTIC_EVENT_CAP_CREATE,
        HECTIC_EVENT_CAP_ENABLE,   HECTIC_EVENT_CAP_DISABLE,   HECTIC_EVENT_CAPSET_ASSIGN_CAP,
    };
    hectic_event_type types[sizeof numbers / sizeof *numbers];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        types[i] = hectic_type_of(numbers[i]);
    uint8_t header[HEADER_MAX];
    output o = {0};
    append(&o, header,
           hectic_encode_header(header, sizeof header, types, sizeof numbers / sizeof *numbers));
    o.blocks = 0;
    return o;
}

static gap_writer *writer(output *o)
{
    gap_writer *w = calloc(1, sizeof *w);
    *w = (gap_writer){.time = TIME, .write = append, .user = o};
    return w;
}

typedef void (*take)(void *user, const hectic_event *event);

static void each_event(const output *o, take take_event, void *user)
{
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_decoder_push(decoder, o->bytes, o->size);
    hectic_event event;
    for (hectic_result r; (r = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL;) {
        assert_int_not_equal(r, HECTIC_ERROR);
        if (r != HECTIC_GOT_EVENT || event.type == HECTIC_EVENT_BLOCK_MARKER) continue;
        assert_int_equal(event.time, TIME);
        take_event(user, &event);
    }
    hectic_decoder_free(decoder);
}

/* --- Threads: a model that takes one event after the other ----------------------------------- */

typedef struct model {
    struct {
        enum { ABSENT, MAY_RUN, RUNS, WAITS } state;
        uint16_t status, cap;
        char label[8];
    } thread[THREADS];
    unsigned events;
} model;

static uint32_t number(const uint8_t *p, int size)
{
    uint32_t n = 0;
    while (size-- > 0)
        n = n << 8 | *p++;
    return n;
}

static void step(void *user, const hectic_event *event)
{
    model *m = user;
    const uint32_t id = number(event->payload, 4);
    const uint16_t second = event->size >= 6 ? (uint16_t)number(event->payload + 4, 2) : 0;
    assert_in_range(id, 0, THREADS - 1);
    m->events++;
    if (m->thread[id].state != ABSENT) assert_int_equal(event->cap, m->thread[id].cap);
    switch (event->type) {
    case HECTIC_EVENT_CREATE_THREAD:
        assert_int_equal(m->thread[id].state, ABSENT);
        m->thread[id].state = MAY_RUN;
        m->thread[id].cap = event->cap;
        break;
    case HECTIC_EVENT_THREAD_WAKEUP:
        assert_int_equal(m->thread[id].state, WAITS);
        assert_int_equal(second, event->cap);
        m->thread[id].state = MAY_RUN;
        break;
    case HECTIC_EVENT_MIGRATE_THREAD:
        assert_int_equal(m->thread[id].state, MAY_RUN);
        m->thread[id].cap = second;
        break;
    case HECTIC_EVENT_RUN_THREAD:
        assert_int_equal(m->thread[id].state, MAY_RUN);
        for (int other = 0; other < THREADS; other++)
            assert_false(m->thread[other].state == RUNS && m->thread[other].cap == event->cap);
        m->thread[id].state = RUNS;
        break;
    case HECTIC_EVENT_STOP_THREAD:
        assert_int_equal(m->thread[id].state, RUNS);
        m->thread[id].state = second == 5 ? ABSENT : WAITS;
        m->thread[id].status = second;
        break;
    case HECTIC_EVENT_THREAD_LABEL:
        assert_int_not_equal(m->thread[id].state, ABSENT);
        memcpy(m->thread[id].label, event->payload + 4, event->size - 4u);
        break;
    default: fail_msg("event %u", event->type);
    }
}

/* A random state; returns how many threads are alive. */
static size_t random_threads(gap_thread threads[THREADS])
{
    static const char *const labels[] = {NULL, "one", "two"};
    size_t count = 0;
    for (uint32_t id = 0; id < THREADS; id++)
        if (rand() % 2) {
            const char *label = labels[rand() % 3];
            threads[count++] = (gap_thread){.id = id,
                                            .label = label,
                                            .label_length = label ? 3 : 0,
                                            .cap = (uint16_t)(rand() % CAPS),
                                            .status = (uint16_t)(rand() % 2 ? 0 : 6 + rand() % 3)};
        }
    return count;
}

static void put_into(model *m, const gap_thread *threads, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        m->thread[threads[i].id].state = threads[i].status ? WAITS : MAY_RUN;
        m->thread[threads[i].id].status = threads[i].status;
        m->thread[threads[i].id].cap = threads[i].cap;
    }
}

static void threads_reach_their_reported_state(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 500; round++) {
        gap_thread before[THREADS], after[THREADS];
        const size_t was = random_threads(before), is = random_threads(after);
        static model m, wanted;
        m = wanted = (model){0};
        output o = begin();
        gap_writer *w = writer(&o);
        gap_threads(w, before, was, after, is);
        gap_end(w);
        put_into(&m, before, was);
        put_into(&wanted, after, is);
        each_event(&o, step, &m);
        for (size_t i = 0; i < is; i++)
            if (after[i].label) assert_string_equal(m.thread[after[i].id].label, after[i].label);
        for (int id = 0; id < THREADS; id++) {
            assert_int_equal(m.thread[id].state, wanted.thread[id].state);
            if (m.thread[id].state == ABSENT) continue;
            assert_int_equal(m.thread[id].cap, wanted.thread[id].cap);
            if (m.thread[id].state == WAITS)
                assert_int_equal(m.thread[id].status, wanted.thread[id].status);
        }
        free(o.bytes);
        free(w);
    }
}

static void unchanged_state_is_not_reported(void **state)
{
    (void)state;
    const gap_thread same[] = {{.id = 1, .cap = 2, .status = 7}, {.id = 3}};
    output o = begin();
    gap_writer *w = writer(&o);
    gap_threads(w, same, 2, same, 2);
    gap_end(w);
    assert_int_equal(o.blocks, 0);
    gap_threads(w, NULL, 0, same, 2);
    gap_end(w);
    model m = {0};
    each_event(&o, step, &m);
    assert_int_equal(m.events, 4);
    free(o.bytes);
    free(w);
}

/* More than one block holds; each block is complete. */
static void many_threads_take_many_blocks(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    gap_thread *threads = calloc(MANY, sizeof *threads);
    for (uint32_t i = 0; i < MANY; i++)
        threads[i] = (gap_thread){.id = i, .label = "a label", .label_length = 7};
    output o = begin();
    gap_writer *w = writer(&o);
    gap_threads(w, NULL, 0, threads, MANY);
    gap_end(w);
    assert_in_range(o.blocks, 2, 100);
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_decoder_push(decoder, o.bytes, o.size);
    hectic_event event;
    unsigned created = 0, labeled = 0;
    for (hectic_result r; (r = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL;) {
        assert_int_not_equal(r, HECTIC_ERROR);
        created += r == HECTIC_GOT_EVENT && event.type == HECTIC_EVENT_CREATE_THREAD;
        labeled += r == HECTIC_GOT_EVENT && event.type == HECTIC_EVENT_THREAD_LABEL;
    }
    assert_int_equal(created, MANY);
    assert_int_equal(labeled, MANY);
    hectic_decoder_free(decoder);
    free(threads);
    free(o.bytes);
    free(w);
}

/* --- Capabilities and messages --------------------------------------------------------------- */

static void write_down(void *user, const hectic_event *event)
{
    char *text = user;
    const size_t length = strlen(text);
    const unsigned cap = event->type == HECTIC_EVENT_CAPSET_ASSIGN_CAP
                             ? number(event->payload + 4, 2)
                             : number(event->payload, 2);
    if (event->type == HECTIC_EVENT_LOG_MSG)
        snprintf(text + length, 200 - length, "%.*s;", event->size, (const char *)event->payload);
    else
        snprintf(text + length, 200 - length, "%u %u;", event->type, cap);
    assert_int_equal(event->cap, HECTIC_CAP_NONE);
}

static void caps_reach_their_reported_state(void **state)
{
    (void)state;
    output o = begin();
    gap_writer *w = writer(&o);
    gap_message(w, "hello");
    gap_of_caps(w, (gap_caps){.count = 3, .enabled = 1}, (gap_caps){.count = 5, .enabled = 4});
    gap_of_caps(w, (gap_caps){.count = 5, .enabled = 4}, (gap_caps){.count = 5, .enabled = 3});
    gap_end(w);
    char text[200] = "";
    each_event(&o, write_down, text);
    /* CAP_CREATE 45, CAPSET_ASSIGN_CAP 27, CAP_DISABLE 47, CAP_ENABLE 48 */
    assert_string_equal(text, "hello;45 3;27 3;27 3;45 4;27 4;27 4;48 1;48 2;47 4;47 3;");
    assert_int_equal(o.blocks, 1);
    free(o.bytes);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_reach_their_reported_state),
        cmocka_unit_test(unchanged_state_is_not_reported),
        cmocka_unit_test(many_threads_take_many_blocks),
        cmocka_unit_test(caps_reach_their_reported_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
