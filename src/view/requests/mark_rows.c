/* mark_rows.c — the requests gc_rows, span_rows and message_rows: what pictures show of
 * collections, spans, markers and messages. What is wide enough is listed; the rest is counted by
 * columns. */
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

/* Begins the answer; the marks are complete. False: *done is the result. */
static bool begin(hectic_view *v, struct json *json, struct picture *picture,
                  const struct marks **marks, const struct section **section, bool *done)
{
    double progress = 0;
    *done = false;
    *section = view_section(v);
    if (!*section || !view_picture(v, *section, picture)) return false;
    const range_result result = view_marks(v, *section, marks, &progress);
    if (result == RANGE_FAILED) return false;
    json_open(json, NULL, '{');
    v->answer.is_part = result == RANGE_MORE;
    json_flag(json, "complete", true, result != RANGE_MORE);
    json_real(json, "progress", true, result == RANGE_MORE ? progress : 1);
    json_number(json, "from_ns", true, picture->from);
    json_number(json, "to_ns", true, picture->to);
    json_number(json, "width", true, picture->width);
    if (result == RANGE_END) return true;
    if (result == RANGE_STOPPED) json_flag(json, "too_many", true, true);
    json_close(json, '}');
    *done = true;
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
    if (!begin(v, json, &p, &marks, &section, &done)) return done;
    json_flag(json, "too_many", true, marks->cut.collections);
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
    s->begin = calloc(s->count + 1, sizeof *s->begin);
    s->end = calloc(s->count + 1, sizeof *s->end);
    s->next = calloc(LISTED_MAX, sizeof *s->next);
    s->listed = calloc(LISTED_MAX, sizeof *s->listed);
    if (!s->row || !s->cells_at || !s->begin || !s->end || !s->next || !s->listed)
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
        if (row == NO_ROW || !is_in_view(p, span->from, span->to)) continue;
        const size_t rank = marks->rank[s->by][row];
        if (rank < s->first || rank - s->first >= s->count) continue;
        const size_t at = rank - s->first;
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
    json_number(json, "span_count", true, row->count);
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
    if (!begin(v, json, &s.picture, &s.marks, &s.section, &done)) return done;
    json_flag(json, "too_many", true, s.marks->cut.spans);
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

static void put_messages(struct json *json, const char *key, const struct marks *marks,
                         const struct picture *p, bool are_markers, struct mark_cell *cells)
{
    size_t first = 0, end, count = 0;
    while (first < marks->messages && message_at(marks, first)->time < p->from)
        first++;
    for (end = first; end < marks->messages && message_at(marks, end)->time < p->to; end++)
        count += message_at(marks, end)->is_marker == are_markers;
    memset(cells, 0, p->width * sizeof *cells);
    json_open(json, key, '{');
    json_number(json, "total", true, count);
    json_open(json, "listed", '[');
    for (size_t i = first; i < end; i++) {
        const struct message_mark *mark = message_at(marks, i);
        if (mark->is_marker != are_markers) continue;
        if (count <= MESSAGES_MAX)
            put_message(json, mark);
        else
            cells[picture_column(p, mark->time)].count++;
    }
    json_close(json, ']');
    json_open(json, "column", '[');
    for (size_t i = 0; i < p->width; i++)
        if (is_used(&cells[i])) json_number(json, NULL, true, i);
    json_close(json, ']');
    json_open(json, "count", '[');
    for (size_t i = 0; i < p->width; i++)
        if (is_used(&cells[i])) json_number(json, NULL, true, cells[i].count);
    json_close(json, ']');
    json_close(json, '}');
}

bool answer_message_rows(hectic_view *v, struct json *json)
{
    struct picture p;
    const struct marks *marks;
    const struct section *section;
    bool done;
    if (!begin(v, json, &p, &marks, &section, &done)) return done;
    json_flag(json, "too_many", true, marks->cut.messages);
    struct mark_cell *cells = malloc(p.width * sizeof *cells);
    if (!cells) return no_memory(v);
    put_messages(json, "markers", marks, &p, true, cells);
    put_messages(json, "messages", marks, &p, false, cells);
    json_close(json, '}');
    free(cells);
    return true;
}
