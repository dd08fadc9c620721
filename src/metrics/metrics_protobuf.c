/* Metrics as messages of metrics.proto, written part by part: concatenated messages are a message
 * with the fields of both, so each sample is packed by itself. */
#include "metrics/metrics_packed.h"

#include "metrics.pb-c.h"

#include <math.h>
#include <stdlib.h>

enum { NS_PER_SECOND = 1000000000, MAX_SPANS = (HECTIC_EXPONENTIAL_BUCKETS + 1) / 2 };

/* Values up to this count as 0: less than 1 ns, where the first bucket begins, 2^-30 s. */
static const double zero_threshold = 0x1p-30;

static const Metrics__Type types[] = {
    [METRICS_COUNTER] = METRICS__TYPE__COUNTER,
    [METRICS_GAUGE] = METRICS__TYPE__GAUGE,
    [METRICS_HISTOGRAM] = METRICS__TYPE__HISTOGRAM,
    [METRICS_INFO] = METRICS__TYPE__GAUGE,
};

/* --- Parts ------------------------------------------------------------------------------------ */

static void put(struct metrics_output *o, const Metrics__Family *part)
{
    if (o->part) metrics_put_message(o->part, &part->base);
}

static void begin(struct metrics_output *o, const struct metrics_family *f)
{
    char name[128];
    Metrics__Family about = METRICS__FAMILY__INIT;
    metrics_begin_part(o);
    snprintf(name, sizeof name, "%s%s", f->name, metrics_suffix[f->kind]);
    about.name = name;
    about.help = (char *)f->help;
    about.type = types[f->kind];
    if (f->unit) about.unit = (char *)f->unit;
    put(o, &about);
}

static void end(struct metrics_output *o)
{
    if (!metrics_end_part(o)) return;
    metrics_put_length(o->out, o->part_length);
    fwrite(o->part_bytes, 1, o->part_length, o->out);
    free(o->part_bytes);
}

/* --- Samples ---------------------------------------------------------------------------------- */

static void put_metric(struct metrics_output *o, const struct metrics_sample *sample,
                       Metrics__Metric *metric)
{
    Metrics__Family part = METRICS__FAMILY__INIT;
    Metrics__Label label[METRICS_MAX_LABELS], *labels[METRICS_MAX_LABELS];
    for (size_t i = 0; i < sample->labels; i++) {
        labels[i] = &label[i];
        metrics__label__init(labels[i]);
        label[i].name = (char *)sample->label[i].name;
        label[i].value = (char *)sample->label[i].value;
    }
    metric->label = labels;
    metric->n_label = sample->labels;
    part.metric = &metric;
    part.n_metric = 1;
    put(o, &part);
}

/* NULL: unknown. */
static Metrics__Timestamp *created_of(const struct metrics_sample *sample, Metrics__Timestamp *time)
{
    metrics__timestamp__init(time);
    time->seconds = (int64_t)(sample->created / NS_PER_SECOND);
    time->ns = (int32_t)(sample->created % NS_PER_SECOND);
    return sample->has_created ? time : NULL;
}

static void write_number(struct metrics_output *o, const struct metrics_family *f,
                         const struct metrics_sample *sample, uint64_t number)
{
    Metrics__Metric metric = METRICS__METRIC__INIT;
    Metrics__Counter counter = METRICS__COUNTER__INIT;
    Metrics__Gauge gauge = METRICS__GAUGE__INIT;
    Metrics__Timestamp created;
    counter.value = gauge.value = metrics_is_time(f) ? metrics_seconds(number) : (double)number;
    counter.created = created_of(sample, &created);
    if (f->kind == METRICS_COUNTER)
        metric.counter = &counter;
    else
        metric.gauge = &gauge;
    put_metric(o, sample, &metric);
}

/* --- Histograms ------------------------------------------------------------------------------- */

struct classic {
    Metrics__Bucket bucket[METRICS_LIMITS + 1], *buckets[METRICS_LIMITS + 1];
};

static void set_classic(Metrics__Histogram *histogram, const hectic_histogram *all,
                        struct classic *buffers)
{
    for (size_t i = 0; i <= METRICS_LIMITS; i++) {
        Metrics__Bucket *bucket = buffers->buckets[i] = &buffers->bucket[i];
        metrics__bucket__init(bucket);
        bucket->limit = i < METRICS_LIMITS ? metrics_seconds(metrics_limits[i].ns) : INFINITY;
        bucket->count =
            i < METRICS_LIMITS ? hectic_histogram_within(all, metrics_limits[i].ns) : all->count;
    }
    histogram->bucket = buffers->buckets;
    histogram->n_bucket = METRICS_LIMITS + 1;
}

struct native {
    Metrics__Span span[MAX_SPANS], *spans[MAX_SPANS];
    int64_t delta[HECTIC_EXPONENTIAL_BUCKETS];
};

/* Empty buckets are the gaps between spans. */
static void set_native(Metrics__Histogram *histogram, const hectic_exponential *exponential,
                       struct native *buffers)
{
    size_t spans = 0, deltas = 0;
    uint64_t before = 0;
    int next = 0; /* the bucket after the last span */
    for (int i = 0; i < HECTIC_EXPONENTIAL_BUCKETS; i++) {
        const uint64_t count = exponential->bucket[i];
        const int number = i + HECTIC_EXPONENTIAL_FIRST;
        if (count == 0) continue;
        if (spans == 0 || number != next) {
            Metrics__Span *span = buffers->spans[spans] = &buffers->span[spans];
            metrics__span__init(span);
            span->gap = number - next;
            spans++;
        }
        buffers->span[spans - 1].length++;
        buffers->delta[deltas++] = (int64_t)(count - before);
        before = count;
        next = number + 1;
    }
    histogram->schema = HECTIC_EXPONENTIAL_SCHEMA;
    histogram->zero_threshold = zero_threshold;
    histogram->zeros = exponential->zeros;
    histogram->span = buffers->spans;
    histogram->n_span = spans;
    histogram->delta = buffers->delta;
    histogram->n_delta = deltas;
}

static void write_histogram(struct metrics_output *o, const struct metrics_family *f,
                            const struct metrics_sample *sample, const struct metrics_histogram *h)
{
    (void)f;
    struct classic classic;
    struct native native;
    Metrics__Timestamp created;
    Metrics__Metric metric = METRICS__METRIC__INIT;
    Metrics__Histogram histogram = METRICS__HISTOGRAM__INIT;
    histogram.count = h->all->count;
    histogram.sum = metrics_seconds(h->all->sum);
    histogram.created = created_of(sample, &created);
    set_classic(&histogram, h->all, &classic);
    set_native(&histogram, h->exponential, &native);
    metric.histogram = &histogram;
    put_metric(o, sample, &metric);
}

const struct metrics_writer metrics_protobuf = {
    .begin = begin,
    .number = write_number,
    .histogram = write_histogram,
    .end = end,
};
