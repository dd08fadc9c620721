/* live_tables.c — see live_tables.h. */
#include "results/live/live_tables.h"

#include "tables/columns.h"

#include <stdlib.h>

struct member {
    const struct live_rows *rows;
    bool is_settled; /* events follow that it does not need */
    struct reading reading;
    struct row_taker taker;
    hectic_row row;
};

struct live_tables {
    hectic_section section;
    bool has_begun; /* it has an event */
    bool is_cut;    /* the section is known */
    uint64_t to;    /* ns: the end of the interval */
    uint64_t last;  /* ns: of the events in it */
    size_t count;
    struct member member[];
};

/* --- Members --------------------------------------------------------------------------------- */

static bool add_member(live_tables *tables, const struct live_table *table,
                       const struct reading *given)
{
    struct member *member = &tables->member[tables->count++];
    struct reading *reading = &member->reading;
    const struct live_rows *rows = member->rows = table->rows;
    const size_t kept = rows->reader->size ? rows->reader->size : sizeof(void *);
    member->row = (hectic_row){.take = table->take, .user = table->user};
    row_begin(&member->row, table->table);
    member->taker = (struct row_taker){row_take, &member->row};
    *reading = *given;
    reading->found = &tables->section;
    reading->part = &reading->whole;
    reading->user = calloc(1, rows->begin ? rows->size : sizeof member->taker);
    reading->kept = calloc(1, kept);
    if (!reading->user || !reading->kept) return false;
    if (rows->begin)
        rows->begin(reading->user, reading, &member->taker);
    else
        *(struct row_taker *)reading->user = member->taker;
    return true;
}

live_tables *live_tables_new(const struct live_table *table, size_t count,
                             const struct reading *given)
{
    static const struct reading nothing = {.interval = {0, UINT64_MAX}, .section = 1};
    live_tables *tables = calloc(1, sizeof *tables + count * sizeof tables->member[0]);
    if (!tables) return NULL;
    if (!given) given = &nothing;
    tables->section = (hectic_section){.first_time = UINT64_MAX, .covered_to = UINT64_MAX};
    if (given->found) tables->section = *given->found;
    tables->is_cut = given->found;
    tables->to = given->interval.to;
    for (size_t i = 0; i < count; i++)
        if (!add_member(tables, &table[i], given)) return live_tables_free(tables), NULL;
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
    if (!tables->is_cut) tables->section.first_time = time;
    for (size_t i = 0; i < tables->count && done; i++) {
        struct reading *reading = &tables->member[i].reading;
        reading->whole = (struct reading_part){
            .first = time, .last = tables->is_cut ? tables->section.last_time : UINT64_MAX};
        done = tables->member[i].rows->reader->begin(reading);
    }
    return done;
}

/* Does it need an event at that time? */
static bool needs(const struct live_tables *tables, struct member *member, uint64_t time)
{
    const struct reader *reader = member->rows->reader;
    if (time < tables->to || member->is_settled) return !member->is_settled;
    member->is_settled = !reader->is_settled || reader->is_settled(&member->reading);
    return !member->is_settled;
}

bool live_tables_event(live_tables *tables, const hectic_event *event)
{
    if (tables->is_cut && event->time > tables->section.covered_to) return true;
    bool done = tables->has_begun || begin(tables, event->time);
    if (event->time > tables->last && event->time < tables->to) tables->last = event->time;
    for (size_t i = 0; i < tables->count && done; i++)
        if (needs(tables, &tables->member[i], event->time))
            done = tables->member[i].rows->reader->events(&tables->member[i].reading, event, 1);
    return done;
}

bool live_tables_are_settled(live_tables *tables)
{
    bool are_settled = true;
    for (size_t i = 0; i < tables->count && are_settled; i++)
        are_settled = tables->member[i].is_settled;
    return are_settled;
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
    uint64_t now = tables->last > covered || !tables->is_cut ? tables->last : covered;
    bool done = true;
    if (now > tables->to) now = tables->to;
    for (size_t i = 0; i < tables->count && done; i++)
        if (tables->has_begun || tables->member[i].rows->has_empty)
            done = tables->member[i].rows->reader->end(&tables->member[i].reading, now);
    return done;
}
