/* mark_rows.c — the requests gc_rows, span_rows and message_rows: what pictures show of
 * collections, spans, markers and messages. What is wide enough is listed; the rest is counted by
 * columns. */
#include "read/decode/running.h"
#include "view/engine/marks.h"

#include <stdlib.h>
#include <string.h>

enum {
    CELLS_MAX = 1 << 21,
    WIDE = 2, /* columns, from which something is listed */
    LISTED_MAX = 1 << 13,
    MESSAGES_MAX = 1 << 11, /* if there are more, they are counted */
    GENERATIONS = 16,       /* the last has all further ones */
};

/* What begins in a column, and lasts there. */
struct mark_cell {
    uint64_t ns, longest;
    uint32_t count;
};

/* Begins the answer, and sets *result. The marks are complete: RANGE_END; there are too many events
 * for them: RANGE_STOPPED. Otherwise this was the answer. False: failed. */
static bool begin(hectic_view *v, struct json *json, struct picture *picture,
                  const struct marks **marks, const struct section **section, range_result *result)
{
    double progress = 0;
    *section = view_section(v);
    if (!*section || !view_picture(v, *section, picture)) return false;
    *result = view_marks(v, *section, marks, &progress);
    if (*result == RANGE_FAILED) return false;
    json_open(json, NULL, '{');
    v->answer.is_part = *result == RANGE_MORE;
    json_flag(json, "complete", true, *result != RANGE_MORE);
    json_real(json, "progress", true, *result == RANGE_MORE ? progress : 1);
    json_number(json, "from_ns", true, picture->from);
    json_number(json, "to_ns", true, picture->to);
    json_number(json, "width", true, picture->width);
    if (*result == RANGE_MORE) json_close(json, '}');
    return true;
}

static void put_cut(struct json *json, uint64_t cut)
{
    json_number(json, "left_out_from_ns", cut < UINT64_MAX, cut);
}

/* The same for rows that there are only if the marks are complete: sets *done, or *marks is what
 * is drawn. */
static bool begin_marks(hectic_view *v, struct json *json, struct picture *picture,
                        const struct marks **marks, const struct section **section, bool *done)
{
    range_result result;
    *done = begin(v, json, picture, marks, section, &result);
    if (!*done || result == RANGE_END) return *done;
    if (result == RANGE_STOPPED) {
        put_cut(json, 0);
        json_close(json, '}');
    }
    return false;
}

static bool is_in_view(const struct picture *p, uint64_t from, uint64_t to)
{
    return from < p->to && (to > p->from || (to == from && from >= p->from));
}

/* Is it listed? */
static bool is_wide(const struct picture *p, uint64_t from, uint64_t to)
{
    return to - from >= (p->to - p->from) / p->width * WIDE;
}

/* Adds what is in view, and narrow, to the cells of a row: it lies in few columns. */
static void add_narrow(struct mark_cell *cells, const struct picture *p, uint64_t from, uint64_t to)
{
    const uint64_t length = to - from;
    if (from < p->from) from = p->from;
    if (to > p->to) to = p->to;
    size_t i = picture_column(p, from);
    cells[i].count++;
    if (length > cells[i].longest) cells[i].longest = length;
    for (; i < p->width && from < to; i++) {
        const uint64_t edge = picture_edge(p, i + 1), until = edge < to ? edge : to;
        if (until > from) cells[i].ns += until - from;
        from = until > from ? until : from;
    }
}

static bool is_used(const struct mark_cell *cell)
{
    return cell->count > 0 || cell->ns > 0;
}

/* The columns that have something, as arrays. */
static void put_cells(struct json *json, const struct mark_cell *cells, size_t width)
{
    json_open(json, "column", '[');
    for (size_t i = 0; i < width; i++)
        if (is_used(&cells[i])) json_number(json, NULL, true, i);
    json_close(json, ']');
    json_open(json, "count", '[');
    for (size_t i = 0; i < width; i++)
        if (is_used(&cells[i])) json_number(json, NULL, true, cells[i].count);
    json_close(json, ']');
    json_open(json, "ns", '[');
    for (size_t i = 0; i < width; i++)
        if (is_used(&cells[i])) json_number(json, NULL, true, cells[i].ns);
    json_close(json, ']');
    json_open(json, "longest_ns", '[');
    for (size_t i = 0; i < width; i++)
        if (is_used(&cells[i])) json_number(json, NULL, true, cells[i].longest);
    json_close(json, ']');
}

static bool no_memory(hectic_view *v)
{
    return view_fail(v, "out of memory");
}

/* --- Collections ----------------------------------------------------------------------------- */

static size_t generation_of(const struct collection_mark *mark)
{
    if (!mark->has_generation) return GENERATIONS;
    return mark->generation < GENERATIONS ? mark->generation : GENERATIONS - 1;
}

static void put_collection(struct json *json, const struct collection_mark *mark)
{
    json_open(json, NULL, '{');
    json_number(json, "from_ns", true, mark->from);
    json_number(json, "to_ns", true, mark->to);
    json_number(json, "cap", mark->has_cap, mark->cap);
    json_close(json, '}');
}

static void put_generation(struct json *json, const struct marks *marks, const struct picture *p,
                           size_t generation, struct mark_cell *cells)
{
    size_t listed = 0;
    memset(cells, 0, p->width * sizeof *cells);
    json_open(json, NULL, '{');
    json_number(json, "generation", generation < GENERATIONS, generation);
    json_open(json, "collections", '[');
    for (size_t i = 0; i < marks->collections; i++) {
        const struct collection_mark *mark = collection_at(marks, i);
        if (generation_of(mark) != generation || !is_in_view(p, mark->from, mark->to)) continue;
        if (is_wide(p, mark->from, mark->to) && listed++ < LISTED_MAX)
            put_collection(json, mark);
        else
            add_narrow(cells, p, mark->from, mark->to);
    }
    json_close(json, ']');
    put_cells(json, cells, p->width);
    json_close(json, '}');
}

bool answer_gc_rows(hectic_view *v, struct json *json)
{
    struct picture p;
    const struct marks *marks;
    const struct section *section;
    bool done, exists[GENERATIONS + 1] = {0};
    if (!begin_marks(v, json, &p, &marks, &section, &done)) return done;
    put_cut(json, marks->cut.collections);
    struct mark_cell *cells = malloc(p.width * sizeof *cells);
    if (!cells) return no_memory(v);
    for (size_t i = 0; i < marks->collections; i++)
        exists[generation_of(collection_at(marks, i))] = true;
    json_open(json, "generations", '[');
    for (size_t i = 0; i <= GENERATIONS; i++)
        if (exists[i]) put_generation(json, marks, &p, i, cells);
    json_close(json, ']');
    json_close(json, '}');
    free(cells);
    return true;
}

/* --- Spans ----------------------------------------------------------------------------------- */

/* The rows that are asked for: some ranks. */
struct span_picture {
    const struct marks *marks;
    const struct section *section;
    struct picture picture;
    enum rows_by by;
    size_t first, count;         /* ranks */
    const struct span_row **row; /* by rank, from the first one */
    size_t *cells_at;            /* of each row: where its first depth begins */
    struct mark_cell *cells;
    uint64_t *ended;       /* of each row: how many spans end in the picture */
    uint32_t *next;        /* of each span that is listed: the next one in its row, plus 1 */
    uint32_t *listed;      /* of each span that is listed: its index */
    uint32_t *begin, *end; /* of each row: its first and last listed span, plus 1 */
    size_t lists;
};

static void span_picture_free(struct span_picture *s)
{
    free(s->row);
    free(s->cells_at);
    free(s->cells);
    free(s->ended);
    free(s->next);
    free(s->listed);
    free(s->begin);
    free(s->end);
}

/* Chooses the rows. False: view_fail. */
static bool choose_rows(hectic_view *v, struct span_picture *s)
{
    const struct marks *marks = s->marks;
    size_t depths = 0;
    const size_t rows = marks->rows[s->by];
    s->first = s->first < rows ? s->first : rows;
    s->count = s->count < rows - s->first ? s->count : rows - s->first;
    s->row = calloc(s->count + 1, sizeof *s->row);
    s->cells_at = calloc(s->count + 1, sizeof *s->cells_at);
    s->ended = calloc(s->count + 1, sizeof *s->ended);
    s->begin = calloc(s->count + 1, sizeof *s->begin);
    s->end = calloc(s->count + 1, sizeof *s->end);
    s->next = calloc(LISTED_MAX, sizeof *s->next);
    s->listed = calloc(LISTED_MAX, sizeof *s->listed);
    if (!s->row || !s->cells_at || !s->ended || !s->begin || !s->end || !s->next || !s->listed)
        return no_memory(v);
    for (size_t i = 0; i < rows; i++) {
        const size_t rank = marks->rank[s->by][i];
        if (rank >= s->first && rank - s->first < s->count)
            s->row[rank - s->first] = &marks->row[s->by][i];
    }
    for (size_t i = 0; i < s->count; i++) {
        s->cells_at[i] = depths * s->picture.width;
        depths += s->row[i]->depths;
    }
    if (depths > CELLS_MAX / s->picture.width)
        return view_refuse(v, VIEW_MALFORMED, "width: too large for so many rows");
    s->cells = calloc(depths * s->picture.width + 1, sizeof *s->cells);
    return s->cells || no_memory(v);
}

static void list(struct span_picture *s, size_t row, size_t span)
{
    const uint32_t place = (uint32_t)++s->lists;
    s->listed[place - 1] = (uint32_t)span;
    if (s->end[row])
        s->next[s->end[row] - 1] = place;
    else
        s->begin[row] = place;
    s->end[row] = place;
}

static void paint_spans(struct span_picture *s)
{
    const struct marks *marks = s->marks;
    const struct picture *p = &s->picture;
    for (size_t i = 0; i < marks->spans && marks->span[i].from < p->to; i++) {
        const struct span_mark *span = &marks->span[i];
        const uint32_t row = span->row[s->by];
        if (row == NO_ROW) continue;
        const size_t rank = marks->rank[s->by][row];
        if (rank < s->first || rank - s->first >= s->count) continue;
        const size_t at = rank - s->first;
        s->ended[at] += span->is_stopped && span->to >= p->from && span->to < p->to;
        if (!is_in_view(p, span->from, span->to)) continue;
        if (is_wide(p, span->from, span->to) && s->lists < LISTED_MAX)
            list(s, at, i);
        else
            add_narrow(s->cells + s->cells_at[at] + span->depth[s->by] * p->width, p, span->from,
                       span->to);
    }
}

static void put_span(struct json *json, const struct span_mark *span, enum rows_by by)
{
    json_open(json, NULL, '{');
    json_number(json, "depth", true, span->depth[by]);
    json_number(json, "from_ns", true, span->from);
    json_number(json, "to_ns", true, span->to);
    json_text(json, "name", span->label);
    json_flag(json, "stopped", true, span->is_stopped);
    json_flag(json, "across", true, span->is_across);
    json_close(json, '}');
}

static void put_span_row(struct json *json, const struct span_picture *s, size_t at)
{
    const struct span_row *row = s->row[at];
    const bool by_thread = s->by == BY_THREAD;
    json_open(json, NULL, '{');
    json_number(json, "thread", by_thread && row->has_thread, row->thread);
    json_number(json, "cap", by_thread && !row->has_thread && row->cap != HECTIC_CAP_NONE,
                row->cap);
    json_text(json, "label",
              row->has_thread ? hectic_timeline_label(s->section->timeline, row->thread) : NULL);
    json_text(json, "name", row->label);
    json_number(json, "span_count", true, s->ended[at]);
    json_number(json, "total_ns", true, row->total);
    json_open(json, "spans", '[');
    for (uint32_t i = s->begin[at]; i; i = s->next[i - 1])
        put_span(json, &s->marks->span[s->listed[i - 1]], s->by);
    json_close(json, ']');
    json_open(json, "depths", '[');
    for (size_t i = 0; i < row->depths; i++) {
        json_open(json, NULL, '{');
        put_cells(json, s->cells + s->cells_at[at] + i * s->picture.width, s->picture.width);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

bool answer_span_rows(hectic_view *v, struct json *json)
{
    struct span_picture s = {0};
    bool done;
    s.by = view_value(v, "by") == 1 ? BY_NAME : BY_THREAD;
    s.first = (size_t)view_value(v, "first");
    s.count = (size_t)view_value(v, "count");
    if (!begin_marks(v, json, &s.picture, &s.marks, &s.section, &done)) return done;
    put_cut(json, s.marks->cut.spans);
    done = choose_rows(v, &s);
    if (done) paint_spans(&s);
    json_number(json, "row_count", true, s.marks->rows[s.by]);
    json_open(json, "rows", '[');
    for (size_t i = 0; i < s.count && done; i++)
        put_span_row(json, &s, i);
    json_close(json, ']');
    json_close(json, '}');
    span_picture_free(&s);
    return done;
}

/* --- Markers and messages -------------------------------------------------------------------- */

static void put_message(struct json *json, const struct message_mark *mark)
{
    char text[UINT16_MAX + 1];
    if (mark->size > 0) memcpy(text, mark->text, mark->size);
    text[mark->size] = 0;
    json_open(json, NULL, '{');
    json_number(json, "time_ns", true, mark->time);
    json_number(json, "cap", mark->cap != HECTIC_CAP_NONE, mark->cap);
    json_number(json, "thread", mark->has_thread, mark->thread);
    json_text(json, "text", text);
    json_close(json, '}');
}

/* Of the messages, or the markers, of a picture: their number in each column and, if they are few,
 * how they are listed: from the marks, or, if these lack some, from the log. */
struct said {
    hectic_view *view;
    const struct section *section;
    const struct marks *marks; /* NULL: they lack some */
    struct picture picture;
    bool are_markers;
    uint64_t total;
    uint64_t *column;
    uint32_t *running; /* read/decode/running.h */
    struct json *json;
};

static bool is_in_range(const struct said *s, const struct message_mark *mark)
{
    return mark->is_marker == s->are_markers && mark->time >= s->picture.from &&
           mark->time < s->picture.to;
}

static void count_marks(struct said *s)
{
    memset(s->column, 0, s->picture.width * sizeof *s->column);
    s->total = 0;
    for (size_t i = 0; i < s->marks->messages; i++) {
        const struct message_mark *mark = message_at(s->marks, i);
        if (!is_in_range(s, mark)) continue;
        s->column[picture_column(&s->picture, mark->time)]++;
        s->total++;
    }
}

static bool list_event(void *user, const hectic_event *event)
{
    const struct said *s = user;
    const bool is_marker = event->type == HECTIC_EVENT_USER_MARKER;
    const uint32_t running = s->running[event->cap];
    running_follow(s->running, event);
    if ((is_marker || event->type == HECTIC_EVENT_USER_MSG) && is_marker == s->are_markers &&
        (is_marker || !hectic_spans_is_span(event->payload, event->size)))
        put_message(s->json, &(struct message_mark){.time = event->time,
                                                    .text = event->payload,
                                                    .thread = running - 1,
                                                    .size = event->size,
                                                    .cap = event->cap,
                                                    .has_thread = running > 0});
    return true;
}

static bool list_from_log(struct said *s)
{
    const hectic_timeline *t = s->section->timeline;
    s->running = running_new();
    const bool done =
        s->running && range_read(&t->chunks, s->section->header, &s->view->timeline_source,
                                 s->picture.from, s->picture.to, list_event, s) == RANGE_END;
    free(s->running);
    return done || view_fail(s->view, "out of memory, or the log cannot be read");
}

static bool put_said(struct said *s, const char *key)
{
    const struct picture *p = &s->picture;
    const bool are_listed = s->total <= MESSAGES_MAX &&
                            (s->marks || timeline_is_short(s->section->timeline, p->from, p->to));
    bool done = true;
    json_open(s->json, key, '{');
    json_number(s->json, "total", true, s->total);
    json_open(s->json, "listed", '[');
    for (size_t i = 0; are_listed && s->marks && i < s->marks->messages; i++)
        if (is_in_range(s, message_at(s->marks, i))) put_message(s->json, message_at(s->marks, i));
    if (are_listed && !s->marks) done = list_from_log(s);
    json_close(s->json, ']');
    json_open(s->json, "column", '[');
    for (size_t i = 0; i < p->width && !are_listed; i++)
        if (s->column[i] > 0) json_number(s->json, NULL, true, i);
    json_close(s->json, ']');
    json_open(s->json, "count", '[');
    for (size_t i = 0; i < p->width && !are_listed; i++)
        if (s->column[i] > 0) json_number(s->json, NULL, true, s->column[i]);
    json_close(s->json, ']');
    json_close(s->json, '}');
    return done;
}

/* Both kinds. `column` has room for both. */
static bool put_both(struct said *s, uint64_t *column)
{
    static const char *const keys[] = {"messages", "markers"};
    uint64_t totals[TIMELINE_MESSAGE_KINDS] = {0};
    hectic_timeline *t = s->section->timeline;
    const hectic_timeline_source *source = &s->view->timeline_source;
    const struct picture *p = &s->picture;
    hectic_stat_result stat;
    if (!s->marks) {
        if (!timeline_count_messages(t, source, p->from, p->to, p->width, column) ||
            !hectic_timeline_stat(t, source, p->from, p->to, &stat))
            return view_fail(s->view, "out of memory, or the log cannot be read");
        if (!hectic_timeline_is_exact(t, p->from, p->to, p->width))
            json_number(s->json, "slot_ns", true, UINT64_C(1) << t->said.shift);
        totals[TIMELINE_MESSAGES] = stat.messages;
        totals[TIMELINE_MARKERS] = stat.markers;
        hectic_stat_result_clear(&stat);
    }
    bool done = true;
    for (timeline_message kind = 0; kind < TIMELINE_MESSAGE_KINDS && done; kind++) {
        s->are_markers = kind == TIMELINE_MARKERS;
        s->column = column + kind * p->width;
        s->total = totals[kind];
        if (s->marks) count_marks(s);
        done = put_said(s, keys[kind]);
    }
    return done;
}

bool answer_message_rows(hectic_view *v, struct json *json)
{
    struct said s = {.view = v, .json = json};
    range_result result;
    if (!begin(v, json, &s.picture, &s.marks, &s.section, &result)) return false;
    if (result == RANGE_MORE) return true;
    if (result == RANGE_STOPPED || s.marks->cut.messages < UINT64_MAX) s.marks = NULL;
    uint64_t *column = malloc(TIMELINE_MESSAGE_KINDS * s.picture.width * sizeof *column);
    const bool done = column ? put_both(&s, column) : no_memory(v);
    json_close(json, '}');
    free(column);
    return done;
}
