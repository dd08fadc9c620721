/* Threads, spans, sparks and tasks of arbitrary events: the two halves add up to the whole. */
#define _GNU_SOURCE
#include "facts/spans.h"
#include "facts/sparks.h"
#include "facts/tasks.h"
#include "facts/threads.h"
#include "format/gap_message.h"
#include "memory_file.h"

struct sums {
    uint64_t ns[HECTIC_THREAD_STATES], runs, migrations, born, ended;
    uint64_t spans, across, unstarted, unstopped, total, open, no_gc;
    uint64_t created, converted, waited, eval;
    uint64_t lifetimes, task_migrations;
};

static bool take_thread(void *user, const hectic_thread *thread)
{
    struct sums *sums = user;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        sums->ns[i] += thread->ns[i];
    return true;
}

static bool take_span(void *user, const hectic_span *span)
{
    struct sums *sums = user;
    REQUIRE(span->no_gc <= span->open);
    sums->total += span->total;
    sums->open += span->open;
    sums->no_gc += span->no_gc;
    return true;
}

static bool take_spark(void *user, const hectic_spark *spark)
{
    REQUIRE(user && spark->finished - spark->started >= spark->idle);
    return true;
}

static bool take_task(void *user, const hectic_task *task)
{
    struct sums *sums = user;
    sums->lifetimes += task->lifetime;
    sums->task_migrations += task->migrations;
    return true;
}

static bool take_one(void *user, const hectic_span_one *span)
{
    REQUIRE(user && span->start.time <= span->stop.time);
    return true;
}

struct all {
    hectic_threads *threads;
    hectic_spans *spans;
    hectic_sparks *sparks;
    hectic_tasks *tasks;
};

static void end_section(const struct all *all, uint64_t now)
{
    REQUIRE(hectic_threads_end(all->threads, now));
    REQUIRE(hectic_spans_end(all->spans, now));
    hectic_sparks_end(all->sparks, now);
    REQUIRE(hectic_tasks_end(all->tasks, now));
}

/* Returns whether there are SYNC events, or messages of lost bytes. They correct earlier results:
 * then parts that end inside of a gap do not add up. */
static bool read_all(const struct all *all, hectic_log *log, uint64_t to)
{
    const hectic_survey *survey = hectic_log_survey(log);
    size_t sections = 0;
    bool replays = false;
    for (;;) {
        hectic_event event;
        const hectic_result result = hectic_log_next(log, &event);
        if (result == HECTIC_GOT_EVENT) {
            REQUIRE(hectic_threads_event(all->threads, &event));
            REQUIRE(hectic_spans_event(all->spans, &event));
            REQUIRE(hectic_sparks_event(all->sparks, &event));
            REQUIRE(hectic_tasks_event(all->tasks, &event));
            uint64_t number;
            replays |= event.type == HECTIC_EVENT_SYNC ||
                       (event.type == HECTIC_EVENT_LOG_MSG &&
                        gap_message(event.payload, event.size, &number) == GAP_LOST);
            continue;
        }
        if (sections > 0) {
            const uint64_t last = survey->section[sections - 1].last_time;
            end_section(all, last < to ? last : to);
        }
        if (result != HECTIC_HEADER) return replays;
        sections++;
        hectic_threads_begin(all->threads, hectic_log_header(log));
    }
}

/* The log's times add up to less than 2^64 ns: sums of others are modulo 2^64. */
static bool is_countable(const hectic_survey *survey)
{
    uint64_t total = 0;
    for (size_t i = 0; i < survey->sections; i++) {
        const hectic_section *s = &survey->section[i];
        const uint64_t time = s->last_time > s->first_time ? s->last_time - s->first_time : 0;
        if (time > UINT64_MAX - total) return false;
        total += time;
    }
    return true;
}

/* Sums of the interval; sets *middle to a time in the log. False: there are none that add up. */
static bool collect(const uint8_t *data, size_t length, uint64_t from, uint64_t to,
                    struct sums *sums, uint64_t *middle)
{
    hectic_error error;
    const hectic_log_options options = {.threads = 1};
    hectic_log *log = hectic_log_open(memory_input(data, length), &options, &error);
    if (!log) return false;
    if (!is_countable(hectic_log_survey(log))) {
        hectic_log_free(log);
        return false;
    }
    *sums = (struct sums){0};
    const struct all all = {
        hectic_threads_new(from, to, take_thread, sums), hectic_spans_new(from, to, take_one, sums),
        hectic_sparks_new(from, to, take_spark, sums), hectic_tasks_new(from, to, take_task, sums)};
    REQUIRE(all.threads && all.spans && all.sparks && all.tasks);
    const bool replays = read_all(&all, log, to);
    hectic_thread_totals totals;
    hectic_threads_totals(all.threads, 0, &totals);
    REQUIRE(memcmp(totals.ns, sums->ns, sizeof totals.ns) == 0);
    sums->runs = totals.runs;
    sums->migrations = totals.migrations;
    sums->born = totals.born;
    sums->ended = totals.ended;
    REQUIRE(hectic_spans_each(all.spans, 0, take_span, sums));
    const hectic_span_totals spans = hectic_spans_totals(all.spans);
    sums->spans = spans.spans;
    sums->across = spans.across;
    sums->unstarted = spans.unstarted;
    sums->unstopped = spans.unstopped;
    for (uint32_t i = 0; i < hectic_sparks_caps(all.sparks); i++) {
        hectic_spark_cap cap;
        hectic_sparks_cap(all.sparks, i, 0, &cap);
        sums->created += cap.counters.created + cap.events.created;
        sums->converted += cap.counters.converted + cap.run + cap.stolen;
        sums->waited += cap.waited;
        sums->eval += cap.eval;
    }
    const hectic_section *section = hectic_log_survey(log)->section;
    *middle = section->first_time + (section->last_time - section->first_time) / 2;
    hectic_threads_free(all.threads);
    hectic_spans_free(all.spans);
    hectic_sparks_free(all.sparks);
    hectic_tasks_free(all.tasks);
    hectic_log_free(log);
    return !replays;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (is_compressed(data, length)) return 0;
    struct sums whole, first, second;
    uint64_t middle, ignored;
    if (!collect(data, length, 0, UINT64_MAX, &whole, &middle)) return 0;
    collect(data, length, 0, middle, &first, &ignored);
    collect(data, length, middle, UINT64_MAX, &second, &ignored);
    const uint64_t *a = (const uint64_t *)&first, *b = (const uint64_t *)&second,
                   *sum = (const uint64_t *)&whole;
    for (size_t i = 0; i < sizeof whole / sizeof *sum; i++)
        REQUIRE(a[i] + b[i] == sum[i]);
    return 0;
}
