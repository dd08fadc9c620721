/* joint_pass.h — one pass over a log for several consumers, each of a function that calls for a
 * pass of its own: these functions run on threads, which wait while one thread reads the log for
 * all of them. */
#ifndef HECTIC_SRC_JOINT_PASS_H
#define HECTIC_SRC_JOINT_PASS_H

#include "read/time_pass.h"

struct joint_pass;

/* NULL: out of memory. */
struct joint_pass *joint_pass_new(hectic_log *log, size_t most);
void joint_pass_free(struct joint_pass *joint);

/* Runs a function on a thread, and returns when that waits for the pass, or has ended; the log is
 * its own until then. False: there is no thread. */
bool joint_pass_add(struct joint_pass *joint, void (*function)(void *user), void *user);

/* Called by such a function, once at most, instead of time_pass. Consumers get no progress. After
 * it, the function must not read the log: others do not wait for it any more. */
hectic_result joint_pass_wait(struct joint_pass *joint, const struct time_consumer *consumer,
                              void *self);

/* Reads the log, and waits until the functions have returned. `progress` as in time_consumer; may
 * be NULL. */
void joint_pass_run(struct joint_pass *joint, void (*progress)(void *user, double done),
                    void *user);

#endif
