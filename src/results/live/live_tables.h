/* live_tables.h — the rows of tables from the events of a section as they come: the same rows, in
 * the same order, as hectic_table_read gives of the finished log, if the events come in its order
 * (hectic/stream.h).
 * For one section of one process. Of a log that ends without an end marker, that holds if no event
 * after its covered_to came before the end. Memory is that of the tables' readers. */
#ifndef HECTIC_SRC_LIVE_TABLES_H
#define HECTIC_SRC_LIVE_TABLES_H

#include "results/rows.h"

#include <hectic/log.h>
#include <hectic/tables.h>

struct live_table {
    const hectic_table *table;
    struct made_table rows;                          /* of it */
    bool (*take)(void *user, const hectic_row *row); /* as in hectic_table_read */
    void *user;
};

typedef struct live_tables live_tables;

/* Copies `table`. `given`: what is known of the section before its first event: number, interval,
 * `found`, duration, replays; NULL: nothing. NULL: out of memory. */
live_tables *live_tables_new(const struct live_table *table, size_t count,
                             const struct reading *given);
void live_tables_free(live_tables *tables);

/* Before the first event; the header must be valid until the end. */
void live_tables_begin(live_tables *tables, const hectic_header *header);

/* The next event of the section, also a block marker. False, as below: a taker has returned that,
 * or out of memory. Then only live_tables_free may be called. */
bool live_tables_event(live_tables *tables, const hectic_event *event);

/* No later event matters. */
bool live_tables_are_settled(live_tables *tables);

/* Before the events that are still to come when the log has ended: what is known of the section by
 * then. Those after its covered_to are left out from now on. */
void live_tables_cut(live_tables *tables, const hectic_section *section);

/* After all events. */
bool live_tables_end(live_tables *tables);

#endif
