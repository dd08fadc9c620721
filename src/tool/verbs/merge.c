/* merge.c — hectic merge: several logs in one. */
#include "tool/cli/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct merge_settings {
    hectic_alignment alignment;
    bool force;
    struct output_settings output;
};

static bool set_alignment(void *field, const char *argument)
{
    static const char *const names[] = {"wall", "start", "none"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(argument, names[i]) == 0) {
            *(hectic_alignment *)field = (hectic_alignment)i;
            return true;
        }
    }
    tool_message("--align is wall, start or none, not \"%s\"", argument);
    return false;
}

static const struct tool_option merge_options[] = {
    {"align", 0, "HOW", "clocks: by wall clock (wall), first event (start), none",
     "wall start none", offsetof(struct merge_settings, alignment), set_alignment},
    {"force", 0, NULL, "replace OUT if it exists", NULL, offsetof(struct merge_settings, force),
     tool_set_flag},
    {0},
};

/* Where the merged log goes. */
struct merge {
    struct sink *sink;
    struct progress progress;
    uint64_t written, expected; /* bytes; what is merged is about as long as the logs are */
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

/* Says why it failed; returns the exit code. */
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
        tool_message("%s: %sdoes not tell the time of day (WALL_CLOCK_TIME, since GHC 7.4): try "
                     "--align start",
                     name, section);
        return TOOL_UNUSABLE;
    case HECTIC_MERGE_NO_NUMBERS:
        tool_message("%s: there are not enough numbers to keep every %s apart from those of the "
                     "other logs",
                     name, hectic_unit_name(failure->unit));
        return TOOL_UNUSABLE;
    case HECTIC_MERGE_READ_FAILED: break;
    }
    tool_log_error(path, &failure->error);
    if (failure->error.kind != HECTIC_UNDECLARED_EVENT) return TOOL_UNUSABLE;
    tool_message("%s: nothing was merged; hectic check --salvage saves what can be read", name);
    return TOOL_DAMAGED;
}

static int merge_all(const struct merge_settings *settings, int count, char **paths)
{
    hectic_input **inputs = calloc((size_t)count, sizeof *inputs);
    if (inputs == NULL) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
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

/* Where OUT is a pipe or a device, nothing is lost. */
static bool would_replace(const char *out)
{
    struct stat status;
    return strcmp(out, "-") != 0 && stat(out, &status) == 0 && S_ISREG(status.st_mode);
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
        own->output.path = *argv++;
        argc--;
    }
    if (argc < 2) {
        tool_message("merge: needs a file to write and two logs: hectic merge OUT LOG LOG...");
        return TOOL_USAGE;
    }
    if (reads_input_twice(argc, argv)) {
        tool_message("merge: only one log can be standard input");
        return TOOL_USAGE;
    }
    if (!own->force && would_replace(own->output.path)) {
        tool_message("merge: %s exists already: --force replaces it", own->output.path);
        return TOOL_UNUSABLE;
    }
    return merge_all(own, argc, argv);
}

const struct verb verb_merge = {
    .name = "merge",
    .group = "Other verbs:",
    .brief = "merge logs into one",
    .summary = "Put several logs into one, in one time line",
    .usage =
        (const char *const[]){"[OPTION]... OUT LOG LOG...", "[OPTION]... -o OUT LOG LOG...", NULL},
    .description =
        (const char *const[]){
            "Writes the events of all logs to OUT (- for standard output), in order of time: logs "
            "of several processes, of several machines, or of several runs.",
            "Clocks are aligned by the wall clock, which logs tell since GHC 7.4. With --align "
            "start, all logs begin at the same time; with none, times stay as they are.",
            "The numbers of caps, capsets, threads, tasks, cost centres, heap profiles, ticky and "
            "perf counters are changed in every event, so that no two logs share one. The first "
            "log keeps its own; those of others follow, or stay where there is no clash. Pids and "
            "kernel thread ids stay, as ps and perf show them, even where two machines have the "
            "same; so do Eden's machines and processes.",
            "Where clocks are aligned, each run of a program begins with an event that its own log "
            "does not have: a CAPSET_CREATE of its process, at the time when its clock was 0. A "
            "run that names no process gets a capset for its caps.",
            "A restarted log, with several headers, is as many logs as there are runs of the "
            "program in it. A header where only the log was ended and begun anew, while the "
            "program and its clock went on, begins no new run.",
            "Where logs declare an event with different sizes (GC_STATS_GHC, before GHC 8.6 and "
            "after), the one with more fields keeps its number, and the other gets one from 1000 "
            "on, with its description. Its events are kept whole, but tools only show the "
            "description: it never gets fields that nobody has measured.",
            "OUT appears when it is whole, and is not replaced without --force. Memory does not "
            "depend on the length of the logs.",
            NULL},
    .groups = (const struct option_group[]){{"How", merge_options, 0, NULL},
                                            {"Output", output_options,
                                             offsetof(struct merge_settings, output), NULL},
                                            {"Output", input_options, 0, input_note},
                                            {0}},
    .examples =
        (const struct example[]){
            {"hectic merge all.eventlog server.eventlog client.eventlog", "two processes"},
            {"hectic merge --align start both.eventlog old.eventlog new.eventlog", "side by side"},
            {NULL, NULL}},
    .exits = {"The merged log was written; logs may have been cut short.",
              "A log is damaged inside: nothing was merged; or its compressed form is: what comes "
              "before was used.",
              "A log cannot be read, or does not tell the time of day; OUT exists, or cannot be "
              "written."},
    .least = 1,
    .most = 10000,
    .settings_size = sizeof(struct merge_settings),
    .run = run,
};
