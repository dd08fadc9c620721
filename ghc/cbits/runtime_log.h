/* The eventlog of GHC's runtime: its bytes on their way to a server, and what is done while all
 * capabilities are stopped.
 *
 * A GHC before 9.2 writes a capability's events out when its buffer is full, and has no function
 * for doing so earlier. But ending and starting event logging does; our readers are not told of it.
 * That is done at rest: at the end of a collection, where the runtime calls a hook. */
#ifndef HECTIC_RUNTIME_LOG_H
#define HECTIC_RUNTIME_LOG_H

#include <hectic/server.h>

#include <Rts.h>

#include <stdbool.h>
#include <stdint.h>

/* The one server of the process; NULL: none yet, or a child after fork has lost it. Once it is
 * made, it stays: it knows what readers must be told. */
hectic_server *runtime_server(void);
void runtime_serve(hectic_server *server);

/* Writes to the server. `ended`: called when the runtime has ended its log. */
extern const EventLogWriter runtime_writer;
void runtime_on_end(void (*ended)(void));

/* The end of the latest block, by the runtime's clock: now, after runtime_flush_at_rest. */
uint64_t runtime_time(void);

/* Installs the hooks. `exits`: called before the runtime does. */
void runtime_hook_into(RtsConfig *config, void (*exits)(void));
void runtime_hook(void (*exits)(void)); /* in a program that runs, if its runtime shows them */

/* NULL: there are hooks, and all buffers can be brought out where they are called; else why not. */
const char *runtime_has_no_rest(void);

/* What can be asked for: each once at a time, done in this order. */
typedef enum rest_task { REST_FLUSH, REST_SWITCH, REST_CHANGE_WRITER, REST_TASKS } rest_task;

/* False: not in this collection; the next will do. */
typedef bool (*rest_action)(const struct GCDetails_ *details);

/* Does it at the end of the next collection, and waits for that. `outside`: asked for by a thread
 * of ours, which gives the program some time to collect by itself, and must not touch a runtime
 * that has only one thread. NULL: it is done; else why not yet. */
const char *runtime_at_rest(rest_task task, rest_action action, bool outside);

/* As at rest, and if that cannot be, nevertheless. */
void runtime_change_writer(rest_action action);

/* Before event logging is started again: nobody is to get what is left in its buffers. */
void runtime_discard(void);

/* Brings out all buffers: by an action, or now. The latter returns NULL, or why it is not done. */
void runtime_flush_at_rest(void);
const char *runtime_flush(bool outside);

#endif
