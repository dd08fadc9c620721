/* main.c — finds the verb, parses its options from its table, and runs it. */
#include "tool/main/main.h"
#include "tool/cli/message.h"
#include "tool/cli/signals.h"
#include "tool/cli/stderr_buffer.h"
#include "tool/input/live_log.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* getopt_long returns OPTION_BASE plus the index of a long option. */
enum { OPTION_BASE = 256, OPTIONS_MAX = 64, OPTION_HELP = OPTION_BASE + OPTIONS_MAX };

struct bound_option {
    const struct tool_option *option;
    void *field;
};

struct parser {
    struct bound_option bound[OPTIONS_MAX];
    struct option longs[OPTIONS_MAX + 2]; /* with --help and the end */
    char letters[2 * OPTIONS_MAX + 4];
    size_t count;
};

static void parser_fill(struct parser *parser, const struct verb *verb, char *settings)
{
    char *letter = parser->letters;
    if (verb->takes_command) *letter++ = '+'; /* options end where the command begins */
    *letter++ = ':'; /* return ':' for a missing argument, '?' for an unknown option */
    size_t count = 0;
    for (const struct option_group *group = verb->groups; group->title != NULL; group++) {
        if (group->options == output_options)
            tool_output_note((const struct output_settings *)(settings + group->offset));
        for (const struct tool_option *o = group->options; o->name != NULL; o++) {
            if (count == OPTIONS_MAX) abort(); /* enlarge OPTIONS_MAX */
            parser->bound[count] = (struct bound_option){o, settings + group->offset + o->offset};
            parser->longs[count] =
                (struct option){o->name, o->argument ? required_argument : no_argument, NULL,
                                OPTION_BASE + (int)count};
            if (o->letter != 0) *letter++ = o->letter;
            if (o->letter != 0 && o->argument) *letter++ = ':';
            count++;
        }
    }
    parser->longs[count] = (struct option){"help", no_argument, NULL, OPTION_HELP};
    *letter++ = 'h';
    *letter = 0;
    parser->count = count;
}

static const struct bound_option *parser_find(const struct parser *parser, int code)
{
    if (code >= OPTION_BASE) return &parser->bound[code - OPTION_BASE];
    for (size_t i = 0; i < parser->count; i++)
        if (parser->bound[i].option->letter == code) return &parser->bound[i];
    return NULL;
}

/* After help or a version on stdout. */
static int end_of_text(void)
{
    if (fflush(stdout) == 0) return TOOL_OK;
    tool_message("standard output: %s", strerror(errno));
    return TOOL_UNUSABLE;
}

/* The last line of every usage error. */
static int usage_error(const struct verb *verb)
{
    fprintf(stderr, "Try \"hectic %s%s--help\" for more information.\n", verb ? verb->name : "",
            verb ? " " : "");
    return TOOL_USAGE;
}

static void report_unknown_option(const struct verb *verb, const struct parser *parser,
                                  const char *spelling)
{
    const char *replacement = tool_replacement(verb, spelling);
    struct suggestion suggestion = {.word = spelling + strspn(spelling, "-")};
    for (size_t i = 0; i < parser->count && spelling[1] == '-'; i++)
        tool_suggest(&suggestion, parser->longs[i].name);
    if (replacement)
        tool_usage_error("unknown option %s; %s", spelling, replacement);
    else if (suggestion.best)
        tool_usage_error("unknown option %s; did you mean --%s?", spelling, suggestion.best);
    else
        tool_usage_error("unknown option %s", spelling);
}

/* `word` is the argument that getopt_long rejected. */
static void report_option(const struct verb *verb, const struct parser *parser, int code,
                          const char *word)
{
    char spelling[64];
    if (word[0] == '-' && word[1] == '-')
        snprintf(spelling, sizeof spelling, "%.*s", (int)strcspn(word, "="), word);
    else
        snprintf(spelling, sizeof spelling, "-%c", optopt);
    if (code == ':') {
        tool_usage_error("option %s requires an argument", spelling);
        return;
    }
    for (size_t i = 0; i < parser->count; i++) {
        if (strcmp(spelling + 2, parser->longs[i].name) == 0 && strchr(word, '=')) {
            tool_usage_error("option %s takes no argument", spelling);
            return;
        }
    }
    report_unknown_option(verb, parser, spelling);
}

static bool takes_argument(const struct verb *verb, const char *word, int length)
{
    for (const struct option_group *group = verb->groups; group->title != NULL; group++)
        for (const struct tool_option *o = group->options; o->name != NULL; o++)
            if (o->argument && (length == 2 ? o->letter == word[1]
                                            : length == 2 + (int)strlen(o->name) &&
                                                  strncmp(o->name, word + 2, strlen(o->name)) == 0))
                return true;
    return false;
}

/* The name of operand `number` in the first line of the verb's usage, as "LOG" in "[OPTION]...
 * LOG".
 */
static const char *operand_name(const struct verb *verb, int number, int *length)
{
    bool is_argument = false; /* of an option */
    for (const char *word = verb->usage[0]; *word; word += *length, word += strspn(word, " ")) {
        *length = (int)strcspn(word, " ");
        if (is_argument) {
            is_argument = false;
        } else if (*word == '[') {
            *length = (int)strcspn(word, "]");
            *length += (int)strcspn(word + *length, " ");
        } else if (*word == '-') {
            is_argument = takes_argument(verb, word, *length);
        } else if (number-- == 0) {
            *length -= *length > 3 && strncmp(word + *length - 3, "...", 3) == 0 ? 3 : 0;
            return word;
        }
    }
    return NULL;
}

/* Checks the number of operands. */
static bool check_operands(const struct verb *verb, int count, char **operands)
{
    int length = 0;
    const char *missing = count < verb->least ? operand_name(verb, count, &length) : NULL;
    if (missing && islower((unsigned char)*missing) && verb->words)
        tool_usage_error("missing operand: one of: %s", verb->words);
    else if (missing)
        tool_usage_error("missing operand: %.*s", length, missing);
    else if (count < verb->least)
        tool_usage_error("missing operand");
    else if (count > verb->most)
        tool_usage_error("too many operands: \"%s\"", operands[verb->most]);
    return count >= verb->least && count <= verb->most;
}

char verb_separator[] = "";

/* getopt_long would move it behind the operands. */
static void keep_separators(const struct verb *verb, int argc, char **argv)
{
    for (int i = 1; i < argc && verb->separator; i++)
        if (strcmp(argv[i], verb->separator) == 0) argv[i] = verb_separator;
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    char *settings = calloc(1, verb->settings_size + 1);
    if (settings == NULL) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    tool_usage_verb(verb->name);
    struct parser parser = {0};
    parser_fill(&parser, verb, settings);
    keep_separators(verb, argc, argv);
    opterr = 0;
    int code;
    while ((code = getopt_long(argc, argv, parser.letters, parser.longs, NULL)) != -1) {
        if (code == OPTION_HELP || code == 'h') {
            help_verb(verb);
            free(settings);
            return end_of_text();
        }
        const struct bound_option *found =
            code == '?' || code == ':' ? NULL : parser_find(&parser, code);
        if (found == NULL) report_option(verb, &parser, code, argv[optind - 1]);
        if (found == NULL || !tool_option_parse(found->option, found->field, optarg)) {
            free(settings);
            return usage_error(verb);
        }
    }
    const int count = argc - optind;
    if (!check_operands(verb, count, argv + optind)) {
        free(settings);
        return usage_error(verb);
    }
    code = verb->run(settings, count, argv + optind);
    stderr_buffer_end();
    if (live_log_code() != TOOL_OK) code = live_log_code();
    free(settings);
    return code == TOOL_USAGE ? usage_error(verb) : code;
}

static const struct verb *verb_find(const char *name)
{
    for (const struct verb *const *verb = tool_verbs; *verb; verb++)
        if (strcmp((*verb)->name, name) == 0) return *verb;
    return NULL;
}

static int unknown_verb(const char *name)
{
    struct suggestion suggestion = {.word = name};
    for (const struct verb *const *verb = tool_verbs; *verb; verb++)
        tool_suggest(&suggestion, (*verb)->name);
    const char *kind = name[0] == '-' ? "option" : "verb";
    if (suggestion.best)
        tool_usage_error("unknown %s \"%s\"; did you mean \"%s\"?", kind, name, suggestion.best);
    else if (name[0] == '-')
        tool_usage_error("unknown option \"%s\"", name);
    else
        tool_usage_error("\"%s\" is neither a verb nor a file", name);
    return usage_error(NULL);
}

/* Options in the place of a verb. The build uses --man and --completions. */
static int run_word(int argc, char **argv)
{
    const char *word = argv[1];
    const struct verb *about = argc > 2 ? verb_find(argv[2]) : NULL;
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        const char *option = argc > 2 ? argv[2] : "";
        version_print(strcmp(option, "--verbose") == 0 || strcmp(option, "-v") == 0);
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
               strcmp(word, "help") == 0) {
        if (argc > 2 && about == NULL) return unknown_verb(argv[2]);
        if (about)
            help_verb(about);
        else
            help_overview();
    } else if (strcmp(word, "--man") == 0) {
        if (argc > 2 && about == NULL) return unknown_verb(argv[2]);
        man_page(about);
    } else if (strcmp(word, "--completions") == 0 && argc > 2) {
        if (!completions(argv[2])) return usage_error(NULL);
    } else {
        return unknown_verb(word);
    }
    return end_of_text();
}

/* Is the word a log in place of a verb? */
static bool is_log(const char *word)
{
    return strcmp(word, "-") == 0 || live_log_is(word) || (*word != '-' && access(word, F_OK) == 0);
}

/* Opens standard descriptors that are closed, so that no other file gets their numbers and receives
 * messages. They are opened in the wrong direction, so that using them remains an error. */
static bool hold_standard_descriptors(void)
{
    static const int how[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", how[fd]) != fd) return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!hold_standard_descriptors()) return TOOL_UNUSABLE;
    signals_start();
    if (argc < 2) {
        help_overview();
        return end_of_text() == TOOL_OK ? TOOL_USAGE : TOOL_UNUSABLE;
    }
    const struct verb *verb = verb_find(argv[1]);
    if (verb) return run_verb(verb, argc - 1, argv + 1);
    return is_log(argv[1]) ? run_verb(&verb_info, argc, argv) : run_word(argc, argv);
}
