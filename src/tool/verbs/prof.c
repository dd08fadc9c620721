/* prof.c — hectic prof: where the time goes. */
#include "tool/verbs/prof/prof.h"
#include "tool/cli/message.h"
#include "tool/output/cells.h"

#include "format/stack_wire.h"
#include "tool/passes/table_verb.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 20 /* in text, without --limit */, COLUMNS_MAX = 16 };

struct prof {
    struct prof_settings *settings;
    struct file_reading reading;
    struct sink *sink;
    struct table *table;          /* of all sections; NULL: each profile has its own */
    struct pattern *focus;        /* or NULL */
    hectic_time_profile *profile; /* of the section; NULL with --every */
    struct prof_slices *slices;   /* of the section, with --every */
    hectic_stat *stat;            /* of the section, until it has a sample */
    bool has_begun;               /* the log has a PROF_BEGIN */
    bool has_samples;             /* of the source, anywhere in the log */
    bool any;                     /* something has been printed */
    bool reported;                /* an error */
};

/* --- The options ----------------------------------------------------------------------------- */

static const char weight_words[] = "ticks time"; /* as in enum hectic_time_column */

static bool set_weight(void *field, const char *argument)
{
    const int weight = tool_choose(argument, weight_words);
    if (weight >= 0) *(enum hectic_time_column *)field = (enum hectic_time_column)weight;
    return weight >= 0;
}

static const char source_words[] = "cost-centres call-stacks"; /* as in enum prof_source */

static bool set_source(void *field, const char *argument)
{
    const int source = tool_choose(argument, source_words);
    if (source >= 0) *(enum prof_source *)field = (enum prof_source)(PROF_COST_CENTRES + source);
    return source >= 0;
}

static const struct tool_option view_options[] = {
    {"tree", 0, NULL, "stacks below their callers; the hottest stacks", NULL,
     offsetof(struct prof_settings, tree), tool_set_flag},
    {"stacks", 0, NULL, NULL, NULL, offsetof(struct prof_settings, stacks), tool_set_flag},
    {"flame", 0, NULL, "a flame graph; levels of it and of --tree", NULL,
     offsetof(struct prof_settings, flame), tool_set_flag},
    {"depth", 0, "N", NULL, NULL, offsetof(struct prof_settings, depth), tool_set_count},
    {"every", 0, "TIME", "what the caps did, in slices of that length", NULL,
     offsetof(struct prof_settings, every), tool_set_duration},
    {0},
};

static const struct tool_option part_options[] = {
    {"cap", 0, "N", "samples of this cap; stacks with such a frame", NULL,
     offsetof(struct prof_settings, cap), tool_set_cap},
    {"focus", 0, "REGEX", NULL, NULL, offsetof(struct prof_settings, focus), tool_set_text},
    {"source", 0, "SOURCE", "the samples of cost-centres or call-stacks", source_words,
     offsetof(struct prof_settings, source), set_source},
    {"weight", 0, "WEIGHT", "count ticks, or the time between samples", weight_words,
     offsetof(struct prof_settings, weight), set_weight},
    {0},
};

/* Reports options that cannot be combined. */
static bool are_combinable(const struct prof_settings *s)
{
    const struct {
        bool is_given;
        const char *name;
    } views[] = {{s->tree, "--tree"},
                 {s->stacks, "--stacks"},
                 {s->flame, "--flame"},
                 {s->every > 0, "--every"}};
    const char *view = NULL;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        if (!views[i].is_given) continue;
        if (view)
            return tool_usage_error("%s and %s cannot be combined", view, views[i].name), false;
        view = views[i].name;
    }
    const bool has_order = s->tree || s->stacks || s->flame;
    const struct {
        bool is_wrong;
        const char *option;
    } rules[] = {{has_order && s->table.sort, "--sort"}, {s->flame && s->table.limit, "--limit"},
                 {s->flame && s->table.wide, "--wide"},  {s->flame && s->table.json, "--json"},
                 {s->flame && s->table.csv, "--csv"},    {s->every > 0 && s->focus, "--focus"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].is_wrong)
            return tool_usage_error("%s and %s cannot be combined", view, rules[i].option), false;
    if (s->depth > 0 && !s->tree && !s->flame)
        return tool_usage_error("--depth needs --tree or --flame"), false;
    return table_forms_agree(&s->table);
}

/* --- Printing -------------------------------------------------------------------------------- */

static const struct table_column *columns_of(const struct prof_settings *settings)
{
    return settings->every    ? prof_every_columns
           : settings->tree   ? prof_tree_columns
           : settings->stacks ? prof_stacks_columns
                              : prof_columns;
}

static const char *title_of(const struct prof_settings *settings)
{
    return settings->every ? "slices" : settings->tree ? "tree" : "frames";
}

static bool put_rows(struct prof_view *view, struct table *table, struct sink *sink)
{
    const struct prof_settings *settings = view->settings;
    return settings->tree     ? prof_put_tree(view, table, sink)
           : settings->stacks ? prof_put_stacks(view, table, sink)
           : settings->flame  ? prof_put_flame(view, sink)
                              : prof_put_table(view, table, sink);
}

/* Copies columns; those of call stacks have other titles. */
static void name_columns(struct table_column *to, const struct table_column *from,
                         hectic_time_source source)
{
    static const char *const titles[][2] = {
        {"Cost centre", "Function"}, {"Ticks", "Samples"}, {"Inh. ticks", "Inh. samples"}};
    size_t i = 0;
    for (; from[i].name; i++) {
        to[i] = from[i];
        for (size_t t = 0; t < sizeof titles / sizeof *titles; t++)
            if (source == HECTIC_TIME_CALL_STACKS && strcmp(from[i].title, titles[t][0]) == 0)
                to[i].title = titles[t][1];
    }
    to[i] = (struct table_column){0};
}

/* The rows, in a table of their own if there is none for all sections. */
static bool put_table(struct prof *prof, struct prof_view *view)
{
    const struct prof_settings *settings = prof->settings;
    const bool is_listed = !settings->stacks && !settings->flame;
    if (prof->table || !is_listed) return put_rows(view, prof->table, prof->sink);
    struct table_settings table_settings = settings->table;
    const bool is_cut = prof_is_text(settings) && !settings->tree && !settings->table.limit;
    if (is_cut) table_settings.limit = ROWS;
    table_settings.is_member = true;
    struct table_column columns[COLUMNS_MAX];
    name_columns(columns, columns_of(settings), view->report.source);
    int code;
    struct table *table = table_new(settings->table.json ? title_of(settings) : NULL, columns,
                                    &table_settings, &code);
    if (table && settings->tree) table_cut_texts(table);
    const bool done = table && put_rows(view, table, prof->sink) && table_end(table, prof->sink);
    table_free(table);
    if (done && is_cut && view->rows > ROWS)
        sink_print(prof->sink, "(%s: --limit N)\n", quantity(view->rows - ROWS, "more row").text);
    return done;
}

static bool put_profile(struct prof *prof, hectic_time_source source)
{
    struct prof_view view = {.settings = prof->settings,
                             .report = {.section = prof->reading.section, .source = source}};
    struct sink *sink = prof->sink;
    const bool is_text = prof_is_text(prof->settings), is_json = prof->settings->table.json;
    bool done = prof_view_new(&view, prof->profile, prof->focus);
    if (done && is_json) {
        sink_print(sink, prof->any ? ",\n{" : "\n{");
        prof_put_members(&view, sink);
    }
    if (done && is_text) done = prof_put_headline(&view, sink);
    done = done && put_table(prof, &view);
    if (done && is_json) sink_print(sink, "}");
    const struct prof_settings *s = prof->settings;
    if (done && is_text && !s->tree && !s->stacks && !s->flame)
        prof_put_next(&view, prof->reading.path, sink);
    prof_view_clear(&view);
    prof->any = true;
    return done;
}

static void put_warnings(const struct prof *prof, const hectic_time_warnings *warnings)
{
    const char *name = tool_log_name(prof->reading.path);
    if (warnings->malformed > 0)
        tool_message("%s: warning: left out %s of the profile, too short", name,
                     quantity(warnings->malformed, "event").text);
    if (warnings->messages > 0)
        tool_message("%s: warning: left out %s of ghc-stack-profiler, malformed or incomplete",
                     name, quantity(warnings->messages, "message").text);
    if (warnings->omitted > 0)
        tool_message("%s: warning: %s with stacks beyond the limit of 1,000,000 nodes, or of "
                     "memory for names, counted as one stack",
                     name, quantity(warnings->omitted, "sample").text);
}

/* --- Reading --------------------------------------------------------------------------------- */

static void clear_section(struct prof *prof)
{
    hectic_time_profile_free(prof->profile);
    prof_slices_free(prof->slices);
    hectic_stat_free(prof->stat);
    prof->profile = NULL;
    prof->slices = NULL;
    prof->stat = NULL;
}

static bool begin(void *user, const hectic_header *header)
{
    struct prof *prof = user;
    const struct prof_settings *settings = prof->settings;
    const struct interval *interval = &prof->reading.interval;
    const hectic_time_profile_options options = {
        .from = interval->from,
        .to = interval->to,
        .has_cap = settings->cap.is_set,
        .cap = settings->cap.number,
    };
    (void)header;
    clear_section(prof);
    if (settings->every)
        prof->slices = prof_slices_new(settings, interval);
    else
        prof->profile = hectic_time_profile_new(&options);
    if (!prof->has_samples) prof->stat = hectic_stat_new();
    return (prof->slices || prof->profile) && (prof->has_samples || prof->stat);
}

/* Is it a sample: a tick, or the last part of a call stack? */
static bool is_sample(const hectic_event *event)
{
    return event->type == HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE || stack_wire_is_last(event);
}

static bool event(void *user, const hectic_event *event)
{
    struct prof *prof = user;
    prof->has_begun |= event->type == HECTIC_EVENT_PROF_BEGIN;
    if (prof->stat && !hectic_stat_event(prof->stat, event)) return false;
    if (prof->stat && is_sample(event)) {
        prof->has_samples = true;
        hectic_stat_free(prof->stat);
        prof->stat = NULL;
    }
    return prof->slices ? prof_slices_event(prof->slices, event)
                        : hectic_time_profile_event(prof->profile, event);
}

/* Sets *source to the one that is printed. False: it has no samples. */
static bool choose_source(struct prof *prof, hectic_time_source *source, bool *done)
{
    hectic_time_totals totals;
    const enum prof_source wanted = prof->settings->source;
    *done = prof_report_source(prof->profile, source);
    if (wanted != PROF_EITHER) *source = wanted - PROF_COST_CENTRES;
    *done = *done && hectic_time_profile_totals(prof->profile, *source, &totals);
    return *done && totals.samples > 0;
}

static bool end(void *user)
{
    struct prof *prof = user;
    hectic_time_source source;
    bool done;
    const hectic_time_warnings warnings = prof->slices
                                              ? prof_slices_warnings(prof->slices)
                                              : hectic_time_profile_warnings(prof->profile);
    put_warnings(prof, &warnings);
    if (prof->slices)
        return prof_slices_put(prof->slices, prof->reading.section, prof->table, prof->sink,
                               &prof->any);
    if (!choose_source(prof, &source, &done)) return done;
    return put_profile(prof, source);
}

/* --- The verb -------------------------------------------------------------------------------- */

/* Explains why nothing was printed. */
static int report_nothing(const struct prof *prof)
{
    const struct prof_settings *settings = prof->settings;
    const char *name = tool_log_name(prof->reading.path);
    if (!prof->has_samples && prof->has_begun && !prof->reading.is_cut)
        tool_message("%s: the time profile has no samples: the program ran for less than a tick, "
                     "or with profiling off",
                     name);
    else if (!prof->has_samples)
        logs_report_none(prof->reading.path, prof->reading.is_cut, "events of a time profile",
                         "they need ghc -prof and +RTS -p -l; or the package ghc-stack-profiler, "
                         "without -prof");
    else if (prof->reading.has_events)
        tool_message("%s: the time profile has no samples in this part of the log%s", name,
                     settings->cap.is_set || settings->source ? ", cap and source" : "");
    return TOOL_DAMAGED;
}

static int report_failure(struct prof *prof)
{
    if (prof->slices && prof_slices_are_too_many(prof->slices)) {
        tool_usage_error("too many slices for --every; use a longer TIME, or --from and --to");
        return TOOL_USAGE;
    }
    if (!sink_failed(prof->sink) && !prof->reported) tool_message("out of memory");
    return TOOL_UNUSABLE;
}

static int print(struct prof *prof)
{
    static const struct file_reader reader = {
        .begin = begin, .event = event, .end = end, .of_one_process = true};
    const struct prof_settings *settings = prof->settings;
    const bool is_json = settings->table.json, is_array = is_json && !settings->every;
    if (is_array) sink_print(prof->sink, "{\"profiles\":[");
    if (is_json && settings->every) sink_print(prof->sink, "{");
    int code = file_reading_run(&prof->reading, &reader, prof);
    if (prof->reading.stopped) return report_failure(prof);
    const bool is_read = code != TOOL_UNUSABLE; /* JSON is an object in any case */
    if (prof->table && (is_read || is_json) && !table_end(prof->table, prof->sink))
        return TOOL_UNUSABLE;
    if (is_array) sink_print(prof->sink, "\n]");
    if (is_read && !prof->any) {
        code = report_nothing(prof);
        if (prof->stat && !prof_put_without(prof->stat, settings, prof->reading.path, prof->sink))
            return TOOL_UNUSABLE;
    }
    if (is_json) sink_print(prof->sink, "}\n");
    return code;
}

/* Makes the table: the one of all sections, or to check --sort. */
static bool make_table(struct prof *prof, int *code)
{
    struct prof_settings *settings = prof->settings;
    struct table_settings *table = &settings->table;
    const bool has_order = settings->tree || settings->stacks || settings->flame;
    if (!settings->every && !has_order && !table->sort)
        table->sort = settings->weight == HECTIC_TIME_TICKS ? "own_ticks" : "own_ns";
    table->is_member = table->json;
    prof->table =
        table_new(table->json ? title_of(settings) : NULL, columns_of(settings), table, code);
    if (!prof->table) return false;
    if (settings->tree || settings->every) table_cut_texts(prof->table);
    if (!table->csv && !settings->every) {
        table_free(prof->table);
        prof->table = NULL;
    }
    return true;
}

static int run(void *settings, int argc, char **argv)
{
    (void)argc;
    struct prof prof = {.settings = settings};
    const struct prof_settings *own = settings;
    int code = TOOL_USAGE;
    if (!are_combinable(own) || !make_table(&prof, &code)) return code;
    if (own->focus) prof.focus = pattern_new(own->focus, "focus", &code);
    if (code == TOOL_OK)
        code = file_reading_open(&prof.reading, argv[0], &own->interval, &own->output);
    if (code == TOOL_OK) {
        prof.sink = sink_open(&own->output);
        code = prof.sink ? sink_close(prof.sink, print(&prof)) : TOOL_UNUSABLE;
    }
    clear_section(&prof);
    file_reading_close(&prof.reading);
    pattern_free(prof.focus);
    table_free(prof.table);
    return code;
}

const struct verb verb_prof = {
    .name = "prof",
    .group = "My program is slow",
    .brief = "time by cost centre, tree, flame graph",
    .summary = "Show where the time goes, by cost centre or call stack",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "Adds up the samples of a time profile. There are two sources. Cost centres: a program "
            "compiled with ghc -prof (and -fprof-auto, or SCC pragmas) and run with +RTS -p -l "
            "writes the cost-centre stack of each cap at each tick, usually 1,000 times a second. "
            "Call stacks: the package ghc-stack-profiler writes the stacks of threads, without "
            "-prof; compile with -finfo-table-map to see names.",
            "The first lines show what the caps did: run the program, collect garbage (GC), "
            "nothing (idle), or work of the runtime (SYSTEM). All further shares are of the "
            "program's own time, as in GHC's .prof files: the ticks of a cost centre are those of "
            "the .prof file of the same run. (The runtime reads the current cost centre once for "
            "each: if it changes in between, the tick counts for different ones.) Own is the time "
            "in a cost centre itself; inherited adds what it calls, and counts recursion once. The "
            "log does not record allocation and entries.",
            "--tree prints each stack below its callers, --depth levels of it; in text, subtrees "
            "under 1 % are one row, and so are calls without a branch. --stacks prints the stacks "
            "with the most ticks, innermost frame first. --flame draws the tree as wide as the "
            "terminal: --depth levels (default 40). --every prints a row for each slice of that "
            "length: what the caps did, and the cost centre with the most ticks; percentages are "
            "of all samples.",
            "--focus keeps the stacks with a frame whose MODULE.LABEL matches (PCRE2), without its "
            "callers; it cannot be combined with --every. --source: cost centres are the default "
            "if there are any.",
            "--weight time weighs a sample with the time since the cap's previous one instead of "
            "counting it; after a gap of more than 4 ticks, with one tick.",
            "JSON is one object: profiles, with an object for each section: its sums, caps, and "
            "frames, tree or stacks; with --every: slices.",
            NULL},
    .columns = prof_columns,
    .groups =
        (const struct option_group[]){
            {"View", view_options, 0, NULL},
            {"View", table_options, offsetof(struct prof_settings, table), table_note},
            {"Which part", part_options, 0, NULL},
            {"Which part", interval_options, offsetof(struct prof_settings, interval),
             interval_note},
            {"Output", color_options, offsetof(struct prof_settings, output), NULL},
            {"Output", output_options, offsetof(struct prof_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){{"hectic prof Main.eventlog", "which cost centres?"},
                                 {"hectic prof --flame --focus Parser LOG", "what does Parser do?"},
                                 {"hectic prof --every 1s LOG", "how does it change?"},
                                 {"hectic prof --tree --json LOG", "the tree, for programs"},
                                 {NULL, NULL}},
    .exits = TABLE_VERB_EXITS("a time profile"),
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct prof_settings),
    .run = run,
};
