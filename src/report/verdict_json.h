/* verdict_json.h — a finding of the verdict as the members of an object of JSON; a rule as a row.
 */
#ifndef HECTIC_SRC_REPORT_VERDICT_JSON_H
#define HECTIC_SRC_REPORT_VERDICT_JSON_H

#include "tables/json.h"
#include "tables/tables.h"

#include "verdict/verdict.h"

/* All but the command. `section` is counted from 1; `process` is a capset, or NULL. */
void verdict_put_finding(struct json *json, const hectic_finding *finding, size_t section,
                         const uint32_t *process);

/* Sets the cells of a row of `rules`, but for those of its section and process. */
void verdict_set_rule(union rules_row *row, const hectic_verdict *verdict, size_t rule);

#endif
