/* The engine and each machine, on synthetic events. */
#include "bytes.h"

#include "machines/keys.h"
#include "machines/machines.h"

enum { NONE = HECTIC_CAP_NONE };
enum { OVERFLOW = 1, YIELD = 3, FINISHED = 5, MVAR = 7 };

/* A running machine and its results. */
struct run {
    const hectic_machine *machine;
    hectic_engine *engine;
    uint64_t time;
    unsigned changes, ended;
    hectic_change change; /* the last one, and so on */
    hectic_fault fault;
    hectic_profile profile;
    hectic_stay stay[HECTIC_MACHINE_MAX];
};

static hectic_header *header; /* declares everything */

static void on_change(void *user, const hectic_change *change)
{
    struct run *run = user;
    run->changes++;
    run->change = *change;
}

static void on_fault(void *user, const hectic_fault *fault)
{
    struct run *run = user;
    assert_non_null(fault->cause);
    run->fault = *fault;
}

static void on_end(void *user, const hectic_profile *profile)
{
    struct run *run = user;
    run->ended++;
    run->profile = *profile;
    if (profile->stay) memcpy(run->stay, profile->stay, sizeof *run->stay * 5);
}

static struct run *start_machine(struct run *run, const hectic_machine *machine)
{
    *run = (struct run){.machine = machine};
    const hectic_observer observer = {
        .changed = on_change, .faulted = on_fault, .ended = on_end, .user = run, .profile = true};
    run->engine = hectic_engine_new(machine, &observer);
    assert_non_null(run->engine);
    hectic_engine_begin(run->engine, header);
    return run;
}

static struct run *start(struct run *run, const char *machine)
{
    assert_non_null(hectic_machine_by_name(machine));
    return start_machine(run, hectic_machine_by_name(machine));
}

static void stop(struct run *run)
{
    hectic_engine_free(run->engine);
}

static uint64_t faults(const struct run *run)
{
    return hectic_engine_count(run->engine).faults;
}

static void count_key(void *count, const hectic_profile *profile)
{
    (void)profile;
    ++*(uint64_t *)count;
}

static uint64_t live_keys(const struct run *run)
{
    uint64_t count = 0;
    assert_true(hectic_engine_each(run->engine, count_key, &count));
    return count;
}

/* Feeds an event with these fields, 10 ns after the previous one. */
static void feed(struct run *run, uint16_t type, uint16_t cap, uint64_t a, uint64_t b, uint64_t c)
{
    const hectic_event_type *declared = hectic_header_type(header, type);
    const hectic_value value[] = {{.number = a}, {.number = b}, {.number = c}};
    uint8_t bytes[64];
    assert_int_not_equal(
        hectic_encode_fields(bytes, sizeof bytes, declared, 0, value, declared->shape->field_count),
        0);
    const hectic_event event = {.time = run->time += 10,
                                .payload = bytes + 10,
                                .declared = declared,
                                .type = type,
                                .size = declared->size,
                                .cap = cap};
    assert_true(hectic_engine_event(run->engine, &event));
}

static void create(struct run *run, uint16_t cap, uint32_t thread)
{
    feed(run, HECTIC_EVENT_CREATE_THREAD, cap, thread, 0, 0);
}

static void run_thread(struct run *run, uint16_t cap, uint32_t thread)
{
    feed(run, HECTIC_EVENT_RUN_THREAD, cap, thread, 0, 0);
}

static void stop_thread(struct run *run, uint16_t cap, uint32_t thread, uint16_t status)
{
    feed(run, HECTIC_EVENT_STOP_THREAD, cap, thread, status, 0);
}

static void wake(struct run *run, uint16_t cap, uint32_t thread, uint16_t other_cap)
{
    feed(run, HECTIC_EVENT_THREAD_WAKEUP, cap, thread, other_cap, 0);
}

static void plain(struct run *run, uint16_t cap, uint16_t type)
{
    feed(run, type, cap, 0, 0, 0);
}

static void assert_faults(const struct run *run, unsigned count, const char *text)
{
    char found[200];
    assert_int_equal(faults(run), count);
    assert_string_equal(hectic_fault_text(run->machine, &run->fault, found, sizeof found), text);
}

/* --- threads --------------------------------------------------------------------------------- */

static void threads_have_a_life_cycle(void **state)
{
    (void)state;
    struct run run;
    start(&run, "threads");
    create(&run, 0, 1);
    run_thread(&run, 0, 1);
    stop_thread(&run, 0, 1, OVERFLOW); /* queued */
    run_thread(&run, 1, 1);
    assert_true(run.change.has_place);
    assert_int_equal(run.change.place, 1);
    stop_thread(&run, 1, 1, MVAR); /* stopped */
    wake(&run, 0, 1, 1);           /* migrating */
    assert_string_equal(run.machine->states[run.change.to], "stopped");
    wake(&run, 1, 1, 1);
    assert_string_equal(run.machine->states[run.change.to], "queued");
    run_thread(&run, 1, 1);
    stop_thread(&run, 1, 1, FINISHED);
    assert_int_equal(faults(&run), 0);
    assert_int_equal(run.changes, 8);
    assert_int_equal(run.ended, 1);
    assert_int_equal(live_keys(&run), 0);
    /* unknown, queued, running, stopped, finished */
    assert_int_equal(run.stay[1].ns, 10 + 10 + 10);
    assert_int_equal(run.stay[1].count, 3);
    assert_int_equal(run.stay[2].ns, 10 + 10 + 10);
    assert_int_equal(run.stay[3].ns, 20);
    assert_int_equal(run.profile.since, run.time);
    stop(&run);
}

static void nothing_follows_the_end(void **state)
{
    (void)state;
    struct run run;
    start(&run, "threads");
    create(&run, 0, 7);
    run_thread(&run, 0, 7);
    stop_thread(&run, 0, 7, FINISHED);
    assert_int_equal(faults(&run), 0);
    create(&run, 0, 7);
    assert_faults(&run, 1, "thread 7 is finished");
    /* It is accepted as a new thread. */
    run_thread(&run, 0, 7);
    stop_thread(&run, 0, 7, FINISHED);
    assert_int_equal(faults(&run), 1);
    run_thread(&run, 0, 7);
    assert_int_equal(faults(&run), 2);
    stop(&run);
}

static void a_lost_stop_is_one_fault(void **state)
{
    (void)state;
    struct run run;
    start(&run, "threads");
    for (uint32_t thread = 1; thread <= 3; thread++)
        create(&run, 0, thread);
    run_thread(&run, 0, 1);
    run_thread(&run, 0, 2);
    assert_faults(&run, 1, "cap 0 is occupied by thread 1; thread 2 is queued");
    assert_int_equal(run.fault.kind, HECTIC_FAULT_OCCUPIED);
    assert_int_equal(run.fault.occupant, 1);
    stop_thread(&run, 0, 2, YIELD);
    wake(&run, 0, 2, 0);
    for (uint32_t i = 0; i < 100; i++) {
        run_thread(&run, 0, 1 + i % 3);
        stop_thread(&run, 0, 1 + i % 3, OVERFLOW);
    }
    assert_int_equal(faults(&run), 1);
    /* The same thread on two caps. */
    run_thread(&run, 0, 1);
    run_thread(&run, 1, 1);
    assert_faults(&run, 2, "thread 1 is running, on cap 0");
    run_thread(&run, 0, 2);
    stop_thread(&run, 0, 2, OVERFLOW);
    stop_thread(&run, 1, 1, OVERFLOW);
    assert_int_equal(faults(&run), 2);
    stop(&run);
}

static void a_log_that_starts_in_the_middle(void **state)
{
    (void)state;
    struct run run;
    start(&run, "threads");
    for (int round = 0; round < 10; round++)
        for (uint32_t thread = 100; thread < 105; thread++) {
            run_thread(&run, 0, thread);
            stop_thread(&run, 0, thread, OVERFLOW);
        }
    assert_faults(&run, 5, "thread 104 is unknown");
    assert_int_equal(live_keys(&run), 5);
    stop(&run);
}

static void events_outside_of_caps(void **state)
{
    (void)state;
    struct run run;
    start(&run, "threads");
    create(&run, NONE, 1); /* which needs no cap */
    assert_int_equal(faults(&run), 0);
    run_thread(&run, NONE, 1);
    assert_faults(&run, 1, "it does not belong to a cap");
    assert_int_equal(run.fault.kind, HECTIC_FAULT_NO_CAP);
    wake(&run, NONE, 1, NONE);
    assert_int_equal(faults(&run), 1);
    stop(&run);
    start(&run, "threadpool");
    create(&run, NONE, 1);
    assert_int_equal(faults(&run), 1);
    stop(&run);
}

static void a_new_section_resets_the_state(void **state)
{
    (void)state;
    struct run run;
    start(&run, "threads");
    create(&run, 0, 1);
    run_thread(&run, 0, 1);
    hectic_engine_begin(run.engine, header);
    assert_int_equal(live_keys(&run), 0);
    create(&run, 0, 1);
    run_thread(&run, 0, 1);
    assert_int_equal(faults(&run), 0);
    stop(&run);
}

/* --- The pools ------------------------------------------------------------------------------- */

static void threads_in_a_pool(void **state)
{
    (void)state;
    struct run run;
    start(&run, "threadpool");
    create(&run, 3, 1);
    assert_int_equal(run.change.place, 3);
    feed(&run, HECTIC_EVENT_MIGRATE_THREAD, 3, 1, 4, 0);
    assert_int_equal(run.change.place, 4);
    stop_thread(&run, 4, 1, MVAR);
    stop_thread(&run, 4, 2, MVAR); /* unknown, no change */
    assert_int_equal(faults(&run), 0);
    create(&run, 0, 1);
    assert_faults(&run, 1, "thread 1 is present, on cap 4");
    stop_thread(&run, 4, 1, FINISHED);
    assert_int_equal(live_keys(&run), 0);
    feed(&run, HECTIC_EVENT_MIGRATE_THREAD, 3, 1, 4, 0);
    assert_faults(&run, 2, "thread 1 is absent");
    stop(&run);
}

static void threads_on_caps(void **state)
{
    (void)state;
    struct run run;
    start(&run, "threadrun");
    run_thread(&run, 0, 1);
    stop_thread(&run, 5, 1, MVAR); /* on any cap */
    run_thread(&run, 0, 2);
    assert_int_equal(faults(&run), 0);
    run_thread(&run, 0, 3);
    assert_faults(&run, 1, "cap 0 is occupied by thread 2; thread 3 is not running");
    stop_thread(&run, 0, 2, MVAR);
    assert_faults(&run, 2, "thread 2 is not running");
    stop(&run);
}

static void tasks_on_caps(void **state)
{
    (void)state;
    struct run run;
    start(&run, "taskpool");
    feed(&run, HECTIC_EVENT_TASK_CREATE, NONE, 0xabc, 0, 77);
    feed(&run, HECTIC_EVENT_TASK_MIGRATE, NONE, 0xabc, 0, 1);
    assert_int_equal(faults(&run), 0);
    feed(&run, HECTIC_EVENT_TASK_MIGRATE, NONE, 0xabc, 0, 2);
    assert_faults(&run, 1, "task 0xabc is present, on cap 1");
    assert_int_equal(run.fault.kind, HECTIC_FAULT_PLACE);
    feed(&run, HECTIC_EVENT_TASK_MIGRATE, NONE, 0xabc, 2, 0);
    feed(&run, HECTIC_EVENT_TASK_DELETE, NONE, 0xabc, 0, 0);
    assert_int_equal(faults(&run), 1);
    feed(&run, HECTIC_EVENT_TASK_DELETE, NONE, 0xabc, 0, 0);
    assert_int_equal(faults(&run), 2);
    stop(&run);
}

static void tasks_are_os_threads(void **state)
{
    (void)state;
    struct run run;
    start(&run, "tasks");
    feed(&run, HECTIC_EVENT_TASK_CREATE, NONE, 0xa, 0, 77);
    feed(&run, HECTIC_EVENT_TASK_MIGRATE, NONE, 0xa, 9, 1);
    feed(&run, HECTIC_EVENT_TASK_CREATE, NONE, 0xb, 0, 78);
    assert_int_equal(faults(&run), 0);
    feed(&run, HECTIC_EVENT_TASK_CREATE, NONE, 0xc, 0, 77);
    assert_faults(&run, 1, "os-thread 77 is occupied by task 0xa; task 0xc is absent");
    feed(&run, HECTIC_EVENT_TASK_DELETE, NONE, 0xb, 0, 0);
    feed(&run, HECTIC_EVENT_TASK_CREATE, NONE, 0xd, 0, 78);
    assert_int_equal(faults(&run), 1);
    stop(&run);
}

/* --- sparks ---------------------------------------------------------------------------------- */

static void sparks_belong_to_the_running_thread(void **state)
{
    (void)state;
    struct run run;
    start(&run, "sparks");
    plain(&run, 0, HECTIC_EVENT_SPARK_RUN); /* by no thread, or an ordinary one */
    run_thread(&run, 0, 1);
    plain(&run, 0, HECTIC_EVENT_SPARK_RUN);
    stop_thread(&run, 0, 1, MVAR);
    assert_int_equal(run.changes, 0);
    feed(&run, HECTIC_EVENT_CREATE_SPARK_THREAD, 1, 9, 0, 0);
    run_thread(&run, 1, 9);
    plain(&run, 0, HECTIC_EVENT_SPARK_RUN); /* on another cap */
    assert_string_equal(run.machine->states[run.change.to], "without a spark");
    feed(&run, HECTIC_EVENT_SPARK_STEAL, 1, 0, 0, 0);
    assert_int_equal(run.change.key, 9);
    assert_string_equal(run.machine->states[run.change.to], "running sparks");
    stop_thread(&run, 1, 9, MVAR);
    run_thread(&run, 0, 9);
    assert_int_equal(faults(&run), 0);
    run_thread(&run, 0, 1);
    assert_faults(&run, 1, "cap 0 is occupied by thread 9; thread 1 is not a spark thread");
    run_thread(&run, 2, 9);
    stop_thread(&run, 2, 9, FINISHED);
    assert_int_equal(faults(&run), 1);
    assert_int_equal(live_keys(&run), 0);
    feed(&run, HECTIC_EVENT_CREATE_SPARK_THREAD, 1, 9, 0, 0);
    assert_int_equal(faults(&run), 2);
    stop(&run);
}

/* --- gc -------------------------------------------------------------------------------------- */

static void gc_stats(struct run *run, uint16_t cap)
{
    const hectic_event_type *declared = hectic_header_type(header, HECTIC_EVENT_GC_STATS_GHC);
    static const uint8_t payload[256];
    const hectic_event event = {.time = run->time += 10,
                                .payload = payload,
                                .declared = declared,
                                .type = HECTIC_EVENT_GC_STATS_GHC,
                                .size = declared->size,
                                .cap = cap};
    assert_true(hectic_engine_event(run->engine, &event));
}

/* A collection led by cap 0 with cap 1, up to the end of their work. */
static void collect(struct run *run)
{
    plain(run, 0, HECTIC_EVENT_REQUEST_PAR_GC);
    for (uint16_t cap = 0; cap < 2; cap++)
        plain(run, cap, HECTIC_EVENT_GC_START);
    for (uint16_t cap = 0; cap < 2; cap++) {
        plain(run, cap, HECTIC_EVENT_GC_WORK);
        plain(run, cap, HECTIC_EVENT_GC_IDLE);
        plain(run, cap, HECTIC_EVENT_GC_WORK);
        plain(run, cap, HECTIC_EVENT_GC_IDLE);
        plain(run, cap, HECTIC_EVENT_GC_DONE);
    }
    plain(run, 0, HECTIC_EVENT_GC_IDLE);
    plain(run, 0, HECTIC_EVENT_GC_DONE);
}

static void collections(void **state)
{
    (void)state;
    struct run run;
    start(&run, "gc");
    run_thread(&run, 0, 1);
    stop_thread(&run, 0, 1, OVERFLOW);
    /* GHC 9: the end, then the rest, by time. */
    collect(&run);
    plain(&run, 0, HECTIC_EVENT_GC_END);
    plain(&run, 0, HECTIC_EVENT_GC_GLOBAL_SYNC);
    gc_stats(&run, 0);
    run_thread(&run, 0, 1);
    stop_thread(&run, 0, 1, OVERFLOW);
    /* The next request precedes the other cap's end. */
    plain(&run, 0, HECTIC_EVENT_REQUEST_SEQ_GC);
    plain(&run, 1, HECTIC_EVENT_GC_END);
    plain(&run, 0, HECTIC_EVENT_GC_START);
    plain(&run, 0, HECTIC_EVENT_GC_END);
    plain(&run, 0, HECTIC_EVENT_GC_GLOBAL_SYNC);
    gc_stats(&run, 0);
    /* Older: the end is last; the oldest log fewer events. */
    collect(&run);
    plain(&run, 0, HECTIC_EVENT_GC_GLOBAL_SYNC);
    gc_stats(&run, 0);
    plain(&run, 0, HECTIC_EVENT_GC_END);
    plain(&run, 1, HECTIC_EVENT_GC_END);
    collect(&run);
    gc_stats(&run, 0);
    plain(&run, 0, HECTIC_EVENT_GC_END);
    plain(&run, 1, HECTIC_EVENT_GC_END);
    collect(&run);
    plain(&run, 0, HECTIC_EVENT_GC_END);
    plain(&run, 1, HECTIC_EVENT_GC_END);
    /* GHC 6.12: cap 0 works for cap 1. */
    plain(&run, 1, HECTIC_EVENT_REQUEST_SEQ_GC);
    plain(&run, 1, HECTIC_EVENT_GC_START);
    plain(&run, 0, HECTIC_EVENT_GC_WORK);
    plain(&run, 0, HECTIC_EVENT_GC_IDLE);
    plain(&run, 0, HECTIC_EVENT_GC_DONE);
    plain(&run, 1, HECTIC_EVENT_GC_END);
    run_thread(&run, 0, 1);
    assert_int_equal(faults(&run), 0);
    assert_int_equal(live_keys(&run), 2);
    stop(&run);
}

static void broken_collections(void **state)
{
    (void)state;
    struct run run;
    start(&run, "gc");
    run_thread(&run, 1, 1);
    plain(&run, 0, HECTIC_EVENT_GC_START);
    plain(&run, 0, HECTIC_EVENT_GC_END);
    plain(&run, 0, HECTIC_EVENT_GC_GLOBAL_SYNC);
    assert_faults(&run, 1, "cap 1 is running a thread");
    stop_thread(&run, 1, 1, MVAR);
    gc_stats(&run, 0);
    gc_stats(&run, 0);
    assert_faults(&run, 2, "cap 0 is outside collections");
    plain(&run, 0, HECTIC_EVENT_GC_END);
    assert_int_equal(faults(&run), 2);
    plain(&run, 0, HECTIC_EVENT_GC_END);
    assert_int_equal(faults(&run), 3);
    plain(&run, 0, HECTIC_EVENT_GC_START);
    run_thread(&run, 0, 1);
    assert_faults(&run, 4, "cap 0 is starting a collection");
    stop_thread(&run, 0, 1, MVAR);
    /* The end of cap 1 is lost. */
    collect(&run);
    plain(&run, 0, HECTIC_EVENT_GC_END);
    plain(&run, 0, HECTIC_EVENT_GC_GLOBAL_SYNC);
    gc_stats(&run, 0);
    plain(&run, 0, HECTIC_EVENT_GC_START);
    plain(&run, 0, HECTIC_EVENT_GC_END);
    assert_int_equal(faults(&run), 4);
    plain(&run, 0, HECTIC_EVENT_GC_GLOBAL_SYNC);
    assert_faults(&run, 5, "cap 1 is waiting for the end of a collection");
    stop(&run);
}

/* --- The engine ------------------------------------------------------------------------------ */

/* The example of the header. */
enum { OUTSIDE, COLLECTING };
enum { START, END };
static const hectic_transition example_transitions[] = {{OUTSIDE, START, COLLECTING, HECTIC_STAY},
                                                        {COLLECTING, END, OUTSIDE, HECTIC_STAY},
                                                        HECTIC_TRANSITIONS_END};
static const hectic_machine example = {
    .name = "collections",
    .key = HECTIC_UNIT_CAP,
    .states = (const char *const[]){"outside collections", "collecting", NULL},
    .letters = (const hectic_letter[]){{.event = HECTIC_EVENT_GC_START, .key = HECTIC_OWN_CAP},
                                       {.event = HECTIC_EVENT_GC_END, .key = HECTIC_OWN_CAP},
                                       {0}},
    .transitions = example_transitions,
};

static void a_custom_machine_works(void **state)
{
    (void)state;
    struct run run;
    start_machine(&run, &example);
    assert_true(engine_uses(run.engine, HECTIC_EVENT_GC_START));
    assert_false(engine_uses(run.engine, HECTIC_EVENT_GC_WORK));
    plain(&run, 2, HECTIC_EVENT_GC_START);
    plain(&run, 2, HECTIC_EVENT_GC_WORK);
    plain(&run, 2, HECTIC_EVENT_GC_END);
    assert_int_equal(faults(&run), 0);
    plain(&run, 2, HECTIC_EVENT_GC_END);
    assert_faults(&run, 1, "cap 2 is outside collections");
    assert_int_equal(hectic_engine_count(run.engine).events, 3);
    stop(&run);

    hectic_machine wrong = example;
    wrong.transitions =
        (const hectic_transition[]){{OUTSIDE, START, 2, HECTIC_STAY}, HECTIC_TRANSITIONS_END};
    assert_null(hectic_engine_new(&wrong, NULL));
    wrong.transitions = example_transitions;
    wrong.final = 2;
    assert_null(hectic_engine_new(&wrong, NULL));
}

/* A log without that event, or with a shape without the field, has no such letter. */
static void letters_that_do_not_occur(void **state)
{
    (void)state;
    static const uint8_t payload[8] = {0, 0, 0, 1, 0, 5};
    const hectic_event_type types[] = {
        {.number = HECTIC_EVENT_STOP_THREAD, .size = 6, .description = ""}};
    hectic_header *old = hectic_header_new(types, 1);
    struct run run;
    start(&run, "threads");
    hectic_engine_begin(run.engine, old);
    const hectic_event event = {.payload = payload,
                                .declared = hectic_header_type(old, HECTIC_EVENT_STOP_THREAD),
                                .type = HECTIC_EVENT_STOP_THREAD,
                                .size = 6};
    assert_false(engine_uses(run.engine, HECTIC_EVENT_CREATE_THREAD));
    assert_false(engine_uses(run.engine, HECTIC_EVENT_STOP_THREAD));
    assert_true(hectic_engine_event(run.engine, &event));
    assert_int_equal(faults(&run), 0);
    stop(&run);
    start(&run, "gc"); /* reads older shapes */
    hectic_engine_begin(run.engine, old);
    assert_true(engine_uses(run.engine, HECTIC_EVENT_STOP_THREAD));
    assert_true(hectic_engine_event(run.engine, &event));
    assert_int_equal(faults(&run), 0);
    stop(&run);
    hectic_header_free(old);
}

static void add_key(void *user, const hectic_profile *profile)
{
    uint64_t *keys = user;
    assert_true(keys[0] == 0 || keys[keys[0]] < profile->key);
    keys[++keys[0]] = profile->key;
    assert_non_null(profile->stay);
}

static void keys_are_returned_in_order(void **state)
{
    (void)state;
    struct run run;
    start(&run, "threads");
    for (uint32_t i = 0; i < 1000; i++)
        create(&run, 0, 1 + i * 617 % 1000);
    static uint64_t keys[1001];
    assert_true(hectic_engine_each(run.engine, add_key, keys));
    assert_int_equal(keys[0], 1000);
    stop(&run);
}

/* Dead keys take no memory. */
static void memory_depends_on_live_keys(void **state)
{
    (void)state;
    map keys = {0};
    for (uint64_t i = 0; i < 1000000; i++) {
        struct key_slot *slot = keys_add(&keys, i);
        assert_non_null(slot);
        slot->state = 1;
        if (i >= 100) keys_find(&keys, i - 100)->state = 0;
    }
    size_t live;
    free(keys_sorted(&keys, &live));
    assert_int_equal(live, 100);
    assert_true(keys.capacity <= 1024);
    map_clear(&keys);
}

/* Random events: the engines must not crash. */
static void any_events(void **state)
{
    (void)state;
    static const uint16_t types[] = {0,  1,  2,  2,  2,  4,  8,  9,  10, 11, 12,
                                     15, 20, 21, 22, 38, 39, 54, 55, 56, 57};
    size_t count;
    const hectic_machine *const *machines = hectic_machines(&count);
    assert_int_equal(count, 7);
    uint64_t seed = 1;
    for (size_t m = 0; m < count; m++) {
        struct run run;
        start_machine(&run, machines[m]);
        for (int i = 0; i < 100000; i++) {
            const uint16_t type = types[random_below(&seed, sizeof types / sizeof *types)];
            const uint64_t cap = random_below(&seed, 4);
            feed(&run, type, cap == 3 ? NONE : (uint16_t)cap, 1 + random_below(&seed, 9),
                 random_below(&seed, 7), random_below(&seed, 4));
            if (i % 10000 == 9999) hectic_engine_begin(run.engine, header);
        }
        assert_true(faults(&run) > 0);
        assert_true(live_keys(&run) <= 9);
        stop(&run);
    }
}

/* --------------------------------------------------------------------------------------------- */

static int make_header(void **state)
{
    (void)state;
    hectic_event_type types[256];
    size_t count = 0;
    for (uint16_t number = 0; number < 256; number++) {
        types[count] = hectic_type_of(number);
        count += types[count].shape != NULL;
    }
    header = hectic_header_new(types, count);
    return header == NULL;
}

static int free_header(void **state)
{
    (void)state;
    hectic_header_free(header);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_have_a_life_cycle),
        cmocka_unit_test(nothing_follows_the_end),
        cmocka_unit_test(a_lost_stop_is_one_fault),
        cmocka_unit_test(a_log_that_starts_in_the_middle),
        cmocka_unit_test(events_outside_of_caps),
        cmocka_unit_test(a_new_section_resets_the_state),
        cmocka_unit_test(threads_in_a_pool),
        cmocka_unit_test(threads_on_caps),
        cmocka_unit_test(tasks_on_caps),
        cmocka_unit_test(tasks_are_os_threads),
        cmocka_unit_test(sparks_belong_to_the_running_thread),
        cmocka_unit_test(collections),
        cmocka_unit_test(broken_collections),
        cmocka_unit_test(a_custom_machine_works),
        cmocka_unit_test(letters_that_do_not_occur),
        cmocka_unit_test(keys_are_returned_in_order),
        cmocka_unit_test(memory_depends_on_live_keys),
        cmocka_unit_test(any_events),
    };
    return cmocka_run_group_tests(tests, make_header, free_header);
}
