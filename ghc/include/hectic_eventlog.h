/* hectic_eventlog.h — a Haskell program's eventlog for readers that come and go.
 *
 * From Haskell: see the module Hectic.Eventlog. From a C main, so that not one event is missing:
 *
 *     #include <hectic_eventlog.h>
 *     extern StgClosure ZCMain_main_closure;
 *
 *     int main(int argc, char **argv)
 *     {
 *         return hectic_eventlog_main(argc, argv, defaultRtsConfig, &ZCMain_main_closure);
 *     }
 *
 * Where the log goes is said by the environment; where that says nothing, nothing is done:
 *
 *     GHC_EVENTLOG_UNIX_PATH                          listens at a Unix socket
 *     GHC_EVENTLOG_INET_HOST, GHC_EVENTLOG_INET_PORT  listens at a TCP port
 *     HECTIC_EVENTLOG            any place that hectic_server_open knows; before those above
 *     GHC_EVENTLOG_WAIT          set: the program begins when a reader is there
 *     HECTIC_EVENTLOG_FLUSH_MS   how often buffers are flushed; 0: when they are full. 1000
 *     HECTIC_EVENTLOG_KEEP       bytes that are kept for readers to come. 16777216
 *     HECTIC_EVENTLOG_STATE      bytes of memory for the state that is replayed to them. 268435456
 *
 * Functions that can fail return NULL, or a text that says why, to be freed by the caller. All may
 * be called by any thread; from Haskell by safe calls only.
 */
#ifndef HECTIC_EVENTLOG_H
#define HECTIC_EVENTLOG_H

#include <Rts.h>

#include <stdbool.h>
#include <stdint.h>

/** Runs a Haskell program, as hs_main; returns or exits as that does. */
int hectic_eventlog_main(int argc, char **argv, RtsConfig config, StgClosure *main_closure);

/** Starts in a program that runs, at a place or (NULL) where the environment says. An eventlog that
 *  the runtime has begun in a file goes on here: what the file has is told first. *started (may be
 *  NULL): false where neither says a place, or NULL was given and it is served already. */
char *hectic_eventlog_start(const char *place, bool *started);

/** Ends the log in all places: readers get what is left of it. Events that come until it is started
 *  again are in no log. */
void hectic_eventlog_stop(void);

/** Event logging as a whole, off and on again; readers stay. When it is on again they get a message
 *  that says since when it was off, and the events that bring their knowledge of threads up to
 *  date. For classes of events: hectic_eventlog_command with HECTIC_CONTROL_HECTIC. */
char *hectic_eventlog_set_logging(bool on);

/** Ends the log where it is served, and serves it there. What was logged before goes to the first
 *  place, as far as the runtime can be flushed. */
char *hectic_eventlog_move(const char *place);

/** Brings out what the capabilities have in their buffers: now; every N ms (0: when they are full).
 */
char *hectic_eventlog_flush(void);
char *hectic_eventlog_flush_every(uint32_t ms);

/** Replays the live state to all readers: now; every N ms (0: no more). */
char *hectic_eventlog_replay(void);
char *hectic_eventlog_replay_every(uint32_t ms);

/** Waits for a reader. */
char *hectic_eventlog_wait(uint32_t ms);

/** As a command from outside: HECTIC_CONTROL_… of a namespace, or one that is registered. */
char *hectic_eventlog_command(const char *name, uint8_t id);

/** Obeys a command: NULL, or a constant text. In a thread that is not Haskell's. */
typedef const char *(*hectic_eventlog_handler)(void *user);
/** A command of one's own. Later ones with the same name and id are not registered. */
char *hectic_eventlog_register(const char *name, uint8_t id, hectic_eventlog_handler handler,
                               void *user);

#endif
