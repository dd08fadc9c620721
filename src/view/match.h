/* match.h — does a text contain what a page searches: a text, or a regular expression?
 *
 * Regular expressions are the extended ones of POSIX (regcomp), with \d, \w, \s, their complements,
 * \t and \n; without back references, and with bounded repetitions, so that matching takes time in
 * proportion to the text. Letters are the same in either case, unless `has_case`. */
#ifndef HECTIC_SRC_VIEW_MATCH_H
#define HECTIC_SRC_VIEW_MATCH_H

#include "read/type_set.h"

#include <hectic/render.h>

#include <stdbool.h>
#include <stddef.h>

struct match;

/* NULL: *problem is why. */
struct match *match_new(const char *text, bool is_regex, bool has_case, const char **problem);
void match_free(struct match *match);

/* Is it in a text? The text, and the byte after it, may be changed. */
bool match_text(const struct match *match, char *text, size_t length);

/* Sets *types to those whose events may have such a text. False: all may. */
bool match_types(const struct match *match, const hectic_renderer *renderer,
                 const hectic_header *header, type_set *types);

#endif
