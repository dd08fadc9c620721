/* conditions.h — the conditions of require and compare, and how their outcomes are printed. */
#ifndef HECTIC_CONDITIONS_H
#define HECTIC_CONDITIONS_H

#include "query/condition.h"
#include "tool/output/table.h"

struct conditions {
    struct condition *condition;
    size_t count, capacity;
};

/* Adds a condition. False after a message. */
bool conditions_add(struct conditions *conditions, const char *text);

/* Adds those of a file: one on a line; lines that are empty or begin with # are skipped. Returns
 * the exit code, after a message. */
int conditions_add_file(struct conditions *conditions, const char *path);

void conditions_want(const struct conditions *conditions, bool wanted[NUMBER_SOURCES]);
void conditions_free(struct conditions *conditions);

enum outcome {
    OUTCOME_PASSED,
    OUTCOME_FAILED,
    OUTCOME_UNKNOWN,   /* the number is not known */
    OUTCOME_UNCERTAIN, /* the runs fit to both */
    OUTCOME_UNDECIDED, /* there are too few runs */
};

/* "passed", "failed". */
const char *outcome_word(enum outcome outcome);

/* A condition that was judged. */
struct judgement {
    const struct condition *condition;
    const struct run *run; /* NULL: of several runs */
    enum outcome outcome;
    bool has_value;
    double value;
    const char *note; /* why it is not known, or not certain; or NULL */
};

struct judgements {
    struct judgement *judgement; /* those of a run follow each other */
    size_t count, capacity;
};

/* False after a message. */
bool judgements_add(struct judgements *judgements, const struct judgement *judgement);

/* Judges a run by each condition. False after a message. */
bool judgements_add_run(struct judgements *judgements, const struct conditions *conditions,
                        const struct run *run);
void judgements_free(struct judgements *judgements);

/* The exit code: the worst of `code` and of what they say. */
int judgements_code(const struct judgements *judgements, int code);

/* Prints them as text, or in a form. Returns the exit code, TOOL_OK or that of an error. */
int judgements_print(const struct judgements *judgements, const struct table_settings *settings,
                     struct sink *sink);

/* Writes them to the file of these settings as JUnit does. Returns the exit code likewise. */
int judgements_write_junit(const struct judgements *judgements,
                           const struct output_settings *settings);

#endif
