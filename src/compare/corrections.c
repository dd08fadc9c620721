/* corrections.c — see corrections.h. */
#include "compare/corrections.h"

#include <stdlib.h>

static int by_p(const void *a, const void *b)
{
    const double x = **(double *const *)a, y = **(double *const *)b;
    return (x > y) - (x < y);
}

/* The places of the values in ascending order. NULL: out of memory. */
static double **sorted(double *p, size_t count)
{
    double **place = malloc((count + 1) * sizeof *place);
    if (!place) return NULL;
    for (size_t i = 0; i < count; i++)
        place[i] = &p[i];
    qsort(place, count, sizeof *place, by_p);
    return place;
}

bool correct_by_holm(double *p, size_t count)
{
    double **place = sorted(p, count), most = 0;
    if (!place) return false;
    for (size_t i = 0; i < count; i++) {
        const double corrected = *place[i] * (double)(count - i);
        if (corrected > most) most = corrected < 1 ? corrected : 1;
        *place[i] = most;
    }
    free(place);
    return true;
}

bool correct_by_false_discoveries(double *p, size_t count)
{
    double **place = sorted(p, count), least = 1;
    if (!place) return false;
    for (size_t i = count; i-- > 0;) {
        const double corrected = *place[i] * (double)count / (double)(i + 1);
        if (corrected < least) least = corrected;
        *place[i] = least;
    }
    free(place);
    return true;
}
