/* thread.c — see thread.h. */
#include "os/thread.h"

#include <signal.h>

int thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
    static const int interrupts[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    sigset_t blocked, before;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
        sigaddset(&blocked, interrupts[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const int error = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
