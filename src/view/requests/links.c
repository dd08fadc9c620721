/* links.c — creations, wakeups and migrations of a thread, and the chain of wakeups that led to the
 * end of a wait: to a return from a foreign call, or to what no thread did. */
#include "read/decode/running.h"
#include "view/requests/threads.h"

#include "timeline/thread_index.h"

#include <hectic/catalogue.h>
#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

enum {
    WAKEUPS = 1 << 16, /* the latest ones, of all threads */
    LINKS_MAX = 10000, /* of the answer */
    CHAIN_MAX = 64,
    NONE = 0,
};

enum link_kind { LINK_CREATED, LINK_WOKEN, LINK_MIGRATED, LINK_CREATES, LINK_WAKES };

struct link {
    uint8_t kind;
    bool has_by;
    uint16_t cap, to_cap; /* of the event; the thread's after it */
    uint32_t thread, by;  /* the one that is created, woken, or migrates; and who did it */
    uint64_t time;
};

/* A wait that another thread ended, the creation of a thread, or its return from a foreign call. */
struct wakeup {
    uint64_t time;
    uint64_t from;   /* ns: since when it was blocked */
    uint64_t before; /* the number of the last one of the thread that woke it; of a return, of the
                        last one of the thread that is none; NONE: unknown */
    uint32_t thread, by;
    uint16_t cap;
    uint8_t state; /* in which it was blocked; HECTIC_THREAD_STATES: it was created */
    bool has_by, is_return;
};

struct links {
    uint64_t from, to; /* of the links */
    bool has_time, is_settled, is_waiting, has_failed;
    uint64_t time; /* of the chain */
    uint32_t thread;
    hectic_threads *threads;
    const hectic_timeline *timeline;
    struct wakeup *wakeup; /* a ring; its numbers begin with 1 */
    uint64_t wakeups;
    uint64_t *last; /* by place: the number of the thread's last wakeup */
    size_t places;
    uint64_t found;           /* the wakeup that ended the wait */
    struct threads_span wait; /* which has not ended */
    struct link *link;
    size_t count;
    bool is_cut;
};

static const struct wakeup *wakeup_at(const struct links *l, uint64_t number)
{
    if (number == NONE || number + WAKEUPS <= l->wakeups) return NULL;
    return &l->wakeup[number % WAKEUPS];
}

static uint64_t *last_of(struct links *l, uint32_t place)
{
    while (place >= l->places) {
        const size_t places = l->places ? 2 * l->places : 256;
        uint64_t *more = realloc(l->last, places * sizeof *more);
        l->has_failed = l->has_failed || !more;
        if (!more) return NULL;
        memset(more + l->places, 0, (places - l->places) * sizeof *more);
        l->last = more;
        l->places = places;
    }
    return &l->last[place];
}

static void add_link(struct links *l, enum link_kind kind, const struct link *link)
{
    if (link->time < l->from || link->time >= l->to) return;
    l->is_cut = l->is_cut || l->count == LINKS_MAX;
    if (l->count == LINKS_MAX) return;
    l->link[l->count] = *link;
    l->link[l->count++].kind = (uint8_t)kind;
}

/* A thread became runnable, or was created. */
static void take_wakeup(struct links *l, const hectic_event *event,
                        const struct threads_span *before, const struct threads_span *now)
{
    struct threads_span waker;
    struct wakeup *wakeup = &l->wakeup[(l->wakeups + 1) % WAKEUPS];
    *wakeup = (struct wakeup){.time = event->time,
                              .from = before ? before->from : event->time,
                              .thread = now->thread,
                              .cap = event->cap,
                              .state = before ? before->state : HECTIC_THREAD_STATES};
    wakeup->has_by = threads_running(l->threads, event->cap, &wakeup->by);
    if (wakeup->has_by && threads_now(l->threads, wakeup->by, &waker)) {
        const uint64_t *last = last_of(l, waker.place);
        if (last) wakeup->before = *last;
    }
    uint64_t *last = last_of(l, now->place);
    if (!last) return;
    *last = ++l->wakeups;
    const struct link link = {.has_by = wakeup->has_by,
                              .cap = event->cap,
                              .to_cap = now->cap,
                              .thread = now->thread,
                              .by = wakeup->by,
                              .time = event->time};
    if (now->thread == l->thread) {
        add_link(l, before ? LINK_WOKEN : LINK_CREATED, &link);
        if (l->has_time && wakeup->from <= l->time) l->found = l->wakeups;
        if (l->is_waiting) l->is_settled = true;
    } else if (wakeup->has_by && wakeup->by == l->thread) {
        add_link(l, before ? LINK_WAKES : LINK_CREATES, &link);
    }
}

/* A thread returned from a foreign call. */
static void take_return(struct links *l, const hectic_event *event,
                        const struct threads_span *before, const struct threads_span *now)
{
    uint64_t *last = last_of(l, now->place);
    if (!last) return;
    const struct wakeup *earlier = wakeup_at(l, *last);
    const uint64_t woken = earlier && earlier->is_return ? earlier->before : *last;
    *last = ++l->wakeups;
    l->wakeup[*last % WAKEUPS] = (struct wakeup){.time = event->time,
                                                 .from = before->from,
                                                 .before = woken,
                                                 .thread = now->thread,
                                                 .cap = event->cap,
                                                 .state = before->state,
                                                 .is_return = true};
    if (now->thread == l->thread && l->has_time && before->from <= l->time) l->found = *last;
}

static bool is_blocked(const struct threads_span *span)
{
    return span->state != HECTIC_THREAD_RUNNING && span->state != HECTIC_THREAD_RUNNABLE &&
           span->state != HECTIC_THREAD_UNKNOWN;
}

/* The first event after the time of the chain: does the thread wait? */
static void look(struct links *l)
{
    l->is_waiting = threads_now(l->threads, l->thread, &l->wait) && is_blocked(&l->wait);
    l->is_settled = !l->is_waiting;
}

static bool can_wake(uint16_t type)
{
    return type == HECTIC_EVENT_THREAD_RUNNABLE || type == HECTIC_EVENT_THREAD_WAKEUP ||
           type == HECTIC_EVENT_CREATE_THREAD || type == HECTIC_EVENT_CREATE_SPARK_THREAD;
}

static bool take_event(void *state, const hectic_event *event)
{
    struct links *l = state;
    struct threads_span before, now;
    if (l->has_time && event->time > l->time && !l->is_waiting && !l->is_settled) look(l);
    if (l->has_time && l->is_settled && event->time >= l->to) return false;
    uint32_t id = 0;
    const bool has_id = hectic_read_thread(event, &id), wakes = has_id && can_wake(event->type);
    const bool runs = has_id && running_step_of(event->type) == RUNNING_STARTS;
    const bool is_own =
        has_id && id == l->thread && (wakes || runs || event->type == HECTIC_EVENT_MIGRATE_THREAD);
    const bool was_known = (wakes || runs || is_own) && threads_now(l->threads, id, &before);
    l->has_failed = l->has_failed || !hectic_threads_event(l->threads, event);
    if (l->has_failed || !(wakes || runs || is_own) || !threads_now(l->threads, id, &now))
        return !l->has_failed;
    if (runs && was_known && before.state == HECTIC_THREAD_FOREIGN)
        take_return(l, event, &before, &now);
    if (wakes && now.state == HECTIC_THREAD_RUNNABLE &&
        (!was_known || before.state != HECTIC_THREAD_RUNNABLE))
        take_wakeup(l, event, was_known ? &before : NULL, &now);
    if (is_own && was_known && before.cap != now.cap && before.cap != HECTIC_CAP_NONE)
        add_link(l, LINK_MIGRATED,
                 &(struct link){
                     .cap = before.cap, .to_cap = now.cap, .thread = id, .time = event->time});
    if (l->is_waiting && is_own && running_step_of(event->type) == RUNNING_STARTS)
        l->is_settled = true;
    return !l->has_failed;
}

/* --- The answer ------------------------------------------------------------------------------ */

static void put_name(struct json *json, const struct links *l, const char *key,
                     const char *label_key, bool known, uint32_t thread)
{
    json_number(json, key, known, thread);
    json_text(json, label_key, known ? hectic_timeline_label(l->timeline, thread) : NULL);
}

static void put_links(struct json *json, const struct links *l)
{
    static const char *const kinds[] = {"created", "woken", "migrated", "creates", "wakes"};
    json_open(json, "links", '[');
    for (size_t i = 0; i < l->count; i++) {
        const struct link *link = &l->link[i];
        json_open(json, NULL, '{');
        json_text(json, "kind", kinds[link->kind]);
        json_number(json, "time_ns", true, link->time);
        json_number(json, "cap", link->cap != HECTIC_CAP_NONE, link->cap);
        json_number(json, "to_cap", link->to_cap != HECTIC_CAP_NONE, link->to_cap);
        put_name(json, l, "thread", "label", true, link->thread);
        put_name(json, l, "by", "by_label", link->has_by, link->by);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_flag(json, "cut", true, l->is_cut);
}

static void put_chain(struct json *json, const struct links *l)
{
    const struct wakeup *wakeup = l->is_waiting && !l->is_settled ? NULL : wakeup_at(l, l->found);
    json_open(json, "chain", '[');
    if (l->is_waiting && !wakeup) {
        json_open(json, NULL, '{');
        put_name(json, l, "thread", "label", true, l->thread);
        json_text(json, "state", hectic_thread_state_name(l->wait.state));
        json_number(json, "from_ns", true, l->wait.from);
        json_number(json, "woken_ns", false, 0);
        json_number(json, "cap", false, 0);
        put_name(json, l, "by", "by_label", false, 0);
        json_close(json, '}');
    }
    uint64_t explained = 0; /* ns: the beginning of the wait that is explained */
    for (size_t i = 0; wakeup && i < CHAIN_MAX; i++) {
        if (i == 0 || !wakeup->is_return) explained = wakeup->from;
        json_open(json, NULL, '{');
        put_name(json, l, "thread", "label", true, wakeup->thread);
        json_text(json, "state",
                  wakeup->state < HECTIC_THREAD_STATES ? hectic_thread_state_name(wakeup->state)
                                                       : "created");
        json_number(json, "from_ns", true, wakeup->from);
        json_number(json, "woken_ns", true, wakeup->time);
        json_number(json, "cap", wakeup->cap != HECTIC_CAP_NONE, wakeup->cap);
        put_name(json, l, "by", "by_label", wakeup->has_by, wakeup->by);
        json_close(json, '}');
        const bool is_return = wakeup->is_return;
        wakeup = wakeup_at(l, wakeup->before);
        /* Before a call, the thread ran: what woke it earlier than that is no cause. */
        if (is_return && wakeup && wakeup->time <= explained) wakeup = NULL;
    }
    json_close(json, ']');
}

static bool finish(void *state, hectic_view *v, struct json *json)
{
    struct links *l = state;
    if (l->has_failed) return view_fail(v, "out of memory");
    if (l->has_time && !l->is_waiting && !l->is_settled) look(l); /* no event followed */
    put_name(json, l, "thread", "label", true, l->thread);
    put_links(json, l);
    put_chain(json, l);
    return true;
}

/* --- The job --------------------------------------------------------------------------------- */

static void free_links(void *state)
{
    struct links *l = state;
    hectic_threads_free(l->threads);
    free(l->wakeup);
    free(l->last);
    free(l->link);
    free(l);
}

static bool ignore_thread(void *user, const hectic_thread *thread)
{
    (void)user, (void)thread;
    return true;
}

/* Where to begin, so that a part of the chain before a time is known: at the mark before the last
 * one. */
static uint64_t before_mark(const hectic_timeline *t, uint64_t time)
{
    const struct thread_index *index = t->threads;
    size_t i = index->marks;
    while (i > 0 && index->mark[i - 1].time > time)
        i--;
    return i > 1 ? index->mark[i - 2].time : 0;
}

static void *begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct links *l = calloc(1, sizeof *l);
    if (!l) return view_fail(v, "out of memory"), NULL;
    l->has_time = request_text(&v->request, "time");
    l->time = view_value(v, "time");
    const bool has_range = request_text(&v->request, "from") || request_text(&v->request, "to");
    l->thread = (uint32_t)view_value(v, "thread");
    l->timeline = section->timeline;
    l->from = plan->from;
    l->to = plan->to;
    if (l->has_time) {
        const uint64_t first = before_mark(section->timeline, l->time);
        if (!has_range) l->from = first;
        if (!has_range) l->to = l->time < UINT64_MAX ? l->time + 1 : l->time;
        plan->from = first < l->from ? first : l->from;
        plan->to = UINT64_MAX; /* until it is known who ended the wait */
    }
    l->threads = thread_index_begin(section->timeline, section->header, plan->from, 0, UINT64_MAX,
                                    ignore_thread, NULL, &plan->from, NULL);
    plan->has_types = thread_types(section->timeline, &plan->types);
    l->wakeup = calloc(WAKEUPS, sizeof *l->wakeup);
    l->link = malloc(LINKS_MAX * sizeof *l->link);
    if (l->threads && l->wakeup && l->link) return l;
    free_links(l);
    return view_fail(v, "out of memory"), NULL;
}

bool answer_links(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {begin, take_event, NULL, finish, free_links};
    const struct section *section;
    uint64_t from, to;
    if (!view_thread_interval(v, &section, &from, &to)) return false;
    const uint64_t time = view_value(v, "time");
    switch (view_index(v, section, time > from ? time : from, json)) {
    case INDEX_FAILED: return false;
    case INDEX_NOT_READY: return true;
    default: return answer_job(v, json, &kind);
    }
}
