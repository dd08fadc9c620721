/* Tables: text, CSV, JSON, sorting. The sink is a text in memory. */
#define _GNU_SOURCE /* for message.c */
#include "bytes.h"

#include "tool/cli/message.c"
#include "tool/cli/stderr_buffer.c"
#include "tool/output/cells.c"
#include "tool/output/json.c"
#include "tool/output/rows.c"
#include "tool/output/table.c"
#include "tool/output/terminal_text.c"
#include "tool/output/where.c"

struct sink {
    struct bytes text;
    char room[65536];
    bool colored;
};

char *sink_room(struct sink *sink, size_t size)
{
    assert_true(size <= sizeof sink->room);
    return sink->room;
}

void sink_fill(struct sink *sink, size_t size)
{
    bytes_write(&sink->text, sink->room, size);
}

void sink_text(struct sink *sink, const char *text, size_t size)
{
    bytes_write(&sink->text, text, size);
}

void sink_print(struct sink *sink, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sink_fill(sink, (size_t)vsnprintf(sink->room, sizeof sink->room, format, arguments));
    va_end(arguments);
}

bool sink_failed(const struct sink *sink)
{
    (void)sink;
    return false;
}

bool sink_is_colored(const struct sink *sink)
{
    return sink->colored;
}

bool sink_is_terminal(const struct sink *sink)
{
    return sink->colored;
}

bool tool_set_flag(void *field, const char *argument)
{
    return field && argument;
}

bool tool_set_text(void *field, const char *argument)
{
    return field && argument;
}

bool tool_set_count(void *field, const char *argument)
{
    return field && argument;
}

static const struct table_column columns[] = {
    {"name", "Name", CELL_TEXT, 0, "", NULL},
    {"pause_ns", "Pause", CELL_NS, 0, "", NULL},
    {"share", "Share", CELL_SHARE, RANK(1), "", NULL},
    {"bar", "", CELL_BAR, RANK(3), "", NULL},
    {"count", "Count", CELL_COUNT, RANK(1), "", NULL},
    {"thread", "Id", CELL_ID, RANK(1), "", NULL},
    {"live_bytes", "Live", CELL_BYTES, OPTIONAL | RANK(2), "", NULL},
    {"at_ns", "At", CELL_TIME, RANK(2), "", NULL},
    {"par", "Par", CELL_FLAG, RANK(4), "", NULL},
    {"kind", "Kind", CELL_TEXT, DATA_ONLY, "", NULL},
    {"course", "Course", CELL_TEXT, TEXT_ONLY | RANK(5), "", NULL},
    {0},
};

struct line {
    const char *name;
    uint64_t number;
};

static struct sink sink;

/* The table of the lines, printed. */
static const char *made(const struct table_settings *settings, const struct line *line,
                        size_t count, bool footer)
{
    int code;
    struct table *table = table_new("rows", columns, settings, &code);
    assert_non_null(table);
    assert_int_equal(code, TOOL_OK);
    bytes_free(&sink.text);
    for (size_t i = 0; i < count; i++) {
        const uint64_t n = line[i].number;
        const struct cell cells[] = {cell_text(line[i].name),
                                     n ? cell_number(n) : cell_unknown(),
                                     cell_share((double)(n % 101) / 100),
                                     cell_share(0.5),
                                     cell_number(n),
                                     cell_number(n),
                                     cell_number(n),
                                     cell_number(n),
                                     cell_number(n % 2),
                                     cell_text("k"),
                                     cell_text("_-#")};
        assert_true(table_row(table, &sink, cells));
        if (footer && i == 0) assert_true(table_footer(table, cells));
    }
    assert_true(table_end(table, &sink));
    table_free(table);
    bytes_write(&sink.text, "", 1);
    return (const char *)sink.text.data;
}

static const struct line some[] = {
    {"b\"1\", x", 1234567}, {"\xe6\xbc\xa2 \x1b[2J\n\xff", 3}, {NULL, 0}, {"a", 50}};

static void text_is_aligned(void **state)
{
    (void)state;
    const struct table_settings settings = {0};
    assert_string_equal(
        made(&settings, some, 4, true),
        "rows\n"
        "Name               Pause  Share      Count       Id     Live         At  Par\n"
        "b\"1\", x           1.23ms  44.0%  1,234,567  1234567  1.18MiB  0.001234s  yes\n"
        "\xe6\xbc\xa2 \\x1b[2J\\n\\xff     3ns   3.0%          3        3       3B  "
        "0.000000s  yes\n"
        "N/A                  N/A   0.0%          0        0       0B  0.000000s   no\n"
        "a                   50ns  50.0%         50       50      50B  0.000000s   no\n"
        "----------------------------------------------------------------------------\n"
        "b\"1\", x           1.23ms  44.0%  1,234,567  1234567  1.18MiB  0.001234s  yes\n"
        "(1 more column: --wide)\n");
    sink.colored = true;
    assert_non_null(strstr(made(&settings, some, 1, false), "44.0%  █████       1,234,567"));
    sink.colored = false;
}

static void empty_columns_are_hidden(void **state)
{
    (void)state;
    struct table_settings settings = {0};
    const struct line none = {"x", 0};
    assert_string_equal(made(&settings, &none, 1, true),
                        "rows\n"
                        "Name  Pause  Share  Count  Id         At  Par  Course\n"
                        "x       N/A   0.0%      0   0  0.000000s   no  _-#\n"
                        "-----------------------------------------------------\n"
                        "x             0.0%      0   0  0.000000s   no  _-#\n");
    settings.csv = true;
    assert_string_equal(made(&settings, &none, 1, true),
                        "name,pause_ns,share,count,thread,live_bytes,at_ns,par,kind\n"
                        "x,,0,0,0,0,0,false,k\n");
}

/* The widest line, in bytes: texts are ASCII. */
static size_t widest(const char *text)
{
    size_t most = 0;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length > most) most = length;
    }
    return most;
}

static void text_fits(void **state)
{
    (void)state;
    static const char label[] =
        "a label that takes more than forty-eight columns, so it is clipped";
    const struct line line = {label, UINT64_MAX};
    struct table_settings settings = {0};
    const char *text = made(&settings, &line, 1, false);
    assert_in_range(widest(text), 60, 82); /* … takes three bytes */
    assert_non_null(strstr(text, "Name                      "));
    assert_non_null(strstr(text, "Pause"));
    assert_null(strstr(text, "Par"));
    assert_null(strstr(text, "At"));
    assert_non_null(strstr(text, "more columns: --wide)\n"));
    settings.sort = "at"; /* the sort column stays */
    assert_non_null(strstr(made(&settings, &line, 1, false), "At"));
    settings.wide = true;
    text = made(&settings, &line, 1, false);
    assert_non_null(strstr(text, "Par"));
    assert_null(strstr(text, "--wide"));
    assert_true(widest(text) > 100);

    /* A terminal has its own width. */
    settings = (struct table_settings){0};
    sink.colored = true;
    setenv("COLUMNS", "30", 1);
    text = made(&settings, some, 4, false);
    assert_non_null(strstr(text, "Pause"));
    assert_null(strstr(text, "Count"));
    setenv("COLUMNS", "300", 1);
    assert_null(strstr(made(&settings, &line, 1, false), "--wide"));
    unsetenv("COLUMNS");
    sink.colored = false;
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    while ((text = strstr(text, word)) != NULL) {
        text += strlen(word);
        count++;
    }
    return count;
}

/* The columns of a long table are chosen before its end: a later row that needs another one gets a
 * heading of its own. */
static void empty_columns_are_left_out(void **state)
{
    (void)state;
    enum { ROWS = 1100 };
    static struct line many[ROWS];
    const struct table_settings settings = {.wide = true};
    for (size_t i = 0; i < ROWS; i++)
        many[i] = (struct line){"x", 0};
    const char *text = made(&settings, many, ROWS, false);
    assert_int_equal(occurrences(text, "Pause"), 1);
    assert_null(strstr(text, "Live"));
    many[1050].number = many[1090].number = 5;
    text = made(&settings, many, ROWS, false);
    assert_int_equal(occurrences(text, "Pause"), 2);
    assert_int_equal(occurrences(text, "Live"), 1);
    assert_int_equal(occurrences(text, " 5B "), 2);
}

static void three_digits(void **state)
{
    (void)state;
    static const struct {
        enum cell_kind kind;
        uint64_t number;
        const char *text;
    } of[] = {
        {CELL_NS, 0, "0ns"},
        {CELL_NS, 999, "999ns"},
        {CELL_NS, 1000, "1.00us"},
        {CELL_NS, 1234, "1.23us"},
        {CELL_NS, 9996, "10.0us"},
        {CELL_NS, 99949, "99.9us"},
        {CELL_NS, 99951, "100us"},
        {CELL_NS, 999499, "999us"},
        {CELL_NS, 999500, "1.00ms"},
        {CELL_NS, 1500000000, "1.50s"},
        {CELL_NS, 123456000000000, "123456s"},
        {CELL_BYTES, 0, "0B"},
        {CELL_BYTES, 1023, "1023B"},
        {CELL_BYTES, 1024, "1.00KiB"},
        {CELL_BYTES, 1048576 - 513, "1023KiB"},
        {CELL_BYTES, 1048575, "1.00MiB"},
        {CELL_BYTES, 4781507, "4.56MiB"},
        {CELL_BYTES, UINT64_MAX, "16.0EiB"},
        {CELL_TIME, 1234567891, "1.234567s"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char text[CELL_ROOM];
        const struct cell cell = cell_number(of[i].number);
        assert_int_equal(cell_print(text, of[i].kind, &cell), strlen(of[i].text));
        assert_string_equal(text, of[i].text);
    }
}

static void growth_has_a_sign(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } examples[] = {
        {0, "0B"},           {0.4, "0B"}, {-0.6, "-1B"}, {1234, "+1.21KiB"}, {-4781507, "-4.56MiB"},
        {1e300, "+8.00EiB"},
    };
    uint64_t last = UINT64_MAX;
    static const double falling[] = {1e9, 1, 0, -1, -1e9};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char text[CELL_ROOM];
        const struct cell cell = {.known = true, .share = examples[i].bytes};
        assert_int_equal(cell_print(text, CELL_GROWTH, &cell), strlen(examples[i].text));
        assert_string_equal(text, examples[i].text);
    }
    for (size_t i = 0; i < sizeof falling / sizeof *falling; i++) {
        const struct cell cell = {.known = true, .share = falling[i]};
        assert_true(cell_key(CELL_GROWTH, &cell) < last);
        last = cell_key(CELL_GROWTH, &cell);
    }
}

static void csv_is_quoted(void **state)
{
    (void)state;
    const struct table_settings settings = {.csv = true};
    assert_string_equal(made(&settings, some, 4, true),
                        "name,pause_ns,share,count,thread,live_bytes,at_ns,par,kind\n"
                        "\"b\"\"1\"\", x\",1234567,0.44,1234567,1234567,1234567,1234567,true,k\n"
                        "\"\xe6\xbc\xa2 \x1b[2J\n\\xFF\",3,0.03,3,3,3,3,true,k\n"
                        ",,0,0,0,0,0,false,k\n"
                        "a,50,0.5,50,50,50,50,false,k\n");
}

/* A spreadsheet would interpret these, but not others, nor numbers. */
static void csv_protects_formulas(void **state)
{
    (void)state;
    const struct table_settings settings = {.csv = true};
    const struct line line[] = {{"=1+1", 0}, {"+1", 0},  {"-1", 0}, {"@a", 0},
                                {"\tx", 0},  {"\rx", 0}, {"a=1", 0}};
    static const char *const wanted[] = {"'=1+1", "'+1", "'-1", "'@a", "'\tx", "\"'\rx\"", "a=1"};
    const char *at = made(&settings, line, sizeof line / sizeof *line, true);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        at = strchr(at, '\n') + 1;
        assert_memory_equal(at, wanted[i], strlen(wanted[i]));
        assert_int_equal(at[strlen(wanted[i])], ',');
    }
}

static void json_is_exact(void **state)
{
    (void)state;
    struct table_settings settings = {.json = true, .key = "all"};
    const struct line line[] = {{"\"\n", UINT64_MAX}, {NULL, 0}};
    assert_string_equal(
        made(&settings, line, 2, true),
        "{\"all\":[\n{\"name\":\"\\\"\\n\",\"pause_ns\":18446744073709551615,\"share\":0.78,"
        "\"count\":18446744073709551615,\"thread\":18446744073709551615,"
        "\"live_bytes\":18446744073709551615,\"at_ns\":18446744073709551615,\"par\":true,\"kind\":"
        "\"k\"},"
        "\n{\"name\":null,\"pause_ns\":null,\"share\":0,\"count\":0,\"thread\":0,\"live_bytes\":0,"
        "\"at_ns\":0,\"par\":false,\"kind\":\"k\"}\n]}\n");
    assert_string_equal(made(&settings, line, 0, false), "{\"all\":[]}\n");
    settings.is_member = true;
    assert_string_equal(made(&settings, line, 0, false), "\"rows\":[]");
    settings = (struct table_settings){.csv = true, .lines = true};
    assert_string_equal(made(&settings, line, 0, false), "");
    const char *lines = made(&settings, line, 2, false);
    assert_int_equal(lines[0], '{');
    assert_non_null(strstr(lines, "}\n{\"name\":null,"));
    assert_string_equal(lines + strlen(lines) - 2, "}\n");
}

/* The names of the rows, in order. */
static const char *order(const char *sort, uint64_t limit, const struct line *line, size_t count)
{
    const struct table_settings settings = {.csv = true, .sort = sort, .limit = limit};
    static char names[4096];
    size_t length = 0;
    const char *row = strchr(made(&settings, line, count, false), '\n') + 1;
    for (; *row; row = strchr(row, '\n') + 1)
        length += (size_t)snprintf(names + length, sizeof names - length, "%.*s",
                                   (int)strcspn(row, ","), row);
    names[length] = 0;
    return names;
}

static void rows_are_sorted(void **state)
{
    (void)state;
    const struct line line[] = {{"d", 4}, {"a", 0}, {"b", 9}, {"e", 0}, {"c", 4}, {"f", 7}};
    assert_string_equal(order(NULL, 0, line, 6), "dabecf");
    assert_string_equal(order(NULL, 2, line, 6), "da");
    assert_string_equal(order("count", 0, line, 6), "bfdcae");
    assert_string_equal(order("-count", 0, line, 6), "aedcfb");
    assert_string_equal(order("pause", 0, line, 6), "bfdcae");
    assert_string_equal(order("-Pause-NS", 0, line, 6), "dcfbae"); /* unknown values last */
    assert_string_equal(order("share", 3, line, 6), "bfd");
    assert_string_equal(order("-pause_ns", 3, line, 6), "dcf");
    assert_string_equal(order("name", 0, line, 6), "fedcba");
    assert_string_equal(order("-name", 3, line, 6), "abc");
    assert_string_equal(order("count", 100, line, 6), "bfdcae");
}

static void a_limit_keeps_the_first_rows(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct line line[300];
    static char names[300][4], whole[4096];
    for (size_t i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "%03zu", i);
        line[i] = (struct line){names[i], random_below(&seed, 40)};
    }
    static const char *const sorts[] = {"count", "-count", "pause", "-pause", "name", "-name"};
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        strcpy(whole, order(sorts[i], 0, line, 300));
        assert_int_equal(strlen(whole), 900);
        for (size_t top = 1; top < 310; top += 7) {
            const size_t length = top < 300 ? 3 * top : 900;
            assert_memory_equal(order(sorts[i], top, line, 300), whole, length);
            assert_int_equal(strlen(order(sorts[i], top, line, 300)), length);
        }
    }
}

static void long_tables_stream(void **state)
{
    (void)state;
    struct line *line = calloc(5000, sizeof *line);
    for (size_t i = 0; i < 5000; i++)
        line[i] = (struct line){i == 4000 ? "much longer than the others are" : "x", i};
    const struct table_settings settings = {0};
    const char *text = made(&settings, line, 5000, false);
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    assert_int_equal(lines, 5003); /* a title, headings, rows, and what is left out */
    free(line);
}

static void errors_are_reported(void **state)
{
    (void)state;
    int code;
    const struct table_settings wrong = {.sort = "paus"}, both = {.json = true, .csv = true};
    assert_null(table_new("rows", columns, &wrong, &code));
    assert_int_equal(code, TOOL_USAGE);
    assert_null(table_new("rows", columns, &both, &code));
    assert_int_equal(code, TOOL_USAGE);
}

static void texts_are_made_safe(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown;
        size_t width;
    } cases[] = {
        {"plain", "plain", 5},
        {"\t\r\x07\x01\x7f", "\\t\\r\\a\\x01\\x7f", 14},
        {"e\xcc\x81", "e\xcc\x81", 1},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 2},
        {"\xc2\x9b", "\\u009b", 6},
        {"\x9b", "\\x9b", 4},
        {"\xe2\x80\xae", "\\u202e", 6},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80", 12},
        {"fifteen columns", "fifteen columns", 15},
        {"sixteen columns!", "sixteen column\xe2\x80\xa6", 15},
        {"fourteen colum\n", "fourteen colum\xe2\x80\xa6", 15},
        {"\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc"
         "\xa2\xe6\xbc\xa2",
         "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2"
         "\xe2\x80\xa6",
         15},
        {"\xe6\xbc", "\\xe6\\xbc", 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[128];
        size_t width = 0, length = strlen(cases[i].text);
        assert_true(terminal_text_bound(length) < sizeof out);
        const size_t written = terminal_text_fit(cases[i].text, length, 15, out, &width);
        assert_true(written <= terminal_text_bound(length));
        assert_int_equal(written, strlen(cases[i].shown));
        assert_memory_equal(out, cases[i].shown, written);
        assert_int_equal(width, cases[i].width);
    }
}

/* --- The catalogue --------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), size = strlen(end);
    return length >= size && strcmp(name + length - size, end) == 0;
}

static void columns_are_unique_and_documented(void **state)
{
    size_t count;
    const struct table_description *all = tables_all(&count);
    for (size_t i = 0; i < count; i++) {
        const bool is_for_text = ends_in(all[i].doc, ", in text");
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(all[i].name, all[k].name);
        assert_true(strlen(all[i].doc) > 0);
        for (const struct table_column *column = all[i].columns; column->name; column++) {
            for (const struct table_column *other = all[i].columns; other < column; other++)
                assert_string_not_equal(column->name, other->name);
            assert_true(strlen(column->meaning) > 0 || all[i].columns[1].name == NULL);
            assert_null(strchr(column->meaning, '|'));
            assert_true(!column->record ==
                        (column->kind != CELL_RECORD && column->kind != CELL_ROWS));
            if (column->kind == CELL_NS || column->kind == CELL_TIME)
                if (!is_for_text && !strstr(column->name, "_ns"))
                    fail_msg("%s of %s has no unit", column->name, all[i].name);
            if (column->kind == CELL_TEXT) assert_true(column_is_secret(column));
        }
    }
    (void)state;
}

/* Values that differ from cell to cell; each eighth is unknown. */
static void fill_row(const struct table_column *columns, struct cell *cells, char text[][24],
                     uint64_t row)
{
    for (size_t i = 0; columns[i].name; i++) {
        const uint64_t number = (row + 1) * 1234567 + 1000 * i;
        snprintf(text[i], 24, "text%d", (int)number);
        cells[i] = (struct cell){.known = (row + i) % 8 != 7, .number = number};
        if (kind_is_text(columns[i].kind)) cells[i].text = text[i];
        if (columns[i].kind == CELL_FLAG) cells[i].number = number % 2;
        if (columns[i].kind == CELL_ANY) cells[i].number = 0; /* a text */
        if (columns[i].kind == CELL_SHARE || columns[i].kind == CELL_GROWTH)
            cells[i].share = (double)(number % 997) / 1000;
    }
}

/* The value of a cell in CSV, from `csv`. Returns its length. */
static size_t next_value(const char *csv)
{
    return strcspn(csv, ",\n");
}

/* One row in each format. Each value in CSV is the one in JSON; text has it, rounded. */
static void assert_formats_agree(const struct table_description *of, uint64_t row)
{
    static const struct table_settings formats[] = {{.csv = true}, {.json = true}, {.wide = true}};
    enum { MOST = 64 };
    struct cell cells[MOST] = {0};
    char text[MOST][24], *output[3], json[8192];
    int code;
    snprintf(json, sizeof json, "{\"%s\":[\n{", of->name);
    fill_row(of->columns, cells, text, row);
    for (size_t i = 0; i < 3; i++) {
        struct table *table = table_new(NULL, of->columns, &formats[i], &code);
        bytes_free(&sink.text);
        table_show_processes(table);
        assert_true(table_row(table, &sink, cells) && table_end(table, &sink));
        table_free(table);
        bytes_write(&sink.text, "", 1);
        output[i] = strdup((const char *)sink.text.data);
    }
    const char *value = strchr(output[0], '\n') + 1, *shown = strchr(output[2], '\n') + 1;
    const char *name = output[0];
    for (size_t i = 0; of->columns[i].name; i++) {
        const struct table_column *column = &of->columns[i];
        char printed_cell[CELL_ROOM] = "N/A";
        if (column_is_text_only(column)) continue;
        const size_t length = next_value(value), name_length = next_value(name);
        assert_int_equal(name_length, strlen(column->name));
        assert_memory_equal(name, column->name, name_length);
        const char *quote = kind_is_text(column->kind) && cells[i].known ? "\"" : "";
        snprintf(json + strlen(json), sizeof json - strlen(json), "%s\"%s\":%s%.*s%s",
                 ends_in(json, "{") ? "" : ",", column->name, quote,
                 cells[i].known ? (int)length : 4, cells[i].known ? value : "null", quote);
        if (cells[i].known && kind_is_text(column->kind))
            strcpy(printed_cell, cells[i].text);
        else if (cells[i].known)
            printed_cell[cell_print(printed_cell, column->kind, &cells[i])] = 0;
        const bool is_hidden = column->show & DATA_ONLY ||
                               (column->show & OPTIONAL && is_empty(column->kind, &cells[i]));
        if (!is_hidden) {
            shown = strstr(shown, printed_cell);
            assert_non_null(shown);
            shown += strlen(printed_cell);
        }
        value += length + 1;
        name += name_length + 1;
    }
    strcat(json, "}\n]}\n");
    assert_string_equal(output[1], json);
    for (size_t i = 0; i < 3; i++)
        free(output[i]);
}

/* No verb prints a table with a real number (tables/cells.h). */
static bool is_printed(const struct table_description *of)
{
    for (const struct table_column *column = of->columns; column->name; column++)
        if (column->kind == CELL_REAL) return false;
    return !of->is_record;
}

static void formats_of_all_tables_agree(void **state)
{
    size_t count;
    const struct table_description *all = tables_all(&count);
    for (size_t i = 0; i < count; i++)
        for (uint64_t row = 0; row < 8 && is_printed(&all[i]); row++)
            assert_formats_agree(&all[i], row);
    (void)state;
}

static void columns_are_found_by_name(void **state)
{
    assert_int_equal(column_find(gc_columns, "pause_ns"), column_find(gc_columns, "Pause"));
    assert_int_equal(column_find(gc_columns, "mean-pause"),
                     column_find(gc_columns, "mean_pause_ns"));
    assert_int_equal(column_find(gc_columns, "live"), column_find(gc_columns, "live_bytes"));
    assert_int_equal(column_find(threads_total_columns, "share"), 2);
    assert_true(column_find(gc_columns, "pause_bar") == SIZE_MAX);
    assert_true(column_find(gc_columns, "paus") == SIZE_MAX);
    (void)state;
}

static void put_bytes(void *to, const char *bytes, size_t size)
{
    bytes_write(to, bytes, size);
}

static void take_square(const void *user, uint64_t index, struct cell *cells)
{
    (void)user;
    cells[0] = cell_number(index);
    if (index > 0) cells[1] = cell_number(index * index);
}

/* Records that are members, arrays of records and of single values, and unknown ones. */
static void records_are_objects(void **state)
{
    static const struct table_column part[] = {
        {"a", "", CELL_COUNT, 0, "", NULL}, {"b", "", CELL_REAL, 0, "", NULL}, {0}};
    static const struct table_column single[] = {{"value", "", CELL_COUNT, 0, "", NULL}, {0}};
    static const struct table_column whole[] = {{"first", "", CELL_NAME, 0, "", NULL},
                                                {"part", "", CELL_RECORD, 0, "", part},
                                                {"none", "", CELL_RECORD, 0, "", part},
                                                {"null", "", CELL_RECORD, OR_NULL, "", part},
                                                {"rows", "", CELL_ROWS, 0, "", part},
                                                {"list", "", CELL_ROWS, 0, "", single},
                                                {"unknown", "", CELL_ROWS, 0, "", part},
                                                {"last", "", CELL_FLAG, 0, "", NULL},
                                                {0}};
    const struct cell_rows rows = {take_square, NULL};
    const struct cell cells[] = {cell_text("x"),
                                 cell_number(1),
                                 cell_real(true, 2),
                                 cell_unknown(),
                                 {0},
                                 cell_unknown(),
                                 {0},
                                 cell_array(true, 2, &rows),
                                 cell_array(true, 3, &rows),
                                 cell_unknown(),
                                 cell_number(1)};
    struct bytes text = {0};
    struct json json = {.put = put_bytes, .to = &text};
    cells_put(&json, whole, cells, false);
    bytes_write(&text, "", 1);
    assert_string_equal((const char *)text.data,
                        "{\"first\":\"x\",\"part\":{\"a\":1,\"b\":2.0},"
                        "\"none\":{\"a\":null,\"b\":null},\"null\":null,"
                        "\"rows\":[{\"a\":0,\"b\":null},{\"a\":1,\"b\":0.0}],"
                        "\"list\":[0,1,2],\"unknown\":null,\"last\":true}");
    bytes_free(&text);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_aligned),
        cmocka_unit_test(empty_columns_are_hidden),
        cmocka_unit_test(text_fits),
        cmocka_unit_test(empty_columns_are_left_out),
        cmocka_unit_test(three_digits),
        cmocka_unit_test(growth_has_a_sign),
        cmocka_unit_test(csv_is_quoted),
        cmocka_unit_test(csv_protects_formulas),
        cmocka_unit_test(json_is_exact),
        cmocka_unit_test(rows_are_sorted),
        cmocka_unit_test(a_limit_keeps_the_first_rows),
        cmocka_unit_test(long_tables_stream),
        cmocka_unit_test(errors_are_reported),
        cmocka_unit_test(texts_are_made_safe),
        cmocka_unit_test(columns_are_unique_and_documented),
        cmocka_unit_test(formats_of_all_tables_agree),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(records_are_objects),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    bytes_free(&sink.text);
    return failed;
}
