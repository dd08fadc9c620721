/* timeline.h — an index of a section of a log, from which pictures and statistics of any
 * interval are made without reading the rest of it.
 *
 *     hectic_timeline *t = hectic_timeline_new();
 *     … take all events, as the engine of a page does …
 *     hectic_timeline_stat(t, &source, 0, from, to, &result);
 *
 * The index is made in one pass in the order of the file, also of a log that is still growing. Its
 * memory does not depend on the length of the log: sums over slots of time (hectic_timeline_slots),
 * a table of the chunks of the log, and the states of all caps at up to 2,048 times.
 */
#ifndef HECTIC_SRC_TIMELINE_H
#define HECTIC_SRC_TIMELINE_H

#include "stat/stat.h"
#include <hectic/decoder.h>

typedef struct hectic_timeline hectic_timeline;

/* Bytes of a log. */
typedef struct hectic_timeline_bytes {
    uint64_t position, length;
} hectic_timeline_bytes;

typedef struct hectic_timeline_source {
    void *user;
    /* Reads `size` bytes of the log at a position; false: failed. */
    bool (*read)(void *user, uint64_t position, void *buffer, size_t size);
    /* What a range reads next, in this order, each by one call of `read`: at once, or by a later
     * request, until when it can be read ahead. NULL: it need not be known. */
    void (*expect)(void *user, const hectic_timeline_bytes *bytes, size_t count, bool at_once);
} hectic_timeline_source;

/* NULL: out of memory. */
hectic_timeline *hectic_timeline_new(void);
void hectic_timeline_free(hectic_timeline *timeline);

/* The statistics of an interval: those of hectic_stat_get, to the last unit. Reads the chunks at
 *  its two ends. False: out of memory, or the source failed. Free the result's arrays with
 *  hectic_stat_result_clear. */
bool hectic_timeline_stat(hectic_timeline *timeline, const hectic_timeline_source *source,
                          uint64_t from, uint64_t to, hectic_stat_result *result);

/* What a cap did, as pictures show it. */
typedef enum hectic_timeline_time {
    HECTIC_TIMELINE_RUNNING,    /* running Haskell threads */
    HECTIC_TIMELINE_COLLECTING, /* in collections in which it takes part */
    HECTIC_TIMELINE_WAIT_BEGIN, /* stopped for a collection that has not begun */
    HECTIC_TIMELINE_WAIT_END,   /* stopped for one that has ended */
    HECTIC_TIMELINE_WAIT_OUT,   /* idle while another cap collects without it */
    HECTIC_TIMELINE_UNKNOWN,    /* in none of these where events are missing, or not recorded */
    HECTIC_TIMELINE_TIMES
} hectic_timeline_time;
/* What a cap did in a column of a picture: ns. */
typedef struct hectic_timeline_column {
    uint64_t time[HECTIC_TIMELINE_TIMES];
} hectic_timeline_column;

/* Fills the columns of a picture of an interval: `width` of equal length for each cap, by index.
 *  If slots are coarser than columns and the interval has few events (some megabytes), the events
 *  are read, and the columns are exact; otherwise slots are used, and one that lies in several
 *  columns is divided between them. False: out of memory, or the source failed. */
bool hectic_timeline_columns(hectic_timeline *timeline, const hectic_timeline_source *source,
                             uint64_t from, uint64_t to, size_t width,
                             hectic_timeline_column *column);

/* Are the columns of a picture exact? */
bool hectic_timeline_is_exact(const hectic_timeline *timeline, uint64_t from, uint64_t to,
                              size_t width);

/* Sizes of the heap, and what was allocated; bytes. */
typedef enum hectic_timeline_size {
    HECTIC_SRC_TIMELINE_HEAP,  /* HEAP_SIZE: from the OS */
    HECTIC_TIMELINE_BLOCKS,    /* BLOCKS_SIZE: in blocks in use */
    HECTIC_TIMELINE_LIVE,      /* HEAP_LIVE: after the last major collection */
    HECTIC_TIMELINE_ALLOCATED, /* the sum of a column: what a HEAP_ALLOCATED reports is divided
                                    evenly over the time since the last one of its cap, or since
                                    its first event; exact in slots, one that lies in several
                                    columns is divided too */
    HECTIC_TIMELINE_SIZES
} hectic_timeline_size;

/* The least and the greatest value in a column. A size is valid until the next one. */
typedef struct hectic_timeline_curve {
    bool known;
    uint64_t min, max;
} hectic_timeline_curve;

/* Fills the curves of an interval: `width` columns for each size. Exact as hectic_timeline_columns
 *  is. False: out of memory, or the source failed. */
bool hectic_timeline_curves(hectic_timeline *timeline, const hectic_timeline_source *source,
                            uint64_t from, uint64_t to, size_t width, hectic_timeline_curve *curve);

/* ns between two HEAP_ALLOCATED of a cap, the mean of an interval; its length, if there are none.
 */
uint64_t hectic_timeline_report_ns(const hectic_timeline *timeline, uint64_t from, uint64_t to);

/* What the program said, but for messages that begin or end spans. */
typedef enum timeline_message {
    TIMELINE_MESSAGES,
    TIMELINE_MARKERS,
    TIMELINE_MESSAGE_KINDS
} timeline_message;

/* Counts the messages in `width` columns for each kind. Exact as hectic_timeline_columns is. False:
 *  out of memory, or the source failed. */
bool timeline_count_messages(hectic_timeline *timeline, const hectic_timeline_source *source,
                             uint64_t from, uint64_t to, size_t width, uint64_t *count);

/* A thread that ran on a cap without interruption. */
typedef struct hectic_timeline_run {
    uint16_t cap;    /* its number */
    uint16_t stop;   /* if is_stopped: the status of STOP_THREAD, as all GHCs but 7.8.2 number it */
    bool is_stopped; /* false: it still runs, or its end is not in the log */
    uint32_t thread;
    uint64_t from, to; /* ns */
} hectic_timeline_run;

/* Finds runs of which at least `least` ns lie in an interval. Stores up to `most`, and sets
 * *count. A run that has not ended before `to` ends there. The longest ones of the log are always
 * found; others if the interval does not hold too many events: otherwise, or if there are more than
 *  `most`, *is_complete is false. False: out of memory, or the source failed. */
bool hectic_timeline_runs(hectic_timeline *timeline, const hectic_timeline_source *source,
                          uint64_t from, uint64_t to, uint64_t least, hectic_timeline_run *run,
                          size_t most, size_t *count, bool *is_complete);

/* The label of a thread, the latest so far; NULL: none. Valid until the next pull. */
const char *hectic_timeline_label(const hectic_timeline *timeline, uint32_t thread);

/* The first of the program's arguments, its name, and the identifier of its runtime. NULL:
 * unknown.
 */
const char *hectic_timeline_program(const hectic_timeline *timeline);
const char *hectic_timeline_runtime(const hectic_timeline *timeline);

/* The times of the first and the last event of the section, ns. False: none yet. */
bool hectic_timeline_extent(const hectic_timeline *timeline, uint64_t *first, uint64_t *last);

/* Declares that the log was cut: no events will follow in the section, and later ones than at
 *  `time` (ns; hectic_section.covered_to) do not count, except in sums over slots. */
void hectic_timeline_cut(hectic_timeline *timeline, uint64_t time);

/* Declares that no events will follow in the section: then fewer events are read for statistics.
 */
void hectic_timeline_end(hectic_timeline *timeline);
size_t hectic_timeline_caps(const hectic_timeline *timeline);

/* The number of a cap, by its index. */
uint16_t hectic_timeline_cap(const hectic_timeline *timeline, size_t index);

#endif
