/* spans.c — the request spans: the spans and markers of an interval by label, and the longest
 * ones. */
#include "view/requests/rare.h"

#include "report/distribution.h"
#include "report/spans_report.h"

#include "facts/spans.h"

#include <stdlib.h>
#include <string.h>

/* One of the longest spans. Its label belongs to the analysis. */
struct one {
    hectic_span_one span;
    uint64_t number;
};

struct spans {
    hectic_spans *analysis;
    uint64_t from, to, last;
    size_t section;
    hectic_histogram lengths; /* of all */
    struct one *longest;
    size_t count;
    uint64_t number; /* of spans so far */
    uint64_t rows, left_out;
    struct json *json;
    bool has_failed, is_settled;
};

static uint64_t duration_of(const struct one *one)
{
    return one->span.stop.time - one->span.start.time;
}

static int by_duration(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    const uint64_t p = duration_of(x), q = duration_of(y);
    if (p != q) return p > q ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void drop_short(struct spans *spans)
{
    if (spans->count > SLOWEST_MAX) {
        qsort(spans->longest, spans->count, sizeof *spans->longest, by_duration);
        spans->count = SLOWEST_MAX;
    }
}

static bool take_one(void *user, const hectic_span_one *span)
{
    struct spans *spans = user;
    const uint64_t stop = span->stop.time;
    if (!span->is_stopped || stop < spans->from || stop >= spans->to) return true;
    if (spans->count == 2 * SLOWEST_MAX) drop_short(spans);
    spans->longest[spans->count++] = (struct one){*span, spans->number++};
    return hectic_histogram_add(&spans->lengths, stop - span->start.time);
}

static void spans_free(void *state)
{
    struct spans *spans = state;
    hectic_spans_free(spans->analysis);
    hectic_histogram_clear(&spans->lengths);
    free(spans->longest);
    free(spans);
}

static void *spans_begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct spans *spans = calloc(1, sizeof *spans);
    if (!spans) return view_fail(v, "out of memory"), NULL;
    spans->from = plan->from;
    spans->to = plan->to;
    spans->last = section->timeline->stat->last;
    spans->section = section->number;
    spans->longest = malloc(2 * SLOWEST_MAX * sizeof *spans->longest);
    spans->analysis = hectic_spans_new(plan->from, plan->to, take_one, spans);
    /* Pairs are decided by later events, too. */
    plan->from = 0;
    plan->to = UINT64_MAX;
    if (spans->analysis) hectic_spans_group(spans->analysis);
    if (spans->analysis && stat_lacks_caps(section->timeline->stat))
        hectic_spans_lack_caps(spans->analysis);
    if (spans->longest && spans->analysis) return spans;
    spans_free(spans);
    return view_fail(v, "out of memory"), NULL;
}

static bool spans_take(void *state, const hectic_event *event)
{
    struct spans *spans = state;
    if (event->time >= spans->to && hectic_spans_are_settled(spans->analysis)) return false;
    spans->has_failed = !hectic_spans_event(spans->analysis, event);
    return !spans->has_failed;
}

static bool put_row(void *user, const hectic_span *span)
{
    struct spans *spans = user;
    struct cell cell[SPANS_COLUMNS];
    if (spans->rows == ROWS_MAX) {
        spans->left_out++;
        return true;
    }
    spans->rows++;
    view_section_cells(spans->section, cell);
    spans_put_cells(cell, span, 0);
    cells_put(spans->json, spans_columns, cell, false);
    return true;
}

static void put_longest(struct spans *spans, struct json *json)
{
    if (spans->count > 0) qsort(spans->longest, spans->count, sizeof *spans->longest, by_duration);
    drop_short(spans);
    json_open(json, "slowest", '[');
    for (size_t i = 0; i < spans->count; i++) {
        struct cell cell[SPANS_EACH_COLUMNS];
        view_section_cells(spans->section, cell);
        spans_put_each_cells(cell, &spans->longest[i].span);
        cells_put(json, spans_each_columns, cell, false);
    }
    json_close(json, ']');
}

static bool spans_put(void *state, hectic_view *v, struct json *json)
{
    struct spans *spans = state;
    const uint64_t now = spans->last < spans->to ? spans->last : spans->to;
    spans->json = json;
    if (spans->has_failed || !hectic_spans_end(spans->analysis, now))
        return view_fail(v, "out of memory");
    json_open(json, "spans", '[');
    hectic_spans_each(spans->analysis, now, put_row, spans);
    json_close(json, ']');
    const hectic_span_totals totals = hectic_spans_totals(spans->analysis);
    spans_put_totals(json, &totals);
    json_number(json, "left_out", true, spans->left_out);
    put_longest(spans, json);
    distribution_put(json, "lengths", &spans->lengths);
    return true;
}

bool answer_spans(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {spans_begin, spans_take, NULL, spans_put, spans_free};
    return answer_rare_job(v, json, &kind);
}
