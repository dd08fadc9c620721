/* verdict_rules.h — what the rules of verdicts.def measure, and the words of their texts. */
#ifndef HECTIC_SRC_VERDICT_RULES_H
#define HECTIC_SRC_VERDICT_RULES_H

#include "verdict/verdict.h"

enum { WORD = 160, WORDS = 10 };

/* What a rule has found: its value, and the words in braces of its text and command. */
struct draft {
    const hectic_rule *rule;
    double value, importance;
    bool has_time;     /* it is about a part of the run: */
    uint64_t from, to; /* ns */
    bool failed;       /* out of memory */
    size_t words;
    struct {
        const char *name;
        char text[WORD];
    } word[WORDS];
};

/* What rules are evaluated on. */
struct facts {
    const hectic_verdict_input *input;
    const hectic_stat_result *stat;
    const hectic_thread_sums *threads; /* NULL: unknown */
    double all;                        /* ns */
    double elapsed;                    /* ns of it in which threads and collections were logged */
    double gc;                         /* share of collections */
    double caps;                       /* how many there were, on average; 0: idle is unknown */
    double idle;                       /* share of idle time in that of all caps */
    double least_idle;                 /* the share of idle time of the cap that has the least */
    double running;                    /* how many caps ran threads, on average */
    double young, old;                 /* shares of generations */
    const hectic_stat_generation *g;   /* NULL: unknown */
    bool grows;                        /* live data */
    bool applies[RULES];               /* which rules so far */
};

/* Room for another word. */
static inline char *word(struct draft *d, const char *name)
{
    d->word[d->words].name = name;
    return d->word[d->words++].text;
}

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

/* Sets the draft of a rule: its value stays 0 if the rule cannot apply. Call it in the order of the
 * rules, which may depend on earlier ones. */
void verdict_measure(enum rule rule, const struct facts *facts, struct draft *draft);

/* Does the run have what the rule is about, so that it is known whether it applies? `draft` is what
 * verdict_measure has set. */
bool verdict_is_known(enum rule rule, const struct facts *facts, const struct draft *draft);

/* Numbers as words: "20 %", "1.5 ms", "12.0 MiB". Each returns `word`. */
char *share_word(char word[WORD], double share);
char *time_word(char word[WORD], double ns);
char *size_word(char word[WORD], double bytes);

#endif
