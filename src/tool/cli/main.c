/* main.c — finds the verb, parses its options by its table, and runs it. */
#include "tool/cli/tool.h"
#include "tool/input/live_log.h"
#include "tool/input/signals.h"
#include "tool/output/stderr_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What getopt_long returns for options without a letter: this plus their place. */
enum { OPTION_BASE = 256, OPTIONS_MAX = 64, OPTION_HELP = OPTION_BASE + OPTIONS_MAX };

struct bound_option {
    const struct tool_option *option;
    void *field;
};

struct parser {
    struct bound_option bound[OPTIONS_MAX];
    struct option longs[OPTIONS_MAX + 2]; /* and --help, and the end */
    char letters[2 * OPTIONS_MAX + 4];
    size_t count;
};

static void parser_fill(struct parser *parser, const struct verb *verb, char *settings)
{
    char *letter = parser->letters;
    if (verb->takes_command) *letter++ = '+'; /* options end where the command begins */
    *letter++ = ':'; /* say ':' for a missing argument, '?' for an unknown option */
    size_t count = 0;
    for (const struct option_group *group = verb->groups; group->title != NULL; group++) {
        for (const struct tool_option *o = group->options; o->name != NULL; o++) {
            if (count == OPTIONS_MAX) abort(); /* a mistake in a table */
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

/* After help and the like on stdout. */
static int end_of_text(void)
{
    if (fflush(stdout) == 0) return TOOL_OK;
    tool_message("standard output: %s", strerror(errno));
    return TOOL_UNUSABLE;
}

static int usage_error(const struct verb *verb)
{
    if (verb)
        fprintf(stderr, "Try 'hectic %s --help'.\n", verb->name);
    else
        fputs("Try 'hectic --help'.\n", stderr);
    return TOOL_USAGE;
}

static void complain_of_option(const struct verb *verb, const struct parser *parser, int code,
                               const char *word)
{
    if (code == ':') {
        tool_message("%s: %s needs an argument", verb->name, word);
        return;
    }
    if (word[0] != '-' || word[1] != '-') {
        tool_message("%s: there is no option -%c", verb->name, optopt);
        return;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    struct suggestion suggestion = {.word = name};
    for (size_t i = 0; i < parser->count; i++) {
        if (strcmp(name, parser->longs[i].name) == 0) {
            tool_message("%s: --%s takes no argument", verb->name, name);
            return;
        }
        tool_suggest(&suggestion, parser->longs[i].name);
    }
    if (suggestion.best)
        tool_message("%s: there is no option --%s; did you mean --%s?", verb->name, name,
                     suggestion.best);
    else
        tool_message("%s: there is no option --%s", verb->name, name);
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    char *settings = calloc(1, verb->settings_size + 1);
    if (settings == NULL) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    struct parser parser = {0};
    parser_fill(&parser, verb, settings);
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
        if (found == NULL) complain_of_option(verb, &parser, code, argv[optind - 1]);
        if (found == NULL || !found->option->parse(found->field, optarg)) {
            free(settings);
            return usage_error(verb);
        }
    }
    const int count = argc - optind;
    if (count < verb->least || count > verb->most) {
        if (count < verb->least)
            tool_message("%s: something is missing: hectic %s %s", verb->name, verb->name,
                         verb->usage[0]);
        else
            tool_message("%s: too many arguments, from \"%s\" on", verb->name,
                         argv[optind + verb->most]);
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
        tool_message("there is no %s \"%s\"; did you mean \"%s\"?", kind, name, suggestion.best);
    else
        tool_message("there is no %s \"%s\"", kind, name);
    return usage_error(NULL);
}

/* The words that may stand in the place of a verb. --man and --completions serve the build. */
static int run_word(int argc, char **argv)
{
    const char *word = argv[1];
    const struct verb *about = argc > 2 ? verb_find(argv[2]) : NULL;
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("hectic %s\n", hectic_version());
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

/* A standard descriptor that is closed would be the number of the next file that is opened, into
 * which messages, or what a program prints that is started, would go. Each is opened the wrong way
 * around, so that using it is an error, as it was. */
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
        tool_message("what shall it do?");
        return usage_error(NULL);
    }
    const struct verb *verb = verb_find(argv[1]);
    return verb ? run_verb(verb, argc - 1, argv + 1) : run_word(argc, argv);
}
