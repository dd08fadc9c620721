/* tables.c — see tables.h. */
#include "query/tables.h"

#include "redact/kinds.h"
#include "tables/cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct query_tables {
    size_t count, capacity;
    struct query_table *table;
};

size_t query_short_length(const struct query_column *column)
{
    return column_bare_length(column->name);
}

static const struct query_column event_columns[EVENTS_COLUMNS] = {
    [EVENT_SECTION] = {.name = "section",
                       .kind = HECTIC_COLUMN_ID,
                       .meaning = "the section of the log, counted from 1"},
    [EVENT_PROCESS] = {.name = "process",
                       .kind = HECTIC_COLUMN_ID,
                       .meaning = "only if a merged log has several processes: the capset of the "
                                  "process"},
    [EVENT_PID] = {.name = "pid",
                   .kind = HECTIC_COLUMN_ID,
                   .is_secret = true,
                   .meaning = "likewise: its process id"},
    [EVENT_POSITION] = {.name = "position",
                        .kind = HECTIC_COLUMN_ID,
                        .meaning = "the byte of the log at which it begins"},
    [EVENT_TIME] = {.name = "time_ns", .kind = HECTIC_COLUMN_TIME, .meaning = "its time"},
    [EVENT_CAP] = {.name = "cap",
                   .kind = HECTIC_COLUMN_ID,
                   .meaning = "the cap that wrote it; unknown for events of no cap"},
    [EVENT_THREAD] = {.name = "thread",
                      .kind = HECTIC_COLUMN_ID,
                      .meaning = "the thread that it is about, or that ran on its cap"},
    [EVENT_TYPE] = {.name = "type", .kind = HECTIC_COLUMN_ID, .meaning = "the number of its type"},
    [EVENT_NAME] = {.name = "name",
                    .kind = HECTIC_COLUMN_NAME,
                    .type = QUERY_TEXT,
                    .meaning = "the name of its type; unknown for a type that is not in "
                               "docs/events.md"},
    [EVENT_CLASS] = {.name = "class",
                     .kind = HECTIC_COLUMN_NAME,
                     .type = QUERY_TEXT,
                     .meaning = "the class of its type"},
    [EVENT_PAYLOAD] = {.name = "payload",
                       .kind = HECTIC_COLUMN_TEXT,
                       .type = QUERY_TEXT,
                       .is_secret = true,
                       .meaning = "its fields, as a JSON object; see `hectic show --jsonl`"},
};

static enum query_type type_of(hectic_column_kind kind)
{
    switch (kind) {
    case HECTIC_COLUMN_TEXT:
    case HECTIC_COLUMN_NAME: return QUERY_TEXT;
    case HECTIC_COLUMN_SHARE:
    case HECTIC_COLUMN_GROWTH:
    case HECTIC_COLUMN_REAL: return QUERY_REAL;
    default: return QUERY_INTEGER;
    }
}

/* --- Columns --------------------------------------------------------------------------------- */

static struct query_column *add_column(struct query_table *table)
{
    struct query_column *grown =
        realloc(table->column, (table->columns + 1) * sizeof *table->column);
    if (!grown) return NULL;
    table->column = grown;
    grown[table->columns] = (struct query_column){0};
    return &grown[table->columns++];
}

static bool add_columns(struct query_table *table, const struct query_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct query_column *column = add_column(table);
        if (!column) return false;
        *column = columns[i];
        if (column->type == QUERY_NULL) column->type = QUERY_INTEGER;
    }
    return true;
}

static bool add_result_columns(struct query_table *table)
{
    hectic_column found = {.size = sizeof found};
    for (size_t i = 0; hectic_table_column(table->result, i, &found); i++) {
        struct query_column *column = add_column(table);
        if (!column) return false;
        *column = (struct query_column){.kind = found.kind,
                                        .type = type_of(found.kind),
                                        .is_secret = found.is_secret,
                                        .meaning = found.meaning};
        snprintf(column->name, sizeof column->name, "%s", found.name);
        for (char *c = column->name; *c; c++)
            if (*c == '.') *c = '_';
    }
    return true;
}

static size_t find_exact(const struct query_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strlen(table->column[i].name) == length &&
            strncasecmp(table->column[i].name, name, length) == 0)
            return i;
    return SIZE_MAX;
}

static bool add_field(struct query_table *table, const hectic_field *field, bool is_name)
{
    const bool is_text = is_name || (field->wire >= HECTIC_STRING && field->wire != HECTIC_BYTES);
    char name[80];
    snprintf(name, sizeof name, "%s%s", field->name, is_name ? "_name" : "");
    const size_t same = find_exact(table, name, strlen(name));
    if (same == EVENT_THREAD && field->unit == HECTIC_UNIT_THREAD) return true;
    if (same != SIZE_MAX && same >= EVENT_COLUMNS) return true; /* of another shape */
    struct query_column *column = add_column(table);
    if (!column) return false;
    *column = (struct query_column){.field = field,
                                    .is_name_of_field = is_name,
                                    .kind = is_name                            ? HECTIC_COLUMN_NAME
                                            : is_text                          ? HECTIC_COLUMN_TEXT
                                            : field->unit == HECTIC_UNIT_NS    ? HECTIC_COLUMN_NS
                                            : field->unit == HECTIC_UNIT_TIME  ? HECTIC_COLUMN_TIME
                                            : field->unit == HECTIC_UNIT_BYTES ? HECTIC_COLUMN_BYTES
                                            : field->unit == HECTIC_UNIT_COUNT ? HECTIC_COLUMN_COUNT
                                                                               : HECTIC_COLUMN_ID,
                                    .type = is_text                       ? QUERY_TEXT
                                            : field->wire == HECTIC_BYTES ? QUERY_BLOB
                                                                          : QUERY_INTEGER,
                                    .is_secret = !is_name && field->wire >= HECTIC_STRING,
                                    .meaning = is_name ? "the name of this number"
                                                       : hectic_unit_name(field->unit)};
    snprintf(column->name, sizeof column->name, "%s%s", same != SIZE_MAX ? "event_" : "", name);
    return true;
}

static bool add_fields(struct query_table *table, uint16_t number)
{
    size_t count;
    const hectic_shape *shape = hectic_catalogue(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; shape[i].number == number && j < shape[i].field_count; j++) {
            const hectic_field *field = &shape[i].field[j];
            const bool has_names =
                field->unit == HECTIC_UNIT_STOP_STATUS || field->unit == HECTIC_UNIT_CAPSET_TYPE ||
                field->unit == HECTIC_UNIT_BREAKDOWN || field->unit == HECTIC_UNIT_MESSAGE_TAG;
            if (!add_field(table, field, false) || (has_names && !add_field(table, field, true)))
                return false;
        }
    return true;
}

static void find_short_names(struct query_table *table)
{
    for (size_t i = 0; i < table->columns; i++) {
        struct query_column *column = &table->column[i];
        const size_t length = query_short_length(column);
        column->has_short_name =
            column->name[length] && find_exact(table, column->name, length) == SIZE_MAX;
        for (size_t j = 0; j < i && column->has_short_name; j++)
            column->has_short_name = query_short_length(&table->column[j]) != length ||
                                     strncmp(table->column[j].name, column->name, length) != 0;
    }
}

size_t query_table_column(const struct query_table *table, const char *name)
{
    const size_t length = strlen(name), found = find_exact(table, name, length);
    if (found != SIZE_MAX) return found;
    for (size_t i = 0; i < table->columns; i++)
        if (table->column[i].has_short_name && query_short_length(&table->column[i]) == length &&
            strncasecmp(table->column[i].name, name, length) == 0)
            return i;
    return SIZE_MAX;
}

bool query_column_is_private(const struct query_column *column)
{
    static const char *const names[] = {"payload", "program"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(column->name, names[i]) == 0) return true;
    if (!column->field) return column->is_secret && column->kind != HECTIC_COLUMN_TEXT;
    switch (redact_kind_of(column->field)) {
    case REDACT_ENVIRONMENT:
    case REDACT_ARGUMENTS:
    case REDACT_IDS:
    case REDACT_CLOCK:
    case REDACT_DATA:
    case REDACT_OTHERS: return true;
    default: return false;
    }
}

const char *query_column_unit(const struct query_column *column)
{
    static const char *const units[] = {
        [HECTIC_COLUMN_COUNT] = "count",  [HECTIC_COLUMN_NS] = "ns",
        [HECTIC_COLUMN_TIME] = "time ns", [HECTIC_COLUMN_BYTES] = "bytes",
        [HECTIC_COLUMN_FLAG] = "0 or 1",  [HECTIC_COLUMN_SHARE] = "0 to 1",
        [HECTIC_COLUMN_REAL] = NULL,      [HECTIC_COLUMN_GROWTH] = "bytes/s",
    };
    return units[column->kind];
}

/* --- Tables ---------------------------------------------------------------------------------- */

static struct query_table *add_table(query_tables *tables, const char *prefix, const char *name)
{
    if (tables->count == tables->capacity) {
        const size_t capacity = 2 * tables->capacity + 32;
        struct query_table *grown = realloc(tables->table, capacity * sizeof *grown);
        if (!grown) return NULL;
        tables->table = grown;
        tables->capacity = capacity;
    }
    struct query_table *table = &tables->table[tables->count++];
    *table = (struct query_table){.kind = &query_event_rows};
    snprintf(table->name, sizeof table->name, "%s%s", prefix, name);
    return table;
}

static bool add_results(query_tables *tables)
{
    const hectic_table *result;
    for (size_t i = 0; (result = hectic_table_at(i)); i++) {
        struct query_table *table = add_table(tables, "", result->name);
        if (!table) return false;
        table->kind = &query_result_rows;
        table->meaning = result->meaning;
        table->result = result;
        if (!add_result_columns(table)) return false;
    }
    return true;
}

static bool add_events(query_tables *tables)
{
    size_t count;
    const hectic_shape *shape = hectic_catalogue(&count);
    struct query_table *table = add_table(tables, "", "events");
    if (!table || !add_columns(table, event_columns, EVENTS_COLUMNS)) return false;
    table->meaning = "All events";
    for (size_t i = 0; i < count; i++) {
        if (hectic_shape_by_number(shape[i].number) != &shape[i]) continue;
        table = add_table(tables, "ev_", shape[i].name);
        if (!table) return false;
        table->meaning = shape[i].doc;
        table->shape = &shape[i];
        if (!add_columns(table, event_columns, EVENT_COLUMNS) ||
            !add_fields(table, shape[i].number))
            return false;
    }
    return true;
}

query_tables *query_tables_new(void)
{
    query_tables *tables = calloc(1, sizeof *tables);
    if (!tables) return NULL;
    if (!add_results(tables) || !add_events(tables)) return query_tables_free(tables), NULL;
    for (size_t i = 0; i < tables->count; i++)
        find_short_names(&tables->table[i]);
    return tables;
}

void query_tables_free(query_tables *tables)
{
    if (!tables) return;
    for (size_t i = 0; i < tables->count; i++)
        free(tables->table[i].column);
    free(tables->table);
    free(tables);
}

size_t query_tables_count(const query_tables *tables)
{
    return tables->count;
}

const struct query_table *query_tables_at(const query_tables *tables, size_t number)
{
    return &tables->table[number];
}

const struct query_table *query_tables_find(const query_tables *tables, const char *name)
{
    for (size_t i = 0; i < tables->count; i++)
        if (strcasecmp(tables->table[i].name, name) == 0) return &tables->table[i];
    return NULL;
}
