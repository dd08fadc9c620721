/* recording.c — see recording.h. */
#include "tool/passes/recording.h"

#include "relay/program.h"
#include "tool/cli/message.h"
#include "tool/cli/options.h"
#include "tool/input/loop.h"
#include "tool/passes/live_lines.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

const struct tool_option recording_options[] = {
    {"record", 'r', "DIR", "record logs in DIR, compressed", "@files",
     offsetof(struct recording_settings, directory), tool_set_text},
    {"record-size", 0, "SIZE", "rotate files after SIZE (default 1Gi)", NULL,
     offsetof(struct recording_settings, file_size), tool_set_amount},
    {"record-time", 0, "TIME", "rotate files after TIME (default 1h)", NULL,
     offsetof(struct recording_settings, file_time), tool_set_duration},
    {"keep-free", 0, "SIZE", "remove the oldest to keep SIZE free (default 1Gi)", NULL,
     offsetof(struct recording_settings, keep_free), tool_set_amount},
    {0},
};

const char recording_note[] =
    "With --record, the log of each program is written to files in DIR, compressed by zstd and "
    "rotated by size and time. File names are NAME-YYYYMMDDTHHMMSSZ-NUMBER.eventlog.zst, with the "
    "name of the program and the start in UTC. Each file is a log of its own, which begins with "
    "the "
    "live state; only the last has an end marker, if the program wrote one. After a crash, at most "
    "the last second is missing. If less than --keep-free is free on the disk, the oldest files of "
    "the program are removed; each is reported with its size, number of events and time. So that "
    "others remain then, a file also ends when it takes an eighth of the space for the program. "
    "If removing all of them would not make room for some seconds of the log, or if somebody else "
    "takes that room, recording fails. It resumes when there is room for ten seconds (at most half "
    "of the disk); until then files are removed one by one, with growing delays if others take "
    "the room. The environment of the program is not recorded.";

static void report(void *user, const char *text)
{
    (void)user;
    tool_message("%s", text);
}

struct record_options recording_record_options(const struct recording_settings *settings)
{
    enum { MS = 1000000, SYNC_MS = 1000, HOUR_MS = 3600000, GIB = 1 << 30 };
    return (struct record_options){
        .directory = settings->directory,
        .file_bytes = settings->file_size ? settings->file_size : GIB,
        .file_ms = settings->file_time ? settings->file_time / MS : HOUR_MS,
        .free_bytes = settings->keep_free ? settings->keep_free : GIB,
        .sync_ms = SYNC_MS,
        .report = report,
    };
}

bool recording_prepare(const struct record_options *options)
{
    char message[MESSAGE_SIZE];
    if (record_prepare(options, message, sizeof message)) return true;
    tool_message("%s", message);
    return false;
}

/* --- Of one program -------------------------------------------------------------------------- */

struct recording {
    struct record_options options;
    char name[PROGRAM_NAME_SIZE];
    uv_loop_t loop;
    diagnostics diagnostics;
    bytes out;        /* for `program` */
    program *program; /* its current log; NULL: no memory */
};

static void begin_log(struct recording *r)
{
    char message[MESSAGE_SIZE];
    const struct program_options options = {.header_first = true,
                                            .record = &r->options,
                                            .out = &r->out,
                                            .diagnostics = &r->diagnostics};
    r->program = program_new(&r->loop, &options);
    if (!r->program) {
        tool_message("out of memory");
        return;
    }
    program_set_name(r->program, r->name);
    if (!program_open(r->program, message, sizeof message)) tool_message("%s", message);
}

static void end_log(struct recording *r)
{
    if (r->program) program_end(r->program, NULL, NULL);
    r->program = NULL;
}

struct recording *recording_new(const struct recording_settings *settings, const char *name)
{
    struct recording *r = calloc(1, sizeof *r);
    if (!r) tool_out_of_memory();
    const char *slash = strrchr(name, '/');
    r->options = recording_record_options(settings);
    snprintf(r->name, sizeof r->name, "%s", slash ? slash + 1 : name);
    const bool is_prepared = recording_prepare(&r->options);
    const int error = is_prepared ? loop_open(&r->loop) : 0;
    if (error) tool_message("%s", uv_strerror(error));
    if (!is_prepared || error) {
        free(r);
        return NULL;
    }
    diagnostics_begin(&r->diagnostics, report, NULL);
    begin_log(r);
    return r;
}

/* Another log may follow the first, as when the program executes another one. */
void recording_bytes(struct recording *r, const void *at, size_t length)
{
    bytes rest = {0};
    while (r->program) {
        program_bytes(r->program, at, length);
        bytes_clear(&rest);
        if (!program_is_over(r->program)) return;
        rest = program_take_rest(r->program);
        end_log(r);
        begin_log(r);
        at = rest.at;
        length = rest.size;
        if (length == 0) break;
    }
    bytes_clear(&rest);
}

void recording_tick(struct recording *r)
{
    if (r->program) program_tick(r->program);
    uv_run(&r->loop, UV_RUN_NOWAIT);
}

void recording_free(struct recording *r)
{
    if (!r) return;
    end_log(r);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    uv_loop_close(&r->loop);
    diagnostics_end(&r->diagnostics);
    bytes_clear(&r->out);
    free(r);
}
