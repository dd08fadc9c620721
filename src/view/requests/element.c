/* element.c — the request element: one thing that pictures show, at a time, or the next, the
 * previous or the longest of its kind; and the spans around it and in it. States of threads are
 * read from the log, the others from the marks. */
#include "report/threads_report.h"
#include "timeline/thread_index.h"
#include "view/engine/marks.h"
#include "view/requests/threads.h"

#include <stdlib.h>
#include <string.h>

enum { INSIDE_MAX = 20, AROUND_MAX = 20 };

/* As in requests.def. */
enum kind { KIND_THREAD, KIND_CAP, KIND_COLLECTION, KIND_SPAN, KIND_MARKER, KIND_MESSAGE };
enum which { WHICH_AT, WHICH_NEXT, WHICH_PREVIOUS, WHICH_LONGEST };

/* What is looked for. */
struct wanted {
    enum kind kind;
    enum which which;
    uint64_t time, within; /* ns */
    bool has_thread, has_cap, has_generation;
    uint32_t thread, cap, generation;
    const char *name, *group, *state; /* of the request; NULL: any */
};

static struct wanted wanted_of(const hectic_view *v)
{
    const struct request *request = &v->request;
    return (struct wanted){
        .kind = (enum kind)view_value(v, "kind"),
        .which = (enum which)view_value(v, "which"),
        .time = view_value(v, "time"),
        .within = view_value(v, "within"),
        .has_thread = request_text(request, "thread"),
        .has_cap = request_text(request, "cap"),
        .has_generation = request_text(request, "generation"),
        .thread = (uint32_t)view_value(v, "thread"),
        .cap = (uint32_t)view_value(v, "cap"),
        .generation = (uint32_t)view_value(v, "generation"),
        .name = request_text(request, "name"),
        .group = request_text(request, "group"),
        .state = request_text(request, "state"),
    };
}

struct extent {
    uint64_t from, to; /* equal: a point of time */
};

/* How far a time is from an extent. */
static uint64_t distance(struct extent extent, uint64_t time)
{
    if (time < extent.from) return extent.from - time;
    return time > extent.to ? time - extent.to : 0;
}

/* Is an element better than the best one so far (NULL: there is none)? */
static bool is_better(const struct wanted *w, struct extent one, const struct extent *best)
{
    const uint64_t length = one.to - one.from, away = distance(one, w->time);
    switch (w->which) {
    case WHICH_AT: /* the innermost */
        if (away > w->within) return false;
        if (!best) return true;
        return away != distance(*best, w->time) ? away < distance(*best, w->time)
                                                : length < best->to - best->from;
    case WHICH_NEXT: return one.from > w->time && (!best || one.from < best->from);
    case WHICH_PREVIOUS: return one.from < w->time && (!best || one.from > best->from);
    default: return !best || length > best->to - best->from;
    }
}

/* --- The spans of a thread ------------------------------------------------------------------- */

static bool is_in(struct extent inner, struct extent outer)
{
    return inner.from >= outer.from && inner.to <= outer.to;
}

static bool has_row_of(const struct marks *marks, const struct span_mark *span, uint32_t thread)
{
    const uint32_t row = span->row[BY_THREAD];
    return row != NO_ROW && marks->row[BY_THREAD][row].has_thread &&
           marks->row[BY_THREAD][row].thread == thread;
}

/* Spans in which an element lies, or that lie in it, in order of their beginnings. Returns how many
 * there are. */
static uint64_t put_spans(struct json *json, const char *key, const struct marks *marks,
                          uint32_t thread, struct extent extent, bool around, size_t most)
{
    uint64_t count = 0;
    json_open(json, key, '[');
    for (size_t i = 0; marks && i < marks->spans; i++) {
        const struct span_mark *span = &marks->span[i];
        const struct extent own = {span->from, span->to};
        const bool is_itself = own.from == extent.from && own.to == extent.to;
        if (own.from > extent.to) break;
        if (is_itself || !(around ? is_in(extent, own) : is_in(own, extent)) ||
            !has_row_of(marks, span, thread))
            continue;
        if (count++ >= most) continue;
        json_open(json, NULL, '{');
        json_text(json, "name", span->label);
        json_number(json, "from_ns", true, span->from);
        json_number(json, "to_ns", true, span->to);
        json_close(json, '}');
    }
    json_close(json, ']');
    return count;
}

static void put_relations(struct json *json, const struct marks *marks, const uint32_t *thread,
                          struct extent extent)
{
    const struct marks *of = thread ? marks : NULL;
    const uint32_t number = thread ? *thread : 0;
    put_spans(json, "around", of, number, extent, true, AROUND_MAX);
    json_number(json, "inside_count", true,
                put_spans(json, "inside", of, number, extent, false, INSIDE_MAX));
}

/* --- The answer ------------------------------------------------------------------------------ */

/* What is known of an element. */
struct element {
    struct extent extent;
    bool has_thread, has_cap, has_generation;
    uint32_t thread, generation;
    uint16_t cap;
    const char *state, *next; /* of a thread */
    const char *name;         /* of a span */
    const uint8_t *text;      /* a message */
    size_t size;
    bool is_open; /* its end is not in the log */
};

static void put_element(struct json *json, const struct section *section, const struct wanted *w,
                        const struct element *e, const struct marks *marks)
{
    static const char *const kinds[] = {"thread", "thread", "collection",
                                        "span",   "marker", "message"};
    json_open(json, "element", '{');
    json_text(json, "kind", kinds[w->kind]);
    json_number(json, "from_ns", true, e->extent.from);
    json_number(json, "to_ns", true, e->extent.to);
    json_number(json, "thread", e->has_thread, e->thread);
    json_text(json, "label",
              e->has_thread ? hectic_timeline_label(section->timeline, e->thread) : NULL);
    json_number(json, "cap", e->has_cap, e->cap);
    json_number(json, "generation", e->has_generation, e->generation);
    json_text(json, "state", e->state);
    json_text(json, "next", e->next);
    if (e->text)
        json_bytes(json, "text", (const char *)e->text, e->size);
    else
        json_text(json, "text", e->name);
    json_flag(json, "open", true, e->is_open);
    json_close(json, '}');
    put_relations(json, marks, e->has_thread ? &e->thread : NULL, e->extent);
}

static void put_none(struct json *json)
{
    json_text(json, "element", NULL);
    put_relations(json, NULL, NULL, (struct extent){0, 0});
}

/* --- Of the marks ---------------------------------------------------------------------------- */

static bool is_same_group(const char *a, const char *b)
{
    uint64_t number;
    const size_t size = strlen(a), other = strlen(b);
    const size_t rest = hectic_spans_group_length((const uint8_t *)a, size, &number);
    return rest == hectic_spans_group_length((const uint8_t *)b, other, &number) &&
           (rest < size) == (rest < other) && memcmp(a, b, rest) == 0;
}

static bool is_wanted_span(const struct marks *marks, const struct span_mark *span,
                           const struct wanted *w)
{
    if (w->has_thread && !has_row_of(marks, span, w->thread)) return false;
    if (w->group && !is_same_group(span->label, w->group)) return false;
    return !w->name || strcmp(span->label, w->name) == 0;
}

static struct element span_element(const struct marks *marks, const struct span_mark *span)
{
    const uint32_t row = span->row[BY_THREAD];
    struct element e = {
        .extent = {span->from, span->to}, .name = span->label, .is_open = !span->is_stopped};
    if (row == NO_ROW) return e;
    const struct span_row *of = &marks->row[BY_THREAD][row];
    e.has_thread = of->has_thread;
    e.thread = of->thread;
    e.has_cap = !of->has_thread;
    e.cap = of->cap;
    return e;
}

static struct element collection_element(const struct collection_mark *c)
{
    return (struct element){.extent = {c->from, c->to},
                            .has_cap = c->has_cap,
                            .cap = c->cap,
                            .has_generation = c->has_generation,
                            .generation = c->generation};
}

static struct element message_element(const struct message_mark *m)
{
    return (struct element){.extent = {m->time, m->time},
                            .has_thread = m->has_thread,
                            .thread = m->thread,
                            .has_cap = m->cap != HECTIC_CAP_NONE,
                            .cap = m->cap,
                            .text = m->text ? m->text : (const uint8_t *)"",
                            .size = m->size};
}

/* Sets *e to the i-th mark of the kind, if it is wanted. */
static bool mark_element(const struct marks *marks, const struct wanted *w, size_t i,
                         struct element *e)
{
    if (w->kind == KIND_SPAN) {
        if (!is_wanted_span(marks, &marks->span[i], w)) return false;
        *e = span_element(marks, &marks->span[i]);
        return true;
    }
    if (w->kind == KIND_COLLECTION) {
        const struct collection_mark *c = collection_at(marks, i);
        if (w->has_generation && !(c->has_generation && c->generation == w->generation))
            return false;
        *e = collection_element(c);
        return true;
    }
    const struct message_mark *m = message_at(marks, i);
    if (m->is_marker != (w->kind == KIND_MARKER)) return false;
    *e = message_element(m);
    return true;
}

static bool find_mark(const struct marks *marks, const struct wanted *w, struct element *best)
{
    const size_t count = w->kind == KIND_SPAN         ? marks->spans
                         : w->kind == KIND_COLLECTION ? marks->collections
                                                      : marks->messages;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        struct element e;
        if (!mark_element(marks, w, i, &e) || !is_better(w, e.extent, found ? &best->extent : NULL))
            continue;
        *best = e;
        found = true;
    }
    return found;
}

static bool answer_mark(struct json *json, const struct section *section, const struct wanted *w,
                        const struct marks *marks)
{
    struct element e;
    json_open(json, NULL, '{');
    json_flag(json, "complete", true, true);
    json_real(json, "progress", true, 1);
    if (marks && find_mark(marks, w, &e))
        put_element(json, section, w, &e, marks);
    else
        put_none(json);
    json_close(json, '}');
    return true;
}

/* --- States of threads ----------------------------------------------------------------------- */

struct search {
    const struct section *section;
    struct wanted wanted;
    char state[32]; /* that of the request, which changes */
    hectic_threads *threads;
    uint64_t from, to; /* of the events that are read */
    bool lacks_caps;   /* only runs are known */
    bool is_found, has_failed;
    struct threads_span span; /* if it is found; `to` may be its end in what was read */
    bool is_open;             /* the log ended before the state did */
    bool is_ending, is_past;  /* an event after the time was taken */
};

static void search_free(void *state)
{
    struct search *s = state;
    hectic_threads_free(s->threads);
    free(s);
}

static void take_span(void *user, const struct threads_span *taken)
{
    struct search *s = user;
    const struct wanted *w = &s->wanted;
    struct threads_span known = *taken;
    const struct threads_span *span = &known;
    if (span->from >= span->to) return;
    if (s->lacks_caps) known.state = (uint8_t)threads_known_state(known.state);
    if (s->lacks_caps && known.next != HECTIC_THREAD_STATES)
        known.next = (uint8_t)threads_known_state(known.next);
    if (w->kind == KIND_THREAD && span->thread != w->thread) return;
    if (w->kind == KIND_CAP && (span->cap != w->cap || span->state != HECTIC_THREAD_RUNNING))
        return;
    if (w->state && strcmp(hectic_thread_state_name(span->state), w->state) != 0) return;
    /* The last moment belongs to the next state. */
    const struct extent own = {span->from, span->to - 1};
    const struct extent best = {s->span.from, s->span.to - 1};
    if (!is_better(w, own, s->is_found ? &best : NULL)) return;
    s->span = *span;
    s->is_found = true;
    s->is_open = s->is_ending && span->next != HECTIC_THREAD_STATES;
}

static bool ignore_thread(void *user, const hectic_thread *thread)
{
    (void)user, (void)thread;
    return true;
}

/* Begins to read from what is known of the time `at`. */
static bool plan_from(struct search *s, uint64_t at, uint64_t to, struct job_plan *plan)
{
    const struct section *section = s->section;
    hectic_threads_free(s->threads);
    s->threads = thread_index_begin(section->timeline, section->header, at, 0, UINT64_MAX,
                                    ignore_thread, NULL, &plan->from, NULL);
    s->from = plan->from;
    s->to = plan->to = to;
    plan->has_types = thread_types(section->timeline, &plan->types);
    if (s->threads) threads_watch(s->threads, take_span, s);
    s->has_failed = !s->threads;
    return s->threads;
}

static void *begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct search *s = calloc(1, sizeof *s);
    if (!s) return view_fail(v, "out of memory"), NULL;
    s->section = section;
    s->lacks_caps = stat_lacks_caps(section->timeline->stat);
    s->wanted = wanted_of(v);
    s->wanted.within = 0;
    if (s->wanted.state) {
        strncpy(s->state, s->wanted.state, sizeof s->state - 1);
        s->wanted.state = s->state;
    }
    const uint64_t time = s->wanted.which == WHICH_LONGEST ? 0 : s->wanted.time;
    const bool is_before = s->wanted.which == WHICH_PREVIOUS;
    if (plan_from(s, time, is_before && time < UINT64_MAX ? time + 1 : UINT64_MAX, plan)) return s;
    search_free(s);
    return view_fail(v, "out of memory"), NULL;
}

/* Does nothing of the kind have the time? Told by the first event after it. */
static bool is_in_vain(struct search *s, const hectic_event *event)
{
    struct threads_span now;
    uint32_t thread;
    if (s->wanted.which != WHICH_AT || s->is_past || event->time <= s->wanted.time) return false;
    s->is_past = true;
    return s->wanted.kind == KIND_CAP
               ? !threads_running(s->threads, (uint16_t)s->wanted.cap, &thread)
               : !threads_now(s->threads, s->wanted.thread, &now);
}

/* Later states begin later: the first one is the next one, and so is the one that has the time. Of
 * a cap, states of several threads end in the order of time, too. */
static bool take(void *state, const hectic_event *event)
{
    struct search *s = state;
    if (is_in_vain(s, event)) return false;
    s->has_failed = s->has_failed || !hectic_threads_event(s->threads, event);
    const bool is_first = s->wanted.which == WHICH_AT || s->wanted.which == WHICH_NEXT;
    return !s->has_failed && !(s->is_found && is_first);
}

/* The states before the mark, if none was found after it. */
static bool next(void *state, struct job_plan *plan)
{
    struct search *s = state;
    if (s->wanted.which != WHICH_PREVIOUS || s->is_found || s->from == 0 || s->has_failed)
        return false;
    const uint64_t to = s->from;
    return plan_from(s, to - 1, to, plan);
}

/* Of what has not ended when no more is read, the ends are known at the end of the log only. */
static bool finish(struct search *s)
{
    const hectic_timeline *t = s->section->timeline;
    if (s->has_failed) return false;
    if (s->to < UINT64_MAX || (s->is_found && s->wanted.which != WHICH_LONGEST)) return true;
    s->is_ending = true;
    return hectic_threads_end(s->threads, t->stat->last);
}

static bool put(void *state, hectic_view *v, struct json *json)
{
    struct search *s = state;
    if (!finish(s)) return view_fail(v, "out of memory");
    if (!s->is_found) {
        put_none(json);
        return true;
    }
    const struct threads_span *span = &s->span;
    const struct element e = {
        .extent = {span->from, span->to},
        .has_thread = true,
        .thread = span->thread,
        .has_cap = span->cap != HECTIC_CAP_NONE && span->state == HECTIC_THREAD_RUNNING,
        .cap = span->cap,
        .state = hectic_thread_state_name(span->state),
        .next = s->is_open                           ? NULL
                : span->next == HECTIC_THREAD_STATES ? "ended"
                                                     : hectic_thread_state_name(span->next),
        .is_open = s->is_open,
    };
    put_element(json, s->section, &s->wanted, &e, s->section->marks);
    return true;
}

bool answer_element(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {begin, take, next, put, search_free};
    const struct section *section = view_section(v);
    const struct wanted w = wanted_of(v);
    const struct marks *marks = NULL;
    double progress = 0;
    if (!section) return false;
    switch (view_marks(v, section, &marks, &progress)) {
    case RANGE_MORE: return view_put_part(v, json, progress);
    case RANGE_FAILED: return false;
    case RANGE_STOPPED: marks = NULL; break;
    default: break;
    }
    if (w.kind != KIND_THREAD && w.kind != KIND_CAP) return answer_mark(json, section, &w, marks);
    switch (view_index(v, section, w.which == WHICH_LONGEST ? 0 : w.time, json)) {
    case INDEX_FAILED: return false;
    case INDEX_NOT_READY: return true;
    default: return answer_job(v, json, &kind);
    }
}
