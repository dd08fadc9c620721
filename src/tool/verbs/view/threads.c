/* threads.c — see threads.h. */
#include "tool/verbs/view/threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

struct task {
    void (*run)(void *argument, unsigned number);
    void *argument;
    unsigned number;
};

static void *run_task(void *given)
{
    const struct task *task = given;
    task->run(task->argument, task->number);
    return NULL;
}

void threads_run(void (*task)(void *argument, unsigned number), void *argument, unsigned threads)
{
    struct task given[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    for (unsigned i = 1; i < threads && i < THREADS_MAX; i++) {
        given[i] = (struct task){task, argument, i};
        started[i] = pthread_create(&thread[i], NULL, run_task, &given[i]) == 0;
    }
    task(argument, 0);
    for (unsigned i = 1; i < threads; i++) {
        if (i < THREADS_MAX && started[i])
            pthread_join(thread[i], NULL);
        else
            task(argument, i);
    }
}

unsigned threads_count(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online < THREADS_MAX ? (unsigned)online : THREADS_MAX;
}
