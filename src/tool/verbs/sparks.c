/* sparks.c — hectic sparks: the fate of sparks, by cap, over time, and one by one. */
#include "report/sparks_report.h"
#include "tool/cli/message.h"
#include "tool/passes/table_verb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sparks_settings {
    struct table_verb_settings base;
    uint64_t every; /* ns; 0: the whole interval */
    bool each;
};

static const struct tool_option sparks_options[] = {
    {"every", 'n', "T", "rows for each slice of length T; for each spark", NULL,
     offsetof(struct sparks_settings, every), tool_set_duration},
    {"each", 0, NULL, NULL, NULL, offsetof(struct sparks_settings, each), tool_set_flag},
    {0},
};

enum { ROWS_MAX = 10000000 };

/* What is kept for a process. */
struct spark_part {
    hectic_sparks *analysis;
    uint64_t slice;           /* start of the slice */
    hectic_spark_cap *before; /* by cap: its numbers when the slice began */
    uint32_t caps;
    bool by_events; /* the log has an event for each spark */
};

struct sparks {
    const struct sparks_settings *settings;
    struct table_verb *base;
    struct table *table;
    struct spark_part *part;     /* the current one */
    bool by_events, by_counters; /* what the logs of the processes have */
    uint64_t rows;               /* of slices so far */
    hectic_spark_cap sum;        /* of all caps and sections */
    hectic_histogram durations;
};

/* --- Caps ------------------------------------------------------------------------------------ */

static bool put_cap(struct sparks *sparks, const hectic_spark_cap *cap, uint64_t to)
{
    static const hectic_spark_cap nothing;
    const bool sliced = sparks->settings->every > 0;
    const uint64_t length = sliced ? to - sparks->part->slice : sparks->base->duration;
    struct cell cell[SPARKS_COLUMNS];
    struct cell *next = cell + reading_cells(sparks->base->reading, cell);
    *next++ = cell_if(sliced, sparks->part->slice);
    *next++ = cell_if(sliced, to);
    *next++ = cell_number(cap->cap);
    sparks_put_numbers(cell, sparks->part->by_events,
                       sliced ? &sparks->part->before[cap->cap] : &nothing, cap, length, sliced);
    return table_row(sparks->table, sparks->base->sink, cell) && !sink_failed(sparks->base->sink);
}

static bool grow_before(struct sparks *sparks, uint16_t cap)
{
    if (cap < sparks->part->caps) return true;
    const uint32_t wanted = 2 * (cap + UINT32_C(1)), caps = wanted < 65536 ? wanted : 65536;
    hectic_spark_cap *grown = realloc(sparks->part->before, caps * sizeof *grown);
    if (!grown) return false;
    memset(grown + sparks->part->caps, 0, (caps - sparks->part->caps) * sizeof *grown);
    sparks->part->before = grown;
    sparks->part->caps = caps;
    return true;
}

static bool refuse_rows(struct table_verb *base)
{
    tool_message("--every: more than %d rows", ROWS_MAX);
    base->refused = true;
    return false;
}

/* A row for each cap, for the slice up to `to` or the section. */
static bool put_caps(struct sparks *sparks, uint64_t to)
{
    const uint32_t caps = hectic_sparks_caps(sparks->part->analysis);
    sparks->rows += caps > 0 ? caps : 1; /* a slice without rows counts, too */
    if (sparks->rows > ROWS_MAX) return refuse_rows(sparks->base);
    for (uint32_t i = 0; i < caps; i++) {
        hectic_spark_cap cap;
        hectic_sparks_cap(sparks->part->analysis, i, to, &cap);
        if (sparks->settings->every && !grow_before(sparks, cap.cap)) return false;
        if (!put_cap(sparks, &cap, to)) return false;
        if (sparks->settings->every) sparks->part->before[cap.cap] = cap;
    }
    return true;
}

/* Resets the caps of the section. */
static void clear_before(struct sparks *sparks)
{
    static const hectic_spark_cap nothing;
    const uint32_t caps = sparks->settings->every ? hectic_sparks_caps(sparks->part->analysis) : 0;
    for (uint32_t i = 0; i < caps; i++) {
        hectic_spark_cap cap;
        hectic_sparks_cap(sparks->part->analysis, i, 0, &cap);
        if (cap.cap < sparks->part->caps) sparks->part->before[cap.cap] = nothing;
    }
}

/* Adds the caps of the section to the sums. */
static bool add_section(struct sparks *sparks, uint64_t now)
{
    hectic_spark_cap *sum = &sparks->sum;
    const uint32_t caps = hectic_sparks_caps(sparks->part->analysis);
    for (uint32_t i = 0; i < caps; i++) {
        hectic_spark_cap cap;
        hectic_sparks_cap(sparks->part->analysis, i, now, &cap);
        sparks_add_cap(sum, &cap, sparks->part->by_events);
    }
    return hectic_histogram_merge(&sparks->durations,
                                  hectic_sparks_durations(sparks->part->analysis));
}

static bool put_sum(struct sparks *sparks)
{
    static const hectic_spark_cap nothing;
    struct cell cell[SPARKS_COLUMNS] = {0};
    sparks_put_numbers(cell, !sparks->by_counters, &nothing, &sparks->sum, 0,
                       sparks->settings->every > 0);
    cell[CELL_AT(sparks, pool_max)] = cell_unknown(); /* the maxima are of different times */
    return table_footer(sparks->table, cell);
}

/* --- Each spark ------------------------------------------------------------------------------ */

static bool take(void *user, const hectic_spark *spark)
{
    const struct sparks *sparks = user;
    struct cell cell[CELLS_OF(sparks_each)];
    const union sparks_each_row values = {
        .start_ns = cell_number(spark->started),
        .end_ns = cell_number(spark->finished),
        .duration_ns = cell_number(spark->finished - spark->started),
        .idle_ns = cell_number(spark->idle),
        .eval_ns = cell_number(spark->finished - spark->started - spark->idle),
        .thread = cell_number(spark->thread),
        .cap = cell_number(spark->cap),
        .from_cap = cell_number(spark->from),
    };
    reading_cells(sparks->base->reading, cell);
    cells_after_reading(cell, values.cells, CELLS_OF(sparks_each));
    return table_row(sparks->table, sparks->base->sink, cell) && !sink_failed(sparks->base->sink);
}

static bool has_event_of_each(const struct reading *reading)
{
    static const uint16_t events[] = {HECTIC_EVENT_SPARK_CREATE,   HECTIC_EVENT_SPARK_DUD,
                                      HECTIC_EVENT_SPARK_OVERFLOW, HECTIC_EVENT_SPARK_RUN,
                                      HECTIC_EVENT_SPARK_STEAL,    HECTIC_EVENT_SPARK_FIZZLE,
                                      HECTIC_EVENT_SPARK_GC,       HECTIC_EVENT_RUN_SPARK,
                                      HECTIC_EVENT_STEAL_SPARK,    HECTIC_EVENT_CREATE_SPARK};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (reading_has_type(reading, events[i])) return true;
    return false;
}

static void note_source(struct sparks *sparks, bool by_events)
{
    sparks->by_events |= by_events;
    sparks->by_counters |= !by_events;
}

/* --- Reading --------------------------------------------------------------------------------- */

static bool begin(const struct reading *reading)
{
    struct sparks *sparks = reading->user;
    struct spark_part *part = sparks->part = reading->kept;
    part->by_events = has_event_of_each(reading);
    note_source(sparks, part->by_events);
    part->analysis = hectic_sparks_new(reading->interval.from, reading->interval.to,
                                       sparks->settings->each ? take : NULL, sparks);
    return part->analysis;
}

READER_EVENTS(hectic_sparks)

static bool end_slice(const struct reading *reading, uint64_t from, uint64_t to)
{
    struct sparks *sparks = reading->user;
    sparks->part = reading->kept;
    sparks->part->slice = from;
    return put_caps(sparks, to);
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct sparks *sparks = reading->user;
    sparks->part = reading->kept;
    hectic_sparks_end(sparks->part->analysis, now);
    const bool has_rows = !sparks->settings->each && !sparks->settings->every;
    if (has_rows && !put_caps(sparks, now)) return false;
    const bool done = add_section(sparks, now);
    clear_before(sparks);
    hectic_sparks_free(sparks->part->analysis);
    sparks->part->analysis = NULL;
    return done;
}

static void finish(const struct reading *reading)
{
    struct spark_part *part = reading->kept;
    hectic_sparks_free(part->analysis);
    free(part->before);
}

/* --- Printing -------------------------------------------------------------------------------- */

/* The durations of sparks: a table of one row. */
static bool put_durations(const struct sparks *sparks)
{
    const struct table_settings settings = {.json = sparks->settings->base.table.json,
                                            .wide = sparks->settings->base.table.wide,
                                            .is_member = true};
    struct cell cell[SPARKS_DURATION_COLUMNS];
    sparks_put_durations(cell, &sparks->durations);
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
    if (sparks->sum.counter_resets > 0)
        tool_message("%s: warning: spark counters decreased %" PRIu64 " times; ignored",
                     tool_log_name(sparks->base->log.path), sparks->sum.counter_resets);
    if (sparks->settings->base.table.csv) return true;
    if (sparks->settings->base.table.json) {
        sink_print(sink, ",\n\"source\":\"%s\",\n", sparks->by_events ? "events" : "counters");
        if (!put_durations(sparks)) return false;
        sink_print(sink, "}\n");
        return true;
    }
    if (!sparks->by_events) return true;
    sink_text(sink, "\n", 1);
    return put_durations(sparks);
}

static bool print(struct table_verb *base, void *user)
{
    struct sparks *sparks = user;
    const uint64_t every = sparks->settings->every;
    const struct reader reader = {.size = sizeof(struct spark_part),
                                  .begin = begin,
                                  .events = events,
                                  .end = end,
                                  .finish = finish,
                                  .end_slice = every ? end_slice : NULL,
                                  .every = every};
    sparks->base = base;
    if (base->reading->several) table_show_processes(sparks->table);
    if (base->reading->sections == 0) note_source(sparks, has_event_of_each(base->reading));
    if (every && base->duration / every > ROWS_MAX) return refuse_rows(base);
    if (base->settings->table.json) sink_text(base->sink, "{", 1);
    return reading_all(base->reading, &reader, sparks) &&
           (sparks->settings->each || put_sum(sparks)) && table_end(sparks->table, base->sink) &&
           put_rest(sparks);
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
    given->base.table.is_member = true;
    table_default_sort(&given->base.table, given->each ? "eval" : "converted");
    if (given->each && given->every)
        tool_usage_error("--each and --every cannot be combined");
    else
        sparks.table = table_new("sparks", given->each ? sparks_each_columns : sparks_columns,
                                 &given->base.table, &code);
    if (sparks.table)
        code =
            table_verb_run(argv[0], &given->base, given->each ? &need_each : &need, print, &sparks);
    table_free(sparks.table);
    hectic_histogram_clear(&sparks.durations);
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
