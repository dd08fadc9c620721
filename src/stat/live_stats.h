/* live_stats.h — the current state of a running program, and its statistics.
 *
 * Takes events in order of time, of programs that are still running:
 *
 *     hectic_live_stats *v = hectic_live_stats_new();
 *     at each header:  hectic_live_stats_begin(v, header);
 *     for each event:  hectic_live_stats_event(v, &event);
 *     now and then:    hectic_live_stats_report so_far, interval;
 *                      if (hectic_live_stats_snapshot(v, HECTIC_LIVE_STATS_NOW, &so_far)) …
 *                      if (hectic_live_stats_interval(v, HECTIC_LIVE_STATS_NOW, &interval)) …
 *                      hectic_live_stats_report_clear(&…);
 *
 * It combines hectic_stat (sums) and hectic_threads (live threads). Memory depends on the number of
 * live threads, caps and defined names (of heap profiles, at most 32 MiB);
 * heap-profile sample are kept. It may be used by one thread at a time.
 */
#ifndef HECTIC_SRC_LIVE_STATS_H
#define HECTIC_SRC_LIVE_STATS_H

#include "facts/threads.h"
#include "numbers/exponential.h"
#include "numbers/histogram.h"
#include "profiles/heap_samples.h"
#include "stat/stat.h"

typedef struct hectic_live_stats hectic_live_stats;

/* As a time: that of the latest event. */
#define HECTIC_LIVE_STATS_NOW UINT64_MAX

/* The number of bands kept of a heap-profile sample; further ones are combined into one. */
#define HECTIC_LIVE_STATS_BANDS 1024

/* The activity of a cap. */
typedef enum hectic_cap_activity {
    HECTIC_CAP_UNKNOWN, /* no event has indicated it yet */
    HECTIC_CAP_IDLE,    /* neither running a thread nor collecting garbage */
    HECTIC_CAP_RUNNING, /* running a thread */
    HECTIC_CAP_GC,      /* between GC_START and GC_END */
    HECTIC_CAP_DELETED, /* deleted */
    HECTIC_CAP_ACTIVITIES,
} hectic_cap_activity;

/* "unknown", "idle", "running", "gc", "deleted". */
const char *hectic_cap_activity_name(hectic_cap_activity activity);

typedef struct hectic_live_stats_cap {
    uint16_t cap;
    bool is_disabled; /* by setNumCapabilities: it exists, but runs nothing */
    hectic_cap_activity activity;
    uint32_t thread; /* for HECTIC_CAP_RUNNING */
    uint64_t since;  /* ns: when the activity began */
} hectic_live_stats_cap;

/* A snapshot, or the report of an interval. */
typedef struct hectic_live_stats_report {
    /* Sums since the beginning, or in the interval (sums.from … sums.to). The has_… fields
     *  indicate which numbers are known; sums.generation[i].pause.max is the longest pause in
     *  that time. */
    hectic_stat_result sums;
    uint64_t events;   /* except block markers */
    bool has_messages; /* the log has had messages */
    uint64_t messages; /* USER_MSG and USER_MARKER */
    uint64_t dropped;  /* events that the producer has reported as dropped */
    uint64_t created;  /* threads; known if sums.has_threads */
    uint64_t ended;

    /* The current state: the same in an interval and in a snapshot. */
    uint64_t time; /* ns: the latest event; 0 before the first */
    bool has_live, has_heap_size, has_blocks_size, has_pool;
    uint64_t live;        /* live bytes after the latest major collection */
    uint64_t live_time;   /* ns: the time of that collection */
    uint64_t heap_size;   /* bytes from the OS */
    uint64_t blocks_size; /* bytes of heap_size in blocks in use */
    uint64_t pool;        /* sparks waiting in all caps' pools, as last recorded */
    uint64_t alive;       /* threads; known if sums.has_threads */
    uint64_t in_state[HECTIC_THREAD_STATES]; /* of the live threads */
    hectic_live_stats_cap *cap;              /* sums.caps elements, in the order of sums.cap */
} hectic_live_stats_report;

/* The identity of the program. Texts are NULL and numbers 0 if the log does not record them. They
 *  are valid until the next event. */
typedef struct hectic_live_stats_program {
    const char *name; /* without directories */
    const char *args; /* the command line, separated by spaces */
    const char *rts;  /* "GHC-9.0.2 rts_thr_l" */
    uint32_t pid, ppid;
    uint32_t caps; /* that exist and are not disabled */
    bool has_wall;
    int64_t wall; /* ns since the Unix epoch at time 0 of the log: add it to any time */
} hectic_live_stats_program;

/* A band of a heap profile: "ARR_WORDS", or a cost-centre stack such as "Tree.insert/Main.main":
 *  see hectic_band_name. */
typedef struct hectic_live_stats_band {
    const char *name;
    uint64_t bytes;
} hectic_live_stats_band;

typedef struct hectic_live_stats_sample {
    uint64_t time; /* ns: the time of the census */
    hectic_breakdown breakdown;
    uint32_t bands;
    const hectic_live_stats_band *band; /* the largest first; valid until the next event */
} hectic_live_stats_sample;

/* NULL: out of memory. */
hectic_live_stats *hectic_live_stats_new(void);
void hectic_live_stats_free(hectic_live_stats *live_stats);

/* Begins a log: resets everything. False: out of memory. */
bool hectic_live_stats_begin(hectic_live_stats *live_stats, const hectic_header *header);

/* Declares that the events come from a hectic_stream. GHC's runtime writes a cap's events when its
 *  buffer is full, or at a flush, so a cap's activity is known only up to the end of its latest
 *  block. Sums include nothing beyond that; if it is long before the requested time, the cap's
 *  activity is HECTIC_CAP_UNKNOWN. Late events of an interval that has been reported do not count
 *  in any sums, but update the current state (live threads, sizes). Call it after
 *  hectic_live_stats_begin. */
void hectic_live_stats_follow(hectic_live_stats *live_stats);

/* Takes the next event. False: out of memory. */
bool hectic_live_stats_event(hectic_live_stats *live_stats, const hectic_event *event);

/* Reports the sums and the state at `time`: HECTIC_LIVE_STATS_NOW, or a time not before any event
 *  so far. Free the arrays with hectic_live_stats_report_clear. False: out of memory. */
bool hectic_live_stats_snapshot(const hectic_live_stats *live_stats, uint64_t time,
                                hectic_live_stats_report *report);

/* Reports the sums since the end of the last interval (or the beginning) up to `time`, and the
 *  state at `time`, where the next interval begins. If events are in order, intervals add up
 *  exactly. Numbers from a class of events are unknown (has_… is false) if the log reports that the
 *  class was off at some time in the interval. */
bool hectic_live_stats_interval(hectic_live_stats *live_stats, uint64_t time,
                                hectic_live_stats_report *report);

void hectic_live_stats_report_clear(hectic_live_stats_report *report);

hectic_live_stats_program hectic_live_stats_get_program(const hectic_live_stats *live_stats);

/* All pauses of a generation's collections since the beginning; NULL: none. */
const hectic_histogram *hectic_live_stats_pauses(const hectic_live_stats *live_stats,
                                                 uint16_t generation);

/* The same pauses, in exponential buckets. */
const hectic_exponential *hectic_live_stats_exponential_pauses(const hectic_live_stats *live_stats,
                                                               uint16_t generation);

/* All times to safepoint since the beginning: ns from the request for a collection to its start.
 */
const hectic_histogram *hectic_live_stats_safepoints(const hectic_live_stats *live_stats);

/* The same times, in exponential buckets. */
const hectic_exponential *
hectic_live_stats_exponential_safepoints(const hectic_live_stats *live_stats);

/* Calls `callback` for each live thread at `time`, in the order of their numbers, with its state,
 *  since when, cap, label, times and runs. False: out of memory, or `callback` returned false. */
bool hectic_live_stats_threads(const hectic_live_stats *live_stats, uint64_t time,
                               hectic_thread_callback callback, void *user);

/* The latest complete sample of a heap profile. False: none, or out of memory. */
bool hectic_live_stats_get_sample(const hectic_live_stats *live_stats,
                                  hectic_live_stats_sample *sample);

#endif
