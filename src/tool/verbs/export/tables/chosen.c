/* chosen.c — see chosen.h. */
#include "tool/verbs/export/tables/chosen.h"

#include "tool/cli/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void report_table(const struct export_tables *tables, const char *name)
{
    struct suggestion suggestion = {.word = name};
    for (size_t i = 0; i < query_tables_count(tables->all); i++)
        tool_suggest(&suggestion, query_tables_at(tables->all, i)->name);
    tool_usage_error("there is no table \"%s\" for --table%s%s%s", name,
                     suggestion.best ? "; did you mean " : "",
                     suggestion.best ? suggestion.best : "", suggestion.best ? "?" : "");
}

/* Is the table among the names? */
static bool is_named(const struct query_table *table, const char *names)
{
    const size_t length = strlen(table->name);
    for (const char *rest = names; *rest;) {
        const size_t size = strcspn(rest, ",");
        if (size == length && strncasecmp(rest, table->name, length) == 0) return true;
        rest += size + (rest[size] == ',');
    }
    return false;
}

static bool are_tables(const struct export_tables *tables, const char *names)
{
    char name[64];
    for (const char *rest = names;; rest++) {
        const size_t length = strcspn(rest, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, rest);
        if (!query_tables_find(tables->all, name)) return report_table(tables, name), false;
        rest += length;
        if (!*rest) return true;
    }
}

int export_tables_choose(struct export_tables *tables, const struct export_settings *settings,
                         const char *events)
{
    *tables =
        (struct export_tables){.all = query_tables_new(), .has_private = settings->has_private};
    const size_t count = tables->all ? query_tables_count(tables->all) : 0;
    tables->chosen = calloc(count + 1, sizeof *tables->chosen);
    if (!tables->all || !tables->chosen) return tool_message("out of memory"), TOOL_UNUSABLE;
    if (settings->tables && !are_tables(tables, settings->tables)) return TOOL_USAGE;
    for (size_t i = 0; i < count; i++) {
        const struct query_table *table = query_tables_at(tables->all, i);
        if (settings->tables ? is_named(table, settings->tables)
                             : table->result || strcmp(table->name, events) == 0)
            tables->chosen[tables->count++] = table;
    }
    return TOOL_OK;
}

void export_tables_free(struct export_tables *tables)
{
    query_tables_free(tables->all);
    free(tables->chosen);
}
