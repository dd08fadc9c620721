/* tasks_rows.c — the rows of tasks: OS threads that ran the caps. */
#include "facts/tasks.h"
#include "results/rows.h"
#include "tables/tables.h"

#include <inttypes.h>
#include <stdio.h>

struct tasks_maker {
    struct reading *reading;
    const struct row_taker *rows;
    struct tasks_sums *sums;
    uint64_t duration; /* ns: of the interval */
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
    const struct tasks_maker *tasks = user;
    const uint64_t duration = tasks->duration;
    const bool has_lifetime = task->has_created || task->created <= tasks->reading->interval.from;
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
    reading_cells(tasks->reading, cell);
    cells_after_reading(cell, values.cells, CELLS_OF(tasks));
    tasks->sums->count++;
    tasks->sums->lifetime += task->lifetime;
    tasks->sums->migrations += task->migrations;
    return tasks->rows->take(tasks->rows->user, cell);
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

static const struct reader reader = {
    .begin = begin, .events = events, .end = end, .finish = finish};

bool tasks_rows(struct reading *reading, const struct row_taker *rows, struct tasks_sums *sums)
{
    return reading_all(reading, &reader,
                       &(struct tasks_maker){reading, rows, sums, reading->duration});
}

struct table {
    struct tasks_maker maker; /* the first member: the reader has it */
    struct tasks_sums sums;
};

static const struct reader *begin_maker(void *user, struct reading *reading,
                                        const struct row_taker *const *rows)
{
    struct table *table = user;
    table->maker = (struct tasks_maker){reading, rows[0], &table->sums, reading->duration};
    return &reader;
}

const struct row_maker task_maker = {
    .reader = &reader, .size = sizeof(struct table), .begin = begin_maker};
