/* choice.c — which numbers are compared: of which part of the logs, of which table, per what. */
#define _GNU_SOURCE /* asprintf */
#include "tool/verbs/compare/compare.h"

#include "compare/number_classes.h"
#include "tool/cli/message.h"
#include "tool/verbs/compare/stack_difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- A table --------------------------------------------------------------------------------- */

static const hectic_table *find_table(const char *name)
{
    struct suggestion suggestion = {.word = name};
    const hectic_table *table = hectic_table_find(name);
    for (size_t i = 0; !table && hectic_table_at(i); i++)
        tool_suggest(&suggestion, hectic_table_at(i)->name);
    if (!table)
        tool_usage_error("there is no table \"%s\"%s%s%s (hectic sql --schema lists them)", name,
                         suggestion.best ? "; did you mean " : "",
                         suggestion.best ? suggestion.best : "", suggestion.best ? "?" : "");
    return table;
}

/* Sets the key of the rows. False after a message. */
static bool find_key(struct number_source *source, const hectic_table *table, const char *name)
{
    struct suggestion suggestion = {.word = name};
    hectic_column column = {.size = sizeof column};
    source->key = name;
    for (size_t i = 0; hectic_table_column(table, i, &column); i++) {
        const bool is_text = column.kind == HECTIC_COLUMN_TEXT || column.kind == HECTIC_COLUMN_NAME;
        source->by = is_text ? BY_TEXT : BY_INDEX;
        if (strcmp(column.name, name) == 0) return true;
        tool_suggest(&suggestion, column.name);
    }
    tool_usage_error("the table %s has no column \"%s\"%s%.80s%s", table->name, name,
                     suggestion.best ? "; hectic sql --schema " : "",
                     suggestion.best ? table->name : "", suggestion.best ? " lists them" : "");
    return false;
}

static bool choose_table(struct compare_choice *choice, const struct choice_settings *settings)
{
    if (!settings->table && settings->by) {
        tool_usage_error("--by needs --table");
        return false;
    }
    const hectic_table *table = settings->table ? find_table(settings->table) : NULL;
    if (!table) {
        memset(choice->numbers.wanted, true, sizeof choice->numbers.wanted);
        return !settings->table;
    }
    choice->source = (struct number_source){
        .table = table->name, .first = table->name, .count = "count", .is_spread = true};
    choice->numbers.table = &choice->source;
    return !settings->by || find_key(&choice->source, table, settings->by);
}

/* --- Per what -------------------------------------------------------------------------------- */

/* "span request" is span("request").count. */
static bool choose_per(struct compare_choice *choice, const char *text)
{
    static const char *const kinds[] = {"span", "marker", "message"};
    for (size_t i = 0; text && i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i]);
        if (strncmp(text, kinds[i], length) != 0 || text[length] != ' ' || !text[length + 1])
            continue;
        const struct number_source source = {.first = kinds[i], .by = BY_TEXT};
        number_name(choice->per, &source, text + length + 1, "count");
        return true;
    }
    return !text || tool_invalid("unit", text, "--per",
                                 "examples: 'span request', 'marker tick', 'message done'");
}

bool compare_divide(const struct compare_choice *choice, struct runs *runs)
{
    if (!*choice->per) return true;
    const struct run *without = runs_divide(runs, choice->per, number_is_sum);
    if (without)
        tool_message("%s: there is no %s, so that nothing can be divided by it",
                     tool_log_name(without->log), choice->per);
    return !without;
}

/* --- The choice ------------------------------------------------------------------------------ */

static void add_option(char **options, const char *name, const char *value)
{
    char *before = *options;
    if (!value) return;
    if (asprintf(options, "%s%s%s %s", before, *before ? " " : "", name, value) < 0)
        tool_out_of_memory();
    free(before);
}

/* The options that a baseline of this interval has to be saved with. */
static char *find_options(const struct choice_settings *settings,
                          const struct interval_settings *interval)
{
    char *options = strdup("");
    if (!options) tool_out_of_memory();
    add_option(&options, "--from", interval->from);
    add_option(&options, "--to", interval->to);
    add_option(&options, "--between", interval->between[0]);
    add_option(&options, "--between", interval->between[1]);
    add_option(&options, "--table", settings->table);
    add_option(&options, "--by", settings->by);
    return options;
}

bool compare_choose(struct compare_choice *choice, const struct choice_settings *settings)
{
    const struct interval_settings *new = &settings->new_interval;
    choice->numbers.interval = &settings->interval;
    choice->new_interval = new->from || new->to ? new : &settings->interval;
    choice->options[SIDE_OLD] = find_options(settings, choice->numbers.interval);
    choice->options[SIDE_NEW] = find_options(settings, choice->new_interval);
    return choose_table(choice, settings) && choose_per(choice, settings->per);
}

void compare_choice_free(struct compare_choice *choice)
{
    free(choice->options[SIDE_OLD]);
    free(choice->options[SIDE_NEW]);
}

const struct tool_option choice_options[] = {
    {"new-from", 0, "TIME", "the interval of NEW, if it is another one", NULL,
     offsetof(struct choice_settings, new_interval.from), tool_set_text},
    {"new-to", 0, "TIME", NULL, NULL, offsetof(struct choice_settings, new_interval.to),
     tool_set_text},
    {"table", 0, "T", "the sums of a table, by the values of a column", NULL,
     offsetof(struct choice_settings, table), tool_set_text},
    {"by", 0, "COLUMN", NULL, NULL, offsetof(struct choice_settings, by), tool_set_text},
    {"per", 0, "UNIT", "sums by the number of 'span NAME', 'marker NAME'", NULL,
     offsetof(struct choice_settings, per), tool_set_text},
    {0},
};
