/* summary.h — a summary of a log: the program, its process, caps and heap, and what the log
 * records.
 */
#ifndef HECTIC_SRC_SUMMARY_H
#define HECTIC_SRC_SUMMARY_H

#include <hectic/log.h>

/* Facts about the program, each from the first event with it. Facts that the log does not record
 *  are 0 or NULL, with `has_…` false. */
typedef struct hectic_summary {
    bool has_capset;    /* set by hectic_summarize_processes only */
    uint32_t capset;    /* the process's capset */
    char *args;         /* the program's name and arguments, each NUL-terminated; or NULL */
    size_t args_length; /* bytes of args, including the NULs */
    char *rts;          /* "GHC-9.0.2 rts_thr_l"; or NULL */
    bool has_pid, has_ppid, has_wall_clock, has_heap_info, has_heap_profile;
    uint32_t pid, ppid;
    uint64_t start_seconds;          /* since the Unix epoch, at time 0 of the log's clock */
    uint32_t start_ns;               /* nanoseconds of start_seconds */
    uint16_t generations;            /* of the garbage collector */
    uint64_t max_heap_size;          /* bytes; 0: no limit */
    uint64_t alloc_area_size;        /* bytes, of each cap */
    uint64_t heap_profile_period;    /* ns */
    uint32_t heap_profile_breakdown; /* hectic_enum_text(HECTIC_UNIT_BREAKDOWN, …) */
    uint32_t caps;                   /* total number of caps */
    uint8_t cap[8192];               /* the set of caps: 65,536 bits, the lowest first */
} hectic_summary;

/* Summarizes a log. False: the log cannot be read (hectic_log_error), or out of memory. Free the
 *  texts with hectic_summary_clear. */
bool hectic_summarize(hectic_log *log, hectic_summary *summary);

/* The same of one section, by its index in hectic_survey: its caps are those whose creation is
 *  logged. */
bool hectic_summarize_section(hectic_log *log, size_t section, hectic_summary *summary);
void hectic_summary_clear(hectic_summary *summary);

/* The same of a section that is not read by a hectic_log: adds the fact of an event, of those that
 * can be landmarks, to a summary that is zero at first. *started, 0 at first, is the number of caps
 * according to STARTUP so far. At last, count the caps. False: out of memory. */
bool summary_add(hectic_summary *summary, const hectic_event *event, uint64_t *started);
void summary_count_caps(hectic_summary *summary);

/* Sets *ns to the time since the Unix epoch at time 0 of the log's clock. False: it is not known.
 */
bool summary_clock_zero(const hectic_summary *summary, uint64_t *ns);

/* The maximum number of processes summarized. */
#define HECTIC_SUMMARIES_MAX 256

/* Summarizes each process of a merged log (facts/processes.h): sets *summaries to an array, and
 *  *count, which is 0 for a log of one process. For a restarted log, these are the processes of the
 *  first section with several. `start_…` is the time when the process's own clock was 0. False: out
 *  of memory. Free the array with hectic_summaries_free.
 */
bool hectic_summarize_processes(hectic_log *log, hectic_summary **summaries, size_t *count);
void hectic_summaries_free(hectic_summary *summaries, size_t count);

/* A kind of information that a log may contain. */
typedef struct hectic_log_topic {
    const char *name;  /* a key: "threads" */
    const char *about; /* what it is: "which threads ran, when and where" */
    uint16_t event;    /* the log contains it if it has events of this type */
    const char *needs; /* how to enable it: "+RTS -ls" */
    const char *verb; /* the verb of the command that shows it, perhaps with an option: "threads" */
} hectic_log_topic;

/* All kinds, in the best order for display; sets *count. */
const hectic_log_topic *hectic_log_topics(size_t *count);

#endif
