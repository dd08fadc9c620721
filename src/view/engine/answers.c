/* answers.c — the answers to the requests of view.h. */
#include "view/engine/engine.h"

#include "report/stat_report.h"

#include <stdlib.h>
#include <string.h>

enum {
    CELLS_MAX = 1 << 22, /* of all caps */
    LABEL_WIDTH = 24,    /* columns, at least */
    LABELS_MAX = 1 << 14,
};

static bool no_answer(hectic_view *v)
{
    return view_fail(v, "out of memory, or the log cannot be read");
}

/* --- Overview -------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* The index of each cap, in order of their numbers. */
static size_t *sorted_caps(const hectic_timeline *t)
{
    const size_t caps = hectic_timeline_caps(t);
    size_t *index = malloc((caps + 1) * sizeof *index);
    uint16_t *number = malloc((caps + 1) * sizeof *number);
    for (size_t i = 0; i < caps && index && number; i++)
        number[i] = hectic_timeline_cap(t, i);
    if (index && number) {
        if (caps > 0) qsort(number, caps, sizeof *number, by_number);
        for (size_t i = 0; i < caps; i++)
            index[i] = t->stat->index[number[i]] - 1;
    }
    free(number);
    return index;
}

static void put_caps(struct json *json, const hectic_timeline *t)
{
    size_t *index = sorted_caps(t);
    json_open(json, "caps", '[');
    for (size_t i = 0; index && i < hectic_timeline_caps(t); i++)
        json_number(json, NULL, true, hectic_timeline_cap(t, index[i]));
    json_close(json, ']');
    free(index);
}

static void put_section(struct json *json, const struct section *section)
{
    uint64_t first = 0, last = 0;
    const hectic_timeline *t = section->timeline;
    const bool known = hectic_timeline_extent(t, &first, &last);
    json_number(json, "from_ns", known, first);
    json_number(json, "to_ns", known, last);
    if (t->left_out_to > 0) json_number(json, "left_out_to_ns", true, t->left_out_to);
    put_caps(json, t);
    json_text(json, "program", hectic_timeline_program(t));
    json_text(json, "runtime", hectic_timeline_runtime(t));
    if (!section->is_process) return;
    json_number(json, "process", section->process.has_capset, section->process.capset);
    json_number(json, "pid", section->process.has_pid, section->process.pid);
}

static void put_recorded(struct json *json, const hectic_stat *stat)
{
    static const struct {
        const char *name;
        uint32_t seen;
    } kinds[] = {
        {"threads", SEEN_THREADS},
        {"gc", SEEN_GC},
        {"gc_stats", SEEN_GC_STATS},
        {"heap_size", SEEN_HEAP_SIZE},
        {"blocks", SEEN_BLOCKS},
        {"live", SEEN_LIVE},
        {"allocated", SEEN_ALLOCATED},
        {"sparks", SEEN_SPARK_COUNTERS | SEEN_EACH_SPARK},
        {"tasks", SEEN_TASKS},
        {"nonmoving", SEEN_CONC},
        {"heap_profile", SEEN_HEAP_PROFILE},
        {"time_profile", SEEN_TIME_PROFILE},
        {"ticky", SEEN_TICKY},
        {"messages", SEEN_MESSAGES},
    };
    json_open(json, "recorded", '{');
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        json_flag(json, kinds[i].name, true, stat->seen & kinds[i].seen);
    json_close(json, '}');
}

bool answer_overview(hectic_view *v, struct json *json)
{
    const struct section *section = v->sections > 0 ? view_section(v) : NULL;
    if (v->sections > 0 && !section) return false;
    const uint64_t size = v->source.size;
    const bool is_past = v->is_complete || (size > 0 && v->position >= size);
    json_open(json, NULL, '{');
    json_open(json, "sections", '[');
    for (size_t i = 0; i < v->sections; i++) {
        json_open(json, NULL, '{');
        json_number(json, "section", true, i + 1);
        put_section(json, &v->section[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    if (section) {
        put_section(json, section);
        put_recorded(json, section->timeline->stat);
    }
    json_real(json, "progress", is_past || size > 0,
              is_past ? 1 : (double)v->position / (double)(size ? size : 1));
    json_flag(json, "complete", true, v->is_complete);
    json_number(json, "read_bytes", true, v->position);
    json_flag(json, "grows", true, v->grows && !(section && section->timeline->stat->is_final));
    if (section && divide_is_behind(v, section)) json_flag(json, "behind", true, true);
    if (v->source.name) json_text(json, "log", v->source.name);
    if (v->source.logs > 1) json_number(json, "logs", true, v->source.logs);
    char text[512];
    if (v->source.waits && v->source.waits(v->source.user, text, sizeof text))
        json_text(json, "waiting", text);
    json_number(json, "skipped_bytes", true, hectic_decoder_skipped(v->decoder));
    json_close(json, '}');
    return true;
}

/* --- Pictures -------------------------------------------------------------------------------- */

static void put_u32(uint8_t *to, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> 8 * i);
}

uint8_t share_of(uint64_t part, uint64_t whole)
{
    if (part >= whole) return whole ? 255 : 0;
    if (part == 0) return 0;
    const uint8_t share = (uint8_t)((double)part / (double)whole * 255 + 0.5);
    return share == 0 ? 1 : share == 255 ? 254 : share;
}

static void put_columns(uint8_t *to, const struct picture *p, const hectic_timeline_column *row)
{
    for (size_t i = 0; i < p->width; i++, to += HECTIC_TIMELINE_TIMES) {
        const uint64_t length = picture_edge(p, i + 1) - picture_edge(p, i);
        for (unsigned k = 0; k < HECTIC_TIMELINE_TIMES; k++)
            to[k] = share_of(row[i].time[k], length);
    }
}

bool answer_columns(hectic_view *v, struct json *json)
{
    enum { HEAD = 16 };
    struct picture p;
    const struct section *section = view_section(v);
    (void)json;
    if (!section || !view_picture(v, section, &p)) return false;
    hectic_timeline *t = section->timeline;
    const size_t caps = hectic_timeline_caps(t);
    if (caps > CELLS_MAX / p.width)
        return view_refuse(v, VIEW_MALFORMED, "width: too large for so many caps");
    hectic_timeline_column *column = calloc(caps * p.width + 1, sizeof *column);
    size_t *index = sorted_caps(t);
    uint8_t *to = answer_room(&v->answer, HEAD + HECTIC_TIMELINE_TIMES * caps * p.width);
    t->is_behind = !v->is_complete && v->source.size > v->position;
    const bool done =
        column && index && to &&
        hectic_timeline_columns(t, &v->timeline_source, p.from, p.to, p.width, column);
    if (done) {
        const bool is_exact = hectic_timeline_is_exact(t, p.from, p.to, p.width);
        memcpy(to, "HCOL", 4);
        put_u32(to + 4, (uint32_t)p.width);
        put_u32(to + 8, (uint32_t)caps);
        put_u32(to + 12, is_exact ? 0 : t->spans.shift);
        for (size_t i = 0; i < caps; i++)
            put_columns(to + HEAD + HECTIC_TIMELINE_TIMES * i * p.width, &p,
                        &column[index[i] * p.width]);
        v->answer.length += HEAD + HECTIC_TIMELINE_TIMES * caps * p.width;
        v->answer.is_bytes = true;
    }
    free(index);
    free(column);
    return done || no_answer(v);
}

static int by_cap_and_time(const void *a, const void *b)
{
    const hectic_timeline_run *x = a, *y = b;
    if (x->cap != y->cap) return x->cap < y->cap ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void put_run(struct json *json, const hectic_timeline *t, const hectic_timeline_run *run)
{
    json_open(json, NULL, '{');
    json_number(json, "cap", true, run->cap);
    json_number(json, "from_ns", true, run->from);
    json_number(json, "to_ns", true, run->to);
    json_number(json, "thread", run->thread != UINT32_MAX, run->thread);
    json_text(json, "label", hectic_timeline_label(t, run->thread));
    json_text(json, "stop",
              run->is_stopped ? hectic_enum_text(HECTIC_UNIT_STOP_STATUS, run->stop) : NULL);
    json_close(json, '}');
}

bool answer_labels(hectic_view *v, struct json *json)
{
    struct picture p;
    const struct section *section = view_section(v);
    if (!section || !view_picture(v, section, &p)) return false;
    hectic_timeline *t = section->timeline;
    hectic_timeline_run *run = malloc(LABELS_MAX * sizeof *run);
    size_t count = 0;
    bool is_complete = false;
    const uint64_t length = p.to - p.from;
    const uint64_t least =
        length / p.width > UINT64_MAX / LABEL_WIDTH
            ? UINT64_MAX
            : length / p.width * LABEL_WIDTH + length % p.width * LABEL_WIDTH / p.width;
    const bool done = run && hectic_timeline_runs(t, &v->timeline_source, p.from, p.to, least, run,
                                                  LABELS_MAX, &count, &is_complete);
    if (count > 0) qsort(run, count, sizeof *run, by_cap_and_time);
    json_open(json, NULL, '{');
    json_open(json, "labels", '[');
    for (size_t i = 0; i < count; i++)
        put_run(json, t, &run[i]);
    json_close(json, ']');
    json_flag(json, "complete", true, is_complete);
    json_close(json, '}');
    free(run);
    return done || no_answer(v);
}

static void put_curve(struct json *json, const char *key, const hectic_timeline_curve *row,
                      size_t width)
{
    json_open(json, key, '{');
    json_open(json, "min", '[');
    for (size_t i = 0; i < width; i++)
        json_number(json, NULL, row[i].known, row[i].min);
    json_close(json, ']');
    json_open(json, "max", '[');
    for (size_t i = 0; i < width; i++)
        json_number(json, NULL, row[i].known, row[i].max);
    json_close(json, ']');
    json_close(json, '}');
}

bool answer_curves(hectic_view *v, struct json *json)
{
    static const char *const keys[] = {"heap_size", "blocks", "live", "allocated"};
    struct picture p;
    const struct section *section = view_section(v);
    if (!section || !view_picture(v, section, &p)) return false;
    hectic_timeline_curve *curve = calloc(HECTIC_TIMELINE_SIZES * p.width, sizeof *curve);
    const bool done = curve && hectic_timeline_curves(section->timeline, &v->timeline_source,
                                                      p.from, p.to, p.width, curve);
    json_open(json, NULL, '{');
    for (size_t i = 0; done && i < HECTIC_TIMELINE_SIZES; i++)
        put_curve(json, keys[i], &curve[i * p.width], p.width);
    const bool reports = section->timeline->stat->seen & SEEN_ALLOCATED;
    json_number(json, "report_ns", reports,
                hectic_timeline_report_ns(section->timeline, p.from, p.to));
    json_close(json, '}');
    free(curve);
    return done || no_answer(v);
}

/* --- Statistics ------------------------------------------------------------------------------ */

uint32_t view_seen(const hectic_view *v, const struct section *section)
{
    const uint32_t kinds = SEEN_THREADS | SEEN_GC | SEEN_GC_STATS | SEEN_REQUEST | SEEN_ALLOCATED |
                           SEEN_HEAP_SIZE | SEEN_BLOCKS | SEEN_SPARK_COUNTERS | SEEN_TASKS |
                           SEEN_GC_THREADS | SEEN_CONC | SEEN_RETURNED | SEEN_EACH_SPARK;
    uint32_t seen = 0;
    for (size_t i = 0; i < v->sections; i++) {
        const struct section *other = &v->section[i];
        if (other == section || !section->is_process)
            seen |= (other->timeline->stat->seen | other->timeline->stat->recorded) & kinds;
    }
    return seen;
}

static bool stat_of_part(hectic_view *v, const struct section *section, uint64_t from, uint64_t to,
                         hectic_stat_result *result)
{
    hectic_timeline *t = section->timeline;
    const uint32_t seen = t->stat->seen;
    t->stat->seen |= view_seen(v, section);
    const bool done = hectic_timeline_stat(t, &v->timeline_source, from, to, result);
    t->stat->seen = seen;
    return done;
}

bool view_is_whole(const hectic_view *v)
{
    return !request_text(&v->request, "from") && !request_text(&v->request, "to");
}

bool view_stat(hectic_view *v, const struct section *section, hectic_stat_result *result)
{
    uint64_t from, to, first, last;
    if (!view_interval(v, section, &from, &to)) return false;
    if (!hectic_timeline_extent(section->timeline, &first, &last) || first >= to || last < from)
        return view_refuse(v, VIEW_NO_EVENTS, "the section has no events in the interval");
    if (to > last) to = HECTIC_STAT_END;
    if (view_is_whole(v)) from = 0;
    const bool done = view_is_whole(v) && section->timeline->left_out_to == 0
                          ? hectic_stat_get(section->timeline->stat, NULL, HECTIC_STAT_END, result)
                          : stat_of_part(v, section, from, to, result);
    return done || no_answer(v);
}

bool answer_stat(hectic_view *v, struct json *json)
{
    const struct section *section = view_section(v);
    hectic_stat_result result;
    if (!section || !view_stat(v, section, &result)) return false;
    const struct report report = {
        .result = &result,
        .process = section->is_process ? &section->process : NULL,
        .section = section->number,
        .sections = v->sections > 1,
        .is_whole = view_is_whole(v),
    };
    report_put_json(json, &report);
    hectic_stat_result_clear(&result);
    return true;
}
