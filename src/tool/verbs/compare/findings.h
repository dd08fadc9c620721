/* findings.h — the findings of the verdict that came and went between old and new runs. */
#ifndef HECTIC_VERB_COMPARE_FINDINGS_H
#define HECTIC_VERB_COMPARE_FINDINGS_H

#include "compare/comparison.h"
#include "tool/output/table.h"

/* The sentence that says which ones came, or went. False: none. */
enum { FINDINGS_MAX = 4096 };
bool compare_findings(char line[FINDINGS_MAX], const struct comparison *comparison, bool came);

/* Prints up to two paragraphs, each after the bullet. */
void compare_print_findings(const struct comparison *comparison, struct sink *sink,
                            const char *bullet);

/* The same as the member "findings" of an object. Returns the exit code. */
int compare_put_findings(const struct comparison *comparison, const struct table_settings *settings,
                         struct sink *sink);

#endif
