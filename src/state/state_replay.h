/* What a reader must know, as bytes of a log: definitions that never die, and blocks of events that
 * tell what living.h remembers. */
#ifndef HECTIC_SRC_STATE_REPLAY_H
#define HECTIC_SRC_STATE_REPLAY_H

#include "state/live_state.h"
#include "state/map.h"

/* A growing run of bytes; with `let_go`, one that does not grow, and is emptied by it (false: that
 * cannot be) when a next event might have no room. */
typedef struct run_of_bytes {
    uint8_t *at;
    size_t size, capacity;
    bool (*let_go)(struct run_of_bytes *b);
} bytes;
uint8_t *bytes_add(bytes *b, size_t size); /* that many more at the end; NULL: no memory */
bool bytes_append(bytes *b, const bytes *more);
void bytes_clear(bytes *b);

/* Definitions that never die, each once. All zero is empty. They are only ever added to. */
typedef struct definitions {
    map known;
    bytes events; /* as they were: the cap in 16 bits, then the event */
} definitions;
/* What it keeps is taken from the budget; NULL: there is no bound. False: it is left out, for there
 * is no room or memory. */
bool definitions_add(definitions *d, const hectic_event *event, budget *budget);
bool definitions_hold(const definitions *d, const hectic_event *event);
void definitions_clear(definitions *d);

/* Events that are written as blocks. */
typedef struct replay_writer {
    bytes *out;
    uint64_t time;
    const hectic_event_type *sync; /* as SYNC events of that type; NULL: plainly */
    uint64_t without;              /* classes (bits): what lives is left out where they tell it */
    size_t block;                  /* where the open one begins */
    uint16_t cap;
    bool open;
} replay_writer;
bool replay_writer_event(void *t,
                         const hectic_event *event); /* a live_state_emit; false: no memory */
void replay_writer_end(replay_writer *t);            /* the open block */

/* What the header declares of a type. */
typedef const hectic_event_type *(*type_of)(const void *user, uint16_t number);

/* The definition at *at, an offset in `events`, as an event of that time; *at is moved on. */
hectic_event definitions_event(const definitions *d, size_t *at, uint64_t time, type_of type,
                               const void *user);

/* Definitions from *at on, an offset in `events`, up to `end`, or until `enough` bytes are out; *at
 * is moved on. False: no memory. */
bool replay_definitions(replay_writer *t, const definitions *d, size_t *at, size_t end,
                        size_t enough, type_of type, const void *user);

/* Definitions and all that lives, by a replay_writer, whose block is ended. False: no memory. */
bool replay_all(replay_writer *t, const definitions *d, const live_state *l,
                const hectic_header *header, type_of type, const void *user);

#endif
