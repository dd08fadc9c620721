/* require.c — hectic require: conditions on the numbers of logs, for CI. */
#include "tool/cli/message.h"
#include "tool/files/log_files.h"
#include "tool/passes/conditions.h"
#include "tool/passes/log_numbers.h"

#include <string.h>
#include <unistd.h>

struct require_settings {
    struct table_settings table;
    struct interval_settings interval;
    struct output_settings output;
    const char *file, *junit;
};

struct require {
    const struct require_settings *settings;
    struct conditions conditions;
    struct log_files files;
    struct runs runs;
    struct judgements judgements;
};

/* --- Operands -------------------------------------------------------------------------------- */

/* An operand with an operator is a condition, unless there is a file of that name. */
static bool is_condition(const char *operand)
{
    return condition_may_be(operand) && access(operand, F_OK) != 0;
}

static int find_operands(struct require *require, int argc, char **argv)
{
    int code = TOOL_OK;
    if (require->settings->file)
        code = conditions_add_file(&require->conditions, require->settings->file);
    for (int i = 0; i < argc && code == TOOL_OK; i++) {
        if (is_condition(argv[i]))
            code = conditions_add(&require->conditions, argv[i]) ? TOOL_OK : TOOL_USAGE;
        else if (!log_files_add(&require->files, argv[i]))
            code = TOOL_UNUSABLE;
    }
    if (code != TOOL_OK) return code;
    if (require->conditions.count == 0)
        tool_usage_error("a condition is missing: hectic require 'gc.pause.max < 10ms' LOG");
    else if (require->files.count == 0)
        tool_usage_error("a log is missing: hectic require 'gc.pause.max < 10ms' LOG");
    return require->conditions.count > 0 && require->files.count > 0 ? TOOL_OK : TOOL_USAGE;
}

/* A log cannot have changed from itself. */
static bool refuse_changes(const struct conditions *conditions)
{
    for (size_t i = 0; i < conditions->count; i++) {
        if (!conditions->condition[i].is_change) continue;
        tool_usage_error("\"%s\" is about a change: hectic compare --require takes it",
                         conditions->condition[i].text);
        return true;
    }
    return false;
}

/* --- The verb -------------------------------------------------------------------------------- */

/* The runs move while logs are read, so they are judged afterwards. */
static int read_logs(struct require *require)
{
    struct number_choice choice = {.wanted = {true}, /* stat: each log has a run */
                                   .interval = &require->settings->interval};
    int code = TOOL_OK;
    conditions_want(&require->conditions, choice.wanted);
    for (size_t i = 0; i < require->files.count && code != TOOL_USAGE; i++) {
        const int one = log_numbers_read(&require->runs, require->files.path[i], &choice,
                                         &require->settings->output);
        if (one > code) code = one;
    }
    return code;
}

static int judge(struct require *require)
{
    const struct require_settings *settings = require->settings;
    int code = read_logs(require);
    if (code == TOOL_USAGE) return code;
    for (size_t i = 0; i < require->runs.count; i++)
        if (!judgements_add_run(&require->judgements, &require->conditions, &require->runs.run[i]))
            return TOOL_UNUSABLE;
    struct sink *sink = sink_open(&settings->output);
    if (!sink) return TOOL_UNUSABLE;
    const int printed = judgements_print(&require->judgements, &settings->table, sink);
    if (sink_close(sink, printed) != TOOL_OK) code = TOOL_UNUSABLE;
    const struct output_settings junit = {.path = settings->junit, .force = settings->output.force};
    if (settings->junit && judgements_write_junit(&require->judgements, &junit) != TOOL_OK)
        code = TOOL_UNUSABLE;
    return judgements_code(&require->judgements, code);
}

static int run(void *given, int argc, char **argv)
{
    const struct require_settings *settings = given;
    struct require require = {.settings = settings};
    if (!table_forms_agree(&settings->table)) return TOOL_USAGE;
    int code = find_operands(&require, argc, argv);
    if (code == TOOL_OK && refuse_changes(&require.conditions)) code = TOOL_USAGE;
    if (code == TOOL_OK) code = judge(&require);
    judgements_free(&require.judgements);
    runs_clear(&require.runs);
    log_files_free(&require.files);
    conditions_free(&require.conditions);
    return code;
}

static const struct tool_option condition_options[] = {
    {"file", 0, "FILE", "conditions of FILE, one on a line (-: standard input)", "@files",
     offsetof(struct require_settings, file), tool_set_text},
    {0},
};

static const struct tool_option form_options[] = {
    {"junit", 0, "FILE", "also write FILE, as JUnit reports the results of tests", "@files",
     offsetof(struct require_settings, junit), tool_set_text},
    TABLE_FORMS(struct require_settings, table.),
    {0},
};

const struct verb verb_require = {
    .name = "require",
    .group = "Other verbs:",
    .brief = "conditions for CI",
    .summary = "Test conditions on the numbers of logs",
    .usage = (const char *const[]){"[OPTION]... CONDITION... LOG...", "--file FILE LOG...", NULL},
    .description =
        (const char *const[]){
            "Prints whether each log fulfils each condition, with the value that it has. A "
            "condition is a name, one of < <= > >= = !=, and a value: 'gc.pause.max < 10ms'. A LOG "
            "may be a folder: all *.eventlog, *.eventlog.gz and *.eventlog.zst in it. Each section "
            "of a log, and each process of a merged one, is judged by itself.",
            "Names are the paths in the output of hectic stat --json, with or without _ns and "
            "_bytes: time.gc, memory.allocated, gc.generations[1].collections, caps[0].running. "
            "Their first parts may be left out as long as one name ends like that: live.end is "
            "memory.live_end_bytes, the live data after the last major collection but for that of "
            "EXIT. Further names: span(\"request\") and marker(\"tick\"), with .count, .total, "
            ".mean, .p50, .p90, .p99 and .max; span(\"request\").states.running, and what hectic "
            "sql --schema span_states lists besides; threads.count, threads.mvar and so on, the "
            "sums of hectic threads; heap(\"Module.band\") with .mean, .max and .end; "
            "cost_centre(\"Module.name\") with .own and .own_ticks; ticky(\"name\") with .allocs "
            "and "
            ".entries.",
            "Values have units: ns, us, ms, s, m, h; B, KB, MB, GB, KiB, MiB, GiB; % of shares. "
            "Counts have none, nor has 0.",
            "A number that the log does not have is an error, never a pass.",
            "--json prints one object, with the array require; --jsonl prints an object for each "
            "condition and log.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"Conditions", condition_options, 0, NULL},
            {"Conditions", interval_options, offsetof(struct require_settings, interval),
             interval_note},
            {"Output", form_options, 0, NULL},
            {"Output", output_options, offsetof(struct require_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic require 'gc.pause.max < 10ms' LOG", "exit code 3 if it does not hold"},
            {"hectic require --file limits.txt runs/", "for each log in a folder"},
            {"hectic require 'span(\"request\").p99 <= 20ms' LOG", "of spans by label"},
            {"hectic require --junit report.xml 'live.end < 50MB' LOG", "for a CI server"},
            {NULL, NULL}},
    .exits = {"All conditions hold.", "They hold, but a log is damaged: the rest of it was used.",
              "A number is not known, a log cannot be read, or the output cannot be written.",
              "A condition does not hold."},
    .least = 1,
    .most = 10000,
    .settings_size = sizeof(struct require_settings),
    .run = run,
};
