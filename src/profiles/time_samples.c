/* time_samples.c — see time_samples.h. */
#include "profiles/time_samples.h"
#include <hectic/read_events.h>

#include "numbers/saturating.h"
#include "profiles/stack_messages.h"

#include <stdlib.h>
#include <string.h>

/* The last sample of a cap. */
struct last {
    uint64_t time;
    bool is_known;
};

struct lasts {
    struct last *last; /* by number of cap */
    uint32_t count;
};

struct hectic_time_samples {
    hectic_symbols *symbols;
    hectic_stacks *stacks[HECTIC_TIME_SOURCES];
    struct stack_messages *messages;
    hectic_time_sample_callback callback;
    void *user;
    uint64_t interval; /* of ticks, ns; 0: unknown */
    struct lasts lasts[HECTIC_TIME_SOURCES];
    hectic_time_warnings warnings;
};

hectic_time_samples *hectic_time_samples_new(uint32_t columns, size_t symbol_limit,
                                             uint32_t node_limit,
                                             hectic_time_sample_callback callback, void *user)
{
    hectic_time_samples *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->callback = callback;
    s->user = user;
    s->symbols = hectic_symbols_new(symbol_limit);
    bool done = s->symbols != NULL;
    for (size_t i = 0; i < HECTIC_TIME_SOURCES; i++)
        done &= (s->stacks[i] = hectic_stacks_new(columns, node_limit)) != NULL;
    if (done) s->messages = stack_messages_new(s->symbols, s->stacks[HECTIC_TIME_CALL_STACKS]);
    if (!s->messages) return hectic_time_samples_free(s), NULL;
    return s;
}

void hectic_time_samples_free(hectic_time_samples *s)
{
    if (!s) return;
    stack_messages_free(s->messages);
    for (size_t i = 0; i < HECTIC_TIME_SOURCES; i++) {
        hectic_stacks_free(s->stacks[i]);
        free(s->lasts[i].last);
    }
    hectic_symbols_free(s->symbols);
    free(s);
}

/* --- Kinds ----------------------------------------------------------------------------------- */

hectic_time_kind hectic_time_kind_of(const hectic_symbol *symbol)
{
    static const char *const labels[] = {
        [HECTIC_TIME_GC] = "GC",
        [HECTIC_TIME_IDLE] = "IDLE",
        [HECTIC_TIME_SYSTEM] = "SYSTEM",
        [HECTIC_TIME_OVERHEAD] = "OVERHEAD_of",
        [HECTIC_TIME_DONT_CARE] = "DONT_CARE",
    };
    if (symbol->kind != HECTIC_SYMBOL_COST_CENTRE || !symbol->name || !symbol->location ||
        strcmp(symbol->location, "<built-in>") != 0)
        return HECTIC_TIME_OWN;
    for (int kind = HECTIC_TIME_OWN + 1; kind < HECTIC_TIME_KINDS; kind++)
        if (strcmp(symbol->name, labels[kind]) == 0) return (hectic_time_kind)kind;
    return HECTIC_TIME_OWN;
}

/* --- Samples --------------------------------------------------------------------------------- */

/* The cap's last sample; NULL: out of memory. Caps from HECTIC_TIME_CAPS on share one. */
static struct last *last_of(struct lasts *lasts, uint32_t cap)
{
    if (cap > HECTIC_TIME_CAPS) cap = HECTIC_TIME_CAPS;
    if (cap >= lasts->count) {
        const uint32_t count = 2 * cap + 8 > HECTIC_TIME_CAPS ? HECTIC_TIME_CAPS + 1 : 2 * cap + 8;
        struct last *grown = realloc(lasts->last, count * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + lasts->count, 0, (count - lasts->count) * sizeof *grown);
        *lasts = (struct lasts){grown, count};
    }
    return &lasts->last[cap];
}

/* The time since the previous sample of the cap. */
static uint64_t since(const struct last *last, uint64_t time, uint64_t interval)
{
    if (!last->is_known) return interval;
    const uint64_t passed = saturating_less(time, last->time);
    return interval > 0 && passed / 4 >= interval && passed > 4 * interval ? interval : passed;
}

static bool give(hectic_time_samples *s, hectic_time_sample *sample)
{
    struct last *last = last_of(&s->lasts[sample->source], sample->cap);
    if (!last) return false;
    sample->since = since(last, sample->time, sample->interval);
    *last = (struct last){sample->time, true};
    s->warnings.omitted += sample->node == HECTIC_STACKS_OTHERS;
    return s->callback(s->user, sample);
}

static bool take_tick(hectic_time_samples *s, const hectic_event *event)
{
    hectic_event_prof_sample_cost_centre tick;
    if (!hectic_read_prof_sample_cost_centre(event, &tick)) return s->warnings.malformed++, true;
    hectic_time_sample sample = {
        .source = HECTIC_TIME_COST_CENTRES,
        .time = event->time,
        .tick = tick.tick,
        .cap = tick.cap_no,
        .node = hectic_stacks_cost_centres(s->stacks[HECTIC_TIME_COST_CENTRES], s->symbols,
                                           tick.stack.bytes, tick.stack.count),
        .interval = s->interval,
    };
    return sample.node != UINT32_MAX && give(s, &sample);
}

static bool take_message(hectic_time_samples *s, const hectic_event *event)
{
    struct call_stack stack;
    const enum stack_message message = stack_messages_event(s->messages, event, &stack);
    s->warnings.messages += message == STACK_MESSAGE_MALFORMED;
    if (message != STACK_MESSAGE_STACK) return message != STACK_MESSAGE_NO_MEMORY;
    hectic_time_sample sample = {
        .source = HECTIC_TIME_CALL_STACKS,
        .time = event->time,
        .cap = stack.cap,
        .thread = stack.thread,
        .node = stack.node,
    };
    return give(s, &sample);
}

bool hectic_time_samples_event(hectic_time_samples *s, const hectic_event *event)
{
    hectic_event inside;
    switch (event->type) {
    case HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE: return take_tick(s, event);
    case HECTIC_EVENT_USER_BINARY_MSG: return take_message(s, event);
    case HECTIC_EVENT_SYNC:
        if (!hectic_read_replayed(event, &inside)) return true;
        event = &inside;
        break;
    default: break;
    }
    if (event->type != HECTIC_EVENT_PROF_BEGIN) return hectic_symbols_event(s->symbols, event);
    hectic_event_prof_begin begin;
    if (hectic_read_prof_begin(event, &begin))
        s->interval = begin.tick_interval;
    else
        s->warnings.malformed++;
    return true;
}

/* --- Answers --------------------------------------------------------------------------------- */

hectic_time_warnings hectic_time_samples_warnings(const hectic_time_samples *s)
{
    hectic_time_warnings warnings = s->warnings;
    warnings.messages += stack_messages_incomplete(s->messages);
    return warnings;
}

const hectic_symbols *hectic_time_samples_symbols(const hectic_time_samples *s)
{
    stack_messages_resolve(s->messages);
    return s->symbols;
}

hectic_stacks *hectic_time_samples_stacks(const hectic_time_samples *s, hectic_time_source source)
{
    return s->stacks[source];
}
