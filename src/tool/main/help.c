/* help.c — --help, from the tables of the verbs. */

#include "tool/cli/options.h"
#include "tool/cli/verb.h"
#include "tool/main/main.h"

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

/* Two columns in a line. */
static void print_legend(const struct legend_entry *entry)
{
    enum { MEANING = 31 };
    printf("\nColumns, for the interval of a line (- if unknown):\n");
    for (bool is_first = true; entry->name; entry++, is_first = !is_first) {
        const bool ends_line = !is_first || !entry[1].name;
        printf("  %-5s  %-*s", entry->name, ends_line ? 0 : MEANING, entry->meaning);
        if (ends_line) putchar('\n');
    }
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
    if (verb->legend) print_legend(verb->legend);
    const struct example *example = verb->examples;
    if (example->command) printf("\nExamples:\n");
    for (int i = 0; i < 2 && example[i].command; i++)
        print_example(&example[i]);
}

/* One verb in a line, the first with the heading. */
static void print_task(const struct verb *verb, const char *heading)
{
    printf("%-28s%-10s%s\n", heading, verb->name, verb->brief);
}

/* The heading, and two verbs in a line. Returns the column. */
static int print_in_block(const struct verb *verb, const char *heading, int column)
{
    enum { SECOND = 41 };
    if (*heading) {
        printf("\n%s\n", heading);
        column = 0;
    }
    if (column > SECOND) column = printf("\n") - 1;
    const int indent = column > 0 ? SECOND - column : 2;
    return column + printf("%*s%-10s%s", indent, "", verb->name, verb->brief);
}

/* The names of verbs in a line. */
static int print_name(const struct verb *verb, const char *heading)
{
    if (*heading) return printf("\n%s %s", heading, verb->name);
    return printf(", %s", verb->name);
}

/* Tasks come first. A group whose heading ends with a colon is a block. */
static void print_verbs(void)
{
    const char *heading = "";
    int column = 0;
    for (const struct verb *const *verb = tool_verbs; *verb; verb++) {
        const char *group = (*verb)->group;
        if (group == NULL) continue;
        const char *new_heading = strcmp(heading, group) == 0 ? "" : group;
        heading = group;
        if ((*verb)->brief == NULL)
            column = print_name(*verb, new_heading);
        else if (group[strlen(group) - 1] == ':')
            column = print_in_block(*verb, new_heading, column);
        else
            print_task(*verb, new_heading);
    }
    putchar('\n');
}

void help_overview(void)
{
    printf("Usage: hectic VERB [OPTION]... LOG...         (hectic LOG means hectic info LOG)\n"
           "Analyze GHC eventlogs. LOG: a file (also .gz, .zst), - for stdin, or a source.\n");
    print_verbs();
    printf("Try \"hectic VERB --help\", or: ghc -eventlog Main.hs && hectic run ./Main\n");
}
