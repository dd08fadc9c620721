/* What the files of this room share: the emitter from inside.
 *
 *     cap.c      the writing side: a cap's thread, when its buffer is full
 *     pool.c     buffers: free ones, full ones in the order in which they became full
 *     block.c    what stands before a block's events
 *     drain.c    the reading side: full (and on a flush, open) buffers become blocks in a sink
 *     state.c    what a reader must know, learned from what has left, told as header and events
 *     logging.c  what is logged: switched off and on; what was missed meanwhile is reported
 *     sink_listen.c  a way out to readers that connect, and their commands
 *     service.c  the thread that drains, flushes by time, connects again
 *     emitter.c  control
 *     dump.c     what is in the buffers, as a log by itself
 *     recorder.c dumps when signals come
 *     process.c  fork, exit: the emitters of this process
 *     clock.c    the time
 *     sink*.c    ways out
 *
 * Locks, in the order in which they are taken:
 *
 *     control  what is logged, and what was missed; held while the producer reports
 *     (locks of the producer)
 *     shared   of the global buffer: its writers
 *     io       the sink, what is being written, all settings: whoever drains or controls
 *     pool     the buffers' lists, which buffer is whose, counts
 *     state    what a reader must know
 */
#ifndef HECTIC_SRC_EMITTER_H
#define HECTIC_SRC_EMITTER_H

#include "sink/sink.h"
#include "state/state_replay.h"

#include <hectic/decoder.h>

#include <pthread.h>
#include <signal.h>

enum {
    CAPS_MAX = 65535,
    FLUSH_MS = 2000, /* the patience of flush, stop and redirect */
    RETRY_MS = 100,  /* between tries to connect, or to write to a full disk */
    WAIT_MS = 1000,  /* of HECTIC_BLOCKED_WAIT */
    RING_SIZE = 16 << 20,
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
    uint64_t missing;  /* those that the present dump has not told of */
    bool dumped;       /* the present dump has told of it */
    bool pinned;       /* it is being written: neither to be dropped nor to be reused */
    uint8_t *bytes;    /* aligned to pages */
} buffer;

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    buffer *free;
    buffer *first, *last;                 /* full ones, the oldest first */
    size_t free_count, full_count, count; /* count: all, the open ones too */
    size_t wanted;                        /* how many there may be */
    size_t buffer_size;
    uint64_t sequence; /* of the last one that became full */
    uint64_t memory;   /* bytes of all */
    uint64_t events_dropped, bytes_dropped;
    hectic_when_blocked when_blocked;
    uint32_t wait_ms;
    bool patient; /* no wait has been in vain since something was written */
    bool gap;     /* something was dropped that the present reader has not been made up for */
    /* What hectic_emitter_get_state tells of the outlet. */
    hectic_destination_state destination;
    int error;
    uint64_t bytes_written, blocks_written;
} pool;

struct cap {
    _Alignas(128) hectic_emit_cap out; /* what the emitting functions see; the first member */
    hectic_emitter *emitter;
    uint16_t number;   /* HECTIC_CAP_NONE: global */
    buffer *open;      /* NULL: none yet. Changed by its thread under the pool's lock */
    uint8_t *at, *end; /* of the shared one, for out.at and out.end, which stay NULL */
    uint64_t due[HECTIC_CLASS_COUNT]; /* when the next sample is; atomic */
    const uint8_t *idle_at;           /* where it was when the service looked last; io lock */
    hectic_emit_report *report;       /* its events go there, not into the log; or NULL */
};

/* --- cap.c */
cap *cap_new(hectic_emitter *e, uint16_t number); /* NULL: no memory */
void cap_free(cap *c);
/* With the pool's lock: how far its thread has come in the open buffer (NULL: there is none), and
 * which buffer it goes on in. */
uint8_t *cap_at(const cap *c);
void cap_open(cap *c, buffer *b);

/* --- pool.c: all but the first four with the pool's lock held by the caller */
bool pool_init(pool *p);
void pool_forked(pool *p); /* in the child: who waited there, does not here */
void pool_clear(pool *p);
/* Puts a cap's open buffer, which is full, behind the others, and opens a free one, or what the
 * policy makes free. False: there is none. By the cap's thread. */
bool pool_next(hectic_emitter *e, cap *c);
void pool_want(hectic_emitter *e); /* how many buffers there may be, by caps and ring */
void pool_set_size(hectic_emitter *e, size_t bytes); /* of each, from now on */
void pool_release(pool *p, buffer *b);               /* it is free */
void pool_remove(pool *p, buffer *b);                /* out of the full ones */
/* What its cap wrote next, or is writing; NULL: it got no buffer for that. */
buffer *pool_following(const buffer *b);
/* Drops what is left in a full buffer: teaches the state, counts it, notes the gap. */
void pool_drop(hectic_emitter *e, buffer *b);
/* The same in two steps, the first of which needs no lock if the buffer is pinned. */
uint64_t buffer_learn(const hectic_emitter *e, const buffer *b); /* how many events they are */
void pool_dropped(hectic_emitter *e, buffer *b, uint64_t events);
/* The time of the earliest event that was neither written nor dropped, or `now`. */
uint64_t pool_earliest(const hectic_emitter *e, uint64_t now);
/* The same, but that the open global buffer does not count. */
uint64_t pool_earliest_of_caps(const hectic_emitter *e, uint64_t now);

/* --- state.c: what a reader must know. state_… takes the state's lock itself. */
typedef struct facts {
    live_state *live;
    definitions definitions;
} facts;
bool facts_new(const hectic_emitter *e, facts *f); /* false: no memory */
void facts_clear(facts *f);
/* As state_update, for facts of the caller's own. */
uint64_t facts_learn(const hectic_emitter *e, facts *f, uint16_t cap, const uint8_t *events,
                     size_t size);
/* Tells what makes `from`, a state's copy that has learned more, to `to`: what `from` has no
 * definition of, and what has changed as far as these classes tell it. False: `tell` said so. */
bool facts_replay_change(const hectic_emitter *e, const facts *from, const facts *to,
                         uint64_t classes, live_state_emit tell, void *user);

typedef struct state state;
state *state_new(const hectic_emitter *e); /* of its types */
void state_free(state *s);
pthread_mutex_t *state_mutex(state *s);
/* Learns from the events in bytes[0 … size-1] of a cap; returns how many they are. */
uint64_t state_update(const hectic_emitter *e, uint16_t cap, const uint8_t *events, size_t size);
/* All events of caps before that time have been learned. */
void state_prune(const hectic_emitter *e, uint64_t before);
/* How many bytes of events are not later than `time`; *last is set to when the last of them was. */
size_t state_until(const hectic_emitter *e, const uint8_t *events, size_t size, uint64_t time,
                   uint64_t *last);
/* No event is to be earlier than that. */
void state_restamp(const hectic_emitter *e, uint8_t *events, size_t size, uint64_t earliest);

/* Append the header; and blocks with all that a reader must know, stamped `time`, plainly or as
 * SYNC events; the latter without what events of some classes tell. False: no memory. */
bool state_header(const hectic_emitter *e, bytes *out);
bool state_replay(const hectic_emitter *e, bytes *out, uint64_t time);
bool state_replay_sync(const hectic_emitter *e, bytes *out, uint64_t time, uint64_t without);
/* Plainly, async-signal-safe, with the lock held, to bytes with `let_go`. */
bool state_replay_in_handler(const hectic_emitter *e, bytes *out, uint64_t time);
bool state_copy(const hectic_emitter *e, facts *f); /* false: no memory */
void state_drop_classes(const hectic_emitter *e, uint64_t classes);
/* The state knows of the process, by the options; of a cap: by an event, if events are logged. */
void state_describe(hectic_emitter *e);
void state_describe_cap(hectic_emitter *e, uint16_t number);

/* --- block.c */
enum { BLOCK_HEAD_MAX = 128 };
typedef struct block {
    uint64_t begin, end; /* times of its first event and its last */
    uint64_t dropped;    /* events that are missing before the first */
    size_t size;         /* of its events */
    uint16_t cap;
} block;
/* Writes a block's marker and, where events are missing, the note of that; returns their size.
 * Async-signal-safe. */
size_t block_head(uint8_t *out, const block *b);

/* --- drain.c: with the io lock held. `until` is a time of clock_monotonic; 0: do not wait. */
typedef struct outlet {
    sink *sink; /* NULL: none. Written with the pool's lock as well */
    sink *left; /* the one before, closed, to be freed without locks; or NULL */
    hectic_destination_state state;
    hectic_when_blocked when_blocked;
    size_t ring_size; /* of a ring; else 0. Written with the pool's lock as well */
    bytes prefix;     /* what goes before the buffer's bytes: header, state, marker … */
    buffer *buffer;   /* the block that is being written: its bytes from … to; or NULL */
    size_t from, to;
    size_t sent;      /* of prefix and buffer together; all: nothing is being written */
    uint64_t last;    /* the latest time in the block */
    uint64_t told;    /* of the buffer's lost events */
    uint64_t horizon; /* events that are later stay where they are; 0: none */
    bool held;        /* some of the last block have stayed */
    /* When the reader was told what it must know: no event of a cap, and none of the global buffer,
     * is to be earlier. */
    uint64_t told_at, global_told_at;
    uint64_t retry;  /* when to try again where nothing tells that it would succeed */
    uint64_t opened; /* when the sink was: a peer that hangs up at once is not tried at once */
} outlet;

hectic_emit_status drain_full(hectic_emitter *e, uint64_t until); /* the full buffers */
hectic_emit_status drain_cap(hectic_emitter *e, cap *c,
                             uint64_t until);                    /* a cap's, and its open one */
hectic_emit_status drain_all(hectic_emitter *e, uint64_t until); /* all that there is now */
hectic_emit_status drain_sync(hectic_emitter *e, uint64_t until);
/* Misses a reader that has gone while there was nothing to write: the next one is to have a log of
 * its own. */
void drain_watch(hectic_emitter *e);
/* Writes to that destination from now on: begins a log there. `error` is what the sink's open
 * said: 0 or EAGAIN. No sink: a ring; and no destination: it is stopped. */
void drain_begin(hectic_emitter *e, sink *s, int error, const hectic_destination *destination);
/* Ends the log and closes the sink; with `until` 0 without its end. */
hectic_emit_status drain_end(hectic_emitter *e, uint64_t until);

/* --- sink_listen.c */
/* A sink that serves readers and obeys their commands; as sink_new. */
sink *sink_to_readers(hectic_emitter *e, const hectic_destination *destination);

/* --- logging.c */
/* What caps see of the classes. With the pool's lock. */
void logging_publish(hectic_emitter *e);
/* Has the producer report what was missed of the classes that are logged now. With the control
 * lock, and the producer paused. */
hectic_emit_status logging_make_up(hectic_emitter *e);
void logging_pause(hectic_emitter *e); /* the producer, if it has said how */
void logging_resume(hectic_emitter *e);
/* What the producer reports: events that are learned, not logged. */
struct hectic_emit_report {
    cap cap; /* the first member; its number is that of the cap that is reported on */
    facts facts;
    uint8_t *bytes; /* room for an event */
};
/* Room for an event of a report. */
uint8_t *report_room(hectic_emit_report *r);

/* --- service.c */
bool service_start(hectic_emitter *e);
void service_stop(hectic_emitter *e);       /* joins it; without the io lock */
void service_wake(const hectic_emitter *e); /* async-signal-safe */

/* --- process.c */
bool process_enter(hectic_emitter *e);
void process_leave(hectic_emitter *e); /* nobody visits it any more */
/* What concerns the process, such as its signals, is changed under this lock. */
void process_lock(void);
void process_unlock(void);
/* All emitters of the process, without the lock. Async-signal-safe. */
void process_visit(void (*visit)(hectic_emitter *e, void *user), void *user);
/* Waits until all visits that have begun are over. */
void process_settle(void);

/* --- clock.c */
enum { LINES = 256 };
typedef struct moment {
    uint64_t tsc, ns; /* ns: since clock_.begin */
} moment;
typedef struct clock_ {
    hectic_emit_clock kind; /* AUTO is decided */
    uint64_t (*now)(void *user);
    void *user;
    uint64_t begin;                      /* CLOCK_MONOTONIC when the emitter was made */
    const struct hectic_emit_line *line; /* what caps are to use; NULL: no TSC */
    uint64_t due;      /* when to draw the next, by CLOCK_MONOTONIC; UINT64_MAX: never */
    uint64_t interval; /* for which the present line was drawn, ns */
    moment measured;   /* where the present line begins */
    uint64_t rate;     /* ns per tick, times 2^32, as measured last */
    unsigned drawn;
    struct hectic_emit_line lines[LINES]; /* used in turn */
} clock_;
uint64_t clock_monotonic(void); /* ns */
void clock_init(clock_ *c, const hectic_emitter_options *options);
/* Draws the next line when it is due; true: caps are to use c->line from now on. Called by the
 * service, and by flush where there is none, with the io lock held. */
bool clock_calibrate(clock_ *c);
uint64_t clock_now(const clock_ *c); /* as caps take it */

/* --- dump.c */
/* In a signal's handler: what is in the buffers, to a sink that is closed. `room` is for what a
 * reader must know: more than the largest event and a block's head take. `attempt` calls `what`,
 * and returns even if that crashes. */
typedef void dump_attempt(void (*what)(void *user), void *user);
void dump_in_handler(hectic_emitter *e, sink *s, uint8_t *room, size_t size, dump_attempt *attempt);

/* --- recorder.c: dumps when signals come */
typedef struct recorder recorder;
void recorder_free(hectic_emitter *e);  /* restores the signals' actions */
void recorder_serve(hectic_emitter *e); /* dumps that signals have asked for; without locks */
void recorder_forked(void);             /* in a child: nothing that was going on goes on there */
/* Takes away those that tell of a crash: blocked, they would kill without a word. */
void recorder_unblock_crashes(sigset_t *blocked);

/* An event type that may be logged. */
typedef struct event_type {
    hectic_event_type type; /* its description is the registered one's own copy, if there is one */
    hectic_class class_;
    bool definition; /* told to every destination, though the catalogue does not know it */
    struct event_type *next;
} event_type;

/* --- emitter.c */
const event_type *emitter_type(const hectic_emitter *e, unsigned number); /* NULL: none */
/* A sink that is open, or (*error is EAGAIN) going to be; NULL for a ring. Without locks. */
hectic_emit_status emitter_open(hectic_emitter *e, const hectic_destination *destination, sink **s,
                                int *error);
void emitter_note_error(hectic_emitter *e, int error); /* for hectic_emitter_get_state */
/* The io lock, for a function that may be where threads are cancelled: it is not, until it lets go.
 */
int emitter_hold(hectic_emitter *e);
void emitter_let_go(hectic_emitter *e, int cancel);
/* Likewise the control lock. */
int emitter_control(hectic_emitter *e);
void emitter_end_control(hectic_emitter *e, int cancel);
uint64_t emitter_declared(const hectic_emitter *e); /* the classes that may be on */
void emitter_use_clock(hectic_emitter *e); /* caps are to take their times from another line */
void emitter_lock(hectic_emitter *e);      /* all its locks, around a fork */
void emitter_unlock(hectic_emitter *e);
void emitter_forked(hectic_emitter *e); /* in the child, instead */
void emitter_exit(hectic_emitter *e, const struct timespec *until);

struct hectic_emitter {
    hectic_emitter *next; /* process.c */
    hectic_emitter_options options;
    pthread_mutex_t io;
    pool pool;
    state *state;
    outlet out;
    clock_ clock;
    bytes header;       /* of its logs, since it was started */
    recorder *recorder; /* NULL: none */

    cap **caps; /* room for all, read without a lock below cap_count, which is stored last */
    uint32_t cap_count;
    cap *global;
    pthread_mutex_t shared;

    event_type *first_type, *last_type; /* in the order of the header */
    event_type *types[HECTIC_DATA_END]; /* by number; stored when whole, read without a lock */

    pthread_mutex_t control;
    hectic_emit_reporter reporter; /* `report` NULL: none */
    void *reporter_user;
    /* Classes of which events may have been missed. Written with the pool's lock as well. */
    uint64_t missed;
    uint64_t silent; /* those of which the log tells that they are off */

    uint64_t classes; /* that are on; what caps see is 0 while nothing is logged */
    uint64_t parameter[HECTIC_CLASS_COUNT][HECTIC_CLASS_PARAMETERS];
    bool started, logging; /* written with the pool's lock as well */
    uint32_t flush_every_ms, flush_idle_ms, sync_every_ms;
    uint64_t flush_due, idle_due, sync_due;

    pthread_t service;
    bool serving; /* there is one */
    bool quits;   /* it is to end */
    int wake;     /* an eventfd that wakes it */
};

#endif
