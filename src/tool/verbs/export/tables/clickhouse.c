/* clickhouse.c — the tables of logs in a database of ClickHouse, or as statements that fill one. */
#include "tool/verbs/export/tables/clickhouse.h"

#include "results/identity.h"
#include "tool/cli/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 60000 }; /* ms, until a server is given up */

/* --- Servers --------------------------------------------------------------------------------- */

static void say_that_it_waits(void *user, const char *url, const char *why)
{
    const struct export_settings *settings = user;
    if (!settings->output.quiet) tool_message("note: %s: %s; trying again", url, why);
}

static bool take_whether(void *user, clickhouse_server *server)
{
    *(bool *)user = *clickhouse_answer(server) != '0';
    return true;
}

/* Is the log on that server? */
static bool has_log(const struct clickhouse_export *export, const char *url, const char *id,
                    bool *has)
{
    struct buffer question = {0};
    clickhouse_select_log(&question, &export->schema, id);
    const bool done = clickhouse_ask(export, url, &question, take_whether, has);
    buffer_free(&question);
    return done;
}

/* The server that has the log; or else, the one of its id: all rows of a log are on one. False
 * after a message. */
static bool choose_server(struct clickhouse_export *export, struct stored_log *stored)
{
    char text[CLICKHOUSE_ID_SIZE];
    stored->url = export->servers.url[clickhouse_shard(stored->log.id, export->servers.count)];
    if (export->servers.count == 1) return true;
    clickhouse_id_text(stored->log.id, text);
    for (size_t i = 0; i < export->servers.count; i++) {
        bool has;
        if (!has_log(export, export->servers.url[i], text, &has)) return false;
        if (has) stored->url = export->servers.url[i];
    }
    return true;
}

static bool begin_log(void *user, size_t number, hectic_log *log)
{
    struct clickhouse_export *export = user;
    const char *host = export->tables.settings->clickhouse.host;
    struct stored_log *stored = &export->stored[number];
    struct log_identity identity;
    if (!log_identify(log, &identity)) return tool_message("out of memory"), false;
    stored->log = (struct clickhouse_log){
        .day = (uint16_t)identity.day, .host = host ? host : "", .revision = identity.events};
    memcpy(stored->log.id, identity.id, sizeof identity.id);
    return export->sink || choose_server(export, stored);
}

/* --- The export ------------------------------------------------------------------------------ */

static int run_export(struct clickhouse_export *export, size_t threads)
{
    struct table_target target = clickhouse_target();
    target.begin = begin_log;
    return table_export_run(&export->tables, &target, export, threads);
}

static int export_to_servers(struct clickhouse_export *export)
{
    if (!server_list_parse(&export->servers, export->tables.settings->clickhouse.url, "--url"))
        return TOOL_USAGE;
    bool done = true;
    for (size_t i = 0; i < export->servers.count && done; i++)
        done = clickhouse_make_on_server(export, export->servers.url[i]);
    int code = done ? run_export(export, SIZE_MAX) : TOOL_UNUSABLE;
    const uint64_t days = export->tables.settings->clickhouse.keep_days;
    for (size_t i = 0; i < export->servers.count && days > 0 && code != TOOL_UNUSABLE; i++)
        if (!clickhouse_drop_old(export, export->servers.url[i], days)) code = TOOL_UNUSABLE;
    return code;
}

static int export_to_file(struct clickhouse_export *export)
{
    export->sink = sink_open(&export->tables.settings->output);
    if (!export->sink) return TOOL_UNUSABLE;
    const int code = clickhouse_make_in_file(export) ? run_export(export, 1) : TOOL_UNUSABLE;
    return sink_close(export->sink, code);
}

/* What is there after a failure. */
static void note_stored(const struct clickhouse_export *export)
{
    for (size_t i = 0; i < table_export_logs(&export->tables); i++)
        if (atomic_load(&export->stored[i].rows) > 0)
            tool_message("note: of %s, %" PRIu64
                         " rows were stored; the same export completes them",
                         export->tables.name[i], (uint64_t)atomic_load(&export->stored[i].rows));
}

int clickhouse_tables(const struct export_settings *settings, int count, char **path)
{
    const struct clickhouse_settings *own = &settings->clickhouse;
    struct clickhouse_export export = {
        .schema = {own->database ? own->database : "hectic", own->cluster},
        .access = {.user = getenv("CLICKHOUSE_USER"),
                   .password = getenv("CLICKHOUSE_PASSWORD"),
                   .patience = PATIENCE,
                   .waits = say_that_it_waits,
                   .user_data = (void *)settings},
    };
    if (own->url && settings->output.path) {
        tool_usage_error("--url and -o cannot be combined");
        return TOOL_USAGE;
    }
    if (own->keep_days > 0 && !own->url) {
        tool_usage_error("--keep-days needs --url");
        return TOOL_USAGE;
    }
    int code = table_export_open(&export.tables, settings, "", count, path);
    if (code == TOOL_OK) {
        export.stored = calloc(table_export_logs(&export.tables) + 1, sizeof *export.stored);
        if (!export.stored) tool_message("out of memory");
        code = !export.stored ? TOOL_UNUSABLE
               : own->url     ? export_to_servers(&export)
                              : export_to_file(&export);
        if (code != TOOL_OK && export.stored) note_stored(&export);
    }
    code = table_export_close(&export.tables, code);
    free(export.stored);
    server_list_free(&export.servers);
    return code;
}
