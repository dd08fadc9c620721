/* nonmoving.c — see nonmoving.h. */
#include "tool/verbs/heap/nonmoving.h"

#include "analysis/amount.h"
#include "tool/output/cells.h"
#include "tool/output/json.h"
#include "tool/output/sparkline.h"

#include <hectic/nonmoving.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char heap_nonmoving_note[] =
    "--nonmoving prints the heap of the non-moving collector instead (+RTS --nonmoving-gc -ln): "
    "for "
    "each size of blocks, in the last census, the live bytes, how much of its segments they "
    "occupy, "
    "and what is free in them; its most live bytes in a census; and their course. The runtime "
    "takes "
    "a census after each collection. A segment has 32 KiB. A filled one has no free block, an "
    "active one has; each cap also has a current segment for each size, which the runtime does not "
    "count: their number is that of the caps. Then the collector's phases: with -threaded, the "
    "program runs while it marks and sweeps; it is stopped for the synchronization, which lasts "
    "from the request to stop all caps until they continue (the syncs of +RTS -s), and includes "
    "the "
    "final mark. A phase counts when it ends. CSV has a row for each size of each census; JSON "
    "also "
    "has the phases.";

enum { POINTS = 64 };

/* The course of a block size, or of all: memory does not depend on the number of censuses. A point
 * is the sum of `stride` censuses; if there are too many points, neighbours are joined. */
struct course {
    hectic_nonmoving_class last; /* in the census number `census` */
    uint64_t census;
    bool has_peak;
    uint64_t peak, peak_time; /* the most live bytes, and when */
    uint64_t point[POINTS];   /* bytes */
};

struct nonmoving {
    const struct table_settings *settings;
    struct file_reading reading;
    struct sink *sink;
    struct table *table; /* --csv */
    struct json json;
    /* Of the section: */
    hectic_nonmoving *analysis;
    struct course *course[HECTIC_NONMOVING_SEGMENT]; /* by block size */
    bool has_courses;
    struct course all;
    uint64_t censuses, stride, last_time;
    uint64_t segments, capacity; /* of the last census */
    /* Of the log: */
    bool has_censuses, has_phases;
    uint64_t malformed;
};

static bool is_text(const struct nonmoving *nonmoving)
{
    return !nonmoving->settings->json && !nonmoving->settings->csv;
}

/* --- Courses --------------------------------------------------------------------------------- */

static void join_points(struct course *course)
{
    for (size_t i = 0; i < POINTS / 2; i++)
        course->point[i] = amount_sum(course->point[2 * i], course->point[2 * i + 1]);
    memset(course->point + POINTS / 2, 0, POINTS / 2 * sizeof *course->point);
}

/* Makes room for another census. */
static void join_all(struct nonmoving *nonmoving)
{
    for (size_t i = 0; i < HECTIC_NONMOVING_SEGMENT; i++)
        if (nonmoving->course[i]) join_points(nonmoving->course[i]);
    join_points(&nonmoving->all);
    nonmoving->stride *= 2;
}

static void add_point(const struct nonmoving *nonmoving, struct course *course, uint64_t live,
                      uint64_t time)
{
    amount_add(&course->point[nonmoving->censuses / nonmoving->stride], live);
    course->census = nonmoving->censuses;
    if (course->has_peak && live <= course->peak) return;
    course->has_peak = true;
    course->peak = live;
    course->peak_time = time;
}

static bool add_class(struct nonmoving *nonmoving, const hectic_nonmoving_class *size_class,
                      uint64_t time)
{
    struct course **course = &nonmoving->course[size_class->block_size];
    if (!*course) *course = calloc(1, sizeof **course);
    if (!*course) return false;
    nonmoving->has_courses = true;
    (*course)->last = *size_class;
    add_point(nonmoving, *course, size_class->live, time);
    return true;
}

/* Draws a course in as many columns of a sparkline as there are points, at most. */
static void draw(const struct nonmoving *nonmoving, const struct course *course,
                 char out[SPARKLINE_ROOM])
{
    const uint64_t censuses = nonmoving->censuses, stride = nonmoving->stride;
    const uint64_t points = censuses / stride + (censuses % stride > 0);
    const uint64_t columns = points < SPARKLINE_WIDTH ? points : SPARKLINE_WIDTH;
    uint64_t value[SPARKLINE_WIDTH];
    for (uint64_t i = 0; i < columns; i++) {
        const uint64_t first = i * points / columns, end = (i + 1) * points / columns;
        const uint64_t count = (end == points ? censuses : end * stride) - first * stride;
        double sum = 0;
        for (uint64_t j = first; j < end; j++)
            sum += (double)course->point[j];
        value[i] = (uint64_t)(sum / (double)count);
    }
    sparkline(out, value, (uint32_t)columns);
}

static void clear_courses(struct nonmoving *nonmoving)
{
    for (size_t i = 0; i < HECTIC_NONMOVING_SEGMENT && nonmoving->has_courses; i++) {
        free(nonmoving->course[i]);
        nonmoving->course[i] = NULL;
    }
    nonmoving->has_courses = false;
    nonmoving->all = (struct course){0};
    nonmoving->censuses = 0;
    nonmoving->stride = 1;
}

/* --- Censuses as data ------------------------------------------------------------------------ */

static const struct table_column census_columns[] = {
    {"section", "", CELL_SECTION, 0},
    {"census", "", CELL_ID, 0},
    {"time_ns", "", CELL_TIME, 0},
    {"block_bytes", "", CELL_BYTES, 0},
    {"segments", "", CELL_COUNT, 0},
    {"active_segments", "", CELL_COUNT, 0},
    {"filled_segments", "", CELL_COUNT, 0},
    {"current_segments", "", CELL_COUNT, 0},
    {"live_blocks", "", CELL_COUNT, 0},
    {"live_bytes", "", CELL_BYTES, 0},
    {"capacity_bytes", "", CELL_BYTES, 0},
    {"occupancy_share", "", CELL_SHARE, 0},
    {0},
};

static bool put_csv(const struct nonmoving *nonmoving, const hectic_nonmoving_census *census)
{
    for (uint32_t i = 0; i < census->classes; i++) {
        const hectic_nonmoving_class *c = &census->size_class[i];
        const struct cell cells[] = {
            cell_number(nonmoving->reading.section),
            cell_number(census->index),
            cell_number(census->time),
            cell_number(c->block_size),
            cell_number(c->segments),
            cell_number(c->active_segments),
            cell_number(c->filled_segments),
            cell_number(c->current_segments),
            cell_number(c->live_blocks),
            cell_number(c->live),
            cell_number(c->capacity),
            cell_part(c->live, c->capacity),
        };
        if (!table_row(nonmoving->table, nonmoving->sink, cells)) return false;
    }
    return true;
}

static void put_json(struct json *json, const hectic_nonmoving_census *census)
{
    json_open(json, NULL, '{');
    json_number(json, "census", true, census->index);
    json_number(json, "time_ns", true, census->time);
    json_number(json, "segments", true, census->segments);
    json_number(json, "live_bytes", true, census->live);
    json_number(json, "capacity_bytes", true, census->capacity);
    json_open(json, "sizes", '[');
    for (uint32_t i = 0; i < census->classes; i++) {
        const hectic_nonmoving_class *c = &census->size_class[i];
        json_open(json, NULL, '{');
        json_number(json, "block_bytes", true, c->block_size);
        json_number(json, "active_segments", true, c->active_segments);
        json_number(json, "filled_segments", true, c->filled_segments);
        json_number(json, "current_segments", true, c->current_segments);
        json_number(json, "live_blocks", true, c->live_blocks);
        json_number(json, "live_bytes", true, c->live);
        json_number(json, "capacity_bytes", true, c->capacity);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static bool take_census(void *user, const hectic_nonmoving_census *census)
{
    struct nonmoving *nonmoving = user;
    if (nonmoving->settings->csv) return put_csv(nonmoving, census);
    if (nonmoving->settings->json) return put_json(&nonmoving->json, census), true;
    if (nonmoving->censuses / nonmoving->stride == POINTS) join_all(nonmoving);
    for (uint32_t i = 0; i < census->classes; i++)
        if (!add_class(nonmoving, &census->size_class[i], census->time)) return false;
    add_point(nonmoving, &nonmoving->all, census->live, census->time);
    nonmoving->all.last.live = census->live;
    nonmoving->segments = census->segments;
    nonmoving->capacity = census->capacity;
    nonmoving->last_time = census->time;
    nonmoving->censuses++;
    return true;
}

/* --- Text ------------------------------------------------------------------------------------ */

static const struct table_column size_columns[] = {
    {"block", "Block", CELL_BYTES, 0},
    {"live", "Live", CELL_BYTES, 0},
    {"occupancy", "Occupied", CELL_SHARE, 0},
    {"free", "Free", CELL_BYTES, RANK(1)},
    {"segments", "Segments", CELL_COUNT, RANK(1)},
    {"active", "Active", CELL_COUNT, RANK(2)},
    {"filled", "Filled", CELL_COUNT, RANK(2)},
    {"current", "Current", CELL_COUNT, RANK(6)},
    {"blocks", "Live blocks", CELL_COUNT, RANK(5)},
    {"peak", "Peak", CELL_BYTES, RANK(1)},
    {"at", "At", CELL_TIME, RANK(4)},
    {"course", "Live over time", CELL_TEXT, 0},
    {0},
};

/* Of the size in the last census: not counted again if it is missing there. */
static void size_cells(const struct nonmoving *nonmoving, const struct course *course,
                       struct cell *cells)
{
    static const hectic_nonmoving_class none;
    const bool is_last = course->census + 1 == nonmoving->censuses;
    const hectic_nonmoving_class *c = is_last ? &course->last : &none;
    const struct cell values[] = {
        cell_number(course->last.block_size),
        cell_number(c->live),
        cell_part(c->live, c->capacity),
        cell_number(c->capacity > c->live ? c->capacity - c->live : 0),
        cell_number(c->segments),
        cell_number(c->active_segments),
        cell_number(c->filled_segments),
        cell_number(c->current_segments),
        cell_number(c->live_blocks),
        cell_number(course->peak),
        cell_number(course->peak_time),
    };
    memcpy(cells, values, sizeof values);
}

static bool put_sizes(struct nonmoving *nonmoving)
{
    const struct table_settings as_text = {.wide = nonmoving->settings->wide};
    enum { COLUMNS = sizeof size_columns / sizeof *size_columns - 1 };
    uint64_t unused = 0, unused_segments = 0;
    char course[SPARKLINE_ROOM];
    int code;
    struct table *table = table_new(NULL, size_columns, &as_text, &code);
    bool good = table;
    for (size_t i = 0; i < HECTIC_NONMOVING_SEGMENT && good; i++) {
        struct cell cells[COLUMNS];
        const struct course *of = nonmoving->course[i];
        if (!of) continue;
        if (of->peak == 0 && of->last.active_segments == 0 && of->last.filled_segments == 0) {
            unused++;
            unused_segments += of->last.current_segments;
            continue;
        }
        size_cells(nonmoving, of, cells);
        draw(nonmoving, of, course);
        cells[COLUMNS - 1] = cell_text(course);
        good = table_row(table, nonmoving->sink, cells);
    }
    if (good) {
        draw(nonmoving, &nonmoving->all, course);
        const struct cell cells[COLUMNS] = {
            [1] = cell_number(nonmoving->all.last.live),
            [2] = cell_part(nonmoving->all.last.live, nonmoving->capacity),
            [3] = cell_number(nonmoving->capacity > nonmoving->all.last.live
                                  ? nonmoving->capacity - nonmoving->all.last.live
                                  : 0),
            [4] = cell_number(nonmoving->segments),
            [9] = cell_number(nonmoving->all.peak),
            [10] = cell_number(nonmoving->all.peak_time),
            [11] = cell_text(course),
        };
        good = table_footer(table, cells) && table_end(table, nonmoving->sink);
    }
    table_free(table);
    if (good && unused > 0)
        sink_print(nonmoving->sink,
                   "%" PRIu64 " more sizes have no live blocks: %" PRIu64 " current segments\n",
                   unused, unused_segments);
    return good;
}

static const struct table_column phase_columns[] = {
    {"phase", "Phase", CELL_TEXT, 0},
    {"count", "Count", CELL_COUNT, 0},
    {"total_ns", "Total", CELL_NS, 0},
    {"share", "Of time", CELL_SHARE, 0},
    {"mean_ns", "Mean", CELL_NS, 0},
    {"max_ns", "Longest", CELL_NS, 0},
    {0},
};

static bool put_phases(struct nonmoving *nonmoving, const hectic_nonmoving_totals *totals)
{
    static const struct table_settings as_text = {0};
    int code;
    struct table *table = table_new(NULL, phase_columns, &as_text, &code);
    bool good = table;
    for (unsigned i = 0; i < HECTIC_NONMOVING_PHASES && good; i++) {
        const uint64_t count = totals->phase[i].count;
        const struct cell cells[] = {
            cell_text(hectic_nonmoving_phase_name(i)),
            cell_number(count),
            cell_number(totals->phase[i].ns),
            cell_part(totals->phase[i].ns, file_reading_duration(&nonmoving->reading)),
            cell_if(count > 0, count ? totals->phase[i].ns / count : 0),
            cell_if(count > 0, totals->phase[i].max),
        };
        good = table_row(table, nonmoving->sink, cells);
    }
    good = good && table_end(table, nonmoving->sink);
    table_free(table);
    return good;
}

static void put_headline(const struct nonmoving *nonmoving)
{
    const struct course *all = &nonmoving->all;
    if (nonmoving->reading.section > 1)
        sink_print(nonmoving->sink, "\nSection %zu\n", nonmoving->reading.section);
    if (nonmoving->censuses == 0) return;
    sink_print(nonmoving->sink, "Non-moving heap: %s censuses; live at most %s, at %s\n",
               printed(CELL_COUNT, nonmoving->censuses).text, printed(CELL_BYTES, all->peak).text,
               printed(CELL_TIME, all->peak_time).text);
    sink_print(nonmoving->sink, "The last, at %s: %s live in %s segments (%s), %s occupied\n\n",
               printed(CELL_TIME, nonmoving->last_time).text,
               printed(CELL_BYTES, all->last.live).text,
               printed(CELL_COUNT, nonmoving->segments).text,
               printed(CELL_BYTES, nonmoving->segments * HECTIC_NONMOVING_SEGMENT).text,
               printed_part(all->last.live, nonmoving->capacity).text);
}

static bool has_phases(const hectic_nonmoving_totals *totals)
{
    for (size_t i = 0; i < HECTIC_NONMOVING_PHASES; i++)
        if (totals->phase[i].count > 0) return true;
    return false;
}

static bool put_text(struct nonmoving *nonmoving, const hectic_nonmoving_totals *totals)
{
    if (!has_phases(totals) && nonmoving->censuses == 0) return true;
    put_headline(nonmoving);
    if (nonmoving->censuses > 0) {
        if (!put_sizes(nonmoving)) return false;
        sink_print(nonmoving->sink, "\n");
    }
    if (!put_phases(nonmoving, totals)) return false;
    sink_print(nonmoving->sink, "%s objects marked, %s update remembered sets flushed",
               printed(CELL_COUNT, totals->marked).text, printed(CELL_COUNT, totals->flushes).text);
    if (totals->has_pruned)
        sink_print(nonmoving->sink, "\n%s free segments returned, %s retained at the end",
                   printed(CELL_COUNT, totals->pruned).text,
                   printed(CELL_COUNT, totals->free).text);
    sink_print(nonmoving->sink, "\n");
    return true;
}

static void put_json_totals(struct nonmoving *nonmoving, const hectic_nonmoving_totals *totals)
{
    struct json *json = &nonmoving->json;
    json_close(json, ']');
    json_number(json, "duration_ns", true, file_reading_duration(&nonmoving->reading));
    json_open(json, "phases", '[');
    for (unsigned i = 0; i < HECTIC_NONMOVING_PHASES; i++) {
        json_open(json, NULL, '{');
        json_text(json, "phase", hectic_nonmoving_phase_name(i));
        json_number(json, "count", true, totals->phase[i].count);
        json_number(json, "total_ns", true, totals->phase[i].ns);
        json_number(json, "max_ns", totals->phase[i].count > 0, totals->phase[i].max);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_number(json, "marked_objects", true, totals->marked);
    json_number(json, "flushes", true, totals->flushes);
    json_number(json, "pruned_segments", totals->has_pruned, totals->pruned);
    json_number(json, "free_segments", totals->has_pruned, totals->free);
    json_number(json, "malformed", true, totals->malformed);
    json_close(json, '}');
}

/* --- Reading --------------------------------------------------------------------------------- */

static bool begin(void *user, const hectic_header *header)
{
    struct nonmoving *nonmoving = user;
    const struct interval *interval = &nonmoving->reading.interval;
    clear_courses(nonmoving);
    nonmoving->analysis =
        hectic_nonmoving_new(interval->from, interval->to, take_census, nonmoving);
    if (!header || !nonmoving->analysis) return false;
    if (!nonmoving->settings->json) return true;
    json_open(&nonmoving->json, NULL, '{');
    json_number(&nonmoving->json, "section", true, nonmoving->reading.section);
    json_open(&nonmoving->json, "censuses", '[');
    return true;
}

static bool event(void *user, const hectic_event *event)
{
    struct nonmoving *nonmoving = user;
    return hectic_nonmoving_event(nonmoving->analysis, event);
}

static bool end(void *user)
{
    struct nonmoving *nonmoving = user;
    if (!hectic_nonmoving_end(nonmoving->analysis)) return false;
    const hectic_nonmoving_totals totals = hectic_nonmoving_get_totals(nonmoving->analysis);
    nonmoving->has_censuses |= totals.censuses > 0;
    nonmoving->has_phases |= has_phases(&totals);
    nonmoving->malformed += totals.malformed;
    if (nonmoving->settings->json) put_json_totals(nonmoving, &totals);
    const bool good = !is_text(nonmoving) || put_text(nonmoving, &totals);
    hectic_nonmoving_free(nonmoving->analysis);
    nonmoving->analysis = NULL;
    return good && !sink_failed(nonmoving->sink);
}

/* --- The report ------------------------------------------------------------------------------ */

/* Returns the exit code. */
static int report(const struct nonmoving *nonmoving, int code)
{
    const char *name = tool_log_name(nonmoving->reading.path);
    if (nonmoving->malformed > 0)
        tool_message("%s: %" PRIu64 " events were malformed, and ignored", name,
                     nonmoving->malformed);
    if (nonmoving->has_censuses || code != TOOL_OK) return code;
    if (nonmoving->has_phases)
        tool_message("%s: the log has no censuses of the non-moving heap (they need +RTS -ln)",
                     name);
    else
        tool_message("%s: the log has no events of the non-moving collector (they need +RTS "
                     "--nonmoving-gc -ln)",
                     name);
    return TOOL_DAMAGED;
}

static int print(struct nonmoving *nonmoving)
{
    static const struct file_reader reader = {
        .begin = begin, .event = event, .end = end, .of_one_process = true};
    const bool is_json = nonmoving->settings->json;
    if (is_json) {
        nonmoving->json = json_on_sink(nonmoving->sink);
        json_open(&nonmoving->json, NULL, '{');
        json_open(&nonmoving->json, "sections", '[');
    }
    const int code = file_reading_run(&nonmoving->reading, &reader, nonmoving);
    if (nonmoving->reading.stopped && !sink_failed(nonmoving->sink)) tool_message("out of memory");
    if (code == TOOL_UNUSABLE) return code;
    if (is_json) {
        json_close(&nonmoving->json, ']');
        json_close(&nonmoving->json, '}');
        json_end_line(&nonmoving->json);
    }
    if (nonmoving->table && !table_end(nonmoving->table, nonmoving->sink)) return TOOL_UNUSABLE;
    return report(nonmoving, code);
}

int heap_nonmoving(const char *path, const struct interval_settings *interval,
                   const struct table_settings *table, const struct output_settings *output)
{
    struct nonmoving *nonmoving = calloc(1, sizeof *nonmoving); /* too large for the stack */
    struct table_settings of_csv = {.csv = true};
    int code = TOOL_UNUSABLE;
    if (!nonmoving) {
        tool_message("out of memory");
        return code;
    }
    nonmoving->settings = table;
    if (table->csv) nonmoving->table = table_new(NULL, census_columns, &of_csv, &code);
    if (!table->csv || nonmoving->table)
        code = file_reading_open(&nonmoving->reading, path, interval, output);
    if (code == TOOL_OK) {
        nonmoving->sink = sink_open(output);
        code = nonmoving->sink ? sink_close(nonmoving->sink, print(nonmoving)) : TOOL_UNUSABLE;
    }
    file_reading_close(&nonmoving->reading);
    hectic_nonmoving_free(nonmoving->analysis);
    clear_courses(nonmoving);
    table_free(nonmoving->table);
    free(nonmoving);
    return code;
}
