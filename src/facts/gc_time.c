/* gc_time.c — see gc_time.h. */
#include "facts/gc_time.h"

#include "numbers/saturating.h"

#include <stdlib.h>
#include <string.h>

enum { NO_CAP = UINT32_MAX };

enum mode {
    AWAY,
    LOST,
    OUTSIDE, /* outside collections, and not busy */
    BUSY,
    IN_GC,
    LEADING,
};

/* --- Caps ------------------------------------------------------------------------------------ */

bool gc_time_grow(struct gc_time *t)
{
    const size_t caps = t->caps;
    if ((caps & (caps - 1)) == 0) { /* at each power of two, double the capacity */
        struct gc_cap *cap = realloc(t->cap, (2 * caps + 1) * sizeof *cap);
        if (!cap) return false;
        t->cap = cap;
    }
    if (caps == 0) t->waiting = NO_CAP;
    t->cap[caps] = (struct gc_cap){0};
    t->caps = caps + 1;
    return true;
}

void gc_time_clear(struct gc_time *t)
{
    free(t->cap);
    free(t->collection);
    *t = (struct gc_time){.watch = t->watch};
}

/* Room for more, up to the next power of two. */
static size_t room(size_t count)
{
    size_t capacity = 1;
    while (capacity < count)
        capacity *= 2;
    return capacity;
}

bool gc_time_copy(struct gc_time *to, const struct gc_time *from)
{
    *to = *from;
    to->cap = malloc(room(from->caps) * sizeof *to->cap);
    to->collection = malloc(room(from->collections) * sizeof *to->collection);
    to->watch = (struct gc_watch){0};
    if (!to->cap || !to->collection) {
        gc_time_clear(to);
        return false;
    }
    if (from->caps) memcpy(to->cap, from->cap, from->caps * sizeof *to->cap);
    if (from->collections)
        memcpy(to->collection, from->collection, from->collections * sizeof *to->collection);
    return true;
}

/* --- Time ------------------------------------------------------------------------------------ */

static uint64_t led_until(const struct gc_time *t, uint64_t time)
{
    return t->led + (t->leaders > 0 && time > t->led_since ? time - t->led_since : 0);
}

/* Adds the time that a cap has waited since its last change, up to one of its times. For a late
 * edge the duration of the activity is known, but not the part of it in which a collection was led:
 * at most all of it. */
static inline void add_wait(const struct gc_time *t, const struct gc_cap *cap, uint64_t time,
                            struct gc_waits *waited)
{
    const uint64_t past = saturating_less(time, cap->since);
    uint64_t led = led_until(t, time > t->time ? time : t->time) - cap->led;
    if (led > past) led = past;
    if (cap->mode == OUTSIDE)
        waited->out += led;
    else if (cap->mode != IN_GC || cap->is_thread)
        return;
    else if (cap->takes_part)
        waited->end += past - led;
    else
        waited->begin += past;
}

struct gc_waits gc_time_waits(const struct gc_time *t, size_t cap, uint64_t time)
{
    struct gc_waits waited = t->cap[cap].waited;
    add_wait(t, &t->cap[cap], time, &waited);
    return waited;
}

struct gc_losses gc_time_losses(const struct gc_time *t, uint64_t time)
{
    struct gc_losses losses = t->losses;
    if (t->lost == 0 || time <= t->time) return losses;
    saturating_add(&losses.ns, time - t->time);
    if (t->leaders == 0) saturating_add(&losses.gcless_ns, time - t->time);
    return losses;
}

static void report_last(const struct gc_time *t, const struct gc_cap *cap, enum gc_wait wait,
                        uint64_t time, uint64_t ns)
{
    if (ns > 0) t->watch.waited(t->watch.user, wait, (size_t)(cap - t->cap), time - ns, time);
}

/* Reports the waits since the last change: its last part, less what the cap has worked. Those
 * outside were reported at the ends of collections before the present one. */
static void report_wait(const struct gc_time *t, const struct gc_cap *cap, uint64_t time,
                        uint64_t worked)
{
    struct gc_waits waited = {0};
    add_wait(t, cap, time, &waited);
    if (!cap->takes_part) waited.begin = saturating_less(waited.begin, worked);
    report_last(t, cap, GC_WAIT_BEGIN, time, waited.begin);
    report_last(t, cap, GC_WAIT_END, time, waited.end);
    if (waited.out > 0 && t->caps <= GC_OUT_CAPS_MAX) {
        const uint64_t led = led_until(t, time > t->time ? time : t->time);
        const uint64_t present = led - (cap->led > t->led ? cap->led : t->led);
        report_last(t, cap, GC_WAIT_OUT, time, waited.out < present ? waited.out : present);
    }
}

void gc_time_report(const struct gc_time *t, size_t cap, uint64_t time)
{
    report_wait(t, &t->cap[cap], time, 0);
}

/* Before a collection ends: reports that the other caps have no part in it. */
static void report_outs(const struct gc_time *t)
{
    if (!t->watch.waited || t->leaders != 1 || t->caps > GC_OUT_CAPS_MAX) return;
    for (size_t i = 0; i < t->caps; i++)
        if (t->cap[i].mode == OUTSIDE) report_wait(t, &t->cap[i], t->time, 0);
}

/* Accounts for a cap up to a time, before it changes. */
static inline void settle(const struct gc_time *t, struct gc_cap *cap, uint64_t time)
{
    add_wait(t, cap, time, &cap->waited);
    if (time > cap->since) cap->since = time;
    cap->led = led_until(t, t->time);
}

/* --- Caps that do not take part in a collection yet ------------------------------------------ */

static void list_add(struct gc_time *t, uint32_t number)
{
    struct gc_cap *cap = &t->cap[number];
    cap->previous = NO_CAP;
    cap->next = t->waiting;
    if (cap->next != NO_CAP) t->cap[cap->next].previous = number;
    t->waiting = number;
}

static void list_remove(struct gc_time *t, const struct gc_cap *cap)
{
    if (cap->next != NO_CAP) t->cap[cap->next].previous = cap->previous;
    if (cap->previous != NO_CAP)
        t->cap[cap->previous].next = cap->next;
    else
        t->waiting = cap->next;
}

/* --- Collections ----------------------------------------------------------------------------- */

uint64_t gc_mean_pause(const struct gc_collection *c)
{
    return c->caps > 0 ? c->sum / c->caps : 0;
}

static struct gc_collection *led_by(const struct gc_time *t, const struct gc_cap *cap)
{
    return cap->collection ? &t->collection[cap->collection - 1] : NULL;
}

/* The collection in which a cap takes part; NULL: its leader leads another one now. */
static struct gc_collection *of_part(const struct gc_time *t, const struct gc_cap *cap)
{
    struct gc_collection *c = cap->takes_part ? led_by(t, &t->cap[cap->leader]) : NULL;
    return c && c->number == cap->number ? c : NULL;
}

static void take_part(struct gc_time *t, struct gc_cap *cap, uint32_t leader)
{
    struct gc_collection *c = led_by(t, &t->cap[leader]);
    cap->takes_part = true;
    cap->leader = leader;
    cap->number = c->number;
    c->caps++;
}

static struct gc_collection *collection_new(struct gc_time *t, struct gc_cap *cap)
{
    const size_t count = t->collections;
    if (!cap->collection && (count & (count - 1)) == 0) {
        struct gc_collection *c = realloc(t->collection, (2 * count + 1) * sizeof *c);
        if (!c) return NULL;
        t->collection = c;
    }
    if (!cap->collection) cap->collection = (uint32_t)++t->collections;
    struct gc_collection *c = led_by(t, cap);
    *c = (struct gc_collection){.number = ++t->number, .start = cap->since, .caps = 1};
    return c;
}

static void report(const struct gc_time *t, const struct gc_cap *leader,
                   struct gc_completion *completed, bool is_over)
{
    completed->is_over |= is_over;
    completed->is_known = led_by(t, leader)->has_generation;
    completed->leader = (uint32_t)(leader - t->cap);
    completed->collection = *led_by(t, leader);
}

static bool is_over(const struct gc_collection *c)
{
    return c->has_ended && c->continued == c->caps;
}

/* Called after one of its caps has continued or dropped out. */
static void end_if_over(struct gc_time *t, const struct gc_cap *leader,
                        struct gc_completion *completed)
{
    const struct gc_collection *c = led_by(t, leader);
    if (!is_over(c)) return;
    const uint64_t mean = gc_mean_pause(c);
    saturating_add(&t->excess, saturating_less(mean, c->pause));
    report(t, leader, completed, true);
}

static void count(const struct gc_time *t, const struct gc_cap *leader, uint64_t generation,
                  struct gc_completion *completed)
{
    struct gc_collection *c = led_by(t, leader);
    if (!c || c->has_generation) return;
    c->generation = (uint16_t)generation;
    c->has_generation = true;
    if (is_over(c)) report(t, leader, completed, false);
}

/* --- Edges ----------------------------------------------------------------------------------- */

static void stop_leading(struct gc_time *t)
{
    report_outs(t);
    t->led = led_until(t, t->time);
    t->led_since = t->time;
    t->leaders--;
}

/* A cap in GC, or leading, has another activity: the end is missing. */
static void drop_out(struct gc_time *t, struct gc_cap *cap, struct gc_completion *completed)
{
    struct gc_collection *c = of_part(t, cap);
    if (cap->mode == LEADING) stop_leading(t);
    if (cap->mode == LOST) t->lost--;
    if (cap->mode == IN_GC && !cap->takes_part) list_remove(t, cap);
    if (cap->mode == IN_GC && c) {
        c->caps--;
        end_if_over(t, &t->cap[cap->leader], completed);
    }
}

static void enter(struct gc_time *t, uint32_t number)
{
    struct gc_cap *cap = &t->cap[number];
    cap->mode = IN_GC;
    cap->entered = cap->since;
    cap->is_thread = false;
    cap->takes_part = t->leaders > 0;
    cap->number = 0;
    if (!cap->takes_part)
        list_add(t, number);
    else if (t->cap[t->latest].mode == LEADING)
        take_part(t, cap, t->latest);
}

/* Caps in GC have stopped since the request: the last one has delayed the collection. */
static void count_delay(struct gc_time *t, uint64_t requested)
{
    struct gc_cap *last = NULL;
    for (uint32_t i = t->waiting; i != NO_CAP; i = t->cap[i].next)
        if (!last || t->cap[i].entered > last->entered) last = &t->cap[i];
    if (!last || last->entered <= requested) return;
    saturating_add(&last->delay, last->entered - requested);
}

static bool lead(struct gc_time *t, uint32_t number, uint64_t to_safepoint,
                 struct gc_completion *completed)
{
    struct gc_cap *cap = &t->cap[number];
    if (to_safepoint > 0) count_delay(t, saturating_less(cap->since, to_safepoint));
    struct gc_collection *last = led_by(t, cap);
    if (last && last->has_ended && !is_over(last)) { /* the ends of other caps are missing */
        last->caps = last->continued;
        end_if_over(t, cap, completed);
    }
    if (!collection_new(t, cap)) return false;
    t->led = led_until(t, t->time);
    t->led_since = t->time;
    t->leaders++;
    t->latest = number;
    cap->mode = LEADING;
    while (t->waiting != NO_CAP) {
        struct gc_cap *other = &t->cap[t->waiting];
        t->waiting = other->next;
        if (t->watch.waited) report_wait(t, other, t->time, 0);
        settle(t, other, t->time);
        take_part(t, other, number);
    }
    return true;
}

static void leave(struct gc_time *t, struct gc_cap *cap, uint64_t worked,
                  struct gc_completion *completed)
{
    struct gc_collection *c = of_part(t, cap);
    if (cap->mode != IN_GC) return;
    cap->mode = OUTSIDE;
    if (!cap->takes_part) {
        cap->waited.begin = saturating_less(cap->waited.begin, worked);
        list_remove(t, cap);
    }
    if (!c) return;
    saturating_add(&c->sum, cap->since - cap->entered);
    c->continued++;
    end_if_over(t, &t->cap[cap->leader], completed);
}

static void end_leading(struct gc_time *t, struct gc_cap *cap, uint64_t generation,
                        struct gc_completion *completed)
{
    struct gc_collection *c = led_by(t, cap);
    if (cap->mode != LEADING) return;
    cap->mode = OUTSIDE;
    stop_leading(t);
    c->has_ended = true;
    c->pause = cap->since - c->start;
    c->has_generation = generation != GC_UNCOUNTED;
    c->generation = (uint16_t)generation;
    saturating_add(&c->sum, c->pause);
    c->continued++;
    end_if_over(t, cap, completed);
}

bool gc_time_edge(struct gc_time *t, size_t place, uint64_t time, enum gc_edge edge,
                  uint64_t number, struct gc_completion *completed)
{
    struct gc_cap *cap = &t->cap[place];
    completed->is_over = completed->is_known = false;
    t->losses = gc_time_losses(t, time);
    if (time > t->time) t->time = time;
    if (t->watch.waited) report_wait(t, cap, time, edge == GC_EDGE_END ? number : 0);
    settle(t, cap, time);
    switch (edge) {
    case GC_EDGE_LEAD_END: end_leading(t, cap, number, completed); return true;
    case GC_EDGE_COUNTED: count(t, cap, number, completed); return true;
    case GC_EDGE_END: leave(t, cap, number, completed); return true;
    case GC_EDGE_WORK: cap->is_thread = true; return true;
    case GC_EDGE_DONE: cap->is_thread = false; return true;
    case GC_EDGE_HERE:
        if (cap->mode == LOST) t->lost--;
        if (cap->mode <= LOST) cap->mode = OUTSIDE;
        return true;
    case GC_EDGE_FREE:
        if (cap->mode == BUSY) cap->mode = OUTSIDE;
        return true;
    case GC_EDGE_BEGIN:
        drop_out(t, cap, completed);
        enter(t, (uint32_t)place);
        return true;
    case GC_EDGE_LEAD:
        drop_out(t, cap, completed);
        return lead(t, (uint32_t)place, number, completed);
    case GC_EDGE_BUSY:
    case GC_EDGE_LOST:
    case GC_EDGE_AWAY:
    default:
        drop_out(t, cap, completed);
        cap->mode = edge == GC_EDGE_BUSY ? BUSY : edge == GC_EDGE_LOST ? LOST : AWAY;
        t->lost += cap->mode == LOST;
        return true;
    }
}
