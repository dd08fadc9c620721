/* monitored.c — a demo program that can be monitored and controlled while it runs: "monitored
 * --help".
 *
 *     monitored                         logs to monitored.eventlog
 *     monitored fifo:log                logs to the FIFO's reader: hectic inc log
 *     monitored --seconds 10 tcp:localhost:4242
 *
 * It simulates a runtime that serves requests with light threads on several caps. Each cap is an OS
 * thread that runs light threads in turn: they work, wait for each other, wake, migrate and finish;
 * when a cap's nursery is full, all caps stop for a collection. All logged events really happen at
 * their time; only the work itself is sleep.
 *
 * The console accepts commands from a terminal, a pipe or a script: "help" lists them.
 */
#define _GNU_SOURCE
#include <hectic/emit.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_TROUBLE = 2, EXIT_USAGE = 64 };
enum { CAPS_MAX = 64, LOAD_MAX = 10000, LINE = 4096 };
enum { MBLOCK = 1 << 20, BLOCK = 4096, NURSERY = MBLOCK, CACHE_MAX = 40 * MBLOCK };
enum { SECOND = 1000000000, MILLISECOND = 1000000, MICROSECOND = 1000 };
enum { PROCESS = 0 }; /* the capset that the emitter logs */

/* The stop statuses of threads. */
enum {
    HEAP_OVERFLOW = 1,
    YIELDING = 3,
    FINISHED = 5,
    FOREIGN_CALL = 6,
    ON_MVAR = 7,
    ON_DELAY = 11
};

/* --- The runtime ------------------------------------------------------------------------------ */

enum where { NOWHERE, READY, RUNNING, ASLEEP, WAITING };

/* A light thread. */
struct thread {
    enum where where;
    uint64_t since; /* when `where` began; ASLEEP: when to wake. ns */
    uint32_t id;
    uint16_t cap;
    unsigned turns; /* until its request is served */
    bool begun;
    char label[24];
};

struct cap {
    hectic_emit_cap *log;
    uint16_t number;
    pthread_t os_thread;
    uint64_t kernel_thread; /* its kernel thread id; 0: not running */
    unsigned random;
    uint64_t allocated, nursery;
    uint64_t sparks_created, sparks_converted, sparks_fizzled;
};

static struct {
    hectic_emitter *emitter;
    struct cap cap[CAPS_MAX];
    uint32_t caps;
    uint64_t begin;
    pthread_barrier_t meeting; /* of all caps, in a collection */

    pthread_mutex_t lock; /* for all following fields */
    pthread_cond_t changed;
    struct thread thread[2 * LOAD_MAX + 2]; /* [0] is the program's main thread */
    uint32_t places;                        /* elements of `thread` used so far */
    uint32_t threads, load, last_id;
    const struct cap *leader; /* of the requested or current collection; NULL: none */
    uint32_t paused, ended;   /* caps that are paused while logging is switched, or have ended */
    bool pause, quit, last;   /* last: end after this collection */
    uint64_t collections, censuses, cache, seconds;
} rt = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static uint64_t now(void) /* ns */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void sleep_for(uint64_t ns)
{
    nanosleep(&(struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)}, NULL);
}

static unsigned roll(struct cap *c, unsigned sides)
{
    return (unsigned)rand_r(&c->random) % sides;
}

/* --- Light threads: operations with the lock held --------------------------------------------- */

static void put(struct thread *t, enum where where, uint64_t since)
{
    t->where = where;
    t->since = since;
}

static void log_thread(hectic_emit_cap *log, const struct thread *t)
{
    hectic_emit_create_thread(log, t->id);
    hectic_emit_thread_label(log, t->id, t->label);
}

static void create_thread(struct cap *c)
{
    struct thread *t = rt.thread;
    while (t->where != NOWHERE)
        t++;
    if (t == rt.thread + rt.places) rt.places++;
    *t = (struct thread){.id = ++rt.last_id, .cap = c->number, .turns = 2 + roll(c, 5)};
    if (t == rt.thread)
        snprintf(t->label, sizeof t->label, "main");
    else
        snprintf(t->label, sizeof t->label, "request %" PRIu32, t->id);
    put(t, READY, now());
    log_thread(c->log, t);
    rt.threads++;
}

static void wake(const struct cap *c, struct thread *t)
{
    hectic_emit_thread_wakeup(c->log, t->id, t->cap);
    put(t, READY, now());
}

/* The thread with this `where` since the earliest time; cap -1: on any cap. */
static struct thread *first(enum where where, int cap)
{
    struct thread *found = NULL;
    for (struct thread *t = rt.thread; t < rt.thread + rt.places; t++)
        if (t->where == where && (cap < 0 || t->cap == cap) && (!found || t->since < found->since))
            found = t;
    return found;
}

static unsigned queue_length(uint16_t cap)
{
    unsigned length = 0;
    for (const struct thread *t = rt.thread; t < rt.thread + rt.places; t++)
        length += t->where == READY && t->cap == cap;
    return length;
}

/* A cap with more queued threads than the next one migrates a thread. */
static void share_work(const struct cap *c)
{
    const uint16_t next = (uint16_t)((c->number + 1u) % rt.caps);
    if (queue_length(c->number) < queue_length(next) + 2) return;
    struct thread *t = first(READY, c->number);
    hectic_emit_migrate_thread(c->log, t->id, next);
    t->cap = next;
}

static void stop_thread(struct cap *c, struct thread *t, uint16_t status)
{
    hectic_emit_stop_thread(c->log, t->id, status, 0);
    switch (status) {
    case FINISHED:
        t->where = NOWHERE;
        rt.threads--;
        break;
    case ON_MVAR: put(t, WAITING, now()); break;
    case ON_DELAY: put(t, ASLEEP, now() + (2 + roll(c, 40)) * MILLISECOND); break;
    default: put(t, READY, now());
    }
}

/* --- Light threads: their work, without the lock -----------------------------------------------
 */

static void use_sparks(struct cap *c)
{
    for (unsigned more = roll(c, 4); more > 0; more--) {
        hectic_emit_spark_create(c->log);
        c->sparks_created++;
    }
    while (c->sparks_created > c->sparks_converted + c->sparks_fizzled && roll(c, 3) > 0) {
        if (roll(c, 8) == 0) {
            hectic_emit_spark_fizzle(c->log);
            c->sparks_fizzled++;
        } else {
            hectic_emit_spark_run(c->log);
            c->sparks_converted++;
        }
    }
}

/* "START 7 lookup" and "STOP 7 lookup" delimit a span, which hectic spans measures. */
static void log_span(const struct cap *c, const struct thread *t, const char *word)
{
    static const char *const kinds[] = {"lookup", "update", "report"};
    char text[80];
    snprintf(text, sizeof text, "%s %" PRIu32 " %s", word, t->id, kinds[t->id % 3]);
    hectic_emit_user_msg(c->log, text);
}

static void serve_request(struct cap *c, struct thread *t)
{
    if (!t->begun) log_span(c, t, "START");
    t->begun = true;
    t->turns--;
    sleep_for((50 + roll(c, 400)) * MICROSECOND);
    if (roll(c, 4) == 0) {
        char text[80];
        snprintf(text, sizeof text, "%s: read %u bytes", t->label, roll(c, 100000));
        hectic_emit_user_msg(c->log, text);
    }
    use_sparks(c);
    if (t->turns == 0) log_span(c, t, "STOP");
}

static uint16_t why_request_stops(struct cap *c, const struct thread *t)
{
    if (t->turns == 0) return FINISHED;
    const unsigned luck = roll(c, 20);
    return luck < 8 ? ON_DELAY : luck < 13 ? ON_MVAR : luck < 17 ? FOREIGN_CALL : YIELDING;
}

/* The main thread accepts requests up to the load. With the lock held. */
static void accept_requests(struct cap *c)
{
    if ((now() - rt.begin) / SECOND > rt.seconds) {
        char text[40];
        snprintf(text, sizeof text, "second %" PRIu64, ++rt.seconds);
        hectic_emit_user_marker(c->log, text);
    }
    while (rt.threads < rt.load + 1)
        create_thread(c);
}

/* One turn of a thread on a cap. With the lock held, which it releases meanwhile. */
static void run_thread(struct cap *c, struct thread *t)
{
    const bool is_main = t == rt.thread;
    uint16_t status = ON_DELAY;
    t->where = RUNNING;
    hectic_emit_run_thread(c->log, t->id);
    if (is_main) {
        accept_requests(c);
    } else {
        pthread_mutex_unlock(&rt.lock);
        serve_request(c, t);
        status = why_request_stops(c, t);
        pthread_mutex_lock(&rt.lock);
    }
    struct thread *waiting = first(WAITING, -1);
    if (waiting && (is_main || roll(c, 2) == 0)) wake(c, waiting);

    const uint64_t allocated = 20000 + roll(c, 200000);
    c->allocated += allocated;
    c->nursery += allocated;
    /* During a pause, no cap may request a collection. */
    const bool full = c->nursery > NURSERY && !rt.leader && !rt.pause && status != FINISHED;
    if (full) status = HEAP_OVERFLOW;
    stop_thread(c, t, status);
    share_work(c);
    if (full) rt.leader = c;
}

/* --- Collections ------------------------------------------------------------------------------ */

static uint64_t live_bytes(void)
{
    return 2 * MBLOCK + rt.cache + (uint64_t)rt.threads * 64 * 1024;
}

/* Logs a heap census by type. */
static void log_census(hectic_emit_cap *log, uint64_t number)
{
    static const struct {
        const char *type;
        unsigned percent;
    } part[] = {{"ByteString", 40}, {"Map", 25}, {"Text", 15}, {"TSO", 10}, {"MVar", 5}, {"[]", 3}};
    hectic_emit_heap_prof_sample_begin(log, number);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        hectic_emit_heap_prof_sample_string(log, 0, live_bytes() * part[i].percent / 100,
                                            part[i].type);
    hectic_emit_heap_prof_sample_end(log, number);
}

/* The leader logs the collection's results while all caps are stopped. */
static void log_heap(const struct cap *leader)
{
    hectic_emit_cap *log = leader->log;
    const bool major = rt.last || ++rt.collections % 8 == 0;
    rt.cache += rt.cache < CACHE_MAX ? rt.threads * 8 * 1024 : 0;
    const uint64_t live = live_bytes(), copied = major ? live : rt.caps * NURSERY / 10;
    const uint64_t mblocks = live * 2 / MBLOCK + rt.caps;
    hectic_emit_gc_global_sync(log);
    hectic_emit_gc_stats_ghc(log, PROCESS, major, copied, live / 100, live / 50, rt.caps,
                             copied / rt.caps * 2 < copied ? copied / rt.caps * 2 : copied, copied,
                             copied / 2);
    if (major) {
        hectic_emit_mem_return(log, PROCESS, (uint32_t)mblocks, (uint32_t)mblocks, 0);
        hectic_emit_heap_live(log, PROCESS, live);
    }
    hectic_emit_heap_size(log, PROCESS, mblocks * MBLOCK);
    hectic_emit_blocks_size(log, PROCESS, (live + rt.caps * NURSERY) / BLOCK * BLOCK);
    if (major && rt.cache >= CACHE_MAX) {
        hectic_emit_user_marker(log, "cache emptied");
        rt.cache = 0;
    }
}

static void tell_sparks(hectic_emit_cap *log, const struct cap *c)
{
    hectic_emit_spark_counters(log, c->sparks_created, 0, 0, c->sparks_converted, 0,
                               c->sparks_fizzled,
                               c->sparks_created - c->sparks_converted - c->sparks_fizzled);
}

/* A cap's part in a collection, logged as by GHC. With the lock held, released meanwhile. */
static void collect(struct cap *c)
{
    const bool leads = rt.leader == c;
    if (leads && rt.caps > 1) hectic_emit_request_par_gc(c->log);
    if (leads && rt.caps == 1) hectic_emit_request_seq_gc(c->log);
    pthread_mutex_unlock(&rt.lock);
    if (!leads) hectic_emit_gc_start(c->log);
    pthread_barrier_wait(&rt.meeting);
    if (leads) hectic_emit_gc_start(c->log);
    hectic_emit_gc_work(c->log);
    sleep_for((100 + roll(c, 300)) * MICROSECOND);
    hectic_emit_gc_idle(c->log);
    hectic_emit_gc_done(c->log);
    hectic_emit_heap_allocated(c->log, PROCESS, c->allocated);
    c->nursery = 0;
    pthread_barrier_wait(&rt.meeting);
    pthread_mutex_lock(&rt.lock);
    if (c == rt.cap && hectic_emit_due(c->log, HECTIC_CLASS_HEAP_PROFILE))
        log_census(c->log, ++rt.censuses);
    if (leads) {
        log_heap(c);
        rt.leader = NULL;
    }
    pthread_mutex_unlock(&rt.lock);
    pthread_barrier_wait(&rt.meeting);
    tell_sparks(c->log, c);
    hectic_emit_gc_end(c->log);
    pthread_mutex_lock(&rt.lock);
}

/* --- Caps ------------------------------------------------------------------------------------- */

/* The next step of a cap. With the lock held. */
static void step(struct cap *c)
{
    if (rt.quit && !rt.pause && !rt.leader) {
        rt.leader = c;
        rt.last = true;
    }
    if (rt.leader) {
        collect(c);
        return;
    }
    if (rt.pause) {
        rt.paused++;
        pthread_cond_broadcast(&rt.changed);
        /* A collection needs all caps: one that began when the last pause ended, before this cap
         * woke, may find it in the next pause. */
        while (rt.pause && !rt.leader)
            pthread_cond_wait(&rt.changed, &rt.lock);
        rt.paused--;
        return;
    }
    struct thread *sleeper = first(ASLEEP, c->number);
    if (sleeper && sleeper->since <= now()) wake(c, sleeper);
    struct thread *ready = first(READY, c->number);
    if (ready) {
        run_thread(c, ready);
    } else {
        pthread_mutex_unlock(&rt.lock);
        sleep_for(MILLISECOND / 2);
        pthread_mutex_lock(&rt.lock);
    }
}

static void tell_task(hectic_emit_cap *log, const struct cap *c)
{
    hectic_emit_task_create(log, (uint64_t)(uintptr_t)c, c->number, c->kernel_thread);
}

static void *run_cap(void *cap)
{
    struct cap *c = cap;
    pthread_mutex_lock(&rt.lock);
    c->kernel_thread = (uint64_t)gettid();
    tell_task(c->log, c);
    do
        step(c);
    while (!rt.last || rt.leader);
    hectic_emit_task_delete(c->log, (uint64_t)(uintptr_t)c);
    c->kernel_thread = 0;
    rt.ended++;
    pthread_cond_broadcast(&rt.changed);
    pthread_mutex_unlock(&rt.lock);
    return NULL;
}

/* --- Reporting the state after logging or a class was off --------------------------------------
 */

/* All caps are paused, and no light thread runs, from here to go_on(). */
static void pause_all(void *user)
{
    (void)user;
    pthread_mutex_lock(&rt.lock);
    rt.pause = true;
    while (rt.paused + rt.ended < rt.caps)
        pthread_cond_wait(&rt.changed, &rt.lock);
}

static void go_on(void *user)
{
    (void)user;
    rt.pause = false;
    pthread_cond_broadcast(&rt.changed);
    pthread_mutex_unlock(&rt.lock);
}

static void tell_heap_info(hectic_emit_cap *log)
{
    hectic_emit_heap_info_ghc(log, PROCESS, 2, 0, NURSERY, MBLOCK, BLOCK);
}

/* Logs the definition of the heap samples. */
static void log_profile(hectic_emit_cap *log)
{
    enum { BY_TYPE = 4 };
    hectic_emit_heap_prof_begin(log, 0,
                                hectic_emitter_parameter(rt.emitter, HECTIC_CLASS_HEAP_PROFILE, 0),
                                BY_TYPE, "", "", "", "", "", "", "");
}

static void report_thread(hectic_emit_cap *log, const struct thread *t)
{
    log_thread(log, t);
    if (t->where != ASLEEP && t->where != WAITING) return;
    hectic_emit_run_thread(log, t->id);
    hectic_emit_stop_thread(log, t->id, t->where == ASLEEP ? ON_DELAY : ON_MVAR, 0);
}

/* Reports the current state: between collections, while all caps are paused. */
static void report_all(void *user, hectic_emit_report *report)
{
    (void)user;
    hectic_emit_cap *log = hectic_emit_report_cap(report, HECTIC_CAP_NONE);
    tell_heap_info(log);
    log_profile(log);
    for (const struct cap *c = rt.cap; c < rt.cap + rt.caps; c++) {
        log = hectic_emit_report_cap(report, c->number);
        if (c->kernel_thread) tell_task(log, c);
        hectic_emit_heap_allocated(log, PROCESS, c->allocated);
        tell_sparks(log, c);
    }
    for (const struct thread *t = rt.thread; t < rt.thread + rt.places; t++)
        if (t->where != NOWHERE) report_thread(hectic_emit_report_cap(report, t->cap), t);
}

static const hectic_emit_reporter reporter = {
    .pause = pause_all, .report = report_all, .resume = go_on};

static void start_runtime(unsigned caps, unsigned load)
{
    pthread_mutex_lock(&rt.lock);
    rt.caps = caps;
    rt.load = load;
    rt.begin = now();
    pthread_barrier_init(&rt.meeting, NULL, caps);
    for (unsigned i = 0; i < caps; i++)
        rt.cap[i] = (struct cap){
            .log = hectic_emitter_cap(rt.emitter, i), .number = (uint16_t)i, .random = i};
    create_thread(rt.cap);
    for (struct cap *c = rt.cap; c < rt.cap + caps; c++)
        if (pthread_create(&c->os_thread, NULL, run_cap, c) != 0) {
            fprintf(stderr, "monitored: too many threads\n");
            exit(EXIT_TROUBLE);
        }
    pthread_mutex_unlock(&rt.lock);
}

static void stop_runtime(void)
{
    pthread_mutex_lock(&rt.lock);
    rt.quit = true;
    pthread_mutex_unlock(&rt.lock);
    for (struct cap *c = rt.cap; c < rt.cap + rt.caps; c++)
        pthread_join(c->os_thread, NULL);
}

/* --- The console ------------------------------------------------------------------------------ */

static struct {
    int input;
    bool is_terminal, done;
    uint64_t until; /* when the program ends; ns */
    volatile sig_atomic_t interrupted;
    char destination[LINE];
} console;

static void interrupt(int signal_number)
{
    (void)signal_number;
    console.interrupted = 1;
}

/* Waits for input (fd -1: for none), until the time is up or a signal ends the program. */
static bool wait_for_input(int fd, uint64_t until)
{
    sigset_t none;
    sigemptyset(&none);
    while (!console.interrupted) {
        const uint64_t time = now();
        if (time >= until) return false;
        const uint64_t ns = until - time;
        const struct timespec rest = {(time_t)(ns / SECOND), (long)(ns % SECOND)};
        if (ppoll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1,
                  until == UINT64_MAX ? NULL : &rest, &none) > 0)
            return true;
    }
    return false;
}

/* The next line; false: end of input. */
static bool read_line(char *line)
{
    size_t length = 0;
    char c = 0;
    while (wait_for_input(console.input, console.until)) {
        const ssize_t got = read(console.input, &c, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) printf("monitored: cannot read commands: %s\n", strerror(errno));
        if (got <= 0) break;
        if (c == '\n' || length == LINE - 1) {
            line[length] = 0;
            return true;
        }
        line[length++] = c;
    }
    line[length] = 0;
    return length > 0;
}

static void report_to(FILE *to, hectic_emit_status status)
{
    if (status == HECTIC_EMIT_OK) return;
    const int error = hectic_emitter_get_state(rt.emitter).error;
    fprintf(to, "monitored: %s%s%s\n", hectic_emit_status_text(status),
            status == HECTIC_EMIT_SYSTEM ? ": " : "",
            status == HECTIC_EMIT_SYSTEM ? strerror(error) : "");
}

static void report(hectic_emit_status status)
{
    report_to(stdout, status);
}

static bool parse_number(const char *text, unsigned long most, unsigned long *number)
{
    char *end;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == 0 && errno == 0 && *number <= most;
}

static bool is_number(const char *text, unsigned long most, unsigned long *number)
{
    if (parse_number(text, most, number)) return true;
    printf("monitored: invalid number \"%s\" (maximum: %lu)\n", text, most);
    return false;
}

/* --- Commands: each gets the rest of its line ------------------------------------------------- */

static void do_on(char *rest)
{
    (void)rest;
    report(hectic_emitter_set_logging(rt.emitter, true));
}

static void do_off(char *rest)
{
    (void)rest;
    report(hectic_emitter_set_logging(rt.emitter, false));
}

/* "+s" switches on, "-s" off, "s" all but those off. */
static uint64_t classes_by_words(char *words)
{
    uint64_t classes = hectic_emitter_classes(rt.emitter);
    for (char *word = strtok(words, " "); word && classes != UINT64_MAX; word = strtok(NULL, " ")) {
        if (*word != '-') {
            classes = hectic_classes_by_flags(*word == '+' ? classes : 0, word + (*word == '+'));
            continue;
        }
        for (const char *letter = word + 1; *letter && classes != UINT64_MAX; letter++)
            classes = hectic_classes_by_flags(classes, (const char[]){'-', *letter, 0});
    }
    return classes;
}

static void do_classes(char *rest)
{
    const uint64_t wanted = classes_by_words(rest);
    if (wanted == UINT64_MAX)
        printf("monitored: invalid class (expected: s, g, n, p, f, u, T or a, with an optional + "
               "or -)\n");
    else
        report(hectic_emitter_set_classes(rt.emitter, wanted));
}

static void do_heap(char *rest)
{
    unsigned long ms;
    if (!is_number(rest, 1000000, &ms)) return;
    if (ms == 0) {
        report(hectic_emitter_disable(rt.emitter, HECTIC_CLASS_HEAP_PROFILE));
        return;
    }
    const uint64_t period = ms * MILLISECOND;
    const bool was_on =
        hectic_emitter_classes(rt.emitter) & HECTIC_CLASS_BIT(HECTIC_CLASS_HEAP_PROFILE);
    report(hectic_emitter_enable(rt.emitter, HECTIC_CLASS_HEAP_PROFILE, &period, 1));
    if (was_on) log_profile(hectic_emitter_global(rt.emitter)); /* otherwise it has been reported */
}

static void do_flush(char *rest)
{
    (void)rest;
    report(hectic_emitter_flush(rt.emitter, 0));
}

static void do_flush_every(char *rest)
{
    unsigned long ms;
    if (is_number(rest, UINT32_MAX, &ms))
        report(hectic_emitter_flush_every(rt.emitter, (uint32_t)ms));
}

static void do_sync(char *rest)
{
    (void)rest;
    report(hectic_emitter_sync(rt.emitter));
}

static void do_sync_every(char *rest)
{
    unsigned long ms;
    if (is_number(rest, UINT32_MAX, &ms))
        report(hectic_emitter_sync_every(rt.emitter, (uint32_t)ms));
}

#define DESTINATIONS                                                                               \
    "PATH, fifo:PATH, unix:PATH, tcp:HOST:PORT, listen:unix:PATH, listen:tcp:HOST:PORT, fd:N or "  \
    "ring"

static bool is_destination(const char *text, char *buffer, hectic_destination *destination)
{
    if (*text && hectic_destination_parse(destination, text, buffer, LINE)) return true;
    printf("monitored: invalid destination \"%s\" (expected: " DESTINATIONS ")\n", text);
    return false;
}

static void do_redirect(char *rest)
{
    char buffer[LINE];
    hectic_destination destination;
    if (!is_destination(rest, buffer, &destination)) return;
    const hectic_emit_status status = hectic_emitter_redirect(rt.emitter, &destination);
    report(status);
    if (status == HECTIC_EMIT_OK)
        snprintf(console.destination, sizeof console.destination, "%s", rest);
}

static void do_dump(char *rest)
{
    char buffer[LINE];
    hectic_destination destination;
    if (is_destination(rest, buffer, &destination))
        report(hectic_emitter_dump(rt.emitter, &destination));
}

static void do_buffer(char *rest)
{
    unsigned long bytes;
    if (is_number(rest, 1ul << 30, &bytes))
        report(hectic_emitter_set_buffer_size(rt.emitter, bytes));
}

static void do_load(char *rest)
{
    unsigned long load;
    if (!is_number(rest, LOAD_MAX, &load)) return;
    pthread_mutex_lock(&rt.lock);
    rt.load = (uint32_t)load;
    pthread_mutex_unlock(&rt.lock);
}

static void do_say(char *rest)
{
    hectic_emit_user_msg(hectic_emitter_global(rt.emitter), rest);
}

static void do_wait(char *rest)
{
    unsigned long ms;
    if (!is_number(rest, 3600000, &ms)) return;
    const uint64_t until = now() + ms * MILLISECOND;
    wait_for_input(-1, until < console.until ? until : console.until);
}

static void do_state(char *rest)
{
    static const char *const states[] = {
        [HECTIC_DESTINATION_NONE] = "not started",
        [HECTIC_DESTINATION_READY] = "ready",
        [HECTIC_DESTINATION_BLOCKED] = "blocked",
        [HECTIC_DESTINATION_WAITING] = "waiting for a reader",
        [HECTIC_DESTINATION_FAILED] = "failed",
    };
    (void)rest;
    const hectic_emitter_state s = hectic_emitter_get_state(rt.emitter);
    const uint64_t classes = hectic_emitter_classes(rt.emitter);
    const bool trouble = s.error != 0 && s.destination != HECTIC_DESTINATION_READY;
    printf("logging      %s, to %s: %s%s%s\n", s.logging ? "on" : "off", console.destination,
           states[s.destination], trouble ? ": " : "", trouble ? strerror(s.error) : "");
    if (strncmp(console.destination, "listen:", 7) == 0) {
        printf("readers      %" PRIu32, s.readers);
        if (s.port) printf(", at port %u", s.port);
        printf("\n");
    }
    printf("classes     ");
    for (unsigned i = 0; i < HECTIC_CLASS_COUNT; i++)
        if (classes & HECTIC_CLASS_BIT(i)) printf(" %s", hectic_class_name((hectic_class)i));
    printf("\nwritten      %" PRIu64 " bytes in %" PRIu64 " blocks\n", s.bytes_written,
           s.blocks_written);
    printf("dropped      %" PRIu64 " events\n", s.events_dropped);
    printf("buffers      %" PRIu64 " bytes\n", s.memory);
    printf("clock        %s\n", s.tsc ? "TSC" : "clock_gettime");
    pthread_mutex_lock(&rt.lock);
    printf("program      %" PRIu32 " caps, load %" PRIu32 ", %" PRIu32 " threads so far, %" PRIu64
           " collections\n",
           rt.caps, rt.load, rt.last_id, rt.collections);
    pthread_mutex_unlock(&rt.lock);
}

static void do_quit(char *rest)
{
    (void)rest;
    console.done = true;
}

static void do_help(char *rest);

static const struct command {
    const char *name, *argument, *help;
    void (*run)(char *rest);
} commands[] = {
    {"help", "", "print this", do_help},
    {"on", "", "switch logging on", do_on},
    {"off", "", "switch logging off", do_off},
    {"classes", "[+-]LETTERS ...", "s threads, g GC, p f sparks, u messages, a all", do_classes},
    {"heap", "MS", "sample the heap every MS; 0: never", do_heap},
    {"flush", "", "flush all buffers", do_flush},
    {"flush-every", "MS", "flush every MS; 0: full buffers only", do_flush_every},
    {"sync", "", "replay the live state", do_sync},
    {"sync-every", "MS", "replay the live state every MS; 0: never", do_sync_every},
    {"redirect", "DESTINATION", "log to DESTINATION from now on", do_redirect},
    {"dump", "DESTINATION", "write the content of the ring", do_dump},
    {"buffer", "BYTES", "set the buffer size of each cap", do_buffer},
    {"load", "N", "serve N requests at a time", do_load},
    {"say", "TEXT", "log a message", do_say},
    {"wait", "MS", "wait before the next command", do_wait},
    {"state", "", "print the state", do_state},
    {"quit", "", "end the program", do_quit},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_commands(void)
{
    for (const struct command *c = commands; c < commands + COMMANDS; c++)
        printf("  %-11s %-15s  %s\n", c->name, c->argument, c->help);
}

static void do_help(char *rest)
{
    (void)rest;
    print_commands();
}

static void run_command(char *line)
{
    line += strspn(line, " ");
    char *rest = line + strcspn(line, " ");
    if (*rest) *rest++ = 0;
    rest += strspn(rest, " ");
    if (*line == 0 || *line == '#') return;
    for (const struct command *c = commands; c < commands + COMMANDS; c++) {
        if (strcmp(c->name, line) != 0) continue;
        c->run(rest);
        return;
    }
    printf("monitored: unknown command \"%s\" (see help)\n", line);
}

static void run_console(void)
{
    char line[LINE];
    while (!console.done) {
        if (console.is_terminal) printf("monitored> ");
        fflush(stdout);
        if (!read_line(line)) break;
        run_command(line);
    }
    /* Without further commands, runs for the requested time. */
    if (!console.done && console.until != UINT64_MAX) wait_for_input(-1, console.until);
}

/* --- The command line ------------------------------------------------------------------------- */

struct settings {
    unsigned long caps, load, seconds;
    const char *script, *destination;
};

static const char usage[] = "usage: monitored [--caps N] [--load N] [--seconds N] [--script FILE] "
                            "[DESTINATION]\n";

static _Noreturn void print_help(void)
{
    printf("%s\n"
           "A demo program that writes an eventlog and accepts commands: it simulates a runtime\n"
           "that serves requests with light threads on several caps.\n"
           "\n"
           "  --caps N       OS threads that run light threads, 1 to %d (2)\n"
           "  --load N       requests served at a time, 0 to %d (8)\n"
           "  --seconds N    end after N seconds (0: when the commands end)\n"
           "  --script FILE  read commands from FILE (stdin)\n"
           "  -h, --help     print this\n"
           "\n"
           "DESTINATION ($HECTIC_EVENTLOG, or monitored.eventlog):\n" DESTINATIONS "\n"
           "\n"
           "Commands, one on a line:\n",
           usage, CAPS_MAX, LOAD_MAX);
    print_commands();
    printf("\nExit code: 0; %d: the log or the script cannot be opened; %d: invalid arguments.\n",
           EXIT_TROUBLE, EXIT_USAGE);
    exit(0);
}

static _Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "monitored: ");
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n%sSee monitored --help.\n", usage);
    exit(EXIT_USAGE);
}

static void number_option(const char *name, const char *text, unsigned long least,
                          unsigned long most, unsigned long *number)
{
    if (!parse_number(text, most, number) || *number < least)
        refuse("invalid number \"%s\" for --%s (from %lu to %lu)", text, name, least, most);
}

static struct settings parse(int argc, char **argv)
{
    static const struct option options[] = {
        {"caps", required_argument, NULL, 'c'},    {"load", required_argument, NULL, 'l'},
        {"seconds", required_argument, NULL, 's'}, {"script", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},          {0}};
    const char *const variable = getenv("HECTIC_EVENTLOG");
    struct settings s = {.caps = 2,
                         .load = 8,
                         .destination = variable && *variable ? variable : "monitored.eventlog"};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        switch (option) {
        case 'c': number_option("caps", optarg, 1, CAPS_MAX, &s.caps); break;
        case 'l': number_option("load", optarg, 0, LOAD_MAX, &s.load); break;
        case 's': number_option("seconds", optarg, 0, 1000000, &s.seconds); break;
        case 'f': s.script = optarg; break;
        case 'h': print_help();
        case ':': refuse("missing value for %s", argv[optind - 1]);
        default:
            if (optopt) refuse("unknown option -%c", optopt);
            refuse("unknown option %s", argv[optind - 1]);
        }
    }
    if (argc - optind > 1) refuse("extra operand: \"%s\"", argv[optind + 1]);
    if (optind < argc) s.destination = argv[optind];
    return s;
}

static void open_console(const struct settings *s)
{
    console.input = STDIN_FILENO;
    if (s->script) console.input = open(s->script, O_RDONLY | O_CLOEXEC);
    if (console.input < 0) {
        fprintf(stderr, "monitored: %s: %s\n", s->script, strerror(errno));
        exit(EXIT_TROUBLE);
    }
    console.is_terminal = isatty(console.input) && isatty(STDOUT_FILENO);
    console.until = s->seconds > 0 ? now() + s->seconds * SECOND : UINT64_MAX;
    /* Signals are delivered only while the console waits, and to no other thread. */
    const struct sigaction action = {.sa_handler = interrupt};
    sigset_t signals;
    sigemptyset(&signals);
    for (const int *signal_number = (const int[]){SIGINT, SIGTERM, SIGHUP, 0}; *signal_number;
         signal_number++) {
        sigaction(*signal_number, &action, NULL);
        sigaddset(&signals, *signal_number);
    }
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

/* Starts logging. Returns an exit code. */
static int start_log(const struct settings *s)
{
    enum { SAMPLE_MS = 500, FLUSH_MS = 100 };
    char buffer[LINE];
    hectic_destination destination;
    if (!hectic_destination_parse(&destination, s->destination, buffer, sizeof buffer))
        refuse("invalid destination \"%s\" (expected: " DESTINATIONS ")", s->destination);
    snprintf(console.destination, sizeof console.destination, "%s", s->destination);
    rt.emitter = hectic_emitter_new(&(hectic_emitter_options){.caps = (uint32_t)s->caps});
    if (!rt.emitter) {
        fprintf(stderr, "monitored: out of memory\n");
        return EXIT_TROUBLE;
    }
    const uint64_t period = (uint64_t)SAMPLE_MS * MILLISECOND;
    hectic_emitter_enable(rt.emitter, HECTIC_CLASS_HEAP_PROFILE, &period, 1);
    hectic_emitter_set_reporter(rt.emitter, &reporter, NULL);
    hectic_emitter_flush_every(rt.emitter, FLUSH_MS);
    const hectic_emit_status status = hectic_emitter_start(rt.emitter, &destination);
    report_to(stderr, status);
    return status == HECTIC_EMIT_OK ? 0 : EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
    const struct settings s = parse(argc, argv);
    open_console(&s);
    const int code = start_log(&s);
    if (code == 0) {
        start_runtime((unsigned)s.caps, (unsigned)s.load);
        run_console();
        stop_runtime();
    }
    hectic_emitter_free(rt.emitter);
    return code;
}
