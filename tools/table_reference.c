/* table_reference.c — prints a document with its tables of columns up to date: between
 *
 *   <!-- columns of NAME -->   and   <!-- end -->
 *
 * are the columns of that table or record of the catalogue (src/tables/tables.def). Without a
 * document: a JSON schema of the rows of all of them. */
#include "tables/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char begin[] = "<!-- columns of ", end[] = "<!-- end -->";

static const char *unit_of(const struct table_column *column)
{
    switch (column->kind) {
    case CELL_TEXT:
    case CELL_NAME: return "text";
    case CELL_COUNT: return "count";
    case CELL_ID:
    case CELL_SECTION:
    case CELL_PROCESS: return "number";
    case CELL_NS: return "ns";
    case CELL_TIME: return "ns, time";
    case CELL_BYTES: return "bytes";
    case CELL_SHARE: return "share";
    case CELL_GROWTH:
    case CELL_ANY:
    case CELL_REAL: return "real";
    case CELL_FLAG: return "true, false";
    case CELL_RECORD: return "object";
    case CELL_ROWS: return "array";
    case CELL_BAR: break;
    }
    return "";
}

/* Records whose members have been printed, and where. */
struct seen {
    const struct table_column *record;
    char path[200];
};

struct printer {
    struct seen seen[32];
    size_t count;
};

static const struct seen *find_seen(const struct printer *printer,
                                    const struct table_column *record)
{
    for (size_t i = 0; i < printer->count; i++)
        if (printer->seen[i].record == record) return &printer->seen[i];
    return NULL;
}

static void print_columns(struct printer *printer, const struct table_column *column,
                          const char *prefix)
{
    for (; column->name; column++) {
        if (column_is_text_only(column)) continue;
        const struct seen *as = column->record ? find_seen(printer, column->record) : NULL;
        struct seen here = {column->record, ""};
        snprintf(here.path, sizeof here.path, "%s%s%s", prefix, column->name,
                 column->kind == CELL_ROWS ? "[]" : "");
        printf("| `%s` | %s%s | %s", here.path, unit_of(column),
               column_is_secret(column) ? " \xe2\x80\xa0" : "", column->meaning);
        if (as) printf(": as `%s`", as->path);
        printf(" |\n");
        if (!column->record || as) continue;
        if (printer->count < sizeof printer->seen / sizeof *printer->seen)
            printer->seen[printer->count++] = here;
        strcat(here.path, ".");
        print_columns(printer, column->record, here.path);
    }
}

static void print_table(const char *name, size_t length)
{
    size_t count;
    const struct table_description *all = tables_all(&count);
    for (size_t i = 0; i < count; i++) {
        struct printer printer = {0};
        if (strlen(all[i].name) != length || memcmp(all[i].name, name, length) != 0) continue;
        printf("\n| %s | | |\n|---|---|---|\n", all[i].is_record ? "key" : "column");
        print_columns(&printer, all[i].columns, "");
        printf("\n");
        return;
    }
    fprintf(stderr, "table_reference: no table is named %.*s\n", (int)length, name);
    exit(1);
}

/* --- The schema ------------------------------------------------------------------------------ */

static const char *type_of(const struct table_column *column)
{
    switch (column->kind) {
    case CELL_TEXT:
    case CELL_NAME: return "string";
    case CELL_SHARE:
    case CELL_GROWTH:
    case CELL_ANY:
    case CELL_REAL: return "number";
    case CELL_FLAG: return "boolean";
    case CELL_COUNT:
    case CELL_ID:
    case CELL_SECTION:
    case CELL_PROCESS:
    case CELL_NS:
    case CELL_TIME:
    case CELL_BYTES:
    case CELL_RECORD:
    case CELL_ROWS:
    case CELL_BAR: break;
    }
    return "integer";
}

static const char *record_name(const struct table_column *record)
{
    size_t count;
    const struct table_description *all = tables_all(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i].columns == record) return all[i].name;
    abort();
}

static void put_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void put_property(const struct table_column *column)
{
    static const char reference[] = "{\"$ref\":\"#/$defs/";
    printf("\"%s\":{\"description\":", column->name);
    put_string(column->meaning);
    if (column->kind == CELL_RECORD)
        printf(",\"anyOf\":[%s%s\"},{\"type\":\"null\"}]", reference, record_name(column->record));
    else if (column->kind == CELL_ROWS)
        printf(",\"type\":[\"array\",\"null\"],\"items\":%s%s\"}", reference,
               record_name(column->record));
    else
        printf(",\"type\":[\"%s\",\"null\"],\"x-unit\":\"%s\",\"x-secret\":%s", type_of(column),
               unit_of(column), column_is_secret(column) ? "true" : "false");
    putchar('}');
}

static void put_schema(void)
{
    size_t count;
    const struct table_description *all = tables_all(&count);
    printf("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n"
           "\"title\":\"Rows and records of hectic --json and --jsonl\",\n\"$defs\":{\n");
    for (size_t i = 0; i < count; i++) {
        printf("%s\"%s\":{\"description\":", i ? ",\n" : "", all[i].name);
        put_string(all[i].doc);
        printf(",\"type\":\"object\",\"properties\":{\n");
        bool any = false;
        for (const struct table_column *column = all[i].columns; column->name; column++) {
            if (column_is_text_only(column)) continue;
            printf("%s", any ? ",\n" : "");
            put_property(column);
            any = true;
        }
        printf("}}");
    }
    printf("}}\n");
}

int main(int argc, char **argv)
{
    if (argc == 1) return put_schema(), 0;
    char line[4096];
    bool is_old = false;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: table_reference [DOCUMENT]\n");
        return 2;
    }
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, end, sizeof end - 1) == 0) is_old = false;
        if (!is_old) fputs(line, stdout);
        if (strncmp(line, begin, sizeof begin - 1) != 0) continue;
        const char *name = line + sizeof begin - 1;
        print_table(name, strcspn(name, " "));
        is_old = true;
    }
    fclose(file);
    return 0;
}
