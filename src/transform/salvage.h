/* A part of a log, salvaged. */
#ifndef HECTIC_SRC_SALVAGE_H
#define HECTIC_SRC_SALVAGE_H

#include <hectic/transform.h>

/* hectic_salvage of the events that `keep` lets pass, which may be NULL. */
bool salvage_part(hectic_input *input, hectic_keep_callback keep, void *keep_user,
                  hectic_write write, void *write_user, hectic_lost_callback lost, void *lost_user,
                  hectic_salvaged *salvaged, hectic_error *error);

#endif
