/* message.h — messages on stderr. */
#ifndef HECTIC_MESSAGE_H
#define HECTIC_MESSAGE_H

#include "tool/cli/verb.h"

#include <hectic/hectic.h>
#include <stdio.h>

/* Prints "hectic: …" to stderr, as one line without control characters (hectic_render_visible). */
void tool_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "hectic VERB: …" for an error in the command line. tool_usage_verb sets the verb, or NULL.
 */
void tool_usage_verb(const char *verb);
void tool_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "out of memory" and exits with TOOL_UNUSABLE. */
_Noreturn void tool_out_of_memory(void);

/* Prints a line to `to`, as tool_message does. */
void tool_print_visible(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How many places of damage in a log are printed; the others are counted. */
enum { TOOL_PLACES_SHOWN = 10 };

/* Prints "hectic: LOG: byte 123: …". */
void tool_log_error(const char *path, const hectic_error *error);

/* True if the error is damage of a log, behind which reading can continue. */
bool tool_is_damage(const hectic_error *error);

/* The name of a log in messages: its path, or "standard input". */
const char *tool_log_name(const char *path);

/* Finds the candidate that is nearest to `word`: `best`, or NULL if none is near. */
struct suggestion {
    const char *word;
    const char *best;
    size_t distance;
};
void tool_suggest(struct suggestion *suggestion, const char *candidate);

#endif
