/* machines.c — see machines.h. */
#include "tool/input/machines.h"

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

/* Sets for each type of event which engines use it, a bit for each engine. Types that the catalogue
 * does not have are used by none. */
static void find_wanted(const struct machine_pass *pass, uint8_t wanted[65536])
{
    size_t shapes;
    const hectic_shape *shape = hectic_catalogue(&shapes);
    for (size_t k = 0; k < shapes; k++) {
        const uint16_t number = shape[k].number;
        wanted[number] = 0;
        for (size_t i = 0; i < pass->engines; i++)
            if (hectic_engine_uses(pass->engine[i], number)) wanted[number] |= (uint8_t)(1u << i);
    }
}

static bool begin_section(struct machine_pass *pass, uint8_t wanted[65536])
{
    const hectic_header *header = hectic_log_header(pass->log);
    pass->section++;
    for (size_t i = 0; i < pass->engines; i++)
        hectic_engine_begin(pass->engine[i], header);
    find_wanted(pass, wanted);
    return pass->begin == NULL || pass->begin(pass->user, header);
}

static bool end_section(const struct machine_pass *pass)
{
    for (size_t i = 0; i < pass->engines; i++)
        if (!hectic_engine_end(pass->engine[i])) {
            tool_message("out of memory");
            return false;
        }
    return pass->end == NULL || pass->end(pass->user);
}

/* Sets whether the event is in a gap. */
static void update_gap(struct machine_pass *pass, const hectic_event *event)
{
    const struct hectic_gap *gap = pass->gaps.gap;
    while (pass->gap < pass->gaps.count &&
           (gap[pass->gap].section < pass->section ||
            (gap[pass->gap].section == pass->section && gap[pass->gap].to < event->time)))
        pass->gap++;
    const bool is_in_gap = pass->gap < pass->gaps.count &&
                           gap[pass->gap].section == pass->section &&
                           gap[pass->gap].from <= event->time;
    for (size_t i = 0; i < pass->engines; i++)
        hectic_engine_set_gap(pass->engine[i], is_in_gap);
}

static bool take(struct machine_pass *pass, unsigned wanted, const hectic_event *event)
{
    if (pass->gaps.count > 0) update_gap(pass, event);
    for (; wanted; wanted &= wanted - 1)
        if (!hectic_engine_event(pass->engine[__builtin_ctz(wanted)], event)) {
            tool_message("out of memory");
            return false;
        }
    return true;
}

bool machine_pass_events(struct machine_pass *pass, hectic_result *last)
{
    static uint8_t wanted[65536];
    hectic_event event;
    bool in_section = false, good = hectic_gap_list_find(&pass->gaps, pass->log);
    if (!good) tool_message("out of memory");
    progress_pass(&pass->progress);
    while (good && !sink_failed(pass->sink)) {
        *last = hectic_log_next(pass->log, &event);
        if (*last == HECTIC_GOT_EVENT) {
            progress_step(&pass->progress, hectic_log_survey(pass->log)->events);
            good = wanted[event.type] == 0 || take(pass, wanted[event.type], &event);
        } else {
            if (in_section) good = end_section(pass);
            in_section = *last == HECTIC_HEADER;
            if (!in_section) break;
            good = good && begin_section(pass, wanted);
        }
    }
    progress_end(&pass->progress);
    return good && !sink_failed(pass->sink);
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
    switch (unit) {
    case HECTIC_UNIT_THREAD: return (struct table_column){"thread", "Thread", CELL_ID, false};
    case HECTIC_UNIT_TASK: return (struct table_column){"task", "Task", CELL_TEXT, false};
    case HECTIC_UNIT_CAP: return (struct table_column){"cap", "Cap", CELL_ID, false};
    case HECTIC_UNIT_OS_THREAD:
        return (struct table_column){"os_thread", "OS thread", CELL_ID, false};
    default: return (struct table_column){"place", "Place", CELL_ID, true};
    }
}

struct cell machine_cell(hectic_unit unit, bool known, uint64_t number, char room[24])
{
    if (unit != HECTIC_UNIT_TASK) return (struct cell){.known = known, .number = number};
    snprintf(room, 24, "0x%llx", (unsigned long long)number);
    return cell_text(known ? room : NULL);
}
