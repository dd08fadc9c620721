/* A program's log for the page of hectic view (hectic/view.h): a reader of the program's server
 * that stores the log in an unlinked file, and answers requests. A thread does both; the other
 * functions are for the loop's thread. */
#ifndef HECTIC_SRC_VIEWER_H
#define HECTIC_SRC_VIEWER_H

#include <hectic/server.h>
#include <uv.h>

typedef struct viewer viewer;

/* An answer: `bytes` is to be freed; NULL: out of memory, or the viewer ends. */
typedef struct viewer_answer {
    bool done; /* otherwise it says why the request failed */
    const char *type;
    uint8_t *bytes;
    size_t length;
} viewer_answer;

/* From now on, as a reader. NULL: out of memory, descriptors, threads or space. */
viewer *viewer_new(uv_loop_t *loop, hectic_server *server);

/* Calls `answered` from the loop. False: out of memory, or too many requests wait. */
bool viewer_ask(viewer *v, const char *request,
                void (*answered)(void *user, const viewer_answer *answer), void *user);

/* Everything was read: the program has ended. */
bool viewer_has_ended(const viewer *v);

/* Answers what waits, without bytes, and ends the thread. */
void viewer_free(viewer *v);

#endif
