/* windows.c — see windows.h. */
#include "tool/verbs/stat/windows.h"

#include "base/array.h"
#include "tool/cli/message.h"
#include <hectic/read_events.h>

#include <stdlib.h>
#include <string.h>

enum { WINDOWS_MAX = 1000000 };

struct search {
    struct windows *windows;
    const struct reading *reading;
    const char *label;
    size_t length;
    bool groups; /* "request #" */
};

static bool take(void *user, const hectic_span_one *span)
{
    struct windows *windows = ((struct search *)user)->windows;
    if (strcmp(span->label, ((struct search *)user)->label) != 0) return true;
    windows->too_many = windows->count == WINDOWS_MAX;
    if (windows->too_many) return false;
    if (!array_reserve(windows->window, windows->room, windows->count + 1)) return false;
    windows->window[windows->count++] =
        (struct window){.start = span->start.position,
                        .stop = span->is_stopped ? span->stop.position : UINT64_MAX,
                        .thread = span->start.thread,
                        .has_thread = span->start.has_thread,
                        .slot = ((struct search *)user)->reading->part->slot};
    return true;
}

static bool begin(const struct reading *reading)
{
    struct search *search = reading->user;
    hectic_spans **spans = reading->kept;
    if (!*spans)
        *spans = hectic_spans_new(reading->interval.from, reading->interval.to, take, search);
    if (*spans && search->groups) hectic_spans_group(*spans);
    return *spans;
}

/* May the message be of that label? Others are not fed, so that they take no label. */
static bool is_of_label(const struct search *search, const hectic_event *event)
{
    if (search->groups) return true;
    const hectic_text text = hectic_read_message(event);
    return text.length >= search->length &&
           memcmp(text.bytes + text.length - search->length, search->label, search->length) == 0;
}

static bool events(const struct reading *reading, const hectic_event *event, size_t count)
{
    hectic_spans *spans = *(hectic_spans **)reading->kept;
    for (size_t i = 0; i < count; i++) {
        hectic_event copy = event[i];
        if (copy.type == HECTIC_EVENT_USER_MARKER) copy.type = HECTIC_EVENT_USER_MSG;
        if (copy.type == HECTIC_EVENT_USER_MSG && !is_of_label(reading->user, &copy)) continue;
        if (!hectic_spans_event(spans, &copy)) return false;
    }
    return true;
}

static bool end(const struct reading *reading, uint64_t now)
{
    return hectic_spans_end(*(hectic_spans **)reading->kept, now);
}

/* Windows that end after the interval count, too. */
static bool is_settled(const struct reading *reading)
{
    (void)reading;
    return false;
}

static int by_start(const void *a, const void *b)
{
    const struct window *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static int by_position(const void *a, const void *b)
{
    const struct window_edge *x = a, *y = b;
    return x->position < y->position ? -1 : x->position > y->position;
}

static bool sort_edges(struct windows *windows)
{
    windows->edge = malloc((2 * windows->count + 1) * sizeof *windows->edge);
    if (!windows->edge) return false;
    if (windows->count > 0)
        qsort(windows->window, windows->count, sizeof *windows->window, by_start);
    for (size_t i = 0; i < windows->count; i++) {
        const struct window *window = &windows->window[i];
        windows->edge[windows->edges++] = (struct window_edge){window->start, i};
        if (window->stop != UINT64_MAX)
            windows->edge[windows->edges++] = (struct window_edge){window->stop, i};
    }
    qsort(windows->edge, windows->edges, sizeof *windows->edge, by_position);
    return true;
}

/* Adds what is reported. */
static void finish(const struct reading *reading)
{
    hectic_span_totals *sum = &((struct search *)reading->user)->windows->totals;
    hectic_spans *spans = *(hectic_spans **)reading->kept;
    if (!spans) return;
    const hectic_span_totals totals = hectic_spans_totals(spans);
    sum->across += totals.across;
    sum->unstarted += totals.unstarted;
    sum->unstopped += totals.unstopped;
    hectic_spans_free(spans);
}

bool windows_find(struct windows *windows, struct reading *reading, const char *label)
{
    static const struct reader reader = {
        .begin = begin, .events = events, .end = end, .finish = finish, .is_settled = is_settled};
    struct search search = {
        .windows = windows,
        .reading = reading,
        .label = label,
        .length = strlen(label),
    };
    search.groups = search.length > 0 && label[search.length - 1] == '#';
    const bool done = reading_all(reading, &reader, &search) && sort_edges(windows);
    if (windows->too_many)
        tool_message("--window: more than %d windows; use --from and --to", WINDOWS_MAX);
    return done;
}

void windows_clear(struct windows *windows)
{
    free(windows->window);
    free(windows->edge);
}

struct window *windows_at(const struct windows *windows, const hectic_event *event)
{
    if (event->type != HECTIC_EVENT_USER_MSG && event->type != HECTIC_EVENT_USER_MARKER)
        return NULL;
    const struct window_edge wanted = {.position = event->position};
    const struct window_edge *found =
        windows->edges ? bsearch(&wanted, windows->edge, windows->edges, sizeof wanted, by_position)
                       : NULL;
    return found ? &windows->window[found->window] : NULL;
}
