/* machines.c — see machines.h. */
#include "tool/passes/machines.h"

#include "machines/machines.h"
#include "read/time_pass.h"
#include "tool/cli/message.h"
#include "tool/input/logs.h"
#include "tool/input/process.h"

#include <stdio.h>
#include <string.h>

static bool is_among(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *word = names; *word; word += strcspn(word, " "), word += *word == ' ')
        if (strcspn(word, " ") == length && strncmp(word, name, length) == 0) return true;
    return false;
}

const char *machine_operand(const char *names, const char *preset, int argc, char **argv)
{
    const bool is_name = is_among(names, argv[0]);
    if (is_name == (argc == 2)) return is_name ? argv[0] : preset;
    if (is_name)
        tool_usage_error("missing operand: LOG");
    else
        tool_usage_error("unknown machine \"%s\" (machines: %s)", argv[0], names);
    return NULL;
}

bool machine_pass_add(struct machine_pass *pass, const hectic_machine *machine,
                      const hectic_observer *observer)
{
    hectic_engine *engine = hectic_engine_new(machine, observer);
    if (engine == NULL) tool_message("out of memory");
    if (engine) pass->engine[pass->engines++] = engine;
    return engine != NULL;
}

bool machine_pass_open(struct machine_pass *pass, const char *path)
{
    hectic_input *input = tool_input_open(path);
    if (input == NULL) return false;
    pass->progress = progress_start(pass->output);
    progress_survey(&pass->progress);
    pass->log = tool_log_open(input, path, 0, 0, &pass->progress);
    if (!pass->log || (pass->of_one_process && process_refuse_log_of_several(pass->log, path)))
        return false;
    pass->sink = sink_open(pass->output);
    return pass->sink != NULL;
}

static pass_next begin_section(void *self, const struct log_section *section)
{
    struct machine_pass *pass = self;
    size_t shapes;
    const hectic_shape *shape = hectic_catalogue(&shapes);
    pass->section = section->number;
    pass->covered_to = section->found->covered_to;
    for (size_t i = 0; i < pass->engines; i++)
        hectic_engine_begin(pass->engine[i], section->header);
    for (size_t k = 0; k < shapes; k++) {
        uint8_t *wanted = &pass->wanted[shape[k].number];
        *wanted = 0;
        for (size_t i = 0; i < pass->engines; i++)
            *wanted |= (uint8_t)(engine_uses(pass->engine[i], shape[k].number) << i);
    }
    return !pass->begin || pass->begin(pass->user, section->header) ? PASS_ON : PASS_STOP;
}

static bool end_section(void *self, const struct log_section *section)
{
    const struct machine_pass *pass = self;
    (void)section;
    for (size_t i = 0; i < pass->engines; i++)
        if (!hectic_engine_end(pass->engine[i])) {
            tool_message("out of memory");
            return false;
        }
    return pass->end == NULL || pass->end(pass->user);
}

/* Sets whether events may be missing: in a gap, or after what the log has of all caps. */
static void update_gap(struct machine_pass *pass, const hectic_event *event)
{
    const struct hectic_gap *gap = pass->gaps.gap;
    while (pass->gap < pass->gaps.count &&
           (gap[pass->gap].section < pass->section ||
            (gap[pass->gap].section == pass->section && gap[pass->gap].to < event->time)))
        pass->gap++;
    const bool is_in_gap =
        event->time > pass->covered_to ||
        (pass->gap < pass->gaps.count && gap[pass->gap].section == pass->section &&
         gap[pass->gap].from <= event->time);
    if (is_in_gap == pass->is_in_gap) return;
    pass->is_in_gap = is_in_gap;
    for (size_t i = 0; i < pass->engines; i++)
        hectic_engine_set_gap(pass->engine[i], is_in_gap);
}

static bool take(struct machine_pass *pass, unsigned wanted, const hectic_event *event)
{
    update_gap(pass, event);
    for (; wanted; wanted &= wanted - 1)
        if (!hectic_engine_event(pass->engine[__builtin_ctz(wanted)], event)) {
            tool_message("out of memory");
            return false;
        }
    return true;
}

static pass_next take_events(void *self, const hectic_event *event, size_t count)
{
    struct machine_pass *pass = self;
    for (size_t i = 0; i < count; i++) {
        const uint16_t type = event[i].type;
        const unsigned wanted = type < sizeof pass->wanted ? pass->wanted[type] : 0;
        if (wanted && !take(pass, wanted, &event[i])) return PASS_STOP;
    }
    return sink_failed(pass->sink) ? PASS_STOP : PASS_ON;
}

static void show_progress(void *self, double done)
{
    progress_update(&((struct machine_pass *)self)->progress, done);
}

bool machine_pass_events(struct machine_pass *pass, hectic_result *last)
{
    static const struct time_consumer consumer = {begin_section, take_events, end_section,
                                                  show_progress};
    if (!hectic_gap_list_find(&pass->gaps, pass->log)) {
        tool_message("out of memory");
        return false;
    }
    progress_pass(&pass->progress);
    *last = time_pass(pass->log, &consumer, pass);
    progress_end(&pass->progress);
    return *last != HECTIC_GOT_EVENT && !sink_failed(pass->sink);
}

int machine_pass_run(struct machine_pass *pass, const char *path)
{
    hectic_result last;
    return machine_pass_events(pass, &last) ? tool_log_report(pass->log, path, last, pass->output)
                                            : TOOL_UNUSABLE;
}

void machine_pass_free(struct machine_pass *pass)
{
    progress_end(&pass->progress);
    for (size_t i = 0; i < pass->engines; i++)
        hectic_engine_free(pass->engine[i]);
    hectic_gap_list_clear(&pass->gaps);
    hectic_log_free(pass->log);
}

uint64_t machine_pass_faults(const struct machine_pass *pass)
{
    uint64_t faults = 0;
    for (size_t i = 0; i < pass->engines; i++)
        faults += hectic_engine_count(pass->engine[i]).faults;
    return faults;
}

struct table_column machine_column(hectic_unit unit)
{
    enum { THREAD, TASK, CAP, OS_THREAD, PLACE };
    switch (unit) {
    case HECTIC_UNIT_THREAD: return machine_columns[THREAD];
    case HECTIC_UNIT_TASK: return machine_columns[TASK];
    case HECTIC_UNIT_CAP: return machine_columns[CAP];
    case HECTIC_UNIT_OS_THREAD: return machine_columns[OS_THREAD];
    default: return machine_columns[PLACE];
    }
}

struct cell machine_cell(hectic_unit unit, bool known, uint64_t number, char room[24])
{
    if (unit != HECTIC_UNIT_TASK) return (struct cell){.known = known, .number = number};
    snprintf(room, 24, "0x%llx", (unsigned long long)number);
    return cell_text(known ? room : NULL);
}
