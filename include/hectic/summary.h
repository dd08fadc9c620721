/* hectic/summary.h — what a log is about: the program, its process, its caps and heap, and what
 * can be learnt from the log.
 */
#ifndef HECTIC_SUMMARY_H
#define HECTIC_SUMMARY_H

#include <hectic/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Facts about the program, from the first event that tells each. What the log does not tell is
 *  0, or NULL, with its `has_` false. */
typedef struct hectic_summary {
    bool has_capset;    /**< only of hectic_summarize_processes */
    uint32_t capset;    /**< of the process */
    char *args;         /**< the program's name and arguments, each ended by a NUL; or NULL */
    size_t args_length; /**< bytes of args, the NULs included */
    char *rts;          /**< "GHC-9.0.2 rts_thr_l"; or NULL */
    bool has_pid, has_ppid, has_wall_clock, has_heap_info, has_heap_profile;
    uint32_t pid, ppid;
    uint64_t start_seconds;          /**< since the Unix epoch, when the log's clock was 0 */
    uint32_t start_ns;               /**< and the nanoseconds of that */
    uint16_t generations;            /**< of the collector */
    uint64_t max_heap_size;          /**< bytes; 0: no limit */
    uint64_t alloc_area_size;        /**< bytes, of each cap */
    uint64_t heap_profile_period;    /**< ns */
    uint32_t heap_profile_breakdown; /**< hectic_enum_text(HECTIC_UNIT_BREAKDOWN, …) */
    uint32_t caps;                   /**< how many there were, in all */
    uint8_t cap[8192];               /**< which: 65,536 bits, the lowest first */
} hectic_summary;

/** Collects the facts. False: the log cannot be read, and hectic_log_error tells why, or else no
 *  memory. Free the texts with hectic_summary_clear. */
bool hectic_summarize(hectic_log *log, hectic_summary *summary);
void hectic_summary_clear(hectic_summary *summary);

/** So many processes are told of. */
#define HECTIC_SUMMARIES_MAX 256

/** Collects the facts of each process of a log that was merged from those of several
 *  (hectic/processes.h): sets *summaries to an array, and *count, which is 0 for a log of one
 *  process. Of a restarted log these are those of the first section with several. `start_…` is then
 * when the process's own clock was 0. False: no memory. Free the array with hectic_summaries_free.
 */
bool hectic_summarize_processes(hectic_log *log, hectic_summary **summaries, size_t *count);
void hectic_summaries_free(hectic_summary *summaries, size_t count);

/** Something that a log may be able to tell. */
typedef struct hectic_log_topic {
    const char *name;  /**< a key: "threads" */
    const char *about; /**< "which threads ran, when and where" */
    uint16_t event;    /**< it can, where there are events of this type */
    const char *needs; /**< what has to be done to have them: "+RTS -ls" */
} hectic_log_topic;

/** All of them, in the order in which they are best shown; sets *count. */
const hectic_log_topic *hectic_log_topics(size_t *count);

#ifdef __cplusplus
}
#endif
#endif
