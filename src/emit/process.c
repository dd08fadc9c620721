/* The emitters of this process, for fork and exit. This list is the library's only global state:
 * the handlers of fork and exit have no argument. */
#include "emit/emitter.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static hectic_emitter *emitters;
static bool watching;
static unsigned visits; /* current ones */

static void lock_all(void)
{
    pthread_mutex_lock(&registry);
    for (hectic_emitter *e = emitters; e; e = e->next)
        emitter_freeze(e);
}

static void unlock_all(void)
{
    for (hectic_emitter *e = emitters; e; e = e->next)
        emitter_thaw(e);
    pthread_mutex_unlock(&registry);
}

static void begin_child(void)
{
    for (hectic_emitter *e = emitters; e; e = e->next)
        emitter_forked(e);
    visits = 0;
    recorder_forked();
    pthread_mutex_unlock(&registry);
}

/* A lock that is held for long, or by a dead thread, must not block the exit. */
static void finish_all(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += FLUSH_MS / 1000;
    if (pthread_mutex_timedlock(&registry, &until) != 0) return;
    for (hectic_emitter *e = emitters; e; e = e->next)
        emitter_exit(e, &until);
    pthread_mutex_unlock(&registry);
}

bool process_enter(hectic_emitter *e)
{
    pthread_mutex_lock(&registry);
    if (!watching)
        watching =
            pthread_atfork(lock_all, unlock_all, begin_child) == 0 && atexit(finish_all) == 0;
    e->next = emitters;
    __atomic_store_n(&emitters, e, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&registry);
    return watching;
}

void process_leave(hectic_emitter *e)
{
    pthread_mutex_lock(&registry);
    hectic_emitter **link = &emitters;
    while (*link && *link != e)
        link = &(*link)->next;
    if (*link) __atomic_store_n(link, e->next, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&registry);
    process_settle();
}

void process_lock(void)
{
    pthread_mutex_lock(&registry);
}

void process_unlock(void)
{
    pthread_mutex_unlock(&registry);
}

/* --- Visits: by signal handlers, which cannot take the lock ----------------------------------- */

void process_visit(void (*visit)(hectic_emitter *e, void *user), void *user)
{
    __atomic_add_fetch(&visits, 1, __ATOMIC_SEQ_CST);
    hectic_emitter *e = __atomic_load_n(&emitters, __ATOMIC_SEQ_CST);
    for (; e; e = __atomic_load_n(&e->next, __ATOMIC_SEQ_CST))
        visit(e, user);
    __atomic_sub_fetch(&visits, 1, __ATOMIC_SEQ_CST);
}

void process_settle(void)
{
    while (__atomic_load_n(&visits, __ATOMIC_SEQ_CST) > 0)
        sched_yield();
}
