/* span_pairs.h — pairs START and STOP events of spans.
 *
 * The owner of an event is the thread that runs on its cap; or the cap, if the log does not record
 * a thread there. A STOP ends the most recent open START of its owner with the same label and
 * subscript. STARTs and STOPs without such a partner are paired across owners, again each STOP with
 * the most recent START. For a STOP it is known at once whether it has a partner at its owner; for
 * a START only when its thread finishes or the section ends. Until then later STOPs are pending.
 *
 * So each label and subscript has a list, in order of time, of open STARTs and pending STOPs. A
 * START that its own thread stops is removed. A START without a partner at its owner, and a STOP
 * next to it, are a pair across owners, and are removed. A STOP at the front of the list, or before
 * which events are missing, is unstarted. */
#ifndef HECTIC_SRC_SPAN_PAIRS_H
#define HECTIC_SRC_SPAN_PAIRS_H

#include "base/map.h"

#include "facts/spans.h"

/* The maximum number of open STARTs and pending STOPs. */
enum { PAIRS_MAX = 1 << 20 };

/* An open START or a pending STOP. Places are indices plus 1; 0: none. */
struct pairs_item {
    hectic_span_end at;
    uint64_t subscript;
    uint64_t lost; /* for a START: when events were missing after it; UINT64_MAX: never */
    uint32_t label;
    uint32_t tag;   /* set by the user */
    uint32_t stack; /* for a START: its owner's stack of open ones; 0: the owner will not stop it */
    uint32_t below; /* the next item in the stack */
    uint32_t list;  /* its list */
    uint32_t before, after;           /* in the list; if unused, `after` is the next unused item */
    uint32_t open_before, open_after; /* likewise among its STARTs that are open: see pending */
    bool is_stop, is_open;
};

/* Callbacks for decided items. Each returns false to stop. */
struct pairs_calls {
    /* across: different owners. The STOP was pending before, if only briefly. */
    bool (*paired)(void *user, const struct pairs_item *start, const struct pairs_item *stop,
                   bool across);
    /* A pending STOP. May set the tag. False: it cannot be kept. It ends that START, unless the
     * START's own thread stops it later; NULL: none. */
    bool (*pending)(void *user, struct pairs_item *stop, uint32_t place,
                    const struct pairs_item *start);
    bool (*unstarted)(void *user, const struct pairs_item *stop, bool was_pending);
    bool (*unstopped)(void *user, const struct pairs_item *start); /* at the end */
    /* A START after which events are missing, for the first time. May set the tag. */
    bool (*lost)(void *user, struct pairs_item *start, uint32_t place);
};

enum pairs_result {
    PAIRS_STOPPED, /* out of memory, or a callback returned false */
    PAIRS_FULL,    /* the limit is reached: ignored */
    PAIRS_TAKEN,
};

/* The stack of one owner, or the list of all, for one label and subscript. */
struct pairs_group {
    uint64_t owner, subscript;
    uint32_t label;
    uint32_t last;      /* item; 0: unused */
    uint32_t last_open; /* of a list: START that no pending STOP ends; 0: none */
    uint32_t before,
        after; /* stacks of the same thread; if unused, `after` is the next unused one */
};

struct pairs {
    const struct pairs_calls *calls;
    void *user;
    uint64_t gc;      /* of the next event, as in hectic_span_end */
    uint32_t started; /* the last START since pairs_lose; 0: none */
    struct pairs_item *item;
    uint32_t items, item_capacity, vacant_item;
    struct pairs_group *group;
    uint32_t groups, group_capacity, vacant_group;
    map group_of;      /* by owner, label and subscript */
    map threads;       /* threads with open STARTs: their first stacks */
    uint32_t *running; /* read/decode/running.h */
};

/* False: out of memory. */
bool pairs_init(struct pairs *p, const struct pairs_calls *calls, void *user);
void pairs_free(struct pairs *p);

hectic_span_end pairs_at(const struct pairs *p, const hectic_event *event);

/* Tracks the running thread of each cap. False: a callback returned false. */
bool pairs_follow(struct pairs *p, const hectic_event *event);

enum pairs_result pairs_start(struct pairs *p, const hectic_event *event, uint32_t label,
                              uint64_t subscript);

/* If a STOP cannot be kept as pending, it is unstarted. False: out of memory, or a callback
 * returned false. */
bool pairs_stop(struct pairs *p, const hectic_event *event, uint32_t label, uint64_t subscript);

/* Events are missing at `time`: STOPs may be among them. */
bool pairs_lose(struct pairs *p, uint64_t time);

/* The same for the last START only. */
bool pairs_lose_last(struct pairs *p, uint64_t time);

/* Counts a pending STOP as unstarted. False: a callback returned false. */
bool pairs_give_up(struct pairs *p, uint32_t place);

/* Ends the section: decides all items. False: a callback returned false. */
bool pairs_end(struct pairs *p);

#endif
