/* Loading ahead: see ahead.h. A ring of chunks between the thread that loads them and the caller,
 * which exchanges unused ones for them. */
#include "read/ahead.h"

#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 32 };

typedef struct slot {
    loaded *loaded;
    hectic_error error; /* HECTIC_OK: it holds a chunk */
} slot;

struct ahead {
    order *order;
    size_t count; /* chunks */
    bool threaded;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t is_filled, has_room;
    /* Both only increase; chunk number n is in ring[n % SLOTS]. */
    size_t filled, taken;
    bool stop;
    slot ring[SLOTS];
};

static void *load_ahead(void *argument)
{
    ahead *a = argument;
    pthread_mutex_lock(&a->mutex);
    while (a->filled < a->count && !a->stop) {
        if (a->filled - a->taken == SLOTS) {
            pthread_cond_wait(&a->has_room, &a->mutex);
            continue;
        }
        slot *s = &a->ring[a->filled % SLOTS];
        const size_t index = a->filled;
        pthread_mutex_unlock(&a->mutex);
        order_load(a->order, index, &s->loaded, &s->error);
        pthread_mutex_lock(&a->mutex);
        a->filled++;
        pthread_cond_signal(&a->is_filled);
    }
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

static bool take(void *user, loaded **l, hectic_error *error)
{
    ahead *a = user;
    slot *s = &a->ring[a->taken % SLOTS];
    pthread_mutex_lock(&a->mutex);
    while (a->filled == a->taken)
        pthread_cond_wait(&a->is_filled, &a->mutex);
    loaded *const unused = *l;
    *l = s->loaded;
    s->loaded = unused;
    *error = s->error;
    a->taken++;
    /* Half of the ring at once: to wake the thread costs as much as to load a chunk. */
    if (a->filled - a->taken == SLOTS / 2) pthread_cond_signal(&a->has_room);
    pthread_mutex_unlock(&a->mutex);
    return error->kind == HECTIC_OK;
}

ahead *ahead_new(order *o)
{
    ahead *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->order = o;
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->is_filled, NULL);
    pthread_cond_init(&a->has_room, NULL);
    return a;
}

void ahead_begin(ahead *a, size_t count)
{
    a->count = count;
    a->filled = a->taken = 0;
    a->stop = false;
    a->threaded = pthread_create(&a->thread, NULL, load_ahead, a) == 0;
    if (a->threaded) order_take_from(a->order, take, a);
}

void ahead_end(ahead *a)
{
    if (!a->threaded) return;
    pthread_mutex_lock(&a->mutex);
    a->stop = true;
    pthread_cond_signal(&a->has_room);
    pthread_mutex_unlock(&a->mutex);
    pthread_join(a->thread, NULL);
    a->threaded = false;
    order_take_from(a->order, NULL, NULL);
}

void ahead_free(ahead *a)
{
    if (!a) return;
    ahead_end(a);
    for (size_t i = 0; i < SLOTS; i++)
        loaded_free(a->ring[i].loaded);
    pthread_cond_destroy(&a->is_filled);
    pthread_cond_destroy(&a->has_room);
    pthread_mutex_destroy(&a->mutex);
    free(a);
}
