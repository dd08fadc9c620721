/* Content negotiation: the HTTP header Accept (RFC 9110). */
#include "metrics/metrics.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* A part of the header, which is not NUL-terminated. */
struct text {
    const char *at;
    size_t length;
};

/* Accepted media types with their required parameters. */
static const struct {
    const char *type;
    enum metrics_format format;
    struct {
        const char *name, *value;
    } required[2];
} types[] = {
    {"application/vnd.google.protobuf",
     METRICS_PROTOBUF,
     {{"proto", "io.prometheus.client.MetricFamily"}, {"encoding", "delimited"}}},
    {"application/openmetrics-text", METRICS_OPEN, {{0}}},
    {"text/plain", METRICS_CLASSIC, {{0}}},
    {"text/*", METRICS_CLASSIC, {{0}}},
    {"*/*", METRICS_CLASSIC, {{0}}},
};

static bool is(struct text text, const char *other)
{
    return strlen(other) == text.length && strncasecmp(text.at, other, text.length) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static struct text trim(struct text text)
{
    while (text.length > 0 && is_space(text.at[0])) {
        text.at++;
        text.length--;
    }
    while (text.length > 0 && is_space(text.at[text.length - 1]))
        text.length--;
    return text;
}

/* Removes and returns the part before a delimiter outside of quotes, or all. */
static struct text take(struct text *rest, char delimiter)
{
    bool quoted = false;
    size_t length = 0;
    for (; length < rest->length && (quoted || rest->at[length] != delimiter); length++) {
        if (rest->at[length] == '"') quoted = !quoted;
        if (quoted && rest->at[length] == '\\' && length + 1 < rest->length) length++;
    }
    const struct text part = {rest->at, length};
    const size_t taken = length + (length < rest->length);
    rest->at += taken;
    rest->length -= taken;
    return trim(part);
}

/* The value of a parameter; length 0: none. */
static struct text value_of(struct text parameters, const char *name)
{
    while (parameters.length > 0) {
        struct text value = take(&parameters, ';');
        if (!is(take(&value, '='), name)) continue;
        value = trim(value);
        if (value.length > 1 && value.at[0] == '"')
            value = (struct text){value.at + 1, value.length - 2};
        return value;
    }
    return (struct text){"", 0};
}

/* In thousandths: "0.75" is 750; default 1000; 0 if invalid. */
static unsigned quality_of(struct text parameters)
{
    const struct text q = value_of(parameters, "q");
    if (q.length == 0) return 1000;
    if (q.length > 5 || (q.at[0] != '0' && q.at[0] != '1')) return 0;
    unsigned quality = 0, unit = 1000;
    for (size_t i = 0; i < q.length; i++) {
        if (i == 1 && q.at[i] == '.') continue;
        if (i == 1 || q.at[i] < '0' || q.at[i] > '9') return 0;
        quality += (unsigned)(q.at[i] - '0') * unit;
        unit /= 10;
    }
    return quality <= 1000 ? quality : 0;
}

static bool has_all(struct text parameters, size_t index)
{
    for (size_t i = 0; i < 2 && types[index].required[i].name; i++)
        if (!is(value_of(parameters, types[index].required[i].name),
                types[index].required[i].value))
            return false;
    return true;
}

enum metrics_format metrics_format_for(const char *accept)
{
    enum metrics_format best = METRICS_CLASSIC;
    unsigned best_quality = 0;
    struct text rest = {accept, accept ? strlen(accept) : 0};
    while (rest.length > 0) {
        struct text range = take(&rest, ',');
        const struct text type = take(&range, ';');
        const unsigned quality = quality_of(range);
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            if (quality == 0 || !is(type, types[i].type) || !has_all(range, i)) continue;
            if (quality < best_quality || (quality == best_quality && types[i].format < best))
                continue;
            best = types[i].format;
            best_quality = quality;
        }
    }
    return best;
}

const char *metrics_content_type(enum metrics_format format)
{
    static const char *const type[] = {
        [METRICS_CLASSIC] = "text/plain; version=0.0.4; charset=utf-8",
        [METRICS_OPEN] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
        [METRICS_PROTOBUF] = ("application/vnd.google.protobuf; "
                              "proto=io.prometheus.client.MetricFamily; encoding=delimited"),
    };
    return type[format];
}
