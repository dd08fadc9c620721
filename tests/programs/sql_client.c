/* sql_client EXTENSION QUERY...: a program that loads the extension of SQLite, and prints rows as
 * text, separated by "|". Unlike sqlite3 it is built with the sanitizer of the extension. */
#include <sqlite3.h>
#include <stdio.h>

static int print_row(void *user, int columns, char **value, char **name)
{
    (void)user;
    (void)name;
    for (int i = 0; i < columns; i++)
        printf("%s%s", i ? "|" : "", value[i] ? value[i] : "");
    puts("");
    return 0;
}

int main(int argc, char **argv)
{
    sqlite3 *database;
    char *message = NULL;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK) return 2;
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
    int code = argc > 1 ? sqlite3_load_extension(database, argv[1], NULL, &message) : SQLITE_MISUSE;
    for (int i = 2; i < argc && code == SQLITE_OK; i++)
        code = sqlite3_exec(database, argv[i], print_row, NULL, &message);
    if (code != SQLITE_OK) printf("error: %s\n", message ? message : sqlite3_errstr(code));
    sqlite3_free(message);
    sqlite3_close(database);
    return code != SQLITE_OK;
}
