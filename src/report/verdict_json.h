/* verdict_json.h — a finding of the verdict as the members of an object of JSON. */
#ifndef HECTIC_SRC_REPORT_VERDICT_JSON_H
#define HECTIC_SRC_REPORT_VERDICT_JSON_H

#include "tables/json.h"

#include "verdict/verdict.h"

/* All but the command. `section` is counted from 1; `process` is a capset, or NULL. */
void verdict_put_finding(struct json *json, const hectic_finding *finding, size_t section,
                         const uint32_t *process);

#endif
