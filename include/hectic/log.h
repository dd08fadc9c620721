/* hectic/log.h — a log file with its events in order of time.
 *
 * The order is a stable sort by time: events with equal times stay in the order of the file. The
 * log is not held in memory: a first pass finds the earliest time in every chunk of the file, a
 * second one merges the chunks whose times overlap. Memory depends on the overlap (usually one
 * chunk per cap), not on the length of the log.
 *
 * Where bytes cannot be read, there is a message that they were lost (hectic/gaps.h), which the log
 * does not have, unless the header does not declare LOG_MSG.
 *
 * A restarted log holds several headers. Each begins a section with its own clock, so sections are
 * sorted separately and delivered one after the other.
 *
 * A log may be used by one thread at a time (it may use more internally).
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
    uint64_t from; /**< ns: blocks that end before it are skipped, except their markers */
    uint64_t to;   /**< ns: events from then on are surveyed only; 0: no limit */
    /** ns; not 0: the consumer needs the events of [interval_from, to), and before them those that
     *  determine the state of caps, as hectic_stat counts it. Of a large file, only the blocks with
     *  these are read, all events without a cap, and samples of the rest, for survey.count. */
    uint64_t interval_from;
    unsigned threads;   /**< number of threads; 0: the number of processors, at most 4 */
    bool has_no_counts; /**< hectic_survey.count is not needed: NULL; for many logs at once */
    bool check; /**< also search for defects that do not prevent reading: see hectic_log_damage */
    /** Called periodically with the fraction of the work that is done, 0 … 1; may be NULL. */
    void (*progress)(void *user, double done);
    void *progress_user;
} hectic_log_options;

/** Damage inside a log: the error, and the number of bytes skipped. */
typedef struct hectic_damage {
    hectic_error error;
    uint64_t skipped; /**< bytes without a readable event, from error.position on */
} hectic_damage;

/** One section: a header, and the events up to the next. */
typedef struct hectic_section {
    uint64_t position;      /**< byte offset of the header: see hectic_log_read_header */
    uint64_t header_length; /**< bytes */
    uint64_t events;        /**< including BLOCK_MARKERs */
    uint64_t first_time;    /**< the earliest event, ns; UINT64_MAX: no event */
    uint64_t last_time;     /**< the latest event, ns; 0: no event */
    bool complete;          /**< it ends with an end marker */
    /** ns: up to then, no events are missing at the end of the section. last_time if it is
     * complete; otherwise the earliest, over all caps with blocks, of the ends of their last
     * blocks, but at least first_time: later events of some caps were not written, or were cut
     * off. Without blocks, last_time. Caps that have ended until their last block do not count. */
    uint64_t covered_to;
    bool lacks_caps; /**< it is not complete, and has no block of a cap that was created until
                        covered_to, or no creation of caps: what others did is unknown */
} hectic_section;

/** The results of the first pass over a log. With options->from, skipped blocks are not
 *  counted; nor with options->interval_from. */
typedef struct hectic_survey {
    const hectic_section *section;
    size_t sections;
    const uint64_t *count;      /**< events by number: 65,536 counters */
    uint64_t events;            /**< including BLOCK_MARKERs */
    uint64_t bytes;             /**< of the input, uncompressed */
    uint64_t blocks;            /**< BLOCK_MARKERs */
    uint64_t unfinished_blocks; /**< those without size or end time */
    uint64_t block_bytes_max;   /**< the largest finished block */
    uint64_t block_ns_max;      /**< the longest time to fill a finished block */
    uint64_t block_ns;          /**< the total time to fill all finished blocks */
    uint64_t lost;              /**< bytes without a readable event */
    uint64_t tail;              /**< bytes after the last complete event of a cut-off log */
    bool cut_off;               /**< the input is compressed, and its file is cut off */
    const uint8_t *caps;        /**< caps with blocks: 65,536 bits, the lowest first */
    const uint64_t *landmark;   /**< positions of the first events of class PROCESS, of PROF_BEGIN,
                                   HEAP_PROF_BEGIN and HEAP_INFO_GHC, also replayed by SYNC events,
                                   and of messages that report gaps (hectic/gaps.h), in the order of
                                   the file; read them with hectic_log_read_at */
    size_t landmarks;           /**< at most 100,000 are kept */
} hectic_survey;

/** Opens a log and makes the first pass. Takes ownership of `input` (it is freed with the log, or
 *  at once on failure). `options` may be NULL. NULL with *error set: the log cannot be read at all;
 *  a cut-off or damaged log with a complete first header is not a failure. */
hectic_log *hectic_log_open(hectic_input *input, const hectic_log_options *options,
                            hectic_error *error);

void hectic_log_free(hectic_log *log);

/** The next item: HECTIC_HEADER at the beginning of a section, HECTIC_GOT_EVENT with *event set,
 *  and at the end HECTIC_COMPLETE or, if the input has no end marker, HECTIC_PARTIAL (repeated from
 *  then on). HECTIC_ERROR: the input could not be read (hectic_log_error). Events before
 *  options->from, or not before options->to, are omitted. *event is valid until the next call. */
hectic_result hectic_log_next(hectic_log *log, hectic_event *event);

/** The same for many events at once, which costs less: with HECTIC_GOT_EVENT, *event is the next
 *  one and *count the number of consecutive ones from there on, otherwise 0. They are valid until
 *  the next call. */
hectic_result hectic_log_next_events(hectic_log *log, const hectic_event **event, size_t *count);

/** Goes back to the beginning: the next item is the first header again. */
void hectic_log_rewind(hectic_log *log);

/** The header of the section being delivered; NULL before the first HECTIC_HEADER. The header, and
 *  the types of its events, are valid until the second next HECTIC_HEADER is returned, or the log
 *  is freed: so the header of a section that has just ended is still valid. At most two headers are
 *  in memory. */
const hectic_header *hectic_log_header(const hectic_log *log);

/** Reads the header of a section (by its index in the survey); NULL: it cannot be read, or out of
 *  memory. Free it with hectic_header_free. */
hectic_header *hectic_log_read_header(const hectic_log *log, size_t section);

const hectic_error *hectic_log_error(const hectic_log *log);

/** The damage found by the first pass, in the order of the file; at most the first 1,000 are kept.
 *  Sets *count to the total number, *kept to the number kept. Without options->check, only damage
 *  that made events unreadable. */
const hectic_damage *hectic_log_damage(const hectic_log *log, size_t *kept, uint64_t *count);

/** The results of the first pass; owned by the log. */
const hectic_survey *hectic_log_survey(const hectic_log *log);

/** Reads the event at a landmark of the survey: sets *event, valid until the next call on the log;
 *  its cap is unknown: HECTIC_CAP_NONE. False: there is no event; or it cannot be read, see
 *  hectic_log_error. */
bool hectic_log_read_at(hectic_log *log, uint64_t position, hectic_event *event);

#ifdef __cplusplus
}
#endif
#endif
