/* heap.h — what the parts of hectic heap share: settings, and a profile that is to be printed. */
#ifndef HECTIC_HEAP_H
#define HECTIC_HEAP_H

#include "report/heap_json.h"
#include "tool/input/file_reading.h"
#include "tool/input/pattern.h"
#include "tool/output/json.h"
#include "tool/output/sparkline.h"
#include "tool/output/table.h"
#include "tool/output/where.h"
#include "tool/verbs/heap/program.h"

enum heap_by { HEAP_BY_STACK, HEAP_BY_LEAF, HEAP_BY_ROOT, HEAP_BY_MODULE, HEAP_BY_TREE };
enum heap_at { HEAP_AT_NONE, HEAP_AT_PEAK, HEAP_AT_END, HEAP_AT_TIME };
enum heap_sort {
    HEAP_SORT_SIZE, /* in the sample shown; without --at, the largest one */
    HEAP_SORT_END,
    HEAP_SORT_MEAN,
    HEAP_SORT_GROWTH,
    HEAP_SORT_DEVIATION,
    HEAP_SORT_NAME,
    HEAP_SORT_FIT,
    HEAP_SORT_MAX,
};

struct heap_settings {
    struct interval_settings interval;
    struct table_settings table; /* --where, --json, --csv and --wide */
    struct output_settings output;
    enum heap_by by;
    enum heap_at at;
    const char *at_time; /* HEAP_AT_TIME: unresolved, since markers need the log */
    enum heap_sort sort;
    bool ascending;
    uint64_t bands; /* 0: 15 in text; all with --at, in CSV and JSON */
    uint64_t depth; /* of the tree; 0: 12 */
    uint64_t every; /* ns; 0: no slices */
    const char *include, *exclude;
    bool nonmoving;
    hectic_breakdown assume;
};

/* A band, or a sum of bands. */
struct heap_row {
    hectic_heap_band_stats stats; /* its course is NULL, but for JSON */
    double key;                   /* to sort by; larger first */
    char *name;                   /* its label, if rows are sorted by name; or NULL */
    uint64_t bands;
    hectic_heap_line line;
    uint64_t drawn[SPARKLINE_WIDTH]; /* its course, as a sparkline shows it */
};

/* The bands of a profile: those chosen are sorted, and their first ones are shown. */
struct heap_rows {
    struct heap_row *row;
    size_t count, capacity; /* chosen */
    size_t shown;
    struct heap_row others;   /* chosen, but not shown */
    struct heap_row excluded; /* by --include, --exclude or --where */
    double growing;           /* bytes per second: the sum of the lines that rise */
};

/* A profile of the current section. */
struct heap_view {
    const struct heap_settings *settings;
    struct sink *sink;
    size_t section;
    uint32_t number, profiles; /* counted from 0; of the section */
    hectic_heap_totals totals;
    const hectic_symbols *symbols;
    const hectic_stacks *stacks;
    const struct heap_program *program;
    const struct heap_sizes *sizes;
    bool is_cut;         /* the section ended without an end marker */
    bool is_part;        /* of an interval */
    uint32_t columns;    /* of sparklines, at most */
    struct where *where; /* for bands; NULL: none */
    struct heap_rows bands;
};

/* --- bands.c --------------------------------------------------------------------------------- */

/* What JSON and suspects need of a view. */
struct heap_report heap_report_of(const struct heap_view *view);

/* The cells of a band that is not a sum. */
union heap_bands_row heap_cells(const struct heap_view *view, const struct heap_row *row,
                                const char *label);

/* Chooses and sorts the bands of the view's profile. False after a message. */
bool heap_rows_take(struct heap_view *view, const hectic_heap_profile *profile,
                    const struct label_choice *choice);
void heap_rows_clear(struct heap_rows *bands);

/* The label of a band, as in a .hp file; the caller frees it. NULL: out of memory. */
char *heap_label(const struct heap_view *view, uint32_t node);

/* The symbol of a band with a single frame; otherwise one that is not defined. */
hectic_symbol heap_symbol(const struct heap_view *view, uint32_t node);

/* Sets value[…] to the means of a course in each column of a sparkline. Returns the columns. */
uint32_t heap_draw(const struct heap_view *view, const uint64_t *course,
                   uint64_t value[SPARKLINE_WIDTH]);

/* The bytes of a band in the sample of --at. */
uint64_t heap_at_bytes(const struct heap_settings *settings, const hectic_heap_band_stats *stats);

struct cell heap_at_cell(const struct heap_view *view, const hectic_heap_band_stats *stats);

/* The sample of --at: its bytes and time. */
uint64_t heap_at_total(const struct heap_view *view, uint64_t *time);

/* --- growth.c -------------------------------------------------------------------------------- */

/* Is the band a suspect: does it rise steadily, and matter? */
bool heap_is_suspect(const struct heap_view *view, const struct heap_row *row);

extern const char heap_growth_note[];

/* --- Output ---------------------------------------------------------------------------------- */

/* Each returns false after a message. */
bool heap_print_headline(const struct heap_view *view);
bool heap_print_bands(const struct heap_view *view);
bool heap_print_growth(const struct heap_view *view);
bool heap_print_at(const struct heap_view *view);
bool heap_print_sample_title(const struct heap_view *view);
bool heap_print_sizes(const struct heap_view *view); /* without a profile */

/* Tables: as text one for each profile, otherwise one for all. NULL after a message; *code is set.
 */
struct table *heap_tree_new(const struct heap_settings *settings, int *code);
bool heap_tree_rows(const struct heap_view *view, struct table *table);
struct table *heap_csv_new(const struct heap_settings *settings, int *code);
bool heap_csv_rows(const struct heap_view *view, struct table *table);
struct table *heap_slices_new(const struct heap_settings *settings, int *code);
bool heap_slice_rows(const struct heap_view *view, struct table *table, uint64_t from, uint64_t to);

void heap_json_profile(struct json *json, const struct heap_view *view);

#endif
