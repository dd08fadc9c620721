/* The thread that drains full buffers at once, flushes periodically, and reconnects. */
#include "emit/emitter.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { MILLISECOND = 1000000 };

void service_wake(const hectic_emitter *e)
{
    const int error = errno;
    const uint64_t one = 1;
    if (write(e->wake, &one, sizeof one) < 0) errno = error;
}

/* True: a periodic task is due, and is rescheduled. */
static bool is_due(uint64_t *due, uint32_t ms, uint64_t now)
{
    if (ms == 0 || now < *due) return false;
    *due = now + (uint64_t)ms * MILLISECOND;
    return true;
}

static bool is_idle(const hectic_emitter *e, cap *c)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&e->pool.lock;
    pthread_mutex_lock(lock);
    const uint8_t *at = cap_at(c);
    const bool idle = c->open && at == c->idle_at && at > c->open->bytes + c->open->drained;
    c->idle_at = at;
    pthread_mutex_unlock(lock);
    return idle;
}

static void flush_idle(hectic_emitter *e)
{
    const uint32_t count = __atomic_load_n(&e->cap_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i <= count; i++) {
        cap *c = emitter_nth_cap(e, i, count);
        if (is_idle(e, c)) drain_cap(e, c, 0);
    }
}

static void limit(uint64_t *until, uint64_t due, bool is_set)
{
    if (is_set && due < *until) *until = due;
}

/* Is there a time to try the sink again? */
static bool retries(const outlet *o)
{
    return o->retry > 0 &&
           (o->state == HECTIC_DESTINATION_WAITING || o->state == HECTIC_DESTINATION_BLOCKED);
}

/* Does all due work; returns the next due time. */
static uint64_t work(hectic_emitter *e)
{
    enum { LONGEST = 1000 };
    const uint64_t now = clock_ns();
    uint64_t until = now + (uint64_t)LONGEST * MILLISECOND;
    if (clock_calibrate(&e->clock)) emitter_use_clock(e);
    if (e->started) {
        drain_watch(e);
        drain_full(e, 0);
        if (is_due(&e->flush_due, e->flush_every_ms, now)) drain_all(e, 0);
        if (is_due(&e->idle_due, e->flush_idle_ms, now)) flush_idle(e);
        if (is_due(&e->sync_due, e->sync_every_ms, now)) drain_sync(e, 0);
        limit(&until, e->flush_due, e->flush_every_ms > 0);
        limit(&until, e->idle_due, e->flush_idle_ms > 0);
        limit(&until, e->sync_due, e->sync_every_ms > 0);
        limit(&until, e->out.retry, retries(&e->out));
    }
    limit(&until, e->clock.due, true);
    return until;
}

/* What to poll for the sink. Its descriptor may be closed and reused meanwhile, which only causes a
 * spurious wakeup. */
static struct pollfd poll_of(const outlet *o)
{
    const bool full_disk = o->state == HECTIC_DESTINATION_BLOCKED && o->retry > 0;
    const bool ready = o->state == HECTIC_DESTINATION_READY;
    return (struct pollfd){.fd = o->sink && !full_disk ? o->sink->fd : -1,
                           .events = ready ? 0 : POLLOUT}; /* 0: only a disconnect */
}

static void *serve(void *user)
{
    hectic_emitter *e = user;
    for (;;) {
        pthread_mutex_lock(&e->io);
        const bool quits = e->quits;
        const uint64_t until = quits ? 0 : work(e);
        struct pollfd fd[] = {{.fd = e->wake, .events = POLLIN}, poll_of(&e->out)};
        pthread_mutex_unlock(&e->io);
        if (quits) return NULL;
        recorder_serve(e);
        const uint64_t now = clock_ns();
        poll(fd, 2, until > now ? (int)((until - now) / MILLISECOND + 1) : 0);
        uint64_t woken;
        if (fd[0].revents && read(e->wake, &woken, sizeof woken) < 0) continue;
    }
}

bool service_start(hectic_emitter *e)
{
    /* Signals are for the program's threads. */
    sigset_t all, before;
    sigfillset(&all);
    recorder_unblock_crashes(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool made = pthread_create(&e->service, NULL, serve, e) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    __atomic_store_n(&e->serving, made, __ATOMIC_RELAXED);
    return made;
}

void service_stop(hectic_emitter *e)
{
    if (!e->serving) return;
    pthread_mutex_lock(&e->io);
    e->quits = true;
    pthread_mutex_unlock(&e->io);
    service_wake(e);
    pthread_join(e->service, NULL);
    __atomic_store_n(&e->serving, false, __ATOMIC_RELAXED);
}
