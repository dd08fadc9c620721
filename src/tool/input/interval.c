/* interval.c — see interval.h. */
#include "tool/input/interval.h"

#include "tool/cli/message.h"
#include "tool/cli/options.h"
#include "tool/cli/times.h"
#include "tool/input/markers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool set_between(void *field, const char *argument)
{
    const char **between = field;
    if (between[1]) {
        tool_usage_error("too many markers for --between: \"%s\" is the third", argument);
        return false;
    }
    between[between[0] != NULL] = argument;
    return true;
}

static bool set_to(void *field, const char *argument)
{
    const char **to = field;
    to[1] = to[0];
    to[0] = argument;
    return true;
}

const struct tool_option interval_options[] = {
    {"from", 0, "TIME", "start of the interval, end of the interval", NULL,
     offsetof(struct interval_settings, from), tool_set_text},
    {"to", 0, "TIME", NULL, NULL, offsetof(struct interval_settings, to), set_to},
    {"between", 0, "A..B", "from marker A to the next marker B", NULL,
     offsetof(struct interval_settings, between), set_between},
    {0},
};

const struct tool_option process_options[] = {
    {"process", 0, "PID", "one process of a merged log; or capset:N", NULL,
     offsetof(struct interval_settings, process), process_parse},
    {0},
};

const char interval_note[] =
    "TIME is a number with a unit (1.5s, 20ms, 3us, 100ns), or "
    "marker:NAME, the time of the first marker of that name (Debug.Trace.traceMarker). --between "
    "may also be given twice, once for each marker; A.. reaches to the end of the log, ..B from "
    "its "
    "beginning. If something extends beyond the interval, only "
    "the part inside counts. A live log ends when --to is reached: when each cap is half a second "
    "past that time, or the log 5 s.";

const char process_note[] =
    "In a log that hectic merge made of several processes, each process is analyzed separately. "
    "--process takes the pid of one; if no process has that pid, the number is that of a capset.";

static int resolve_between(const struct interval_settings *settings, hectic_input *input,
                           const char *path, struct interval *interval)
{
    if (settings->from || settings->to) {
        tool_usage_error("--between cannot be combined with --from or --to");
        return TOOL_USAGE;
    }
    const char *dots = strstr(settings->between[0], "..");
    const char *second = settings->between[1];
    char *first = strdup(settings->between[0]);
    if (!first) tool_out_of_memory();
    if (!second && dots) {
        second = dots + 2;
        first[dots - settings->between[0]] = 0;
    }
    int code = TOOL_OK;
    if (!second || (!*first && !*second)) {
        tool_usage_error("invalid interval \"%s\" for --between (examples: A..B, A.. to the end, "
                         "..B from the beginning)",
                         settings->between[0]);
        code = TOOL_USAGE;
    }
    if (code == TOOL_OK && *first)
        code = time_of_marker(input, path, first, 0, NULL, &interval->from);
    /* A..A ends at the second marker A. */
    const uint64_t after = interval->from + (second && strcmp(first, second) == 0);
    if (code == TOOL_OK && *second)
        code = time_of_marker(input, path, second, after, *first ? first : NULL, &interval->to);
    free(first);
    return code;
}

int interval_resolve(const struct interval_settings *settings, hectic_input *input,
                     const char *path, struct interval *interval)
{
    *interval = (struct interval){.from = 0, .to = UINT64_MAX};
    if (settings->between[0]) return resolve_between(settings, input, path, interval);
    return time_resolve(settings->prefix ? settings->prefix : "", settings->from, settings->to,
                        input, path, &interval->from, &interval->to);
}

int interval_check(const struct interval *interval, const hectic_log *log, const char *path)
{
    const hectic_survey *survey = hectic_log_survey(log);
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < survey->sections; i++) {
        if (survey->section[i].first_time < first) first = survey->section[i].first_time;
        if (survey->section[i].last_time > last) last = survey->section[i].last_time;
    }
    if (interval->from == interval->to) {
        tool_message("%s: the interval is empty", tool_log_name(path));
        return TOOL_DAMAGED;
    }
    if (first > last || (interval->from <= last && interval->to > first)) return TOOL_OK;
    const uint64_t second = 1000000000;
    tool_message("%s: the interval is outside the log, which lasts from %" PRIu64 ".%09" PRIu64
                 "s to %" PRIu64 ".%09" PRIu64 "s",
                 tool_log_name(path), first / second, first % second, last / second, last % second);
    return TOOL_DAMAGED;
}
