/* What the files of this room share: the emitter from inside.
 *
 *     cap.c      the writing side: a cap's thread, when its buffer is full
 *     pool.c     buffers: free ones, full ones in the order in which they became full
 *     drain.c    the reading side: full (and on a flush, open) buffers become blocks in a sink
 *     state.c    what a reader must know, learned from what has left, told as header and events
 *     service.c  the thread that drains, flushes by time, connects again
 *     emitter.c  control
 *     recorder.c dumps of the ring
 *     process.c  fork, exit: the emitters of this process
 *     clock.c    the time
 *     sink*.c    ways out
 *
 * Locks, in the order in which they are taken:
 *
 *     shared   of the global buffer: its writers
 *     io       the sink, what is being written, all settings: whoever drains or controls
 *     pool     the buffers' lists, which buffer is whose, counts
 *     state    what a reader must know
 */
#ifndef HECTIC_SRC_EMITTER_H
#define HECTIC_SRC_EMITTER_H

#include "emit/sink.h"
#include "living/living.h"

#include <hectic/decoder.h>

#include <pthread.h>

enum {
    CAPS_MOST = 65535,
    FLUSH_MS = 2000, /* the patience of flush, stop and redirect */
    RETRY_MS = 100,  /* between tries to connect, or to write to a full disk */
    CLASSES_ALWAYS = 1 << HECTIC_CLASS_PROCESS | 1 << HECTIC_CLASS_FRAMING,
};

typedef struct cap cap;

/* A buffer. Its lists and all its fields but the bytes belong to the pool's lock; the bytes from
 * `drained` on to the cap's thread while it is open, to nobody when it is full. */
typedef struct buffer {
    struct buffer *next;
    cap *owner;
    size_t size;
    size_t drained;    /* what is before has been written, or is lost */
    size_t used;       /* of a full one */
    uint64_t last;     /* of a full one: the latest time in it */
    uint64_t sequence; /* of a full one: the order in which they became full */
    uint64_t lost;     /* events of its cap dropped before `drained` that nobody was told of yet */
    bool pinned;       /* it is being written: neither to be dropped nor to be reused */
    uint8_t *bytes;    /* aligned to pages */
} buffer;

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    buffer *free;
    buffer *first, *last;                 /* full ones, the oldest first */
    size_t free_count, full_count, count; /* count: all, the open ones too */
    size_t wanted; /* what count should be: buffers of another size are let go */
    size_t buffer_size;
    uint64_t sequence; /* of the last one that became full */
    uint64_t memory;   /* bytes of all */
    uint64_t events_dropped, bytes_dropped;
    hectic_when_blocked when_blocked;
    uint32_t wait_ms;
    bool patient; /* WAIT is meant: no wait has been in vain since something was written */
    bool gap;     /* something was dropped that the present reader has not been made up for */
} pool;

struct cap {
    _Alignas(128) hectic_emit_cap out; /* what the emitting functions see; the first member */
    hectic_emitter *emitter;
    uint16_t number;   /* HECTIC_CAP_NONE: global */
    buffer *open;      /* NULL: none yet. Changed by its thread under the pool's lock */
    uint8_t *at, *end; /* of the shared one, for out.at and out.end, which stay NULL */
    uint64_t due[HECTIC_CLASS_COUNT]; /* when the next sample is; its thread's own */
    const uint8_t *idle_at;           /* where it was when the service looked last; io lock */
};

/* --- cap.c */
cap *cap_new(hectic_emitter *e, uint16_t number); /* NULL: no memory */
void cap_free(cap *c);
/* How far its thread has come in the open buffer. Holding the pool's lock. */
uint8_t *cap_at(const cap *c);

/* --- pool.c: all but init, clear and pool_take with the lock held by the caller */
bool pool_init(pool *p);
void pool_clear(pool *p);
void pool_resize(
    hectic_emitter *e); /* what is wanted has changed; makes buffers as memory allows */
/* A buffer for a cap whose `full` one (NULL: it had none) is full: a free one, or what the policy
 * makes free. Queues `full` unless it is the one returned. NULL: no memory at all. */
buffer *pool_take(hectic_emitter *e, cap *c, buffer *full);
void pool_release(hectic_emitter *e, buffer *b);     /* it is free again */
void pool_drop_oldest(hectic_emitter *e, buffer *b); /* out of the queue; counts, tells the state */

/* --- state.c: what a reader must know. Each takes the lock itself. */
typedef struct state state;
state *state_new(void);
void state_free(state *s);
/* Learns from the events in bytes[0 … size-1] of a cap; returns how many they are. */
uint64_t state_learn(state *s, const hectic_emitter *e, uint16_t cap, const uint8_t *bytes,
                     size_t size);

/* A growing run of bytes. */
typedef struct bytes {
    uint8_t *at;
    size_t size, capacity;
} bytes;
uint8_t *bytes_room(bytes *b, size_t size); /* room for more at the end; NULL: no memory */
/* Appends the header; and blocks with all that a reader must know, stamped `time`, as SYNC events
 * or plainly. False: no memory. */
bool state_header(const hectic_emitter *e, bytes *out);
bool state_tell(hectic_emitter *e, bytes *out, uint64_t time, bool as_sync);
void state_describe(hectic_emitter *e); /* the process, from the options */
void state_describe_cap(hectic_emitter *e, uint16_t number, uint64_t time); /* and its capset */

/* --- drain.c: with the io lock held. Results: OK; TIMEOUT, at once where `until` is 0; LOST;
 * NO_MEMORY. `until` is a time of CLOCK_MONOTONIC in ns. */
typedef struct outlet {
    sink *sink; /* NULL: none, or a ring */
    hectic_destination_state state;
    bool ring;
    size_t ring_size;
    int error;
    bytes prefix;          /* what goes before the buffer's bytes: header, state, marker … */
    buffer *buffer;        /* the block that is being written: its bytes from … to; or NULL */
    size_t from, to, sent; /* sent: of prefix and buffer together */
    uint64_t retry;        /* when to try again, ns */
    uint64_t bytes_written, blocks_written;
} outlet;

hectic_emit_status drain_full(hectic_emitter *e, uint64_t until);        /* all full buffers */
hectic_emit_status drain_cap(hectic_emitter *e, cap *c, uint64_t until); /* and its open one */
hectic_emit_status drain_all(hectic_emitter *e, uint64_t until);
hectic_emit_status drain_connect(hectic_emitter *e); /* opens the sink, begins a log */
hectic_emit_status drain_sync(hectic_emitter *e, uint64_t until);
hectic_emit_status drain_end(hectic_emitter *e, uint64_t until); /* the end marker */
void drain_abandon(hectic_emitter *e); /* what is being written goes back to where it was */

/* --- service.c */
bool service_start(hectic_emitter *e);
void service_stop(hectic_emitter *e);       /* joins it; without the io lock */
void service_wake(const hectic_emitter *e); /* async-signal-safe */

/* --- process.c */
bool process_enter(hectic_emitter *e);
void process_leave(hectic_emitter *e);

/* --- clock.c */
typedef struct clock_ {
    hectic_emit_clock kind;
    uint64_t (*now)(void *user);
    void *user;
    uint64_t begin;                   /* CLOCK_MONOTONIC when the emitter was made */
    struct hectic_emit_line line[32]; /* each drawn once, then constant */
    unsigned lines;                   /* 0: no TSC */
} clock_;
uint64_t clock_monotonic(void); /* ns */
void clock_init(clock_ *c, const hectic_emitter_options *options);
/* Draws the next line, when it is time for it; true: caps are to use c->line[c->lines - 1]. Called
 * by the service, and by flush where there is none. */
bool clock_calibrate(clock_ *c);
uint64_t clock_time(const clock_ *c); /* without the TSC: the time of an event, ns */
uint64_t clock_now(const clock_ *c);  /* as caps take it */

/* --- recorder.c */
typedef struct recorder recorder;
void recorder_free(hectic_emitter *e);  /* restores the signals' actions */
void recorder_serve(hectic_emitter *e); /* dumps that signals have asked for; without locks */

/* An event type that may be logged. */
typedef struct event_type {
    hectic_event_type type; /* its description is the registered one's own copy, if there is one */
    hectic_class class_;
    bool definition;
    bool registered;
} event_type;

struct hectic_emitter {
    hectic_emitter *next; /* process.c */
    hectic_emitter_options options;
    pthread_mutex_t io;
    pool pool;
    state *state;
    outlet out;
    clock_ clock;
    recorder *recorder; /* NULL: none */

    cap **caps; /* room for all, read without a lock below cap_count, which is stored last */
    uint32_t cap_count;
    cap *global;
    pthread_mutex_t shared;

    event_type *types; /* what the header declares, by number */
    size_t type_count;
    uint16_t type_of[UINT16_MAX + 1]; /* index into types plus one, by number; 0: none */

    uint64_t classes; /* that are on; what caps see is 0 while nothing is logged */
    uint64_t parameter[HECTIC_CLASS_COUNT][HECTIC_CLASS_PARAMETERS];
    bool started, logging;
    uint32_t flush_every_ms, flush_idle_ms, sync_every_ms;
    uint64_t flush_due, idle_due, sync_due;

    pthread_t service;
    bool serving, service_quits;
    int wake[2]; /* a pipe or eventfd that wakes the service: [0] is read, [1] written */
};

#endif
