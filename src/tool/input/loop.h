/* loop.h — opens libuv's loops so that libuv does not abort. */
#ifndef HECTIC_LOOP_H
#define HECTIC_LOOP_H

#include <uv.h>

/* As uv_loop_init. If libuv runs out of memory later and would abort, hectic exits with a message.
 */
int loop_open(uv_loop_t *loop);

#endif
