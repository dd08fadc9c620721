/* program_rows.c — see program_rows.h. */
#include "relay/program_rows.h"

#include "os/clock.h"
#include "read/survey.h"
#include "results/identity.h"
#include "results/live/live_tables.h"
#include "results/live/row.h"
#include "results/process_choice.h"
#include "results/summary.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_ROWS = 1 << 17, /* a block is sent when it has as many rows, or bytes */
    BLOCK_BYTES = 8 << 20,
    BLOCK_MS = 2000, /* or is that old */
    SMALL_ROWS = 4096,
    SMALL_MS = 5000, /* if it is small: the server writes a part on its disk for each */
    UNKNOWN_BYTES = 2 * BLOCK_BYTES, /* while the log's id is not known */
};

/* A table of the log. */
struct part {
    struct program_rows *owner;
    const struct stored_table *table;
    struct table_rows rows; /* its writer is `block` */
    struct clickhouse_rows block;
    uint64_t since; /* ms: of the first row in the block */
    void *events;   /* the row of a table of events */
};

struct program_rows {
    row_store *store;
    live_tables *tables;
    struct clickhouse_log log; /* complete with has_id */
    struct log_identifier identifier;
    hectic_summary summary; /* for the day */
    uint64_t started;       /* see summary_add */
    hectic_processes *processes;
    hectic_section section; /* when the log has ended */
    bool is_identified;     /* its id can be found */
    bool has_id, has_events_tables;
    bool has_lost;       /* not all rows are stored */
    const char *failure; /* no more rows are made; NULL: none */
    bool is_reported;
    size_t parts;
    struct part *part;
};

/* --- Blocks ---------------------------------------------------------------------------------- */

static void drop_block(program_rows *rows, struct part *part)
{
    struct buffer dropped = {0};
    row_store_lose(rows->store, part->block.count);
    rows->has_lost = true;
    clickhouse_rows_take(&part->block, &dropped);
    buffer_free(&dropped);
}

/* Before the first block is sent: later, the day must not change. */
static void identify(program_rows *rows)
{
    const hectic_summary *summary = &rows->summary;
    log_identifier_get(&rows->identifier, rows->log.id);
    rows->log.day = (uint16_t)(summary->has_wall_clock ? log_day(summary->start_seconds) : 0);
    rows->has_id = true;
}

static void close_block(program_rows *rows, struct part *part)
{
    if (part->block.count == 0) return;
    if (!rows->has_id) identify(rows);
    if (!row_store_put(rows->store, part->table, &part->block)) rows->has_lost = true;
}

/* When a row was added. */
static void check_size(program_rows *rows, struct part *part)
{
    const struct clickhouse_rows *block = &part->block;
    if (block->count == 1) part->since = clock_ms();
    if (block->count < BLOCK_ROWS && block->size < BLOCK_BYTES) return;
    if (rows->is_identified)
        close_block(rows, part);
    else if (block->size >= UNKNOWN_BYTES)
        drop_block(rows, part);
}

static void fail(program_rows *rows, const char *why)
{
    rows->failure = why;
    rows->has_lost = true;
}

static bool take_row(void *user, const hectic_row *row)
{
    struct part *part = user;
    if (!table_rows_take(&part->rows, row)) return false;
    check_size(part->owner, part);
    return true;
}

static bool take_event(void *user, void *event)
{
    struct part *part = user;
    if (!table_rows_add(&part->rows, event)) return false;
    check_size(part->owner, part);
    return true;
}

/* --- Events ---------------------------------------------------------------------------------- */

/* Learns about the log: false after a failure. */
static bool note_event(program_rows *rows, const hectic_event *event)
{
    const hectic_shape *shape = event->declared->shape;
    if (!rows->is_identified) rows->is_identified = !log_identifier_take(&rows->identifier, event);
    if (!shape || !is_landmark(shape)) return true;
    if (!summary_add(&rows->summary, event, &rows->started) ||
        !processes_note(&rows->processes, event))
        fail(rows, "out of memory");
    else if (processes_are_several(rows->processes))
        fail(rows, "the log has several processes: export its recording");
    return !rows->failure;
}

void program_rows_begin(program_rows *rows, const hectic_header *header)
{
    live_tables_begin(rows->tables, header);
    for (size_t i = 0; i < rows->parts && !rows->failure; i++) {
        struct part *part = &rows->part[i];
        const struct query_table *table = part->table->table;
        if (!table || table->result || part->events) continue;
        part->events = query_events_open(table, header);
        rows->has_events_tables = true;
        if (!part->events) fail(rows, "out of memory");
    }
}

void program_rows_event(program_rows *rows, const hectic_event *event)
{
    if (rows->failure || !note_event(rows, event)) return;
    rows->log.revision += event->type != HECTIC_EVENT_BLOCK_MARKER;
    bool done = live_tables_event(rows->tables, event);
    for (size_t i = 0; i < rows->parts && done && rows->has_events_tables; i++)
        done = !rows->part[i].events ||
               query_events_give(rows->part[i].events, event, take_event, &rows->part[i]);
    if (!done) fail(rows, "out of memory");
}

void program_rows_cut(program_rows *rows, const hectic_section *section)
{
    rows->section = *section;
    live_tables_cut(rows->tables, section);
}

static void report(program_rows *rows, const char *name)
{
    if (!rows->failure || rows->is_reported) return;
    rows->is_reported = true;
    row_store_note(rows->store, "%s: no rows are stored: %s", name, rows->failure);
}

void program_rows_end(program_rows *rows, const char *name)
{
    if (!rows->failure && !live_tables_end(rows->tables)) fail(rows, "out of memory");
    report(rows, name);
    rows->is_identified = true;
    for (size_t i = 0; i < rows->parts; i++)
        close_block(rows, &rows->part[i]);
    if (rows->has_lost || rows->section.events == 0) return;
    struct part *logs = &rows->part[rows->parts - 1];
    rows->log.revision = rows->section.events;
    clickhouse_add_log(&logs->block, name, rows->section.events);
    close_block(rows, logs);
}

void program_rows_tick(program_rows *rows, const char *name)
{
    const uint64_t now = clock_ms();
    report(rows, name);
    for (size_t i = 0; i < rows->parts && rows->is_identified; i++) {
        struct part *part = &rows->part[i];
        const uint64_t most = part->block.count < SMALL_ROWS ? SMALL_MS : BLOCK_MS;
        if (part->block.count > 0 && now - part->since >= most) close_block(rows, part);
    }
}

/* --- Lifetime -------------------------------------------------------------------------------- */

static bool open_part(program_rows *rows, struct part *part, const struct stored_table *table)
{
    const bool has_private = row_store_about(rows->store)->has_private;
    part->owner = rows;
    part->table = table;
    clickhouse_rows_begin(&part->block, &rows->log, &table->stored, false);
    part->rows.self = &part->block;
    if (part->block.failed) return false;
    if (!table->table) return true; /* of logs */
    const bool done = table_rows_begin(&part->rows, table->table, has_private, &clickhouse_writer);
    part->rows.self = &part->block;
    return done;
}

static bool open_tables(program_rows *rows)
{
    size_t count = 0;
    struct live_table *live = calloc(rows->parts, sizeof *live);
    for (size_t i = 0; live && i < rows->parts; i++) {
        const struct query_table *table = rows->part[i].table->table;
        if (table && table->result)
            live[count++] = (struct live_table){table->result, table_live_rows(table->result),
                                                take_row, &rows->part[i]};
    }
    if (live) rows->tables = live_tables_new(live, count, NULL);
    free(live);
    return rows->tables;
}

program_rows *program_rows_new(row_store *store)
{
    program_rows *rows = calloc(1, sizeof *rows);
    if (!rows) return NULL;
    const struct stored_table *table = row_store_tables(store, &rows->parts);
    rows->store = store;
    rows->log.host = row_store_about(store)->host;
    rows->part = calloc(rows->parts, sizeof *rows->part);
    bool done = rows->part;
    for (size_t i = 0; i < rows->parts && done; i++)
        done = open_part(rows, &rows->part[i], &table[i]);
    if (done && open_tables(rows)) return rows;
    program_rows_free(rows);
    return NULL;
}

void program_rows_free(program_rows *rows)
{
    if (!rows) return;
    live_tables_free(rows->tables);
    for (size_t i = 0; rows->part && i < rows->parts; i++) {
        struct part *part = &rows->part[i];
        if (part->events) query_event_rows.close(part->events);
        table_rows_free(&part->rows);
        if (part->block.table) clickhouse_rows_free(&part->block);
    }
    hectic_summary_clear(&rows->summary);
    hectic_processes_free(rows->processes);
    free(rows->part);
    free(rows);
}
