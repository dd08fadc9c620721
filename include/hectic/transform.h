/* hectic/transform.h — log in, log out: copy, cut, merge and salvage.
 *
 * All write through the encoder, holding one block, or a few megabytes of blocks, at most.
 */
#ifndef HECTIC_TRANSFORM_H
#define HECTIC_TRANSFORM_H

#include <hectic/input.h>
#include <hectic/log.h>
#include <hectic/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Shall this event be in the copy? Asked of every event, BLOCK_MARKERs too, in the order of the
 *  file: within a cap that is the order in which things happened, as hectic_filter_pass wants it.
 *  Called with `event` NULL where a section begins; `header` is the section's. False there: stop.
 */
typedef bool (*hectic_keep_callback)(void *user, const hectic_header *header,
                                     const hectic_event *event);

/** Do other events refer to this one (a thread, a label, a cap, a cost centre, what program it
 *  was)? A copy of a part of a log is better understood with all of them. */
bool hectic_is_context(const hectic_event *event);

/** Copies a log. Without `keep` the copy is the same to the last byte, unknown events, unfinished
 *  blocks and a cut-off tail included. With it, events that it refuses are left out: their blocks
 *  are written with the size and times that they then have, empty ones and a cut-off tail not at
 *  all; caps, headers and end markers stay.
 *
 *  False where the log is damaged, has no whole header or cannot be read, with *error set, or where
 *  `write` or `keep` said so: then error->kind is HECTIC_OK. What was written by then is the copy
 * up to there. What is read of a slow input (a pipe) is written before more is waited for, up to
 * the last whole block. True with error->kind HECTIC_COMPRESSION: the input is compressed and
 * damaged; all that comes before that was copied, as of a log that is cut off there. */
bool hectic_copy(hectic_input *input, hectic_keep_callback keep, void *keep_user,
                 hectic_write write, void *write_user, hectic_error *error);

/** Cuts a part out of a log so that it is a log of its own: a copy as hectic_copy makes it of the
 *  events from `from` on (ns) that `keep` lets pass (NULL: all), and before them, stamped `from`,
 *  what somebody has to know who begins to read there:
 *
 *  - definitions made before (cost centres, info tables, ticky counters, the heap profile …);
 *  - what lives: capsets, caps and which capset they belong to, the program, the wall clock (moved
 *    on to `from`), heap parameters, tasks where they are, threads with their labels on the cap
 *    where they are; what has died is not told of;
 *  - how things stand: who runs on each cap and why each other thread has stopped (it is told to
 *    have run and stopped at `from`), running counters' last values, and the beginning of a
 *    collection or heap census that is going on.
 *
 *  The last are told if `keep` lets them pass, too: asked of them, it gets events of position 0,
 *  before the section's own. The others are told in any case. With `from` 0, nothing is told.
 *
 *  Takes `input` over (it is freed in any case). It is read twice: in order of time up to `from`,
 *  then as a whole; memory depends on what lives at `from`. The result and *error are as
 *  hectic_copy's; a log that is damaged anywhere is not cut. */
bool hectic_cut(hectic_input *input, uint64_t from, hectic_keep_callback keep, void *keep_user,
                hectic_write write, void *write_user, hectic_error *error);

/** How the clocks of logs that are merged are set against each other. */
typedef enum hectic_alignment {
    HECTIC_ALIGN_WALL_CLOCK, /**< by their WALL_CLOCK_TIME */
    HECTIC_ALIGN_START,      /**< so that their earliest events are at the same time */
    HECTIC_ALIGN_NONE,       /**< not at all */
} hectic_alignment;

typedef enum hectic_merge_result {
    HECTIC_MERGED = 0,          /**< with failure->error of kind HECTIC_COMPRESSION: a compressed
                                     input is damaged, and its log ended there */
    HECTIC_MERGE_READ_FAILED,   /**< a log is damaged or cannot be read: failure->error */
    HECTIC_MERGE_WRITE_FAILED,  /**< `write` said so */
    HECTIC_MERGE_NO_WALL_CLOCK, /**< a log does not tell when it was made */
    HECTIC_MERGE_NO_NUMBERS,    /**< a log's numbers of failure->unit are too many, or too large */
} hectic_merge_result;

typedef struct hectic_merge_failure {
    size_t log;     /**< which */
    size_t section; /**< which one of it, counted from 1; 0: of a log with one, or all */
    hectic_error error;
    hectic_unit unit;
} hectic_merge_failure;

/** Merges logs into one: their events in order of time, in blocks of one cap each.
 *
 *  - Times: logs are moved to later times as `alignment` says, never to earlier ones. Unless they
 *    stay as they are, each run of a program begins with a CAPSET_CREATE of its process at the time
 *    when its clock was 0, which its own log does not have; where that names no process, its caps
 *    are assigned to it.
 *  - A log with several sections is several logs. Only a section that continues the one before (its
 *    times follow, and it tells neither of another process nor of another wall clock) is a part of
 *    the same log: GHC begins one where a program ends its log and begins another one behind it.
 *  - Numbers that name things (caps, capsets, threads, tasks, cost centres, heap profiles, ticky
 * and perf counters, interned strings) are changed in every event that mentions them, so that no
 * two logs share one: those of a log stay where they are apart from the ones before it, and
 * otherwise follow them. Identifiers of the operating system (pids, kernel threads), addresses, and
 * Eden's machines and processes stay: logs of two machines may have the same ones.
 *  - Headers: a type that logs declare alike is one. Where its size differs, but the catalogue
 *    reads it alike, the smaller gets zeros at its end. Where it reads it differently (a
 * GC_STATS_GHC without balanced bytes), the shape with more fields keeps the number, and the other
 * gets a free one from 1000 on, with its description: no event gets fields that nobody has
 * measured, but tools no longer know it. Stop statuses of GHC 7.8.2 become the usual ones.
 *
 *  Each input is read twice; all are taken over (freed in any case). Memory: that of a hectic_log
 *  each, and about 8 MB. */
hectic_merge_result hectic_merge(hectic_input *const *inputs, size_t count,
                                 hectic_alignment alignment, hectic_write write, void *write_user,
                                 hectic_merge_failure *failure);

/** What hectic_salvage did. */
typedef struct hectic_salvaged {
    uint64_t events;          /**< written, block markers included */
    uint64_t blocks_repaired; /**< whose size or end time was not right */
    uint64_t places_damaged;  /**< what was lost or cannot be mended: calls of `lost` */
    uint64_t bytes_lost;      /**< the sum of what was passed over there */
    uint64_t tail;            /**< bytes of an item that the end of the input cuts off; lost too */
    bool end_added;           /**< there was no end marker */
} hectic_salvaged;

/** Told of every place where bytes were lost, in order; and of types that a header declares with a
 *  size that they cannot have, where none are: their events are written as they are. */
typedef void (*hectic_lost_callback)(void *user, const hectic_damage *damage);

/** Writes the longest sound log that can be made of a damaged or cut-off one: the headers, every
 *  event that the decoder finds (after damage it goes on at the next plausible place), blocks
 *  with their true sizes and end times, and an end marker at the end of each section. Events too
 *  short for their fields, as damage leaves them, count as lost. A sound log
 *  comes out as it is. Where reading fails in the middle (a bad disk, a damaged .gz), what came
 *  before is salvaged, and that is a place damaged too.
 *
 *  False, with *error set, where there is no header to begin with, or none that declares events; or
 *  where `write` said so, as above. `lost` may be NULL. */
bool hectic_salvage(hectic_input *input, hectic_write write, void *write_user,
                    hectic_lost_callback lost, void *lost_user, hectic_salvaged *salvaged,
                    hectic_error *error);

#ifdef __cplusplus
}
#endif
#endif
