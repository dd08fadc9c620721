/* findings_rows.c — the rows of findings and of rules: the verdict on each section and process. */
#include "report/verdict_json.h"
#include "results/measures.h"
#include "results/rows.h"
#include "tables/tables.h"

struct findings_maker {
    struct reading *reading;
    const struct row_taker *findings, *rules; /* NULL: not wanted */
};

static bool put_findings(const struct findings_maker *maker, const hectic_verdict *verdict)
{
    const struct row_taker *rows = maker->findings;
    bool go_on = true;
    for (size_t i = 0; i < verdict->count && go_on; i++) {
        const hectic_finding *finding = &verdict->finding[i];
        union findings_row row = {.id = cell_text(finding->rule->name),
                                  .value = cell_real(true, finding->value),
                                  .unit = cell_text(hectic_value_unit_name(finding->rule->unit)),
                                  .importance = cell_real(true, finding->importance),
                                  .text = cell_text(finding->text),
                                  .command = cell_text(finding->command)};
        reading_cells(maker->reading, row.cells);
        go_on = rows->take(rows->user, row.cells);
    }
    return go_on;
}

static bool put_rules(const struct findings_maker *maker, const hectic_verdict *verdict)
{
    const struct row_taker *rows = maker->rules;
    size_t count;
    hectic_rules(&count);
    bool go_on = true;
    for (size_t i = 0; i < count && go_on; i++) {
        union rules_row row = {0};
        verdict_set_rule(&row, verdict, i);
        reading_cells(maker->reading, row.cells);
        go_on = rows->take(rows->user, row.cells);
    }
    return go_on;
}

static bool take_section(void *user, struct measured_section *measured)
{
    const struct findings_maker *maker = user;
    struct reading *reading = maker->reading;
    const struct reading_parts *parts =
        reading->sections > 0 ? &reading->parts[measured->number - 1] : NULL;
    const uint32_t count = parts ? parts->count : measured_processes(measured);
    bool go_on = true;
    if (hectic_log_survey(reading->log)->section[measured->number - 1].events == 0) return true;
    reading->section = measured->number;
    reading->part = &reading->whole;
    for (uint32_t i = 0; i < count && go_on; i++) {
        hectic_verdict verdict;
        if (parts) reading->part = &parts->part[i];
        if (reading->part->slot == READING_PROCESSES || !hectic_stat_parts_get(measured->stat, i))
            continue;
        go_on = measured_verdict(measured, hectic_log_survey(reading->log), i, &verdict) &&
                (!maker->findings || put_findings(maker, &verdict)) &&
                (!maker->rules || put_rules(maker, &verdict));
    }
    return go_on;
}

static bool read(struct reading *reading, const struct row_taker *const *rows)
{
    struct findings_maker maker = {reading, rows[VERDICT_FINDINGS], rows[VERDICT_RULES]};
    return measures_take(reading, SIZE_MAX, &(struct measured_taker){take_section, &maker});
}

/* It has analyses of its own: they take whole logs, and divide other numbers of processes. */
const struct row_maker verdict_maker = {.read = read};
