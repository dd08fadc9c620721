#include "http/routes.h"

#include "clients/authentication.h"

#include <stdio.h>
#include <string.h>

/* What follows the route's path in `path`; NULL: it does not match. */
static const char *match(const char *route, const char *path, char name[ROUTE_NAME_SIZE])
{
    for (; *route; route++) {
        if (*route != '*') {
            if (*path++ != *route) return NULL;
            continue;
        }
        const size_t length = strcspn(path, "/?");
        if (length == 0 || length >= ROUTE_NAME_SIZE) return NULL;
        snprintf(name, ROUTE_NAME_SIZE, "%.*s", (int)length, path);
        path += length;
    }
    return path;
}

const http_route *http_route_find(const http_route *routes, size_t count, const char *path,
                                  struct http_place *place)
{
    static const char api[] = "api/";
    for (const http_route *route = routes; route < routes + count; route++) {
        const size_t length = strlen(route->path);
        const bool is_open =
            length >= sizeof api - 1 && strcmp(route->path + length - (sizeof api - 1), api) == 0;
        place->rest = match(route->path, path, place->name);
        if (place->rest && (is_open || !*place->rest || *place->rest == '?')) return route;
    }
    return NULL;
}

struct MHD_Response *http_refuse(const struct http_guard *guard, const http_request *r,
                                 bool is_page, unsigned *status)
{
    char text[200];
    if (guard->token) {
        if (is_page || token_matches_header(guard->token, http_header(r, "Authorization")))
            return NULL;
        *status = MHD_HTTP_UNAUTHORIZED;
        struct MHD_Response *response =
            http_text("authentication required: send Authorization: Bearer TOKEN\n");
        if (response) http_set_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
        return response;
    }
    snprintf(text, sizeof text, "there must be one Host header, %s\n", guard->names);
    if (http_host_is_local(r, guard->host)) {
        const bool is_foreign =
            guard->refuses_sites && !is_page && !site_is_own(http_header(r, "Sec-Fetch-Site"));
        if (!is_foreign) return NULL;
        snprintf(text, sizeof text, "requests of other web pages are refused\n");
    }
    *status = MHD_HTTP_FORBIDDEN;
    return http_text(text);
}
