/* several.h — several tables of a log, and other analyses, in one pass. */
#ifndef HECTIC_SRC_SEVERAL_H
#define HECTIC_SRC_SEVERAL_H

#include <hectic/tables.h>

struct reader;

/* A table that is read, and what came of it: as of hectic_table_read. */
struct several_table {
    const hectic_table *table;
    const struct reader *reader;                     /* if there is no table: with `user` */
    bool (*take)(void *user, const hectic_row *row); /* called by one thread after the other */
    void *user;
    bool done;
    hectic_error error;
};

/* A number: tables that have the same one share their analyses, if they are read in one pass. */
size_t several_share(const hectic_table *table);

/* Reads each, as hectic_table_read does. `options` and `progress` may be NULL. */
void several_tables_read(hectic_log *log, struct several_table *table, size_t count,
                         const hectic_table_options *options,
                         void (*progress)(void *user, double done), void *user);

#endif
