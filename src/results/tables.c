/* tables.c — hectic/tables.h: the tables that a log is asked for by name. */
#include "read/joint_pass.h"
#include "results/live/row.h"
#include "results/several.h"

#include <hectic/tables.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The tables ------------------------------------------------------------------------------ */

static bool all_tasks(struct reading *reading, const struct row_taker *rows)
{
    struct tasks_sums sums = {0};
    return tasks_rows(reading, rows, &sums);
}

static bool all_threads(struct reading *reading, const struct row_taker *rows)
{
    struct threads_sums sums;
    return threads_rows(reading, rows, NULL, &sums);
}

static bool all_spans(struct reading *reading, const struct row_taker *rows)
{
    hectic_span_totals totals;
    return spans_rows(reading, rows, false, false, &totals);
}

static bool each_span(struct reading *reading, const struct row_taker *rows)
{
    hectic_span_totals totals;
    return spans_rows(reading, rows, true, false, &totals);
}

static bool sparks_of(struct reading *reading, const struct row_taker *rows, bool each)
{
    struct sparks_sums sums;
    const bool done = sparks_rows(reading, rows, &(struct sparks_options){.each = each}, &sums);
    hectic_histogram_clear(&sums.durations);
    return done;
}

static bool all_sparks(struct reading *reading, const struct row_taker *rows)
{
    return sparks_of(reading, rows, false);
}

static bool each_spark(struct reading *reading, const struct row_taker *rows)
{
    return sparks_of(reading, rows, true);
}

static bool all_collections(struct reading *reading, const struct row_taker *rows)
{
    return gc_rows(reading, rows, NULL);
}

static bool stat_of(struct reading *reading, const struct row_taker *rows, enum stat_part part)
{
    const struct row_taker *of[STAT_PARTS] = {0};
    of[part] = rows;
    return stat_rows(reading, of);
}

static bool stat_of_run(struct reading *reading, const struct row_taker *rows)
{
    return stat_of(reading, rows, STAT_OF_RUN);
}

static bool stat_of_caps(struct reading *reading, const struct row_taker *rows)
{
    return stat_of(reading, rows, STAT_OF_CAPS);
}

static bool stat_of_generations(struct reading *reading, const struct row_taker *rows)
{
    return stat_of(reading, rows, STAT_OF_GENERATIONS);
}

/* How the rows of a table are made. */
static const struct result {
    /* NULL: they are made by the reader of `live`. */
    bool (*rows)(struct reading *reading, const struct row_taker *rows);
    const struct live_rows *live; /* NULL: there are none */
} results[] = {
#define LOG_TABLE(name, has_prefix, rows, live) {rows, live},
#include "tables/log_tables.def"
};

static const struct result *result_of(const hectic_table *table)
{
    return &results[table_number(table)];
}

const struct live_rows *table_live_rows(const hectic_table *table)
{
    return result_of(table)->live;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* As far as the caller's version has it. */
static hectic_table_options options_of(const hectic_table_options *given)
{
    hectic_table_options options = {0};
    if (given) memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    return options;
}

/* Tables that one reader can make at once. */
enum family { FAMILY_STAT, FAMILY_THREADS, FAMILY_GC, FAMILIES };
enum { THREADS_THEMSELVES, THREADS_SPANS };
enum { GC_ITSELF, GC_WINDOWS };
enum { GROUP_TABLES = STAT_PARTS };

struct relative {
    const char *table;
    enum family family;
    size_t part;
};

static const struct relative *relative_of(const hectic_table *table)
{
    static const struct relative relatives[] = {
        {"stat", FAMILY_STAT, STAT_OF_RUN},
        {"stat_cap", FAMILY_STAT, STAT_OF_CAPS},
        {"stat_generation", FAMILY_STAT, STAT_OF_GENERATIONS},
        {"threads", FAMILY_THREADS, THREADS_THEMSELVES},
        {"span_states", FAMILY_THREADS, THREADS_SPANS},
        {"gc", FAMILY_GC, GC_ITSELF},
        {"utilization", FAMILY_GC, GC_WINDOWS},
        {"", FAMILIES, 0},
    };
    const struct relative *relative = relatives;
    while (*relative->table && (!table || table != hectic_table_find(relative->table)))
        relative++;
    return relative;
}

/* Any one table, or several of a family; or another analysis. */
struct group {
    struct several_table *table[GROUP_TABLES];
    size_t count;
};

static bool make_family(enum family family, struct reading *reading,
                        const struct row_taker *const *of)
{
    struct threads_sums sums;
    switch (family) {
    case FAMILY_STAT: return stat_rows(reading, of);
    case FAMILY_THREADS:
        return threads_rows(reading, of[THREADS_THEMSELVES], of[THREADS_SPANS], &sums);
    case FAMILY_GC: return gc_rows(reading, of[GC_ITSELF], of[GC_WINDOWS]);
    case FAMILIES: break;
    }
    return false;
}

static bool make_rows(const struct group *group, struct reading *reading, hectic_row *row)
{
    struct row_taker taker[GROUP_TABLES];
    const struct row_taker *of[GROUP_TABLES] = {0};
    const struct several_table *first = group->table[0];
    if (!first->table) return reading_all(reading, first->reader, first->user);
    const struct result *result = result_of(first->table);
    for (size_t i = 0; i < group->count; i++) {
        taker[i] = (struct row_taker){row_take, &row[i]};
        of[relative_of(group->table[i]->table)->part] = &taker[i];
    }
    return group->count > 1 ? make_family(relative_of(first->table)->family, reading, of)
           : result->rows   ? result->rows(reading, taker)
                            : reading_all(reading, result->live->reader, taker);
}

/* Sets what came of each table. */
static void read_group(hectic_log *log, const struct group *group,
                       const hectic_table_options *given, struct joint_pass *joint)
{
    const hectic_table_options options = options_of(given);
    const struct process_choice choice = {.is_set = options.has_process, .number = options.process};
    struct reading reading = {
        .log = log,
        .last = HECTIC_GOT_EVENT,
        .interval = {options.from, options.to > 0 ? options.to : UINT64_MAX},
        .is_cancelled = options.is_cancelled,
        .cancel_user = options.user,
        .joint = joint,
    };
    hectic_row row[GROUP_TABLES] = {0};
    bool is_stopped = false;
    for (size_t i = 0; i < group->count; i++) {
        row[i].take = group->table[i]->take;
        row[i].user = group->table[i]->user;
        if (group->table[i]->table) row_begin(&row[i], group->table[i]->table);
    }
    const bool done = reading_find_processes(&reading, &choice) && make_rows(group, &reading, row);
    for (size_t i = 0; i < group->count; i++)
        is_stopped = is_stopped || row[i].is_stopped;
    is_stopped = is_stopped || (options.is_cancelled && options.is_cancelled(options.user));
    hectic_error error = {.kind = done || is_stopped ? HECTIC_OK : HECTIC_NO_MEMORY};
    if (done && reading.last == HECTIC_ERROR) error = *hectic_log_error(log);
    reading.log = NULL; /* the caller's */
    reading_close(&reading);
    for (size_t i = 0; i < group->count; i++) {
        group->table[i]->done = done && error.kind == HECTIC_OK;
        group->table[i]->error = error;
    }
}

bool hectic_table_read(hectic_log *log, const hectic_table *table,
                       const hectic_table_options *options,
                       bool (*take_row)(void *user, const hectic_row *row), void *user,
                       hectic_error *error)
{
    struct several_table one = {.table = table, .take = take_row, .user = user};
    read_group(log, &(struct group){{&one}, 1}, options, NULL);
    *error = one.error;
    return one.done;
}

/* --- Several tables -------------------------------------------------------------------------- */

struct member {
    hectic_log *log;
    struct joint_pass *joint;
    struct group group;
    const hectic_table_options *options;
};

static void read_member(void *user)
{
    const struct member *member = user;
    read_group(member->log, &member->group, member->options, member->joint);
}

/* After an interval, spans need further events, but threads must not have them; before it, windows
 * need the collections, but gc does not. */
static bool may_share(enum family family, const hectic_table_options *given)
{
    const hectic_table_options options = options_of(given);
    return family == FAMILY_STAT || (family < FAMILIES && options.from == 0 && options.to == 0);
}

static bool has_table(const struct group *group, const hectic_table *table)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->table[i]->table == table) return true;
    return false;
}

/* Returns the number of members. */
static size_t divide(struct member *member, struct several_table *table, size_t count,
                     const hectic_table_options *options)
{
    struct group *shared[FAMILIES] = {0};
    size_t members = 0;
    for (size_t i = 0; i < count; i++) {
        const enum family family = relative_of(table[i].table)->family;
        const bool is_shared = may_share(family, options);
        struct group *group =
            is_shared && shared[family] && !has_table(shared[family], table[i].table)
                ? shared[family]
                : &member[members++].group;
        group->table[group->count++] = &table[i];
        if (is_shared) shared[family] = group;
    }
    return members;
}

void several_tables_read(hectic_log *log, struct several_table *table, size_t count,
                         const hectic_table_options *options,
                         void (*progress)(void *user, double done), void *user)
{
    struct joint_pass *joint = joint_pass_new(log, count);
    struct member *member = calloc(count + 1, sizeof *member);
    const size_t members = member ? divide(member, table, count, options) : 0;
    size_t joined = 0;
    while (joint && joined < members) {
        member[joined].log = log;
        member[joined].joint = joint;
        member[joined].options = options;
        if (!joint_pass_add(joint, read_member, &member[joined])) break;
        joined++;
    }
    if (joined > 0) joint_pass_run(joint, progress, user);
    if (joint) joint_pass_free(joint);
    /* Without memory or threads, the others are read one after the other. */
    for (; joined < members; joined++)
        read_group(log, &member[joined].group, options, NULL);
    for (size_t i = 0; i < count && !member; i++)
        read_group(log, &(struct group){{&table[i]}, 1}, options, NULL);
    free(member);
}
