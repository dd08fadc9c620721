/* two_logs.h — the comparison of two logs, for reports of them. */
#ifndef HECTIC_VERB_COMPARE_TWO_LOGS_H
#define HECTIC_VERB_COMPARE_TWO_LOGS_H

#include <stddef.h>

/* As hectic compare --json prints it, of the old log and the new one. Returns the exit code; the
 * text is to be freed by the caller, and NULL if the code is at least TOOL_UNUSABLE. */
int compare_two(char **paths, char **text, size_t *size);

#endif
