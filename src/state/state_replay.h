/* A state replay as bytes of a log: permanent definitions, and blocks of events of the live state
 * (live_state.h). */
#ifndef HECTIC_SRC_STATE_REPLAY_H
#define HECTIC_SRC_STATE_REPLAY_H

#include "base/map.h"
#include "state/live_state.h"

/* A growing byte buffer; with `let_go`, one of fixed size, which this empties (false: failed) when
 * it may be too small for the next event. */
typedef struct run_of_bytes {
    uint8_t *at;
    size_t size, capacity;
    bool (*let_go)(struct run_of_bytes *b);
} bytes;
uint8_t *bytes_add(bytes *b, size_t size); /* appends `size` bytes; NULL: out of memory */
bool bytes_append(bytes *b, const bytes *more);
void bytes_clear(bytes *b);

/* Permanent definitions, each once. All zero is empty. They can only be added. */
typedef struct definitions {
    map known;
    bytes events; /* for each, the cap in 16 bits, then the encoded event */
} definitions;
/* Its memory is taken from the budget; NULL: no limit. False: not added, the budget or memory is
 * exhausted. */
bool definitions_add(definitions *d, const hectic_event *event, budget *budget);
bool definitions_hold(const definitions *d, const hectic_event *event);
void definitions_clear(definitions *d);

/* Writes events as blocks. */
typedef struct replay_writer {
    bytes *out;
    uint64_t time;
    const hectic_event_type *sync; /* the type of SYNC events; NULL: writes plain events */
    uint64_t omitted;              /* classes (bits) that are omitted from the live state */
    size_t block;                  /* offset of the open block */
    uint16_t cap;
    bool open;
} replay_writer;
bool replay_writer_event(void *t,
                         const hectic_event *event); /* a live_state_emit; false: out of memory */
void replay_writer_end(replay_writer *t);            /* ends the open block */

/* Returns the header's declaration of a type. */
typedef const hectic_event_type *(*type_of)(const void *user, uint16_t number);

/* The definition at *at, an offset in `events`, as an event with time `time`; advances *at. */
hectic_event definitions_event(const definitions *d, size_t *at, uint64_t time, type_of type,
                               const void *user);

/* Writes definitions from *at, an offset in `events`, to `end`, or until `enough` bytes are
 * written; advances *at. False: out of memory. */
bool replay_definitions(replay_writer *t, const definitions *d, size_t *at, size_t end,
                        size_t enough, type_of type, const void *user);

/* Writes definitions and the live state by a replay_writer, and ends its block. False: out of
 * memory. */
bool replay_all(replay_writer *t, const definitions *d, const live_state *l,
                const hectic_header *header, type_of type, const void *user);

#endif
