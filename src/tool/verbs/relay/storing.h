/* storing.h — hectic relay --clickhouse and --otlp: their options, and where rows and items go. */
#ifndef HECTIC_RELAY_STORING_H
#define HECTIC_RELAY_STORING_H

#include "otlp/server.h"
#include "relay/program_otlp.h"
#include "relay/row_store.h"
#include "tool/cli/verb.h"
#include "tool/verbs/export/tables/chosen.h"
#include "tool/verbs/export/tables/servers.h"

struct storing_settings {
    const char *urls; /* NULL: no rows are stored */
    const char *otlp; /* NULL: no items of OTLP are sent */
    const char *tables, *database, *cluster, *host, *spool;
    uint64_t spool_max; /* bytes; 0: the default */
    bool has_private;
};
extern const struct tool_option storing_options[];
extern const char storing_note[];

/* All zero: nothing is stored or sent. */
struct storing {
    struct server_list servers;
    struct export_tables tables;
    char spool[2048];
    row_store *store;
    struct otlp_access access;
    struct otlp_sending otlp; /* without a sender: none is sent */
};

/* Opens both. Returns the exit code, after a message. Close it in any case. */
int storing_open(struct storing *storing, const struct storing_settings *settings,
                 void (*note)(void *user, const char *text), void *user);

/* Sends what it can in a few seconds; the rest is in the spool. False: rows or items were lost
 * since the relay began, and a message has said so. */
bool storing_close(struct storing *storing);

#endif
