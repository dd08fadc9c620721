/* Internals of the emitter. Its files, in the order of an event's way from cap to sink:
 *
 *     clock.c        timestamps
 *     raw.c          emits events by number; samples
 *     cap.c          the writing side: a cap's thread asks for room when its buffer is full
 *     pool.c         buffers: free ones, and full ones in the order in which they became full
 *     drain.c        the reading side: full (after a flush, also open) buffers become blocks
 *     block.c        the head of a block
 *     state.c        the baseline snapshot for new readers: applied events, replayed as header
 *                    and events
 *     sink_listen.c  a sink for readers that connect, and their commands
 *     (src/sink)     the other sinks
 *
 * and those that control it:
 *
 *     shared.c       access to types, caps and locks
 *     service.c      the thread that drains, flushes periodically and reconnects
 *     logging.c      switches logging and classes, and reports what was missed while off
 *     dump.c         writes the contents of the buffers as a log of its own
 *     recorder.c     dumps on signals
 *     process.c      fork and exit: the emitters of this process
 *     emitter.c      the public functions for control
 *
 * Locks, in the order in which they are taken:
 *
 *     control  what is logged, and what was missed; held while the producer reports
 *     (locks of the producer)
 *     shared   the writers of the global buffer
 *     io       the sink, the current block, all settings: draining and control
 *     pool     the lists and owners of buffers, counts
 *     state    the baseline snapshot
 */
#ifndef HECTIC_SRC_EMITTER_H
#define HECTIC_SRC_EMITTER_H

#include "os/clock.h"
#include "sink/sink.h"
#include "state/state_replay.h"

#include <hectic/decoder.h>

#include <pthread.h>
#include <signal.h>

enum {
    MAX_CAPS = 65535,
    FLUSH_MS = 2000, /* timeout of flush, stop and redirect */
    RETRY_MS = 100,  /* between attempts to connect, or to write to a full disk */
    WAIT_MS = 1000,  /* of HECTIC_BLOCKED_WAIT */
    RING_SIZE = 16 << 20,
    CLASSES_ALWAYS = 1 << HECTIC_CLASS_PROCESS | 1 << HECTIC_CLASS_FRAMING,
};

typedef struct cap cap;

/* A buffer. The pool's lock protects its fields except the bytes; bytes from `drained` on belong to
 * the cap's thread while the buffer is open, and are constant when it is full. */
typedef struct buffer {
    struct buffer *next;
    cap *owner;
    size_t size;
    size_t drained;    /* bytes before have been written, or dropped */
    size_t used;       /* of a full one */
    uint64_t last;     /* of a full one: the latest time in it */
    uint64_t sequence; /* of a full one: when it became full */
    uint64_t lost;     /* events of its cap dropped before `drained`, not reported yet */
    uint64_t missing;  /* those not reported in the current dump */
    bool dumped;       /* it is in the current dump */
    bool pinned;       /* being written: must not be dropped or reused */
    uint8_t *bytes;    /* page-aligned */
} buffer;

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    buffer *free;
    buffer *first, *last;                 /* full ones, oldest first */
    size_t free_count, full_count, count; /* count: all, including open ones */
    size_t wanted;                        /* target of count */
    size_t buffer_size;
    uint64_t sequence; /* of the newest full one */
    uint64_t memory;   /* in bytes */
    uint64_t events_dropped, bytes_dropped;
    hectic_when_blocked when_blocked;
    uint32_t wait_ms;
    bool may_wait; /* no wait has timed out since the last write */
    bool gap;      /* events were dropped, and the reader needs a replay of the state */
    /* The outlet's part of hectic_emitter_get_state. */
    hectic_destination_state destination;
    int error;
    uint64_t bytes_written, blocks_written;
} pool;

struct cap {
    _Alignas(128) hectic_emit_cap out; /* seen by the emitting functions; the first member */
    hectic_emitter *emitter;
    uint16_t number;   /* HECTIC_CAP_NONE: global */
    buffer *open;      /* NULL: none yet. Changed by its thread with the pool's lock */
    uint8_t *at, *end; /* of the shared one, instead of out.at and out.end, which are NULL */
    uint64_t due[HECTIC_CLASS_COUNT]; /* of the next sample; atomic */
    const uint8_t *idle_at;           /* position at the last check of the service; io lock */
    bool is_idle;                     /* has nothing to write in the current flush; io lock */
    uint64_t written;                 /* the latest time that was written; io lock */
    uint64_t marked; /* all its events up to then were written; later ones are moved; io lock */
    hectic_emit_report *report; /* receives its events instead of the log; or NULL */
};

/* --- cap.c */
cap *cap_new(hectic_emitter *e, uint16_t number); /* NULL: no memory */
void cap_free(cap *c);
/* With the pool's lock: the position of its thread in the open buffer (NULL: none), and the buffer
 * that it continues in. */
uint8_t *cap_at(const cap *c);
void cap_open(cap *c, buffer *b);

/* --- pool.c: all but the first four are called with the pool's lock */
bool pool_init(pool *p);
void pool_forked(pool *p); /* in the child, which has no waiting threads */
void pool_clear(pool *p);
/* Appends a cap's open buffer to the full ones and opens a free one, or one that the policy frees.
 * False: none. Called by the cap's thread. */
bool pool_next(hectic_emitter *e, cap *c);
void pool_set_wanted(hectic_emitter *e);             /* sets the target count, by caps and ring */
void pool_set_size(hectic_emitter *e, size_t bytes); /* of new buffers */
void pool_release(pool *p, buffer *b);               /* the buffer becomes free */
void pool_remove(pool *p, buffer *b);                /* removes it from the full ones */
/* The buffer that its cap filled next, or fills; NULL: none. */
buffer *pool_following(const buffer *b);
/* Drops the rest of a full buffer: applies it to the state, and counts it. */
void pool_drop(hectic_emitter *e, buffer *b);
/* The same in two steps; the first one needs no lock if the buffer is pinned. */
uint64_t buffer_apply(const hectic_emitter *e, const buffer *b); /* returns the number of events */
void pool_count_dropped(hectic_emitter *e, buffer *b, uint64_t events);
/* The time of the earliest event that was neither written nor dropped, or `now`. */
uint64_t pool_earliest(const hectic_emitter *e, uint64_t now);
/* The same without the open global buffer. */
uint64_t pool_earliest_of_caps(const hectic_emitter *e, uint64_t now);

/* --- state.c: the baseline snapshot. Functions state_… take the state's lock. */
typedef struct snapshot {
    live_state *live;
    definitions definitions;
} snapshot;
bool snapshot_new(const hectic_emitter *e, snapshot *f); /* false: no memory */
void snapshot_clear(snapshot *f);
/* As state_update, for another snapshot. */
uint64_t snapshot_update(const hectic_emitter *e, snapshot *f, uint16_t cap, const uint8_t *events,
                         size_t size);
/* Replays the difference between `from`, an updated copy of the state, and `to`: new definitions,
 * and changes that events of these classes describe. False: `emit` returned false. */
bool snapshot_replay_change(const hectic_emitter *e, const snapshot *from, const snapshot *to,
                            uint64_t classes, live_state_emit emit, void *user);

typedef struct state state;
state *state_new(const hectic_emitter *e); /* for the types of the emitter */
void state_free(state *s);
pthread_mutex_t *state_mutex(state *s);
/* Applies events of a cap; returns their number. */
uint64_t state_update(const hectic_emitter *e, uint16_t cap, const uint8_t *events, size_t size);
/* All events of caps before that time have been applied. */
void state_prune(const hectic_emitter *e, uint64_t before);
/* The size of the events up to `time`; *last: the time of the last of them. */
size_t state_until(const hectic_emitter *e, const uint8_t *events, size_t size, uint64_t time,
                   uint64_t *last);
/* Raises earlier timestamps to `earliest`. */
void state_restamp(const hectic_emitter *e, uint8_t *events, size_t size, uint64_t earliest);

/* Append the header; the replayed state with timestamp `time`, as plain events or as SYNC events;
 * the latter without some classes. False: no memory. */
bool state_header(const hectic_emitter *e, bytes *out);
bool state_replay(const hectic_emitter *e, bytes *out, uint64_t time);
bool state_replay_sync(const hectic_emitter *e, bytes *out, uint64_t time, uint64_t without);
/* As plain events; async-signal-safe, with the lock, to bytes with `let_go`. */
bool state_replay_in_handler(const hectic_emitter *e, bytes *out, uint64_t time);
bool state_copy(const hectic_emitter *e, snapshot *f); /* false: no memory */
void state_drop_classes(const hectic_emitter *e, uint64_t classes);
/* Add the process to the state; and a cap, by an event if events are logged. */
void state_describe(hectic_emitter *e);
void state_describe_cap(hectic_emitter *e, uint16_t number);

/* --- block.c */
enum { BLOCK_HEAD_SIZE = 128 };
typedef struct block {
    uint64_t begin, end; /* times of its first and last event */
    uint64_t dropped;    /* events dropped before the first */
    size_t size;         /* of its events */
    uint16_t cap;
} block;
/* Writes a block's marker and, if events were dropped, a message about it; returns their size.
 * Async-signal-safe. */
size_t block_head(uint8_t *out, const block *b);

/* --- drain.c: with the io lock. `until` is a time of clock_ns; 0: do not wait. */
typedef struct outlet {
    sink *sink;     /* NULL: none. Written with the pool's lock, too */
    sink *old_sink; /* the previous one, closed unless it lingers, to be freed without locks; or
                       NULL */
    hectic_destination_state state;
    hectic_when_blocked when_blocked;
    size_t ring_size; /* of a ring; else 0. Written with the pool's lock, too */
    bytes prefix;     /* written before the buffer's bytes: header, state, marker … */
    buffer *buffer;   /* of the current block: its bytes from … to; or NULL */
    size_t from, to;
    size_t sent;       /* bytes of prefix and buffer; all: idle */
    uint64_t last;     /* latest time in the block */
    uint64_t reported; /* of the buffer's lost events */
    uint64_t horizon;  /* later events stay in the buffer; 0: none */
    bool held_back;    /* events stayed in the buffer of the last block */
    uint64_t flushed;  /* blocks written before the last flush ended */
    /* Times of the state replay: events of caps, and of the global buffer, must not be earlier. */
    uint64_t replayed_at, global_replayed_at;
    uint64_t retry; /* when to try again, unless poll reports it */
    uint64_t
        opened; /* when the sink was opened: delays the next attempt if it disconnects at once */
} outlet;

hectic_emit_status drain_full(hectic_emitter *e, uint64_t until); /* the full buffers */
hectic_emit_status drain_cap(hectic_emitter *e, cap *c,
                             uint64_t until); /* a cap's full ones and its open one */
hectic_emit_status drain_all(hectic_emitter *e, uint64_t until); /* everything emitted so far */
hectic_emit_status drain_sync(hectic_emitter *e, uint64_t until);
/* Detects a disconnect while there is nothing to write, so that the next reader gets a new log. */
void drain_watch(hectic_emitter *e);
/* Begins a log at that destination. `error` is the result of the sink's open: 0 or EAGAIN. No sink:
 * a ring; no destination: stopped. */
void drain_begin(hectic_emitter *e, sink *s, int error, const hectic_destination *destination);
/* Ends the log and closes the sink; with `until` 0 without an end marker. */
hectic_emit_status drain_end(hectic_emitter *e, uint64_t until);

/* --- sink_listen.c */
/* As sink_new: a sink that serves readers and executes their commands. */
sink *sink_to_readers(hectic_emitter *e, const hectic_destination *destination);

/* --- logging.c */
/* Publishes the classes to caps. With the pool's lock. */
void logging_publish(hectic_emitter *e);
/* Has the producer report what was missed in the classes that are on. With the control lock, and
 * the producer paused. */
hectic_emit_status logging_report_missed(hectic_emitter *e);
void logging_pause(hectic_emitter *e); /* the producer, if it can be paused */
void logging_resume(hectic_emitter *e);
/* A report of the producer: events that are applied to a snapshot, not logged. */
struct hectic_emit_report {
    cap cap; /* the first member; its number is that of the reported cap */
    snapshot snapshot;
    uint8_t *bytes; /* of one event */
};
/* Room for the next event of a report. */
uint8_t *report_room(hectic_emit_report *r);

/* --- service.c */
bool service_start(hectic_emitter *e);
void service_stop(hectic_emitter *e);       /* joins the thread; without the io lock */
void service_wake(const hectic_emitter *e); /* async-signal-safe */

/* --- process.c */
bool process_enter(hectic_emitter *e);
void process_leave(hectic_emitter *e); /* no visits follow */
/* Lock for properties of the process, such as signal handlers. */
void process_lock(void);
void process_unlock(void);
/* Calls `visit` for all emitters of the process, without the lock. Async-signal-safe. */
void process_visit(void (*visit)(hectic_emitter *e, void *user), void *user);
/* Waits until all current visits have ended. */
void process_settle(void);

/* --- clock.c */
enum { LINES = 256 };
typedef struct moment {
    uint64_t tsc, ns; /* ns: since clock_.begin */
} moment;
typedef struct clock_ {
    hectic_emit_clock kind; /* not AUTO */
    uint64_t (*now)(void *user);
    void *user;
    uint64_t begin;                      /* CLOCK_MONOTONIC at the creation of the emitter */
    const struct hectic_emit_line *line; /* current line; NULL: no TSC */
    uint64_t due;      /* when to draw the next line, by CLOCK_MONOTONIC; UINT64_MAX: never */
    uint64_t interval; /* length of the current line, ns */
    moment measured;   /* begin of the current line */
    uint64_t rate;     /* last measured ns per tick, times 2^32 */
    unsigned drawn;
    struct hectic_emit_line lines[LINES]; /* used in turn */
} clock_;
void clock_init(clock_ *c, const hectic_emitter_options *options);
/* Draws the next line when it is due; true: publish c->line to caps. Called by the service, or by
 * flush if there is no service, with the io lock. */
bool clock_calibrate(clock_ *c);
uint64_t clock_now(const clock_ *c); /* as used by caps */

/* --- dump.c */
/* In a signal handler: writes the buffers to a closed sink. `room` is space for the state replay,
 * larger than the largest event and a block's head. `attempt` calls `what`, and returns even if
 * that crashes. */
typedef void dump_attempt(void (*what)(void *user), void *user);
void dump_in_handler(hectic_emitter *e, sink *s, uint8_t *room, size_t size, dump_attempt *attempt);

/* --- recorder.c: dumps on signals */
typedef struct recorder recorder;
void recorder_free(hectic_emitter *e);  /* restores the signal handlers */
void recorder_serve(hectic_emitter *e); /* writes requested dumps; without locks */
void recorder_forked(void);             /* in a child: resets the state */
/* Removes the signals of crashes: blocked, they would kill without a dump. */
void recorder_unblock_crashes(sigset_t *blocked);

/* A registered event type. */
typedef struct event_type {
    hectic_event_type type; /* owns its description */
    hectic_class class_;
    bool definition; /* replayed to each reader, although it is not in the catalogue */
    struct event_type *next;
} event_type;

/* --- shared.c */
extern const uint64_t emitter_ghc_classes; /* classes of events that GHC itself emits */
const event_type *emitter_type(const hectic_emitter *e, unsigned number); /* NULL: none */
uint64_t emitter_declared(const hectic_emitter *e); /* classes that can be on */
cap *emitter_nth_cap(const hectic_emitter *e, uint32_t i, uint32_t count); /* i = count: global */
void emitter_use_clock(hectic_emitter *e);             /* publishes the current line to caps */
void emitter_note_error(hectic_emitter *e, int error); /* for hectic_emitter_get_state */
/* The io or control lock; disables cancellation of the thread while it is held. */
int emitter_lock(pthread_mutex_t *lock);
void emitter_unlock(pthread_mutex_t *lock, int cancel);

/* --- emitter.c */
/* An open sink, or (*error is EAGAIN) one to be opened; NULL for a ring. Without locks. */
hectic_emit_status emitter_open(hectic_emitter *e, const hectic_destination *destination, sink **s,
                                int *error);
void emitter_freeze(hectic_emitter *e); /* takes all locks, around a fork */
void emitter_thaw(hectic_emitter *e);
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

    cap **caps; /* read without a lock below cap_count, which is stored last */
    uint32_t cap_count;
    cap *global;
    pthread_mutex_t shared;

    event_type *first_type, *last_type; /* in the order of the header */
    event_type *types[HECTIC_DATA_END]; /* by number; stored when complete, read without a lock */

    pthread_mutex_t control;
    hectic_emit_reporter reporter; /* `report` NULL: none */
    void *reporter_user;
    /* Classes of which events may have been missed, and the time at which the last of them went
     * off: their events are not later. Written with the pool's lock, too. */
    uint64_t missed;
    uint64_t missed_since;
    uint64_t reported_off; /* classes that the log reports as off */

    uint64_t classes; /* that are on; caps see 0 while logging is off */
    uint64_t parameter[HECTIC_CLASS_COUNT][HECTIC_CLASS_PARAMETERS];
    bool started, logging; /* written with the pool's lock, too */
    uint32_t flush_every_ms, flush_idle_ms, sync_every_ms;
    uint64_t flush_due, idle_due, sync_due;

    pthread_t service;
    bool serving; /* the thread runs */
    bool quits;   /* the thread is to end */
    int wake;     /* an eventfd that wakes the thread */
};

#endif
