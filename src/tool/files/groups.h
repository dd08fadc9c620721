/* groups.h — groups lines by key, in bounded memory.
 *
 * Lines are added with keys in any order, and written key by key; lines of one key keep their
 * order. Lines that do not fit a fixed amount of memory are spooled to an unlinked temporary file,
 * as runs sorted by key, which are merged at the end.
 */
#ifndef HECTIC_GROUPS_H
#define HECTIC_GROUPS_H

#include "tool/files/sink.h"

struct groups;

struct groups *groups_new(void); /* NULL after a message */
void groups_free(struct groups *groups);

/* Adds a line. False after a message. */
bool groups_add(struct groups *groups, uint64_t key, const char *line, size_t length);

/* Writes all groups by ascending key, each after its heading, and removes them. False after a
 * message. */
bool groups_write(struct groups *groups, struct sink *sink,
                  void (*heading)(struct sink *sink, uint64_t key));

#endif
