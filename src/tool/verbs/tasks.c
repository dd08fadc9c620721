/* tasks.c — hectic threads --os, or hectic tasks: the OS threads that ran the caps. */
#include "tool/output/cells.h"
#include "tool/output/json.h"
#include "tool/passes/table_verb.h"

static bool put_sum(struct table *table, const struct tasks_sums *tasks)
{
    const struct printed count = quantity(tasks->count, "task");
    const union tasks_row row = {.task = cell_text(count.text),
                                 .lifetime_ns = cell_number(tasks->lifetime),
                                 .migrations = cell_number(tasks->migrations)};
    return table_footer(table, row.cells);
}

static bool print(struct table_verb *base, void *table)
{
    struct table_rows rows;
    struct tasks_sums sums = {0};
    const bool json = base->settings->table.json;
    if (!tasks_rows(base->reading, table_rows(&rows, base, table), &sums) ||
        !put_sum(table, &sums) || !table_end(table, base->sink))
        return false;
    if (!json) return true;
    struct json rest = json_on_sink(base->sink);
    sink_text(base->sink, ",\n", 2);
    record_put_members(&rest, tasks_totals, .count = cell_number(sums.count),
                       .lifetime_ns = cell_number(sums.lifetime),
                       .migrations = cell_number(sums.migrations));
    sink_text(base->sink, "}\n", 2);
    return true;
}

static int run(void *settings, int argc, char **argv)
{
    static const struct table_verb_need need = {
        "tasks",
        "a GHC from 7.6 on, and +RTS -ls",
        {HECTIC_EVENT_TASK_CREATE, HECTIC_EVENT_TASK_MIGRATE, HECTIC_EVENT_TASK_DELETE},
        3,
        false};
    (void)argc;
    struct table_verb_settings *given = settings;
    int code;
    given->table.is_member = given->table.is_first = true;
    table_default_sort(&given->table, "lifetime");
    struct table *table = table_new("tasks", tasks_columns, &given->table, &code);
    if (table) code = table_verb_run(argv[0], given, &need, print, table);
    table_free(table);
    return code;
}

const struct verb verb_tasks = {
    .name = "tasks",
    .group = NULL,
    .summary = "List the OS threads that ran the caps",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description = (const char *const[]){"An alias of hectic threads --os.", NULL},
    .columns = tasks_columns,
    .groups = table_verb_groups,
    .examples =
        (const struct example[]){
            {"hectic tasks Main.eventlog", "how many OS threads were there?"},
            {"hectic tasks --sort migrations --limit 5 LOG", "which of them migrated most"},
            {NULL, NULL}},
    .exits = TABLE_VERB_EXITS("tasks"),
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct table_verb_settings),
    .run = run,
};
