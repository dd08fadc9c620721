/* validate.c — hectic validate: do the events tell a story that can be true? */
#include "tool/input/machines.h"
#include "tool/output/gaps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 20 };

static const char machine_names[] = "threads threadpool threadrun taskpool tasks sparks gc all";

struct validate_settings {
    struct output_settings output;
    bool json;
    uint64_t limit;
};

static const struct tool_option validate_options[] = {
    {"limit", 'n', "N", "list at most N faults of each machine (20)", NULL,
     offsetof(struct validate_settings, limit), tool_set_count},
    {"json", 0, NULL, "one JSON object", NULL, offsetof(struct validate_settings, json),
     tool_set_flag},
    {0},
};

struct validation;

/* One machine at work. */
struct check {
    struct validation *validation;
    const hectic_machine *machine;
    const hectic_engine *engine;
    uint64_t listed;
};

struct validation {
    const struct validate_settings *settings;
    struct machine_pass pass;
    struct check check[MACHINES_MAX];
    hectic_renderer *renderer; /* of the section */
    uint64_t listed;
};

/* --- Faults ---------------------------------------------------------------------------------- */

static void list_fault(const struct check *check, const hectic_fault *fault)
{
    struct sink *sink = check->validation->pass.sink;
    const hectic_event *event = fault->event;
    char text[200];
    sink_print(sink, "%s: %" PRIu64 ".%09" PRIu64 " s, byte %" PRIu64 ": ", check->machine->name,
               event->time / 1000000000, event->time % 1000000000, event->position);
    if (event->cap != HECTIC_CAP_NONE) sink_print(sink, "cap %u: ", event->cap);
    char *out = sink_foreign_room(sink, hectic_render_bound(event));
    sink_foreign_fill(
        sink, out,
        hectic_render_text(check->validation->renderer, event, HECTIC_UNKNOWN_DESCRIBED, out));
    sink_print(sink, "\n    but %s\n    usually: %s\n",
               hectic_fault_text(check->machine, fault, text, sizeof text), fault->cause);
}

static void put_text(struct sink *sink, const char *key, const char *text)
{
    const size_t length = strlen(text);
    sink_print(sink, "\"%s\":", key);
    char *out = sink_room(sink, 2 + 6 * length);
    sink_fill(sink, hectic_render_json_string(text, length, out));
}

static void put_number(struct sink *sink, const char *key, bool known, uint64_t number)
{
    if (known)
        sink_print(sink, ",\"%s\":%" PRIu64, key, number);
    else
        sink_print(sink, ",\"%s\":null", key);
}

static void put_fault(const struct check *check, const hectic_fault *fault)
{
    static const char *const kinds[] = {[HECTIC_FAULT_STATE] = "state",
                                        [HECTIC_FAULT_OCCUPIED] = "occupied",
                                        [HECTIC_FAULT_PLACE] = "place",
                                        [HECTIC_FAULT_NO_CAP] = "no_cap"};
    struct sink *sink = check->validation->pass.sink;
    const hectic_machine *machine = check->machine;
    const bool is_occupied = fault->kind == HECTIC_FAULT_OCCUPIED;
    char text[200];
    sink_print(sink, "%s\n{\"machine\":\"%s\",\"kind\":\"%s\",\"position\":%" PRIu64,
               check->validation->listed > 1 ? "," : "", machine->name, kinds[fault->kind],
               fault->event->position);
    sink_print(sink, ",\"key_is\":\"%s\"", hectic_unit_name(machine->key));
    put_number(sink, "key", fault->has_key, fault->key);
    sink_print(sink, ",");
    if (fault->has_key)
        put_text(sink, "state", machine->states[fault->state]);
    else
        sink_print(sink, "\"state\":null");
    put_number(sink, "place", fault->has_place, fault->place);
    put_number(sink, "wanted", is_occupied || fault->kind == HECTIC_FAULT_PLACE, fault->wanted);
    put_number(sink, "occupant", is_occupied, fault->occupant);
    sink_print(sink, ",");
    put_text(sink, "fault", hectic_fault_text(machine, fault, text, sizeof text));
    sink_print(sink, ",");
    put_text(sink, "cause", fault->cause);
    sink_print(sink, ",\"event\":");
    char *out = sink_room(sink, hectic_render_bound(fault->event));
    sink_fill(sink, hectic_render_json(check->validation->renderer, fault->event, out));
    sink_print(sink, "}");
}

static void on_fault(void *user, const hectic_fault *fault)
{
    struct check *check = user;
    const struct validate_settings *settings = check->validation->settings;
    if (check->listed >= (settings->limit ? settings->limit : LISTED)) return;
    check->listed++;
    check->validation->listed++;
    (settings->json ? put_fault : list_fault)(check, fault);
}

/* --- Verdicts -------------------------------------------------------------------------------- */

static const char *verdict_of(hectic_engine_counts counts)
{
    return counts.faults ? "invalid" : counts.events ? "valid" : "nothing to check";
}

/* What has the runtime write the events that the machine is about: those of its last letter. */
static const char *needs(const hectic_machine *machine)
{
    const hectic_shape *shape = NULL;
    for (const hectic_letter *letter = machine->letters; letter->key; letter++)
        if (!letter->context) shape = hectic_shape_by_number(letter->event);
    return shape ? hectic_class_flag(shape->class_) : "";
}

static void print_verdict(const struct check *check, struct sink *sink)
{
    const hectic_engine_counts counts = hectic_engine_count(check->engine);
    sink_print(sink, "%s: %s", check->machine->name, verdict_of(counts));
    if (counts.events == 0 && counts.faults == 0)
        sink_print(sink, ": the log has no such events (%s logs them)", needs(check->machine));
    if (counts.faults)
        sink_print(sink, ": %" PRIu64 " fault%s", counts.faults, counts.faults == 1 ? "" : "s");
    if (counts.faults > check->listed)
        sink_print(sink, " (%" PRIu64 " listed; --limit lists more)", check->listed);
    if (counts.events) sink_print(sink, " (%" PRIu64 " events)", counts.events);
    sink_print(sink, "\n");
}

static void put_verdict(const struct check *check, struct sink *sink)
{
    const hectic_engine_counts counts = hectic_engine_count(check->engine);
    sink_print(sink, "%s\n{\"machine\":\"%s\",\"verdict\":\"%s\"",
               check == check->validation->check ? "" : ",", check->machine->name,
               counts.faults   ? "invalid"
               : counts.events ? "valid"
                               : "nothing");
    put_number(sink, "events", true, counts.events);
    put_number(sink, "faults", true, counts.faults);
    put_number(sink, "listed", true, check->listed);
    sink_print(sink, "}");
}

static void write_verdicts(struct validation *validation)
{
    struct sink *sink = validation->pass.sink;
    const bool json = validation->settings->json;
    const hectic_gaps gaps = hectic_log_gaps(validation->pass.log);
    if (json) sink_print(sink, "],\n\"machines\":[");
    for (size_t i = 0; i < validation->pass.engines; i++)
        (json ? put_verdict : print_verdict)(&validation->check[i], sink);
    if (!json) {
        gaps_print(sink, "Gaps: ", &gaps);
        return;
    }
    sink_print(sink, "],\n\"valid\":%s,",
               machine_pass_faults(&validation->pass) ? "false" : "true");
    struct json writer = json_on_sink(sink);
    gaps_put(&writer, &gaps);
    sink_print(sink, "}\n");
}

/* --------------------------------------------------------------------------------------------- */

static bool begin(void *user, const hectic_header *header)
{
    struct validation *validation = user;
    hectic_renderer_free(validation->renderer);
    validation->renderer = hectic_renderer_new(header);
    if (validation->renderer == NULL) tool_message("out of memory");
    return validation->renderer != NULL;
}

static bool add_check(struct validation *validation, const hectic_machine *machine)
{
    struct machine_pass *pass = &validation->pass;
    struct check *check = &validation->check[pass->engines];
    const hectic_observer observer = {.faulted = on_fault, .user = check};
    if (!machine_pass_add(pass, machine, &observer)) return false;
    *check = (struct check){
        .validation = validation, .machine = machine, .engine = pass->engine[pass->engines - 1]};
    return true;
}

static int add_checks(struct validation *validation, const char *name)
{
    if (strcmp(name, "all") != 0) {
        const hectic_machine *machine = machine_find("validate", name, machine_names);
        if (machine == NULL) return TOOL_USAGE;
        return add_check(validation, machine) ? TOOL_OK : TOOL_UNUSABLE;
    }
    size_t count;
    const hectic_machine *const *machines = hectic_machines(&count);
    for (size_t i = 0; i < count; i++)
        if (!add_check(validation, machines[i])) return TOOL_UNUSABLE;
    return TOOL_OK;
}

static int validate(struct validation *validation, const char *path)
{
    struct machine_pass *pass = &validation->pass;
    if (!machine_pass_open(pass, path)) return TOOL_UNUSABLE;
    if (validation->settings->json) {
        sink_print(pass->sink, "{");
        put_text(pass->sink, "log", path);
        sink_print(pass->sink, ",\n\"faults\":[");
    }
    int code = machine_pass_run(pass, path);
    if (code != TOOL_UNUSABLE) write_verdicts(validation);
    if (code == TOOL_OK && machine_pass_faults(pass) > 0) code = TOOL_DAMAGED;
    return sink_close(pass->sink, code);
}

static int run(void *settings, int argc, char **argv)
{
    struct validate_settings *validate_settings = settings;
    struct validation validation = {
        .settings = validate_settings,
        .pass = {.output = &validate_settings->output, .begin = begin, .user = &validation}};
    (void)argc;
    int code = add_checks(&validation, argv[0]);
    if (code == TOOL_OK) code = validate(&validation, argv[1]);
    machine_pass_free(&validation.pass);
    hectic_renderer_free(validation.renderer);
    return code;
}

const struct verb verb_validate = {
    .name = "validate",
    .group = "As in ghc-events:",
    .brief = "check the order of events",
    .summary = "Tell whether the events of a log contradict each other",
    .usage = (const char *const[]){"[OPTION]... threads|threadpool|threadrun|sparks LOG",
                                   "[OPTION]... taskpool|tasks|gc|all LOG", NULL},
    .description =
        (const char *const[]){
            "Runs state machines over the log and lists every event that cannot follow those "
            "before it: when it was, at which byte it stands, what it says, what was known until "
            "then, and what usually causes it. After a fault the machine goes on as if the event "
            "had been right, so that one lost event is one fault and not a thousand.",
            "threads: each thread is created, run, stopped and woken in an order that can be. "
            "threadpool: threads are created once, and only those that exist migrate and finish. "
            "threadrun: a cap runs one thread at a time. taskpool: tasks are created once and "
            "migrate from the cap where they are. tasks: each task is one OS thread. sparks: "
            "threads for sparks run, take sparks and finish; this needs +RTS -lf. gc: each cap "
            "asks for collections, starts, works, is done and ends, and no cap runs a thread while "
            "all are stopped. all: all of these.",
            "The verdict is that of ghc-events, which stops at the first fault and has no gc. A "
            "machine whose events are not in the log has nothing to check, and says so.",
            "What SYNC events replay corrects what is known. Where the log says that events were "
            "dropped, nothing is a fault until the next replay. A thread that is created a second "
            "time while it lives is announced again: that is a fault for ghc-events, and so it is "
            "here, but the thread goes on as it was.",
            NULL},
    .words = machine_names,
    .groups = (const struct option_group[]){{"Output", validate_options, 0, NULL},
                                            {"Output", output_options,
                                             offsetof(struct validate_settings, output), NULL},
                                            {"Output", input_options, 0, input_note},
                                            {0}},
    .examples = (const struct example[]){{"hectic validate all Main.eventlog", "is it consistent?"},
                                         {"hectic validate --limit 1000 threads Main.eventlog",
                                          "more of what is wrong with the threads"},
                                         {NULL, NULL}},
    .exits = {"Nothing contradicts; or there was nothing to check.",
              "There are faults, or the log is damaged.",
              "The log cannot be read, or the output cannot be written."},
    .least = 2,
    .most = 2,
    .settings_size = sizeof(struct validate_settings),
    .run = run,
};
