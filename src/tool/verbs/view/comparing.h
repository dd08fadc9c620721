/* comparing.h — what hectic compare says about the two logs of a page: the command itself computes
 * it, in a process of its own for each request. In the loop's thread. */
#ifndef HECTIC_VIEW_COMPARING_H
#define HECTIC_VIEW_COMPARING_H

#include "http/server.h"

/* The paths must stay. */
struct comparing {
    const char *path[2];
    unsigned running; /* processes */
};

/* Answers a request for the whole runs, or with "?from=NS&to=NS&new_from=NS&new_to=NS" for these
 * parts of the first and the second: with the object of hectic compare --json, or, with another
 * status than 200, with why there is none, in the form of errors of view/engine/view.h. As
 * `respond` of struct http_handler. A process whose client does not wait any more is ended. */
struct MHD_Response *comparing_ask(struct comparing *comparing, uv_loop_t *loop, http_request *r,
                                   const char *query, unsigned *status);

#endif
