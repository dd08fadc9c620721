/* utilization_rows.c — the rows of utilization: the minimum mutator utilization of windows of some
 * lengths (numbers/mmu.h). */
#include "base/array.h"
#include "facts/collections.h"
#include "numbers/mmu.h"
#include "results/rows.h"

#include <stdlib.h>

static const struct {
    const char *name;
    uint64_t length; /* ns */
} windows[] = {{"1ms", 1000000}, {"10ms", 10000000}, {"100ms", 100000000}, {"1s", 1000000000}};
enum { WINDOWS = sizeof windows / sizeof *windows };

const char *utilization_window(size_t i)
{
    return i < WINDOWS ? windows[i].name : NULL;
}

/* Of a process. */
struct kept {
    hectic_collections *analysis; /* the first member: see READER_EVENTS */
    hectic_pause *pause;
    size_t pauses, capacity;
};

static bool add_pause(void *user, const hectic_collection *collection)
{
    struct kept *kept = user;
    if (!array_reserve(kept->pause, kept->capacity, kept->pauses + 1)) return false;
    kept->pause[kept->pauses++] =
        (hectic_pause){collection->start, collection->start + collection->pause};
    return true;
}

static bool begin(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    kept->pauses = 0;
    /* A pause may begin before the interval. */
    if (!kept->analysis)
        kept->analysis = hectic_collections_new(0, reading->interval.to, add_pause, kept);
    return kept->analysis;
}

READER_EVENTS(hectic_collections)

static bool put_window(const struct reading *reading, size_t window, uint64_t from, uint64_t to,
                       bool is_known)
{
    const struct kept *kept = reading->kept;
    const struct row_taker *rows = reading->user;
    const uint64_t length = windows[window].length;
    union utilization_row row = {.window = cell_text(windows[window].name),
                                 .window_ns = cell_number(length)};
    if (is_known && length <= to - from) {
        const uint64_t stopped = hectic_mmu_stopped(kept->pause, kept->pauses, from, to, length);
        row.of.minimum = cell_share(1 - (double)stopped / (double)length);
    }
    reading_cells(reading, row.cells);
    return rows->take(rows->user, row.cells);
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct kept *kept = reading->kept;
    const struct interval *interval = &reading->interval;
    const uint64_t first = reading->part->first;
    const uint64_t from = interval->from > first ? interval->from : first;
    const uint64_t to = interval->to < now ? interval->to : now;
    if (!hectic_collections_end(kept->analysis, now)) return false;
    const bool is_known = kept->pauses > 0 && from < to && !reading_section(reading)->lacks_caps;
    if (is_known) kept->pauses = hectic_mmu_prepare(kept->pause, kept->pauses, from, to);
    for (size_t i = 0; i < WINDOWS; i++)
        if (!put_window(reading, i, from, to, is_known)) return false;
    return true;
}

static void finish(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    hectic_collections_free(kept->analysis);
    free(kept->pause);
}

static const struct reader reader = {
    .size = sizeof(struct kept), .begin = begin, .events = events, .end = end, .finish = finish};

bool utilization_rows(struct reading *reading, const struct row_taker *rows)
{
    return reading_all(reading, &reader, (void *)rows);
}
