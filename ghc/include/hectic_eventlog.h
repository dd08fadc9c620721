/* hectic_eventlog.h — serves a Haskell program's eventlog to readers.
 *
 * From Haskell: see the module Hectic.Eventlog. From a main in C, which serves all events from the
 * first one on:
 *
 *     #include <hectic_eventlog.h>
 *     extern StgClosure ZCMain_main_closure;
 *
 *     int main(int argc, char **argv)
 *     {
 *         return hectic_eventlog_main(argc, argv, defaultRtsConfig, &ZCMain_main_closure);
 *     }
 *
 * The environment sets the destination; without one, nothing is done:
 *
 *     GHC_EVENTLOG_UNIX_PATH                          listens on a Unix socket
 *     GHC_EVENTLOG_INET_HOST, GHC_EVENTLOG_INET_PORT  listens on a TCP port
 *     HECTIC_EVENTLOG            any destination of hectic_server_open; takes precedence
 *     GHC_EVENTLOG_WAIT          if set, the program starts when a reader has connected
 *     HECTIC_EVENTLOG_FLUSH_MS   flush interval; 0: only full buffers. Default 1000
 *     HECTIC_EVENTLOG_KEEP       size (hectic_size_parse) kept for future readers. Default 16MiB
 *     HECTIC_EVENTLOG_STATE      size of memory for the live state. Default 256MiB
 *
 * Invalid values of the last three are reported on stderr, and replaced by the defaults.
 *
 * Functions that can fail return NULL, or the reason as a text to be freed by the caller. All
 * functions can be called by any thread; from Haskell only by safe calls.
 */
#ifndef HECTIC_EVENTLOG_H
#define HECTIC_EVENTLOG_H

#include <Rts.h>

#include <stdbool.h>
#include <stdint.h>

/** Runs a Haskell program like hs_main; returns or exits as that does. */
int hectic_eventlog_main(int argc, char **argv, RtsConfig config, StgClosure *main_closure);

/** Starts to serve the log of a running program, at a destination or (NULL) the one of the
 *  environment. If the runtime has begun an eventlog in a file, the contents of the file are sent
 *  first. *started (may be NULL): false if there is no destination, or `place` is NULL and the log
 *  is already served. */
char *hectic_eventlog_start(const char *place, bool *started);

/** Ends the log at all destinations, after sending the rest to readers. Later events, until the
 * next start, are in no log. */
void hectic_eventlog_stop(void);

/** Switches event logging off and on; readers stay connected. When it is on again, they get a
 * message with the time since when it was off, and events that update the state of threads. For
 * classes of events: hectic_eventlog_command with HECTIC_CONTROL_HECTIC. */
char *hectic_eventlog_set_logging(bool on);

/** Ends the log at the current destination and continues at another one. Earlier events go to the
 *  first destination, as far as the runtime can be flushed. */
char *hectic_eventlog_move(const char *place);

/** Flushes the capabilities' buffers: now; every N ms (0: only full ones). */
char *hectic_eventlog_flush(void);
char *hectic_eventlog_flush_every(uint32_t ms);

/** Replays the live state to all readers: now; every N ms (0: no more). */
char *hectic_eventlog_replay(void);
char *hectic_eventlog_replay_every(uint32_t ms);

/** Waits for a reader. */
char *hectic_eventlog_wait(uint32_t ms);

/** Executes a command: HECTIC_CONTROL_… of a namespace, or a registered one. */
char *hectic_eventlog_command(const char *name, uint8_t id);

/** Executes a command, in a thread that is not a Haskell thread. NULL, or a constant text. */
typedef const char *(*hectic_eventlog_handler)(void *user);
/** Registers a command. Fails if name and id are already registered. */
char *hectic_eventlog_register(const char *name, uint8_t id, hectic_eventlog_handler handler,
                               void *user);

#endif
