/* pairs.h — which STOP ends which START.
 *
 * The owner of an event is the thread that runs on its cap; or the cap, where the log does not
 * record a thread there. A STOP ends the most recent open START of its owner with the same label
 * and subscript. STARTs and STOPs without such a partner are paired across owners, again each STOP
 * with the most recent START. Of a STOP it is known at once that it has no partner at its owner; of
 * a START only when its thread finishes or the section ends. Until then later STOPs are pending.
 *
 * So for each label and subscript there is a list, in order of time, of the STARTs that are open
 * and the STOPs that are pending. A START that its own thread stops is removed. A START that is
 * known to have no partner at its owner, and a STOP next to it, are a pair across owners, and are
 * removed. A STOP at the front of the list is unstarted. */
#ifndef HECTIC_SRC_PAIRS_H
#define HECTIC_SRC_PAIRS_H

#include "analysis/ids.h"

#include <hectic/spans.h>

/* At most so many open STARTs and pending STOPs are kept. */
enum { PAIRS_MAX = 1 << 20 };

/* A START that is open, or a STOP that is pending. Places are indices plus 1; 0: none. */
struct pairs_item {
    hectic_span_end at;
    uint64_t subscript;
    uint32_t label;
    uint32_t tag;           /* of a STOP: for the user */
    uint32_t stack;         /* of a START: its owner's open ones; 0: the owner will not stop it */
    uint32_t below;         /* in the stack */
    uint32_t list;          /* that it is in */
    uint32_t before, after; /* in the list; if it is unused: `after` is the next such */
    bool is_stop;
};

/* What is decided. Each returns false to stop. */
struct pairs_calls {
    /* across: of different owners. The STOP was pending before, if only for a moment. */
    bool (*paired)(void *user, const struct pairs_item *start, const struct pairs_item *stop,
                   bool across);
    /* Not decided yet. May set the tag. False: there is no room for it. */
    bool (*pending)(void *user, struct pairs_item *stop, uint32_t place);
    bool (*unstarted)(void *user, const struct pairs_item *stop, bool was_pending);
    bool (*unstopped)(void *user, const struct pairs_item *start); /* at the end */
};

enum pairs_result {
    PAIRS_STOPPED, /* no memory, or a call returned false */
    PAIRS_FULL,    /* there is no room for it: it is ignored */
    PAIRS_TAKEN,
};

/* The stack of one owner, or the list of all, for one label and subscript. */
struct pairs_group {
    uint64_t owner, subscript;
    uint32_t label;
    uint32_t last;          /* item; 0: it is unused */
    uint32_t next;          /* in its bucket, or of the unused ones */
    uint32_t before, after; /* stacks of the same thread */
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
    struct ids threads; /* those with open STARTs: their first stacks */
    uint32_t *running;  /* by cap: a thread, where is_running */
    bool *is_running;
};

/* False: no memory. */
bool pairs_init(struct pairs *p, const struct pairs_calls *calls, void *user);
void pairs_free(struct pairs *p);

/* Follows which thread runs on which cap. False: a call returned false. */
bool pairs_follow(struct pairs *p, const hectic_event *event);

enum pairs_result pairs_start(struct pairs *p, const hectic_event *event, uint32_t label,
                              uint64_t subscript);

/* Without room for a pending STOP it is unstarted. False: no memory, or a call returned
 * false. */
bool pairs_stop(struct pairs *p, const hectic_event *event, uint32_t label, uint64_t subscript);

/* Counts a pending STOP as unstarted. False: a call returned false. */
bool pairs_give_up(struct pairs *p, uint32_t place);

/* The section ends: all is decided. False: a call returned false. */
bool pairs_end(struct pairs *p);

#endif
