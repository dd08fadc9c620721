/* The time from an event to its reader. Each event holds the time when it was emitted. */
#include "soak.h"

#include <stdio.h>

enum { SAMPLES = 10000, FLUSH_MS = 10, P99_MS = 25, PATIENCE = 60 };

struct latency {
    const soak *soak;
    unsigned samples;
    /* In memory that is shared: */
    struct {
        tally tally;
        _Atomic unsigned count;
        double ms[SAMPLES];
    } * state;
};

static void note(void *user, uint64_t emitted)
{
    struct latency *l = user;
    if (l->state->count < SAMPLES)
        l->state->ms[l->state->count++] = (double)(now_ns() - emitted) * 1e-6;
}

static bool is_read(void *user)
{
    const struct latency *l = user;
    return l->state->tally.logs > 0;
}

static void emit(void *user)
{
    struct latency *l = user;
    hectic_emitter *emitter = program_begin(&(program){.path = l->soak->in, .flush_ms = FLUSH_MS});
    comes_true(is_read, l, PATIENCE);
    for (unsigned i = 0; i < l->samples; i++) {
        emit_value(hectic_emitter_cap(emitter, 0), i, now_ns());
        pause_ms(1);
    }
    hectic_emitter_free(emitter);
}

static void read_one(void *reader)
{
    read_log(reader);
}

void row_latency(const soak *s)
{
    const pid_t relay = relay_start(s, false);
    struct latency l = {s, s->is_long ? SAMPLES : SAMPLES / 10, shared(sizeof *l.state)};
    reader r = {.tally = &l.state->tally, .value = note, .user = &l};
    snprintf(r.path, sizeof r.path, "%s", s->out);
    const pid_t reading = start(read_one, &r);
    const pid_t emitting = start(emit, &l);
    const bool ended = ends_well(emitting), read = ends_well(reading);
    must(ended && read && l.state->count == l.samples && l.state->tally.wrong == 0,
         "latency: events that reach their reader", "all", "%u of %u", l.state->count, l.samples);
    const double half = quantile(l.state->ms, l.state->count, 0.5);
    const double p99 = quantile(l.state->ms, l.state->count, 0.99);
    const double most = quantile(l.state->ms, l.state->count, 1);
    target(s, p99 <= P99_MS, "latency: flushed every 10 ms, p99, ms", "<= 25", "%.1f", p99);
    measured("latency: median; most, ms", "%.1f; %.1f", half, most);
    relay_end(s, relay);
}
