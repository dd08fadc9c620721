/* thread_times.c — how long threads ran in an interval: of the slots of the index that lie in it,
 * and of the events at its two ends. */
#include "numbers/saturating.h"
#include "timeline/thread_index.h"
#include "view/requests/threads.h"

#include <stdlib.h>

struct times {
    hectic_view *view;
    const struct section *section;
    struct thread_list list;
    uint64_t running[THREAD_LIST_MAX];
    uint64_t from, to;           /* of the events that are read */
    uint64_t rest_from, to_last; /* what is read after that; rest_from >= to_last: nothing */
    hectic_threads *threads;
    bool has_failed;
};

static void free_times(void *state)
{
    struct times *times = state;
    map_clear(&times->list.places);
    hectic_threads_free(times->threads);
    free(times);
}

static void take_span(void *user, const struct threads_span *span)
{
    struct times *times = user;
    const uint32_t place = (uint32_t)map_value_of(&times->list.places, span->thread);
    const uint64_t from = span->from > times->from ? span->from : times->from;
    const uint64_t to = span->to < times->to ? span->to : times->to;
    if (!place || from > to) return;
    if (span->state == HECTIC_THREAD_RUNNING) saturating_add(&times->running[place - 1], to - from);
}

static bool ignore_thread(void *user, const hectic_thread *thread)
{
    (void)user, (void)thread;
    return true;
}

/* Begins to read events, from times->from on. */
static bool plan_events(struct times *times, struct job_plan *plan)
{
    const struct section *section = times->section;
    hectic_threads_free(times->threads);
    times->threads = thread_index_begin(section->timeline, section->header, times->from, 0,
                                        UINT64_MAX, ignore_thread, NULL, &plan->from, NULL);
    plan->to = times->to;
    plan->has_types = thread_types(section->timeline, &plan->types);
    if (times->threads) threads_watch(times->threads, take_span, times);
    return times->threads;
}

/* Adds the slots that lie in the interval. The events before and after them are read. */
static void take_slots(struct times *times)
{
    const struct thread_index *index = times->section->timeline->threads;
    const unsigned shift = index->shift, more = shift > 31 ? shift - 31 : 0;
    const uint64_t first = (times->from + ((UINT64_C(1) << shift) - 1)) >> shift;
    const uint64_t end = times->to >> shift;
    times->rest_from = times->to_last = times->to;
    if (first >= end) return;
    times->to = first << shift;
    times->rest_from = end << shift;
    for (size_t i = 0; i < index->count; i++) {
        struct indexed_thread *thread = &index->thread[i];
        const uint32_t place = (uint32_t)map_value_of(&times->list.places, thread->row.id);
        struct thread_course *course = &thread->course;
        const struct thread_slot *slot = thread_course_slots(course);
        if (!place) continue;
        for (uint32_t k = 0; k < course->slots; k++)
            if (course->first + k >= first && course->first + k < end)
                saturating_add(&times->running[place - 1],
                               (uint64_t)slot[k].part[CLASS_RUNNING] << more);
    }
}

static void *begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct times *times = calloc(1, sizeof *times);
    if (!times) return view_fail(v, "out of memory"), NULL;
    const uint64_t last = section->timeline->stat->last;
    times->view = v;
    times->section = section;
    times->from = plan->from;
    times->to = plan->to <= last ? plan->to : last + 1;
    if (times->to < times->from) times->to = times->from;
    bool done = thread_list_take(v, &times->list);
    if (done) {
        take_slots(times);
        done = plan_events(times, plan) || view_fail(v, "out of memory");
    }
    if (done) return times;
    free_times(times);
    return NULL;
}

static bool take_event(void *state, const hectic_event *event)
{
    struct times *times = state;
    times->has_failed = times->has_failed || !hectic_threads_event(times->threads, event);
    return !times->has_failed;
}

static bool end_part(struct times *times)
{
    const uint64_t last = times->section->timeline->stat->last;
    times->has_failed = times->has_failed ||
                        !hectic_threads_end(times->threads, last < times->to ? last : times->to);
    return !times->has_failed;
}

static bool next(void *state, struct job_plan *plan)
{
    struct times *times = state;
    if (times->rest_from >= times->to_last || !end_part(times)) return false;
    times->from = times->rest_from;
    times->to = times->rest_from = times->to_last;
    times->has_failed = !plan_events(times, plan);
    return !times->has_failed;
}

static bool put(void *state, hectic_view *v, struct json *json)
{
    struct times *times = state;
    if (!end_part(times)) return view_fail(v, "out of memory");
    json_open(json, "times", '[');
    for (size_t i = 0; i < times->list.count; i++) {
        json_open(json, NULL, '{');
        json_number(json, "thread", true, times->list.thread[i]);
        json_number(json, "running_ns", true, times->running[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    return true;
}

bool answer_thread_times(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {begin, take_event, next, put, free_times};
    const struct section *section;
    uint64_t from, to;
    if (!view_thread_interval(v, &section, &from, &to)) return false;
    switch (view_index(v, section, UINT64_MAX, json)) {
    case INDEX_FAILED: return false;
    case INDEX_NOT_READY: return true;
    default: return answer_job(v, json, &kind);
    }
}
