/* threads.c — hectic threads: what each Haskell thread did with its time. */
#include "tool/output/gaps.h"
#include "tool/output/table_verb.h"

#include <inttypes.h>

/* What is carried through the log. */
struct threads {
    const struct table_verb *answer;
    struct table *table;
    hectic_threads *analysis[READING_PROCESSES];
    bool several; /* of these */
    hectic_gaps gaps[READING_PROCESSES];
    hectic_gaps all_gaps;
};

/* The times in the order of the columns. */
static const hectic_thread_state state_columns[] = {
    HECTIC_THREAD_RUNNING, HECTIC_THREAD_RUNNABLE,   HECTIC_THREAD_MVAR,  HECTIC_THREAD_MVAR_READ,
    HECTIC_THREAD_STM,     HECTIC_THREAD_BLACK_HOLE, HECTIC_THREAD_DELAY, HECTIC_THREAD_IO,
    HECTIC_THREAD_FOREIGN, HECTIC_THREAD_THROW_TO,   HECTIC_THREAD_OTHER, HECTIC_THREAD_UNKNOWN,
};

static const struct table_column columns[] = {
    READING_COLUMNS,
    {"thread", "Thread", CELL_ID, 0},
    {"label", "Label", CELL_TEXT, OPTIONAL},
    {"running_bar", "", CELL_BAR, RANK(2)},
    {"born_ns", "Born", CELL_TIME, RANK(3)},
    {"ended_ns", "Ended", CELL_TIME, OPTIONAL | RANK(4)},
    {"lifetime_ns", "Lifetime", CELL_NS, RANK(1)},
    {"running_ns", "Running", CELL_NS, 0},
    {"runnable_ns", "Runnable", CELL_NS, RANK(1)},
    {"mvar_ns", "MVar", CELL_NS, OPTIONAL | RANK(1)},
    {"mvar_read_ns", "readMVar", CELL_NS, OPTIONAL | RANK(3)},
    {"stm_ns", "STM", CELL_NS, OPTIONAL | RANK(1)},
    {"black_hole_ns", "Black hole", CELL_NS, OPTIONAL | RANK(1)},
    {"delay_ns", "Delay", CELL_NS, OPTIONAL | RANK(2)},
    {"io_ns", "I/O", CELL_NS, OPTIONAL | RANK(2)},
    {"foreign_call_ns", "Foreign call", CELL_NS, OPTIONAL | RANK(2)},
    {"throw_to_ns", "throwTo", CELL_NS, OPTIONAL | RANK(3)},
    {"other_ns", "Other", CELL_NS, OPTIONAL | RANK(4)},
    {"unknown_ns", "Unknown", CELL_NS, OPTIONAL | RANK(4)},
    {"runs", "Runs", CELL_COUNT, RANK(2)},
    {"migrations", "Migrations", CELL_COUNT, OPTIONAL | RANK(3)},
    {"caps", "Caps", CELL_COUNT, RANK(5)},
    {"spark_thread", "Sparks", CELL_FLAG, OPTIONAL | RANK(4)},
    {0},
};

/* The cells from lifetime on, which sums have as well. */
static size_t put_times(struct cell *cell, const uint64_t *ns)
{
    uint64_t lifetime = 0;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++) {
        cell[1 + i] = cell_number(ns[state_columns[i]]);
        lifetime += ns[i];
    }
    cell[0] = cell_number(lifetime);
    return 1 + HECTIC_THREAD_STATES;
}

static bool take(void *user, const hectic_thread *thread)
{
    struct threads *threads = user;
    struct cell cell[sizeof columns / sizeof *columns];
    const uint64_t duration = threads->answer->duration;
    const double share =
        duration ? (double)thread->ns[HECTIC_THREAD_RUNNING] / (double)duration : 0;
    size_t i = 0;
    i += reading_cells(&threads->answer->reading, cell);
    cell[i++] = cell_number(thread->id);
    cell[i++] = cell_text(thread->label);
    cell[i++] = cell_share(share);
    cell[i++] = cell_if(thread->has_born, thread->born);
    cell[i++] = cell_if(thread->has_ended, thread->ended);
    i += put_times(cell + i, thread->ns);
    /* How long it lived before it was heard of is not known. */
    if (!thread->has_born && thread->born > threads->answer->reading.interval.from)
        cell[i - 1 - HECTIC_THREAD_STATES] = cell_unknown();
    cell[i++] = cell_number(thread->runs);
    cell[i++] = cell_number(thread->migrations);
    cell[i++] = cell_number(thread->caps);
    cell[i++] = cell_number(thread->is_spark);
    return table_row(threads->table, threads->answer->sink, cell) &&
           !sink_failed(threads->answer->sink);
}

static bool begin(void *user, const hectic_header *header)
{
    struct threads *threads = user;
    const struct reading *reading = &threads->answer->reading;
    const struct interval *interval = &reading->interval;
    hectic_threads **analysis = &threads->analysis[reading->slot];
    if (!*analysis) *analysis = hectic_threads_new(interval->from, interval->to, take, threads);
    if (!*analysis) return false;
    if (threads->gaps[reading->slot].to == 0)
        threads->gaps[reading->slot] = (hectic_gaps){.from = interval->from, .to = interval->to};
    hectic_threads_begin(*analysis, header);
    return true;
}

static bool event(void *user, const hectic_event *event)
{
    struct threads *threads = user;
    const uint32_t slot = threads->answer->reading.slot;
    hectic_gaps_event(&threads->gaps[slot], event);
    return hectic_threads_event(threads->analysis[slot], event);
}

static bool end(void *user, uint64_t now)
{
    struct threads *threads = user;
    const uint32_t slot = threads->answer->reading.slot;
    hectic_gaps_end(&threads->gaps[slot], now);
    return hectic_threads_end(threads->analysis[slot], now);
}

/* --- Sums ------------------------------------------------------------------------------------ */

static bool put_footer(struct threads *threads, const hectic_thread_totals *totals)
{
    struct cell cell[sizeof columns / sizeof *columns];
    size_t i = 0;
    for (; i < READING_CELLS + 5; i++)
        cell[i] = cell_unknown();
    i += put_times(cell + i, totals->ns);
    cell[i++] = cell_number(totals->runs);
    cell[i++] = cell_number(totals->migrations);
    cell[i++] = cell_unknown();
    cell[i++] = cell_unknown();
    return table_footer(threads->table, cell);
}

static const struct table_column total_columns[] = {
    {"state", "State", CELL_TEXT, 0},
    {"total_ns", "Total", CELL_NS, 0},
    {"share", "Share", CELL_SHARE, 0},
    {"share_bar", "", CELL_BAR, RANK(1)},
    {0},
};

static bool put_totals(struct threads *threads, const hectic_thread_totals *totals)
{
    const struct table_settings settings = {.json = threads->answer->settings->table.json,
                                            .wide = threads->answer->settings->table.wide,
                                            .is_member = true};
    int code;
    struct table *table = table_new("totals", total_columns, &settings, &code);
    uint64_t sum = 0;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        sum += totals->ns[i];
    bool good = table != NULL;
    for (size_t i = 0; i < HECTIC_THREAD_STATES && good; i++) {
        const uint64_t ns = totals->ns[state_columns[i]];
        const double share = sum ? (double)ns / (double)sum : 0;
        const struct cell cell[] = {cell_text(hectic_thread_state_name(state_columns[i])),
                                    cell_number(ns), cell_share(share), cell_share(share)};
        if (ns > 0 || settings.json) good = table_row(table, threads->answer->sink, cell);
    }
    good = good && table_end(table, threads->answer->sink);
    table_free(table);
    return good;
}

static bool put_summary(struct threads *threads, const hectic_thread_totals *totals)
{
    struct sink *sink = threads->answer->sink;
    if (threads->answer->settings->table.json) {
        sink_text(sink, ",\n", 2);
        if (!put_totals(threads, totals)) return false;
        sink_print(sink,
                   ",\n\"count\":%" PRIu64 ",\"born\":%" PRIu64 ",\"ended\":%" PRIu64
                   ",\"spark_threads\":%" PRIu64 ",\"runs\":%" PRIu64 ",\"migrations\":%" PRIu64
                   ",\"live_max\":",
                   totals->threads, totals->born, totals->ended, totals->spark_threads,
                   totals->runs, totals->migrations);
        if (threads->several)
            sink_print(sink, "null,");
        else
            sink_print(sink, "%" PRIu64 ",", totals->live_max);
        struct json json = json_on_sink(sink);
        gaps_put(&json, &threads->all_gaps);
        sink_text(sink, "}\n", 2);
        return true;
    }
    if (threads->answer->settings->table.csv) {
        gaps_note(threads->answer->reading.path, &threads->all_gaps);
        return true;
    }
    sink_text(sink, "\n", 1);
    if (!put_totals(threads, totals)) return false;
    sink_print(
        sink, "\n%" PRIu64 " threads (%" PRIu64 " for sparks), %" PRIu64 " born, %" PRIu64 " ended",
        totals->threads, totals->spark_threads, totals->born, totals->ended);
    if (!threads->several)
        sink_print(sink, ", %" PRIu64 " alive at a time at most", totals->live_max);
    sink_text(sink, "\n", 1);
    gaps_print(sink, "Gaps: ", &threads->all_gaps);
    return true;
}

/* How many were alive at a time is not known of several processes together. */
static void add_totals(struct threads *threads, size_t slot, hectic_thread_totals *sum)
{
    hectic_thread_totals part;
    hectic_threads_totals(threads->analysis[slot], 0, &part);
    threads->several = slot > 0;
    sum->threads += part.threads;
    sum->born += part.born;
    sum->ended += part.ended;
    sum->spark_threads += part.spark_threads;
    sum->runs += part.runs;
    sum->migrations += part.migrations;
    sum->live_max += part.live_max;
    for (size_t i = 0; i < HECTIC_THREAD_STATES; i++)
        sum->ns[i] += part.ns[i];
    gaps_add(&threads->all_gaps, &threads->gaps[slot]);
}

static bool print(struct table_verb *answer, void *user)
{
    static const struct reader reader = {begin, event, end, NULL};
    struct threads *threads = user;
    threads->answer = answer;
    if (answer->reading.several) table_show_processes(threads->table);
    if (answer->settings->table.json) sink_text(answer->sink, "{", 1);
    if (!reading_all(&answer->reading, &reader, threads)) return false;
    hectic_thread_totals totals = {0};
    for (size_t i = 0; i < READING_PROCESSES; i++)
        if (threads->analysis[i]) add_totals(threads, i, &totals);
    return put_footer(threads, &totals) && table_end(threads->table, answer->sink) &&
           put_summary(threads, &totals);
}

static int run(void *settings, int argc, char **argv)
{
    static const struct table_verb_need need = {
        "threads",
        "+RTS -ls",
        {HECTIC_EVENT_RUN_THREAD, HECTIC_EVENT_STOP_THREAD, HECTIC_EVENT_CREATE_THREAD},
        3,
        false};
    (void)argc;
    struct table_verb_settings *told = settings;
    struct threads threads = {0};
    int code;
    told->table.is_member = true;
    table_default_sort(&told->table, "running");
    threads.table = table_new("threads", columns, &told->table, &code);
    if (threads.table) code = table_verb_run(argv[0], told, &need, print, &threads);
    for (size_t i = 0; i < READING_PROCESSES; i++)
        hectic_threads_free(threads.analysis[i]);
    table_free(threads.table);
    return code;
}

const struct verb verb_threads = {
    .name = "threads",
    .group = "My program is slow",
    .brief = "time each thread ran, waited, blocked",
    .summary = "Tell what each Haskell thread did with its time",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "Prints a row for each Haskell thread: its label, when it was born and how long it "
            "lived, how long it ran, was runnable (waited for a cap), and was blocked, by reason; "
            "how often it was run, how often it changed its cap, and on how many caps it ran. "
            "Then the sums over all threads.",
            "Rows come as threads end, and then those that still live. Without --sort they are "
            "printed at once; with --sort and --limit only N are kept in memory, with --sort alone "
            "all. --limit alone gives those that ran longest. Beside that, a thread takes less "
            "than "
            "200 bytes while it lives.",
            "Runnable is also a thread after a heap overflow, while the heap is collected, and "
            "after a stack overflow. A foreign call lasts until the thread runs again. In the "
            "threaded runtime, waiting for I/O or a delay is done by the I/O manager: it shows as "
            "waiting for an MVar or in STM.",
            "N/A is what the log does not tell: the birth of a thread that was there before the "
            "log, or the end of one that lives. The lifetime is the part of it that is known and "
            "lies in the interval. Columns of times without any are left out of text, if the table "
            "has less than 1,000 rows or is sorted.",
            "CSV and JSON have all columns, times in nanoseconds. JSON is one object: threads, "
            "with an object for each row; totals, with one for each state; gaps (see hectic stat); "
            "and counts.",
            NULL},
    .groups = table_verb_groups,
    .examples =
        (const struct example[]){
            {"hectic threads --sort running --limit 20 LOG", "the busiest threads"},
            {"hectic threads --sort black-hole --limit 5 LOG", "who waited for others' thunks"},
            {"hectic threads --between start..stop --json Main.eventlog | jq .totals",
             "what all threads did between two markers"},
            {NULL, NULL}},
    .exits = TABLE_VERB_EXITS("threads"),
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct table_verb_settings),
    .run = run,
};
