/* condition.h — conditions on the numbers of runs: gc.pause.max < 10ms, time.total <= +5%. */
#ifndef HECTIC_SRC_CONDITION_H
#define HECTIC_SRC_CONDITION_H

#include "compare/number_sources.h"

enum condition_operator {
    CONDITION_LESS,
    CONDITION_AT_MOST,
    CONDITION_MORE,
    CONDITION_AT_LEAST,
    CONDITION_EQUAL,
    CONDITION_UNEQUAL,
};

struct condition {
    char *text;                 /* as written */
    char name[NUMBER_NAME_MAX]; /* of the number, in full: gc.pause.max_ns */
    hectic_column_kind kind;
    const struct number_source *source;
    enum condition_operator op;
    double bound;   /* in ns, bytes, parts of 1 */
    bool is_change; /* the bound has a sign: of the difference from the old runs */
    bool is_part;   /* likewise, and in per cent: the bound is a part of the old value */
    char unit[8];   /* as written */
    double unit_size;
};

enum condition_error {
    CONDITION_OK,
    CONDITION_NO_MEMORY,
    CONDITION_SYNTAX,    /* a name, an operator and a value are expected */
    CONDITION_NAME,      /* there is no number of that name */
    CONDITION_AMBIGUOUS, /* several numbers end like that */
    CONDITION_KEY,       /* the name in quotes is none of those that there are */
    CONDITION_VALUE,     /* the value is no number */
    CONDITION_UNIT,      /* the unit is missing, or of another kind */
};

/* Could the text be a condition? A path that exists is to be tested before. */
bool condition_may_be(const char *text);

/* Parses a condition. A name may lack its unit, and its first parts as long as only one number ends
 * like that; "." and "_" are the same. On failure, `room` has the part that is wrong, or the names
 * of the numbers that are meant. Call condition_clear in any case. */
enum condition_error condition_parse(struct condition *condition, const char *text,
                                     char room[NUMBER_NAME_MAX]);
void condition_clear(struct condition *condition);

/* What an error means: "there is no number %s", for the part that is wrong. */
const char *condition_error_text(enum condition_error error);

/* Calls `take` with the names that conditions can have; of keys, with ("...") and [0]. */
void condition_names(void (*take)(void *user, const char *name), void *user);

/* After CONDITION_KEY: calls `take` with the names in quotes that there are. */
void condition_keys(const struct condition *condition, void (*take)(void *user, const char *name),
                    void *user);

/* Does the value fulfil it? */
bool condition_holds(const struct condition *condition, double value);

/* Writes a value in the unit of the condition, or in one that suits it better, with as many digits
 * as it takes to see whether the condition holds. */
enum { CONDITION_VALUE_MAX = 48 };
void condition_value(char out[CONDITION_VALUE_MAX], const struct condition *condition,
                     double value);

#endif
