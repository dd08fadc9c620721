/* compared.h — what has changed between old and new runs: numbers, causes, findings; as sentences,
 * as texts, and as JSON. */
#ifndef HECTIC_SRC_COMPARE_COMPARED_H
#define HECTIC_SRC_COMPARE_COMPARED_H

#include "compare/causes.h"
#include "compare/comparison.h"
#include "compare/number_sources.h"
#include "tables/tables.h"

/* What is compared, and what came of it. */
struct compared {
    struct runs old, new;
    size_t left_out[2]; /* runs of a side that are cut short, or have no events */
    const char *per;    /* the number that sums were divided by; empty: none */
    struct comparison comparison;
    struct causes causes;
};

/* Compares the runs, and finds causes. False: out of memory. */
bool compared_make(struct compared *compared);
void compared_clear(struct compared *compared);

/* Writes the members of the object of hectic compare --json, but for conditions. */
void compared_put(struct json *json, const struct compared *compared);

/* --- Sentences ------------------------------------------------------------------------------- */

enum { VERDICT_MAX = 16, SENTENCE_MAX = 400 };
struct compare_verdict {
    char sentence[VERDICT_MAX][SENTENCE_MAX];
    size_t count;
};

/* The sentences that say what has changed, the most important first; then how certain that is. */
void compare_verdict(struct compare_verdict *verdict, const struct compared *compared);

/* The sentence that says which findings came, or went. False: none. */
enum { FINDINGS_MAX = 4096 };
bool compare_findings(char line[FINDINGS_MAX], const struct comparison *comparison, bool came);

/* The same as the member "findings" of an object. */
void compare_put_findings(struct json *json, const struct comparison *comparison);

/* --- Numbers --------------------------------------------------------------------------------- */

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

/* What the cells of a row point to. */
struct compare_texts {
    char old[COMPARE_VALUE], new[COMPARE_VALUE], change[COMPARE_VALUE], part[COMPARE_VALUE];
    char shift[COMPARE_VALUE];
    char low[COMPARE_VALUE], high[COMPARE_VALUE], interval[2 * COMPARE_VALUE + 8], p[COMPARE_VALUE];
    char name[NUMBER_NAME_MAX];
};

/* The row of a change, with all digits of its numbers; `interval` is only for text. */
void compare_row(union compare_row *row, struct compare_texts *texts, const struct change *change);

#endif
