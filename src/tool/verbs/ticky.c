/* ticky.c — hectic ticky: what is entered, and what allocates. */
#include "base/map.h"
#include "numbers/saturating.h"
#include "report/ticky_report.h"
#include "tool/cli/message.h"
#include "tool/input/file_reading.h"
#include "tool/input/pattern.h"
#include "tool/output/cells.h"
#include "tool/output/json.h"
#include "tool/output/table.h"

#include <hectic/read_events.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ticky_settings {
    struct interval_settings interval;
    struct table_settings table;
    struct output_settings output;
    uint64_t every; /* ns; 0: the whole interval */
    const char *include, *exclude;
};

static const struct tool_option ticky_options[] = {
    {"every", 0, "TIME", "a row for each counter in each slice of that length", NULL,
     offsetof(struct ticky_settings, every), tool_set_duration},
    {"include", 0, "REGEX", "only the counters whose labels match, do not match", NULL,
     offsetof(struct ticky_settings, include), tool_set_text},
    {"exclude", 0, "REGEX", NULL, NULL, offsetof(struct ticky_settings, exclude), tool_set_text},
    {0},
};

enum {
    ROWS_MAX = 1000000, /* of slices, in memory */
};

/* A counter in a slice. */
struct slice_row {
    map_key key; /* the slice and the counter's number, each plus 1 */
    uint64_t entries, allocs, allocd, samples, first, last;
};

struct ticky {
    const struct ticky_settings *settings;
    struct file_reading reading;
    struct sink *sink;
    struct table *table; /* as text one for each section, otherwise one for all */
    struct label_choice choice;
    hectic_ticky *analysis;
    map slices;
    uint64_t slice_allocs; /* bytes: of all counters in the slice that is printed */
    bool has_samples;      /* in any section */
    bool has_counters;     /* with or without samples */
    bool has_allocd_bug;   /* see note_entries */
    uint64_t undefined;    /* counters with samples */
    hectic_ticky_totals totals;
    struct ticky_section *section; /* with --json */
    size_t sections;
    int code; /* of a failure inside of the reading */
};

static bool is_text(const struct ticky *ticky)
{
    return !ticky->settings->table.json && !ticky->settings->table.csv;
}

static bool fail(struct ticky *ticky, int code)
{
    ticky->code = code;
    return false;
}

static bool no_memory(struct ticky *ticky)
{
    tool_message("out of memory");
    return fail(ticky, TOOL_UNUSABLE);
}

/* --- Rows ------------------------------------------------------------------------------------ */

static bool put_counter(struct ticky *ticky, const hectic_ticky_counter *counter,
                        const struct ticky_whole *whole)
{
    hectic_ticky_counter shown = *counter;
    char number[32];
    snprintf(number, sizeof number, "counter %" PRIu64, counter->number);
    const int chosen = label_is_chosen(&ticky->choice, counter->name ? counter->name : number);
    if (chosen < 0) return fail(ticky, TOOL_UNUSABLE);
    if (!chosen) return true;
    if (!counter->name && is_text(ticky)) shown.name = number;
    struct cell cells[TICKY_COLUMNS];
    ticky_put_cells(cells, ticky->reading.section, &shown, whole);
    return table_row(ticky->table, ticky->sink, cells) || fail(ticky, TOOL_UNUSABLE);
}

/* --- The whole interval ---------------------------------------------------------------------- */

static struct ticky_whole whole_of(const struct ticky *ticky, const hectic_ticky_totals *totals)
{
    return (struct ticky_whole){.ns = file_reading_duration(&ticky->reading),
                                .ticked = totals->allocs,
                                .has_allocated = totals->has_allocated,
                                .allocated = totals->allocated};
}

/* GHC 9.2 and later (at least until 9.12) add the bytes of allocated closures to the entries
 * instead of `allocd`. Constructors cannot be entered: their counters show it. */
static void note_entries(struct ticky *ticky, const hectic_ticky_counter *counter)
{
    const bool is_constructor = counter->type && strcmp(counter->type, "con") == 0;
    ticky->has_allocd_bug |= is_constructor && counter->entries > 0 && counter->allocd == 0;
}

static bool take_counter(void *user, const hectic_ticky_counter *counter)
{
    struct ticky *ticky = user;
    const hectic_ticky_totals totals = hectic_ticky_get_totals(ticky->analysis);
    const struct ticky_whole whole = whole_of(ticky, &totals);
    ticky->undefined += !counter->is_defined;
    note_entries(ticky, counter);
    return ticky->settings->every || put_counter(ticky, counter, &whole);
}

static bool put_sums(struct ticky *ticky, const hectic_ticky_totals *totals)
{
    const struct ticky_whole whole = whole_of(ticky, totals);
    const hectic_ticky_counter sums = {.entries = totals->entries,
                                       .allocs = totals->allocs,
                                       .allocd = totals->allocd,
                                       .samples = totals->samples,
                                       .first = totals->first,
                                       .last = totals->last};
    struct cell cells[TICKY_COLUMNS];
    if (totals->counters < 2) return true;
    ticky_put_cells(cells, ticky->reading.section, &sums, &whole);
    cells[TICKY_LABEL] = cell_text("all counters");
    return table_footer(ticky->table, cells) || fail(ticky, TOOL_UNUSABLE);
}

/* --- Slices ---------------------------------------------------------------------------------- */

/* Adds a sample to its slice. */
static bool take_slice(struct ticky *ticky, const hectic_event *event)
{
    const struct interval *interval = &ticky->reading.interval;
    hectic_event_ticky_counter_sample sample;
    if (event->type != HECTIC_EVENT_TICKY_COUNTER_SAMPLE || event->time < interval->from ||
        event->time >= interval->to || !hectic_read_ticky_counter_sample(event, &sample))
        return true;
    const map_key key = {(event->time - interval->from) / ticky->settings->every + 1,
                         sample.counter + 1};
    struct slice_row *row = map_add(&ticky->slices, key);
    if (!row) return no_memory(ticky);
    if (ticky->slices.count > ROWS_MAX) {
        tool_message("--every: more than %d rows; use longer slices, or a part of the log",
                     ROWS_MAX);
        return fail(ticky, TOOL_USAGE);
    }
    saturating_add(&row->entries, sample.entries);
    saturating_add(&row->allocs, sample.allocs);
    saturating_add(&row->allocd, sample.allocd);
    if (row->samples++ == 0) row->first = event->time;
    row->last = event->time;
    return true;
}

/* By slice, then by allocation, the largest first. */
static int compare_rows(const void *a, const void *b)
{
    const struct slice_row *x = a, *y = b;
    if (x->key.a != y->key.a) return x->key.a < y->key.a ? -1 : 1;
    if (x->allocs != y->allocs) return x->allocs > y->allocs ? -1 : 1;
    if (x->entries != y->entries) return x->entries > y->entries ? -1 : 1;
    return x->key.b < y->key.b ? -1 : x->key.b > y->key.b;
}

static uint64_t ticked_in_slice(void *const *rows, size_t count)
{
    const struct slice_row *first = rows[0];
    uint64_t sum = 0;
    for (size_t i = 0; i < count && ((struct slice_row *)rows[i])->key.a == first->key.a; i++)
        saturating_add(&sum, ((struct slice_row *)rows[i])->allocs);
    return sum;
}

static bool put_slices(struct ticky *ticky)
{
    const struct interval *interval = &ticky->reading.interval;
    const uint64_t every = ticky->settings->every;
    const size_t count = ticky->slices.count;
    void *const *rows = map_sorted(&ticky->slices, compare_rows);
    struct ticky_whole whole = {.is_slice = true};
    for (size_t i = 0; i < count; i++) {
        const struct slice_row *row = rows[i];
        const uint64_t from = interval->from + (row->key.a - 1) * every;
        if (i == 0 || from != whole.from) {
            whole.from = from;
            whole.to = slice_end(from, every, interval->to);
            whole.ns = interval_overlap(&(struct interval){whole.from, whole.to},
                                        ticky->reading.first, ticky->reading.last);
            whole.ticked = ticked_in_slice(rows + i, count - i);
        }
        hectic_ticky_counter counter = {0};
        hectic_ticky_find(ticky->analysis, row->key.b - 1, &counter);
        counter.number = row->key.b - 1;
        counter.entries = row->entries;
        counter.allocs = row->allocs;
        counter.allocd = row->allocd;
        counter.samples = row->samples;
        counter.first = row->first;
        counter.last = row->last;
        if (!put_counter(ticky, &counter, &whole)) return false;
    }
    map_clear(&ticky->slices);
    return true;
}

/* --- Totals ---------------------------------------------------------------------------------- */

static void print_headline(const struct ticky *ticky, const hectic_ticky_totals *totals)
{
    struct sink *sink = ticky->sink;
    if (ticky->reading.section > 1) sink_print(sink, "\nSection %zu\n", ticky->reading.section);
    sink_print(sink, "%s with %s in %s\n", quantity(totals->counters, "counter").text,
               quantity(totals->entries, "entry").text,
               printed(CELL_NS, file_reading_duration(&ticky->reading)).text);
    const struct printed allocs = printed(CELL_BYTES, totals->allocs);
    if (!totals->has_allocated || totals->allocated == 0) {
        sink_print(sink,
                   "%s allocated by their code; the program's total is unknown (+RTS -lg)\n\n",
                   allocs.text);
        return;
    }
    sink_print(sink, "%s allocated, %s of it (%s) by the code of these counters\n\n",
               printed(CELL_BYTES, totals->allocated).text,
               printed_part(totals->allocs, totals->allocated).text, allocs.text);
}

static bool keep_section(struct ticky *ticky, const hectic_ticky_totals *totals)
{
    const size_t count = ticky->sections;
    if ((count & (count - 1)) == 0) { /* full */
        struct ticky_section *grown = realloc(ticky->section, (2 * count + 1) * sizeof *grown);
        if (!grown) return no_memory(ticky);
        ticky->section = grown;
    }
    ticky->section[ticky->sections++] = (struct ticky_section){
        ticky->reading.section, file_reading_duration(&ticky->reading), *totals};
    return true;
}

static void put_json_sections(const struct ticky *ticky)
{
    struct json json = json_on_sink(ticky->sink);
    sink_print(ticky->sink, ",\n");
    json_open(&json, "sections", '[');
    for (size_t i = 0; i < ticky->sections; i++)
        ticky_put_section(&json, &ticky->section[i]);
    json_close(&json, ']');
    sink_print(ticky->sink, "}\n");
}

/* --- Reading --------------------------------------------------------------------------------- */

static bool begin(void *user, const hectic_header *header)
{
    struct ticky *ticky = user;
    const struct interval *interval = &ticky->reading.interval;
    ticky->analysis = hectic_ticky_new(interval->from, interval->to, 0);
    return header && (ticky->analysis || no_memory(ticky));
}

static bool event(void *user, const hectic_event *event)
{
    struct ticky *ticky = user;
    if (!hectic_ticky_event(ticky->analysis, event)) return no_memory(ticky);
    return !ticky->settings->every || take_slice(ticky, event);
}

static bool put_section(struct ticky *ticky, const hectic_ticky_totals *totals)
{
    int code;
    if (is_text(ticky)) {
        print_headline(ticky, totals);
        ticky->table = table_new(NULL, ticky_columns, &ticky->settings->table, &code);
        if (!ticky->table) return fail(ticky, code);
    }
    if (ticky->settings->every) table_cut_texts(ticky->table);
    if (!hectic_ticky_each(ticky->analysis, take_counter, ticky)) return false;
    if (ticky->settings->every && !put_slices(ticky)) return false;
    if (!is_text(ticky)) return true;
    if (!ticky->settings->every && !put_sums(ticky, totals)) return false;
    const bool done = table_end(ticky->table, ticky->sink) || fail(ticky, TOOL_UNUSABLE);
    table_free(ticky->table);
    ticky->table = NULL;
    return done;
}

static bool end(void *user)
{
    struct ticky *ticky = user;
    const hectic_ticky_totals totals = hectic_ticky_get_totals(ticky->analysis);
    ticky->has_counters |= totals.samples > 0 || totals.defined > 0;
    ticky->has_samples |= totals.samples > 0;
    ticky->totals.malformed += totals.malformed;
    ticky->totals.omitted += totals.omitted;
    const bool done = (!ticky->settings->table.json || keep_section(ticky, &totals)) &&
                      (totals.samples == 0 || put_section(ticky, &totals));
    hectic_ticky_free(ticky->analysis);
    ticky->analysis = NULL;
    return done;
}

/* --- Printing -------------------------------------------------------------------------------- */

/* Returns the exit code. */
static int report(const struct ticky *ticky, int code)
{
    const char *name = tool_log_name(ticky->reading.path);
    if (ticky->undefined > 0)
        tool_message("%s: note: the log has no definitions of %" PRIu64
                     " counters; GHC writes them when the program ends",
                     name, ticky->undefined);
    if (ticky->has_allocd_bug)
        tool_message("%s: note: the entries contain the bytes of allocated closures, as those of "
                     "constructors show: GHC 9.2 and later count them there with -ticky-allocd; "
                     "compile without it",
                     name);
    if (ticky->totals.malformed > 0)
        tool_message("%s: %s too short: ignored", name,
                     quantity(ticky->totals.malformed, "event").text);
    if (ticky->totals.omitted > 0)
        tool_message("%s: too many counters or texts: %" PRIu64 " were ignored", name,
                     ticky->totals.omitted);
    if (ticky->has_samples || code != TOOL_OK) return code;
    if (ticky->has_counters)
        tool_message("%s: the log has no samples of ticky counters%s", name,
                     ticky->reading.interval.to < UINT64_MAX || ticky->reading.interval.from > 0
                         ? " in the interval"
                         : "");
    else
        logs_report_none(ticky->reading.path, ticky->reading.is_cut, "ticky counters",
                         "they need GHC 9.2 or later, ghc -ticky -eventlog, and +RTS -lT; without "
                         "them, hectic prof shows where the time goes, and hectic heap what fills "
                         "the heap");
    return TOOL_DAMAGED;
}

static int print(struct ticky *ticky)
{
    static const struct file_reader reader = {.begin = begin, .event = event, .end = end};
    const struct table_settings *settings = &ticky->settings->table;
    if (settings->json) sink_text(ticky->sink, "{", 1);
    ticky->code = TOOL_UNUSABLE;
    const int code = file_reading_run(&ticky->reading, &reader, ticky);
    if (ticky->reading.stopped) return ticky->code;
    const bool is_read = code != TOOL_UNUSABLE; /* JSON is an object in any case */
    if (!is_text(ticky) && (is_read || settings->json) && !table_end(ticky->table, ticky->sink))
        return TOOL_UNUSABLE;
    if (settings->json) put_json_sections(ticky);
    return is_read ? report(ticky, code) : code;
}

/* Compiles the patterns, and makes the table of all sections; checks --sort in any case. Returns
 * the exit code, after a message. */
static int prepare(struct ticky *ticky)
{
    const struct ticky_settings *settings = ticky->settings;
    int code = label_choice_new(&ticky->choice, settings->include, settings->exclude);
    if (code == TOOL_OK)
        ticky->table = table_new("counters", ticky_columns, &settings->table, &code);
    return code;
}

static int run(void *settings, int argc, char **argv)
{
    struct ticky_settings *given = settings;
    struct ticky ticky = {.settings = given, .slices = {.entry_size = sizeof(struct slice_row)}};
    (void)argc;
    given->table.is_member = true;
    if (!given->every && is_text(&ticky) && !given->table.sort) given->table.sort = "allocs";
    if (!given->every) table_default_sort(&given->table, "allocs");
    int code = prepare(&ticky);
    if (is_text(&ticky)) {
        table_free(ticky.table);
        ticky.table = NULL;
    }
    if (code == TOOL_OK) {
        code = file_reading_open(&ticky.reading, argv[0], &given->interval, &given->output);
        if (code == TOOL_OK) {
            ticky.sink = sink_open(&given->output);
            code = ticky.sink ? sink_close(ticky.sink, print(&ticky)) : TOOL_UNUSABLE;
        }
        file_reading_close(&ticky.reading);
    }
    hectic_ticky_free(ticky.analysis);
    table_free(ticky.table);
    map_clear(&ticky.slices);
    label_choice_free(&ticky.choice);
    free(ticky.section);
    return code;
}

const struct verb verb_ticky = {
    .name = "ticky",
    .group = "Other verbs:",
    .brief = "ticky-ticky counters",
    .summary = "Report ticky-ticky counters: what is entered, and what allocates",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "For each counter of a program compiled with -ticky (GHC 9.2 or later) and run with "
            "+RTS -lT: how often its closure was entered; how many bytes its code allocated "
            "(allocs), their share of what the program allocated, and of what all counters "
            "allocated (ticked); bytes for each entry; and rates per second of the log, in the "
            "interval. Modules compiled without -ticky have no counters. What the program "
            "allocated is the growth of the counters that the runtime reports at collections "
            "(+RTS -lg), so in short intervals the shares are inexact.",
            "With -ticky-allocd, also how many bytes its closures were when they were allocated "
            "(allocd); and, with GHC 9.6 or later, how many closures these are (in a program "
            "without -prof, on a 64-bit machine), and how often each was entered on average: a "
            "thunk that is entered in 2% of cases is seldom needed. GHC's documentation calls "
            "allocs and allocd words; they are bytes. GHC 9.2 and later add the bytes of allocd to "
            "the entries by mistake; hectic reports that where constructors show it.",
            "Labels are those of GHC's .ticky reports: the type of closure in parentheses, and the "
            "function that a local closure is in. Arguments and free variables are a letter for "
            "each, lower case if it is unlifted: + dictionary, > function, C Char, D Double, E "
            "enumeration, F Float, I Int, L list, M type of several constructors, S of one, T "
            "tuple, W Word, P another primitive type, . another type. Types are fun, thk (a "
            "thunk), thk_u (one that is updated), con, lne (a let-no-escape binding), and tag: the "
            "entries are checks of pointer tags that were avoided. Module and location come from "
            "the log's info tables (ghc -finfo-table-map).",
            "The runtime writes a sample of all counters at the interval of +RTS -i; each "
            "counts at its time. With --every, a row for each counter with samples in a slice, by "
            "slice and allocation.",
            "JSON is one object: counters, with an object for each row; and sections, with the "
            "totals of each section of the log.",
            NULL},
    .columns = ticky_columns,
    .groups =
        (const struct option_group[]){
            {"Which part", interval_options, offsetof(struct ticky_settings, interval),
             interval_note},
            {"Table", ticky_options, 0, NULL},
            {"Table", table_options, offsetof(struct ticky_settings, table), table_note},
            {"Output", color_options, offsetof(struct ticky_settings, output), NULL},
            {"Output", output_options, offsetof(struct ticky_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic ticky --limit 20 LOG", "the code that allocates most"},
            {"hectic ticky --sort entries LOG", "what is entered most"},
            {"hectic ticky --every 1s --csv LOG > ticky.csv", "over time, for a spreadsheet"},
            {NULL, NULL}},
    .exits = {"Success; the log may be truncated.",
              "The log is damaged, has no samples of ticky counters, or lies outside of the "
              "interval; the rest was printed.",
              "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct ticky_settings),
    .run = run,
};
