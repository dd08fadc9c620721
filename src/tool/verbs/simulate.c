/* simulate.c — hectic simulate: the changes of state of a state machine, in order of time. */
#include "tool/passes/machines.h"

#include <string.h>

static const char machine_names[] = "threads threadpool threadrun taskpool tasks sparks gc";

struct simulate_settings {
    struct output_settings output;
    struct table_settings table;
};

enum { TIME, SECTION, EVENT, KEY, FROM, TO, PLACE, HELD, FAULT, COLUMNS };

struct simulation {
    struct machine_pass pass;
    const hectic_machine *machine;
    struct table *table;
    struct table_column columns[COLUMNS + 1];
    uint64_t section; /* counted from 1 */
    bool failed;
};

static void add_row(struct simulation *simulation, const struct cell *cells)
{
    if (!simulation->failed && !table_row(simulation->table, simulation->pass.sink, cells))
        simulation->failed = true;
}

static const char *event_name(const hectic_event *event)
{
    return event->declared->shape->name;
}

static void on_change(void *user, const hectic_change *change)
{
    struct simulation *simulation = user;
    const hectic_machine *machine = simulation->machine;
    char key[24], place[24];
    struct cell cells[COLUMNS] = {
        [TIME] = cell_number(change->event->time),
        [SECTION] = cell_number(simulation->section),
        [EVENT] = cell_text(event_name(change->event)),
        [KEY] = machine_cell(machine->key, true, change->key, key),
        [FROM] = cell_text(machine->states[change->from]),
        [TO] = cell_text(machine->states[change->to]),
        [PLACE] = machine_cell(machine->place, change->has_place, change->place, place),
        [HELD] =
            change->has_since ? cell_number(change->event->time - change->since) : cell_unknown(),
    };
    add_row(simulation, cells);
}

/* A row of its own, before that of the change. */
static void on_fault(void *user, const hectic_fault *fault)
{
    struct simulation *simulation = user;
    const hectic_machine *machine = simulation->machine;
    char key[24], place[24], text[200];
    struct cell cells[COLUMNS] = {
        [TIME] = cell_number(fault->event->time),
        [SECTION] = cell_number(simulation->section),
        [EVENT] = cell_text(event_name(fault->event)),
        [KEY] = machine_cell(machine->key, fault->has_key, fault->key, key),
        [FROM] = cell_text(fault->has_key ? machine->states[fault->state] : NULL),
        [PLACE] = machine_cell(machine->place, fault->has_place, fault->place, place),
        [FAULT] = cell_text(hectic_fault_text(machine, fault, text, sizeof text)),
    };
    add_row(simulation, cells);
}

static bool end(void *user)
{
    struct simulation *simulation = user;
    simulation->section++;
    return !simulation->failed;
}

static void make_columns(struct simulation *simulation)
{
    const hectic_machine *machine = simulation->machine;
    memcpy(simulation->columns, simulate_columns, sizeof simulation->columns);
    simulation->columns[KEY] = machine_column(machine->key);
    simulation->columns[PLACE] = machine_column(machine->place);
}

static int simulate(struct simulation *simulation, const struct table_settings *settings,
                    const char *path)
{
    int code = TOOL_UNUSABLE;
    simulation->table = table_new(NULL, simulation->columns, settings, &code);
    if (simulation->table == NULL) return code;
    struct machine_pass *pass = &simulation->pass;
    if (!machine_pass_open(pass, path)) return TOOL_UNUSABLE;
    code = machine_pass_run(pass, path);
    if (simulation->failed || !table_end(simulation->table, pass->sink)) code = TOOL_UNUSABLE;
    if (code == TOOL_OK && machine_pass_faults(pass) > 0) code = TOOL_DAMAGED;
    return sink_close(pass->sink, code);
}

static int run(void *settings, int argc, char **argv)
{
    struct simulate_settings *own = settings;
    own->table.key = "simulate";
    const char *machine = machine_operand(machine_names, "threads", argc, argv);
    if (machine == NULL) return TOOL_USAGE;
    struct simulation simulation = {
        .pass = {.output = &own->output, .of_one_process = true, .end = end, .user = &simulation},
        .section = 1,
        .machine = hectic_machine_by_name(machine)};
    make_columns(&simulation);
    const hectic_observer observer = {
        .changed = on_change, .faulted = on_fault, .lenient = true, .user = &simulation};
    int code = TOOL_UNUSABLE;
    if (machine_pass_add(&simulation.pass, simulation.machine, &observer))
        code = simulate(&simulation, &own->table, argv[argc - 1]);
    machine_pass_free(&simulation.pass);
    table_free(simulation.table);
    return code;
}

const struct verb verb_simulate = {
    .name = "simulate",
    .group = "As in ghc-events:",
    .summary = "Print the changes of state of threads, tasks or caps",
    .usage = (const char *const[]){"[OPTION]... [threads|threadpool|threadrun] LOG",
                                   "[OPTION]... sparks|taskpool|tasks|gc LOG", NULL},
    .description =
        (const char *const[]){
            "Runs a state machine over the log and prints every change of state in order of time: "
            "the event, the thread, task or cap, its state before and after, the cap where it is "
            "now (for tasks: the OS thread), and how long it was in the state before.",
            "The default machine is threads. hectic validate describes the machines.",
            "An event that contradicts an earlier one has a row of its own with the fault. The "
            "machine continues as if the event were right.",
            NULL},
    .words = machine_names,
    .groups =
        (const struct option_group[]){
            {"Output", table_options, offsetof(struct simulate_settings, table), NULL},
            {"Output", output_options, offsetof(struct simulate_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic simulate Main.eventlog", "each change of state of a thread"},
            {"hectic simulate --csv gc Main.eventlog", "caps in collections, as CSV"},
            {NULL, NULL}},
    .exits = {"The whole log was read.",
              "There are faults (see hectic validate), or the log is damaged.",
              "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct simulate_settings),
    .run = run,
};
