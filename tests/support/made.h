/* Builds logs event by event from field values. */
#ifndef HECTIC_TEST_MADE_H
#define HECTIC_TEST_MADE_H

#include "golden.h"

/* A log under construction. Its header declares `types`. */
struct made {
    struct bytes bytes;
    const hectic_event_type *types;
    size_t count;
    uint64_t time; /* of the following events */
};

static inline const hectic_event_type *made_type(const struct made *m, uint16_t number)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->types[i].number == number) return &m->types[i];
    fail_msg("event %u is not declared", number);
    return NULL;
}

static inline void made_header(struct made *m, const hectic_event_type *types, size_t count)
{
    m->types = types;
    m->count = count;
    const size_t size = hectic_encode_header(NULL, 0, types, count);
    hectic_encode_header(bytes_grow(&m->bytes, size), size, types, count);
}

/* Begins a block without a known end, which the next marker ends. */
static inline void made_block(struct made *m, uint16_t cap)
{
    hectic_encode_block_marker(bytes_grow(&m->bytes, 24), 24, m->time, 0, 0, cap);
}

static inline void made_event(struct made *m, uint16_t number, const hectic_value *value,
                              size_t count)
{
    const hectic_event_type *type = made_type(m, number);
    const size_t size = hectic_encode_fields(NULL, 0, type, m->time, value, count);
    assert_true(size > 0);
    hectic_encode_fields(bytes_grow(&m->bytes, size), size, type, m->time, value, count);
}

/* An event of up to three numbers, as many as its shape has fields. */
static inline void made_numbers(struct made *m, uint16_t number, uint64_t a, uint64_t b, uint64_t c)
{
    const hectic_value value[] = {{.number = a}, {.number = b}, {.number = c}};
    made_event(m, number, value, made_type(m, number)->shape->field_count);
}

/* An event of a number and a text. */
static inline void made_text(struct made *m, uint16_t number, uint64_t a, const char *text)
{
    const hectic_value value[] = {
        {.number = a}, {.bytes = (const uint8_t *)text, .length = (uint32_t)strlen(text)}};
    made_event(m, number, value, 2);
}

static inline void made_end(struct made *m)
{
    hectic_encode_data_end(bytes_grow(&m->bytes, 2), 2);
}

/* The events of a log in order of time, one per line, except block markers. The caller frees it. */
static inline char *made_lines(const struct bytes *log)
{
    struct found events = golden_read(log);
    struct bytes text = {0};
    hectic_renderer *renderer = hectic_renderer_new(hectic_decoder_header(events.decoder));
    assert_int_equal(events.errors, 0);
    assert_int_equal(events.tail, 0);
    for (size_t i = 0; i < events.count; i++) {
        if (event_is_marker(&events.event[i])) continue;
        size_t length;
        char *line = golden_render(renderer, &events.event[i], false, &length);
        bytes_write(&text, line, length);
        bytes_write(&text, "\n", 1);
        free(line);
    }
    bytes_write(&text, "", 1);
    hectic_renderer_free(renderer);
    found_free(&events);
    return (char *)text.data;
}

#endif
