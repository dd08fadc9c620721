/* hectic/server.h — serves a log, which a runtime writes, to any number of clients.
 *
 * For runtimes that write their own eventlog, such as GHC's through its EventLogWriter: they pass
 * the log's bytes once, from the header on. Any number of clients can connect at any time; each
 * gets a complete log: header, live state (the process, caps, live threads, definitions …), then
 * blocks. Programs without their own eventlog use hectic/emit.h.
 *
 *     runtime's threads ──▶ hectic_server_write ──▶ [ blocks ] ──▶ service thread ──▶ readers
 *                                                                  control thread ◀── commands
 *
 * hectic_server_write copies the bytes and returns: they are in memory then, clients get them
 * later. A write waits only if the runtime writes faster than the service thread can decode.
 *
 * Blocks are divided into units: the events of all caps up to one time, to which each of them has
 * written. The runtime's flush, which has to write a block of each cap, ends a unit; the end times
 * of blocks have to be right. Blocks that are later than the other caps are known to be are held:
 * until the unit ends, for two seconds (and the interval between flushes), or up to 16 MiB. Each
 * client's log begins with a unit, so it has all caps' events from one time on.
 *
 * Units are kept until all clients have read them, at most the newest `keep` bytes; these are also
 * kept before the first client connects, and for others than clients that send commands or do not
 * read. (Of what was sent to a TCP client, the newest 6 MiB count as unread.) Whole units are
 * dropped; in their place that client's log has a LOG_MSG with the number of dropped events
 * ("hectic: 123 events were dropped here"), and then a state replay (SYNC events). A unit is not
 * dropped while it is sent, even if it is larger than `keep`, unless the units after it are.
 *
 * A client may send commands (hectic/control.h) over its connection. Each is answered to that
 * client by a LOG_MSG: "hectic: NAMESPACE ID: done", or with the reason of a failure. A client that
 * sends commands and then shuts down its sending side gets a header and the answers, but no events,
 * and is disconnected.
 *
 * The live state is kept once for all clients, and takes at most `state` bytes of memory. Objects
 * defined or created beyond that are not replayed to clients that connect later; their logs begin
 * with a LOG_MSG with the number, which is also in state_left_out, and one diagnostic is issued.
 * Space of threads that end is reused.
 *
 * At most 256 clients are connected at a time. A further client replaces one that has not read any
 * of its pending data for 5 s; if there is none, it is rejected. A client that sends anything but
 * commands, or does not complete a command within 10 s, gets a LOG_MSG with the reason and is
 * disconnected.
 */
#ifndef HECTIC_SERVER_H
#define HECTIC_SERVER_H

#include <hectic/control.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_server hectic_server;

typedef struct hectic_server_options {
    size_t keep;  /**< bytes of the log to keep; 0: 16 MiB */
    size_t state; /**< approximate memory for the live state in bytes; 0: 256 MiB */
    /** Executes a command. Returns NULL on success, or else the reason, a constant text. Likewise
     *  `flush`, which makes the runtime write its buffers. Both are called by the control
     *  thread, and may be NULL; without `flush`, its command is passed to `command`. */
    const char *(*command)(void *user, const hectic_control_command *command);
    const char *(*flush)(void *user);
    /** Reports a diagnostic for the operator, on one line: why a client was disconnected or
     *  rejected. Called by the server's thread; it must not call the server. May be NULL. */
    void (*diagnostic)(void *user, const char *text);
    void *user;
} hectic_server_options;

/** Parses a size, as for `keep` and `state`: digits, and perhaps a unit: kB, MB or GB (powers of
 *  1000), KiB, MiB or GiB (powers of 1024); the B may be omitted. False: invalid. */
bool hectic_size_parse(const char *text, uint64_t *size);

/** A new server. The options are copied; NULL: all zero. NULL: out of memory or threads. */
hectic_server *hectic_server_new(const hectic_server_options *options);

/** Adds a place to serve the log: "listen:unix:PATH", "listen:tcp:HOST:PORT" (port 0: any), or a
 *  destination of hectic_destination_parse, to which the log is written ("unix:PATH" connects).
 *  False: failed; message[0 … size-1] is the reason and a remedy.
 *
 *  A Unix socket's file gets the mode 0600. A stale socket file is replaced, unless a process
 *  listens on it. */
bool hectic_server_open(hectic_server *server, const char *place, char *message, size_t size);

/** The same; on success, ends the log in all places that were opened before. */
bool hectic_server_move(hectic_server *server, const char *place, char *message, size_t size);

/** Adds a client that is connected by a non-blocking stream socket. The server owns the socket from
 *  then on. False: out of memory; the caller still owns it. */
bool hectic_server_adopt(hectic_server *server, int fd);

/** Writes bytes of the log, in order, from any thread: a header first, then complete blocks.
 *  Further headers and end markers are skipped: the clients' log continues. */
void hectic_server_write(hectic_server *server, const void *bytes, size_t length);

/** While held, clients stay connected, but get only events of the live state: about the process,
 *  its caps and OS threads, and definitions. Each write must consist of complete blocks then. */
void hectic_server_hold(hectic_server *server, bool held);

/** Opens or closes a batch: blocks of several caps that must not be separated, as in a flush. No
 *  client's log begins, goes on after a gap or gets a state replay inside a batch. Blocks are
 *  passed on when as many batches are closed as were opened, or when they exceed both 16 MiB and
 *  `keep`. */
void hectic_server_batch(hectic_server *server, bool open);

/** Limits the log kept while no client is connected to the newest `bytes`; at most `keep`, the
 *  default.
 */
void hectic_server_keep_unread(hectic_server *server, size_t bytes);

/** Calls `flush` every `ms` milliseconds; 0: never. */
void hectic_server_flush_every(hectic_server *server, uint32_t ms);

/** Replays the live state (SYNC events) to all clients, after the current unit. */
void hectic_server_replay(hectic_server *server);

/** Replays the live state every `ms` milliseconds; 0: never. */
void hectic_server_replay_every(hectic_server *server, uint32_t ms);

/** Waits until a client is connected, for at most `ms` milliseconds; 0: indefinitely. False: none.
 */
bool hectic_server_wait(hectic_server *server, uint32_t ms);

typedef struct hectic_server_state {
    uint32_t readers;
    uint64_t bytes_kept;     /**< bytes of the log that are kept now */
    uint64_t events_dropped; /**< events that any connected client missed, each counted once */
    uint64_t state_bytes;    /**< memory of the live state */
    uint64_t state_left_out; /**< events of the live state that exceeded its limit */
    uint64_t port;           /**< of the last listening TCP socket; 0: none */
} hectic_server_state;

hectic_server_state hectic_server_get_state(hectic_server *server);

/** Ends the log in all places: gives clients `ms` milliseconds to read the rest and the end marker,
 *  disconnects them, and removes its socket files. It can be opened again, and continues then. */
void hectic_server_close(hectic_server *server, uint32_t ms);

/** Closes the server, as hectic_server_close, and frees it. NULL is allowed. */
void hectic_server_free(hectic_server *server, uint32_t ms);

/** Frees the server in a forked child process, where it has no threads: the parent's connections
 *  and socket files are not affected. */
void hectic_server_free_in_child(hectic_server *server);

#ifdef __cplusplus
}
#endif
#endif
