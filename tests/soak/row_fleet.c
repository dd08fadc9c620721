/* Many programs, a thousand events a second each; readers that connect and disconnect all the time.
 */
#define _GNU_SOURCE
#include "soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PROGRAMS_MAX = 200,
    READERS_MAX = 20,
    PER_PROCESS = 25, /* programs; each with an emitter, and so a connection, of its own */
    SAMPLES_MAX = 600,
    TURN_MS = 10,
    EVENTS_PER_TURN = 10,
    FLUSH_MS = 100,
    SAMPLE_MS = 100,
    STAY_MS = 1000,
    NAME_SIZE = 32,
    PATIENCE = 60,
};

struct fleet {
    const soak *soak;
    unsigned programs, readers, seconds;
    struct {
        tally tally[READERS_MAX];
        _Atomic uint64_t emitted, dropped;
        _Atomic bool ends;
    } * state; /* shared */
};

static void name_of(unsigned program, char *name)
{
    snprintf(name, NAME_SIZE, "program-%u", program);
}

/* --- Programs ------------------------------------------------------------------------------- */

struct crew {
    const struct fleet *fleet;
    unsigned first, count;
};

static void emit(void *user)
{
    const struct crew *c = user;
    const struct fleet *f = c->fleet;
    hectic_emitter *emitters[PER_PROCESS];
    for (unsigned i = 0; i < c->count; i++) {
        char name[NAME_SIZE];
        name_of(c->first + i, name);
        emitters[i] =
            program_begin(&(program){.path = f->soak->in, .name = name, .flush_ms = FLUSH_MS});
    }
    const uint64_t begin = now_ns();
    uint64_t number = 0;
    for (uint64_t turn = 1; !f->state->ends; turn++) {
        for (unsigned i = 0; i < c->count; i++)
            for (unsigned k = 0; k < EVENTS_PER_TURN; k++)
                emit_number(hectic_emitter_cap(emitters[i], 0), number + k);
        number += EVENTS_PER_TURN;
        f->state->emitted += EVENTS_PER_TURN * c->count;
        const uint64_t ms = (now_ns() - begin) / 1000000;
        if (ms < turn * TURN_MS) pause_ms((unsigned)(turn * TURN_MS - ms));
    }
    for (unsigned i = 0; i < c->count; i++) {
        f->state->dropped += hectic_emitter_get_state(emitters[i]).events_dropped;
        hectic_emitter_free(emitters[i]);
    }
}

/* --- Readers -------------------------------------------------------------------------------- */

struct guest {
    const struct fleet *fleet;
    unsigned number;
};

/* Stays for about a second with one, then goes to another. */
static void come_and_go(void *user)
{
    const struct guest *g = user;
    const struct fleet *f = g->fleet;
    unsigned seed = g->number;
    while (!f->state->ends) {
        char name[NAME_SIZE];
        reader r = {.tally = &f->state->tally[g->number],
                    .for_ms = STAY_MS / 2 + (uint64_t)rand_r(&seed) % STAY_MS};
        name_of((unsigned)rand_r(&seed) % f->programs, name);
        place(r.path, f->soak->each, name);
        read_log(&r);
    }
}

static tally sum_up(const struct fleet *f)
{
    tally sum = {0};
    for (unsigned i = 0; i < f->readers; i++) {
        const tally *t = &f->state->tally[i];
        sum.logs += t->logs;
        sum.events += t->events;
        sum.missed += t->missed;
        sum.broken += t->broken + t->wrong + t->cut;
        sum.empty += t->empty;
    }
    return sum;
}

/* --- The row -------------------------------------------------------------------------------- */

static bool all_there(void *user)
{
    const struct fleet *f = user;
    return files_in(f->soak->each) == f->programs;
}

static bool all_gone(void *user)
{
    const struct fleet *f = user;
    return files_in(f->soak->each) == 0;
}

/* The mean of resident memory in the last quarter, over that in the second. */
static double growth(const double *kb, unsigned count)
{
    double second = 0, last = 0;
    for (unsigned i = 0; i < count / 4; i++) {
        second += kb[count / 4 + i];
        last += kb[count - 1 - i];
    }
    return second > 0 ? last / second : 0;
}

struct descriptors {
    pid_t relay;
    unsigned before;
};

static bool as_before(void *user)
{
    const struct descriptors *d = user;
    return relay_descriptors(d->relay) <= d->before;
}

/* When it has begun. */
static unsigned descriptors_at_rest(pid_t relay)
{
    unsigned before, now = relay_descriptors(relay);
    do {
        before = now;
        pause_ms(1000);
        now = relay_descriptors(relay);
    } while (now != before);
    return now;
}

void row_fleet(const soak *s)
{
    struct fleet f = {s, s->is_long ? PROGRAMS_MAX : 20, s->is_long ? READERS_MAX : 5,
                      s->is_long ? 60 : 4, shared(sizeof *f.state)};
    const pid_t relay = relay_start(s, false);
    pid_t crews[PROGRAMS_MAX / PER_PROCESS + 1], guests[READERS_MAX];
    /* From the first stream on, libuv holds a descriptor for itself. */
    const int probe = reach(s->in, PATIENCE);
    const bool sent = write(probe, "h", 1) == 1;
    must(sent, "fleet: a first connection", "taken", "%s", sent ? "taken" : "refused");
    close(probe);
    struct descriptors descriptors = {relay, descriptors_at_rest(relay)};
    unsigned count = 0;
    for (unsigned first = 0; first < f.programs; first += PER_PROCESS) {
        const unsigned left = f.programs - first;
        struct crew crew = {&f, first, left < PER_PROCESS ? left : PER_PROCESS};
        crews[count++] = start(emit, &crew);
    }
    const bool there = comes_true(all_there, &f, PATIENCE);
    must(there, "fleet: programs that have a place for their readers", "all", "%u of %u",
         files_in(s->each), f.programs);
    for (unsigned i = 0; i < f.readers; i++)
        guests[i] = start(come_and_go, &(struct guest){&f, i});
    double kb[SAMPLES_MAX];
    const unsigned samples = f.seconds * 1000 / SAMPLE_MS;
    const uint64_t begin = now_ns(), emitted = f.state->emitted;
    const double busy = relay_seconds(relay);
    for (unsigned i = 0; i < samples; i++) {
        pause_ms(SAMPLE_MS);
        kb[i] = (double)relay_kb(relay, "VmRSS");
    }
    const double seconds = (double)(now_ns() - begin) * 1e-9;
    const double rate = (double)(f.state->emitted - emitted) / seconds / f.programs;
    const double busy_per_second = (relay_seconds(relay) - busy) / seconds;
    f.state->ends = true;
    bool ended = true;
    for (unsigned i = 0; i < count; i++)
        ended &= ends_well(crews[i]);
    for (unsigned i = 0; i < f.readers; i++)
        ended &= ends_well(guests[i]);
    const tally sum = sum_up(&f);
    target(s, rate >= 990, "fleet: events/s of each of the programs", ">= 990", "%.0f", rate);
    must(sum.logs > 0 && sum.broken == 0 && sum.missed == 0 && ended,
         "fleet: readers' logs that are not clean", "0", "%" PRIu64 " of %" PRIu64,
         sum.broken + sum.missed, sum.logs);
    must(f.state->dropped == 0, "fleet: events that programs dropped", "0", "%" PRIu64,
         (uint64_t)f.state->dropped);
    target(s, sum.empty == 0, "fleet: readers that got no events", "0",
           "%" PRIu64 " (%" PRIu64 " events)", sum.empty, sum.events);
    target(s, growth(kb, samples) <= 1.05, "fleet: memory, last quarter / second", "<= 1.05x",
           "%.3fx of %.1f MB", growth(kb, samples), kb[samples / 2] / 1024);
    measured("fleet: the relay's share of a processor", "%.0f %%", 100 * busy_per_second);
    const bool gone = comes_true(all_gone, &f, PATIENCE);
    must(gone, "fleet: places of programs that have gone", "0", "%u", files_in(s->each));
    const bool same = comes_true(as_before, &descriptors, PATIENCE);
    must(same, "fleet: the relay's descriptors before; after", "the same", "%u; %u",
         descriptors.before, relay_descriptors(relay));
    relay_end(s, relay);
}
