/* generator.c — see generator.h.
 *
 * Every cap has a clock. The next to do something is always the cap whose clock is behind all
 * others', so that whatever one cap does to another comes before what the other does next. */
#include "generator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What the runtime calls STOP_THREAD's statuses. */
enum { HEAP_OVERFLOW = 1, YIELDING = 3, FINISHED = 5, FOREIGN_CALL = 6, ON_MVAR = 7, ON_STM = 12 };

enum { OS_PROCESS = 0, CLOCK_DOMAIN = 1 };           /* capsets, as GHC numbers them */
enum { TYPE_OS_PROCESS = 2, TYPE_CLOCK_DOMAIN = 3 }; /* and their types */
enum { TYPES = 256, PREFIX = 10, POOL = 4096, MBLOCK = 1 << 20, BLOCK = 4096 };

const char *const generator_kinds[GENERATOR_KINDS + 1] = {
    [GENERATOR_THREADS] = "threads",
    [GENERATOR_GC] = "gc",
    [GENERATOR_SPARKS] = "sparks",
    [GENERATOR_MESSAGES] = "messages",
    [GENERATOR_HEAP_PROFILE] = "heap-profile",
};

typedef struct cap {
    hectic_emit_cap *out;
    uint64_t *clock;
    uint16_t number;
    uint32_t running;          /* 0: no thread */
    uint32_t *ready, *blocked; /* room for m->most each */
    uint32_t ready_count, blocked_count;
    uint64_t allocated;
    struct {
        uint64_t created, dud, overflowed, converted, collected, fizzled, pool;
    } sparks;
} cap;

struct generator {
    struct generator_settings settings;
    hectic_emit_cap *global;
    cap *caps;
    uint64_t *clocks;  /* of all caps, beside each other: they are compared at every step */
    uint32_t *threads; /* what the caps' ready and blocked point into */
    uint32_t most;     /* threads of a cap */
    uint32_t next_thread;
    uint64_t heap, era, random;
    uint16_t size[TYPES]; /* of an event of each type, but for its texts */
    struct generator_progress progress;

    uint64_t chance[GENERATOR_KINDS]; /* of each kind of step */
    uint64_t steps[GENERATOR_KINDS], events[GENERATOR_KINDS];
    uint64_t all_steps, weigh_at; /* at how many steps the chances are weighed again */
};

static uint32_t roll(struct generator *m, uint32_t sides) /* xorshift64* */
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return (uint32_t)((m->random * 0x2545f4914f6cdd1dULL) >> 33) % sides;
}

uint64_t generator_now(void *generator)
{
    const struct generator *m = generator;
    return m->progress.time;
}

/* --- Telling --------------------------------------------------------------------------------- */

static void count(struct generator *m, unsigned type, size_t text)
{
    m->progress.events++;
    m->progress.bytes += m->size[type] + text;
}

/* TELL(m, RUN_THREAD, run_thread, where, thread): the event, and the function that emits it. */
#define TELL(m, NAME, name, ...)                                                                   \
    do {                                                                                           \
        count(m, HECTIC_EVENT_##NAME, 0);                                                          \
        hectic_emit_##name(__VA_ARGS__);                                                           \
    } while (0)
#define TELL_TEXT(m, NAME, name, text, ...)                                                        \
    do {                                                                                           \
        count(m, HECTIC_EVENT_##NAME, strlen(text));                                               \
        hectic_emit_##name(__VA_ARGS__, text);                                                     \
    } while (0)

/* Some time passes on the cap. Where its next event goes. */
static hectic_emit_cap *after(struct generator *m, cap *c, uint64_t ns)
{
    m->progress.time = *c->clock += ns;
    return c->out;
}

static hectic_emit_cap *soon(struct generator *m, cap *c)
{
    return after(m, c, 60 + roll(m, 1200));
}

/* Whatever the cap does next comes after what the other has done. */
static void meet(cap *c, const cap *other)
{
    if (*c->clock < *other->clock) *c->clock = *other->clock;
}

static void meet_all(const struct generator *m, cap *c)
{
    for (const cap *other = m->caps; other < m->caps + m->settings.caps; other++)
        meet(c, other);
}

/* --- Threads --------------------------------------------------------------------------------- */

static uint32_t alive(const cap *c)
{
    return c->ready_count + c->blocked_count + (c->running > 0);
}

static uint32_t take(struct generator *m, uint32_t *threads, uint32_t *how_many)
{
    const uint32_t which = roll(m, *how_many), thread = threads[which];
    threads[which] = threads[--*how_many];
    return thread;
}

static void create_thread(struct generator *m, cap *c)
{
    const uint32_t thread = m->next_thread++;
    TELL(m, CREATE_THREAD, create_thread, soon(m, c), thread);
    if (roll(m, 4) == 0) {
        char label[32];
        snprintf(label, sizeof label, "worker-%" PRIu32, thread % 1000);
        TELL_TEXT(m, THREAD_LABEL, thread_label, label, soon(m, c), thread);
    }
    TELL(m, THREAD_RUNNABLE, thread_runnable, soon(m, c), thread);
    c->ready[c->ready_count++] = thread;
}

/* As many as are wanted come to live soon, and stay so many. */
static void create_threads(struct generator *m, cap *c)
{
    const uint32_t wanted = alive(c) < m->most / 2 ? 8 : roll(m, 4) == 0;
    for (uint32_t i = 0; i < wanted && alive(c) < m->most; i++)
        create_thread(m, c);
}

static void wake_thread(struct generator *m, cap *c)
{
    if (c->blocked_count == 0) return;
    const uint32_t thread = take(m, c->blocked, &c->blocked_count);
    TELL(m, THREAD_WAKEUP, thread_wakeup, soon(m, c), thread, c->number);
    TELL(m, THREAD_RUNNABLE, thread_runnable, soon(m, c), thread);
    c->ready[c->ready_count++] = thread;
}

/* Moves a ready thread to another cap, as the scheduler does when it has more than one. */
static void migrate_thread(struct generator *m, cap *c)
{
    cap *other = &m->caps[roll(m, m->settings.caps)];
    if (c == other || c->ready_count < 2 || alive(other) >= m->most) return;
    const uint32_t thread = c->ready[--c->ready_count];
    TELL(m, MIGRATE_THREAD, migrate_thread, soon(m, c), thread, other->number);
    other->ready[other->ready_count++] = thread;
    meet(other, c);
}

static void run_thread(struct generator *m, cap *c)
{
    if (c->ready_count == 0) wake_thread(m, c);
    if (c->ready_count == 0) create_thread(m, c);
    c->running = take(m, c->ready, &c->ready_count);
    TELL(m, RUN_THREAD, run_thread, soon(m, c), c->running);
}

static void stop_thread(struct generator *m, cap *c, uint16_t status)
{
    const uint32_t thread = c->running;
    TELL(m, STOP_THREAD, stop_thread, soon(m, c), thread, status, 0);
    c->running = 0;
    if (status == ON_MVAR || status == ON_STM)
        c->blocked[c->blocked_count++] = thread;
    else if (status != FINISHED)
        c->ready[c->ready_count++] = thread;
}

/* Another thread's turn. */
static void switch_threads(struct generator *m, cap *c)
{
    static const uint16_t status[32] = {
        ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_MVAR,
        ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_MVAR,      ON_STM,       ON_STM,
        ON_STM,       FINISHED,     FINISHED,     FOREIGN_CALL, FOREIGN_CALL, FOREIGN_CALL,
        FOREIGN_CALL, FOREIGN_CALL, FOREIGN_CALL, FOREIGN_CALL, FOREIGN_CALL, YIELDING,
        YIELDING,     YIELDING,     YIELDING,     YIELDING,     YIELDING,     YIELDING,
        YIELDING,     YIELDING};
    if (c->running > 0) {
        if (roll(m, 32) < 10) wake_thread(m, c);
        create_threads(m, c);
        stop_thread(m, c, status[roll(m, 32)]);
        if (roll(m, 64) == 0) migrate_thread(m, c);
    }
    run_thread(m, c);
    c->allocated += 1024 + roll(m, 65536);
}

/* --- What a running thread does --------------------------------------------------------------- */

static void take_spark(struct generator *m, cap *c)
{
    cap *other = &m->caps[roll(m, m->settings.caps)];
    if (roll(m, 4) == 0 && other != c && other->sparks.pool > 0) {
        meet(c, other);
        TELL(m, SPARK_STEAL, spark_steal, soon(m, c), other->number);
        other->sparks.pool--;
        c->sparks.converted++;
        return;
    }
    const uint32_t fate = roll(m, 16);
    c->sparks.pool--;
    if (fate == 0) {
        TELL(m, SPARK_FIZZLE, spark_fizzle, soon(m, c));
        c->sparks.fizzled++;
    } else {
        TELL(m, SPARK_RUN, spark_run, soon(m, c));
        c->sparks.converted++;
    }
}

static void use_sparks(struct generator *m, cap *c)
{
    if (c->sparks.pool > 0 && roll(m, 2) == 0) {
        take_spark(m, c);
    } else if (roll(m, 64) == 0) {
        TELL(m, SPARK_DUD, spark_dud, soon(m, c));
        c->sparks.dud++;
    } else if (c->sparks.pool == POOL) {
        TELL(m, SPARK_OVERFLOW, spark_overflow, soon(m, c));
        c->sparks.overflowed++;
    } else {
        TELL(m, SPARK_CREATE, spark_create, soon(m, c));
        c->sparks.created++;
        c->sparks.pool++;
    }
}

static void say_something(struct generator *m, cap *c)
{
    static const char *const topics[] = {"parsed", "served", "cached", "\xce\xbb-lifted",
                                         "request /api/v1/items answered with status"};
    char text[80];
    const uint32_t luck = roll(m, 16);
    snprintf(text, sizeof text, "%s %" PRIu32, topics[roll(m, 5)], roll(m, 100000));
    if (luck == 0)
        TELL_TEXT(m, USER_MARKER, user_marker, text, soon(m, c));
    else
        TELL_TEXT(m, USER_MSG, user_msg, text, soon(m, c));
}

/* --- Collections ------------------------------------------------------------------------------ */

/* All caps stop, one after the other, and their clocks meet. */
static void stop_the_world(struct generator *m, cap *leader)
{
    if (leader->running > 0) stop_thread(m, leader, HEAP_OVERFLOW);
    if (m->settings.caps > 1)
        TELL(m, REQUEST_PAR_GC, request_par_gc, soon(m, leader));
    else
        TELL(m, REQUEST_SEQ_GC, request_seq_gc, soon(m, leader));
    for (cap *c = m->caps; c < m->caps + m->settings.caps; c++) {
        if (c == leader) continue;
        meet(c, leader);
        if (c->running > 0) stop_thread(m, c, YIELDING);
        TELL(m, GC_START, gc_start, soon(m, c));
    }
    meet_all(m, leader);
    TELL(m, GC_START, gc_start, soon(m, leader));
}

static void tell_sparks(struct generator *m, cap *c)
{
    const uint64_t lost = c->sparks.pool / 8;
    c->sparks.pool -= lost;
    c->sparks.collected += lost;
    TELL(m, SPARK_COUNTERS, spark_counters, soon(m, c), c->sparks.created, c->sparks.dud,
         c->sparks.overflowed, c->sparks.converted, c->sparks.collected, c->sparks.fizzled,
         c->sparks.pool);
}

static void tell_heap(struct generator *m, cap *leader, bool major)
{
    const uint64_t heap = m->heap, mblocks = heap / MBLOCK;
    TELL(m, GC_GLOBAL_SYNC, gc_global_sync, soon(m, leader));
    TELL(m, GC_STATS_GHC, gc_stats_ghc, soon(m, leader), OS_PROCESS, major, heap / 3, heap / 100,
         heap / 50, m->settings.caps, heap / 4, heap / 3, heap / 5);
    if (major) {
        TELL(m, MEM_RETURN, mem_return, soon(m, leader), OS_PROCESS, (uint32_t)mblocks,
             (uint32_t)mblocks, 0);
        TELL(m, HEAP_LIVE, heap_live, soon(m, leader), OS_PROCESS, heap / 2);
    }
    TELL(m, HEAP_SIZE, heap_size, soon(m, leader), OS_PROCESS, mblocks * MBLOCK);
    TELL(m, BLOCKS_SIZE, blocks_size, soon(m, leader), OS_PROCESS, heap / BLOCK * BLOCK);
}

static void collect(struct generator *m, cap *leader)
{
    enum { LEAST = 8 * MBLOCK, MOST = 64 * MBLOCK };
    m->heap = LEAST + (m->heap + roll(m, MBLOCK)) % MOST;
    stop_the_world(m, leader);
    const uint64_t begin = *leader->clock, end = begin + 20000 + roll(m, 80000);
    for (cap *c = m->caps; c < m->caps + m->settings.caps; c++) {
        *c->clock = begin;
        TELL(m, GC_WORK, gc_work, soon(m, c));
        for (uint32_t spells = 1 + roll(m, 2); spells > 0; spells--) {
            TELL(m, GC_IDLE, gc_idle, soon(m, c));
            if (spells > 1) TELL(m, GC_WORK, gc_work, soon(m, c));
        }
        *c->clock = end;
        TELL(m, GC_DONE, gc_done, soon(m, c));
        TELL(m, HEAP_ALLOCATED, heap_allocated, soon(m, c), OS_PROCESS, c->allocated);
    }
    meet_all(m, leader);
    tell_heap(m, leader, roll(m, 16) == 0);
    for (cap *c = m->caps; c < m->caps + m->settings.caps; c++) {
        meet(c, leader);
        tell_sparks(m, c);
        TELL(m, GC_END, gc_end, soon(m, c));
    }
}

/* A census of the heap; it belongs to no cap. */
static void take_census(struct generator *m)
{
    static const char *const types[] = {"ARR_WORDS", "Map",  "IORef", "[]",         "Text",
                                        "Int",       "Node", "MVar",  "ByteString", "THUNK"};
    enum { COUNT = sizeof types / sizeof *types };
    m->era++;
    TELL(m, HEAP_PROF_SAMPLE_BEGIN, heap_prof_sample_begin, m->global, m->era);
    for (uint32_t i = 0; i < COUNT; i++)
        TELL_TEXT(m, HEAP_PROF_SAMPLE_STRING, heap_prof_sample_string, types[i], m->global, 0,
                  m->heap / (2 + i) + roll(m, BLOCK));
    TELL(m, HEAP_PROF_SAMPLE_END, heap_prof_sample_end, m->global, m->era);
}

/* --- The program ------------------------------------------------------------------------------ */

struct generator *generator_new(const struct generator_settings *settings)
{
    struct generator *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    m->settings = *settings;
    m->random = 0x9e3779b97f4a7c15u ^ settings->seed * 0xbf58476d1ce4e5b9u;
    if (m->random == 0) m->random = 1;
    m->next_thread = 1;
    m->most = settings->threads / settings->caps;
    if (m->most == 0) m->most = 1;
    for (uint16_t type = 0; type < TYPES; type++) {
        const hectic_shape *shape = hectic_shape_by_number(type);
        if (shape) m->size[type] = (uint16_t)(PREFIX + 2 * shape->variable + shape->size);
    }
    m->caps = calloc(settings->caps, sizeof *m->caps);
    m->clocks = calloc(settings->caps, sizeof *m->clocks);
    m->threads = calloc(2 * (size_t)settings->caps, m->most * sizeof *m->threads);
    if (m->caps && m->clocks && m->threads) return m;
    generator_free(m);
    return NULL;
}

void generator_free(struct generator *m)
{
    if (m == NULL) return;
    free(m->caps);
    free(m->clocks);
    free(m->threads);
    free(m);
}

static void tell_process(struct generator *m)
{
    static const char rts[] = "GHC-9.12.1 rts_thr", args[] = "made-up\0+RTS\0-la";
    static const uint64_t epoch = 1700000000;
    hectic_emit_cap *g = m->global;
    TELL(m, CAPSET_CREATE, capset_create, g, OS_PROCESS, TYPE_OS_PROCESS);
    TELL(m, CAPSET_CREATE, capset_create, g, CLOCK_DOMAIN, TYPE_CLOCK_DOMAIN);
    TELL_TEXT(m, RTS_IDENTIFIER, rts_identifier, rts, g, OS_PROCESS);
    count(m, HECTIC_EVENT_PROGRAM_ARGS, sizeof args - 1);
    hectic_emit_program_args(g, OS_PROCESS, args, sizeof args - 1);
    TELL(m, OSPROCESS_PID, osprocess_pid, g, OS_PROCESS, 4242);
    TELL(m, WALL_CLOCK_TIME, wall_clock_time, g, CLOCK_DOMAIN, epoch, 123456789);
    for (uint32_t i = 0; i < m->settings.caps; i++) {
        m->progress.time++;
        TELL(m, CAP_CREATE, cap_create, g, (uint16_t)i);
        TELL(m, CAPSET_ASSIGN_CAP, capset_assign_cap, g, OS_PROCESS, (uint16_t)i);
        TELL(m, CAPSET_ASSIGN_CAP, capset_assign_cap, g, CLOCK_DOMAIN, (uint16_t)i);
    }
    TELL(m, HEAP_INFO_GHC, heap_info_ghc, g, OS_PROCESS, 2, 0, 4 * MBLOCK, MBLOCK, BLOCK);
    if (m->settings.weight[GENERATOR_HEAP_PROFILE] > 0) {
        enum { BY_TYPE = 4 };
        TELL(m, HEAP_PROF_BEGIN, heap_prof_begin, g, 0, 100000000, BY_TYPE, "", "", "", "", "", "",
             "");
    }
}

/* A kind's chance is its weight by the events that a step of it has made so far. */
static void weigh(struct generator *m)
{
    enum { FIRST = 64, LATER = 4096, ONE = 1 << 20 };
    uint64_t sum = 0;
    for (int kind = 0; kind < GENERATOR_KINDS; kind++) {
        const uint64_t mean = (m->events[kind] * 16 + 16) / (m->steps[kind] + 1);
        const uint64_t chance = m->settings.weight[kind] * ONE / mean;
        m->chance[kind] = sum += chance > 0 ? chance : m->settings.weight[kind];
    }
    m->weigh_at = m->all_steps + (m->all_steps < LATER ? FIRST : LATER);
}

bool generator_begin(struct generator *m, hectic_emitter *emitter)
{
    m->progress.time = 1000;
    m->global = hectic_emitter_global(emitter);
    tell_process(m);
    for (uint32_t i = 0; i < m->settings.caps; i++) {
        cap *c = &m->caps[i];
        *c = (cap){.number = (uint16_t)i, .clock = &m->clocks[i]};
        c->out = hectic_emitter_cap(emitter, i);
        if (c->out == NULL) return false;
        c->ready = m->threads + (size_t)i * 2 * m->most;
        c->blocked = c->ready + m->most;
        *c->clock = m->progress.time + 1000;
        TELL(m, TASK_CREATE, task_create, soon(m, c), 0x7f0000001000u + i * 0x1000u, c->number,
             4242 + i);
    }
    weigh(m);
    return true;
}

static enum generator_kind draw(struct generator *m)
{
    if (m->all_steps++ == m->weigh_at) weigh(m);
    const uint64_t luck = ((uint64_t)roll(m, 1u << 30) * m->chance[GENERATOR_KINDS - 1]) >> 30;
    unsigned kind = 0;
    while (luck >= m->chance[kind])
        kind++;
    return (enum generator_kind)kind;
}

static cap *behind(const struct generator *m)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < m->settings.caps; i++)
        if (m->clocks[i] < m->clocks[first]) first = i;
    return &m->caps[first];
}

void generator_step(struct generator *m)
{
    const enum generator_kind kind = draw(m);
    cap *c = behind(m);
    m->progress.time = *c->clock;
    const uint64_t before = m->progress.events;
    if (c->running == 0 || kind == GENERATOR_THREADS) switch_threads(m, c);
    if (kind == GENERATOR_GC) collect(m, c);
    if (kind == GENERATOR_SPARKS) use_sparks(m, c);
    if (kind == GENERATOR_MESSAGES) say_something(m, c);
    if (kind == GENERATOR_HEAP_PROFILE) take_census(m);
    m->events[kind] += m->progress.events - before;
    m->steps[kind]++;
}

void generator_end(struct generator *m)
{
    uint64_t last = m->progress.time;
    for (cap *c = m->caps; c < m->caps + m->settings.caps; c++) {
        if (c->running > 0) stop_thread(m, c, FINISHED);
        TELL(m, HEAP_ALLOCATED, heap_allocated, soon(m, c), OS_PROCESS, c->allocated);
        TELL(m, TASK_DELETE, task_delete, soon(m, c), 0x7f0000001000u + c->number * 0x1000u);
        if (*c->clock > last) last = *c->clock;
    }
    m->progress.time = last;
    for (uint32_t i = 0; i < m->settings.caps; i++) {
        TELL(m, CAPSET_REMOVE_CAP, capset_remove_cap, m->global, OS_PROCESS, (uint16_t)i);
        TELL(m, CAPSET_REMOVE_CAP, capset_remove_cap, m->global, CLOCK_DOMAIN, (uint16_t)i);
        TELL(m, CAP_DELETE, cap_delete, m->global, (uint16_t)i);
    }
    TELL(m, CAPSET_DELETE, capset_delete, m->global, OS_PROCESS);
    TELL(m, CAPSET_DELETE, capset_delete, m->global, CLOCK_DOMAIN);
}

struct generator_progress generator_get_progress(const struct generator *m)
{
    return m->progress;
}
