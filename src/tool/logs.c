/* logs.c — opening logs, and telling what was wrong with them. */
#include "living_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A FIFO, once somebody writes to it. */
static int open_fifo(const char *path)
{
    enum { PATIENCE_MS = 1000 };
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return -1;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (poll(&ready, 1, PATIENCE_MS) == 0)
        tool_complain("waiting for a program to write to %s; one compiled by GHC does so when "
                      "started with: +RTS -l -ol%s",
                      path, path);
    while (poll(&ready, 1, -1) < 0 && errno == EINTR)
        continue;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

static bool is_fifo(const char *path)
{
    struct stat status;
    return strncmp(path, "/dev/", 5) != 0 && stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

static hectic_input *open_input(const char *path, const char *name)
{
    hectic_error error = {0};
    const int fifo = is_fifo(path) ? open_fifo(path) : -1;
    hectic_input *input =
        fifo >= 0 ? hectic_input_from_fd(fifo, &error) : hectic_input_open(path, &error);
    if (input)
        hectic_input_limit_spool(input, tool_spool_limit());
    else
        tool_complain_error(name, &error);
    return input;
}

/* --- Living programs ------------------------------------------------------------------------- */

struct spool {
    const char *source;
    FILE *file;
    hectic_decoder *decoder;
    bool complete; /* the end marker has come */
};

static int begin(void *user)
{
    (void)user;
    return TOOL_OK;
}

static int keep(void *user, const void *bytes, size_t length)
{
    struct spool *spool = user;
    hectic_event event;
    hectic_result result;
    hectic_decoder_push(spool->decoder, bytes, length);
    while ((result = hectic_decoder_pull(spool->decoder, &event)) != HECTIC_PARTIAL) {
        spool->complete = result == HECTIC_COMPLETE;
        if (result != HECTIC_ERROR) continue;
        if (!hectic_decoder_header(spool->decoder)) {
            tool_complain_error(spool->source, hectic_decoder_error(spool->decoder));
            return TOOL_UNUSABLE;
        }
        hectic_decoder_resync(spool->decoder);
    }
    if (fwrite(bytes, 1, length, spool->file) == length && fflush(spool->file) == 0) return TOOL_OK;
    tool_complain("cannot keep the log in a temporary file: %s", strerror(errno));
    return TOOL_UNUSABLE;
}

static bool is_complete(void *user)
{
    return ((const struct spool *)user)->complete;
}

/* The log up to its end, or as far as it has come when the user interrupts. */
static int read_living(const char *source, FILE *file)
{
    static const struct living_log_calls calls = {begin, keep, is_complete, true};
    struct spool spool = {.source = source, .file = file, .decoder = hectic_decoder_new()};
    if (!spool.decoder) {
        tool_complain("out of memory");
        return TOOL_UNUSABLE;
    }
    if (isatty(STDERR_FILENO))
        tool_complain("%s: read until its log ends; an interrupt tells how things are by then",
                      source);
    const int code = living_log_read(source, false, false, &calls, &spool);
    hectic_decoder_free(spool.decoder);
    return code;
}

static hectic_input *open_living(const char *source)
{
    const char *directory = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/hectic-XXXXXX", directory && *directory ? directory : "/tmp");
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) {
        tool_complain("%s: cannot make a temporary file: %s", path, strerror(errno));
        if (fd >= 0) close(fd);
        return NULL;
    }
    const int code = read_living(source, file);
    hectic_input *input = code == TOOL_OK ? open_input(path, source) : NULL;
    unlink(path);
    fclose(file);
    return input;
}

hectic_input *tool_input_open(const char *path)
{
    return living_log_is(path) ? open_living(path) : open_input(path, path);
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

bool tool_is_early_end(const hectic_error *error, const hectic_header *header)
{
    return error->kind == HECTIC_COMPRESSION && header;
}

void tool_note_unfinished(const char *path, const struct output_settings *settings, bool is_cut_off,
                          uint64_t tail)
{
    if (!settings->verbose && (settings->quiet || !isatty(STDERR_FILENO))) return;
    tool_complain("%s: note: there is no end marker: %s", tool_log_name(path),
                  is_cut_off ? "the compressed file is cut off"
                             : "the program was killed, or still runs");
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
    const hectic_survey *survey = hectic_log_survey(log);
    const bool ended_early = kept > 0 && damage[kept - 1].error.kind == HECTIC_COMPRESSION;
    if (last == HECTIC_PARTIAL && !ended_early)
        tool_note_unfinished(path, settings, survey->cut_off, survey->tail);
    return count > 0 ? TOOL_DAMAGED : TOOL_OK;
}
