/* ctf.c — a log in the Common Trace Format 1.8: all events with their fields, for babeltrace2,
 * Trace Compass and others. A section is a trace of its own, as it has a clock of its own. */
#include "tool/verbs/export/ctf/ctf.h"

#include "read/time_pass.h"
#include "tool/cli/message.h"
#include "tool/input/log_reading.h"
#include "tool/input/logs.h"
#include "tool/verbs/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Readers count in ns, signed, from 1970. A later time is of damage: the half is left for the day
 * on which the log begins. */
static const uint64_t TIME_MAX = (UINT64_C(1) << 62) - 1;

struct ctf {
    hectic_log *log;
    struct interval interval;
    struct progress progress;
    struct ctf_folder folder;
    struct ctf_environment environment; /* of the section, as the next two */
    struct ctf_classes classes;
    struct ctf_streams *streams;
    uint64_t impossible; /* events with impossible times: they are left out */
};

/* --- A section ------------------------------------------------------------------------------- */

/* The metadata have all types that the header declares: so their size is bounded by the log's. */
static void add_declared(struct ctf_classes *classes, const hectic_header *header)
{
    size_t shapes, types;
    const hectic_shape *catalogue = hectic_catalogue(&shapes);
    const hectic_event_type *type = hectic_header_types(header, &types);
    *classes = (struct ctf_classes){0};
    for (size_t i = 0; i < types; i++)
        ctf_classes_add(classes, type[i].shape ? ctf_class_of((size_t)(type[i].shape - catalogue),
                                                              type[i].shape)
                                               : CTF_UNKNOWN);
}

static pass_next begin_section(void *self, const struct log_section *section)
{
    struct ctf *ctf = self;
    struct ctf_environment *environment = &ctf->environment;
    const bool has_several = hectic_log_survey(ctf->log)->sections > 1;
    if (has_several && section->found->events == 0) return PASS_SKIP;
    add_declared(&ctf->classes, section->header);
    environment->section = section->number;
    environment->shifted_stop_status = hectic_header_shifted_stop_status(section->header);
    if (!ctf_folder_begin(&ctf->folder, has_several ? section->number : 0) ||
        !hectic_summarize_section(ctf->log, section->number - 1, &environment->program))
        return PASS_STOP;
    ctf->streams = ctf_streams_new(&ctf->folder, &ctf->classes);
    return ctf->streams ? PASS_ON : PASS_STOP;
}

/* Before the interval, the log delivers some events, too. */
static pass_next take_events(void *self, const hectic_event *event, size_t count)
{
    struct ctf *ctf = self;
    const uint64_t from = ctf->interval.from;
    const size_t before = from > 0 ? events_until(event, count, from - 1) : 0;
    const size_t possible = events_until(event, count, TIME_MAX);
    const size_t end = possible > before ? possible : before;
    ctf->impossible += count - end;
    return ctf_streams_add(ctf->streams, event + before, end - before) ? PASS_ON : PASS_STOP;
}

static void free_section(struct ctf *ctf)
{
    ctf_streams_free(ctf->streams);
    ctf->streams = NULL;
    hectic_summary_clear(&ctf->environment.program);
}

static bool end_section(void *self, const struct log_section *section)
{
    struct ctf *ctf = self;
    (void)section;
    const bool done = ctf_streams_end(ctf->streams) &&
                      ctf_metadata_write(&ctf->folder, &ctf->environment, &ctf->classes) &&
                      ctf_folder_end(&ctf->folder);
    free_section(ctf);
    return done;
}

/* --- The log --------------------------------------------------------------------------------- */

static void show_progress(void *self, double done)
{
    progress_update(&((struct ctf *)self)->progress, done);
}

static bool has_day(const hectic_summary *program)
{
    enum { SECOND = 1000000000 };
    return program->has_wall_clock && program->start_seconds < (INT64_MAX - TIME_MAX) / SECOND - 1;
}

/* What is known about all programs. False: out of memory. */
static bool summarize(struct ctf *ctf)
{
    const hectic_survey *survey = hectic_log_survey(ctf->log);
    struct ctf_environment *environment = &ctf->environment;
    environment->is_absolute = true;
    for (size_t i = 0; i < survey->sections && environment->is_absolute; i++) {
        if (!hectic_summarize_section(ctf->log, i, &environment->program)) return false;
        environment->is_absolute = has_day(&environment->program);
        hectic_summary_clear(&environment->program);
    }
    /* Of several sections, it is not known which one the processes are of. */
    return survey->sections > 1 ||
           hectic_summarize_processes(ctf->log, &environment->process, &environment->processes);
}

static int open_log(struct ctf *ctf, const struct export_run *export)
{
    const struct export_settings *settings = export->settings;
    ctf->progress = progress_start(&settings->output);
    progress_survey(&ctf->progress);
    return log_reading_open_log(export->path, &settings->interval, READING_STATES, &ctf->interval,
                                &ctf->progress, &ctf->log);
}

/* babeltrace2 has all streams open at the same time. */
static void note_files(const struct ctf *ctf, const struct export_run *export)
{
    enum { OTHERS = 100 };
    const size_t streams = ctf->folder.streams, files = streams + OTHERS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < files)
        export_note(export,
                    "the trace has %zu streams: to read it, babeltrace2 must be allowed to open "
                    "more files (ulimit -n %zu)",
                    streams, files);
}

static int write_log(struct ctf *ctf, const struct export_run *export)
{
    static const struct time_consumer consumer = {begin_section, take_events, end_section,
                                                  show_progress};
    const struct output_settings *output = &export->settings->output;
    int code = TOOL_UNUSABLE;
    if (!ctf_folder_open(&ctf->folder, output)) return code;
    progress_pass(&ctf->progress);
    const bool is_known = summarize(ctf);
    const hectic_result last = is_known ? time_pass(ctf->log, &consumer, ctf) : HECTIC_GOT_EVENT;
    progress_end(&ctf->progress);
    if (last == HECTIC_GOT_EVENT) {
        if (!ctf->folder.has_failed) tool_message("out of memory");
        return code;
    }
    code = tool_log_report(ctf->log, export->path, last, output);
    if (code != TOOL_UNUSABLE && !ctf_folder_publish(&ctf->folder)) code = TOOL_UNUSABLE;
    if (code != TOOL_UNUSABLE) note_files(ctf, export);
    if (ctf->impossible > 0) {
        tool_message("%s: events with impossible times (2^62 ns or more), left out: %" PRIu64,
                     tool_log_name(export->path), ctf->impossible);
        if (code == TOOL_OK) code = TOOL_DAMAGED;
    }
    if (code != TOOL_UNUSABLE && interval_check(&ctf->interval, ctf->log, export->path) != TOOL_OK)
        code = TOOL_DAMAGED;
    return code;
}

int ctf_export(struct export_run *export, bool *done)
{
    struct ctf *ctf = calloc(1, sizeof *ctf);
    if (!ctf) return tool_message("out of memory"), TOOL_UNUSABLE;
    int code = open_log(ctf, export);
    if (code == TOOL_OK) code = write_log(ctf, export);
    *done = code == TOOL_OK || code == TOOL_DAMAGED;
    free_section(ctf);
    ctf_folder_close(&ctf->folder);
    hectic_summaries_free(ctf->environment.process, ctf->environment.processes);
    hectic_log_free(ctf->log);
    free(ctf);
    return code;
}
