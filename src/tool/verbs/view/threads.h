/* threads.h — the threads that read a log for a view. */
#ifndef HECTIC_VIEW_THREADS_H
#define HECTIC_VIEW_THREADS_H

enum { THREADS_MAX = 4 };

/* For hectic_view_source. */
void threads_run(void (*task)(void *argument, unsigned number), void *argument, unsigned threads);
unsigned threads_count(void);

#endif
