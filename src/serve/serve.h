/* What the files of this room share: a log from a runtime on its way to readers that come and go.
 *
 *     control.c   the protocol of commands
 *     baseline.c     what a reader must know: learned from the blocks that are forgotten
 *     queue.c     blocks that are kept for readers
 *     listen.c    sockets that readers connect to
 *     peer.c      one reader
 *     service.c   the service thread: all readers
 *     command_queue.c    the control thread: what they ask for
 *     server.c    the public functions
 *
 * The runtime's threads append to the queue and do nothing else. The service thread owns the
 * peers, the sockets and what is known. The control thread obeys commands and flushes: both may
 * take long, and may need that the runtime's threads go on. The lock guards the queue, requests
 * and answers, and is held for moments.
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

enum { BASELINE_TYPES = 256 }; /* living.h heeds none beyond */

typedef struct baseline {
    hectic_header *header; /* as readers get it: the runtime's, and SYNC */
    stepper at;            /* in what is learned */
    budget budget;         /* for the following two */
    live_state *live;
    definitions definitions; /* those that never die */
    uint64_t left_out;       /* what the budget had no room for */
    uint64_t version;        /* changes with what is learned */
    uint64_t sorted;         /* the version whose `things` are sorted */
    size_t things;           /* that live */
    bool used[BASELINE_TYPES];
    bool lasting[BASELINE_TYPES]; /* live_state_is_permanent */
    cap_times times;              /* of each cap's last event that was learned; 0: none */
    bool created;                 /* the events that create them have come */
} baseline;

/* Takes a header, and gives one that declares that event as well; NULL: no memory. */
hectic_header *header_with(hectic_header *header, uint16_t number);

/* The state on its way to one reader: positions in what is known, which is rendered piece by piece.
 * Definitions are only ever added to; what lives has to be replayed again if it changes meanwhile.
 * Begins as all zeros. */
typedef struct replay {
    bool active, as_sync;
    bool at_live_state; /* it has come to what lives */
    uint64_t time;
    size_t definition, definitions; /* offsets: where it is, and where they end */
    size_t thing;
    uint64_t version; /* of what lives */
} replay;

/* Takes the header; keeps no more than `most` bytes, or 256 MiB if that is 0. False: no memory. */
bool baseline_begin(baseline *k, hectic_header *header, size_t most);
void baseline_clear(baseline *k);
/* Learns from blocks; returns how many events they hold, markers not counted. */
uint64_t baseline_update(baseline *k, const uint8_t *blocks, size_t size);
/* Of blocks, keeps what lasts, at their place; returns its size. */
size_t baseline_keep_permanent(const baseline *k, uint8_t *blocks, size_t size);
/* Replays what holds, plainly or as SYNC events, but for definitions that this replay has had
 * before. Time 0: as early as need be. */
void baseline_replay(const baseline *k, replay *r, bool as_sync, uint64_t time);
/* Append: the header; the next piece of a replay that is active; a message. False: no memory. */
bool baseline_header(const baseline *k, bytes *out);
bool baseline_piece(baseline *k, replay *r, bytes *out);
uint64_t baseline_latest(const baseline *k); /* the time of the latest event that was learned */
bool baseline_message(const baseline *k, bytes *out, uint64_t time, const char *text);

/* --- queue.c: with the server's lock */

/* What the runtime flushed at once: whole blocks. */
typedef struct chunk {
    struct chunk *next;
    size_t size;         /* of bytes */
    unsigned holders;    /* the queue, and peers that are writing it */
    unsigned generation; /* of destinations: not for those of older ones */
    uint8_t bytes[];
} chunk;

typedef struct queue {
    chunk *first, *last;
    size_t bytes; /* of memory */
} queue;

chunk *chunk_new(const void *bytes, size_t size);        /* NULL: no memory */
chunk *chunk_join(const struct iovec *piece, int count); /* one of all pieces; likewise */
void chunk_release(chunk *c);
void queue_append(queue *q, chunk *c);
chunk *queue_take(queue *q); /* the oldest, out of it; NULL: none */
uint64_t chunk_time(const chunk *c);

/* --- listen.c */

typedef struct listener {
    struct listener *next;
    int fd;
    unsigned generation;
    uint64_t rests; /* ms: no accepting before, as descriptors or memory are short */
    char *path;     /* of a Unix socket; or NULL */
    dev_t device;
    ino_t inode;
} listener;

/* Where a HECTIC_TO_LISTEN says. NULL, and why in errno and the message. */
listener *listener_new(const hectic_destination *at, char *message, size_t size);
void listener_hide(listener *l);              /* the socket's file goes: who comes finds others */
void listener_free(listener *l, bool remove); /* remove: the socket's file too */

/* --- peer.c */

/* What a reader is hung up on for. */
typedef enum fault { FAULT_NONE, FAULT_NOISE, FAULT_HALF } fault;

typedef struct peer {
    struct peer *next;
    sink *sink; /* how it is reached; NULL: it came by itself, over fd */
    int fd;
    unsigned generation; /* of destinations: older ones are to end */
    uint64_t id;
    bool ready;        /* connected, or come */
    bool gone;         /* to be freed */
    bool full;         /* the disk that it is on: it takes nothing, though it seems ready to */
    bool deaf;         /* has sent all that it will send */
    bool commands;     /* has sent some */
    fault fault;       /* of what it has sent */
    bool reads;        /* is to get the log */
    bool begun, ended; /* it has got the header; the end marker */
    uint64_t since;    /* when it came, ms; or when to try to reach it again */
    uint64_t moved;    /* when it last took something, ms */
    uint64_t spoke;    /* when it began the command that is not whole, or was last not read, ms */
    uint64_t leaves;   /* ms: it is gone by then, for its fault; 0: it may stay */
    hectic_control_parser parser;
    bytes out;   /* what goes before `current`'s bytes or, without one, before the next block */
    size_t sent; /* of `out`, then of `current` */
    chunk *current;
    replay replay; /* of the state, before any chunk */
    /* With the lock: */
    chunk *next_chunk; /* NULL: it has all that there is */
    uint64_t lost;     /* events that were forgotten before it took them */
    bool wants_state;  /* it is to get the live state once more */
    bytes answers;
    unsigned asked; /* commands that wait for an answer */
} peer;

peer *peer_reached(const hectic_destination *at, char *message, size_t size);
peer *peer_come(int fd);
void peer_free(peer *p);
/* Writes what is in `out` and `current`. True: all. */
bool peer_write(peer *p);
/* Is there something that it has not taken yet? */
bool peer_is_behind(const peer *p);
/* Reads what it sends. True: another command. */
bool peer_command(peer *p, hectic_control_command *command);
/* From now on, it is not listened to. */
void peer_blame(peer *p, fault fault);
/* Nobody is there any more. A place that others may read from waits for the next. */
void peer_lose(peer *p);
bool peer_open(peer *p); /* tries to reach it; true: it is ready */

/* --- service.c, command_queue.c: the threads; server.c */

/* A command that waits to be obeyed. */
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
    pthread_cond_t room;           /* the queue has become shorter, or somebody has gone */
    pthread_cond_t read;           /* there is a reader */
    pthread_cond_t commands_ready; /* for the control thread */
    pthread_t service, control;
    pthread_mutex_t turn; /* held by the service while it changes anything; taken before `lock` */
    int wake[2];

    baseline baseline;
    bytes beginning; /* of a header that is not whole yet */
    bool begun;      /* the header is known */
    bool held;
    queue queue;
    size_t fresh;    /* bytes that came since the service's turn began */
    uint64_t latest; /* time of the last block */
    uint64_t dropped, port;
    uint64_t state_bytes, state_left_out; /* of what is known, as the service thread last saw it */

    peer *peers; /* changed by the service thread, with the lock */
    listener *listeners;
    peer *new_peers; /* for it to take */
    listener *new_listeners;
    unsigned generation;
    uint64_t moved; /* when the present generation began, ms */
    uint64_t last_id;

    request *first_request;
    unsigned asked; /* commands that wait for an answer */
    timer flush, replay;
    bool stopping;
    uint64_t deadline;
    struct {
        bool stopping;
        uint64_t deadline, moved;
        unsigned generation;
    } seen; /* by the service, at the beginning of its turn */
};

void *service_run(void *server);          /* a thread */
void *command_queue_run(void *server);    /* a thread */
void server_wake(const hectic_server *s); /* the service looks at everything again */
void server_replay(hectic_server *s);     /* with the lock */
void server_hide(hectic_server *s);       /* another one may listen at its Unix sockets' paths */
uint64_t server_now(void);
struct timespec server_time(uint64_t ms);

#endif
