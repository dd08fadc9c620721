/* Builds the events of heap profiles. */
#ifndef HECTIC_TEST_HEAP_EVENTS_H
#define HECTIC_TEST_HEAP_EVENTS_H

#include "events.h"

/* Takes an event: one of the functions of the library. */
typedef bool (*heap_feed)(void *consumer, const hectic_event *event);

struct heap_made {
    heap_feed feed;
    void *consumer;
    uint64_t time; /* of the following events */
    uint8_t payload[EVENT_SIZE_MAX], *end;
};

static inline void heap_number(struct heap_made *m, uint64_t number, size_t bytes)
{
    m->end = event_put(m->end, number, bytes);
}

static inline void heap_text(struct heap_made *m, const char *text)
{
    memcpy(m->end, text, strlen(text) + 1);
    m->end += strlen(text) + 1;
}

static inline bool heap_event(struct heap_made *m, uint16_t type)
{
    const hectic_event_type declared = {.number = type, .size = HECTIC_VARIABLE};
    const hectic_event event = {.time = m->time,
                                .payload = m->payload,
                                .declared = &declared,
                                .type = type,
                                .size = (uint16_t)(m->end - m->payload),
                                .cap = HECTIC_CAP_NONE};
    m->end = m->payload;
    return m->feed(m->consumer, &event);
}

static inline struct heap_made *heap_start(struct heap_made *m)
{
    m->end = m->payload;
    return m;
}

/* HEAP_PROF_BEGIN with at most one selector, of the seven at `place`. */
static inline void heap_define(struct heap_made *m, uint8_t profile, uint64_t period,
                               uint32_t breakdown, int place, const char *selector)
{
    heap_number(heap_start(m), profile, 1);
    heap_number(m, period, 8);
    heap_number(m, breakdown, 4);
    for (int i = 0; i < 7; i++)
        heap_text(m, i == place ? selector : "");
    assert_true(heap_event(m, HECTIC_EVENT_HEAP_PROF_BEGIN));
}

static inline void heap_cost_centre(struct heap_made *m, uint32_t number, const char *label,
                                    const char *module, const char *location, bool is_caf)
{
    heap_number(heap_start(m), number, 4);
    heap_text(m, label);
    heap_text(m, module);
    heap_text(m, location);
    heap_number(m, is_caf, 1);
    assert_true(heap_event(m, HECTIC_EVENT_HEAP_PROF_COST_CENTRE));
}

static inline void heap_info_table(struct heap_made *m, uint64_t address, const char *label,
                                   const char *module, const char *location)
{
    heap_number(heap_start(m), address, 8);
    heap_text(m, "table_info");
    heap_text(m, "closure");
    heap_text(m, "type");
    heap_text(m, label);
    heap_text(m, module);
    heap_text(m, location);
    assert_true(heap_event(m, HECTIC_EVENT_IPE));
}

static inline void heap_begin(struct heap_made *m, uint64_t time)
{
    m->time = time;
    heap_number(heap_start(m), 0, 8);
    assert_true(heap_event(m, HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN));
}

static inline void heap_begin_biography(struct heap_made *m, uint64_t era, uint64_t time)
{
    heap_number(heap_start(m), era, 8);
    heap_number(m, time, 8);
    assert_true(heap_event(m, HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN));
}

static inline void heap_band(struct heap_made *m, uint8_t profile, const char *label,
                             uint64_t bytes)
{
    heap_number(heap_start(m), profile, 1);
    heap_number(m, bytes, 8);
    heap_text(m, label);
    assert_true(heap_event(m, HECTIC_EVENT_HEAP_PROF_SAMPLE_STRING));
}

/* A band of a stack, innermost first. */
static inline void heap_stack(struct heap_made *m, uint8_t profile, uint64_t bytes,
                              const uint32_t *numbers, uint8_t count)
{
    heap_number(heap_start(m), profile, 1);
    heap_number(m, bytes, 8);
    heap_number(m, count, 1);
    for (uint8_t i = 0; i < count; i++)
        heap_number(m, numbers[i], 4);
    assert_true(heap_event(m, HECTIC_EVENT_HEAP_PROF_SAMPLE_COST_CENTRE));
}

#define HEAP_STACK(made, profile, bytes, ...)                                                      \
    heap_stack(made, profile, bytes, (const uint32_t[]){__VA_ARGS__},                              \
               sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static inline void heap_end(struct heap_made *m)
{
    heap_number(heap_start(m), 0, 8);
    assert_true(heap_event(m, HECTIC_EVENT_HEAP_PROF_SAMPLE_END));
}

#endif
