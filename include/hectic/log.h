/* hectic/log.h — a log file, its events in order of time.
 *
 * The order is exactly a stable sort by time: ties stay in the order of the file. It is computed
 * without holding the log: a first pass finds the earliest time of every piece of the file, a
 * second one merges the pieces whose times overlap. Memory depends on how much overlaps (usually
 * one piece per cap), not on the length of the log.
 *
 * A restarted log holds several headers. Each begins a section with its own clock, so sections are
 * ordered by themselves and delivered one after the other.
 *
 * A log is used by one thread at a time (it may use more inside).
 */
#ifndef HECTIC_LOG_H
#define HECTIC_LOG_H

#include <hectic/decoder.h>
#include <hectic/input.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_log hectic_log;

typedef struct hectic_log_options {
    uint64_t from;    /**< ns: blocks that end before it are not read, but for their markers */
    unsigned threads; /**< to use; 0: as many as there are processors, at most 4 */
    /** Called now and then with the share of the work that is done, 0 … 1; may be NULL. */
    void (*progress)(void *user, double done);
    void *progress_user;
} hectic_log_options;

/** Damage inside a log: what was found, and how far reading then jumped. */
typedef struct hectic_damage {
    hectic_error error;
    uint64_t skipped; /**< bytes that no event was read from, from error.position on */
} hectic_damage;

/** Opens a log and makes the first pass. Takes `input` over (it is freed with the log, or at once
 *  on failure). `options` may be NULL. NULL and *error set: no log could be made of it at all;
 *  a cut-off or damaged log is no failure once its first header is whole. */
hectic_log *hectic_log_open(hectic_input *input, const hectic_log_options *options,
                            hectic_error *error);

void hectic_log_free(hectic_log *log);

/** The next item: HECTIC_HEADER where a section begins, HECTIC_ONE with *event set, and at the end
 *  HECTIC_COMPLETE or, where the input stops without an end marker, HECTIC_PARTIAL (repeated from
 *  then on). HECTIC_ERROR: the input could not be read (hectic_log_error). Event times below
 *  options->from are left out. *event is valid until the next call. */
hectic_result hectic_log_next(hectic_log *log, hectic_event *event);

/** The header of the section being delivered; belongs to the log, for as long as it lives. */
const hectic_header *hectic_log_header(const hectic_log *log);

const hectic_error *hectic_log_error(const hectic_log *log);

/** The damage found by the first pass, in the order of the file; at most the first 1,000 are kept,
 *  *count tells how many there were, *kept how many are here. */
const hectic_damage *hectic_log_damage(const hectic_log *log, size_t *kept, uint64_t *count);

/** Bytes behind the last whole event where the input stops in the middle of one; else 0. */
uint64_t hectic_log_tail(const hectic_log *log);

#ifdef __cplusplus
}
#endif
#endif
