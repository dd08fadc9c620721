/* check.c — hectic check: is the log sound, and what can be saved of it? */
#include "tool/output/gaps.h"

#include <hectic/transform.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct check_settings {
    struct output_settings output;
    const char *salvage;
    uint64_t threads;
};

static const struct tool_option check_options[] = {
    {"salvage", 0, "OUT", "write the longest sound log that can be saved", "@files",
     offsetof(struct check_settings, salvage), tool_set_text},
    {"threads", 0, "N", "use N processors (all, up to 4)", NULL,
     offsetof(struct check_settings, threads), tool_set_count},
    {0},
};

/* What a defect means to somebody who wants to use the log, by its kind. Harmless kinds, which
 * unfinished logs and those of odd clocks show, do not make a log a damaged one. */
static const struct meaning {
    bool harmless;
    const char *text;
} meanings[HECTIC_ERROR_KINDS] = {
    [HECTIC_BAD_HEADER] = {false, "a restarted log's header is damaged; its events are read by "
                                  "the header before it, where that is possible"},
    [HECTIC_HEADER_TOO_LARGE] = {false, "a restarted log's header is damaged"},
    [HECTIC_UNDECLARED_EVENT] = {false, "the events in these bytes are lost; their cap's counts "
                                        "and times are wrong around here"},
    [HECTIC_COMPRESSION] = {false, "what follows is lost; all before it can be used"},
    [HECTIC_BLOCK_CROSSED] = {false, "the block's size is wrong; its last event may be given to "
                                     "the wrong cap"},
    [HECTIC_BLOCK_OVERLAPPED] = {false, "the block before it lost events, or its size is wrong"},
    [HECTIC_BLOCK_TRUNCATED] = {true,
                                "the program was stopped while it wrote this block; the rest of "
                                "its events was never written"},
    [HECTIC_LATE_EVENT] = {false, "the block's end time is wrong: --from may leave out its last "
                                  "events"},
    [HECTIC_TIME_BACK] = {true,
                          "a clock was set back, or this event was stamped long before it was "
                          "written: durations around here may be wrong"},
    [HECTIC_NO_EVENT_TYPES] = {false, "no event can be read without them"},
    [HECTIC_MISDECLARED_EVENT] = {false, "events of this type are listed without their fields"},
    [HECTIC_MALFORMED_EVENT] = {false, "this event is listed without its fields"},
};

static void print_defect(struct sink *sink, const char *name, const hectic_damage *damage)
{
    char text[300];
    hectic_error_text(&damage->error, text, sizeof text);
    sink_visible(sink, name, strlen(name));
    sink_print(sink, ": byte %" PRIu64 ": %s", damage->error.position, text);
    if (damage->skipped) sink_print(sink, "; %" PRIu64 " bytes lost", damage->skipped);
    const char *meaning = meanings[damage->error.kind].text;
    sink_print(sink, "\n    %s\n", meaning ? meaning : "the log cannot be read from here on");
}

/* Prints all that is wrong; returns the exit code. */
static int print_verdict(struct sink *sink, const char *name, hectic_log *log)
{
    size_t kept;
    uint64_t count;
    const hectic_damage *damage = hectic_log_damage(log, &kept, &count);
    const hectic_survey *survey = hectic_log_survey(log);
    uint64_t defects = count - kept; /* those that were not kept are like those that were */
    bool usable = true;
    for (size_t i = 0; i < kept; i++) {
        print_defect(sink, name, &damage[i]);
        if (!meanings[damage[i].error.kind].harmless) defects++;
        if (damage[i].error.kind == HECTIC_NO_EVENT_TYPES) usable = false;
    }
    if (count > kept) {
        sink_visible(sink, name, strlen(name));
        sink_print(sink, ": and %" PRIu64 " more defects\n", count - kept);
    }
    const bool complete = survey->section[survey->sections - 1].complete;
    const hectic_gaps gaps = hectic_log_gaps(log);
    const bool has_gaps = hectic_gaps_any(&gaps);
    sink_visible(sink, name, strlen(name));
    sink_print(sink, ": %s%s: %" PRIu64 " events in %" PRIu64 " blocks, %" PRIu64 " bytes",
               !usable    ? "not usable"
               : defects  ? "damaged"
               : complete ? "sound"
                          : "unfinished but sound",
               usable && has_gaps ? ", with gaps" : "", survey->events, survey->blocks,
               survey->bytes);
    if (survey->sections > 1) sink_print(sink, ", %zu headers", survey->sections);
    if (defects)
        sink_print(sink, "; %" PRIu64 " defect%s, %" PRIu64 " bytes lost", defects,
                   defects == 1 ? "" : "s", survey->lost);
    sink_print(sink, "\n");
    gaps_print(sink, "    Gaps: ", &gaps);
    if (!complete && usable) {
        sink_print(sink, "    There is no end marker: %s.",
                   survey->cut_off ? "the compressed file is cut off"
                                   : "the program was still running, or was killed");
        if (survey->tail)
            sink_print(sink, " %" PRIu64 " bytes of an unfinished event were left out.",
                       survey->tail);
        sink_print(sink, "\n");
    }
    return !usable ? TOOL_UNUSABLE : defects ? TOOL_DAMAGED : TOOL_OK;
}

static int check(const struct check_settings *settings, const char *path)
{
    hectic_input *input = tool_input_open(path);
    if (!input) return TOOL_UNUSABLE;
    struct progress progress = progress_start(&settings->output);
    const hectic_log_options options = {.check = true,
                                        .threads = (unsigned)settings->threads,
                                        .progress = progress_update,
                                        .progress_user = &progress};
    hectic_error error;
    hectic_log *log = hectic_log_open(input, &options, &error);
    progress_end(&progress);
    if (!log) {
        tool_log_error(path, &error);
        return TOOL_UNUSABLE;
    }
    int code = TOOL_UNUSABLE;
    struct sink *sink = sink_open(&settings->output);
    if (sink) {
        code = print_verdict(sink, tool_log_name(path), log);
        code = sink_close(sink, code == TOOL_UNUSABLE ? TOOL_DAMAGED : code) == TOOL_UNUSABLE
                   ? TOOL_UNUSABLE
                   : code;
    }
    hectic_log_free(log);
    return code;
}

static bool write_salvaged(void *sink, const void *bytes, size_t length)
{
    sink_text(sink, bytes, length);
    return !sink_failed(sink);
}

/* What was told of lost places, of which there may be very many. */
struct losses {
    const char *name; /* of the log */
    uint64_t told, most;
};

static void report_lost(void *user, const hectic_damage *damage)
{
    struct losses *losses = user;
    if (losses->told++ >= losses->most) return;
    char text[300];
    hectic_error_text(&damage->error, text, sizeof text);
    char lost[40] = "";
    if (damage->skipped) snprintf(lost, sizeof lost, "; %" PRIu64 " bytes lost", damage->skipped);
    tool_message("%s: byte %" PRIu64 ": %s%s", losses->name, damage->error.position, text, lost);
}

static int salvage(const struct check_settings *settings, const char *path)
{
    hectic_input *input = tool_input_open(path);
    if (!input) return TOOL_UNUSABLE;
    const struct output_settings output = {.path = settings->salvage};
    struct sink *sink = sink_open_for_log(&output);
    if (!sink) {
        hectic_input_free(input);
        return TOOL_UNUSABLE;
    }
    hectic_salvaged done;
    hectic_error error;
    struct losses losses = {.name = tool_log_name(path),
                            .most = settings->output.verbose ? UINT64_MAX : TOOL_PLACES_SHOWN};
    const bool saved =
        hectic_salvage(input, write_salvaged, sink, report_lost, &losses, &done, &error);
    if (losses.told > losses.most)
        tool_message("%s: and %" PRIu64 " more such places", losses.name,
                     losses.told - losses.most);
    hectic_input_free(input);
    const bool is_told = error.kind == HECTIC_NO_EVENT_TYPES; /* as a place */
    if (!saved && error.kind != HECTIC_OK && !is_told) tool_log_error(path, &error);
    const int code = sink_close(sink, saved ? TOOL_OK : TOOL_UNUSABLE);
    if (code != TOOL_OK) return code;
    if (!settings->output.quiet)
        tool_print_visible(strcmp(settings->salvage, "-") == 0 ? stderr : stdout,
                           "%s: %" PRIu64 " events saved to %s; lost: %" PRIu64 " bytes in %" PRIu64
                           " places, %" PRIu64 " bytes at the end; mended: %" PRIu64 " blocks%s",
                           tool_log_name(path), done.events, settings->salvage, done.bytes_lost,
                           done.places_damaged, done.tail, done.blocks_repaired,
                           done.end_added ? ", end marker added" : "");
    return done.places_damaged ? TOOL_DAMAGED : TOOL_OK;
}

static int run(void *settings, int argc, char **argv)
{
    const struct check_settings *check_settings = settings;
    (void)argc;
    return check_settings->salvage ? salvage(settings, argv[0]) : check(settings, argv[0]);
}

const struct verb verb_check = {
    .name = "check",
    .group = "Other verbs:",
    .brief = "find and repair damage",
    .summary = "Tell whether a log is sound; save what can be saved of it",
    .usage = (const char *const[]){"[OPTION]... LOG", "--salvage OUT LOG", NULL},
    .description =
        (const char *const[]){
            "Goes through the whole log and tells every defect: at which byte it is, what it is, "
            "and what it means. A log that merely stops, because the program was killed or is "
            "still running, is unfinished, not damaged. One that says that events were dropped, or "
            "that logging was switched off, is sound, with gaps: nothing is wrong with it, but "
            "what is counted in it is too little.",
            "With --salvage, writes the longest sound log that can be made of a damaged or "
            "unfinished one: every event that can still be read, in blocks of the right sizes and "
            "times, with an end marker; and says what was lost.",
            NULL},
    .groups = (const struct option_group[]){{"What to do", check_options, 0, NULL},
                                            {"Output", output_options,
                                             offsetof(struct check_settings, output), NULL},
                                            {"Output", input_options, 0, input_note},
                                            {0}},
    .examples = (const struct example[]){{"hectic check Main.eventlog", "is it sound?"},
                                         {"hectic check --salvage saved.eventlog Main.eventlog",
                                          "save what can be read"},
                                         {NULL, NULL}},
    .exits = {"The log is sound, with gaps or without, or merely unfinished; with --salvage: "
              "nothing was lost, and what was written is sound.",
              "The log is damaged; with --salvage: something inside was lost or cannot be mended.",
              "No event can be read from it, or the output cannot be written."},
    .least = 1,
    .most = 1,
    .settings_size = sizeof(struct check_settings),
    .run = run,
};
