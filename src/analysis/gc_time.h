/* How the time of caps around collections is divided, and how long a collection stops them.
 *
 * Of a cap that takes part, GC_START comes when it stops for the collection, and GC_END when it
 * goes on: before the leader's GC_START it waits for others to stop, and after the leader's GC_END
 * for its turn to go on. A cap that takes no part waits while another one leads. So what a cap's
 * own edges mean depends on those of the leader: this takes the edges of all caps in the order of
 * time.
 *
 * An edge costs the same however many caps there are: caps hold the time for which collections had
 * been led when they last changed, and settle the difference at their next change. */
#ifndef HECTIC_SRC_GC_TIME_H
#define HECTIC_SRC_GC_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At one time, what ends something comes before what begins. The first GC_EDGES_QUEUED can be
 * queued (gc_queue.h), and some of these have a number with them. */
enum gc_edge {
    GC_EDGE_LEAD_END, /* GC_END of the leader; the generation, or GC_UNCOUNTED */
    GC_EDGE_COUNTED,  /* GC_STATS_GHC behind it; the generation */
    GC_EDGE_END,      /* GC_END of another cap; ns that GC_EDGE_WORK has not told of */
    GC_EDGE_HERE,     /* there is such a cap from now on */
    GC_EDGE_BEGIN,    /* GC_START of a cap that does not lead */
    GC_EDGE_LEAD,     /* GC_START of the leader */
    GC_EDGES_QUEUED,
    GC_EDGE_WORK = GC_EDGES_QUEUED, /* of a cap in GC that does not lead: a collector thread … */
    GC_EDGE_DONE,                   /* … no longer */
    GC_EDGE_BUSY, /* runs threads, or has asked: does not wait for another cap … */
    GC_EDGE_FREE, /* … no longer */
    GC_EDGE_AWAY, /* there is no such cap from now on */
};

#define GC_UNCOUNTED UINT64_MAX

/* A collection: the pauses of the leader and of the caps that were stopped for it. */
struct gc_collection {
    uint64_t number; /* counted from 1; 0: none */
    uint64_t start;  /* GC_START of the leader */
    uint64_t pause;  /* ns, of the leader: when it has ended */
    uint64_t sum;    /* ns, of the pauses of the caps that have gone on */
    uint32_t caps;   /* that take part, with the leader */
    uint32_t gone_on;
    uint16_t generation;
    bool has_ended, has_generation;
};

struct gc_waits {
    uint64_t begin; /* ns from its GC_START until the leader's */
    uint64_t end;   /* ns from the leader's GC_END until its own */
    uint64_t out;   /* ns in which another cap led a collection and it took no part */
};

struct gc_cap {
    struct gc_waits waited;
    uint64_t since, led; /* its last change, and for how long collections had been led by then */
    uint64_t entered;    /* GC_START */
    uint64_t number;     /* of the collection that it takes part in, and … */
    uint32_t leader;     /* … who leads it */
    uint32_t next, previous; /* among those in GC that take part in none yet */
    uint32_t collection;     /* the place of the latest one that it has led, + 1 */
    uint8_t mode;
    bool is_thread;  /* in GC: it is a collector thread */
    bool takes_part; /* in GC: in a collection whose leader is known */
};

struct gc_time {
    size_t caps;
    struct gc_cap *cap;
    size_t collections;
    struct gc_collection *collection; /* the latest of each cap that has led one */
    uint64_t time;                    /* of the latest edge */
    uint64_t led, led_since;          /* ns for which collections were led, until led_since */
    uint64_t number;                  /* collections so far */
    uint64_t excess;  /* ns by which mean pauses of caps were longer than those of leaders */
    uint32_t leaders; /* caps that lead now: in logs that make sense, one at most */
    uint32_t latest;  /* the cap that led last */
    uint32_t waiting; /* the first cap in GC that takes part in no collection yet */
};

/* All zeros has no cap yet. Makes room for one more. False: no memory. */
bool gc_time_grow(struct gc_time *t);
void gc_time_clear(struct gc_time *t);

/* A copy of its own. False: no memory. */
bool gc_time_copy(struct gc_time *to, const struct gc_time *from);

/* What an edge has made known of a collection, each once. */
struct gc_news {
    bool is_over;  /* all caps have gone on: gc_mean_pause */
    bool is_known; /* it is over, and its generation is known */
    uint32_t leader;
    struct gc_collection collection; /* set where one of these is */
};

/* Takes the next edge of a cap. One that is earlier than others before tells how long the cap did
 * something, but for the collections that are led it counts as of their time. False: no memory. */
bool gc_time_edge(struct gc_time *t, size_t cap, uint64_t time, enum gc_edge edge, uint64_t number,
                  struct gc_news *news);

/* ns: the mean of the pauses of the caps that took part in a collection that is over. */
uint64_t gc_mean_pause(const struct gc_collection *collection);

/* How long a cap has waited, as of a time that no edge of its is behind. */
struct gc_waits gc_time_waits(const struct gc_time *t, size_t cap, uint64_t time);

#endif
