/* man.c — man pages for man(7), from the tables of the verbs. */
#include "tool/cli/options.h"
#include "tool/cli/signals.h"
#include "tool/cli/verb.h"
#include "tool/main/main.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text without requests and escapes. '-' is printed as the one of options. */
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

/* A form of usage; names of operands and arguments are in italics. */
static void put_usage(const char *usage)
{
    while (*usage) {
        const size_t upper = strspn(usage, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        const size_t length = upper ? upper : strcspn(usage, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        char part[256];
        snprintf(part, sizeof part, "%.*s", (int)length, usage);
        fputs(upper ? "\\fI" : "", stdout);
        put(part);
        fputs(upper ? "\\fR" : "", stdout);
        usage += strlen(part);
    }
    putchar('\n');
}

static void put_paragraphs(const char *const *paragraph)
{
    for (; *paragraph; paragraph++) {
        printf(".P\n");
        put_line(*paragraph);
    }
}

static void put_exits(const char *const *exits)
{
    static const char *const codes[TOOL_EXITS] = {"0", "1", "2", "3", "4"};
    printf(".SH EXIT STATUS\n");
    for (int code = 0; code < TOOL_EXITS; code++)
        if (exits[code]) put_tagged(codes[code], exits[code]);
    put_tagged("64", "The command line is invalid.");
}

/* verb: NULL for all. */
static void put_environment(const struct verb *verb)
{
    printf(".SH ENVIRONMENT\n");
    put_tagged("NO_COLOR", !verb || verb_has_option(verb, "color")
                               ? "If set and not empty, output has no color unless --color=always "
                                 "is given."
                               : "If set and not empty, output has no color.");
    put_tagged("TERM", "If \"dumb\", output has no color.");
    put_tagged("TMPDIR", "The directory for temporary files (default: /tmp).");
}

static void put_signals(void)
{
    printf(".SH SIGNALS\n");
    put_paragraphs(signals_paragraphs);
}

static void put_examples(const struct example *example)
{
    printf(".SH EXAMPLES\n");
    for (; example->command; example++)
        put_tagged(example->command, example->meaning);
}

/* The overview, and the other verbs of the group; NULL: all. */
static void put_see_also(const struct verb *verb)
{
    printf(".SH SEE ALSO\n");
    if (verb) printf(".BR hectic (1)");
    for (const struct verb *const *other = tool_verbs; *other; other++) {
        const char *group = (*other)->group;
        if (!verb || (*other != verb && group && verb->group && strcmp(group, verb->group) == 0))
            printf("%s.BR hectic\\-%s (1)", verb || other != tool_verbs ? ",\n" : "",
                   (*other)->name);
    }
    putchar('\n');
}

static void man_verb(const struct verb *verb)
{
    printf(".TH HECTIC\\-");
    put_upper(verb->name);
    printf(" 1 \"\" \"hectic %s\"\n.SH NAME\nhectic\\-%s \\- %c", hectic_version(), verb->name,
           tolower((unsigned char)verb->summary[0]));
    put_line(verb->summary + 1);
    printf(".SH SYNOPSIS\n");
    for (const char *const *usage = verb->usage; *usage; usage++) {
        printf("%s.B hectic %s\n", usage == verb->usage ? "" : ".br\n", verb->name);
        put_usage(*usage);
    }
    printf(".SH DESCRIPTION\n");
    put_paragraphs(verb->description);
    printf(".SH OPTIONS\n");
    const char *title = "";
    for (const struct option_group *group = verb->groups; group->title; group++) {
        if (strcmp(group->title, title) != 0) printf(".SS %s\n", group->title);
        title = group->title;
        put_group(group);
    }
    printf(".SS Help\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint a summary of this page.\n");
    put_exits(verb->exits);
    put_environment(verb);
    if (!verb->takes_command && verb->least > 0) put_signals(); /* others: in the description */
    put_examples(verb->examples);
    put_see_also(verb);
}

static void put_verbs(void)
{
    const char *heading = "";
    printf(".SH VERBS\n");
    for (const struct verb *const *verb = tool_verbs; *verb; verb++) {
        const char *group = (*verb)->group ? (*verb)->group : "Not listed by --help";
        if (strcmp(heading, group) != 0) {
            printf(".SS ");
            put_line(group);
        }
        heading = group;
        printf(".TP\n.BR hectic\\-%s (1)\n", (*verb)->name);
        put_line((*verb)->summary);
    }
}

static void man_overview(void)
{
    static const char *const description[] = {
        "A program that was compiled with ghc -eventlog and runs with +RTS -l writes an eventlog: "
        "when its threads ran and why they stopped, when garbage was collected, samples of "
        "profilers, and messages of the program. hectic prints, analyzes, checks and writes "
        "eventlogs, of finished and of running programs.",
        "LOG is a file, or - for standard input. It may be compressed with gzip or zstd, "
        "truncated, or still growing. It may also be a source: unix:PATH or tcp:HOST:PORT, a "
        "socket that serves a log; fd:N, an open file descriptor; or run:COMMAND, which starts "
        "a program. See hectic-watch(1).",
        "hectic LOG is short for hectic info LOG.",
        "An output file that exists and is not empty is replaced only with --force, in all verbs. "
        "If LOG is a source, this is tested before the source is started.",
        "In sizes, KiB, MiB and GiB are powers of 1024, and kB, MB and GB powers of 1000.",
        NULL};
    static const char *const exits[TOOL_EXITS] = {
        "Success.", "The log is damaged; the readable part was used.",
        "The log cannot be read, or the output cannot be written."};
    static const struct example examples[] = {
        {"ghc -eventlog -threaded Main.hs && hectic run ./Main",
         "Build a program that can write an eventlog, run it, and print live statistics."},
        {"hectic Main.eventlog", "Summarize a log."},
        {"hectic show Main.eventlog", "Print every event."},
        {"hectic stat Main.eventlog", "See where time and memory went."},
        {NULL, NULL}};
    printf(".TH HECTIC 1 \"\" \"hectic %s\"\n", hectic_version());
    printf(".SH NAME\nhectic \\- analyze GHC eventlogs\n"
           ".SH SYNOPSIS\n.B hectic\n\\fIVERB\\fR [\\fIOPTION\\fR]... \\fILOG\\fR...\n"
           ".br\n.B hectic\n\\fILOG\\fR\n"
           ".br\n.B hectic\n\\-\\-help | \\-\\-version [\\-\\-verbose]\n"
           ".SH DESCRIPTION\n");
    put_paragraphs(description);
    put_verbs();
    printf(".SH OPTIONS\n");
    printf(
        ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nList the verbs. After a verb, print its help.\n"
        ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nPrint the version; with \\fB\\-\\-verbose\\fR, "
        "also the compiler, the build type and the libraries.\n");
    put_exits(exits);
    put_environment(NULL);
    put_signals();
    put_examples(examples);
    put_see_also(NULL);
}

void man_page(const struct verb *verb)
{
    if (verb)
        man_verb(verb);
    else
        man_overview();
}
