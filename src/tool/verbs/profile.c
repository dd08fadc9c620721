/* profile.c — hectic profile: the time that each thread spent in each state. */
#include "tool/cli/message.h"
#include "tool/passes/machines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char machine_names[] = "threads sparks";

struct profile_settings {
    struct output_settings output;
    struct table_settings table;
};

enum { KEY, SECTION, STATE, SINCE, FIXED, STATES_MAX = HECTIC_MACHINE_MAX };

/* Two columns for each state but the initial and the final one. */
struct profile {
    struct machine_pass pass;
    const hectic_machine *machine;
    struct table *table;
    struct table_column columns[FIXED + 2 * STATES_MAX + 1];
    char names[2 * STATES_MAX][64], titles[2 * STATES_MAX][64];
    uint64_t section;                           /* counted from 1 */
    uint64_t ns[STATES_MAX], count[STATES_MAX]; /* of all */
    bool failed;
};

static bool has_columns(const hectic_machine *machine, unsigned state)
{
    return state != 0 && state != machine->final;
}

static void add_row(struct profile *profile, const hectic_profile *key)
{
    const hectic_machine *machine = profile->machine;
    char room[24];
    struct cell cells[FIXED + 2 * STATES_MAX] = {
        [KEY] = machine_cell(machine->key, true, key->key, room),
        [SECTION] = cell_number(profile->section),
        [STATE] = cell_text(machine->states[key->state]),
        [SINCE] = cell_number(key->since),
    };
    size_t column = FIXED;
    for (unsigned state = 0; machine->states[state]; state++) {
        profile->ns[state] += key->stay[state].ns;
        profile->count[state] += key->stay[state].count;
        if (!has_columns(machine, state)) continue;
        cells[column++] = cell_number(key->stay[state].ns);
        cells[column++] = cell_number(key->stay[state].count);
    }
    if (!profile->failed && !table_row(profile->table, profile->pass.sink, cells))
        profile->failed = true;
}

static void on_end(void *user, const hectic_profile *key)
{
    add_row(user, key);
}

static bool add_sums(struct profile *profile)
{
    const hectic_machine *machine = profile->machine;
    struct cell cells[FIXED + 2 * STATES_MAX] = {[STATE] = cell_text("all")};
    size_t column = FIXED;
    for (unsigned state = 0; machine->states[state]; state++) {
        if (!has_columns(machine, state)) continue;
        cells[column++] = cell_number(profile->ns[state]);
        cells[column++] = cell_number(profile->count[state]);
    }
    return table_footer(profile->table, cells);
}

static bool end(void *user)
{
    struct profile *profile = user;
    if (!hectic_engine_each(profile->pass.engine[0], on_end, profile)) {
        tool_message("out of memory");
        return false;
    }
    profile->section++;
    return !profile->failed;
}

/* "running sparks" → running_sparks_ns, Running sparks */
static void name_columns(struct profile *profile)
{
    const hectic_machine *machine = profile->machine;
    memcpy(profile->columns, profile_columns, FIXED * sizeof *profile->columns);
    profile->columns[KEY] = machine_column(machine->key);
    size_t column = 0;
    for (unsigned state = 0; machine->states[state]; state++) {
        if (!has_columns(machine, state)) continue;
        const char *const endings[] = {"ns", "count"};
        for (size_t i = 0; i < 2; i++, column++) {
            char *name = profile->names[column], *title = profile->titles[column];
            snprintf(name, sizeof *profile->names, "%s_%s", machine->states[state], endings[i]);
            for (char *c = name; *c; c++)
                if (*c == ' ') *c = '_';
            snprintf(title, sizeof *profile->titles, "%s", i ? "Times" : machine->states[state]);
            *title = (char)toupper((unsigned char)*title);
            profile->columns[FIXED + column] = (struct table_column){
                .name = name, .title = title, .kind = i ? CELL_COUNT : CELL_NS};
        }
    }
}

static int print(struct profile *profile, const struct table_settings *settings, const char *path)
{
    int code = TOOL_UNUSABLE;
    profile->table = table_new(NULL, profile->columns, settings, &code);
    if (profile->table == NULL) return code;
    struct machine_pass *pass = &profile->pass;
    if (!machine_pass_open(pass, path)) return TOOL_UNUSABLE;
    code = machine_pass_run(pass, path);
    if (profile->failed || !add_sums(profile) || !table_end(profile->table, pass->sink))
        code = TOOL_UNUSABLE;
    const uint64_t faults = machine_pass_faults(pass);
    if (code == TOOL_OK && faults > 0) {
        tool_message("%s: %llu faults make the times unreliable; see hectic validate %s",
                     tool_log_name(path), (unsigned long long)faults, profile->machine->name);
        code = TOOL_DAMAGED;
    }
    return sink_close(pass->sink, code);
}

static int run(void *settings, int argc, char **argv)
{
    struct profile_settings *own = settings;
    own->table.key = "profile";
    const char *machine = machine_operand(machine_names, "threads", argc, argv);
    if (machine == NULL) return TOOL_USAGE;
    struct profile profile = {
        .pass = {.output = &own->output, .of_one_process = true, .end = end, .user = &profile},
        .section = 1,
        .machine = hectic_machine_by_name(machine)};
    name_columns(&profile);
    const hectic_observer observer = {
        .ended = on_end, .user = &profile, .profile = true, .lenient = true};
    int code = TOOL_UNUSABLE;
    if (machine_pass_add(&profile.pass, profile.machine, &observer))
        code = print(&profile, &own->table, argv[argc - 1]);
    machine_pass_free(&profile.pass);
    table_free(profile.table);
    return code;
}

const struct verb verb_profile = {
    .name = "profile",
    .group = "As in ghc-events:",
    .summary = "Print the time that each thread spent in each state",
    .usage = (const char *const[]){"[OPTION]... [threads|sparks] LOG", NULL},
    .description =
        (const char *const[]){
            "threads (the default): how long, and how often, each Haskell thread was queued, "
            "running and stopped. sparks: how long threads that evaluate sparks waited for the "
            "first spark, ran sparks and were paused (needs +RTS -lf). As in ghc-events, only "
            "completed stays are counted; for the state at the end of the log, Since is its start.",
            "As in ghc-events, a thread in a safe foreign call is queued, and a thread that "
            "yielded, or was woken from another cap, is stopped until it runs. So queued is not "
            "the runnable time of hectic threads, which is the time that a thread waits for a cap; "
            "see docs/machines.md.",
            "Finished threads come first, in the order in which they finished. hectic threads also "
            "prints labels, and why threads were stopped.",
            NULL},
    .words = machine_names,
    .groups =
        (const struct option_group[]){
            {"Output", table_options, offsetof(struct profile_settings, table), NULL},
            {"Output", output_options, offsetof(struct profile_settings, output), NULL},
            {"Output", input_options, 0, input_note},
            {0}},
    .examples =
        (const struct example[]){
            {"hectic profile --sort running --limit 10 Main.eventlog", "the busiest threads"},
            {"hectic profile --json sparks Main.eventlog", "threads that evaluate sparks"},
            {NULL, NULL}},
    .exits = {"The whole log was read.",
              "There are faults (see hectic validate), or the log is damaged.",
              "The log cannot be read, or the output cannot be written."},
    .least = 1,
    .most = 2,
    .settings_size = sizeof(struct profile_settings),
    .run = run,
};
