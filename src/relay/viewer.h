/* A program's log for the page of hectic view (hectic/view.h): a reader of the program's server
 * that stores the log in an unlinked file, and answers requests. A thread does both; the other
 * functions are for the loop's thread. */
#ifndef HECTIC_SRC_VIEWER_H
#define HECTIC_SRC_VIEWER_H

#include <hectic/server.h>
#include <uv.h>

typedef struct viewer viewer;
typedef struct viewer_question viewer_question;

/* An answer: `bytes` is to be freed; NULL: out of memory, or the viewer ends. */
typedef struct viewer_answer {
    bool done; /* otherwise it says why the request failed */
    const char *type;
    uint8_t *bytes;
    size_t length;
} viewer_answer;

/* From now on, as a reader. NULL: out of memory, descriptors, threads or space. */
viewer *viewer_new(uv_loop_t *loop, hectic_server *server);

/* Calls `answered` from the loop. NULL: out of memory, or too many requests wait. */
viewer_question *viewer_ask(viewer *v, const char *request,
                            void (*answered)(void *user, const viewer_answer *answer), void *user);

/* `answered` is not called for a question that waits. */
void viewer_abandon(viewer_question *question);

/* Everything was read: the program has ended. */
bool viewer_has_ended(const viewer *v);

/* Ends it without waiting for the thread: what waits is answered, without bytes, and memory is
 * freed when the thread has ended. The loop runs until then. */
void viewer_free(viewer *v);

#endif
