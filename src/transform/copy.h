/* Shared by copy and cut. */
#ifndef HECTIC_SRC_COPY_H
#define HECTIC_SRC_COPY_H

#include "format/per_cap.h"

#include <hectic/transform.h>

/* Writes the first events of a section; raises the times of their caps in *written. */
typedef bool (*copy_prologue)(void *user, const hectic_header *header, hectic_writer *writer,
                              cap_times *written);

/* hectic_copy with a prologue, which may be NULL; `user` is passed to both callbacks. Events from
 * `to` on (ns) are omitted: the caps are written up to there, as far as they are known. */
bool copy_part(hectic_input *input, uint64_t to, hectic_keep_callback keep, copy_prologue prologue,
               void *user, hectic_write write, void *write_user, hectic_error *error);

#endif
