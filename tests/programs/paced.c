/* paced DESTINATION EVENTS RATE: writes the log of a simulated program of two caps, of about so
 * many events, at so many events per second; then prints how many were dropped. Of 100 events,
 * about 80 are of threads, 13 of collections, 3 of messages. */
#include <hectic/emit.h>
#include <hectic/emit_events.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CAPS = 2, THREADS = 24, BLOCKED = 7, YIELDING = 3, FLUSH_MS = 500, WAIT_MS = 600000 };
enum { TEXT_SIZE = 64, ADDRESS_SIZE = 512 };

struct cap {
    hectic_emit_cap *cap;
    uint32_t thread[THREADS];
    unsigned number;
    uint64_t steps, allocated;
};

static void collect(struct cap *c)
{
    hectic_emit_request_seq_gc(c->cap);
    hectic_emit_gc_start(c->cap);
    hectic_emit_gc_work(c->cap);
    hectic_emit_gc_stats_ghc(c->cap, 0, 0, 4096, 0, 0, 1, 0, 4096, 0);
    hectic_emit_heap_allocated(c->cap, 0, c->allocated += 1 << 20);
    hectic_emit_gc_end(c->cap);
}

static void speak(struct cap *c)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%s request", c->steps / 32 % 2 ? "STOP" : "START");
    hectic_emit_user_msg(c->cap, text);
    snprintf(text, sizeof text, "step %" PRIu64, c->steps);
    hectic_emit_user_msg(c->cap, text);
}

/* Returns how many events it has written. */
static unsigned step(struct cap *c)
{
    const uint64_t number = c->steps++;
    const uint32_t thread = c->thread[number % THREADS];
    const bool blocks = number % 3 > 0;
    unsigned events = 2 + blocks;
    hectic_emit_run_thread(c->cap, thread);
    if (number % 32 == 0) speak(c), events += 2;
    hectic_emit_stop_thread(c->cap, thread, blocks ? BLOCKED : YIELDING, 0);
    if (blocks) hectic_emit_thread_wakeup(c->cap, thread, (uint16_t)c->number);
    if (number % 16 == 0) collect(c), events += 6;
    return events;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void run(struct cap *caps, uint64_t events, double rate)
{
    const uint64_t began = now_ns();
    for (uint64_t written = 0; written < events;) {
        const uint64_t due = (uint64_t)((double)(now_ns() - began) / 1e9 * rate);
        while (written < due && written < events)
            written += step(&caps[caps[0].steps > caps[1].steps]);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

int main(int argc, char **argv)
{
    char address[ADDRESS_SIZE];
    hectic_destination place;
    struct cap caps[CAPS] = {{0}};
    if (argc != 4 || !hectic_destination_parse(&place, argv[1], address, sizeof address)) return 2;
    place.when_blocked = HECTIC_BLOCKED_WAIT;
    place.wait_ms = WAIT_MS;
    hectic_emitter *emitter = hectic_emitter_new(&(hectic_emitter_options){.caps = CAPS});
    if (!emitter || hectic_emitter_start(emitter, &place) != HECTIC_EMIT_OK) return 1;
    hectic_emitter_flush_every(emitter, FLUSH_MS);
    for (unsigned i = 0; i < CAPS; i++) {
        caps[i].cap = hectic_emitter_cap(emitter, i);
        caps[i].number = i;
        for (unsigned j = 0; j < THREADS; j++)
            hectic_emit_create_thread(caps[i].cap, caps[i].thread[j] = 1 + i * THREADS + j);
    }
    run(caps, strtoull(argv[2], NULL, 10), strtod(argv[3], NULL));
    hectic_emitter_flush(emitter, WAIT_MS); /* stopping does not wait for long */
    const hectic_emit_status status = hectic_emitter_stop(emitter);
    const hectic_emitter_state state = hectic_emitter_get_state(emitter);
    printf("%" PRIu64 "\n", state.events_dropped);
    hectic_emitter_free(emitter);
    return status == HECTIC_EMIT_OK ? 0 : 3;
}
