/* growing.h — the page of a log whose bytes are given one after the other: the log of a program
 * that this process reads anyway. */
#ifndef HECTIC_VIEW_GROWING_H
#define HECTIC_VIEW_GROWING_H

#include <stdbool.h>
#include <stddef.h>

struct growing;

/* Serves the page, and prints its address on stderr. `name` is that of the log in messages. NULL
 * after a message. */
struct growing *growing_open(const char *name);

/* Appends bytes of the log, and reads them. After a failure, which it reports, it does nothing. */
void growing_bytes(struct growing *growing, const void *bytes, size_t size);

/* No bytes follow. The page is still served. */
void growing_end(struct growing *growing);

void growing_close(struct growing *growing);

#endif
