/* Summaries: facts from the landmarks of the survey. */
#include "results/summary.h"

#include "read/decode/running.h"

#include "facts/processes.h"

#include <stdlib.h>
#include <string.h>

/* The values of an event with all fields. False: no shape, or malformed. */
static bool values(const hectic_event *event, hectic_value *value)
{
    const hectic_shape *shape = event->declared->shape;
    return shape &&
           hectic_shape_walk(shape, event->payload, event->size, value, NULL) == shape->field_count;
}

static char *copy_text(const hectic_value *text)
{
    char *copy = malloc((size_t)text->length + 1);
    if (!copy) return NULL;
    memcpy(copy, text->bytes, text->length);
    copy[text->length] = '\0';
    return copy;
}

static void add_cap(hectic_summary *s, uint64_t cap)
{
    if (cap < HECTIC_CAP_NONE) s->cap[cap / 8] |= (uint8_t)(1u << cap % 8);
}

/* Time 0 of the log's clock is `time` ns before the wall clock's value. */
static void set_wall_clock(hectic_summary *s, uint64_t time, const hectic_value *value)
{
    if (s->has_wall_clock) return;
    uint64_t seconds = time / 1000000000, ns = time % 1000000000;
    if (value[1].number < seconds + 1 || value[2].number >= 1000000000) return;
    s->has_wall_clock = true;
    bool borrow = value[2].number < ns;
    s->start_seconds = value[1].number - seconds - borrow;
    s->start_ns = (uint32_t)(value[2].number + (borrow ? 1000000000u : 0) - ns);
}

bool summary_add(hectic_summary *s, const hectic_event *event, uint64_t *started)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    if (!values(event, value)) return true;
    switch (event->type) {
    case HECTIC_EVENT_RTS_IDENTIFIER:
        if (!s->rts) return (s->rts = copy_text(&value[1])) != NULL;
        break;
    case HECTIC_EVENT_PROGRAM_ARGS:
        if (s->args) break;
        s->args = copy_text(&value[1]);
        s->args_length = (size_t)value[1].length + 1;
        /* Some writers NUL-terminate the last argument, too. */
        while (s->args && s->args_length > 1 && s->args[s->args_length - 2] == '\0')
            s->args_length--;
        return s->args != NULL;
    case HECTIC_EVENT_OSPROCESS_PID:
        if (!s->has_pid) s->pid = (uint32_t)value[1].number;
        s->has_pid = true;
        break;
    case HECTIC_EVENT_OSPROCESS_PPID:
        if (!s->has_ppid) s->ppid = (uint32_t)value[1].number;
        s->has_ppid = true;
        break;
    case HECTIC_EVENT_WALL_CLOCK_TIME: set_wall_clock(s, event->time, value); break;
    case HECTIC_EVENT_STARTUP:
        for (; *started < value[0].number; ++*started)
            add_cap(s, *started);
        break;
    case HECTIC_EVENT_CAP_CREATE: add_cap(s, value[0].number); break;
    case HECTIC_EVENT_HEAP_INFO_GHC:
        if (s->has_heap_info) break;
        s->has_heap_info = true;
        s->generations = (uint16_t)value[1].number;
        s->max_heap_size = value[2].number;
        s->alloc_area_size = value[3].number;
        break;
    case HECTIC_EVENT_HEAP_PROF_BEGIN:
        if (s->has_heap_profile) break;
        s->has_heap_profile = true;
        s->heap_profile_period = value[1].number;
        s->heap_profile_breakdown = (uint32_t)value[2].number;
        break;
    default: break;
    }
    return true;
}

bool summary_clock_zero(const hectic_summary *s, uint64_t *ns)
{
    return s->has_wall_clock &&
           !__builtin_mul_overflow(s->start_seconds, UINT64_C(1000000000), ns) &&
           !__builtin_add_overflow(*ns, s->start_ns, ns);
}

void summary_count_caps(hectic_summary *s)
{
    s->caps = 0;
    for (size_t i = 0; i < sizeof s->cap; i++)
        s->caps += (uint32_t)__builtin_popcount(s->cap[i]);
}

/* Adds the facts at positions from <= position < to. */
static bool summarize(hectic_log *log, uint64_t from, uint64_t to, hectic_summary *summary)
{
    const hectic_survey *survey = hectic_log_survey(log);
    hectic_event event;
    uint64_t started = 0;
    bool done = true;
    for (size_t i = 0; i < survey->landmarks && done; i++) {
        const uint64_t position = survey->landmark[i];
        if (position < from || position >= to) continue;
        done = hectic_log_read_at(log, position, &event) ? summary_add(summary, &event, &started)
                                                         : hectic_log_error(log)->kind == HECTIC_OK;
    }
    summary_count_caps(summary);
    if (!done) hectic_summary_clear(summary);
    return done;
}

bool hectic_summarize(hectic_log *log, hectic_summary *summary)
{
    *summary = (hectic_summary){0};
    memcpy(summary->cap, hectic_log_survey(log)->caps, sizeof summary->cap);
    return summarize(log, 0, UINT64_MAX, summary);
}

bool hectic_summarize_section(hectic_log *log, size_t section, hectic_summary *summary)
{
    const hectic_survey *survey = hectic_log_survey(log);
    const bool is_last = section + 1 == survey->sections;
    *summary = (hectic_summary){0};
    return summarize(log, survey->section[section].position,
                     is_last ? UINT64_MAX : survey->section[section + 1].position, summary);
}

/* --- Several processes ----------------------------------------------------------------------- */

/* The facts of each process; all are cleared if there is only one. */
struct summaries {
    hectic_processes *processes;
    hectic_summary *summary;
    uint32_t count;
    uint64_t started; /* see summary_add */
};

static bool add_process_fact(struct summaries *all, const hectic_event *event)
{
    uint32_t process;
    if (!hectic_processes_event(all->processes, event, &process)) return false;
    if (process >= HECTIC_SUMMARIES_MAX) return true; /* or no process */
    if (process >= all->count) {
        hectic_summary *grown = realloc(all->summary, (process + 1) * sizeof *grown);
        if (!grown) return false;
        memset(grown + all->count, 0, (process + 1 - all->count) * sizeof *grown);
        all->summary = grown;
        all->count = process + 1;
    }
    return summary_add(&all->summary[process], event, &all->started);
}

/* Adjusts the start: the process's own clock was 0 later than the log's. */
static void add_start(hectic_summary *s, const hectic_process *process)
{
    s->has_capset = process->has_capset;
    s->capset = process->capset;
    if (!process->has_start || !s->has_wall_clock) return;
    const uint64_t ns = s->start_ns + process->start % 1000000000;
    s->start_seconds += process->start / 1000000000 + ns / 1000000000;
    s->start_ns = (uint32_t)(ns % 1000000000);
}

static void add_caps(struct summaries *all, const uint8_t *caps)
{
    for (uint32_t i = 0; i < all->count; i++)
        memset(all->summary[i].cap, 0, sizeof all->summary[i].cap);
    for (uint32_t cap = 0; cap < HECTIC_CAP_NONE; cap++) {
        const uint32_t process = hectic_processes_of_cap(all->processes, (uint16_t)cap);
        if (!(caps[cap / 8] >> cap % 8 & 1) || process >= all->count) continue;
        add_cap(&all->summary[process], cap);
        all->summary[process].caps++;
    }
}

/* Each section has its own processes. */
static bool begin_section(struct summaries *all)
{
    hectic_summaries_free(all->summary, all->count);
    hectic_processes_free(all->processes);
    *all = (struct summaries){.processes = hectic_processes_new()};
    return all->processes;
}

/* Adds the facts of the first section with several processes, or else of the last with any. */
static bool add_process_facts(struct summaries *all, hectic_log *log)
{
    const hectic_survey *survey = hectic_log_survey(log);
    size_t section = 1;
    bool done = begin_section(all);
    for (size_t i = 0; i < survey->landmarks && done; i++) {
        const uint64_t position = survey->landmark[i];
        const size_t before = section;
        hectic_event event;
        while (section < survey->sections && position >= survey->section[section].position)
            section++;
        if (section > before && all->count > 1) return true;
        done = section == before || begin_section(all);
        if (done)
            done = hectic_log_read_at(log, position, &event)
                       ? add_process_fact(all, &event)
                       : hectic_log_error(log)->kind == HECTIC_OK;
    }
    return done;
}

bool hectic_summarize_processes(hectic_log *log, hectic_summary **summaries, size_t *count)
{
    const hectic_survey *survey = hectic_log_survey(log);
    struct summaries all = {0};
    bool done = add_process_facts(&all, log);
    if (done) {
        add_caps(&all, survey->caps);
        for (uint32_t i = 0; i < all.count; i++) {
            const hectic_process process = hectic_processes_get(all.processes, i);
            add_start(&all.summary[i], &process);
        }
    }
    hectic_processes_free(all.processes);
    *summaries = all.summary;
    *count = all.count;
    if (done && all.count > 1) return true;
    hectic_summaries_free(all.summary, all.count);
    *summaries = NULL;
    *count = 0;
    return done;
}

void hectic_summaries_free(hectic_summary *summaries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hectic_summary_clear(&summaries[i]);
    free(summaries);
}

void hectic_summary_clear(hectic_summary *summary)
{
    free(summary->args);
    free(summary->rts);
    summary->args = summary->rts = NULL;
}

const hectic_log_topic *hectic_log_topics(size_t *count)
{
    static const hectic_log_topic topics[] = {
        {"threads", "which threads ran when and where, and why they stopped", RUNNING_EVIDENCE,
         "+RTS -ls", "threads"},
        {"labels", "the names of threads", HECTIC_EVENT_THREAD_LABEL,
         "GHC.Conc.labelThread in the program, and +RTS -ls", "threads"},
        {"tasks", "which OS threads ran the caps", HECTIC_EVENT_TASK_CREATE,
         "GHC 7.6 or newer, and +RTS -ls", "tasks"},
        {"gc", "when the collector ran, and for how long", HECTIC_EVENT_GC_START, "+RTS -lg", "gc"},
        {"gc-statistics", "what each collection copied, and slop", HECTIC_EVENT_GC_STATS_GHC,
         "GHC 7.6 or newer, and +RTS -lg", "gc"},
        {"allocation", "how much was allocated", HECTIC_EVENT_HEAP_ALLOCATED,
         "GHC 7.6 or newer, and +RTS -lg", "stat"},
        {"residency", "how much was live at major collections", HECTIC_EVENT_HEAP_LIVE,
         "a major collection during the run, and +RTS -lg", "gc"},
        {"non-moving", "what the concurrent collector did", HECTIC_EVENT_CONC_MARK_BEGIN,
         "+RTS --nonmoving-gc -lgn", "heap --nonmoving"},
        {"sparks", "spark counters: created, converted, fizzled …", HECTIC_EVENT_SPARK_COUNTERS,
         "ghc -threaded, and +RTS -lp", "sparks"},
        {"each-spark", "the events of each spark", HECTIC_EVENT_SPARK_CREATE,
         "sparks in the program, ghc -threaded, and +RTS -lf", "sparks"},
        {"messages", "messages of the program", HECTIC_EVENT_USER_MSG,
         "Debug.Trace.traceEventIO in the program, and +RTS -lu", "spans"},
        {"markers", "markers set by the program", HECTIC_EVENT_USER_MARKER,
         "Debug.Trace.traceMarkerIO in the program, and +RTS -lu", "show"},
        {"heap-profile", "the composition of the heap", HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN,
         "+RTS -l -hT; -hc, -hy … with ghc -prof", "heap"},
        {"biography", "which heap data are used, dragged, or never used",
         HECTIC_EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, "ghc -prof, and +RTS -l -hb", "heap"},
        {"time-profile", "the time spent in each cost centre", HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE,
         "ghc -prof, and +RTS -l -p", "prof"},
        {"info-tables", "the source locations of closures", HECTIC_EVENT_IPE,
         "GHC 9.2 or newer, ghc -finfo-table-map, and +RTS -l", "show"},
        {"ticky", "how often closures were entered and allocated",
         HECTIC_EVENT_TICKY_COUNTER_SAMPLE, "GHC 9.2 or newer, ghc -ticky, and +RTS -lTg", "ticky"},
    };
    *count = sizeof topics / sizeof *topics;
    return topics;
}
