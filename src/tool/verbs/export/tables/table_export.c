/* table_export.c — see table_export.h. */
#include "tool/verbs/export/tables/table_export.h"

#include "render/text.h"
#include "results/several.h"
#include "tool/cli/message.h"
#include "tool/cli/progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 4 };

/* Tables of a log that are read in one pass. */
struct group {
    struct table_run *run;
    size_t log, count;
    const struct query_table **table;
    double read; /* how much of the log: 0 … 1 */
};

struct log_state {
    bool is_left_out; /* it cannot be read */
    bool has_begun;
    size_t groups; /* that are not done */
};

struct table_run {
    struct table_export *export;
    const struct table_target *target;
    void *user;
    struct progress progress;
    size_t threads;
    bool is_serial;
    const struct query_table **room; /* for the tables of the next group */
    struct group *group;
    size_t groups;

    /* The threads take one group after the other. What they share, they use under the mutex, which
     * is not held while rows are read. */
    pthread_mutex_t mutex;
    size_t next;
    struct log_state *log; /* of each */
    int code;
    atomic_bool is_stopped; /* code is not TOOL_OK */
};

/* A table that is written. */
struct part {
    struct table_rows rows;
    bool done;
};

static void lock(struct table_run *run)
{
    pthread_mutex_lock(&run->mutex);
}

static void unlock(struct table_run *run)
{
    pthread_mutex_unlock(&run->mutex);
}

static void stop(struct table_run *run)
{
    run->code = TOOL_UNUSABLE;
    atomic_store(&run->is_stopped, true);
}

bool table_export_stops(const struct table_export *export)
{
    return atomic_load(&export->run->is_stopped);
}

static query_logs *logs_of(const struct table_run *run)
{
    return run->export->logs.logs;
}

/* --- A group --------------------------------------------------------------------------------- */

static bool open_part(struct part *part, struct table_run *run, const struct group *group,
                      const struct query_table *table)
{
    if (!table_rows_begin(&part->rows, table, run->export->tables.has_private,
                          &run->target->writer))
        return tool_message("out of memory"), false;
    part->rows.self = run->target->open(run->user, group->log, &part->rows);
    return part->rows.self;
}

static void close_part(struct table_run *run, struct part *part)
{
    if (part->rows.self && !run->target->close(part->rows.self, part->done) && part->done)
        stop(run);
    table_rows_free(&part->rows);
}

/* What was wrong with the log, or else with a part. Under the mutex. */
static void report(struct table_run *run, const struct group *group, const struct part *part,
                   const hectic_error *error)
{
    struct log_tables *logs = &run->export->logs;
    if (error->kind != HECTIC_OK && !run->log[group->log].is_left_out) {
        run->log[group->log].is_left_out = true;
        if (!log_tables_failed(logs, query_logs_path(logs->logs, group->log), error)) stop(run);
    }
    for (size_t i = 0; i < group->count && error->kind == HECTIC_OK; i++) {
        if (part[i].done || atomic_load(&run->is_stopped)) continue;
        run->target->explain(part[i].rows.self);
        stop(run);
    }
}

/* Under the mutex. */
static void update_progress(struct group *group, double read)
{
    struct table_run *run = group->run;
    double all = 0;
    group->read = read;
    for (size_t i = 0; i < run->groups; i++)
        all += run->group[i].read;
    progress_update(&run->progress, all / (double)run->groups);
}

static void show_progress(void *user, double read)
{
    struct group *group = user;
    lock(group->run);
    update_progress(group, read);
    unlock(group->run);
}

/* Reads the results. Called under the mutex, which is released meanwhile. */
static void read_results(struct table_run *run, struct group *group, struct part *part,
                         hectic_error *error)
{
    struct several_table *several = calloc(group->count, sizeof *several);
    hectic_log *log = query_log_take(logs_of(run), group->log, NULL, error);
    if (several && log) {
        for (size_t i = 0; i < group->count; i++)
            several[i] = (struct several_table){
                .table = group->table[i]->result, .take = table_rows_take, .user = &part[i].rows};
        unlock(run);
        several_tables_read(log, several, group->count, NULL, show_progress, group);
        for (size_t i = 0; i < group->count; i++) {
            if (several[i].error.kind != HECTIC_OK) *error = several[i].error;
            part[i].done = several[i].done && run->target->finish(part[i].rows.self);
        }
        lock(run);
    }
    query_log_give(logs_of(run), group->log, log, true);
    free(several);
}

/* The same of events. */
static void read_events(struct table_run *run, struct group *group, struct part *part,
                        hectic_error *error)
{
    const struct query_table *table = group->table[0];
    const struct query_scan scan = {.columns = table_rows_columns(&part->rows), .to = UINT64_MAX};
    void *events = table->kind->open(logs_of(run), group->log, table, &scan, error);
    if (!events) return;
    unlock(run);
    bool done = true;
    while (done && table->kind->next(events, error))
        done = table_rows_add(&part->rows, events);
    part->done = done && error->kind == HECTIC_OK && run->target->finish(part->rows.self);
    lock(run);
    table->kind->close(events);
}

/* Before the first part of a log. Under the mutex. False: the group cannot be written. */
static bool begin_log(struct table_run *run, struct group *group)
{
    struct log_state *state = &run->log[group->log];
    hectic_error error = {0};
    if (!run->target->begin || state->has_begun) return true;
    hectic_log *log = query_log_take(logs_of(run), group->log, NULL, &error);
    if (!log) return report(run, group, NULL, &error), false;
    state->has_begun = run->target->begin(run->user, group->log, log);
    query_log_give(logs_of(run), group->log, log, true);
    if (!state->has_begun) stop(run);
    return state->has_begun;
}

/* Under the mutex. */
static void end_group(struct table_run *run, struct group *group)
{
    struct log_state *state = &run->log[group->log];
    update_progress(group, 1);
    if (--state->groups > 0 || state->is_left_out || run->code != TOOL_OK) return;
    if (run->target->end && !run->target->end(run->user, group->log)) stop(run);
}

/* Under the mutex. */
static void write_group(struct table_run *run, struct group *group)
{
    struct part *part = calloc(group->count, sizeof *part);
    hectic_error error = {0};
    size_t open = 0;
    while (part && open < group->count && open_part(&part[open], run, group, group->table[open]))
        open++;
    if (!part) tool_message("out of memory");
    if (open < group->count) {
        stop(run);
    } else {
        (group->table[0]->result ? read_results : read_events)(run, group, part, &error);
        report(run, group, part, &error);
    }
    for (size_t i = 0; part && i < group->count; i++)
        close_part(run, &part[i]);
    free(part);
}

static void *write_groups(void *user)
{
    struct table_run *run = user;
    lock(run);
    while (run->code == TOOL_OK && run->next < run->groups) {
        struct group *group = &run->group[run->next++];
        if (!run->log[group->log].is_left_out && begin_log(run, group)) write_group(run, group);
        end_group(run, group);
    }
    unlock(run);
    return NULL;
}

/* --- All groups ------------------------------------------------------------------------------ */

static size_t results_of(const struct export_tables *tables)
{
    size_t results = 0;
    while (results < tables->count && tables->chosen[results]->result)
        results++;
    return results; /* those of events follow */
}

static void add_table(struct group *group, const struct query_table *table)
{
    group->table[group->count++] = table;
}

/* The groups of a log: a table of events each, and the results in that many passes, in which
 * tables share their analyses, or one by one. Returns the next one. */
static struct group *add_groups(struct table_run *run, struct group *group, size_t log,
                                size_t passes)
{
    const struct export_tables *tables = &run->export->tables;
    const size_t results = results_of(tables), events = tables->count - results;
    for (size_t i = 0; i < events + passes; i++) {
        *group = (struct group){.run = run, .log = log, .table = run->room};
        if (i < events) add_table(group, tables->chosen[results + i]);
        for (size_t j = 0; i >= events && j < results; j++) {
            const size_t share = run->is_serial ? j : several_share(tables->chosen[j]->result);
            if (share % passes == i - events) add_table(group, tables->chosen[j]);
        }
        run->room += group->count;
        group += group->count > 0;
    }
    return group;
}

/* False: out of memory. */
static bool make_groups(struct table_run *run, const struct query_table **room)
{
    const struct export_tables *tables = &run->export->tables;
    const size_t logs = table_export_logs(run->export), results = results_of(tables);
    const size_t threads = run->threads / logs;
    /* More than there are threads, since some take much longer than others. */
    const size_t passes = run->is_serial ? results : threads > 1 ? threads + 1 : 1;
    run->log = calloc(logs + 1, sizeof *run->log);
    run->group = calloc(tables->count * logs + 1, sizeof *run->group);
    run->room = room;
    if (!run->log || !run->group || !run->room) return false;
    struct group *group = run->group;
    for (size_t log = 0; log < logs; log++) {
        struct group *next = add_groups(run, group, log, passes);
        run->log[log].groups = (size_t)(next - group);
        group = next;
    }
    run->groups = (size_t)(group - run->group);
    return true;
}

static void run_threads(struct table_run *run)
{
    pthread_t thread[THREADS_MAX];
    size_t threads = 1; /* with this one */
    for (; threads < run->threads && threads < run->groups; threads++)
        if (pthread_create(&thread[threads], NULL, write_groups, run) != 0) break;
    write_groups(run);
    while (--threads > 0)
        pthread_join(thread[threads], NULL);
}

static size_t threads_of_machine(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > THREADS_MAX ? THREADS_MAX : (size_t)online;
}

int table_export_run(struct table_export *export, const struct table_target *target, void *user,
                     size_t threads)
{
    const size_t most = threads_of_machine();
    struct table_run run = {.export = export,
                            .target = target,
                            .user = user,
                            .threads = threads < most ? threads : most,
                            .is_serial = threads == 1};
    const struct query_table **room =
        calloc(export->tables.count * table_export_logs(export) + 1, sizeof *room);
    if (make_groups(&run, room)) {
        export->run = &run;
        run.progress = progress_start(&export->settings->output);
        pthread_mutex_init(&run.mutex, NULL);
        run_threads(&run);
        pthread_mutex_destroy(&run.mutex);
        progress_end(&run.progress);
        export->run = NULL;
    } else {
        tool_message("out of memory");
        run.code = TOOL_UNUSABLE;
    }
    free(run.log);
    free(run.group);
    free(room);
    return run.code;
}

/* --- Tables and logs ------------------------------------------------------------------------- */

/* False: out of memory. */
static bool name_logs(struct table_export *export)
{
    enum { EXPANSION = 4 };
    const size_t logs = table_export_logs(export);
    export->name = calloc(logs + 1, sizeof *export->name);
    for (size_t i = 0; export->name && i < logs; i++) {
        const char *path = query_logs_path(export->logs.logs, i);
        const size_t length = strlen(path);
        char *name = export->name[i] = malloc(EXPANSION * length + 1);
        if (!name) return false;
        if (text_is_utf8((const uint8_t *)path, length))
            strcpy(name, path);
        else
            *put_exact(name, (const uint8_t *)path, length) = 0;
    }
    return export->name;
}

int table_export_open(struct table_export *export, const struct export_settings *settings,
                      const char *events, int count, char **path)
{
    *export = (struct table_export){.settings = settings, .logs.output = &settings->output};
    int code = export_tables_choose(&export->tables, settings, events);
    if (code == TOOL_OK) code = log_tables_open(&export->logs, count, path);
    if (code != TOOL_OK || name_logs(export)) return code;
    return tool_message("out of memory"), TOOL_UNUSABLE;
}

int table_export_close(struct table_export *export, int code)
{
    for (size_t i = 0; export->name && i < table_export_logs(export); i++)
        free(export->name[i]);
    free(export->name);
    export_tables_free(&export->tables);
    return log_tables_close(&export->logs, code);
}
