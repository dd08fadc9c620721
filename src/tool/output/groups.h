/* groups.h — lines brought together by a key, in bounded memory.
 *
 * Lines come in any order of keys. They are given back key by key, in the order in which they came.
 * What does not fit a fixed amount of memory is spooled to an unlinked temporary file, as runs that
 * are sorted by key and then merged.
 */
#ifndef HECTIC_GROUPS_H
#define HECTIC_GROUPS_H

#include "tool/cli/tool.h"

struct groups;

struct groups *groups_new(void); /* NULL after a message */
void groups_free(struct groups *groups);

/* Adds a line. False after a message. */
bool groups_add(struct groups *groups, uint64_t key, const char *line, size_t length);

/* Writes all groups by ascending key, each after its heading; nothing is left. False after a
 * message. */
bool groups_write(struct groups *groups, struct sink *sink,
                  void (*heading)(struct sink *sink, uint64_t key));

#endif
