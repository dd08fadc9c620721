/* storing.c — see storing.h. */
#include "tool/verbs/relay/storing.h"

#include "results/live/live_tables.h"
#include "tool/cli/message.h"
#include "tool/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_MS = 4000, NAMES_SIZE_MAX = 1024, MESSAGE_SIZE = 1024 };
static const uint64_t spool_default = UINT64_C(1) << 30;

const struct tool_option storing_options[] = {
    {"clickhouse", 0, "URL", "store rows at URL, or at shards URL,URL", NULL,
     offsetof(struct storing_settings, urls), tool_set_text},
    {"table", 0, "T", "only tables T,T (events: all); what is private, too", NULL,
     offsetof(struct storing_settings, tables), tool_set_text},
    {"private", 0, NULL, NULL, NULL, offsetof(struct storing_settings, has_private), tool_set_flag},
    {"database", 0, "D", "its database; where the programs run", NULL,
     offsetof(struct storing_settings, database), tool_set_text},
    {"host", 0, "H", NULL, NULL, offsetof(struct storing_settings, host), tool_set_text},
    {"cluster", 0, "C", "the cluster of the shards", NULL,
     offsetof(struct storing_settings, cluster), tool_set_text},
    {"spool", 0, "DIR", "where rows wait while URL is away, at most SIZE (1Gi)", "@files",
     offsetof(struct storing_settings, spool), tool_set_text},
    {"spool-max", 0, "SIZE", NULL, NULL, offsetof(struct storing_settings, spool_max),
     tool_set_amount},
    {0},
};

const char storing_note[] =
    "The user and the password are those of CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or of "
    "~/.netrc. DIR is for one relay at a time; the default is hectic/clickhouse in "
    "$STATE_DIRECTORY, "
    "$XDG_STATE_HOME or ~/.local/state.";

/* --- Tables ---------------------------------------------------------------------------------- */

/* Those of results that are live. */
static void list_defaults(char names[NAMES_SIZE_MAX])
{
    const hectic_table *table;
    size_t length = 0;
    for (size_t i = 0; (table = hectic_table_at(i)); i++)
        if (table_is_live(table))
            length += (size_t)snprintf(names + length, NAMES_SIZE_MAX - length, "%s%s",
                                       length > 0 ? "," : "", table->name);
}

static int choose_tables(struct storing *storing, const struct storing_settings *settings)
{
    char defaults[NAMES_SIZE_MAX];
    list_defaults(defaults);
    const struct export_settings chosen = {.tables = settings->tables ? settings->tables : defaults,
                                           .has_private = settings->has_private};
    const int code = export_tables_choose(&storing->tables, &chosen, "");
    for (size_t i = 0; i < storing->tables.count && code == TOOL_OK; i++) {
        const struct query_table *table = storing->tables.chosen[i];
        if (!table->result || table_is_live(table->result)) continue;
        tool_usage_error(
            "--table %s: its rows are known only when a log has ended: record logs, and "
            "export them",
            table->name);
        return TOOL_USAGE;
    }
    return code;
}

/* --- The store ------------------------------------------------------------------------------- */

/* False after a message. */
static bool find_spool(struct storing *storing, const struct storing_settings *settings)
{
    const char *service = getenv("STATE_DIRECTORY"), *user = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");
    const char *base = service ? service : user && *user ? user : home;
    const bool is_home = base == home && !service;
    int length = -1;
    if (settings->spool)
        length = snprintf(storing->spool, sizeof storing->spool, "%s", settings->spool);
    else if (base)
        length = snprintf(storing->spool, sizeof storing->spool, "%s%s/hectic/clickhouse", base,
                          is_home ? "/.local/state" : "");
    if (length > 0 && (size_t)length < sizeof storing->spool) return true;
    tool_message("there is no folder for rows that wait: use --spool DIR");
    return false;
}

static bool open_store(struct storing *storing, const struct storing_settings *settings,
                       void (*note)(void *user, const char *text), void *user)
{
    char message[MESSAGE_SIZE];
    const struct row_store_options options = {
        .schema = {settings->database ? settings->database : "hectic", settings->cluster},
        .user = getenv("CLICKHOUSE_USER"),
        .password = getenv("CLICKHOUSE_PASSWORD"),
        .url = storing->servers.url,
        .urls = storing->servers.count,
        .host = settings->host ? settings->host : "",
        .table = storing->tables.chosen,
        .tables = storing->tables.count,
        .has_private = settings->has_private,
        .has_views = !settings->tables,
        .spool = storing->spool,
        .spool_max = settings->spool_max ? settings->spool_max : spool_default,
        .note = note,
        .user_data = user,
    };
    storing->store = row_store_new(&options, message, sizeof message);
    if (!storing->store) tool_message("%s", message);
    return storing->store;
}

int storing_open(struct storing *storing, const struct storing_settings *settings,
                 void (*note)(void *user, const char *text), void *user)
{
    *storing = (struct storing){0};
    if (!settings->urls) {
        if (!settings->tables && !settings->spool && !settings->database) return TOOL_OK;
        tool_usage_error("--table, --database and --spool need --clickhouse URL");
        return TOOL_USAGE;
    }
    if (!server_list_parse(&storing->servers, settings->urls, "--clickhouse")) return TOOL_USAGE;
    const int code = choose_tables(storing, settings);
    if (code != TOOL_OK) return code;
    return find_spool(storing, settings) && open_store(storing, settings, note, user)
               ? TOOL_OK
               : TOOL_UNUSABLE;
}

void storing_close(struct storing *storing)
{
    row_store_end(storing->store, END_MS);
    export_tables_free(&storing->tables);
    server_list_free(&storing->servers);
}
