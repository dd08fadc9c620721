/* The filter: one test for each kind of restriction; tracks the running thread of each cap. */
#include "read/decode/filter.h"

#include "format/event_bytes.h"
#include "read/decode/running.h"

#include <stdlib.h>

enum { NUMBERS = 1 << 16 };

typedef struct set { /* of 16-bit numbers */
    bool restricted;
    uint8_t bits[NUMBERS / 8];
} set;

struct hectic_filter {
    uint64_t from, to;
    set caps;
    set events;
    uint32_t *threads; /* that pass; NULL: all */
    size_t thread_count;
    uint32_t *running; /* running.h; NULL unless threads are restricted */
    uint32_t implied;  /* see hectic_filter_implied */
};

static void set_add(set *s, uint16_t number)
{
    s->restricted = true;
    s->bits[number / 8] |= (uint8_t)(1u << number % 8);
}

static bool set_passes(const set *s, uint16_t number)
{
    return !s->restricted || (s->bits[number / 8] >> number % 8 & 1);
}

hectic_filter *hectic_filter_new(void)
{
    hectic_filter *f = calloc(1, sizeof *f);
    if (f) f->to = UINT64_MAX;
    return f;
}

void hectic_filter_free(hectic_filter *f)
{
    if (!f) return;
    free(f->threads);
    free(f->running);
    free(f);
}

void hectic_filter_time(hectic_filter *f, uint64_t from, uint64_t to)
{
    f->from = from;
    f->to = to;
}

void hectic_filter_cap(hectic_filter *f, uint16_t cap)
{
    set_add(&f->caps, cap);
}

bool hectic_filter_thread(hectic_filter *f, uint32_t thread)
{
    if (!f->running) f->running = running_new();
    uint32_t *threads = realloc(f->threads, (f->thread_count + 1) * sizeof *threads);
    if (threads) f->threads = threads;
    if (!f->running || !threads) return false;
    f->threads[f->thread_count++] = thread;
    return true;
}

void filter_set_running(hectic_filter *f, uint16_t cap, const uint32_t *thread)
{
    if (f->running) f->running[cap] = thread ? *thread + 1 : 0;
}

void hectic_filter_event(hectic_filter *f, uint16_t number)
{
    set_add(&f->events, number);
}

void hectic_filter_class(hectic_filter *f, hectic_class c)
{
    size_t count;
    const hectic_shape *shapes = hectic_catalogue(&count);
    f->events.restricted = true;
    for (size_t i = 0; i < count; i++)
        if (shapes[i].class_ == c) set_add(&f->events, shapes[i].number);
}

static bool is_selected(const hectic_filter *f, uint64_t thread)
{
    for (size_t i = 0; i < f->thread_count; i++)
        if (f->threads[i] == thread) return true;
    return false;
}

/* True if the event is about a selected thread, or was written while one ran. */
static bool passes_thread(hectic_filter *f, const hectic_event *event)
{
    const uint32_t running = f->running[event->cap];
    bool pass = running > 0 && is_selected(f, running - 1);
    const hectic_shape *shape = event->declared->shape;
    f->implied = pass ? running - 1 : 0;
    if (!shape) return pass;
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t count = hectic_shape_walk(shape, event->payload, event->size, value, NULL);
    for (size_t i = 0; i < count; i++)
        if (value[i].field->unit == HECTIC_UNIT_THREAD && is_selected(f, value[i].number)) {
            if (value[i].number == f->implied) f->implied = 0;
            pass = true;
        }
    if (count > 0) running_follow(f->running, event);
    return pass;
}

bool hectic_filter_pass(hectic_filter *f, const hectic_event *event)
{
    bool pass = event->time >= f->from && (event->time < f->to || f->to == UINT64_MAX) &&
                set_passes(&f->events, event->type) && set_passes(&f->caps, event->cap);
    if (f->threads) return passes_thread(f, event) && pass;
    return pass;
}

const uint8_t *filter_types(const hectic_filter *f)
{
    return f->events.restricted && !f->threads ? f->events.bits : NULL;
}

uint32_t hectic_filter_implied(const hectic_filter *f)
{
    return f->implied;
}
