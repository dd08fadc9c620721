/* compare.h — the parts of hectic compare. */
#ifndef HECTIC_VERB_COMPARE_H
#define HECTIC_VERB_COMPARE_H

#include "compare/causes.h"
#include "compare/comparison.h"
#include "tool/passes/conditions.h"
#include "tool/passes/log_numbers.h"

/* Options that choose what is compared. */
struct choice_settings {
    struct interval_settings interval, new_interval; /* of all runs; of NEW, if it is set */
    const char *table, *by, *per;
};
extern const struct tool_option choice_options[];

/* The same, resolved. It stays in its place. */
struct compare_choice {
    struct number_choice numbers;
    const struct interval_settings *new_interval;
    struct number_source source; /* that of --table */
    char *options[2];            /* that a baseline of each side has to be saved with, as text */
    char per[NUMBER_NAME_MAX];   /* the name of the number that divides sums; empty: none */
};

/* False after a message. Free it in any case. */
bool compare_choose(struct compare_choice *choice, const struct choice_settings *settings);
void compare_choice_free(struct compare_choice *choice);

/* Divides the sums of the runs. False after a message. */
bool compare_divide(const struct compare_choice *choice, struct runs *runs);

/* What is compared, and what came of it. */
struct compared {
    struct runs old, new;
    size_t left_out[2]; /* runs of a side that are cut short, or have no events */
    const char *per;    /* the number that sums were divided by; empty: none */
    struct comparison comparison;
    struct causes causes;
    struct judgements judgements;
};

enum { VERDICT_MAX = 16, SENTENCE_MAX = 400 };
struct compare_verdict {
    char sentence[VERDICT_MAX][SENTENCE_MAX];
    size_t count;
};

/* The sentences that say what has changed, the most important first; then how certain that is. */
void compare_verdict(struct compare_verdict *verdict, const struct compared *compared);

struct compare_form {
    struct table_settings table;
    bool all, markdown;
};

/* Prints the comparison. Returns the exit code, TOOL_OK or that of an error. */
int compare_print(const struct compared *compared, const struct compare_form *form,
                  struct sink *sink);

/* Judges the conditions. False after a message. */
bool compare_judge(struct compared *compared, const struct conditions *conditions, bool strict);

/* A value of that kind, and a difference with its sign, as text. */
enum { COMPARE_VALUE = 64 };
void compare_value(char out[COMPARE_VALUE], hectic_column_kind kind, double value);
void compare_difference(char out[COMPARE_VALUE], hectic_column_kind kind, double difference);

/* The name of a number without its unit, which values have. */
int compare_name_length(const struct change *change);

/* "certain", "one_side". */
const char *compare_certainty(enum certainty certainty);

/* "+5.0%"; N/A if the old value is 0. */
void compare_part(char out[COMPARE_VALUE], const struct change *change, double difference);

#endif
