/* Renders a single event of a test. */
#ifndef HECTIC_TEST_RENDER_H
#define HECTIC_TEST_RENDER_H

#include "golden.h"

/* A header, a renderer and an event of one declared type. */
struct rendering {
    hectic_header *header;
    hectic_renderer *renderer;
    hectic_event event;
};

/* For a log that declares one type, and also `extra_number` unless that is 0. */
static inline struct rendering rendering_also(uint16_t number, uint16_t size,
                                              const char *description, size_t length,
                                              uint16_t extra_number)
{
    const hectic_event_type types[] = {
        {.number = number,
         .size = size,
         .description = description,
         .description_length = (uint32_t)length},
        {.number = extra_number, .size = HECTIC_VARIABLE, .description = ""},
    };
    struct rendering r = {.header = hectic_header_new(types, extra_number ? 2 : 1)};
    assert_non_null(r.header);
    r.renderer = hectic_renderer_new(r.header);
    assert_non_null(r.renderer);
    r.event = (hectic_event){.type = number,
                             .cap = HECTIC_CAP_NONE,
                             .payload = (const uint8_t *)"",
                             .declared = hectic_header_type(r.header, number)};
    return r;
}

static inline struct rendering rendering_of(uint16_t number, uint16_t size)
{
    return rendering_also(number, size, "a description", 13, 0);
}

static inline void rendering_free(struct rendering *r)
{
    hectic_renderer_free(r->renderer);
    hectic_header_free(r->header);
}

#endif
