/* repeat.c — see repeat.h. Each run is a process of hectic run, which writes a log. */
#define _GNU_SOURCE /* asprintf */
#include "tool/verbs/live/repeat.h"

#include "compare/number_classes.h"
#include "compare/rank_test.h"
#include "numbers/random.h"
#include "tool/cli/message.h"
#include "tool/cli/options.h"
#include "tool/files/sink.h"
#include "tool/output/cells.h"
#include "tool/passes/log_numbers.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

struct command {
    char **word;
    wordexp_t split; /* of --also */
    char *folder;    /* of its logs */
    struct runs runs;
    size_t failed;
};

struct repeat {
    const struct repeat_settings *settings;
    struct command command[REPEAT_COMMANDS + 1];
    size_t commands;
    uint64_t random;
    off_t input; /* where standard input begins; -1: it is no file */
    int code;    /* of the first run that failed */
};

bool repeat_add_command(void *field, const char *argument)
{
    struct repeat_settings *settings = field;
    if (settings->also_count == REPEAT_COMMANDS)
        return tool_invalid("command", argument, NULL, "at most 8");
    settings->also[settings->also_count++] = argument;
    return true;
}

bool repeat_set_until(void *field, const char *argument)
{
    double *part = field;
    char *end;
    *part = strtod(argument, &end) / 100;
    if (*argument >= '0' && *argument <= '9' && strcmp(end, "%") == 0 && *part > 0 && *part <= 1)
        return true;
    return tool_invalid("part", argument, NULL, "above 0% up to 100%");
}

/* --- Commands and folders -------------------------------------------------------------------- */

static bool split_commands(struct repeat *repeat, char **first)
{
    repeat->command[repeat->commands++].word = first;
    for (size_t i = 0; i < repeat->settings->also_count; i++) {
        struct command *command = &repeat->command[repeat->commands];
        const char *text = repeat->settings->also[i];
        const int error = wordexp(text, &command->split, WRDE_NOCMD);
        if (error == WRDE_NOSPACE) tool_out_of_memory();
        if (error != 0 || command->split.we_wordc == 0) {
            if (error == 0) wordfree(&command->split);
            return tool_invalid("command", text, "--also", "words, as of a shell");
        }
        command->word = command->split.we_wordv;
        repeat->commands++;
    }
    return true;
}

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    size_t entries = 0;
    if (!folder) return false;
    while (readdir(folder))
        entries++;
    closedir(folder);
    return entries <= 2; /* . and .. */
}

static bool make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && is_empty(path))) return true;
    const char *why = errno == EEXIST || errno == 0 ? "has files in it: name another with --runs"
                                                    : strerror(errno);
    tool_message("%s: %s", path, why);
    return false;
}

/* DIR, or DIR/1 and so on. */
static bool make_folders(struct repeat *repeat)
{
    const char *name = strrchr(repeat->command[0].word[0], '/');
    char *folder = NULL;
    const int length =
        repeat->settings->folder
            ? asprintf(&folder, "%s", repeat->settings->folder)
            : asprintf(&folder, "%s.runs", name ? name + 1 : repeat->command[0].word[0]);
    if (length < 0) tool_out_of_memory();
    bool done = make_folder(folder);
    for (size_t i = 0; i < repeat->commands && done; i++) {
        char **own = &repeat->command[i].folder;
        if (repeat->commands == 1)
            *own = strdup(folder);
        else if (asprintf(own, "%s/%zu", folder, i + 1) < 0)
            *own = NULL;
        if (!*own) tool_out_of_memory();
        done = repeat->commands == 1 || make_folder(*own);
    }
    free(folder);
    return done;
}

/* --- A run ----------------------------------------------------------------------------------- */

static volatile sig_atomic_t is_interrupted;
static volatile pid_t child;

/* The terminal interrupts the run, too. */
static void interrupt(int signal)
{
    is_interrupted = signal;
    if (signal != SIGINT && child > 0) kill(child, signal);
}

/* Replaces the process by hectic run. */
static void execute(const struct repeat *repeat, char **words, const char *log)
{
    enum { OWN = 8 };
    size_t count = 0;
    for (size_t i = 0; words[i]; i++)
        count++;
    const char **argument = calloc(count + OWN + REPEAT_OPTIONS, sizeof *argument),
               **end = argument;
    if (!argument) _exit(TOOL_UNUSABLE);
    *end++ = "hectic";
    *end++ = "run";
    *end++ = "--quiet";
    if (log) {
        *end++ = "--log";
        *end++ = log;
    }
    for (size_t i = 0; repeat->settings->option[i]; i++)
        *end++ = repeat->settings->option[i];
    *end++ = "--";
    memcpy(end, words, count * sizeof *words);
    execv("/proc/self/exe", (char *const *)argument);
    _exit(TOOL_UNUSABLE);
}

/* Returns the exit code of the program. */
static int run_once(const struct repeat *repeat, char **words, const char *log)
{
    int status = 0;
    /* A file is read again by each run. */
    if (repeat->input >= 0) lseek(STDIN_FILENO, repeat->input, SEEK_SET);
    child = fork();
    if (child == 0) execute(repeat, words, log);
    if (child < 0) return tool_message("%s", strerror(errno)), TOOL_UNUSABLE;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    return WEXITSTATUS(status);
}

/* Further runs would fail likewise: it could not be started. */
static bool has_no_start(int code)
{
    return code >= 125 && code <= 127;
}

/* --- Estimates ------------------------------------------------------------------------------- */

/* The values of a number in the runs. NULL: a run does not have it. */
static double *values_of(const struct runs *runs, const char *name)
{
    double *value = malloc((runs->count + 1) * sizeof *value);
    if (!value) tool_out_of_memory();
    for (size_t i = 0; i < runs->count; i++) {
        const struct run_number *number = run_find(&runs->run[i], name);
        if (!number) return free(value), NULL;
        value[i] = number->value;
    }
    return value;
}

static struct printed printed_value(const char *name, double value)
{
    const bool is_time = strcmp(name + strlen(name) - 3, "_ns") == 0;
    return printed(is_time ? CELL_NS : CELL_BYTES, (uint64_t)(value + 0.5));
}

/* False: a run does not have the number, or there is no run. */
static bool find_median(const struct runs *runs, const char *name, struct shift *median)
{
    double *value = values_of(runs, name);
    if (!value || runs->count == 0) return free(value), false;
    if (!sample_median(&(struct sample){value, runs->count}, median)) tool_out_of_memory();
    free(value);
    return true;
}

/* "1.23s (1.20s to 1.31s)". False: it is not known. */
enum { ESTIMATE_MAX = 4 * CELL_ROOM };
static bool estimate(const struct runs *runs, const char *name, char out[ESTIMATE_MAX])
{
    struct shift median;
    if (!find_median(runs, name, &median)) return false;
    const struct printed middle = printed_value(name, median.estimate);
    const struct printed low = printed_value(name, median.low);
    const struct printed high = printed_value(name, median.high);
    if (median.has_interval)
        snprintf(out, ESTIMATE_MAX, "%-9s (%s to %s)", middle.text, low.text, high.text);
    else
        snprintf(out, ESTIMATE_MAX, "%s", middle.text);
    return true;
}

/* Are the intervals of the total time of all commands as narrow as --until wants? */
static bool are_narrow(const struct repeat *repeat)
{
    for (size_t i = 0; i < repeat->commands; i++) {
        struct shift median;
        if (!find_median(&repeat->command[i].runs, "time.total_ns", &median) ||
            !median.has_interval ||
            median.high - median.low > repeat->settings->until * median.estimate)
            return false;
    }
    return repeat->settings->until > 0;
}

static void show_progress(const struct repeat *repeat, uint64_t round)
{
    char text[ESTIMATE_MAX] = "";
    if (repeat->settings->quiet || !isatty(STDERR_FILENO)) return;
    estimate(&repeat->command[0].runs, "time.total_ns", text);
    fprintf(stderr, "\r\033[Krun %llu of %llu: total time %s", (unsigned long long)round,
            (unsigned long long)repeat->settings->count, text);
}

static void put_words(struct sink *sink, char **word)
{
    for (const char *separator = ""; *word; word++, separator = " ") {
        sink_print(sink, "%s", separator);
        sink_visible(sink, *word, strlen(*word));
    }
}

static void report(const struct repeat *repeat)
{
    struct sink *sink = repeat->settings->quiet ? NULL : sink_on_stderr();
    for (size_t i = 0; i < repeat->commands && sink; i++) {
        const struct command *command = &repeat->command[i];
        char text[ESTIMATE_MAX];
        put_words(sink, command->word);
        sink_print(sink, ": %s", quantity(command->runs.count, "run").text);
        if (command->failed > 0) sink_print(sink, ", and %zu that failed", command->failed);
        sink_print(sink, ", in ");
        sink_visible(sink, command->folder, strlen(command->folder));
        sink_print(sink, "%s%s\n", command->runs.count > 0 ? ": medians" : "",
                   command->runs.count >= 6 ? ", with intervals of 95 %" : "");
        for (size_t j = 0; j < HEADLINES; j++) {
            const char *name = number_headline_name(j);
            if (!estimate(&command->runs, name, text)) continue;
            sink_print(sink, "  %-21.*s %s\n", (int)column_bare_length(name), name, text);
        }
    }
    if (sink) sink_close(sink, TOOL_OK);
}

/* --- Rounds ---------------------------------------------------------------------------------- */

/* The log of a run that failed is not one of those that compare reads. */
static void set_apart(const char *log)
{
    char *name = NULL;
    if (asprintf(&name, "%s.failed", log) < 0) tool_out_of_memory();
    if (rename(log, name) != 0 && errno != ENOENT) tool_message("%s: %s", log, strerror(errno));
    free(name);
}

static bool measure(struct repeat *repeat, struct command *command, uint64_t round)
{
    static const struct number_choice choice = {.wanted = {true}}; /* stat */
    const struct output_settings output = {.quiet = true};
    char *log = NULL;
    if (asprintf(&log, "%s/%03llu.eventlog", command->folder, (unsigned long long)round) < 0)
        tool_out_of_memory();
    const int code = run_once(repeat, command->word, log);
    if (code != 0) {
        command->failed++;
        if (repeat->code == 0) repeat->code = code;
        set_apart(log);
    } else if (!is_interrupted && access(log, F_OK) == 0) {
        log_numbers_read(&command->runs, log, &choice, &output);
    }
    free(log);
    return !is_interrupted && !has_no_start(code);
}

static bool warm_up(struct repeat *repeat)
{
    for (uint64_t i = 0; i < repeat->settings->warmup; i++)
        for (size_t j = 0; j < repeat->commands; j++) {
            const int code = run_once(repeat, repeat->command[j].word, NULL);
            if (code != 0 && repeat->code == 0) repeat->code = code;
            if (is_interrupted || has_no_start(code)) return false;
        }
    return true;
}

/* All commands once, in random order. */
static bool run_round(struct repeat *repeat, uint64_t round)
{
    size_t order[REPEAT_COMMANDS + 1] = {0};
    for (size_t i = 0; i < repeat->commands; i++) {
        const size_t place = random_next(&repeat->random) % (i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    for (size_t i = 0; i < repeat->commands; i++)
        if (!measure(repeat, &repeat->command[order[i]], round)) return false;
    show_progress(repeat, round);
    return true;
}

static void run_all(struct repeat *repeat)
{
    const struct sigaction action = {.sa_handler = interrupt};
    bool goes_on;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    goes_on = warm_up(repeat);
    for (uint64_t round = 1; round <= repeat->settings->count && goes_on; round++)
        goes_on = run_round(repeat, round) && !are_narrow(repeat);
    if (!repeat->settings->quiet && isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    if (is_interrupted && repeat->code == 0) repeat->code = 128 + is_interrupted;
}

int repeat_run(const struct repeat_settings *settings, char **words)
{
    struct repeat repeat = {
        .settings = settings, .random = map_seed(), .input = lseek(STDIN_FILENO, 0, SEEK_CUR)};
    int code = TOOL_USAGE;
    if (settings->count > REPEAT_MOST)
        tool_usage_error("--repeat: at most %d runs", REPEAT_MOST);
    else if (split_commands(&repeat, words))
        code = make_folders(&repeat) ? TOOL_OK : TOOL_UNUSABLE;
    if (code == TOOL_OK) {
        run_all(&repeat);
        report(&repeat);
        if (settings->until > 0 && !settings->quiet && !are_narrow(&repeat))
            tool_message("the intervals of the total time are wider than %g%% of it (--until)",
                         settings->until * 100);
        code = repeat.code;
    }
    for (size_t i = 0; i < repeat.commands; i++) {
        struct command *command = &repeat.command[i];
        if (i > 0) wordfree(&command->split);
        free(command->folder);
        runs_clear(&command->runs);
    }
    return code;
}
