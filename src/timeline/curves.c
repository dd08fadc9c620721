/* curves.c — the sizes of the heap, and the messages of the program, in the columns of a picture.
 */
#include "timeline/timeline_parts.h"

#include "numbers/saturating.h"

#include <string.h>

/* A size is valid until the next one: of each, the value, and the column that has begun. */
struct course {
    struct picture picture;
    hectic_timeline_curve *curve; /* a row of columns for each size */
    struct {
        bool known;
        uint64_t value;
        size_t column;
    } now[HECTIC_TIMELINE_ALLOCATED];
};

static void add(hectic_timeline_curve *column, uint64_t value)
{
    if (!column->known || value < column->min) column->min = value;
    if (!column->known || value > column->max) column->max = value;
    column->known = true;
}

/* The present value lasts to the end of column `last`. */
static void advance(struct course *c, size_t size, size_t last)
{
    hectic_timeline_curve *row = &c->curve[size * c->picture.width];
    while (c->now[size].column < last) {
        const size_t next = ++c->now[size].column;
        if (c->now[size].known) add(&row[next], c->now[size].value);
    }
}

static void take_size(void *user, enum stat_size size, uint64_t since, uint64_t time,
                      uint64_t bytes)
{
    (void)since;
    struct course *c = user;
    const size_t width = c->picture.width;
    if (size == SIZE_ALLOCATED || time >= c->picture.to) return;
    const bool is_before = time < c->picture.from;
    const size_t column = is_before ? 0 : picture_column(&c->picture, time);
    advance(c, size, column);
    c->now[size].known = true;
    c->now[size].value = bytes;
    if (is_before) c->curve[size * width] = (hectic_timeline_curve){0};
    add(&c->curve[size * width + column], bytes);
}

/* The watch of a stat needs it. */
static void ignore_span(void *user, size_t cap, enum stat_span span, uint64_t from, uint64_t to)
{
    (void)user, (void)cap, (void)span, (void)from, (void)to;
}

static bool read_sizes(hectic_timeline *t, const hectic_timeline_source *source, struct course *c)
{
    uint64_t from = c->picture.from;
    for (size_t i = 0; i < HECTIC_TIMELINE_ALLOCATED; i++) {
        const struct gauge *gauge = &t->gauge[i];
        const struct gauge_slot before = gauge_before(gauge, c->picture.from);
        c->now[i].known = before.is_set;
        c->now[i].value = before.last;
        if (before.is_set) add(&c->curve[i * c->picture.width], before.last);
        const uint64_t slot = c->picture.from >> gauge->shift << gauge->shift;
        if (gauge->slot && slot < from) from = slot;
    }
    const struct stat_watch watch = {.user = c, .take = ignore_span, .measure = take_size};
    if (!timeline_watch(t, source, from, c->picture.to, &watch)) return false;
    for (size_t i = 0; i < HECTIC_TIMELINE_ALLOCATED; i++)
        advance(c, i, c->picture.width - 1);
    return true;
}

static void paint_gauge(const struct gauge *gauge, const struct picture *p,
                        hectic_timeline_curve *row)
{
    struct gauge_slot now = gauge_before(gauge, p->from);
    for (size_t i = 0; i < p->width; i++) {
        const struct gauge_slot in = gauge_get(gauge, picture_edge(p, i), picture_edge(p, i + 1));
        if (now.is_set) add(&row[i], now.last);
        if (!in.is_set) continue;
        add(&row[i], in.min);
        add(&row[i], in.max);
        now = in;
    }
}

static bool paint_allocated(hectic_timeline *t, const struct picture *p, hectic_timeline_curve *row)
{
    if (!timeline_find_first(t)) return false;
    for (size_t i = 0; i < p->width; i++) {
        const uint64_t from = picture_edge(p, i), to = picture_edge(p, i + 1);
        row[i].min = saturating_sum(bins_between(&t->allocated, ALLOCATED_SINCE, from, to),
                                    bins_between(&t->allocated, ALLOCATED_FIRST, from, to));
    }
    return true;
}

/* Nothing is known after the last event. */
static void cut(const hectic_timeline *t, const struct picture *p, hectic_timeline_curve *curve)
{
    hectic_timeline_curve *allocated = &curve[HECTIC_TIMELINE_ALLOCATED * p->width];
    for (size_t i = 0; i < p->width; i++) {
        allocated[i].known = t->stat->seen & SEEN_ALLOCATED;
        allocated[i].max = allocated[i].min;
        if (picture_edge(p, i) <= t->stat->last) continue;
        for (size_t k = 0; k < HECTIC_TIMELINE_SIZES; k++)
            curve[k * p->width + i].known = false;
    }
}

bool hectic_timeline_curves(hectic_timeline *t, const hectic_timeline_source *source, uint64_t from,
                            uint64_t to, size_t width, hectic_timeline_curve *curve)
{
    struct course course = {.picture = {from, to, width}, .curve = curve};
    const struct picture *p = &course.picture;
    memset(curve, 0, HECTIC_TIMELINE_SIZES * width * sizeof *curve);
    if (from >= to || width == 0) return true;
    unsigned shift = 0;
    for (size_t i = 0; i < HECTIC_TIMELINE_ALLOCATED; i++)
        if (t->gauge[i].slot && t->gauge[i].shift > shift) shift = t->gauge[i].shift;
    bool done = true;
    if ((to - from) / width < UINT64_C(1) << shift && timeline_is_short(t, from, to)) {
        done = read_sizes(t, source, &course);
    } else {
        for (size_t i = 0; i < HECTIC_TIMELINE_ALLOCATED; i++)
            paint_gauge(&t->gauge[i], p, &curve[i * width]);
    }
    done = paint_allocated(t, p, &curve[HECTIC_TIMELINE_ALLOCATED * width]) && done;
    cut(t, p, curve);
    return done;
}

uint64_t hectic_timeline_report_ns(const hectic_timeline *t, uint64_t from, uint64_t to)
{
    const uint64_t count = bins_between(&t->allocated, ALLOCATED_COUNT, from, to);
    const uint64_t each = count > 0 ? (to - from) / count * t->stat->caps : to - from;
    return each < to - from ? each : to - from;
}

/* --- Messages -------------------------------------------------------------------------------- */

struct canvas {
    struct picture picture;
    uint64_t *count; /* a row of columns for each kind */
};

static void paint(void *user, enum run_sum what, uint64_t time)
{
    const struct canvas *canvas = user;
    const struct picture *p = &canvas->picture;
    const timeline_message kind = what == MARKERS ? TIMELINE_MARKERS : TIMELINE_MESSAGES;
    if (time >= p->from && time < p->to) canvas->count[kind * p->width + picture_column(p, time)]++;
}

bool timeline_count_messages(hectic_timeline *t, const hectic_timeline_source *source,
                             uint64_t from, uint64_t to, size_t width, uint64_t *count)
{
    struct canvas canvas = {{from, to, width}, count};
    memset(count, 0, TIMELINE_MESSAGE_KINDS * width * sizeof *count);
    if (from >= to || width == 0) return true;
    if (hectic_timeline_is_exact(t, from, to, width))
        return timeline_watch(
            t, source, from, to,
            &(struct stat_watch){.user = &canvas, .take = ignore_span, .say = paint});
    for (size_t i = 0; i < TIMELINE_MESSAGE_KINDS * width; i++)
        count[i] = bins_between(&t->said, i / width, picture_edge(&canvas.picture, i % width),
                                picture_edge(&canvas.picture, i % width + 1));
    return true;
}
