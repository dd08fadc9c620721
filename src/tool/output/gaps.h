/* gaps.h — how verbs tell of the gaps of a log, alike in all. */
#ifndef HECTIC_TOOL_GAPS_H
#define HECTIC_TOOL_GAPS_H

#include "tool/output/json.h"

#include <hectic/gaps.h>

/* Adds those of another part of the log. */
void gaps_add(hectic_gaps *sum, const hectic_gaps *part);

/* "123 events dropped in 2 places; logging, or some of it, was switched off …" as a line, behind a
 * title: "Gaps       ". Nothing where there are none. */
void gaps_print(struct sink *sink, const char *title, const hectic_gaps *gaps);

/* "gaps":{…} */
void gaps_put(struct json *json, const hectic_gaps *gaps);

/* On stderr, for answers that have no other place for it. */
void gaps_note(const char *path, const hectic_gaps *gaps);

#endif
