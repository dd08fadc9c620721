/* gap_list.h — the gaps of a whole log. */
#ifndef HECTIC_SRC_GAP_LIST_H
#define HECTIC_SRC_GAP_LIST_H

#include "facts/gaps.h"

#include <hectic/log.h>

/* The gaps of a whole log, of all sections, as far as the survey has landmarks for them.
 */
hectic_gaps hectic_log_gaps(hectic_log *log);

/* Intervals of time in which the events of a log may contradict each other, because others were
 *  dropped: from the last event before a gap to the state replay (SYNC events) after it, or the
 *  section's end. In order, and disjoint. */
typedef struct hectic_gap_list {
    struct hectic_gap {
        size_t section;    /* counted from 1 */
        uint64_t from, to; /* ns, inclusive */
    } * gap;
    size_t count;
} hectic_gap_list;

/* Finds the intervals in a whole log, which it reads and rewinds; free the list with
 *  hectic_gap_list_clear. If nothing was dropped, it reads nothing. False: out of memory, or the
 *  log cannot be read. */
bool hectic_gap_list_find(hectic_gap_list *list, hectic_log *log);
void hectic_gap_list_clear(hectic_gap_list *list);

#endif
