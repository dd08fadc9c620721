/* mmu.c — see mmu.h. */
#include "numbers/mmu.h"

#include <stdlib.h>

const struct hectic_mmu_row hectic_mmu_rows[HECTIC_MMU_ROWS] = {
    {"1ms", 1000000}, {"10ms", 10000000}, {"100ms", 100000000}, {"1s", 1000000000}};

static int by_time(const void *a, const void *b)
{
    const hectic_pause *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

size_t hectic_mmu_prepare(hectic_pause *pause, size_t count, uint64_t from, uint64_t to)
{
    size_t kept = 0;
    if (count > 0) qsort(pause, count, sizeof *pause, by_time);
    for (size_t i = 0; i < count; i++) {
        hectic_pause clipped = pause[i];
        if (clipped.from < from) clipped.from = from;
        if (clipped.to > to) clipped.to = to;
        if (clipped.from >= clipped.to) continue;
        if (kept == 0 || clipped.from > pause[kept - 1].to)
            pause[kept++] = clipped;
        else if (clipped.to > pause[kept - 1].to)
            pause[kept - 1].to = clipped.to;
    }
    return kept;
}

/* The ns of pauses before the end of a moving window. */
struct edge {
    size_t next;   /* the first pause that does not end before it */
    uint64_t past; /* the sum of those that do */
};

static uint64_t stopped_before(struct edge *edge, const hectic_pause *pause, size_t count,
                               uint64_t time)
{
    for (; edge->next < count && pause[edge->next].to <= time; edge->next++)
        edge->past += pause[edge->next].to - pause[edge->next].from;
    const hectic_pause *next = &pause[edge->next];
    return edge->past + (edge->next < count && next->from < time ? time - next->from : 0);
}

/* The greatest of the stopped times of the windows that begin with a pause, or, if `at_end`, end
 * with one; those that would pass an end of the interval are moved to it. */
static uint64_t most_stopped(const hectic_pause *pause, size_t count, uint64_t from, uint64_t to,
                             uint64_t window, int at_end)
{
    struct edge left = {0, 0}, right = {0, 0};
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = pause[i].from;
        if (at_end) begin = pause[i].to - from > window ? pause[i].to - window : from;
        if (begin > to - window) begin = to - window;
        const uint64_t before = stopped_before(&left, pause, count, begin);
        const uint64_t stopped = stopped_before(&right, pause, count, begin + window) - before;
        if (stopped > most) most = stopped;
    }
    return most;
}

uint64_t hectic_mmu_stopped(const hectic_pause *pause, size_t count, uint64_t from, uint64_t to,
                            uint64_t window)
{
    const uint64_t first = most_stopped(pause, count, from, to, window, 0);
    const uint64_t second = most_stopped(pause, count, from, to, window, 1);
    return first > second ? first : second;
}

size_t hectic_mmu_windows(uint64_t length, uint64_t window[HECTIC_MMU_WINDOWS])
{
    static const uint16_t step[] = {100, 125, 160, 200, 250, 315, 400, 500, 630, 800};
    enum { STEPS = sizeof step / sizeof *step };
    size_t count = 0;
    for (uint64_t scale = 1000; scale < UINT64_MAX / 10000; scale *= 10)
        for (size_t i = 0; i < STEPS && scale * step[i] < length; i++)
            window[count++] = scale * step[i];
    if (length > 0) window[count++] = length;
    return count;
}
