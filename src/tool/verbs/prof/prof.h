/* prof.h — the parts of hectic prof. */
#ifndef HECTIC_PROF_H
#define HECTIC_PROF_H

#include "report/prof_report.h"
#include "stat/stat.h"
#include "tool/input/file_reading.h"
#include "tool/input/pattern.h"
#include "tool/output/table.h"

/* --- Settings -------------------------------------------------------------------------------- */

/* The source of the samples. */
enum prof_source { PROF_EITHER, PROF_COST_CENTRES, PROF_CALL_STACKS };

struct prof_settings {
    struct interval_settings interval;
    struct table_settings table;
    struct output_settings output;
    bool tree, stacks, flame; /* what is printed; otherwise the table */
    uint64_t every;           /* ns; 0: one table */
    struct cap_choice cap;
    enum hectic_time_column weight;
    enum prof_source source;
    uint64_t depth; /* of the tree and the flame graph; 0: the default */
    const char *focus;
};

static inline bool prof_is_text(const struct prof_settings *settings)
{
    return !settings->table.json && !settings->table.csv;
}

/* --- A profile, to be printed ---------------------------------------------------------------- */

struct prof_view {
    const struct prof_settings *settings;
    struct prof_report report;
    uint64_t rows;          /* of the table, so far */
    uint32_t *child;        /* of each node: its first child with that weight; 0: none */
    uint32_t *next;         /* the next child of its parent, by weight; 0: none */
    hectic_stacks *focused; /* owned: the tree of the stacks that --focus selects; or NULL */
};

/* False after a message. `focus`: NULL, or what a frame of each stack has to match; the callers of
 * the outermost such frame are left out. Clear the view in any case. */
bool prof_view_new(struct prof_view *view, hectic_time_profile *profile, struct pattern *focus);
void prof_view_clear(struct prof_view *view);

/* --- Output ---------------------------------------------------------------------------------- */

/* Each prints a view; the rows go to `table`. False after a message, or if writing failed. */
bool prof_put_table(struct prof_view *view, struct table *table, struct sink *sink);
bool prof_put_tree(const struct prof_view *view, struct table *table, struct sink *sink);
bool prof_put_stacks(const struct prof_view *view, struct table *table, struct sink *sink);
bool prof_put_flame(const struct prof_view *view, struct sink *sink);

/* The sums of a profile, as text and as members of an object. */
bool prof_put_headline(const struct prof_view *view, struct sink *sink);
bool prof_put_members(const struct prof_view *view, struct sink *sink);

/* What to do next, as text. */
void prof_put_next(const struct prof_view *view, const char *log, struct sink *sink);

/* --- Slices of time -------------------------------------------------------------------------- */

struct prof_slices;

struct prof_slices *prof_slices_new(const struct prof_settings *settings,
                                    const struct interval *interval); /* NULL: no memory */
void prof_slices_free(struct prof_slices *slices);

/* Takes an event of a section. False: out of memory, or there are too many slices. */
bool prof_slices_event(struct prof_slices *slices, const hectic_event *event);
hectic_time_warnings prof_slices_warnings(const struct prof_slices *slices);
bool prof_slices_are_too_many(const struct prof_slices *slices);

/* Writes a row for each slice. False after a message. *any: there are rows. */
bool prof_slices_put(struct prof_slices *slices, size_t section, struct table *table,
                     struct sink *sink, bool *any);

/* --- Without a profile ----------------------------------------------------------------------- */

/* Prints what is known about the time of a run without samples. False after a message. */
bool prof_put_without(const hectic_stat *stat, const struct prof_settings *settings,
                      const char *log, struct sink *sink);

#endif
