/* live_tables.c — see live_tables.h. */
#include "results/live/live_tables.h"

#include "tables/columns.h"

#include <stdlib.h>

struct member {
    const struct row_maker *maker;
    const struct reader *reader;
    bool is_settled; /* events follow that it does not need */
    struct reading reading;
    const struct row_taker *rows[MAKER_TABLES]; /* of each of its tables */
    struct row_taker taker[MAKER_TABLES];
    hectic_row row[MAKER_TABLES];
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

/* Adds the table to the member of its maker, if that need not be apart. */
static void add_table(live_tables *tables, const struct live_table *table, bool is_whole)
{
    struct member *member = tables->member, *end = member + tables->count;
    const unsigned part = table->rows.part;
    while (member < end && (member->maker != table->rows.maker || member->rows[part] ||
                            (!is_whole && table->rows.maker->apart)))
        member++;
    if (member == end) tables->count++;
    hectic_row *row = &member->row[part];
    row->take = table->take;
    row->user = table->user;
    row_begin(row, table->table);
    member->maker = table->rows.maker;
    member->taker[part] = (struct row_taker){row_take, row};
    member->rows[part] = &member->taker[part];
}

static bool begin_member(live_tables *tables, struct member *member, const struct reading *given)
{
    struct reading *reading = &member->reading;
    *reading = *given;
    reading->found = &tables->section;
    reading->part = &reading->whole;
    member->reader = row_maker_begin(member->maker, reading, member->rows);
    if (!member->reader) return false;
    reading->kept = calloc(1, member->reader->size ? member->reader->size : sizeof(void *));
    return reading->kept;
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
        add_table(tables, &table[i], given->interval.from == 0 && tables->to == UINT64_MAX);
    for (size_t i = 0; i < tables->count; i++)
        if (!begin_member(tables, &tables->member[i], given)) return live_tables_free(tables), NULL;
    return tables;
}

void live_tables_free(live_tables *tables)
{
    if (!tables) return;
    for (size_t i = 0; i < tables->count; i++) {
        struct reading *reading = &tables->member[i].reading;
        const struct reader *reader = tables->member[i].reader;
        if (reading->kept && reader->finish) reader->finish(reading);
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
        done = tables->member[i].reader->begin(reading);
    }
    return done;
}

/* Does it need an event at that time? */
static bool needs(const struct live_tables *tables, struct member *member, uint64_t time)
{
    const struct reader *reader = member->reader;
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
            done = tables->member[i].reader->events(&tables->member[i].reading, event, 1);
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
        if (tables->has_begun || tables->member[i].maker->has_empty)
            done = tables->member[i].reader->end(&tables->member[i].reading, now);
    return done;
}
