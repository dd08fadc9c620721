/* logs.c — opens logs, and reports what is wrong with them. */
#include "tool/input/logs.h"

#include "read/file.h"
#include "render/shell_word.h"
#include "tool/cli/message.h"
#include "tool/files/input_files.h"
#include "tool/input/live_log.h"
#include "tool/input/redaction.h"
#include "tool/output/cells.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* As logs_refuse_program_at; `fd` is open on the file. */
static bool refuse_program(int fd, const char *path)
{
    char magic[4] = "";
    const ssize_t length = file_pread(fd, magic, sizeof magic, 0);
    const bool is_program = (length == 4 && memcmp(magic, "\177ELF", 4) == 0) ||
                            (length >= 2 && memcmp(magic, "#!", 2) == 0);
    if (!is_program) return false;
    const char *folder = strchr(path, '/') ? "" : "./";
    char *word = shell_word(path);
    if (!word) tool_out_of_memory();
    tool_message(
        "%s: this is a program, not a log; to run it: hectic run %s%s, or hectic run --top "
        "%s%s",
        path, folder, word, folder, word);
    free(word);
    live_log_fail(TOOL_USAGE);
    return true;
}

bool logs_refuse_program_at(const char *path)
{
    struct stat status;
    const int fd =
        stat(path, &status) == 0 && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const bool is_program = fd >= 0 && refuse_program(fd, path);
    if (fd >= 0) close(fd);
    return is_program;
}

static hectic_input *open_live(const char *text)
{
    int code;
    const bool is_source = live_log_is(text);
    const struct live_log_options options = {.ends_at_end_marker = is_source};
    if (is_source && isatty(STDERR_FILENO))
        tool_message("%s: reading until the log ends, or until interrupted (Ctrl-C)", text);
    struct live_log *log = live_log_open(text, &options, &code);
    hectic_input *input = log ? live_log_input(log) : NULL;
    if (input) hectic_input_limit_spool(input, tool_spool_limit());
    return input;
}

static hectic_input *open_any(const char *path)
{
    if (live_log_may_be(path)) return open_live(path);
    hectic_error error = {0};
    struct stat status;
    const int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                          : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        tool_message("%s: %s", tool_log_name(path), strerror(errno));
        return NULL;
    }
    if ((fstat(fd, &status) == 0 && !input_files_may_read(&status)) || refuse_program(fd, path)) {
        close(fd);
        return NULL;
    }
    hectic_input *input = hectic_input_from_fd(fd, &error);
    if (input)
        hectic_input_limit_spool(input, tool_spool_limit());
    else
        tool_log_error(path, &error);
    return input;
}

static struct redaction *redaction_of_inputs; /* NULL: none */

void tool_input_redact(struct redaction *redaction)
{
    redaction_of_inputs = redaction;
}

hectic_input *tool_input_open(const char *path)
{
    hectic_input *input = open_any(path);
    if (!input || !redaction_of_inputs) return input;
    input = redaction_input(input, path, redaction_of_inputs);
    if (input) hectic_input_limit_spool(input, tool_spool_limit());
    return input;
}

bool tool_input_is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static hectic_log *open_log(hectic_input *input, const char *path, hectic_log_options options,
                            struct progress *progress)
{
    hectic_error error = {0};
    options.progress = progress_update;
    options.progress_user = progress;
    hectic_log *log = hectic_log_open(input, &options, &error);
    if (log == NULL) {
        progress_end(progress);
        tool_log_error(path, &error);
    }
    return log;
}

hectic_log *tool_log_open(hectic_input *input, const char *path, uint64_t from, uint64_t to,
                          struct progress *progress)
{
    return open_log(input, path, (hectic_log_options){.from = from, .to = to}, progress);
}

hectic_log *tool_log_open_interval(hectic_input *input, const char *path, uint64_t from,
                                   uint64_t to, struct progress *progress)
{
    return open_log(input, path, (hectic_log_options){.interval_from = from, .to = to}, progress);
}

void logs_report_damage(const char *path, const hectic_damage *damage)
{
    char text[200];
    hectic_error_text(&damage->error, text, sizeof text);
    tool_message("%s: byte %" PRIu64 ": %s; skipped %s", tool_log_name(path),
                 damage->error.position, text, quantity(damage->skipped, "byte").text);
}

bool logs_shows_loss(struct losses *losses)
{
    return losses->places++ < TOOL_PLACES_SHOWN || losses->is_verbose;
}

void logs_report_lost(void *user, const hectic_damage *damage)
{
    struct losses *losses = user;
    if (logs_shows_loss(losses)) logs_report_damage(losses->path, damage);
}

void logs_report_more_lost(const struct losses *losses)
{
    if (!losses->is_verbose) logs_report_more(losses->path, losses->places, TOOL_PLACES_SHOWN);
}

void logs_report_more(const char *path, uint64_t places, uint64_t shown)
{
    if (places > shown)
        tool_message("%s: and %s", tool_log_name(path),
                     quantity(places - shown, "more such place").text);
}

void logs_report_left_out(const char *path, uint64_t events, unsigned processes)
{
    if (events > 0)
        tool_message("%s: ignored %s: of a cap that belongs to no process, or to a process after "
                     "the first %u",
                     tool_log_name(path), quantity(events, "event").text, processes);
}

void tool_report_no_header(const char *path, const hectic_decoder *decoder)
{
    size_t tail;
    hectic_decoder_tail(decoder, &tail);
    tool_log_error(path, &(hectic_error){.kind = HECTIC_HEADER_TRUNCATED,
                                         .number = hectic_decoder_position(decoder) + tail});
}

void logs_report_none(const char *path, bool is_cut, const char *what, const char *need)
{
    tool_message("%s: the log has no %s%s%s%s", tool_log_name(path), what,
                 is_cut ? "; it was cut, and may have lost them" : " (", is_cut ? "" : need,
                 is_cut ? "" : ")");
}

bool tool_is_early_end(const hectic_error *error, const hectic_header *header)
{
    return error->kind == HECTIC_COMPRESSION && header;
}

const char *tool_end_missing(bool is_cut_off)
{
    return is_cut_off ? "the compressed file is truncated" : "still running, killed, or truncated";
}

void tool_note_unfinished(const char *path, const struct output_settings *settings, bool is_cut_off,
                          uint64_t tail)
{
    if (!settings->verbose && (settings->quiet || !isatty(STDERR_FILENO))) return;
    tool_message("%s: note: no end marker: %s", tool_log_name(path), tool_end_missing(is_cut_off));
    if (tail > 0)
        tool_message("%s: note: skipped %s of an unfinished event", tool_log_name(path),
                     quantity(tail, "byte").text);
}

void tool_note_coverage(const hectic_log *log, const char *path, uint64_t to,
                        const struct output_settings *settings)
{
    const hectic_survey *survey = hectic_log_survey(log);
    for (size_t i = 0; i < survey->sections && !settings->quiet; i++) {
        const hectic_section *section = &survey->section[i];
        if (section->events > 0 && section->lacks_caps)
            tool_message("%s: note: the log was cut before the events of each cap, and those of no "
                         "cap, had been written: what is missing does not count",
                         tool_log_name(path));
        if (section->covered_to >= section->last_time || section->covered_to >= to) continue;
        tool_message("%s: note: the log has all caps until %.3f s only, and some until %.3f s; "
                     "later events do not count",
                     tool_log_name(path), (double)section->covered_to / 1e9,
                     (double)section->last_time / 1e9);
    }
}

int tool_log_report(const hectic_log *log, const char *path, hectic_result last,
                    const struct output_settings *settings)
{
    size_t kept;
    uint64_t count;
    const hectic_damage *damage = hectic_log_damage(log, &kept, &count);
    const size_t shown = kept < TOOL_PLACES_SHOWN || settings->verbose ? kept : TOOL_PLACES_SHOWN;
    for (size_t i = 0; i < shown; i++)
        logs_report_damage(path, &damage[i]);
    logs_report_more(path, count, shown);
    if (last == HECTIC_ERROR) {
        tool_log_error(path, hectic_log_error(log));
        return TOOL_UNUSABLE;
    }
    const hectic_survey *survey = hectic_log_survey(log);
    const bool ended_early = kept > 0 && damage[kept - 1].error.kind == HECTIC_COMPRESSION;
    if (last == HECTIC_PARTIAL && !ended_early)
        tool_note_unfinished(path, settings, survey->cut_off, survey->tail);
    return count > 0 ? TOOL_DAMAGED : TOOL_OK;
}

void tool_raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}
