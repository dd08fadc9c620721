/* functions.c — SQL functions for times and sizes, and aggregates. */
#include "query/query.h"
#include "query/times.h"
#include "render/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* time('1.5s'): nanoseconds. */
static void time_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    uint64_t ns;
    (void)argc;
    const char *text = (const char *)sqlite3_value_text(argv[0]);
    if (!text) return;
    if (time_parse(text, &ns) && ns <= INT64_MAX) {
        sqlite3_result_int64(context, (sqlite3_int64)ns);
        return;
    }
    char *message = sqlite3_mprintf("\"%s\" is no time; examples: 100ms, 1.5s, 10m", text);
    sqlite3_result_error(context, message ? message : "no time", -1);
    sqlite3_free(message);
}

static void print_number(sqlite3_context *context, sqlite3_value *value, enum unit_kind kind)
{
    char text[UNITS_ROOM + 1];
    const int type = sqlite3_value_numeric_type(value);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
    const double number = sqlite3_value_double(value);
    if (fabs(number) >= 0x1p64) return;
    text[0] = '-';
    const int length = units_put(text + 1, fabs(number), kind, UNITS_THREE, false);
    sqlite3_result_text(context, number < 0 ? text : text + 1, length + (number < 0),
                        SQLITE_TRANSIENT);
}

/* dur(1500000): 1.5ms. */
static void dur_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    print_number(context, argv[0], UNITS_NS);
}

/* bytes(1536): 1.5KiB. */
static void bytes_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    print_number(context, argv[0], UNITS_BYTES);
}

/* --- Percentiles ----------------------------------------------------------------------------- */

struct number {
    double real;
    sqlite3_int64 whole; /* if it is an integer */
};

struct numbers {
    struct number *number;
    size_t count, capacity;
    double percent;
    bool has_reals;
};

static void percentile_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    const int type = sqlite3_value_numeric_type(argv[0]);
    struct numbers *numbers = sqlite3_aggregate_context(context, sizeof *numbers);
    if (!numbers) return sqlite3_result_error_nomem(context);
    const double percent =
        sqlite3_value_type(argv[1]) == SQLITE_NULL ? -1 : sqlite3_value_double(argv[1]);
    if (!(percent >= 0 && percent <= 100))
        return sqlite3_result_error(context, "percentile: the second argument is 0 to 100", -1);
    numbers->percent = percent;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
    if (numbers->count == numbers->capacity) {
        const size_t capacity = 2 * numbers->capacity + 1024;
        struct number *grown = sqlite3_realloc64(numbers->number, capacity * sizeof *grown);
        if (!grown) return sqlite3_result_error_nomem(context);
        numbers->number = grown;
        numbers->capacity = capacity;
    }
    numbers->has_reals = numbers->has_reals || type == SQLITE_FLOAT;
    numbers->number[numbers->count++] =
        (struct number){sqlite3_value_double(argv[0]), sqlite3_value_int64(argv[0])};
}

static int compare_numbers(const void *a, const void *b)
{
    const struct number *x = a, *y = b;
    if (x->real != y->real) return x->real < y->real ? -1 : 1;
    return (x->whole > y->whole) - (x->whole < y->whole);
}

/* The least rank, from 1, that is not below that part of the count. Products such as 99.9 % of
 * 1,000 are whole numbers but for their rounding. */
static size_t rank_of(double percent, size_t count)
{
    enum { PRECISION = 1000000000 };
    const double exact = percent * (double)count / 100, whole = round(exact);
    const double rank = fabs(exact - whole) * PRECISION < fmax(exact, 1) ? whole : ceil(exact);
    return rank < 1 ? 1 : rank < (double)count ? (size_t)rank : count;
}

/* The least number that is not below P % of all: the nearest rank. */
static void percentile_end(sqlite3_context *context)
{
    struct numbers *numbers = sqlite3_aggregate_context(context, 0);
    if (!numbers || numbers->count == 0) return;
    qsort(numbers->number, numbers->count, sizeof *numbers->number, compare_numbers);
    const struct number *found = &numbers->number[rank_of(numbers->percent, numbers->count) - 1];
    if (numbers->has_reals)
        sqlite3_result_double(context, found->real);
    else
        sqlite3_result_int64(context, found->whole);
    sqlite3_free(numbers->number);
}

/* --- Histograms ------------------------------------------------------------------------------ */

enum { BUCKETS = 65 };

struct buckets {
    uint64_t count[BUCKETS]; /* [0]: below 1; [n]: from 2^(n-1) to below 2^n */
};

static void histogram_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    const int type = sqlite3_value_numeric_type(argv[0]);
    struct buckets *buckets = sqlite3_aggregate_context(context, sizeof *buckets);
    if (!buckets) return sqlite3_result_error_nomem(context);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
    const double number = sqlite3_value_double(argv[0]);
    const int bucket = number < 1 ? 0 : number < 0x1p63 ? ilogb(number) + 1 : BUCKETS - 1;
    buckets->count[bucket]++;
}

/* [[from,to,count],…] in powers of two. */
static void histogram_end(sqlite3_context *context)
{
    const struct buckets *buckets = sqlite3_aggregate_context(context, 0);
    if (!buckets) return;
    sqlite3_str *text = sqlite3_str_new(NULL);
    bool follows = false;
    for (int i = 0; i < BUCKETS; i++) {
        if (buckets->count[i] == 0) continue;
        sqlite3_str_appendf(text, "%s[%llu,%llu,%llu]", follows ? "," : "[",
                            i ? UINT64_C(1) << (i - 1) : 0, i < 64 ? UINT64_C(1) << i : UINT64_MAX,
                            buckets->count[i]);
        follows = true;
    }
    sqlite3_str_appendall(text, follows ? "]" : "[]");
    char *json = sqlite3_str_finish(text);
    if (json)
        sqlite3_result_text(context, json, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

/* --------------------------------------------------------------------------------------------- */

int query_add_functions(sqlite3 *database, const char *prefix)
{
    static const struct function {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*end)(sqlite3_context *);
    } functions[] = {
        {"time", 1, time_function, NULL, NULL},
        {"dur", 1, dur_function, NULL, NULL},
        {"bytes", 1, bytes_function, NULL, NULL},
        {"percentile", 2, NULL, percentile_step, percentile_end},
        {"histogram", 1, NULL, histogram_step, histogram_end},
    };
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && code == SQLITE_OK; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, functions[i].name);
        code = sqlite3_create_function_v2(database, name, functions[i].arguments,
                                          SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                          NULL, functions[i].call, functions[i].step,
                                          functions[i].end, NULL);
    }
    return code;
}
