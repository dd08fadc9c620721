/* sql.c — hectic sql: queries over logs. */
#include "tool/verbs/sql/database.h"

#include "tool/cli/message.h"
#include "tool/input/logs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { QUERY_MAX = 1 << 20 };

/* Reads a query. NULL after a message. Free it. */
static char *read_query(const char *path)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    char *text = fd >= 0 ? malloc(QUERY_MAX + 1) : NULL;
    size_t size = 0;
    ssize_t got = -1;
    while (text && size < QUERY_MAX && (got = read(fd, text + size, QUERY_MAX - size)) != 0) {
        if (got < 0 && errno != EINTR) break;
        if (got > 0) size += (size_t)got;
    }
    if (got < 0) tool_message("%s: %s", is_stdin ? "standard input" : path, strerror(errno));
    if (got > 0) tool_usage_error("the query in %s is longer than 1 MiB", path);
    if (fd > STDIN_FILENO) close(fd);
    if (got != 0) return free(text), NULL;
    text[size] = 0;
    return text;
}

static bool exists(const char *path)
{
    struct stat status;
    return strcmp(path, "-") == 0 || stat(path, &status) == 0;
}

/* Where the query comes from. The last operand is the query, unless it is a log or --file is given.
 */
struct query {
    int logs;         /* how many operands are logs */
    const char *text; /* NULL: the prompt */
    char *read;       /* what was read, or NULL */
};

static bool find_query(struct query *query, const struct sql_settings *settings, int argc,
                       char **argv)
{
    query->logs = argc;
    if (settings->file) {
        query->text = query->read = read_query(settings->file);
        return query->text;
    }
    if (argc > 1 || !exists(argv[0])) {
        query->text = argv[argc - 1];
        query->logs = argc - 1;
    }
    if (query->text && exists(query->text)) {
        query->text = NULL;
        query->logs = argc;
    }
    for (int i = 0; i < query->logs && !query->text; i++)
        if (strcmp(argv[i], "-") == 0) {
            tool_usage_error(
                "the log is read from standard input, so the query must be an operand");
            return false;
        }
    if (query->text || isatty(STDIN_FILENO)) return true;
    query->text = query->read = read_query("-");
    return query->text;
}

static int run_query(struct sql_database *database, const struct query *query, struct sink *sink)
{
    return query->text ? sql_run(database, query->text, sink) : sql_prompt(database, sink);
}

static int run(void *given, int argc, char **argv)
{
    struct sql_settings *settings = given;
    struct query query = {0};
    struct sql_database database;
    if (!table_forms_agree(&settings->table)) return TOOL_USAGE;
    if (settings->schema && (settings->table.json || settings->table.csv)) {
        tool_usage_error("--schema prints text");
        return TOOL_USAGE;
    }
    if (!settings->schema && argc == 0) {
        tool_usage_error("a log is missing: hectic sql LOG... 'QUERY'");
        return TOOL_USAGE;
    }
    if (!settings->schema && !find_query(&query, settings, argc, argv)) return TOOL_USAGE;
    if (!settings->schema && query.logs == 0) {
        tool_usage_error("\"%s\" is no log, and the query needs one: hectic sql LOG... 'QUERY'",
                         argv[0]);
        return free(query.read), TOOL_USAGE;
    }
    settings->table.key = "rows";
    settings->table.is_complete = true;
    int code = sql_open(&database, settings, query.logs, argv);
    struct sink *sink = code == TOOL_OK ? sink_open(&settings->output) : NULL;
    if (code == TOOL_OK && !sink) code = TOOL_UNUSABLE;
    if (sink) {
        code = settings->schema ? sql_print_schema(&database, sink, argc, argv)
                                : run_query(&database, &query, sink);
        code = sql_close(&database, code);
        code = sink_close(sink, code);
    } else {
        code = sql_close(&database, code);
    }
    free(query.read);
    return code;
}

static const struct tool_option sql_options[] = {
    {"file", 0, "FILE", "read the query from FILE (-: standard input)", "@files",
     offsetof(struct sql_settings, file), tool_set_text},
    {"schema", 0, NULL, "print all tables and columns; or: --schema TABLE", NULL,
     offsetof(struct sql_settings, schema), tool_set_flag},
    {"time-limit", 0, "TIME", "end a query after TIME (default: 10m)", NULL,
     offsetof(struct sql_settings, time), tool_set_duration},
    {"memory-limit", 0, "SIZE", "of SQLite (default: 1 GiB)", NULL,
     offsetof(struct sql_settings, memory), tool_set_amount},
    {0},
};

static const struct tool_option form_options[] = {
    TABLE_FORMS(struct sql_settings, table.),
    {"wide", 0, NULL, "text: all columns, complete texts", NULL,
     offsetof(struct sql_settings, table.wide), tool_set_flag},
    {0},
};

const struct verb verb_sql = {
    .name = "sql",
    .group = "Other verbs:",
    .brief = "ask any question in SQL",
    .summary = "Query logs in SQL",
    .usage = (const char *const[]){"[OPTION]... LOG... 'QUERY'", "[OPTION]... LOG...",
                                   "--schema [TABLE]...", NULL},
    .description =
        (const char *const[]){
            "Runs a query of SQLite over the tables of the logs: threads, gc, spans, messages and "
            "so on, with the columns of the verbs' CSV; thread_states, what each thread did; "
            "events, all events; ev_NAME, the events of one type with their fields; and views. "
            "--schema prints them all. Nothing is imported: rows are read from the logs when the "
            "query needs them.",
            "A LOG may be a folder: all *.eventlog, *.eventlog.gz and *.eventlog.zst in it and in "
            "the folders in it. Tables then have a column log, the path. A log that cannot be read "
            "is reported and left out.",
            "Times and durations are integers in nanoseconds, sizes in bytes, unknown values are "
            "NULL. The unit at the end of a column's name may be left out: pause is pause_ns. "
            "Functions: time('1.5s') in nanoseconds; dur(ns) and bytes(n), texts with a unit; "
            "percentile(x, 99), the nearest rank; histogram(x), JSON of [from, to, count] in "
            "powers of two.",
            "Without a query, on a terminal, it asks for queries, which end with a semicolon; "
            ".help lists further commands. Otherwise the query is read from standard input.",
            "Text shows times, durations and sizes with units if the name of a column says so "
            "(max(pause_ns), or AS total_ns). CSV and JSON have the exact numbers. --json prints "
            "one object, with the array rows; --jsonl prints an object for each row.",
            "A query reads the tables, and nothing else: it cannot write, open other files, or "
            "load extensions. docs/sql.md has examples.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"Query", sql_options, 0, NULL},
            {"Table", form_options, 0, NULL},
            {"Output", color_options, offsetof(struct sql_settings, output), NULL},
            {"Output", output_options, offsetof(struct sql_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic sql Main.eventlog 'SELECT * FROM gc ORDER BY pause DESC LIMIT 5'",
             "the longest pauses"},
            {"hectic sql runs/ \"SELECT log, max(pause) FROM gc GROUP BY log\"",
             "of each log in a folder"},
            {"hectic sql --csv LOG 'SELECT * FROM pauses_by_second'", "for a spreadsheet"},
            {"hectic sql --schema gc", "the columns of a table"},
            {NULL, NULL}},
    .exits = {"Success; the log may be truncated.",
              "A log is damaged, or one of several cannot be read; the rest was used.",
              "A log cannot be read, a limit was reached, or the output cannot be written."},
    .least = 0,
    .most = 10000,
    .settings_size = sizeof(struct sql_settings),
    .run = run,
};
