/* gc_rows.c — the rows of gc: collections; and of utilization. */
#include "report/gc_report.h"
#include "results/rows.h"

struct maker {
    struct reading *reading;
    const struct row_taker *rows, *windows; /* of gc, of utilization; NULL: not wanted */
};

/* What is kept for a process. */
struct kept {
    hectic_collections *analysis; /* the first member: see READER_EVENTS */
    struct utilization utilization;
};

static bool put(const struct maker *gc, const hectic_collection *taken)
{
    struct cell cell[GC_COLUMNS];
    hectic_collection collection = *taken;
    if (reading_lacks_caps(gc->reading)) gc_forget_others(&collection);
    reading_cells(gc->reading, cell);
    gc_put_cells(cell, &collection);
    return gc->rows->take(gc->rows->user, cell);
}

static bool take(void *user, const hectic_collection *collection)
{
    const struct maker *gc = user;
    struct kept *kept = gc->reading->kept;
    return (!gc->windows || utilization_add(&kept->utilization, collection)) &&
           (!gc->rows || put(gc, collection));
}

static bool begin(const struct reading *reading)
{
    const struct maker *gc = reading->user;
    const struct interval *interval = &reading->interval;
    struct kept *kept = reading->kept;
    /* For utilization, since a pause may begin before the interval. */
    const uint64_t from = gc->rows ? interval->from : 0;
    if (!kept->analysis)
        kept->analysis = hectic_collections_new(from, interval->to, take, reading->user);
    return kept->analysis;
}

READER_EVENTS(hectic_collections)

static bool end(const struct reading *reading, uint64_t now)
{
    const struct maker *gc = reading->user;
    struct kept *kept = reading->kept;
    return hectic_collections_end(kept->analysis, now) &&
           (!gc->windows || utilization_end(&kept->utilization, reading, gc->windows, now));
}

static void finish(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    hectic_collections_free(kept->analysis);
    utilization_clear(&kept->utilization);
    *kept = (struct kept){0};
}

static const struct reader reader = {
    .size = sizeof(struct kept), .begin = begin, .events = events, .end = end, .finish = finish};

bool gc_rows(struct reading *reading, const struct row_taker *rows)
{
    return reading_all(reading, &reader, &(struct maker){reading, rows, NULL});
}

static const struct reader *begin_maker(void *user, struct reading *reading,
                                        const struct row_taker *const *rows)
{
    *(struct maker *)user = (struct maker){reading, rows[GC_ITSELF], rows[GC_WINDOWS]};
    return &reader;
}

const struct row_maker gc_maker = {.reader = &reader,
                                   .size = sizeof(struct maker),
                                   .begin = begin_maker,
                                   .apart = 1 << GC_WINDOWS};
