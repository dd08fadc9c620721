/* gc.c — the requests gc and mmu: the collections of an interval, and how long they stopped the
 * program. */
#include "view/requests/rare.h"

#include "base/array.h"
#include "report/distribution.h"
#include "report/gc_report.h"

#include "numbers/mmu.h"

#include <stdlib.h>
#include <string.h>

/* --- The list -------------------------------------------------------------------------------- */

struct numbered {
    hectic_collection collection;
    uint64_t number; /* in order of their ends */
};

struct gc {
    hectic_collections *analysis;
    uint64_t to, last;
    size_t section;
    bool lacks_caps;
    struct numbered *row; /* with the longest pauses */
    size_t rows, most;
    uint64_t count; /* of all */
    hectic_histogram pauses;
    bool has_failed;
};

static int by_pause(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->collection.pause != y->collection.pause)
        return x->collection.pause > y->collection.pause ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void drop_short(struct gc *gc)
{
    if (gc->rows <= gc->most) return;
    qsort(gc->row, gc->rows, sizeof *gc->row, by_pause);
    gc->rows = gc->most;
}

static bool add(void *user, const hectic_collection *taken)
{
    struct gc *gc = user;
    hectic_collection collection = *taken;
    if (gc->lacks_caps) gc_forget_others(&collection);
    if (gc->rows == 2 * gc->most) drop_short(gc);
    gc->row[gc->rows++] = (struct numbered){collection, gc->count++};
    const bool has_pause = collection.has_ended || collection.pause > 0;
    return !has_pause || hectic_histogram_add(&gc->pauses, collection.pause);
}

static void gc_free(void *state)
{
    struct gc *gc = state;
    hectic_collections_free(gc->analysis);
    hectic_histogram_clear(&gc->pauses);
    free(gc->row);
    free(gc);
}

static void *gc_begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct gc *gc = calloc(1, sizeof *gc);
    if (!gc) return view_fail(v, "out of memory"), NULL;
    gc->to = plan->to;
    gc->last = section->timeline->stat->last;
    gc->section = section->number;
    gc->lacks_caps = stat_lacks_caps(section->timeline->stat);
    gc->most = (size_t)view_value(v, "most");
    gc->row = malloc(2 * gc->most * sizeof *gc->row);
    gc->analysis = hectic_collections_new(plan->from, plan->to, add, gc);
    plan->from = 0;
    if (gc->row && gc->analysis) return gc;
    gc_free(gc);
    return view_fail(v, "out of memory"), NULL;
}

static bool gc_take(void *state, const hectic_event *event)
{
    struct gc *gc = state;
    gc->has_failed = !hectic_collections_event(gc->analysis, event);
    return !gc->has_failed;
}

static bool gc_put(void *state, hectic_view *v, struct json *json)
{
    struct gc *gc = state;
    const uint64_t now = gc->last < gc->to ? gc->last : gc->to;
    if (gc->has_failed || !hectic_collections_end(gc->analysis, now))
        return view_fail(v, "out of memory");
    drop_short(gc);
    if (gc->rows > 0) qsort(gc->row, gc->rows, sizeof *gc->row, by_number);
    json_open(json, "collections", '[');
    for (size_t i = 0; i < gc->rows; i++) {
        struct cell cell[GC_COLUMNS];
        view_section_cells(gc->section, cell);
        gc_put_cells(cell, &gc->row[i].collection);
        cells_put(json, gc_columns, cell, false);
    }
    json_close(json, ']');
    json_number(json, "left_out", true, gc->count - gc->rows);
    distribution_put(json, "pauses", &gc->pauses);
    return true;
}

bool answer_gc(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {gc_begin, gc_take, NULL, gc_put, gc_free};
    return answer_rare_job(v, json, &kind);
}

/* --- Minimum mutator utilisation ------------------------------------------------------------- */

struct mmu {
    hectic_collections *analysis;
    uint64_t from, to, last;
    hectic_pause *pause;
    size_t pauses, capacity;
    bool has_failed;
};

static bool add_pause(void *user, const hectic_collection *collection)
{
    struct mmu *mmu = user;
    const uint64_t end = collection->start + collection->pause;
    if (collection->pause == 0 || end <= mmu->from) return true;
    if (!array_reserve(mmu->pause, mmu->capacity, mmu->pauses + 1)) return false;
    mmu->pause[mmu->pauses++] = (hectic_pause){collection->start, end};
    return true;
}

static void mmu_free(void *state)
{
    struct mmu *mmu = state;
    hectic_collections_free(mmu->analysis);
    free(mmu->pause);
    free(mmu);
}

static void *mmu_begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct mmu *mmu = calloc(1, sizeof *mmu);
    if (!mmu) return view_fail(v, "out of memory"), NULL;
    mmu->last = section->timeline->stat->last;
    mmu->from = plan->from;
    mmu->to = plan->to;
    /* A pause may begin before the interval. */
    mmu->analysis = hectic_collections_new(0, plan->to, add_pause, mmu);
    plan->from = 0;
    if (mmu->analysis) return mmu;
    mmu_free(mmu);
    return view_fail(v, "out of memory"), NULL;
}

static bool mmu_take(void *state, const hectic_event *event)
{
    struct mmu *mmu = state;
    mmu->has_failed = !hectic_collections_event(mmu->analysis, event);
    return !mmu->has_failed;
}

static bool mmu_put(void *state, hectic_view *v, struct json *json)
{
    struct mmu *mmu = state;
    uint64_t window[HECTIC_MMU_WINDOWS];
    const uint64_t to = mmu->last < mmu->to ? mmu->last : mmu->to;
    const uint64_t from = mmu->from < to ? mmu->from : to;
    if (mmu->has_failed || !hectic_collections_end(mmu->analysis, to))
        return view_fail(v, "out of memory");
    const size_t pauses = hectic_mmu_prepare(mmu->pause, mmu->pauses, from, to);
    const size_t windows = hectic_mmu_windows(to - from, window);
    json_open(json, "window_ns", '[');
    for (size_t i = 0; i < windows; i++)
        json_number(json, NULL, true, window[i]);
    json_close(json, ']');
    json_open(json, "mutator_share", '[');
    for (size_t i = 0; i < windows; i++) {
        const uint64_t stopped = hectic_mmu_stopped(mmu->pause, pauses, from, to, window[i]);
        json_rounded(json, NULL, true, 1 - (double)stopped / (double)window[i]);
    }
    json_close(json, ']');
    return true;
}

bool answer_mmu(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {mmu_begin, mmu_take, NULL, mmu_put, mmu_free};
    return answer_rare_job(v, json, &kind);
}
