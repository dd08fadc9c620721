/* stat_rows.c — the statistics of each section and process, of their caps and generations; and
 * gc_caps and sizes, from the same analysis. */
#include "report/stat_report.h"
#include "results/rows.h"

#include <stdlib.h>

struct stat_maker {
    const struct row_taker *const *rows; /* of each table, or NULL */
    bool is_whole; /* the interval has no limits: then INIT and EXIT are known */
};

/* What is kept for a process. */
struct kept {
    hectic_stat *stat;
    hectic_stat_interval *interval; /* NULL: the whole run */
    struct cap_rows caps;
};

/* The section has no end marker. */
static void cut(const struct reading *reading, hectic_stat *stat, uint64_t time)
{
    hectic_stat_cut(stat, time);
    hectic_stat_set_blocks(stat, hectic_log_survey(reading->log)->caps);
}

/* What the process has, perhaps later. */
static void expect(const struct reading *reading, hectic_stat *stat)
{
    for (uint32_t type = 0; type < 65536; type++)
        if (reading_has_type(reading, (uint16_t)type)) hectic_stat_expect(stat, (uint16_t)type);
}

hectic_stat *stat_of_process(const struct reading *reading, bool is_whole)
{
    const hectic_process *process = &reading->part->process;
    hectic_stat *stat = hectic_stat_new();
    if (!stat || !hectic_stat_set_ordered(stat)) {
        hectic_stat_free(stat);
        return NULL;
    }
    if (process->has_start) hectic_stat_set_start(stat, process->start);
    if (is_whole) return stat;
    if (!reading_section(reading)->complete) cut(reading, stat, 0);
    expect(reading, stat);
    return stat;
}

void stat_end_process(const struct reading *reading, hectic_stat *stat)
{
    const hectic_section *section = reading_section(reading);
    const uint64_t last = reading->part->last;
    const bool is_alone = reading->sections == 0 || reading->parts[reading->section - 1].count == 1;
    if (!section->complete) {
        cut(reading, stat, section->covered_to < last ? section->covered_to : last);
        expect(reading, stat);
    } else if (is_alone || reading->part->process.has_ended) {
        hectic_stat_end(stat);
    }
}

static bool has_stat(const struct row_taker *const *rows)
{
    return rows[STAT_OF_RUN] || rows[STAT_OF_CAPS] || rows[STAT_OF_GENERATIONS];
}

static bool begin(const struct reading *reading)
{
    const struct stat_maker *maker = reading->user;
    struct kept *kept = reading->kept;
    kept->stat = stat_of_process(reading, maker->is_whole);
    if (!kept->stat) return false;
    cap_rows_begin(&kept->caps, reading, kept->stat, maker->rows[STAT_OF_GC_CAPS],
                   maker->rows[STAT_OF_SIZES]);
    return true;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct kept *kept = reading->kept;
    const bool has_caps = kept->caps.states || kept->caps.sizes;
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = has_caps ? cap_rows_event(&kept->caps, &event[i])
                        : hectic_stat_event(kept->stat, &event[i]);
    return done;
}

static void finish(const struct reading *reading)
{
    struct kept *kept = reading->kept;
    if (kept->interval) hectic_stat_close(kept->stat, kept->interval);
    hectic_stat_free(kept->stat);
    free(kept->caps.stopped);
    *kept = (struct kept){0};
}

static bool put_run(const struct row_taker *rows, const struct report *report)
{
    union stat_row row;
    report_stat_cells(report, &row);
    return rows->take(rows->user, row.cells);
}

static bool put_each(const struct row_taker *rows, const struct reading *reading,
                     const struct report *report, uint32_t count,
                     void (*fill)(const struct report *report, uint64_t i, struct cell *cells))
{
    struct cell cell[READING_CELLS + RECORD_CELLS_MAX];
    bool done = true;
    reading_cells(reading, cell);
    for (uint32_t i = 0; i < count && done; i++) {
        fill(report, i, cell + READING_CELLS);
        done = rows->take(rows->user, cell);
    }
    return done;
}

static bool put(const struct stat_maker *maker, const struct reading *reading,
                const struct report *report)
{
    const struct row_taker *const *rows = maker->rows;
    const hectic_stat_result *r = report->result;
    return (!rows[STAT_OF_RUN] || put_run(rows[STAT_OF_RUN], report)) &&
           (!rows[STAT_OF_CAPS] ||
            put_each(rows[STAT_OF_CAPS], reading, report, r->caps, report_cap_cells)) &&
           (!rows[STAT_OF_GENERATIONS] ||
            put_each(rows[STAT_OF_GENERATIONS], reading, report,
                     r->has_gc_stats ? r->generations : 0, report_generation_cells));
}

static bool put_result(const struct reading *reading, uint64_t to)
{
    const struct stat_maker *maker = reading->user;
    const struct kept *kept = reading->kept;
    const hectic_process *process = &reading->part->process;
    hectic_stat_result result;
    if (!hectic_stat_get(kept->stat, kept->interval, to, &result)) return false;
    const struct report report = {.result = &result,
                                  .process = reading->several ? process : NULL,
                                  .section = reading->section,
                                  .is_whole = maker->is_whole};
    const bool done = put(maker, reading, &report);
    hectic_stat_result_clear(&result);
    return done;
}

static bool begin_interval(const struct reading *reading, uint64_t from)
{
    struct kept *kept = reading->kept;
    kept->interval = hectic_stat_open(kept->stat, from);
    return kept->interval;
}

static bool end_interval(const struct reading *reading, uint64_t from, uint64_t to)
{
    (void)from;
    return put_result(reading, to);
}

static bool end(const struct reading *reading, uint64_t now)
{
    const struct stat_maker *maker = reading->user;
    struct kept *kept = reading->kept;
    bool done = cap_rows_end(&kept->caps, now);
    if (done && maker->is_whole && has_stat(maker->rows)) {
        stat_end_process(reading, kept->stat);
        done = put_result(reading, HECTIC_STAT_END);
    }
    finish(reading);
    return done;
}

static const struct reader *begin_maker(void *user, struct reading *reading,
                                        const struct row_taker *const *rows)
{
    static const struct reader whole = {.size = sizeof(struct kept),
                                        .begin = begin,
                                        .events = events,
                                        .end = end,
                                        .finish = finish};
    static const struct reader part = {.size = sizeof(struct kept),
                                       .begin = begin,
                                       .events = events,
                                       .end = end,
                                       .finish = finish,
                                       .begin_slice = begin_interval,
                                       .end_slice = end_interval};
    const struct interval *interval = &reading->interval;
    const bool is_whole = !has_stat(rows) || (interval->from == 0 && interval->to == UINT64_MAX);
    *(struct stat_maker *)user = (struct stat_maker){rows, is_whole};
    return is_whole ? &whole : &part;
}

/* The states and sizes of caps do not depend on the interval. */
const struct row_maker stat_maker = {.size = sizeof(struct stat_maker),
                                     .begin = begin_maker,
                                     .apart = 1 << STAT_OF_GC_CAPS | 1 << STAT_OF_SIZES};
