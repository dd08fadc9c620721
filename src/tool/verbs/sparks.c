/* sparks.c — hectic sparks: the fate of sparks, by cap, over time, and one by one. */
#include "report/sparks_report.h"
#include "tool/cli/message.h"
#include "tool/output/cells.h"
#include "tool/passes/table_verb.h"

struct sparks_settings {
    struct table_verb_settings base;
    struct sparks_options options;
};

static const struct tool_option sparks_options[] = {
    {"every", 'n', "T", "rows for each slice of length T; for each spark", NULL,
     offsetof(struct sparks_settings, options.every), tool_set_duration},
    {"each", 0, NULL, NULL, NULL, offsetof(struct sparks_settings, options.each), tool_set_flag},
    {0},
};

struct sparks {
    const struct sparks_settings *settings;
    struct table_verb *base;
    struct table *table;
    struct sparks_sums sums;
};

static bool put_sum(struct sparks *sparks)
{
    static const hectic_spark_cap nothing;
    struct cell cell[SPARKS_COLUMNS] = {0};
    sparks_put_numbers(cell, !sparks->sums.by_counters, &nothing, &sparks->sums.all, 0,
                       sparks->settings->options.every > 0);
    cell[CELL_AT(sparks, pool_max)] = cell_unknown(); /* the maxima are of different times */
    return table_footer(sparks->table, cell);
}

/* The durations of sparks: a table of one row. */
static bool put_durations(const struct sparks *sparks)
{
    const struct table_settings settings = {.json = sparks->settings->base.table.json,
                                            .wide = sparks->settings->base.table.wide,
                                            .is_member = true};
    struct cell cell[SPARKS_DURATION_COLUMNS];
    sparks_put_durations(cell, &sparks->sums.durations);
    int code;
    struct table *table = table_new("durations", sparks_duration_columns, &settings, &code);
    const bool good =
        table && table_row(table, sparks->base->sink, cell) && table_end(table, sparks->base->sink);
    table_free(table);
    return good;
}

static bool put_rest(struct sparks *sparks)
{
    struct sink *sink = sparks->base->sink;
    if (sparks->sums.all.counter_resets > 0)
        tool_message("%s: warning: spark counters decreased %s; ignored",
                     tool_log_name(sparks->base->log.path),
                     quantity(sparks->sums.all.counter_resets, "time").text);
    if (sparks->settings->base.table.csv) return true;
    if (sparks->settings->base.table.json) {
        sink_print(sink, ",\n\"source\":\"%s\",\n", sparks->sums.by_events ? "events" : "counters");
        if (!put_durations(sparks)) return false;
        sink_print(sink, "}\n");
        return true;
    }
    if (!sparks->sums.by_events || sparks->settings->base.table.where) return true;
    sink_text(sink, "\n", 1);
    return put_durations(sparks);
}

static bool print(struct table_verb *base, void *user)
{
    struct sparks *sparks = user;
    struct table_rows rows;
    sparks->base = base;
    const bool done = sparks_rows(base->reading, table_rows(&rows, base, sparks->table),
                                  &sparks->settings->options, &sparks->sums);
    base->refused = sparks->sums.too_many;
    if (base->refused) tool_message("--every: more than %d rows", SPARKS_ROWS_MAX);
    return done && (sparks->settings->options.each || put_sum(sparks)) &&
           table_end(sparks->table, base->sink) && put_rest(sparks);
}

static int run(void *settings, int argc, char **argv)
{
    static const struct table_verb_need need = {"sparks",
                                                "ghc -threaded, sparks, and +RTS -lp or -lf",
                                                {HECTIC_EVENT_SPARK_COUNTERS,
                                                 HECTIC_EVENT_SPARK_CREATE, HECTIC_EVENT_RUN_SPARK},
                                                3,
                                                false},
                                        need_each = {
                                            "each spark",
                                            "ghc -threaded, sparks, and +RTS -lf",
                                            {HECTIC_EVENT_SPARK_RUN, HECTIC_EVENT_SPARK_STEAL,
                                             HECTIC_EVENT_RUN_SPARK, HECTIC_EVENT_STEAL_SPARK},
                                            4,
                                            false};
    (void)argc;
    struct sparks_settings *given = settings;
    struct sparks sparks = {.settings = given};
    int code = TOOL_USAGE;
    given->base.table.is_member = given->base.table.is_first = true;
    table_default_sort(&given->base.table, given->options.each ? "eval" : "converted");
    if (given->options.each && given->options.every)
        tool_usage_error("--each and --every cannot be combined");
    else
        sparks.table =
            table_new("sparks", given->options.each ? sparks_each_columns : sparks_columns,
                      &given->base.table, &code);
    if (sparks.table)
        code = table_verb_run(argv[0], &given->base, given->options.each ? &need_each : &need,
                              print, &sparks);
    table_free(sparks.table);
    hectic_histogram_clear(&sparks.sums.durations);
    return code;
}

const struct verb verb_sparks = {
    .name = "sparks",
    .group = "Other verbs:",
    .brief = "creation and fate of sparks",
    .summary = "Report the fate of sparks, by cap and over time",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "For each cap: how many sparks it created (+RTS -s and hectic stat call this number "
            "SPARKS); how many of them entered its pool (created), were dropped because the "
            "pool was full (overflowed), or were already evaluated (dud); of those that entered "
            "the pool, how many were evaluated (converted), dropped by the collector (GC'd), or "
            "already evaluated at their turn (fizzled); how many it ran from its own pool, stole "
            "from other caps, and lost to them; the size of its pool at the end, and at most; and "
            "the mean time that sparks waited in it. Then the time of evaluating a spark.",
            "If the log has an event for each spark (+RTS -lf), these are counted; otherwise "
            "the counters that the runtime writes from time to time (+RTS -lp). Their growth "
            "counts at the time of the event, and the size of a pool is only known then.",
            "--each, which needs +RTS -lf, prints a row for each spark that was evaluated (the "
            "intended output of ghc-events sparks-csv): when it was started and finished, how long "
            "its thread did not run in between (idle), and the rest (evaluating).",
            "Percentiles are within 1/128 of their value. JSON is one object: sparks, with an "
            "object for each row; source, which is events or counters; and durations.",
            NULL},
    .columns = sparks_columns,
    .groups =
        (const struct option_group[]){
            {"Which part", interval_options,
             offsetof(struct sparks_settings, base) +
                 offsetof(struct table_verb_settings, interval),
             interval_note},
            {"Which part", process_options,
             offsetof(struct sparks_settings, base) +
                 offsetof(struct table_verb_settings, interval),
             process_note},
            {"Table", sparks_options, 0, NULL},
            {"Table", table_options,
             offsetof(struct sparks_settings, base) + offsetof(struct table_verb_settings, table),
             table_note},
            {"Output", color_options,
             offsetof(struct sparks_settings, base) + offsetof(struct table_verb_settings, output),
             NULL},
            {"Output", output_options,
             offsetof(struct sparks_settings, base) + offsetof(struct table_verb_settings, output),
             NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples = (const struct example[]){{"hectic sparks Main.eventlog", "were they worth it?"},
                                         {"hectic sparks --every 10ms --csv LOG", "over time"},
                                         {"hectic sparks --each --csv Main.eventlog >sparks.csv",
                                          "every spark"},
                                         {NULL, NULL}},
    .exits = TABLE_VERB_EXITS("sparks"),
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct sparks_settings),
    .run = run,
};
