/* A program emits as fast as it can; and one does that computes between its events, six million a
 * second if it were alone. Each is measured against writing to a file, in turn. */
#include "soak.h"

#include <stdio.h>

enum { REPETITIONS = 5, MEMORY_KB = 64 * 1024 };

static const double LONGER_MAX = 1.1;

static const struct pace {
    const char *name;
    unsigned event_ns; /* with what is computed before the next; 0: nothing is */
    uint64_t count, count_short;
} paces[] = {
    {"flood", 0, 20000000, 4000000},
    {"beside work", 167, 20000000, 4000000},
};

/* What is computed between events, in steps. The fastest try counts: others may disturb it. */
static unsigned steps_for(unsigned event_ns)
{
    enum { STEPS = 100000, EMITTING_NS = 27 };
    if (event_ns == 0) return 0;
    uint64_t fastest = UINT64_MAX;
    for (unsigned i = 0; i < 20; i++) {
        const uint64_t begin = now_ns();
        flood_compute(i, STEPS);
        const uint64_t took = now_ns() - begin;
        if (took < fastest) fastest = took;
    }
    return (unsigned)((uint64_t)STEPS * (event_ns - EMITTING_NS) / fastest);
}

static void measure(const soak *s, const struct pace *p)
{
    const flood f = {.count = s->is_long ? p->count : p->count_short,
                     .work = steps_for(p->event_ns),
                     .is_on_leash = !s->is_long};
    const unsigned repetitions = s->is_long ? REPETITIONS : 1;
    double relay[REPETITIONS], ratio[REPETITIONS];
    char what[PLACE_SIZE];
    flooded sum = {0};
    for (unsigned i = 0; i < repetitions; i++) {
        const double file = flood_file(s, &f);
        relay[i] = flood_relay(s, &f, &sum);
        ratio[i] = relay[i] > 0 ? file / relay[i] : 0;
    }
    const double rate = quantile(relay, repetitions, 0.5);
    const double longer = quantile(ratio, repetitions, 0.5);
    snprintf(what, sizeof what, "%s: million events/s", p->name);
    target(s, rate >= 5, what, ">= 5", "%.1f", rate);
    snprintf(what, sizeof what, "%s: the program's time / to a file", p->name);
    target(s, longer > 0 && longer <= LONGER_MAX, what, "<= 1.10x", "%.2fx", longer);
    flood_must(p->name, &sum);
}

void row_flood(const soak *s)
{
    const pid_t relay = relay_start(s, false);
    for (size_t i = 0; i < sizeof paces / sizeof *paces; i++)
        measure(s, &paces[i]);
    const long most = relay_kb(relay, "VmHWM");
    target(s, most > 0 && most <= MEMORY_KB, "flood: the relay's memory at most, MB", "<= 64",
           "%.1f", (double)most / 1024);
    relay_end(s, relay);
}
