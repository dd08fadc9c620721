/* ticky_report.c — see ticky_report.h. */
#include "report/ticky_report.h"

#include <string.h>

enum { WORD = 8 /* bytes: logs do not have the word size, and few programs are 32-bit */ };

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
    const union ticky_row values = {
        .section = cell_number(section),
        .from_ns = cell_if(whole->is_slice, whole->from),
        .to_ns = cell_if(whole->is_slice, whole->to),
        .counter = cell_number(c->number),
        .label = cell_text(c->name),
        .type = cell_text(c->type),
        .arity = cell_if(c->is_defined, c->arity),
        .free_variables = cell_text(c->free_variables),
        .arguments = cell_text(c->arguments),
        .allocs_bytes = cell_number(c->allocs),
        .allocs_share = cell_part(c->allocs, whole->has_allocated ? whole->allocated : 0),
        .ticked_share = cell_part(c->allocs, whole->ticked),
        .allocs_bar = cell_part(c->allocs, whole->ticked),
        .entries = cell_number(c->entries),
        .allocs_per_entry_bytes = cell_if(c->entries > 0, c->entries ? c->allocs / c->entries : 0),
        .allocd_bytes = cell_number(c->allocd),
        .allocd_closures = cell_if(has_closures, closures),
        .entries_per_closure = cell_part(c->entries, has_closures ? closures : 0),
        .entries_per_second = rate_cell(c->entries, whole->ns),
        .allocs_per_second_bytes = rate_cell(c->allocs, whole->ns),
        .module = cell_text(c->module),
        .location = cell_text(c->location),
        .ipe_label = cell_text(c->ipe_name),
        .ipe_type = cell_text(c->ipe_type),
        .samples = cell_number(c->samples),
        .first_ns = cell_number(c->first),
        .last_ns = cell_number(c->last),
    };
    memcpy(cell, values.cells, sizeof values);
}

void ticky_put_section(struct json *json, const struct ticky_section *section)
{
    const hectic_ticky_totals *totals = &section->totals;
    const struct cell explained =
        cell_part(totals->allocs, totals->has_allocated ? totals->allocated : 0);
    record_put(json, NULL, ticky_totals, .section = cell_number(section->number),
               .duration_ns = cell_number(section->duration),
               .counters = cell_number(totals->counters), .defined = cell_number(totals->defined),
               .samples = cell_number(totals->samples), .groups = cell_number(totals->groups),
               .entries = cell_number(totals->entries), .allocs_bytes = cell_number(totals->allocs),
               .allocd_bytes = cell_number(totals->allocd),
               .allocated_bytes = cell_if(totals->has_allocated, totals->allocated),
               .explained_share = explained, .malformed = cell_number(totals->malformed),
               .omitted = cell_number(totals->omitted));
}
