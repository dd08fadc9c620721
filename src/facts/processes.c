/* See processes.h. */
#include "facts/processes.h"
#include "format/fields.h"

#include <hectic/encoder.h>
#include <hectic/read_events.h>

#include "base/array.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum {
    PROCESSES_MAX = 65535,
    TASKS_MAX = 1 << 20, /* of processes other than the first, alive at a time */
    CAPSET_OS_PROCESS = 2,
    CAPS = 1 << 16,
};

struct hectic_processes {
    struct process {
        hectic_process info;
        bool is_nonmoving; /* it uses the non-moving collector */
        bool is_new;       /* it has no event except the creation of its capset */
    } * process;
    uint32_t count, capacity, alive;
    map capsets, tasks;     /* the process, plus 1 */
    uint32_t of_cap[CAPS];  /* plus 1; 0: unknown */
    uint64_t created[CAPS]; /* plus 1: time of the CAP_CREATE of a cap without a process */
    bool has_held;
    hectic_event held; /* CAP_CREATE of a cap that has just been assigned */
    hectic_event_type held_type;
    uint8_t held_cap[2];
};

hectic_processes *hectic_processes_new(void)
{
    enum { FEW = 4 };
    hectic_processes *p = calloc(1, sizeof *p);
    if (p) p->process = calloc(FEW, sizeof *p->process);
    if (!p || !p->process) {
        free(p);
        return NULL;
    }
    p->capacity = FEW;
    p->count = p->alive = 1;
    return p;
}

void hectic_processes_free(hectic_processes *p)
{
    if (!p) return;
    free(p->process);
    map_clear(&p->capsets);
    map_clear(&p->tasks);
    free(p);
}

/* --- Names ----------------------------------------------------------------------------------- */

static uint32_t find(const map *keys, uint64_t name)
{
    const uint64_t known = map_value_of(keys, name);
    return known ? (uint32_t)known - 1 : HECTIC_NO_PROCESS;
}

/* False: out of memory. */
static bool set(map *keys, uint64_t name, uint32_t process)
{
    return map_set_value(keys, name, process + UINT64_C(1));
}

uint32_t hectic_processes_of_cap(const hectic_processes *p, uint16_t cap)
{
    if (p->count == 1) return 0;
    return p->of_cap[cap] ? p->of_cap[cap] - 1 : HECTIC_NO_PROCESS;
}

/* --- Capsets --------------------------------------------------------------------------------- */

/* The creation of a process's capset. hectic_merge writes it twice, first with the time when the
 * process's clock was 0. For a process with other events, it is a repeated announcement. */
static bool take_capset(hectic_processes *p, uint64_t time, uint32_t capset, uint32_t *process)
{
    const uint32_t known = find(&p->capsets, capset);
    *process = known;
    if (known != HECTIC_NO_PROCESS) {
        struct process *existing = &p->process[known];
        if (existing->info.capset != capset) return true; /* it has another type */
        existing->info.has_start |= existing->is_new;
        p->alive += existing->info.has_ended;
        existing->info.has_ended = false;
        return true;
    }
    const bool is_first = !p->process[0].info.has_capset;
    if (!is_first && p->count == PROCESSES_MAX) return true;
    if (!array_reserve(p->process, p->capacity, p->count + 1)) return false;
    *process = is_first ? 0 : p->count;
    p->process[*process] = (struct process){
        .info = {.has_capset = true, .capset = capset, .start = time},
        .is_new = true,
    };
    p->count += !is_first;
    p->alive += !is_first;
    return set(&p->capsets, capset, *process);
}

/* Assigns the cap to the capset's process; or the caps of a capset of another type belong to a
 * process. */
static bool take_assignment(hectic_processes *p, uint32_t capset, uint16_t cap, uint32_t *process)
{
    *process = find(&p->capsets, capset);
    if (*process == HECTIC_NO_PROCESS) {
        if (p->of_cap[cap] == 0) return true;
        *process = p->of_cap[cap] - 1;
        return set(&p->capsets, capset, *process);
    }
    const bool is_process = p->process[*process].info.capset == capset;
    if (!is_process || cap == HECTIC_CAP_NONE) return true;
    p->of_cap[cap] = *process + 1;
    if (p->created[cap] == 0) return true;
    field_store(p->held_cap, sizeof p->held_cap, cap);
    p->has_held = true;
    p->held_type = hectic_type_of(HECTIC_EVENT_CAP_CREATE);
    p->held = (hectic_event){.time = p->created[cap] - 1,
                             .payload = p->held_cap,
                             .declared = &p->held_type,
                             .type = HECTIC_EVENT_CAP_CREATE,
                             .size = sizeof p->held_cap,
                             .cap = HECTIC_CAP_NONE};
    p->created[cap] = 0;
    return true;
}

static uint32_t of_capset(const hectic_processes *p, uint32_t capset)
{
    return p->count == 1 ? 0 : find(&p->capsets, capset);
}

static void end_process(hectic_processes *p, uint32_t capset)
{
    const uint32_t process = find(&p->capsets, capset);
    if (process == HECTIC_NO_PROCESS || p->process[process].info.capset != capset) return;
    p->alive -= !p->process[process].info.has_ended;
    p->process[process].info.has_ended = true;
}

/* Each argument ends with a NUL, or at the end of the event. */
static bool has_argument(const uint8_t *args, size_t size, const char *argument)
{
    const size_t length = strlen(argument);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(args + i, argument, length) == 0 && (i == 0 || args[i - 1] == 0) &&
            (i + length == size || args[i + length] == 0))
            return true;
    return false;
}

/* --- Other events without a cap -------------------------------------------------------------- */

/* The only live process; if there are several, with `is_nonmoving`, the only one with the
 * non-moving collector. */
static uint32_t only_one(const hectic_processes *p, bool is_nonmoving)
{
    uint32_t found = HECTIC_NO_PROCESS;
    if (p->alive > 1 && !is_nonmoving) return HECTIC_NO_PROCESS;
    if (p->alive == 1) is_nonmoving = false;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->process[i].info.has_ended || p->process[i].is_nonmoving < is_nonmoving) continue;
        if (found != HECTIC_NO_PROCESS) return HECTIC_NO_PROCESS;
        found = i;
    }
    return found;
}

static bool is_of_nonmoving(uint16_t type)
{
    return type >= HECTIC_EVENT_CONC_MARK_BEGIN && type <= HECTIC_EVENT_NONMOVING_HEAP_CENSUS;
}

static uint32_t of_task(const hectic_processes *p, uint64_t task)
{
    const uint32_t process = find(&p->tasks, task);
    return process == HECTIC_NO_PROCESS ? 0 : process; /* it existed before the second process */
}

static bool take_task(hectic_processes *p, uint64_t task, uint16_t cap, uint32_t *process)
{
    *process = hectic_processes_of_cap(p, cap);
    if (*process == 0) map_remove_value(&p->tasks, task);
    if (*process == 0 || *process == HECTIC_NO_PROCESS || p->tasks.count > TASKS_MAX) return true;
    return set(&p->tasks, task, *process);
}

/* By the first field with a capset or a cap. */
static uint32_t of_fields(const hectic_processes *p, const hectic_event *event)
{
    const hectic_shape *shape = hectic_shape_by_number(event->type);
    hectic_value value[HECTIC_MAX_FIELDS];
    const size_t count =
        shape ? hectic_shape_walk(shape, event->payload, event->size, value, NULL) : 0;
    for (size_t i = 0; i < count; i++) {
        const hectic_unit unit = value[i].field->unit;
        if (unit == HECTIC_UNIT_CAPSET) return find(&p->capsets, value[i].number);
        if (unit == HECTIC_UNIT_CAP) return hectic_processes_of_cap(p, (uint16_t)value[i].number);
    }
    return only_one(p, is_of_nonmoving(event->type));
}

static bool take_of_no_cap(hectic_processes *p, const hectic_event *event, uint32_t *process)
{
    hectic_event_task_create created;
    hectic_event_task_delete deleted;
    uint16_t cap;
    switch (event->type) {
    case HECTIC_EVENT_TASK_CREATE:
        if (!hectic_read_task_create(event, &created)) break;
        return take_task(p, created.task, created.cap_no, process);
    case HECTIC_EVENT_TASK_DELETE:
        if (!hectic_read_task_delete(event, &deleted)) break;
        *process = of_task(p, deleted.task);
        map_remove_value(&p->tasks, deleted.task);
        return true;
    case HECTIC_EVENT_CAP_CREATE:
        if (!hectic_read_cap(event, &cap)) break;
        *process = hectic_processes_of_cap(p, cap);
        if (*process == HECTIC_NO_PROCESS && event->time < UINT64_MAX)
            p->created[cap] = event->time + 1;
        return true;
    default: *process = of_fields(p, event); return true;
    }
    *process = HECTIC_NO_PROCESS;
    return true;
}

/* --- Events ---------------------------------------------------------------------------------- */

static bool take(hectic_processes *p, const hectic_event *event, uint32_t *process)
{
    hectic_event_capset_create capset;
    hectic_event_capset_assign_cap assigned;
    hectic_event_osprocess_pid pid;
    hectic_event_program_args program;
    uint32_t deleted;
    switch (event->type) {
    case HECTIC_EVENT_CAPSET_CREATE:
        if (!hectic_read_capset_create(event, &capset) || capset.capset_type != CAPSET_OS_PROCESS)
            break;
        return take_capset(p, event->time, capset.capset, process);
    case HECTIC_EVENT_CAPSET_ASSIGN_CAP:
        if (!hectic_read_capset_assign_cap(event, &assigned)) break;
        return take_assignment(p, assigned.capset, assigned.cap_no, process);
    case HECTIC_EVENT_CAPSET_DELETE:
        if (!hectic_read_capset(event, &deleted)) break;
        *process = find(&p->capsets, deleted);
        end_process(p, deleted);
        return true;
    case HECTIC_EVENT_OSPROCESS_PID:
        if (!hectic_read_osprocess_pid(event, &pid)) break;
        *process = of_capset(p, pid.capset);
        if (*process == HECTIC_NO_PROCESS) return true;
        p->process[*process].info.has_pid = true;
        p->process[*process].info.pid = pid.pid;
        return true;
    case HECTIC_EVENT_PROGRAM_ARGS:
        if (!hectic_read_program_args(event, &program)) break;
        *process = of_capset(p, program.capset);
        if (*process != HECTIC_NO_PROCESS)
            p->process[*process].is_nonmoving |=
                has_argument(program.args.bytes, program.args.length, "-xn") ||
                has_argument(program.args.bytes, program.args.length, "--nonmoving-gc");
        return true;
    default: break;
    }
    *process = 0;
    if (p->count == 1) return true;
    if (event->cap == HECTIC_CAP_NONE) return take_of_no_cap(p, event, process);
    *process = hectic_processes_of_cap(p, event->cap);
    return true;
}

bool hectic_processes_event(hectic_processes *p, const hectic_event *event, uint32_t *process)
{
    hectic_event replayed;
    p->has_held = false;
    const bool is_sync = event->type == HECTIC_EVENT_SYNC && hectic_read_replayed(event, &replayed);
    if (!take(p, is_sync ? &replayed : event, process)) return false;
    if (p->count == 1) *process = 0;
    if (*process != HECTIC_NO_PROCESS && event->type != HECTIC_EVENT_CAPSET_CREATE)
        p->process[*process].is_new = false;
    return true;
}

const hectic_event *hectic_processes_held(const hectic_processes *p)
{
    return p->has_held && p->count > 1 ? &p->held : NULL;
}

uint32_t hectic_processes_count(const hectic_processes *p)
{
    return p->count;
}

hectic_process hectic_processes_get(const hectic_processes *p, uint32_t number)
{
    return p->process[number].info;
}
