/* hectic/nonmoving.h — the heap of the non-moving collector: occupancy and fragmentation by size of
 * block, and the phases of its collections.
 *
 * Takes the events of a section in the order of time. Memory depends on the number of different
 * block sizes.
 */
#ifndef HECTIC_NONMOVING_H
#define HECTIC_NONMOVING_H

#include <hectic/decoder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a segment: NONMOVING_SEGMENT_SIZE of GHC's runtime. */
#define HECTIC_NONMOVING_SEGMENT 32768u

/** The census of one block size. */
typedef struct hectic_nonmoving_class {
    uint32_t block_size; /**< bytes */
    uint32_t active_segments, filled_segments, live_blocks;
    uint64_t live;     /**< bytes in live blocks */
    uint64_t capacity; /**< bytes of the blocks in its segments */
} hectic_nonmoving_class;

/** A census: of all block sizes, after a collection. */
typedef struct hectic_nonmoving_census {
    uint64_t time;                            /**< ns: the first of its events */
    uint64_t index;                           /**< from 0 */
    const hectic_nonmoving_class *size_class; /**< in order of block sizes */
    uint32_t classes;
    uint64_t live, capacity; /**< sums */
} hectic_nonmoving_census;

/** The concurrent phases of a collection. */
typedef enum hectic_nonmoving_phase {
    HECTIC_NONMOVING_MARK,
    HECTIC_NONMOVING_SYNC, /**< all caps are stopped */
    HECTIC_NONMOVING_SWEEP,
    HECTIC_NONMOVING_PHASES,
} hectic_nonmoving_phase;

typedef struct hectic_nonmoving_totals {
    uint64_t censuses; /**< in the interval */
    struct {
        uint64_t count; /**< phases that ended in the interval */
        uint64_t ns;    /**< their total time */
        uint64_t max;   /**< ns: the longest */
    } phase[HECTIC_NONMOVING_PHASES];
    uint64_t marked;  /**< objects */
    uint64_t flushes; /**< of update remembered sets */
    uint64_t pruned;  /**< segments returned */
    bool has_free;
    uint64_t free;      /**< free segments retained, as last reported */
    uint64_t malformed; /**< events that are too short: left out */
} hectic_nonmoving_totals;

typedef struct hectic_nonmoving hectic_nonmoving;

/** Called for each census in the interval, when it is complete. Return false to stop. */
typedef bool (*hectic_nonmoving_callback)(void *user, const hectic_nonmoving_census *census);

/** For the interval from <= t < to (ns). NULL: out of memory. */
hectic_nonmoving *hectic_nonmoving_new(uint64_t from, uint64_t to,
                                       hectic_nonmoving_callback callback, void *user);
void hectic_nonmoving_free(hectic_nonmoving *nonmoving);

/** Takes the next event. False: out of memory, or the callback returned false. */
bool hectic_nonmoving_event(hectic_nonmoving *nonmoving, const hectic_event *event);

/** Ends the section: reports the last census. */
bool hectic_nonmoving_end(hectic_nonmoving *nonmoving);

hectic_nonmoving_totals hectic_nonmoving_get_totals(const hectic_nonmoving *nonmoving);

#ifdef __cplusplus
}
#endif
#endif
