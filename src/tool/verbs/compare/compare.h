/* compare.h — the parts of hectic compare. */
#ifndef HECTIC_VERB_COMPARE_H
#define HECTIC_VERB_COMPARE_H

#include "compare/compared.h"
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

/* What is compared, and what became of the conditions on it. */
struct judged {
    struct compared compared;
    struct judgements judgements;
};

struct compare_form {
    struct table_settings table;
    bool all, markdown;
};

/* Prints the comparison. Returns the exit code, TOOL_OK or that of an error. */
int compare_print(const struct judged *judged, const struct compare_form *form, struct sink *sink);

/* Judges the conditions. False after a message. */
bool compare_judge(struct judged *judged, const struct conditions *conditions, bool strict);

#endif
