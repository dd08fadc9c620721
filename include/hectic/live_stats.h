/* hectic/live_stats.h — what a program is like right now, and what it has done so far.
 *
 * A consumer of ordered events, for programs that are still running:
 *
 *     hectic_live_stats *v = hectic_live_stats_new();
 *     at each header:  hectic_live_stats_begin(v, header);
 *     for each event:  hectic_live_stats_event(v, &event);
 *     now and then:    hectic_live_stats_report so_far, interval;
 *                      if (hectic_live_stats_snapshot(v, HECTIC_LIVE_STATS_NOW, &so_far)) …
 *                      if (hectic_live_stats_interval(v, HECTIC_LIVE_STATS_NOW, &interval)) …
 *                      hectic_live_stats_report_clear(&…);
 *
 * It is made of hectic_stat (sums) and hectic_threads (threads alive), and tells what they tell.
 * Memory: the threads alive, the caps, the names that the log defines, and the latest of messages
 * and heap-profile samples. One thread at a time.
 */
#ifndef HECTIC_LIVE_STATS_H
#define HECTIC_LIVE_STATS_H

#include <hectic/exponential.h>
#include <hectic/histogram.h>
#include <hectic/stat.h>
#include <hectic/threads.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hectic_live_stats hectic_live_stats;

/** As a point in time: that of the latest event. */
#define HECTIC_LIVE_STATS_NOW UINT64_MAX

/** How many of the latest messages are kept, and how much of each, with its NUL. */
#define HECTIC_LIVE_STATS_MESSAGES     64
#define HECTIC_LIVE_STATS_MESSAGE_SIZE 256

/** How many bands of a heap-profile sample are kept; further ones are added up in one. */
#define HECTIC_LIVE_STATS_BANDS 1024

/** What a cap does. */
typedef enum hectic_cap_activity {
    HECTIC_CAP_UNKNOWN, /**< nothing that tells it has come yet */
    HECTIC_CAP_IDLE,    /**< it runs no thread, and collects no garbage */
    HECTIC_CAP_RUNNING, /**< it runs a thread */
    HECTIC_CAP_GC,      /**< it is between GC_START and GC_END */
    HECTIC_CAP_DELETED, /**< it was deleted */
    HECTIC_CAP_ACTIVITIES,
} hectic_cap_activity;

/** "unknown", "idle", "running", "gc", "gone". */
const char *hectic_cap_activity_name(hectic_cap_activity activity);

typedef struct hectic_live_stats_cap {
    uint16_t cap;
    bool is_disabled; /**< by setNumCapabilities: it is there, but runs nothing */
    hectic_cap_activity activity;
    uint32_t thread; /**< of HECTIC_CAP_RUNNING */
    uint64_t since;  /**< ns: when that began */
} hectic_live_stats_cap;

/** A snapshot, or an interval. */
typedef struct hectic_live_stats_report {
    /** What adds up: since the beginning, or in the interval (sums.from … sums.to). has_… tells
     * which numbers are known; sums.generation[i].pause.max is the longest pause in that time. */
    hectic_stat_result sums;
    uint64_t events;   /**< without block markers */
    bool has_messages; /**< there have been messages */
    uint64_t messages; /**< of the user: USER_MSG, USER_MARKER */
    uint64_t dropped;  /**< events that the producer says it had to drop */
    uint64_t created;  /**< threads; known where sums.has_threads is */
    uint64_t ended;

    /* What is: the same in an interval and in a snapshot. */
    uint64_t time; /**< ns: the latest event; 0 before the first */
    bool has_live, has_heap_size, has_blocks_size, has_pool;
    uint64_t live;        /**< bytes that the latest major collection found alive */
    uint64_t live_time;   /**< ns: when */
    uint64_t heap_size;   /**< bytes from the OS */
    uint64_t blocks_size; /**< bytes of them in blocks that are in use */
    uint64_t pool;        /**< sparks that wait in all caps' pools, as last told */
    uint64_t alive;       /**< threads; known where sums.has_threads is */
    uint64_t in_state[HECTIC_THREAD_STATES]; /**< of them */
    hectic_live_stats_cap *cap;              /**< sums.caps of them, in the order of sums.cap */
} hectic_live_stats_report;

/** What program it is. Texts are NULL and numbers 0 where the log does not tell. They are valid
 *  until the next event. */
typedef struct hectic_live_stats_program {
    const char *name; /**< without its directories */
    const char *args; /**< the command line, separated by spaces */
    const char *rts;  /**< "GHC-9.0.2 rts_thr_l" */
    uint32_t pid, ppid;
    uint32_t caps; /**< that are there and not disabled */
    bool has_wall;
    int64_t wall; /**< ns since the Unix epoch at the time 0 of the log: add it to any time */
} hectic_live_stats_program;

typedef struct hectic_live_stats_message {
    uint64_t time;
    uint16_t cap;
    uint16_t type; /**< HECTIC_EVENT_USER_MSG, _USER_MARKER or _LOG_MSG */
    char text[HECTIC_LIVE_STATS_MESSAGE_SIZE]; /**< may be cut off at its end */
} hectic_live_stats_message;

/** A band of a heap profile: "ARR_WORDS", or a cost-centre stack, "inner<outer<MAIN". */
typedef struct hectic_live_stats_band {
    const char *name;
    uint64_t bytes;
} hectic_live_stats_band;

typedef struct hectic_live_stats_sample {
    uint64_t time; /**< ns: when the heap was like this */
    uint32_t bands;
    const hectic_live_stats_band *band; /**< the largest first; valid until the next event */
} hectic_live_stats_sample;

/** NULL: no memory. */
hectic_live_stats *hectic_live_stats_new(void);
void hectic_live_stats_free(hectic_live_stats *live_stats);

/** A log begins: forgets all. False: no memory. */
bool hectic_live_stats_begin(hectic_live_stats *live_stats, const hectic_header *header);

/** Tells that the events are those of a hectic_stream. GHC's runtime writes a cap's events when
 *  there are many of them, or at every flush: what a cap does is then known only up to where its
 *  latest block ends. Sums tell of no more; and where that is long before the time that is asked
 *  for, the cap's activity is HECTIC_CAP_UNKNOWN. What comes later for intervals that have been
 * told counts in none of their sums, but what is (threads alive, sizes) is brought up to date by
 * it, as if it had come in time. Call it behind hectic_live_stats_begin. */
void hectic_live_stats_follow(hectic_live_stats *live_stats);

/** The next event. False: no memory. */
bool hectic_live_stats_event(hectic_live_stats *live_stats, const hectic_event *event);

/** Tells what has been and what is, at `time`: HECTIC_LIVE_STATS_NOW, or a time that no event so
 * far is behind. Free the arrays with hectic_live_stats_report_clear. False: no memory. */
bool hectic_live_stats_snapshot(const hectic_live_stats *live_stats, uint64_t time,
                                hectic_live_stats_report *told);

/** Tells what has been since the last interval's end (or the beginning), up to `time`, and what is;
 * the next interval begins there. Of events in order, intervals add up exactly. What events of a
 * class would tell is not known (its has_ are false) where the log says that the class was off at
 * some time of the interval. */
bool hectic_live_stats_interval(hectic_live_stats *live_stats, uint64_t time,
                                hectic_live_stats_report *told);

void hectic_live_stats_report_clear(hectic_live_stats_report *told);

hectic_live_stats_program hectic_live_stats_get_program(const hectic_live_stats *live_stats);

/** All pauses of a generation's collections since the beginning; NULL: there were none. */
const hectic_histogram *hectic_live_stats_pauses(const hectic_live_stats *live_stats,
                                                 uint16_t generation);

/** The same pauses, in exponential buckets. */
const hectic_exponential *hectic_live_stats_exponential_pauses(const hectic_live_stats *live_stats,
                                                               uint16_t generation);

/** All times to safepoint since the beginning: ns from the request for a collection to its start.
 */
const hectic_histogram *hectic_live_stats_safepoints(const hectic_live_stats *live_stats);

/** The same times, in exponential buckets. */
const hectic_exponential *
hectic_live_stats_exponential_safepoints(const hectic_live_stats *live_stats);

/** Gives `take` the threads alive as they are at `time`, in the order of their numbers: their
 *  state, since when, their cap, label, times and runs. False: no memory, or `take` said stop. */
bool hectic_live_stats_threads(const hectic_live_stats *live_stats, uint64_t time,
                               hectic_thread_callback take, void *user);

/** The latest message is number 0, the one before it number 1 …; NULL: there is none. */
const hectic_live_stats_message *hectic_live_stats_get_message(const hectic_live_stats *live_stats,
                                                               uint32_t number);

/** The latest whole sample of a heap profile. False: there is none. */
bool hectic_live_stats_get_sample(const hectic_live_stats *live_stats,
                                  hectic_live_stats_sample *sample);

#ifdef __cplusplus
}
#endif
#endif
