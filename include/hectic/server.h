/* hectic/server.h — a log that a runtime writes, for readers that come and go.
 *
 * For runtimes that write their own eventlog, such as GHC's through its EventLogWriter: they hand
 * over bytes as they have them, once, from the header on. Any number of readers may connect at any
 * time; each gets a whole log: header, what it must know (the process, caps, threads that live,
 * definitions …), then blocks. Programs that have no eventlog of their own use hectic/emit.h.
 *
 *     runtime's threads ──▶ hectic_server_write ──▶ [ blocks ] ──▶ service thread ──▶ readers
 *                                                                  control thread ◀── commands
 *
 * hectic_server_write copies and returns. Blocks are kept until all readers have them; before the
 * first reader, and for a reader that is too slow, the newest `keep` bytes. What is dropped is
 * whole blocks; where they are missing, that reader's log has a LOG_MSG that counts their events
 * ("hectic: 123 events were dropped here") and then, as SYNC events, what holds by then. Only where
 * the runtime writes faster than one thread can decode does a write wait for that thread.
 *
 * A reader may send commands (hectic/control.h) over its connection. Each is answered to that
 * reader by a LOG_MSG: "hectic: NAMESPACE ID: done", or why not. Who sends commands and then shuts
 * down its sending side gets a header and the answers, no events, and is hung up on.
 *
 * The state that is replayed is kept once, however many readers there are: each has a position in
 * it. It takes at most `state` bytes of memory. What is defined or created beyond that is not
 * replayed to readers that connect later; their logs begin with a LOG_MSG that counts it, the
 * state has it (state_left_out), and it is noted once. When threads end, others have their room.
 *
 * At most 256 readers are there at a time. When another one comes, who has not taken anything of
 * what waits for 5 s makes room; where there is none like that, who comes is turned away. A reader
 * who sends anything but commands, or begins one and does not end it within 10 s, is told so by a
 * LOG_MSG and hung up on.
 */
#ifndef HECTIC_SERVER_H
#define HECTIC_SERVER_H

#include <hectic/control.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_server hectic_server;

typedef struct hectic_server_options {
    size_t keep;  /**< bytes; 0: 16 MiB */
    size_t state; /**< bytes of memory, about; 0: 256 MiB */
    /** Obeys a command; NULL: done, else why not: a text that stays. In the control thread, as is
     *  `flush`, which makes the runtime write what it has buffered, likewise. Both may be NULL;
     *  without `flush` its command is one for `command`, too. */
    const char *(*command)(void *user, const hectic_control_command *command);
    const char *(*flush)(void *user);
    /** Why a reader was hung up on or turned away, in one line, for whoever runs the program. By
     * the server's own thread; it does not call the server. May be NULL. */
    void (*note)(void *user, const char *text);
    void *user;
} hectic_server_options;

/** A server without readers. NULL options are zeros; they are copied. NULL: no memory or thread. */
hectic_server *hectic_server_new(const hectic_server_options *options);

/** Another place to serve: "listen:unix:PATH", "listen:tcp:HOST:PORT" (port 0: any), or a
 *  destination as of hectic_destination_parse, which is written to ("unix:PATH" connects). False:
 *  it cannot be; message[0 … size-1] says why and what to do.
 *
 *  A Unix socket's file gets the mode 0600. One that a dead program left is replaced; one that
 *  somebody listens at is not. */
bool hectic_server_open(hectic_server *server, const char *place, char *message, size_t size);

/** The same, and ends the log in all places opened before, if it succeeds. */
bool hectic_server_move(hectic_server *server, const char *place, char *message, size_t size);

/** Serves who came by another way: a stream socket that does not block. It is the server's from
 * then on. False: no memory, and it stays the caller's. */
bool hectic_server_adopt(hectic_server *server, int fd);

/** Bytes of the log, in their order, by any thread: a header first, then whole blocks. A further
 *  header and end markers are passed over: the readers' log goes on. */
void hectic_server_write(hectic_server *server, const void *bytes, size_t length);

/** While it is held, readers stay, and get of what is written only what they must know later:
 * events about the process, its caps and OS threads, and definitions. Each write has to be of whole
 * blocks then. */
void hectic_server_hold(hectic_server *server, bool held);

/** Keeps the newest `bytes` only, while nobody is there to read them; `keep` at most, as at first.
 */
void hectic_server_keep_unread(hectic_server *server, size_t bytes);

/** Calls `flush` every N ms; 0: no more. */
void hectic_server_flush_every(hectic_server *server, uint32_t ms);

/** Replays the live state to all readers: what one who came now would get first, as SYNC events,
 * once the slower readers have come to that place of the log, too. */
void hectic_server_replay(hectic_server *server);

/** Does that every N ms; 0: no more. */
void hectic_server_replay_every(hectic_server *server, uint32_t ms);

/** Waits until there is a reader; for ever where ms is 0. False: there is none. */
bool hectic_server_wait(hectic_server *server, uint32_t ms);

typedef struct hectic_server_state {
    uint32_t readers;
    uint64_t bytes_kept;     /**< now */
    uint64_t events_dropped; /**< that a connected reader missed; each once, however many did */
    uint64_t state_bytes;    /**< of memory: what is replayed to readers that connect */
    uint64_t state_left_out; /**< events that describe the state, and had no room there */
    uint64_t port;           /**< of the last TCP socket that listens; 0: none */
} hectic_server_state;

hectic_server_state hectic_server_get_state(hectic_server *server);

/** Ends the log in all places: gives readers `ms` to take what is left and the end marker, hangs
 *  up, removes its sockets' files. It may be opened again, and goes on then. */
void hectic_server_close(hectic_server *server, uint32_t ms);

/** Ends the log: gives readers `ms` to take what is left and the end marker, hangs up, removes its
 *  sockets' files, frees the server. NULL is allowed. */
void hectic_server_free(hectic_server *server, uint32_t ms);

/** Frees it in a child process after fork, where it has no threads: the parent's connections and
 *  sockets' files are left alone. */
void hectic_server_free_in_child(hectic_server *server);

#ifdef __cplusplus
}
#endif
#endif
