/* loop.c — see loop.h. */
#include "loop.h"

#include "tool.h"

#include <errno.h>
#include <stdlib.h>

#include <unistd.h>

/* libuv aborts where it has no memory to wait for one more descriptor. */
static void *reallocate(void *block, size_t size)
{
    void *grown = realloc(block, size);
    if (!grown && size > 0) tool_out_of_memory();
    return grown;
}

/* The first loop opens a pipe for signals, without which libuv aborts. */
static int try_pipe(void)
{
    int fds[2];
    if (pipe(fds) != 0) return uv_translate_sys_error(errno);
    close(fds[0]);
    close(fds[1]);
    return uv_replace_allocator(malloc, reallocate, calloc, free);
}

int loop_open(uv_loop_t *loop)
{
    static bool tried;
    const int error = tried ? 0 : try_pipe();
    tried |= error == 0;
    return error ? error : uv_loop_init(loop);
}
