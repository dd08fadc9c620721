/* verdict.h — what stands out in a run, or in an interval of it: at most five findings, the most
 * important first.
 *
 * Evaluates a table of rules (verdicts.def) on the results of other analyses. Each finding
 * has a measured value. docs/verdicts.md describes the rules.
 */
#ifndef HECTIC_SRC_VERDICT_H
#define HECTIC_SRC_VERDICT_H

#include "facts/threads.h"
#include "profiles/heap_profile.h"
#include "profiles/time_profile.h"
#include "stat/stat.h"

/* The unit of a value. */
typedef enum hectic_value_unit {
    HECTIC_VALUE_SHARE, /* 0 … 1 */
    HECTIC_VALUE_NS,
    HECTIC_VALUE_BYTES,
    HECTIC_VALUE_THREADS, /* on average */
    HECTIC_VALUE_EVENTS,
} hectic_value_unit;

/* "share", "ns", "bytes", "threads" or "events". */
const char *hectic_value_unit_name(hectic_value_unit unit);

/* A rule: the columns of verdicts.def. */
typedef struct hectic_rule {
    const char *name; /* an identifier */
    hectic_value_unit unit;
    double limit; /* see hectic_rule_has_upper_limit */
    const char *measured, *because, *importance, *text, *command, *source;
} hectic_rule;

/* Their numbers. */
enum rule {
#define HECTIC_RULE(name, ...) RULE_##name,
#include "verdict/verdicts.def"
#undef HECTIC_RULE
    RULES
};

/* All rules; sets *count. */
const hectic_rule *hectic_rules(size_t *count);

/* True if a rule applies from 0 up to its limit; otherwise it applies from the limit on. */
bool hectic_rule_has_upper_limit(const hectic_rule *rule);

#define HECTIC_FINDINGS_MAX 5

/* A rule that applies. */
typedef struct hectic_finding {
    const hectic_rule *rule;
    double value;      /* in the unit of the rule */
    double importance; /* about the share of the time that it explains: 0 … 1 */
    bool has_time;     /* it is about a part of the run: */
    uint64_t from, to; /* ns */
    char text[512];    /* one or more sentences; may contain untrusted labels of the log */
    char command[96];  /* the next command; the word LOG stands for the log */
} hectic_finding;

/* What was measured. */
typedef struct hectic_verdict_input {
    const hectic_stat_result *stat;    /* of a whole run, or of an interval */
    const hectic_thread_sums *threads; /* NULL: unknown */
    const hectic_heap_profile *heap;   /* NULL: there are no samples */
    hectic_time_profile *time;         /* NULL: there are no samples */
    bool has_heap_samples;             /* the log has some, even if `heap` is NULL */
    bool has_heap_profile;             /* a heap profile began, even if it has no samples */
    uint64_t events;                   /* number of logged events; 0: unknown */
    bool is_part;   /* all is of an interval: rules about whole runs are unknown */
    bool is_behind; /* the log is being written, and lacks what a cap did in the last tenth */
} hectic_verdict_input;

/* What a verdict says of a rule. */
typedef enum hectic_rule_state {
    HECTIC_RULE_UNKNOWN, /* the log lacks what the rule measures, or too much of the run */
    HECTIC_RULE_ABSENT,
    HECTIC_RULE_APPLIES, /* even if it is not among the most important findings */
} hectic_rule_state;

typedef struct hectic_verdict {
    size_t count;
    hectic_finding finding[HECTIC_FINDINGS_MAX]; /* the most important first */
    char nothing[320]; /* if there are none: what the run is like; else "" */
    hectic_rule_state state[RULES];
} hectic_verdict;

/* Evaluates the rules. False: out of memory. */
bool hectic_verdict_get(const hectic_verdict_input *input, hectic_verdict *verdict);

#endif
