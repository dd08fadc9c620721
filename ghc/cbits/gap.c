#include "gap.h"

#include <hectic/encoder.h>

#include <string.h>

enum { MARKER = HECTIC_BLOCK_MARKER_SIZE, FINISHED = 5, OS_PROCESS = 0, CLOCK_DOMAIN = 1 };

/* --- Events ----------------------------------------------------------------------------------- */

void gap_end(gap_writer *w)
{
    if (w->size > MARKER) {
        hectic_encode_block_marker(w->bytes, MARKER, w->time, (uint32_t)w->size, w->time, w->cap);
        w->write(w->user, w->bytes, w->size);
    }
    w->size = 0;
}

static bool put_into_block(gap_writer *w, const hectic_event_type *type, const hectic_value *value,
                           size_t count)
{
    const size_t room = sizeof w->bytes - w->size;
    const size_t size = hectic_encode_fields(w->bytes + w->size, room, type, w->time, value, count);
    if (size > room) return false;
    w->size += size;
    return true;
}

static void begin_block(gap_writer *w, uint16_t cap)
{
    gap_end(w);
    w->cap = cap;
    w->size = MARKER;
}

static void put(gap_writer *w, uint16_t cap, uint16_t number, const hectic_value *value,
                size_t count)
{
    const hectic_event_type type = hectic_type_of(number);
    if (w->size == 0 || w->cap != cap) begin_block(w, cap);
    if (put_into_block(w, &type, value, count)) return;
    begin_block(w, cap);
    put_into_block(w, &type, value, count); /* an event longer than a block is left out */
}

void gap_message(gap_writer *w, const char *text)
{
    const hectic_value value = {.bytes = (const uint8_t *)text, .length = (uint32_t)strlen(text)};
    put(w, HECTIC_CAP_NONE, HECTIC_EVENT_LOG_MSG, &value, 1);
}

/* --- Threads ---------------------------------------------------------------------------------- */

static void put_thread(gap_writer *w, uint16_t cap, uint16_t number, const gap_thread *thread,
                       uint16_t second)
{
    const hectic_value value[] = {{.number = (uint32_t)thread->id}, {.number = second}, {0}};
    const bool is_stop = number == HECTIC_EVENT_STOP_THREAD;
    const bool is_pair =
        number == HECTIC_EVENT_THREAD_WAKEUP || number == HECTIC_EVENT_MIGRATE_THREAD;
    put(w, cap, number, value, is_stop ? 3 : is_pair ? 2 : 1);
}

static void put_label(gap_writer *w, const gap_thread *thread)
{
    const hectic_value value[] = {
        {.number = (uint32_t)thread->id},
        {.bytes = (const uint8_t *)thread->label, .length = thread->label_length}};
    put(w, thread->cap, HECTIC_EVENT_THREAD_LABEL, value, 2);
}

/* The thread has run, and stopped for that reason. */
static void put_stop(gap_writer *w, uint16_t cap, const gap_thread *thread, uint16_t status)
{
    put_thread(w, cap, HECTIC_EVENT_RUN_THREAD, thread, 0);
    put_thread(w, cap, HECTIC_EVENT_STOP_THREAD, thread, status);
}

static bool is_same(const gap_thread *before, const gap_thread *after)
{
    return before && after && before->cap == after->cap && before->status == after->status;
}

/* `before` NULL: created; `after` NULL: finished. Not both. */
static void put_difference(gap_writer *w, const gap_thread *before, const gap_thread *after)
{
    const bool is_changed = !is_same(before, after);
    if (!before) put_thread(w, after->cap, HECTIC_EVENT_CREATE_THREAD, after, 0);
    if (before && before->status && is_changed)
        put_thread(w, before->cap, HECTIC_EVENT_THREAD_WAKEUP, before, before->cap);
    if (before && after && before->cap != after->cap)
        put_thread(w, before->cap, HECTIC_EVENT_MIGRATE_THREAD, before, after->cap);
    if (after && after->label) put_label(w, after);
    if (!after)
        put_stop(w, before->cap, before, FINISHED);
    else if (after->status && is_changed)
        put_stop(w, after->cap, after, after->status);
}

void gap_threads(gap_writer *w, const gap_thread *before, size_t before_count,
                 const gap_thread *after, size_t after_count)
{
    for (size_t b = 0, a = 0; b < before_count || a < after_count;) {
        const bool is_gone = a == after_count || (b < before_count && before[b].id < after[a].id);
        const bool is_new = b == before_count || (a < after_count && after[a].id < before[b].id);
        put_difference(w, is_new ? NULL : &before[b], is_gone ? NULL : &after[a]);
        b += !is_new;
        a += !is_gone;
    }
}

/* --- Capabilities ----------------------------------------------------------------------------- */

static void put_cap(gap_writer *w, uint16_t number, uint32_t cap)
{
    const hectic_value value = {.number = cap};
    put(w, HECTIC_CAP_NONE, number, &value, 1);
}

static void put_capset(gap_writer *w, uint32_t capset, uint32_t cap)
{
    const hectic_value value[] = {{.number = capset}, {.number = cap}};
    put(w, HECTIC_CAP_NONE, HECTIC_EVENT_CAPSET_ASSIGN_CAP, value, 2);
}

void gap_of_caps(gap_writer *w, gap_caps before, gap_caps after)
{
    for (uint32_t cap = before.count; cap < after.count; cap++) {
        put_cap(w, HECTIC_EVENT_CAP_CREATE, cap);
        put_capset(w, OS_PROCESS, cap);
        put_capset(w, CLOCK_DOMAIN, cap);
    }
    for (uint32_t cap = 0; cap < after.count; cap++) {
        const bool was = cap >= before.count || cap < before.enabled, is = cap < after.enabled;
        if (was != is) put_cap(w, is ? HECTIC_EVENT_CAP_ENABLE : HECTIC_EVENT_CAP_DISABLE, cap);
    }
}
