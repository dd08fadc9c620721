/* prof.c — the requests prof and heat: a time profile as a tree of stacks, and over time. */
#include "view/requests/profile_types.h"
#include "view/requests/sample_parts.h"

#include "base/array.h"
#include "numbers/saturating.h"
#include "report/prof_report.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRAMES_MAX = 10000,  /* rows of the table */
    NODES_MAX = 50000,   /* of the tree that is sent */
    PARTS_MAX = 1 << 20, /* a stack in a column */
};

/* What a stack took in a column of the time. */
struct part {
    uint32_t column, node;
    uint64_t ns, samples;
};

/* The samples of a source over time. */
struct course {
    uint32_t column;  /* of the sums */
    size_t nodes;     /* with room for sums */
    struct part *sum; /* by node; samples 0: none */
    uint32_t *used;   /* nodes with sums */
    size_t used_count;
    size_t count, capacity;
    struct part *part; /* of earlier columns */
};

struct prof {
    hectic_time_profile *profile;
    struct picture picture;
    struct course course[HECTIC_TIME_SOURCES];
    bool has_source;
    hectic_time_source source;
    size_t section, rows;
    const hectic_timeline *timeline;
    struct sample_parts *parts; /* NULL: they are not wanted */
    bool failed, is_second;     /* out of memory; the events after the interval */
};

static void prof_free(void *state)
{
    struct prof *p = state;
    hectic_time_profile_free(p->profile);
    sample_parts_free(p->parts);
    for (size_t i = 0; i < HECTIC_TIME_SOURCES; i++) {
        free(p->course[i].sum);
        free(p->course[i].used);
        free(p->course[i].part);
    }
    free(p);
}

/* --- Over time ------------------------------------------------------------------------------- */

static bool add_part(struct course *c, const struct part *part)
{
    if (!array_reserve(c->part, c->capacity, c->count + 1)) return false;
    c->part[c->count++] = *part;
    return true;
}

/* Ends a column. Beyond the limit, its stacks are one. */
static bool end_column(struct course *c)
{
    struct part others = {c->column, HECTIC_STACKS_OTHERS, 0, 0};
    bool done = true;
    for (size_t i = 0; i < c->used_count && done; i++) {
        struct part *sum = &c->sum[c->used[i]];
        if (c->count < PARTS_MAX) {
            done = add_part(c, sum);
        } else {
            others.ns += sum->ns;
            others.samples += sum->samples;
        }
        sum->samples = 0;
    }
    c->used_count = 0;
    return done && (others.samples == 0 || add_part(c, &others));
}

static bool grow(struct course *c, uint32_t node)
{
    const size_t nodes = 2 * (size_t)node + 64;
    struct part *sum = realloc(c->sum, nodes * sizeof *sum);
    if (sum) c->sum = sum;
    uint32_t *used = realloc(c->used, nodes * sizeof *used);
    if (used) c->used = used;
    if (!sum || !used) return false;
    memset(sum + c->nodes, 0, (nodes - c->nodes) * sizeof *sum);
    c->nodes = nodes;
    return true;
}

static bool take_sample(void *user, const hectic_time_sample *sample)
{
    struct prof *p = user;
    struct course *c = &p->course[sample->source];
    const uint32_t column = (uint32_t)picture_column(&p->picture, sample->time);
    if (column != c->column && !end_column(c)) return false;
    if (sample->node >= c->nodes && !grow(c, sample->node)) return false;
    c->column = column;
    struct part *sum = &c->sum[sample->node];
    if (sum->samples == 0) {
        *sum = (struct part){column, sample->node, 0, 0};
        c->used[c->used_count++] = sample->node;
    }
    saturating_add(&sum->ns, sample->since);
    sum->samples++;
    return true;
}

static bool counts_sample(void *user, const hectic_time_sample *sample)
{
    const struct prof *p = user;
    return !p->parts || sample_parts_take(p->parts, sample);
}

static int by_column(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Sorts parts, and adds those of the same stack in a column. */
static bool finish(struct course *c)
{
    if (!end_column(c)) return false;
    if (c->count > 0) qsort(c->part, c->count, sizeof *c->part, by_column);
    size_t kept = 0;
    for (size_t i = 1; i < c->count; i++)
        if (by_column(&c->part[kept], &c->part[i]) == 0) {
            saturating_add(&c->part[kept].ns, c->part[i].ns);
            c->part[kept].samples += c->part[i].samples;
        } else {
            c->part[++kept] = c->part[i];
        }
    if (c->count > 0) c->count = kept + 1;
    return true;
}

/* --- Reading --------------------------------------------------------------------------------- */

void view_time_types(type_set *types)
{
    static const uint16_t samples[] = {HECTIC_EVENT_PROF_BEGIN,
                                       HECTIC_EVENT_PROF_SAMPLE_COST_CENTRE,
                                       HECTIC_EVENT_USER_BINARY_MSG,
                                       HECTIC_EVENT_HEAP_PROF_COST_CENTRE,
                                       HECTIC_EVENT_IPE,
                                       HECTIC_EVENT_SYNC};
    type_set_add_all(types, samples, sizeof samples / sizeof *samples);
}

/* Events before the interval are read, too: a sample's time is that since the one before it. */
static void *begin(hectic_view *v, const struct section *section, struct job_plan *plan)
{
    struct prof *p = calloc(1, sizeof *p);
    const hectic_time_profile_options options = {.from = plan->from,
                                                 .to = plan->to,
                                                 .has_cap = request_text(&v->request, "cap"),
                                                 .cap = (uint32_t)view_value(v, "cap"),
                                                 .counts = counts_sample,
                                                 .sample = take_sample,
                                                 .user = p};
    const enum parts_by by = (enum parts_by)view_value(v, "by");
    if (p) p->profile = hectic_time_profile_new(&options);
    if (p && by != PARTS_NONE)
        p->parts = sample_parts_new(by, view_value(v, "part"), section->marks);
    if (!p || !p->profile || (by != PARTS_NONE && !p->parts)) {
        if (p) prof_free(p);
        return view_fail(v, "out of memory"), NULL;
    }
    p->picture = (struct picture){plan->from, plan->to, (size_t)view_value(v, "width")};
    p->section = section->number;
    p->timeline = section->timeline;
    p->rows = (size_t)view_value(v, "rows");
    p->has_source = request_text(&v->request, "source");
    p->source = view_value(v, "source") == 1 ? HECTIC_TIME_CALL_STACKS : HECTIC_TIME_COST_CENTRES;
    plan->from = 0;
    plan->ends = 0.95;
    plan->has_types = true;
    view_time_types(&plan->types);
    if (p->parts) sample_parts_types(&plan->types);
    return p;
}

static bool take(void *state, const hectic_event *event)
{
    struct prof *p = state;
    if (p->parts) sample_parts_event(p->parts, event);
    p->failed = !hectic_time_profile_event(p->profile, event);
    return !p->failed;
}

/* Definitions that follow the interval. */
static bool next(void *state, struct job_plan *plan)
{
    static const uint16_t types[] = {HECTIC_EVENT_USER_BINARY_MSG, HECTIC_EVENT_IPE,
                                     HECTIC_EVENT_HEAP_PROF_COST_CENTRE, HECTIC_EVENT_SYNC};
    struct prof *p = state;
    if (p->failed || p->is_second) return false;
    p->is_second = true;
    job_plan_rest(plan, types, sizeof types / sizeof *types);
    return true;
}

/* --- The tree -------------------------------------------------------------------------------- */

struct heavy {
    uint64_t ticks;
    uint32_t node;
};

/* A parent is at least as heavy as its children, and has a smaller index. */
static int by_weight(const void *a, const void *b)
{
    const struct heavy *x = a, *y = b;
    if (x->ticks != y->ticks) return x->ticks > y->ticks ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* The nodes that are sent: the heaviest. */
struct sent {
    uint32_t *node;   /* ascending */
    uint32_t *number; /* of each node of the tree: its place in node[]; of others, their parent's */
    size_t count, left_out;
};

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool choose(struct sent *sent, const struct prof_report *r)
{
    struct heavy *heavy = malloc(r->nodes * sizeof *heavy);
    sent->node = malloc(r->nodes * sizeof *sent->node);
    sent->number = calloc(r->nodes, sizeof *sent->number);
    const bool done = heavy && sent->node && sent->number;
    size_t count = 0;
    for (uint32_t i = 0; i < r->nodes && done; i++)
        if (i == HECTIC_STACKS_ROOT || r->total[HECTIC_TIME_TICKS][i] > 0)
            heavy[count++] = (struct heavy){
                i == HECTIC_STACKS_ROOT ? UINT64_MAX : r->total[HECTIC_TIME_TICKS][i], i};
    if (done) qsort(heavy, count, sizeof *heavy, by_weight);
    sent->count = count < NODES_MAX ? count : NODES_MAX;
    sent->left_out = count - sent->count;
    for (size_t i = 0; i < sent->count && done; i++)
        sent->node[i] = heavy[i].node;
    if (done) qsort(sent->node, sent->count, sizeof *sent->node, by_number);
    size_t at = 0;
    for (uint32_t i = 0; i < r->nodes && done; i++) {
        const bool is_sent = at < sent->count && sent->node[at] == i;
        sent->number[i] = is_sent ? (uint32_t)at++ : sent->number[r->node[i].parent];
    }
    free(heavy);
    return done;
}

static void sent_clear(struct sent *sent)
{
    free(sent->node);
    free(sent->number);
}

static void put_frame(struct json *json, const struct prof_frame *frame)
{
    json_open(json, NULL, '{');
    json_text(json, "label", frame->label);
    json_text(json, "module", frame->module);
    json_text(json, "location", frame->location);
    json_close(json, '}');
}

/* Each name once; nodes refer to it by its place. */
static bool put_names(struct json *json, const struct prof_report *r, const struct sent *sent)
{
    const uint32_t symbols = hectic_symbols_count(r->symbols);
    uint32_t *place = calloc((size_t)symbols + 1, sizeof *place), count = 0; /* plus 1 */
    uint32_t *name = malloc(sent->count * sizeof *name);
    const bool done = place && name;
    json_open(json, "names", '[');
    for (size_t i = 0; i < sent->count && done; i++) {
        const uint32_t symbol = r->node[sent->node[i]].symbol;
        uint32_t *known = symbol < symbols ? &place[symbol] : NULL;
        if (!known || *known == 0) {
            struct prof_frame frame;
            prof_node(r, sent->node[i], &frame);
            put_frame(json, &frame);
            count++;
        }
        if (known && *known == 0) *known = count;
        name[i] = known ? *known - 1 : count - 1;
    }
    json_close(json, ']');
    json_open(json, "name", '[');
    for (size_t i = 0; i < sent->count && done; i++)
        json_number(json, NULL, true, name[i]);
    json_close(json, ']');
    free(place);
    free(name);
    return done;
}

static void put_weights(struct json *json, const char *key, const struct sent *sent,
                        const uint64_t *weight)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < sent->count; i++)
        json_number(json, NULL, true, weight[sent->node[i]]);
    json_close(json, ']');
}

static bool put_tree(struct json *json, const struct prof_report *r, const struct sent *sent)
{
    json_open(json, "tree", '{');
    const bool done = put_names(json, r, sent);
    json_open(json, "parent", '[');
    for (size_t i = 0; i < sent->count; i++)
        json_number(json, NULL, sent->node[i] != HECTIC_STACKS_ROOT,
                    sent->number[r->node[sent->node[i]].parent]);
    json_close(json, ']');
    put_weights(json, "own_ns", sent, r->own[HECTIC_TIME_NS]);
    put_weights(json, "total_ns", sent, r->total[HECTIC_TIME_NS]);
    put_weights(json, "own_ticks", sent, r->own[HECTIC_TIME_TICKS]);
    put_weights(json, "total_ticks", sent, r->total[HECTIC_TIME_TICKS]);
    json_number(json, "left_out", true, sent->left_out);
    json_close(json, '}');
    return done;
}

static bool is_own(const struct prof_report *r, uint32_t node)
{
    const hectic_symbol symbol = hectic_symbols_get(r->symbols, r->node[node].symbol);
    return hectic_time_kind_of(&symbol) == HECTIC_TIME_OWN;
}

/* The hottest stack of each column: that with the most samples. */
static bool put_by_time(struct json *json, const struct prof *p, const struct course *c,
                        const struct prof_report *r, const struct sent *sent)
{
    struct part *hottest = calloc(p->picture.width, sizeof *hottest);
    for (size_t i = 0; i < c->count && hottest; i++) {
        const struct part *part = &c->part[i];
        struct part *hot = &hottest[part->column];
        if (is_own(r, part->node) && part->samples > hot->samples) *hot = *part;
    }
    json_open(json, "by_time", '{');
    json_number(json, "from_ns", true, p->picture.from);
    json_number(json, "to_ns", true, p->picture.to);
    json_open(json, "node", '[');
    for (size_t i = 0; i < p->picture.width && hottest; i++)
        json_number(json, NULL, hottest[i].samples > 0, sent->number[hottest[i].node]);
    json_close(json, ']');
    json_close(json, '}');
    const bool done = hottest;
    free(hottest);
    return done;
}

/* --- Answers --------------------------------------------------------------------------------- */

struct frames {
    struct json *json;
    uint64_t count;
};

static bool put_row(void *user, const struct cell *cells)
{
    struct frames *frames = user;
    if (frames->count++ < FRAMES_MAX) cells_put(frames->json, prof_columns, cells, false);
    return true;
}

static bool put_frames(struct json *json, const struct prof_report *r)
{
    struct frames frames = {json, 0};
    bool is_lost;
    json_open(json, "frames", '[');
    const bool done = prof_report_rows(r, put_row, &frames, &is_lost);
    json_close(json, ']');
    json_number(json, "left_out", true, frames.count > FRAMES_MAX ? frames.count - FRAMES_MAX : 0);
    return done;
}

/* False: out of memory. *has_samples: there is something to report. */
static bool report(struct prof *p, struct prof_report *r, bool *has_samples)
{
    *has_samples = false;
    if (p->failed) return false;
    r->section = p->section;
    r->source = p->source;
    if (!p->has_source && !prof_report_source(p->profile, &r->source)) return false;
    if (!prof_report_set(r, p->profile) || !prof_report_add(r)) return false;
    *has_samples = r->totals.samples > 0;
    return finish(&p->course[r->source]);
}

static bool put_profile(struct json *json, struct prof *p, const struct prof_report *r)
{
    struct sent sent = {0};
    bool done = choose(&sent, r);
    json_open(json, NULL, '{');
    prof_report_put(json, r);
    done = done && put_frames(json, r) && put_tree(json, r, &sent) &&
           put_by_time(json, p, &p->course[r->source], r, &sent);
    json_close(json, '}');
    sent_clear(&sent);
    return done;
}

static bool put_prof(void *state, hectic_view *v, struct json *json)
{
    const struct prof *p = state;
    struct prof_report r = {0};
    bool has_samples;
    bool done = report(state, &r, &has_samples);
    json_open(json, "profiles", '[');
    if (has_samples && done) done = put_profile(json, state, &r);
    json_close(json, ']');
    if (p->parts) done = sample_parts_put(p->parts, r.source, p->timeline, json) && done;
    prof_report_clear(&r);
    return done || view_fail(v, "out of memory");
}

/* A sum of parts in each column. */
typedef bool counts_part(const struct prof_report *r, const struct part *part, uint32_t symbol);

static bool is_of_symbol(const struct prof_report *r, const struct part *part, uint32_t symbol)
{
    return r->node[part->node].symbol == symbol;
}

static bool is_of_program(const struct prof_report *r, const struct part *part, uint32_t symbol)
{
    (void)symbol;
    return is_own(r, part->node);
}

static bool put_columns(struct json *json, const char *key, const struct prof *p,
                        const struct prof_report *r, counts_part *counts, uint32_t symbol)
{
    const struct course *c = &p->course[r->source];
    uint64_t *sum = calloc(p->picture.width, sizeof *sum);
    for (size_t i = 0; i < c->count && sum; i++)
        if (!counts)
            saturating_add(&sum[c->part[i].column], c->part[i].ns);
        else if (counts(r, &c->part[i], symbol))
            saturating_add(&sum[c->part[i].column], c->part[i].samples);
    json_open(json, key, '[');
    for (size_t i = 0; i < p->picture.width && sum; i++)
        json_number(json, NULL, true, sum[i]);
    json_close(json, ']');
    const bool done = sum;
    free(sum);
    return done;
}

/* The ticks of a symbol in each column: of stacks in which it is innermost. */
static bool put_heat_row(struct json *json, const struct prof *p, const struct prof_report *r,
                         uint32_t symbol)
{
    struct prof_frame frame;
    prof_symbol(r, symbol, &frame);
    json_open(json, NULL, '{');
    json_text(json, "label", frame.label);
    json_text(json, "module", frame.module);
    json_text(json, "location", frame.location);
    const bool done = put_columns(json, "own_ticks", p, r, is_of_symbol, symbol);
    json_close(json, '}');
    return done;
}

static bool put_heat_rows(struct json *json, const struct prof *p, const struct prof_report *r)
{
    size_t count, put = 0;
    hectic_symbol_time *times = hectic_symbol_times(r->tree, r->symbols, &count);
    bool done = times;
    for (size_t i = 0; i < count && done && put < p->rows; i++) {
        const hectic_symbol symbol = hectic_symbols_get(r->symbols, times[i].symbol);
        if (hectic_time_kind_of(&symbol) != HECTIC_TIME_OWN) continue;
        if (times[i].own[HECTIC_TIME_TICKS] == 0) break;
        done = put_heat_row(json, p, r, times[i].symbol);
        put++;
    }
    free(times);
    return done;
}

static bool put_heat(void *state, hectic_view *v, struct json *json)
{
    struct prof *p = state;
    struct prof_report r = {0};
    bool has_samples;
    bool done = report(p, &r, &has_samples);
    json_number(json, "from_ns", true, p->picture.from);
    json_number(json, "to_ns", true, p->picture.to);
    json_text(json, "source",
              !has_samples || !done                  ? NULL
              : r.source == HECTIC_TIME_COST_CENTRES ? "cost centres"
                                                     : "call stacks");
    json_open(json, "rows", '[');
    if (has_samples && done) done = put_heat_rows(json, p, &r);
    json_close(json, ']');
    if (has_samples && done)
        done = put_columns(json, "own_ticks", p, &r, is_of_program, 0) &&
               put_columns(json, "sampled_ns", p, &r, NULL, 0);
    prof_report_clear(&r);
    return done || view_fail(v, "out of memory");
}

bool answer_prof(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {
        .begin = begin, .take = take, .next = next, .put = put_prof, .free = prof_free};
    const struct section *section = view_section(v);
    const struct marks *marks;
    double progress;
    if (!section) return false;
    if (view_value(v, "by") != PARTS_BY_SPAN) return answer_job(v, json, &kind);
    switch (view_marks(v, section, &marks, &progress)) {
    case RANGE_MORE: return view_put_part(v, json, progress);
    case RANGE_END: return answer_job(v, json, &kind);
    case RANGE_STOPPED: return view_refuse(v, VIEW_LEFT_OUT, "the log has too many spans for this");
    default: return false;
    }
}

bool answer_heat(hectic_view *v, struct json *json)
{
    static const struct job_kind kind = {
        .begin = begin, .take = take, .next = next, .put = put_heat, .free = prof_free};
    return answer_job(v, json, &kind);
}
