/* validate.c — hectic validate: check the events of a log with state machines. */
#include "tool/input/logs.h"
#include "tool/output/gaps.h"
#include "tool/passes/faults.h"

static const char machine_names[] = "all threads threadpool threadrun taskpool tasks sparks gc";

struct validate_settings {
    struct output_settings output;
    struct fault_settings faults;
};

static void print_verdicts(struct faults *faults)
{
    const hectic_gaps gaps = hectic_log_gaps(faults->pass.log);
    faults_print_verdicts(faults);
    if (faults->settings->json) {
        gaps_put(&faults->json, &gaps);
        json_close(&faults->json, '}');
        json_end_line(&faults->json);
    } else {
        gaps_print(faults->pass.sink, "Gaps: ", &gaps);
    }
}

static int validate(struct faults *faults, const char *path)
{
    struct machine_pass *pass = &faults->pass;
    if (!machine_pass_open(pass, path)) return TOOL_UNUSABLE;
    if (faults->settings->json) {
        faults->json = json_on_sink(pass->sink);
        json_open(&faults->json, NULL, '{');
        json_text(&faults->json, "log", path);
    }
    hectic_result last;
    int code = TOOL_UNUSABLE;
    if (faults_list(faults, &last)) code = tool_log_report(pass->log, path, last, pass->output);
    if (code != TOOL_UNUSABLE) tool_note_coverage(pass->log, path, UINT64_MAX, pass->output);
    if (code != TOOL_UNUSABLE) print_verdicts(faults);
    if (code == TOOL_OK && machine_pass_faults(pass) > 0) code = TOOL_DAMAGED;
    return sink_close(pass->sink, code);
}

static int run(void *settings, int argc, char **argv)
{
    const struct validate_settings *own = settings;
    const char *machine = machine_operand(machine_names, "all", argc, argv);
    if (machine == NULL) return TOOL_USAGE;
    struct faults faults = {.settings = &own->faults, .pass = {.output = &own->output}};
    int code = TOOL_UNUSABLE;
    if (faults_add(&faults, machine)) code = validate(&faults, argv[argc - 1]);
    faults_free(&faults);
    return code;
}

const struct verb verb_validate = {
    .name = "validate",
    .group = "As in ghc-events:",
    .summary = "Check the events of a log with state machines",
    .usage = (const char *const[]){"[OPTION]... [all|threads|threadpool|threadrun] LOG",
                                   "[OPTION]... sparks|taskpool|tasks|gc LOG", NULL},
    .description =
        (const char *const[]){
            "Runs state machines over the log and lists every event that contradicts an earlier "
            "one: its time and position, its text, the state before it, and the usual cause. After "
            "a fault the machine continues as if the event were right, so that one lost event is "
            "one fault and not a thousand. hectic check --deep does the same, and also checks the "
            "file itself.",
            "The machines are as follows. threads: each thread is created, run, stopped and woken "
            "in a possible order. threadpool: threads are created once, and only existing threads "
            "migrate and finish. threadrun: a cap runs one thread at a time. taskpool: tasks are "
            "created once and migrate from the cap where they are. tasks: each task is one OS "
            "thread. sparks: threads for sparks run, take sparks and finish (needs +RTS -lf). gc: "
            "each cap requests, starts, does and ends collections in order, and no cap runs a "
            "thread while all are stopped. all (the default): all of these.",
            "The verdicts are those of ghc-events, which stops at the first fault and has no gc, "
            "except for logs that were cut: after the time up to which a log without an end marker "
            "has all caps, nothing is a fault. "
            "If the log has no events of a machine, its verdict is \"nothing to check\".",
            "State that SYNC events replay replaces the known state. After dropped events nothing "
            "is a fault until the next replay. The creation of a thread that exists is a fault, as "
            "in ghc-events, but does not change the thread's state.",
            NULL},
    .words = machine_names,
    .groups =
        (const struct option_group[]){
            {"Output", fault_options, offsetof(struct validate_settings, faults), NULL},
            {"Output", output_options, offsetof(struct validate_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples = (const struct example[]){{"hectic validate Main.eventlog", "all machines"},
                                         {"hectic validate --limit 1000 threads Main.eventlog",
                                          "more faults of threads"},
                                         {NULL, NULL}},
    .exits = {"No event contradicts another, or there was nothing to check.",
              "There are faults, or the log is damaged.",
              "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct validate_settings),
    .run = run,
};
