/* tables.c — hectic/tables.h: the tables that a log is asked for by name. */
#include "tables/tables.h"
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

#define TABLE(name, doc) static const char name##_meaning[] __attribute__((unused)) = doc;
#define RECORD           TABLE
#define END(name)
#define C(name, type, show, heading, meaning)
#define SUB(record, name, show, meaning)
#define ROWS(record, name, show, meaning)
#include "tables/tables.def"

/* A table, and how its rows are made. */
struct result {
    hectic_table table; /* the first member: see result_of */
    const struct table_column *columns;
    bool has_prefix; /* rows begin with the cells of READING, which `columns` lacks */
    /* NULL: they are made by the reader of `live`. */
    bool (*rows)(struct reading *reading, const struct row_taker *rows);
    const struct live_rows *live; /* NULL: there are none */
};

#define R(name, has_prefix, rows, live)                                                            \
    {                                                                                              \
        {#name, name##_meaning}, name##_columns, has_prefix, rows, live                            \
    }
#define T(name, rows) R(name, false, rows, NULL)
#define P(name, rows) R(name, true, rows, NULL)
#define L(name, rows, live)                                                                        \
    R(name, false, rows, &(live)) /* its rows come while the log is read                           \
                                   */
static const struct result results[] = {
    L(runs, run_rows, run_live),
    T(threads, all_threads),
    L(thread_states, NULL, thread_state_live),
    L(messages, NULL, message_live),
    L(gaps_each, NULL, gap_live),
    T(findings, finding_rows),
    T(rules, rule_rows),
    L(sizes, NULL, size_live),
    T(tasks, all_tasks),
    L(gc, all_collections, gc_live),
    L(gc_caps, NULL, gc_cap_live),
    T(utilization, utilization_rows),
    T(spans, all_spans),
    L(spans_each, each_span, each_span_live),
    L(span_states, NULL, span_state_live),
    T(sparks, all_sparks),
    T(sparks_each, each_spark),
    T(stat, stat_of_run),
    P(stat_cap, stat_of_caps),
    P(stat_generation, stat_of_generations),
    T(heap_bands, heap_band_rows),
    L(heap_samples, NULL, heap_sample_live),
    T(prof, prof_rows),
    L(time_samples, NULL, time_sample_live),
    T(ticky, ticky_rows),
};

static const struct result *result_of(const hectic_table *table)
{
    return (const struct result *)(const void *)table;
}

const struct live_rows *table_live_rows(const hectic_table *table)
{
    return result_of(table)->live;
}

const hectic_table *hectic_table_at(size_t number)
{
    return number < sizeof results / sizeof *results ? &results[number].table : NULL;
}

const hectic_table *hectic_table_find(const char *name)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(results[i].table.name, name) == 0) return &results[i].table;
    return NULL;
}

/* --- Columns --------------------------------------------------------------------------------- */

enum { PATH_ROOM = sizeof((hectic_column *)NULL)->name };

/* A walk over the cells of a row, in order. */
struct walk {
    size_t number; /* of the column that is looked for, from here on */
    size_t cell;   /* how many cells are before it */
    char path[PATH_ROOM];
};

/* The column; NULL: it comes after these. The name of a record's member is its path. Columns that
 * are only for text, and arrays, are skipped. */
static const struct table_column *find(const struct table_column *columns, struct walk *walk)
{
    for (const struct table_column *c = columns; c->name; c++) {
        if (c->kind == CELL_RECORD) {
            const size_t length = strlen(walk->path);
            snprintf(walk->path + length, PATH_ROOM - length, "%s.", c->name);
            const struct table_column *found = find(c->record, walk);
            if (found) return found;
            walk->path[length] = 0;
            continue;
        }
        if (c->kind != CELL_ROWS && !column_is_text_only(c) && walk->number-- == 0) return c;
        walk->cell++;
    }
    return NULL;
}

static const struct table_column *column_at(const struct result *result, struct walk *walk)
{
    if (result->has_prefix && walk->number < READING_CELLS) {
        walk->cell = walk->number;
        return &gc_columns[walk->number];
    }
    if (result->has_prefix) {
        walk->number -= READING_CELLS;
        walk->cell = READING_CELLS;
    }
    return find(result->columns, walk);
}

static hectic_column_kind kind_of(enum cell_kind kind)
{
    switch (kind) {
    case CELL_TEXT: return HECTIC_COLUMN_TEXT;
    case CELL_NAME: return HECTIC_COLUMN_NAME;
    case CELL_ID:
    case CELL_SECTION:
    case CELL_PROCESS: return HECTIC_COLUMN_ID;
    case CELL_NS: return HECTIC_COLUMN_NS;
    case CELL_TIME: return HECTIC_COLUMN_TIME;
    case CELL_BYTES: return HECTIC_COLUMN_BYTES;
    case CELL_FLAG: return HECTIC_COLUMN_FLAG;
    case CELL_SHARE: return HECTIC_COLUMN_SHARE;
    case CELL_GROWTH: return HECTIC_COLUMN_GROWTH;
    case CELL_REAL: return HECTIC_COLUMN_REAL;
    case CELL_COUNT:
    case CELL_BAR:
    case CELL_RECORD:
    case CELL_ROWS:
    case CELL_ANY: break;
    }
    return HECTIC_COLUMN_COUNT;
}

bool hectic_table_column(const hectic_table *table, size_t number, hectic_column *column)
{
    struct walk walk = {.number = number};
    const struct table_column *found = column_at(result_of(table), &walk);
    if (!found) return false;
    hectic_column result = {.size = column->size,
                            .meaning = found->meaning,
                            .kind = kind_of(found->kind),
                            .is_secret = column_is_secret(found)};
    snprintf(result.name, sizeof result.name, "%s%s", walk.path, found->name);
    memcpy(column, &result, column->size < sizeof result ? column->size : sizeof result);
    return true;
}

size_t hectic_table_column_find(const hectic_table *table, const char *name)
{
    hectic_column column = {.size = sizeof column};
    for (size_t i = 0; hectic_table_column(table, i, &column); i++)
        if (strcmp(column.name, name) == 0) return i;
    return SIZE_MAX;
}

/* --- Rows ------------------------------------------------------------------------------------ */

static const struct cell *known_cell(const hectic_row *row, size_t column, unsigned first,
                                     unsigned last)
{
    if (column >= row->columns) return NULL;
    const unsigned kind = row->column[column].kind;
    const struct cell *cell = &row->cells[row->column[column].cell];
    return cell->known && kind >= first && kind <= last ? cell : NULL;
}

bool hectic_row_number(const hectic_row *row, size_t column, uint64_t *number)
{
    const struct cell *cell = known_cell(row, column, HECTIC_COLUMN_ID, HECTIC_COLUMN_FLAG);
    if (cell) *number = cell->number;
    return cell;
}

bool hectic_row_real(const hectic_row *row, size_t column, double *real)
{
    const struct cell *cell = known_cell(row, column, HECTIC_COLUMN_SHARE, HECTIC_COLUMN_REAL);
    if (cell) *real = cell->share;
    return cell;
}

const char *hectic_row_text(const hectic_row *row, size_t column)
{
    const struct cell *cell = known_cell(row, column, HECTIC_COLUMN_TEXT, HECTIC_COLUMN_NAME);
    return cell ? cell->text : NULL;
}

bool row_take(void *user, const struct cell *cells)
{
    hectic_row *row = user;
    row->cells = cells;
    row->is_stopped = !row->take(row->user, row);
    return !row->is_stopped;
}

void row_begin(hectic_row *row, const hectic_table *table)
{
    const struct result *result = result_of(table);
    const struct table_column *found;
    for (; row->columns < ROW_COLUMNS_MAX; row->columns++) {
        struct walk walk = {.number = row->columns};
        if (!(found = column_at(result, &walk))) break;
        row->column[row->columns].cell = (uint16_t)walk.cell;
        row->column[row->columns].kind = (uint16_t)kind_of(found->kind);
    }
}

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
