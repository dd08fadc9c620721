/* thread.h — threads that are not interrupted: SIGHUP, SIGINT, SIGQUIT and SIGTERM are for the
 * thread that started them, which may wait for input. */
#ifndef HECTIC_SRC_OS_THREAD_H
#define HECTIC_SRC_OS_THREAD_H

#include <pthread.h>

/* As pthread_create. */
int thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

#endif
