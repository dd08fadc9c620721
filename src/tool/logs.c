/* logs.c — opening logs, and telling what was wrong with them. */
#include "tool.h"

#include <inttypes.h>
#include <unistd.h>

hectic_input *tool_input_open(const char *path)
{
    hectic_error error = {0};
    hectic_input *input = hectic_input_open(path, &error);
    if (input == NULL) tool_complain_error(path, &error);
    return input;
}

hectic_log *tool_log_open(hectic_input *input, const char *path, uint64_t from, uint64_t to,
                          struct progress *progress)
{
    const hectic_log_options options = {
        .from = from, .to = to, .progress = progress_update, .progress_user = progress};
    hectic_error error = {0};
    hectic_log *log = hectic_log_open(input, &options, &error);
    if (log == NULL) {
        progress_end(progress);
        tool_complain_error(path, &error);
    }
    return log;
}

static void report_damage(const char *path, const hectic_damage *damage)
{
    char text[200];
    hectic_error_text(&damage->error, text, sizeof text);
    tool_complain("%s: byte %" PRIu64 ": %s; skipped %" PRIu64 " bytes", tool_log_name(path),
                  damage->error.position, text, damage->skipped);
}

void tool_note_unfinished(const char *path, const struct output_settings *settings, uint64_t tail)
{
    if (!settings->verbose && (settings->quiet || !isatty(STDERR_FILENO))) return;
    tool_complain("%s: note: there is no end marker: the program was killed, or still runs",
                  tool_log_name(path));
    if (tail > 0)
        tool_complain("%s: note: %" PRIu64 " bytes of an unfinished event are left out",
                      tool_log_name(path), tail);
}

int tool_log_report(const hectic_log *log, const char *path, hectic_result last,
                    const struct output_settings *settings)
{
    size_t kept;
    uint64_t count;
    const hectic_damage *damage = hectic_log_damage(log, &kept, &count);
    const size_t shown = kept < TOOL_PLACES_SHOWN || settings->verbose ? kept : TOOL_PLACES_SHOWN;
    for (size_t i = 0; i < shown; i++)
        report_damage(path, &damage[i]);
    if (count > shown)
        tool_complain("%s: and %" PRIu64 " more such places", tool_log_name(path), count - shown);
    if (last == HECTIC_ERROR) {
        tool_complain_error(path, hectic_log_error(log));
        return TOOL_UNUSABLE;
    }
    if (last == HECTIC_PARTIAL) tool_note_unfinished(path, settings, hectic_log_survey(log)->tail);
    return count > 0 ? TOOL_DAMAGED : TOOL_OK;
}
