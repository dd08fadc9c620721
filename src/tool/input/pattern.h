/* pattern.h — regular expressions on the command line (PCRE2). */
#ifndef HECTIC_PATTERN_H
#define HECTIC_PATTERN_H

#include <hectic/hectic.h>

struct pattern;

/* Compiles `regex`, the argument of `option` ("match"). NULL after a message, with *code set to the
 * exit code. */
struct pattern *pattern_new(const char *regex, const char *option, int *code);
void pattern_free(struct pattern *pattern);

/* Does it match somewhere in the text, which is valid UTF-8? Returns 1 or 0; -1: the matcher gave
 * up, and pattern_problem has the reason. */
int pattern_match(struct pattern *pattern, const char *text, size_t length);
const char *pattern_problem(const struct pattern *pattern);

/* Does it match somewhere in a label, which may be any bytes? Returns 1 or 0; -1 after a message.
 */
int pattern_match_label(struct pattern *pattern, const char *label);

/* The labels that two patterns choose; NULL: no restriction. */
struct label_choice {
    struct pattern *include, *exclude;
};

/* Compiles the arguments of --include and --exclude, which may be NULL. Returns the exit code,
 * after a message. Free the choice in any case. */
int label_choice_new(struct label_choice *choice, const char *include, const char *exclude);
void label_choice_free(struct label_choice *choice);

/* Is the label chosen? Returns 1 or 0; -1 after a message. */
int label_is_chosen(const struct label_choice *choice, const char *label);

#endif
