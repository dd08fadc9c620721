/* ticky_report.c — see ticky_report.h. */
#include "report/ticky_report.h"

#include <string.h>

enum { WORD = 8 /* bytes: logs do not have the word size, and few programs are 32-bit */ };

const struct table_column ticky_columns[] = {
    {"section", "Section", CELL_SECTION, OPTIONAL},
    {"from_ns", "From", CELL_TIME, OPTIONAL},
    {"to_ns", "To", CELL_TIME, OPTIONAL | RANK(6)},
    {"counter", "Counter", CELL_ID, DATA_ONLY},
    {"label", "Label", CELL_TEXT, 0},
    {"type", "Type", CELL_TEXT, OPTIONAL | RANK(4)},
    {"arity", "Arity", CELL_COUNT, OPTIONAL | RANK(6)},
    {"free_variables", "Free", CELL_TEXT, OPTIONAL | RANK(5)},
    {"arguments", "Args", CELL_TEXT, OPTIONAL | RANK(5)},
    {"allocs_bytes", "Allocs", CELL_BYTES, 0},
    {"allocs_share", "Of all", CELL_SHARE, OPTIONAL | RANK(1)},
    {"ticked_share", "Of ticked", CELL_SHARE, RANK(2)},
    {"allocs_bar", "", CELL_BAR, RANK(5)},
    {"entries", "Entries", CELL_COUNT, 0},
    {"allocs_per_entry_bytes", "Per entry", CELL_BYTES, RANK(1)},
    {"allocd_bytes", "Allocd", CELL_BYTES, OPTIONAL | RANK(1)},
    {"allocd_closures", "Closures", CELL_COUNT, OPTIONAL | RANK(3)},
    {"entries_per_closure", "Entered", CELL_SHARE, OPTIONAL | RANK(2)},
    {"entries_per_second", "Entries/s", CELL_COUNT, RANK(4)},
    {"allocs_per_second_bytes", "Allocs/s", CELL_BYTES, RANK(3)},
    {"module", "Module", CELL_TEXT, OPTIONAL | RANK(2)},
    {"location", "Location", CELL_TEXT, OPTIONAL | RANK(3)},
    {"ipe_label", "IPE label", CELL_TEXT, OPTIONAL | RANK(7)},
    {"ipe_type", "IPE type", CELL_TEXT, OPTIONAL | RANK(7)},
    {"samples", "Samples", CELL_COUNT, RANK(7)},
    {"first_ns", "First", CELL_TIME, RANK(7)},
    {"last_ns", "Last", CELL_TIME, RANK(7)},
    {0},
};
_Static_assert(sizeof ticky_columns / sizeof *ticky_columns == TICKY_COLUMNS + 1,
               "TICKY_COLUMNS is their number");

static struct cell rate_cell(uint64_t number, uint64_t ns)
{
    const double rate = ns ? (double)number / (double)ns * 1e9 + 0.5 : 0;
    return cell_if(ns > 0, rate < 0x1p64 ? (uint64_t)rate : UINT64_MAX);
}

void ticky_put_cells(struct cell cell[TICKY_COLUMNS], size_t section, const hectic_ticky_counter *c,
                     const struct ticky_whole *whole)
{
    uint64_t closures = 0;
    const bool has_closures = hectic_ticky_closures(c, WORD, &closures) && closures > 0;
    const struct cell values[] = {
        cell_number(section),
        cell_if(whole->is_slice, whole->from),
        cell_if(whole->is_slice, whole->to),
        cell_number(c->number),
        cell_text(c->name),
        cell_text(c->type),
        cell_if(c->is_defined, c->arity),
        cell_text(c->free_variables),
        cell_text(c->arguments),
        cell_number(c->allocs),
        cell_part(c->allocs, whole->has_allocated ? whole->allocated : 0),
        cell_part(c->allocs, whole->ticked),
        cell_part(c->allocs, whole->ticked),
        cell_number(c->entries),
        cell_if(c->entries > 0, c->entries ? c->allocs / c->entries : 0),
        cell_number(c->allocd),
        cell_if(has_closures, closures),
        cell_part(c->entries, has_closures ? closures : 0),
        rate_cell(c->entries, whole->ns),
        rate_cell(c->allocs, whole->ns),
        cell_text(c->module),
        cell_text(c->location),
        cell_text(c->ipe_name),
        cell_text(c->ipe_type),
        cell_number(c->samples),
        cell_number(c->first),
        cell_number(c->last),
    };
    _Static_assert(sizeof values / sizeof *values == TICKY_COLUMNS, "a cell for each column");
    memcpy(cell, values, sizeof values);
}

void ticky_put_section(struct json *json, const struct ticky_section *section)
{
    const hectic_ticky_totals *totals = &section->totals;
    json_open(json, NULL, '{');
    json_number(json, "section", true, section->number);
    json_number(json, "duration_ns", true, section->duration);
    json_number(json, "counters", true, totals->counters);
    json_number(json, "defined", true, totals->defined);
    json_number(json, "samples", true, totals->samples);
    json_number(json, "groups", true, totals->groups);
    json_number(json, "entries", true, totals->entries);
    json_number(json, "allocs_bytes", true, totals->allocs);
    json_number(json, "allocd_bytes", true, totals->allocd);
    json_number(json, "allocated_bytes", totals->has_allocated, totals->allocated);
    const struct cell explained =
        cell_part(totals->allocs, totals->has_allocated ? totals->allocated : 0);
    json_real(json, "explained_share", explained.known, explained.share);
    json_number(json, "malformed", true, totals->malformed);
    json_number(json, "omitted", true, totals->omitted);
    json_close(json, '}');
}
