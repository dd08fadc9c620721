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
    uint64_t to;      /**< ns: what is not earlier is surveyed only; 0: no limit */
    unsigned threads; /**< to use; 0: as many as there are processors, at most 4 */
    bool check;       /**< look for defects that reading survives, too: see hectic_log_damage */
    /** Called now and then with the share of the work that is done, 0 … 1; may be NULL. */
    void (*progress)(void *user, double done);
    void *progress_user;
} hectic_log_options;

/** Damage inside a log: what was found, and how far reading then jumped. */
typedef struct hectic_damage {
    hectic_error error;
    uint64_t skipped; /**< bytes that no event was read from, from error.position on */
} hectic_damage;

/** One section: a header, and the events up to the next. */
typedef struct hectic_section {
    uint64_t position;      /**< of the header's first byte: hectic_log_read_header */
    uint64_t header_length; /**< bytes */
    uint64_t events;        /**< BLOCK_MARKERs included */
    uint64_t first_time;    /**< the earliest event, ns; UINT64_MAX where there is none */
    uint64_t last_time;     /**< the latest event, ns; 0 where there is none */
    bool complete;          /**< it ends with an end marker */
} hectic_section;

/** What the first pass over a log found. With options->from, what was skipped is not counted. */
typedef struct hectic_survey {
    const hectic_section *section;
    size_t sections;
    const uint64_t *count;      /**< events by number: 65,536 counters */
    uint64_t events;            /**< BLOCK_MARKERs included */
    uint64_t bytes;             /**< of the input, uncompressed */
    uint64_t blocks;            /**< BLOCK_MARKERs */
    uint64_t unfinished_blocks; /**< those without size or end time */
    uint64_t block_bytes_max;   /**< the largest finished block */
    uint64_t block_ns_max;      /**< the finished block that took longest to fill */
    uint64_t block_ns;          /**< the sum of all finished blocks' times to fill */
    uint64_t lost;              /**< bytes that no event could be read from */
    uint64_t tail;              /**< bytes behind the last whole event of a cut-off log */
    bool cut_off;               /**< the input is compressed, and its file is cut off */
    const uint8_t *caps;        /**< caps that have blocks: 65,536 bits, the lowest first */
    const uint64_t *landmark;   /**< positions of the first events of class PROCESS, of PROF_BEGIN,
                                     HEAP_PROF_BEGIN and HEAP_INFO_GHC, also where SYNC events
                                     replay them, and of messages that tell of gaps
                                     (hectic/gaps.h), in the order of the file; read them with
                                     hectic_log_read_at */
    size_t landmarks;           /**< at most 100,000 are kept */
} hectic_survey;

/** Opens a log and makes the first pass. Takes `input` over (it is freed with the log, or at once
 *  on failure). `options` may be NULL. NULL and *error set: no log could be made of it at all;
 *  a cut-off or damaged log is no failure once its first header is whole. */
hectic_log *hectic_log_open(hectic_input *input, const hectic_log_options *options,
                            hectic_error *error);

void hectic_log_free(hectic_log *log);

/** The next item: HECTIC_HEADER where a section begins, HECTIC_GOT_EVENT with *event set, and at
 * the end HECTIC_COMPLETE or, where the input stops without an end marker, HECTIC_PARTIAL (repeated
 * from then on). HECTIC_ERROR: the input could not be read (hectic_log_error). Events before
 *  options->from, or not before options->to, are left out. *event is valid until the next call. */
hectic_result hectic_log_next(hectic_log *log, hectic_event *event);

/** Goes back to the beginning: the next item is the first header again. */
void hectic_log_rewind(hectic_log *log);

/** The header of the section being delivered; NULL before the first HECTIC_HEADER. It, and so what
 *  events declare, is valid until the next HECTIC_HEADER but one is returned, or the log freed: who
 *  learns from a HECTIC_HEADER that a section has ended can still tell what it was. Of a log with
 *  very many sections no more than two headers are in memory. */
const hectic_header *hectic_log_header(const hectic_log *log);

/** Reads the header of a section (of those that the survey found) anew; NULL: it cannot be read, or
 *  memory is short. Free it with hectic_header_free. */
hectic_header *hectic_log_read_header(const hectic_log *log, size_t section);

const hectic_error *hectic_log_error(const hectic_log *log);

/** The damage found by the first pass, in the order of the file; at most the first 1,000 are kept,
 *  *count tells how many there were, *kept how many are here. Without options->check only damage
 *  that made events unreadable. */
const hectic_damage *hectic_log_damage(const hectic_log *log, size_t *kept, uint64_t *count);

/** What the first pass found; belongs to the log. */
const hectic_survey *hectic_log_survey(const hectic_log *log);

/** The one event at a position that the survey gave as a landmark: sets *event (its cap is not
 *  known: HECTIC_CAP_NONE), valid until the next call on the log. False: there is none; or it
 * cannot be read, and hectic_log_error tells why. */
bool hectic_log_read_at(hectic_log *log, uint64_t position, hectic_event *event);

#ifdef __cplusplus
}
#endif
#endif
