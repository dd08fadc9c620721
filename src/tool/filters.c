/* filters.c — the filters of a command line: times resolved, --match and --limit added to what
 * the library's own filter does. */
#include "tool.h"

#include "times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct tool_filter {
    hectic_filter *filter;
    uint64_t from, to;
    pcre2_code *pattern; /* --match, or NULL */
    pcre2_match_data *match;
    char *text; /* room for the text that is matched */
    uint64_t limit, passed;
};

/* --- The pattern ----------------------------------------------------------------------------- */

static int pattern_compile(struct tool_filter *filter, const char *regex)
{
    int number;
    PCRE2_SIZE offset;
    filter->pattern =
        pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &number, &offset, NULL);
    if (filter->pattern == NULL) {
        char message[256];
        pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof message);
        tool_complain("--match: %s, at character %zu of \"%s\"", message, offset + 1, regex);
        return TOOL_USAGE;
    }
    pcre2_jit_compile(filter->pattern, PCRE2_JIT_COMPLETE); /* without it, it is only slower */
    filter->match = pcre2_match_data_create_from_pattern(filter->pattern, NULL);
    filter->text = malloc(HECTIC_RENDER_MAX);
    if (filter->match && filter->text) return TOOL_OK;
    tool_complain("out of memory");
    return TOOL_UNUSABLE;
}

static bool matches(const struct tool_filter *filter, const hectic_renderer *renderer,
                    const hectic_event *event)
{
    const size_t length =
        hectic_render_text(renderer, event, HECTIC_UNKNOWN_DESCRIBED, filter->text);
    /* What the renderer makes is valid UTF-8. */
    return pcre2_match(filter->pattern, (PCRE2_SPTR)filter->text, length, 0, PCRE2_NO_UTF_CHECK,
                       filter->match, NULL) >= 0;
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
        tool_complain("out of memory");
        return TOOL_UNUSABLE;
    }
    /* Which thread runs where is only known from the beginning. */
    filter->from = settings->threads.count > 0 ? 0 : from;
    filter->to = to;
    filter->limit = settings->limit ? settings->limit : UINT64_MAX;
    return TOOL_OK;
}

struct tool_filter *tool_filter_new(const struct filter_settings *settings, hectic_input *input,
                                    const char *path, int *code)
{
    struct tool_filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL || (filter->filter = hectic_filter_new()) == NULL) {
        tool_complain("out of memory");
        *code = TOOL_UNUSABLE;
    } else {
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
    if (!hectic_filter_pass(filter->filter, event)) return false;
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
    return filter->passed >= filter->limit;
}
