/* longest.c — see longest.h. */
#include "timeline/longest.h"

#include <stdlib.h>

static uint64_t length_of(const hectic_timeline_run *run)
{
    return run->to - run->from;
}

/* Equally long ones have an order, too: so it does not matter in which one they are added. */
static bool is_shorter(const hectic_timeline_run *a, const hectic_timeline_run *b)
{
    if (length_of(a) != length_of(b)) return length_of(a) < length_of(b);
    return a->from != b->from ? a->from > b->from : a->cap > b->cap;
}

static void sink(struct longest *l, hectic_timeline_run run)
{
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < l->count; i = child) {
        if (child + 1 < l->count && is_shorter(&l->run[child + 1], &l->run[child])) child++;
        if (!is_shorter(&l->run[child], &run)) break;
        l->run[i] = l->run[child];
    }
    l->run[i] = run;
}

static void rise(struct longest *l, hectic_timeline_run run)
{
    size_t i = l->count++;
    for (; i > 0 && is_shorter(&run, &l->run[(i - 1) / 2]); i = (i - 1) / 2)
        l->run[i] = l->run[(i - 1) / 2];
    l->run[i] = run;
}

bool longest_add(struct longest *l, const hectic_timeline_run *run)
{
    if (!l->run) l->run = malloc(LONGEST_MAX * sizeof *l->run);
    if (!l->run) return false;
    if (l->count < LONGEST_MAX)
        rise(l, *run);
    else if (is_shorter(l->run, run))
        sink(l, *run);
    return true;
}

bool longest_has_all(const struct longest *l, uint64_t least)
{
    return l->count < LONGEST_MAX || least > length_of(l->run);
}
