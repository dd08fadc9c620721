/* faults.c — see faults.h. */
#include "tool/passes/faults.h"

#include "tool/cli/message.h"
#include "tool/output/cells.h"

#include <inttypes.h>
#include <string.h>

enum { DEFAULT_LIMIT = 20 };

const struct tool_option fault_options[] = {
    {"limit", 0, "N", "list at most N faults of each machine (20)", NULL,
     offsetof(struct fault_settings, limit), tool_set_count},
    {"json", 0, NULL, "print one JSON object", NULL, offsetof(struct fault_settings, json),
     tool_set_flag},
    {0},
};

static void print_fault(const struct faulted_machine *at, const hectic_fault *fault)
{
    struct sink *sink = at->faults->pass.sink;
    const hectic_event *event = fault->event;
    char text[200];
    sink_print(sink, "%s: %" PRIu64 ".%09" PRIu64 " s, byte %" PRIu64 ": ", at->machine->name,
               event->time / 1000000000, event->time % 1000000000, event->position);
    if (event->cap != HECTIC_CAP_NONE) sink_print(sink, "cap %u: ", event->cap);
    char *out = sink_foreign_room(sink, hectic_render_bound(event));
    sink_foreign_fill(
        sink, out, hectic_render_text(at->faults->renderer, event, HECTIC_UNKNOWN_DESCRIBED, out));
    sink_print(sink, "\n    but %s\n    usual cause: %s\n",
               hectic_fault_text(at->machine, fault, text, sizeof text), fault->cause);
}

/* Begins an object on a line of its own. */
static void open_line(struct json *json, struct sink *sink)
{
    sink_print(sink, json->follows ? ",\n" : "\n");
    json->follows = false;
    json_open(json, NULL, '{');
}

static void put_fault(const struct faulted_machine *at, const hectic_fault *fault)
{
    static const char *const kinds[] = {[HECTIC_FAULT_STATE] = "state",
                                        [HECTIC_FAULT_OCCUPIED] = "occupied",
                                        [HECTIC_FAULT_PLACE] = "place",
                                        [HECTIC_FAULT_NO_CAP] = "no_cap"};
    struct sink *sink = at->faults->pass.sink;
    struct json *json = &at->faults->json;
    const hectic_machine *machine = at->machine;
    const bool is_occupied = fault->kind == HECTIC_FAULT_OCCUPIED;
    char text[200];
    open_line(json, sink);
    const bool has_wanted = is_occupied || fault->kind == HECTIC_FAULT_PLACE;
    record_put_members(json, fault, .machine = cell_text(machine->name),
                       .kind = cell_text(kinds[fault->kind]),
                       .position = cell_number(fault->event->position),
                       .key_is = cell_text(hectic_unit_name(machine->key)),
                       .key = cell_if(fault->has_key, fault->key),
                       .state = cell_text(fault->has_key ? machine->states[fault->state] : NULL),
                       .place = cell_if(fault->has_place, fault->place),
                       .wanted = cell_if(has_wanted, fault->wanted),
                       .occupant = cell_if(is_occupied, fault->occupant),
                       .fault = cell_text(hectic_fault_text(machine, fault, text, sizeof text)),
                       .cause = cell_text(fault->cause));
    sink_print(sink, ",\"event\":");
    char *out = sink_room(sink, hectic_render_bound(fault->event));
    sink_fill(sink, hectic_render_json(at->faults->renderer, fault->event, out));
    json_close(json, '}');
}

static void on_fault(void *user, const hectic_fault *fault)
{
    struct faulted_machine *at = user;
    const struct fault_settings *settings = at->faults->settings;
    if (at->listed >= (settings->limit ? settings->limit : DEFAULT_LIMIT)) return;
    at->listed++;
    (settings->json ? put_fault : print_fault)(at, fault);
}

static bool begin_section(void *user, const hectic_header *header)
{
    struct faults *faults = user;
    hectic_renderer_free(faults->renderer);
    faults->renderer = hectic_renderer_new(header);
    if (faults->renderer == NULL) tool_message("out of memory");
    return faults->renderer != NULL;
}

static bool add(struct faults *faults, const hectic_machine *machine)
{
    struct faulted_machine *at = &faults->machine[faults->pass.engines];
    *at = (struct faulted_machine){.faults = faults, .machine = machine};
    const hectic_observer observer = {.faulted = on_fault, .user = at};
    return machine_pass_add(&faults->pass, machine, &observer);
}

bool faults_add(struct faults *faults, const char *machine)
{
    if (strcmp(machine, "all") != 0) return add(faults, hectic_machine_by_name(machine));
    size_t count;
    const hectic_machine *const *machines = hectic_machines(&count);
    for (size_t i = 0; i < count; i++)
        if (!add(faults, machines[i])) return false;
    return true;
}

bool faults_list(struct faults *faults, hectic_result *last)
{
    faults->pass.begin = begin_section;
    faults->pass.user = faults;
    const bool is_json = faults->settings->json;
    if (is_json) json_open(&faults->json, "faults", '[');
    const bool done = machine_pass_events(&faults->pass, last);
    if (is_json) json_close(&faults->json, ']');
    return done;
}

/* The RTS option that logs the machine's events: that of its last letter. */
static const char *rts_option(const hectic_machine *machine)
{
    const hectic_shape *shape = NULL;
    for (const hectic_letter *letter = machine->letters; letter->key; letter++)
        if (!letter->context) shape = hectic_shape_by_number(letter->event);
    return shape ? hectic_class_flag(shape->class_) : "";
}

static void print_verdict(struct faults *faults, size_t i)
{
    struct sink *sink = faults->pass.sink;
    const struct faulted_machine *at = &faults->machine[i];
    const hectic_engine_counts counts = hectic_engine_count(faults->pass.engine[i]);
    sink_print(sink, "%s: %s", at->machine->name,
               counts.faults   ? "invalid"
               : counts.events ? "valid"
                               : "nothing to check");
    if (counts.events == 0 && counts.faults == 0)
        sink_print(sink, ": the log has no such events (%s logs them)", rts_option(at->machine));
    if (counts.faults) sink_print(sink, ": %s", quantity(counts.faults, "fault").text);
    if (counts.faults > at->listed)
        sink_print(sink, " (%" PRIu64 " listed; --limit lists more)", at->listed);
    if (counts.events) sink_print(sink, " (%s)", quantity(counts.events, "event").text);
    sink_print(sink, "\n");
}

static void put_verdict(struct faults *faults, size_t i)
{
    struct json *json = &faults->json;
    const hectic_engine_counts counts = hectic_engine_count(faults->pass.engine[i]);
    open_line(json, faults->pass.sink);
    record_put_members(json, fault_machine, .machine = cell_text(faults->machine[i].machine->name),
                       .verdict = cell_text(counts.faults   ? "invalid"
                                            : counts.events ? "valid"
                                                            : "nothing"),
                       .events = cell_number(counts.events), .faults = cell_number(counts.faults),
                       .listed = cell_number(faults->machine[i].listed));
    json_close(json, '}');
}

void faults_print_verdicts(struct faults *faults)
{
    const bool is_json = faults->settings->json;
    if (is_json) json_open(&faults->json, "machines", '[');
    for (size_t i = 0; i < faults->pass.engines; i++)
        (is_json ? put_verdict : print_verdict)(faults, i);
    if (!is_json) return;
    json_close(&faults->json, ']');
    json_flag(&faults->json, "valid", true, machine_pass_faults(&faults->pass) == 0);
}

void faults_free(struct faults *faults)
{
    machine_pass_free(&faults->pass);
    hectic_renderer_free(faults->renderer);
}
