/* verdict_lines.h — the verdict for people and for programs. */
#ifndef HECTIC_VERDICT_LINES_H
#define HECTIC_VERDICT_LINES_H

#include "tool/output/json.h"

#include "verdict/verdict.h"

/* A command with the name of the log for its last word LOG, as a shell reads it. `log` NULL or "-":
 * the word stays. For a process of a log of several (its capset; NULL: of one). Allocated. NULL:
 * the verb needs a log of one process. */
char *command_for_log(const char *command, const char *log, const uint32_t *process);

/* Prints the findings, each with its command, as lines of at most 80 columns with the title
 * "Verdict" in the first 11. `log`: the name of the log in the commands; NULL: "LOG". `process`: as
 * for command_for_log. */
void verdict_print(struct sink *sink, const hectic_verdict *verdict, const char *log,
                   const uint32_t *process);

/* As the elements of a JSON array: id, value, unit, importance, text and command. `section` is
 * counted from 1; `process` is a capset, or NULL. */
void verdict_put(struct json *json, const hectic_verdict *verdict, const char *log, size_t section,
                 const uint32_t *process);

#endif
