/* server.h — the page of a log, or of two, over HTTP, on this host only, while they are read.
 *
 *     GET /TOKEN/              the page
 *     GET /TOKEN/api/REQUEST   the answer to a request of view/engine/view.h
 *     GET /TOKEN/2/api/REQUEST likewise, of the second log
 *     GET /TOKEN/compare       of two logs: see comparing.h
 *     GET /ENTRY/              once, for this user: a redirection to the page
 *
 * Whoever knows the token, which is random, can read the log. Requests that name another host are
 * refused, since a foreign web page could make its name resolve to this host. */
#ifndef HECTIC_VIEW_SERVER_H
#define HECTIC_VIEW_SERVER_H

#include "http/engine.h"

enum { SERVER_ADDRESS = 128 };

struct view_server;

enum { VIEW_LOGS = 2 /* at most */ };

/* Of that many logs; of two, the sources have the names. NULL after a message. */
struct view_server *view_server_new(const hectic_view_source *source, size_t logs);
void view_server_free(struct view_server *server);

/* Reads a part of a log: hectic_view_read. Prints why it has failed, with the log's name. */
hectic_view_result view_server_read(struct view_server *server, size_t log, const char *path);

/* Has it read a header? */
bool view_server_has_log(const struct view_server *server, size_t log);

/* Are there requests that wait for the end of a read of the log? */
bool view_server_is_asked(const struct view_server *server, size_t log);

/* Serves the page at 127.0.0.1 and a port (0: any), in a thread of its own: sets its address. False
 * after a message. */
bool view_server_start(struct view_server *server, uint16_t port, char address[SERVER_ADDRESS]);

/* Opens the page in a browser, where there is a desktop. Other users of this host can see the
 * arguments of a command: the browser gets another address, which redirects the first request of a
 * process of this user to the page, and is then invalid. */
void view_server_open_browser(const struct view_server *server);

#endif
