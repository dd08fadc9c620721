/* Shared by copy and cut. */
#ifndef HECTIC_SRC_COPY_H
#define HECTIC_SRC_COPY_H

#include <hectic/transform.h>

/* Writes the first events of a section. */
typedef bool (*copy_prologue)(void *user, const hectic_header *header, hectic_writer *writer);

/* hectic_copy with a prologue, which may be NULL; `user` is passed to both callbacks. */
bool copy_part(hectic_input *input, hectic_keep_callback keep, copy_prologue prologue, void *user,
               hectic_write write, void *write_user, hectic_error *error);

#endif
