/* live_course.c — see live_course.h. */
#include "stat/live_course.h"

#include <stdlib.h>

static void clear(struct live_course *course, unsigned i)
{
    course->slice[i].low = UINT64_MAX;
    course->slice[i].high = 0;
}

struct live_course *live_course_new(void)
{
    struct live_course *course = calloc(1, sizeof *course);
    for (unsigned i = 0; course && i < LIVE_SLICES; i++)
        clear(course, i);
    return course;
}

static void join(struct live_course *course, unsigned i, uint64_t low, uint64_t high)
{
    if (low < course->slice[i].low) course->slice[i].low = low;
    if (high > course->slice[i].high) course->slice[i].high = high;
}

static void double_slices(struct live_course *course)
{
    for (unsigned i = 1; i < LIVE_SLICES; i++) {
        const uint64_t low = course->slice[i].low, high = course->slice[i].high;
        clear(course, i);
        join(course, i / 2, low, high);
    }
    course->shift++;
}

static void put(struct live_course *course, struct live_sample sample)
{
    if (sample.bytes > course->high) course->high = sample.bytes;
    const uint64_t since = sample.time > course->base ? sample.time - course->base : 0;
    while (since >> course->shift >= LIVE_SLICES)
        double_slices(course);
    join(course, (unsigned)(since >> course->shift), sample.bytes, sample.bytes);
}

void live_course_add(struct live_course *course, uint64_t time, uint64_t bytes)
{
    const struct live_sample sample = {time, bytes};
    if (course->count == 0) course->base = time;
    if (course->count == 0 || time < course->first.time) course->first = sample;
    if (course->count++ == 0) {
        course->last = course->last_but_one = sample;
    } else if (time >= course->last.time) {
        course->last_but_one = course->last;
        course->last = sample;
        put(course, course->last_but_one);
    } else {
        const bool is_alone = course->count == 2;
        if (is_alone || time >= course->last_but_one.time) course->last_but_one = sample;
        put(course, sample);
    }
}

uint64_t live_course_until(const struct live_course *course)
{
    const uint64_t almost = course->high - course->high / 20;
    for (unsigned i = LIVE_SLICES; i-- > 0;) {
        if (course->slice[i].high < course->slice[i].low || course->slice[i].high < almost)
            continue;
        const uint64_t end = course->last.time;
        if (end < course->base || (end - course->base) >> course->shift <= i) return end;
        return course->base + ((uint64_t)(i + 1) << course->shift);
    }
    return course->last.time;
}

uint64_t live_course_after(const struct live_course *course, uint64_t until)
{
    for (unsigned i = 0; i < LIVE_SLICES; i++) {
        const uint64_t begin = course->base + ((uint64_t)i << course->shift);
        if (begin >= until && course->slice[i].high >= course->slice[i].low) return begin;
    }
    return course->last.time > until ? course->last.time : until;
}

uint64_t live_course_middle(const struct live_course *course, uint64_t until)
{
    const uint64_t first = course->first.time;
    const uint64_t middle = until > first ? first + (until - first) / 2 : first;
    const uint64_t since = middle > course->base ? middle - course->base : 0;
    uint64_t high = course->first.bytes;
    /* A slice that ends later may have later samples only. */
    for (unsigned i = 0; i < LIVE_SLICES && i < since >> course->shift; i++)
        if (course->slice[i].high > high) high = course->slice[i].high;
    return high;
}

uint64_t live_course_fall(const struct live_course *course, uint64_t until)
{
    const uint64_t since = until > course->base ? until - course->base : 0;
    uint64_t high = 0, fall = 0;
    for (unsigned i = 0; i < LIVE_SLICES && (uint64_t)i << course->shift < since; i++) {
        if (course->slice[i].high < course->slice[i].low) continue;
        if (high > course->slice[i].low && high - course->slice[i].low > fall)
            fall = high - course->slice[i].low;
        if (course->slice[i].high > high) high = course->slice[i].high;
    }
    return fall;
}
