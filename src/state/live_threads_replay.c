/* Replays live threads as events. */
#include "state/live_threads.h"

#include "format/stop_status.h"

#include <hectic/encoder.h>

#include <string.h>

typedef struct thread_replay {
    const hectic_header *header;
    uint64_t time;
    live_state_emit emit;
    void *user;
    uint8_t *buffer; /* HECTIC_EVENT_MAX bytes */
} thread_replay;

/* Emits an event with these fields, if the header declares it. */
static bool emit_fields(const thread_replay *t, uint16_t cap, uint16_t type,
                        const hectic_value *value, size_t count)
{
    const hectic_event_type *declared = hectic_header_type(t->header, type);
    if (!declared || !declared->shape) return true;
    if (count > declared->shape->field_count) count = declared->shape->field_count;
    const size_t size =
        hectic_encode_fields(t->buffer, HECTIC_EVENT_MAX, declared, t->time, value, count);
    if (size == 0) return true;
    const size_t head = declared->size == HECTIC_VARIABLE ? 12 : 10;
    const hectic_event event = {.time = t->time,
                                .payload = t->buffer + head,
                                .declared = declared,
                                .type = type,
                                .size = (uint16_t)(size - head),
                                .cap = cap};
    return t->emit(t->user, &event);
}

static bool is_queued(const thread *each)
{
    return (each->known & RUNNABLE) || !(each->known & (RUNNING | STOPPED));
}

/* Emits the events that led to the thread's state. A spark must be between a run and a stop;
 * otherwise a thread that waits for a cap need not have run. */
static bool emit_history(const thread_replay *t, const thread *each, bool spark)
{
    if (is_queued(each) && !spark) return true;
    const hectic_value stop[] = {
        {.number = each->id}, {.number = each->status}, {.number = each->info}};
    const hectic_value taken[] = {{.number = each->id}, {.number = each->victim}};
    const bool named =
        each->spark == HECTIC_EVENT_RUN_SPARK || each->spark == HECTIC_EVENT_STEAL_SPARK;
    if (!emit_fields(t, each->cap, HECTIC_EVENT_RUN_THREAD, stop, 1)) return false;
    if (spark && !emit_fields(t, each->cap, each->spark, named ? taken : taken + 1, named ? 2 : 1))
        return false;
    return (each->known & RUNNING) || emit_fields(t, each->cap, HECTIC_EVENT_STOP_THREAD, stop, 3);
}

static bool emit_thread(const thread_replay *t, const thread *each, bool spark)
{
    const hectic_value id = {.number = each->id};
    const hectic_value label[] = {
        id, {.bytes = (const uint8_t *)each->label, .length = each->label_size}};
    const hectic_value process[] = {id, {.number = each->process}};
    if ((each->known & CREATED) && !emit_fields(t, each->cap, HECTIC_EVENT_CREATE_THREAD, &id, 1))
        return false;
    if ((each->known & SPARKS) &&
        !emit_fields(t, each->cap, HECTIC_EVENT_CREATE_SPARK_THREAD, &id, 1))
        return false;
    if (each->label && !emit_fields(t, each->cap, HECTIC_EVENT_THREAD_LABEL, label, 2))
        return false;
    if ((each->known & IN_PROCESS) &&
        !emit_fields(t, each->cap, HECTIC_EVENT_ASSIGN_THREAD_TO_PROCESS, process, 2))
        return false;
    return emit_history(t, each, spark);
}

/* By cap; the running thread of a cap comes last, since others have run before it. */
static int compare(const void *a, const void *b)
{
    const thread *x = a, *y = b;
    if (x->cap != y->cap) return x->cap < y->cap ? -1 : 1;
    const int running = (x->known & RUNNING) - (y->known & RUNNING);
    if (running) return running;
    return x->id < y->id ? -1 : x->id > y->id;
}

size_t live_threads_sort(const live_threads *t)
{
    map_sorted(&t->threads, compare);
    return t->threads.count;
}

bool live_threads_replay_one(const live_threads *t, size_t place, const hectic_header *header,
                             uint64_t time, live_state_emit emit, void *user)
{
    const thread_replay replay = {header, time, emit, user, t->buffer};
    const thread *each = t->threads.sorted[place];
    return (each->known & DEAD) || emit_thread(&replay, each, each->known & RAN_SPARK);
}

/* --- Changes -------------------------------------------------------------------------------- */

static bool is_alive(const thread *each)
{
    return each && !(each->known & DEAD);
}

/* A thread for sparks must have run one before it stops; but sparks that were logged before, or are
 * not required, are not emitted, since readers count them. */
static bool owes_spark(const thread *was, const thread *is)
{
    return (is->known & SPARKS) && (is->known & RAN_SPARK) &&
           !(is_alive(was) && (was->known & RAN_SPARK));
}

static bool emit_stop(const thread_replay *t, uint16_t cap, uint32_t id, uint16_t status,
                      uint32_t info)
{
    const hectic_value stop[] = {{.number = id}, {.number = status}, {.number = info}};
    return emit_fields(t, cap, HECTIC_EVENT_STOP_THREAD, stop, 3);
}

/* Stops a thread that ran before, so that its cap is free for the following events. */
static bool emit_leaving(const thread_replay *t, const thread *was, const thread *is)
{
    if (!is_alive(is)) return emit_stop(t, was->cap, was->id, STOP_FINISHED, 0);
    const bool stopped = !is_queued(is) && (is->known & STOPPED);
    return emit_stop(t, was->cap, was->id, stopped ? is->status : STOP_YIELDING,
                     stopped ? is->info : 0);
}

static bool emit_end(const thread_replay *t, const thread *was)
{
    const hectic_value id = {.number = was->id};
    return emit_fields(t, was->cap, HECTIC_EVENT_RUN_THREAD, &id, 1) &&
           emit_stop(t, was->cap, was->id, STOP_FINISHED, 0);
}

static bool same_label(const thread *x, const thread *y)
{
    return x->label && x->label_size == y->label_size &&
           memcmp(x->label, y->label, y->label_size) == 0;
}

static bool emit_move(const thread_replay *t, const thread *was, const thread *is)
{
    const hectic_value move[] = {{.number = is->id}, {.number = is->cap}};
    const hectic_value label[] = {move[0],
                                  {.bytes = (const uint8_t *)is->label, .length = is->label_size}};
    const hectic_value process[] = {move[0], {.number = is->process}};
    if (is->label && !same_label(was, is) &&
        !emit_fields(t, is->cap, HECTIC_EVENT_THREAD_LABEL, label, 2))
        return false;
    if ((is->known & IN_PROCESS) && (!(was->known & IN_PROCESS) || was->process != is->process) &&
        !emit_fields(t, is->cap, HECTIC_EVENT_ASSIGN_THREAD_TO_PROCESS, process, 2))
        return false;
    return was->cap == is->cap || emit_fields(t, was->cap, HECTIC_EVENT_MIGRATE_THREAD, move, 2);
}

/* It is ready to run: it only yielded to other threads or to a collection. */
static bool is_ready(const thread *each)
{
    return is_queued(each) || (each->known & RUNNING) ||
           (each->status >= STOP_HEAP_OVERFLOW && each->status <= STOP_YIELDING);
}

/* The new state of a thread that is alive in both; its stop was emitted if it ran. */
static bool emit_transition(const thread_replay *t, const thread *was, const thread *is)
{
    const hectic_value wake[] = {{.number = is->id}, {.number = is->cap}};
    if (!emit_move(t, was, is)) return false;
    if (is->known & RUNNING) return emit_history(t, is, owes_spark(was, is));
    if (is_ready(is))
        return is_ready(was) || emit_fields(t, is->cap, HECTIC_EVENT_THREAD_WAKEUP, wake, 2);
    const bool same = !is_ready(was) && was->status == is->status && was->info == is->info;
    return (was->known & RUNNING) || same || emit_history(t, is, owes_spark(was, is));
}

bool live_threads_replay_change(const live_threads *from, const live_threads *to,
                                const hectic_header *header, uint64_t time, live_state_emit emit,
                                void *user)
{
    const thread_replay replay = {header, time, emit, user, to->buffer};
    void *const *before = map_sorted(&from->threads, compare);
    for (size_t i = 0; i < from->threads.count; i++) {
        const thread *was = before[i], *is = live_threads_find(to, was->id);
        if (is_alive(was) && (was->known & RUNNING) && !emit_leaving(&replay, was, is))
            return false;
    }
    for (size_t i = 0; i < from->threads.count; i++) {
        const thread *was = before[i], *is = live_threads_find(to, was->id);
        if (is_alive(was) && !(was->known & RUNNING) && !is_alive(is) && !emit_end(&replay, was))
            return false;
    }
    void *const *now = map_sorted(&to->threads, compare);
    for (size_t i = 0; i < to->threads.count; i++) {
        const thread *is = now[i], *was = live_threads_find(from, is->id);
        if (!is_alive(is)) continue;
        if (!(is_alive(was) ? emit_transition(&replay, was, is)
                            : emit_thread(&replay, is, owes_spark(was, is))))
            return false;
    }
    return true;
}
