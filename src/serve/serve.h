/* Internals of the server: it serves a log to readers, which can attach and detach at any time.
 * Each file uses only files above it:
 *
 *     control.c         the protocol of commands
 *     queue.c           the queue of blocks for readers
 *     units.c           which blocks belong together
 *     baseline.c        the baseline snapshot: the state at the beginning of the queue
 *     listen.c          listening sockets
 *     peer.c            one reader
 *     service.c         the service thread: serves all readers
 *     command_queue.c   the control thread: executes readers' commands
 *     server.c          the public functions
 *
 * The runtime's threads only divide blocks into units and append these to the queue. The service
 * thread owns the peers, the sockets and the baseline. The control thread executes commands and
 * flushes: both may take long, and may need the runtime's threads to go on. The lock guards the
 * queue, requests and answers, and is held only briefly.
 */
#ifndef HECTIC_SRC_SERVE_H
#define HECTIC_SRC_SERVE_H

#include "format/per_cap.h"
#include "os/clock.h"
#include "read/decode/step.h"
#include "state/live_state.h"
#include "state/state_replay.h"

#include <hectic/control.h>
#include <hectic/emit.h>
#include <hectic/server.h>

#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>

typedef struct sink sink;

/* --- baseline.c */

typedef struct chunk chunk;

enum { BASELINE_TYPES = 256 }; /* live_state.h uses no others */

typedef struct baseline {
    hectic_header *header; /* as sent to readers: the runtime's header, and SYNC */
    stepper at;            /* position in the blocks */
    budget budget;         /* memory of the following two */
    live_state *live;
    definitions definitions; /* permanent events */
    uint64_t left_out;       /* events left out because of the budget */
    uint64_t version;        /* changes with each update */
    uint64_t sorted;         /* the version for which `live` is sorted */
    size_t live_count;       /* entries in `live` */
    bool used[BASELINE_TYPES];
    bool permanent[BASELINE_TYPES]; /* live_state_is_permanent */
    cap_times times;                /* of each cap's last event; 0: none */
    bool created;                   /* events that create caps were received */
} baseline;

/* Takes ownership of a header, and returns one that also declares that event; NULL: no memory. */
hectic_header *header_with(hectic_header *header, uint16_t number);

/* A state replay to one reader, in pieces: positions in the baseline. Definitions are only appended
 * to; the replay of the live state restarts if it changes meanwhile. Initialize with zeros. */
typedef struct replay {
    bool active, as_sync;
    bool at_live_state; /* it has reached the live state */
    uint64_t time;
    size_t definition, definitions; /* offsets: current, and end */
    size_t live_index;
    uint64_t version; /* of the live state */
} replay;

/* Takes ownership of the header; uses at most `most` bytes, or 256 MiB if that is 0. False: no
 * memory. */
bool baseline_begin(baseline *b, hectic_header *header, size_t most);
void baseline_clear(baseline *b);
/* Applies blocks; returns the number of their events without markers. */
uint64_t baseline_update(baseline *b, const uint8_t *blocks, size_t size);
/* Removes all but permanent events from blocks, in place; returns the new size. */
size_t baseline_keep_permanent(const baseline *b, uint8_t *blocks, size_t size);
/* The number of events in blocks, without markers. */
uint64_t baseline_count(const baseline *b, const uint8_t *blocks, size_t size);
/* Starts a replay, plainly or as SYNC events, without definitions that it has replayed before. */
void baseline_replay(const baseline *b, replay *r, bool as_sync, uint64_t time);
/* Append: the header; the next piece of an active replay; a message. False: no memory. */
bool baseline_header(const baseline *b, bytes *out);
bool baseline_piece(baseline *b, replay *r, bytes *out);
bool baseline_message(const baseline *b, bytes *out, uint64_t time, const char *text);
/* A replay, as SYNC events, of the state after these chunks, which follow the baseline. NULL: no
 * memory. */
chunk *baseline_ahead(const baseline *b, const chunk *first, const chunk *last, uint64_t time);

/* --- queue.c: with the server's lock */

/* Whole blocks, of a unit. */
struct chunk {
    struct chunk *next;
    size_t size;         /* of bytes */
    unsigned references; /* from the queue, and from peers that send it */
    unsigned generation; /* of destinations: peers of older ones do not get it */
    bool ends_unit;      /* it is the last one of its unit */
    bool is_replay;      /* it is a state replay, as of the end of the unit before */
    uint64_t until;      /* with ends_unit: the time at which the unit ends */
    uint64_t begin, end; /* no event is earlier or later */
    uint64_t number;     /* in the order of the queue, from 1 */
    uint8_t bytes[];
};

typedef struct queue {
    chunk *first, *last;
    size_t bytes; /* of memory */
} queue;

chunk *chunk_new(const void *bytes, size_t size);        /* NULL: no memory */
chunk *chunk_join(const struct iovec *piece, int count); /* a copy of all pieces; NULL: no memory */
void chunk_release(chunk *c);
void queue_append(queue *q, chunk *c);
chunk *queue_take(queue *q); /* removes the oldest; NULL: none */

/* --- units.c */

/* Divides a log into units: the events of all caps in one interval of time, so that a log can begin
 * or go on after a gap with each of them. Caps write their blocks when they like: what is later
 * than the events of another cap may be is held; the blocks of a flush, which includes all caps,
 * make a unit. */
enum { UNITS_HELD = 16 << 20 }; /* bytes; beyond, a unit is passed on in parts */
typedef struct units {
    const hectic_header *header;
    cap_times known;     /* no event of that cap is to come that is not later */
    bool expects_caps;   /* caps have not been created yet */
    unsigned releases;   /* units that were released while caps were expected */
    queue held;          /* in the order of arrival */
    uint64_t held_since; /* ms */
    uint64_t passed;     /* the latest time of what is not held */
} units;

void units_begin(units *u, const hectic_header *header); /* which must outlive it */
void units_clear(units *u);
/* Takes whole blocks that arrive at the time `now` (ms), and the reference. */
void units_add(units *u, chunk *c, uint64_t now);
/* The chunks of the next unit, which are no longer held; none: it is incomplete. */
queue units_take(units *u, uint64_t now);
/* All that is held, as a part of an incomplete unit; or, at the end of a log, as the last one. */
queue units_release(units *u, bool at_end);

/* --- listen.c */

typedef struct listener {
    struct listener *next;
    int fd;
    unsigned generation;
    uint64_t paused_until; /* ms: does not accept before, after descriptors or memory ran out */
    char *path;            /* of a Unix socket; else NULL */
    dev_t device;
    ino_t inode;
} listener;

/* For a destination HECTIC_TO_LISTEN. NULL: failed, with the reason in errno and the message. */
listener *listener_new(const hectic_destination *at, char *message, size_t size);
void listener_hide(listener *l); /* removes the socket's file; the path is free again */
void listener_free(listener *l, bool remove); /* remove: also the socket's file */

/* --- peer.c */

/* Why a reader is disconnected. */
typedef enum fault { FAULT_NONE, FAULT_INVALID, FAULT_INCOMPLETE } fault;

typedef struct peer {
    struct peer *next;
    sink *sink; /* its destination; NULL: it connected to a listener */
    int fd;
    unsigned generation; /* of destinations: peers of older ones are to end */
    uint64_t id;
    bool ready;           /* connected */
    bool gone;            /* to be freed */
    bool full;            /* its disk is full: it accepts nothing, although it seems ready */
    bool input_closed;    /* no more input */
    bool sent_commands;   /* has sent commands */
    fault fault;          /* of its input */
    bool is_reader;       /* gets the log */
    bool begun, ended;    /* the header, the end marker was sent */
    uint64_t since;       /* when it connected, ms; or when to try to connect again */
    uint64_t progress_at; /* when it last accepted data, ms */
    uint64_t command_at;  /* when its incomplete command began, or reading was last suspended, ms */
    uint64_t leave_by;    /* ms: deadline to disconnect after a fault; 0: none */
    hectic_control_parser parser;
    bytes out;   /* sent before `current` or, without one, before the next chunk */
    size_t sent; /* bytes of `out`, then of `current` */
    chunk *current;
    replay replay;          /* of the state, before chunks */
    uint64_t from;          /* the time at which its log began, or went on after a gap */
    uint64_t whole_until;   /* it has all events up to that time */
    uint64_t patient_until; /* ms: then it begins or goes on inside a unit, too; 0: need not yet */
    uint64_t total;         /* bytes sent */
    struct {
        uint64_t chunk, total; /* the chunk's number, and the bytes up to its end */
    } taken, check;            /* the last chunk that was sent; one that may have been read */
    int hidden;                /* bytes that its system may hold, unread, without telling */
    uint64_t read;             /* number of the last chunk that it has read */
    /* With the lock: */
    chunk *next_chunk; /* NULL: it has all chunks */
    uint64_t lost;     /* events dropped before it accepted them */
    bytes answers;
    unsigned commands_pending; /* commands without an answer yet */
} peer;

peer *peer_open_destination(const hectic_destination *at, char *message, size_t size);
peer *peer_adopt(int fd);
void peer_free(peer *p);
/* Finds out which chunks it has read, as far as the system knows. */
void peer_note_read(peer *p);
/* Sends `out` and `current`. True: completely. */
bool peer_write(peer *p);
/* Is data in `out` or `current` unsent? */
bool peer_has_unsent(const peer *p);
/* Reads its input. True: another command. */
bool peer_command(peer *p, hectic_control_command *command);
/* Records a fault, and ignores further input. */
void peer_reject(peer *p, fault fault);
/* The reader has disconnected. A destination that can have another reader waits for it. */
void peer_disconnect(peer *p);
bool peer_try_open(peer *p); /* tries to connect; true: ready */

/* --- service.c, command_queue.c: the threads; server.c */

/* A command to be executed. */
typedef struct request {
    struct request *next;
    uint64_t peer;
    hectic_control_command command;
} request;

typedef struct timer {
    uint64_t every, due; /* ms; every 0: never */
} timer;

struct hectic_server {
    hectic_server_options options;
    size_t keep_unread;
    pthread_mutex_t lock;
    pthread_cond_t changed;        /* the queue has become shorter, or a peer has left */
    pthread_cond_t reader_ready;   /* a reader is ready */
    pthread_cond_t commands_ready; /* for the control thread */
    pthread_t service, control;
    pthread_mutex_t turn; /* held by the service while it works; taken before `lock` */
    int wake[2];

    baseline baseline;
    bytes header_part; /* an incomplete header */
    bool begun;        /* the header was received */
    bool held;
    int batches; /* open ones */
    queue batch; /* blocks of open batches */
    units units; /* blocks that are not in `queue` yet */
    queue queue;
    chunk *unit_end;      /* the last chunk of the first unit in `queue`; NULL: not there yet */
    bool head_whole;      /* the queue begins with a unit */
    uint64_t head_until;  /* the time of the baseline; with head_whole, the queue is later */
    uint64_t last_number; /* of a chunk */
    bool wants_replay;    /* a state replay is to be added to the queue */
    uint64_t replay_by;   /* ms: then also inside a unit */
    bool wants_flush;     /* a unit is to end soon */
    size_t unprocessed;   /* bytes received since the service's turn began */
    uint64_t latest;      /* time of the latest event in the queue */
    uint64_t dropped, port;
    bool unfinished;                      /* the logs of all peers end without an end marker */
    uint64_t state_bytes, state_left_out; /* of the baseline, as of the last turn */

    peer *peers; /* changed by the service thread, with the lock */
    listener *listeners;
    peer *new_peers; /* for the service to add */
    listener *new_listeners;
    unsigned generation;
    uint64_t generation_since; /* when the current generation began, ms */
    uint64_t last_id;

    request *first_request;
    unsigned commands_pending; /* commands without an answer yet */
    timer flush, replay;
    bool stopping;
    uint64_t deadline;
    struct {
        bool stopping;
        uint64_t deadline, generation_since;
        uint64_t release_at; /* ms: when held blocks are passed on; UINT64_MAX: none */
        unsigned generation;
    } seen; /* copied by the service at the beginning of its turn */
};

void *service_run(void *server);          /* a thread */
void *command_queue_run(void *server);    /* a thread */
void server_wake(const hectic_server *s); /* starts another turn */
void server_replay(hectic_server *s);     /* replays the live state to all readers; with the lock */
void server_cut(hectic_server *s);        /* the log has no end marker */
void server_request_flush(hectic_server *s); /* with the lock: it ends a unit */
/* Passes on blocks that are held, with the lock, as units_release. */
void server_release_units(hectic_server *s, bool at_end);
/* As hectic_server_write, for a chunk that units.c has made: takes the reference. */
void server_write_chunk(hectic_server *s, chunk *c);
void server_hide(hectic_server *s); /* frees the paths of its Unix sockets for another one */

#endif
