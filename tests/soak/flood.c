/* One program that floods, and three readers. One of them sleeps while two fifths of the events are
 * emitted, and misses the events that the relay drops. */
#include "soak.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { READERS = 3, SLEEPER = 2, EVERY = 4096, AHEAD = 1 << 18, PATIENCE = 600, FLUSH_MS = 60000 };

/* In memory that all share. */
struct state {
    tally tally[READERS];
    _Atomic uint64_t emitted;
    _Atomic uint64_t woke; /* when so many had been emitted; 0: the sleeper has not */
    _Atomic uint64_t ns;   /* that emitting took, to the last event's way out */
    _Atomic bool slept, dropped, may_end;
};

struct scene {
    const flood *flood;
    struct state *state;
    program program;
};

/* --- The program ---------------------------------------------------------------------------- */

static bool all_begun(void *user)
{
    const struct state *state = user;
    for (unsigned i = 0; i < READERS; i++)
        if (state->tally[i].logs == 0) return false;
    return true;
}

static bool may_end(void *user)
{
    const struct state *state = user;
    return state->may_end;
}

static bool keep_up(const struct state *state, uint64_t emitted)
{
    const unsigned awake = state->slept ? SLEEPER : READERS;
    for (unsigned i = 0; i < awake; i++)
        if (state->tally[i].events + AHEAD < emitted && !state->may_end) return false;
    return true;
}

/* For the readers that are awake, which get what was flushed, and for the sleeper to wake before
 * the last fifth. */
static void wait_for_readers(const struct state *state, hectic_emitter *emitter, uint64_t emitted,
                             uint64_t count)
{
    if (!keep_up(state, emitted)) hectic_emitter_flush(emitter, FLUSH_MS);
    while (!keep_up(state, emitted))
        pause_ms(1);
    while (emitted > count / 5 * 4 && !state->woke && !state->may_end)
        pause_ms(1);
}

uint64_t flood_compute(uint64_t seed, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        __asm__ volatile("" : "+r"(seed));
    }
    return seed;
}

static void emit_all(void *user)
{
    const struct scene *scene = user;
    const flood *f = scene->flood;
    struct state *state = scene->state;
    hectic_emitter *emitter = program_begin(&scene->program);
    hectic_emit_cap *cap = hectic_emitter_cap(emitter, 0);
    if (!scene->program.is_file) comes_true(all_begun, state, PATIENCE);
    uint64_t seed = 1;
    const uint64_t begin = now_ns();
    for (uint64_t i = 0; i < f->count; i++) {
        emit_number(cap, i);
        seed = flood_compute(seed, f->work);
        if (i % EVERY > 0) continue;
        state->emitted = i;
        if (f->is_on_leash) wait_for_readers(state, emitter, i, f->count);
    }
    const bool flushed = hectic_emitter_flush(emitter, FLUSH_MS) == HECTIC_EMIT_OK;
    state->ns = now_ns() - begin;
    state->emitted = f->count;
    state->dropped = !flushed || hectic_emitter_get_state(emitter).events_dropped > 0;
    comes_true(may_end, state, 2 * PATIENCE);
    hectic_emitter_free(emitter);
}

static double rate_of(const struct scene *scene)
{
    const struct state *state = scene->state;
    return state->ns && !state->dropped ? (double)scene->flood->count * 1e3 / (double)state->ns : 0;
}

double flood_file(const soak *s, const flood *f)
{
    const flood free_ = {.count = f->count, .work = f->work};
    struct scene scene = {&free_, shared(sizeof *scene.state), {.path = s->file, .is_file = true}};
    scene.state->may_end = true;
    const bool ended = ends_well(start(emit_all, &scene));
    unlink(s->file);
    return ended ? rate_of(&scene) : 0;
}

/* --- Readers -------------------------------------------------------------------------------- */

static void sleep_once(void *user)
{
    const struct scene *scene = user;
    struct state *state = scene->state;
    const uint64_t fifth = scene->flood->count / 5;
    const tally *t = &state->tally[SLEEPER];
    if (state->woke || t->events + t->missed < fifth) return;
    state->slept = true;
    while (state->emitted < 3 * fifth)
        pause_ms(1);
    state->woke = state->emitted;
}

static void read_one(void *reader)
{
    read_log(reader);
}

static bool all_read(void *user)
{
    const struct scene *scene = user;
    const tally *t = scene->state->tally;
    for (unsigned i = 0; i < READERS; i++)
        if (t[i].events + t[i].missed < scene->flood->count) return false;
    return scene->state->emitted == scene->flood->count;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void sum_up(const struct scene *scene, flooded *sum)
{
    const struct state *state = scene->state;
    const uint64_t count = scene->flood->count;
    const tally *sleeper = &state->tally[SLEEPER];
    sum->floods++;
    sum->naps += sleeper->missed > 0 && state->woke > 0 && state->woke < count;
    sum->events += count;
    sum->dropped += state->dropped;
    sum->reported += sleeper->missed;
    sum->unaccounted += difference(sleeper->events + sleeper->missed, count);
    for (unsigned i = 0; i < READERS; i++) {
        const tally *t = &state->tally[i];
        if (i != SLEEPER) sum->lost += difference(t->events, count) + t->missed;
        sum->unsound += t->broken + t->wrong + (t->whole != 1);
    }
}

double flood_relay(const soak *s, const flood *f, flooded *sum)
{
    struct scene scene = {f, shared(sizeof *scene.state), {.path = s->in}};
    pid_t pids[READERS];
    for (unsigned i = 0; i < READERS; i++) {
        reader r = {.tally = &scene.state->tally[i], .user = &scene};
        snprintf(r.path, sizeof r.path, "%s", s->out);
        if (i == SLEEPER) r.took = sleep_once;
        pids[i] = start(read_one, &r);
    }
    const pid_t pid = start(emit_all, &scene);
    comes_true(all_read, &scene, PATIENCE);
    scene.state->may_end = true;
    if (!ends_well(pid)) scene.state->dropped = true;
    for (unsigned i = 0; i < READERS; i++)
        if (!ends_well(pids[i])) scene.state->tally[i].broken++;
    sum_up(&scene, sum);
    return rate_of(&scene);
}

void flood_must(const char *row, const flooded *sum)
{
    char what[PLACE_SIZE];
    snprintf(what, sizeof what, "%s: events lost to two readers awake", row);
    must(sum->lost == 0 && sum->events > 0, what, "0", "%" PRIu64 " of %" PRIu64, sum->lost,
         2 * sum->events);
    snprintf(what, sizeof what, "%s: reported missing to the reader that slept", row);
    must(sum->naps == sum->floods, what, "some", "%" PRIu64 " of %" PRIu64, sum->reported,
         sum->events);
    snprintf(what, sizeof what, "%s: neither delivered nor reported missing to it", row);
    must(sum->unaccounted == 0, what, "0", "%" PRIu64, sum->unaccounted);
    snprintf(what, sizeof what, "%s: of %u logs, those with a fault or gap", row,
             READERS * sum->floods);
    must(sum->unsound == 0, what, "0", "%" PRIu64, sum->unsound);
    snprintf(what, sizeof what, "%s: programs that could not emit all", row);
    must(sum->dropped == 0, what, "0", "%u", sum->dropped);
}
