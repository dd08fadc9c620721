/* rare.h — requests about collections and messages: jobs (job.h) that are answered from the
 * excerpt of a section, if there is one. */
#ifndef HECTIC_SRC_VIEW_RARE_H
#define HECTIC_SRC_VIEW_RARE_H

#include "report/cells.h"
#include "view/excerpt.h"
#include "view/job.h"

enum { ROWS_MAX = 10000, SLOWEST_MAX = 1000 }; /* of tables */

/* The cells of READING_COLUMNS. */
static inline void view_section_cells(size_t section, struct cell *cell)
{
    cell[0] = cell_number(section);
    cell[1] = cell[2] = cell_unknown();
}

/* Answers the request as a job; without an excerpt it is one. The job begins at the beginning of
 * the section. */
bool answer_rare(hectic_view *view, struct json *json, const struct job_kind *kind);

#endif
