/* Internals of the server: it serves a log to readers, which can attach and detach at any time.
 * Each file uses only files above it:
 *
 *     control.c         the protocol of commands
 *     clock.c           the monotonic clock
 *     queue.c           the queue of blocks for readers
 *     baseline.c        the baseline snapshot: the state at the beginning of the queue
 *     listen.c          listening sockets
 *     peer.c            one reader
 *     service.c         the service thread: serves all readers
 *     command_queue.c   the control thread: executes readers' commands
 *     server.c          the public functions
 *
 * The runtime's threads only append to the queue. The service thread owns the peers, the sockets
 * and the baseline. The control thread executes commands and flushes: both may take long, and
 * may need the runtime's threads to go on. The lock guards the queue, requests and answers, and is
 * held only briefly.
 */
#ifndef HECTIC_SRC_SERVE_H
#define HECTIC_SRC_SERVE_H

#include "format/per_cap.h"
#include "read/step.h"
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
/* Starts a replay, plainly or as SYNC events, without definitions that it has replayed before. Time
 * 0: the time of the baseline. */
void baseline_replay(const baseline *b, replay *r, bool as_sync, uint64_t time);
/* Append: the header; the next piece of an active replay; a message. False: no memory. */
bool baseline_header(const baseline *b, bytes *out);
bool baseline_piece(baseline *b, replay *r, bytes *out);
uint64_t baseline_latest(const baseline *b); /* the time of the latest applied event */
bool baseline_message(const baseline *b, bytes *out, uint64_t time, const char *text);

/* --- clock.c */

uint64_t clock_ms(void); /* monotonic */
struct timespec clock_timespec(uint64_t ms);

/* --- queue.c: with the server's lock */

/* Whole blocks that the runtime flushed together. */
typedef struct chunk {
    struct chunk *next;
    size_t size;         /* of bytes */
    unsigned references; /* from the queue, and from peers that send it */
    unsigned generation; /* of destinations: peers of older ones do not get it */
    uint8_t bytes[];
} chunk;

typedef struct queue {
    chunk *first, *last;
    size_t bytes; /* of memory */
} queue;

chunk *chunk_new(const void *bytes, size_t size);        /* NULL: no memory */
chunk *chunk_join(const struct iovec *piece, int count); /* a copy of all pieces; NULL: no memory */
void chunk_release(chunk *c);
void queue_append(queue *q, chunk *c);
chunk *queue_take(queue *q); /* removes the oldest; NULL: none */
uint64_t chunk_time(const chunk *c);

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
    replay replay; /* of the state, before chunks */
    /* With the lock: */
    chunk *next_chunk; /* NULL: it has all chunks */
    uint64_t lost;     /* events dropped before it accepted them */
    bool wants_state;  /* the live state is to be replayed to it */
    bytes answers;
    unsigned commands_pending; /* commands without an answer yet */
} peer;

peer *peer_open_destination(const hectic_destination *at, char *message, size_t size);
peer *peer_adopt(int fd);
void peer_free(peer *p);
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
    queue batch; /* blocks of open batches, not in `queue` yet */
    queue queue;
    size_t unprocessed; /* bytes received since the service's turn began */
    uint64_t latest;    /* time of the last block */
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
        unsigned generation;
    } seen; /* copied by the service at the beginning of its turn */
};

void *service_run(void *server);          /* a thread */
void *command_queue_run(void *server);    /* a thread */
void server_wake(const hectic_server *s); /* starts another turn */
void server_replay(hectic_server *s);     /* replays the live state to all readers; with the lock */
void server_hide(hectic_server *s);       /* frees the paths of its Unix sockets for another one */
void server_cut(hectic_server *s);        /* the log has no end marker */

#endif
