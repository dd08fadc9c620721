/* served.h — the page of a log over HTTP, while the log is read. */
#ifndef HECTIC_VIEW_SERVED_H
#define HECTIC_VIEW_SERVED_H

#include "tool/verbs/view/server.h"

#include <hectic/view.h>

struct served;

/* NULL after a message. */
struct served *served_new(const hectic_view_source *source);
void served_free(struct served *served);

/* Reads a part of the log: hectic_view_read. Prints why it has failed, with the log's name. */
hectic_view_result served_read(struct served *served, const char *path);

/* Are there requests that wait for the end of a read? */
bool served_is_waited_for(const struct served *served);

/* Serves the page: sets its address. False after a message. */
bool served_start(struct served *served, uint16_t port, char address[SERVER_ADDRESS]);

/* Opens the page in a browser, where there is a desktop. */
void served_open_browser(const struct served *served);

#endif
