/* schema.c — hectic sql --schema: see database.h. */
#include "tool/verbs/sql/database.h"

#include "base/buffer.h"
#include "query/views.h"
#include "tool/cli/message.h"
#include "tool/output/terminal_text.h"

#include <string.h>
#include <strings.h>

enum { NAME_WIDTH = 30, TYPE_WIDTH = 7, PLAIN_WIDTH = 80 };

static const char *type_name(const struct query_column *column)
{
    static const char *const names[] = {[QUERY_INTEGER] = "integer",
                                        [QUERY_REAL] = "real",
                                        [QUERY_TEXT] = "text",
                                        [QUERY_BLOB] = "blob"};
    const char *unit = query_column_unit(column);
    return unit ? unit : names[column->type];
}

/* Writes a paragraph, whose first line begins at a column, and the others at another one. */
static void put_wrapped(struct sink *sink, const char *text, size_t at, size_t indent, size_t width)
{
    for (bool begins = true; *text; begins = false) {
        const size_t word = strcspn(text, " \n");
        if (!begins && at + 1 + word > width) {
            sink_print(sink, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!begins) {
            sink_text(sink, " ", 1);
            at++;
        }
        sink_text(sink, text, word);
        at += word;
        text += word;
        text += strspn(text, " \n");
    }
    sink_text(sink, "\n", 1);
}

static void put_heading(struct sink *sink, const char *name, const char *meaning, size_t width)
{
    const bool colored = sink_is_colored(sink);
    sink_print(sink, "%s%s%s: ", colored ? "\033[1m" : "", name, colored ? "\033[0m" : "");
    put_wrapped(sink, meaning, strlen(name) + 2, 2, width);
}

static void put_table(const struct sql_database *database, struct sink *sink,
                      const struct query_table *table, size_t width)
{
    static const size_t indent = NAME_WIDTH + TYPE_WIDTH + 4;
    put_heading(sink, table->name, table->meaning, width);
    if (log_tables_are_several(&database->logs))
        sink_print(sink, "  %-*s %-*s the path of the log\n", NAME_WIDTH, "log", TYPE_WIDTH,
                   "text");
    for (size_t i = 0; i < table->columns; i++) {
        const struct query_column *column = &table->column[i];
        const char *type = type_name(column), *meaning = column->meaning;
        if (*meaning && strcmp(meaning, type) != 0) {
            sink_print(sink, "  %-*s %-*s ", NAME_WIDTH, column->name, TYPE_WIDTH, type);
            put_wrapped(sink, meaning, indent, indent, width);
        } else {
            sink_print(sink, "  %-*s %s\n", NAME_WIDTH, column->name, type);
        }
    }
    sink_text(sink, "\n", 1);
}

static void put_view(struct sink *sink, const struct query_view *view, size_t width)
{
    put_heading(sink, view->name, view->meaning, width);
    for (size_t i = 0; view->column[i].name; i++) {
        sink_print(sink, "  %-*s ", NAME_WIDTH, view->column[i].name);
        put_wrapped(sink, view->column[i].meaning, NAME_WIDTH + 3, NAME_WIDTH + 3, width);
    }
    sink_text(sink, "\n", 1);
}

static void put_all(const struct sql_database *database, struct sink *sink, size_t width)
{
    size_t count;
    const struct query_view *views = query_views(&count);
    for (size_t i = 0; i < query_tables_count(database->tables); i++) {
        const struct query_table *table = query_tables_at(database->tables, i);
        if (!table->shape) put_table(database, sink, table, width);
    }
    for (size_t i = 0; i < count; i++)
        put_view(sink, &views[i], width);
    put_wrapped(sink,
                "ev_NAME: the events of one type, with their fields as columns, such as "
                "ev_CREATE_THREAD; `hectic sql --schema ev_GC_START` prints its columns. In all "
                "names, a unit at the end (_ns, _bytes, _share) may be left out.",
                0, 0, width);
}

void sql_print_names(const struct sql_database *database, struct sink *sink)
{
    const size_t width = sink_is_terminal(sink) ? terminal_width() : PLAIN_WIDTH;
    struct buffer names = {0};
    size_t count;
    const struct query_view *views = query_views(&count);
    for (size_t i = 0; i < query_tables_count(database->tables); i++) {
        const struct query_table *table = query_tables_at(database->tables, i);
        if (table->shape) continue;
        buffer_add(&names, table->name, strlen(table->name));
        buffer_add_byte(&names, ' ');
    }
    for (size_t i = 0; i < count; i++) {
        buffer_add(&names, views[i].name, strlen(views[i].name));
        buffer_add_byte(&names, i + 1 < count ? ' ' : 0);
    }
    if (!names.failed) put_wrapped(sink, (const char *)names.bytes, 0, 0, width);
    buffer_free(&names);
    sink_print(sink, "and ev_NAME for each type of event, such as ev_GC_START\n");
}

static int report_table(const struct sql_database *database, const char *name)
{
    struct suggestion suggestion = {.word = name};
    size_t count;
    const struct query_view *views = query_views(&count);
    for (size_t i = 0; i < query_tables_count(database->tables); i++)
        tool_suggest(&suggestion, query_tables_at(database->tables, i)->name);
    for (size_t i = 0; i < count; i++)
        tool_suggest(&suggestion, views[i].name);
    tool_usage_error("there is no table \"%s\"%s%s%s", name,
                     suggestion.best ? "; did you mean " : "",
                     suggestion.best ? suggestion.best : "", suggestion.best ? "?" : "");
    return TOOL_USAGE;
}

int sql_print_schema(const struct sql_database *database, struct sink *sink, int names, char **name)
{
    const size_t width = sink_is_terminal(sink) ? terminal_width() : PLAIN_WIDTH;
    if (names == 0) put_all(database, sink, width);
    for (int i = 0; i < names; i++) {
        const struct query_table *table = query_tables_find(database->tables, name[i]);
        size_t count, view = 0;
        const struct query_view *views = query_views(&count);
        while (view < count && strcasecmp(views[view].name, name[i]) != 0)
            view++;
        if (table)
            put_table(database, sink, table, width);
        else if (view < count)
            put_view(sink, &views[view], width);
        else
            return report_table(database, name[i]);
    }
    return TOOL_OK;
}
