/* Metrics as text: the classic Prometheus format, and OpenMetrics. */
#include "metrics/metrics_output.h"

#include <inttypes.h>

static const struct {
    const char *open, *classic;
} kind_name[] = {
    [METRICS_COUNTER] = {"counter", "counter"},
    [METRICS_GAUGE] = {"gauge", "gauge"},
    [METRICS_HISTOGRAM] = {"histogram", "histogram"},
    [METRICS_INFO] = {"info", "gauge"},
};

static void begin_classic(struct metrics_output *o, const struct metrics_family *f)
{
    fprintf(o->out, "# TYPE %s%s %s\n", f->name, metrics_suffix[f->kind],
            kind_name[f->kind].classic);
    fprintf(o->out, "# HELP %s%s %s\n", f->name, metrics_suffix[f->kind], f->help);
}

static void begin_open(struct metrics_output *o, const struct metrics_family *f)
{
    fprintf(o->out, "# TYPE %s %s\n", f->name, kind_name[f->kind].open);
    if (f->unit) fprintf(o->out, "# UNIT %s %s\n", f->name, f->unit);
    fprintf(o->out, "# HELP %s %s\n", f->name, f->help);
}

enum { NS_DIGITS = 9, NS_PER_SECOND = 1000000000 };

/* Exact, which a double would not be. */
static void write_seconds(FILE *out, uint64_t ns)
{
    char digits[NS_DIGITS + 1];
    snprintf(digits, sizeof digits, "%09" PRIu64, ns % NS_PER_SECOND);
    size_t length = NS_DIGITS;
    while (length > 1 && digits[length - 1] == '0')
        length--;
    fprintf(out, "%" PRIu64 ".%.*s\n", ns / NS_PER_SECOND, (int)length, digits);
}

static void write_label(FILE *out, const struct metrics_label *label)
{
    fprintf(out, "%s=\"", label->name);
    for (const char *at = label->value; *at; at++)
        if (*at == '\n')
            fputs("\\n", out);
        else
            fprintf(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    fputc('"', out);
}

/* Writes the name, labels and a space. `le`: of a bucket, or NULL. */
static void write_name(FILE *out, const struct metrics_family *f, const char *suffix,
                       const struct metrics_sample *sample, const char *le)
{
    fputs(f->name, out);
    fputs(suffix, out);
    const char *before = "{";
    for (size_t i = 0; i < sample->labels; i++, before = ",") {
        fputs(before, out);
        write_label(out, &sample->label[i]);
    }
    if (le) fprintf(out, "%sle=\"%s\"", before, le);
    fputs(le || sample->labels ? "} " : " ", out);
}

static void write_created(struct metrics_output *o, const struct metrics_family *f,
                          const struct metrics_sample *sample)
{
    if (!sample->has_created) return;
    write_name(o->out, f, "_created", sample, NULL);
    write_seconds(o->out, sample->created);
}

static void write_number(struct metrics_output *o, const struct metrics_family *f,
                         const struct metrics_sample *sample, uint64_t number)
{
    write_name(o->out, f, metrics_suffix[f->kind], sample, NULL);
    if (metrics_is_time(f))
        write_seconds(o->out, number);
    else
        fprintf(o->out, "%" PRIu64 "\n", number);
}

static void write_open_number(struct metrics_output *o, const struct metrics_family *f,
                              const struct metrics_sample *sample, uint64_t number)
{
    write_number(o, f, sample, number);
    if (f->kind == METRICS_COUNTER) write_created(o, f, sample);
}

static void write_count(FILE *out, const struct metrics_family *f, const char *suffix,
                        const struct metrics_sample *sample, const char *le, uint64_t count)
{
    write_name(out, f, suffix, sample, le);
    fprintf(out, "%" PRIu64 "\n", count);
}

static void write_histogram(struct metrics_output *o, const struct metrics_family *f,
                            const struct metrics_sample *sample, const struct metrics_histogram *h)
{
    for (size_t i = 0; i < METRICS_LIMITS; i++)
        write_count(o->out, f, "_bucket", sample, metrics_limits[i].le,
                    hectic_histogram_within(h->all, metrics_limits[i].ns));
    write_count(o->out, f, "_bucket", sample, "+Inf", h->all->count);
    write_count(o->out, f, "_count", sample, NULL, h->all->count);
    write_name(o->out, f, "_sum", sample, NULL);
    write_seconds(o->out, h->all->sum);
}

static void write_open_histogram(struct metrics_output *o, const struct metrics_family *f,
                                 const struct metrics_sample *sample,
                                 const struct metrics_histogram *h)
{
    write_histogram(o, f, sample, h);
    write_created(o, f, sample);
}

static void finish_open(struct metrics_output *o)
{
    fputs("# EOF\n", o->out);
}

const struct metrics_writer metrics_classic = {
    .begin = begin_classic,
    .number = write_number,
    .histogram = write_histogram,
};

const struct metrics_writer metrics_open = {
    .begin = begin_open,
    .number = write_open_number,
    .histogram = write_open_histogram,
    .finish = finish_open,
};
