/* numbers.h — the numbers of a section or of an interval of it, by the names of hectic compare. */
#ifndef HECTIC_SRC_VIEW_NUMBERS_H
#define HECTIC_SRC_VIEW_NUMBERS_H

#include "verdict/verdict.h"
#include "view/engine/engine.h"

struct numbers;

/* Whole: 0, UINT64_MAX. The section has an event in the interval. NULL: out of memory. */
struct numbers *numbers_new(const struct section *section, uint64_t from, uint64_t to);
void numbers_free(struct numbers *numbers);

/* The next event of the section, from its first one on. */
bool numbers_event(struct numbers *numbers, const hectic_event *event);

/* No later event matters. */
bool numbers_are_settled(struct numbers *numbers);

/* After these, writes the member "numbers". `verdict`: of a whole section; or NULL. False: out of
 * memory. */
bool numbers_put(struct numbers *numbers, const hectic_stat_result *stat,
                 const hectic_verdict *verdict, struct json *json);

#endif
