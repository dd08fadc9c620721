/* marks.c — see marks.h. */
#include "view/engine/marks.h"

#include "base/array.h"
#include "base/map.h"
#include "format/per_cap.h"
#include "read/decode/running.h"
#include "timeline/excerpt.h"

#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

enum { STEP_EVENTS = 1 << 18, ROWS_MAX = 1 << 16 };

/* What making them needs. */
struct marks_making {
    struct excerpt_reader *reader;
    hectic_collections *collections;
    uint32_t *running; /* read/decode/running.h */
    size_t span_capacity;
};

static void making_free(struct marks_making *making)
{
    if (!making) return;
    excerpt_close(making->reader);
    hectic_collections_free(making->collections);
    free(making->running);
    free(making);
}

void marks_free(struct marks *m)
{
    if (!m) return;
    making_free(m->making);
    hectic_spans_free(m->analysis);
    for (size_t i = 0; i < MARK_SEGMENTS; i++) {
        free(m->collection[i]);
        free(m->message[i]);
    }
    free(m->span);
    for (size_t by = 0; by < ROWS_BY; by++) {
        free(m->row[by]);
        free(m->rank[by]);
    }
    free(m);
}

/* --- Lists ----------------------------------------------------------------------------------- */

static bool leave_out(uint64_t *cut, uint64_t time)
{
    if (time < *cut) *cut = time;
    return true;
}

static bool add_collection(void *user, const hectic_collection *c)
{
    struct marks *m = user;
    if (m->collections == MARKS_MAX) return leave_out(&m->cut.collections, c->start);
    struct collection_mark **segment = &m->collection[m->collections / SEGMENT_MARKS];
    if (!*segment && !(*segment = malloc(SEGMENT_MARKS * sizeof **segment))) return false;
    *collection_at(m, m->collections++) =
        (struct collection_mark){.from = c->start,
                                 .to = c->start + c->pause,
                                 .safepoint = c->has_safepoint ? c->safepoint : 0,
                                 .generation = c->generation,
                                 .cap = c->cap,
                                 .has_generation = c->has_stats,
                                 .has_cap = c->has_cap};
    return true;
}

/* Makes room for one more span. */
static bool reserve_span(struct marks *m)
{
    struct marks_making *making = m->making;
    return array_reserve(m->span, making->span_capacity, m->spans + 1);
}

/* Until it has a row, the thread or cap that started it is in row[BY_THREAD] and depth[]. */
enum { STARTED_BY_CAP, STARTED_BY_THREAD };

static bool add_span(void *user, const hectic_span_one *span)
{
    struct marks *m = user;
    const hectic_span_end *start = &span->start;
    if (m->spans == MARKS_MAX) return leave_out(&m->cut.spans, start->time);
    if (!reserve_span(m)) return false;
    m->span[m->spans++] =
        (struct span_mark){.from = start->time,
                           .to = span->stop.time,
                           .label = span->label,
                           .row = {start->has_thread ? start->thread : start->cap, 0},
                           .depth = {start->has_thread ? STARTED_BY_THREAD : STARTED_BY_CAP, 0},
                           .is_stopped = span->is_stopped,
                           .is_across = span->across};
    return true;
}

static bool add_message(struct marks *m, const hectic_event *event)
{
    const bool is_marker = event->type == HECTIC_EVENT_USER_MARKER;
    const uint32_t running = m->making->running[event->cap];
    if (!is_marker && hectic_spans_is_span(event->payload, event->size)) return true;
    if (m->messages == MARKS_MAX) return leave_out(&m->cut.messages, event->time);
    struct message_mark **segment = &m->message[m->messages / SEGMENT_MARKS];
    if (!*segment && !(*segment = malloc(SEGMENT_MARKS * sizeof **segment))) return false;
    *message_at(m, m->messages++) =
        (struct message_mark){.time = event->time,
                              .text = event->size > 0 ? event->payload : NULL,
                              .thread = running - 1,
                              .size = event->size,
                              .cap = event->cap,
                              .is_marker = is_marker,
                              .has_thread = running > 0};
    return true;
}

static bool take(void *user, const hectic_event *event)
{
    struct marks *m = user;
    struct marks_making *making = m->making;
    const bool is_message =
        event->type == HECTIC_EVENT_USER_MSG || event->type == HECTIC_EVENT_USER_MARKER;
    const bool done = !is_message || add_message(m, event);
    running_follow(making->running, event);
    /* No span begins or ends with a marker, and their labels would take much memory. */
    return done && hectic_collections_event(making->collections, event) &&
           (event->type == HECTIC_EVENT_USER_MARKER || hectic_spans_event(m->analysis, event));
}

/* --- Rows ------------------------------------------------------------------------------------ */

static int by_beginning(const void *a, const void *b)
{
    const struct span_mark *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to > y->to ? -1 : 1;
    const int order = strcmp(x->label, y->label);
    if (order != 0) return order;
    return x->row[BY_THREAD] < y->row[BY_THREAD] ? -1 : x->row[BY_THREAD] > y->row[BY_THREAD];
}

/* Sets *row to that of a key, which is added if it is new; NO_ROW: there are too many. False: out
 * of memory. */
static bool row_of(map *keys, size_t *rows, uint64_t key, uint32_t *row)
{
    const uint32_t place = (uint32_t)map_value_of(keys, key);
    *row = place ? place - 1 : *rows < ROWS_MAX ? (uint32_t)*rows : NO_ROW;
    if (place || *row == NO_ROW) return true;
    ++*rows;
    return map_set_value(keys, key, *row + UINT64_C(1));
}

/* The first free depth of a row, which the span then takes. */
static uint8_t take_depth(struct span_row *row, const struct span_mark *span)
{
    uint8_t depth = 0;
    while (depth < DEPTHS - 1 && row->busy[depth] > span->from)
        depth++;
    if (span->to > row->busy[depth]) row->busy[depth] = span->to;
    if (depth >= row->depths) row->depths = depth + 1;
    return depth;
}

static bool put_in_rows(struct marks *m, enum rows_by by, map *keys)
{
    size_t capacity = 0;
    for (size_t i = 0; i < m->spans; i++) {
        struct span_mark *span = &m->span[i];
        const bool by_cap = by == BY_THREAD && span->depth[BY_THREAD] == STARTED_BY_CAP;
        const uint32_t number = span->row[BY_THREAD];
        const uint64_t key = by == BY_NAME ? (uint64_t)(uintptr_t)span->label
                             : by_cap      ? UINT64_C(1) << 32 | number
                                           : number;
        const size_t before = m->rows[by];
        uint32_t index;
        if (!row_of(keys, &m->rows[by], key, &index)) return false;
        if (index == NO_ROW) leave_out(&m->cut.spans, span->from);
        if (!array_reserve(m->row[by], capacity, m->rows[by])) return false;
        if (m->rows[by] > before)
            m->row[by][index] = (struct span_row){.has_thread = by == BY_THREAD && !by_cap,
                                                  .thread = by_cap ? 0 : number,
                                                  .cap = by_cap ? (uint16_t)number : 0,
                                                  .label = by == BY_NAME ? span->label : NULL};
        span->row[by] = index;
        if (index == NO_ROW) continue;
        struct span_row *row = &m->row[by][index];
        span->depth[by] = take_depth(row, span);
        row->total += span->to - span->from;
    }
    return true;
}

struct ranked {
    uint64_t total;
    uint32_t row;
};

static int by_total(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->total != y->total) return x->total > y->total ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool rank_rows(struct marks *m, enum rows_by by)
{
    const size_t rows = m->rows[by];
    struct ranked *ranked = malloc((rows + 1) * sizeof *ranked);
    m->rank[by] = malloc((rows + 1) * sizeof *m->rank[by]);
    const bool done = ranked && m->rank[by];
    for (size_t i = 0; i < rows && done; i++)
        ranked[i] = (struct ranked){m->row[by][i].total, (uint32_t)i};
    if (rows > 0 && done) qsort(ranked, rows, sizeof *ranked, by_total);
    for (size_t i = 0; i < rows && done; i++)
        m->rank[by][ranked[i].row] = (uint32_t)i;
    free(ranked);
    return done;
}

/* By name first: until then, row[BY_THREAD] says what started a span. */
static bool make_rows(struct marks *m)
{
    map names = {0}, threads = {0};
    if (m->spans > 0) qsort(m->span, m->spans, sizeof *m->span, by_beginning);
    const bool done = put_in_rows(m, BY_NAME, &names) && put_in_rows(m, BY_THREAD, &threads) &&
                      rank_rows(m, BY_NAME) && rank_rows(m, BY_THREAD);
    map_clear(&names);
    map_clear(&threads);
    return done;
}

/* --- Making ---------------------------------------------------------------------------------- */

static struct marks *marks_new(const struct section *section)
{
    struct marks *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->cut.collections = m->cut.spans = m->cut.messages = UINT64_MAX;
    m->excerpt = section->timeline->excerpt;
    m->taken = excerpt_taken(section->timeline->excerpt);
    m->analysis = hectic_spans_new(0, UINT64_MAX, add_span, m);
    if (m->analysis && stat_lacks_caps(section->timeline->stat))
        hectic_spans_lack_caps(m->analysis);
    m->making = calloc(1, sizeof *m->making);
    if (m->making) {
        m->making->collections = hectic_collections_new(0, UINT64_MAX, add_collection, m);
        m->making->running = running_new();
        m->making->reader = excerpt_open(section->timeline->excerpt, &section->timeline->chunks,
                                         section->header, UINT64_MAX);
    }
    if (m->analysis && m->making && m->making->collections && m->making->reader &&
        m->making->running)
        return m;
    marks_free(m);
    return NULL;
}

static range_result make_some(struct marks *m, const struct section *section)
{
    const uint64_t now = section->timeline->stat->last;
    const range_result result = excerpt_deliver(m->making->reader, STEP_EVENTS, take, m);
    if (result == RANGE_MORE) return RANGE_MORE;
    if (result != RANGE_END || !hectic_collections_end(m->making->collections, now) ||
        !hectic_spans_end(m->analysis, now) || !make_rows(m))
        return RANGE_FAILED;
    making_free(m->making);
    m->making = NULL;
    return RANGE_END;
}

/* Makes those of the present excerpt. While a log grows, the earlier ones are used meanwhile. */
static range_result make(struct section *section, bool grows)
{
    const uint64_t taken = excerpt_taken(section->timeline->excerpt);
    const struct marks *ready = section->marks;
    if (ready && ready->taken == taken) return RANGE_END;
    if (!grows && section->next_marks && section->next_marks->taken != taken) {
        marks_free(section->next_marks);
        section->next_marks = NULL;
    }
    if (!section->next_marks) section->next_marks = marks_new(section);
    const range_result result =
        section->next_marks ? make_some(section->next_marks, section) : RANGE_FAILED;
    if (result == RANGE_MORE) return ready && grows ? RANGE_END : RANGE_MORE;
    if (result == RANGE_END) {
        marks_free(section->marks);
        section->marks = section->next_marks;
    } else {
        marks_free(section->next_marks);
    }
    section->next_marks = NULL;
    return result;
}

range_result view_marks(hectic_view *v, const struct section *section, const struct marks **marks,
                        double *progress)
{
    struct section *own = &v->section[section - v->section];
    const bool is_possible = excerpt_is_possible(section->timeline->excerpt);
    const range_result result = is_possible ? make(own, v->grows) : RANGE_STOPPED;
    if (result == RANGE_MORE) *progress = excerpt_delivered(own->next_marks->making->reader);
    if (result == RANGE_FAILED) view_fail(v, "out of memory, or the log cannot be read");
    *marks = own->marks;
    return result;
}
