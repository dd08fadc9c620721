/* match.h — does a text contain what a page searches: a text, or a regular expression (regex.h)?
 * ASCII letters are the same in either case, unless `has_case`. */
#ifndef HECTIC_SRC_VIEW_MATCH_H
#define HECTIC_SRC_VIEW_MATCH_H

#include "read/decode/type_set.h"

#include <hectic/render.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct match;

/* NULL: *problem is why. */
struct match *match_new(const char *text, bool is_regex, bool has_case, const char **problem);
void match_free(struct match *match);

/* Is it in a text? *steps is reduced as by regex_find. */
bool match_text(const struct match *match, const char *text, size_t length, uint64_t *steps);

/* Sets *types to those whose events may have such a text. False: all may. */
bool match_types(const struct match *match, const hectic_renderer *renderer,
                 const hectic_header *header, type_set *types);

#endif
