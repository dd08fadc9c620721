/* pattern.c — see pattern.h. */
#include "tool/input/pattern.h"

#include "render/text.h"
#include "tool/cli/message.h"
#include "tool/cli/verb.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    STACK_MIN = 32 << 10,
    STACK_MAX = 64 << 20,  /* bytes; a repeated group takes some for each letter of the text */
    TRIES_MAX = 100000000, /* takes a fraction of a second */
    DFA_TEXT_MAX = 8192,   /* bytes; its time is quadratic in the length of the text */
    WORK_SIZE = 1 << 16,
};

struct pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    pcre2_jit_stack *stack;
    const char *option;
    char problem[256];
};

void pattern_free(struct pattern *pattern)
{
    if (!pattern) return;
    pcre2_match_data_free(pattern->match);
    pcre2_match_context_free(pattern->limits);
    pcre2_jit_stack_free(pattern->stack);
    pcre2_code_free(pattern->code);
    free(pattern);
}

/* Returns the exit code, after a message. */
static int compile(struct pattern *pattern, const char *regex)
{
    int number;
    PCRE2_SIZE offset;
    pattern->code =
        pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &number, &offset, NULL);
    if (pattern->code) return TOOL_OK;
    char message[256];
    pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof message);
    if (number == PCRE2_ERROR_HEAP_FAILED) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    tool_usage_error("invalid pattern \"%s\" for --%s: %s at character %zu", regex, pattern->option,
                     message, offset + 1);
    return TOOL_USAGE;
}

struct pattern *pattern_new(const char *regex, const char *option, int *code)
{
    struct pattern *pattern = calloc(1, sizeof *pattern);
    *code = TOOL_UNUSABLE;
    if (pattern) pattern->option = option;
    if (pattern && (*code = compile(pattern, regex)) == TOOL_OK) {
        /* If that fails, matching is slower. */
        pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);
        pattern->match = pcre2_match_data_create_from_pattern(pattern->code, NULL);
        pattern->limits = pcre2_match_context_create(NULL);
        pattern->stack = pcre2_jit_stack_create(STACK_MIN, STACK_MAX, NULL);
        if (!pattern->match || !pattern->limits) *code = TOOL_UNUSABLE;
    }
    if (!pattern || (pattern->code && *code != TOOL_OK)) tool_message("out of memory");
    if (*code != TOOL_OK) {
        pattern_free(pattern);
        return NULL;
    }
    pcre2_set_match_limit(pattern->limits, TRIES_MAX);
    if (pattern->stack) pcre2_jit_stack_assign(pattern->limits, NULL, pattern->stack);
    return pattern;
}

/* Matches without backtracking. Some patterns need that; others do not support it. */
static int match_dfa(const struct pattern *pattern, const char *text, size_t length)
{
    static int work[WORK_SIZE];
    if (length > DFA_TEXT_MAX) return PCRE2_ERROR_MATCHLIMIT;
    return pcre2_dfa_match(pattern->code, (PCRE2_SPTR)text, length, 0,
                           PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, pattern->match, pattern->limits,
                           work, WORK_SIZE);
}

int pattern_match(struct pattern *pattern, const char *text, size_t length)
{
    const int result = pcre2_match(pattern->code, (PCRE2_SPTR)text, length, 0, PCRE2_NO_UTF_CHECK,
                                   pattern->match, pattern->limits);
    if (result >= 0 || result == PCRE2_ERROR_NOMATCH) return result >= 0;
    const int second = match_dfa(pattern, text, length);
    if (second >= 0 || second == PCRE2_ERROR_NOMATCH) return second >= 0;
    pcre2_get_error_message(result, (PCRE2_UCHAR *)pattern->problem, sizeof pattern->problem);
    return -1;
}

const char *pattern_problem(const struct pattern *pattern)
{
    return pattern->problem;
}

int pattern_match_label(struct pattern *pattern, const char *label)
{
    const size_t length = strlen(label);
    char *text = malloc(3 * length + 1);
    if (!text) {
        tool_message("out of memory");
        return -1;
    }
    const char *end = put_utf8(text, (const uint8_t *)label, length);
    const int result = pattern_match(pattern, text, (size_t)(end - text));
    free(text);
    if (result < 0)
        tool_message("cannot match the label \"%s\" with --%s: %s; use a pattern without nested or "
                     "optional repetitions",
                     label, pattern->option, pattern->problem);
    return result;
}

int label_choice_new(struct label_choice *choice, const char *include, const char *exclude)
{
    int code = TOOL_OK;
    *choice = (struct label_choice){0};
    if (include) choice->include = pattern_new(include, "include", &code);
    if (exclude && code == TOOL_OK) choice->exclude = pattern_new(exclude, "exclude", &code);
    return code;
}

void label_choice_free(struct label_choice *choice)
{
    pattern_free(choice->include);
    pattern_free(choice->exclude);
}

int label_is_chosen(const struct label_choice *choice, const char *label)
{
    const int included = choice->include ? pattern_match_label(choice->include, label) : 1;
    if (included <= 0 || !choice->exclude) return included;
    const int excluded = pattern_match_label(choice->exclude, label);
    return excluded < 0 ? -1 : !excluded;
}
