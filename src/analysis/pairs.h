/* pairs.h — which STOP belongs to which START.
 *
 * An event's owner is the thread that runs on its cap, or, where the log tells of none, the cap. A
 * STOP ends what its owner has started last of that label and subscript. What has no partner at its
 * owner is paired with the same of others, again from the inside: but only when it is certain that
 * it has none, which of a START is known when its thread finishes or the section ends. Until then
 * STOPs behind it wait.
 *
 * So the events of a label and subscript that have no partner (yet) stand in a line, in the order
 * of time. One that finds a partner at its owner leaves it; a START without an owner's STOP that
 * stands next to a STOP leaves it with that; and so does a STOP with nothing before it, alone. */
#ifndef HECTIC_SRC_PAIRS_H
#define HECTIC_SRC_PAIRS_H

#include "analysis/ids.h"

#include <hectic/spans.h>

/* The open STARTs and waiting STOPs that are kept at most. */
enum { PAIRS_MOST = 1 << 20 };

/* A START that is open, or a STOP that waits. Places are numbers plus 1; 0: none. */
struct pairs_item {
    hectic_span_end at;
    uint64_t subscript;
    uint32_t label;
    uint32_t tag;           /* of a STOP: the user's */
    uint32_t stack;         /* of a START: what its owner has open, or 0: it will not stop this */
    uint32_t below;         /* in the stack */
    uint32_t line;          /* where it is */
    uint32_t before, after; /* in the line; if it is unused: `after` is the next such */
    bool is_stop;
};

/* What is decided. Each returns false to stop. */
struct pairs_calls {
    /* across: at different owners. Then the STOP has waited, if only for a moment. */
    bool (*paired)(void *user, const struct pairs_item *start, const struct pairs_item *stop,
                   bool across);
    /* The STOP has to wait; may set its tag. False: there is no room for it. */
    bool (*waits)(void *user, struct pairs_item *stop, uint32_t place);
    bool (*unstarted)(void *user, const struct pairs_item *stop, bool has_waited);
    bool (*unstopped)(void *user, const struct pairs_item *start); /* at the end */
};

enum pairs_result {
    PAIRS_STOPPED, /* no memory, or a call has said stop */
    PAIRS_FULL,    /* there is no room for it: it is nobody's partner */
    PAIRS_TAKEN,
};

/* What an owner has open of one label and subscript, or the line of those of all. */
struct pairs_group {
    uint64_t owner, subscript;
    uint32_t label;
    uint32_t last;          /* item; 0: it is unused */
    uint32_t next;          /* in its bucket, or of the unused ones */
    uint32_t before, after; /* groups of the same thread */
};

struct pairs {
    const struct pairs_calls *calls;
    void *user;
    struct pairs_item *item;
    uint32_t items, item_room, vacant_item;
    struct pairs_group *group;
    uint32_t groups, group_room, vacant_group, live_groups;
    uint32_t *bucket; /* by hash: a group */
    uint32_t mask;
    struct ids threads; /* that have something open: their first groups */
    uint32_t *running;  /* by cap: a thread, where is_running */
    bool *is_running;
};

/* False: no memory. */
bool pairs_init(struct pairs *p, const struct pairs_calls *calls, void *user);
void pairs_free(struct pairs *p);

/* Follows who runs where. False: a call has said stop. */
bool pairs_follow(struct pairs *p, const hectic_event *event);

enum pairs_result pairs_start(struct pairs *p, const hectic_event *event, uint32_t label,
                              uint64_t subscript);

/* Where there is no room for a STOP to wait, it is unstarted. False: no memory, or a call has said
 * stop. */
bool pairs_stop(struct pairs *p, const hectic_event *event, uint32_t label, uint64_t subscript);

/* A STOP that waits shall wait no longer: it is unstarted. */
bool pairs_give_up(struct pairs *p, uint32_t place);

/* The section ends: all is decided. */
bool pairs_end(struct pairs *p);

#endif
