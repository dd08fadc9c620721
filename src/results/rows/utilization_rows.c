/* utilization_rows.c — the rows of utilization: the minimum mutator utilization of windows of some
 * lengths (numbers/mmu.h). */
#include "base/array.h"
#include "facts/collections.h"
#include "numbers/mmu.h"
#include "results/rows.h"

#include <stdlib.h>

bool utilization_add(struct utilization *utilization, const hectic_collection *collection)
{
    if (!array_reserve(utilization->pause, utilization->capacity, utilization->pauses + 1))
        return false;
    utilization->pause[utilization->pauses++] =
        (hectic_pause){collection->start, collection->start + collection->pause};
    return true;
}

static bool put_window(const struct utilization *utilization, const struct reading *reading,
                       const struct row_taker *rows, size_t window, uint64_t from, uint64_t to,
                       bool is_known)
{
    const uint64_t length = hectic_mmu_rows[window].length;
    union utilization_row row = {.window = cell_text(hectic_mmu_rows[window].name),
                                 .window_ns = cell_number(length)};
    if (is_known && length <= to - from) {
        const uint64_t stopped =
            hectic_mmu_stopped(utilization->pause, utilization->pauses, from, to, length);
        row.of.minimum = cell_share(1 - (double)stopped / (double)length);
    }
    reading_cells(reading, row.cells);
    return rows->take(rows->user, row.cells);
}

bool utilization_end(struct utilization *utilization, const struct reading *reading,
                     const struct row_taker *rows, uint64_t now)
{
    const struct interval *interval = &reading->interval;
    const uint64_t first = reading->part->first;
    const uint64_t from = interval->from > first ? interval->from : first;
    const uint64_t to = interval->to < now ? interval->to : now;
    const bool is_known = utilization->pauses > 0 && from < to && !reading_lacks_caps(reading);
    if (is_known)
        utilization->pauses = hectic_mmu_prepare(utilization->pause, utilization->pauses, from, to);
    for (size_t i = 0; i < HECTIC_MMU_ROWS; i++)
        if (!put_window(utilization, reading, rows, i, from, to, is_known)) return false;
    utilization->pauses = 0;
    return true;
}

void utilization_clear(struct utilization *utilization)
{
    free(utilization->pause);
}
