/* A program's log for the page of hectic view (view/engine/view.h): a reader of the program's
 * server that stores the log in an unlinked file, in a thread; the functions are for the loop's
 * thread. */
#ifndef HECTIC_SRC_VIEWER_H
#define HECTIC_SRC_VIEWER_H

#include "http/server.h"

#include <hectic/server.h>

typedef struct viewer viewer;

/* From now on, as a reader. NULL: out of memory, descriptors, threads or space. */
viewer *viewer_new(uv_loop_t *loop, hectic_server *server);

/* Answers a request later. Returns NULL, as it does if too many wait: temporarily unavailable. */
struct MHD_Response *viewer_ask(viewer *v, http_request *r, const char *text);

/* Everything was read: the program has ended. */
bool viewer_has_ended(const viewer *v);

/* Ends it without waiting for the thread: what waits is answered as temporarily unavailable, and
 * memory is freed when the thread has ended. The loop runs until then. */
void viewer_free(viewer *v);

#endif
