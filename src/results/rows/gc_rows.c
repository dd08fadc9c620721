/* gc_rows.c — the rows of gc: collections. */
#include "report/gc_report.h"
#include "results/rows.h"

struct gc_maker {
    struct reading *reading;
    const struct row_taker *rows;
};

static bool take(void *user, const hectic_collection *taken)
{
    const struct gc_maker *gc = user;
    struct cell cell[GC_COLUMNS];
    hectic_collection collection = *taken;
    if (reading_section(gc->reading)->lacks_caps) gc_forget_others(&collection);
    reading_cells(gc->reading, cell);
    gc_put_cells(cell, &collection);
    return gc->rows->take(gc->rows->user, cell);
}

static bool begin(const struct reading *reading)
{
    const struct interval *interval = &reading->interval;
    hectic_collections **analysis = reading->kept;
    if (!*analysis)
        *analysis = hectic_collections_new(interval->from, interval->to, take, reading->user);
    return *analysis;
}

READER_EVENTS(hectic_collections)

static bool end(const struct reading *reading, uint64_t now)
{
    return hectic_collections_end(*(hectic_collections **)reading->kept, now);
}

READER_FINISH(hectic_collections)

static const struct reader reader = {
    .begin = begin, .events = events, .end = end, .finish = finish};

bool gc_rows(struct reading *reading, const struct row_taker *rows)
{
    return reading_all(reading, &reader, &(struct gc_maker){reading, rows});
}

static void begin_live(void *user, struct reading *reading, const struct row_taker *rows)
{
    *(struct gc_maker *)user = (struct gc_maker){reading, rows};
}

const struct live_rows gc_live = {&reader, sizeof(struct gc_maker), begin_live, false};
