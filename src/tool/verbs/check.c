/* check.c — hectic check: find damage in a log, and repair it. */
#include "source/source.h"
#include "tool/cli/message.h"
#include "tool/input/logs.h"
#include "tool/output/cells.h"
#include "tool/output/gaps.h"
#include "tool/passes/faults.h"

#include <hectic/transform.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct check_settings {
    struct output_settings output;
    struct fault_settings faults;
    bool deep, repair;
    uint64_t threads;
};

static const struct tool_option check_options[] = {
    {"deep", 0, NULL, "also check the events with state machines", NULL,
     offsetof(struct check_settings, deep), tool_set_flag},
    {"repair", 0, NULL, "write all events that can be read to OUT, as a sound log", NULL,
     offsetof(struct check_settings, repair), tool_set_flag},
    {"threads", 0, "N", "use N processors (all, up to 4)", NULL,
     offsetof(struct check_settings, threads), tool_set_count},
    {0},
};

/* What a kind of defect is called in JSON, and what it means to a user of the log. Harmless kinds,
 * which occur in logs that are cut short or of which a clock was set, do not make a log damaged. */
static const struct defect_kind {
    bool harmless;
    const char *name, *meaning;
} kinds[HECTIC_ERROR_KINDS] = {
    [HECTIC_BAD_HEADER] = {false, "bad_header",
                           "the header of a restarted log is damaged; if possible, its events are "
                           "read with the header before it"},
    [HECTIC_HEADER_TOO_LARGE] = {false, "header_too_large",
                                 "the header of a restarted log is damaged"},
    [HECTIC_UNDECLARED_EVENT] = {false, "undeclared_event",
                                 "the events in these bytes are lost; counts and times of their "
                                 "cap are wrong near this position"},
    [HECTIC_COMPRESSION] = {false, "compression",
                            "everything after this position is lost; everything before it is "
                            "readable"},
    [HECTIC_BLOCK_CROSSED] = {false, "block_crossed",
                              "the size of the block is wrong; its last event may be attributed to "
                              "the wrong cap"},
    [HECTIC_BLOCK_OVERLAPPED] = {false, "block_overlapped",
                                 "the block before it lost events, or its size is wrong"},
    [HECTIC_BLOCK_TRUNCATED] =
        {true, "block_cut",
         "the program stopped while it wrote this block, or the file was truncated"},
    [HECTIC_LATE_EVENT] = {false, "late_event",
                           "its time, or the end time of the block, is wrong; --from may skip the "
                           "last events of the block"},
    [HECTIC_TIME_BACK] = {true, "time_back",
                          "a clock was set back, or the event was written long after its "
                          "timestamp; durations near this position may be wrong"},
    [HECTIC_NO_EVENT_TYPES] = {false, "no_event_types", "no event can be read"},
    [HECTIC_MISDECLARED_EVENT] = {false, "misdeclared_event",
                                  "events of this type are shown without their fields"},
    [HECTIC_MALFORMED_EVENT] = {false, "malformed_event", "this event is shown without its fields"},
};

static const char *meaning_of(const hectic_damage *damage)
{
    const bool is_lost = damage->skipped > 0 && tool_is_damage(&damage->error);
    const char *meaning = kinds[is_lost ? HECTIC_UNDECLARED_EVENT : damage->error.kind].meaning;
    return meaning ? meaning : "the log cannot be read from this position on";
}

struct report {
    const char *name; /* of the log */
    const hectic_survey *survey;
    const hectic_damage *damage;
    size_t kept;      /* of the damage */
    uint64_t found;   /* places of damage */
    uint64_t defects; /* those that are not harmless */
    bool usable, complete;
    hectic_gaps gaps;
};

static struct report report_on(hectic_log *log, const char *path)
{
    struct report report = {
        .name = tool_log_name(path), .survey = hectic_log_survey(log), .usable = true};
    report.damage = hectic_log_damage(log, &report.kept, &report.found);
    report.defects = report.found - report.kept; /* assumed to be harmful */
    for (size_t i = 0; i < report.kept; i++) {
        const hectic_error_kind kind = report.damage[i].error.kind;
        report.defects += !kinds[kind].harmless;
        if (kind == HECTIC_NO_EVENT_TYPES) report.usable = false;
    }
    report.complete = report.survey->section[report.survey->sections - 1].complete;
    report.gaps = hectic_log_gaps(log);
    return report;
}

static const char *verdict_of(const struct report *report)
{
    return !report->usable ? "unusable" : report->defects ? "damaged" : "sound";
}

static void print_damage(struct sink *sink, const char *name, const hectic_damage *damage)
{
    char text[300];
    hectic_error_text(&damage->error, text, sizeof text);
    sink_visible(sink, name, strlen(name));
    sink_print(sink, ": byte %" PRIu64 ": %s", damage->error.position, text);
    if (damage->skipped) sink_print(sink, "; %s lost", quantity(damage->skipped, "byte").text);
    sink_print(sink, "\n    %s\n", meaning_of(damage));
}

static void print_report(const struct report *report, struct sink *sink)
{
    const hectic_survey *survey = report->survey;
    const char *name = report->name;
    for (size_t i = 0; i < report->kept; i++)
        print_damage(sink, name, &report->damage[i]);
    if (report->found > report->kept) {
        sink_visible(sink, name, strlen(name));
        sink_print(sink, ": and %s\n", quantity(report->found - report->kept, "more defect").text);
    }
    sink_visible(sink, name, strlen(name));
    sink_print(sink, ": %s%s%s: %s in %s, %s", verdict_of(report),
               report->usable && !report->defects && !report->complete ? ", cut short" : "",
               report->usable && hectic_gaps_any(&report->gaps) ? ", with gaps" : "",
               quantity(survey->events, "event").text, quantity(survey->blocks, "block").text,
               quantity(survey->bytes, "byte").text);
    if (survey->sections > 1) sink_print(sink, ", %zu headers", survey->sections);
    if (report->defects)
        sink_print(sink, "; %s, %s lost", quantity(report->defects, "defect").text,
                   quantity(survey->lost, "byte").text);
    sink_print(sink, "\n");
    gaps_print(sink, "    Gaps: ", &report->gaps);
    if (report->complete || !report->usable) return;
    sink_print(sink, "    No end marker: %s.", tool_end_missing(survey->cut_off));
    if (survey->tail)
        sink_print(sink, " An incomplete event is at the end: %s.",
                   quantity(survey->tail, "byte").text);
    sink_print(sink, "\n");
}

static void put_damage(struct json *json, const hectic_damage *damage)
{
    const struct defect_kind *kind = &kinds[damage->error.kind];
    char text[300];
    hectic_error_text(&damage->error, text, sizeof text);
    record_put(json, NULL, check_damage, .position = cell_number(damage->error.position),
               .skipped_bytes = cell_number(damage->skipped),
               .kind = cell_text(kind->name ? kind->name : "unreadable"),
               .harmless = cell_number(kind->harmless), .text = cell_text(text),
               .meaning = cell_text(meaning_of(damage)));
}

/* The members of an open object. */
static void put_report(const struct report *report, const char *path, struct json *json)
{
    const hectic_survey *survey = report->survey;
    record_put_members(
        json, check, .log = cell_text(path), .verdict = cell_text(verdict_of(report)),
        .complete = cell_number(report->complete), .events = cell_number(survey->events),
        .blocks = cell_number(survey->blocks), .headers = cell_number(survey->sections),
        .bytes = cell_number(survey->bytes), .lost_bytes = cell_number(survey->lost),
        .tail_bytes = cell_number(survey->tail), .defects = cell_number(report->defects),
        .damage_count = cell_number(report->found));
    json_open(json, "damage", '[');
    for (size_t i = 0; i < report->kept; i++)
        put_damage(json, &report->damage[i]);
    json_close(json, ']');
    gaps_put(json, &report->gaps);
}

/* Runs all state machines. Returns the exit code. */
static int check_deep(struct faults *faults, const char *path)
{
    hectic_result last;
    if (!faults_list(faults, &last)) return TOOL_UNUSABLE;
    if (last == HECTIC_ERROR) {
        tool_log_error(path, hectic_log_error(faults->pass.log));
        return TOOL_UNUSABLE;
    }
    tool_note_coverage(faults->pass.log, path, UINT64_MAX, faults->pass.output);
    faults_print_verdicts(faults);
    return machine_pass_faults(&faults->pass) > 0 ? TOOL_DAMAGED : TOOL_OK;
}

/* Returns the exit code. The sink gets another one for an unusable log, since it keeps the report.
 */
static int check_log(const struct check_settings *settings, struct faults *faults, const char *path)
{
    hectic_log *log = faults->pass.log;
    struct sink *sink = faults->pass.sink = sink_open(&settings->output);
    if (!sink) return TOOL_UNUSABLE;
    const struct report report = report_on(log, path);
    if (settings->faults.json) {
        faults->json = json_on_sink(sink);
        json_open(&faults->json, NULL, '{');
        put_report(&report, path, &faults->json);
    } else {
        print_report(&report, sink);
    }
    int code = report.defects ? TOOL_DAMAGED : TOOL_OK;
    if (settings->deep && report.usable) {
        const int deep = check_deep(faults, path);
        if (deep > code) code = deep;
    }
    if (settings->faults.json) {
        json_close(&faults->json, '}');
        json_end_line(&faults->json);
    }
    code = sink_close(sink, code);
    return report.usable ? code : TOOL_UNUSABLE;
}

static hectic_log *open_for_check(hectic_input *input, const char *name,
                                  const struct check_settings *settings, struct progress *progress)
{
    *progress = progress_start(&settings->output);
    if (settings->deep) progress_survey(progress);
    const hectic_log_options options = {.check = true,
                                        .threads = (unsigned)settings->threads,
                                        .progress = progress_update,
                                        .progress_user = progress};
    hectic_error error;
    hectic_log *log = hectic_log_open(input, &options, &error);
    if (!log || !settings->deep) progress_end(progress);
    if (!log) tool_log_error(name, &error);
    return log;
}

static int check(const struct check_settings *settings, const char *path)
{
    hectic_input *input = tool_input_open(path);
    if (!input) return TOOL_UNUSABLE;
    struct faults faults = {.settings = &settings->faults, .pass = {.output = &settings->output}};
    faults.pass.log = open_for_check(input, path, settings, &faults.pass.progress);
    if (!faults.pass.log) return TOOL_UNUSABLE;
    int code = TOOL_UNUSABLE;
    if (!settings->deep || faults_add(&faults, "all")) code = check_log(settings, &faults, path);
    faults_free(&faults);
    return code;
}

/* --- Repair ---------------------------------------------------------------------------------- */

struct repaired {
    struct sink *sink;
    hectic_input *input;
    struct progress progress;
};

static bool write_repaired(void *user, const void *bytes, size_t length)
{
    struct repaired *repaired = user;
    progress_input(&repaired->progress, repaired->input);
    sink_text(repaired->sink, bytes, length);
    return !sink_failed(repaired->sink);
}

static void report_lost(void *user, const hectic_damage *damage)
{
    struct losses *losses = user;
    if (!logs_shows_loss(losses)) return;
    char text[300];
    hectic_error_text(&damage->error, text, sizeof text);
    char lost[80] = "";
    if (damage->skipped)
        snprintf(lost, sizeof lost, "; %s lost", quantity(damage->skipped, "byte").text);
    tool_message("%s: byte %" PRIu64 ": %s%s", tool_log_name(losses->path), damage->error.position,
                 text, lost);
}

/* Is what was written sound? */
static bool is_sound(void *user, const char *path)
{
    const struct check_settings *settings = user;
    const char *out = settings->output.path;
    hectic_error error;
    hectic_input *input = hectic_input_open(path, &error);
    if (!input) tool_log_error(out, &error);
    struct progress progress;
    hectic_log *log = input ? open_for_check(input, out, settings, &progress) : NULL;
    if (!log) return false;
    const struct report report = report_on(log, out);
    for (size_t i = 0; i < report.kept && report.defects; i++)
        logs_report_damage(out, &report.damage[i]);
    if (report.defects)
        tool_message("%s: not written: it would still be damaged (please report this, with the "
                     "log)",
                     out);
    hectic_log_free(log);
    return report.defects == 0;
}

static void report_repair(const struct check_settings *settings, const char *path,
                          const hectic_salvaged *done)
{
    const char *out = settings->output.path;
    tool_print_visible(
        strcmp(out, "-") == 0 ? stderr : stdout,
        "%s: %s written to %s; lost: %s in %s, %s at the end; repaired: %s%s", tool_log_name(path),
        quantity(done->events, "event").text, strcmp(out, "-") == 0 ? "standard output" : out,
        quantity(done->bytes_lost, "byte").text, quantity(done->places_damaged, "place").text,
        quantity(done->tail, "byte").text, quantity(done->blocks_repaired, "block").text,
        done->end_missing ? "; cut short: no end marker" : "");
}

static int repair(struct check_settings *settings, const char *path)
{
    hectic_input *input = tool_input_open(path);
    if (!input) return TOOL_UNUSABLE;
    struct sink *sink = sink_open_for_log(&settings->output);
    if (!sink) {
        hectic_input_free(input);
        return TOOL_UNUSABLE;
    }
    hectic_salvaged done;
    hectic_error error;
    struct losses losses = {.path = path, .is_verbose = settings->output.verbose};
    struct repaired repaired = {
        .sink = sink, .input = input, .progress = progress_start(&settings->output)};
    const bool saved =
        hectic_salvage(input, write_repaired, &repaired, report_lost, &losses, &done, &error);
    progress_end(&repaired.progress);
    logs_report_more_lost(&losses);
    hectic_input_free(input);
    const bool is_reported = error.kind == HECTIC_NO_EVENT_TYPES; /* by report_lost */
    if (!saved && error.kind != HECTIC_OK && !is_reported) tool_log_error(path, &error);
    const int code = sink_close_if(sink, saved ? TOOL_OK : TOOL_UNUSABLE, is_sound, settings);
    if (code != TOOL_OK) return code;
    if (!settings->output.quiet) report_repair(settings, path, &done);
    return done.places_damaged ? TOOL_DAMAGED : TOOL_OK;
}

/* Until 0.1, it was --repair OUT IN. */
static bool refuse_former_order(const char *in, const char *out)
{
    struct stat status;
    if (source_has_scheme(in) || stat(in, &status) == 0 || errno != ENOENT ||
        stat(out, &status) != 0)
        return false;
    tool_message("%s: %s; the log comes first: hectic check --repair IN OUT", in, strerror(ENOENT));
    return true;
}

static int run(void *settings, int argc, char **argv)
{
    struct check_settings *own = settings;
    if (!own->repair && argc == 2) {
        tool_usage_error("too many operands: \"%s\"", argv[1]);
        return TOOL_USAGE;
    }
    if (!own->repair) return check(own, argv[0]);
    if (own->deep || own->faults.json) {
        tool_usage_error("--repair cannot be combined with --deep or --json");
        return TOOL_USAGE;
    }
    if (!tool_output_operand(&own->output, argc, argv)) return TOOL_USAGE;
    if (refuse_former_order(argv[0], own->output.path) || !sink_may_replace(&own->output))
        return TOOL_UNUSABLE;
    return repair(own, argv[0]);
}

const struct verb verb_check = {
    .name = "check",
    .group = "Other verbs:",
    .brief = "find and repair damage",
    .summary = "Check a log for damage, and repair it",
    .usage = (const char *const[]){"[OPTION]... LOG", "--repair [OPTION]... IN OUT", NULL},
    .description =
        (const char *const[]){
            "Reads the whole log and prints each defect: its position in bytes, what is wrong, and "
            "what this means for other verbs. A log without an end marker, because the program was "
            "killed or is still running, is cut short, not damaged. A log in which events were "
            "dropped or lost, or logging was switched off, is sound, with gaps: its counts are too "
            "low.",
            "With --deep, state machines also check that no event contradicts an earlier one, as "
            "hectic validate does.",
            "With --json, prints one object: verdict (sound, damaged or unusable), counts, damage "
            "(with positions in bytes; at most 1000 places, damage_count counts all), gaps and, "
            "with --deep, the faults and machines of hectic validate --json.",
            "With --repair, writes the longest sound log that can be made of a damaged or cut "
            "short one to OUT (- for standard output): every event that can be read, in blocks "
            "with correct sizes and times. A log that is cut short stays so: an end marker would "
            "say that nothing is missing. Types that are declared with an impossible size get "
            "numbers from 1000 on, as unknown ones. Reports what was lost. OUT appears when it is "
            "complete, and was checked. An existing OUT is only replaced with --force.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"What to do", check_options, 0, NULL},
            {"Output", fault_options, offsetof(struct check_settings, faults), NULL},
            {"Output", output_options, offsetof(struct check_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic check --deep Main.eventlog", "check file and events"},
            {"hectic check --repair Main.eventlog fixed.eventlog", "keep what can be read"},
            {NULL, NULL}},
    .exits = {"The log is sound, possibly cut short or with gaps; with --deep, no faults. With "
              "--repair: nothing was lost, and OUT is sound.",
              "The log is damaged, or --deep found faults. With --repair: some of the log was "
              "lost; OUT is sound.",
              "No event can be read, or the output cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct check_settings),
    .run = run,
};
