/* Ordering ahead: see ahead.h. A ring of batches between the thread that fills them and the caller
 * that empties them. A batch's events point into chunks, so a chunk is reused only when its batch
 * is.
 */
#include "read/ahead.h"

#include <pthread.h>
#include <stdlib.h>

enum { BATCHES = 4, BATCH_EVENTS = 4096 };

typedef struct batch {
    size_t count;
    loaded *used; /* chunks whose last events are in this batch */
    hectic_error error;
    hectic_event event[BATCH_EVENTS];
} batch;

struct ahead {
    order *order;
    bool threaded;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* All of these only increase; batch number n is in ring[n % BATCHES]. */
    unsigned filled;  /* batches filled */
    unsigned emptied; /* batches released */
    bool stop;
    size_t at; /* index of the next event in the batch being emptied */
    batch ring[BATCHES];
};

static void fill(ahead *a, batch *b)
{
    order_reuse(a->order, b->used);
    b->used = NULL;
    b->count = order_fill(a->order, b->event, BATCH_EVENTS, &b->used, &b->error);
}

static void *fill_ahead(void *argument)
{
    ahead *a = argument;
    pthread_mutex_lock(&a->mutex);
    for (bool more = true; more;) {
        while (a->filled - a->emptied == BATCHES && !a->stop)
            pthread_cond_wait(&a->changed, &a->mutex);
        if (a->stop) break;
        batch *b = &a->ring[a->filled % BATCHES];
        pthread_mutex_unlock(&a->mutex);
        fill(a, b);
        pthread_mutex_lock(&a->mutex);
        more = b->count == BATCH_EVENTS;
        a->filled++;
        pthread_cond_signal(&a->changed);
    }
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

ahead *ahead_new(order *o)
{
    ahead *a = o ? malloc(sizeof *a) : NULL;
    if (!a) {
        order_free(o);
        return NULL;
    }
    a->order = o;
    a->threaded = false;
    for (size_t i = 0; i < BATCHES; i++)
        a->ring[i].used = NULL;
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->changed, NULL);
    return a;
}

void ahead_begin(ahead *a, const hectic_header *header, chunk *chunks, size_t count, bool threaded)
{
    order_begin(a->order, header, chunks, count);
    a->filled = a->emptied = 0;
    a->stop = false;
    a->at = 0;
    a->threaded = threaded && pthread_create(&a->thread, NULL, fill_ahead, a) == 0;
}

void ahead_end(ahead *a)
{
    if (a->threaded) {
        pthread_mutex_lock(&a->mutex);
        a->stop = true;
        pthread_cond_signal(&a->changed);
        pthread_mutex_unlock(&a->mutex);
        pthread_join(a->thread, NULL);
    }
    a->threaded = false;
    for (size_t i = 0; i < BATCHES; i++) {
        order_reuse(a->order, a->ring[i].used);
        a->ring[i].used = NULL;
    }
}

void ahead_free(ahead *a)
{
    if (!a) return;
    ahead_end(a);
    order_free(a->order);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->mutex);
    free(a);
}

/* Waits until batch number `emptied` is filled. */
static void await_batch(ahead *a)
{
    if (!a->threaded) {
        if (a->filled == a->emptied) fill(a, &a->ring[a->filled++ % BATCHES]);
        return;
    }
    pthread_mutex_lock(&a->mutex);
    while (a->filled == a->emptied)
        pthread_cond_wait(&a->changed, &a->mutex);
    pthread_mutex_unlock(&a->mutex);
}

static void release_batch(ahead *a)
{
    if (a->threaded) pthread_mutex_lock(&a->mutex);
    a->emptied++;
    if (a->threaded) {
        pthread_cond_signal(&a->changed);
        pthread_mutex_unlock(&a->mutex);
    }
    a->at = 0;
}

hectic_result ahead_next(ahead *a, hectic_event *event, hectic_error *error)
{
    for (;;) {
        batch *b = &a->ring[a->emptied % BATCHES];
        if (a->at == 0) await_batch(a);
        if (a->at < b->count) {
            *event = b->event[a->at++];
            return HECTIC_GOT_EVENT;
        }
        *error = b->error;
        if (b->count < BATCH_EVENTS)
            return error->kind == HECTIC_OK ? HECTIC_PARTIAL : HECTIC_ERROR;
        release_batch(a);
    }
}
