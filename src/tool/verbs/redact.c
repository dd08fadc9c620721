/* redact.c — hectic redact: a log without its secrets; or whether it has any. */
#include "redact/redact.h"

#include "tool/cli/message.h"
#include "tool/cli/progress.h"
#include "tool/files/sink.h"
#include "tool/input/logs.h"
#include "tool/input/redaction.h"
#include "tool/output/cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct redact_settings {
    struct redaction_settings redaction;
    struct output_settings output;
    bool check;
};

struct redacting {
    const char *path;
    hectic_input *input;
    struct sink *sink;
    struct progress progress;
    struct losses losses;
};

static bool write_redacted(void *user, const void *bytes, size_t length)
{
    struct redacting *r = user;
    progress_input(&r->progress, r->input);
    sink_text(r->sink, bytes, length);
    return !sink_failed(r->sink);
}

/* --- What was done --------------------------------------------------------------------------- */

static bool has_any(const hectic_redacted *redacted, size_t kind)
{
    uint64_t all = 0;
    for (size_t t = 0; t < TREATMENTS; t++)
        all += redacted->count[kind][t];
    return all > 0;
}

/* A line for each kind that the log has. */
static void print_kinds(FILE *out, const hectic_redacted *redacted)
{
    fprintf(out, "%-12s", "");
    for (size_t t = 0; t < TREATMENTS; t++)
        fprintf(out, " %11s", redact_treatments[t]);
    fputc('\n', out);
    for (size_t k = 0; k < REDACT_KINDS; k++) {
        if (!has_any(redacted, k)) continue;
        fprintf(out, "%-12s", redact_kinds[k].name);
        for (size_t t = 0; t < TREATMENTS; t++)
            if (redacted->count[k][t] > 0)
                fprintf(out, " %11" PRIu64, redacted->count[k][t]);
            else
                fprintf(out, " %11s", "");
        fputc('\n', out);
    }
}

static void print_removed(FILE *out, const hectic_redacted *redacted)
{
    const struct {
        const char *what;
        uint64_t count;
    } removed[] = {
        {"events of unknown types or impossible times", redacted->unknown_events},
        {"bytes behind the fields of events", redacted->extra_bytes},
        {"damaged bytes", redacted->salvaged.bytes_lost + redacted->salvaged.tail},
    };
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++)
        if (removed[i].count > 0)
            fprintf(out, "removed: %" PRIu64 " %s\n", removed[i].count, removed[i].what);
}

static int redact(struct redacting *r, const struct redact_settings *settings,
                  const hectic_redaction *redaction)
{
    r->sink = sink_open_for_log(&settings->output);
    if (!r->sink) return TOOL_UNUSABLE;
    hectic_redacted redacted;
    hectic_error error;
    r->progress = progress_start(&settings->output);
    const bool done = hectic_redact(r->input, redaction, write_redacted, r, logs_report_lost,
                                    &r->losses, &redacted, &error);
    progress_end(&r->progress);
    logs_report_more_lost(&r->losses);
    if (error.kind != HECTIC_OK) tool_log_error(r->path, &error);
    const int code = sink_close(r->sink, !done                              ? TOOL_UNUSABLE
                                         : redacted.salvaged.places_damaged ? TOOL_DAMAGED
                                                                            : TOOL_OK);
    if (!done || code == TOOL_UNUSABLE || settings->output.quiet) return code;
    FILE *out = strcmp(settings->output.path, "-") == 0 ? stderr : stdout;
    print_kinds(out, &redacted);
    print_removed(out, &redacted);
    return code;
}

/* --- Checking -------------------------------------------------------------------------------- */

enum {
    TYPES = UINT16_MAX + 1,
    PLACES = HECTIC_MAX_FIELDS + 2,
    HEADER_ENTRY = HECTIC_MAX_FIELDS,
    UNKNOWN
};

struct findings {
    uint64_t (*count)[PLACES]; /* by type and field */
    bool has_any;
};

static void take_finding(void *user, const struct redact_finding *finding)
{
    struct findings *findings = user;
    const hectic_shape *shape = hectic_shape_by_number(finding->type);
    size_t place = finding->event ? UNKNOWN : HEADER_ENTRY;
    for (size_t i = 0; finding->field && shape && i < shape->field_count; i++)
        if (strcmp(shape->field[i].name, finding->field->name) == 0) place = i;
    findings->count[finding->type][place]++;
    findings->has_any = true;
}

static void print_findings(const struct findings *findings)
{
    for (size_t type = 0; type < TYPES; type++) {
        const uint64_t *count = findings->count[type];
        const hectic_shape *shape = hectic_shape_by_number((uint16_t)type);
        char number[sizeof "event 65535"];
        snprintf(number, sizeof number, "event %zu", type);
        const char *name = shape ? shape->name : number;
        for (size_t i = 0; shape && i < shape->field_count; i++)
            if (count[i] > 0)
                printf("%s: %s: %" PRIu64 " not redacted (%s)\n", name, shape->field[i].name,
                       count[i], redact_kinds[redact_kind_of(&shape->field[i])].name);
        if (count[UNKNOWN] > 0)
            printf("%s: %" PRIu64 " with unknown bytes\n", name, count[UNKNOWN]);
        if (count[HEADER_ENTRY] > 0)
            printf("%s: its declaration in the header is not that of the catalogue\n", name);
    }
}

static int check(struct redacting *r, const struct redact_settings *settings,
                 const hectic_redaction *redaction)
{
    struct findings findings = {.count = calloc(TYPES, sizeof *findings.count)};
    if (!findings.count) {
        tool_message("out of memory");
        return TOOL_UNUSABLE;
    }
    hectic_redacted redacted;
    hectic_error error;
    const bool done = redact_check(r->input, redaction, take_finding, &findings, logs_report_lost,
                                   &r->losses, &redacted, &error);
    logs_report_more_lost(&r->losses);
    if (error.kind != HECTIC_OK) tool_log_error(r->path, &error);
    if (done) print_findings(&findings);
    const uint64_t damaged = done ? redacted.salvaged.bytes_lost + redacted.salvaged.tail : 0;
    if (damaged > 0) printf("%s that cannot be decoded\n", quantity(damaged, "byte").text);
    const bool is_clean = !findings.has_any && damaged == 0 && r->losses.places == 0;
    free(findings.count);
    if (!done) return TOOL_UNUSABLE;
    if (is_clean && !settings->output.quiet) {
        printf("redacted: each text is kept by a rule, a pseudonym, or empty\n");
        print_kinds(stdout, &redacted);
    }
    return is_clean ? TOOL_OK : TOOL_FAILED;
}

/* A compressed file can have other bytes beside the log: a name, comments, frames to be skipped. */
static void note_compression(const struct redacting *r)
{
    struct stat status;
    if (stat(r->path, &status) == 0 && S_ISREG(status.st_mode) && !hectic_input_is_random(r->input))
        tool_message("note: %s is compressed: only the log in it is checked", r->path);
}

/* --- The verb -------------------------------------------------------------------------------- */

static int run(void *settings, int argc, char **argv)
{
    struct redact_settings *own = settings;
    struct redaction redaction;
    const char *key = own->redaction.key_file;
    if (own->check && (argc > 1 || own->output.path || key)) {
        tool_usage_error("--check writes no log and no key: it takes one operand");
        return TOOL_USAGE;
    }
    if (!own->check && !tool_output_operand(&own->output, argc, argv)) return TOOL_USAGE;
    if (!redaction_rules(&own->redaction, "performance", &redaction)) return TOOL_USAGE;
    if (!own->check && !sink_may_replace(&own->output)) return TOOL_UNUSABLE;
    struct redacting redacting = {.path = argv[0],
                                  .losses = {.path = argv[0], .is_verbose = own->output.verbose}};
    redacting.input = tool_input_open(argv[0]);
    if (!redacting.input) return TOOL_UNUSABLE;
    if (own->check) note_compression(&redacting);
    int code = redaction_key(&own->redaction, &redaction);
    if (code == TOOL_OK)
        code = own->check ? check(&redacting, own, &redaction.rules)
                          : redact(&redacting, own, &redaction.rules);
    hectic_input_free(redacting.input);
    return code;
}

static const struct tool_option check_options[] = {
    {"check", 0, NULL, "check that LOG is redacted, by field; writes nothing", NULL,
     offsetof(struct redact_settings, check), tool_set_flag},
    {0},
};

const struct verb verb_redact = {
    .name = "redact",
    .group = "Other verbs:",
    .brief = "remove secrets from a log",
    .summary = "Write a log without what it reveals about its user",
    .usage = (const char *const[]){"[OPTION]... IN OUT", "--check [OPTION]... LOG", NULL},
    .description =
        (const char *const[]){
            "Writes the log IN to OUT (- for standard output), without its secrets: the program's "
            "environment and arguments, paths, ids of processes, the time of the day, and texts of "
            "the program. Times, sizes and structure stay: stat, gc, threads, prof and all others "
            "print the same numbers. Prints what was kept, replaced and removed, by kind.",
            "A text is secret unless a rule keeps it. Messages, markers and labels become "
            "pseudonyms such as xq3oe7ck2m4a5b, the same for equal texts; START and STOP, numbers "
            "of up to 7 digits at the end, and the dots of names of modules stay. Events and bytes "
            "that hectic does not know, and damaged regions, are removed.",
            "--for performance keeps the names of cost centres, functions, types and modules; "
            "--for structure replaces these, too; --for team keeps all but the environment, the "
            "arguments and binary messages, and shortens paths to their last part. Of arguments, "
            "options of the runtime such as -N4 stay.",
            "Pseudonyms depend on a key, which is random and not stored, so that nobody can find "
            "the texts by trying. With --key-file, FILE has the key: logs that are redacted with "
            "it have the same pseudonyms. It is made if it does not exist. Keep it secret.",
            "--check prints what is not redacted in LOG for the same options, and exits with 3 if "
            "there is anything. docs/privacy.md says what each field reveals.",
            NULL},
    .groups =
        (const struct option_group[]){
            {"What to do", check_options, 0, NULL},
            {"What stays", redaction_choices, offsetof(struct redact_settings, redaction),
             redaction_note},
            {"Output", output_options, offsetof(struct redact_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic redact Main.eventlog shared.eventlog", "to attach to a report"},
            {"hectic redact --keep messages,labels Main.eventlog -", "with the program's texts"},
            {"hectic redact --key-file key a.eventlog b.eventlog", "comparable with other logs"},
            {"hectic redact --check shared.eventlog", "check it"},
            {NULL, NULL}},
    .exits = {"OUT was written; with --check, LOG is redacted.",
              "OUT was written, without the damaged regions of IN.",
              "IN cannot be read, or OUT cannot be written.",
              "With --check: LOG has something that is not redacted."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct redact_settings),
    .run = run,
};
