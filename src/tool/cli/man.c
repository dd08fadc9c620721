/* man.c — the man pages that the verbs' tables give, as roff for man(7). */
#include "tool/cli/tool.h"
#include "tool/input/signals.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text in which nothing is a request or an escape; '-' is the one of options. */
static void put(const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void put_line(const char *text)
{
    put(text);
    putchar('\n');
}

static void put_upper(const char *text)
{
    for (; *text; text++)
        putchar(toupper((unsigned char)*text));
}

static void put_option_name(const struct tool_option *option)
{
    if (option->letter) printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    put(option->name);
    fputs("\\fR", stdout);
    if (option->argument) printf(" \\fI%s\\fR", option->argument);
}

static void put_group(const struct option_group *group)
{
    for (const struct tool_option *option = group->options; option->name; option++) {
        const char *help = option->help;
        printf(".TP\n");
        put_option_name(option);
        while (option[1].name && option[1].help == NULL) {
            fputs(", ", stdout);
            put_option_name(++option);
        }
        putchar('\n');
        put_line(help);
        if (option->choices && strcmp(option->choices, "@events") == 0)
            put_line(tool_class_names());
    }
    if (group->note) {
        printf(".P\n");
        put_line(group->note);
    }
}

static void put_tagged(const char *tag, const char *text)
{
    printf(".TP\n.B ");
    put_line(tag);
    put_line(text);
}

static void put_exits(const char *const *exits)
{
    static const char *const codes[] = {"0", "1", "2"};
    printf(".SH EXIT STATUS\n");
    for (int code = 0; code < 3; code++)
        if (exits[code]) put_tagged(codes[code], exits[code]);
    put_tagged("64", "The command line is wrong.");
}

static void put_signals(void)
{
    printf(".SH SIGNALS\n");
    for (const char *const *paragraph = signals_paragraphs; *paragraph; paragraph++) {
        printf(".P\n");
        put_line(*paragraph);
    }
}

static void man_verb(const struct verb *verb)
{
    printf(".TH HECTIC\\-");
    put_upper(verb->name);
    printf(" 1 \"\" \"hectic %s\"\n.SH NAME\nhectic\\-%s \\- ", hectic_version(), verb->name);
    put_line(verb->summary);
    printf(".SH SYNOPSIS\n");
    for (const char *const *usage = verb->usage; *usage; usage++) {
        printf("%s.B hectic %s\n", usage == verb->usage ? "" : ".br\n", verb->name);
        put_line(*usage);
    }
    printf(".SH DESCRIPTION\n");
    for (const char *const *paragraph = verb->description; *paragraph; paragraph++) {
        printf(".P\n");
        put_line(*paragraph);
    }
    printf(".SH OPTIONS\n");
    const char *title = "";
    for (const struct option_group *group = verb->groups; group->title; group++) {
        if (strcmp(group->title, title) != 0) printf(".SS %s\n", group->title);
        title = group->title;
        put_group(group);
    }
    printf(".SS Help\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint a summary of this page.\n");
    put_exits(verb->exits);
    if (!verb->takes_command) put_signals(); /* else they are the command's */
    if (verb->examples->command) printf(".SH EXAMPLES\n");
    for (const struct example *example = verb->examples; example->command; example++)
        put_tagged(example->command, example->meaning);
    printf(".SH ENVIRONMENT\n");
    put_tagged("NO_COLOR",
               "Where it is set and not empty, nothing has colours but by --color=always.");
    put_tagged("TMPDIR", "Where temporary files go; /tmp where it is not set.");
    printf(".SH SEE ALSO\n.BR hectic (1)");
    for (const struct verb *const *other = tool_verbs; *other; other++)
        if (*other != verb) printf(",\n.BR hectic\\-%s (1)", (*other)->name);
    putchar('\n');
}

static void man_overview(void)
{
    printf(".TH HECTIC 1 \"\" \"hectic %s\"\n", hectic_version());
    printf(".SH NAME\nhectic \\- the toolkit for GHC's eventlog\n"
           ".SH SYNOPSIS\n.B hectic\n\\fIVERB\\fR [\\fIOPTION\\fR]... \\fILOG\\fR...\n"
           ".br\n.B hectic \\-\\-help\n.br\n.B hectic \\-\\-version\n"
           ".SH DESCRIPTION\n"
           "A program that GHC compiled with \\fB\\-eventlog\\fR writes a log of what its\n"
           "runtime did when it is run with \\fB+RTS \\-l\\fR: when threads ran and why they\n"
           "stopped, when the heap was collected, what the profilers saw, and what the\n"
           "program itself had to say. hectic shows such logs, checks them, and writes them.\n"
           ".P\nLOG is a file, or \\fB\\-\\fR for standard input. It may be compressed by\n"
           "gzip or zstd, may be cut short, and may still be growing.\n"
           ".SH VERBS\n");
    for (const struct verb *const *verb = tool_verbs; *verb; verb++)
        printf(".TP\n.BR hectic\\-%s (1)\n%s.\n", (*verb)->name, (*verb)->summary);
    printf(".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"
           "List the verbs; after a verb, tell about that.\n"
           ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nPrint the version.\n");
    put_exits((const char *const[]){"Done.",
                                    "The log is damaged inside; what could be read was used.",
                                    "The log cannot be read, or the output cannot be written."});
    put_signals();
    printf(".SH EXAMPLES\n");
    put_tagged("ghc -eventlog -threaded Main.hs && ./Main +RTS -l",
               "Build a program that can write a log, and run it: the log is Main.eventlog.");
    put_tagged("hectic info Main.eventlog",
               "See what ran, how long it ran, and what the log can tell.");
    put_tagged("hectic show Main.eventlog", "See every event.");
}

void man_page(const struct verb *verb)
{
    if (verb)
        man_verb(verb);
    else
        man_overview();
}
