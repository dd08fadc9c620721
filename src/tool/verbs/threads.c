/* threads.c — hectic threads: lists Haskell threads, and how they spent their time. */
#include "read/decode/running.h"
#include "report/threads_report.h"
#include "tool/output/gaps.h"
#include "tool/passes/table_verb.h"

#include <inttypes.h>
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

struct sums {
    uint64_t count, ns[HECTIC_THREAD_STATES], runs, migrations;
};

struct threads {
    const struct table_verb *base;
    struct table *table;
    struct table *runtime_table; /* in text, for the runtime's threads; otherwise NULL */
    struct table_settings settings, runtime_settings;
    bool is_short; /* the limit is that of a terminal */
    struct sums sums[THREADS_KINDS];
    bool several;                /* processes */
    hectic_thread_totals totals; /* of all of them */
    hectic_gaps gaps;
};

/* What is kept for a process. */
struct kept {
    hectic_threads *analysis;
    hectic_gaps gaps;
};

static void add_to_sums(struct sums *sums, const hectic_thread *thread)
{
    sums->count++;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        sums->ns[i] += thread->ns[i];
    sums->runs += thread->runs;
    sums->migrations += thread->migrations;
}

static bool take(void *user, const hectic_thread *taken)
{
    struct threads *threads = user;
    const struct reading *reading = threads->base->reading;
    struct cell cell[THREADS_COLUMNS];
    hectic_thread thread = *taken;
    const enum threads_kind kind = threads_kind_of(thread.label);
    if (reading_section(reading)->lacks_caps) threads_forget_waits(thread.ns);
    add_to_sums(&threads->sums[kind], &thread);
    reading_cells(reading, cell);
    threads_put_cells(cell, &thread, reading->interval.from, threads->base->duration);
    struct table *table =
        kind == THREADS_RUNTIME && threads->runtime_table ? threads->runtime_table : threads->table;
    return table_row(table, threads->base->sink, cell) && !sink_failed(threads->base->sink);
}

static bool begin(const struct reading *reading)
{
    struct threads *threads = reading->user;
    struct kept *kept = reading->kept;
    const struct interval *interval = &reading->interval;
    if (!kept->analysis) {
        kept->analysis = hectic_threads_new(interval->from, interval->to, take, threads);
        kept->gaps = (hectic_gaps){.from = interval->from, .to = interval->to};
    }
    if (kept->analysis) hectic_threads_begin(kept->analysis, reading->header);
    threads->several |= reading->part->slot > 0;
    return kept->analysis;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    struct kept *kept = reading->kept;
    for (size_t i = 0; i < count; i++) {
        hectic_gaps_event(&kept->gaps, &event[i]);
        if (!hectic_threads_event(kept->analysis, &event[i])) return false;
    }
    return true;
}

static bool end(const struct reading *reading, uint64_t now)
{
    struct kept *kept = reading->kept;
    hectic_gaps_end(&kept->gaps, now);
    return hectic_threads_end(kept->analysis, now);
}

/* With several processes, the number alive at a time is unknown. */
static void finish(const struct reading *reading)
{
    struct threads *threads = reading->user;
    struct kept *kept = reading->kept;
    hectic_thread_totals *sum = &threads->totals, part;
    if (!kept->analysis) return;
    hectic_threads_totals(kept->analysis, 0, &part);
    sum->threads += part.threads;
    sum->born += part.born;
    sum->ended += part.ended;
    sum->spark_threads += part.spark_threads;
    sum->runs += part.runs;
    sum->migrations += part.migrations;
    sum->live_max += part.live_max;
    gaps_add(&threads->gaps, &kept->gaps);
    hectic_threads_free(kept->analysis);
}

/* --- Sums ------------------------------------------------------------------------------------ */

static bool put_footer(struct table *table, const struct sums *sums)
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

static bool end_table(const struct threads *threads, struct table *table, const struct sums *sums)
{
    struct sink *sink = threads->base->sink;
    if (!put_footer(table, sums) || !table_end(table, sink)) return false;
    if (threads->is_short && sums->count > TERMINAL_ROWS)
        sink_print(sink, "(%" PRIu64 " more threads: --limit N)\n", sums->count - TERMINAL_ROWS);
    return true;
}

static bool end_tables(struct threads *threads)
{
    if (!end_table(threads, threads->table, &threads->sums[THREADS_PROGRAM])) return false;
    if (!threads->runtime_table || threads->sums[THREADS_RUNTIME].count == 0) return true;
    sink_text(threads->base->sink, "\n", 1);
    return end_table(threads, threads->runtime_table, &threads->sums[THREADS_RUNTIME]);
}

/* In text, of the program's threads: the runtime's wait all the time. */
static bool put_totals(struct threads *threads, const hectic_thread_totals *all)
{
    const struct table_settings settings = {
        .json = threads->settings.json, .wide = threads->settings.wide, .is_member = true};
    const bool is_part = threads->sums[THREADS_RUNTIME].count > 0;
    hectic_thread_totals program = {0};
    memcpy(program.ns, threads->sums[THREADS_PROGRAM].ns, sizeof program.ns);
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
        threads_put_sums(&json, totals, !threads->several, &threads->gaps);
        sink_text(sink, "}\n", 2);
        return true;
    }
    if (threads->base->settings->table.csv) {
        gaps_note(threads->base->log.path, &threads->gaps);
        return true;
    }
    sink_text(sink, "\n", 1);
    if (!put_totals(threads, totals)) return false;
    sink_print(sink, "\n%" PRIu64 " threads (", totals->threads);
    if (threads->sums[THREADS_RUNTIME].count > 0)
        sink_print(sink, "%" PRIu64 " of the runtime, ", threads->sums[THREADS_RUNTIME].count);
    sink_print(sink, "%" PRIu64 " for sparks)\n%" PRIu64 " born, %" PRIu64 " ended",
               totals->spark_threads, totals->born, totals->ended);
    if (!threads->several)
        sink_print(sink, ", at most %" PRIu64 " alive at a time", totals->live_max);
    sink_text(sink, "\n", 1);
    gaps_print(sink, "Gaps: ", &threads->gaps);
    return true;
}

static bool print(struct table_verb *base, void *user)
{
    static const struct reader reader = {.size = sizeof(struct kept),
                                         .begin = begin,
                                         .events = events,
                                         .end = end,
                                         .finish = finish};
    struct threads *threads = user;
    threads->base = base;
    if (base->reading->several) {
        table_show_processes(threads->table);
        if (threads->runtime_table) table_show_processes(threads->runtime_table);
    }
    if (base->settings->table.json) sink_text(base->sink, "{", 1);
    if (!reading_all(base->reading, &reader, threads)) return false;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        threads->totals.ns[i] =
            threads->sums[THREADS_PROGRAM].ns[i] + threads->sums[THREADS_RUNTIME].ns[i];
    return end_tables(threads) && put_summary(threads, &threads->totals);
}

/* False: after a message. */
static bool make_tables(struct threads *threads, const struct table_verb_settings *given, int *code)
{
    struct table_settings *settings = &threads->settings;
    *settings = given->table;
    settings->is_member = true;
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
