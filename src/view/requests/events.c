/* events.c — the requests events, search and search_all: the texts of events. */
#include "read/decode/filter.h"
#include "view/engine/job.h"
#include "view/engine/match.h"

#include "format/fields.h"

#include <stdlib.h>
#include <string.h>

enum {
    TEXTS_MAX = 1 << 22,    /* bytes of their texts */
    WINDOW_LEAST = 1 << 18, /* bytes that are read at once, backward */
    WINDOW_MOST = 1 << 22,
    STEP = 1 << 20, /* bytes read for an answer: rendering takes longer than reading */
    RUNS_MAX = 4096,
    LABELS_MAX = 1000,
};

struct line {
    uint64_t time, position;
    const hectic_event_type *declared;
    uint64_t thread; /* that it is about; UINT64_MAX: none */
    uint16_t cap;
    size_t length;
    char *text;
};

struct page {
    hectic_timeline *timeline;
    const hectic_timeline_source *source;
    const hectic_header *header;
    hectic_renderer *renderer;
    hectic_filter *filter;
    bool by_thread;
    struct match *match; /* or NULL */
    uint64_t *steps;     /* that it may take for this answer */
    char *text;          /* a buffer for one */
    size_t capacity;
    bool failed; /* out of memory, or of steps */
    /* Events beyond a place are left out. */
    bool has_place;
    uint64_t place;
    /* Events of a page: */
    bool is_backward, is_single;
    uint64_t from, to;
    uint64_t window;     /* bytes to read at once */
    size_t most;         /* events */
    size_t begin, count; /* in the ring */
    size_t texts;        /* bytes in the ring */
    struct line *ring;   /* of `most` */
    size_t kept;         /* of earlier windows, the latest event first */
    struct line *line;   /* of `most` */
    size_t kept_texts;   /* bytes */
    bool has_more;       /* there may be others */
    /* Of all: */
    struct picture picture;
    uint64_t *column;
    uint64_t found, first, last; /* events, ns */
};

static void page_free(void *state)
{
    struct page *p = state;
    hectic_renderer_free(p->renderer);
    hectic_filter_free(p->filter);
    match_free(p->match);
    for (size_t i = 0; p->ring && i < p->most; i++)
        free(p->ring[i].text);
    for (size_t i = 0; p->line && i < p->kept; i++)
        free(p->line[i].text);
    free(p->ring);
    free(p->line);
    free(p->column);
    free(p->text);
    free(p);
}

/* --- Which events ---------------------------------------------------------------------------- */

/* Copies the next item of a comma-separated list. False: the list has ended. An item that is too
 * long becomes "", which is malformed, too. */
static bool next_word(const char **list, char *word, size_t size)
{
    if (!*list) return false;
    const size_t length = strcspn(*list, ",");
    const size_t copied = length < size ? length : 0;
    memcpy(word, *list, copied);
    word[copied] = 0;
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return true;
}

static bool parse_number(const char *text, uint64_t most, uint64_t *number)
{
    *number = 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9') return false;
        *number = 10 * *number + (uint64_t)(*p - '0');
        if (*number > most) return false;
    }
    return *text;
}

static bool add_cap(struct page *p, const char *word)
{
    uint64_t cap = HECTIC_CAP_NONE;
    if (strcmp(word, "none") != 0 && !parse_number(word, HECTIC_CAP_NONE - 1, &cap)) return false;
    hectic_filter_cap(p->filter, (uint16_t)cap);
    return true;
}

static bool add_thread(struct page *p, const char *word)
{
    uint64_t thread;
    if (!parse_number(word, UINT32_MAX, &thread)) return false;
    p->by_thread = true;
    p->failed |= !hectic_filter_thread(p->filter, (uint32_t)thread);
    return true;
}

static bool add_class(struct page *p, const char *word)
{
    const hectic_class class = hectic_class_by_name(word);
    if (class == HECTIC_CLASS_COUNT) return false;
    hectic_filter_class(p->filter, class);
    return true;
}

static bool add_event(struct page *p, const char *word)
{
    const hectic_shape *shape = hectic_shape_by_name(word);
    uint64_t number = shape ? shape->number : 0;
    if (!shape && !parse_number(word, UINT16_MAX, &number)) return false;
    hectic_filter_event(p->filter, (uint16_t)number);
    return true;
}

static bool set_filter(hectic_view *v, struct page *p)
{
    enum { WORD = 64 };
    static const struct {
        const char *key;
        bool (*add)(struct page *page, const char *word);
        const char *problem;
    } restrictions[] = {
        {"cap", add_cap, "cap: not a list of caps (0,1,none)"},
        {"thread", add_thread, "thread: not a list of threads"},
        {"class", add_class, "class: not a list of classes of events"},
        {"event", add_event, "event: not a list of names of events"},
    };
    for (size_t i = 0; i < sizeof restrictions / sizeof *restrictions; i++) {
        const char *list = request_text(&v->request, restrictions[i].key);
        char word[WORD];
        if (list && !*list) continue;
        while (next_word(&list, word, sizeof word))
            if (!restrictions[i].add(p, word))
                return view_refuse(v, VIEW_MALFORMED, restrictions[i].problem);
    }
    return true;
}

static bool set_match(hectic_view *v, struct page *p, bool is_required)
{
    const char *text = request_text(&v->request, "text"), *problem;
    if (!text && is_required)
        return view_refuse(v, VIEW_MALFORMED, "text: what to search for is missing");
    if (!text || (!*text && !is_required)) return true;
    p->match = match_new(text, view_value(v, "regex"), view_value(v, "case"), &problem);
    return p->match || view_refuse(v, VIEW_MALFORMED, problem);
}

/* Sets the threads that run at the beginning of what is read. */
static bool enter(struct page *p, uint64_t from)
{
    if (!p->by_thread) return true;
    for (size_t i = 0; i < hectic_timeline_caps(p->timeline); i++)
        filter_set_running(p->filter, hectic_timeline_cap(p->timeline, i), NULL);
    if (from == 0) return true;
    hectic_timeline_run *run = malloc(RUNS_MAX * sizeof *run);
    size_t count = 0;
    bool is_complete;
    const bool done = run && hectic_timeline_runs(p->timeline, p->source, from - 1, from, 0, run,
                                                  RUNS_MAX, &count, &is_complete);
    for (size_t i = 0; i < count; i++)
        if (!run[i].is_stopped) filter_set_running(p->filter, run[i].cap, &run[i].thread);
    free(run);
    return done;
}

/* The text of an event. NULL: out of memory. */
static char *render(struct page *p, const hectic_event *event, size_t *length)
{
    const size_t bound = hectic_render_bound(event);
    if (bound > p->capacity) {
        char *text = realloc(p->text, bound);
        if (!text) return NULL;
        p->text = text;
        p->capacity = bound;
    }
    *length = hectic_render_text(p->renderer, event, HECTIC_UNKNOWN_DESCRIBED, p->text);
    return p->text;
}

static bool is_wanted(struct page *p, const hectic_event *event)
{
    size_t length;
    if (!hectic_filter_pass(p->filter, event)) return false;
    if (p->has_place && !p->is_backward && event->time == p->from && event->position <= p->place)
        return false;
    if (p->has_place && p->is_backward && event->time == p->to - 1 && event->position >= p->place)
        return false;
    if (!p->match) return true;
    const char *text = render(p, event, &length);
    const bool is_found = text && match_text(p->match, text, length, p->steps);
    p->failed |= !text || *p->steps == 0;
    return is_found && !p->failed;
}

/* Begins any of these requests. NULL: failed. */
static struct page *page_new(hectic_view *v, const struct section *section, struct job_plan *plan,
                             bool needs_text)
{
    struct page *p = calloc(1, sizeof *p);
    if (!p) return view_fail(v, "out of memory"), NULL;
    p->timeline = section->timeline;
    p->source = &v->timeline_source;
    p->header = section->header;
    p->steps = &v->steps;
    p->renderer = hectic_renderer_new(section->header);
    p->filter = hectic_filter_new();
    p->from = plan->from;
    p->to = plan->to;
    plan->step = STEP;
    const bool has_memory = p->renderer && p->filter;
    if (has_memory && set_filter(v, p) && set_match(v, p, needs_text) && !p->failed) {
        plan->has_types = p->match && !p->by_thread &&
                          match_types(p->match, p->renderer, p->header, &plan->types);
        return p;
    }
    if (!has_memory || p->failed) view_fail(v, "out of memory");
    page_free(p);
    return NULL;
}

static bool fail(const struct page *p, hectic_view *v)
{
    return view_fail(v, *p->steps == 0
                            ? "the regular expression takes too long: make it shorter, with fewer "
                              "repetitions"
                            : "out of memory, or the log cannot be read");
}

/* --- A page of events ------------------------------------------------------------------------ */

/* Plans the window before `to`, of about p->window bytes. */
static void plan_window(struct page *p, uint64_t to, struct job_plan *plan)
{
    const struct chunks *c = &p->timeline->chunks;
    const uint64_t types = plan->has_types ? type_set_folded(&plan->types) : UINT64_MAX;
    uint64_t low = p->from, high = to - 1; /* the window begins from `low` to `high` */
    while (low < high) {
        const uint64_t middle = high - (high - low) / 2;
        uint64_t bytes = 0;
        for (size_t i = 0; i < c->count; i++)
            if (c->chunk[i].first < to && c->chunk[i].last >= middle && c->chunk[i].types & types)
                bytes += c->chunk[i].length;
        if (bytes >= p->window)
            low = middle;
        else
            high = middle - 1;
    }
    plan->from = low;
    plan->to = to;
    if (p->window < WINDOW_MOST) p->window *= 2;
}

static uint64_t thread_of(const hectic_event *event)
{
    hectic_value value[HECTIC_MAX_FIELDS];
    const hectic_shape *shape = event->declared->shape;
    if (!shape) return UINT64_MAX;
    const size_t count = hectic_shape_walk(shape, event->payload, event->size, value, NULL);
    for (size_t i = 0; i < count; i++)
        if (value[i].field->unit == HECTIC_UNIT_THREAD) return value[i].number;
    return UINT64_MAX;
}

/* Keeps an event in the ring. False: out of memory. */
static bool keep(struct page *p, const hectic_event *event)
{
    const size_t room = p->most - p->kept;
    size_t length;
    const char *text = render(p, event, &length);
    if (!text) return false;
    while (p->count > 0 && (p->count == room || p->texts + length > TEXTS_MAX - p->kept_texts)) {
        p->texts -= p->ring[p->begin].length;
        p->begin = (p->begin + 1) % room;
        p->count--;
        p->has_more = true;
    }
    struct line *line = &p->ring[(p->begin + p->count) % room];
    char *copy = realloc(line->text, length + 1);
    if (!copy) return false;
    memcpy(copy, text, length);
    *line = (struct line){.time = event->time,
                          .position = event->position,
                          .declared = event->declared,
                          .thread = thread_of(event),
                          .cap = event->cap,
                          .length = length,
                          .text = copy};
    p->texts += length;
    p->count++;
    return true;
}

static bool take_event(void *state, const hectic_event *event)
{
    struct page *p = state;
    if (!is_wanted(p, event)) return !p->failed;
    const bool is_full = p->count == p->most || (p->count > 0 && p->texts > TEXTS_MAX / 2);
    if (!p->is_backward && is_full) {
        p->has_more = true;
        return false;
    }
    p->failed = !keep(p, event);
    return !p->failed;
}

/* Moves the events of the ring to those that are kept, the latest first. */
static void end_window(struct page *p)
{
    const size_t room = p->most - p->kept;
    for (size_t i = p->count; i > 0; i--) {
        struct line *line = &p->ring[(p->begin + i - 1) % room];
        p->line[p->kept++] = *line;
        line->text = NULL;
    }
    p->kept_texts += p->texts;
    p->begin = p->count = p->texts = 0;
}

static bool next_window(void *state, struct job_plan *plan)
{
    struct page *p = state;
    if (!p->is_backward || p->failed) return false;
    const uint64_t to = plan->from;
    end_window(p);
    p->has_more |= to > p->from && (p->kept == p->most || p->kept_texts > TEXTS_MAX / 2);
    if (p->has_more || to <= p->from) return false;
    plan_window(p, to, plan);
    plan->begins = (double)(p->to - to) / (double)(p->to - p->from);
    plan->ends = (double)(p->to - plan->from) / (double)(p->to - p->from);
    p->failed = !enter(p, plan->from);
    return !p->failed;
}

static void *begin_page(hectic_view *v, const struct section *section, struct job_plan *plan,
                        bool is_search)
{
    struct page *p = page_new(v, section, plan, is_search);
    if (!p) return NULL;
    p->is_single = is_search;
    p->most = is_search ? 1 : (size_t)view_value(v, "count");
    p->is_backward = view_value(v, "backward");
    p->has_place = request_text(&v->request, "beyond");
    p->place = view_value(v, "beyond");
    p->ring = calloc(p->most, sizeof *p->ring);
    p->line = calloc(p->most, sizeof *p->line);
    p->window = WINDOW_LEAST;
    if (p->is_backward) plan_window(p, plan->to, plan);
    if (p->is_backward) plan->ends = (double)(p->to - plan->from) / (double)(p->to - p->from);
    if (p->ring && p->line && enter(p, plan->from)) return p;
    view_fail(v, "out of memory, or the log cannot be read");
    page_free(p);
    return NULL;
}

static void *begin_events(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    return begin_page(v, section, plan, false);
}

static void *begin_search(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    return begin_page(v, section, plan, true);
}

static void put_line(struct json *json, const char *key, const struct line *line)
{
    const hectic_event_type *type = line->declared;
    const hectic_shape *shape = type->shape ? type->shape : hectic_shape_by_number(type->number);
    json_open(json, key, '{');
    json_number(json, "time_ns", true, line->time);
    json_number(json, "position", true, line->position);
    json_number(json, "cap", line->cap != HECTIC_CAP_NONE, line->cap);
    json_number(json, "thread", line->thread != UINT64_MAX, line->thread);
    json_text(json, "event", shape ? shape->name : NULL);
    json_number(json, "type", true, type->number);
    json_bytes(json, "text", line->text, line->length);
    json_close(json, '}');
}

static bool put_events(void *state, hectic_view *v, struct json *json)
{
    struct page *p = state;
    if (p->failed) return fail(p, v);
    if (p->is_single) {
        const struct line *line = p->is_backward ? p->line : p->ring;
        if (p->is_backward ? p->kept > 0 : p->count > 0)
            put_line(json, "match", line);
        else
            json_text(json, "match", NULL);
        return true;
    }
    json_open(json, "events", '[');
    for (size_t i = p->kept; i > 0; i--)
        put_line(json, NULL, &p->line[i - 1]);
    for (size_t i = 0; i < p->count; i++)
        put_line(json, NULL, &p->ring[(p->begin + i) % p->most]);
    json_close(json, ']');
    json_flag(json, "more", true, p->has_more);
    return true;
}

bool answer_events(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {.begin = begin_events,
                                         .take = take_event,
                                         .next = next_window,
                                         .put = put_events,
                                         .free = page_free};
    return answer_job(v, json, &kind);
}

bool answer_search(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {.begin = begin_search,
                                         .take = take_event,
                                         .next = next_window,
                                         .put = put_events,
                                         .free = page_free};
    return answer_job(v, json, &kind);
}

/* --- All matches ----------------------------------------------------------------------------- */

static void *begin_all(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    const size_t width = (size_t)view_value(v, "width");
    struct page *p = page_new(v, section, plan, true);
    if (!p) return NULL;
    p->picture = (struct picture){plan->from, plan->to, width};
    p->column = calloc(width, sizeof *p->column);
    if (p->column && enter(p, plan->from)) return p;
    view_fail(v, "out of memory, or the log cannot be read");
    page_free(p);
    return NULL;
}

static bool take_all(void *state, const hectic_event *event)
{
    struct page *p = state;
    if (!is_wanted(p, event)) return !p->failed;
    if (p->found++ == 0) p->first = event->time;
    p->last = event->time;
    p->column[picture_column(&p->picture, event->time)]++;
    return true;
}

static bool put_thread(struct json *json, const struct page *p, uint32_t thread, const char *label)
{
    if (!match_text(p->match, label, strlen(label), p->steps)) return false;
    json_open(json, NULL, '{');
    json_number(json, "thread", true, thread);
    json_text(json, "label", label);
    json_close(json, '}');
    return true;
}

/* The threads whose labels match. False: out of memory, or of steps. */
static bool put_threads(struct json *json, const struct page *p)
{
    const struct titles *titles = &p->timeline->titles;
    struct map_value *sorted = map_sorted_values(&titles->label);
    const bool done = sorted;
    size_t count = 0;
    json_open(json, "threads", '[');
    for (size_t i = 0; sorted && i < titles->label.count && count < LABELS_MAX; i++) {
        const uint32_t thread = (uint32_t)sorted[i].number;
        count += put_thread(json, p, thread, titles_label(titles, thread));
    }
    json_close(json, ']');
    free(sorted);
    return done && *p->steps > 0;
}

static bool put_count(void *state, hectic_view *v, struct json *json)
{
    struct page *p = state;
    if (p->failed) return fail(p, v);
    json_number(json, "matches", true, p->found);
    json_number(json, "first_ns", p->found > 0, p->first);
    json_number(json, "last_ns", p->found > 0, p->last);
    json_open(json, "columns", '[');
    for (size_t i = 0; i < p->picture.width; i++)
        json_number(json, NULL, true, p->column[i]);
    json_close(json, ']');
    return put_threads(json, p) || fail(p, v);
}

bool answer_search_all(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {
        .begin = begin_all, .take = take_all, .put = put_count, .free = page_free};
    return answer_job(v, json, &kind);
}
