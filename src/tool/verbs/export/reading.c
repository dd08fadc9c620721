/* reading.c — reads logs for all formats, and chooses the profile. */
#include "numbers/saturating.h"
#include "tool/cli/message.h"
#include "tool/verbs/export/export.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void export_note(const struct export_run *export, const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (export->settings->output.quiet) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tool_message("%s: note: %s", tool_log_name(export->path), text);
}

/* --- The choice of a profile ------------------------------------------------------------------ */

bool choice_add(struct choice *choice, size_t section, const char *title, uint64_t first)
{
    const size_t used = strlen(choice->list), room = sizeof choice->list - used;
    char text[128], from[32] = "";
    choice->count++;
    if (first != UINT64_MAX) snprintf(from, sizeof from, " from %.3fs", (double)first / 1e9);
    snprintf(text, sizeof text, "%s%" PRIu64 ": %s%s", used ? "; " : "", choice->count, title,
             from);
    if (section > 1) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, ", section %zu", section);
    }
    /* Whole ones. */
    if (strlen(text) < room) memcpy(choice->list + used, text, strlen(text) + 1);
    return choice->count == (choice->wanted ? choice->wanted : 1);
}

bool choice_add_heap(struct choice *choice, size_t section, const hectic_heap_kind *kind,
                     uint64_t first)
{
    char title[16] = "heap";
    if (kind->flag) snprintf(title, sizeof title, "-h%c", kind->flag);
    return choice_add(choice, section, title, kind->has_times ? first : UINT64_MAX);
}

bool choice_is_unclear(const struct choice *choice)
{
    return choice->wanted == 0 && choice->count > 1;
}

/* The log has no such profile, or none in the part of it. */
static int complain(const struct export_run *export, unsigned kinds)
{
    static const struct {
        const char *name, *samples, *flags;
    } about[] = {
        [PROFILE_TIME] = {"time profile", "samples of a time profile",
                          "build with ghc -prof, and run with +RTS -p -l"},
        [PROFILE_HEAP] = {"heap profile", "samples of a heap profile",
                          "run with +RTS -hT -l (or build with ghc -prof, and run "
                          "with +RTS -hc -l)"},
        [PROFILE_TIME | PROFILE_HEAP] = {"profile", "samples of a profile",
                                         "build with ghc -prof, and run with +RTS -p -l "
                                         "(time) or +RTS -hc -l (heap)"},
    };
    const struct interval *interval = &export->reading.interval;
    const char *name = tool_log_name(export->path);
    if (interval->from > 0 || interval->to < UINT64_MAX || export->settings->cap.is_set)
        tool_message("%s: no samples of a %s in this part of the log", name, about[kinds].name);
    else if (export->reading.is_cut)
        logs_report_none(export->path, true, about[kinds].samples, "");
    else if (export->begun & kinds)
        tool_message("%s: the %s has no samples: the program ended before the first, or profiling "
                     "was off",
                     name, about[kinds & export->begun].name);
    else
        tool_message("%s: no %s: %s", name, about[kinds].name, about[kinds].flags);
    return TOOL_DAMAGED;
}

int export_chosen(const struct export_run *export, const struct choice *choice, unsigned kinds,
                  int code, bool *done)
{
    const char *name = tool_log_name(export->path);
    *done = false;
    if (choice_is_unclear(choice)) {
        tool_usage_error("%s has several profiles: choose one by --profile N (%s)", name,
                         choice->list);
        return TOOL_USAGE;
    }
    if (code == TOOL_UNUSABLE) {
        if (export->reading.stopped && !sink_failed(export->sink)) tool_message("out of memory");
        return code;
    }
    if (choice->count == 0)
        return code == TOOL_DAMAGED && !export->reading.has_events ? code : complain(export, kinds);
    if (choice->wanted > choice->count) {
        tool_usage_error("%s has no profile %" PRIu64 " (%s)", name, choice->wanted, choice->list);
        return TOOL_USAGE;
    }
    *done = true;
    return code;
}

/* --- Notes ------------------------------------------------------------------------------------ */

static void note_symbols(const struct export_run *export, const hectic_symbols *symbols)
{
    const uint64_t omitted = hectic_symbols_omitted(symbols);
    if (omitted > 0) export_note(export, "too many names; those left out: %" PRIu64, omitted);
}

void export_note_time(const struct export_run *export, const hectic_time_warnings *warnings,
                      const hectic_symbols *symbols)
{
    note_symbols(export, symbols);
    if (warnings->malformed + warnings->messages > 0)
        export_note(export, "malformed samples, left out: %" PRIu64,
                    warnings->malformed + warnings->messages);
    if (warnings->omitted > 0)
        export_note(export, "too many stacks; samples that count as (others): %" PRIu64,
                    warnings->omitted);
}

void export_note_heap(const struct export_run *export, const hectic_heap_warnings *warnings,
                      const hectic_symbols *symbols)
{
    note_symbols(export, symbols);
    if (warnings->incomplete > 0)
        export_note(export, "samples without an end, left out: %" PRIu64, warnings->incomplete);
    if (warnings->outside + warnings->malformed > 0)
        export_note(export, "malformed events, left out: %" PRIu64,
                    warnings->outside + warnings->malformed);
    if (warnings->omitted > 0)
        export_note(export, "too many bands; values that count as (others): %" PRIu64,
                    warnings->omitted);
    if (warnings->has_retainers)
        export_note(export, "the log does not have what GHC counts as MANY retainers");
}

/* --- Samples of time -------------------------------------------------------------------------- */

const char *export_source_title(hectic_time_source source)
{
    return source == HECTIC_TIME_CALL_STACKS ? "call stacks" : "time";
}

bool export_wants(const struct export_run *export, const hectic_time_sample *sample)
{
    const struct interval *interval = &export->reading.interval;
    const struct export_settings *settings = export->settings;
    return time_is_inside(sample->time, interval->from, interval->to) &&
           (!settings->cap.is_set || sample->cap == settings->cap.number);
}

static enum export_weight weight_of(const struct export_run *export)
{
    const struct export_settings *settings = export->settings;
    return settings->weight == WEIGHT_DEFAULT ? settings->to->weight : settings->weight;
}

enum profile_unit export_unit(const struct export_run *export, uint64_t interval)
{
    const enum export_weight weight = weight_of(export);
    const bool is_time = weight == WEIGHT_ELAPSED || (weight == WEIGHT_INTERVAL && interval > 0);
    return is_time ? PROFILE_NS : PROFILE_SAMPLES;
}

uint64_t export_weight_of(const struct export_run *export, enum profile_unit unit,
                          const hectic_time_sample *sample)
{
    if (unit == PROFILE_SAMPLES) return 1;
    return weight_of(export) == WEIGHT_ELAPSED ? sample->since : sample->interval;
}
