/* gc_report.c — see gc_report.h. */
#include "report/gc_report.h"

#include <string.h>

const struct table_column gc_columns[] = {
    READING_COLUMNS,
    {"start_ns", "Start", CELL_TIME, 0},
    {"generation", "Gen", CELL_ID, RANK(1)},
    {"parallel", "Par", CELL_FLAG, RANK(5)},
    {"cap", "Cap", CELL_ID, RANK(3)},
    {"reason", "Reason", CELL_TEXT, RANK(1)},
    {"pause_ns", "Pause", CELL_NS, 0},
    {"pause_bar", "", CELL_BAR, RELATIVE | RANK(2)},
    {"end_ns", "End", CELL_TIME, RANK(7)},
    {"mean_pause_ns", "Mean pause", CELL_NS, OPTIONAL | RANK(5)},
    {"safepoint_ns", "Safepoint", CELL_NS, RANK(3)},
    {"caps", "Caps", CELL_COUNT, RANK(4)},
    {"threads", "Threads", CELL_COUNT, OPTIONAL | RANK(6)},
    {"copied_bytes", "Copied", CELL_BYTES, RANK(2)},
    {"live_bytes", "Live", CELL_BYTES, OPTIONAL | RANK(1)},
    {"slop_bytes", "Slop", CELL_BYTES, RANK(7)},
    {"fragmentation_bytes", "Frag.", CELL_BYTES, OPTIONAL | RANK(7)},
    {"heap_before_bytes", "Heap before", CELL_BYTES, RANK(5)},
    {"heap_after_bytes", "Heap after", CELL_BYTES, RANK(2)},
    {"work_balance", "Balance", CELL_SHARE, OPTIONAL | RANK(6)},
    {0},
};
_Static_assert(sizeof gc_columns / sizeof *gc_columns == GC_COLUMNS + 1,
               "GC_COLUMNS is their number");

void gc_put_cells(struct cell cell[GC_COLUMNS], const hectic_collection *c)
{
    const struct cell values[] = {
        cell_number(c->start),
        cell_if(c->has_stats, c->generation),
        cell_if(c->has_stats, c->threads > 1),
        cell_if(c->has_cap, c->cap),
        c->reason == HECTIC_GC_UNKNOWN ? cell_unknown()
                                       : cell_text(hectic_gc_reason_text(c->reason)),
        cell_if(c->has_ended || c->pause > 0, c->pause),
        cell_share((double)c->pause),
        cell_if(c->has_ended || c->pause > 0, c->start + c->pause),
        cell_if(c->has_mean_pause, c->mean_pause),
        cell_if(c->has_safepoint, c->safepoint),
        cell_number(c->participants),
        cell_if(c->has_stats, c->threads),
        cell_if(c->has_stats, c->copied),
        cell_if(c->has_live, c->live),
        cell_if(c->has_stats, c->slop),
        cell_if(c->has_stats, c->fragmentation),
        cell_if(c->has_before, c->before),
        cell_if(c->has_after, c->after),
        c->has_balance ? cell_share(c->balance) : cell_unknown(),
    };
    _Static_assert(sizeof values / sizeof *values == GC_COLUMNS - READING_CELLS, "a cell for each");
    memcpy(cell + READING_CELLS, values, sizeof values);
}
