/* event_rows.c — the rows of tables of events, in order of time. */
#include "query/rows.h"
#include "query/tables.h"

#include "facts/processes.h"
#include "read/decode/running.h"
#include "read/survey.h"
#include "render/renderer.h"
#include "render/text.h"
#include "results/process_choice.h"

#include <stdlib.h>
#include <string.h>

struct event_rows {
    const struct query_table *table;
    struct query_scan scan;
    query_logs *logs; /* NULL: live */
    size_t number;    /* of the log */
    hectic_log *log;
    const hectic_header *header; /* live */
    bool is_whole;               /* of the log; otherwise of an interval */

    const hectic_event *event; /* the current one */
    size_t left;               /* events in memory, with the current one */
    uint64_t section;
    hectic_renderer *renderer; /* NULL: not made yet */
    uint32_t *running;         /* NULL: not followed */
    bool follows_processes;    /* the log has several */
    hectic_processes *processes;
    uint32_t process; /* of the current event */

    bool has_values; /* those of the current event were found */
    hectic_value value[HECTIC_MAX_FIELDS];
    size_t values;
    char *text; /* HECTIC_RENDER_MAX bytes: what does not stand in the log as it is */

    /* With scan->by_type or by_name: how many events of a type are left. */
    const uint16_t *order;
    size_t place; /* in the order */
    uint64_t of_type;
    bool is_counted; /* only the number of all events is wanted */
};

/* --- Opening --------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const hectic_shape *x = hectic_shape_by_number(*(const uint16_t *)a);
    const hectic_shape *y = hectic_shape_by_number(*(const uint16_t *)b);
    if (x && y) return strcmp(x->name, y->name);
    return (x != NULL) - (y != NULL); /* an unknown name comes first, as in SQL */
}

/* All types in the order that is wanted. */
static uint16_t *types_in_order(bool by_name, bool descending)
{
    uint16_t *order = malloc(65536 * sizeof *order);
    if (!order) return NULL;
    for (size_t i = 0; i < 65536; i++)
        order[i] = (uint16_t)i;
    if (by_name) qsort(order, 65536, sizeof *order, compare_names);
    for (size_t i = 0; i < 32768 && descending; i++) {
        const uint16_t other = order[i];
        order[i] = order[65535 - i];
        order[65535 - i] = other;
    }
    return order;
}

static uint64_t count_of(const struct event_rows *rows, size_t type)
{
    const uint64_t lost = type == HECTIC_EVENT_LOG_MSG ? log_lost_messages(rows->log) : 0;
    return hectic_log_survey(rows->log)->count[type] + lost;
}

static bool prepare(struct event_rows *rows, hectic_error *error)
{
    const struct query_scan *scan = &rows->scan;
    *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    rows->text = malloc(HECTIC_RENDER_MAX);
    if (!rows->text) return false;
    if (scan->by_type || scan->by_name) {
        rows->order = types_in_order(scan->by_name, scan->descending);
        if (!rows->order) return false;
        rows->of_type = count_of(rows, rows->order[0]);
    } else if (scan->columns == 0 && rows->is_whole && !rows->table->shape && !scan->has_cap &&
               !scan->has_type && !scan->has_thread) {
        rows->is_counted = true;
        rows->of_type = hectic_log_survey(rows->log)->events + log_lost_messages(rows->log);
    }
    if (scan->has_thread || query_wants(scan->columns, EVENT_THREAD)) rows->running = running_new();
    if ((scan->has_thread || query_wants(scan->columns, EVENT_THREAD)) && !rows->running)
        return false;
    if (query_wants(scan->columns, EVENT_PROCESS) || query_wants(scan->columns, EVENT_PID)) {
        hectic_processes *several;
        if (!log_several_processes(rows->log, &several)) return false;
        rows->follows_processes = several;
        hectic_processes_free(several);
    }
    *error = (hectic_error){0};
    return true;
}

static void close_rows(void *self)
{
    struct event_rows *rows = self;
    if (rows->logs) query_log_give(rows->logs, rows->number, rows->log, rows->is_whole);
    hectic_renderer_free(rows->renderer);
    hectic_processes_free(rows->processes);
    free(rows->running);
    free((void *)(uintptr_t)rows->order);
    free(rows->text);
    free(rows);
}

static void *open_rows(query_logs *logs, size_t number, const struct query_table *table,
                       const struct query_scan *scan, hectic_error *error)
{
    struct event_rows *rows = calloc(1, sizeof *rows);
    *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
    if (!rows) return NULL;
    *rows = (struct event_rows){.table = table, .scan = *scan, .logs = logs, .number = number};
    rows->is_whole = scan->from == 0 && scan->to == UINT64_MAX;
    /* Before the interval, what determines the state of caps is read, too. */
    const hectic_log_options options = {.interval_from = scan->from, .to = scan->to};
    rows->log = query_log_take(logs, number, rows->is_whole ? NULL : &options, error);
    if (!rows->log) return free(rows), NULL;
    if (!prepare(rows, error)) return close_rows(rows), NULL;
    return rows;
}

/* --- The next row ---------------------------------------------------------------------------- */

static bool begin_section(struct event_rows *rows)
{
    rows->section++;
    hectic_renderer_free(rows->renderer);
    rows->renderer = NULL;
    if (rows->running) memset(rows->running, 0, (HECTIC_CAP_NONE + 1) * sizeof *rows->running);
    if (!rows->follows_processes) return true;
    hectic_processes_free(rows->processes);
    rows->processes = hectic_processes_new();
    return rows->processes;
}

/* The next events of the log. False: there are none. */
static bool more_events(struct event_rows *rows, hectic_error *error)
{
    while (!query_logs_interrupted(rows->logs, error)) {
        switch (hectic_log_next_events(rows->log, &rows->event, &rows->left)) {
        case HECTIC_GOT_EVENT: return true;
        case HECTIC_HEADER:
            if (begin_section(rows)) continue;
            *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
            return false;
        case HECTIC_ERROR: *error = *hectic_log_error(rows->log); return false;
        case HECTIC_PARTIAL:
        case HECTIC_COMPLETE: return false;
        }
    }
    return false;
}

static void find_values(struct event_rows *rows)
{
    const hectic_shape *shape = rows->event->declared->shape;
    if (rows->has_values) return;
    rows->has_values = true;
    rows->values =
        shape ? hectic_shape_walk(shape, rows->event->payload, rows->event->size, rows->value, NULL)
              : 0;
}

/* The thread that the event is about, or that ran on its cap. */
static bool thread_of(struct event_rows *rows, uint32_t *thread)
{
    find_values(rows);
    for (size_t i = 0; i < rows->values; i++)
        if (rows->value[i].field->unit == HECTIC_UNIT_THREAD)
            return *thread = (uint32_t)rows->value[i].number, true;
    if (rows->event->cap == HECTIC_CAP_NONE || !rows->running ||
        rows->running[rows->event->cap] == 0)
        return false;
    *thread = rows->running[rows->event->cap] - 1;
    return true;
}

static bool passes(struct event_rows *rows)
{
    const struct query_scan *scan = &rows->scan;
    const hectic_event *event = rows->event;
    uint32_t thread;
    if (event->time < scan->from) return false;
    if (rows->table->shape && event->type != rows->table->shape->number) return false;
    if (scan->has_type && event->type != scan->type) return false;
    if (scan->has_cap && event->cap != scan->cap) return false;
    return !scan->has_thread || (thread_of(rows, &thread) && thread == scan->thread);
}

/* The rows of `by_type` and `by_name`: an event is its type. */
static bool next_of_types(struct event_rows *rows)
{
    while (rows->of_type == 0) {
        if (++rows->place >= 65536) return false;
        rows->of_type = count_of(rows, rows->order[rows->place]);
    }
    rows->of_type--;
    return true;
}

static bool next_row(void *self, hectic_error *error)
{
    struct event_rows *rows = self;
    if (rows->order) return next_of_types(rows);
    if (rows->is_counted) return rows->of_type > 0 && rows->of_type-- > 0;
    for (;;) {
        if (rows->left > 0) {
            if (rows->running) running_follow(rows->running, rows->event);
            rows->event++;
            rows->left--;
        }
        if (rows->left == 0 && !more_events(rows, error)) return false;
        rows->has_values = false;
        if (rows->processes &&
            !hectic_processes_event(rows->processes, rows->event, &rows->process)) {
            *error = (hectic_error){.kind = HECTIC_NO_MEMORY};
            return false;
        }
        if (passes(rows)) return true;
    }
}

/* --- Values ---------------------------------------------------------------------------------- */

static void set_number(struct query_value *value, bool is_known, uint64_t number)
{
    if (is_known) *value = (struct query_value){QUERY_INTEGER, 0, {.number = number}};
}

static void set_text(struct query_value *value, const char *text, size_t size)
{
    if (text) *value = (struct query_value){QUERY_TEXT, size, {.bytes = text}};
}

static const hectic_renderer *renderer_of(struct event_rows *rows)
{
    if (!rows->renderer)
        rows->renderer =
            hectic_renderer_new(rows->log ? hectic_log_header(rows->log) : rows->header);
    return rows->renderer;
}

static void get_process(const struct event_rows *rows, bool is_pid, struct query_value *value)
{
    if (!rows->processes || rows->process == HECTIC_NO_PROCESS) return;
    const hectic_process process = hectic_processes_get(rows->processes, rows->process);
    if (is_pid)
        set_number(value, process.has_pid, process.pid);
    else
        set_number(value, process.has_capset, process.capset);
}

static void get_payload(struct event_rows *rows, struct query_value *value)
{
    if (renderer_of(rows))
        set_text(value, rows->text, render_json_payload(rows->renderer, rows->event, rows->text));
}

static void get_type(const struct event_rows *rows, size_t column, struct query_value *value)
{
    const uint16_t type = rows->order ? rows->order[rows->place] : rows->event->type;
    const hectic_shape *shape = rows->order ? NULL : rows->event->declared->shape;
    if (!shape) shape = hectic_shape_by_number(type);
    if (column == EVENT_TYPE) set_number(value, true, type);
    if (column == EVENT_NAME && shape) set_text(value, shape->name, strlen(shape->name));
    if (column == EVENT_CLASS && shape) {
        const char *name = hectic_class_name(shape->class_);
        set_text(value, name, strlen(name));
    }
}

static void get_common(struct event_rows *rows, size_t column, struct query_value *value)
{
    const hectic_event *event = rows->event;
    uint32_t thread = 0;
    switch (column) {
    case EVENT_SECTION: set_number(value, true, rows->section); break;
    case EVENT_PROCESS:
    case EVENT_PID: get_process(rows, column == EVENT_PID, value); break;
    case EVENT_POSITION: set_number(value, true, event->position); break;
    case EVENT_TIME: set_number(value, true, event->time); break;
    case EVENT_CAP: set_number(value, event->cap != HECTIC_CAP_NONE, event->cap); break;
    case EVENT_THREAD:
        if (thread_of(rows, &thread)) set_number(value, true, thread);
        break;
    case EVENT_PAYLOAD: get_payload(rows, value); break;
    default: get_type(rows, column, value); break;
    }
}

/* The value of the field that a column is about, by its name: shapes have fields of their own. */
static void get_field(struct event_rows *rows, const struct query_column *column,
                      struct query_value *value)
{
    const hectic_value *found = NULL;
    find_values(rows);
    for (size_t i = 0; i < rows->values && !found; i++)
        if (rows->value[i].field == column->field ||
            strcmp(rows->value[i].field->name, column->field->name) == 0)
            found = &rows->value[i];
    if (!found) return;
    char *end = rows->text;
    if (column->is_name_of_field && renderer_of(rows))
        end = put_name_of_value(end, rows->renderer, found);
    else if (found->field->wire == HECTIC_LATIN1)
        end = put_latin1(end, found->bytes, found->length);
    else if (found->field->wire == HECTIC_TEXTS || found->field->wire == HECTIC_U32S)
        end = put_json_value(end, found);
    else if (found->field->wire == HECTIC_BYTES)
        *value = (struct query_value){QUERY_BLOB, found->length, {.bytes = found->bytes}};
    else if (found->field->wire >= HECTIC_STRING)
        set_text(value, (const char *)found->bytes, found->length);
    else
        set_number(value, true, found->number);
    if (value->type == QUERY_NULL) set_text(value, rows->text, (size_t)(end - rows->text));
}

static void get_value(void *self, size_t column, struct query_value *value)
{
    struct event_rows *rows = self;
    value->type = QUERY_NULL;
    if (rows->table->shape && column >= EVENT_COLUMNS)
        get_field(rows, &rows->table->column[column], value);
    else
        get_common(rows, column, value);
}

/* Without an event, those that are left of the type, or of all, differ. */
static uint64_t id_of(const void *self)
{
    const struct event_rows *rows = self;
    if (rows->is_counted) return rows->of_type + 1;
    if (rows->order) return ((uint64_t)rows->order[rows->place] << 28) + rows->of_type + 1;
    return rows->event->position;
}

const struct query_rows_kind query_event_rows = {open_rows, next_row, get_value, id_of, close_rows};

/* --- Live ------------------------------------------------------------------------------------ */

void *query_events_open(const struct query_table *table, const hectic_header *header)
{
    struct event_rows *rows = calloc(1, sizeof *rows);
    if (!rows) return NULL;
    *rows = (struct event_rows){.table = table,
                                .scan = {.columns = UINT64_MAX, .to = UINT64_MAX},
                                .header = header,
                                .section = 1,
                                .running = running_new(),
                                .text = malloc(HECTIC_RENDER_MAX)};
    if (rows->running && rows->text) return rows;
    close_rows(rows);
    return NULL;
}

bool query_events_give(void *self, const hectic_event *event, bool (*take)(void *user, void *rows),
                       void *user)
{
    struct event_rows *rows = self;
    rows->event = event;
    rows->has_values = false;
    const bool done = !passes(rows) || take(user, rows);
    running_follow(rows->running, event);
    return done;
}
