/* sparks_rows.c — the rows of sparks, by cap and slice, and of sparks_each. */
#include "report/sparks_report.h"
#include "results/rows.h"

#include <stdlib.h>
#include <string.h>

/* What is kept for a process. */
struct spark_part {
    hectic_sparks *analysis;
    uint64_t slice;           /* start of the slice */
    hectic_spark_cap *before; /* by cap: its numbers when the slice began */
    uint32_t caps;
    bool by_events; /* the log has an event for each spark */
};

struct sparks_maker {
    struct reading *reading;
    const struct row_taker *rows, *each; /* of sparks, of sparks_each; NULL: not wanted */
    uint64_t every;                      /* ns: as in sparks_options */
    struct sparks_sums *sums;            /* NULL: not wanted */
    uint64_t duration;                   /* ns: of the interval */
    struct spark_part *part;             /* the current one */
    uint64_t made;                       /* rows of slices so far */
};

static bool put_cap(struct sparks_maker *sparks, const hectic_spark_cap *cap, uint64_t to)
{
    static const hectic_spark_cap nothing;
    const bool sliced = sparks->every > 0;
    const uint64_t length = sliced ? to - sparks->part->slice : sparks->duration;
    struct cell cell[SPARKS_COLUMNS];
    struct cell *next = cell + reading_cells(sparks->reading, cell);
    *next++ = cell_if(sliced, sparks->part->slice);
    *next++ = cell_if(sliced, to);
    *next++ = cell_number(cap->cap);
    sparks_put_numbers(cell, sparks->part->by_events,
                       sliced ? &sparks->part->before[cap->cap] : &nothing, cap, length, sliced);
    return sparks->rows->take(sparks->rows->user, cell);
}

static bool grow_before(struct sparks_maker *sparks, uint16_t cap)
{
    if (cap < sparks->part->caps) return true;
    const uint32_t wanted = 2 * (cap + UINT32_C(1)), caps = wanted < 65536 ? wanted : 65536;
    hectic_spark_cap *grown = realloc(sparks->part->before, caps * sizeof *grown);
    if (!grown) return false;
    memset(grown + sparks->part->caps, 0, (caps - sparks->part->caps) * sizeof *grown);
    sparks->part->before = grown;
    sparks->part->caps = caps;
    return true;
}

/* A row for each cap, for the slice up to `to` or the section. */
static bool put_caps(struct sparks_maker *sparks, uint64_t to)
{
    const uint32_t caps = hectic_sparks_caps(sparks->part->analysis);
    sparks->made += caps > 0 ? caps : 1; /* a slice without rows counts, too */
    if (sparks->sums) sparks->sums->too_many = sparks->made > SPARKS_ROWS_MAX;
    if (sparks->made > SPARKS_ROWS_MAX) return false;
    for (uint32_t i = 0; i < caps; i++) {
        hectic_spark_cap cap;
        hectic_sparks_cap(sparks->part->analysis, i, to, &cap);
        if (sparks->every && !grow_before(sparks, cap.cap)) return false;
        if (!put_cap(sparks, &cap, to)) return false;
        if (sparks->every) sparks->part->before[cap.cap] = cap;
    }
    return true;
}

/* Resets the caps of the section. */
static void clear_before(struct sparks_maker *sparks)
{
    static const hectic_spark_cap nothing;
    const uint32_t caps = sparks->every ? hectic_sparks_caps(sparks->part->analysis) : 0;
    for (uint32_t i = 0; i < caps; i++) {
        hectic_spark_cap cap;
        hectic_sparks_cap(sparks->part->analysis, i, 0, &cap);
        if (cap.cap < sparks->part->caps) sparks->part->before[cap.cap] = nothing;
    }
}

/* Adds the caps of the section to the sums. */
static bool add_section(struct sparks_maker *sparks, uint64_t now)
{
    hectic_spark_cap *sum = &sparks->sums->all;
    const uint32_t caps = hectic_sparks_caps(sparks->part->analysis);
    for (uint32_t i = 0; i < caps; i++) {
        hectic_spark_cap cap;
        hectic_sparks_cap(sparks->part->analysis, i, now, &cap);
        sparks_add_cap(sum, &cap, sparks->part->by_events);
    }
    return hectic_histogram_merge(&sparks->sums->durations,
                                  hectic_sparks_durations(sparks->part->analysis));
}

static bool take(void *user, const hectic_spark *spark)
{
    const struct sparks_maker *sparks = user;
    struct cell cell[CELLS_OF(sparks_each)];
    const union sparks_each_row values = {
        .start_ns = cell_number(spark->started),
        .end_ns = cell_number(spark->finished),
        .duration_ns = cell_number(spark->finished - spark->started),
        .idle_ns = cell_number(spark->idle),
        .eval_ns = cell_number(spark->finished - spark->started - spark->idle),
        .thread = cell_number(spark->thread),
        .cap = cell_number(spark->cap),
        .from_cap = cell_number(spark->from),
    };
    reading_cells(sparks->reading, cell);
    cells_after_reading(cell, values.cells, CELLS_OF(sparks_each));
    return sparks->each->take(sparks->each->user, cell);
}

static bool has_event_of_each(const struct reading *reading)
{
    static const uint16_t events[] = {HECTIC_EVENT_SPARK_CREATE,   HECTIC_EVENT_SPARK_DUD,
                                      HECTIC_EVENT_SPARK_OVERFLOW, HECTIC_EVENT_SPARK_RUN,
                                      HECTIC_EVENT_SPARK_STEAL,    HECTIC_EVENT_SPARK_FIZZLE,
                                      HECTIC_EVENT_SPARK_GC,       HECTIC_EVENT_RUN_SPARK,
                                      HECTIC_EVENT_STEAL_SPARK,    HECTIC_EVENT_CREATE_SPARK};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (reading_has_type(reading, events[i])) return true;
    return false;
}

static void note_source(struct sparks_maker *sparks, bool by_events)
{
    sparks->sums->by_events |= by_events;
    sparks->sums->by_counters |= !by_events;
}

static bool begin(const struct reading *reading)
{
    struct sparks_maker *sparks = reading->user;
    struct spark_part *part = sparks->part = reading->kept;
    part->by_events = has_event_of_each(reading);
    if (sparks->sums) note_source(sparks, part->by_events);
    part->analysis = hectic_sparks_new(reading->interval.from, reading->interval.to,
                                       sparks->each ? take : NULL, sparks);
    return part->analysis;
}

READER_EVENTS(hectic_sparks)

static bool end_slice(const struct reading *reading, uint64_t from, uint64_t to)
{
    struct sparks_maker *sparks = reading->user;
    sparks->part = reading->kept;
    sparks->part->slice = from;
    return put_caps(sparks, to);
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct sparks_maker *sparks = reading->user;
    sparks->part = reading->kept;
    hectic_sparks_end(sparks->part->analysis, now);
    const bool has_rows = sparks->rows && !sparks->every;
    if (has_rows && !put_caps(sparks, now)) return false;
    const bool done = !sparks->sums || add_section(sparks, now);
    clear_before(sparks);
    hectic_sparks_free(sparks->part->analysis);
    sparks->part->analysis = NULL;
    return done;
}

static void finish(const struct reading *reading)
{
    struct spark_part *part = reading->kept;
    hectic_sparks_free(part->analysis);
    free(part->before);
}

static const struct reader reader = {.size = sizeof(struct spark_part),
                                     .begin = begin,
                                     .events = events,
                                     .end = end,
                                     .finish = finish};

bool sparks_rows(struct reading *reading, const struct row_taker *rows,
                 const struct sparks_options *options, struct sparks_sums *sums)
{
    const uint64_t every = options->every;
    struct reader slices = reader;
    struct sparks_maker maker = {.reading = reading,
                                 .rows = options->each ? NULL : rows,
                                 .each = options->each ? rows : NULL,
                                 .every = every,
                                 .sums = sums,
                                 .duration = reading->duration};
    slices.end_slice = every ? end_slice : NULL;
    slices.every = every;
    *sums = (struct sparks_sums){0};
    if (reading->sections == 0) note_source(&maker, has_event_of_each(reading));
    sums->too_many = every && maker.duration / every > SPARKS_ROWS_MAX;
    return !sums->too_many && reading_all(reading, &slices, &maker);
}

static const struct reader *begin_maker(void *user, struct reading *reading,
                                        const struct row_taker *const *rows)
{
    *(struct sparks_maker *)user = (struct sparks_maker){.reading = reading,
                                                         .rows = rows[SPARKS_BY_CAP],
                                                         .each = rows[SPARKS_EACH],
                                                         .duration = reading->duration};
    return &reader;
}

const struct row_maker spark_maker = {.size = sizeof(struct sparks_maker), .begin = begin_maker};
