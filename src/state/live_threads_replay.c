/* The threads that live, told as events. */
#include "state/live_threads.h"

#include "format/stop_status.h"

#include <hectic/encoder.h>

#include <string.h>

typedef struct replay_writer {
    const hectic_header *header;
    uint64_t time;
    live_state_emit tell;
    void *user;
    uint8_t *room; /* HECTIC_EVENT_MAX bytes */
} replay_writer;

/* An event made from its fields. What the header does not declare is not told. */
static bool tell_fields(const replay_writer *t, uint16_t cap, uint16_t type,
                        const hectic_value *value, size_t count)
{
    const hectic_event_type *declared = hectic_header_type(t->header, type);
    if (!declared || !declared->shape) return true;
    if (count > declared->shape->field_count) count = declared->shape->field_count;
    const size_t size =
        hectic_encode_fields(t->room, HECTIC_EVENT_MAX, declared, t->time, value, count);
    if (size == 0) return true;
    const size_t head = declared->size == HECTIC_VARIABLE ? 12 : 10;
    const hectic_event event = {.time = t->time,
                                .payload = t->room + head,
                                .declared = declared,
                                .type = type,
                                .size = (uint16_t)(size - head),
                                .cap = cap};
    return t->tell(t->user, &event);
}

static bool is_queued(const thread *each)
{
    return (each->known & RUNNABLE) || !(each->known & (RUNNING | STOPPED));
}

/* How it came to what it does now. A spark has to be told with the running and stopping around it;
 * otherwise a thread that only waits for its turn need not have run. */
static bool tell_past(const replay_writer *t, const thread *each, bool spark)
{
    if (is_queued(each) && !spark) return true;
    const hectic_value stop[] = {
        {.number = each->id}, {.number = each->status}, {.number = each->info}};
    const hectic_value taken[] = {{.number = each->id}, {.number = each->victim}};
    const bool named =
        each->spark == HECTIC_EVENT_RUN_SPARK || each->spark == HECTIC_EVENT_STEAL_SPARK;
    if (!tell_fields(t, each->cap, HECTIC_EVENT_RUN_THREAD, stop, 1)) return false;
    if (spark && !tell_fields(t, each->cap, each->spark, named ? taken : taken + 1, named ? 2 : 1))
        return false;
    return (each->known & RUNNING) || tell_fields(t, each->cap, HECTIC_EVENT_STOP_THREAD, stop, 3);
}

static bool tell_thread(const replay_writer *t, const thread *each, bool spark)
{
    const hectic_value id = {.number = each->id};
    const hectic_value label[] = {
        id, {.bytes = (const uint8_t *)each->label, .length = each->label_size}};
    const hectic_value process[] = {id, {.number = each->process}};
    if ((each->known & CREATED) && !tell_fields(t, each->cap, HECTIC_EVENT_CREATE_THREAD, &id, 1))
        return false;
    if ((each->known & SPARKS) &&
        !tell_fields(t, each->cap, HECTIC_EVENT_CREATE_SPARK_THREAD, &id, 1))
        return false;
    if (each->label && !tell_fields(t, each->cap, HECTIC_EVENT_THREAD_LABEL, label, 2))
        return false;
    if ((each->known & IN_PROCESS) &&
        !tell_fields(t, each->cap, HECTIC_EVENT_ASSIGN_THREAD_TO_PROCESS, process, 2))
        return false;
    return tell_past(t, each, spark);
}

/* Cap by cap; who runs on a cap comes last there, since others have run before it. */
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
                             uint64_t time, live_state_emit tell, void *user)
{
    const replay_writer replay_writer = {header, time, tell, user, t->room};
    const thread *each = t->threads.sorted[place];
    return (each->known & DEAD) || tell_thread(&replay_writer, each, each->known & RAN_SPARK);
}

/* --- Changes -------------------------------------------------------------------------------- */

static bool is_there(const thread *each)
{
    return each && !(each->known & DEAD);
}

/* A thread for sparks has to have run one before it stops; but none is told that was told before,
 * or need not be, for who counts them. */
static bool owes_spark(const thread *was, const thread *is)
{
    return (is->known & SPARKS) && (is->known & RAN_SPARK) &&
           !(is_there(was) && (was->known & RAN_SPARK));
}

static bool tell_stop(const replay_writer *t, uint16_t cap, uint32_t id, uint16_t status,
                      uint32_t info)
{
    const hectic_value stop[] = {{.number = id}, {.number = status}, {.number = info}};
    return tell_fields(t, cap, HECTIC_EVENT_STOP_THREAD, stop, 3);
}

/* Nobody who ran before does so any more: each cap is free for what has to be told there. */
static bool tell_leaving(const replay_writer *t, const thread *was, const thread *is)
{
    if (!is_there(is)) return tell_stop(t, was->cap, was->id, STOP_FINISHED, 0);
    const bool stopped = !is_queued(is) && (is->known & STOPPED);
    return tell_stop(t, was->cap, was->id, stopped ? is->status : STOP_YIELDING,
                     stopped ? is->info : 0);
}

static bool tell_end(const replay_writer *t, const thread *was)
{
    const hectic_value id = {.number = was->id};
    return tell_fields(t, was->cap, HECTIC_EVENT_RUN_THREAD, &id, 1) &&
           tell_stop(t, was->cap, was->id, STOP_FINISHED, 0);
}

static bool same_label(const thread *x, const thread *y)
{
    return x->label && x->label_size == y->label_size &&
           memcmp(x->label, y->label, y->label_size) == 0;
}

static bool tell_place(const replay_writer *t, const thread *was, const thread *is)
{
    const hectic_value move[] = {{.number = is->id}, {.number = is->cap}};
    const hectic_value label[] = {move[0],
                                  {.bytes = (const uint8_t *)is->label, .length = is->label_size}};
    const hectic_value process[] = {move[0], {.number = is->process}};
    if (is->label && !same_label(was, is) &&
        !tell_fields(t, is->cap, HECTIC_EVENT_THREAD_LABEL, label, 2))
        return false;
    if ((is->known & IN_PROCESS) && (!(was->known & IN_PROCESS) || was->process != is->process) &&
        !tell_fields(t, is->cap, HECTIC_EVENT_ASSIGN_THREAD_TO_PROCESS, process, 2))
        return false;
    return was->cap == is->cap || tell_fields(t, was->cap, HECTIC_EVENT_MIGRATE_THREAD, move, 2);
}

/* It could run on at once: it only had to let others, or a collection, come first. */
static bool is_ready(const thread *each)
{
    return is_queued(each) || (each->known & RUNNING) ||
           (each->status >= STOP_HEAP_OVERFLOW && each->status <= STOP_YIELDING);
}

/* What one that was there before, and is, does now; it was told to stop where it ran. */
static bool tell_going_on(const replay_writer *t, const thread *was, const thread *is)
{
    const hectic_value wake[] = {{.number = is->id}, {.number = is->cap}};
    if (!tell_place(t, was, is)) return false;
    if (is->known & RUNNING) return tell_past(t, is, owes_spark(was, is));
    if (is_ready(is))
        return is_ready(was) || tell_fields(t, is->cap, HECTIC_EVENT_THREAD_WAKEUP, wake, 2);
    const bool same = !is_ready(was) && was->status == is->status && was->info == is->info;
    return (was->known & RUNNING) || same || tell_past(t, is, owes_spark(was, is));
}

bool live_threads_replay_change(const live_threads *from, const live_threads *to,
                                const hectic_header *header, uint64_t time, live_state_emit tell,
                                void *user)
{
    const replay_writer replay_writer = {header, time, tell, user, to->room};
    void *const *before = map_sorted(&from->threads, compare);
    for (size_t i = 0; i < from->threads.count; i++) {
        const thread *was = before[i], *is = live_threads_find(to, was->id);
        if (is_there(was) && (was->known & RUNNING) && !tell_leaving(&replay_writer, was, is))
            return false;
    }
    for (size_t i = 0; i < from->threads.count; i++) {
        const thread *was = before[i], *is = live_threads_find(to, was->id);
        if (is_there(was) && !(was->known & RUNNING) && !is_there(is) &&
            !tell_end(&replay_writer, was))
            return false;
    }
    void *const *now = map_sorted(&to->threads, compare);
    for (size_t i = 0; i < to->threads.count; i++) {
        const thread *is = now[i], *was = live_threads_find(from, is->id);
        if (!is_there(is)) continue;
        if (!(is_there(was) ? tell_going_on(&replay_writer, was, is)
                            : tell_thread(&replay_writer, is, owes_spark(was, is))))
            return false;
    }
    return true;
}
