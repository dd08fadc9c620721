/* How the time of caps around garbage collections is divided, and how long a collection stops them.
 *
 * A participating cap logs GC_START when it stops for the collection, and GC_END when it continues:
 * before the leader's GC_START it waits for others to stop, and after the leader's GC_END for its
 * turn to continue. A cap that does not participate waits while another one leads. So the meaning
 * of a cap's edges depends on those of the leader: this takes the edges of all caps in order of
 * time.
 *
 * The cost of an edge does not depend on the number of caps: each cap stores the total time of led
 * collections at its last change, and accounts for the difference at its next change. */
#ifndef HECTIC_SRC_GC_TIME_H
#define HECTIC_SRC_GC_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At equal times, ends precede beginnings. Kinds before GC_EDGES_QUEUED can be queued (gc_queue.h);
 * some of them have a number. */
enum gc_edge {
    GC_EDGE_LEAD_END, /* GC_END of the leader; the generation, or GC_UNCOUNTED */
    GC_EDGE_COUNTED,  /* the GC_STATS_GHC after it; the generation */
    GC_EDGE_END,      /* GC_END of another cap; ns not covered by GC_EDGE_WORK */
    GC_EDGE_AWAY,     /* the cap does not exist from now on */
    GC_EDGE_LOST,     /* the cap's events are lost from now on */
    GC_EDGE_HERE,     /* the cap exists, and its events are not lost, from now on */
    GC_EDGE_BEGIN,    /* GC_START of a cap that does not lead */
    GC_EDGE_LEAD,     /* GC_START of the leader; ns since its request, or 0 */
    GC_EDGES_QUEUED,
    GC_EDGE_WORK = GC_EDGES_QUEUED, /* a cap in GC that does not lead becomes a GC thread */
    GC_EDGE_DONE,                   /* a cap in GC that does not lead is no GC thread any more */
    GC_EDGE_BUSY, /* the cap waits for no other: it runs threads, or has requested a GC */
    GC_EDGE_FREE, /* the cap does not run threads any more, and has requested no GC */
};

#define GC_UNCOUNTED UINT64_MAX

/* A collection: the pauses of the leader and of the caps that were stopped for it. */
struct gc_collection {
    uint64_t number; /* counted from 1; 0: none */
    uint64_t start;  /* GC_START of the leader */
    uint64_t pause;  /* ns, of the leader; set when it has ended */
    uint64_t sum;    /* ns, sum of the pauses of the caps that have continued */
    uint32_t caps;   /* participating caps, including the leader */
    uint32_t continued;
    uint16_t generation;
    bool has_ended, has_generation;
};

struct gc_waits {
    uint64_t begin; /* ns from its GC_START until the leader's */
    uint64_t end;   /* ns from the leader's GC_END until its own */
    uint64_t out;   /* ns in which another cap led a collection without this one */
};

struct gc_cap {
    struct gc_waits waited;
    uint64_t delay;      /* ns from requests until it stopped, if it was the last cap to stop */
    uint64_t since, led; /* its last change, and the total time of led collections by then */
    uint64_t entered;    /* GC_START */
    uint64_t number;     /* of the collection in which it takes part */
    uint32_t leader;     /* of that collection */
    uint32_t next,
        previous;        /* in the list of caps in GC that do not take part in a collection yet */
    uint32_t collection; /* the index of the latest one that it has led, plus 1 */
    uint8_t mode;
    bool is_thread;  /* in GC: it is a GC thread */
    bool takes_part; /* in GC: takes part in a collection with a known leader */
};

/* How long events of any cap were lost, and no collection was known. */
struct gc_losses {
    uint64_t ns, gcless_ns;
};

enum gc_wait { GC_WAIT_BEGIN, GC_WAIT_END, GC_WAIT_OUT }; /* as in gc_waits */

/* With more caps, GC_WAIT_OUT is not reported: each collection looks at all of them. */
enum { GC_OUT_CAPS_MAX = 256 };

/* Called when a cap has waited. */
struct gc_watch {
    void *user;
    void (*waited)(void *user, enum gc_wait wait, size_t cap, uint64_t from,
                   uint64_t to); /* NULL: not called */
};

struct gc_time {
    struct gc_watch watch;
    size_t caps;
    struct gc_cap *cap;
    size_t collections;
    struct gc_collection *collection; /* the latest one of each cap that has led one */
    uint64_t time;                    /* of the latest edge */
    uint64_t led, led_since;          /* total ns of led collections, until led_since */
    uint64_t number;                  /* collections so far */
    uint64_t excess;                  /* ns by which mean pauses exceeded the leaders' pauses */
    struct gc_losses losses;          /* until `time` */
    uint32_t lost;                    /* caps whose events are lost now */
    uint32_t leaders;                 /* caps that lead now: at most one in a valid log */
    uint32_t latest;                  /* the cap that led last */
    uint32_t waiting; /* the first cap in GC that does not take part in a collection yet */
};

/* Adds a cap; all zero has no caps. False: out of memory. */
bool gc_time_grow(struct gc_time *t);
void gc_time_clear(struct gc_time *t);

/* Makes a deep copy. False: out of memory. */
bool gc_time_copy(struct gc_time *to, const struct gc_time *from);

/* What an edge completes about a collection, each once. */
struct gc_completion {
    bool is_over;  /* all caps have continued: gc_mean_pause */
    bool is_known; /* it has ended, and its generation is known */
    uint32_t leader;
    struct gc_collection collection; /* set if one of these is true */
};

/* Takes the next edge of a cap. An edge earlier than previous ones determines the duration of the
 * cap's activity, but counts at their time for led collections. False: out of memory. */
bool gc_time_edge(struct gc_time *t, size_t cap, uint64_t time, enum gc_edge edge, uint64_t number,
                  struct gc_completion *completed);

/* ns: the mean pause of the participating caps of a collection that is over. */
uint64_t gc_mean_pause(const struct gc_collection *collection);

/* Reports the waits of a cap since its last change. */
void gc_time_report(const struct gc_time *t, size_t cap, uint64_t time);

/* The losses until a time not before any edge. */
struct gc_losses gc_time_losses(const struct gc_time *t, uint64_t time);

/* How long a cap has waited, at a time not before any of its edges. */
struct gc_waits gc_time_waits(const struct gc_time *t, size_t cap, uint64_t time);

#endif
