/* threads_rows.c — the rows of threads: Haskell threads, and where their time went; and of
 * thread_states and span_states, from the same analysis. */
#include "results/rows.h"

#include <stdlib.h>

struct threads_maker {
    struct reading *reading;
    const struct row_taker *rows, *states, *spans; /* of the three; NULL: not wanted */
    struct threads_sums *sums;
    uint64_t duration; /* ns: of the interval */
};

/* What is kept for a process. */
struct kept {
    hectic_threads *analysis;
    struct state_rows states;
    struct span_states *spans; /* of the section; NULL: not wanted */
    hectic_gaps gaps;
};

static void add_to_sums(struct threads_kind_sums *sums, const hectic_thread *thread)
{
    sums->count++;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        sums->ns[i] += thread->ns[i];
    sums->runs += thread->runs;
    sums->migrations += thread->migrations;
}

static bool take(void *user, const hectic_thread *taken)
{
    struct threads_maker *threads = user;
    const struct reading *reading = threads->reading;
    struct cell cell[THREADS_COLUMNS];
    hectic_thread thread = *taken;
    const enum threads_kind kind = threads_kind_of(thread.label);
    if (reading_lacks_caps(reading)) threads_forget_waits(thread.ns);
    add_to_sums(&threads->sums->kind[kind], &thread);
    reading_cells(reading, cell);
    threads_put_cells(cell, &thread, reading->interval.from, threads->duration);
    return threads->rows->take(threads->rows->user, cell);
}

static bool begin(const struct reading *reading)
{
    struct threads_maker *threads = reading->user;
    struct kept *kept = reading->kept;
    const struct interval *interval = &reading->interval;
    if (!kept->analysis) {
        kept->analysis =
            hectic_threads_new(interval->from, interval->to, threads->rows ? take : NULL, threads);
        kept->gaps = (hectic_gaps){.from = interval->from, .to = interval->to};
    }
    if (!kept->analysis) return false;
    hectic_threads_begin(kept->analysis, reading->header);
    if (reading->has_no_replay) threads_expect_no_replay(kept->analysis);
    if (reading->part->slot > 0) threads->sums->has_live_max = false;
    kept->states.reading = reading;
    kept->states.taker = threads->states;
    kept->states.threads = kept->analysis;
    if (threads->states) threads_watch(kept->analysis, state_rows_take, &kept->states);
    if (!threads->spans) return true;
    kept->spans = span_states_new(reading, kept->analysis, threads->spans);
    return kept->spans;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    const struct threads_maker *threads = reading->user;
    struct kept *kept = reading->kept;
    for (size_t i = 0; i < count && threads->rows; i++)
        hectic_gaps_event(&kept->gaps, &event[i]);
    for (size_t i = 0; i < count && !kept->states.failed; i++) {
        kept->states.event = &event[i];
        if (!hectic_threads_event(kept->analysis, &event[i])) return false;
        if (kept->spans && !span_states_event(kept->spans, &event[i])) return false;
    }
    return !kept->states.failed;
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct kept *kept = reading->kept;
    hectic_gaps_end(&kept->gaps, now);
    if (kept->spans && !span_states_end(kept->spans, now)) return false;
    span_states_free(kept->spans);
    kept->spans = NULL;
    kept->states.event = NULL;
    return hectic_threads_end(kept->analysis, now) && !kept->states.failed;
}

/* With several processes, the number alive at a time is unknown. */
static void finish(const struct reading *reading)
{
    struct threads_maker *threads = reading->user;
    struct kept *kept = reading->kept;
    hectic_thread_totals *sum = &threads->sums->totals, part;
    if (!kept->analysis) return;
    hectic_threads_totals(kept->analysis, 0, &part);
    sum->threads += part.threads;
    sum->born += part.born;
    sum->ended += part.ended;
    sum->spark_threads += part.spark_threads;
    sum->runs += part.runs;
    sum->migrations += part.migrations;
    sum->live_max += part.live_max;
    hectic_gaps_add(&threads->sums->gaps, &kept->gaps);
    span_states_free(kept->spans);
    hectic_threads_free(kept->analysis);
    free(kept->states.wait);
}

static bool is_settled(const struct reading *reading)
{
    const struct kept *kept = reading->kept;
    return span_states_are_settled(kept->spans);
}

static const struct reader reader = {
    .size = sizeof(struct kept), .begin = begin, .events = events, .end = end, .finish = finish};

bool threads_rows(struct reading *reading, const struct row_taker *rows, struct threads_sums *sums)
{
    struct threads_maker maker = {reading, rows, NULL, NULL, sums, reading->duration};
    *sums = (struct threads_sums){.has_live_max = true};
    if (!reading_all(reading, &reader, &maker)) return false;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        sums->totals.ns[i] = sums->kind[THREADS_PROGRAM].ns[i] + sums->kind[THREADS_RUNTIME].ns[i];
    return true;
}

struct tables {
    struct threads_maker maker; /* the first member: the reader has it */
    struct threads_sums sums;
};

static const struct reader *begin_maker(void *user, struct reading *reading,
                                        const struct row_taker *const *rows)
{
    static const struct reader settling = {.size = sizeof(struct kept),
                                           .begin = begin,
                                           .events = events,
                                           .end = end,
                                           .finish = finish,
                                           .is_settled = is_settled};
    struct tables *tables = user;
    tables->maker = (struct threads_maker){
        reading,       rows[THREADS_THEMSELVES], rows[THREADS_STATES], rows[THREADS_SPANS],
        &tables->sums, reading->duration};
    return rows[THREADS_SPANS] ? &settling : &reader;
}

/* After an interval, spans need further events, but threads must not have them. */
const struct row_maker thread_maker = {.reader = &reader,
                                       .size = sizeof(struct tables),
                                       .begin = begin_maker,
                                       .apart = 1 << THREADS_SPANS};
