/* live_tables.c — see live_tables.h. */
#include "results/live/live_tables.h"

#include "results/live/row.h"

#include <stdlib.h>

struct member {
    const struct live_rows *rows;
    struct reading reading;
    struct row_taker taker;
    hectic_row row;
};

struct live_tables {
    hectic_section section;
    bool has_begun; /* it has an event */
    bool is_cut;    /* the section is known */
    uint64_t last;  /* ns: of the events */
    size_t count;
    struct member member[];
};

bool table_is_live(const hectic_table *table)
{
    return table_live_rows(table);
}

/* --- Members --------------------------------------------------------------------------------- */

static bool add_member(live_tables *tables, const struct live_table *table)
{
    struct member *member = &tables->member[tables->count++];
    struct reading *reading = &member->reading;
    const struct live_rows *rows = member->rows = table_live_rows(table->table);
    const size_t kept = rows->reader->size ? rows->reader->size : sizeof(void *);
    member->row = (hectic_row){.take = table->take, .user = table->user};
    row_begin(&member->row, table->table);
    member->taker = (struct row_taker){row_take, &member->row};
    *reading = (struct reading){.interval = {0, UINT64_MAX},
                                .section = 1,
                                .found = &tables->section,
                                .part = &reading->whole,
                                .user = calloc(1, rows->begin ? rows->size : sizeof member->taker),
                                .kept = calloc(1, kept)};
    if (!reading->user || !reading->kept) return false;
    if (rows->begin)
        rows->begin(reading->user, reading, &member->taker);
    else
        *(struct row_taker *)reading->user = member->taker;
    return true;
}

live_tables *live_tables_new(const struct live_table *table, size_t count)
{
    live_tables *tables = calloc(1, sizeof *tables + count * sizeof tables->member[0]);
    if (!tables) return NULL;
    tables->section = (hectic_section){.first_time = UINT64_MAX, .covered_to = UINT64_MAX};
    for (size_t i = 0; i < count; i++)
        if (!add_member(tables, &table[i])) return live_tables_free(tables), NULL;
    return tables;
}

void live_tables_free(live_tables *tables)
{
    if (!tables) return;
    for (size_t i = 0; i < tables->count; i++) {
        struct reading *reading = &tables->member[i].reading;
        const struct reader *reader = tables->member[i].rows->reader;
        if (reader->finish && reading->user && reading->kept) reader->finish(reading);
        free(reading->user);
        free(reading->kept);
    }
    free(tables);
}

/* --- Events ---------------------------------------------------------------------------------- */

void live_tables_begin(live_tables *tables, const hectic_header *header)
{
    for (size_t i = 0; i < tables->count; i++)
        tables->member[i].reading.header = header;
}

/* At the first event: a section without any has no rows. */
static bool begin(live_tables *tables, uint64_t time)
{
    bool done = true;
    tables->has_begun = true;
    tables->section.first_time = time;
    for (size_t i = 0; i < tables->count && done; i++) {
        struct reading *reading = &tables->member[i].reading;
        reading->whole = (struct reading_part){.first = time, .last = UINT64_MAX};
        done = tables->member[i].rows->reader->begin(reading);
    }
    return done;
}

bool live_tables_event(live_tables *tables, const hectic_event *event)
{
    if (tables->is_cut && event->time > tables->section.covered_to) return true;
    bool done = tables->has_begun || begin(tables, event->time);
    if (event->time > tables->last) tables->last = event->time;
    for (size_t i = 0; i < tables->count && done; i++)
        done = tables->member[i].rows->reader->events(&tables->member[i].reading, event, 1);
    return done;
}

void live_tables_cut(live_tables *tables, const hectic_section *section)
{
    tables->section = *section;
    tables->is_cut = true;
    for (size_t i = 0; i < tables->count; i++)
        tables->member[i].reading.whole.last = section->last_time;
}

bool live_tables_end(live_tables *tables)
{
    const uint64_t covered = tables->section.covered_to;
    const uint64_t now = tables->last > covered || !tables->is_cut ? tables->last : covered;
    bool done = true;
    for (size_t i = 0; i < tables->count && done; i++)
        if (tables->has_begun || tables->member[i].rows->has_empty)
            done = tables->member[i].rows->reader->end(&tables->member[i].reading, now);
    return done;
}
