/* simulate.c — hectic simulate: every change of state of a machine, in order of time. */
#include "tool/input/machines.h"

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

/* A row of its own, before that of the change it leads to. */
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
    const struct table_column key = machine_column(machine->key);
    const struct table_column place = machine_column(machine->place);
    const struct table_column columns[] = {
        [TIME] = {"time_ns", "Time", CELL_TIME, false},
        [SECTION] = {"section", "Section", CELL_SECTION, true},
        [EVENT] = {"event", "Event", CELL_TEXT, false},
        [KEY] = key,
        [FROM] = {"from", "From", CELL_TEXT, false},
        [TO] = {"to", "To", CELL_TEXT, false},
        [PLACE] = place,
        [HELD] = {"held_ns", "After", CELL_NS, false},
        [FAULT] = {"fault", "Fault", CELL_TEXT, true},
    };
    memcpy(simulation->columns, columns, sizeof columns);
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
    const struct simulate_settings *simulate_settings = settings;
    struct simulation simulation = {
        .pass = {.output = &simulate_settings->output, .end = end, .user = &simulation},
        .section = 1,
        .machine = machine_find("simulate", argv[0], machine_names)};
    (void)argc;
    if (simulation.machine == NULL) return TOOL_USAGE;
    make_columns(&simulation);
    const hectic_observer observer = {
        .changed = on_change, .faulted = on_fault, .lenient = true, .user = &simulation};
    int code = TOOL_UNUSABLE;
    if (machine_pass_add(&simulation.pass, simulation.machine, &observer))
        code = simulate(&simulation, &simulate_settings->table, argv[1]);
    machine_pass_free(&simulation.pass);
    table_free(simulation.table);
    return code;
}

const struct verb verb_simulate = {
    .name = "simulate",
    .group = "As in ghc-events:",
    .brief = "print state transitions",
    .summary = "Print how threads, tasks or caps go from state to state",
    .usage = (const char *const[]){"[OPTION]... threads|threadpool|threadrun|sparks LOG",
                                   "[OPTION]... taskpool|tasks|gc LOG", NULL},
    .description =
        (const char *const[]){
            "Runs one of the state machines that hectic validate checks a log with (its man page "
            "says what each looks at), and prints every change of state in order of time: the "
            "event that made it, whose state it is, from which state to which, on which cap it is "
            "now (for tasks: which OS thread it is), and how long the state before had lasted.",
            "An event that cannot follow those before it has a row of its own that says what is "
            "wrong; the machine goes on as if it had been right.",
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
            {"hectic simulate threads Main.eventlog", "each step of a thread"},
            {"hectic simulate --csv gc Main.eventlog", "what caps did in collections"},
            {NULL, NULL}},
    .exits = {"The log was followed to its end.",
              "There are faults (see hectic validate), or the log is damaged.",
              "The log cannot be read, or the output cannot be written."},
    .least = 2,
    .most = 2,
    .settings_size = sizeof(struct simulate_settings),
    .run = run,
};
