/* loop.h — libuv's loops, opened so that libuv does not abort. */
#ifndef HECTIC_LOOP_H
#define HECTIC_LOOP_H

#include <uv.h>

/* As uv_loop_init. Where libuv is short of memory later, and would abort, hectic ends with a
 * message.
 */
int loop_open(uv_loop_t *loop);

#endif
