/* tables.c — hectic/tables.h: the tables that a log is asked for by name. */
#include "read/joint_pass.h"
#include "results/live/row.h"
#include "results/several.h"

#include <hectic/tables.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The tables ------------------------------------------------------------------------------ */

static const struct result {
    struct made_table made;
    bool is_live;
} results[] = {
#define LOG_TABLE(name, has_prefix, maker, part, is_live) {{&maker, part}, is_live},
#include "tables/log_tables.def"
};

static struct made_table made_of(const hectic_table *table)
{
    return table ? results[table_number(table)].made : (struct made_table){0};
}

struct made_table table_live_rows(const hectic_table *table)
{
    return made_of(results[table_number(table)].is_live ? table : NULL);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* As far as the caller's version has it. */
static hectic_table_options options_of(const hectic_table_options *given)
{
    hectic_table_options options = {0};
    if (given) memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
    return options;
}

/* Any one table, or several of a maker; or another analysis. */
struct group {
    const struct row_maker *maker; /* NULL: the analysis of the only table */
    struct several_table *table[MAKER_TABLES];
    size_t count;
};

static bool make_rows(const struct group *group, struct reading *reading, hectic_row *row)
{
    struct row_taker taker[MAKER_TABLES];
    const struct row_taker *rows[MAKER_TABLES] = {0};
    const struct several_table *first = group->table[0];
    if (!group->maker) return reading_all(reading, first->reader, first->user);
    for (size_t i = 0; i < group->count; i++) {
        taker[i] = (struct row_taker){row_take, &row[i]};
        rows[made_of(group->table[i]->table).part] = &taker[i];
    }
    if (group->maker->read) return group->maker->read(reading, rows);
    const struct reader *reader = row_maker_begin(group->maker, reading, rows);
    void *user = reading->user;
    const bool done = reader && reading_all(reading, reader, user);
    free(user);
    return done;
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
    hectic_row row[MAKER_TABLES] = {0};
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

static void read_alone(hectic_log *log, struct several_table *table,
                       const hectic_table_options *options)
{
    read_group(log, &(struct group){made_of(table->table).maker, {table}, 1}, options, NULL);
}

bool hectic_table_read(hectic_log *log, const hectic_table *table,
                       const hectic_table_options *options,
                       bool (*take_row)(void *user, const hectic_row *row), void *user,
                       hectic_error *error)
{
    struct several_table one = {.table = table, .take = take_row, .user = user};
    read_alone(log, &one, options);
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

static bool may_join(const struct group *group, struct made_table made, bool is_whole)
{
    bool may = made.maker && group->maker == made.maker;
    for (size_t i = 0; i < group->count && may; i++) {
        const unsigned part = made_of(group->table[i]->table).part;
        may = part != made.part &&
              (is_whole || !(made.maker->apart & (1u << part | 1u << made.part)));
    }
    return may;
}

/* Returns the number of members. */
static size_t divide(struct member *member, struct several_table *table, size_t count,
                     const hectic_table_options *given)
{
    const hectic_table_options options = options_of(given);
    const bool is_whole = options.from == 0 && options.to == 0;
    size_t members = 0;
    for (size_t i = 0; i < count; i++) {
        const struct made_table made = made_of(table[i].table);
        size_t chosen = 0;
        while (chosen < members && !may_join(&member[chosen].group, made, is_whole))
            chosen++;
        if (chosen == members) member[members++].group.maker = made.maker;
        struct group *group = &member[chosen].group;
        group->table[group->count++] = &table[i];
    }
    return members;
}

size_t several_share(const hectic_table *table)
{
    size_t first = 0;
    while (results[first].made.maker != made_of(table).maker)
        first++;
    return first;
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
        read_alone(log, &table[i], options);
    free(member);
}
