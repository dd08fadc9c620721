/* nonmoving.h — hectic heap --nonmoving. */
#ifndef HECTIC_HEAP_NONMOVING_H
#define HECTIC_HEAP_NONMOVING_H

#include "tool/input/file_reading.h"
#include "tool/output/table.h"

/* Prints the censuses and phases of the non-moving collector; of the table's settings, --json,
 * --csv and --wide. Returns the exit code. */
int heap_nonmoving(const char *path, const struct interval_settings *interval,
                   const struct table_settings *table, const struct output_settings *output);

extern const char heap_nonmoving_note[]; /* a paragraph for the man page */

#endif
