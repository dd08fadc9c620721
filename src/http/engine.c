#include "http/engine.h"

#include "os/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_WAITING = 256,
    SLICE_MS = 100, /* a question is worked on for so long before its client has to ask again */
};

struct question {
    uv_work_t work;
    struct question *next;
    http_engine *engine;
    http_request *request; /* NULL: it was abandoned */
    char *text;
    bool is_done;
    const char *type;
    uint8_t *bytes;
    size_t length;
};

struct http_engine {
    hectic_view_source source;
    atomic_bool ends;
    atomic_uint asked;   /* how many questions there are */
    atomic_uint readers; /* those that wait for the lock, or have it */
    pthread_mutex_t lock;
    hectic_view *view;             /* with the lock */
    struct question *first, **end; /* the first one is being computed */
    bool is_freed;                 /* when that is done */
    void (*freed)(void *user);
    void *user;
};

static ptrdiff_t read_source(void *user, uint64_t position, void *buffer, size_t size)
{
    const http_engine *e = user;
    if (e->ends) return -1;
    return e->source.read(e->source.user, position, buffer, size);
}

static bool source_grows(void *user)
{
    const http_engine *e = user;
    return e->source.grows(e->source.user);
}

http_engine *http_engine_new(const hectic_view_source *source)
{
    http_engine *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    hectic_view_source own = *source;
    own.user = e;
    own.read = read_source;
    own.grows = source->grows ? source_grows : NULL;
    e->source = *source;
    e->end = &e->first;
    e->view = hectic_view_new(&own);
    pthread_mutex_init(&e->lock, NULL);
    if (e->view) return e;
    http_engine_free(e, NULL, NULL);
    return NULL;
}

/* --- In other threads ------------------------------------------------------------------------- */

hectic_view_result http_engine_read(http_engine *e, size_t bytes, char *message, size_t size)
{
    e->readers++;
    pthread_mutex_lock(&e->lock);
    const hectic_view_result result = hectic_view_read(e->view, bytes);
    if (result == HECTIC_VIEW_FAILED && message)
        snprintf(message, size, "%s", hectic_view_message(e->view));
    pthread_mutex_unlock(&e->lock);
    e->readers--;
    return result;
}

bool http_engine_has_log(http_engine *e)
{
    pthread_mutex_lock(&e->lock);
    const bool has_log = hectic_view_has_log(e->view);
    pthread_mutex_unlock(&e->lock);
    return has_log;
}

bool http_engine_is_asked(const http_engine *e)
{
    return e->asked > 0;
}

void http_engine_end(http_engine *e)
{
    e->ends = true;
}

/* Does anything else wait for the engine? */
static bool is_wanted(const http_engine *e)
{
    return e->asked > 1 || e->readers > 0 || e->ends;
}

static void compute(uv_work_t *work)
{
    struct question *q = work->data;
    http_engine *e = q->engine;
    hectic_view_answer a;
    pthread_mutex_lock(&e->lock);
    const uint64_t until = clock_ms() + SLICE_MS;
    do
        q->is_done = hectic_view_ask(e->view, q->text, &a);
    while (q->is_done && a.is_part && !is_wanted(e) && clock_ms() < until);
    q->type = a.type;
    q->length = a.length;
    q->bytes = malloc(a.length + 1);
    if (q->bytes) memcpy(q->bytes, a.bytes, a.length);
    pthread_mutex_unlock(&e->lock);
}

/* --- In the loop's thread --------------------------------------------------------------------- */

static void question_free(struct question *q)
{
    free(q->text);
    free(q);
}

/* Answers the first question, and takes it out. */
static void finish(http_engine *e)
{
    struct question *q = e->first;
    e->first = q->next;
    if (!e->first) e->end = &e->first;
    e->asked--;
    if (q->request)
        http_answer(q->request, q->is_done ? MHD_HTTP_OK : MHD_HTTP_BAD_REQUEST,
                    http_bytes(q->bytes, q->length, q->type));
    else
        free(q->bytes);
    question_free(q);
}

static void release(http_engine *e)
{
    void (*freed)(void *user) = e->freed;
    void *user = e->user;
    hectic_view_free(e->view);
    pthread_mutex_destroy(&e->lock);
    free(e);
    if (freed) freed(user);
}

static void on_computed(uv_work_t *work, int status);

/* Begins with the first question whose client still waits. */
static void compute_next(http_engine *e, uv_loop_t *loop)
{
    while (e->first && (e->is_freed || !e->first->request ||
                        uv_queue_work(loop, &e->first->work, compute, on_computed) != 0))
        finish(e);
}

static void on_computed(uv_work_t *work, int status)
{
    http_engine *e = ((struct question *)work->data)->engine;
    uv_loop_t *loop = work->loop; /* the question, with its work, is freed */
    (void)status;
    finish(e);
    compute_next(e, loop);
    if (e->is_freed) release(e);
}

static void abandon(void *question)
{
    ((struct question *)question)->request = NULL;
}

struct MHD_Response *http_engine_ask(http_engine *e, uv_loop_t *loop, http_request *r,
                                     const char *text)
{
    struct question *q = e->asked < MAX_WAITING ? calloc(1, sizeof *q) : NULL;
    if (!q) return NULL;
    *q = (struct question){.engine = e, .request = r, .text = strdup(text)};
    q->work.data = q;
    const bool is_first = !e->first;
    if (!q->text || (is_first && uv_queue_work(loop, &q->work, compute, on_computed) != 0)) {
        question_free(q);
        return NULL;
    }
    *e->end = q;
    e->end = &q->next;
    e->asked++;
    http_wait(r, abandon, q);
    return NULL;
}

void http_engine_free(http_engine *e, void (*freed)(void *user), void *user)
{
    if (!e) return;
    e->ends = e->is_freed = true;
    e->freed = freed;
    e->user = user;
    if (!e->first) release(e);
}
