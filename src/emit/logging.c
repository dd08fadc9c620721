/* Switches logging and classes off and on, and logs what was missed while they were off.
 *
 * Caps do not emit events of a class that is off. When the class is on again, the producer reports
 * its current state. The log's state is the baseline with the events that are still in buffers. The
 * difference between the two is logged as ordinary events, before any other event: so it is in the
 * right place for current readers, for later ones, and in a ring. */
#include "emit/emitter.h"

#include <hectic/gaps.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The classes that are logged now. With the pool's lock, the only one that the process takes at its
 * end. */
static uint64_t visible(const hectic_emitter *e)
{
    return e->started && e->logging ? e->classes : 0;
}

void logging_publish(hectic_emitter *e)
{
    const uint64_t classes = visible(e);
    for (uint32_t i = 0; i < e->cap_count; i++)
        __atomic_store_n(&e->caps[i]->out.classes, classes, __ATOMIC_RELAXED);
    __atomic_store_n(&e->global->out.classes, classes, __ATOMIC_RELAXED);
}

void logging_pause(hectic_emitter *e)
{
    if (e->reporter.pause) e->reporter.pause(e->reporter_user);
}

void logging_resume(hectic_emitter *e)
{
    if (e->reporter.resume) e->reporter.resume(e->reporter_user);
}

hectic_emit_status hectic_emitter_set_reporter(hectic_emitter *e,
                                               const hectic_emit_reporter *reporter, void *user)
{
    if (reporter && !reporter->report) return HECTIC_EMIT_INVALID;
    const int cancel = emitter_lock(&e->control);
    pthread_mutex_lock(&e->pool.lock);
    e->reporter = reporter ? *reporter : (hectic_emit_reporter){0};
    e->reporter_user = user;
    pthread_mutex_unlock(&e->pool.lock);
    emitter_unlock(&e->control, cancel);
    return HECTIC_EMIT_OK;
}

/* --- Reports ---------------------------------------------------------------------------------- */

static void apply_report(hectic_emit_report *r)
{
    cap *c = &r->cap;
    if (c->out.at)
        snapshot_update(c->emitter, &r->snapshot, c->number, r->bytes,
                        (size_t)(c->out.at - r->bytes));
    c->out.at = r->bytes;
    c->out.end = r->bytes + HECTIC_EVENT_MAX;
}

uint8_t *report_room(hectic_emit_report *r)
{
    apply_report(r);
    return r->cap.out.at;
}

hectic_emit_cap *hectic_emit_report_cap(hectic_emit_report *r, uint32_t number)
{
    apply_report(r);
    if (number != HECTIC_CAP_NONE && !hectic_emitter_cap(r->cap.emitter, number)) return NULL;
    r->cap.number = (uint16_t)number;
    return &r->cap.out;
}

static bool take_report(hectic_emitter *e, uint64_t classes, snapshot *after)
{
    hectic_emit_report r = {
        .cap = {.emitter = e,
                .number = HECTIC_CAP_NONE,
                .out.classes = classes,
                .out.line = __atomic_load_n(&e->global->out.line, __ATOMIC_ACQUIRE),
                .report = &r},
        .bytes = malloc(HECTIC_EVENT_MAX)};
    const bool ok = r.bytes && snapshot_new(e, &r.snapshot);
    if (ok) {
        apply_report(&r);
        e->reporter.report(e->reporter_user, &r);
        apply_report(&r);
    }
    free(r.bytes);
    *after = r.snapshot;
    return ok;
}

static void apply_buffer(const hectic_emitter *e, snapshot *before, const buffer *b, size_t to)
{
    snapshot_update(e, before, b->owner->number, b->bytes + b->drained, to - b->drained);
}

/* The state of the log after all emitted events. */
static bool predict_snapshot(hectic_emitter *e, snapshot *before)
{
    pool *p = &e->pool;
    pthread_mutex_lock(&e->io);
    pthread_mutex_lock(&p->lock);
    const bool ok = state_copy(e, before);
    for (const buffer *b = p->first; ok && b; b = b->next)
        apply_buffer(e, before, b, b->used);
    for (uint32_t i = 0; ok && i <= e->cap_count; i++) {
        const cap *c = emitter_nth_cap(e, i, e->cap_count);
        if (c->open) apply_buffer(e, before, c->open, (size_t)(cap_at(c) - c->open->bytes));
    }
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&e->io);
    return ok;
}

static bool log_event(void *user, const hectic_event *event)
{
    hectic_emitter *e = user;
    hectic_emit_cap *cap = event->cap == HECTIC_CAP_NONE ? hectic_emitter_global(e)
                                                         : hectic_emitter_cap(e, event->cap);
    if (cap) hectic_emit_bytes(cap, event->type, event->payload, event->size);
    return true;
}

hectic_emit_status logging_report_missed(hectic_emitter *e)
{
    pthread_mutex_lock(&e->pool.lock);
    const uint64_t missed = e->missed & visible(e);
    e->missed &= ~missed;
    pthread_mutex_unlock(&e->pool.lock);
    if (!missed || !e->reporter.report) return HECTIC_EMIT_OK;
    snapshot before = {0}, after = {0};
    const bool ok = take_report(e, missed, &after) && predict_snapshot(e, &before);
    if (ok) snapshot_replay_change(e, &before, &after, missed, log_event, e);
    snapshot_clear(&before);
    snapshot_clear(&after);
    return ok ? HECTIC_EMIT_OK : HECTIC_EMIT_NO_MEMORY;
}

/* --- Switching -------------------------------------------------------------------------------- */

/* A message in the log, with any classes on. */
static void log_message(hectic_emitter *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void log_message(hectic_emitter *e, const char *format, ...)
{
    enum { PREFIX = 12 };
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hectic_emit_cap *global = hectic_emitter_global(e);
    uint8_t *at = hectic_emit_begin(global, HECTIC_EVENT_LOG_MSG, PREFIX + (size_t)length);
    if (!at) return;
    hectic_emit_put16(at + PREFIX - 2, (uint16_t)length);
    hectic_emit_commit(global, hectic_emit_put(at + PREFIX, text, (size_t)length));
}

/* "gc, nonmoving" */
static void name_classes(char *text, size_t size, uint64_t classes)
{
    size_t length = 0;
    *text = 0;
    for (unsigned c = 0; c < HECTIC_CLASS_COUNT; c++)
        if (classes & HECTIC_CLASS_BIT(c) && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
                                       hectic_class_name((hectic_class)c));
}

static void log_switch(hectic_emitter *e, bool all, uint64_t classes, bool on)
{
    char names[400];
    name_classes(names, sizeof names, classes);
    log_message(e, HECTIC_GAP_LOGGING "%s%s%s", all ? "" : " of ", all ? "" : names,
                on ? HECTIC_GAP_ON : HECTIC_GAP_OFF);
}

/* With the control lock. */
static hectic_emit_status change(hectic_emitter *e, bool logging, uint64_t classes)
{
    pthread_mutex_lock(&e->pool.lock);
    const uint64_t before = visible(e);
    const uint64_t after = e->started && logging ? classes : 0;
    pthread_mutex_unlock(&e->pool.lock);
    const uint64_t off = before & ~after, on = after & ~before & e->reported_off;
    const bool all = logging != e->logging;
    hectic_emit_status status = HECTIC_EMIT_OK;
    if (before != after) logging_pause(e);
    if (off) log_switch(e, all, off, false);
    pthread_mutex_lock(&e->pool.lock);
    e->logging = logging;
    __atomic_store_n(&e->classes, classes, __ATOMIC_RELAXED);
    e->missed |= off;
    if (off) e->missed_since = clock_now(&e->clock);
    e->reported_off = (e->reported_off | off) & ~after;
    logging_publish(e);
    pthread_mutex_unlock(&e->pool.lock);
    if (on) log_switch(e, all, on, true);
    if (before != after) {
        status = logging_report_missed(e);
        logging_resume(e);
    }
    return status;
}

/* Flushes first, which shortens the pause of the producer. */
static void flush_buffers(hectic_emitter *e)
{
    const int cancel = emitter_lock(&e->io);
    if (e->started) drain_all(e, 0);
    emitter_unlock(&e->io, cancel);
}

hectic_emit_status hectic_emitter_set_logging(hectic_emitter *e, bool on)
{
    flush_buffers(e);
    const int cancel = emitter_lock(&e->control);
    const bool resumed = on && !e->logging && e->started;
    const bool reports = e->reporter.report;
    const hectic_emit_status status = change(e, on, e->classes);
    emitter_unlock(&e->control, cancel);
    return resumed && !reports ? hectic_emitter_sync(e) : status;
}

hectic_emit_status hectic_emitter_set_classes(hectic_emitter *e, uint64_t classes)
{
    flush_buffers(e);
    const int cancel = emitter_lock(&e->control);
    const hectic_emit_status status =
        change(e, e->logging, (classes & emitter_declared(e)) | CLASSES_ALWAYS);
    emitter_unlock(&e->control, cancel);
    return status;
}

hectic_emit_status hectic_emitter_enable(hectic_emitter *e, hectic_class class_,
                                         const uint64_t *parameter, size_t count)
{
    if ((unsigned)class_ >= HECTIC_CLASS_COUNT || count > HECTIC_CLASS_PARAMETERS ||
        !(emitter_declared(e) & HECTIC_CLASS_BIT(class_)))
        return HECTIC_EMIT_INVALID;
    flush_buffers(e);
    const int cancel = emitter_lock(&e->control);
    for (size_t i = 0; i < count; i++)
        __atomic_store_n(&e->parameter[class_][i], parameter[i], __ATOMIC_RELAXED);
    const hectic_emit_status status = change(e, e->logging, e->classes | HECTIC_CLASS_BIT(class_));
    emitter_unlock(&e->control, cancel);
    return status;
}

hectic_emit_status hectic_emitter_disable(hectic_emitter *e, hectic_class class_)
{
    if ((unsigned)class_ >= HECTIC_CLASS_COUNT || CLASSES_ALWAYS & HECTIC_CLASS_BIT(class_))
        return HECTIC_EMIT_INVALID;
    const int cancel = emitter_lock(&e->control);
    const hectic_emit_status status = change(e, e->logging, e->classes & ~HECTIC_CLASS_BIT(class_));
    emitter_unlock(&e->control, cancel);
    return status;
}

uint64_t hectic_emitter_classes(const hectic_emitter *e)
{
    return __atomic_load_n(&e->classes, __ATOMIC_RELAXED);
}

uint64_t hectic_emitter_parameter(const hectic_emitter *e, hectic_class class_, size_t index)
{
    if ((unsigned)class_ >= HECTIC_CLASS_COUNT || index >= HECTIC_CLASS_PARAMETERS) return 0;
    return __atomic_load_n(&e->parameter[class_][index], __ATOMIC_RELAXED);
}

uint64_t hectic_classes_by_flags(uint64_t classes, const char *flags)
{
    static const struct {
        char letter;
        uint64_t classes;
    } letters[] = {
        {'s', HECTIC_CLASS_BIT(HECTIC_CLASS_SCHEDULER) | HECTIC_CLASS_BIT(HECTIC_CLASS_TASK)},
        {'g', HECTIC_CLASS_BIT(HECTIC_CLASS_GC)},
        {'n', HECTIC_CLASS_BIT(HECTIC_CLASS_NONMOVING)},
        {'p', HECTIC_CLASS_BIT(HECTIC_CLASS_SPARK)},
        {'f', HECTIC_CLASS_BIT(HECTIC_CLASS_SPARK_FULL)},
        {'u', HECTIC_CLASS_BIT(HECTIC_CLASS_USER)},
        {'T', HECTIC_CLASS_BIT(HECTIC_CLASS_TICKY)},
        {'a', (HECTIC_CLASS_BIT(HECTIC_CLASS_COUNT) - 1)},
    };
    enum { LETTERS = sizeof letters / sizeof *letters };
    for (bool off = false; *flags; flags++) {
        if (*flags == '-' && !off) {
            off = true;
            continue;
        }
        size_t i = 0;
        while (i < LETTERS && letters[i].letter != *flags)
            i++;
        if (i == LETTERS) return UINT64_MAX;
        classes = off ? classes & ~letters[i].classes : classes | letters[i].classes;
        off = false;
    }
    return classes;
}
