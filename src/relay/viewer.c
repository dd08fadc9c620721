#include "relay/viewer.h"

#include "read/spool.h"

#include <hectic/view.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    RECEIVE_SIZE = 1 << 16,
    READ_SIZE = 1 << 18, /* bytes of the log between two requests: some milliseconds */
    MAX_WAITING = 256,
};

struct viewer_question {
    viewer_question *next;
    char *request;
    void (*answered)(void *user, const viewer_answer *answer); /* NULL: it was abandoned */
    void *user;
    atomic_bool is_abandoned;
    viewer_answer answer;
};

typedef struct queue {
    viewer_question *first, **end;
} queue;

struct viewer {
    uv_async_t async; /* there are answers */
    pthread_t thread;
    int fd;      /* of the server */
    int wake[2]; /* a pipe: there are questions, or it ends */
    spool spool;
    hectic_view *engine;
    atomic_bool ends, has_ended;
    atomic_bool is_over;  /* the thread does nothing more */
    pthread_mutex_t lock; /* of the following */
    queue questions, answers;
    unsigned waiting;
};

/* --- Queues ---------------------------------------------------------------------------------- */

static void queue_init(queue *q)
{
    q->first = NULL;
    q->end = &q->first;
}

static void queue_put(queue *q, viewer_question *one)
{
    one->next = NULL;
    *q->end = one;
    q->end = &one->next;
}

static viewer_question *queue_take(queue *q)
{
    viewer_question *one = q->first;
    if (!one) return NULL;
    q->first = one->next;
    if (!q->first) q->end = &q->first;
    return one;
}

static viewer_question *take(viewer *v, queue *q)
{
    pthread_mutex_lock(&v->lock);
    viewer_question *one = queue_take(q);
    pthread_mutex_unlock(&v->lock);
    return one;
}

/* --- The thread ------------------------------------------------------------------------------ */

static ptrdiff_t read_spool(void *user, uint64_t position, void *buffer, size_t size)
{
    const viewer *v = user;
    ssize_t got;
    if (v->ends) return -1; /* the answer is not needed any more */
    do
        got = pread(v->spool.fd, buffer, size, (off_t)position);
    while (got < 0 && errno == EINTR);
    return got;
}

static void answer(viewer *v, viewer_question *one)
{
    hectic_view_answer a;
    if (!one->is_abandoned) {
        one->answer.done = hectic_view_ask(v->engine, one->request, &a);
        one->answer.type = a.type;
        one->answer.length = a.length;
        one->answer.bytes = malloc(a.length + 1);
        if (one->answer.bytes) memcpy(one->answer.bytes, a.bytes, a.length);
    }
    pthread_mutex_lock(&v->lock);
    queue_put(&v->answers, one);
    pthread_mutex_unlock(&v->lock);
    uv_async_send(&v->async);
}

static void drain(int fd)
{
    char bytes[64];
    while (read(fd, bytes, sizeof bytes) > 0)
        ;
}

/* Stores what has arrived, unless nobody will read it. False: nothing more will. */
static bool receive(viewer *v, uint8_t *buffer, bool is_read)
{
    hectic_error error;
    const ssize_t got = recv(v->fd, buffer, RECEIVE_SIZE, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return got > 0 && (!is_read || spool_write(&v->spool, buffer, (size_t)got, &error));
}

static void wait_for_work(viewer *v)
{
    struct pollfd poll_set[] = {{.fd = v->wake[0], .events = POLLIN},
                                {.fd = v->has_ended ? -1 : v->fd, .events = POLLIN}};
    poll(poll_set, 2, -1);
    if (poll_set[0].revents) drain(v->wake[0]);
}

static void *work(void *viewer_)
{
    viewer *v = viewer_;
    static _Thread_local uint8_t buffer[RECEIVE_SIZE];
    hectic_view_result result = HECTIC_VIEW_END;
    while (!v->ends) {
        for (viewer_question *one; !v->ends && (one = take(v, &v->questions));)
            answer(v, one);
        const bool is_read = result != HECTIC_VIEW_FAILED;
        if (!v->has_ended && !receive(v, buffer, is_read)) v->has_ended = true;
        if (is_read) result = hectic_view_read(v->engine, READ_SIZE);
        if (result != HECTIC_VIEW_MORE && !v->ends) wait_for_work(v);
    }
    v->is_over = true;
    uv_async_send(&v->async);
    return NULL;
}

/* --- The loop's thread ----------------------------------------------------------------------- */

static void finish(viewer_question *one)
{
    if (one->answered)
        one->answered(one->user, &one->answer);
    else
        free(one->answer.bytes);
    free(one->request);
    free(one);
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void clear(viewer *v)
{
    hectic_view_free(v->engine);
    if (v->spool.fd >= 0) close(v->spool.fd);
    if (v->fd >= 0) close(v->fd);
    if (v->wake[0] >= 0) close(v->wake[0]);
    if (v->wake[1] >= 0) close(v->wake[1]);
    pthread_mutex_destroy(&v->lock);
}

static void on_answers(uv_async_t *async)
{
    viewer *v = async->data;
    const bool is_over = v->is_over;
    for (viewer_question *one; (one = take(v, &v->answers));) {
        v->waiting--;
        finish(one);
    }
    if (!is_over) return;
    pthread_join(v->thread, NULL);
    for (viewer_question *one; (one = queue_take(&v->questions));)
        finish(one);
    clear(v);
    uv_close((uv_handle_t *)&v->async, on_closed);
}

static void wake(viewer *v)
{
    const ssize_t written = write(v->wake[1], "", 1);
    (void)written; /* full: it is awake */
}

viewer_question *viewer_ask(viewer *v, const char *request,
                            void (*answered)(void *user, const viewer_answer *answer), void *user)
{
    viewer_question *one = v->waiting < MAX_WAITING ? calloc(1, sizeof *one) : NULL;
    if (!one) return NULL;
    *one = (viewer_question){.request = strdup(request), .answered = answered, .user = user};
    if (!one->request) {
        free(one);
        return NULL;
    }
    v->waiting++;
    pthread_mutex_lock(&v->lock);
    queue_put(&v->questions, one);
    pthread_mutex_unlock(&v->lock);
    wake(v);
    return one;
}

void viewer_abandon(viewer_question *one)
{
    one->is_abandoned = true;
    one->answered = NULL;
}

bool viewer_has_ended(const viewer *v)
{
    return v->has_ended;
}

void viewer_free(viewer *v)
{
    v->ends = true;
    wake(v);
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
    if (pipe(v->wake) != 0) return false;
    for (int i = 0; i < 2; i++) {
        fcntl(v->wake[i], F_SETFL, O_NONBLOCK);
        fcntl(v->wake[i], F_SETFD, FD_CLOEXEC);
    }
    if (!spool_open(&v->spool, 0, &error)) return false;
    v->engine =
        hectic_view_new(&(hectic_view_source){.user = v, .grows = true, .read = read_spool});
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
    queue_init(&v->questions);
    queue_init(&v->answers);
    pthread_mutex_init(&v->lock, NULL);
    if (open_all(v, server) && uv_async_init(loop, &v->async, on_answers) == 0) {
        if (start_thread(v)) return v;
        clear(v);
        uv_close((uv_handle_t *)&v->async, on_closed);
        return NULL;
    }
    clear(v);
    free(v);
    return NULL;
}
