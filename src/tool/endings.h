/* endings.h — the signals that end what a verb does on a loop, in order. */
#ifndef HECTIC_ENDINGS_H
#define HECTIC_ENDINGS_H

#include <uv.h>

struct endings {
    uv_signal_t signals[4];
};

/* Calls back, with user in handle->data, on an interrupt or the like. */
void endings_start(struct endings *endings, uv_loop_t *loop, uv_signal_cb call, void *user);
/* May be called again. */
void endings_close(struct endings *endings);

#endif
