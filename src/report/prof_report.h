/* prof_report.h — a time profile as hectic prof and pages show it: the program's own time by stack
 * and by cost centre. */
#ifndef HECTIC_SRC_PROF_REPORT_H
#define HECTIC_SRC_PROF_REPORT_H

#include "tables/tables.h"

#include "profiles/time_profile.h"

/* The tree of a profile, without what is not the program's own time. */
struct prof_report {
    size_t section;
    hectic_time_source source;
    bool is_text;    /* CAFs with their modules, as text has them */
    bool is_focused; /* the tree begins at frames that were chosen */
    hectic_time_totals totals;
    hectic_time_warnings warnings;
    const hectic_symbols *symbols;
    const hectic_stacks *tree;
    const hectic_stack_node *node; /* of the tree */
    uint32_t nodes;
    /* Of each node: its weight, and that of its subtree. */
    uint64_t *own[HECTIC_TIME_COLUMNS], *total[HECTIC_TIME_COLUMNS];
    enum hectic_time_column weight; /* the chosen column */
    uint64_t all;                   /* its sum */
};

/* Sets the symbols, the tree and the sums of the report's source. False: out of memory. Clear the
 * report in any case. */
bool prof_report_set(struct prof_report *report, hectic_time_profile *profile);
/* Sets node, nodes, own, total and all from the tree and the symbols. False: out of memory. */
bool prof_report_add(struct prof_report *report);
void prof_report_clear(struct prof_report *report);

/* Which source is shown if a user does not choose: ticks, if there are any. False: out of memory.
 */
bool prof_report_source(hectic_time_profile *profile, hectic_time_source *source);

/* A frame as it is printed. Untrusted. */
struct prof_frame {
    const char *label, *module, *location; /* the last two: NULL if unknown */
    bool is_caf;
    char room[256];
};

/* As text: "Main.CAF", or as data: "CAF". */
void prof_symbol(const struct prof_report *report, uint32_t symbol, struct prof_frame *frame);
void prof_node(const struct prof_report *report, uint32_t node, struct prof_frame *frame);

static inline double prof_share(uint64_t part, uint64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

/* --- The table of cost centres, or functions ------------------------------------------------- */

/* Takes the cells of a row. False: stop. */
typedef bool (*prof_row_callback)(void *user, const struct cell *cells);

/* Calls back for each cost centre, the hottest first. False: out of memory (*is_lost), or stopped.
 */
bool prof_report_rows(const struct prof_report *report, prof_row_callback callback, void *user,
                      bool *is_lost);

/* The sums of the profile, as members of an object. */
void prof_report_put(struct json *json, const struct prof_report *report);

#endif
