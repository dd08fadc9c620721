/* Results of adjacent intervals add up to those of their union, and times of threads equal those of
 * caps, on all logs. */
#include "events.h"
#include "facts/spans.h"
#include "facts/sparks.h"
#include "facts/tasks.h"
#include "facts/threads.h"
#include "logs.h"

enum { SIZE_MOST = 2 << 20, CUTS = 8 };

/* Sums of the results of an interval, all of which must add up. */
struct sums {
    uint64_t thread[HECTIC_THREAD_STATES], runs, migrations, born, ended, lifetimes;
    uint64_t identity; /* per thread: a hash of its times and number */
    uint64_t spans, across, markers, messages, total, open, no_gc, unstarted, unstopped;
    uint64_t counters[6], sparks[6], run, stolen, lost, eval, evaluated, waited, left;
    uint64_t tasks, task_migrations;
};

/* The consumers, used together. */
struct all {
    struct sums sums;
    hectic_threads *threads;
    hectic_spans *spans;
    hectic_sparks *sparks;
    hectic_tasks *tasks;
};

static bool take_thread(void *user, const hectic_thread *thread)
{
    struct sums *sums = &((struct all *)user)->sums;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++) {
        sums->lifetimes += thread->ns[i];
        sums->identity += thread->ns[i] * (thread->id * UINT64_C(0x9e3779b97f4a7c15) + i);
    }
    sums->identity += thread->runs * ((thread->id + UINT64_C(1)) << 32);
    return true;
}

static bool take_span(void *user, const hectic_span *span)
{
    struct sums *sums = user;
    sums->total += span->total;
    sums->open += span->open;
    sums->no_gc += span->no_gc;
    assert_true(span->no_gc <= span->open);
    assert_true(span->is_marker || span->open <= span->total);
    return true;
}

static bool take_task(void *user, const hectic_task *task)
{
    struct sums *sums = &((struct all *)user)->sums;
    sums->tasks += task->lifetime;
    sums->task_migrations += task->migrations;
    return true;
}

static void add_counts(uint64_t *sums, const hectic_spark_counts *counts)
{
    const uint64_t numbers[] = {counts->created, counts->converted, counts->overflowed,
                                counts->dud,     counts->gcd,       counts->fizzled};
    for (size_t i = 0; i < 6; i++)
        sums[i] += numbers[i];
}

static void add_rest(struct all *all)
{
    struct sums *sums = &all->sums;
    hectic_thread_totals threads;
    hectic_threads_totals(all->threads, 0, &threads);
    memcpy(sums->thread, threads.ns, sizeof sums->thread);
    sums->runs = threads.runs;
    sums->migrations = threads.migrations;
    sums->born = threads.born;
    sums->ended = threads.ended;
    const hectic_span_totals spans = hectic_spans_totals(all->spans);
    assert_true(hectic_spans_each(all->spans, 0, take_span, sums));
    sums->spans = spans.spans;
    sums->across = spans.across;
    sums->unstarted = spans.unstarted;
    sums->unstopped = spans.unstopped;
    sums->markers = spans.markers;
    sums->messages = spans.messages;
    sums->evaluated = hectic_sparks_durations(all->sparks)->count;
    const uint32_t caps = hectic_sparks_caps(all->sparks);
    for (uint32_t i = 0; i < caps; i++) {
        hectic_spark_cap cap;
        hectic_sparks_cap(all->sparks, i, 0, &cap);
        add_counts(sums->counters, &cap.counters);
        add_counts(sums->sparks, &cap.events);
        sums->run += cap.run;
        sums->stolen += cap.stolen;
        sums->lost += cap.lost;
        sums->eval += cap.eval;
        sums->waited += cap.waited;
        sums->left += cap.left;
    }
}

static void end_section(struct all *all, uint64_t now)
{
    assert_true(hectic_threads_end(all->threads, now));
    assert_true(hectic_spans_end(all->spans, now));
    hectic_sparks_end(all->sparks, now);
    assert_true(hectic_tasks_end(all->tasks, now));
}

static hectic_log *open_log(const struct bytes *log)
{
    hectic_error error;
    const hectic_log_options options = {.threads = 1};
    return hectic_log_open(bytes_input(log->data, log->length), &options, &error);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct sums sums_between(const struct bytes *bytes, uint64_t from, uint64_t to)
{
    struct all all = {0};
    all.threads = hectic_threads_new(from, to, take_thread, &all);
    all.spans = hectic_spans_new(from, to, NULL, NULL);
    all.sparks = hectic_sparks_new(from, to, NULL, NULL);
    all.tasks = hectic_tasks_new(from, to, take_task, &all);
    hectic_log *log = open_log(bytes);
    const hectic_survey *survey = hectic_log_survey(log);
    size_t section = SIZE_MAX;
    for (;;) {
        hectic_event event;
        const hectic_result result = hectic_log_next(log, &event);
        if (result == HECTIC_GOT_EVENT) {
            assert_true(hectic_threads_event(all.threads, &event));
            assert_true(hectic_spans_event(all.spans, &event));
            assert_true(hectic_sparks_event(all.sparks, &event));
            assert_true(hectic_tasks_event(all.tasks, &event));
            continue;
        }
        if (section != SIZE_MAX) end_section(&all, least(survey->section[section].last_time, to));
        if (result != HECTIC_HEADER) break;
        section++;
        hectic_threads_begin(all.threads, hectic_log_header(log));
    }
    add_rest(&all);
    hectic_log_free(log);
    hectic_threads_free(all.threads);
    hectic_spans_free(all.spans);
    hectic_sparks_free(all.sparks);
    hectic_tasks_free(all.tasks);
    return all.sums;
}

static void add(struct sums *to, const struct sums *from)
{
    uint64_t *a = (uint64_t *)to;
    const uint64_t *b = (const uint64_t *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *a; i++)
        a[i] += b[i];
}

/* A time near an event, or anywhere in the log. */
static uint64_t some_time(const struct bytes *bytes, uint64_t *seed)
{
    hectic_log *log = open_log(bytes);
    const hectic_survey *survey = hectic_log_survey(log);
    uint64_t wanted = random_below(seed, survey->events + 1), time = 0;
    hectic_event event;
    hectic_result result;
    while ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER)
        if (result == HECTIC_GOT_EVENT && wanted-- == 0) time = event.time + random_below(seed, 2);
    hectic_log_free(log);
    return time;
}

static void adds_up(const char *path, const struct bytes *bytes)
{
    /* It has a state replay, but no consistent events: the activities of threads before a replay
     * are known only from there on, so an interval that ends inside a gap has more information. */
    if (strstr(path, "every-event")) return;
    uint64_t seed = bytes->length;
    hectic_log *log = open_log(bytes);
    if (!log) return;
    hectic_log_free(log);
    const struct sums whole = sums_between(bytes, 0, UINT64_MAX);
    for (size_t i = 0; i < CUTS; i++) {
        const uint64_t a = some_time(bytes, &seed), b = some_time(bytes, &seed);
        struct sums sum = sums_between(bytes, 0, least(a, b));
        const struct sums parts[] = {sums_between(bytes, least(a, b), a + b - least(a, b)),
                                     sums_between(bytes, a + b - least(a, b), UINT64_MAX)};
        add(&sum, &parts[0]);
        add(&sum, &parts[1]);
        if (memcmp(&sum, &whole, sizeof sum) != 0)
            fail_msg("%s: cut at %llu and %llu, the parts do not add up", path,
                     (unsigned long long)a, (unsigned long long)b);
    }
}

static void intervals_add_up(void **state)
{
    (void)state;
    for_each_log(SIZE_MOST, adds_up);
}

static void put(struct bytes *log, uint64_t number, size_t bytes)
{
    uint8_t room[8];
    event_put(room, number, bytes);
    bytes_write(log, room, bytes);
}

/* Random events of few threads, caps and labels. */
static struct bytes nonsense(uint64_t seed)
{
    static const uint16_t numbers[] = {
        HECTIC_EVENT_CREATE_THREAD,  HECTIC_EVENT_RUN_THREAD,     HECTIC_EVENT_STOP_THREAD,
        HECTIC_EVENT_THREAD_WAKEUP,  HECTIC_EVENT_MIGRATE_THREAD, HECTIC_EVENT_CREATE_SPARK_THREAD,
        HECTIC_EVENT_SPARK_COUNTERS, HECTIC_EVENT_SPARK_CREATE,   HECTIC_EVENT_SPARK_RUN,
        HECTIC_EVENT_SPARK_STEAL,    HECTIC_EVENT_GC_START,       HECTIC_EVENT_GC_END,
        HECTIC_EVENT_USER_MSG,       HECTIC_EVENT_USER_MARKER,    HECTIC_EVENT_TASK_CREATE,
        HECTIC_EVENT_TASK_MIGRATE};
    static const char *const texts[] = {"START a", "STOP a", "START 1 a", "STOP 1 a",
                                        "START b", "STOP b", "hello",     "START 2 b"};
    enum { NUMBERS = sizeof numbers / sizeof *numbers, TEXTS = sizeof texts / sizeof *texts };
    struct bytes log = {0};
    hectic_header *header = event_header(numbers, NUMBERS);
    size_t length;
    const uint8_t *head = hectic_header_bytes(header, &length);
    bytes_write(&log, head, length);
    hectic_header_free(header);
    uint64_t time = 0;
    for (size_t i = 0; i < 2000; i++) {
        uint8_t room[EVENT_SIZE_MAX];
        hectic_event_type type;
        uint64_t values[HECTIC_MAX_FIELDS];
        for (size_t j = 0; j < HECTIC_MAX_FIELDS; j++)
            values[j] = random_below(&seed, 6);
        time += random_below(&seed, 3);
        const hectic_event event =
            event_make(room, &type, time, 0, numbers[random_below(&seed, NUMBERS)], values,
                       texts[random_below(&seed, TEXTS)]);
        put(&log, event.type, 2);
        put(&log, event.time, 8);
        if (type.size == HECTIC_VARIABLE) put(&log, event.size, 2);
        bytes_write(&log, event.payload, event.size);
    }
    put(&log, HECTIC_DATA_END, 2);
    return log;
}

static void nonsense_adds_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct bytes log = nonsense(seed);
        adds_up("nonsense", &log);
        bytes_free(&log);
    }
}

/* The running time of threads equals that of caps. */
static void agrees_with_caps(const char *path, const struct bytes *bytes)
{
    hectic_log *log = open_log(bytes);
    if (!log) return;
    static uint64_t since[65536];
    static uint32_t thread[65536];
    static bool runs[65536];
    uint64_t sum = 0;
    bool consistent = true;
    memset(runs, 0, sizeof runs);
    const hectic_survey *survey = hectic_log_survey(log);
    hectic_event event;
    hectic_result result;
    while ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER) {
        if (result == HECTIC_HEADER || event.size < 4) continue;
        const uint32_t id = (uint32_t)event.payload[0] << 24 | (uint32_t)event.payload[1] << 16 |
                            (uint32_t)event.payload[2] << 8 | event.payload[3];
        if (event.type == HECTIC_EVENT_RUN_THREAD) {
            consistent &= !runs[event.cap];
            since[event.cap] = event.time;
            thread[event.cap] = id;
            runs[event.cap] = true;
        } else if (event.type == HECTIC_EVENT_STOP_THREAD) {
            consistent &= runs[event.cap] && thread[event.cap] == id;
            sum += event.time - since[event.cap];
            runs[event.cap] = false;
        }
    }
    for (size_t cap = 0; cap < 65536; cap++)
        if (runs[cap]) sum += survey->section[0].last_time - since[cap];
    consistent &= survey->sections == 1;
    hectic_log_free(log);
    if (!consistent) return;
    const struct sums all = sums_between(bytes, 0, UINT64_MAX);
    uint64_t lifetimes = 0;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        lifetimes += all.thread[i];
    if (all.thread[HECTIC_THREAD_RUNNING] != sum) fail_msg("%s: threads and caps disagree", path);
    assert_int_equal(lifetimes, all.lifetimes);
}

static void threads_run_when_caps_do(void **state)
{
    (void)state;
    for_each_log(SIZE_MOST, agrees_with_caps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_add_up),
        cmocka_unit_test(nonsense_adds_up),
        cmocka_unit_test(threads_run_when_caps_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
