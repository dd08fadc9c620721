/* span_pairs.c — see span_pairs.h. */
#include "facts/span_pairs.h"

#include "base/array.h"
#include "read/decode/running.h"
#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

enum { CAPS = 65536, STATUS_FINISHED = 5 };

/* Owners: threads by their numbers, then caps; and an owner for lists. */
#define CAP_0    (UINT64_C(1) << 32)
#define EVERYONE (UINT64_C(2) << 32)

/* --- Groups ---------------------------------------------------------------------------------- */

struct group_place {
    map_key key;
    uint32_t place;
};

/* An owner has 34 bits, a label 16. */
static map_key key_of(uint64_t owner, uint32_t label, uint64_t subscript)
{
    return (map_key){subscript, (owner + 1) << 16 | label};
}

static uint32_t find_group(const struct pairs *p, uint64_t owner, uint32_t label,
                           uint64_t subscript)
{
    const struct group_place *known = map_find(&p->group_of, key_of(owner, label, subscript));
    return known ? known->place : 0;
}

static bool is_thread(uint64_t owner)
{
    return owner < CAP_0;
}

/* Adds a group at the front of its thread's list. */
static bool link_thread(struct pairs *p, uint32_t place)
{
    struct pairs_group *group = &p->group[place - 1];
    const uint32_t thread = (uint32_t)group->owner;
    group->after = (uint32_t)map_value_of(&p->threads, thread);
    if (group->after) p->group[group->after - 1].before = place;
    return map_set_value(&p->threads, thread, place);
}

static void unlink_thread(struct pairs *p, const struct pairs_group *group)
{
    const uint32_t thread = (uint32_t)group->owner;
    if (group->after) p->group[group->after - 1].before = group->before;
    if (group->before)
        p->group[group->before - 1].after = group->after;
    else if (group->after)
        map_find_value(&p->threads, thread)->value = group->after;
    else
        map_remove_value(&p->threads, thread);
}

/* A new group with the first item `item`; 0: out of memory. */
static uint32_t add_group(struct pairs *p, uint64_t owner, const struct pairs_item *item,
                          uint32_t place_of_item)
{
    uint32_t place = p->vacant_group;
    if (place)
        p->vacant_group = p->group[place - 1].after;
    else if (array_reserve(p->group, p->group_capacity, p->groups + 1))
        place = ++p->groups;
    else
        return 0;
    p->group[place - 1] = (struct pairs_group){
        .owner = owner, .subscript = item->subscript, .label = item->label, .last = place_of_item};
    struct group_place *added = map_add(&p->group_of, key_of(owner, item->label, item->subscript));
    if (!added) return 0;
    added->place = place;
    return !is_thread(owner) || link_thread(p, place) ? place : 0;
}

static void remove_group(struct pairs *p, uint32_t place)
{
    struct pairs_group *group = &p->group[place - 1];
    map_remove(&p->group_of,
               map_find(&p->group_of, key_of(group->owner, group->label, group->subscript)));
    if (is_thread(group->owner)) unlink_thread(p, group);
    *group = (struct pairs_group){.after = p->vacant_group};
    p->vacant_group = place;
}

/* --- Lists ----------------------------------------------------------------------------------- */

static bool is_full(const struct pairs *p)
{
    return !p->vacant_item && p->items == PAIRS_MAX;
}

/* Appends an item to its list. 0: out of memory. */
static uint32_t append(struct pairs *p, const struct pairs_item *item)
{
    uint32_t place = p->vacant_item;
    if (place)
        p->vacant_item = p->item[place - 1].after;
    else if (array_reserve(p->item, p->item_capacity, p->items + 1))
        place = ++p->items;
    else
        return 0;
    uint32_t list = find_group(p, EVERYONE, item->label, item->subscript);
    const uint32_t before = list ? p->group[list - 1].last : 0;
    if (list)
        p->group[list - 1].last = place;
    else if (!(list = add_group(p, EVERYONE, item, place)))
        return 0;
    struct pairs_item *own = &p->item[place - 1];
    *own = *item;
    own->list = list;
    own->before = before;
    if (before) p->item[before - 1].after = place;
    return place;
}

static void open_start(struct pairs *p, uint32_t place)
{
    struct pairs_item *item = &p->item[place - 1];
    struct pairs_group *list = &p->group[item->list - 1];
    item->open_before = list->last_open;
    if (item->open_before) p->item[item->open_before - 1].open_after = place;
    item->is_open = true;
    list->last_open = place;
}

static void close_start(struct pairs *p, struct pairs_item *item)
{
    if (!item->is_open) return;
    if (item->open_before) p->item[item->open_before - 1].open_after = item->open_after;
    if (item->open_after)
        p->item[item->open_after - 1].open_before = item->open_before;
    else
        p->group[item->list - 1].last_open = item->open_before;
    item->is_open = false;
}

static void remove_item(struct pairs *p, uint32_t place)
{
    struct pairs_item *item = &p->item[place - 1];
    struct pairs_group *list = &p->group[item->list - 1];
    close_start(p, item);
    if (item->before) p->item[item->before - 1].after = item->after;
    if (item->after) p->item[item->after - 1].before = item->before;
    if (list->last == place) list->last = item->before;
    if (!list->last) remove_group(p, item->list);
    *item = (struct pairs_item){.after = p->vacant_item};
    p->vacant_item = place;
}

/* Pairs two neighbors in a list if decided, and then their neighbors. */
static bool settle(struct pairs *p, uint32_t left, uint32_t right)
{
    bool go_on = true;
    while (go_on && right && p->item[right - 1].is_stop) {
        const struct pairs_item *stop = &p->item[right - 1];
        const struct pairs_item *start = left ? &p->item[left - 1] : NULL;
        const bool is_lost = start && !start->is_stop && start->lost < stop->at.time;
        const bool is_pair = start && !is_lost;
        if (is_pair && (start->stack || start->is_stop)) break; /* not decided yet */
        const uint32_t next_left = is_pair ? start->before : left, next_right = stop->after;
        go_on = is_pair ? p->calls->paired(p->user, start, stop, true)
                        : p->calls->unstarted(p->user, stop, true);
        remove_item(p, right);
        if (is_pair) remove_item(p, left);
        left = next_left;
        right = next_right;
    }
    return go_on;
}

/* --- Owners ---------------------------------------------------------------------------------- */

hectic_span_end pairs_at(const struct pairs *p, const hectic_event *event)
{
    const uint32_t running = p->running[event->cap];
    return (hectic_span_end){.time = event->time,
                             .gc = p->gc,
                             .position = event->position,
                             .thread = running ? running - 1 : 0,
                             .cap = event->cap,
                             .has_thread = running > 0};
}

static struct pairs_item item_of(const struct pairs *p, const hectic_event *event, uint32_t label,
                                 uint64_t subscript, bool is_stop)
{
    return (struct pairs_item){
        .at = pairs_at(p, event), .subscript = subscript, .label = label, .is_stop = is_stop};
}

/* The owner will not stop any open item of the stack. */
static bool abandon(struct pairs *p, uint32_t stack)
{
    uint32_t place = p->group[stack - 1].last;
    bool go_on = true;
    remove_group(p, stack);
    while (place && go_on) {
        struct pairs_item *item = &p->item[place - 1];
        const uint32_t below = item->below;
        item->stack = 0;
        go_on = settle(p, place, item->after);
        place = below;
    }
    return go_on;
}

static bool finish(struct pairs *p, uint32_t thread)
{
    bool go_on = true;
    uint32_t stack;
    while (go_on && (stack = (uint32_t)map_value_of(&p->threads, thread)))
        go_on = abandon(p, stack);
    return go_on;
}

bool pairs_follow(struct pairs *p, const hectic_event *event)
{
    hectic_event replayed;
    hectic_event_stop_thread stop;
    running_follow(p->running, event);
    if (event->type == HECTIC_EVENT_STOP_THREAD)
        return !hectic_read_stop_thread(event, &stop) || stop.status != STATUS_FINISHED ||
               finish(p, stop.thread);
    /* A replay only matters if events of a cap are missing. */
    if (hectic_read_replayed(event, &replayed) &&
        running_step_of(replayed.type) == RUNNING_STARTS && !p->running[replayed.cap])
        running_follow(p->running, &replayed);
    return true;
}

/* --- Ends of spans --------------------------------------------------------------------------- */

enum pairs_result pairs_start(struct pairs *p, const hectic_event *event, uint32_t label,
                              uint64_t subscript)
{
    struct pairs_item item = item_of(p, event, label, subscript, false);
    item.lost = UINT64_MAX;
    if (is_full(p)) return PAIRS_FULL;
    const uint32_t place = append(p, &item);
    if (!place) return PAIRS_STOPPED;
    uint32_t stack = find_group(p, hectic_span_owner(&item.at), label, subscript);
    if (stack) {
        p->item[place - 1].below = p->group[stack - 1].last;
        p->group[stack - 1].last = place;
    } else {
        stack = add_group(p, hectic_span_owner(&item.at), &item, place);
    }
    p->item[place - 1].stack = stack;
    open_start(p, place);
    p->started = place;
    return stack ? PAIRS_TAKEN : PAIRS_STOPPED;
}

static bool lose(struct pairs *p, uint32_t place, uint64_t time)
{
    struct pairs_item *item = &p->item[place - 1];
    if (!item->list || item->is_stop || item->lost != UINT64_MAX) return true;
    item->lost = time;
    return p->calls->lost(p->user, item, place);
}

bool pairs_lose(struct pairs *p, uint64_t time)
{
    bool go_on = true;
    if (!p->started) return true;
    p->started = 0;
    for (uint32_t place = 1; place <= p->items && go_on; place++)
        go_on = lose(p, place, time);
    return go_on;
}

bool pairs_lose_last(struct pairs *p, uint64_t time)
{
    return !p->started || lose(p, p->started, time);
}

/* The STOP ends the last open START of its owner. */
static bool stop_own(struct pairs *p, const struct pairs_item *stop, uint32_t stack)
{
    const uint32_t place = p->group[stack - 1].last;
    const struct pairs_item start = p->item[place - 1];
    p->group[stack - 1].last = start.below;
    if (!start.below) remove_group(p, stack);
    remove_item(p, place);
    return settle(p, start.before, start.after) && p->calls->paired(p->user, &start, stop, false);
}

bool pairs_stop(struct pairs *p, const hectic_event *event, uint32_t label, uint64_t subscript)
{
    struct pairs_item stop = item_of(p, event, label, subscript, true);
    const uint32_t stack = find_group(p, hectic_span_owner(&stop.at), label, subscript);
    if (stack) return stop_own(p, &stop, stack);
    const bool has_list = find_group(p, EVERYONE, label, subscript);
    if (!has_list || is_full(p)) return p->calls->unstarted(p->user, &stop, false);
    const uint32_t place = append(p, &stop);
    if (!place) return false;
    struct pairs_item *own = &p->item[place - 1];
    const uint32_t before = own->before, open = p->group[own->list - 1].last_open;
    struct pairs_item *start = open ? &p->item[open - 1] : NULL;
    if (p->calls->pending(p->user, own, place, start)) {
        if (start) close_start(p, start);
        return settle(p, before, place);
    }
    remove_item(p, place);
    return p->calls->unstarted(p->user, &stop, false);
}

bool pairs_give_up(struct pairs *p, uint32_t place)
{
    const struct pairs_item stop = p->item[place - 1];
    remove_item(p, place);
    return p->calls->unstarted(p->user, &stop, true) && settle(p, stop.before, stop.after);
}

/* --- The whole ------------------------------------------------------------------------------- */

bool pairs_init(struct pairs *p, const struct pairs_calls *calls, void *user)
{
    *p = (struct pairs){.calls = calls, .user = user};
    p->group_of = (map){.entry_size = sizeof(struct group_place), .unsorted = true};
    p->running = running_new();
    return p->running;
}

void pairs_free(struct pairs *p)
{
    free(p->item);
    free(p->group);
    map_clear(&p->group_of);
    free(p->running);
    map_clear(&p->threads);
}

bool pairs_end(struct pairs *p)
{
    bool go_on = true;
    for (uint32_t i = 0; i < p->groups && go_on; i++)
        if (p->group[i].last && p->group[i].owner != EVERYONE) go_on = abandon(p, i + 1);
    /* The lists have only STARTs left. */
    for (uint32_t i = 0; i < p->groups && go_on; i++)
        for (uint32_t at = p->group[i].last; at && go_on; at = p->item[at - 1].before)
            go_on = p->calls->unstopped(p->user, &p->item[at - 1]);
    p->items = p->groups = p->vacant_item = p->vacant_group = p->started = 0;
    map_clear(&p->group_of);
    memset(p->running, 0, CAPS * sizeof *p->running);
    map_clear(&p->threads);
    return go_on;
}
