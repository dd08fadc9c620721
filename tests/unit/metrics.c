/* Metrics for Prometheus: text against expected files, the binary format against the text, and,
 * while logs grow, that no counter decreases or disappears. */
#include "metrics/metrics.h"
#include "events.h"
#include "logs.h"

#include "metrics.pb-c.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PID = 4321, FAMILIES_MAX = 100 };

/* --- Texts ----------------------------------------------------------------------------------- */

static char *page_of(enum metrics_format format, const hectic_live_stats *v, const char *name,
                     size_t *length)
{
    static const record_counts record = {0, 9, 10, 11, 15, 16}, recorded = {1, 12, 13, 14, 17, 18};
    static const struct delivery_counts stored = {.sent = 19,
                                                  .lost = 20,
                                                  .lost_blocks = 21,
                                                  .waiting = 22,
                                                  .spooled_bytes = 23,
                                                  .failing = 24};
    static const struct delivery_counts sent = {
        .sent = 25, .lost = 26, .waiting = 27, .spooled_bytes = 28, .failing = 1};
    static const struct metrics_relay all = {&recorded, &stored, &sent};
    const struct metrics_program program = {
        .name = name,
        .pid = PID,
        .live_stats = v,
        .damaged = 3,
        .stream = {.late = 4, .behind = 1500000000},
        .server = {.readers = 5, .events_dropped = 6, .state_bytes = 7, .state_left_out = 8},
        .record = &record,
    };
    char *page = metrics_page(format, &all, &program, 1, length);
    assert_non_null(page);
    return page;
}

static char *text_of(enum metrics_format format, const hectic_live_stats *v, const char *name)
{
    size_t length;
    char *text = page_of(format, v, name, &length);
    assert_int_equal(strlen(text), length);
    return text;
}

/* Feeds a log; calls `at_times` after every few events, and at the end. */
static hectic_live_stats *take(const struct bytes *log, uint64_t every,
                               void (*at_times)(const hectic_live_stats *v))
{
    hectic_input *input = bytes_input(log->data, log->length);
    hectic_error error;
    hectic_log *ordered = hectic_log_open(input, NULL, &error);
    if (!ordered) return NULL;
    hectic_live_stats *v = hectic_live_stats_new();
    hectic_event event;
    bool begun = false;
    uint64_t count = 0;
    for (hectic_result r; (r = hectic_log_next(ordered, &event)) != HECTIC_PARTIAL &&
                          r != HECTIC_ERROR && r != HECTIC_COMPLETE;) {
        if (r == HECTIC_HEADER && begun) break;
        if (r == HECTIC_HEADER) begun = hectic_live_stats_begin(v, hectic_log_header(ordered));
        if (r == HECTIC_GOT_EVENT) assert_true(hectic_live_stats_event(v, &event));
        if (r == HECTIC_GOT_EVENT && at_times && ++count % every == 0) at_times(v);
    }
    if (at_times) at_times(v);
    hectic_log_free(ordered);
    return v;
}

static void texts_match_the_expected_files(void **state)
{
    (void)state;
    static const struct {
        const char *log, *text;
        enum metrics_format format;
    } kept[] = {
        {"tests/logs/threads.eventlog", "tests/metrics/threads.open", METRICS_OPEN},
        {"tests/logs/threads.eventlog", "tests/metrics/threads.classic", METRICS_CLASSIC},
        {"tests/logs/sparks.eventlog", "tests/metrics/sparks.classic", METRICS_CLASSIC},
        {"tests/logs/heap-nonmoving.eventlog", "tests/metrics/heap-nonmoving.classic",
         METRICS_CLASSIC},
        {"tests/logs/messages.eventlog", "tests/metrics/messages.classic", METRICS_CLASSIC},
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        struct bytes log = bytes_of_file(kept[i].log);
        hectic_live_stats *v = take(&log, 0, NULL);
        char *text = text_of(kept[i].format, v, "a-program");
        struct bytes expected = bytes_of_file(kept[i].text);
        bytes_write(&expected, "", 1);
        assert_string_equal(text, (const char *)expected.data);
        free(text);
        bytes_free(&expected);
        bytes_free(&log);
        hectic_live_stats_free(v);
    }
}

/* --- The binary format ----------------------------------------------------------------------- */

struct unpacked {
    Metrics__Family *family[FAMILIES_MAX];
    size_t count;
};

static struct unpacked unpack(const char *page, size_t length)
{
    struct unpacked u = {.count = 0};
    for (size_t at = 0; at < length; u.count++) {
        size_t size = 0;
        for (unsigned shift = 0;; shift += 7) {
            const uint8_t byte = (uint8_t)page[at++];
            assert_true(at < length && shift < 35);
            size |= (size_t)(byte & 0x7f) << shift;
            if (byte < 0x80) break;
        }
        assert_true(size <= length - at && u.count < FAMILIES_MAX);
        u.family[u.count] = metrics__family__unpack(NULL, size, (const uint8_t *)page + at);
        assert_non_null(u.family[u.count]);
        at += size;
    }
    return u;
}

static struct unpacked unpacked_of(const hectic_live_stats *v, const char *name)
{
    size_t length;
    char *page = page_of(METRICS_PROTOBUF, v, name, &length);
    const struct unpacked u = unpack(page, length);
    free(page);
    return u;
}

static void unpacked_free(struct unpacked *u)
{
    for (size_t i = 0; i < u->count; i++)
        metrics__family__free_unpacked(u->family[i], NULL);
}

static const Metrics__Family *family_of(const struct unpacked *u, const char *name)
{
    for (size_t i = 0; i < u->count; i++)
        if (strcmp(u->family[i]->name, name) == 0) return u->family[i];
    return NULL;
}

static void print_sample(FILE *out, const char *name, const char *suffix, const Metrics__Metric *m,
                         const char *le, double value)
{
    const char *before = "{";
    fprintf(out, "%s%s", name, suffix);
    for (size_t i = 0; i < m->n_label; i++, before = ",") {
        fprintf(out, "%s%s=\"", before, m->label[i]->name);
        for (const char *at = m->label[i]->value; *at; at++)
            fprintf(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
        fputc('"', out);
    }
    if (le) fprintf(out, "%sle=\"%s\"", before, le);
    fprintf(out, "%s %.17g\n", le || m->n_label ? "}" : "", value);
}

static void print_histogram(FILE *out, const char *name, const Metrics__Metric *m,
                            const Metrics__Histogram *h)
{
    for (size_t i = 0; i < h->n_bucket; i++) {
        char le[32];
        snprintf(le, sizeof le, "%g", h->bucket[i]->limit);
        if (isinf(h->bucket[i]->limit)) strcpy(le, "+Inf");
        if (strchr(le, '.') == NULL && strpbrk(le, "eI") == NULL) strcat(le, ".0");
        print_sample(out, name, "_bucket", m, le, (double)h->bucket[i]->count);
    }
    print_sample(out, name, "_count", m, NULL, (double)h->count);
    print_sample(out, name, "_sum", m, NULL, h->sum);
}

/* As in the classic format, except for the format of numbers. */
static char *printed(const struct unpacked *u)
{
    static const char *const types[] = {
        [METRICS__TYPE__COUNTER] = "counter",
        [METRICS__TYPE__GAUGE] = "gauge",
        [METRICS__TYPE__HISTOGRAM] = "histogram",
    };
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; i < u->count; i++) {
        const Metrics__Family *f = u->family[i];
        fprintf(out, "# TYPE %s %s\n", f->name, types[f->type]);
        fprintf(out, "# HELP %s %s\n", f->name, f->help);
        for (size_t k = 0; k < f->n_metric; k++) {
            const Metrics__Metric *m = f->metric[k];
            assert_int_equal(!!m->counter + !!m->gauge + !!m->histogram, 1);
            assert_true(f->type == METRICS__TYPE__HISTOGRAM ? m->histogram != NULL
                        : f->type == METRICS__TYPE__COUNTER ? m->counter != NULL
                                                            : m->gauge != NULL);
            if (m->histogram)
                print_histogram(out, f->name, m, m->histogram);
            else
                print_sample(out, f->name, "", m, NULL,
                             m->counter ? m->counter->value : m->gauge->value);
        }
    }
    fclose(out);
    return text;
}

static char *next_line(char **rest)
{
    char *line = *rest, *end = strchr(line, '\n');
    if (!end) return NULL;
    *end = 0;
    *rest = end + 1;
    return line;
}

/* Compares comments and names byte by byte, numbers by value. */
static void assert_same_samples(char *binary, char *text)
{
    char *mine, *other;
    while ((mine = next_line(&binary))) {
        other = next_line(&text);
        assert_non_null(other);
        if (mine[0] != '#') {
            char *number = strrchr(mine, ' '), *as_text = strrchr(other, ' ');
            const double a = strtod(number, NULL), b = strtod(as_text, NULL);
            if (fabs(a - b) > 1e-15 * b) fail_msg("%s, not %s", mine, other); /* rounding */
            *number = *as_text = 0;
        }
        assert_string_equal(mine, other);
    }
    assert_null(next_line(&text));
}

static void assert_same_in_both(const hectic_live_stats *v)
{
    struct unpacked u = unpacked_of(v, "a-program");
    char *binary = printed(&u), *text = text_of(METRICS_CLASSIC, v, "a-program");
    assert_same_samples(binary, text);
    free(binary);
    free(text);
    unpacked_free(&u);
}

/* Places counts of native buckets at their index in hectic_exponential. */
static hectic_exponential native_of(const Metrics__Histogram *h)
{
    hectic_exponential native = {.zeros = h->zeros};
    int64_t count = 0;
    int number = 0;
    size_t delta = 0;
    assert_int_equal(h->schema, 3);
    for (size_t i = 0; i < h->n_span; i++) {
        assert_true(i == 0 || h->span[i]->gap > 0);
        number += h->span[i]->gap;
        for (uint32_t k = 0; k < h->span[i]->length; k++, number++) {
            assert_in_range(number - HECTIC_EXPONENTIAL_FIRST, 0, HECTIC_EXPONENTIAL_BUCKETS - 1);
            count += h->delta[delta++];
            native.bucket[number - HECTIC_EXPONENTIAL_FIRST] = (uint64_t)count;
        }
    }
    assert_int_equal(delta, h->n_delta);
    return native;
}

static void assert_native(const hectic_live_stats *v)
{
    struct unpacked u = unpacked_of(v, "p");
    const Metrics__Family *pauses = family_of(&u, "hectic_gc_pause_seconds");
    for (size_t i = 0; pauses && i < pauses->n_metric; i++) {
        const Metrics__Metric *m = pauses->metric[i];
        const char *generation = m->label[m->n_label - 1]->value;
        const hectic_exponential native = native_of(m->histogram);
        assert_memory_equal(&native,
                            hectic_live_stats_exponential_pauses(v, (uint16_t)atoi(generation)),
                            sizeof native);
        uint64_t count = native.zeros;
        for (int k = 0; k < HECTIC_EXPONENTIAL_BUCKETS; k++)
            count += native.bucket[k];
        assert_int_equal(count, m->histogram->count);
    }
    unpacked_free(&u);
}

static void assert_binary(const hectic_live_stats *v)
{
    assert_same_in_both(v);
    assert_native(v);
}

static void binary_equals_text(const char *path, const struct bytes *log)
{
    (void)path;
    hectic_live_stats_free(take(log, UINT64_MAX, assert_binary));
}

static void binary_formats_equal_texts(void **state)
{
    (void)state;
    for_each_log(1 << 22, binary_equals_text);
}

/* A collection of generation 1, of that duration. */
static uint64_t collect(hectic_live_stats *v, uint64_t from, uint64_t ns)
{
#define FEED(time, name, ...) EVENT(hectic_live_stats_event, v, time, 0, name, "", __VA_ARGS__)
    FEED(from, REQUEST_SEQ_GC, 0);
    FEED(from, GC_START, 0);
    FEED(from + ns, GC_STATS_GHC, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    FEED(from + ns, GC_END, 0);
    return from + ns + 1;
}

static void pauses_are_in_native_buckets(void **state)
{
    (void)state;
    static const uint16_t numbers[] = {HECTIC_EVENT_GC_START};
    hectic_live_stats *v = hectic_live_stats_new();
    hectic_header *header = event_header(numbers, 1);
    assert_true(hectic_live_stats_begin(v, header));
    EVENT(hectic_live_stats_event, v, 0, HECTIC_CAP_NONE, WALL_CLOCK_TIME, "", 0, 1600000000, 7);
    const uint64_t second = 1000000000;
    uint64_t time = 1;
    for (int i = 0; i < 3; i++)
        time = collect(v, time, second); /* the last of bucket 0 */
    time = collect(v, time, second + 1);
    time = collect(v, time, 2 * second); /* … of bucket 8 */
    time = collect(v, time, 0);
    time = collect(v, time, 1);
    time = collect(v, time, UINT64_C(1) << 62);
    struct unpacked u = unpacked_of(v, "p");
    const Metrics__Family *family = family_of(&u, "hectic_gc_pause_seconds");
    assert_non_null(family);
    assert_string_equal(family->unit, "seconds");
    assert_int_equal(family->n_metric, 1);
    const Metrics__Histogram *h = family->metric[0]->histogram;
    static const struct {
        int gap;
        unsigned length;
    } spans[] = {{-239, 1}, {238, 2}, {6, 1}, {248, 1}};
    static const int64_t deltas[] = {1, 2, -2, 0, 0};
    assert_int_equal(h->n_span, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(h->span[i]->gap, spans[i].gap);
        assert_int_equal(h->span[i]->length, spans[i].length);
    }
    assert_int_equal(h->n_delta, 5);
    assert_memory_equal(h->delta, deltas, sizeof deltas);
    assert_int_equal(h->zeros, 1);
    assert_true(h->zero_threshold > 0 && h->zero_threshold < 1e-9);
    assert_int_equal(h->count, 8);
    assert_int_equal(h->n_bucket, 20);
    assert_int_equal(h->bucket[19]->count, 8);
    assert_int_equal(h->created->seconds, 1600000000);
    assert_int_equal(h->created->ns, 7);
    const Metrics__Family *gcs = family_of(&u, "ghc_gcs_total");
    assert_int_equal(gcs->metric[0]->counter->created->ns, 7);
    unpacked_free(&u);
    hectic_header_free(header);
    hectic_live_stats_free(v);
}

/* --- Counters -------------------------------------------------------------------------------- */

static char *before; /* the previous text of the same log */

/* The next sample of a counter, without its value; NULL: none. */
static char *next_counter(char **rest, bool *is_counter, double *value)
{
    for (char *line; (line = next_line(rest));) {
        if (strncmp(line, "# TYPE ", 7) == 0)
            *is_counter = strstr(line, " counter") || strstr(line, " histogram");
        if (line[0] == '#' || !*is_counter) continue;
        char *space = strrchr(line, ' ');
        *value = strtod(space, NULL);
        *space = 0;
        return line;
    }
    return NULL;
}

/* New samples may be inserted; existing ones stay in order. */
static void compare(const hectic_live_stats *v)
{
    char *now = text_of(METRICS_OPEN, v, "p"), *copy = strdup(now);
    assert_string_equal(now + strlen(now) - 6, "# EOF\n");
    char *old_rest = before, *new_rest = now;
    bool old_is = false, new_is = false;
    double old_value, new_value = 0;
    for (char *old; before && (old = next_counter(&old_rest, &old_is, &old_value));) {
        const char *found;
        do
            found = next_counter(&new_rest, &new_is, &new_value);
        while (found && strcmp(found, old) != 0);
        if (!found) fail_msg("gone: %s", old);
        if (new_value < old_value) fail_msg("%s: from %f to %f", old, old_value, new_value);
    }
    free(now);
    free(before);
    before = copy;
}

static void grow(const char *path, const struct bytes *log)
{
    const uint64_t every = log->length < 100000 ? 1 : log->length / 20000;
    (void)path;
    hectic_live_stats_free(take(log, every, compare));
    free(before);
    before = NULL;
}

/* As from a runtime whose caps flush seconds apart: a block contains past events.
 */
static void grow_late(const char *path, const struct bytes *log)
{
    hectic_decoder *d = hectic_decoder_new();
    hectic_live_stats *v = hectic_live_stats_new();
    hectic_event event;
    hectic_result result;
    bool begun = strstr(path, "every-event"); /* its times are meaningless */
    hectic_decoder_push(d, log->data, log->length);
    while ((result = hectic_decoder_pull(d, &event)) == HECTIC_GOT_EVENT ||
           (result == HECTIC_HEADER && !begun)) {
        if (result == HECTIC_HEADER) {
            begun = hectic_live_stats_begin(v, hectic_decoder_header(d));
            hectic_live_stats_follow(v);
            EVENT(hectic_live_stats_event, v, 0, HECTIC_CAP_NONE, RTS_IDENTIFIER, "GHC-9", 0);
            continue;
        }
        if (event.type == HECTIC_EVENT_BLOCK_MARKER) compare(v);
        assert_true(hectic_live_stats_event(v, &event));
    }
    if (before) compare(v);
    hectic_decoder_free(d);
    hectic_live_stats_free(v);
    free(before);
    before = NULL;
}

static void counters_never_go_back(void **state)
{
    (void)state;
    for_each_log(1 << 22, grow);
    for_each_log(1 << 22, grow_late);
}

/* --- The rest -------------------------------------------------------------------------------- */

static void unknown_values_are_absent(void **state)
{
    (void)state;
    static const uint16_t numbers[] = {HECTIC_EVENT_CREATE_THREAD};
    hectic_live_stats *v = hectic_live_stats_new();
    hectic_header *header = event_header(numbers, 1);
    assert_true(hectic_live_stats_begin(v, header));
    char *text = text_of(METRICS_OPEN, v, "p");
    assert_non_null(strstr(text, "\nhectic_programs 1\n"));
    assert_non_null(strstr(text, "\nhectic_damaged_places_total{program=\"p\",pid=\"4321\"} 3\n"));
    assert_non_null(strstr(text, "\nhectic_log_behind_seconds{program=\"p\",pid=\"4321\"} 1.5\n"));
    assert_null(strstr(text, "ghc_allocated"));
    assert_null(strstr(text, "hectic_threads"));
    assert_null(strstr(text, "_created{"));
    free(text);
    hectic_header_free(header);
    hectic_live_stats_free(v);
    size_t length;
    static const struct metrics_relay none = {NULL, NULL, NULL};
    text = metrics_page(METRICS_CLASSIC, &none, &(struct metrics_program){.name = "q"}, 1, &length);
    assert_non_null(strstr(text, "hectic_programs 1\n"));
    assert_null(strstr(text, "\"q\""));
    free(text);
}

/* --- Heap profiles --------------------------------------------------------------------------- */

static void band(hectic_live_stats *v, uint64_t bytes, const char *name)
{
    EVENT(hectic_live_stats_event, v, 0, HECTIC_CAP_NONE, HEAP_PROF_SAMPLE_STRING, name, 0, bytes);
}

static void begin_sample(hectic_live_stats *v, uint64_t time)
{
    EVENT(hectic_live_stats_event, v, time, HECTIC_CAP_NONE, HEAP_PROF_SAMPLE_BEGIN, "", 0);
}

static void end_sample(hectic_live_stats *v, uint64_t time)
{
    EVENT(hectic_live_stats_event, v, time, HECTIC_CAP_NONE, HEAP_PROF_SAMPLE_END, "", 0);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void has_band(const char *text, const char *label, const char *value)
{
    char line[1024];
    snprintf(line, sizeof line,
             "hectic_heap_band_bytes{program=\"p\",pid=\"4321\",band=\"%s\"} %s\n", label, value);
    if (!strstr(text, line)) fail_msg("%s is missing: %s", line, text);
}

static void bands_are_bounded_series(void **state)
{
    (void)state;
    static const uint16_t numbers[] = {HECTIC_EVENT_HEAP_PROF_SAMPLE_BEGIN};
    hectic_live_stats *v = hectic_live_stats_new();
    hectic_header *header = event_header(numbers, 1);
    assert_true(hectic_live_stats_begin(v, header));
    EVENT(hectic_live_stats_event, v, 0, HECTIC_CAP_NONE, WALL_CLOCK_TIME, "", 0, 1600000000, 7);
    char *text = text_of(METRICS_OPEN, v, "p");
    assert_null(strstr(text, "hectic_heap_band"));
    assert_null(strstr(text, "hectic_heap_sample"));
    free(text);

    /* The 20 largest of 2000, and the rest. The sums are those of the sample. */
    begin_sample(v, 2000000000);
    char name[512], other[512];
    for (unsigned i = 1; i <= 2000; i++) {
        snprintf(name, sizeof name, "band %u", i);
        band(v, i, name);
    }
    end_sample(v, 2000000001);
    text = text_of(METRICS_OPEN, v, "p");
    assert_int_equal(count_of(text, "\nhectic_heap_band_bytes{"), METRICS_BANDS + 1);
    has_band(text, "band 2000", "2000");
    has_band(text, "band 1981", "1981");
    has_band(text, "(others)", "1961190");
    assert_non_null(strstr(text, "hectic_heap_sample_timestamp_seconds{program=\"p\",pid=\"4321\"} "
                                 "1600000002.000000007\n"));
    free(text);
    assert_same_in_both(v);

    /* A band that has disappeared is no series; labels are escaped; equal ones are added. */
    begin_sample(v, 3000000000);
    band(v, 9, "a\"b\\c\nd\xff");
    band(v, 0, "none");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    strcpy(other, name);
    other[300] = 'y';
    band(v, 7, name);
    band(v, 6, other);
    band(v, UINT64_MAX - 1, "huge");
    end_sample(v, 3000000001);
    text = text_of(METRICS_OPEN, v, "p");
    assert_int_equal(count_of(text, "\nhectic_heap_band_bytes{"), 3);
    has_band(text, "a\\\"b\\\\c\\\\nd\\\\xff", "9");
    has_band(text, "huge", "18446744073709551614");
    memcpy(name + 199, "…", sizeof "…");
    has_band(text, name, "13");
    free(text);
    assert_same_in_both(v);
    hectic_header_free(header);
    hectic_live_stats_free(v);
}

static void labels_are_plain(void **state)
{
    (void)state;
    static const uint16_t numbers[] = {HECTIC_EVENT_RTS_IDENTIFIER};
    hectic_live_stats *v = hectic_live_stats_new();
    hectic_header *header = event_header(numbers, 1);
    assert_true(hectic_live_stats_begin(v, header));
    EVENT(hectic_live_stats_event, v, 1, HECTIC_CAP_NONE, RTS_IDENTIFIER, "a\"b\\c\nd\xff", 0);
    char *text = text_of(METRICS_OPEN, v, "x\"\n\\y");
    assert_non_null(
        strstr(text, "hectic_program_info{program=\"x???y\",pid=\"4321\",rts=\"a?b?c?d?\"} 1\n"));
    free(text);
    hectic_header_free(header);
    hectic_live_stats_free(v);
}

static void the_format_is_negotiated(void **state)
{
    (void)state;
#define PROTOBUF "application/vnd.google.protobuf"
#define FAMILY   "proto=io.prometheus.client.MetricFamily"
    static const struct {
        const char *accept;
        enum metrics_format format;
    } asked[] = {
        {NULL, METRICS_CLASSIC},
        {"", METRICS_CLASSIC},
        {"*/*", METRICS_CLASSIC},
        {"image/png", METRICS_CLASSIC},
        {"text/plain;version=0.0.4", METRICS_CLASSIC},
        {"Application/OpenMetrics-Text;version=1.0.0,*/*;q=0.1", METRICS_OPEN},
        {"application/openmetrics-text;q=0.5,text/plain", METRICS_CLASSIC},
        {"application/openmetrics-text;q=0.5,text/*", METRICS_CLASSIC},
        {"application/openmetrics-text , text/plain", METRICS_OPEN},
        {"text/plain, application/openmetrics-text", METRICS_OPEN},
        {"application/openmetrics-text;q=0,text/plain;q=0", METRICS_CLASSIC},
        {"application/openmetrics-text;q=0.000", METRICS_CLASSIC},
        {"application/openmetrics-text;q=0.001", METRICS_OPEN},
        {"application/openmetrics-text;q=many,text/plain;q=0.1", METRICS_CLASSIC},
        {"application/openmetrics-text;q=1.5,text/plain;q=0.1", METRICS_CLASSIC},
        {"application/openmetrics-text;q=0.1234,text/plain;q=0.1", METRICS_CLASSIC},
        {"application/openmetrics-text;a=\",text/plain\"; Q = 0.3 ,text/plain;q=0.2", METRICS_OPEN},
        {"application/openmetrics-textual", METRICS_CLASSIC},
        /* Prometheus's requests: without native histograms, with them, and of a later version. */
        {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
         "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         METRICS_OPEN},
        {PROTOBUF ";" FAMILY ";encoding=delimited,application/openmetrics-text;version=1.0.0;q=0.8,"
                  "application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;"
                  "q=0.5,*/*;q=0.1",
         METRICS_PROTOBUF},
        {"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6," PROTOBUF
         ";" FAMILY ";encoding=delimited;q=0.5,*/*;q=0.2",
         METRICS_OPEN},
        {PROTOBUF "; encoding=\"delimited\"; " FAMILY, METRICS_PROTOBUF},
        {PROTOBUF ";" FAMILY ";encoding=text,*/*;q=0.1", METRICS_CLASSIC},
        {PROTOBUF ";" FAMILY, METRICS_CLASSIC},
        {PROTOBUF ";proto=other.Message;encoding=delimited", METRICS_CLASSIC},
        {PROTOBUF, METRICS_CLASSIC},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (metrics_format_for(asked[i].accept) != asked[i].format)
            fail_msg("%s", asked[i].accept ? asked[i].accept : "nothing");
}

/* Invalid input is not read beyond its end. */
static void invalid_input_is_not_overread(void **state)
{
    (void)state;
    static const char letters[] = ";,=\"\\ \tq01.5*/xt", type[] = "application/openmetrics-text";
    uint64_t seed = 5;
    for (int i = 0; i < 100000; i++) {
        const size_t length = random_below(&seed, 12), before = i % 2 ? sizeof type - 1 : 0;
        char *accept = malloc(before + length + 1);
        memcpy(accept, type, before);
        for (size_t k = 0; k < length; k++)
            accept[before + k] = letters[random_below(&seed, sizeof letters - 1)];
        accept[before + length] = 0;
        assert_in_range(metrics_format_for(accept), METRICS_CLASSIC, METRICS_OPEN);
        free(accept);
    }
}

static void all_are_documented(void **state)
{
    (void)state;
    struct bytes pages = bytes_of_file("docs/metrics.md");
    bytes_write(&pages, "", 1);
    const char *const logs[] = {"tests/logs/threads.eventlog", "tests/logs/sparks.eventlog",
                                "tests/logs/heap-nonmoving.eventlog", "tests/logs/demo.eventlog",
                                "tests/logs/heap-profile-c.eventlog"};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct bytes log = bytes_of_file(logs[i]);
        hectic_live_stats *v = take(&log, 0, NULL);
        char *text = text_of(METRICS_CLASSIC, v, "p"), *rest = text, name[128], quoted[132];
        for (const char *line; (line = next_line(&rest));) {
            if (sscanf(line, "# TYPE %127s", name) != 1) continue;
            snprintf(quoted, sizeof quoted, "`%s`", name);
            if (!strstr((const char *)pages.data, quoted)) fail_msg("%s is not in docs", name);
        }
        free(text);
        bytes_free(&log);
        hectic_live_stats_free(v);
    }
    bytes_free(&pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_match_the_expected_files),
        cmocka_unit_test(binary_formats_equal_texts),
        cmocka_unit_test(pauses_are_in_native_buckets),
        cmocka_unit_test(counters_never_go_back),
        cmocka_unit_test(unknown_values_are_absent),
        cmocka_unit_test(bands_are_bounded_series),
        cmocka_unit_test(labels_are_plain),
        cmocka_unit_test(the_format_is_negotiated),
        cmocka_unit_test(invalid_input_is_not_overread),
        cmocka_unit_test(all_are_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
