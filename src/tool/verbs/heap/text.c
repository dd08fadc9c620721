/* text.c — a profile as text: headline, bands, what grows, one sample. */
#include "render/units.h"
#include "tool/cli/message.h"
#include "tool/output/cells.h"
#include "tool/output/terminal_text.h"
#include "tool/verbs/heap/heap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUSPECTS_SHOWN = 5,
    SOON = 1000000,      /* ns */
    SELECTOR_WIDTH = 40, /* columns */
    WIDTH = 80,
    TITLE = 160,
};

static struct table_settings as_text(const struct heap_view *view)
{
    return (struct table_settings){.wide = view->settings->table.wide};
}

static void draw(const struct heap_view *view, const struct heap_row *row, char out[SPARKLINE_ROOM])
{
    const uint32_t points = view->totals.points;
    sparkline(out, row->drawn, points < view->columns ? points : view->columns);
}

/* --- Headline -------------------------------------------------------------------------------- */

static const char *const selector_names[] = {"module",      "closure description", "type",
                                             "cost centre", "cost-centre stack",   "retainer",
                                             "biography"};

static void print_selectors(const struct heap_view *view)
{
    for (size_t i = 0; i < sizeof selector_names / sizeof *selector_names; i++) {
        const char *selector = view->totals.kind->selector[i];
        if (!*selector) continue;
        const size_t length = strlen(selector);
        size_t width;
        sink_print(view->sink, "Only closures with %s ", selector_names[i]);
        char *text = sink_room(view->sink, terminal_text_bound(length));
        sink_fill(view->sink, terminal_text_fit(selector, length, SELECTOR_WIDTH, text, &width));
        sink_print(view->sink, "\n");
    }
}

/* Appends to a text of TITLE bytes. */
static void __attribute__((format(printf, 2, 3))) add_text(char *text, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, TITLE - length, format, arguments);
    va_end(arguments);
}

static void print_title(const struct heap_view *view)
{
    const hectic_heap_totals *totals = &view->totals;
    const hectic_heap_kind *kind = totals->kind;
    struct sink *sink = view->sink;
    const bool colored = sink_is_colored(sink);
    char title[TITLE] = "", samples[TITLE] = "";
    if (view->section > 1) add_text(title, "Section %zu. ", view->section);
    if (view->profiles > 1)
        add_text(title, "Profile %" PRIu32 " of %" PRIu32 ". ", view->number + 1, view->profiles);
    add_text(title, "Heap by %s",
             kind->breakdown == HECTIC_BREAKDOWN_UNKNOWN ? "an unknown breakdown (see --breakdown)"
                                                         : hectic_breakdown_text(kind->breakdown));
    if (kind->flag) add_text(title, " (-h%c)", kind->flag);
    add_text(samples, "%s", quantity(totals->samples, "sample").text);
    if (kind->has_times && totals->samples > 1)
        add_text(samples, " in %s", printed(CELL_NS, totals->last - totals->first).text);
    if (kind->period > 0) add_text(samples, ", period %s", printed(CELL_NS, kind->period).text);
    const bool fits = strlen(title) + strlen(": ") + strlen(samples) <= WIDTH;
    sink_print(sink, "%s%s%s%s:%s%s\n", view->section > 1 || view->number > 0 ? "\n" : "",
               colored ? "\033[1m" : "", title, colored ? "\033[0m" : "", fits ? " " : "\n  ",
               samples);
    if (!kind->has_times)
        sink_print(sink, "The log does not have the times of these samples: they are numbered, and "
                         "growth\nis that from one to the next.\n");
}

enum { SIZE_AT = 2, SIZE_GROWTH = 5, BAND_GROWTH = 6 };

/* Without times, points in time are numbers of samples, and growth is that from one to the next. */
static void without_times(struct table_column *columns, size_t at, size_t growth)
{
    if (at) columns[at].kind = CELL_ID;
    if (at) columns[at].title = "Sample";
    columns[growth].title = "Growth";
}

struct fit {
    char text[8];
};

static struct fit fit_text(double fit)
{
    struct fit text;
    snprintf(text.text, sizeof text.text, "%.2f", fit < 0 ? 0 : fit > 1 ? 1 : fit);
    return text;
}

static bool size_row(struct table *table, struct sink *sink, const char *name,
                     const struct heap_measure *measure, uint64_t from, uint64_t to, uint32_t width)
{
    double fit;
    const double growth = heap_measure_growth(measure, &fit);
    uint64_t value[SPARKLINE_WIDTH];
    char course[SPARKLINE_ROOM];
    /* The runtime writes sizes right after a census. */
    const uint64_t end = to + (to < UINT64_MAX - SOON ? SOON : 0);
    heap_measure_course(measure, from, end, value, width);
    sparkline(course, value, from < to ? width : 1);
    /* The latest value is not in the line. Growth is that of all values: the course must have them.
     */
    const bool is_line =
        measure->count > 2 && measure->first_time >= from && measure->last_time <= end;
    const struct fit number = fit_text(fit);
    const union heap_sizes_row cells = {
        .what = cell_text(name),
        .peak = cell_number(measure->max),
        .at = cell_number(measure->max_time),
        .end = cell_number(measure->last),
        .mean = cell_unknown(),
        .growth = {.known = is_line, .share = growth},
        .fit = cell_text(is_line ? number.text : NULL),
        .course = cell_text(course),
    };
    return table_row(table, sink, cells.cells);
}

static bool size_rows(struct table *table, const struct heap_view *view, uint64_t from, uint64_t to)
{
    const struct heap_sizes *sizes = view->sizes;
    bool good = true;
    for (uint32_t i = 0; i < sizes->heaps && good; i++) {
        for (int kind = 0; kind < HEAP_SIZE_KINDS && good; kind++) {
            const struct heap_measure *measure = &sizes->heap[i].measure[kind];
            char name[64];
            if (measure->count == 0) continue;
            if (sizes->heaps > 1)
                snprintf(name, sizeof name, "%s (heap %" PRIu32 ")", heap_size_names[kind],
                         sizes->heap[i].capset);
            else
                snprintf(name, sizeof name, "%s", heap_size_names[kind]);
            good = size_row(table, view->sink, name, measure, from, to, view->columns);
        }
    }
    return good;
}

static bool profile_row(struct table *table, const struct heap_view *view)
{
    const hectic_heap_totals *totals = &view->totals;
    const bool is_line = totals->samples > 1;
    uint64_t value[SPARKLINE_WIDTH];
    char course[SPARKLINE_ROOM];
    const struct fit fit = fit_text(totals->growth_fit);
    sparkline(course, value, heap_draw(view, totals->course, value));
    const union heap_sizes_row cells = {
        .what = cell_text("this profile"),
        .peak = cell_number(totals->peak),
        .at = cell_number(totals->kind->has_times ? totals->peak_time : totals->peak_index),
        .end = cell_number(totals->end),
        .mean = cell_rounded(totals->mean),
        .growth = {.known = is_line, .share = totals->growth},
        .fit = cell_text(is_line ? fit.text : NULL),
        .course = cell_text(course),
    };
    return table_row(table, view->sink, cells.cells);
}

static bool print_sizes(const struct heap_view *view, uint64_t from, uint64_t to)
{
    int code;
    struct table_column columns[CELLS_OF(heap_sizes) + 1];
    memcpy(columns, heap_sizes_columns, sizeof columns);
    const bool has_times = view->totals.samples == 0 || view->totals.kind->has_times;
    if (!has_times) without_times(columns, SIZE_AT, SIZE_GROWTH);
    const struct table_settings settings = as_text(view);
    struct table *table = table_new(NULL, columns, &settings, &code);
    if (!table) return false;
    bool good = view->totals.samples == 0 || profile_row(table, view);
    /* Without times, there is no common axis. */
    if (has_times) good = good && size_rows(table, view, from, to);
    good = good && table_end(table, view->sink);
    table_free(table);
    return good;
}

/* Is the last sample much smaller than the one before? */
static bool ends_empty(const hectic_heap_totals *totals)
{
    return totals->samples_per_point == 1 && totals->points > 2 &&
           totals->end < totals->course[totals->points - 2] / 2;
}

bool heap_print_headline(const struct heap_view *view)
{
    print_title(view);
    print_selectors(view);
    if (!print_sizes(view, view->totals.first, view->totals.last)) return false;
    if (ends_empty(&view->totals))
        sink_print(view->sink, "(The last sample is much smaller than the one before: the program "
                               "was ending.)\n");
    return true;
}

/* --- Bands ----------------------------------------------------------------------------------- */

enum { LOCATION = 2 };

static bool band_row(struct table *table, const struct heap_view *view, const struct heap_row *row,
                     bool is_sum, const char *label)
{
    const hectic_heap_band_stats *stats = &row->stats;
    const bool is_line = view->totals.samples > 1;
    const hectic_symbol symbol = heap_symbol(view, is_sum ? HECTIC_STACKS_OTHERS : stats->node);
    char course[SPARKLINE_ROOM];
    const struct fit fit = fit_text(stats->growth_fit);
    draw(view, row, course);
    const union heap_text_row cells = {
        .label = cell_text(label),
        .module = is_sum ? cell_text("") : cell_text(symbol.module ? symbol.module : ""),
        .location = is_sum ? cell_text("") : cell_text(symbol.location ? symbol.location : ""),
        .at_peak = cell_number(stats->at_peak),
        .at_end = cell_number(stats->at_end),
        .mean = cell_rounded(stats->mean),
        .growth = {.known = is_line, .share = stats->growth},
        .fit = cell_text(is_sum    ? ""
                         : is_line ? fit.text
                                   : NULL),
        .course = cell_text(course),
        .stddev = is_sum ? cell_unknown() : cell_rounded(stats->deviation),
        .max = cell_if(!is_sum, stats->max),
        .type = cell_text(symbol.type ? symbol.type : ""),
    };
    return table_row(table, view->sink, cells.cells);
}

/* "(12 others)", "(3 excluded)" */
static bool sum_row(struct table *table, const struct heap_view *view, const struct heap_row *row,
                    const char *what)
{
    char label[64], number[32];
    if (row->bands == 0) return true;
    group_number(number, row->bands);
    snprintf(label, sizeof label, "(%s %s)", number, what);
    return band_row(table, view, row, true, label);
}

/* A constructor without its package: "Data.Map.Internal.Bin". */
static const char *short_label(const struct heap_view *view, const char *label)
{
    if (view->settings->table.wide || view->totals.kind->breakdown != HECTIC_BREAKDOWN_CLOSURE_TYPE)
        return label;
    const char *colon = strchr(label, ':');
    return colon && colon > label && colon[1] >= 'A' && colon[1] <= 'Z' ? colon + 1 : label;
}

static bool all_rows(struct table *table, const struct heap_view *view)
{
    const struct heap_rows *bands = &view->bands;
    bool good = true;
    for (size_t i = 0; i < bands->shown && good; i++) {
        char *label = heap_label(view, bands->row[i].stats.node);
        if (!label) tool_message("out of memory");
        good = label && band_row(table, view, &bands->row[i], false, short_label(view, label));
        free(label);
    }
    return good &&
           sum_row(table, view, &bands->others, bands->others.bands == 1 ? "other" : "others") &&
           sum_row(table, view, &bands->excluded, "excluded");
}

bool heap_print_bands(const struct heap_view *view)
{
    int code;
    struct table_column columns[CELLS_OF(heap_text) + 1];
    struct table_settings settings = as_text(view);
    memcpy(columns, heap_text_columns, sizeof columns);
    if (view->totals.bands == 0) {
        sink_print(view->sink, "\nThe samples have no bands.\n");
        return true;
    }
    if (!view->totals.kind->has_times) without_times(columns, 0, BAND_GROWTH);
    /* What an info table is, is its place in the source. */
    if (view->totals.kind->breakdown == HECTIC_BREAKDOWN_INFO_TABLE)
        columns[LOCATION].show = OPTIONAL | RANK(1);
    struct table *table = table_new(NULL, columns, &settings, &code);
    if (!table) return false;
    sink_print(view->sink, "\n");
    const bool good = all_rows(table, view) && table_end(table, view->sink);
    table_free(table);
    return good;
}

/* --- Biography ------------------------------------------------------------------------------- */

static const struct {
    const char *state, *meaning;
} states[] = {
    {"VOID", "never used, from its creation until it is freed"},
    {"LAG", "created, and used later"},
    {"USE", "between its first and its last use"},
    {"INHERENT_USE", "always counted as used: arrays, weak pointers"},
    {"DRAG", "used for the last time, but still reachable"},
};

/* The share of each state in the mean, and what it means. */
static void print_states(const struct heap_view *view)
{
    struct sink *sink = view->sink;
    sink_print(sink, "\nState           Mean  Meaning\n");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        double mean = 0;
        for (size_t k = 0; k < view->bands.count; k++) {
            char *label = heap_label(view, view->bands.row[k].stats.node);
            if (!label) tool_out_of_memory();
            if (strcmp(label, states[i].state) == 0) mean = view->bands.row[k].stats.mean;
            free(label);
        }
        const double all = view->totals.mean;
        sink_print(sink, "%-12s  %5.1f%%  %s\n", states[i].state, all > 0 ? 100 * mean / all : 0,
                   states[i].meaning);
    }
}

/* --- Growth ---------------------------------------------------------------------------------- */

/* Kinds of closures that are no constructors, by the beginnings of their names. */
static const struct {
    const char *name, *meaning;
} kinds[] = {
    {"THUNK", "expressions not evaluated yet"},
    {"AP", "expressions not evaluated yet"},
    {"BLACKHOLE", "expressions in evaluation"},
    {"STACK", "deep recursion, or many threads"},
    {"TSO", "threads"},
    {"ARR_WORDS", "ByteString, Text, unboxed arrays"},
    {"MUT_ARR_PTRS", "arrays"},
    {"SMALL_MUT_ARR_PTRS", "arrays"},
    {"MUT_VAR", "IORefs and STRefs"},
    {"MVAR", "MVars"},
    {"TVAR", "TVars"},
    {"FUN", "functions"},
    {"PAP", "functions"},
    {"WEAK", "weak pointers, finalizers"},
};

static const char *meaning_of(const struct heap_view *view, const char *label)
{
    if (view->totals.kind->breakdown != HECTIC_BREAKDOWN_CLOSURE_TYPE) return "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].name);
        if (strncmp(label, kinds[i].name, length) == 0 && strchr("_", label[length]))
            return kinds[i].meaning;
    }
    return "";
}

static bool suspect_row(struct table *table, const struct heap_view *view,
                        const struct heap_row *row)
{
    char *label = heap_label(view, row->stats.node);
    if (!label) tool_message("out of memory");
    const hectic_symbol symbol = heap_symbol(view, row->stats.node);
    const struct fit fit = fit_text(row->line.fit);
    const union heap_suspects_row cells = {
        .growth = {.known = true, .share = row->line.growth},
        .fit = cell_text(fit.text),
        .share = cell_share(row->line.growth / view->bands.growing),
        .label = cell_text(label ? short_label(view, label) : ""),
        .location = cell_text(symbol.location ? symbol.location : ""),
        .meaning = cell_text(label ? meaning_of(view, label) : ""),
    };
    const bool good = label && table_row(table, view->sink, cells.cells);
    free(label);
    return good;
}

static bool print_suspects(const struct heap_view *view)
{
    int code;
    struct table_column columns[CELLS_OF(heap_suspects) + 1];
    const struct table_settings settings = {
        .sort = "growth", .limit = SUSPECTS_SHOWN, .wide = view->settings->table.wide};
    memcpy(columns, heap_suspects_columns, sizeof columns);
    if (!view->totals.kind->has_times) without_times(columns, 0, 0);
    struct table *table = table_new(NULL, columns, &settings, &code);
    bool good = table != NULL;
    for (size_t i = 0; i < view->bands.count && good; i++)
        if (heap_is_suspect(view, &view->bands.row[i]))
            good = suspect_row(table, view, &view->bands.row[i]);
    good = good && table_end(table, view->sink);
    table_free(table);
    return good;
}

static uint64_t count_suspects(const struct heap_view *view)
{
    uint64_t count = 0;
    for (size_t i = 0; i < view->bands.count; i++)
        count += heap_is_suspect(view, &view->bands.row[i]);
    return count;
}

/* A tenth of the period, or the runtime's shortest one; in seconds. */
static double shorter_period(const hectic_heap_kind *kind)
{
    const double seconds = kind->period > 0 ? (double)kind->period / 1e10 : 0.01;
    return seconds < 0.001 ? 0.001 : seconds > 1 ? 1 : seconds;
}

static void print_too_few(const struct heap_view *view, double shorter)
{
    const hectic_heap_kind *kind = view->totals.kind;
    struct sink *sink = view->sink;
    sink_print(sink, "Too few samples (%" PRIu64 ") to tell what grows.\n", view->totals.samples);
    if (kind->period > 0)
        sink_print(sink, "There is one after each %s of the program's own work.\n",
                   printed(CELL_NS, kind->period).text);
    if (kind->flag == 'b' && heap_program_is_fragile(view->program)) {
        sink_print(sink, "Run it for longer.\n");
        return;
    }
    sink_print(sink, "Run it for longer, or with shorter periods:\n  ");
    heap_program_print_again(view->program, kind->flag, shorter, sink);
}

bool heap_print_growth(const struct heap_view *view)
{
    const hectic_heap_totals *totals = &view->totals;
    struct sink *sink = view->sink;
    const bool is_steady = hectic_heap_line_of(totals, totals->course).is_steady;
    const uint64_t suspects = count_suspects(view);
    double period = 0;
    bool good = true;
    if (totals->kind->breakdown == HECTIC_BREAKDOWN_BIOGRAPHY) print_states(view);
    sink_print(sink, "\n");
    if (suspects > 0) {
        sink_print(sink, "What grows steadily, and may be a leak:\n");
        good = print_suspects(view);
        if (suspects > SUSPECTS_SHOWN)
            sink_print(sink, "(and %" PRIu64 " more: --sort growth)\n", suspects - SUSPECTS_SHOWN);
    } else if (totals->points < HECTIC_HEAP_LINE_POINTS) {
        period = shorter_period(totals->kind);
        print_too_few(view, period);
    } else if (is_steady) {
        sink_print(sink, "The heap as a whole grows steadily, but no single band does.\n");
    } else {
        sink_print(sink, "Nothing grows steadily.\n");
    }
    heap_program_advise(view->program, totals->kind->breakdown, period, sink);
    return good;
}

/* --- One sample ------------------------------------------------------------------------------ */

static bool at_row(struct table *table, const struct heap_view *view, const struct heap_row *row,
                   bool is_sum, uint64_t total, const char *label)
{
    const uint64_t bytes = heap_at_bytes(view->settings, &row->stats);
    const hectic_symbol symbol = heap_symbol(view, is_sum ? HECTIC_STACKS_OTHERS : row->stats.node);
    const struct cell share = cell_part(bytes, total);
    const union heap_at_row cells = {
        .label = cell_text(label),
        .module = cell_text(symbol.module ? symbol.module : ""),
        .location = cell_text(symbol.location ? symbol.location : ""),
        .size = cell_number(bytes),
        .share = share,
        .bar = share,
        .bytes = cell_number(bytes),
    };
    return table_row(table, view->sink, cells.cells);
}

static bool at_rows(struct table *table, const struct heap_view *view, uint64_t total)
{
    const struct heap_rows *bands = &view->bands;
    const struct heap_row *const sums[] = {&bands->others, &bands->excluded};
    static const char *const names[] = {"others", "excluded"};
    bool good = true;
    for (size_t i = 0; i < bands->shown && good; i++) {
        const struct heap_row *row = &bands->row[i];
        if (heap_at_bytes(view->settings, &row->stats) == 0) continue;
        char *label = heap_label(view, row->stats.node);
        if (!label) tool_message("out of memory");
        good = label && at_row(table, view, row, false, total, label);
        free(label);
    }
    for (size_t i = 0; i < 2 && good; i++) {
        char label[64];
        if (heap_at_bytes(view->settings, &sums[i]->stats) == 0) continue;
        snprintf(label, sizeof label, "(%" PRIu64 " %s)", sums[i]->bands, names[i]);
        good = at_row(table, view, sums[i], true, total, label);
    }
    return good;
}

/* False if there is no such sample, after a note. */
bool heap_print_sample_title(const struct heap_view *view)
{
    static const char *const names[] = {
        [HEAP_AT_NONE] = "The largest sample",
        [HEAP_AT_PEAK] = "The largest sample",
        [HEAP_AT_END] = "The last sample",
        [HEAP_AT_TIME] = "The sample",
    };
    const hectic_heap_totals *totals = &view->totals;
    struct sink *sink = view->sink;
    uint64_t time;
    const uint64_t total = heap_at_total(view, &time);
    print_title(view);
    print_selectors(view);
    if (view->settings->at == HEAP_AT_TIME && !totals->has_at) {
        sink_print(sink, "There is no sample at this time or before.\n");
        return false;
    }
    char title[TITLE] = "", bytes[TITLE] = "";
    add_text(title, "%s", names[view->settings->at]);
    if (totals->kind->has_times) add_text(title, ", at %s", printed(CELL_TIME, time).text);
    add_text(title, ": %s", printed(CELL_BYTES, total).text);
    add_text(bytes, " (%s bytes)", printed(CELL_COUNT, total).text);
    sink_print(sink, "%s%s\n\n", title, strlen(title) + strlen(bytes) <= WIDTH ? bytes : "");
    return true;
}

bool heap_print_at(const struct heap_view *view)
{
    int code;
    uint64_t time;
    const uint64_t total = heap_at_total(view, &time);
    if (!heap_print_sample_title(view)) return true;
    const struct table_settings settings = as_text(view);
    struct table_column columns[CELLS_OF(heap_at) + 1];
    memcpy(columns, heap_at_columns, sizeof columns);
    if (view->totals.kind->breakdown == HECTIC_BREAKDOWN_INFO_TABLE)
        columns[LOCATION].show = OPTIONAL;
    struct table *table = table_new(NULL, columns, &settings, &code);
    if (!table) return false;
    const bool good = at_rows(table, view, total) && table_end(table, view->sink);
    table_free(table);
    return good;
}

/* --- Without samples ------------------------------------------------------------------------- */

static bool print_generations(const struct heap_view *view)
{
    int code;
    const struct table_settings settings = as_text(view);
    struct table *table = table_new(NULL, heap_generations_columns, &settings, &code);
    bool good = table != NULL;
    for (uint32_t i = 0; i < view->sizes->heaps && good; i++) {
        const struct heap_of_process *heap = &view->sizes->heap[i];
        for (uint32_t k = 0; k < heap->generations && good; k++) {
            const struct heap_generation *generation = &heap->generation[k];
            const uint64_t count = generation->collections;
            const union heap_generations_row cells = {
                .heap = cell_number(heap->capset),
                .generation = cell_number(k),
                .collections = cell_number(count),
                .copied = cell_number(generation->copied),
                .mean = cell_if(count > 0, count ? generation->copied / count : 0),
                .most = cell_if(count > 0, generation->most),
                .last = cell_if(count > 0, generation->last),
            };
            good = table_row(table, view->sink, cells.cells);
        }
    }
    good = good && table_end(table, view->sink);
    table_free(table);
    return good;
}

/* The time between the first and the last size. False: there is none. */
static bool time_of_sizes(const struct heap_sizes *sizes, uint64_t *from, uint64_t *to)
{
    *from = UINT64_MAX;
    *to = 0;
    for (uint32_t i = 0; i < sizes->heaps; i++) {
        for (int kind = 0; kind < HEAP_SIZE_KINDS; kind++) {
            const struct heap_measure *measure = &sizes->heap[i].measure[kind];
            if (measure->count == 0) continue;
            if (measure->first_time < *from) *from = measure->first_time;
            if (measure->last_time > *to) *to = measure->last_time;
        }
    }
    return *from <= *to;
}

static bool has_generations(const struct heap_sizes *sizes)
{
    bool has = false;
    for (uint32_t i = 0; i < sizes->heaps; i++)
        has |= sizes->heap[i].generations > 0;
    return has;
}

bool heap_print_sizes(const struct heap_view *view)
{
    struct sink *sink = view->sink;
    uint64_t from, to;
    bool good = true;
    if (view->section > 1) sink_print(sink, "\nSection %zu. ", view->section);
    sink_print(sink, "%s has no samples of what is in the heap",
               view->is_part ? "This part of the log" : "The log");
    if (time_of_sizes(view->sizes, &from, &to)) {
        sink_print(sink, ", but its size:\n");
        good = print_sizes(view, from, to);
    } else {
        sink_print(sink, ".\n");
    }
    if (good && has_generations(view->sizes)) {
        sink_print(sink, "\nWhat collections of each generation copied, since it was alive:\n");
        good = print_generations(view);
    }
    sink_print(sink, "\n");
    if (view->program->has_profile && view->is_cut)
        sink_print(sink, "A heap profile began, but the log was cut before its first sample.\n");
    else if (view->program->has_profile && view->is_part)
        sink_print(sink, "A heap profile has no complete sample in this part of the log.\n");
    else if (view->program->has_profile)
        sink_print(sink,
                   "A heap profile began, but has no complete sample: run the program for longer,\n"
                   "or with +RTS -i0.001 (one every millisecond).\n");
    else
        heap_program_advise(view->program, HECTIC_BREAKDOWN_UNKNOWN, 0, sink);
    return good;
}
