/* server.h — the page of a log over HTTP, on this host only.
 *
 *     GET /TOKEN/              the page
 *     GET /TOKEN/api/REQUEST   the answer to a request of hectic/view.h
 *     GET /ENTRY/              once, for this user: a redirection to the page
 *
 * Whoever knows the token, which is random, can read the log. Requests that name another host are
 * refused, since a foreign web page could make its name resolve to this host. */
#ifndef HECTIC_VIEW_SERVER_H
#define HECTIC_VIEW_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVER_ADDRESS = 128 };

struct view_server;

/* Answers requests, in threads of the server. */
struct server_answers {
    void *user;
    /* Sets *type, *bytes (to be freed) and *length. False: the answer says why the request failed;
     * *bytes may be NULL: out of memory. */
    bool (*answer)(void *user, const char *request, const char **type, uint8_t **bytes,
                   size_t *length);
};

/* Listens at 127.0.0.1 and a port (0: any). `page`: HTML, or NULL; it must outlive the server. Sets
 * the address of the page. NULL after a message. */
struct view_server *view_server_open(uint16_t port, const char *page, size_t page_length,
                                     const struct server_answers *answers,
                                     char address[SERVER_ADDRESS]);

/* Sets another address, for the argument of a command, which other users of this host can see. It
 * redirects the first request of a process of this user to the page, and is then invalid. */
void view_server_entry(const struct view_server *server, char address[SERVER_ADDRESS]);

void view_server_close(struct view_server *server);

#endif
