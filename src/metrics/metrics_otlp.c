/* Metrics as those of OTLP (otlp.proto): field 2 of ScopeMetrics, one after the other. */
#include "metrics/metrics_packed.h"

#include "otlp.pb-c.h"

#include <stdlib.h>
#include <string.h>

enum { CUMULATIVE = 2 };

/* A field of bytes: its number and type. */
#define FIELD_OF(number) ((number) << 3 | 2)
enum { SCOPE_METRICS = FIELD_OF(2), DATA_POINTS = FIELD_OF(1) };
enum { METRIC_GAUGE = FIELD_OF(5), METRIC_SUM = FIELD_OF(7), METRIC_HISTOGRAM = FIELD_OF(10) };

/* --- Output ----------------------------------------------------------------------------------- */

static void put_heading(FILE *out, int field, size_t length)
{
    fputc(field, out);
    metrics_put_length(out, length);
}

static size_t heading_length(size_t length)
{
    size_t bytes = 2;
    while (length >>= 7)
        bytes++;
    return bytes;
}

/* The part has the points of a family: of all kinds of metrics they are field 1. */
static void put_point(struct metrics_output *o, const ProtobufCMessage *point)
{
    if (!o->part) return;
    put_heading(o->part, DATA_POINTS, protobuf_c_message_get_packed_size(point));
    metrics_put_message(o->part, point);
}

static void begin(struct metrics_output *o, const struct metrics_family *f)
{
    o->family = f;
    metrics_begin_part(o);
}

/* The rest of the metric's data, and its name before it. */
static void put_family(struct metrics_output *o)
{
    const struct metrics_family *f = o->family;
    /* Units as in UCUM. */
    const char *unit = metrics_is_time(f)                         ? "s"
                       : f->unit && strcmp(f->unit, "bytes") == 0 ? "By"
                                                                  : "1";
    Otlp__Metric about = OTLP__METRIC__INIT;
    Otlp__Sum sum = OTLP__SUM__INIT; /* a histogram has the first of its fields, too */
    about.name = (char *)f->name;
    about.description = (char *)f->help;
    about.unit = (char *)unit;
    sum.aggregation_temporality =
        f->kind == METRICS_COUNTER || f->kind == METRICS_HISTOGRAM ? CUMULATIVE : 0;
    sum.is_monotonic = f->kind == METRICS_COUNTER;
    const size_t data = o->part_length + protobuf_c_message_get_packed_size(&sum.base);
    put_heading(o->out, SCOPE_METRICS,
                protobuf_c_message_get_packed_size(&about.base) + heading_length(data) + data);
    metrics_put_message(o->out, &about.base);
    put_heading(o->out,
                f->kind == METRICS_COUNTER     ? METRIC_SUM
                : f->kind == METRICS_HISTOGRAM ? METRIC_HISTOGRAM
                                               : METRIC_GAUGE,
                data);
    fwrite(o->part_bytes, 1, o->part_length, o->out);
    metrics_put_message(o->out, &sum.base);
}

static void end(struct metrics_output *o)
{
    if (!metrics_end_part(o)) return;
    if (!o->failed && o->part_length > 0) put_family(o);
    free(o->part_bytes);
}

/* --- Samples ---------------------------------------------------------------------------------- */

struct attributes {
    Otlp__AnyValue value[METRICS_MAX_LABELS];
    Otlp__KeyValue pair[METRICS_MAX_LABELS], *pairs[METRICS_MAX_LABELS];
};

/* The resource has the program. */
static size_t set_attributes(struct attributes *attributes, const struct metrics_sample *sample)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->labels; i++) {
        const struct metrics_label *label = &sample->label[i];
        if (strcmp(label->name, "program") == 0 || strcmp(label->name, "pid") == 0) continue;
        otlp__any_value__init(&attributes->value[count]);
        otlp__key_value__init(&attributes->pair[count]);
        attributes->value[count].value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
        attributes->value[count].string_value = (char *)label->value;
        attributes->pair[count].key = (char *)label->name;
        attributes->pair[count].value = &attributes->value[count];
        attributes->pairs[count] = &attributes->pair[count];
        count++;
    }
    return count;
}

static void write_number(struct metrics_output *o, const struct metrics_family *f,
                         const struct metrics_sample *sample, uint64_t number)
{
    struct attributes attributes;
    Otlp__NumberDataPoint point = OTLP__NUMBER_DATA_POINT__INIT;
    point.n_attributes = set_attributes(&attributes, sample);
    point.attributes = attributes.pairs;
    point.start_time_unix_nano = sample->has_created ? sample->created : 0;
    point.time_unix_nano = sample->has_created ? sample->time : 0;
    point.value_case = OTLP__NUMBER_DATA_POINT__VALUE_AS_INT;
    point.as_int = number > INT64_MAX ? INT64_MAX : (int64_t)number;
    if (metrics_is_time(f)) {
        point.value_case = OTLP__NUMBER_DATA_POINT__VALUE_AS_DOUBLE;
        point.as_double = metrics_seconds(number);
    }
    put_point(o, &point.base);
}

/* Bucket i of OTLP has what is above 2^(i/8) and not above 2^((i+1)/8): one less than here. */
static void write_histogram(struct metrics_output *o, const struct metrics_family *f,
                            const struct metrics_sample *sample, const struct metrics_histogram *h)
{
    struct attributes attributes;
    Otlp__ExponentialHistogramDataPoint point = OTLP__EXPONENTIAL_HISTOGRAM_DATA_POINT__INIT;
    Otlp__Buckets buckets = OTLP__BUCKETS__INIT;
    const uint64_t *bucket = h->exponential->bucket;
    int first = 0, end = HECTIC_EXPONENTIAL_BUCKETS;
    while (first < end && bucket[first] == 0)
        first++;
    while (end > first && bucket[end - 1] == 0)
        end--;
    buckets.offset = first + HECTIC_EXPONENTIAL_FIRST - 1;
    buckets.bucket_counts = (uint64_t *)(bucket + first);
    buckets.n_bucket_counts = (size_t)(end - first);
    point.n_attributes = set_attributes(&attributes, sample);
    point.attributes = attributes.pairs;
    point.start_time_unix_nano = sample->has_created ? sample->created : 0;
    point.time_unix_nano = sample->has_created ? sample->time : 0;
    point.count = h->all->count;
    point.sum = metrics_seconds(h->all->sum);
    point.scale = HECTIC_EXPONENTIAL_SCHEMA;
    point.zero_count = h->exponential->zeros;
    point.positive = &buckets;
    put_point(o, &point.base);
    (void)f;
}

const struct metrics_writer metrics_otlp = {
    .begin = begin, .number = write_number, .histogram = write_histogram, .end = end};
