/* merge.c — hectic merge: several logs into one. */
#include "tool/cli/message.h"
#include "tool/files/sink.h"
#include "tool/input/logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge_settings {
    hectic_alignment alignment;
    struct output_settings output;
};

static const char alignments[] = "wall start none"; /* as in hectic_alignment */

static bool set_alignment(void *field, const char *argument)
{
    const int alignment = tool_choose(argument, alignments);
    if (alignment >= 0) *(hectic_alignment *)field = (hectic_alignment)alignment;
    return alignment >= 0;
}

static const struct tool_option merge_options[] = {
    {"align", 0, "HOW", "align clocks by wall clock (wall), first event (start), or not (none)",
     alignments, offsetof(struct merge_settings, alignment), set_alignment},
    {0},
};

struct merge {
    struct sink *sink;
    struct progress progress;
    uint64_t written, expected; /* bytes; the output is about as long as all inputs */
};

static bool write_to_sink(void *user, const void *bytes, size_t length)
{
    struct merge *merge = user;
    sink_text(merge->sink, bytes, length);
    merge->written += length;
    if (merge->written < merge->expected)
        progress_update(&merge->progress, (double)merge->written / (double)merge->expected);
    return !sink_failed(merge->sink);
}

/* Opens the logs; false after a message. */
static bool open_all(hectic_input **inputs, int count, char **paths, struct merge *merge)
{
    for (int i = 0; i < count; i++) {
        inputs[i] = tool_input_open(paths[i]);
        if (inputs[i] == NULL) return false;
        uint64_t done, size;
        hectic_input_progress(inputs[i], &done, &size);
        merge->expected += size;
    }
    return true;
}

/* Reports a failure. Returns the exit code. */
static int report(hectic_merge_result result, const hectic_merge_failure *failure, char **paths)
{
    const char *path = paths[failure->log], *name = tool_log_name(path);
    char section[48] = "";
    if (failure->section) snprintf(section, sizeof section, "section %zu ", failure->section);
    switch (result) {
    case HECTIC_MERGED:
        if (failure->error.kind == HECTIC_OK) return TOOL_OK;
        tool_log_error(path, &failure->error);
        return TOOL_DAMAGED;
    case HECTIC_MERGE_WRITE_FAILED: return TOOL_UNUSABLE; /* sink_close says why */
    case HECTIC_MERGE_NO_WALL_CLOCK:
        tool_message("%s: %shas no wall clock time (event WALL_CLOCK_TIME, since GHC 7.4): try "
                     "--align start",
                     name, section);
        return TOOL_UNUSABLE;
    case HECTIC_MERGE_NO_NUMBERS:
        tool_message("%s: too many numbers: cannot give each %s a number that no other log uses",
                     name, hectic_unit_name(failure->unit));
        return TOOL_UNUSABLE;
    case HECTIC_MERGE_READ_FAILED: break;
    }
    tool_log_error(path, &failure->error);
    if (!tool_is_damage(&failure->error)) return TOOL_UNUSABLE;
    tool_message(
        "%s: nothing was written; hectic check --repair IN OUT writes all events that can be read",
        name);
    return TOOL_DAMAGED;
}

static int merge_all(const struct merge_settings *settings, int count, char **paths)
{
    hectic_input **inputs = calloc((size_t)count, sizeof *inputs);
    if (inputs == NULL) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    tool_raise_descriptor_limit(); /* a log is open once, and again while its events are read */
    struct merge merge = {.progress = progress_start(&settings->output)};
    int code = TOOL_UNUSABLE;
    if (open_all(inputs, count, paths, &merge) &&
        (merge.sink = sink_open_for_log(&settings->output))) {
        hectic_merge_failure failure;
        const hectic_merge_result result = hectic_merge(inputs, (size_t)count, settings->alignment,
                                                        write_to_sink, &merge, &failure);
        progress_end(&merge.progress);
        code = report(result, &failure, paths);
        const int closed = sink_close(merge.sink, result == HECTIC_MERGED ? code : TOOL_UNUSABLE);
        if (result == HECTIC_MERGED) code = closed;
    } else {
        progress_end(&merge.progress);
        for (int i = 0; i < count; i++)
            hectic_input_free(inputs[i]);
    }
    free(inputs);
    return code;
}

static bool reads_input_twice(int count, char **paths)
{
    int times = 0;
    for (int i = 0; i < count; i++)
        times += strcmp(paths[i], "-") == 0;
    return times > 1;
}

static int run(void *settings, int argc, char **argv)
{
    struct merge_settings *own = settings;
    if (own->output.path == NULL) {
        tool_usage_error("missing -o OUT: hectic merge -o OUT LOG LOG...");
        return TOOL_USAGE;
    }
    if (reads_input_twice(argc, argv)) {
        tool_usage_error("only one LOG can be - (standard input)");
        return TOOL_USAGE;
    }
    if (!sink_may_replace(&own->output)) return TOOL_UNUSABLE;
    return merge_all(own, argc, argv);
}

const struct verb verb_merge = {
    .name = "merge",
    .group = "Other verbs:",
    .brief = "merge logs into one",
    .summary = "Merge several logs into one, in order of time",
    .usage = (const char *const[]){"[OPTION]... -o OUT LOG LOG...", NULL},
    .description =
        (const char *const[]){
            "Writes the events of all logs to OUT (- for standard output), in order of time. The "
            "logs can be of several processes, of several machines, or of several runs.",
            "Clocks are aligned by the wall clock, which logs contain since GHC 7.4. With --align "
            "start, all logs begin at the same time. With --align none, times do not change.",
            "The numbers of caps, capsets, threads, tasks, cost centres, heap profiles, ticky and "
            "perf counters are changed in every event, so that no two logs share one. The first "
            "log keeps its numbers; those of the others follow, or stay if there is no conflict. "
            "Process ids and kernel thread ids do not change, as ps and perf show them, even if "
            "two machines use the same ones; nor do Eden's machines and processes.",
            "If clocks are aligned, each run of a program begins with an event that its own log "
            "does not have: a CAPSET_CREATE of its process, at the time when its clock was 0. A "
            "run that names no process gets a capset for its caps.",
            "A restarted log, with several headers, counts as one log for each run of the program. "
            "A header begins no new run if the program and its clock went on, and only the log was "
            "ended and restarted.",
            "If logs declare an event with different sizes (GC_STATS_GHC, before and after GHC "
            "8.6), the one with more fields keeps its number. The other gets a number from 1000 "
            "on, with its description. Its events are complete, but tools show only the "
            "description: no field gets a value that was not measured.",
            "OUT is written atomically: it appears when it is complete. An existing OUT is only "
            "replaced with --force. Memory does not depend on the length of the logs, but on how "
            "many there are at the same time: up to 300 KB for each.",
            NULL},
    .groups = (const struct option_group[]){{"How", merge_options, 0, NULL},
                                            {"Output", output_options,
                                             offsetof(struct merge_settings, output), NULL},
                                            {"Output", input_options, 0, input_note},
                                            {0}},
    .examples =
        (const struct example[]){
            {"hectic merge -o all.eventlog server.eventlog client.eventlog", "two processes"},
            {"hectic merge --align start -o both.eventlog old.eventlog new.eventlog",
             "two runs, side by side"},
            {NULL, NULL}},
    .exits = {"OUT was written. The logs may be cut short.",
              "A log is damaged: nothing was written. If its compressed form is damaged, the "
              "events before the damage were used.",
              "A log cannot be read, or has no wall clock time; or OUT exists, or cannot be "
              "written."},
    .least = 2,
    .most = 10000,
    .settings_size = sizeof(struct merge_settings),
    .run = run,
};
