/* nonmoving.h — the heap of the non-moving collector: occupancy and fragmentation by size of
 * block, and the phases of its collections.
 *
 * The heap consists of segments, each with blocks of one size. A filled segment has no free block;
 * an active one has; and each cap has a current segment for each size, in which it allocates. The
 * log counts the live blocks of all of them, but not the current segments: their number is that of
 * the caps.
 *
 * Takes the events of a section in the order of the file or of time. Memory depends on the number
 * of different block sizes.
 */
#ifndef HECTIC_SRC_NONMOVING_H
#define HECTIC_SRC_NONMOVING_H

#include <hectic/decoder.h>

/* Bytes of a segment: NONMOVING_SEGMENT_SIZE of GHC's runtime (of 64-bit programs). */
#define HECTIC_NONMOVING_SEGMENT 32768u

/* The number of blocks of a segment; 0 if the size is 0 or too large. */
static inline uint32_t hectic_nonmoving_blocks(uint32_t block_size)
{
    enum { HEADER = 24 };
    if (block_size == 0 || block_size > HECTIC_NONMOVING_SEGMENT) return 0;
    return (HECTIC_NONMOVING_SEGMENT - HEADER) / (block_size + 1);
}

/* The census of one block size. */
typedef struct hectic_nonmoving_class {
    uint32_t block_size; /* bytes */
    uint32_t active_segments, filled_segments;
    uint32_t current_segments; /* the number of caps, at least 1 */
    uint32_t live_blocks;
    uint64_t segments; /* the sum of the three kinds */
    uint64_t live;     /* bytes of live blocks */
    uint64_t capacity; /* bytes of all blocks of its segments */
} hectic_nonmoving_class;

/* A census: of all block sizes, after a collection. */
typedef struct hectic_nonmoving_census {
    uint64_t time;                            /* ns: the first of its events */
    uint64_t index;                           /* in the section, from 0 */
    const hectic_nonmoving_class *size_class; /* by ascending block size */
    uint32_t classes;
    uint64_t segments, live, capacity; /* sums */
} hectic_nonmoving_census;

/* The phases of a collection. */
typedef enum hectic_nonmoving_phase {
    HECTIC_NONMOVING_MARK,       /* the program runs meanwhile (-threaded) */
    HECTIC_NONMOVING_SYNC,       /* from the request to stop all caps until they continue */
    HECTIC_NONMOVING_FINAL_MARK, /* the rest of marking, as part of the synchronization */
    HECTIC_NONMOVING_SWEEP,      /* the program runs meanwhile (-threaded) */
    HECTIC_NONMOVING_PHASES,
} hectic_nonmoving_phase;

/* "mark", "sync", "final mark", "sweep"; NULL for other values. */
const char *hectic_nonmoving_phase_name(hectic_nonmoving_phase phase);

typedef struct hectic_nonmoving_totals {
    uint64_t censuses; /* in the interval */
    struct {
        uint64_t count; /* phases that ended in the interval, and whose beginning is in the log */
        uint64_t ns;    /* their total time */
        uint64_t max;   /* ns: the longest */
    } phase[HECTIC_NONMOVING_PHASES];
    uint64_t marked;    /* objects */
    uint64_t flushes;   /* of update remembered sets */
    bool has_pruned;    /* the next two: since GHC 9.10 */
    uint64_t pruned;    /* segments returned */
    uint64_t free;      /* free segments retained, as last reported */
    uint64_t malformed; /* events that are too short, or of impossible sizes: left out */
} hectic_nonmoving_totals;

typedef struct hectic_nonmoving hectic_nonmoving;

/* Called for each census in the interval, when it is complete. Return false to stop. */
typedef bool (*hectic_nonmoving_callback)(void *user, const hectic_nonmoving_census *census);

/* For the interval from <= t < to (ns). `callback` may be NULL. NULL: out of memory. */
hectic_nonmoving *hectic_nonmoving_new(uint64_t from, uint64_t to,
                                       hectic_nonmoving_callback callback, void *user);
void hectic_nonmoving_free(hectic_nonmoving *nonmoving);

/* Takes the next event. False: out of memory, or the callback returned false. */
bool hectic_nonmoving_event(hectic_nonmoving *nonmoving, const hectic_event *event);

/* Ends the section: reports the last census. */
bool hectic_nonmoving_end(hectic_nonmoving *nonmoving);

hectic_nonmoving_totals hectic_nonmoving_get_totals(const hectic_nonmoving *nonmoving);

#endif
