/* sample_parts.c — see sample_parts.h. */
#include "view/requests/sample_parts.h"

#include "base/array.h"
#include "base/texts.h"
#include "read/decode/running.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 1000 /* of an answer */ };

/* Where a thread enters the spans of a label, or leaves them. */
struct edge {
    uint64_t time;
    uint32_t thread;
    uint32_t label; /* its number, from 1: in order of their first spans */
    bool is_end;
};

/* A thread with spans, and its samples of a source so far. */
struct walk {
    uint32_t thread;
    bool is_inside;   /* spans of the label that counts */
    size_t next, end; /* its edges that are still to come */
    uint64_t samples, ns;
};

struct part {
    map_key key; /* the number plus 1, and the source; 0: no thread */
    uint64_t samples, ns;
};

struct sample_parts {
    enum parts_by by;
    uint64_t part;
    uint32_t *running;
    struct edge *edge; /* by thread and time */
    size_t edges;
    struct walk *walk[HECTIC_TIME_SOURCES]; /* by thread */
    size_t threads;
    struct texts texts;
    uint32_t *label; /* in `texts`, of each label */
    size_t labels, capacity;
    uint64_t known_until; /* ns: of spans; UINT64_MAX: all are known */
    map parts;
    bool has_failed; /* out of memory */
};

void sample_parts_free(struct sample_parts *p)
{
    if (!p) return;
    free(p->running);
    free(p->edge);
    for (size_t i = 0; i < HECTIC_TIME_SOURCES; i++)
        free(p->walk[i]);
    free(p->label);
    texts_clear(&p->texts);
    map_clear(&p->parts);
    free(p);
}

/* --- Spans ----------------------------------------------------------------------------------- */

/* The number of a label, from 1; 0: out of memory. */
static uint32_t number_of(struct sample_parts *p, map *numbers, const char *label)
{
    const uint32_t text = texts_add(&p->texts, label, strlen(label));
    uint64_t number = map_value_of(numbers, text);
    if (number > 0) return (uint32_t)number;
    if (text == TEXTS_NONE || !array_reserve(p->label, p->capacity, p->labels + 1)) return 0;
    p->label[p->labels++] = text;
    number = p->labels;
    return map_set_value(numbers, text, number) ? (uint32_t)number : 0;
}

/* By thread, label and time, beginnings first. */
static int by_label(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->is_end - y->is_end;
}

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return by_label(a, b);
}

/* Joins spans of a label that overlap or touch. */
static void join(struct sample_parts *p)
{
    size_t kept = 0;
    uint64_t open = 0;
    if (p->edges > 0) qsort(p->edge, p->edges, sizeof *p->edge, by_label);
    for (size_t i = 0; i < p->edges; i++) {
        if (p->edge[i].is_end ? --open == 0 : open++ == 0) p->edge[kept++] = p->edge[i];
    }
    p->edges = kept;
    if (p->edges > 0) qsort(p->edge, p->edges, sizeof *p->edge, by_time);
}

static bool find_threads(struct sample_parts *p, struct walk **walk)
{
    size_t threads = 0;
    *walk = calloc(p->edges + 1, sizeof **walk);
    for (size_t i = 0; i < p->edges && *walk; i++) {
        const uint32_t thread = p->edge[i].thread;
        if (threads == 0 || (*walk)[threads - 1].thread != thread)
            (*walk)[threads++] = (struct walk){.thread = thread, .next = i};
        (*walk)[threads - 1].end = i + 1;
    }
    p->threads = threads;
    return *walk;
}

static bool take_spans(struct sample_parts *p, const struct marks *marks)
{
    map numbers = {.entry_size = sizeof(struct map_value)};
    bool done = (p->edge = malloc((2 * marks->spans + 1) * sizeof *p->edge));
    p->known_until = marks->cut.spans;
    p->texts.limit = TEXTS_NONE - 1;
    for (size_t i = 0; i < marks->spans && done; i++) {
        const struct span_mark *span = &marks->span[i];
        const uint32_t row = span->row[BY_THREAD];
        if (row == NO_ROW || !span->is_stopped || !marks->row[BY_THREAD][row].has_thread) continue;
        const uint32_t thread = marks->row[BY_THREAD][row].thread;
        const uint32_t label = number_of(p, &numbers, span->label);
        p->edge[p->edges++] = (struct edge){span->from, thread, label, false};
        p->edge[p->edges++] = (struct edge){span->to, thread, label, true};
        done = label > 0;
    }
    map_clear(&numbers);
    join(p);
    for (size_t i = 0; i < HECTIC_TIME_SOURCES && done; i++)
        done = find_threads(p, &p->walk[i]);
    return done;
}

struct sample_parts *sample_parts_new(enum parts_by by, uint64_t part, const struct marks *marks)
{
    struct sample_parts *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->by = by;
    p->part = part;
    p->known_until = UINT64_MAX;
    p->parts = (map){.entry_size = sizeof(struct part)};
    p->running = running_new();
    if (p->running && (by != PARTS_BY_SPAN || take_spans(p, marks))) return p;
    sample_parts_free(p);
    return NULL;
}

/* --- Samples --------------------------------------------------------------------------------- */

void sample_parts_types(type_set *types)
{
    running_add_types(types);
}

void sample_parts_event(struct sample_parts *p, const hectic_event *event)
{
    running_follow(p->running, event);
}

/* The thread plus 1; 0: none. */
static uint64_t thread_of(const struct sample_parts *p, const hectic_time_sample *sample)
{
    if (sample->source == HECTIC_TIME_CALL_STACKS) return sample->thread + 1;
    return sample->cap < HECTIC_CAP_NONE ? p->running[sample->cap] : 0;
}

/* Changes the sums of a part, modulo 2^64. */
static void add(struct sample_parts *p, uint64_t number, size_t source, uint64_t samples,
                uint64_t ns)
{
    struct part *part = map_add(&p->parts, (map_key){number, 1 + source});
    p->has_failed |= !part;
    if (!part) return;
    part->samples += samples;
    part->ns += ns;
}

static struct walk *walk_of(const struct sample_parts *p, size_t source, uint64_t thread)
{
    size_t low = 0, high = p->threads;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->walk[source][middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    struct walk *walk = &p->walk[source][low];
    return low < p->threads && walk->thread == thread ? walk : NULL;
}

/* Passes the edges up to the time. The sums of a label are those of the thread where it leaves the
 * spans, without those where it enters them. */
static void pass_edges(struct sample_parts *p, size_t source, struct walk *walk, uint64_t time)
{
    for (; walk->next < walk->end && p->edge[walk->next].time <= time; walk->next++) {
        const struct edge *edge = &p->edge[walk->next];
        if (edge->label - 1 == p->part) walk->is_inside = !edge->is_end;
        if (edge->is_end)
            add(p, edge->label, source, walk->samples, walk->ns);
        else
            add(p, edge->label, source, 0 - walk->samples, 0 - walk->ns);
    }
}

bool sample_parts_take(struct sample_parts *p, const hectic_time_sample *sample)
{
    const uint64_t thread = thread_of(p, sample);
    const bool are_all = p->part == UINT64_MAX;
    if (p->by == PARTS_BY_THREAD) {
        add(p, thread, sample->source, 1, sample->since);
        return are_all || (thread > 0 && thread - 1 == p->part);
    }
    struct walk *walk = thread > 0 ? walk_of(p, sample->source, thread - 1) : NULL;
    if (!walk) return are_all;
    pass_edges(p, sample->source, walk, sample->time);
    walk->samples++;
    walk->ns += sample->since;
    return are_all || walk->is_inside;
}

/* --- The answer ------------------------------------------------------------------------------ */

static int most_first(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->samples != y->samples) return x->samples > y->samples ? -1 : 1;
    return x->key.a < y->key.a ? -1 : x->key.a > y->key.a;
}

static void put_part(const struct sample_parts *p, const struct part *part,
                     const hectic_timeline *timeline, struct json *json)
{
    const uint64_t number = part->key.a - 1;
    const bool is_known = part->key.a > 0;
    json_open(json, NULL, '{');
    json_number(json, "part", is_known, number);
    json_text(json, "label",
              !is_known                ? NULL
              : p->by == PARTS_BY_SPAN ? texts_get(&p->texts, p->label[number])
              : number < UINT32_MAX    ? hectic_timeline_label(timeline, (uint32_t)number)
                                       : NULL);
    json_number(json, "samples", true, part->samples);
    json_number(json, "ns", true, part->ns);
    json_close(json, '}');
}

bool sample_parts_put(struct sample_parts *p, hectic_time_source source,
                      const hectic_timeline *timeline, struct json *json)
{
    for (size_t i = 0; i < p->threads; i++)
        pass_edges(p, source, &p->walk[source][i], UINT64_MAX);
    void *const *part = map_sorted(&p->parts, most_first);
    size_t put = 0;
    json_open(json, "parts", '[');
    for (size_t i = 0; part && i < p->parts.count && put < PARTS_MAX; i++) {
        const struct part *one = part[i];
        if (one->key.b != 1 + (uint64_t)source || one->samples == 0) continue;
        put_part(p, one, timeline, json);
        put++;
    }
    json_close(json, ']');
    json_number(json, "spans_until_ns", p->known_until < UINT64_MAX, p->known_until);
    return !p->has_failed && (part || p->parts.count == 0);
}
