/* replaced.c — spellings of options that other spellings replaced. */

#include "tool/cli/verb.h"
#include "tool/main/main.h"

#include <string.h>

static const struct replaced {
    const char *verb; /* NULL: any */
    const char *spelling;
    const char *option; /* the verb must have it; NULL: none is needed */
    const char *use;
} table[] = {
    {NULL, "--count", "limit", "use --limit N"},
    {NULL, "--top", "limit", "use --limit N"},
    {NULL, "-e", "every", "use -n TIME"},
    {"validate", "-n", "limit", "use --limit N"},
    {"check", "--salvage", "repair", "use --repair IN OUT"},
    {"heap", "--limit", "bands", "use --bands N"},
    {"stat", "--live", NULL, "use \"hectic watch\" or \"hectic top\""},
};

bool verb_has_option(const struct verb *verb, const char *name)
{
    for (const struct option_group *group = verb->groups; group->title; group++)
        for (const struct tool_option *option = group->options; option->name; option++)
            if (strcmp(option->name, name) == 0) return true;
    return false;
}

const char *tool_replacement(const struct verb *verb, const char *spelling)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if ((table[i].verb == NULL || strcmp(table[i].verb, verb->name) == 0) &&
            strcmp(table[i].spelling, spelling) == 0 &&
            (table[i].option == NULL || verb_has_option(verb, table[i].option)))
            return table[i].use;
    return NULL;
}
