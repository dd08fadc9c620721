/* table_rows LOG TABLE [FROM TO]: the rows of a table (hectic/tables.h) as JSON, one on a line,
 * with a value for each column. Without TABLE: the names of tables and columns. */
#include <hectic/render.h>
#include <hectic/tables.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_text(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    putchar('"');
}

static bool put_row(void *user, const hectic_row *row)
{
    hectic_column column = {.size = sizeof column};
    for (size_t i = 0; hectic_table_column(user, i, &column); i++) {
        uint64_t number;
        double real;
        const char *text = hectic_row_text(row, i);
        printf("%s\"%s\":", i ? "," : "{", column.name);
        if (hectic_row_number(row, i, &number))
            printf("%" PRIu64, number);
        else if (hectic_row_real(row, i, &real))
            printf("%.17g", real);
        else if (text)
            put_text(text);
        else
            printf("null");
    }
    printf("}\n");
    return true;
}

static void list(void)
{
    const hectic_table *table;
    for (size_t t = 0; (table = hectic_table_at(t)) != NULL; t++) {
        hectic_column column = {.size = sizeof column};
        for (size_t i = 0; hectic_table_column(table, i, &column); i++)
            printf("%s %s\n", table->name, column.name);
    }
}

int main(int argc, char **argv)
{
    hectic_error error;
    char text[300];
    hectic_table_options options = {.size = sizeof options};
    if (argc < 3) return list(), 0;
    if (argc > 4) options.from = strtoull(argv[3], NULL, 10);
    if (argc > 4) options.to = strtoull(argv[4], NULL, 10);
    const hectic_table *table = hectic_table_find(argv[2]);
    hectic_input *input = hectic_input_open(argv[1], &error);
    hectic_log *log = input ? hectic_log_open(input, NULL, &error) : NULL;
    if (!table) fprintf(stderr, "no table %s\n", argv[2]);
    const bool done =
        log && table && hectic_table_read(log, table, &options, put_row, (void *)table, &error);
    if (!done && table) fprintf(stderr, "%s\n", hectic_error_text(&error, text, sizeof text));
    hectic_log_free(log);
    return !done;
}
