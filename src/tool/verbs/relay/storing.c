/* storing.c — see storing.h. */
#include "tool/verbs/relay/storing.h"

#include "otlp/environment.h"
#include "results/live/row.h"
#include "tool/cli/message.h"
#include "tool/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_MS = 4000, NAMES_SIZE_MAX = 1024, MESSAGE_SIZE = 1024 };
enum { METRICS_MS = 60000, METRICS_MS_MIN = 100 }; /* as OpenTelemetry has it */
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
    {"otlp", 0, "URL", "send spans, messages and metrics by OTLP", NULL,
     offsetof(struct storing_settings, otlp), tool_set_text},
    {"spool", 0, "DIR", "what waits while URL is away, at most SIZE (1Gi)", "@files",
     offsetof(struct storing_settings, spool), tool_set_text},
    {"spool-max", 0, "SIZE", NULL, NULL, offsetof(struct storing_settings, spool_max),
     tool_set_amount},
    {0},
};

const char storing_note[] =
    "The user and the password are those of CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or of "
    "~/.netrc. Of OTLP, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_COMPRESSION, "
    "OTEL_EXPORTER_OTLP_TIMEOUT, "
    "OTEL_RESOURCE_ATTRIBUTES and OTEL_METRIC_EXPORT_INTERVAL apply. DIR is for one relay at a "
    "time; the default is hectic/clickhouse or hectic/otlp in $STATE_DIRECTORY, $XDG_STATE_HOME or "
    "~/.local/state.";

/* --- Tables ---------------------------------------------------------------------------------- */

/* Those of results that are live. */
static void list_defaults(char names[NAMES_SIZE_MAX])
{
    const hectic_table *table;
    size_t length = 0;
    for (size_t i = 0; (table = hectic_table_at(i)); i++)
        if (table_live_rows(table).maker)
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
        if (!table->result || table_live_rows(table->result).maker) continue;
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
static bool find_spool(struct storing *storing, const struct storing_settings *settings,
                       const char *kind)
{
    const char *service = getenv("STATE_DIRECTORY"), *user = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");
    const char *base = service ? service : user && *user ? user : home;
    const bool is_home = base == home && !service;
    int length = -1;
    if (settings->spool)
        length = snprintf(storing->spool, sizeof storing->spool, "%s", settings->spool);
    else if (base)
        length = snprintf(storing->spool, sizeof storing->spool, "%s%s/hectic/%s", base,
                          is_home ? "/.local/state" : "", kind);
    if (length > 0 && (size_t)length < sizeof storing->spool) return true;
    tool_message("no directory for the spool: use --spool DIR");
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

static int open_rows(struct storing *storing, const struct storing_settings *settings,
                     void (*note)(void *user, const char *text), void *user)
{
    if (!server_list_parse(&storing->servers, settings->urls, "--clickhouse")) return TOOL_USAGE;
    const int code = choose_tables(storing, settings);
    if (code != TOOL_OK) return code;
    return find_spool(storing, settings, "clickhouse") && open_store(storing, settings, note, user)
               ? TOOL_OK
               : TOOL_UNUSABLE;
}

/* --- OTLP ------------------------------------------------------------------------------------ */

static int open_otlp(struct storing *storing, const struct storing_settings *settings,
                     void (*note)(void *user, const char *text), void *user)
{
    char message[MESSAGE_SIZE], folder[sizeof storing->spool + MESSAGE_SIZE];
    if (!server_otlp_check(settings->otlp, "--otlp")) return TOOL_USAGE;
    otlp_environment_check(note, user);
    if (!find_spool(storing, settings, "otlp")) return TOOL_UNUSABLE;
    delivery_spool_folder(folder, sizeof folder, storing->spool, settings->otlp);
    storing->access = (struct otlp_access){.url = settings->otlp};
    const struct delivery_options options = {
        .target = &otlp_delivery,
        .settings = &storing->access,
        .url = settings->otlp,
        .spool = folder,
        .spool_max = settings->spool_max ? settings->spool_max : spool_default,
        .note = note,
        .user_data = user,
    };
    storing->otlp =
        (struct otlp_sending){.sender = delivery_sender_new(&options, message, sizeof message),
                              .host = settings->host,
                              .metrics_ms = otlp_environment_ms("OTEL_METRIC_EXPORT_INTERVAL",
                                                                METRICS_MS, METRICS_MS_MIN)};
    if (!storing->otlp.sender) tool_message("%s", message);
    return storing->otlp.sender ? TOOL_OK : TOOL_UNUSABLE;
}

/* --- Both ------------------------------------------------------------------------------------ */

int storing_open(struct storing *storing, const struct storing_settings *settings,
                 void (*note)(void *user, const char *text), void *user)
{
    *storing = (struct storing){0};
    if (!settings->urls &&
        (settings->tables || settings->database || settings->cluster || settings->has_private)) {
        tool_usage_error("--table, --private, --database and --cluster need --clickhouse URL");
        return TOOL_USAGE;
    }
    if (!settings->urls && !settings->otlp && settings->spool) {
        tool_usage_error("--spool needs --clickhouse URL or --otlp URL");
        return TOOL_USAGE;
    }
    int code = settings->urls ? open_rows(storing, settings, note, user) : TOOL_OK;
    if (code == TOOL_OK && settings->otlp) code = open_otlp(storing, settings, note, user);
    return code;
}

bool storing_close(struct storing *storing)
{
    uint64_t lost = row_store_end(storing->store, END_MS);
    if (storing->otlp.sender) lost += delivery_sender_end(storing->otlp.sender, END_MS);
    export_tables_free(&storing->tables);
    server_list_free(&storing->servers);
    return lost == 0;
}
