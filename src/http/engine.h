/* An engine of view/engine/view.h that clients ask over HTTP while its log is read: a thread of
 * libuv's pool computes the answers, one after the other. Unless said otherwise, functions are for
 * the loop's thread. */
#ifndef HECTIC_SRC_HTTP_ENGINE_H
#define HECTIC_SRC_HTTP_ENGINE_H

#include "http/server.h"

#include "view/engine/view.h"

typedef struct http_engine http_engine;

/* The source is read by the pool's threads, too. NULL: out of memory. */
http_engine *http_engine_new(const hectic_view_source *source);

/* Answers a request later. Returns NULL, as it does if too many wait: temporarily unavailable. */
struct MHD_Response *http_engine_ask(http_engine *engine, uv_loop_t *loop, http_request *r,
                                     const char *text);

/* In another thread: reads a part of the log (hectic_view_read). Writes why it has failed to
 * `message`, unless it is NULL. */
hectic_view_result http_engine_read(http_engine *engine, size_t bytes, char *message, size_t size);
bool http_engine_has_log(http_engine *engine); /* as hectic_view_has_log */

/* In another thread: do requests wait for the end of a read? */
bool http_engine_is_asked(const http_engine *engine);

/* In any thread: nothing is read any more, so that answers fail at once. */
void http_engine_end(http_engine *engine);

/* No thread reads the log any more: frees it and calls `freed`, unless it is NULL; later, if an
 * answer is being computed. Requests that wait are answered: temporarily unavailable. */
void http_engine_free(http_engine *engine, void (*freed)(void *user), void *user);

#endif
