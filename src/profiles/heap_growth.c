/* heap_growth.c — which courses of heap profiles rise steadily. */
#include "profiles/heap_profile.h"

/* What happens at the start of a run is no evidence of a leak, and the last sample is often that
 * of an emptied heap. So the rule looks at the time after the first quarter, without the last
 * sample. */
static const double start = 0.25; /* of the points */

/* A course rises steadily if all of these hold. The last rise distinguishes a leak from a table
 * that is being filled: a line has 0.33 there, a root 0.24, a ramp that ends after two thirds of
 * the time 0.15. A step has no first or second rise. */
static const double fit_least = 0.6;        /* R² of the line: a step in the middle has 0.75 */
static const double rise_least = 0.02;      /* from one quarter to the next, of all rises */
static const double last_rise_least = 0.15; /* of the last quarter, of all rises */

static double mean_of(const uint64_t *course, uint32_t from, uint32_t to)
{
    double sum = 0;
    for (uint32_t i = from; i < to; i++)
        sum += (double)course[i];
    return sum / (to - from);
}

static bool has_rises(const uint64_t *course, uint32_t points)
{
    double quarter[4];
    for (uint32_t i = 0; i < 4; i++)
        quarter[i] = mean_of(course, i * points / 4, (i + 1) * points / 4);
    const double all = quarter[3] - quarter[0];
    return all > 0 && quarter[1] - quarter[0] >= rise_least * all &&
           quarter[2] - quarter[1] >= rise_least * all &&
           quarter[3] - quarter[2] >= last_rise_least * all;
}

/* Seconds since the first point, or samples. */
static double place_of(const hectic_heap_totals *totals, uint32_t point)
{
    const double place = (double)totals->course_time[point] - (double)totals->course_time[0];
    return totals->kind->has_times ? place / 1e9 : place;
}

hectic_heap_line hectic_heap_line_of(const hectic_heap_totals *totals, const uint64_t *course)
{
    hectic_heap_line line = {0};
    if (totals->points < HECTIC_HEAP_LINE_POINTS) return line;
    const uint32_t end = totals->points - 1, from = (uint32_t)(start * end), count = end - from;
    const double mean = mean_of(course, from, end);
    double mean_place = 0, places = 0, products = 0, squares = 0;
    for (uint32_t i = from; i < end; i++)
        mean_place += place_of(totals, i) / count;
    for (uint32_t i = from; i < end; i++) {
        const double place = place_of(totals, i) - mean_place, bytes = (double)course[i] - mean;
        places += place * place;
        products += place * bytes;
        squares += bytes * bytes;
    }
    if (!(places > 0)) return line;
    line.growth = products / places;
    if (squares > 0) line.fit = products / places * (products / squares);
    line.rise = line.growth * (place_of(totals, end - 1) - place_of(totals, from));
    line.is_steady = line.growth > 0 && line.fit >= fit_least && has_rises(course + from, count);
    return line;
}
