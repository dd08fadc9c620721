/* filters.c — the filters of the command line: the library's filter, with times resolved, --match
 * and --limit. */
#include "tool/input/filters.h"
#include "tool/cli/message.h"
#include "tool/cli/times.h"
#include "tool/input/live_log.h"
#include "tool/input/markers.h"
#include "tool/input/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct tool_filter {
    hectic_filter *filter;
    const char *path; /* of the log */
    uint64_t from, to;
    struct pattern *pattern; /* --match, or NULL */
    char *text;              /* buffer for the text to match */
    uint64_t limit, passed;
    bool is_empty; /* all events pass */
    bool failed;   /* a match was given up */
};

static void fail(struct tool_filter *filter, const hectic_event *event)
{
    filter->failed = true;
    tool_message("%s: byte %" PRIu64 ": cannot match the event with --match: %s; use a pattern "
                 "without nested or optional repetitions",
                 tool_log_name(filter->path), event->position, pattern_problem(filter->pattern));
}

static bool matches(struct tool_filter *filter, const hectic_renderer *renderer,
                    const hectic_event *event)
{
    const size_t length =
        hectic_render_text(renderer, event, HECTIC_UNKNOWN_DESCRIBED, filter->text);
    /* Rendered text is valid UTF-8. */
    const int result = pattern_match(filter->pattern, filter->text, length);
    if (result < 0) fail(filter, event);
    return result > 0;
}

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
    int code = time_resolve("", settings->from, settings->to, input, path, &from, &to);
    if (code == TOOL_OK && settings->match) {
        filter->pattern = pattern_new(settings->match, "match", &code);
        filter->text = filter->pattern ? malloc(HECTIC_RENDER_MAX) : NULL;
    }
    if (code != TOOL_OK) return code;
    if (filter->pattern && !filter->text) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    if (settings->from || settings->to) hectic_filter_time(filter->filter, from, to);
    if (!add_restrictions(filter->filter, settings)) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    /* --thread needs the state of the caps, which is known only from the beginning. */
    filter->from = settings->threads.count > 0 ? 0 : from;
    filter->to = to;
    filter->limit = settings->limit ? settings->limit : UINT64_MAX;
    filter->is_empty = !settings->from && !settings->to && !settings->match && !settings->limit &&
                       settings->caps.count + settings->events.count + settings->classes.count +
                               settings->threads.count ==
                           0;
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
    pattern_free(filter->pattern);
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

uint64_t tool_filter_implied(const struct tool_filter *filter)
{
    return hectic_filter_implied(filter->filter);
}

bool tool_filter_is_empty(const struct tool_filter *filter)
{
    return filter->is_empty;
}

bool tool_filter_is_done(const struct tool_filter *filter)
{
    return filter->failed || filter->passed >= filter->limit;
}

bool tool_filter_failed(const struct tool_filter *filter)
{
    return filter && filter->failed;
}
