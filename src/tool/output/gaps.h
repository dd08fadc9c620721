/* gaps.h — how verbs report the gaps of a log. */
#ifndef HECTIC_TOOL_GAPS_H
#define HECTIC_TOOL_GAPS_H

#include "report/gaps_json.h"
#include "tool/files/sink.h"
#include "tool/output/json.h"

/* Prints the title and "123 events dropped in 2 places; logging, or some of it, was switched off …"
 * as a line; nothing if there are no gaps. */
void gaps_print(struct sink *sink, const char *title, const hectic_gaps *gaps);

/* The same on stderr, for CSV and rows. */
void gaps_note(const char *path, const hectic_gaps *gaps);

#endif
