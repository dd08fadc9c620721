/* threads_report.h — the rows of hectic threads, and its sums as JSON. */
#ifndef HECTIC_SRC_THREADS_REPORT_H
#define HECTIC_SRC_THREADS_REPORT_H

#include "tables/tables.h"

#include "facts/gaps.h"
#include "facts/threads.h"

enum threads_kind { THREADS_PROGRAM, THREADS_RUNTIME, THREADS_KINDS };

/* The threads of GHC's runtime and of its library base are known by their labels. NULL: none. */
enum threads_kind threads_kind_of(const char *label);

const char *threads_kind_name(enum threads_kind kind);

enum { THREADS_COLUMNS = CELLS_OF(threads), THREADS_FIRST_TIME = CELL_AT(threads, lifetime_ns) };

/* The states in the order of the columns. */
extern const hectic_thread_state threads_states[HECTIC_THREAD_STATES];

/* Without the events of some caps, only the time in which threads ran on the others is known: they
 * may have run on those caps, or been woken by them. */
void threads_forget_waits(uint64_t ns[HECTIC_THREAD_STATES]);

/* What such a log says about a state. */
hectic_thread_state threads_known_state(hectic_thread_state state);

/* The cells after READING_CELLS, of a log's part that begins at `from` and lasts `duration`, ns. */
void threads_put_cells(struct cell cell[THREADS_COLUMNS], const hectic_thread *thread,
                       uint64_t from, uint64_t duration);

/* The cells of times from THREADS_FIRST_TIME on: the lifetime, and of each state. Returns the cell
 * after them. */
size_t threads_put_times(struct cell cell[THREADS_COLUMNS], const uint64_t *ns);

enum { THREADS_TOTAL_COLUMNS = CELLS_OF(threads_total) };

/* The cells of the sum of a state. */
void threads_put_total(struct cell cell[THREADS_TOTAL_COLUMNS], const hectic_thread_totals *totals,
                       hectic_thread_state state);

/* The members of the object after the tables. Without has_live, how many are alive at a time is
 * unknown. */
void threads_put_sums(struct json *json, const hectic_thread_totals *totals, bool has_live,
                      const hectic_gaps *gaps);

#endif
