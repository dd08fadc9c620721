/* loop.c — see loop.h. */
#include "tool/input/loop.h"

#include "tool/cli/message.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <unistd.h>

/* libuv aborts if it has no memory to wait for one more descriptor. */
static void *reallocate(void *block, size_t size)
{
    void *grown = realloc(block, size);
    if (!grown && size > 0) tool_out_of_memory();
    return grown;
}

static void *do_nothing(void *user)
{
    return user;
}

/* The first loop opens a pipe for signals, and the first work item starts threads: libuv aborts if
 * that fails. */
static int try_resources(void)
{
    int fds[2];
    pthread_t thread;
    if (pipe(fds) != 0) return uv_translate_sys_error(errno);
    close(fds[0]);
    close(fds[1]);
    const int error = pthread_create(&thread, NULL, do_nothing, NULL);
    if (error) return uv_translate_sys_error(error);
    pthread_join(thread, NULL);
    return uv_replace_allocator(malloc, reallocate, calloc, free);
}

int loop_open(uv_loop_t *loop)
{
    static bool tried;
    const int error = tried ? 0 : try_resources();
    tried |= error == 0;
    return error ? error : uv_loop_init(loop);
}
