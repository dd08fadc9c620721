/* timeline.h — the parts of a timeline, for the files that answer from it. */
#ifndef HECTIC_SRC_TIMELINE_PARTS_H
#define HECTIC_SRC_TIMELINE_PARTS_H

#include "stat/stat_marks.h"
#include "timeline/bins.h"
#include "timeline/chunks.h"
#include "timeline/gauges.h"
#include "timeline/longest.h"
#include "timeline/titles.h"
#include "timeline/watched.h"

#include "timeline/timeline.h"

/* What HEAP_ALLOCATED reports. */
enum timeline_allocated {
    ALLOCATED_SINCE, /* bytes since the previous report of the cap */
    ALLOCATED_FIRST, /* bytes until the first report of a cap, since its first event */
    ALLOCATED_COUNT, /* reports but the first ones */
    ALLOCATED_ROWS
};

/* The first reports of caps; which of them count depends on the times of the first events. */
struct first_reports {
    uint64_t joined, first, count;
    uint64_t appeared; /* the sum of these times */
};

struct hectic_timeline {
    const hectic_header *header;
    hectic_stat *stat;
    struct chunks chunks;
    struct bins spans;      /* a row for each enum stat_span of each cap */
    struct bins unrecorded; /* one row: times in which activity is not recorded, that have ended */
    struct bins allocated;  /* a row for each timeline_allocated */
    struct first_reports first;                    /* in the row ALLOCATED_FIRST */
    struct bins said;                              /* a row for each timeline_message */
    struct gauge gauge[HECTIC_TIMELINE_ALLOCATED]; /* by hectic_timeline_size */
    struct longest longest;                        /* runs of threads */
    struct titles titles;
    struct watched watched; /* of the last picture */
    struct told *told;      /* not NULL: names are kept there (fork.h) */
    struct excerpt *excerpt;
    struct thread_index *threads; /* NULL: not needed so far */
    uint64_t left_out_to;         /* ns: the last event, if it does not count; 0: all count */
    bool is_full;                 /* out of memory */
    bool is_fork;                 /* its excerpt belongs to that of the timeline */
    bool is_behind;               /* more of the log is there, and will be read: of what has not
                                     ended, no more is known than the last event of its cap */
    bool is_saved;                /* it was loaded (saved.h): there are no events */
};

/* The columns of a picture. */
struct picture {
    uint64_t from, to;
    size_t width;
};

/* The beginning of column i; the end, of the last one. */
uint64_t picture_edge(const struct picture *picture, size_t i);

/* The column in which a time lies. */
size_t picture_column(const struct picture *picture, uint64_t time);

/* How much of the time between two times is not recorded; ns. */
uint64_t timeline_unrecorded(const hectic_timeline *timeline, uint64_t from, uint64_t to);

/* May the events of an interval be read for a picture, because they are few? */
bool timeline_is_short(const hectic_timeline *timeline, uint64_t from, uint64_t to);

/* Reads spans and sizes of an interval, as the watch of stat.h, from its events. False: out of
 * memory, or the source failed. */
bool timeline_watch(hectic_timeline *timeline, const hectic_timeline_source *source, uint64_t from,
                    uint64_t to, const struct stat_watch *watch);

/* Brings the row ALLOCATED_FIRST up to date. False: out of memory. */
bool timeline_find_first(hectic_timeline *timeline);

/* The pass, if the events of a section belong to several timelines. Takes many events at once, from
 * a run of the decoder (decode/run.h), if its header is known. False: out of memory. */
bool timeline_take_run(hectic_timeline *timeline, hectic_decoder *decoder);

/* Pulls the next item; of an event, it sets the chunk that consists of it, but for `last`. */
hectic_result timeline_next(hectic_decoder *decoder, hectic_event *event,
                            struct timeline_chunk *chunk);

/* Takes an event and its chunk. False: out of memory. */
bool timeline_take_event(hectic_timeline *timeline, const hectic_event *event,
                         const struct timeline_chunk *chunk);

/* The same, of one that counts nothing. */
bool timeline_show_event(hectic_timeline *timeline, const hectic_event *event,
                         const struct timeline_chunk *chunk);

#endif
