/* gaps_json.h — the gaps of a log as a record. */
#ifndef HECTIC_SRC_GAPS_JSON_H
#define HECTIC_SRC_GAPS_JSON_H

#include "facts/gaps.h"
#include "tables/tables.h"

struct gaps_cells gaps_cells(const hectic_gaps *gaps);

/* "gaps":{…} */
void gaps_put(struct json *json, const hectic_gaps *gaps);

#endif
