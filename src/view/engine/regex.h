/* regex.h — regular expressions whose search takes time in proportion to the text.
 *
 * The syntax is listed in docs/view.md. A character is one of UTF-8, or a byte that is not part of
 * well-formed UTF-8. Only ASCII letters have upper and lower case. */
#ifndef HECTIC_SRC_VIEW_REGEX_H
#define HECTIC_SRC_VIEW_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regex;

/* NULL: *problem is why. */
struct regex *regex_new(const char *pattern, bool has_case, const char **problem);
void regex_free(struct regex *regex);

/* Is there a match in the text? Each character of the text takes at most as many steps as the
 * expression has places; *steps is reduced by those taken. If it becomes 0, the search has been
 * given up. */
bool regex_find(struct regex *regex, const char *text, size_t length, uint64_t *steps);

/* The number of places. Each match contains the characters of the places that have one (in lower
 * case, unless has_case), one after the other where the places are; 0: a place has none. */
size_t regex_places(const struct regex *regex);
uint32_t regex_required(const struct regex *regex, size_t place);

#endif
