/* generator.c — see generator.h.
 *
 * Every cap has a clock. The caps take turns: one makes some steps while the others compute, and
 * the clock of the next one is then advanced to the end of the turn. If they alternate, the next
 * step is always one of the cap with the earliest clock. In both cases an action of one cap on
 * another comes before the next step of the other. */
#include "generator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Statuses of STOP_THREAD. */
enum { HEAP_OVERFLOW = 1, YIELDING = 3, FINISHED = 5, FOREIGN_CALL = 6, ON_MVAR = 7, ON_STM = 12 };

enum { OS_PROCESS = 0, CLOCK_DOMAIN = 1 };           /* capsets, as GHC numbers them */
enum { TYPE_OS_PROCESS = 2, TYPE_CLOCK_DOMAIN = 3 }; /* and their types */
enum { TYPES = 256, PREFIX = 10, POOL = 4096, MBLOCK = 1 << 20, BLOCK = 4096 };
enum { CENSUS_NS = 100000000, TICK_NS = 1000000 }; /* the runtime's defaults */
enum { TURN_MEAN = 100 }; /* events: 20 with collections, in which caps log two or three in a row */
enum { COST_CENTRES = 1000, DEPTH_MAX = 40, LABEL_SIZE = 32 }; /* of a time profile; of a band */

const char *const generator_kinds[GENERATOR_KINDS + 1] = {
    [GENERATOR_THREADS] = "threads",
    [GENERATOR_GC] = "gc",
    [GENERATOR_SPARKS] = "sparks",
    [GENERATOR_MESSAGES] = "messages",
    [GENERATOR_HEAP_PROFILE] = "heap-profile",
    [GENERATOR_TIME_PROFILE] = "time-profile",
};

typedef struct cap {
    hectic_emit_cap *out;
    uint64_t *clock;
    uint16_t number;
    uint32_t running;          /* 0: no thread */
    uint32_t *ready, *blocked; /* g->most each */
    uint32_t ready_count, blocked_count;
    uint64_t allocated;
    struct {
        uint64_t created, dud, overflowed, converted, collected, fizzled, pool;
    } sparks;
} cap;

/* A stack of a time profile: a cost centre inside of another stack. */
struct stack {
    uint32_t outer; /* an earlier stack; the first one is empty */
    uint32_t cost_centre;
    uint8_t depth;
};

struct generator {
    struct generator_settings settings;
    hectic_emit_cap *global;
    cap *caps;
    uint64_t *clocks;  /* of all caps; an array, since every step compares them */
    uint32_t *threads; /* memory for ready and blocked of all caps */
    uint32_t most;     /* threads of a cap */
    uint32_t next_thread;
    uint32_t turn;     /* the cap whose turn it is */
    uint64_t turn_end; /* the number of events at which it ends */
    uint64_t heap, era, ticks, random;
    char (*label)[LABEL_SIZE]; /* of the bands */
    struct stack *stack;
    uint16_t size[TYPES]; /* of an event of each type, without its texts */
    struct generator_progress progress;

    uint64_t chance[GENERATOR_KINDS]; /* of each kind of step */
    uint64_t steps[GENERATOR_KINDS], events[GENERATOR_KINDS];
    uint64_t all_steps, update_at; /* the step at which the chances are updated */
};

static uint32_t random_below(struct generator *g, uint32_t limit) /* xorshift64* */
{
    g->random ^= g->random >> 12;
    g->random ^= g->random << 25;
    g->random ^= g->random >> 27;
    return (uint32_t)((g->random * 0x2545f4914f6cdd1dULL) >> 33) % limit;
}

uint64_t generator_now(void *generator)
{
    const struct generator *g = generator;
    return g->progress.time;
}

/* --- Events --------------------------------------------------------------------------------- */

static void count(struct generator *g, unsigned type, size_t text)
{
    g->progress.events++;
    g->progress.bytes += g->size[type] + text;
}

/* EMIT(g, RUN_THREAD, run_thread, cap, thread): the event, and the function that emits it. */
#define EMIT(g, NAME, name, ...)                                                                   \
    do {                                                                                           \
        count(g, HECTIC_EVENT_##NAME, 0);                                                          \
        hectic_emit_##name(__VA_ARGS__);                                                           \
    } while (0)
#define EMIT_TEXT(g, NAME, name, text, ...)                                                        \
    do {                                                                                           \
        count(g, HECTIC_EVENT_##NAME, strlen(text));                                               \
        hectic_emit_##name(__VA_ARGS__, text);                                                     \
    } while (0)

/* Advances the clock of the cap. Returns where its next event goes. */
static hectic_emit_cap *advance(struct generator *g, cap *c, uint64_t ns)
{
    g->progress.time = *c->clock += ns;
    return c->out;
}

static hectic_emit_cap *tick(struct generator *g, cap *c)
{
    return advance(g, c, 60 + random_below(g, 1200));
}

/* Advances the clock of the cap to that of the other. */
static void sync_with(cap *c, const cap *other)
{
    if (*c->clock < *other->clock) *c->clock = *other->clock;
}

static void sync_with_all(const struct generator *g, cap *c)
{
    for (const cap *other = g->caps; other < g->caps + g->settings.caps; other++)
        sync_with(c, other);
}

/* --- Threads --------------------------------------------------------------------------------- */

static uint32_t live_threads(const cap *c)
{
    return c->ready_count + c->blocked_count + (c->running > 0);
}

static uint32_t take_random(struct generator *g, uint32_t *threads, uint32_t *count)
{
    const uint32_t which = random_below(g, *count), thread = threads[which];
    threads[which] = threads[--*count];
    return thread;
}

static void create_thread(struct generator *g, cap *c)
{
    const uint32_t thread = g->next_thread++;
    EMIT(g, CREATE_THREAD, create_thread, tick(g, c), thread);
    if (random_below(g, 4) == 0) {
        char label[32];
        snprintf(label, sizeof label, "worker-%" PRIu32, thread % 1000);
        EMIT_TEXT(g, THREAD_LABEL, thread_label, label, tick(g, c), thread);
    }
    EMIT(g, THREAD_RUNNABLE, thread_runnable, tick(g, c), thread);
    c->ready[c->ready_count++] = thread;
}

/* Creates threads up to the number that is wanted. */
static void create_threads(struct generator *g, cap *c)
{
    const uint32_t wanted = live_threads(c) < g->most / 2 ? 8 : random_below(g, 4) == 0;
    for (uint32_t i = 0; i < wanted && live_threads(c) < g->most; i++)
        create_thread(g, c);
}

static void wake_thread(struct generator *g, cap *c)
{
    if (c->blocked_count == 0) return;
    const uint32_t thread = take_random(g, c->blocked, &c->blocked_count);
    EMIT(g, THREAD_WAKEUP, thread_wakeup, tick(g, c), thread, c->number);
    EMIT(g, THREAD_RUNNABLE, thread_runnable, tick(g, c), thread);
    c->ready[c->ready_count++] = thread;
}

/* Moves a ready thread to another cap, as the scheduler does when it has more than one. */
static void migrate_thread(struct generator *g, cap *c)
{
    cap *other = &g->caps[random_below(g, g->settings.caps)];
    if (c == other || c->ready_count < 2 || live_threads(other) >= g->most) return;
    const uint32_t thread = c->ready[--c->ready_count];
    EMIT(g, MIGRATE_THREAD, migrate_thread, tick(g, c), thread, other->number);
    other->ready[other->ready_count++] = thread;
    sync_with(other, c);
}

static void run_thread(struct generator *g, cap *c)
{
    if (c->ready_count == 0) wake_thread(g, c);
    if (c->ready_count == 0) create_thread(g, c);
    c->running = take_random(g, c->ready, &c->ready_count);
    EMIT(g, RUN_THREAD, run_thread, tick(g, c), c->running);
}

static void stop_thread(struct generator *g, cap *c, uint16_t status)
{
    const uint32_t thread = c->running;
    EMIT(g, STOP_THREAD, stop_thread, tick(g, c), thread, status, 0);
    c->running = 0;
    if (status == ON_MVAR || status == ON_STM)
        c->blocked[c->blocked_count++] = thread;
    else if (status != FINISHED)
        c->ready[c->ready_count++] = thread;
}

/* Stops the running thread, and runs another. */
static void switch_threads(struct generator *g, cap *c)
{
    static const uint16_t status[32] = {
        ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_MVAR,
        ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_STM,       ON_STM,
        ON_STM,       FINISHED,     FINISHED,     FOREIGN_CALL, FOREIGN_CALL, FOREIGN_CALL,
        FOREIGN_CALL, FOREIGN_CALL, FOREIGN_CALL, FOREIGN_CALL, FOREIGN_CALL, YIELDING,
        YIELDING,     YIELDING,     YIELDING,     YIELDING,     YIELDING,     YIELDING,
        YIELDING,     YIELDING};
    if (c->running > 0) {
        if (random_below(g, 32) < 10) wake_thread(g, c);
        create_threads(g, c);
        stop_thread(g, c, status[random_below(g, 32)]);
        if (random_below(g, 64) == 0) migrate_thread(g, c);
    }
    run_thread(g, c);
    c->allocated += 1024 + random_below(g, 65536);
}

/* --- Sparks and messages --------------------------------------------------------------- */

static void take_spark(struct generator *g, cap *c)
{
    cap *other = &g->caps[random_below(g, g->settings.caps)];
    if (random_below(g, 4) == 0 && other != c && other->sparks.pool > 0) {
        sync_with(c, other);
        EMIT(g, SPARK_STEAL, spark_steal, tick(g, c), other->number);
        other->sparks.pool--;
        c->sparks.converted++;
        return;
    }
    const uint32_t fate = random_below(g, 16);
    c->sparks.pool--;
    if (fate == 0) {
        EMIT(g, SPARK_FIZZLE, spark_fizzle, tick(g, c));
        c->sparks.fizzled++;
    } else {
        EMIT(g, SPARK_RUN, spark_run, tick(g, c));
        c->sparks.converted++;
    }
}

static void use_sparks(struct generator *g, cap *c)
{
    if (c->sparks.pool > 0 && random_below(g, 2) == 0) {
        take_spark(g, c);
    } else if (random_below(g, 64) == 0) {
        EMIT(g, SPARK_DUD, spark_dud, tick(g, c));
        c->sparks.dud++;
    } else if (c->sparks.pool == POOL) {
        EMIT(g, SPARK_OVERFLOW, spark_overflow, tick(g, c));
        c->sparks.overflowed++;
    } else {
        EMIT(g, SPARK_CREATE, spark_create, tick(g, c));
        c->sparks.created++;
        c->sparks.pool++;
    }
}

static void emit_message(struct generator *g, cap *c)
{
    static const char *const topics[] = {"parsed", "served", "cached", "\xce\xbb-lifted",
                                         "request /api/v1/items answered with status"};
    char text[80];
    const uint32_t kind = random_below(g, 16);
    snprintf(text, sizeof text, "%s %" PRIu32, topics[random_below(g, 5)], random_below(g, 100000));
    if (kind == 0)
        EMIT_TEXT(g, USER_MARKER, user_marker, text, tick(g, c));
    else
        EMIT_TEXT(g, USER_MSG, user_msg, text, tick(g, c));
}

/* --- Collections ------------------------------------------------------------------------------ */

/* In a phase of a collection: the caps log one after the other, or, if they alternate, at the same
 * time, from `begin` on. Sets the clock of a cap, and returns it. */
static cap *enter_phase(const struct generator *g, cap *c, uint64_t begin, const cap *before)
{
    *c->clock = before && !g->settings.alternate ? *before->clock : begin;
    return c;
}

/* Stops all caps, and synchronizes their clocks. */
static void stop_the_world(struct generator *g, cap *leader)
{
    const cap *before = leader;
    if (leader->running > 0) stop_thread(g, leader, HEAP_OVERFLOW);
    if (g->settings.caps > 1)
        EMIT(g, REQUEST_PAR_GC, request_par_gc, tick(g, leader));
    else
        EMIT(g, REQUEST_SEQ_GC, request_seq_gc, tick(g, leader));
    for (cap *c = g->caps; c < g->caps + g->settings.caps; c++) {
        if (c == leader) continue;
        sync_with(c, g->settings.alternate ? leader : before);
        before = c;
        if (c->running > 0) stop_thread(g, c, YIELDING);
        EMIT(g, GC_START, gc_start, tick(g, c));
    }
    sync_with_all(g, leader);
    EMIT(g, GC_START, gc_start, tick(g, leader));
}

static void emit_spark_counters(struct generator *g, cap *c)
{
    const uint64_t lost = c->sparks.pool / 8;
    c->sparks.pool -= lost;
    c->sparks.collected += lost;
    EMIT(g, SPARK_COUNTERS, spark_counters, tick(g, c), c->sparks.created, c->sparks.dud,
         c->sparks.overflowed, c->sparks.converted, c->sparks.collected, c->sparks.fizzled,
         c->sparks.pool);
}

static void end_collection(struct generator *g, cap *c)
{
    emit_spark_counters(g, c);
    EMIT(g, GC_END, gc_end, tick(g, c));
}

static void emit_heap(struct generator *g, cap *leader, bool major)
{
    const uint64_t heap = g->heap, mblocks = heap / MBLOCK;
    EMIT(g, GC_GLOBAL_SYNC, gc_global_sync, tick(g, leader));
    EMIT(g, GC_STATS_GHC, gc_stats_ghc, tick(g, leader), OS_PROCESS, major, heap / 3, heap / 100,
         heap / 50, g->settings.caps, heap / 4, heap / 3, heap / 5);
    if (major) {
        EMIT(g, MEM_RETURN, mem_return, tick(g, leader), OS_PROCESS, (uint32_t)mblocks,
             (uint32_t)mblocks, 0);
        EMIT(g, HEAP_LIVE, heap_live, tick(g, leader), OS_PROCESS, heap / 2);
    }
    EMIT(g, HEAP_SIZE, heap_size, tick(g, leader), OS_PROCESS, mblocks * MBLOCK);
    EMIT(g, BLOCKS_SIZE, blocks_size, tick(g, leader), OS_PROCESS, heap / BLOCK * BLOCK);
}

static void collect(struct generator *g, cap *leader)
{
    enum { LEAST = 8 * MBLOCK, MOST = 64 * MBLOCK };
    g->heap = LEAST + (g->heap + random_below(g, MBLOCK)) % MOST;
    stop_the_world(g, leader);
    const uint64_t begin = *leader->clock, pause = 20000 + random_below(g, 80000);
    const cap *before = NULL;
    for (cap *c = g->caps; c < g->caps + g->settings.caps; c++) {
        before = enter_phase(g, c, begin, before);
        EMIT(g, GC_WORK, gc_work, tick(g, c));
        for (uint32_t spells = 1 + random_below(g, 2); spells > 0; spells--) {
            EMIT(g, GC_IDLE, gc_idle, tick(g, c));
            if (spells > 1) EMIT(g, GC_WORK, gc_work, tick(g, c));
        }
    }
    sync_with_all(g, leader);
    const uint64_t end = *leader->clock + pause;
    before = NULL;
    for (cap *c = g->caps; c < g->caps + g->settings.caps; c++) {
        before = enter_phase(g, c, end, before);
        EMIT(g, GC_DONE, gc_done, tick(g, c));
        EMIT(g, HEAP_ALLOCATED, heap_allocated, tick(g, c), OS_PROCESS, c->allocated);
    }
    sync_with_all(g, leader);
    emit_heap(g, leader, random_below(g, 16) == 0);
    end_collection(g, leader);
    before = leader;
    for (cap *c = g->caps; c < g->caps + g->settings.caps; c++) {
        if (c == leader) continue;
        before = enter_phase(g, c, *leader->clock, before);
        end_collection(g, c);
    }
}

/* All caps compute for that long. */
static void pass_time(struct generator *g, uint64_t ns)
{
    for (uint32_t i = 0; i < g->settings.caps; i++)
        g->clocks[i] += ns;
    g->progress.time += ns;
}

/* --- Profiles, whose events have no cap ------------------------------------------------------- */

/* Bands of very different sizes; the eighth grows steadily. */
static void take_census(struct generator *g)
{
    enum { GROWING = 7, GROWTH = 1 << 16 };
    const uint64_t heap = g->heap > 0 ? g->heap : 16 * MBLOCK; /* there was no collection yet */
    pass_time(g, CENSUS_NS);
    g->era++;
    EMIT(g, HEAP_PROF_SAMPLE_BEGIN, heap_prof_sample_begin, g->global, g->era);
    for (uint32_t i = 0; i < g->settings.bands; i++) {
        const uint64_t growth = i == GROWING ? g->era * GROWTH : 0;
        EMIT_TEXT(g, HEAP_PROF_SAMPLE_STRING, heap_prof_sample_string, g->label[i], g->global, 0,
                  heap / (2 + i) + random_below(g, BLOCK) + growth);
    }
    EMIT(g, HEAP_PROF_SAMPLE_END, heap_prof_sample_end, g->global, g->era);
}

static bool make_labels(struct generator *g)
{
    static const char *const types[] = {"ARR_WORDS", "Map",  "IORef", "[]",         "Text",
                                        "Int",       "Node", "MVar",  "ByteString", "THUNK"};
    enum { COUNT = sizeof types / sizeof *types };
    g->label = calloc(g->settings.bands, sizeof *g->label);
    for (uint32_t i = 0; g->label && i < g->settings.bands; i++)
        if (i < COUNT)
            snprintf(g->label[i], LABEL_SIZE, "%s", types[i]);
        else
            snprintf(g->label[i], LABEL_SIZE, "Data.Part%" PRIu32 ".%s", i / COUNT,
                     types[i % COUNT]);
    return g->label;
}

/* Makes a random tree of stacks: most extend a recent one, so that many are deep. */
static bool make_stacks(struct generator *g)
{
    enum { RECENT = 8 };
    g->stack = calloc((size_t)g->settings.stacks + 1, sizeof *g->stack);
    for (uint32_t i = 1; g->stack && i <= g->settings.stacks; i++) {
        const uint32_t outer = i - 1 - random_below(g, i < RECENT ? i : RECENT);
        const bool is_deep = g->stack[outer].depth == DEPTH_MAX;
        g->stack[i].outer = is_deep ? 0 : outer;
        g->stack[i].cost_centre = 1 + random_below(g, COST_CENTRES);
        g->stack[i].depth = is_deep ? 1 : (uint8_t)(g->stack[outer].depth + 1);
    }
    return g->stack;
}

/* False: no memory. */
static bool make_profiles(struct generator *g)
{
    const uint64_t *weight = g->settings.weight;
    return (weight[GENERATOR_HEAP_PROFILE] == 0 || make_labels(g)) &&
           (weight[GENERATOR_TIME_PROFILE] == 0 || make_stacks(g));
}

/* A sample of each cap. Earlier stacks are more frequent. */
static void take_samples(struct generator *g)
{
    pass_time(g, TICK_NS);
    g->ticks++;
    for (uint32_t i = 0; i < g->settings.caps; i++) {
        const uint32_t limit = 1 + random_below(g, g->settings.stacks);
        uint32_t innermost[DEPTH_MAX];
        uint8_t depth = 0;
        for (uint32_t at = 1 + random_below(g, limit); at > 0; at = g->stack[at].outer)
            innermost[depth++] = g->stack[at].cost_centre;
        count(g, HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE, 1 + depth * sizeof *innermost);
        hectic_emit_prof_sample_cost_centre(g->global, i, g->ticks, innermost, depth);
    }
}

static void define_cost_centres(struct generator *g)
{
    for (uint32_t i = 1; i <= COST_CENTRES; i++) {
        char label[LABEL_SIZE], module[LABEL_SIZE], place[LABEL_SIZE];
        snprintf(label, sizeof label, "function%" PRIu32, i);
        snprintf(module, sizeof module, "Data.Part%" PRIu32, i % 40);
        snprintf(place, sizeof place, "Part%" PRIu32 ".hs:%" PRIu32 ":1-40", i % 40, i);
        count(g, HECTIC_EVENT_HEAP_PROF_COST_CENTRE,
              strlen(label) + strlen(module) + strlen(place));
        hectic_emit_heap_prof_cost_centre(g->global, i, label, module, place, 0);
    }
}

/* --- The program ------------------------------------------------------------------------------ */

struct generator *generator_new(const struct generator_settings *settings)
{
    struct generator *g = calloc(1, sizeof *g);
    if (g == NULL) return NULL;
    g->settings = *settings;
    g->random = 0x9e3779b97f4a7c15u ^ settings->seed * 0xbf58476d1ce4e5b9u;
    if (g->random == 0) g->random = 1;
    g->next_thread = 1;
    g->most = settings->threads / settings->caps;
    if (g->most == 0) g->most = 1;
    for (uint16_t type = 0; type < TYPES; type++) {
        const hectic_shape *shape = hectic_shape_by_number(type);
        if (shape) g->size[type] = (uint16_t)(PREFIX + 2 * shape->variable + shape->size);
    }
    g->caps = calloc(settings->caps, sizeof *g->caps);
    g->clocks = calloc(settings->caps, sizeof *g->clocks);
    g->threads = calloc(2 * (size_t)settings->caps, g->most * sizeof *g->threads);
    if (g->caps && g->clocks && g->threads && make_profiles(g)) return g;
    generator_free(g);
    return NULL;
}

void generator_free(struct generator *g)
{
    if (g == NULL) return;
    free(g->caps);
    free(g->clocks);
    free(g->threads);
    free(g->label);
    free(g->stack);
    free(g);
}

static void emit_process(struct generator *g)
{
    static const char rts[] = "GHC-9.12.1 rts_thr", args[] = "made-up\0+RTS\0-la";
    static const uint64_t epoch = 1700000000;
    hectic_emit_cap *global = g->global;
    EMIT(g, CAPSET_CREATE, capset_create, global, OS_PROCESS, TYPE_OS_PROCESS);
    EMIT(g, CAPSET_CREATE, capset_create, global, CLOCK_DOMAIN, TYPE_CLOCK_DOMAIN);
    EMIT_TEXT(g, RTS_IDENTIFIER, rts_identifier, rts, global, OS_PROCESS);
    count(g, HECTIC_EVENT_PROGRAM_ARGS, sizeof args - 1);
    hectic_emit_program_args(global, OS_PROCESS, args, sizeof args - 1);
    EMIT(g, OSPROCESS_PID, osprocess_pid, global, OS_PROCESS, 4242);
    EMIT(g, WALL_CLOCK_TIME, wall_clock_time, global, CLOCK_DOMAIN, epoch, 123456789);
    for (uint32_t i = 0; i < g->settings.caps; i++) {
        g->progress.time++;
        EMIT(g, CAP_CREATE, cap_create, global, (uint16_t)i);
        EMIT(g, CAPSET_ASSIGN_CAP, capset_assign_cap, global, OS_PROCESS, (uint16_t)i);
        EMIT(g, CAPSET_ASSIGN_CAP, capset_assign_cap, global, CLOCK_DOMAIN, (uint16_t)i);
    }
    EMIT(g, HEAP_INFO_GHC, heap_info_ghc, global, OS_PROCESS, 2, 0, 4 * MBLOCK, MBLOCK, BLOCK);
    if (g->settings.weight[GENERATOR_HEAP_PROFILE] > 0) {
        enum { BY_TYPE = 4 };
        EMIT(g, HEAP_PROF_BEGIN, heap_prof_begin, global, 0, CENSUS_NS, BY_TYPE, "", "", "", "", "",
             "", "");
    }
    if (g->settings.weight[GENERATOR_TIME_PROFILE] > 0) {
        EMIT(g, PROF_BEGIN, prof_begin, global, TICK_NS);
        define_cost_centres(g);
    }
}

/* The chance of a kind is its weight divided by the mean number of events of its steps so far. */
static void update_chances(struct generator *g)
{
    enum { FIRST = 64, LATER = 4096, ONE = 1 << 20 };
    uint64_t sum = 0;
    for (int kind = 0; kind < GENERATOR_KINDS; kind++) {
        const uint64_t mean = (g->events[kind] * 16 + 16) / (g->steps[kind] + 1);
        const uint64_t chance = g->settings.weight[kind] * ONE / mean;
        g->chance[kind] = sum += chance > 0 ? chance : g->settings.weight[kind];
    }
    g->update_at = g->all_steps + (g->all_steps < LATER ? FIRST : LATER);
}

bool generator_begin(struct generator *g, hectic_emitter *emitter)
{
    g->progress.time = 1000;
    g->global = hectic_emitter_global(emitter);
    emit_process(g);
    for (uint32_t i = 0; i < g->settings.caps; i++) {
        cap *c = &g->caps[i];
        *c = (cap){.number = (uint16_t)i, .clock = &g->clocks[i]};
        c->out = hectic_emitter_cap(emitter, i);
        if (c->out == NULL) return false;
        c->ready = g->threads + (size_t)i * 2 * g->most;
        c->blocked = c->ready + g->most;
        *c->clock = g->progress.time + 1000;
        EMIT(g, TASK_CREATE, task_create, g->global, 0x7f0000001000u + i * 0x1000u, c->number,
             4242 + i);
    }
    update_chances(g);
    return true;
}

static enum generator_kind choose_kind(struct generator *g)
{
    if (g->all_steps++ == g->update_at) update_chances(g);
    const uint64_t point =
        ((uint64_t)random_below(g, 1u << 30) * g->chance[GENERATOR_KINDS - 1]) >> 30;
    unsigned kind = 0;
    while (point >= g->chance[kind])
        kind++;
    return (enum generator_kind)kind;
}

static cap *earliest_cap(const struct generator *g)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < g->settings.caps; i++)
        if (g->clocks[i] < g->clocks[first]) first = i;
    return &g->caps[first];
}

/* The cap whose turn it is. Its next event follows all others. */
static cap *cap_of_turn(struct generator *g)
{
    const uint32_t others = g->settings.caps - 1;
    if (g->progress.events >= g->turn_end && others > 0) {
        g->turn = (g->turn + 1 + random_below(g, others)) % g->settings.caps;
        g->turn_end = g->progress.events + 1 + random_below(g, 2 * TURN_MEAN);
    }
    cap *c = &g->caps[g->turn];
    if (*c->clock < g->progress.time) *c->clock = g->progress.time;
    return c;
}

void generator_step(struct generator *g)
{
    const enum generator_kind kind = choose_kind(g);
    cap *c = g->settings.alternate ? earliest_cap(g) : cap_of_turn(g);
    g->progress.time = *c->clock;
    const uint64_t before = g->progress.events;
    if (c->running == 0 || kind == GENERATOR_THREADS) switch_threads(g, c);
    if (kind == GENERATOR_GC) collect(g, c);
    if (kind == GENERATOR_SPARKS) use_sparks(g, c);
    if (kind == GENERATOR_MESSAGES) emit_message(g, c);
    if (kind == GENERATOR_HEAP_PROFILE) take_census(g);
    if (kind == GENERATOR_TIME_PROFILE) take_samples(g);
    g->events[kind] += g->progress.events - before;
    g->steps[kind]++;
}

void generator_end(struct generator *g)
{
    uint64_t last = g->progress.time;
    for (cap *c = g->caps; c < g->caps + g->settings.caps; c++) {
        if (c->running > 0) stop_thread(g, c, FINISHED);
        EMIT(g, HEAP_ALLOCATED, heap_allocated, tick(g, c), OS_PROCESS, c->allocated);
        EMIT(g, TASK_DELETE, task_delete, g->global, 0x7f0000001000u + c->number * 0x1000u);
        if (*c->clock > last) last = *c->clock;
    }
    g->progress.time = last;
    for (uint32_t i = 0; i < g->settings.caps; i++) {
        EMIT(g, CAPSET_REMOVE_CAP, capset_remove_cap, g->global, OS_PROCESS, (uint16_t)i);
        EMIT(g, CAPSET_REMOVE_CAP, capset_remove_cap, g->global, CLOCK_DOMAIN, (uint16_t)i);
        EMIT(g, CAP_DELETE, cap_delete, g->global, (uint16_t)i);
    }
    EMIT(g, CAPSET_DELETE, capset_delete, g->global, OS_PROCESS);
    EMIT(g, CAPSET_DELETE, capset_delete, g->global, CLOCK_DOMAIN);
}

struct generator_progress generator_get_progress(const struct generator *g)
{
    return g->progress;
}
