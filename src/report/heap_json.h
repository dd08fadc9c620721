/* heap_json.h — heap profiles as JSON, whose keys docs/heap.md lists. */
#ifndef HECTIC_SRC_HEAP_JSON_H
#define HECTIC_SRC_HEAP_JSON_H

#include "base/map.h"
#include "report/heap_sizes.h"
#include "tables/tables.h"

#include "profiles/heap_profile.h"

/* A profile whose bands are written. */
struct heap_report {
    uint32_t number; /* counted from 0 */
    hectic_heap_totals totals;
    const hectic_symbols *symbols;
    const hectic_stacks *stacks;
    double growing; /* bytes per second: the sum of the lines of all bands that rise */
};

/* The label of a band, as in a .hp file, shortened if it is longer than a few KB; the caller frees
 * it. NULL: out of memory. */
char *heap_report_label(const struct heap_report *report, uint32_t node);

/* The symbol of a band with a single frame; otherwise one that is not defined. */
hectic_symbol heap_report_symbol(const struct heap_report *report, uint32_t node);

/* Is the band with that line a suspect: does it rise steadily, and matter? */
bool heap_report_is_suspect(const struct heap_report *report, const hectic_heap_line *line);

/* The row of a band in the table heap_bands. */
void heap_report_cells(const struct heap_report *report, size_t section,
                       const hectic_heap_band_stats *stats, const hectic_heap_line *line,
                       const char *label, union heap_bands_row *row);

/* The labels of a profile's frames, each of which is written once. All zero is empty. */
struct heap_labels {
    map number_of; /* by symbol, or by node plus NODES */
    uint64_t *symbol;
    size_t capacity;
};

/* Opens the object of a profile, with its totals and an array of bands. */
void heap_report_begin(struct json *json, const struct heap_report *report);

/* An element of that array. False: out of memory. */
bool heap_report_band(struct json *json, const struct heap_report *report,
                      struct heap_labels *labels, const hectic_heap_band_stats *stats,
                      const hectic_heap_line *line);

/* The sum of bands that are not in the array. */
struct heap_report_sum {
    uint64_t bands, at_peak, at_end; /* bytes */
    double mean, growth;
};
void heap_report_add(struct heap_report_sum *sum, const hectic_heap_band_stats *stats);

/* Closes the array and the object, with the labels, which are freed. False: out of memory. */
bool heap_report_end(struct json *json, const struct heap_report *report,
                     struct heap_labels *labels, const struct heap_report_sum *others,
                     const struct heap_report_sum *excluded);

/* Members of a section's object, after the array of profiles. */
void heap_report_sizes(struct json *json, const struct heap_sizes *sizes);
void heap_report_warnings(struct json *json, const hectic_heap_warnings *warnings);

#endif
