/* The public functions for control. */
#include "emit/emitter.h"

#include <hectic/encoder.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { MILLISECOND = 1000000, BUFFER_SIZE = 256 << 10 };

const char *hectic_emit_status_text(hectic_emit_status status)
{
    static const char *const text[] = {
        [HECTIC_EMIT_OK] = "done",
        [HECTIC_EMIT_SEQUENCE] =
            "called out of sequence: a required earlier call is missing, or it is too late",
        [HECTIC_EMIT_INVALID] = "invalid argument",
        [HECTIC_EMIT_NO_MEMORY] = "out of memory",
        [HECTIC_EMIT_SYSTEM] = "system call failed",
        [HECTIC_EMIT_TIMEOUT] = "timeout: the destination has not accepted all data yet",
        [HECTIC_EMIT_LOST] = "the destination is closed: open another one",
    };
    return (size_t)status < sizeof text / sizeof *text ? text[status] : "unknown status";
}

static void set_started(hectic_emitter *e, bool started)
{
    pthread_mutex_lock(&e->pool.lock);
    e->started = started;
    if (!started) {
        e->missed = UINT64_MAX;
        e->missed_since = clock_now(&e->clock);
    }
    logging_publish(e);
    pthread_mutex_unlock(&e->pool.lock);
}

static uint64_t after(uint32_t ms)
{
    return clock_ns() + (uint64_t)ms * MILLISECOND;
}

/* --- Lifetime --------------------------------------------------------------------------------- */

static bool add_type(hectic_emitter *e, hectic_event_type type, hectic_class class_,
                     bool definition)
{
    char *description = strndup(type.description, type.description_length);
    event_type *t = malloc(sizeof *t);
    if (!t || !description) {
        free(t);
        free(description);
        return false;
    }
    type.description = description;
    *t = (event_type){.type = type, .class_ = class_, .definition = definition};
    if (e->last_type)
        e->last_type->next = t;
    else
        e->first_type = t;
    e->last_type = t;
    __atomic_store_n(&e->types[type.number], t, __ATOMIC_RELEASE);
    return true;
}

static bool add_catalogue(hectic_emitter *e)
{
    size_t count;
    const hectic_shape *shape = hectic_catalogue(&count);
    for (const hectic_shape *end = shape + count; shape < end; shape++) {
        const bool older = e->types[shape->number] != NULL;
        if (older || !(emitter_declared(e) & HECTIC_CLASS_BIT(shape->class_))) continue;
        if (!add_type(e, hectic_type_of(shape->number), shape->class_, false)) return false;
    }
    return true;
}

static void add_caps(hectic_emitter *e, uint32_t count)
{
    pool *p = &e->pool;
    while (e->cap_count < count) {
        cap *c = cap_new(e, (uint16_t)e->cap_count);
        if (!c) return;
        e->caps[e->cap_count] = c;
        pthread_mutex_lock(&p->lock);
        __atomic_store_n(&e->cap_count, e->cap_count + 1, __ATOMIC_RELEASE);
        pool_set_wanted(e);
        logging_publish(e);
        pthread_mutex_unlock(&p->lock);
    }
}

static bool describe(hectic_emitter *e)
{
    e->state = state_new(e);
    if (!e->state) return false;
    state_describe(e);
    for (uint32_t i = 0; i < e->cap_count; i++)
        state_describe_cap(e, (uint16_t)i);
    return true;
}

static bool set_up(hectic_emitter *e)
{
    const uint32_t caps = e->options.caps > 0 ? e->options.caps : 1;
    e->caps = calloc(MAX_CAPS, sizeof(cap *));
    e->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    e->classes = CLASSES_ALWAYS | (e->options.classes ? e->options.classes : emitter_ghc_classes);
    e->logging = true;
    e->missed = UINT64_MAX;
    if (!e->caps || e->wake < 0 || !add_catalogue(e)) return false;
    clock_init(&e->clock, &e->options);
    e->global = cap_new(e, HECTIC_CAP_NONE);
    if (!e->global) return false;
    pool_set_size(e, e->options.buffer_size > 0 ? e->options.buffer_size : BUFFER_SIZE);
    add_caps(e, caps);
    return e->cap_count == caps && describe(e) && process_enter(e);
}

static void init_locks(hectic_emitter *e)
{
    pthread_mutex_init(&e->control, NULL);
    pthread_mutex_init(&e->io, NULL);
    pthread_mutex_init(&e->shared, NULL);
}

hectic_emitter *hectic_emitter_new(const hectic_emitter_options *options)
{
    if (options && options->clock == HECTIC_CLOCK_CALLER && !options->now) return NULL;
    if (options && options->caps >= MAX_CAPS) return NULL;
    hectic_emitter *e = calloc(1, sizeof *e);
    if (!e || !pool_init(&e->pool)) {
        free(e);
        return NULL;
    }
    if (options) e->options = *options;
    init_locks(e);
    if (set_up(e)) return e;
    hectic_emitter_free(e);
    return NULL;
}

static void free_types(hectic_emitter *e)
{
    while (e->first_type) {
        event_type *next = e->first_type->next;
        free((char *)e->first_type->type.description);
        free(e->first_type);
        e->first_type = next;
    }
}

void hectic_emitter_free(hectic_emitter *e)
{
    if (!e) return;
    hectic_emitter_stop(e);
    process_leave(e);
    service_stop(e);
    recorder_free(e);
    for (uint32_t i = 0; e->global && i <= e->cap_count; i++) {
        cap *c = emitter_nth_cap(e, i, e->cap_count);
        if (c->open) pool_release(&e->pool, c->open);
        cap_free(c);
    }
    pool_clear(&e->pool);
    state_free(e->state);
    free_types(e);
    free(e->out.prefix.at);
    free(e->header.at);
    free(e->caps);
    if (e->wake >= 0) close(e->wake);
    pthread_mutex_destroy(&e->control);
    pthread_mutex_destroy(&e->io);
    pthread_mutex_destroy(&e->shared);
    free(e);
}

hectic_emit_cap *hectic_emitter_cap(hectic_emitter *e, uint32_t number)
{
    uint32_t count = __atomic_load_n(&e->cap_count, __ATOMIC_ACQUIRE);
    if (number >= count && number < MAX_CAPS) {
        pthread_mutex_lock(&e->io);
        const uint32_t before = e->cap_count;
        add_caps(e, number + 1);
        count = e->cap_count;
        pthread_mutex_unlock(&e->io);
        for (uint32_t i = before; i < count; i++)
            state_describe_cap(e, (uint16_t)i);
    }
    return number < count ? &e->caps[number]->out : NULL;
}

hectic_emit_cap *hectic_emitter_global(hectic_emitter *e)
{
    return &e->global->out;
}

/* --- Destinations ----------------------------------------------------------------------------- */

/* A closed sink. Without locks, since it may wait for a name server. */
static hectic_emit_status make_sink(hectic_emitter *e, const hectic_destination *destination,
                                    sink **s)
{
    *s = NULL;
    if (destination->kind == HECTIC_TO_RING) return HECTIC_EMIT_OK;
    *s = destination->kind == HECTIC_TO_LISTEN ? sink_to_readers(e, destination)
                                               : sink_new(destination);
    if (*s) return HECTIC_EMIT_OK;
    const int error = errno;
    emitter_note_error(e, error);
    if (error == ENOMEM) return HECTIC_EMIT_NO_MEMORY;
    return error == EINVAL || error == ENAMETOOLONG ? HECTIC_EMIT_INVALID : HECTIC_EMIT_SYSTEM;
}

static hectic_emit_status open_sink(hectic_emitter *e, sink *s, int *error)
{
    *error = s ? s->kind->open(s) : 0;
    if (*error == 0 || *error == EAGAIN) return HECTIC_EMIT_OK;
    s->kind->close(s);
    emitter_note_error(e, *error);
    return HECTIC_EMIT_SYSTEM;
}

hectic_emit_status emitter_open(hectic_emitter *e, const hectic_destination *destination, sink **s,
                                int *error)
{
    hectic_emit_status status = make_sink(e, destination, s);
    if (status != HECTIC_EMIT_OK) return status;
    status = open_sink(e, *s, error);
    if (status != HECTIC_EMIT_OK) sink_free(*s);
    return status;
}

/* Drops events that were being emitted while logging ended. */
static void drop_stale(hectic_emitter *e, void (*drop)(hectic_emitter *e, buffer *b))
{
    pool *p = &e->pool;
    pthread_mutex_lock(&p->lock);
    while (p->first) {
        buffer *b = p->first;
        drop(e, b);
        pool_remove(p, b);
        pool_release(p, b);
    }
    for (uint32_t i = 0; i <= e->cap_count; i++) {
        cap *c = emitter_nth_cap(e, i, e->cap_count);
        if (!c->open) continue;
        c->open->used = (size_t)(cap_at(c) - c->open->bytes);
        drop(e, c->open);
        c->open->lost = 0;
    }
    pthread_mutex_unlock(&p->lock);
}

static void begin(hectic_emitter *e, sink *s, int error, const hectic_destination *destination)
{
    drain_begin(e, s, error, destination);
    e->flush_due = e->idle_due = e->sync_due = 0;
}

static hectic_emit_status start(hectic_emitter *e, sink *s, const hectic_destination *destination)
{
    int error;
    e->header.size = 0;
    if (!state_header(e, &e->header)) return HECTIC_EMIT_NO_MEMORY;
    const hectic_emit_status status = open_sink(e, s, &error);
    if (status != HECTIC_EMIT_OK) return status;
    if (!e->serving && !e->options.no_thread && !service_start(e)) {
        if (s) s->kind->close(s);
        return HECTIC_EMIT_NO_MEMORY;
    }
    drop_stale(e, pool_drop);
    begin(e, s, error, destination);
    if (e->out.state == HECTIC_DESTINATION_FAILED) { /* no memory for the state replay */
        drain_end(e, 0);
        e->out.old_sink = NULL; /* the caller frees it */
        return HECTIC_EMIT_NO_MEMORY;
    }
    set_started(e, true);
    drain_full(e, 0);
    return HECTIC_EMIT_OK;
}

/* Takes the previous sink, to be freed without locks, which its commands may need. Does not wait
 * for the io lock either: its holder may wait for the new destination, whose reader may wait for
 * the log. */
static sink *take_old_sink(hectic_emitter *e)
{
    pthread_mutex_lock(&e->pool.lock);
    sink *s = e->out.old_sink;
    e->out.old_sink = NULL;
    pthread_mutex_unlock(&e->pool.lock);
    return s;
}

static bool is_started(hectic_emitter *e)
{
    pthread_mutex_lock(&e->pool.lock);
    const bool started = e->started;
    pthread_mutex_unlock(&e->pool.lock);
    return started;
}

static hectic_emit_status change_destination(
    hectic_emitter *e, const hectic_destination *destination,
    hectic_emit_status (*go)(hectic_emitter *e, sink *s, const hectic_destination *destination))
{
    sink *s;
    hectic_emit_status status = make_sink(e, destination, &s);
    if (status != HECTIC_EMIT_OK) return status;
    const int cancel = emitter_lock(&e->control);
    const bool starts = !is_started(e);
    if (starts) logging_pause(e);
    emitter_lock(&e->io);
    status = go(e, s, destination);
    emitter_unlock(&e->io, PTHREAD_CANCEL_DISABLE);
    const bool moved = status == HECTIC_EMIT_OK;
    if (moved && starts) status = logging_report_missed(e);
    if (starts) logging_resume(e);
    sink *unused = moved ? take_old_sink(e) : s;
    emitter_unlock(&e->control, PTHREAD_CANCEL_DISABLE);
    if (moved && unused && unused->kind->lingers) {
        process_lock(); /* no fork meanwhile */
        unused->kind->close(unused);
        process_unlock();
    }
    pthread_setcancelstate(cancel, NULL);
    sink_free(unused);
    service_wake(e);
    return status;
}

static hectic_emit_status start_once(hectic_emitter *e, sink *s,
                                     const hectic_destination *destination)
{
    return e->started ? HECTIC_EMIT_SEQUENCE : start(e, s, destination);
}

hectic_emit_status hectic_emitter_start(hectic_emitter *e, const hectic_destination *destination)
{
    return change_destination(e, destination, start_once);
}

/* Timeout for the last bytes: none without a reader. */
static uint64_t last_timeout(const hectic_emitter *e)
{
    return e->out.state == HECTIC_DESTINATION_WAITING ? 0 : after(FLUSH_MS);
}

/* Flushes, and ends the log. */
static hectic_emit_status end_log(hectic_emitter *e)
{
    drain_full(e, 0); /* a reader may just have connected */
    const hectic_emit_status drained = drain_all(e, last_timeout(e));
    const hectic_emit_status ended = drain_end(e, drained == HECTIC_EMIT_OK ? last_timeout(e) : 0);
    return drained == HECTIC_EMIT_OK ? ended : drained;
}

static hectic_emit_status stop(hectic_emitter *e)
{
    if (!e->started) return HECTIC_EMIT_SEQUENCE;
    set_started(e, false);
    return end_log(e);
}

hectic_emit_status hectic_emitter_stop(hectic_emitter *e)
{
    const int cancel = emitter_lock(&e->control);
    emitter_lock(&e->io);
    const hectic_emit_status status = stop(e);
    emitter_unlock(&e->io, PTHREAD_CANCEL_DISABLE);
    sink *unused = take_old_sink(e);
    emitter_unlock(&e->control, cancel);
    sink_free(unused);
    return status;
}

static hectic_emit_status redirect(hectic_emitter *e, sink *s,
                                   const hectic_destination *destination)
{
    if (!e->started) return start(e, s, destination);
    int error;
    const hectic_emit_status status = open_sink(e, s, &error);
    if (status != HECTIC_EMIT_OK) return status;
    end_log(e);
    begin(e, s, error, destination);
    drain_full(e, 0);
    return HECTIC_EMIT_OK;
}

hectic_emit_status hectic_emitter_redirect(hectic_emitter *e, const hectic_destination *destination)
{
    return change_destination(e, destination, redirect);
}

/* --- Settings --------------------------------------------------------------------------------- */

/* But not for long. */
static hectic_emit_status flush_until(hectic_emitter *e, uint64_t until)
{
    const uint64_t soon = after(RETRY_MS);
    const int cancel = emitter_lock(&e->io);
    if (!e->serving && clock_calibrate(&e->clock)) emitter_use_clock(e);
    const hectic_emit_status status =
        e->started ? drain_all(e, until < soon ? until : soon) : HECTIC_EMIT_SEQUENCE;
    emitter_unlock(&e->io, cancel);
    return status;
}

hectic_emit_status hectic_emitter_flush(hectic_emitter *e, uint32_t timeout_ms)
{
    const uint64_t until = after(timeout_ms > 0 ? timeout_ms : FLUSH_MS);
    static const struct timespec moment = {.tv_nsec = MILLISECOND};
    hectic_emit_status status = flush_until(e, until);
    /* Releases the lock regularly, for other control functions and for fork. */
    while (status == HECTIC_EMIT_TIMEOUT && clock_ns() < until) {
        nanosleep(&moment, NULL);
        status = flush_until(e, until);
    }
    if (!__atomic_load_n(&e->serving, __ATOMIC_RELAXED)) recorder_serve(e);
    return status;
}

/* Changes a setting and wakes the service. */
static hectic_emit_status set_period(hectic_emitter *e, uint32_t *period, uint64_t *due,
                                     uint32_t ms)
{
    pthread_mutex_lock(&e->io);
    *period = ms;
    *due = after(ms);
    pthread_mutex_unlock(&e->io);
    service_wake(e);
    return HECTIC_EMIT_OK;
}

hectic_emit_status hectic_emitter_flush_every(hectic_emitter *e, uint32_t ms)
{
    return set_period(e, &e->flush_every_ms, &e->flush_due, ms);
}

hectic_emit_status hectic_emitter_flush_idle(hectic_emitter *e, uint32_t ms)
{
    return set_period(e, &e->flush_idle_ms, &e->idle_due, ms);
}

hectic_emit_status hectic_emitter_sync_every(hectic_emitter *e, uint32_t ms)
{
    return set_period(e, &e->sync_every_ms, &e->sync_due, ms);
}

hectic_emit_status hectic_emitter_sync(hectic_emitter *e)
{
    const int cancel = emitter_lock(&e->io);
    const hectic_emit_status status =
        e->started ? drain_sync(e, after(FLUSH_MS)) : HECTIC_EMIT_SEQUENCE;
    emitter_unlock(&e->io, cancel);
    return status;
}

hectic_emit_status hectic_emitter_set_buffer_size(hectic_emitter *e, size_t bytes)
{
    enum { MOST = 1 << 30 }; /* a block's size has 32 bits */
    if (bytes > MOST) return HECTIC_EMIT_INVALID;
    pthread_mutex_lock(&e->pool.lock);
    pool_set_size(e, bytes);
    pthread_mutex_unlock(&e->pool.lock);
    return HECTIC_EMIT_OK;
}

hectic_emit_status hectic_emitter_register(hectic_emitter *e, uint16_t number, uint16_t size,
                                           hectic_class class_, bool definition,
                                           const char *description, uint16_t *registered)
{
    const size_t length = strlen(description);
    if ((unsigned)class_ >= HECTIC_CLASS_COUNT || length > HECTIC_DESCRIPTION_MAX)
        return HECTIC_EMIT_INVALID;
    pthread_mutex_lock(&e->io);
    unsigned chosen = number > 0 ? number : HECTIC_CUSTOM_EVENTS;
    while (number == 0 && emitter_type(e, chosen))
        chosen++;
    hectic_emit_status status = HECTIC_EMIT_OK;
    if (e->started)
        status = HECTIC_EMIT_SEQUENCE;
    else if (chosen >= HECTIC_DATA_END || emitter_type(e, chosen) ||
             hectic_shape_by_number((uint16_t)chosen))
        status = HECTIC_EMIT_INVALID;
    else if (!add_type(e,
                       (hectic_event_type){.number = (uint16_t)chosen,
                                           .size = size,
                                           .description = description,
                                           .description_length = (uint32_t)length},
                       class_, definition))
        status = HECTIC_EMIT_NO_MEMORY;
    pthread_mutex_unlock(&e->io);
    if (status == HECTIC_EMIT_OK && registered) *registered = (uint16_t)chosen;
    return status;
}

hectic_emitter_state hectic_emitter_get_state(hectic_emitter *e)
{
    pool *p = &e->pool;
    pthread_mutex_lock(&p->lock);
    hectic_emitter_state state = {
        .destination = p->destination,
        .error = p->error,
        .bytes_written = p->bytes_written,
        .blocks_written = p->blocks_written,
        .events_dropped = p->events_dropped,
        .bytes_dropped = p->bytes_dropped,
        .memory = p->memory,
        .logging = e->started && e->logging,
        .tsc = __atomic_load_n(&e->global->out.line, __ATOMIC_RELAXED) != NULL,
    };
    const sink *s = e->out.sink;
    if (s && s->kind->describe) s->kind->describe(s, &state);
    pthread_mutex_unlock(&p->lock);
    return state;
}

/* --- Fork and exit ---------------------------------------------------------------------------- */

static void freeze_sink(const hectic_emitter *e, bool frozen)
{
    sink *s = e->out.sink;
    if (s && s->kind->freeze) s->kind->freeze(s, frozen);
}

void emitter_freeze(hectic_emitter *e)
{
    pthread_mutex_lock(&e->shared);
    pthread_mutex_lock(&e->io);
    pthread_mutex_lock(&e->pool.lock);
    pthread_mutex_lock(state_mutex(e->state));
    freeze_sink(e, true);
}

void emitter_thaw(hectic_emitter *e)
{
    freeze_sink(e, false);
    pthread_mutex_unlock(state_mutex(e->state));
    pthread_mutex_unlock(&e->pool.lock);
    pthread_mutex_unlock(&e->io);
    pthread_mutex_unlock(&e->shared);
}

/* The parent's events do not belong to the child. */
static void discard_events(hectic_emitter *e, buffer *b)
{
    (void)e;
    b->drained = b->used;
}

/* The child has the buffers, but no threads; the destination belongs to the parent. */
void emitter_forked(hectic_emitter *e)
{
    emitter_thaw(e);
    pthread_mutex_init(&e->control, NULL); /* its holder does not exist in the child */
    pool_forked(&e->pool);
    e->serving = e->quits = false;
    if (e->wake >= 0) close(e->wake);
    e->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    set_started(e, false);
    drain_end(e, 0);
    sink_free(take_old_sink(e));
    drop_stale(e, discard_events);
    state_free(e->state);
    describe(e);
}

static bool becomes_free(pthread_mutex_t *lock, const struct timespec *until)
{
    if (pthread_mutex_timedlock(lock, until) != 0) return false;
    pthread_mutex_unlock(lock);
    return true;
}

/* exit in a signal handler may interrupt a thread that holds these locks. */
void emitter_exit(hectic_emitter *e, const struct timespec *until)
{
    if (pthread_mutex_timedlock(&e->io, until) != 0) return;
    if (becomes_free(&e->pool.lock, until) && becomes_free(state_mutex(e->state), until)) stop(e);
    pthread_mutex_unlock(&e->io);
}
