/* help.c — --help, from the tables of the verbs. */
#include "tool/cli/tool.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN = 26, WIDTH = 79 };

/* Prints the words of `text` from `column` on; further lines are indented. Returns the last column.
 */
static int print_words(const char *text, int column, int indent)
{
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    return column;
}

/* "-o, --output FILE"; returns its length. */
static int print_option_name(const struct tool_option *option)
{
    int length = option->letter ? printf("-%c, ", option->letter) : 0;
    length += printf("--%s", option->name);
    return length + (option->argument ? printf(" %s", option->argument) : 0);
}

static bool takes_events(const struct tool_option *option)
{
    return option->choices && strcmp(option->choices, "@events") == 0;
}

static void print_group(const struct option_group *group)
{
    for (const struct tool_option *option = group->options; option->name; option++) {
        const char *help = option->help;
        int column = printf("  ");
        column += print_option_name(option);
        while (option[1].name && option[1].help == NULL) {
            column += printf(", ");
            column += print_option_name(++option);
        }
        if (column >= COLUMN) column = printf("\n") - 1;
        printf("%*s", COLUMN - column, "");
        column = print_words(help, COLUMN, COLUMN);
        if (takes_events(option)) print_words(tool_class_names(), column, COLUMN);
        putchar('\n');
    }
}

static void print_example(const struct example *example)
{
    enum { MEANING = 42 };
    int column = printf("  %s", example->command);
    if (column + 2 + (int)strlen(example->meaning) > WIDTH) column = printf("\n") - 1;
    printf("%*s%s\n", column < MEANING ? MEANING - column : 2, "", example->meaning);
}

void help_verb(const struct verb *verb)
{
    for (const char *const *usage = verb->usage; *usage; usage++)
        printf("%s hectic %s %s\n", usage == verb->usage ? "Usage:" : "      ", verb->name, *usage);
    const int length = printf("%s.", verb->summary);
    const bool fits = length + (int)strlen(" More: man hectic-") + (int)strlen(verb->name) <= WIDTH;
    printf("%cMore: man hectic-%s\n", fits ? ' ' : '\n', verb->name);
    const char *title = "";
    for (const struct option_group *group = verb->groups; group->title; group++) {
        if (strcmp(group->title, title) != 0) printf("\n%s:\n", group->title);
        title = group->title;
        print_group(group);
    }
    const struct example *example = verb->examples;
    if (example->command) printf("\nExamples:\n");
    for (int i = 0; i < 2 && example[i].command; i++)
        print_example(&example[i]);
}

/* Verbs stand two in a line, so that all fit a screen. */
static void print_verbs(void)
{
    enum { SECOND = 41 };
    const char *heading = "";
    int column = 0; /* 0: a line begins */
    for (const struct verb *const *verb = tool_verbs; *verb; verb++) {
        if (strcmp(heading, (*verb)->group) != 0) {
            heading = (*verb)->group;
            printf("%s%s:\n", column > 0 ? "\n" : "", heading);
            column = 0;
        }
        const int indent = column > 0 ? SECOND - column : 2;
        column += printf("%*s%-10s%s", indent, "", (*verb)->name, (*verb)->brief);
        if (column > SECOND) column = printf("\n") - 1;
    }
    if (column > 0) putchar('\n');
}

void help_overview(void)
{
    printf("Usage: hectic VERB [OPTION]... LOG...\n"
           "The toolkit for GHC's eventlog. LOG is a file (also .gz, .zst), or - for stdin.\n\n");
    print_verbs();
    printf("\nNew here?  ghc -eventlog Main.hs && hectic run ./Main\n"
           "Options: --help, -h (hectic VERB --help: about a verb); --version, -V\n");
}
