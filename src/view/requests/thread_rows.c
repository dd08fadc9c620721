/* thread_rows.c — pictures of threads: the state of each over time. */
#include "view/requests/threads.h"

#include "numbers/saturating.h"
#include "report/threads_report.h"
#include "timeline/thread_index.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 200,       /* threads, if a request does not list them */
    CELLS_MAX = 1 << 19, /* columns of all threads */
    RUNS_MAX = 1 << 14,  /* of all threads; if there are more, they are drawn as shares */
};

/* With those in which it is blocked. */
enum { BLOCKED = THREAD_CLASSES, PARTS };

enum { SEVERAL = HECTIC_CAP_NONE + 1 };

struct column {
    uint64_t ns[PARTS];
};

struct canvas {
    struct picture picture;
    struct thread_list list; /* the rows */
    struct column *column;   /* a row of columns for each thread */
    struct threads_span *run;
    size_t runs; /* more than RUNS_MAX: they are not all there */
    bool is_exact;
    bool lacks_caps; /* only runs are known */
    uint64_t slot;   /* ns: of the index, if it is not */
    bool is_known[THREAD_LIST_MAX];
    uint32_t cap[THREAD_LIST_MAX]; /* the one on which it ran, plus 1; 0: none, or SEVERAL */
};

static void clear(struct canvas *c)
{
    map_clear(&c->list.places);
    free(c->column);
    free(c->run);
    free(c);
}

static bool add_longest(struct canvas *c, const struct section *section)
{
    uint32_t thread[LONGEST];
    size_t count;
    bool done = view_longest_threads(section, LONGEST, thread, &count);
    for (size_t i = 0; i < count && done; i++)
        done = thread_list_add(&c->list, thread[i]);
    return done;
}

/* --- From events ----------------------------------------------------------------------------- */

static void paint(struct canvas *c, size_t row, unsigned part, uint64_t from, uint64_t to)
{
    const struct picture *p = &c->picture;
    for (size_t i = picture_column(p, from); i < p->width && from < to; i++) {
        const uint64_t edge = picture_edge(p, i + 1), until = edge < to ? edge : to;
        if (until <= from) continue;
        c->column[row * p->width + i].ns[part] += until - from;
        from = until;
    }
}

/* It ran on that cap, which may be unknown. */
static void note_cap(struct canvas *c, size_t row, uint16_t cap)
{
    const uint32_t number = cap + 1u;
    c->cap[row] = c->cap[row] == 0 || c->cap[row] == number ? number : SEVERAL;
}

static void take_span(void *user, const struct threads_span *span)
{
    struct canvas *c = user;
    const uint32_t place = (uint32_t)map_value_of(&c->list.places, span->thread);
    const uint64_t from = span->from > c->picture.from ? span->from : c->picture.from;
    const uint64_t to = span->to < c->picture.to ? span->to : c->picture.to;
    const hectic_thread_state state =
        c->lacks_caps ? threads_known_state(span->state) : span->state;
    const enum thread_class class = thread_class_of(state);
    if (!place || from >= to) return;
    c->is_known[place - 1] = true;
    if (class == CLASS_RUNNING) note_cap(c, place - 1, span->cap);
    paint(c, place - 1, class == CLASS_BLOCKED ? BLOCKED : (unsigned)class, from, to);
    if (c->runs < RUNS_MAX) {
        c->run[c->runs] = *span;
        c->run[c->runs].place = place - 1;
        c->run[c->runs].state = (uint8_t)state;
    }
    c->runs += c->runs <= RUNS_MAX;
}

static bool ignore_thread(void *user, const hectic_thread *thread)
{
    (void)user, (void)thread;
    return true;
}

static bool take_event(void *user, const hectic_event *event)
{
    return hectic_threads_event(user, event);
}

static bool read_exactly(hectic_view *v, const struct section *section, struct canvas *c)
{
    const hectic_timeline *t = section->timeline;
    const struct picture *p = &c->picture;
    uint64_t start;
    type_set types;
    const bool has_types = thread_types(section->timeline, &types);
    hectic_threads *threads = thread_index_begin(t, section->header, p->from, 0, UINT64_MAX,
                                                 ignore_thread, NULL, &start, NULL);
    struct range *range = range_open(&t->chunks, section->header, &v->timeline_source, start, p->to,
                                     has_types ? &types : NULL);
    c->run = malloc(RUNS_MAX * sizeof *c->run);
    bool done = threads && range && c->run;
    if (done) {
        threads_watch(threads, take_span, c);
        done = range_step(range, UINT64_MAX, take_event, threads) == RANGE_END &&
               hectic_threads_end(threads, t->stat->last < p->to ? t->stat->last : p->to);
    }
    range_close(range);
    hectic_threads_free(threads);
    c->is_exact = true;
    return done;
}

/* --- From the index -------------------------------------------------------------------------- */

static void paint_slots(struct canvas *c, size_t row, const struct thread_index *index,
                        struct thread_course *course)
{
    const unsigned shift = index->shift, more = shift > 31 ? shift - 31 : 0;
    const struct thread_slot *slot = thread_course_slots(course);
    for (uint32_t i = 0; i < course->slots; i++) {
        const uint64_t begin = (course->first + i) << shift;
        const uint64_t end = begin + ((UINT64_C(1) << shift) - 1);
        const uint64_t from = begin > c->picture.from ? begin : c->picture.from;
        const uint64_t to = end < c->picture.to - 1 ? end + 1 : c->picture.to;
        if (from >= to) continue;
        for (size_t k = picture_column(&c->picture, from), at = 0; k < c->picture.width; k++) {
            const uint64_t left = picture_edge(&c->picture, k);
            const uint64_t right = picture_edge(&c->picture, k + 1);
            if (left >= to) break;
            const uint64_t part = (right < to ? right : to) - (left > from ? left : from);
            const double share = (double)part / ((double)end - (double)begin + 1);
            for (at = 0; at < THREAD_CLASSES; at++)
                c->column[row * c->picture.width + k].ns[at] +=
                    (uint64_t)((double)((uint64_t)slot[i].part[at] << more) * share + 0.5);
        }
    }
}

/* In the rest of its life, the thread was blocked; or it is not known what it did. */
static void paint_rest(struct canvas *c, size_t row, const hectic_thread *thread)
{
    const struct picture *p = &c->picture;
    const uint64_t from = thread->born > p->from ? thread->born : p->from;
    const uint64_t to = thread->ended < p->to ? thread->ended : p->to;
    if (from >= to) return;
    for (size_t i = picture_column(p, from); i < p->width && picture_edge(p, i) < to; i++) {
        struct column *column = &c->column[row * p->width + i];
        const uint64_t left = picture_edge(p, i), right = picture_edge(p, i + 1);
        uint64_t rest = (right < to ? right : to) - (left > from ? left : from);
        for (unsigned k = 0; k < THREAD_CLASSES; k++)
            rest = saturating_less(rest, column->ns[k]);
        column->ns[BLOCKED] += rest;
        if (!c->lacks_caps) continue;
        column->ns[CLASS_UNKNOWN] += column->ns[BLOCKED] + column->ns[CLASS_RUNNABLE];
        column->ns[BLOCKED] = column->ns[CLASS_RUNNABLE] = 0;
    }
}

static void read_slots(const struct thread_index *index, struct canvas *c)
{
    for (size_t i = 0; i < index->count; i++) {
        const uint32_t place = (uint32_t)map_value_of(&c->list.places, index->thread[i].row.id);
        if (!place) continue;
        const hectic_thread *thread = &index->thread[i].row;
        c->is_known[place - 1] = true;
        const bool is_one = thread->caps == 1 && thread->migrations == 0;
        if (thread->runs > 0) note_cap(c, place - 1, is_one ? thread->cap : HECTIC_CAP_NONE);
        paint_slots(c, place - 1, index, &index->thread[i].course);
        paint_rest(c, place - 1, thread);
    }
}

/* --- As JSON --------------------------------------------------------------------------------- */

static int by_row_and_time(const void *a, const void *b)
{
    const struct threads_span *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static size_t put_runs(struct json *json, const struct canvas *c, size_t row, size_t next)
{
    json_open(json, "runs", '[');
    for (; next < c->runs && c->run[next].place == row; next++) {
        const struct threads_span *run = &c->run[next];
        json_number(json, NULL, true, run->from);
        json_number(json, NULL, true, run->to);
        json_number(json, NULL, true, run->state);
        json_number(json, NULL, run->cap != HECTIC_CAP_NONE, run->cap);
    }
    json_close(json, ']');
    return next;
}

static bool is_empty(const struct column *column)
{
    return !(column->ns[CLASS_RUNNING] | column->ns[CLASS_RUNNABLE] | column->ns[BLOCKED] |
             column->ns[CLASS_UNKNOWN]);
}

static void put_shares(struct json *json, const struct canvas *c, size_t row)
{
    static const struct {
        const char *key;
        unsigned part;
    } parts[] = {{"running", CLASS_RUNNING},
                 {"runnable", CLASS_RUNNABLE},
                 {"blocked", BLOCKED},
                 {"unknown", CLASS_UNKNOWN}};
    const struct picture *p = &c->picture;
    const struct column *column = &c->column[row * p->width];
    size_t first = 0, end = p->width;
    while (first < end && is_empty(&column[first]))
        first++;
    while (end > first && is_empty(&column[end - 1]))
        end--;
    json_number(json, "first", true, first);
    json_number(json, "cap", c->cap[row] > 0 && c->cap[row] < SEVERAL,
                saturating_less(c->cap[row], 1));
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        json_open(json, parts[k].key, '[');
        for (size_t i = first; i < end; i++)
            json_number(
                json, NULL, true,
                share_of(column[i].ns[parts[k].part], picture_edge(p, i + 1) - picture_edge(p, i)));
        json_close(json, ']');
    }
}

static void put_rows(struct json *json, struct canvas *c)
{
    const bool has_runs = c->is_exact && c->runs <= RUNS_MAX;
    size_t next = 0;
    if (has_runs && c->runs > 0) qsort(c->run, c->runs, sizeof *c->run, by_row_and_time);
    json_open(json, NULL, '{');
    json_flag(json, "complete", true, true);
    json_real(json, "progress", true, 1);
    json_flag(json, "exact", true, c->is_exact);
    if (!c->is_exact) json_number(json, "slot_ns", true, c->slot);
    json_open(json, "states", '[');
    for (hectic_thread_state i = 0; i < HECTIC_THREAD_STATES; i++)
        json_text(json, NULL, hectic_thread_state_name(i));
    json_close(json, ']');
    json_number(json, "from_ns", true, c->picture.from);
    json_number(json, "to_ns", true, c->picture.to);
    json_number(json, "width", true, c->picture.width);
    json_open(json, "rows", '[');
    for (size_t i = 0; i < c->list.count; i++) {
        json_open(json, NULL, '{');
        json_number(json, "thread", true, c->list.thread[i]);
        json_flag(json, "known", true, c->is_known[i]);
        if (has_runs)
            next = put_runs(json, c, i, next);
        else
            put_shares(json, c, i);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static bool begin(hectic_view *v, const struct section *section, struct canvas *c)
{
    return view_picture(v, section, &c->picture) &&
           (!request_text(&v->request, "threads") || thread_list_take(v, &c->list));
}

/* The index is ready. */
static bool paint_all(hectic_view *v, const struct section *section, struct canvas *c,
                      bool is_short)
{
    if (c->list.count == 0 && !add_longest(c, section)) return view_fail(v, "out of memory");
    if (c->list.count > CELLS_MAX / c->picture.width)
        return view_refuse(v, VIEW_MALFORMED, "width: too large for so many threads");
    c->column = calloc(c->list.count * c->picture.width + 1, sizeof *c->column);
    if (!c->column) return view_fail(v, "out of memory");
    if (is_short)
        return read_exactly(v, section, c) ||
               view_fail(v, "out of memory, or the log cannot be read");
    c->slot = UINT64_C(1) << section->timeline->threads->shift;
    read_slots(section->timeline->threads, c);
    return true;
}

static bool answer(hectic_view *v, struct json *json, const struct section *section,
                   struct canvas *c)
{
    if (!begin(v, section, c)) return false;
    const struct picture *p = &c->picture;
    const bool is_short = timeline_is_short(section->timeline, p->from, p->to);
    c->lacks_caps = stat_lacks_caps(section->timeline->stat);
    switch (view_index(v, section, is_short && c->list.count > 0 ? p->from : UINT64_MAX, json)) {
    case INDEX_FAILED: return false;
    case INDEX_NOT_READY: return true;
    default: break;
    }
    if (!paint_all(v, section, c, is_short)) return false;
    put_rows(json, c);
    return true;
}

bool answer_thread_rows(hectic_view *v, struct json *json)
{
    const struct section *section = view_section(v);
    struct canvas *c = section ? calloc(1, sizeof *c) : NULL;
    if (section && !c) view_fail(v, "out of memory");
    const bool done = c && answer(v, json, section, c);
    if (c) clear(c);
    return done;
}
