/* anonymous.h — removes from JSON and texts what identifies the machine and the user that recorded
 * a log. */
#ifndef HECTIC_SRC_ANONYMOUS_H
#define HECTIC_SRC_ANONYMOUS_H

#include <stddef.h>

/* Of absolute paths in strings, and of all paths under keys that name a program or a file, only the
 * last part is left; of home directories, "~". Works in place; returns the new length. */
size_t anonymous_json(char *json, size_t length);

/* The same for a text that is not JSON. */
size_t anonymous_text(char *text, size_t length);

#endif
