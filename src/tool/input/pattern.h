/* pattern.h — regular expressions on the command line (PCRE2). */
#ifndef HECTIC_PATTERN_H
#define HECTIC_PATTERN_H

#include "tool/cli/tool.h"

struct pattern;

/* Compiles `regex`, the argument of `option` ("match"). NULL after a message, with *code set to the
 * exit code. */
struct pattern *pattern_new(const char *regex, const char *option, int *code);
void pattern_free(struct pattern *pattern);

/* Does it match somewhere in the text, which is valid UTF-8? Returns 1 or 0; -1: the matcher gave
 * up, and pattern_problem has the reason. */
int pattern_match(struct pattern *pattern, const char *text, size_t length);
const char *pattern_problem(const struct pattern *pattern);

#endif
