#define _GNU_SOURCE /* pipe2 */
#include "relay/viewer.h"

#include "http/engine.h"
#include "read/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    RECEIVE_SIZE = 1 << 16,
    READ_SIZE = 1 << 18, /* bytes of the log between two requests: some milliseconds */
    PATIENCE = 20,       /* ms that reading waits for requests */
};

struct viewer {
    uv_async_t async; /* the thread does nothing more */
    pthread_t thread;
    int fd;      /* of the server */
    int wake[2]; /* a pipe: a byte in it ends the thread */
    spool spool;
    http_engine *engine;
    atomic_bool ends, has_ended;
};

/* --- The thread ------------------------------------------------------------------------------ */

static ptrdiff_t read_spool(void *user, uint64_t position, void *buffer, size_t size)
{
    const viewer *v = user;
    ssize_t got;
    do
        got = pread(v->spool.fd, buffer, size, (off_t)position);
    while (got < 0 && errno == EINTR);
    return got;
}

static bool grows(void *user)
{
    const viewer *v = user;
    return !v->has_ended || v->spool.size == 0;
}

/* Stores what has arrived, unless nobody will read it. False: nothing more will. */
static bool receive(viewer *v, uint8_t *buffer, bool is_read)
{
    hectic_error error;
    const ssize_t got = recv(v->fd, buffer, RECEIVE_SIZE, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return got > 0 && (!is_read || spool_write(&v->spool, buffer, (size_t)got, &error));
}

/* Until bytes arrive, or it ends. */
static void wait_for_bytes(const viewer *v)
{
    struct pollfd poll_set[] = {{.fd = v->wake[0], .events = POLLIN},
                                {.fd = v->has_ended ? -1 : v->fd, .events = POLLIN}};
    poll(poll_set, 2, -1);
}

static void *work(void *viewer_)
{
    viewer *v = viewer_;
    static _Thread_local uint8_t buffer[RECEIVE_SIZE];
    hectic_view_result result = HECTIC_VIEW_END;
    while (!v->ends) {
        for (int i = 0; i < PATIENCE && !v->ends && http_engine_is_asked(v->engine); i++)
            usleep(1000);
        const bool is_read = result != HECTIC_VIEW_FAILED;
        if (!v->has_ended && !receive(v, buffer, is_read)) v->has_ended = true;
        if (is_read) result = http_engine_read(v->engine, READ_SIZE, NULL, 0);
        if (result != HECTIC_VIEW_MORE && !v->ends) wait_for_bytes(v);
    }
    uv_async_send(&v->async);
    return NULL;
}

/* --- The loop's thread ----------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void clear(viewer *v)
{
    if (v->spool.fd >= 0) close(v->spool.fd);
    if (v->fd >= 0) close(v->fd);
    if (v->wake[0] >= 0) close(v->wake[0]);
    if (v->wake[1] >= 0) close(v->wake[1]);
}

static void on_engine_freed(void *viewer_)
{
    viewer *v = viewer_;
    clear(v);
    uv_close((uv_handle_t *)&v->async, on_closed);
}

static void on_thread_ended(uv_async_t *async)
{
    viewer *v = async->data;
    pthread_join(v->thread, NULL);
    http_engine_free(v->engine, on_engine_freed, v);
}

struct MHD_Response *viewer_ask(viewer *v, http_request *r, const char *text)
{
    return http_engine_ask(v->engine, v->async.loop, r, text);
}

bool viewer_has_ended(const viewer *v)
{
    return v->has_ended;
}

void viewer_free(viewer *v)
{
    v->ends = true;
    http_engine_end(v->engine);
    const ssize_t written = write(v->wake[1], "", 1);
    (void)written; /* the pipe is empty */
}

/* Signals are for the loop's thread. */
static bool start_thread(viewer *v)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const bool is_started = pthread_create(&v->thread, NULL, work, v) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static bool open_all(viewer *v, hectic_server *server)
{
    hectic_error error;
    int pair[2];
    if (pipe2(v->wake, O_CLOEXEC) != 0) return false;
    if (!spool_open(&v->spool, 0, &error)) return false;
    v->engine =
        http_engine_new(&(hectic_view_source){.user = v, .grows = grows, .read = read_spool});
    if (!v->engine) return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) return false;
    v->fd = pair[0];
    if (!hectic_server_adopt(server, pair[1])) close(pair[1]); /* then the log is empty */
    return true;
}

viewer *viewer_new(uv_loop_t *loop, hectic_server *server)
{
    viewer *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->fd = v->spool.fd = v->wake[0] = v->wake[1] = -1;
    v->async.data = v;
    const bool is_open = open_all(v, server);
    const bool has_async = is_open && uv_async_init(loop, &v->async, on_thread_ended) == 0;
    if (has_async && start_thread(v)) return v;
    http_engine_free(v->engine, NULL, NULL);
    clear(v);
    if (has_async)
        uv_close((uv_handle_t *)&v->async, on_closed);
    else
        free(v);
    return NULL;
}
