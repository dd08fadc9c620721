/* signals.h — signal handling: one rule for SIGHUP, SIGINT, SIGQUIT and SIGTERM in all verbs.
 *
 * A verb that reads a finished log is terminated by the signal, and leaves no output.
 *
 * A live input (a live source, a pipe, a growing file) may be the only copy. Then the first signal
 * ends the input: what has arrived is read, the output is finished, and the verb exits as if the
 * log had ended there. A second signal has no effect, because terminals, timeout(1) and service
 * managers often send two. A third or later signal terminates the process if a second has passed
 * since the first, in case it hangs while it finishes.
 *
 * A SIGHUP that was ignored at the start (nohup) stays ignored. The others are handled for live
 * input even if they were ignored: shells ignore SIGINT for background processes.
 */
#ifndef HECTIC_SIGNALS_H
#define HECTIC_SIGNALS_H

#include <stdbool.h>
#include <uv.h>

/* This rule, for the man pages. */
extern const char *const signals_paragraphs[];

/* Once, at the start of the process. */
void signals_start(void);

/* From now on, signals end the input instead of the process. */
void signals_end_input(void);

/* Is there live input? */
bool signals_input_is_live(void);

/* Ends live input as a signal does, because the output has failed. Called by any thread. */
void signals_end_now(void);

/* Has a signal ended the input? */
bool signals_have_arrived(void);

/* Calls back once, from the loop, when a signal ends the input, or has already done so. */
struct signal_watch {
    uv_poll_t poll;
    void (*call)(void *user);
    void *user;
};
void signal_watch_start(struct signal_watch *watch, uv_loop_t *loop, void (*call)(void *user),
                        void *user);
void signal_watch_close(struct signal_watch *watch); /* may be called twice */

/* For a verb that changes the terminal: other signals that would terminate it end the input, too.
 * If one of them terminates the process nevertheless, it calls `restore`. */
void signals_restore(void (*restore)(void));

/* A file to remove if a signal terminates the process; NULL: none. It is not copied. */
void signals_remove(const char *path);

/* What removes more than a file then; async-signal-safe. NULL: nothing. */
void signals_remove_by(void (*remove)(void));

/* For output to a file: SIGPIPE no longer terminates the process. */
void signals_outlive_readers(void);

#endif
