/* rank_test.c — see rank_test.h. */
#include "compare/rank_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXACT_MOST = 8,      /* of the smaller sample: the exact test */
    INTERVAL_MOST = 100, /* of the larger sample: the exact distribution for intervals */
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values are sorted. 0 of none. */
static double median_of(double *value, size_t count)
{
    if (count == 0) return 0;
    qsort(value, count, sizeof *value, compare);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

void sample_range(const struct sample *sample, double *low, double *high)
{
    *low = *high = sample->value[0];
    for (size_t i = 1; i < sample->count; i++) {
        if (sample->value[i] < *low) *low = sample->value[i];
        if (sample->value[i] > *high) *high = sample->value[i];
    }
}

/* --- Ranks ----------------------------------------------------------------------------------- */

struct ranks {
    double u;    /* pairs in which the new value is larger; a half for equal ones */
    double ties; /* the sum of t³ - t over values that occur t times */
};

struct tagged {
    double value;
    bool is_new;
};

static int by_value(const void *a, const void *b)
{
    return compare(&((const struct tagged *)a)->value, &((const struct tagged *)b)->value);
}

static void rank(struct tagged *all, size_t count, size_t new_count, struct ranks *ranks)
{
    double sum = 0; /* of the ranks of new values */
    *ranks = (struct ranks){0};
    qsort(all, count, sizeof *all, by_value);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && !(all[end].value > all[i].value);)
            end++;
        const double ties = (double)(end - i);
        ranks->ties += ties * ties * ties - ties;
        for (size_t j = i; j < end; j++)
            if (all[j].is_new) sum += ((double)i + 1 + (double)end) / 2;
    }
    const double n = (double)new_count;
    ranks->u = sum - n * (n + 1) / 2;
}

static bool find_ranks(const struct sample *old, const struct sample *new, struct ranks *ranks)
{
    const size_t count = old->count + new->count;
    struct tagged *all = malloc(count * sizeof *all);
    if (!all) return false;
    for (size_t i = 0; i < count; i++)
        all[i] = i < old->count ? (struct tagged){old->value[i], false}
                                : (struct tagged){new->value[i - old->count], true};
    rank(all, count, new->count, ranks);
    free(all);
    return true;
}

/* --- The distribution of U ------------------------------------------------------------------- */

/* One more value in the second sample, which then has n: the last value of all is of the first
 * sample with a probability of m / (m + n), and is larger than n values of the second one. `row[m]`
 * has the probabilities of U from 0 on. */
static void add_value(double *const *row, size_t m_most, size_t n)
{
    for (size_t m = 1; m <= m_most; m++) {
        const double first = (double)m / (double)(m + n);
        for (size_t u = m * n + 1; u-- > 0;) {
            const double before = u <= m * (n - 1) ? row[m][u] : 0;
            const double less = u >= n ? row[m - 1][u - n] : 0;
            row[m][u] = (1 - first) * before + first * less;
        }
    }
}

/* The probabilities of U = 0 … m n. NULL: out of memory. */
static double *distribution(size_t m, size_t n)
{
    const size_t width = m * n + 1;
    double **row = calloc(m + 1, sizeof *row), *all = calloc((m + 1) * width, sizeof *all);
    double *last = calloc(width, sizeof *last);
    if (row && all && last) {
        for (size_t i = 0; i <= m; i++) {
            row[i] = all + i * width;
            row[i][0] = 1;
        }
        for (size_t i = 1; i <= n; i++)
            add_value(row, m, i);
        memcpy(last, row[m], width * sizeof *last);
    } else {
        free(last);
        last = NULL;
    }
    free(row);
    free(all);
    return last;
}

static size_t less_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool exact_p(const struct sample *old, const struct sample *new, double u, double *p)
{
    const size_t pairs = old->count * new->count;
    double *probability = distribution(less_of(old->count, new->count),
                                       old->count + new->count - less_of(old->count, new->count));
    if (!probability) return false;
    /* The tail of small values: by symmetry the same as that of large ones. */
    const size_t tail = (size_t)(u < (double)pairs - u ? u : (double)pairs - u);
    *p = 0;
    for (size_t i = 0; i <= tail; i++)
        *p += 2 * probability[i];
    if (*p > 1) *p = 1;
    free(probability);
    return true;
}

/* --- The test -------------------------------------------------------------------------------- */

static double normal_p(const struct sample *old, const struct sample *new,
                       const struct ranks *ranks)
{
    const double m = (double)old->count, n = (double)new->count, all = m + n;
    const double larger = ranks->u > m * n - ranks->u ? ranks->u : m * n - ranks->u;
    const double variance = m * n / 12 * (all + 1 - ranks->ties / (all * (all - 1)));
    const double distance = larger - m * n / 2 - 0.5;
    if (!(variance > 0)) return 1;
    const double p = erfc(distance / sqrt(variance) / sqrt(2));
    return p < 1 ? p : 1;
}

bool rank_test(const struct sample *old, const struct sample *new, double *p)
{
    struct ranks ranks;
    *p = 1;
    if (old->count == 0 || new->count == 0) return true;
    if (!find_ranks(old, new, &ranks)) return false;
    if (less_of(old->count, new->count) <= EXACT_MOST && ranks.ties == 0)
        return exact_p(old, new, ranks.u, p);
    *p = normal_p(old, new, &ranks);
    return true;
}

/* --- The shift ------------------------------------------------------------------------------- */

/* How many of the sorted differences at each end are outside of an interval of 95 %; 0: not even
 * the outermost. False: out of memory. */
static bool outside_of(size_t m, size_t n, size_t *outside)
{
    const double pairs = (double)m * (double)n, tail = 0.025;
    *outside = 0;
    if (m > INTERVAL_MOST || n > INTERVAL_MOST) {
        const double k =
            floor(pairs / 2 - 1.959963984540054 * sqrt(pairs * (double)(m + n + 1) / 12));
        *outside = k > 0 ? (size_t)k : 0;
        return true;
    }
    double *probability = distribution(less_of(m, n), m + n - less_of(m, n)), sum = 0;
    if (!probability) return false;
    while (*outside < m * n && (sum += probability[*outside]) <= tail)
        ++*outside;
    free(probability);
    return true;
}

bool rank_shift(const struct sample *old, const struct sample *new, struct shift *shift)
{
    const size_t count = old->count * new->count;
    size_t outside;
    *shift = (struct shift){0};
    if (count == 0) return true;
    double *difference = malloc(count * sizeof *difference);
    if (!difference || !outside_of(old->count, new->count, &outside)) {
        free(difference);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        difference[i] = new->value[i / old->count] - old->value[i % old->count];
    shift->estimate = median_of(difference, count);
    shift->has_interval = outside > 0;
    if (outside > 0) {
        shift->low = difference[outside - 1];
        shift->high = difference[count - outside];
    }
    free(difference);
    return true;
}

/* How many of the sorted values at each end are outside of the interval of a median. */
static size_t outside_of_median(size_t count)
{
    double probability = pow(0.5, (double)count), sum = probability;
    size_t outside = 0;
    while (sum <= 0.025) {
        outside++;
        probability *= (double)(count - outside + 1) / (double)outside;
        sum += probability;
    }
    return outside;
}

bool sample_median(const struct sample *sample, struct shift *median)
{
    const size_t count = sample->count, outside = outside_of_median(count);
    double *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted) return false;
    memcpy(sorted, sample->value, count * sizeof *sorted);
    *median = (struct shift){.estimate = median_of(sorted, count), .has_interval = outside > 0};
    if (outside > 0) {
        median->low = sorted[outside - 1];
        median->high = sorted[count - outside];
    }
    free(sorted);
    return true;
}
