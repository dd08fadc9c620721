/* tasks.c — hectic threads --os, or hectic tasks: the OS threads that ran the caps. */
#include "tool/output/table_verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct tasks {
    const struct table_verb *base;
    struct table *table;
    hectic_tasks *analysis[READING_PROCESSES];
    uint64_t count, lifetime, migrations;
};

static const struct table_column columns[] = {
    READING_COLUMNS,
    {"task", "Task", CELL_TEXT, 0},
    {"os_thread", "OS thread", CELL_ID, 0},
    {"created_ns", "Created", CELL_TIME, RANK(1)},
    {"deleted_ns", "Deleted", CELL_TIME, OPTIONAL | RANK(3)},
    {"lifetime_ns", "Lifetime", CELL_NS, 0},
    {"lifetime_bar", "", CELL_BAR, RANK(2)},
    {"first_cap", "First cap", CELL_ID, RANK(4)},
    {"last_cap", "Last cap", CELL_ID, RANK(4)},
    {"caps", "Caps", CELL_COUNT, RANK(1)},
    {"cap_list", "Which", CELL_TEXT, RANK(2)},
    {"migrations", "Migrations", CELL_COUNT, RANK(1)},
    {0},
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
        task->has_created || task->created <= tasks->base->reading.interval.from;
    char name[32], caps[1024];
    snprintf(name, sizeof name, "0x%" PRIx64, task->id);
    list_caps(task, caps, sizeof caps);
    struct cell cell[sizeof columns / sizeof *columns];
    const struct cell values[] = {
        cell_text(name),
        cell_if(task->os_thread > 0, task->os_thread),
        cell_if(task->has_created, task->created),
        cell_if(task->has_deleted, task->deleted),
        cell_if(has_lifetime, task->lifetime),
        cell_share(duration ? (double)task->lifetime / (double)duration : 0),
        cell_if(task->has_cap, task->first_cap),
        cell_if(task->has_cap, task->last_cap),
        cell_if(task->has_cap, task->caps),
        cell_text(task->has_cap ? caps : NULL),
        cell_number(task->migrations),
    };
    memcpy(cell + reading_cells(&tasks->base->reading, cell), values, sizeof values);
    tasks->count++;
    tasks->lifetime += task->lifetime;
    tasks->migrations += task->migrations;
    return table_row(tasks->table, tasks->base->sink, cell) && !sink_failed(tasks->base->sink);
}

static bool begin(void *user, const hectic_header *header)
{
    struct tasks *tasks = user;
    const struct interval *interval = &tasks->base->reading.interval;
    hectic_tasks **analysis = &tasks->analysis[tasks->base->reading.slot];
    if (!*analysis) *analysis = hectic_tasks_new(interval->from, interval->to, take, tasks);
    return header && *analysis;
}

static bool event(void *user, const hectic_event *event)
{
    const struct tasks *tasks = user;
    return hectic_tasks_event(tasks->analysis[tasks->base->reading.slot], event);
}

static bool end(void *user, uint64_t now)
{
    const struct tasks *tasks = user;
    return hectic_tasks_end(tasks->analysis[tasks->base->reading.slot], now);
}

static bool put_sum(const struct tasks *tasks)
{
    struct cell cell[sizeof columns / sizeof *columns] = {0};
    char count[40];
    snprintf(count, sizeof count, "%" PRIu64 " tasks", tasks->count);
    cell[READING_CELLS] = cell_text(count);
    cell[READING_CELLS + 4] = cell_number(tasks->lifetime);
    cell[READING_CELLS + 10] = cell_number(tasks->migrations);
    return table_footer(tasks->table, cell);
}

static bool print(struct table_verb *base, void *user)
{
    static const struct reader reader = {begin, event, end, NULL};
    struct tasks *tasks = user;
    tasks->base = base;
    if (base->reading.several) table_show_processes(tasks->table);
    const bool json = base->settings->table.json;
    if (json) sink_text(base->sink, "{", 1);
    if (!reading_all(&base->reading, &reader, tasks) || !put_sum(tasks) ||
        !table_end(tasks->table, base->sink))
        return false;
    if (json)
        sink_print(base->sink,
                   ",\n\"count\":%" PRIu64 ",\"lifetime_ns\":%" PRIu64 ",\"migrations\":%" PRIu64
                   "}\n",
                   tasks->count, tasks->lifetime, tasks->migrations);
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
    tasks.table = table_new("tasks", columns, &given->table, &code);
    if (tasks.table) code = table_verb_run(argv[0], given, &need, print, &tasks);
    for (size_t i = 0; i < READING_PROCESSES; i++)
        hectic_tasks_free(tasks.analysis[i]);
    table_free(tasks.table);
    return code;
}

const struct verb verb_tasks = {
    .name = "tasks",
    .group = NULL,
    .summary = "List the OS threads that ran the caps",
    .usage = (const char *const[]){"[OPTION]... LOG", NULL},
    .description = (const char *const[]){"An alias of hectic threads --os.", NULL},
    .columns = columns,
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
