/* haskell_tables.c — prints Hectic.Tables of the Haskell package: its template with, for the line
 * @TABLES@, a type for each table of the catalogue. */
#include <hectic/tables.h>

#include "camel.h"

#include <stdio.h>
#include <string.h>

/* In comments of Haddock, `code` is @code@, and other markup is escaped. */
static void print_haddock(const char *markdown)
{
    for (; *markdown; markdown++) {
        if (strchr("\\'\"@<", *markdown)) putchar('\\');
        putchar(*markdown == '`' ? '@' : *markdown);
    }
}

static const char *type_of(hectic_column_kind kind)
{
    switch (kind) {
    case HECTIC_COLUMN_TEXT:
    case HECTIC_COLUMN_NAME: return "Text";
    case HECTIC_COLUMN_NS:
    case HECTIC_COLUMN_TIME: return "Nanoseconds";
    case HECTIC_COLUMN_BYTES: return "Bytes";
    case HECTIC_COLUMN_FLAG: return "Bool";
    case HECTIC_COLUMN_SHARE:
    case HECTIC_COLUMN_GROWTH:
    case HECTIC_COLUMN_REAL: return "Double";
    default: return "Word64";
    }
}

static const char *reader_of(hectic_column_kind kind)
{
    const char *const type = type_of(kind);
    return strcmp(type, "Text") == 0     ? "textOf"
           : strcmp(type, "Bool") == 0   ? "flagOf"
           : strcmp(type, "Double") == 0 ? "realOf"
                                         : "numberOf";
}

static void print_table(const hectic_table *table)
{
    hectic_column column = {.size = sizeof column};
    printf("\n-- | The table @%s@: ", table->name);
    print_haddock(table->meaning);
    printf("\ndata ");
    print_camel(table->name, true);
    printf("Row = ");
    print_camel(table->name, true);
    printf("Row\n");
    for (size_t i = 0; hectic_table_column(table, i, &column); i++) {
        printf("  %c ", i == 0 ? '{' : ',');
        print_camel(table->name, false);
        print_camel(column.name, true);
        printf(" :: !(Maybe %s)\n  -- ^ ", type_of(column.kind));
        print_haddock(column.meaning);
        putchar('\n');
    }
    printf("  }\n  deriving (Eq, Show)\n\ninstance TableRow ");
    print_camel(table->name, true);
    printf("Row where\n  tableName _ = \"%s\"\n  columnNames _ =", table->name);
    for (size_t i = 0; hectic_table_column(table, i, &column); i++)
        printf("%s\"%s\"", i == 0 ? "\n    [ " : "\n    , ", column.name);
    printf("\n    ]\n  rowOf cell = ");
    print_camel(table->name, true);
    printf("Row");
    for (size_t i = 0; hectic_table_column(table, i, &column); i++)
        printf("\n    %s %s (cell %zu)", i == 0 ? "<$>" : "<*>", reader_of(column.kind), i);
    putchar('\n');
}

int main(int argc, char **argv)
{
    char line[256];
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) return 2;
    while (fgets(line, sizeof line, file)) {
        if (strcmp(line, "@TABLES@\n") != 0) {
            fputs(line, stdout);
            continue;
        }
        const hectic_table *table;
        for (size_t i = 0; (table = hectic_table_at(i)) != NULL; i++)
            print_table(table);
    }
    return fclose(file) != 0 || ferror(stdout) != 0;
}
