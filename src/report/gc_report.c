/* gc_report.c — see gc_report.h. */
#include "report/gc_report.h"

#include <string.h>

void gc_forget_others(hectic_collection *c)
{
    c->participants = 0;
    c->has_mean_pause = false;
    if (c->has_stats) return;
    c->has_cap = c->has_safepoint = false;
    c->reason = HECTIC_GC_UNKNOWN;
}

void gc_put_cells(struct cell cell[GC_COLUMNS], const hectic_collection *c)
{
    const union gc_row values = {
        .start_ns = cell_number(c->start),
        .generation = cell_if(c->has_stats, c->generation),
        .parallel = cell_if(c->has_stats, c->threads > 1),
        .cap = cell_if(c->has_cap, c->cap),
        .reason = c->reason == HECTIC_GC_UNKNOWN ? cell_unknown()
                                                 : cell_text(hectic_gc_reason_text(c->reason)),
        .pause_ns = cell_if(c->has_ended || c->pause > 0, c->pause),
        .pause_bar = cell_share((double)c->pause),
        .end_ns = cell_if(c->has_ended || c->pause > 0, c->start + c->pause),
        .mean_pause_ns = cell_if(c->has_mean_pause, c->mean_pause),
        .safepoint_ns = cell_if(c->has_safepoint, c->safepoint),
        .caps = cell_if(c->participants > 0, c->participants),
        .threads = cell_if(c->has_stats, c->threads),
        .copied_bytes = cell_if(c->has_stats, c->copied),
        .live_bytes = cell_if(c->has_live, c->live),
        .slop_bytes = cell_if(c->has_stats, c->slop),
        .fragmentation_bytes = cell_if(c->has_stats, c->fragmentation),
        .heap_before_bytes = cell_if(c->has_before, c->before),
        .heap_after_bytes = cell_if(c->has_after, c->after),
        .work_balance = c->has_balance ? cell_share(c->balance) : cell_unknown(),
    };
    cells_after_reading(cell, values.cells, CELLS_OF(gc));
}
