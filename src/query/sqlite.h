/* sqlite.h — SQLite's functions: linked into the command, or given to an extension by the program
 * that loads it. */
#ifndef HECTIC_SRC_QUERY_SQLITE_H
#define HECTIC_SRC_QUERY_SQLITE_H

#ifdef HECTIC_SQLITE_EXTENSION
#include <sqlite3ext.h>
extern const sqlite3_api_routines *sqlite3_api;
#else
#include <sqlite3.h>
#endif

#endif
