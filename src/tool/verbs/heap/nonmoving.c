/* nonmoving.c — see nonmoving.h. */
#include "tool/verbs/heap/nonmoving.h"

#include "numbers/saturating.h"
#include "tool/cli/message.h"
#include "tool/output/cells.h"
#include "tool/output/json.h"
#include "tool/output/sparkline.h"

#include "profiles/nonmoving.h"

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
        course->point[i] = saturating_sum(course->point[2 * i], course->point[2 * i + 1]);
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
    saturating_add(&course->point[nonmoving->censuses / nonmoving->stride], live);
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

static bool put_csv(const struct nonmoving *nonmoving, const hectic_nonmoving_census *census)
{
    for (uint32_t i = 0; i < census->classes; i++) {
        const hectic_nonmoving_class *c = &census->size_class[i];
        const union nonmoving_row cells = {
            .section = cell_number(nonmoving->reading.section),
            .census = cell_number(census->index),
            .time_ns = cell_number(census->time),
            .block_bytes = cell_number(c->block_size),
            .segments = cell_number(c->segments),
            .active_segments = cell_number(c->active_segments),
            .filled_segments = cell_number(c->filled_segments),
            .current_segments = cell_number(c->current_segments),
            .live_blocks = cell_number(c->live_blocks),
            .live_bytes = cell_number(c->live),
            .capacity_bytes = cell_number(c->capacity),
            .occupancy_share = cell_part(c->live, c->capacity),
        };
        if (!table_row(nonmoving->table, nonmoving->sink, cells.cells)) return false;
    }
    return true;
}

static void take_size(const void *user, uint64_t index, struct cell *cells)
{
    const hectic_nonmoving_census *census = user;
    const hectic_nonmoving_class *c = &census->size_class[index];
    const union nonmoving_size_row row = {
        .block_bytes = cell_number(c->block_size),
        .active_segments = cell_number(c->active_segments),
        .filled_segments = cell_number(c->filled_segments),
        .current_segments = cell_number(c->current_segments),
        .live_blocks = cell_number(c->live_blocks),
        .live_bytes = cell_number(c->live),
        .capacity_bytes = cell_number(c->capacity),
    };
    memcpy(cells, row.cells, sizeof row);
}

static void put_json(struct json *json, const hectic_nonmoving_census *census)
{
    const struct cell_rows sizes = {take_size, census};
    record_put(json, NULL, nonmoving_census, .census = cell_number(census->index),
               .time_ns = cell_number(census->time), .segments = cell_number(census->segments),
               .live_bytes = cell_number(census->live),
               .capacity_bytes = cell_number(census->capacity),
               .sizes = cell_array(true, census->classes, &sizes));
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

/* Of the size in the last census: not counted again if it is missing there. */
static void size_cells(const struct nonmoving *nonmoving, const struct course *course,
                       struct cell *cells)
{
    static const hectic_nonmoving_class none;
    const bool is_last = course->census + 1 == nonmoving->censuses;
    const hectic_nonmoving_class *c = is_last ? &course->last : &none;
    const union nonmoving_sizes_row values = {
        .block = cell_number(course->last.block_size),
        .live = cell_number(c->live),
        .occupancy = cell_part(c->live, c->capacity),
        .free = cell_number(c->capacity > c->live ? c->capacity - c->live : 0),
        .segments = cell_number(c->segments),
        .active = cell_number(c->active_segments),
        .filled = cell_number(c->filled_segments),
        .current = cell_number(c->current_segments),
        .blocks = cell_number(c->live_blocks),
        .peak = cell_number(course->peak),
        .at = cell_number(course->peak_time),
    };
    memcpy(cells, values.cells, sizeof values);
}

static bool put_sizes(struct nonmoving *nonmoving)
{
    const struct table_settings as_text = {.wide = nonmoving->settings->wide};
    enum { COLUMNS = CELLS_OF(nonmoving_sizes) };
    uint64_t unused = 0, unused_segments = 0;
    char course[SPARKLINE_ROOM];
    int code;
    struct table *table = table_new(NULL, nonmoving_sizes_columns, &as_text, &code);
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
        const union nonmoving_sizes_row cells = {
            .live = cell_number(nonmoving->all.last.live),
            .occupancy = cell_part(nonmoving->all.last.live, nonmoving->capacity),
            .free = cell_number(nonmoving->capacity > nonmoving->all.last.live
                                    ? nonmoving->capacity - nonmoving->all.last.live
                                    : 0),
            .segments = cell_number(nonmoving->segments),
            .peak = cell_number(nonmoving->all.peak),
            .at = cell_number(nonmoving->all.peak_time),
            .course = cell_text(course),
        };
        good = table_footer(table, cells.cells) && table_end(table, nonmoving->sink);
    }
    table_free(table);
    if (good && unused > 0)
        sink_print(nonmoving->sink, "%s without live blocks: %s\n",
                   quantity(unused, "more size").text,
                   quantity(unused_segments, "current segment").text);
    return good;
}

static bool put_phases(struct nonmoving *nonmoving, const hectic_nonmoving_totals *totals)
{
    const struct table_settings as_text = {.wide = nonmoving->settings->wide};
    int code;
    struct table *table = table_new(NULL, nonmoving_phases_columns, &as_text, &code);
    bool good = table;
    for (unsigned i = 0; i < HECTIC_NONMOVING_PHASES && good; i++) {
        const uint64_t count = totals->phase[i].count;
        const union nonmoving_phases_row cells = {
            .phase = cell_text(hectic_nonmoving_phase_name(i)),
            .count = cell_number(count),
            .total_ns = cell_number(totals->phase[i].ns),
            .share = cell_part(totals->phase[i].ns, file_reading_duration(&nonmoving->reading)),
            .mean_ns = cell_if(count > 0, count ? totals->phase[i].ns / count : 0),
            .max_ns = cell_if(count > 0, totals->phase[i].max),
        };
        good = table_row(table, nonmoving->sink, cells.cells);
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

static void take_phase(const void *user, uint64_t index, struct cell *cells)
{
    const hectic_nonmoving_totals *totals = user;
    const uint64_t count = totals->phase[index].count;
    cells[0] = cell_text(hectic_nonmoving_phase_name((unsigned)index));
    cells[1] = cell_number(count);
    cells[2] = cell_number(totals->phase[index].ns);
    cells[3] = cell_if(count > 0, totals->phase[index].max);
}

static void put_json_totals(struct nonmoving *nonmoving, const hectic_nonmoving_totals *totals)
{
    struct json *json = &nonmoving->json;
    const struct cell_rows phases = {take_phase, totals};
    json_close(json, ']');
    record_put_members(json, nonmoving_totals,
                       .duration_ns = cell_number(file_reading_duration(&nonmoving->reading)),
                       .phases = cell_array(true, HECTIC_NONMOVING_PHASES, &phases),
                       .marked_objects = cell_number(totals->marked),
                       .flushes = cell_number(totals->flushes),
                       .pruned_segments = cell_if(totals->has_pruned, totals->pruned),
                       .free_segments = cell_if(totals->has_pruned, totals->free),
                       .malformed = cell_number(totals->malformed));
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
        tool_message("%s: %s malformed: ignored", name,
                     quantity(nonmoving->malformed, "event").text);
    if (nonmoving->has_censuses || code != TOOL_OK) return code;
    if (nonmoving->has_phases)
        tool_message("%s: the log has no censuses of the non-moving heap (they need +RTS -ln)",
                     name);
    else
        logs_report_none(nonmoving->reading.path, nonmoving->reading.is_cut,
                         "events of the non-moving collector", "they need +RTS --nonmoving-gc -ln");
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
    if (table->csv) nonmoving->table = table_new(NULL, nonmoving_columns, &of_csv, &code);
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
