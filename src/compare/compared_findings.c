/* compared_findings.c — the findings of the verdict that came and went between old and new runs. A
 * finding is a number of a run, finding("gc_time").count: 1, or 0 if the rule does not apply. Runs
 * that lack what the rule needs do not have the number. */
#include "compare/compared.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char before_id[] = "finding(\"", after_id[] = "\").count";

struct finding {
    char id[NUMBER_NAME_MAX];
    size_t old_found, new_found; /* in how many of the runs that have the number */
    double rise;                 /* of the part of the runs that have the finding */
};

static size_t found_in(const struct sample *runs)
{
    size_t found = 0;
    for (size_t i = 0; i < runs->count; i++)
        found += runs->value[i] > 0;
    return found;
}

/* False: the number is of something else, or not known on both sides. */
static bool finding_of(const struct change *change, struct finding *finding)
{
    const size_t begin = sizeof before_id - 1, end = sizeof after_id - 1;
    const size_t length = strlen(change->name);
    if (length < begin + end || strncmp(change->name, before_id, begin) != 0 ||
        strcmp(change->name + length - end, after_id) != 0)
        return false;
    snprintf(finding->id, sizeof finding->id, "%.*s", (int)(length - begin - end),
             change->name + begin);
    finding->old_found = found_in(&change->old);
    finding->new_found = found_in(&change->new);
    finding->rise = (double)finding->new_found / (double)change->new.count -
                    (double)finding->old_found / (double)change->old.count;
    return change->old.count > 0 && change->new.count > 0;
}

/* Has it come, or gone, in most runs? Where a value is near the limit of a rule, equal runs differ,
 * too. */
static bool has_changed(const struct change *change, struct finding *finding)
{
    return finding_of(change, finding) && fabs(finding->rise) > 0.5;
}

bool compare_findings(char line[FINDINGS_MAX], const struct comparison *comparison, bool came)
{
    size_t used = 0;
    for (size_t i = 0; i < comparison->count && used < FINDINGS_MAX; i++) {
        const struct change *change = &comparison->change[i];
        struct finding finding;
        if (!has_changed(change, &finding) || (finding.rise > 0) != came) continue;
        if (used == 0)
            used = (size_t)snprintf(line, FINDINGS_MAX,
                                    came ? "Findings that came: " : "Findings that went: ");
        else
            used += (size_t)snprintf(line + used, FINDINGS_MAX - used, ", ");
        if (used < FINDINGS_MAX)
            used += (size_t)snprintf(line + used, FINDINGS_MAX - used,
                                     "%s (in %zu of %zu new runs, %zu of %zu old)", finding.id,
                                     finding.new_found, change->new.count, finding.old_found,
                                     change->old.count);
    }
    const size_t fewer =
        comparison->old_runs < comparison->new_runs ? comparison->old_runs : comparison->new_runs;
    if (used > 0 && used < FINDINGS_MAX)
        snprintf(line + used, FINDINGS_MAX - used, ".%s",
                 fewer < CERTAIN_RUNS ? " With so few runs, that may be due to chance." : "");
    return used > 0;
}

void compare_put_findings(struct json *json, const struct comparison *comparison)
{
    json_open(json, "findings", '[');
    for (size_t i = 0; i < comparison->count; i++) {
        const struct change *change = &comparison->change[i];
        struct finding finding;
        if (!has_changed(change, &finding)) continue;
        const union compare_findings_row row = {
            .id = cell_text(finding.id),
            .change = cell_text(finding.rise > 0 ? "came" : "went"),
            .old_found = cell_number(finding.old_found),
            .old_runs = cell_number(change->old.count),
            .new_found = cell_number(finding.new_found),
            .new_runs = cell_number(change->new.count),
        };
        cells_put(json, compare_findings_columns, row.cells, false);
    }
    json_close(json, ']');
}
