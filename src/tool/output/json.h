/* json.h — JSON to the output of a verb, or to a file. */
#ifndef HECTIC_JSON_H
#define HECTIC_JSON_H

#include "tables/json.h"
#include "tool/files/sink.h"

#include <stdio.h>

struct json json_on_sink(struct sink *sink);
struct json json_for_tool(struct sink *sink); /* in the format of another tool */
struct json json_on_file(FILE *file);

#endif
