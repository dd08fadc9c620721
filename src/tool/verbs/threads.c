/* threads.c — hectic threads: lists Haskell threads, and how they spent their time. */
#include "read/decode/running.h"
#include "report/threads_report.h"
#include "tool/output/cells.h"
#include "tool/output/gaps.h"
#include "tool/passes/table_verb.h"

#include <string.h>

struct threads_settings {
    struct table_verb_settings base;
    bool os;
};

static const struct tool_option threads_options[] = {
    {"os", 0, NULL, "the OS threads that run the caps", NULL, offsetof(struct threads_settings, os),
     tool_set_flag},
    {0},
};

/* Rows of the runtime's threads in text: a program may have a finalizer thread for each collection.
 */
enum { RUNTIME_ROWS = 1000, TERMINAL_ROWS = 20 };

struct threads {
    const struct table_verb *base;
    struct table *table;
    struct table *runtime_table; /* in text, for the runtime's threads; otherwise NULL */
    struct table_settings settings, runtime_settings;
    bool is_short; /* the limit is that of a terminal */
    struct threads_sums sums;
};

/* In text, the runtime's threads have a table of their own. */
static bool take_row(void *user, const struct cell *cells)
{
    const struct threads *threads = user;
    const bool is_runtime =
        strcmp(cells[CELL_AT(threads, kind)].text, threads_kind_name(THREADS_RUNTIME)) == 0;
    struct table *table =
        is_runtime && threads->runtime_table ? threads->runtime_table : threads->table;
    return table_row(table, threads->base->sink, cells) && !sink_failed(threads->base->sink);
}

/* --- Sums ------------------------------------------------------------------------------------ */

static bool put_footer(struct table *table, const struct threads_kind_sums *sums)
{
    struct cell cell[THREADS_COLUMNS];
    for (size_t i = 0; i < THREADS_FIRST_TIME; i++)
        cell[i] = cell_unknown();
    size_t i = threads_put_times(cell, sums->ns);
    cell[i++] = cell_number(sums->runs);
    cell[i++] = cell_number(sums->migrations);
    cell[i++] = cell_unknown();
    cell[i++] = cell_unknown();
    return table_footer(table, cell);
}

static bool end_table(const struct threads *threads, struct table *table,
                      const struct threads_kind_sums *sums)
{
    struct sink *sink = threads->base->sink;
    if (!put_footer(table, sums) || !table_end(table, sink)) return false;
    if (threads->is_short && sums->count > TERMINAL_ROWS)
        sink_print(sink, "(%s: --limit N)\n",
                   quantity(sums->count - TERMINAL_ROWS, "more thread").text);
    return true;
}

static bool end_tables(struct threads *threads)
{
    if (!end_table(threads, threads->table, &threads->sums.kind[THREADS_PROGRAM])) return false;
    if (!threads->runtime_table || threads->sums.kind[THREADS_RUNTIME].count == 0) return true;
    sink_text(threads->base->sink, "\n", 1);
    return end_table(threads, threads->runtime_table, &threads->sums.kind[THREADS_RUNTIME]);
}

/* In text, of the program's threads: the runtime's wait all the time. */
static bool put_totals(struct threads *threads, const hectic_thread_totals *all)
{
    const struct table_settings settings = {
        .json = threads->settings.json, .wide = threads->settings.wide, .is_member = true};
    const bool is_part = threads->sums.kind[THREADS_RUNTIME].count > 0;
    hectic_thread_totals program = {0};
    memcpy(program.ns, threads->sums.kind[THREADS_PROGRAM].ns, sizeof program.ns);
    const hectic_thread_totals *totals = settings.json ? all : &program;
    int code;
    struct table *table =
        table_new(settings.json || !is_part ? "totals" : "totals, without the runtime's threads",
                  threads_total_columns, &settings, &code);
    bool good = table != NULL;
    for (size_t i = 0; i < HECTIC_THREAD_STATES && good; i++) {
        struct cell cell[THREADS_TOTAL_COLUMNS];
        threads_put_total(cell, totals, threads_states[i]);
        if (cell[1].number > 0 || settings.json) good = table_row(table, threads->base->sink, cell);
    }
    good = good && table_end(table, threads->base->sink);
    table_free(table);
    return good;
}

static bool put_summary(struct threads *threads, const hectic_thread_totals *totals)
{
    struct sink *sink = threads->base->sink;
    if (threads->base->settings->table.json) {
        sink_text(sink, ",\n", 2);
        if (!put_totals(threads, totals)) return false;
        sink_text(sink, ",\n", 2);
        struct json json = json_on_sink(sink);
        threads_put_sums(&json, totals, threads->sums.has_live_max, &threads->sums.gaps);
        sink_text(sink, "}\n", 2);
        return true;
    }
    if (threads->base->settings->table.csv) {
        gaps_note(threads->base->log.path, &threads->sums.gaps);
        return true;
    }
    if (threads->settings.where) return true; /* these sums are of all threads */
    sink_text(sink, "\n", 1);
    if (!put_totals(threads, totals)) return false;
    sink_print(sink, "\n%s (", quantity(totals->threads, "thread").text);
    if (threads->sums.kind[THREADS_RUNTIME].count > 0)
        sink_print(sink, "%s of the runtime, ",
                   printed(CELL_COUNT, threads->sums.kind[THREADS_RUNTIME].count).text);
    sink_print(sink, "%s for sparks)\n%s born, %s ended",
               printed(CELL_COUNT, totals->spark_threads).text,
               printed(CELL_COUNT, totals->born).text, printed(CELL_COUNT, totals->ended).text);
    if (threads->sums.has_live_max)
        sink_print(sink, ", at most %s alive at a time",
                   printed(CELL_COUNT, totals->live_max).text);
    sink_text(sink, "\n", 1);
    gaps_print(sink, "Gaps: ", &threads->sums.gaps);
    return true;
}

static bool print(struct table_verb *base, void *user)
{
    struct threads *threads = user;
    threads->base = base;
    if (base->reading->several) {
        table_show_processes(threads->table);
        if (threads->runtime_table) table_show_processes(threads->runtime_table);
    }
    return threads_rows(base->reading, &(struct row_taker){take_row, threads}, &threads->sums) &&
           end_tables(threads) && put_summary(threads, &threads->sums.totals);
}

/* False: after a message. */
static bool make_tables(struct threads *threads, const struct table_verb_settings *given, int *code)
{
    struct table_settings *settings = &threads->settings;
    *settings = given->table;
    settings->is_member = settings->is_first = true;
    const bool is_text = !settings->json && !settings->csv;
    threads->is_short = is_text && !settings->limit && sink_is_for_terminal(&given->output);
    if (threads->is_short) settings->limit = TERMINAL_ROWS;
    table_default_sort(settings, "running");
    threads->table = table_new("threads", threads_columns, settings, code);
    if (!threads->table || !is_text) return threads->table;
    threads->runtime_settings = *settings;
    if (!settings->limit) threads->runtime_settings.limit = RUNTIME_ROWS;
    table_default_sort(&threads->runtime_settings, "running");
    threads->runtime_table =
        table_new("runtime threads", threads_columns, &threads->runtime_settings, code);
    return threads->runtime_table;
}

extern const struct verb verb_tasks; /* for --os */

static int run(void *settings, int argc, char **argv)
{
    static const struct table_verb_need need = {
        "threads",
        "+RTS -ls",
        {RUNNING_EVIDENCE, HECTIC_EVENT_STOP_THREAD, HECTIC_EVENT_CREATE_THREAD},
        3,
        false};
    struct threads_settings *given = settings;
    struct table_verb_settings *base = &given->base;
    struct threads threads = {0};
    int code;
    if (given->os) return verb_tasks.run(base, argc, argv);
    if (make_tables(&threads, base, &code))
        code = table_verb_run(argv[0], base, &need, print, &threads);
    table_free(threads.table);
    table_free(threads.runtime_table);
    return code;
}

const struct verb verb_threads = {
    .name = "threads",
    .group = "My program is slow",
    .brief = "time each thread ran, waited, blocked",
    .summary = "List Haskell threads and how they spent their time",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "Prints a row for each Haskell thread: its label, when it was created and how long it "
            "lived, how long it ran, was runnable (waited for a cap), and was blocked, by reason; "
            "how often it ran, how often it migrated to another cap, and on how many caps it ran. "
            "Then the sums, and counts of all threads.",
            "In text, the program's threads come first, and then those of the runtime, which its "
            "labels identify: IOManager, TimerManager, weak finalizer thread. Without --limit, at "
            "most 1,000 of the runtime's are listed, those that ran longest; and on a terminal, 20 "
            "of either, the first ones by --sort or those that ran longest. The totals are those "
            "of the program's threads. In CSV and JSON the column "
            "kind is program or runtime, and the totals of JSON are those of all threads.",
            "--os lists the OS threads (tasks) instead: the number in the kernel, when the task "
            "was created and deleted, on which cap it was first and last, on which ones at all, "
            "and how often it migrated. A thread of the program's own (a C thread) that calls into "
            "Haskell is a new task with each call, often of the same number.",
            "Rows are in the order in which threads end; those that are still alive come last. "
            "--limit without --sort lists those that ran longest. With --sort and --limit only N "
            "rows are kept in memory, with --sort alone all of them. Besides, a thread takes "
            "some 220 bytes while it is alive.",
            "A thread is also runnable after a heap overflow, while the heap is collected, and "
            "after a stack overflow. A foreign call lasts until the thread runs again. In the "
            "threaded runtime the I/O manager waits for I/O and delays: the thread itself is "
            "blocked on an MVar or in STM.",
            "N/A: not recorded, such as the creation of a thread that is older than the log, or "
            "the end of one that is still alive. The lifetime is the part of it that is known and "
            "lies in the interval. Text omits columns of times that are all 0.",
            "CSV and JSON have all columns, times in nanoseconds. JSON is one object: threads, "
            "with an object for each row; totals, with one for each state; gaps (see hectic stat); "
            "and counts. With --os it is tasks, with an object for each row, and sums.",
            NULL},
    .columns = threads_columns,
    .groups =
        (const struct option_group[]){
            {"Which part", interval_options, offsetof(struct threads_settings, base.interval),
             interval_note},
            {"Which part", process_options, offsetof(struct threads_settings, base.interval),
             process_note},
            {"Table", threads_options, 0, NULL},
            {"Table", table_options, offsetof(struct threads_settings, base.table), table_note},
            {"Output", color_options, offsetof(struct threads_settings, base.output), NULL},
            {"Output", output_options, offsetof(struct threads_settings, base.output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic threads --sort running --limit 20 LOG", "the busiest threads"},
            {"hectic threads --os LOG", "the OS threads"},
            {"hectic threads --sort black-hole --limit 5 LOG", "threads that waited for thunks"},
            {"hectic threads --between start..stop --json Main.eventlog | jq .totals",
             "what all threads did between two markers"},
            {NULL, NULL}},
    .exits = TABLE_VERB_EXITS("threads"),
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct threads_settings),
    .run = run,
};
