/* spans_rows.c — the rows of spans, by label, and of spans_each. */
#include "report/spans_report.h"
#include "results/rows.h"

struct spans_maker {
    struct reading *reading;
    const struct row_taker *rows;
    bool each, raw;
    hectic_span_totals *totals; /* of all sections */
    uint64_t duration;          /* ns: of the interval */
};

static bool take(void *user, const hectic_span *span)
{
    const struct spans_maker *spans = user;
    struct cell cell[SPANS_COLUMNS];
    reading_cells(spans->reading, cell);
    spans_put_cells(cell, span, spans->duration);
    return spans->rows->take(spans->rows->user, cell);
}

static bool take_one(void *user, const hectic_span_one *span)
{
    const struct spans_maker *spans = user;
    const hectic_span_end *stop = &span->stop;
    const struct interval *interval = &spans->reading->interval;
    if (!span->is_stopped || stop->time < interval->from || stop->time >= interval->to) return true;
    struct cell cell[SPANS_EACH_COLUMNS];
    reading_cells(spans->reading, cell);
    spans_put_each_cells(cell, span);
    return spans->rows->take(spans->rows->user, cell);
}

static bool begin(const struct reading *reading)
{
    const struct spans_maker *spans = reading->user;
    hectic_spans *analysis = hectic_spans_new(reading->interval.from, reading->interval.to,
                                              spans->each ? take_one : NULL, reading->user);
    *(hectic_spans **)reading->kept = analysis;
    if (analysis && !spans->raw) hectic_spans_group(analysis);
    if (analysis && reading_lacks_caps(reading)) hectic_spans_lack_caps(analysis);
    if (analysis && spans->each) hectic_spans_count_markers(analysis);
    return analysis;
}

READER_EVENTS(hectic_spans)

static bool is_settled(const struct reading *reading)
{
    return hectic_spans_are_settled(*(hectic_spans **)reading->kept);
}

READER_FINISH(hectic_spans)

static bool end(const struct reading *reading, uint64_t now)
{
    const struct spans_maker *spans = reading->user;
    hectic_spans *analysis = *(hectic_spans **)reading->kept;
    if (!hectic_spans_end(analysis, now)) return false;
    if (!spans->each && !hectic_spans_each(analysis, now, take, reading->user)) return false;
    const hectic_span_totals totals = hectic_spans_totals(analysis);
    spans_add_totals(spans->totals, &totals);
    finish(reading);
    return true;
}

static const struct reader reader = {
    .begin = begin, .events = events, .end = end, .finish = finish, .is_settled = is_settled};

bool spans_rows(struct reading *reading, const struct row_taker *rows, bool each, bool raw,
                hectic_span_totals *totals)
{
    struct spans_maker maker = {reading, rows, each, raw, totals, reading->duration};
    *totals = (hectic_span_totals){0};
    return reading_all(reading, &reader, &maker);
}

struct table {
    struct spans_maker maker; /* the first member: the reader has it */
    hectic_span_totals totals;
};

static const struct reader *begin_labels(void *user, struct reading *reading,
                                         const struct row_taker *const *rows)
{
    struct table *table = user;
    table->maker =
        (struct spans_maker){reading, rows[0], false, false, &table->totals, reading->duration};
    return &reader;
}

static const struct reader *begin_each(void *user, struct reading *reading,
                                       const struct row_taker *const *rows)
{
    struct table *table = user;
    begin_labels(user, reading, rows);
    table->maker.each = true;
    return &reader;
}

/* Not one maker: labels are limited in number, and markers count as such for spans only. */
const struct row_maker span_maker = {&reader, sizeof(struct table), begin_labels, NULL, 0, false};
const struct row_maker each_span_maker = {&reader, sizeof(struct table), begin_each, NULL, 0,
                                          false};
