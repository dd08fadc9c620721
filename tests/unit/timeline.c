/* The statistics of random intervals, and the slots of pictures, are those of a stat that has read
 * the log in order of time, and are made from few bytes of it. Logs: tests/logs, and those named in
 * $HECTIC_LOGS and $HECTIC_COLLECTIONS.
 *
 * The survey is compiled into this test, so that it skips blocks of small logs, too. */
#define SKIPS_FROM 1
#include "less.h"
#include "read/survey.c"
#undef CHUNKS_MAX /* timeline/chunks.h has its own */

#include "logs.h"

#include "stat/stat_sums.h"

#include "timeline/range.h"
#include "timeline/timeline_parts.h"
#include <hectic/log.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All events of the first section, in order of time. */
struct events {
    size_t count, capacity;
    hectic_event *event;
};

static bool keep(struct events *events, const hectic_event *event)
{
    if (events->count == events->capacity) {
        events->capacity = 2 * events->capacity + 1024;
        events->event = realloc(events->event, events->capacity * sizeof *events->event);
    }
    uint8_t *payload = malloc(event->size + 1u);
    memcpy(payload, event->payload, event->size);
    events->event[events->count] = *event;
    events->event[events->count++].payload = payload;
    return true;
}

static bool read_events(void *user, uint64_t from, uint64_t to, hectic_stat *stat)
{
    const struct events *events = user;
    for (size_t i = 0; i < events->count; i++)
        if (events->event[i].time >= from && events->event[i].time < to)
            if (!hectic_stat_event(stat, &events->event[i])) return false;
    return true;
}

static void slow(const struct events *events, uint64_t from, uint64_t to,
                 hectic_stat_result *result)
{
    hectic_stat *stat = hectic_stat_new();
    assert_true(hectic_stat_set_ordered(stat));
    for (size_t i = 0; i < events->count; i++)
        hectic_stat_expect(stat, events->event[i].type);
    read_events((void *)events, 0, from, stat);
    hectic_stat_interval *interval = hectic_stat_open(stat, from);
    read_events((void *)events, from, to, stat);
    assert_true(hectic_stat_get(stat, interval, to, result));
    hectic_stat_free(stat);
}

static const struct {
    const char *name;
    size_t offset;
} cap_fields[] = {
#define FIELD(name)                                                                                \
    {                                                                                              \
#name, offsetof(hectic_stat_cap, name)                                                     \
    }
    FIELD(present_ns),       FIELD(running_ns),     FIELD(gc_ns),       FIELD(gc_work_ns),
    FIELD(gc_idle_ns),       FIELD(wait_begin_ns),  FIELD(wait_end_ns), FIELD(wait_out_ns),
    FIELD(idle_ns),          FIELD(runs),           FIELD(switches),    FIELD(created),
    FIELD(migrated_in),      FIELD(migrated_out),   FIELD(allocated),   FIELD(sparks.created),
    FIELD(sparks.converted), FIELD(sparks.fizzled), FIELD(sparks.gcd),
#undef FIELD
};

static const struct {
    const char *name;
    size_t offset;
} fields[] = {
#define FIELD(name)                                                                                \
    {                                                                                              \
#name, offsetof(hectic_stat_result, name)                                                  \
    }
    FIELD(from),
    FIELD(to),
    FIELD(allocated),
    FIELD(copied),
    FIELD(residency_samples),
    FIELD(residency_max),
    FIELD(slop_max),
    FIELD(heap_max),
    FIELD(blocks_max),

    FIELD(fragmentation_max),
    FIELD(gc_main_ns),
    FIELD(gc_caps_ns),
    FIELD(pause.count),
    FIELD(pause.sum),
    FIELD(pause.max),
    FIELD(pause.p50),
    FIELD(pause.p99),
    FIELD(mean_pause.count),
    FIELD(mean_pause.sum),
    FIELD(mean_pause.max),
    FIELD(mean_pause.p90),
    FIELD(safepoint.count),
    FIELD(safepoint.sum),
    FIELD(safepoint.max),
    FIELD(workers),
    FIELD(workers_max),
    FIELD(conc_marks),
    FIELD(conc_mark_ns),
    FIELD(conc_syncs),
    FIELD(conc_sync_ns),
    FIELD(conc_sync_max_ns),
    FIELD(conc_sweeps),
    FIELD(conc_sweep_ns),
    FIELD(returned),
    FIELD(gaps.dropped_events),
    FIELD(gaps.off_ns),
    FIELD(counter_resets),
    FIELD(messages),
    FIELD(markers),
#undef FIELD
};

static uint64_t field(const void *of, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)of + offset, sizeof value);
    return value;
}

static size_t differences(const char *log, const hectic_stat_result *a, const hectic_stat_result *b)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (field(a, fields[i].offset) != field(b, fields[i].offset)) {
            printf("%s: %llu..%llu: %s: %llu, not %llu\n", log, (unsigned long long)b->from,
                   (unsigned long long)b->to, fields[i].name,
                   (unsigned long long)field(a, fields[i].offset),
                   (unsigned long long)field(b, fields[i].offset));
            count++;
        }
    for (uint32_t c = 0; c < a->caps; c++) {
        uint32_t d = 0;
        static const hectic_stat_cap none;
        while (d < b->caps && b->cap[d].cap != a->cap[c].cap)
            d++;
        const hectic_stat_cap *other = d < b->caps ? &b->cap[d] : &none;
        for (size_t i = 0; i < sizeof cap_fields / sizeof *cap_fields; i++)
            if (field(&a->cap[c], cap_fields[i].offset) != field(other, cap_fields[i].offset)) {
                printf("%s: %llu..%llu: cap %u: %s: %llu, not %llu\n", log,
                       (unsigned long long)b->from, (unsigned long long)b->to, a->cap[c].cap,
                       cap_fields[i].name,
                       (unsigned long long)field(&a->cap[c], cap_fields[i].offset),
                       (unsigned long long)field(other, cap_fields[i].offset));
                count++;
            }
    }
    for (uint32_t g = 0; g < a->generations || g < b->generations; g++) {
        const hectic_stat_generation none = {0};
        const hectic_stat_generation *x = g < a->generations ? &a->generation[g] : &none;
        const hectic_stat_generation *y = g < b->generations ? &b->generation[g] : &none;
        if (memcmp(x, y, sizeof *x) != 0) {
            printf("%s: %llu..%llu: generation %u: %llu, not %llu\n", log,
                   (unsigned long long)b->from, (unsigned long long)b->to, g,
                   (unsigned long long)x->collections, (unsigned long long)y->collections);
            count++;
        }
    }
    return count;
}

static bool read_source(void *user, uint64_t position, void *buffer, size_t size)
{
    hectic_error error;
    return hectic_input_pread(user, position, buffer, size, &error) == (ptrdiff_t)size;
}

/* All events of a log of one section; none if it has several, or too many events. */
static struct events read_log(const char *path)
{
    struct events events = {0};
    hectic_error error;
    hectic_event event;
    hectic_result result;
    hectic_input *input = hectic_input_open(path, &error);
    hectic_log *log = input ? hectic_log_open(input, NULL, &error) : NULL;
    if (!log) return events;
    const hectic_survey *survey = hectic_log_survey(log);
    const bool is_simple = survey->sections == 1 && survey->events < 300000;
    while (is_simple &&
           ((result = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || result == HECTIC_HEADER))
        if (result == HECTIC_GOT_EVENT) keep(&events, &event);
    hectic_log_free(log);
    return events;
}

struct counted {
    hectic_input *input;
    uint64_t bytes;
};

static bool read_counted(void *user, uint64_t position, void *buffer, size_t size)
{
    struct counted *counted = user;
    counted->bytes += size;
    return read_source(counted->input, position, buffer, size);
}

static hectic_result pull(hectic_timeline *t, hectic_decoder *decoder)
{
    for (;;) {
        t->header = hectic_decoder_header(decoder);
        if (t->header && !timeline_take_run(t, decoder)) return HECTIC_GOT_EVENT;
        hectic_event event;
        struct timeline_chunk chunk;
        const hectic_result result = timeline_next(decoder, &event, &chunk);
        if (result != HECTIC_GOT_EVENT || !timeline_take_event(t, &event, &chunk)) return result;
    }
}

static hectic_timeline *make_timeline(hectic_input *input, hectic_decoder *decoder)
{
    static char buffer[65536];
    hectic_timeline *timeline = hectic_timeline_new();
    uint64_t position = 0;
    hectic_error error;
    ptrdiff_t size = 1;
    while (size > 0) {
        hectic_result result;
        size = hectic_input_pread(input, position, buffer, sizeof buffer, &error);
        hectic_decoder_push(decoder, buffer, (size_t)size);
        while ((result = pull(timeline, decoder)) != HECTIC_PARTIAL) {
            assert_int_not_equal(result, HECTIC_GOT_EVENT);
            if (result == HECTIC_ERROR) hectic_decoder_resync(decoder);
        }
        position += (uint64_t)size;
    }
    hectic_timeline_end(timeline);
    return timeline;
}

/* What a cap did in a column. */
static size_t check_times(const char *where, const uint64_t *is, const hectic_stat_cap *cap,
                          bool has_gc)
{
    const uint64_t should[HECTIC_TIMELINE_TIMES] = {cap->running_ns,    cap->gc_ns,
                                                    cap->wait_begin_ns, cap->wait_end_ns,
                                                    cap->wait_out_ns,   cap->unknown_ns};
    size_t bad = 0;
    for (int m = 0; m < HECTIC_TIMELINE_TIMES; m++) {
        if (is[m] == should[m] || (m > 0 && !has_gc)) continue;
        printf("%s: cap %u: %d: %llu, not %llu\n", where, cap->cap, m, (unsigned long long)is[m],
               (unsigned long long)should[m]);
        bad++;
    }
    return bad;
}

static size_t check_slot(const char *path, hectic_timeline *t, const struct events *events,
                         size_t slot)
{
    const unsigned shift = t->spans.shift;
    hectic_stat_result slow_result;
    const uint64_t from = (uint64_t)slot << shift, to = ((uint64_t)slot + 1) << shift;
    size_t bad = 0;
    /* Of an index that was kept, columns are made from the slots alone. */
    hectic_timeline_column *column = calloc(hectic_timeline_caps(t) + 1, sizeof *column);
    const bool was_saved = t->is_saved;
    t->is_saved = true;
    assert_true(column && hectic_timeline_columns(t, NULL, from, to, 1, column));
    t->is_saved = was_saved;
    slow(events, from, to, &slow_result);
    for (size_t i = 0; i < slow_result.caps; i++) {
        const hectic_stat_cap *cap = &slow_result.cap[i];
        size_t k = 0;
        while (k < hectic_timeline_caps(t) && hectic_timeline_cap(t, k) != cap->cap)
            k++;
        char where[300];
        snprintf(where, sizeof where, "%s: slot %zu << %u", path, slot, shift);
        bad += check_times(where, column[k].time, cap, cap->has_gc);
    }
    hectic_stat_result_clear(&slow_result);
    free(column);
    return bad;
}

/* Requests for the same interval share what was read: the answers do not depend on which is first.
 */
static size_t check_shared(const char *path, hectic_timeline *t,
                           const hectic_timeline_source *source, uint64_t from, uint64_t to)
{
    enum { WIDTH = 5, CURVES = HECTIC_TIMELINE_SIZES * WIDTH };
    const size_t size = hectic_timeline_caps(t) * WIDTH * sizeof(hectic_timeline_column);
    hectic_timeline_column *column = malloc(2 * size + 1), *again = column + size / sizeof *column;
    hectic_timeline_curve curve[2][CURVES];
    assert_true(hectic_timeline_columns(t, source, from, to, WIDTH, column));
    assert_true(hectic_timeline_curves(t, source, from, to, WIDTH, curve[0]));
    assert_true(hectic_timeline_columns(t, source, from, to + 1, WIDTH, again));
    assert_true(hectic_timeline_curves(t, source, from, to, WIDTH, curve[1]));
    assert_true(hectic_timeline_columns(t, source, from, to, WIDTH, again));
    bool is_equal = size == 0 || memcmp(column, again, size) == 0;
    for (size_t i = 0; i < CURVES; i++)
        is_equal = is_equal && curve[0][i].known == curve[1][i].known &&
                   curve[0][i].min == curve[1][i].min && curve[0][i].max == curve[1][i].max;
    if (!is_equal)
        printf("%s: %llu..%llu: another picture the second time\n", path, (unsigned long long)from,
               (unsigned long long)to);
    free(column);
    return !is_equal;
}

/* Columns as fine as the times of events. */
static size_t check_columns(const char *path, hectic_timeline *t,
                            const hectic_timeline_source *source, const struct events *events,
                            uint64_t from)
{
    enum { WIDTH = 5 };
    const uint64_t to = from + ((uint64_t)rand() % ((uint64_t)WIDTH << t->spans.shift));
    const size_t caps = hectic_timeline_caps(t);
    hectic_timeline_column *column = malloc((caps + 1) * WIDTH * sizeof *column);
    size_t bad = 0;
    assert_true(hectic_timeline_columns(t, source, from, to, WIDTH, column));
    for (size_t i = 0; i < WIDTH && to > from; i++) {
        hectic_stat_result result;
        slow(events, from + (to - from) * i / WIDTH, from + (to - from) * (i + 1) / WIDTH, &result);
        for (size_t k = 0; k < caps; k++) {
            const hectic_stat_cap none = {0};
            const hectic_stat_cap *cap = &none;
            for (size_t n = 0; n < result.caps; n++)
                if (result.cap[n].cap == hectic_timeline_cap(t, k)) cap = &result.cap[n];
            char where[300];
            snprintf(where, sizeof where, "%s: %llu..%llu: column %zu", path,
                     (unsigned long long)from, (unsigned long long)to, i);
            bad += check_times(where, column[k * WIDTH + i].time, cap, cap->has_gc || cap == &none);
        }
        hectic_stat_result_clear(&result);
    }
    free(column);
    return bad + check_shared(path, t, source, from, to);
}

/* The same of a log that was opened for the interval. */
static size_t check_opened(const char *path, uint64_t from, uint64_t to,
                           const hectic_stat_result *result)
{
    const hectic_log_options options = {.interval_from = from, .to = to};
    hectic_error error;
    hectic_event event;
    hectic_result got;
    hectic_log *log = hectic_log_open(hectic_input_open(path, &error), &options, &error);
    hectic_stat *stat = hectic_stat_new();
    hectic_stat_interval *interval = NULL;
    hectic_stat_result is;
    assert_non_null(log);
    assert_true(hectic_stat_set_ordered(stat));
    for (uint32_t type = 0; type < 65536; type++)
        if (hectic_log_survey(log)->count[type] > 0) hectic_stat_expect(stat, (uint16_t)type);
    while ((got = hectic_log_next(log, &event)) == HECTIC_GOT_EVENT || got == HECTIC_HEADER) {
        if (got == HECTIC_HEADER) continue;
        if (event.time >= from && !interval) interval = hectic_stat_open(stat, from);
        assert_true(hectic_stat_event(stat, &event));
    }
    if (!interval) interval = hectic_stat_open(stat, from);
    assert_true(hectic_stat_get(stat, interval, to, &is));
    char name[300];
    snprintf(name, sizeof name, "%s, opened for the interval", path);
    const size_t bad = differences(name, &is, result);
    hectic_stat_result_clear(&is);
    hectic_stat_free(stat);
    hectic_log_free(log);
    return bad;
}

/* The columns of the row of allocation have all that was allocated, and each report counts. */
static size_t check_allocated(const char *path, hectic_timeline *t,
                              const hectic_timeline_source *source, const struct events *events)
{
    enum { WIDTH = 7 };
    hectic_timeline_curve curve[HECTIC_TIMELINE_SIZES][WIDTH];
    hectic_stat_result result;
    const uint64_t to = (uint64_t)t->allocated.slots << t->allocated.shift;
    uint64_t sum = 0;
    assert_true(hectic_timeline_curves(t, source, 0, to, WIDTH, curve[0]));
    assert_true(hectic_timeline_stat(t, source, 0, UINT64_MAX, &result));
    for (size_t i = 0; i < WIDTH; i++)
        sum += curve[HECTIC_TIMELINE_ALLOCATED][i].min;
    uint64_t reports = 0;
    for (size_t i = 0; i < events->count; i++)
        reports += events->event[i].type == HECTIC_EVENT_HEAP_ALLOCATED;
    for (size_t i = 0; i < t->stat->caps; i++)
        reports -= t->stat->cap[i]->has_last & 1;
    assert_int_equal(hectic_timeline_report_ns(t, 0, to),
                     reports > 0 ? to / reports * t->stat->caps : to);
    const bool is_equal = sum == result.allocated;
    if (!is_equal)
        printf("%s: %llu bytes are drawn, %llu were allocated\n", path, (unsigned long long)sum,
               (unsigned long long)result.allocated);
    hectic_stat_result_clear(&result);
    return !is_equal;
}

static size_t check(const char *path)
{
    struct events events = read_log(path);
    if (events.count == 0) return 0;
    hectic_error error;
    hectic_input *input = hectic_input_open(path, &error);
    assert_true(hectic_input_make_random(input, &error));
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_timeline *timeline = make_timeline(input, decoder);
    const hectic_timeline_source source = {input, read_source, NULL};
    const uint64_t first = events.event[0].time, last = events.event[events.count - 1].time;
    /* Where events contradict each other, the order of the file is another meaning. */
    const bool is_sound = !strstr(path, "/every-event.eventlog");
    size_t bad = is_sound ? check_allocated(path, timeline, &source, &events) : 0;
    for (int i = 0; i < LESS(100, 20) && bad == 0; i++) {
        uint64_t a = first + (uint64_t)rand() * 1000003 % (last - first + 1);
        uint64_t b = first + (uint64_t)rand() * 1000003 % (last - first + 1);
        if (i % 4 == 0) a = events.event[(size_t)rand() % events.count].time;
        const uint64_t from = a < b ? a : b, to = a < b ? b : a;
        hectic_stat_result x, y;
        assert_true(hectic_timeline_stat(timeline, &source, from, to, &x));
        slow(&events, from, to, &y);
        bad += differences(path, &x, &y);
        if (from > 0 && to > from) bad += check_opened(path, from, to, &y);
        hectic_stat_result_clear(&x);
        hectic_stat_result_clear(&y);
        bad += check_columns(path, timeline, &source, &events, a);
        if (is_sound)
            bad += check_slot(path, timeline, &events, (size_t)(a >> timeline->spans.shift));
    }
    for (size_t i = 0; i < events.count; i++)
        free((void *)(uintptr_t)events.event[i].payload);
    free(events.event);
    hectic_timeline_free(timeline);
    hectic_decoder_free(decoder);
    hectic_input_free(input);
    return bad;
}

static void test_random_intervals(void **state)
{
    (void)state;
    glob_t found;
    const char *more = getenv("HECTIC_LOGS");
    size_t bad = 0;
    glob("tests/logs/*.eventlog", 0, NULL, &found);
    if (more) glob(more, GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        bad += check(found.gl_pathv[i]) > 0;
    printf("%zu of %zu logs differ\n", bad, found.gl_pathc);
    globfree(&found);
    assert_int_equal(bad, 0);
}

/* The log in $HECTIC_COLLECTIONS, most of whose time is in collections: pictures and statistics of
 * short intervals read what these hold, and little before them. */
static void test_short_intervals_read_little(void **state)
{
    enum { INTERVALS = LESS(50, 10), SHARE = 100, WIDTH = 4096 };
    (void)state;
    if (!getenv("HECTIC_COLLECTIONS")) skip();
    hectic_error error;
    struct counted counted = {hectic_input_open(getenv("HECTIC_COLLECTIONS"), &error), 0};
    assert_true(hectic_input_make_random(counted.input, &error));
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_timeline *timeline = make_timeline(counted.input, decoder);
    const hectic_timeline_source source = {&counted, read_counted, NULL};
    const uint64_t held = hectic_decoder_position(decoder) / SHARE;
    const size_t caps = hectic_timeline_caps(timeline);
    /* A chunk of each cap at both ends, and as much before it. */
    const uint64_t ends = 3 * caps * (1 << 15);
    uint64_t first, last, columns = 0, stat = 0;
    assert_true(hectic_timeline_extent(timeline, &first, &last));
    hectic_timeline_column *column = malloc(caps * WIDTH * sizeof *column);
    hectic_timeline_curve *curve = malloc(HECTIC_TIMELINE_SIZES * WIDTH * sizeof *curve);
    for (unsigned i = 0; i < INTERVALS; i++) {
        const uint64_t length = (last - first) / SHARE;
        const uint64_t from = first + (last - first - length) / INTERVALS * i;
        hectic_stat_result result;
        assert_true(hectic_timeline_is_exact(timeline, from, from + length, WIDTH));
        counted.bytes = 0;
        assert_true(hectic_timeline_columns(timeline, &source, from, from + length, WIDTH, column));
        columns += counted.bytes / INTERVALS;
        counted.bytes = 0;
        assert_true(hectic_timeline_curves(timeline, &source, from, from + length, WIDTH, curve));
        assert_int_equal(counted.bytes, 0); /* as the columns */
        counted.bytes = 0;
        assert_true(hectic_timeline_stat(timeline, &source, from, from + length, &result));
        stat += counted.bytes / INTERVALS;
        hectic_stat_result_clear(&result);
    }
    printf("%llu bytes are held; read for columns %llu, for statistics %llu\n",
           (unsigned long long)held, (unsigned long long)columns, (unsigned long long)stat);
    assert_in_range(columns, held / 2, held + ends);
    assert_in_range(stat, held / 2, held + 2 * ends);
    free(column);
    free(curve);
    hectic_timeline_free(timeline);
    hectic_decoder_free(decoder);
    hectic_input_free(counted.input);
}

/* What a range has told that it reads next. */
struct told {
    hectic_input *input;
    size_t count, at;
    unsigned at_once, ahead; /* how often */
    hectic_timeline_bytes bytes[1 << 10];
};

static bool read_told(void *user, uint64_t position, void *buffer, size_t size)
{
    struct told *told = user;
    assert_true(told->at < told->count);
    assert_int_equal(position, told->bytes[told->at].position);
    assert_int_equal(size, told->bytes[told->at++].length);
    return read_source(told->input, position, buffer, size);
}

static void tell(void *user, const hectic_timeline_bytes *bytes, size_t count, bool at_once)
{
    struct told *told = user;
    assert_true(count > 0 && count <= sizeof told->bytes / sizeof *told->bytes);
    memcpy(told->bytes, bytes, count * sizeof *bytes);
    told->count = count;
    told->at = 0;
    told->at_once += at_once;
    told->ahead += !at_once;
}

static bool take_any(void *user, const hectic_event *event)
{
    (void)user, (void)event;
    return true;
}

static void test_ranges_read_what_they_tell(void **state)
{
    (void)state;
    if (!getenv("HECTIC_COLLECTIONS")) skip();
    hectic_error error;
    struct told told = {.input = hectic_input_open(getenv("HECTIC_COLLECTIONS"), &error)};
    assert_true(hectic_input_make_random(told.input, &error));
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_timeline *timeline = make_timeline(told.input, decoder);
    const hectic_timeline_source source = {&told, read_told, tell};
    struct range *range =
        range_open(&timeline->chunks, timeline->header, &source, 0, UINT64_MAX, NULL);
    range_result result;
    unsigned pauses = 0;
    while ((result = range_step(range, 1 << 16, take_any, NULL)) == RANGE_MORE)
        if (++pauses % 3 == 0) range_ahead(range);
    assert_int_equal(result, RANGE_END);
    assert_true(pauses > 10);
    assert_int_equal(told.ahead, pauses / 3);
    assert_in_range(told.at_once + told.ahead, pauses, pauses + 1);
    range_close(range);
    hectic_timeline_free(timeline);
    hectic_decoder_free(decoder);
    hectic_input_free(told.input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges_read_what_they_tell),
                                       cmocka_unit_test(test_random_intervals),
                                       cmocka_unit_test(test_short_intervals_read_little)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
