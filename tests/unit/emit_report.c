/* Changes while logging or a class is off are reported when it is on again: every log stays
 * valid, and its final state is correct. */
#include "bytes.h"
#include "less.h"

#include <malloc.h>
#include <pthread.h>

enum {
    CAPS = 4,
    WORKERS = 8,
    LIGHTS = 12,
    LOGS = LESS(24, 12),
    SWITCHES = 12,
    THREADS_MAX = 1 << 20
};
enum { YIELDING = 3, FINISHED = 5, ON_MVAR = 7 }; /* statuses of STOP_THREAD */

enum doing { ABSENT, QUEUED, RUNNING, BLOCKED, GONE };

/* --- The state in a log, by a simple reader of this test -------------------------------------- */

struct view {
    struct {
        enum doing doing;
        uint16_t cap;
        char label;
    } thread[THREADS_MAX];
    uint32_t running[CAPS];
    const char *fault;
    uint64_t faulty; /* the thread */
};

static uint32_t be32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint16_t be16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static void must(struct view *v, bool holds, const char *what, uint32_t id)
{
    if (holds || v->fault) return;
    v->fault = what;
    v->faulty = id;
}

static void view_event(struct view *v, const hectic_event *event)
{
    if (event->size < 4) return;
    const uint32_t id = be32(event->payload);
    const uint16_t cap = event->cap;
    if (event->type > HECTIC_EVENT_THREAD_WAKEUP && event->type != HECTIC_EVENT_THREAD_LABEL)
        return;
    assert_true(id < THREADS_MAX);
    enum doing *doing = &v->thread[id].doing;
    const bool there = *doing != ABSENT && *doing != GONE;
    switch (event->type) {
    case HECTIC_EVENT_CREATE_THREAD:
        must(v, *doing == ABSENT, "created twice", id);
        *doing = QUEUED;
        v->thread[id].cap = cap;
        break;
    case HECTIC_EVENT_RUN_THREAD:
        must(v, *doing == QUEUED || *doing == BLOCKED, "run, but not there or running", id);
        must(v, v->running[cap] == 0, "run where another thread runs", id);
        must(v, v->thread[id].cap == cap, "run on a cap that it is not on", id);
        *doing = RUNNING;
        v->running[cap] = id;
        break;
    case HECTIC_EVENT_STOP_THREAD:
        must(v, v->running[cap] == id, "stopped, but not running there", id);
        v->running[cap] = 0;
        *doing = be16(event->payload + 4) == FINISHED  ? GONE
                 : be16(event->payload + 4) == ON_MVAR ? BLOCKED
                                                       : QUEUED;
        break;
    case HECTIC_EVENT_MIGRATE_THREAD:
        must(v, there && *doing != RUNNING, "moved, but not there or running", id);
        v->thread[id].cap = be16(event->payload + 4);
        break;
    case HECTIC_EVENT_THREAD_WAKEUP:
        must(v, *doing == BLOCKED, "woken, but not blocked", id);
        *doing = QUEUED;
        break;
    case HECTIC_EVENT_THREAD_LABEL:
        must(v, there, "labeled, but not there", id);
        v->thread[id].label = (char)event->payload[4];
        break;
    default: break;
    }
}

static int by_time(const void *a, const void *b)
{
    const hectic_event *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* The caller frees it. */
static struct view *view_of(const struct bytes *log, const char *name)
{
    struct view *v = calloc(1, sizeof *v);
    assert_non_null(v);
    struct found found = found_in(log->data, log->length);
    assert_int_equal(found.errors, 0);
    assert_int_equal(found.headers, 1);
    assert_int_equal(found.ends, 1);
    qsort(found.event, found.count, sizeof *found.event, by_time);
    for (size_t i = 0; i < found.count; i++)
        view_event(v, &found.event[i]);
    found_free(&found);
    if (v->fault) fail_msg("%s: thread %u: %s", name, (unsigned)v->faulty, v->fault);
    return v;
}

static size_t count_of(const struct bytes *log, uint16_t type, const char *text)
{
    struct found found = found_in(log->data, log->length);
    size_t count = 0;
    for (size_t i = 0; i < found.count; i++) {
        const hectic_event *event = &found.event[i];
        count += event->type == type && (!text || (event->size == strlen(text) &&
                                                   memcmp(event->payload, text, event->size) == 0));
    }
    found_free(&found);
    return count;
}

/* Checks with `hectic validate` and ghc-events. */
static void assert_valid(const struct bytes *log)
{
    static const char *const machines[] = {"threads", "threadpool", "threadrun", "tasks"};
    char path[] = "/tmp/hectic-report-XXXXXX", command[256];
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, log->data, log->length), log->length);
    close(fd);
    const char *const hectic = getenv("HECTIC");
    snprintf(command, sizeof command, "%s validate all %s >/dev/null", hectic ? hectic : ":", path);
    const bool valid = system(command) == 0;
    bool valid_there = true;
    if (system("command -v ghc-events >/dev/null") == 0)
        for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
            snprintf(command, sizeof command,
                     "ghc-events validate %s %s | grep -q '^Valid event log'", machines[i], path);
            valid_there = valid_there && system(command) == 0;
        }
    unlink(path);
    if (!valid) fail_msg("hectic validate finds it invalid");
    if (!valid_there) fail_msg("ghc-events validate finds it invalid");
}

/* --- A program: light threads on caps, each of which several OS threads use in turn ------------
 */

struct light {
    uint32_t id;
    enum doing doing;
    char label; /* 0: none */
};

struct home {
    pthread_mutex_t lock;
    hectic_emit_cap *log;
    struct light light[LIGHTS]; /* ABSENT: none */
    struct light *running;
};

struct program {
    hectic_emitter *emitter;
    struct home home[CAPS];
    uint32_t last_id;
    uint64_t time;
    bool ends;
    struct bytes log[LOGS];
    unsigned logs;
};

/* Each event has its own time, so that the order is known. */
static uint64_t now(void *user)
{
    return __atomic_add_fetch(&((struct program *)user)->time, 1, __ATOMIC_RELAXED);
}

static void pause_all(void *user)
{
    struct program *p = user;
    for (unsigned i = 0; i < CAPS; i++)
        pthread_mutex_lock(&p->home[i].lock);
}

static void resume_all(void *user)
{
    struct program *p = user;
    for (unsigned i = CAPS; i-- > 0;)
        pthread_mutex_unlock(&p->home[i].lock);
}

static void emit_state(hectic_emit_cap *cap, const struct light *l)
{
    const char label[] = {l->label, 0};
    hectic_emit_create_thread(cap, l->id);
    if (l->label) hectic_emit_thread_label(cap, l->id, label);
}

static void report(void *user, hectic_emit_report *report)
{
    const struct program *p = user;
    for (uint32_t i = 0; i < CAPS; i++)
        for (const struct light *l = p->home[i].light; l < p->home[i].light + LIGHTS; l++) {
            hectic_emit_cap *cap = hectic_emit_report_cap(report, i);
            if (l->doing == ABSENT) continue;
            emit_state(cap, l);
            if (l->doing == RUNNING || l->doing == BLOCKED) hectic_emit_run_thread(cap, l->id);
            if (l->doing == BLOCKED) hectic_emit_stop_thread(cap, l->id, ON_MVAR, 0);
        }
}

static const hectic_emit_reporter locks = {pause_all, report, resume_all};
static const hectic_emit_reporter alone = {.report = report};

static void init(struct program *p, uint32_t caps, hectic_emit_clock clock)
{
    *p = (struct program){
        .emitter = hectic_emitter_new(&(hectic_emitter_options){
            .caps = caps, .buffer_size = 1, .clock = clock, .now = now, .user = p})};
    assert_non_null(p->emitter);
    for (unsigned i = 0; i < CAPS; i++) {
        pthread_mutex_init(&p->home[i].lock, NULL);
        p->home[i].log = hectic_emitter_cap(p->emitter, i);
    }
}

static bool keep(void *user, const void *bytes, size_t length)
{
    return bytes_write(user, bytes, length);
}

static void go_to_next_log(struct program *p)
{
    static const hectic_emit_writer keeper = {.write = keep};
    assert_true(p->logs < LOGS);
    const hectic_destination to = {.kind = HECTIC_TO_WRITER,
                                   .writer = &keeper,
                                   .user = &p->log[p->logs++],
                                   .when_blocked = HECTIC_BLOCKED_WAIT,
                                   .wait_ms = 60000};
    assert_int_equal(hectic_emitter_redirect(p->emitter, &to), HECTIC_EMIT_OK);
}

static void free_program(struct program *p)
{
    hectic_emitter_free(p->emitter);
    for (unsigned i = 0; i < p->logs; i++)
        bytes_free(&p->log[i]);
    for (unsigned i = 0; i < CAPS; i++)
        pthread_mutex_destroy(&p->home[i].lock);
}

static void create(struct program *p, struct home *h, struct light *l, char label)
{
    *l = (struct light){__atomic_add_fetch(&p->last_id, 1, __ATOMIC_RELAXED), QUEUED, label};
    emit_state(h->log, l);
}

static void run(struct home *h, struct light *l)
{
    hectic_emit_run_thread(h->log, l->id);
    l->doing = RUNNING;
    h->running = l;
}

static void stop(struct home *h, uint16_t status)
{
    struct light *l = h->running;
    hectic_emit_stop_thread(h->log, l->id, status, 0);
    l->doing = status == FINISHED ? ABSENT : status == ON_MVAR ? BLOCKED : QUEUED;
    h->running = NULL;
}

static struct light *some_place(struct home *h, enum doing doing, uint64_t *random)
{
    struct light *l = &h->light[random_below(random, LIGHTS)];
    return l->doing == doing ? l : NULL;
}

/* Migrates a thread to another cap, unless that is in use. */
static void migrate(struct program *p, struct home *h, struct light *l, uint64_t *random)
{
    const uint16_t to = (uint16_t)random_below(random, CAPS);
    struct home *other = &p->home[to];
    if (other == h || pthread_mutex_trylock(&other->lock) != 0) return;
    struct light *place = some_place(other, ABSENT, random);
    if (place) {
        hectic_emit_migrate_thread(h->log, l->id, to);
        *place = *l;
        l->doing = ABSENT;
    }
    pthread_mutex_unlock(&other->lock);
}

/* The caller holds the home's lock. */
static void step(struct program *p, struct home *h, uint64_t *random)
{
    static const uint16_t statuses[] = {YIELDING, YIELDING, ON_MVAR, ON_MVAR, FINISHED};
    const uint64_t luck = random_below(random, 6);
    struct light *l;
    if (h->running && luck == 0) {
        const char label[] = {h->running->label = (char)('a' + random_below(random, 26)), 0};
        hectic_emit_thread_label(h->log, h->running->id, label);
    } else if (h->running && luck < 4) {
        stop(h, statuses[random_below(random, sizeof statuses / sizeof *statuses)]);
    } else if (luck == 1 && (l = some_place(h, ABSENT, random))) {
        create(p, h, l, random_below(random, 2) ? 'x' : 0);
    } else if (luck == 2 && (l = some_place(h, BLOCKED, random))) {
        hectic_emit_thread_wakeup(h->log, l->id, (uint16_t)(h - p->home));
        l->doing = QUEUED;
    } else if (luck == 3 && (l = some_place(h, QUEUED, random))) {
        migrate(p, h, l, random);
    } else if (!h->running && (l = some_place(h, QUEUED, random))) {
        run(h, l);
    }
}

struct worker {
    struct program *program;
    pthread_t thread;
    unsigned number;
};

static void *work(void *user)
{
    const struct worker *w = user;
    struct home *h = &w->program->home[w->number % CAPS];
    uint64_t random = w->number + 1;
    while (!__atomic_load_n(&w->program->ends, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&h->lock);
        step(w->program, h, &random);
        pthread_mutex_unlock(&h->lock);
        if (random_below(&random, 20) == 0) usleep(50);
    }
    return NULL;
}

/* The final state of the log is the actual state. */
static void assert_same(const struct program *p, const struct view *v)
{
    size_t there = 0, reported = 0;
    for (uint32_t id = 1; id <= p->last_id; id++)
        reported += v->thread[id].doing != ABSENT && v->thread[id].doing != GONE;
    for (uint16_t i = 0; i < CAPS; i++)
        for (const struct light *l = p->home[i].light; l < p->home[i].light + LIGHTS; l++) {
            if (l->doing == ABSENT) continue;
            there++;
            if (v->thread[l->id].doing != l->doing || v->thread[l->id].cap != i ||
                v->thread[l->id].label != l->label)
                fail_msg("thread %u: the log says %d on cap %u, label %d; not %d on cap %u, %d",
                         l->id, v->thread[l->id].doing, v->thread[l->id].cap,
                         v->thread[l->id].label, l->doing, i, l->label);
        }
    assert_int_equal(reported, there);
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void changes_while_logging_is_off_are_replayed(void **state)
{
    (void)state;
    struct program p;
    init(&p, 1, HECTIC_CLOCK_CALLER);
    struct home *h = &p.home[0];
    assert_int_equal(hectic_emitter_set_reporter(p.emitter, &alone, &p), HECTIC_EMIT_OK);
    create(&p, h, &h->light[0], 'm'); /* also before the start */
    run(h, &h->light[0]);
    go_to_next_log(&p);
    create(&p, h, &h->light[1], 0);
    create(&p, h, &h->light[2], 0);
    assert_int_equal(hectic_emitter_set_logging(p.emitter, false), HECTIC_EMIT_OK);
    stop(h, FINISHED); /* 1, which ran */
    run(h, &h->light[1]);
    stop(h, FINISHED); /* 2, which waited */
    run(h, &h->light[2]);
    stop(h, ON_MVAR);
    create(&p, h, &h->light[3], 'n');
    create(&p, h, &h->light[4], 0);
    run(h, &h->light[4]);
    assert_int_equal(hectic_emitter_set_logging(p.emitter, true), HECTIC_EMIT_OK);
    stop(h, YIELDING);
    hectic_emitter_stop(p.emitter);

    struct view *v = view_of(&p.log[0], "the log");
    assert_same(&p, v);
    assert_valid(&p.log[0]);
    assert_int_equal(count_of(&p.log[0], HECTIC_EVENT_CREATE_THREAD, NULL), 5);
    assert_int_equal(count_of(&p.log[0], HECTIC_EVENT_SYNC, NULL), 0);
    static const char off[] = "hectic: logging is off from here";
    static const char on[] = "hectic: logging is on from here";
    assert_int_equal(count_of(&p.log[0], HECTIC_EVENT_LOG_MSG, off), 1);
    assert_int_equal(count_of(&p.log[0], HECTIC_EVENT_LOG_MSG, on), 1);
    free(v);
    free_program(&p);
}

static void changes_while_a_class_is_off_are_replayed(void **state)
{
    (void)state;
    const uint64_t scheduler = HECTIC_CLASS_BIT(HECTIC_CLASS_SCHEDULER);
    struct program p;
    init(&p, 1, HECTIC_CLOCK_CALLER);
    struct home *h = &p.home[0];
    hectic_emitter_set_reporter(p.emitter, &alone, &p);
    hectic_emitter_disable(p.emitter, HECTIC_CLASS_SCHEDULER); /* first enabled after the start */
    create(&p, h, &h->light[0], 0);
    go_to_next_log(&p);
    assert_true(hectic_emit_user_msg(h->log, "meanwhile"));
    assert_int_equal(hectic_emitter_enable(p.emitter, HECTIC_CLASS_SCHEDULER, NULL, 0),
                     HECTIC_EMIT_OK);
    run(h, &h->light[0]);
    const uint64_t all = hectic_emitter_classes(p.emitter);
    assert_int_equal(hectic_emitter_set_classes(p.emitter, all & ~scheduler), HECTIC_EMIT_OK);
    stop(h, FINISHED);
    create(&p, h, &h->light[1], 'x');
    assert_true(hectic_emit_user_msg(h->log, "meanwhile"));
    assert_int_equal(hectic_emitter_set_classes(p.emitter, UINT64_MAX), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_classes(p.emitter), all);
    hectic_emitter_stop(p.emitter);

    struct view *v = view_of(&p.log[0], "the log");
    assert_same(&p, v);
    assert_valid(&p.log[0]);
    assert_int_equal(count_of(&p.log[0], HECTIC_EVENT_USER_MSG, "meanwhile"), 2);
    static const char off[] = "hectic: logging of scheduler is off from here";
    assert_int_equal(count_of(&p.log[0], HECTIC_EVENT_LOG_MSG, off), 1);
    free(v);
    free_program(&p);
}

/* A new log that begins while a class is off contains none of its state, neither old nor new. */
static void a_log_started_meanwhile_is_correct(void **state)
{
    (void)state;
    struct program p;
    init(&p, 1, HECTIC_CLOCK_CALLER);
    struct home *h = &p.home[0];
    hectic_emitter_set_reporter(p.emitter, &alone, &p);
    go_to_next_log(&p);
    create(&p, h, &h->light[0], 0);
    create(&p, h, &h->light[1], 0);
    hectic_emitter_set_logging(p.emitter, false);
    run(h, &h->light[0]);
    stop(h, FINISHED);
    create(&p, h, &h->light[2], 0);
    go_to_next_log(&p);
    go_to_next_log(&p);
    hectic_emitter_set_logging(p.emitter, true);
    hectic_emitter_stop(p.emitter);

    for (unsigned i = 0; i < 3; i++) {
        struct view *v = view_of(&p.log[i], "a log");
        if (i == 2) assert_same(&p, v);
        assert_valid(&p.log[i]);
        free(v);
    }
    assert_int_equal(count_of(&p.log[1], HECTIC_EVENT_CREATE_THREAD, NULL), 0);
    assert_true(count_of(&p.log[1], HECTIC_EVENT_CAP_CREATE, NULL) > 0);
    free_program(&p);
}

/* Appends to a log. At its end, emits an event, like a thread between two logs. */
static bool keep_and_emit(void *user, const void *bytes, size_t length)
{
    struct program *p = user;
    const uint8_t *at = bytes;
    const bool ends = length >= 2 && at[length - 2] == 0xff && at[length - 1] == 0xff;
    if (ends && !p->ends) assert_true(hectic_emit_user_msg(p->home[0].log, "between"));
    p->ends = p->ends || ends;
    return bytes_write(&p->log[0], bytes, length);
}

/* The same while another thread emits events of classes that are on. */
static void a_log_started_between_other_events_is_correct(void **state)
{
    (void)state;
    static const hectic_emit_writer writer = {.write = keep_and_emit};
    struct program p;
    init(&p, 1, HECTIC_CLOCK_CALLER);
    struct home *h = &p.home[0];
    const hectic_destination first = {.kind = HECTIC_TO_WRITER, .writer = &writer, .user = &p};
    hectic_emitter_set_reporter(p.emitter, &alone, &p);
    assert_int_equal(hectic_emitter_start(p.emitter, &first), HECTIC_EMIT_OK);
    p.logs = 1;
    create(&p, h, &h->light[0], 0);
    hectic_emitter_disable(p.emitter, HECTIC_CLASS_SCHEDULER);
    go_to_next_log(&p);
    hectic_emitter_stop(p.emitter);
    assert_int_equal(count_of(&p.log[0], HECTIC_EVENT_CREATE_THREAD, NULL), 1);
    assert_int_equal(count_of(&p.log[1], HECTIC_EVENT_CREATE_THREAD, NULL), 0);
    assert_int_equal(count_of(&p.log[1], HECTIC_EVENT_USER_MSG, "between"), 1);
    free_program(&p);
}

/* The events of a cap with full buffers are written before earlier ones of another cap. */
static void the_latest_label_is_replayed(void **state)
{
    (void)state;
    struct program p;
    init(&p, 2, HECTIC_CLOCK_CALLER);
    go_to_next_log(&p);
    hectic_emit_create_thread(p.home[0].log, 1);
    hectic_emit_thread_label(p.home[0].log, 1, "first");
    hectic_emit_migrate_thread(p.home[0].log, 1, 1);
    hectic_emit_thread_label(p.home[1].log, 1, "second");
    for (unsigned i = 0; i < 100000; i++)
        assert_true(hectic_emit_user_msg(p.home[1].log, "this fills buffers"));
    go_to_next_log(&p);
    hectic_emitter_stop(p.emitter);
    struct view *v = view_of(&p.log[1], "the log");
    assert_int_equal(v->thread[1].label, 's');
    assert_int_equal(v->thread[1].cap, 1);
    free(v);
    free_program(&p);
}

/* A thread has been on three caps; the events of the second one are written first. */
static void the_latest_cap_is_replayed(void **state)
{
    (void)state;
    struct program p;
    init(&p, 3, HECTIC_CLOCK_CALLER);
    go_to_next_log(&p);
    hectic_emit_create_thread(p.home[1].log, 1);
    hectic_emit_migrate_thread(p.home[1].log, 1, 0);
    hectic_emit_migrate_thread(p.home[0].log, 1, 2);
    for (unsigned i = 0; i < 100000; i++)
        assert_true(hectic_emit_user_msg(p.home[0].log, "this fills buffers"));
    go_to_next_log(&p);
    hectic_emitter_stop(p.emitter);
    struct view *v = view_of(&p.log[1], "the log");
    assert_int_equal(v->thread[1].doing, QUEUED);
    assert_int_equal(v->thread[1].cap, 2);
    free(v);
    free_program(&p);
}

/* Tasks, collections, counters, definitions. */
static void report_more(void *user, hectic_emit_report *r)
{
    hectic_emit_cap *global = hectic_emit_report_cap(r, HECTIC_CAP_NONE);
    const uint16_t *custom = user;
    hectic_emit_heap_info_ghc(global, 0, 2, 0, 1, 2, 3);
    hectic_emit_heap_prof_begin(global, 0, 1000, 4, "", "", "", "", "", "", "");
    hectic_emit_heap_prof_cost_centre(global, 7, "f", "Main", "Main.hs", 0);
    hectic_emit_bytes(global, *custom, "12345", 5);
    hectic_emit_cap *cap = hectic_emit_report_cap(r, 1);
    hectic_emit_task_create(cap, 0x11, 1, 101);
    hectic_emit_task_create(cap, 0x33, 1, 103);
    hectic_emit_heap_allocated(cap, 0, 5000);
    assert_null(hectic_emit_report_cap(r, 70000));
    assert_non_null(hectic_emit_report_cap(r, 3)); /* a new cap */
}

static void the_whole_live_state_is_reported(void **state)
{
    (void)state;
    static const hectic_emit_reporter reporter = {.report = report_more};
    struct program p;
    uint16_t custom;
    init(&p, 2, HECTIC_CLOCK_CALLER);
    hectic_emit_cap *cap = hectic_emitter_cap(p.emitter, 1);
    assert_int_equal(
        hectic_emitter_register(p.emitter, 0, 5, HECTIC_CLASS_USER, true, "ours", &custom),
        HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_set_reporter(p.emitter, &(hectic_emit_reporter){0}, NULL),
                     HECTIC_EMIT_INVALID);
    go_to_next_log(&p);
    hectic_emitter_set_reporter(p.emitter, &reporter, &custom);
    hectic_emit_task_create(cap, 0x11, 1, 101);
    hectic_emit_task_create(cap, 0x22, 1, 102);
    hectic_emit_heap_prof_cost_centre(cap, 7, "f", "Main", "Main.hs", 0);
    hectic_emit_gc_start(cap);
    hectic_emit_heap_prof_sample_begin(cap, 9);
    hectic_emitter_set_logging(p.emitter, false);
    assert_false(hectic_emit_gc_end(cap));
    hectic_emitter_set_logging(p.emitter, true);
    hectic_emitter_set_logging(p.emitter, false);
    hectic_emitter_set_logging(p.emitter, true); /* no changes */
    hectic_emitter_stop(p.emitter);
    assert_valid(&p.log[0]);
    const struct {
        uint16_t type;
        size_t count;
    } expected[] = {
        {HECTIC_EVENT_TASK_CREATE, 3},
        {HECTIC_EVENT_TASK_DELETE, 1},
        {HECTIC_EVENT_HEAP_INFO_GHC, 1},
        {HECTIC_EVENT_HEAP_PROF_BEGIN, 1},
        {HECTIC_EVENT_HEAP_PROF_COST_CENTRE, 1},
        {HECTIC_EVENT_GC_END, 1},
        {HECTIC_EVENT_HEAP_PROF_SAMPLE_END, 1},
        {HECTIC_EVENT_HEAP_ALLOCATED, 1},
        {custom, 1},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (count_of(&p.log[0], expected[i].type, NULL) != expected[i].count)
            fail_msg("event %u: %zu times, not %zu", expected[i].type,
                     count_of(&p.log[0], expected[i].type, NULL), expected[i].count);
    free_program(&p);
}

/* State that may be outdated is not replayed. */
static void sync_leaves_out_disabled_classes(void **state)
{
    (void)state;
    struct program p;
    init(&p, 1, HECTIC_CLOCK_CALLER);
    struct home *h = &p.home[0];
    hectic_emitter_set_reporter(p.emitter, &alone, &p);
    go_to_next_log(&p);
    create(&p, h, &h->light[0], 0);
    hectic_emitter_flush(p.emitter, 0);
    hectic_emitter_sync(p.emitter);
    hectic_emitter_disable(p.emitter, HECTIC_CLASS_SCHEDULER);
    hectic_emitter_flush(p.emitter, 0);
    hectic_emitter_sync(p.emitter);
    hectic_emitter_stop(p.emitter);
    struct found found = found_in(p.log[0].data, p.log[0].length);
    size_t threads = 0, caps = 0;
    for (size_t i = 0; i < found.count; i++) {
        if (found.event[i].type != HECTIC_EVENT_SYNC) continue;
        threads += be16(found.event[i].payload) == HECTIC_EVENT_CREATE_THREAD;
        caps += be16(found.event[i].payload) == HECTIC_EVENT_CAP_CREATE;
    }
    assert_int_equal(threads, 1);
    assert_int_equal(caps, 2 * CAPS);
    found_free(&found);
    free_program(&p);
}

static void switch_something(struct program *p, uint64_t *random)
{
    const uint64_t scheduler = HECTIC_CLASS_BIT(HECTIC_CLASS_SCHEDULER);
    switch (random_below(random, 8)) {
    case 0: hectic_emitter_set_logging(p->emitter, false); break;
    case 1: hectic_emitter_set_logging(p->emitter, true); break;
    case 2: hectic_emitter_disable(p->emitter, HECTIC_CLASS_SCHEDULER); break;
    case 3: hectic_emitter_enable(p->emitter, HECTIC_CLASS_SCHEDULER, NULL, 0); break;
    case 4: hectic_emitter_set_classes(p->emitter, ~scheduler); break;
    case 5: hectic_emitter_flush(p->emitter, 0); break;
    case 6: hectic_emitter_sync(p->emitter); break;
    default: hectic_emitter_set_classes(p->emitter, UINT64_MAX);
    }
}

/* Eight threads on four caps, which stop only when they are paused. */
static void concurrent_threads_are_reported(void **state)
{
    (void)state;
    static struct program p;
    struct worker worker[WORKERS];
    uint64_t random = 7;
    init(&p, CAPS, HECTIC_CLOCK_AUTO);
    hectic_emitter_set_reporter(p.emitter, &locks, &p);
    hectic_emitter_flush_every(p.emitter, 3);
    for (unsigned i = 0; i < WORKERS; i++) {
        worker[i] = (struct worker){.program = &p, .number = i};
        assert_int_equal(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
    }
    while (p.logs < LOGS - 2) {
        if (p.logs % 5 == 4) { /* out of a ring that has room for all events */
            static const hectic_destination ring = {.kind = HECTIC_TO_RING, .ring_size = 16 << 20};
            static const hectic_emit_writer keeper = {.write = keep};
            assert_int_equal(hectic_emitter_redirect(p.emitter, &ring), HECTIC_EMIT_OK);
            for (unsigned i = 0; i < SWITCHES; i++) {
                usleep((useconds_t)random_below(&random, 3000));
                switch_something(&p, &random);
            }
            const hectic_destination to = {
                .kind = HECTIC_TO_WRITER, .writer = &keeper, .user = &p.log[p.logs++]};
            assert_int_equal(hectic_emitter_dump(p.emitter, &to), HECTIC_EMIT_OK);
        }
        go_to_next_log(&p);
        for (unsigned i = 0; i < SWITCHES; i++) {
            usleep((useconds_t)random_below(&random, 3000));
            switch_something(&p, &random);
        }
    }
    assert_int_equal(hectic_emitter_set_classes(p.emitter, UINT64_MAX), HECTIC_EMIT_OK);
    assert_int_equal(hectic_emitter_set_logging(p.emitter, true), HECTIC_EMIT_OK);
    __atomic_store_n(&p.ends, true, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(worker[i].thread, NULL);
    go_to_next_log(&p);
    hectic_emitter_stop(p.emitter);

    for (unsigned i = 0; i < p.logs; i++) {
        char name[32];
        snprintf(name, sizeof name, "log %u", i);
        struct view *v = view_of(&p.log[i], name);
        if (i == p.logs - 1 || i == p.logs - 2) assert_same(&p, v);
        if (i % 6 == 0) assert_valid(&p.log[i]);
        free(v);
    }
    free_program(&p);
}

static bool discard(void *user, const void *bytes, size_t length)
{
    (void)bytes;
    *(uint64_t *)user += length;
    return true;
}

/* Threads are created and finish while it is off, without using memory. */
static void memory_does_not_grow(void **state)
{
    (void)state;
    enum { CYCLES = LESS(100000, 20000), SETTLED = 2000, ALLOWED = 1 << 18 };
    static const hectic_emit_writer writer = {.write = discard};
    struct program p;
    uint64_t written = 0;
    init(&p, 1, HECTIC_CLOCK_CALLER);
    struct home *h = &p.home[0];
    const hectic_destination to = {
        .kind = HECTIC_TO_WRITER, .writer = &writer, .user = &written, .wait_ms = 60000};
    hectic_emitter_set_reporter(p.emitter, &alone, &p);
    assert_int_equal(hectic_emitter_start(p.emitter, &to), HECTIC_EMIT_OK);
    size_t before = 0;
    create(&p, h, &h->light[0], 'x');
    for (unsigned i = 0; i < CYCLES; i++) {
        if (i == SETTLED) before = mallinfo2().uordblks;
        if (i % 2)
            hectic_emitter_set_logging(p.emitter, false);
        else
            hectic_emitter_disable(p.emitter, HECTIC_CLASS_SCHEDULER);
        struct light *old = &h->light[i % 2], *new = &h->light[(i + 1) % 2];
        run(h, old);
        stop(h, FINISHED);
        create(&p, h, new, 'x');
        if (i % 100 == 0) assert_int_equal(hectic_emitter_redirect(p.emitter, &to), HECTIC_EMIT_OK);
        if (i % 2)
            hectic_emitter_set_logging(p.emitter, true);
        else
            hectic_emitter_enable(p.emitter, HECTIC_CLASS_SCHEDULER, NULL, 0);
    }
    const size_t after = mallinfo2().uordblks;
    if (after > before + ALLOWED) fail_msg("%zu bytes, then %zu", before, after);
    assert_true(written > CYCLES);
    free_program(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_while_logging_is_off_are_replayed),
        cmocka_unit_test(changes_while_a_class_is_off_are_replayed),
        cmocka_unit_test(a_log_started_meanwhile_is_correct),
        cmocka_unit_test(a_log_started_between_other_events_is_correct),
        cmocka_unit_test(the_latest_label_is_replayed),
        cmocka_unit_test(the_latest_cap_is_replayed),
        cmocka_unit_test(the_whole_live_state_is_reported),
        cmocka_unit_test(sync_leaves_out_disabled_classes),
        cmocka_unit_test(concurrent_threads_are_reported),
        cmocka_unit_test(memory_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
