/* prompt.c — the prompt of hectic sql: see database.h. */
#include "tool/verbs/sql/database.h"

#include "os/clock.h"
#include "query/views.h"
#include "tool/cli/message.h"
#include "tool/output/cells.h"

#include <ctype.h>
#include <editline/readline.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY_MAX = 1000 };

/* --- Interrupts ------------------------------------------------------------------------------ */

/* What ^C ends: the query that runs, or the line that is being typed. */
static sqlite3 *volatile running;
static volatile sig_atomic_t was_interrupted;

static void interrupt(int number)
{
    const int error = errno;
    (void)number;
    was_interrupted = 1;
    if (running) sqlite3_interrupt(running);
    errno = error;
}

static bool is_interrupted(void)
{
    return was_interrupted;
}

/* Reads a character; libedit itself continues to read when it is interrupted. */
static int read_character(FILE *file)
{
    mbstate_t state = {0};
    wchar_t character;
    char byte;
    (void)file;
    while (!was_interrupted) {
        const ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got == 0) return EOF;
        if (got < 0 && errno != EINTR) return EOF;
        if (got < 0) continue;
        const size_t used = mbrtowc(&character, &byte, 1, &state);
        if (used == (size_t)-1) state = (mbstate_t){0};
        if (used <= 1) return (int)character;
    }
    return EOF;
}

/* --- Completion ------------------------------------------------------------------------------ */

/* readline's functions have no place for it. */
static const struct sql_database *completing;

static const char *const words[] = {"SELECT",   "FROM",   "WHERE", "GROUP BY", "ORDER BY",
                                    "LIMIT",    "AS",     "JOIN",  "HAVING",   "DESC",
                                    "count(*)", "time('", "dur(",  "bytes(",   "percentile("};

/* The candidate with that number: words, tables, views, columns. NULL: there are no more. */
static const char *candidate(size_t number)
{
    static const size_t count = sizeof words / sizeof *words;
    size_t views;
    const struct query_view *view = query_views(&views);
    const query_tables *tables = completing->tables;
    if (number < count) return words[number];
    number -= count;
    if (number < views) return view[number].name;
    number -= views;
    if (number < query_tables_count(tables)) return query_tables_at(tables, number)->name;
    number -= query_tables_count(tables);
    for (size_t i = 0; i < query_tables_count(tables); i++) {
        const struct query_table *table = query_tables_at(tables, i);
        if (table->shape) continue;
        if (number < table->columns) return table->column[number].name;
        number -= table->columns;
    }
    return NULL;
}

static bool is_earlier(size_t number, const char *text)
{
    for (size_t i = 0; i < number; i++)
        if (strcmp(candidate(i), text) == 0) return true;
    return false;
}

static char *next_candidate(const char *begin, int state)
{
    static size_t place;
    const char *text;
    if (state == 0) place = 0;
    while ((text = candidate(place++)))
        if (strncasecmp(text, begin, strlen(begin)) == 0 && !is_earlier(place - 1, text))
            return strdup(text);
    return NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start;
    (void)end;
    rl_attempted_completion_over = 1;
    return rl_completion_matches(text, next_candidate);
}

/* --- History --------------------------------------------------------------------------------- */

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* The file of the history; its folders are made. False: there is no place for it. */
static bool history_path(char *out, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (state && state[0] == '/')
        length = snprintf(out, size, "%s/hectic", state);
    else if (home && home[0] == '/')
        length = snprintf(out, size, "%s/.local/state/hectic", home);
    if (length <= 0 || (size_t)length + sizeof "/sql_history" > size) return false;
    bool done = true;
    for (char *slash = out + 1; (slash = strchr(slash, '/')) && done; slash++) {
        *slash = 0;
        done = make_folder(out);
        *slash = '/';
    }
    done = done && make_folder(out);
    strcat(out, "/sql_history");
    return done;
}

/* --- Commands -------------------------------------------------------------------------------- */

struct prompt {
    struct sql_database *database;
    struct sink *sink;
    bool has_timer;
    char *text; /* the statement so far; NULL: none */
};

static const char help[] = "A query ends with a semicolon; Ctrl-C ends it, Ctrl-D ends hectic.\n"
                           ".schema [TABLE]...   tables, their columns and meanings\n"
                           ".tables              the names of tables and views\n"
                           ".timer on|off        print how long queries take\n"
                           ".quit\n";

/* False: the prompt ends. */
static bool run_command(struct prompt *prompt, char *line)
{
    enum { NAMES = 32 };
    char *name[NAMES], *rest = NULL;
    int names = 0;
    const char *command = strtok_r(line, " \t", &rest);
    while (names < NAMES && (name[names] = strtok_r(NULL, " \t;", &rest)))
        names++;
    if (strcmp(command, ".quit") == 0 || strcmp(command, ".exit") == 0) return false;
    if (strcmp(command, ".schema") == 0)
        sql_print_schema(prompt->database, prompt->sink, names, name);
    else if (strcmp(command, ".tables") == 0)
        sql_print_names(prompt->database, prompt->sink);
    else if (strcmp(command, ".timer") == 0)
        prompt->has_timer = names == 0 || strcmp(name[0], "off") != 0;
    else if (strcmp(command, ".help") == 0)
        sink_print(prompt->sink, "%s", help);
    else
        tool_message("unknown command %s; .help lists them", command);
    return true;
}

static void run_statement(struct prompt *prompt)
{
    const uint64_t start = clock_ns();
    was_interrupted = 0;
    running = prompt->database->sqlite;
    sql_run(prompt->database, prompt->text, prompt->sink);
    running = NULL;
    if (prompt->has_timer)
        sink_print(prompt->sink, "(%s)\n", printed(CELL_NS, clock_ns() - start).text);
}

/* Adds a line to the statement. False: no memory. */
static bool add_line(struct prompt *prompt, const char *line)
{
    const size_t length = prompt->text ? strlen(prompt->text) : 0;
    char *grown = realloc(prompt->text, length + strlen(line) + 2);
    if (!grown) return false;
    prompt->text = grown;
    sprintf(grown + length, "%s%s", length ? "\n" : "", line);
    return true;
}

/* False: the prompt ends. */
static bool take_line(struct prompt *prompt, char *line)
{
    line += strspn(line, " \t");
    if (!prompt->text && *line == 0) return true;
    if (!prompt->text && *line == '.') {
        add_history(line);
        return run_command(prompt, line);
    }
    if (!add_line(prompt, line)) return tool_message("out of memory"), false;
    if (!sqlite3_complete(prompt->text)) return true;
    add_history(prompt->text);
    run_statement(prompt);
    free(prompt->text);
    prompt->text = NULL;
    return true;
}

int sql_prompt(struct sql_database *database, struct sink *sink)
{
    struct prompt prompt = {.database = database, .sink = sink};
    const struct sigaction action = {.sa_handler = interrupt};
    struct sigaction before;
    char path[4096];
    const bool has_history = history_path(path, sizeof path);
    completing = database;
    database->was_interrupted = is_interrupted;
    rl_getc_function = read_character;
    rl_initialize();
    rl_readline_name = "hectic";
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = " \t\n,()=<>+-*/;.";
    stifle_history(HISTORY_MAX);
    if (has_history) read_history(path);
    sigaction(SIGINT, &action, &before);
    sink_print(sink, "%s. A query ends with ; — .help lists commands.\n",
               quantity(database->logs.files.count, "log").text);
    for (bool goes_on = true; goes_on && !sink_failed(sink);) {
        sink_wait(sink);
        was_interrupted = 0;
        char *line = readline(prompt.text ? "   ...> " : "hectic> ");
        if (line)
            goes_on = take_line(&prompt, line);
        else if (was_interrupted) {
            free(prompt.text);
            prompt.text = NULL;
            sink_print(sink, "\n");
        } else
            goes_on = false;
        free(line);
    }
    sink_print(sink, "\n");
    if (has_history) write_history(path);
    sigaction(SIGINT, &before, NULL);
    free(prompt.text);
    return TOOL_OK;
}
