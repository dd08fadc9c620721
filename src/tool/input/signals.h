/* signals.h — what SIGHUP, SIGINT, SIGQUIT and SIGTERM do to a verb: one rule for all of them.
 *
 * A verb that reads what is already written ends at once, by the signal, and leaves no output.
 *
 * Where something is still being written (a live source, a pipe, a growing file) it may be the only
 * copy. There the first signal ends the input: what has arrived is read, the output is finished,
 * and the verb exits as if the log had ended there. A second signal changes nothing, since
 * terminals, timeout(1) and service managers often send two. From the third on, once a second has
 * passed since the first, a signal ends the process at once: for one that hangs while it finishes.
 *
 * A SIGHUP that was ignored at the start (nohup) stays ignored. The others count for live input
 * even if they were: shells ignore interrupts for what they start in the background.
 */
#ifndef HECTIC_SIGNALS_H
#define HECTIC_SIGNALS_H

#include <stdbool.h>
#include <uv.h>

/* The text of this rule for the man pages. */
extern const char *const signals_paragraphs[];

/* Once, at the start of the process. */
void signals_start(void);

/* From now on signals end the input, and not the process. */
void signals_end_input(void);

/* Is there live input? */
bool signals_input_is_live(void);

/* Live input ends as by a signal, since its output has failed. By any thread. */
void signals_end_now(void);

/* Has a signal come that ends the input? */
bool signals_have_come(void);

/* Calls back once, from the loop, when a signal ends the input or has done so before. */
struct signal_watch {
    uv_poll_t poll;
    void (*call)(void *user);
    void *user;
};
void signal_watch_start(struct signal_watch *watch, uv_loop_t *loop, void (*call)(void *user),
                        void *user);
void signal_watch_close(struct signal_watch *watch); /* may be called again */

/* A file to be removed when a signal ends the process; NULL: none. It is not copied. */
void signals_remove(const char *path);

/* Output goes to a file: that nobody reads stderr any more does not end the process. */
void signals_outlive_readers(void);

#endif
