/* storing.h — hectic relay --clickhouse: its options, and the store of rows that they describe. */
#ifndef HECTIC_RELAY_STORING_H
#define HECTIC_RELAY_STORING_H

#include "relay/row_store.h"
#include "tool/cli/verb.h"
#include "tool/verbs/export/tables/chosen.h"
#include "tool/verbs/export/tables/servers.h"

struct storing_settings {
    const char *urls; /* NULL: no rows are stored */
    const char *tables, *database, *cluster, *host, *spool;
    uint64_t spool_max; /* bytes; 0: the default */
    bool has_private;
};
extern const struct tool_option storing_options[];
extern const char storing_note[];

/* All zero: no rows are stored. */
struct storing {
    struct server_list servers;
    struct export_tables tables;
    char spool[2048];
    row_store *store;
};

/* Opens the store. Returns the exit code, after a message. Close it in any case. */
int storing_open(struct storing *storing, const struct storing_settings *settings,
                 void (*note)(void *user, const char *text), void *user);

/* Sends what it can in a few seconds; the rest is in the spool. */
void storing_close(struct storing *storing);

#endif
