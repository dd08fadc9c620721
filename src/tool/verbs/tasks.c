/* tasks.c — hectic threads --os, or hectic tasks: the OS threads that ran the caps. */
#include "facts/tasks.h"
#include "tool/output/json.h"
#include "tool/passes/table_verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct tasks {
    const struct table_verb *base;
    struct table *table;
    uint64_t count, lifetime, migrations;
};

/* The numbers of the caps, separated by spaces; ends with "…" if there are too many. */
static void list_caps(const hectic_task *task, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < task->caps; i++) {
        if (length + 12 > size) {
            snprintf(text + length, size - length, " …");
            return;
        }
        length +=
            (size_t)snprintf(text + length, size - length, i > 0 ? " %u" : "%u", task->cap[i]);
    }
}

static bool take(void *user, const hectic_task *task)
{
    struct tasks *tasks = user;
    const uint64_t duration = tasks->base->duration;
    const bool has_lifetime =
        task->has_created || task->created <= tasks->base->reading->interval.from;
    char name[32], caps[1024];
    snprintf(name, sizeof name, "0x%" PRIx64, task->id);
    list_caps(task, caps, sizeof caps);
    struct cell cell[CELLS_OF(tasks)];
    const union tasks_row values = {
        .task = cell_text(name),
        .os_thread = cell_if(task->os_thread > 0, task->os_thread),
        .created_ns = cell_if(task->has_created, task->created),
        .deleted_ns = cell_if(task->has_deleted, task->deleted),
        .lifetime_ns = cell_if(has_lifetime, task->lifetime),
        .lifetime_bar = cell_share(duration ? (double)task->lifetime / (double)duration : 0),
        .first_cap = cell_if(task->has_cap, task->first_cap),
        .last_cap = cell_if(task->has_cap, task->last_cap),
        .caps = cell_if(task->has_cap, task->caps),
        .cap_list = cell_text(task->has_cap ? caps : NULL),
        .migrations = cell_number(task->migrations),
    };
    reading_cells(tasks->base->reading, cell);
    cells_after_reading(cell, values.cells, CELLS_OF(tasks));
    tasks->count++;
    tasks->lifetime += task->lifetime;
    tasks->migrations += task->migrations;
    return table_row(tasks->table, tasks->base->sink, cell) && !sink_failed(tasks->base->sink);
}

static bool begin(const struct reading *reading)
{
    const struct interval *interval = &reading->interval;
    hectic_tasks **analysis = reading->kept;
    if (!*analysis) *analysis = hectic_tasks_new(interval->from, interval->to, take, reading->user);
    return *analysis;
}

READER_EVENTS(hectic_tasks)

static bool end(const struct reading *reading, uint64_t now)
{
    return hectic_tasks_end(*(hectic_tasks **)reading->kept, now);
}

READER_FINISH(hectic_tasks)

static bool put_sum(const struct tasks *tasks)
{
    char count[40];
    snprintf(count, sizeof count, "%" PRIu64 " tasks", tasks->count);
    const union tasks_row row = {.task = cell_text(count),
                                 .lifetime_ns = cell_number(tasks->lifetime),
                                 .migrations = cell_number(tasks->migrations)};
    return table_footer(tasks->table, row.cells);
}

static bool print(struct table_verb *base, void *user)
{
    static const struct reader reader = {
        .begin = begin, .events = events, .end = end, .finish = finish};
    struct tasks *tasks = user;
    tasks->base = base;
    if (base->reading->several) table_show_processes(tasks->table);
    const bool json = base->settings->table.json;
    if (json) sink_text(base->sink, "{", 1);
    if (!reading_all(base->reading, &reader, tasks) || !put_sum(tasks) ||
        !table_end(tasks->table, base->sink))
        return false;
    if (!json) return true;
    struct json rest = json_on_sink(base->sink);
    sink_text(base->sink, ",\n", 2);
    record_put_members(&rest, tasks_totals, .count = cell_number(tasks->count),
                       .lifetime_ns = cell_number(tasks->lifetime),
                       .migrations = cell_number(tasks->migrations));
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
    struct tasks tasks = {0};
    int code;
    given->table.is_member = true;
    table_default_sort(&given->table, "lifetime");
    tasks.table = table_new("tasks", tasks_columns, &given->table, &code);
    if (tasks.table) code = table_verb_run(argv[0], given, &need, print, &tasks);
    table_free(tasks.table);
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
