/* A part of a log, salvaged; or a log that is changed event by event. */
#ifndef HECTIC_SRC_SALVAGE_H
#define HECTIC_SRC_SALVAGE_H

#include <hectic/transform.h>

struct salvage_options {
    hectic_write write;
    void *write_user;
    hectic_lost_callback lost; /* or NULL */
    void *lost_user;
    hectic_keep_callback keep; /* only those events; NULL: all */
    void *keep_user;
    /* Changes the payload of an event, or returns false to omit it. Its size is then that of its
     * shape. Unknown types and their events are omitted, and bytes that no shape describes are
     * removed from the header. NULL: nothing is changed. */
    bool (*change)(void *user, hectic_event *event);
    void *change_user;
};

/* hectic_salvage with these options. */
bool salvage_part(hectic_input *input, const struct salvage_options *options,
                  hectic_salvaged *salvaged, hectic_error *error);

/* The same in pieces. `result` is set at the end. NULL: out of memory. */
typedef struct salvager salvager;
salvager *salvager_new(const struct salvage_options *options, hectic_salvaged *result);
void salvager_free(salvager *s);

/* Takes bytes of the log; writes all complete blocks. False: see *error; kind HECTIC_OK: `write`
 * has returned false. */
bool salvager_piece(salvager *s, const void *bytes, size_t size, hectic_error *error);

/* The log has ended. */
bool salvager_end(salvager *s, hectic_error *error);

#endif
