/* compare.c — hectic compare: the numbers of old runs and of new ones. */
#include "tool/verbs/compare/compare.h"
#include "base/text.h"
#include "query/baseline_file.h"
#include "read/spool.h"
#include "tool/cli/message.h"
#include "tool/files/log_files.h"
#include "tool/passes/log_numbers.h"
#include "tool/verbs/compare/flame.h"
#include "tool/verbs/compare/report.h"
#include "tool/verbs/compare/two_logs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONDITIONS_MAX = 64, RUNS_MAX = 1000 };

struct compare_settings {
    struct compare_form form;
    struct choice_settings choice;
    struct output_settings output;
    struct {
        const char *text[CONDITIONS_MAX];
        size_t count;
    } required;
    const char *save, *baseline, *junit, *file, *flame, *html;
    bool strict, with; /* `with` is never set: see verb.separator */
};

struct compare {
    const struct compare_settings *settings;
    struct compare_choice choice;
    struct conditions conditions;
    struct judged judged;
    struct stack_difference stacks;     /* for --flame and --html */
    struct distributions distributions; /* for --html */
    bool has_baseline;                  /* on a side */
    int code;                           /* the worst that logs had */
};

/* --- Input ----------------------------------------------------------------------------------- */

static int read_baseline(struct compare *compare, struct runs *runs, const char *path)
{
    size_t line;
    char *options;
    int code = TOOL_UNUSABLE;
    compare->has_baseline = true;
    switch (baseline_read(runs, path, &options, &line)) {
    case BASELINE_READ:
        if (strcmp(options, compare->choice.options[compare->stacks.side]) == 0)
            code = TOOL_OK;
        else
            tool_message("%s: its numbers are those of other options: %s", path,
                         *options ? options : "none of --from, --to, --between and --table");
        break;
    case BASELINE_WRONG:
        tool_message("%s: line %zu: not of a baseline that this version reads", path, line);
        break;
    case BASELINE_CUT: tool_message("%s: the baseline is cut short", path); break;
    case BASELINE_FAILED: tool_message("%s: %s", path, strerror(errno)); break;
    }
    free(options);
    return code;
}

static int read_log(struct compare *compare, struct runs *runs, const char *path)
{
    struct several_table more[LOG_NUMBERS_MORE];
    struct number_choice choice = compare->choice.numbers;
    if (compare->stacks.side == SIDE_NEW) choice.interval = compare->choice.new_interval;
    choice.more = more;
    if (compare->settings->flame || compare->settings->html)
        more[choice.more_count++] = stack_difference_reader(&compare->stacks);
    if (compare->settings->html) {
        distribution_tables(&compare->distributions, more + choice.more_count);
        choice.more_count += DISTRIBUTION_TABLES;
    }
    return log_numbers_read(runs, path, &choice, &compare->settings->output);
}

/* For the histograms of --html. */
static int read_runs(struct compare *compare, struct runs *runs, const char *path)
{
    size_t i = runs->count;
    const int code = read_baseline(compare, runs, path);
    if (code != TOOL_OK || !compare->settings->html) return code;
    for (; i < runs->count; i++)
        if (!distributions_add_run(&compare->distributions, &runs->run[i])) tool_out_of_memory();
    return code;
}

/* A log, a folder of logs, or a baseline. */
static int read_path(struct compare *compare, struct runs *runs, const char *path)
{
    struct log_files files = {0};
    int code = TOOL_OK;
    if (baseline_is(path)) return read_runs(compare, runs, path);
    if (!log_files_add(&files, path)) code = TOOL_UNUSABLE;
    for (size_t i = 0; i < files.count && code < TOOL_UNUSABLE; i++) {
        const int one = read_log(compare, runs, files.path[i]);
        if (one > code) code = one;
    }
    log_files_free(&files);
    return code;
}

static bool read_side(struct compare *compare, enum side side, int count, char **paths)
{
    struct runs *runs =
        side == SIDE_OLD ? &compare->judged.compared.old : &compare->judged.compared.new;
    compare->stacks.side = compare->distributions.side = side;
    for (int i = 0; i < count; i++) {
        const int code = read_path(compare, runs, paths[i]);
        if (code > compare->code) compare->code = code;
        if (code >= TOOL_UNUSABLE) return false;
    }
    compare->judged.compared.left_out[side] = runs_keep_whole(runs);
    if (runs->count > 0 && runs->count <= RUNS_MAX) return true;
    if (runs->count == 0)
        tool_message("%s: no run, since no log has events", paths[0]);
    else
        tool_message("more than %d runs on a side", RUNS_MAX);
    compare->code = TOOL_UNUSABLE;
    return false;
}

/* --- Sides ----------------------------------------------------------------------------------- */

/* The operands of both sides. */
struct sides {
    char **old, **new;
    int old_count, new_count;
};

static bool find_sides(const struct compare_settings *settings, int argc, char **argv,
                       struct sides *sides)
{
    int at = 0;
    while (at < argc && argv[at] != verb_separator)
        at++;
    const bool has_separator = at < argc;
    if (settings->baseline)
        *sides = (struct sides){(char **)&settings->baseline, argv, 1, argc};
    else if (has_separator)
        *sides = (struct sides){argv, argv + at + 1, at, argc - at - 1};
    else
        *sides = (struct sides){argv, argv + 1, 1, argc - 1};
    for (int i = 0; i < sides->new_count; i++)
        if (sides->new[i] == verb_separator) sides->new_count = 0;
    if (!has_separator && !settings->baseline && argc > 2) {
        tool_usage_error("which logs are the new ones? hectic compare OLD... --with NEW...");
        return false;
    }
    if (sides->old_count > 0 && sides->new_count > 0) return true;
    tool_usage_error(
        "two sides are needed: hectic compare OLD NEW, or hectic compare OLD... --with "
        "NEW...");
    return false;
}

/* --- Output ---------------------------------------------------------------------------------- */

static struct output_settings output_of(const struct compare *compare, const char *path)
{
    return (struct output_settings){.path = path, .force = compare->settings->output.force};
}

/* Before long work: may all files be written? */
static bool may_write_files(const struct compare *compare)
{
    const struct compare_settings *settings = compare->settings;
    const char *const paths[] = {settings->flame, settings->html};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct output_settings output = output_of(compare, paths[i]);
        if (paths[i] && !sink_may_replace(&output)) return false;
    }
    return true;
}

static int save(struct compare *compare, int argc, char **argv)
{
    const struct output_settings output = output_of(compare, compare->settings->save);
    for (int i = 0; i < argc; i++)
        if (argv[i] == verb_separator) {
            tool_usage_error("--save saves the runs of one side: without --with");
            return TOOL_USAGE;
        }
    if (!sink_may_replace(&output)) return TOOL_UNUSABLE;
    if (!read_side(compare, SIDE_NEW, argc, argv)) return compare->code;
    if (compare->judged.compared.left_out[SIDE_NEW] > 0)
        tool_message("runs that are cut short or have no events, and are not saved: %zu",
                     compare->judged.compared.left_out[SIDE_NEW]);
    struct sink *sink = sink_open(&output);
    if (!sink) return TOOL_UNUSABLE;
    int code = compare->code;
    struct buffer text = {0};
    if (baseline_write(&compare->judged.compared.new, compare->choice.options[SIDE_NEW], false,
                       &text)) {
        sink_text(sink, (const char *)text.bytes, text.size);
    } else {
        tool_message("out of memory");
        code = TOOL_UNUSABLE;
    }
    buffer_free(&text);
    return sink_close(sink, code);
}

static int write_flame(const struct compare *compare)
{
    const struct output_settings output = output_of(compare, compare->settings->flame);
    if (!compare->has_baseline) return flame_write(&compare->stacks, &output);
    tool_message("--flame needs logs on both sides: a baseline has no stacks");
    return TOOL_UNUSABLE;
}

static int write_report(const struct compare *compare, const struct sides *sides)
{
    const struct output_settings output = output_of(compare, compare->settings->html);
    const struct report report = {
        .judged = &compare->judged,
        .distributions = &compare->distributions,
        .stacks = &compare->stacks,
        .has_baseline = compare->has_baseline,
        .operands = {{sides->old_count, sides->old}, {sides->new_count, sides->new}}};
    return comparison_report_write(&report, &output);
}

/* What is written beside the output. Returns an exit code. */
static int write_files(const struct compare *compare, const struct sides *sides)
{
    const struct compare_settings *settings = compare->settings;
    const struct output_settings junit = output_of(compare, settings->junit);
    int code = TOOL_OK;
    if (settings->junit && judgements_write_junit(&compare->judged.judgements, &junit) != TOOL_OK)
        code = TOOL_UNUSABLE;
    if (settings->flame && write_flame(compare) != TOOL_OK) code = TOOL_UNUSABLE;
    if (settings->html && write_report(compare, sides) != TOOL_OK) code = TOOL_UNUSABLE;
    return code;
}

static int print(struct compare *compare, const struct sides *sides)
{
    const struct compare_settings *settings = compare->settings;
    struct sink *sink = sink_open(&settings->output);
    if (!sink) return TOOL_UNUSABLE;
    const int code = compare_print(&compare->judged, &settings->form, sink);
    if (sink_close(sink, code) != TOOL_OK) return TOOL_UNUSABLE;
    const int written = write_files(compare, sides);
    return judgements_code(&compare->judged.judgements,
                           written != TOOL_OK ? written : compare->code);
}

/* Sets what was compared. Returns the exit code. */
static int compare_sides(struct compare *compare, const struct sides *sides)
{
    struct compared *compared = &compare->judged.compared;
    if (!read_side(compare, SIDE_OLD, sides->old_count, sides->old) ||
        !read_side(compare, SIDE_NEW, sides->new_count, sides->new))
        return compare->code;
    compared->per = compare->choice.per;
    if (!compare_divide(&compare->choice, &compared->old) ||
        !compare_divide(&compare->choice, &compared->new))
        return TOOL_UNUSABLE;
    if (!compared_make(compared)) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    if (!compare_judge(&compare->judged, &compare->conditions, compare->settings->strict))
        return TOOL_UNUSABLE;
    return compare->code;
}

static void clear(struct compare *compare)
{
    compare_choice_free(&compare->choice);
    judgements_free(&compare->judged.judgements);
    compared_clear(&compare->judged.compared);
    stack_difference_clear(&compare->stacks);
    distributions_clear(&compare->distributions);
    conditions_free(&compare->conditions);
}

/* --- For reports of two logs ----------------------------------------------------------------- */

static int print_json(const struct compare *compare, const struct spool *file)
{
    struct sink *sink = sink_open_on(file->fd, "the temporary file in $TMPDIR");
    if (!sink) return TOOL_UNUSABLE;
    const int code = compare_print(&compare->judged, &compare->settings->form, sink);
    return sink_close(sink, code);
}

static char *text_of(const struct spool *file, size_t *size)
{
    const off_t end = lseek(file->fd, 0, SEEK_END);
    char *text = end > 0 ? malloc((size_t)end) : NULL;
    *size = (size_t)end;
    if (text && pread(file->fd, text, *size, 0) == end) return text;
    free(text);
    return NULL;
}

int compare_two(char **paths, char **text, size_t *size)
{
    struct compare_settings settings = {.form.table.json = true, .output.quiet = true};
    struct compare compare = {.settings = &settings};
    const struct sides sides = {paths, paths + 1, 1, 1};
    hectic_error error;
    struct spool file;
    *text = NULL;
    int code = compare_choose(&compare.choice, &settings.choice) ? TOOL_OK : TOOL_USAGE;
    if (code == TOOL_OK) code = compare_sides(&compare, &sides);
    if (code < TOOL_UNUSABLE && !spool_open(&file, 0, &error)) {
        tool_log_error("the comparison", &error);
        code = TOOL_UNUSABLE;
    } else if (code < TOOL_UNUSABLE) {
        if (print_json(&compare, &file) != TOOL_OK || !(*text = text_of(&file, size)))
            code = TOOL_UNUSABLE;
        close(file.fd);
    }
    clear(&compare);
    return code;
}

/* --- The verb -------------------------------------------------------------------------------- */

static int find_conditions(struct compare *compare)
{
    const struct compare_settings *settings = compare->settings;
    for (size_t i = 0; i < settings->required.count; i++)
        if (!conditions_add(&compare->conditions, settings->required.text[i])) return TOOL_USAGE;
    return settings->file ? conditions_add_file(&compare->conditions, settings->file) : TOOL_OK;
}

static bool forms_agree(const struct compare_settings *settings)
{
    const struct table_settings *table = &settings->form.table;
    if (!table_forms_agree(table)) return false;
    if (settings->flame && !flame_has_format(settings->flame)) return false;
    if (settings->save && (settings->flame || settings->html)) {
        tool_usage_error("--save saves the runs of one side: without --html and --flame");
        return false;
    }
    if (settings->choice.table && (settings->required.count > 0 || settings->file)) {
        tool_usage_error("conditions are not on the numbers of --table");
        return false;
    }
    if (!settings->form.markdown || !(table->json || table->csv)) return true;
    tool_usage_error("--markdown cannot be combined with --json, --jsonl and --csv");
    return false;
}

static int run(void *given, int argc, char **argv)
{
    struct compare_settings *settings = given;
    struct compare compare = {.settings = settings};
    struct sides sides = {0};
    if (!forms_agree(settings)) return TOOL_USAGE;
    if (settings->choice.table) settings->form.all = true;
    if (!settings->save && !find_sides(settings, argc, argv, &sides)) return TOOL_USAGE;
    if (!may_write_files(&compare)) return TOOL_UNUSABLE;
    settings->choice.new_interval.prefix = "new-";
    int code = compare_choose(&compare.choice, &settings->choice) ? TOOL_OK : TOOL_USAGE;
    if (code == TOOL_OK) code = find_conditions(&compare);
    if (code == TOOL_OK && settings->save)
        code = save(&compare, argc, argv);
    else if (code == TOOL_OK)
        code = compare_sides(&compare, &sides);
    if (!settings->save && code < TOOL_UNUSABLE) code = print(&compare, &sides);
    clear(&compare);
    return code;
}

static bool add_requirement(void *field, const char *argument)
{
    struct compare_settings *settings =
        (void *)((char *)field - offsetof(struct compare_settings, required));
    if (settings->required.count == CONDITIONS_MAX)
        return tool_invalid("condition", argument, NULL, "at most 64; more with --file");
    settings->required.text[settings->required.count++] = argument;
    return true;
}

static const struct tool_option side_options[] = {
    {"baseline", 0, "FILE", "the old runs, as saved; save runs; new ones follow", "@files",
     offsetof(struct compare_settings, baseline), tool_set_text},
    {"save", 0, "FILE", NULL, "@files", offsetof(struct compare_settings, save), tool_set_text},
    {"with", 0, NULL, NULL, NULL, offsetof(struct compare_settings, with), tool_set_flag},
    {0},
};

static const struct tool_option require_options[] = {
    {"require", 0, "C", "exit with 3 if C certainly fails; conditions of F", NULL,
     offsetof(struct compare_settings, required), add_requirement},
    {"file", 0, "F", NULL, "@files", offsetof(struct compare_settings, file), tool_set_text},
    {"strict", 0, NULL, "fail if one is not certain; results for JUnit", NULL,
     offsetof(struct compare_settings, strict), tool_set_flag},
    {"junit", 0, "FILE", NULL, "@files", offsetof(struct compare_settings, junit), tool_set_text},
    {0},
};

static const struct tool_option form_options[] = {
    {"all", 0, NULL, "text: all numbers, with intervals of 95 %", NULL,
     offsetof(struct compare_settings, form.all), tool_set_flag},
    {"wide", 0, NULL, NULL, NULL, offsetof(struct compare_settings, form.table.wide),
     tool_set_flag},
    {"markdown", 0, NULL, "as Markdown, for pull requests", NULL,
     offsetof(struct compare_settings, form.markdown), tool_set_flag},
    TABLE_FORMS(struct compare_settings, form.table.),
    {"html", 0, "FILE", "also FILE, a report; a flame graph: .svg, .json", "@files",
     offsetof(struct compare_settings, html), tool_set_text},
    {"flame", 0, "F", NULL, "@files", offsetof(struct compare_settings, flame), tool_set_text},
    {0},
};

const struct verb verb_compare = {
    .name = "compare",
    .group = "Other verbs:",
    .brief = "is it faster now?",
    .summary = "Compare old runs of a program with new ones",
    .usage = (const char *const[]){"[OPTION]... OLD NEW", "[OPTION]... OLD... --with NEW...", NULL},
    .description =
        (const char *const[]){
            "Prints what has changed between old and new runs of a program, the most important "
            "change first, and how certain that is. Each side is a log, several logs of repeated "
            "runs, a folder of them, or a baseline, which --save has written. Each section of a "
            "log, and each process, is a run. docs/compare.md describes the numbers and the "
            "statistics.",
            "Allocation and counts are almost the same in equal runs: a difference is certain if "
            "it exceeds 1 % and what runs of one side differ. Times and sizes of the heap are "
            "compared by the test of Mann and Whitney. Eight of them, such as the total time, the "
            "GC time and the longest pause, can be certain, from six runs on each side; all others "
            "are indicative. --repeat of hectic run makes such runs.",
            "--per divides all sums (times, allocation, counts) by how often a span, a marker or a "
            "message occurs: runs of different length are compared per request. Means, percentiles "
            "and maxima stay as they are. Digits in messages are #: 'message done # of #'.",
            "--table compares any table of hectic sql --schema: how many rows there are, and the "
            "total, mean and maximum of each column, by the values of COLUMN.",
            "--require takes the conditions of hectic require, and conditions on changes: "
            "'time.total <= +5%', 'memory.allocated <= +1MB'. Those on times need six runs on each "
            "side, to be decided by their interval of 95 %. If it has values of both kinds, the "
            "condition is not certain, and passes without --strict.",
            "--html writes a report beside what is printed, one file for browsers without scripts: "
            "also histograms of pauses and spans, heap bands, and the flame graph. --flame writes "
            "that alone: the profiles of both sides (+RTS -p -l; otherwise heap profiles), as "
            ".svg or, for speedscope, as .json. Red has grown, blue has shrunk; frames are matched "
            "by module and label, and values are means over the runs. Baselines have no stacks.",
            "A baseline has the numbers of whole logs, or of the part that --from, --to and "
            "--between chose; compare it with the same options.",
            "--json prints one object: verdict, old_runs, new_runs, per, compare with all numbers, "
            "causes, findings, and require; --jsonl and --csv print the rows of compare.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"Runs", side_options, 0, NULL},
            {"Runs", interval_options, offsetof(struct compare_settings, choice.interval),
             interval_note},
            {"Runs", choice_options, offsetof(struct compare_settings, choice), NULL},
            {"Conditions", require_options, 0, NULL},
            {"Output", form_options, 0, NULL},
            {"Output", output_options, offsetof(struct compare_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic compare old.eventlog new.eventlog", "what has changed?"},
            {"hectic compare old/ --with new/", "of repeated runs"},
            {"hectic compare --flame difference.svg OLD NEW", "where has the time gone?"},
            {"hectic compare --per 'span request' old/ --with new/", "for each request"},
            {"hectic compare --between load..done old/ --with new/", "only between two markers"},
            {"hectic compare --to 5s --new-from 5s --new-to 10s LOG LOG",
             "a run's second five seconds with its first"},
            {"hectic compare --table gc --by generation old/ --with new/",
             "collections of each generation"},
            {"hectic compare --save main.hectic old/", "a baseline, for CI"},
            {"hectic compare --baseline main.hectic --require 'time.total <= +5%' new/",
             "exit code 3 if the total time is more than 5 % longer"},
            {NULL, NULL}},
    .exits = {"Success; all conditions hold, or are not certain.",
              "Likewise, but a log is damaged: the rest of it was used.",
              "A number of a condition is not known, a log cannot be read, or the output cannot be "
              "written.",
              "A condition does not hold.", "There are too few runs to decide about a condition."},
    .least = 1,
    .most = 10000,
    .separator = "--with",
    .settings_size = sizeof(struct compare_settings),
    .run = run,
};
