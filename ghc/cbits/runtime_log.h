/* The eventlog of GHC's runtime: passes its bytes to a server, and runs tasks at rest, that is,
 * while all capabilities are stopped.
 *
 * GHC before 9.2 writes a capability's events only when its buffer is full and has no function to
 * flush it. Ending and restarting event logging flushes the buffers; readers do not notice. This is
 * done at rest: at the end of a collection, where the runtime calls a hook. */
#ifndef HECTIC_RUNTIME_LOG_H
#define HECTIC_RUNTIME_LOG_H

#include <hectic/server.h>

#include <Rts.h>

#include <stdbool.h>
#include <stdint.h>

/* The server of the process; NULL: none yet, or in a forked child. It is never freed, because it
 * has the live state. */
hectic_server *runtime_server(void);
void runtime_serve(hectic_server *server);

/* Writes to the server. `ended` is called when the runtime has ended its log. */
extern const EventLogWriter runtime_writer;
void runtime_on_end(void (*ended)(void));

/* The end time of the latest block; after runtime_flush_at_rest: the current time. */
uint64_t runtime_time(void);

/* Installs the hooks. `exits` is called before the runtime exits. */
void runtime_hook_into(RtsConfig *config, void (*exits)(void));
void runtime_hook(void (*exits)(void)); /* in a running program, if its runtime exports them */

/* NULL: hooks are installed, and buffers can be flushed in them; else why not. */
const char *runtime_has_no_rest(void);

/* Tasks: each is pending at most once; done in this order. */
typedef enum rest_task {
    REST_FLUSH,
    REST_SWITCH,
    REST_CHANGE_WRITER,
    REST_CUT,
    REST_TASKS
} rest_task;

/* False: try again in the next collection. */
typedef bool (*rest_action)(const struct GCDetails_ *details);

/* Runs the task at the end of the next collection, and waits for it. `outside`: called by a thread
 * of the server, which waits some time for a collection first, and must not call a runtime that has
 * only one thread. NULL: done; else why not yet. */
const char *runtime_at_rest(rest_task task, rest_action action, bool outside);

/* At rest, or immediately if that is impossible. */
void runtime_change_writer(rest_action action);

/* Discards buffered events before event logging is started again. */
void runtime_discard(void);

/* Flush all buffers: in an action, or now. The latter returns NULL, or why it is not done. */
void runtime_flush_at_rest(void);
const char *runtime_flush(bool outside);

/* Flush all buffers, if possible, and pass on all later blocks only at the end of the cut. So a log
 * can end, and another one begin, where the events of all capabilities are complete up to the same
 * time. */
void runtime_begin_cut(void);
void runtime_end_cut(void);

#endif
