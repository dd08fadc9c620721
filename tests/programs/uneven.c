/* uneven PATH: serves the log of a simulated program at a Unix socket, until it is killed. Four
 * caps log at different rates, so that their buffers fill independently of flushes; threads wake
 * each other across caps, move between them, start and end. */
#include <hectic/emit.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAPS = 4, QUEUE = 64, FINISHED = 5, YIELDING = 3, BLOCKED = 7, FLUSH_MS = 300 };

/* Threads that are ready on a cap, or (the last one) blocked. */
struct queue {
    uint32_t thread[QUEUE];
    uint16_t cap[QUEUE];
    unsigned count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue queues[CAPS + 1];
static uint32_t last_thread;
static hectic_emitter *emitter;

static void put(unsigned queue, uint32_t thread, uint16_t cap)
{
    struct queue *q = &queues[queue];
    q->thread[q->count] = thread;
    q->cap[q->count++] = cap;
}

static uint32_t get(unsigned queue, unsigned at, uint16_t *cap)
{
    struct queue *q = &queues[queue];
    const uint32_t thread = q->thread[at];
    *cap = q->cap[at];
    q->count--;
    q->thread[at] = q->thread[q->count];
    q->cap[at] = q->cap[q->count];
    return thread;
}

static void wake_one(hectic_emit_cap *cap, unsigned *random)
{
    uint16_t other;
    if (queues[CAPS].count == 0) return;
    const uint32_t thread = get(CAPS, (unsigned)rand_r(random) % queues[CAPS].count, &other);
    hectic_emit_thread_wakeup(cap, thread, other);
    put(other, thread, other);
}

/* Runs a thread, or creates one. All under the lock: times are in the order of what happens. */
static void step(hectic_emit_cap *cap, uint16_t number, unsigned *random)
{
    static const char text[] = "the message of a cap that logs more than the others do ..........";
    uint16_t from;
    if (queues[number].count == 0 && last_thread % QUEUE < QUEUE / 2) {
        hectic_emit_create_thread(cap, ++last_thread);
        put(number, last_thread, number);
    }
    wake_one(cap, random);
    if (queues[number].count == 0) return;
    const uint32_t thread = get(number, 0, &from);
    hectic_emit_run_thread(cap, thread);
    for (unsigned i = CAPS - number; i > 0; i--)
        hectic_emit_user_msg(cap, text);
    const int what = rand_r(random) % 8;
    if (what == 0 && thread % 2 == 0) {
        hectic_emit_stop_thread(cap, thread, FINISHED, 0);
        hectic_emit_create_thread(cap, ++last_thread);
        put(number, last_thread, number);
    } else if (what < 4) {
        hectic_emit_stop_thread(cap, thread, BLOCKED, 0);
        put(CAPS, thread, number);
    } else {
        const uint16_t to = (uint16_t)(rand_r(random) % CAPS);
        hectic_emit_stop_thread(cap, thread, YIELDING, 0);
        if (to != number) hectic_emit_migrate_thread(cap, thread, to);
        put(to, thread, to);
    }
}

static void *work(void *user)
{
    const uint16_t number = (uint16_t)(uintptr_t)user;
    unsigned random = number;
    useconds_t pause = 40;
    for (unsigned i = 0; i < number; i++)
        pause *= 6;
    for (;;) {
        pthread_mutex_lock(&lock);
        for (int i = 0; i < 8; i++)
            step(hectic_emitter_cap(emitter, number), number, &random);
        pthread_mutex_unlock(&lock);
        usleep(pause);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    const hectic_destination place = {.kind = HECTIC_TO_LISTEN,
                                      .path = argv[argc - 1],
                                      .ring_size = argc > 2 ? strtoul(argv[1], NULL, 10) : 0};
    emitter = hectic_emitter_new(&(hectic_emitter_options){.caps = CAPS, .buffer_size = 1});
    if (!emitter || hectic_emitter_start(emitter, &place) != HECTIC_EMIT_OK) return 1;
    hectic_emitter_flush_every(emitter, FLUSH_MS);
    for (uintptr_t i = 0; i < CAPS; i++)
        if (pthread_create(&thread, NULL, work, (void *)i) != 0) return 1;
    pause();
    return 0;
}
