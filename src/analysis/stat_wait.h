/* Who waits while another cap collects.
 *
 * A cap that takes no part in a collection has no events that say so: it waits while some cap leads
 * a collection and it is not in one itself. That takes the beginnings and ends of collections of
 * all caps in the order of time. They are queued cap by cap, and merged as far as all caps are
 * known. A queue holds what one cap tells while another one fills a block: with heap events (since
 * GHC 7.6) every cap tells something at every collection, so that is bounded by the size of a
 * block. Where it is not, the oldest edges are merged when there are too many, and what comes too
 * late then makes the times unknown. */
#ifndef HECTIC_SRC_STAT_WAIT_H
#define HECTIC_SRC_STAT_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum edge_kind { CAP_BORN, GC_BEGIN, GC_END, LEAD_BEGIN, LEAD_END };

struct edge {
    uint64_t time;
    enum edge_kind kind;
};

struct edge_queue {
    struct edge *edge;
    size_t head, tail, capacity;
    uint64_t known; /* set by the caller before stat_wait_make_room: it has all edges before this */
};

/* Of one cap, what the merge has come to. Of the time for which collections were led, the cap was
 * in one itself for `inside`, and there was no such cap for `before`. */
struct stat_waited {
    uint64_t before, inside, since;
    bool in_gc;
};

struct stat_clock {
    uint64_t time;
    uint64_t led, led_since;
    bool is_led;
};

struct stat_wait {
    size_t caps;
    struct edge_queue *queue; /* of each cap */
    struct stat_waited *cap;
    struct stat_clock clock;
    size_t edges;
    bool lost; /* order */
};

/* Room for one more cap. False: no memory. */
bool stat_wait_grow(struct stat_wait *wait);
void stat_wait_clear(struct stat_wait *wait);

/* Shall the caller make room now and then? */
bool stat_wait_is_full(const struct stat_wait *wait);
void stat_wait_make_room(struct stat_wait *wait);

bool stat_wait_push(struct stat_wait *wait, size_t cap, uint64_t time, enum edge_kind kind);

/* Merges what is before `time`. */
void stat_wait_merge(struct stat_wait *wait, uint64_t time);

/* Sets waited[i] to how long cap i has waited as of now, with all that is queued. False: no memory.
 */
bool stat_wait_tell(const struct stat_wait *wait, uint64_t now, uint64_t *waited);

#endif
