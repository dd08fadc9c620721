/* Which clients a server answers, and what: routes are tables. */
#ifndef HECTIC_SRC_HTTP_ROUTES_H
#define HECTIC_SRC_HTTP_ROUTES_H

#include "http/server.h"

#include <stddef.h>

enum { ROUTE_NAME_SIZE = 64 };

/* Of a path that matches a route. */
struct http_place {
    char name[ROUTE_NAME_SIZE]; /* what is in the place of "*" */
    const char *rest;           /* what follows */
};

typedef struct http_route {
    /* Compared as it was sent. "*": a part of it, that is not empty. If it ends in "api/", anything
     * may follow, otherwise only a query. */
    const char *path;
    bool is_page; /* it has nothing of a log: links and clients without the token may open it */
    struct MHD_Response *(*respond)(void *user, http_request *r, const struct http_place *place,
                                    unsigned *status);
} http_route;

/* NULL: there is none. */
const http_route *http_route_find(const http_route *routes, size_t count, const char *path,
                                  struct http_place *place);

struct http_guard {
    const char *token;  /* that clients have to present; NULL: they must be of this host */
    const char *host;   /* another name of it that a Host header may have */
    const char *names;  /* these, for the message */
    bool refuses_sites; /* requests of other web pages are refused */
};

/* The response to a request that is refused, and its status; NULL: it is allowed. */
struct MHD_Response *http_refuse(const struct http_guard *guard, const http_request *r,
                                 bool is_page, unsigned *status);

#endif
