/* gaps_json.h — the gaps of a log as JSON. */
#ifndef HECTIC_SRC_GAPS_JSON_H
#define HECTIC_SRC_GAPS_JSON_H

#include "report/json.h"

#include <hectic/gaps.h>

/* "gaps":{…} */
void gaps_put(struct json *json, const hectic_gaps *gaps);

#endif
