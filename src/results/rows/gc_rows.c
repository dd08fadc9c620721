/* gc_rows.c — the rows of gc: collections. */
#include "report/gc_report.h"
#include "results/rows.h"

struct gc_maker {
    struct reading *reading;
    const struct row_taker *rows;
    const struct row_taker *windows; /* for the rows of utilization; NULL: none */
};

/* What is kept for a process. */
struct kept {
    hectic_collections *analysis; /* the first member: see READER_EVENTS */
    struct utilization utilization;
};

static bool take(void *user, const hectic_collection *taken)
{
    const struct gc_maker *gc = user;
    struct kept *kept = gc->reading->kept;
    struct cell cell[GC_COLUMNS];
    hectic_collection collection = *taken;
    if (reading_section(gc->reading)->lacks_caps) gc_forget_others(&collection);
    reading_cells(gc->reading, cell);
    gc_put_cells(cell, &collection);
    if (gc->windows && !utilization_add(&kept->utilization, taken)) return false;
    return gc->rows->take(gc->rows->user, cell);
}

static bool begin(const struct reading *reading)
{
    const struct interval *interval = &reading->interval;
    struct kept *kept = reading->kept;
    if (!kept->analysis)
        kept->analysis = hectic_collections_new(interval->from, interval->to, take, reading->user);
    return kept->analysis;
}

READER_EVENTS(hectic_collections)

static bool end(const struct reading *reading, uint64_t now)
{
    const struct gc_maker *gc = reading->user;
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

bool gc_rows(struct reading *reading, const struct row_taker *rows, const struct row_taker *windows)
{
    return reading_all(reading, &reader, &(struct gc_maker){reading, rows, windows});
}

static void begin_live(void *user, struct reading *reading, const struct row_taker *rows)
{
    *(struct gc_maker *)user = (struct gc_maker){.reading = reading, .rows = rows};
}

const struct live_rows gc_live = {&reader, sizeof(struct gc_maker), begin_live, false};
