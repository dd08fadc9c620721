/* verdict_json.c — see verdict_json.h. */
#include "report/verdict_json.h"

void verdict_put_finding(struct json *json, const hectic_finding *found, size_t section,
                         const uint32_t *process)
{
    record_put_members(
        json, finding, .id = cell_text(found->rule->name), .section = cell_number(section),
        .process = cell_if(process, process ? *process : 0), .value = cell_real(true, found->value),
        .unit = cell_text(hectic_value_unit_name(found->rule->unit)),
        .importance = cell_real(true, found->importance), .text = cell_text(found->text));
}

void verdict_set_rule(union rules_row *row, const hectic_verdict *verdict, size_t rule)
{
    size_t count;
    const hectic_rule_state state = verdict->state[rule];
    row->id = cell_text(hectic_rules(&count)[rule].name);
    row->count = cell_if(state != HECTIC_RULE_UNKNOWN, state == HECTIC_RULE_APPLIES);
}
