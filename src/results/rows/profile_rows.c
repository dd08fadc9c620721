/* profile_rows.c — the rows of profiles: ticky, prof, heap_bands. */
#include "report/heap_json.h"
#include "report/prof_report.h"
#include "report/ticky_report.h"
#include "results/rows.h"

#include <stdlib.h>

static uint64_t part_duration(const struct reading *reading)
{
    const uint64_t covered = reading_section(reading)->covered_to;
    const struct reading_part *part = reading->part;
    return interval_overlap(&reading->interval, part->first,
                            part->last < covered ? part->last : covered);
}

/* --- Ticky-ticky counters -------------------------------------------------------------------- */

struct ticky_maker {
    const struct row_taker *rows;
    size_t section;
    struct ticky_whole whole;
};

static bool begin_ticky(const struct reading *reading)
{
    const struct interval *interval = &reading->interval;
    hectic_ticky **profile = reading->kept;
    *profile = hectic_ticky_new(interval->from, interval->to, 0);
    return *profile;
}

READER_EVENTS(hectic_ticky)
READER_FINISH(hectic_ticky)

static bool take_counter(void *user, const hectic_ticky_counter *counter)
{
    const struct ticky_maker *maker = user;
    struct cell cell[TICKY_COLUMNS];
    ticky_put_cells(cell, maker->section, counter, &maker->whole);
    return maker->rows->take(maker->rows->user, cell);
}

static bool end_ticky(const struct reading *reading, uint64_t now)
{
    const hectic_ticky *ticky = *(hectic_ticky **)reading->kept;
    const hectic_ticky_totals totals = hectic_ticky_get_totals(ticky);
    struct ticky_maker maker = {reading->user,
                                reading->section,
                                {.ns = part_duration(reading),
                                 .ticked = totals.allocs,
                                 .has_allocated = totals.has_allocated,
                                 .allocated = totals.allocated}};
    (void)now;
    const bool done = hectic_ticky_each(ticky, take_counter, &maker);
    finish(reading);
    return done;
}

static const struct reader ticky_reader = {
    .begin = begin_ticky, .events = events, .end = end_ticky, .finish = finish};
const struct row_maker ticky_maker = {.reader = &ticky_reader};

/* --- Time profiles --------------------------------------------------------------------------- */

static bool begin_prof(const struct reading *reading)
{
    const hectic_time_profile_options options = {.from = reading->interval.from,
                                                 .to = reading->interval.to};
    hectic_time_profile **profile = reading->kept;
    *profile = hectic_time_profile_new(&options);
    return *profile;
}

READER_EVENTS_AS(prof_events, hectic_time_profile)
READER_FINISH_AS(finish_prof, hectic_time_profile)

static bool end_prof(const struct reading *reading, uint64_t now)
{
    const struct row_taker *rows = reading->user;
    hectic_time_profile *profile = *(hectic_time_profile **)reading->kept;
    struct prof_report report = {.section = reading->section};
    bool is_lost = false;
    (void)now;
    const bool done =
        prof_report_source(profile, &report.source) && prof_report_set(&report, profile) &&
        prof_report_add(&report) &&
        (report.totals.samples == 0 || prof_report_rows(&report, rows->take, rows->user, &is_lost));
    prof_report_clear(&report);
    finish_prof(reading);
    return done;
}

static const struct reader prof_reader = {
    .begin = begin_prof, .events = prof_events, .end = end_prof, .finish = finish_prof};
const struct row_maker prof_maker = {.reader = &prof_reader};

/* --- Heap profiles --------------------------------------------------------------------------- */

struct heap_maker {
    const struct row_taker *rows;
    size_t section;
    struct heap_report report; /* of the profile */
};

static bool begin_heap(const struct reading *reading)
{
    const hectic_heap_profile_options options = {.from = reading->interval.from,
                                                 .to = reading->interval.to};
    hectic_heap_profile **profile = reading->kept;
    *profile = hectic_heap_profile_new(&options);
    return *profile;
}

READER_EVENTS_AS(heap_events, hectic_heap_profile)
READER_FINISH_AS(finish_heap, hectic_heap_profile)

/* Whether a band matters depends on the growth of all. */
static bool add_growth(void *user, const hectic_heap_band_stats *stats)
{
    struct heap_report *report = user;
    const hectic_heap_line line = hectic_heap_line_of(&report->totals, stats->course);
    if (line.growth > 0) report->growing += line.growth;
    return true;
}

static bool take_band(void *user, const hectic_heap_band_stats *stats)
{
    const struct heap_maker *maker = user;
    const hectic_heap_line line = hectic_heap_line_of(&maker->report.totals, stats->course);
    char *label = heap_report_label(&maker->report, stats->node);
    union heap_bands_row row;
    if (!label) return false;
    heap_report_cells(&maker->report, maker->section, stats, &line, label, &row);
    const bool done = maker->rows->take(maker->rows->user, row.cells);
    free(label);
    return done;
}

static bool end_heap(const struct reading *reading, uint64_t now)
{
    const hectic_heap_profile *profile = *(hectic_heap_profile **)reading->kept;
    struct heap_maker maker = {.rows = reading->user, .section = reading->section};
    bool done = true;
    (void)now;
    for (uint32_t i = 0; i < hectic_heap_profile_count(profile) && done; i++) {
        maker.report = (struct heap_report){.number = i,
                                            .symbols = hectic_heap_profile_symbols(profile),
                                            .stacks = hectic_heap_profile_stacks(profile)};
        hectic_heap_profile_totals(profile, i, &maker.report.totals);
        done = hectic_heap_profile_each(profile, i, add_growth, &maker.report) &&
               hectic_heap_profile_each(profile, i, take_band, &maker);
    }
    finish_heap(reading);
    return done;
}

static const struct reader heap_reader = {
    .begin = begin_heap, .events = heap_events, .end = end_heap, .finish = finish_heap};
const struct row_maker heap_band_maker = {.reader = &heap_reader};
