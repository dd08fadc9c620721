/* filters.c — the filters of the command line: the library's filter, with times resolved, --match
 * and --limit. */
#include "tool/cli/times.h"
#include "tool/input/live_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct tool_filter {
    hectic_filter *filter;
    const char *path; /* of the log */
    uint64_t from, to;
    pcre2_code *pattern; /* --match, or NULL */
    pcre2_match_data *match;
    pcre2_match_context *limits;
    pcre2_jit_stack *stack;
    char *text; /* buffer for the text to match */
    uint64_t limit, passed;
    bool failed; /* a match was given up */
};

/* --- The pattern ----------------------------------------------------------------------------- */

enum {
    STACK_MIN = 32 << 10,
    STACK_MAX = 64 << 20,  /* bytes; a repeated group takes some for each letter of the text */
    TRIES_MAX = 100000000, /* takes a fraction of a second */
    DFA_TEXT_MAX = 8192,   /* bytes; its time is quadratic in the length of the text */
    WORK_SIZE = 1 << 16,
};

static int pattern_compile(struct tool_filter *filter, const char *regex)
{
    int number;
    PCRE2_SIZE offset;
    filter->pattern =
        pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &number, &offset, NULL);
    if (filter->pattern == NULL) {
        char message[256];
        pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof message);
        if (number == PCRE2_ERROR_HEAP_FAILED) {
            tool_message("out of memory");
            return TOOL_UNUSABLE;
        }
        tool_usage_error("invalid pattern \"%s\" for --match: %s at character %zu", regex, message,
                         offset + 1);
        return TOOL_USAGE;
    }
    pcre2_jit_compile(filter->pattern, PCRE2_JIT_COMPLETE); /* if that fails, matching is slower */
    filter->match = pcre2_match_data_create_from_pattern(filter->pattern, NULL);
    filter->limits = pcre2_match_context_create(NULL);
    filter->stack = pcre2_jit_stack_create(STACK_MIN, STACK_MAX, NULL);
    filter->text = malloc(HECTIC_RENDER_MAX);
    if (!filter->match || !filter->limits || !filter->text) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    pcre2_set_match_limit(filter->limits, TRIES_MAX);
    if (filter->stack) pcre2_jit_stack_assign(filter->limits, NULL, filter->stack);
    return TOOL_OK;
}

/* Matches without backtracking. Some patterns need that; others do not support it. */
static int match_dfa(const struct tool_filter *filter, size_t length)
{
    static int work[WORK_SIZE];
    if (length > DFA_TEXT_MAX) return PCRE2_ERROR_MATCHLIMIT;
    return pcre2_dfa_match(filter->pattern, (PCRE2_SPTR)filter->text, length, 0,
                           PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, filter->match, filter->limits,
                           work, WORK_SIZE);
}

static void fail(struct tool_filter *filter, const hectic_event *event, int error)
{
    char message[256];
    pcre2_get_error_message(error, (PCRE2_UCHAR *)message, sizeof message);
    filter->failed = true;
    tool_message("%s: byte %" PRIu64 ": cannot match the event with --match: %s; use a pattern "
                 "without nested or optional repetitions",
                 tool_log_name(filter->path), event->position, message);
}

static bool matches(struct tool_filter *filter, const hectic_renderer *renderer,
                    const hectic_event *event)
{
    const size_t length =
        hectic_render_text(renderer, event, HECTIC_UNKNOWN_DESCRIBED, filter->text);
    /* Rendered text is valid UTF-8. */
    const int result = pcre2_match(filter->pattern, (PCRE2_SPTR)filter->text, length, 0,
                                   PCRE2_NO_UTF_CHECK, filter->match, filter->limits);
    if (result >= 0 || result == PCRE2_ERROR_NOMATCH) return result >= 0;
    const int second = match_dfa(filter, length);
    if (second >= 0 || second == PCRE2_ERROR_NOMATCH) return second >= 0;
    fail(filter, event, result);
    return false;
}

/* --- The filter ------------------------------------------------------------------------------ */

static bool add_restrictions(hectic_filter *filter, const struct filter_settings *settings)
{
    for (size_t i = 0; i < settings->caps.count; i++)
        hectic_filter_cap(filter, (uint16_t)settings->caps.number[i]);
    for (size_t i = 0; i < settings->events.count; i++)
        hectic_filter_event(filter, (uint16_t)settings->events.number[i]);
    for (size_t i = 0; i < settings->classes.count; i++)
        hectic_filter_class(filter, (hectic_class)settings->classes.number[i]);
    for (size_t i = 0; i < settings->threads.count; i++)
        if (!hectic_filter_thread(filter, settings->threads.number[i])) return false;
    return true;
}

static int filter_fill(struct tool_filter *filter, const struct filter_settings *settings,
                       hectic_input *input, const char *path)
{
    uint64_t from, to;
    int code = time_resolve(settings->from, settings->to, input, path, &from, &to);
    if (code == TOOL_OK && settings->match) code = pattern_compile(filter, settings->match);
    if (code != TOOL_OK) return code;
    if (settings->from || settings->to) hectic_filter_time(filter->filter, from, to);
    if (!add_restrictions(filter->filter, settings)) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    /* --thread needs the state of the caps, which is known only from the beginning. */
    filter->from = settings->threads.count > 0 ? 0 : from;
    filter->to = to;
    filter->limit = settings->limit ? settings->limit : UINT64_MAX;
    /* A random input was read to its end to find a marker. */
    if (input && !hectic_input_is_random(input)) live_input_limit(input, settings);
    return TOOL_OK;
}

struct tool_filter *tool_filter_new(const struct filter_settings *settings, hectic_input *input,
                                    const char *path, int *code)
{
    struct tool_filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL || (filter->filter = hectic_filter_new()) == NULL) {
        tool_message("out of memory");
        *code = TOOL_UNUSABLE;
    } else {
        filter->path = path;
        *code = filter_fill(filter, settings, input, path);
    }
    if (*code == TOOL_OK) return filter;
    tool_filter_free(filter);
    return NULL;
}

void tool_filter_free(struct tool_filter *filter)
{
    if (filter == NULL) return;
    hectic_filter_free(filter->filter);
    pcre2_match_data_free(filter->match);
    pcre2_match_context_free(filter->limits);
    pcre2_jit_stack_free(filter->stack);
    pcre2_code_free(filter->pattern);
    free(filter->text);
    free(filter);
}

uint64_t tool_filter_from(const struct tool_filter *filter)
{
    return filter->from;
}

uint64_t tool_filter_to(const struct tool_filter *filter)
{
    return filter->to;
}

bool tool_filter_pass(struct tool_filter *filter, const hectic_renderer *renderer,
                      const hectic_event *event)
{
    if (!hectic_filter_pass(filter->filter, event) || filter->failed) return false;
    if (filter->pattern && !matches(filter, renderer, event)) return false;
    return filter->passed++ < filter->limit;
}

bool tool_filter_is_empty(const struct tool_filter *filter)
{
    return hectic_filter_is_empty(filter->filter) && filter->pattern == NULL &&
           filter->limit == UINT64_MAX;
}

bool tool_filter_is_done(const struct tool_filter *filter)
{
    return filter->failed || filter->passed >= filter->limit;
}

bool tool_filter_failed(const struct tool_filter *filter)
{
    return filter && filter->failed;
}
